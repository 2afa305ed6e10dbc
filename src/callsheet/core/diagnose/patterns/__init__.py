"""Failure patterns of a session, each by rules of its own over its events; no model needed (H2)."""
