"""Web pages of `simgin web`, on which users play, analyse, review and compare."""
