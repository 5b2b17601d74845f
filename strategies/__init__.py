"""Built-in strategies, one idea per file.

Built-in strategies are loaded like a user's strategies. The installed package is simgin_strategies.
"""
