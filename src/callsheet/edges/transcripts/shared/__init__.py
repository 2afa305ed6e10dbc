"""What several formats share: rows, chat messages, whole requests and the windows that follow them."""
