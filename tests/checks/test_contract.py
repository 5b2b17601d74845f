"""Tests that the contract test rejects invalid strategies and accepts valid ones."""

import json
from pathlib import Path

import pytest

from simgin.checks import contract, contract_process
from simgin.play.parallel import ProgressCallback
from simgin.rules import variants
from simgin.strategy import loader, strategy_spec
from simgin.text.files import create_file
from support.command_line import run_simgin

STANDARD_VARIANT_LIST = [variants.find_variant("standard")]
BEST_DISCARD_CODE = "best_discard(view.hand, view.legal, rules)"
LOW_DISCARD_CODE = "best_discard(view.hand, view.legal & -view.legal, rules)"
STRATEGY_TEMPLATE = f"""
import signal, sys, time
import numpy as np
from simgin.strategy import *
from simgin.toolkit import best_discard
SEEN, ASKED = {{}}, np.zeros(1)
%s
@discard
def policy(view, rules, params):
    %s
    return {BEST_DISCARD_CODE}
STRATEGY = Strategy("mine", discard=policy)
"""
UNCOMPILABLE_CODE = "SEEN[1] = 1; "  # strategies that numba cannot compile
# The check that must reject a strategy, words of its message, and the policy
BAD_POLICY_CASES = [
    ("history", "beyond view.turns", f"if view.history[-1, 3] == 0: return {LOW_DISCARD_CODE}"),
    ("compiles", "uses time, which makes deals irreproducible", "return time.time_ns() % 52"),
    ("same", "only on `view`",
     f"SEEN[len(SEEN)] = 1\n    if len(SEEN) % 9: return {LOW_DISCARD_CODE}"),
    ("raises", "with signal 9", f"{UNCOMPILABLE_CODE}signal.raise_signal(signal.SIGKILL)"),
    ("legal", "which is too large", "return SEEN.get(1, 2**64)"),
    ("legal", "returned nothing", "if SEEN.get(1, view.turns) > 3: return None"),
    ("time", "took longer than", "n = 0\n    while view.turns > 3: n += 1\n    if n: return n"),
    ("time", "took longer than", "while SEEN.get(1, True): pass"),
    ("legal", "Remove @helper", "return seen(view) + SEEN.get(1, 0)"),
    ("legal", "but the legal discards are", "if view.turns > 3: return 51"),
    ("raises", "raised SystemExit", 'sys.exit("enough turns")'),
    ("bounds", "raised IndexError", "if view.history[view.turns + 600, 3]: return 1"),
    ("raises", "raised ValueError: out", "if view.turns > 3: raise ValueError('out of ideas')"),
    ("compiles", "modifies its parameters or a module-level array", "ASKED[0] += 1"),
    ("writes", "changes view.history", "view.history[500, 0] = 9"),
    ("writes", "assignment destination is read-only", "view.hand = SEEN.get(1, 0)"),
    ("writes", "changes rules.gin_bonus", "rules.gin_bonus = 1000"),
    ("read", "is a take policy, not a discard policy", "pass\nX = Strategy('x', "
     "discard=take(policy.function))\ndef f():\n    pass"),
    ("read", "is an offer policy, not an answer policy", "pass\nX = Strategy('x', "
     "answer=offer(policy.function))\ndef f():\n    pass"),
]  # fmt: skip
HELPER_CODE = "@helper\ndef seen(view):\n    return SEEN.get(1, 0)"
# Strategies whose process must be killed take longest
FAST_CASE_INDICES = [
    i
    for i, (check, words, _) in enumerate(BAD_POLICY_CASES)
    if check != "time" and "signal" not in words
]
ILLEGAL_ACTION_CASE_INDEX = next(
    i for i, (check, *_) in enumerate(BAD_POLICY_CASES) if check == "legal"
)
HANGING_CASE_INDICES = [i for i, (check, *_) in enumerate(BAD_POLICY_CASES) if check == "time"]
SAMPLE_CASE_INDICES = [
    i for i in FAST_CASE_INDICES if BAD_POLICY_CASES[i][0] not in ("compiles", "read")
][::3]


def write_bad_strategy_file(folder: Path, case: int) -> str:
    file = folder / f"bad{case}.py"
    file.write_text(
        STRATEGY_TEMPLATE
        % (HELPER_CODE if "seen(" in BAD_POLICY_CASES[case][2] else "", BAD_POLICY_CASES[case][2])
    )
    return str(file)


def check_strategy_files(
    files: list[str], seconds: float = 60.0, on_progress: ProgressCallback | None = None
) -> dict[str, list[contract.ContractResult]]:
    """Check strategies under the standard rules; return the results of each file."""
    results = contract.check_strategies(files, STANDARD_VARIANT_LIST, seconds, on_progress)
    assert [result.check for result in results] == [*contract.CONTRACT_CHECKS] * len(files)
    return {file: [result for result in results if result.strategy == file] for file in files}


