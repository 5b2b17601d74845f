"""Every shipped experiment can be read and asks one question."""

from pathlib import Path

import pytest

from simgin.runs import experiment

FILES = sorted((Path(__file__).parents[2] / "experiments").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_shipped_experiment_asks_a_question(path):
    found = experiment.read(path)
    assert found.question.endswith("?")
    assert len(experiment.tasks(found)) == len(found.cells) >= (1 if found.sprt else 3)
