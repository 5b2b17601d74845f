"""`simgin cite`: bibliography entry."""

import click


@click.command()
def cite() -> None:
    """Print how to cite simgin, for BibTeX.

    Results are cited with the version, the command and the seed, which every page and every
    manifest.json has.
    """
    from simgin.version import bibtex

    click.echo(bibtex())
