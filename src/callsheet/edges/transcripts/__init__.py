"""Transcripts of other tools: one file per format, each turns its records into the events of `model.transcript`."""
