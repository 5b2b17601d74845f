"""Tests that names are unique, so that a search for a name finds one definition."""

import ast
import importlib
import tomllib
from collections import defaultdict
from dataclasses import fields
from pathlib import Path

import pytest

import simgin
from simgin.analysis.analysis import Analysis
from simgin.analysis.error_rates import ErrorRates
from simgin.learn.cma_search import TuningResult
from simgin.match_value.match_value import MatchValue
from simgin.odds.odds import Odds
from simgin.renamed import RenamedAttributes
from simgin.report.report import Report
from simgin.results.run_results import RunResults
from simgin.review.review import Review
from simgin.rules.variants import Variant
from simgin.strategy.author import Strategy

PACKAGE_DIRECTORY = Path(__file__).resolve().parents[1] / "simgin"


def test_public_names_are_unique_across_packages():
    packages, modules = defaultdict(set), defaultdict(set)
    for path in PACKAGE_DIRECTORY.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_":
                packages[node.name].add(path.relative_to(PACKAGE_DIRECTORY).parts[0])
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                modules[node.targets[0].id].add(path)
    shared = {name for name, where in packages.items() if len(where) > 1}
    assert shared == {"main"}
    frequent = {name for name, where in modules.items() if len(where) > 2}
    assert frequent == {"__all__", "__getattr__"}


NEW_NAMES_BY_OWNER = tomllib.loads((PACKAGE_DIRECTORY / "renamed.toml").read_text())
CLASSES_BY_NAME = {
    one.__name__: one
    for one in (
        *(Analysis, ErrorRates, MatchValue, Odds, Report, Review, RunResults),
        *(Strategy, TuningResult, Variant),
    )
}


@pytest.mark.parametrize("owner", NEW_NAMES_BY_OWNER)
def test_old_name_raises_an_error_with_the_new_name(owner):
    is_class = owner in CLASSES_BY_NAME
    owner_object = (
        object.__new__(CLASSES_BY_NAME[owner]) if is_class else importlib.import_module(owner)
    )
    known = {*dir(owner_object), *getattr(owner_object, "__all__", ())}
    known |= {field.name for field in fields(owner_object)} if is_class else set()
    for old, new in NEW_NAMES_BY_OWNER[owner].items():
        first, _, inner = new.partition(".")
        assert first in known and (not inner or hasattr(getattr(owner_object, first), inner))
        with pytest.raises(AttributeError, match=rf"{owner}\.{old} is now {owner}\.{new}\."):
            getattr(owner_object, old)
        if not is_class:
            with pytest.raises(ImportError, match=f"{old} is now"):
                exec(f"from {owner} import {old}")


@pytest.mark.parametrize(
    ("command", "function"), [("chart", "compute_chart"), ("tune", "tune_strategy")]
)
def test_name_of_a_command_suggests_its_function(command, function):
    with pytest.raises(AttributeError, match=f"Did you mean '{function}'"):
        getattr(simgin, command)


def test_error_within_a_property_is_not_taken_for_a_missing_name():
    class Broken(RenamedAttributes):
        @property
        def size(self):
            return None.size

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'size'"):
        _ = Broken().size
