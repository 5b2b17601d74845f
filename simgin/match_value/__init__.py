"""Match win probabilities (match values), and win rates by deadwood."""
