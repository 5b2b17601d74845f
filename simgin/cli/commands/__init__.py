"""One file per command; simgin.cli.main lists their names and imports them when called."""
