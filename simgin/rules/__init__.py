"""Rules of the game, with parameters, variants, and the Rules record for the engine."""
