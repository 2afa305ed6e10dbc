"""Candidates to a working set: what each is worth, what fits, where it stands, why the rest stays out (A3, E1, E2)."""
