"""Embedders: texts to vectors, by a model in this process or behind an address."""
