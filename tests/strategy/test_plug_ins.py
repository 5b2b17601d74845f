"""Tests of strategies in installed packages, including broken packages."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from simgin.strategy import loader
from simgin.strategy.strategy_spec import StrategyError
from simgin.version import UNKNOWN_VERSION, get_version
from support.command_line import run_simgin

# A policy with the name of a built-in one, as in the README
PLUG_IN_CODE = """
from simgin.strategy import ACTION_STOCK, Strategy, take

@take
def lower(view, rules, params):
    return ACTION_STOCK

STRATEGY = Strategy("patient", take=lower)
"""


@pytest.fixture
def install_package(tmp_path, monkeypatch):
    """Return a function that writes the files of an installed package."""
    monkeypatch.syspath_prepend(tmp_path)

    def write_package(package, code):
        module = package.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(code)
        metadata_folder = tmp_path / f"{module}-1.0.dist-info"
        metadata_folder.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
        (metadata_folder / "METADATA").write_text(metadata)
        (metadata_folder / "entry_points.txt").write_text(f"[simgin.strategies]\nmain = {module}\n")
        monkeypatch.delitem(sys.modules, module, raising=False)
        loader._load_library.cache_clear()

    yield write_package
    loader._load_library.cache_clear()


def test_plug_in_can_use_the_name_of_a_built_in_policy(install_package):
    install_package("patient-pack", PLUG_IN_CODE)
    assert (
        loader.find_strategy("patient").take.function
        is not loader.find_strategy("gold").take.function
    )
    assert loader.find_strategy("gold+take=lower").spec == "gold"
    mixed = loader.find_strategy("gold+take=patient-pack.lower")
    assert mixed.spec == "gold+take=patient-pack.lower"
    assert (
        loader.find_strategy(mixed.spec).take.function
        is loader.find_strategy("patient").take.function
    )
    assert loader.find_strategy("gold+take=patient").spec == mixed.spec


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise ValueError('out of order')", "ValueError: out of order."),
        ("import nowhere_to_be_found", "No module named 'nowhere_to_be_found'"),
        (PLUG_IN_CODE.replace('"patient"', '"gold"'), "'gold' is the name of another strategy"),
        (PLUG_IN_CODE.replace('"patient"', '"No name"'), "is not a valid strategy name"),
    ],
)
def test_broken_plug_in_affects_only_commands_that_use_it(install_package, code, reason, capsys):
    install_package("broken-pack", code)
    assert loader.find_strategy("simple").spec == "simple"
    assert capsys.readouterr().err == ""
    assert loader.find_strategy("gold+discard=low").spec == "gold"
    warning = capsys.readouterr().err
    assert warning.count("\n") == 1
    assert "of the package broken-pack cannot be loaded" in warning and reason in warning
    for spec in ("broken-pack", "main", "gold+take=broken-pack.lower"):
        with pytest.raises(StrategyError) as error:
            loader.find_strategy(spec)
        assert reason in str(error.value)


def test_strategies_are_listed_despite_a_broken_plug_in(install_package):
    install_package("broken-pack", "raise ValueError")
    result = run_simgin("strategies")
    assert "gold" in result.stdout and "broken-pack" in result.stderr


CORRUPT_METADATA = [
    ("entry_points.txt", b"\xff\xfe\0"),
    ("entry_points.txt", b"[simgin.strategies]\nmain\n"),
    ("entry_points.txt", b"[simgin.strategies]\nmain = !!\n"),
    ("METADATA", b"\xff\xfe\0"),
    ("METADATA", b"Version: 1.0\n"),
]


@pytest.mark.parametrize(("file", "content"), CORRUPT_METADATA)
def test_package_with_corrupt_metadata_is_skipped(install_package, tmp_path, file, content, capsys):
    install_package("patient-pack", PLUG_IN_CODE)
    install_package("broken-pack", "1 / 0")
    (tmp_path / "broken_pack-1.0.dist-info" / file).write_bytes(content)
    loader._load_library.cache_clear()
    assert loader.find_strategy("patient").name == "patient"
    warning = capsys.readouterr().err
    assert warning.count("\n") == 1 and warning.endswith(
        ("The plug-in is skipped.\n", "They are skipped.\n")
    )


def test_new_process_ignores_packages_with_corrupt_metadata(install_package, tmp_path):
    """Import pydantic and numba, which read the metadata of every package."""
    for i, (file, content) in enumerate(CORRUPT_METADATA):
        install_package(f"broken-pack-{i}", "1 / 0")
        (tmp_path / f"broken_pack_{i}-1.0.dist-info" / file).write_bytes(content)
    code = "import simgin.text.toml, simgin; simgin.hand('5S 6S 7S 9H 9D 9C KS QD 2C AH')"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


@pytest.mark.parametrize("metadata", [b"\xff\xfe\0", b"Name: simgin\n"])
def test_version_is_unknown_if_metadata_is_corrupt(tmp_path, monkeypatch, metadata):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "simgin-9.dist-info").mkdir()
    (tmp_path / "simgin-9.dist-info" / "METADATA").write_bytes(metadata)
    assert get_version.__wrapped__() == UNKNOWN_VERSION


# The README's strategy, packaged as in the guide


ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
STRATEGY_GUIDE = ROOT / "docs" / "how-to" / "writing-a-strategy.md"


def find_code_block(page, language, text):
    """Return the code block that contains a given text."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.S | re.M)
    (code,) = [block for block in blocks if text in block]
    return code


def test_documented_package_plays_despite_a_broken_plug_in(install_package):
    project = tomllib.loads(find_code_block(STRATEGY_GUIDE, "toml", "simgin.strategies"))["project"]
    assert [*project["entry-points"]] == ["simgin.strategies"]
    install_package(project["name"], find_code_block(README, "python", 'Strategy("patient-gold"'))
    install_package("broken-pack", "raise ValueError('out of order')")
    rows = json.loads(run_simgin("strategies", "--json").stdout)["rows"]
    names = {(row["kind"], row["name"]) for row in rows}
    assert {("strategy", "patient-gold"), ("policy", "patient-pack.early")} <= names
    for players in (
        ("patient-gold", "simple"),
        ("gold+knock=patient-pack.early", "patient-gold:k=7"),
    ):
        assert json.loads(run_simgin("match", *players, "--deals", 200, "--json").stdout)["rows"]
    error = run_simgin("match", "broken-pack", "simple", exit_code=2).stderr
    assert "out of order" in error and "pip uninstall" in error
