"""Statistics of results: metrics, standard errors, differences and ratings."""
