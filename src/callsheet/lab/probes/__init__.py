"""Probes: questions put to a model about a conversation, after a policy has cut it (F9)."""
