"""Web pages of `simgin web`, for playing, analysing, reviewing and comparing."""
