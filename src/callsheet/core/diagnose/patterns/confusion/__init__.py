"""Confusion: tools and things taken for others (D2, D7, H4): invented or overlapping tools, neighbours."""
