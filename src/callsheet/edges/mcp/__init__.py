"""Foreign tool servers of the Model Context Protocol: their client, what is pinned of them, the gateway's face."""
