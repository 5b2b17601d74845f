"""Tests of `--debug`, which interprets strategies with the same results as compiled code."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simgin.cli.debug import DEBUG_DEALS
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.strategy import loader
from support.command_line import run_simgin

ROOT = Path(__file__).resolve().parents[2]
INTERPRETED_MODE_ENVIRONMENT = {
    **os.environ,
    "NUMBA_DISABLE_JIT": "1",
    "PYTHONPATH": os.pathsep.join([str(ROOT), *map(str, sys.path)]),
}

STRATEGY_CODE = """
from simgin.strategy import Strategy, discard, helper
from simgin.toolkit import best_discard

@discard
def talks(view, rules, params):
    print("own turn", view.own_turn)
    if view.own_turn == 1:
        breakpoint()
    return best_discard(view.hand, view.legal, rules)

@helper
def deep(view):
    raise ValueError(f"no idea in turn {view.own_turn}")

@discard
def careful(view, rules, params):
    return deep(view)

TALKS = Strategy("talks", discard=talks)
RAISES = Strategy("raises", discard=careful)
"""

# Every opening, ending and restriction, random policies, lay-offs on gin, scores
# The seeds produce keys whose highest bit is set.
UNUSUAL_VARIANTS = (
    "standard+ace_runs=corner+layoff_on_gin=yes+stock_end=at_draw+discard_ban=drawn",
    "basic+first_turn=upcard_stock_or_pass_dead+take_to_knock=melded+shot=yes",
)
MATCHUPS = (
    ("gold", "simple", "standard", "deal"),
    ("simple", "random", "eaai", "match"),
    ("gold-at:k=3", "random", "oklahoma-spades", "match"),
    ("gin-only", "gold", "shot", "match"),
    ("gold+discard=loose-high+take=knock-or-meld", "simple", "rainbow", "deal"),
    ("stubborn", "gold", "tedesco", "deal"),
    ("simple+take=meld-best-lower", "gold+knock=at-wall", "standard-50th+big_gin=yes", "deal"),
    ("gold+knock=count", "gold+knock=lead", "rush", "match"),
    ("gold", "random+take=never", UNUSUAL_VARIANTS[0], "deal"),
    ("gold", "simple", "big-gin+first_turn=discard_first+ace_runs=high_or_low", "deal"),
    ("simple+discard=hits", "gold", UNUSUAL_VARIANTS[1], "deal"),
    *(
        (name, "gold-early", "basic", "deal")
        for name in loader.list_strategies()
        if name[-2:] != "mc"
    ),
)


def test_interpreted_run_prints_the_rows_of_the_compiled_run():
    compiled = run_simgin("match", "gold", "--deals", DEBUG_DEALS, "--json")
    process = run_module("match", "gold", "--debug", "--json")
    assert (process.stdout, process.returncode) == (compiled.stdout, 0), process.stderr
    assert f"{DEBUG_DEALS} deals" in process.stderr and "--deals" in process.stderr


def test_print_and_breakpoint_do_not_write_to_stdout(strategy_file):
    arguments = ("match", f"{strategy_file}#talks", "--deals", "2", "--debug", "--json")
    process = run_module(*arguments, input="p 20 + int(view.own_turn)\nc\n" * 2)
    assert process.returncode == 0, process.stderr
    assert "(Pdb) 21\n" in process.stderr and "own turn 2\n" in process.stderr
    assert json.loads(process.stdout)["rows"]


def test_exception_shows_the_traceback_of_the_strategy_and_the_error(strategy_file):
    process = run_module("show", f"{strategy_file}#raises", "--debug")
    assert process.returncode == 2
    head, _, error = process.stderr.partition("\nsimgin: error: /")
    frames = [line.strip() for line in head.splitlines() if line.startswith("  File")]
    lines = {"careful": find_code_line("return deep"), "deep": find_code_line("raise V")}
    assert frames == [f'File "{strategy_file}", line {n}, in {name}' for name, n in lines.items()]
    assert head.endswith("ValueError: no idea in turn 1")
    assert "raised ValueError: no idea in turn 1" in error


def test_quitting_the_debugger_interrupts_the_command(strategy_file):
    process = run_module("match", f"{strategy_file}#talks", "--debug", input="q\n")
    assert process.returncode == 130 and "interrupted" in process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.slow
def test_interpreted_and_compiled_batch_rows_are_identical():
    code = f"import sys; sys.path.append({str(Path(__file__).parent)!r})\n"
    code += "from test_debug import MATCHUPS, compute_batch_digest\n"
    code += "for i in range(len(MATCHUPS)): print(compute_batch_digest(i))"
    command = [sys.executable, "-W", "error", "-c", code]
    process = subprocess.run(
        command, env=INTERPRETED_MODE_ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert process.stdout.splitlines() == [compute_batch_digest(i) for i in range(len(MATCHUPS))], (
        process.stderr
    )


def run_module(*arguments, module="simgin", **options):
    """Run a module with command-line arguments in a separate process."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def find_code_line(text):
    return next(
        number for number, line in enumerate(STRATEGY_CODE.splitlines(), start=1) if text in line
    )


@pytest.fixture
def strategy_file(tmp_path):
    path = tmp_path / "strategy_file.py"
    path.write_text(STRATEGY_CODE)
    return path


def compute_batch_digest(matchup_index):
    """Play 40 deals or 2 matches of a matchup, and return the digest of the batch rows."""
    a, b, variant, unit = MATCHUPS[matchup_index]
    if a.startswith("solo"):
        b, variant = None, "solitaire-gin"
    opponent = b and loader.find_strategy(b)
    matchup = Matchup(
        variants.find_variant(variant),
        loader.find_strategy(a),
        opponent,
        2**64 - 1 - matchup_index,
        unit,
    )
    rows = kernel.play_batches(matchup, 0, 40 if unit == "deal" else 2)
    return hashlib.sha256(rows.tobytes()).hexdigest()
