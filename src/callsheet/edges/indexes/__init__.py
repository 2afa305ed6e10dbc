"""Indexes: evidence by words and by vectors, inside a permission scope."""
