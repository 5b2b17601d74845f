"""Commands, each in a separate module that `simgin.cli.main` imports when needed."""
