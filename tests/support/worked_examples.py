"""The variants and worked examples of docs/reference/rules.md, from rules_vectors.json."""

import json
from pathlib import Path

import pytest

RULE_BOOK = json.loads((Path(__file__).parents[1] / "data" / "rules_vectors.json").read_text())
VARIANT_PARAMS = RULE_BOOK["variants"]
STANDARD_PARAMS = VARIANT_PARAMS["standard"]


def parametrize_examples(example_kind):
    """Return the test parameters for all examples of one kind."""
    return [
        pytest.param(vector, id=vector["id"])
        for vector in RULE_BOOK["vectors"]
        if vector["kind"] == example_kind
    ]
