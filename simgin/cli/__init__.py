"""Command-line interface: the commands of `simgin`, their options and their output."""
