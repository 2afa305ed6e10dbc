"""Rerankers: models that judge texts against a question by reading both."""
