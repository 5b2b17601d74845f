"""Worked examples of the rules in JSON files, for the engine and the reference implementation.

A kind of example is told once (`kinds`): how its input is read and what its answer consists of. The
two subjects, the modules `engine` and `reference`, have the same functions, and share no answer.
"""
