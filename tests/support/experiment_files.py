"""Experiment files read from a text, and the mistakes in them."""

import pytest

from simgin.runs import experiment
from simgin.runs.experiment_file import ExperimentError


def read(tmp_path, text):
    path = tmp_path / "waiting.toml"
    path.write_text(text, encoding="utf-8")
    return experiment.read(path)


def names(found):
    """Variant, A and B of every cell; B is empty for one player."""
    return [(cell.variant, cell.a, cell.b) for cell in found.cells]


def mistakes(tmp_path, text):
    """The error messages for a file, with its path written as FILE."""
    with pytest.raises(ExperimentError) as error:
        read(tmp_path, text)
    assert str(error.value) == "\n".join(error.value.sentences)
    return [
        sentence.replace(str(tmp_path / "waiting.toml"), "FILE")
        for sentence in error.value.sentences
    ]


def begin(found, wanted):
    """Whether there are as many messages as wanted, each with its beginning."""
    pairs = zip(found, wanted, strict=False)
    return len(found) == len(wanted) and all(said.startswith(f"FILE: {one}") for said, one in pairs)


def swept(tmp_path, text, rest=""):
    return read(tmp_path, f'question = "?"\n{rest}\n[sweep]\n{text}')
