"""What may be written into memory, and how: pure rules."""
