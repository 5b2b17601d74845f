"""Environments for learning libraries, and their policies as strategies."""
