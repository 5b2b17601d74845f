"""Win probabilities by score, seat and deadwood, and win probabilities in solitaire games."""
