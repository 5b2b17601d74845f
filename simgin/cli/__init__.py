"""Command-line interface, with the commands of `simgin`, their options and their output."""
