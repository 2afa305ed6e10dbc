"""Recorded exchanges with APIs."""
