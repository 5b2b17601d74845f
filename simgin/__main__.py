"""`python -m simgin` is `simgin`."""

from simgin.cli import main

main()
