"""Built-in strategies, one idea per file.

Built-in strategies are loaded like a user's strategies. They are installed as the package
simgin_strategies.
"""
