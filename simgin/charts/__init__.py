"""Charts for players: what knocking, an upcard and a first discard are worth."""
