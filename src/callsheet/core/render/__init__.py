"""A working set to a wire, one file per dialect; a wire's reply back to text and usage."""
