"""A game as data: parameters and variants become the Rules record that the engine plays by."""
