"""The command line: the commands of `simgin`, their options and what they print."""
