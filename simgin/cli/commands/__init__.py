"""Commands, one per file. `simgin.cli.main` lists their names and imports them when called."""
