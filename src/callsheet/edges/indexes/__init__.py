"""Indexes: evidence by text, inside a permission scope."""
