"""Match values, which are probabilities of winning the match, and win rates by deadwood."""
