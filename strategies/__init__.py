"""The strategies that come with simgin, one idea a file.

They are loaded like a user's own.

Installed as the package simgin_strategies.
"""
