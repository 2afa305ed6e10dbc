"""The prompt cache of a session: how requests continue each other, what was read from cache, what broke it (G2, G3)."""
