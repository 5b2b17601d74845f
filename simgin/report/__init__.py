"""Presentation of any subject: numbers, sheets, figures, the screen, the page."""
