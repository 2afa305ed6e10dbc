"""What a step weighs before it edits: when, what goes first, whether it pays, whether thinking allows it (F4, F6)."""
