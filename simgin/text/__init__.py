"""Parsing and formatting of user input: cards, amounts, TOML files, messages."""
