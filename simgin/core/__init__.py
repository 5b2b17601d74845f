"""Compiled engine: cards, melds, deals, matches and the statistics collected from them.

All functions take and return integers and NumPy records. They do not use files, strings or other
Python objects.
"""
