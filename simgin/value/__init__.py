"""Win probability of a match from any state, and what an action in a position is worth."""
