"""Web pages of `simgin web`: a local server to play, analyse, review and compare."""
