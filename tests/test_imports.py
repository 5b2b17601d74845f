"""Tests that commands and packages do not import unneeded modules."""

import subprocess
import sys

import pytest

COMMAND_CODE_TEMPLATE = """
import sys
from simgin.cli.main import cli
try:
    cli.main({words})
except SystemExit as end:
    assert end.code in (0, None), end.code
"""
MATCH_COMMAND = ["match", "simple", "gold", "--deals", "200"]
HEAVY_MODULES = "numba numpy pandas pydantic rich"
WEB_MODULES = "starlette uvicorn jinja2"
MODULES_UNUSED_BY_MATCH = "pydantic matplotlib jinja2 pandas scipy.special scipy.linalg scipy.stats"
OTHER_STRATEGY_MODULES = (
    "simgin_strategies.champion simgin_strategies.mishra simgin_strategies.solo_dp"
)
UNNEEDED_MODULES_CASES = [
    (COMMAND_CODE_TEMPLATE.format(words=["--help"]), f"{HEAVY_MODULES} {WEB_MODULES}"),
    (
        COMMAND_CODE_TEMPLATE.format(words=MATCH_COMMAND),
        f"{MODULES_UNUSED_BY_MATCH} {OTHER_STRATEGY_MODULES}",
    ),
    (
        COMMAND_CODE_TEMPLATE.format(words=[*MATCH_COMMAND, "--json"]),
        f"{MODULES_UNUSED_BY_MATCH} rich",
    ),
    ("import simgin", f"{HEAVY_MODULES} {WEB_MODULES}"),
    ("import simgin.cli.commands.web", f"{HEAVY_MODULES} {WEB_MODULES}"),
    ("import simgin.cli.commands.variants", HEAVY_MODULES),
    ("import simgin.plots", "matplotlib pandas rich"),
    ("from simgin.rules import variants; variants.find_variant('oklahoma+rush')", HEAVY_MODULES),
    ("import simgin.text.notation", HEAVY_MODULES),
]


@pytest.mark.parametrize(("code", "unneeded"), UNNEEDED_MODULES_CASES)
def test_unneeded_modules_are_not_imported(code, unneeded):
    imported = f"{set(unneeded.split())} & set(sys.modules)"
    checked_code = f"{code}\nimport sys\nprint({imported}, file=sys.stderr)"
    run = subprocess.run(
        [sys.executable, "-c", checked_code], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr.splitlines()[-1] == "set()"
