"""The compiled room: cards, melds, deals and their sums.

Integers in, integers out; no files, no strings, no Python objects.
"""
