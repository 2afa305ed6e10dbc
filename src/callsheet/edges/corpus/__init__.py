"""Folders of documents on disk: which files they hold, whether these changed, and what Git knows of them.

No file is parsed here (edges/documents).
"""
