"""One matchup and one deal: who plays, by which rules, and how a deal is told."""
