"""Rule reviews, which measure the effects of a rule change for each player type."""
