"""Learning: parameter search, training of weights, adaptation to variants, confirmation."""
