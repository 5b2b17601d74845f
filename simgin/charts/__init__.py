"""Charts of the gains from knocking, from taking the first upcard, and from first discards."""
