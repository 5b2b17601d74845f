"""`simgin variants`: the list of variants and a single variant."""

import json

import pytest

from simgin.rules import variants
from support.command_line import call
from support.command_runs import KEYS

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_variants_lists_every_variant():
    output = call("variants").stdout
    assert all(f"\n{name} " in output for name in variants.names())
    assert all(len(line) <= 80 for line in output.splitlines())


def test_a_variant_shows_its_differences_and_every_parameter():
    output = call("variants", "oklahoma+knock_limit=5").stdout
    assert "Changes from standard" in output and "(section" not in output
    assert "\nknock_limit        (5) " in output  # the upcard sets the limit there
    assert all(f"\n{name} " in output for name in variants.parameters())


def test_variants_can_be_listed_as_json():
    found = json.loads(call("variants", "--json").stdout)
    assert list(found) == KEYS and [row["name"] for row in found["rows"]] == list(variants.names())
    rows = json.loads(call("variants", "eaai", "--json").stdout)["rows"]
    assert {row["parameter"]: row["value"] for row in rows} == variants.find("eaai").row
