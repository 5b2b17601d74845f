"""Compiled engine, which plays deals and matches and collects statistics.

All functions take and return integers and NumPy records. They use neither files nor strings nor
other Python objects.
"""
