"""`simgin cite`: bibliography entry."""

import click


@click.command("cite")
def cite_command() -> None:
    """Print how to cite simgin, for BibTeX.

    Results are cited with the version, the command and the seed, which every page and every
    manifest.json has.
    """
    from simgin.version import format_bibtex

    click.echo(format_bibtex())
