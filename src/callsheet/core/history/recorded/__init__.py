"""What is known of the messages of a conversation: who wrote each, what it answers, what it must stay together with."""
