"""Worked examples of the rules, in files of JSON, put to the engine."""
