"""Statistics: metrics, standard errors, differences and ratings."""
