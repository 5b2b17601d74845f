"""Worked examples of the rules in JSON files, for the engine and the reference implementation.

The module `kinds` defines how the input of each kind of example is read, and which keys the answer
has. The modules `engine` and `reference` have the same functions but share no results.
"""
