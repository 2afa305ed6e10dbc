"""Summarisers that ask a model: with our own prompt, or the provider's own compaction."""
