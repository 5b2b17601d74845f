"""Parsing and formatting of user input: cards, amounts, TOML files and messages."""
