"""Win probability of a match from any state."""
