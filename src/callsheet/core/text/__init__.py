"""Texts: made safe to stand in a block, cleared of secrets, cut into sections, and compared."""
