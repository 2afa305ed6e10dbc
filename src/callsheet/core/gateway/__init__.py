"""The two checks around foreign tool servers, as pure functions: what they list, and what they answer (D5)."""
