"""`simgin examples`: experiments and notebooks included in simgin."""

import tomllib
from pathlib import Path

import click

from simgin.cli.options import PATH, json_option
from simgin.cli.output import Answer, repeated
from simgin.report.table import listed

NEXT_STEPS = """
Go there:    cd {place}
Experiment:  simgin run experiments/demo.toml
Strategy:    simgin match experiments/patient.py simple
Notebooks:   jupyter lab notebooks     (pip install 'simgin[notebooks]' first)
"""


@click.command()
@click.argument("place", metavar="[DIR]", required=False, type=PATH)
@json_option
def examples(place: Path | None, as_json: bool) -> None:
    """List the experiments that come with simgin, or copy them.

    With DIR, a new folder, copies all experiments, a strategy and the notebooks into it, to be
    read, changed and run.

    \b
      simgin run demo                         an experiment by its name
      simgin examples mine                    files to work on, in mine
    """
    from simgin.text import shell
    from simgin.text.examples import copy, experiments

    if place is not None:
        told = NEXT_STEPS.format(place=shell.quote(str(place)))
        Answer(repeated(), [], files=copy(place)).show(as_json, [told])
        return
    rows = []
    for name, file in experiments().items():
        question = tomllib.loads(file.read_text(encoding="utf-8"))["question"]
        rows.append({"name": name, "question": question, "file": str(file)})
    named = [(row["name"], row["question"]) for row in rows]
    table = listed("Experiments", ("name", "question"), named)
    closing = "\nOne by its name: simgin run demo. Copies, with notebooks: simgin examples DIR."
    Answer(repeated(), rows).show(as_json, [table, closing])
