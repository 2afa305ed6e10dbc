"""Retrieval: what a question asks for in words, and how what was found is put in order."""
