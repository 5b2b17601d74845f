"""Charts that show the gains from knocking, taking the first upcard, and first discards."""
