"""OpenHands' conversations, of both generations."""
