"""The compiled engine: cards, melds, deals, matches and their sums.

Integers in, integers out; no files, no strings, no Python objects.
"""
