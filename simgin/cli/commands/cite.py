"""`simgin cite`: bibliography entry."""

import click


@click.command("cite")
def cite_command() -> None:
    """Print a BibTeX entry for simgin.

    To cite a result, also state the version, the command and the seed. Every HTML report and every
    manifest.json contains them.
    """
    from simgin.version import format_bibtex

    click.echo(format_bibtex())
