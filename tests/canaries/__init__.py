"""Canaries: whatever one tenant, subject or scope holds, nobody else's world is different for it (A3, C8)."""
