"""What is known of models by their names: traits, limits and prices, as an editable table."""
