"""Match values, which are match win probabilities, and win rates by deadwood."""
