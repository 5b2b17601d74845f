"""Strategy charts: gains of knocking, of taking the first upcard, and of first discards."""
