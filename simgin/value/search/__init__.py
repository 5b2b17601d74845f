"""Deals worth looking at: found among millions by what happened in them, or by what went wrong."""
