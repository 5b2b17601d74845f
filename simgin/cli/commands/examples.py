"""`simgin examples`: example experiments and notebooks."""

import tomllib
from pathlib import Path

import click

from simgin.cli.options import PATH_TYPE, json_option
from simgin.cli.output import CommandResult, format_repeat_command, reject_export
from simgin.report.report_table import make_table_from_rows

NEXT_STEPS = """
Folder:      cd {directory_path}
Experiment:  simgin run experiments/demo.toml
Strategy:    simgin match experiments/patient.py simple
Notebooks:   jupyter lab notebooks     (requires simgin[notebooks])
"""


@click.command("examples")
@click.argument("directory_path", metavar="[DIR]", required=False, type=PATH_TYPE)
@json_option
def examples_command(directory_path: Path | None, as_json: bool) -> None:
    """List or copy the example experiments and notebooks.

    With DIR, simgin copies all example experiments, an example strategy and the notebooks into the
    new directory DIR.

    \b
      simgin run demo                         run an example by its name
      simgin examples mine                    copy all examples into mine
    """
    from simgin.text import shell
    from simgin.text.examples import copy_examples, list_experiments

    if directory_path is not None:
        reject_export()
        next_steps = NEXT_STEPS.format(directory_path=shell.quote_word(str(directory_path)))
        CommandResult(format_repeat_command(), [], files=copy_examples(directory_path)).print(
            as_json, [next_steps]
        )
        return
    rows = []
    for name, file in list_experiments().items():
        question = tomllib.loads(file.read_text(encoding="utf-8"))["question"]
        rows.append({"name": name, "question": question, "file": str(file)})
    questions = [(row["name"], row["question"]) for row in rows]
    table = make_table_from_rows("Experiments", ("name", "question"), questions)
    line = "\nRun an example: simgin run demo. Copy all examples: simgin examples DIR."
    CommandResult(format_repeat_command(), rows).print(as_json, [table, line], use_pager=True)
