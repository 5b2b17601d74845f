"""Odds: win probabilities by score, seat and deadwood, and of solitaire games."""
