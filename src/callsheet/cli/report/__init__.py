"""What `inspect` says of a transcript, in three forms: a JSON document, a screen of text, a page."""
