"""Means of presentation that know no subject: numbers, sheets, figures, screen, page."""
