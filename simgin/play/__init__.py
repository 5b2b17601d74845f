"""One matchup and one deal: who plays, by which rules, and the deal replayed in words."""
