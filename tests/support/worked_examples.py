"""The variants and worked examples of docs/reference/rules.md, from rules_vectors.json."""

import json
from pathlib import Path

import pytest

BOOK = json.loads((Path(__file__).parents[1] / "data" / "rules_vectors.json").read_text())
ROWS = BOOK["variants"]
STANDARD = ROWS["standard"]


def vectors(kind):
    return [
        pytest.param(vector, id=vector["id"])
        for vector in BOOK["vectors"]
        if vector["kind"] == kind
    ]
