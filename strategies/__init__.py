"""Built-in strategies, one idea per file.

They are loaded like a user's strategies and installed as the package simgin_strategies.
"""
