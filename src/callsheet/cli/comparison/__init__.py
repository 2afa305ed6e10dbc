"""How a comparison of policies is shown: in the terminal, as one page, and the schema of its JSON."""
