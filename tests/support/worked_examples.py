"""The variant rows and the worked examples of docs/reference/rules.md, as the data file has them."""

import json
from pathlib import Path

import pytest

BOOK = json.loads((Path(__file__).parents[1] / "data" / "rules_vectors.json").read_text())
ROWS = BOOK["variants"]
STANDARD = ROWS["standard"]


def vectors(kind):
    """The worked examples of one kind, as parameters of a test."""
    return [
        pytest.param(vector, id=vector["id"])
        for vector in BOOK["vectors"]
        if vector["kind"] == kind
    ]
