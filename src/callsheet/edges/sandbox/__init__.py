"""Programs that nobody vouches for, run where they reach nothing (D6, D8, I1)."""
