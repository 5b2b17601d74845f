"""Tests that scripts and experiments contain only names and commands that exist."""

import ast
import importlib
import importlib.util
import re
import shlex
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from simgin.review.review_request import ReviewRequest
from simgin.runs.plan import plan_experiment
from support.command_line import parse_command

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted(
    path
    for folder in ("benchmarks", "training", "docs", ".ci", "notebooks", "experiments")
    for path in (ROOT / folder).rglob("*.py")
)
EXPERIMENTS = sorted((ROOT / "experiments").rglob("*.toml"))
PACKAGES = ("simgin", "simgin_strategies")


def find_object(module, name):
    """Return an attribute or a submodule of a module, or None if it does not exist."""
    if not hasattr(module, name) and hasattr(module, "__path__"):
        submodule = f"{module.__name__}.{name}"
        return importlib.import_module(submodule) if importlib.util.find_spec(submodule) else None
    return getattr(module, name, None)


def find_imported_objects(tree):
    """Return the imported objects of simgin by name, and the names that do not exist."""
    objects, missing = {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for imported in node.names:
                package = imported.name.partition(".")[0]
                if package in PACKAGES:
                    module = importlib.import_module(imported.name)
                    objects[imported.asname or package] = (
                        module if imported.asname else importlib.import_module(package)
                    )
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            module = importlib.import_module(node.module)
            for imported in node.names:
                value = find_object(module, imported.name)
                if value is None:
                    missing.append(f"{node.module}.{imported.name}")
                objects[imported.asname or imported.name] = value
    return objects, missing


def find_missing_names(source):
    """Return the names of simgin that a script imports or reads, but that do not exist."""
    tree = ast.parse(source)
    objects, missing = find_imported_objects(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = objects.get(node.value.id)
            if isinstance(owner, ModuleType | type) and not hasattr(owner, node.attr):
                missing.append(f"{owner.__name__}.{node.attr}")
    return {*missing}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_script_reads_only_existing_names(path):
    assert find_missing_names(path.read_text()) == set()


GALLERY_IMPORTS = (
    "import simgin\nfrom simgin import plots\nfrom simgin.review import review_plots\n"
)


def test_code_of_the_gallery_reads_only_existing_names():
    gallery = tomllib.loads((ROOT / "docs" / "plots.toml").read_text())
    for name, entry in gallery.items():
        assert find_missing_names(GALLERY_IMPORTS + entry["python"]) == set(), name
        for line in entry["command"].splitlines() if "command" in entry else ():
            parse_command(*shlex.split(line)[1:])


def test_missing_names_are_found():
    source = """
import simgin
from simgin.play import kernel, kernels
from simgin.stats.estimate import Estimate, Guess

simgin.play_match()
kernel.play_batches(), kernel.play_rows()
Estimate.draw()
"""
    assert find_missing_names(source) == {
        "simgin.play.kernels",
        "simgin.stats.estimate.Guess",
        "simgin.play_match",
        "simgin.play.kernel.play_rows",
        "Estimate.draw",
    }


def load_script(path):
    """Run a script as a module, without its main function."""
    spec = importlib.util.spec_from_file_location(path.stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def list_commands_in_scripts():
    """Return the arguments of the commands that the build and the benchmarks run."""
    lines = load_script(Path(".ci/compile.py")).WARM_UP_COMMANDS.strip().splitlines()
    reference = load_script(Path("benchmarks/reference.py"))
    size = len(reference.SIMGIN_COMMAND)
    return [
        *(shlex.split(line)[1:] for line in lines),
        *(
            command[size:]
            for command in reference.COMMANDS_BY_NAME.values()
            if command[:size] == reference.SIMGIN_COMMAND
        ),
    ]


@pytest.mark.parametrize("words", list_commands_in_scripts(), ids=" ".join)
def test_command_in_a_script_has_valid_arguments(words):
    parse_command(*words)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_experiment_file_is_valid(path):
    if path.parent.name == "reviews":
        assert ReviewRequest.read_file(path).variants
    else:
        assert plan_experiment(path).tasks


def test_slow_target_runs_the_fast_tests_that_need_another_engine():
    files = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r'importorskip\("(pyspiel|rlcard)"', path.read_text())
    }
    (line,) = re.findall(r"^WITH_ORACLES := (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert {*line.split()} == files
