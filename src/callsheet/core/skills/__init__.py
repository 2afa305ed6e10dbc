"""Agent Skills: read by the specification, scanned before anybody installs them, disclosed step by step (D6, I1)."""
