"""Presentation of results: numbers, tables, plots, terminal output and HTML reports."""
