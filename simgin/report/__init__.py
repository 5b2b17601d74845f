"""Presentation of results: number formats, tables, plots, terminal output and HTML reports."""
