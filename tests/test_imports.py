"""Modules that commands and packages must not import."""

import subprocess
import sys

import pytest

COMMAND = """
import sys
from simgin.cli.main import cli
try:
    cli.main({words})
except SystemExit as end:
    assert end.code in (0, None), end.code
"""
MATCH = ["match", "simple", "gold", "--deals", "200"]
HEAVY = "numba numpy pandas pydantic rich"
WEB = "starlette uvicorn jinja2"
UNUSED = "pydantic matplotlib jinja2 pandas scipy.special scipy.linalg scipy.stats"
OTHER_PLAYERS = "simgin_strategies.champion simgin_strategies.mishra simgin_strategies.solo_dp"
CASES = [
    (COMMAND.format(words=["--help"]), f"{HEAVY} {WEB}"),
    (COMMAND.format(words=MATCH), f"{UNUSED} {OTHER_PLAYERS}"),
    (COMMAND.format(words=[*MATCH, "--json"]), f"{UNUSED} rich"),
    ("import simgin", f"{HEAVY} {WEB}"),
    ("import simgin.cli.commands.web", f"{HEAVY} {WEB}"),
    ("import simgin.cli.commands.variants", HEAVY),
    ("import simgin.plots", "matplotlib pandas rich"),
    ("from simgin.rules import variants; variants.find_variant('oklahoma+rush')", HEAVY),
    ("import simgin.text.notation", HEAVY),
]


@pytest.mark.parametrize(("code", "unwanted"), CASES)
def test_nothing_is_imported_that_is_not_needed(code, unwanted):
    there = f"{set(unwanted.split())} & set(sys.modules)"
    check = f"{code}\nimport sys\nprint({there}, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert run.stderr.splitlines()[-1] == "set()"
