"""The verbs: pure, synchronous and deterministic. No I/O, clock, randomness, environment or logging in here."""
