"""The artifact index: which files a session read, wrote, made and removed, from the calls of its tools (F2, F7)."""
