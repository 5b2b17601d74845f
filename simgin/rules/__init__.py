"""Rules as data: parameters and variants, and the Rules record that the engine reads."""
