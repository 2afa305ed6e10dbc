"""Messages laid out so that every dialect takes them: results at once after their calls, none without its call."""
