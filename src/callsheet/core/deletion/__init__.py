"""Looking for what is left of deleted content, and the certificate of that: pure."""
