"""The strategies that come with simgin, one idea a file; plug-ins like anybody's.

Installed as the package simgin_strategies.
"""
