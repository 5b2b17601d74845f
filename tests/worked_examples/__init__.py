"""Worked examples of the rules, in files of JSON, put to the engine and to its twin.

A kind of example is told once (`kinds`): how its input is read and what its answer consists of. The
two subjects, the modules `engine` and `rules_twin`, have the same functions, and share no answer.
"""
