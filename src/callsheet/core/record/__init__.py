"""What a decision leaves on record, and what is read from it: why a byte is there, and where two requests differ."""
