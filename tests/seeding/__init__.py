"""Seeded faults: real transcripts into which a failure was written by hand, to measure what finds it."""
