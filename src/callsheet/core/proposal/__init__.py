"""Proposals: the schema a model is held to, the channel a proposal travels by, and our own reading of each reply."""
