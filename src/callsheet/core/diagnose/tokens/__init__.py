"""Where the tokens of a session went, held against what providers reported, and what they cost (H1)."""
