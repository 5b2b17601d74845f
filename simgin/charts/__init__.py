"""Charts of the gains of knocking, taking the first upcard, and first discards."""
