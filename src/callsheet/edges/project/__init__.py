"""The project folder ("context as code"): its files as nouns, its tools as contracts, its mistakes as findings."""
