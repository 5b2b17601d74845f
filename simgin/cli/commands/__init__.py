"""The commands of `simgin`, a file each; simgin.cli.main has the table of their names and imports them when they are called."""
