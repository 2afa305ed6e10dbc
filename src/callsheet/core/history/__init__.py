"""What becomes of a conversation's past: the index of the files it touched."""
