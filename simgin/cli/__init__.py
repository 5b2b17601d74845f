"""Command-line interface of simgin: commands, options and output."""
