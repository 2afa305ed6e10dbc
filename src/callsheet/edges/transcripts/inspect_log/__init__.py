"""Inspect's evaluation logs."""
