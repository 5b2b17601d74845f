"""Generators of the blocks that docs/make.py writes into pages, one function per kind of block."""
