"""Win probability of a match from any state, what an action is worth, and deals worth a look."""
