"""Where a conversation may be cut, and what is carried over a cut (invariant 3)."""
