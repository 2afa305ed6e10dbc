"""One transcript under several policies: what each would have been billed, and what would have survived (F1, F8)."""
