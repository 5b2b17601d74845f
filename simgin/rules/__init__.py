"""Rules of the game: parameters, variants, and the Rules record that the engine reads."""
