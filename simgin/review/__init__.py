"""A review: what a change of the rules does, for each kind of player, as an answer."""
