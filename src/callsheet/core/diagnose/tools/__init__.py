"""The tools of a session: what their definitions cost, which were called, which do not exist (D7)."""