def assert_rejected(case: int, results: list[contract.ContractResult]) -> None:
    check, message, body = BAD_POLICY_CASES[case]
    failed = {result.check: result.sentence for result in results if result.passed is False}
    assert list(failed) == [check], f"{body}: {failed}"
    sentence = failed[check]
    assert message in sentence and "\n" not in sentence and sentence.endswith((".", "?")), sentence
    assert all(
        result.sentence == contract.NOT_TESTED_MESSAGE
        for result in results
        if result.passed is None
    )


def test_good_strategies_pass_and_bad_ones_fail(tmp_path: Path) -> None:
    new_file, stateful_file = tmp_path / "begun.py", tmp_path / "remembering.py"
    create_file(new_file, strategy_spec.render_strategy_file(new_file))
    stateful_body = f"SEEN[view.hand] = 1; sys.stdout.write('so'); return {BEST_DISCARD_CODE}"
    stateful_file.write_text(STRATEGY_TEMPLATE % ("", stateful_body))
    bad_files = {write_bad_strategy_file(tmp_path, i): i for i in SAMPLE_CASE_INDICES}
    calls: list[tuple[int, int]] = []
    results_by_file = check_strategy_files(
        [*bad_files, str(new_file), str(stateful_file)],
        on_progress=lambda *call: calls.append(call),
    )
    # Every bad strategy fails in the first step
    assert calls == [(0, 2)] * len(bad_files) + [(0, 2), (1, 2)] * 2
    for file, i in bad_files.items():
        assert_rejected(i, results_by_file[file])
    for file in (new_file, stateful_file):
        assert [result for result in results_by_file[str(file)] if result.passed is not True] == []
        sentences = {result.check: result.sentence for result in results_by_file[str(file)]}
        assert sentences["plays"] == "200 deals of standard."
        assert ("discard runs in Python" in sentences["compiles"]) == (file == stateful_file)


@pytest.mark.slow
def test_all_bad_strategies_are_rejected(tmp_path: Path) -> None:
    others = [i for i in range(len(BAD_POLICY_CASES)) if i not in HANGING_CASE_INDICES]
    for cases, seconds in ((others, 60.0), (HANGING_CASE_INDICES, 2.0)):
        files = [write_bad_strategy_file(tmp_path, i) for i in cases]
        for i, results in zip(cases, check_strategy_files(files, seconds).values(), strict=True):
            assert_rejected(i, results)


def test_strategy_after_a_hanging_file_is_still_checked(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import time\nwhile time.time() > 0: time.sleep(0.1)\n")
    results_by_file = check_strategy_files(
        [str(file), write_bad_strategy_file(tmp_path, HANGING_CASE_INDICES[0])], 0.3
    )
    first, second = (
        [result for result in results if result.passed is False]
        for results in results_by_file.values()
    )
    assert [result.check for result in (*first, *second)] == ["time", "time"]
    assert "reading" in first[0].sentence


@pytest.mark.slow
def test_command_exits_with_1_if_a_check_fails(tmp_path: Path) -> None:
    arguments = [
        "strategies",
        "check",
        write_bad_strategy_file(tmp_path, ILLEGAL_ACTION_CASE_INDEX),
        "-v",
        "standard",
        "-v",
        "oklahoma",
    ]
    rows = json.loads(run_simgin(*arguments, "--json", exit_code=1).stdout)["rows"]
    assert [row["check"] for row in rows] == list(contract.CONTRACT_CHECKS)
    assert [row["check"] for row in rows if row["passed"] is False] == ["legal"]
    missing = run_simgin("strategies", "check", tmp_path / "no.py", exit_code=2)
    assert "cannot be read (No such file" in missing.stderr


def test_positions_of_every_slot_are_found() -> None:
    views_by_slot = contract_process.find_positions(
        variants.find_variant("dice+melding=choice"), "same"
    )
    assert [slot for slot, views in views_by_slot.items() if len(views) < 5] == []


@pytest.mark.slow
def test_built_in_strategies_pass_in_every_variant() -> None:
    """Check each strategy, and combinations of gold with each policy."""
    strategies = [name for name in loader.list_strategies() if name != "mc"]
    policies = [policy for policy in loader.list_policies() if policy.name != "mc"]
    mixed = [f"gold+{policy.slot}={policy.name}" for policy in policies]
    results = contract.check_strategies(
        [*strategies, "mc:n=4", *mixed, "gold+stake=dead"], contract.list_default_variants()
    )
    assert [result for result in results if result.passed is not True] == []
