"""Generators of the documentation blocks that docs/make.py writes into the pages."""
