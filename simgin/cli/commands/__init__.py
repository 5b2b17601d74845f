"""Commands, one per file; `simgin.cli.main` imports a command when it is called."""
