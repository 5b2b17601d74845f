"""Match values, which are win probabilities from any match state, and win rates by deadwood."""
