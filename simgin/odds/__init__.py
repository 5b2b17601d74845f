"""Win probabilities by score, seat and deadwood, and in solitaire games."""
