"""Statistics, with metrics, standard errors, differences and ratings."""
