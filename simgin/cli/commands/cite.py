"""`simgin cite`: BibTeX entry of simgin, and the data that identify a result."""

import hashlib
from pathlib import Path

import click

from simgin.cli.options import PATH_TYPE
from simgin.cli.output import print_line


@click.command("cite")
@click.argument("directory_path", metavar="[DIR]", type=PATH_TYPE, required=False)
def cite_command(directory_path: Path | None) -> None:
    """Print a BibTeX entry for simgin, and details of the result in DIR.

    For the result, simgin prints the title, date, command and seed, the digest of the source code,
    and the checksum of the main table.

    \b
      simgin cite
      simgin cite results/demo
    """
    from simgin.runs import directory
    from simgin.version import format_bibtex

    click.echo(format_bibtex())
    if directory_path is None:
        return
    with directory.report_corruption(directory_path):
        manifest = directory.read_manifest(directory_path)
        csv_names = sorted(name for name in manifest["files"] if name.endswith(".csv"))
        main_file = min(csv_names, key="table.csv".__ne__, default=directory.MANIFEST_FILE)
        print_line(f"\nTitle:   {manifest.get('question') or manifest['command']}")
        print_line(f"Date:    {manifest['ended'][:10]}, simgin {manifest['simgin']}")
        print_line(f"Command: {manifest['command']}")
        print_line(f"Seed:    {manifest['seed']}")
        print_line(f"Source:  {manifest['source']} (digest of the source code)")
    checksum = hashlib.sha256((directory_path / main_file).read_bytes()).hexdigest()
    print_line(f"SHA-256: {checksum} ({main_file})")
