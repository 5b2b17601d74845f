"""Charts of the gains from knocking, taking the first upcard, and first discards."""
