"""What each legal action in a position is worth: deals played on with the hidden cards drawn."""
