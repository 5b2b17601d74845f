"""Generators of the blocks that docs/make.py writes into the pages."""
