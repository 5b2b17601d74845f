"""Compiled engine, which plays deals and matches and collects statistics.

All functions take and return integers and NumPy records. The functions do not use files, strings or
other Python objects.
"""
