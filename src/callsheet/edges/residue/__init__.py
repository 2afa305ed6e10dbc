"""Looking for pieces of text in bytes: many pieces at once, and every file of a folder. Loaded when it is needed."""
