"""Metrics, standard errors, differences and ratings of results."""
