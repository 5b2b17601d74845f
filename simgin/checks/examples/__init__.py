"""Worked examples of the rules, run through the engine."""
