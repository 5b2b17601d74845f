"""What rules do to the game: metrics and differences between variants."""
