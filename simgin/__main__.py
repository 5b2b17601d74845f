"""`python -m simgin` is `simgin`."""

from simgin.cli.main import main

main()
