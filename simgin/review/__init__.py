"""Rule reviews: effects of a rule change on the game, for each player type."""
