"""Skills on disk: reading a folder, the lock file, and copying a skill into a project."""
