"""Presentation: number formats, tables, plots, terminal output and HTML reports."""
