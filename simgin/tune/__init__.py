"""The search for better numbers of a strategy, and the confirmation of what it found."""
