"""What texts say: their words and names, their sentences as terms and values, how alike two of them are."""
