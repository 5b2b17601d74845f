"""Numbers in, numbers out: metrics, their errors, differences and ratings."""
