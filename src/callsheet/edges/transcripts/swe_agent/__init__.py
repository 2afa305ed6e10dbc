"""SWE-agent's trajectories."""
