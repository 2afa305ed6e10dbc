"""Experiments over recorded decisions, and the statistics that go with them."""
