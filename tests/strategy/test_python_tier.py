"""Tests of interpreted policies, which numba cannot compile."""

import sys

import numpy as np
import pytest

from simgin.core import jit
from simgin.core.view import VIEW_DTYPE
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.runs import runner
from simgin.strategy import compiler, loader, python_tier

STANDARD, GOLD = variants.find_variant("standard"), loader.find_strategy("gold")
IMPORTS_CODE = "from simgin.strategy import *\nfrom simgin.toolkit import *\nSEEN = {}\n"
IMPORTS_CODE += "import sys\nsys.seen = {}\n"  # no copy is made of modules
INTERPRETED_GOLD_CODE = """
@take
def lower(view, rules, params):
    sys.seen["take"] = view.tobytes()
    after = deadwood_after_taking(view.hand, view.taken_offer, rules)
    return take_if(after < view.count, view.legal)

@discard(tie=param(0, 0, 2), weights="numbers.npy")
def low(view, rules, params):
    sys.seen.setdefault("params", []).append(params.tolist())
    sys.seen.setdefault("views", []).append(view.copy())
    return best_discard(view.hand, view.legal, rules)

@knock
def at(view, rules, params):
    sys.seen["knock"] = [view.ending, rules.gin_bonus]
    return np.bool_(view.ending_count <= 10)

import numpy as np
STRATEGY = Strategy("slow-gold", take=lower, discard=low, knock=at)
"""


def write_strategy(folder, body):
    (folder / "slow.py").write_text(IMPORTS_CODE + body)
    np.save(folder / "numbers.npy", np.array([2.5, -1.0]))
    return loader.find_strategy(str(folder / "slow.py"))


def write_failing_strategy(folder, line):
    body = (
        f"import sys\n@discard\ndef low(view, rules, params):\n    SEEN.get(1)\n    {line}\n"
        f"S = Strategy('failing', discard=low)\n"
    )
    return write_strategy(folder, body)


def test_interpreted_policy_plays_like_its_compiled_version(tmp_path):
    interpreted, simple, gold = (
        write_strategy(tmp_path, INTERPRETED_GOLD_CODE),
        loader.find_strategy("simple"),
        GOLD,
    )
    rows = [
        runner.run_matchup(Matchup(STANDARD, strategy, simple, 3, "deal"), 2400, workers)
        for strategy, workers in ((gold, 1), (interpreted, 1), (interpreted, 2))
    ]
    assert (rows[0] == rows[1]).all() and (rows[1] == rows[2]).all() and rows[0].any()
    assert {
        compiler.get_execution_mode(interpreted.policy(slot))
        for slot in ("take", "discard", "knock")
    } == {"slow"}


def test_interpreted_policy_sees_the_view_of_the_engine(tmp_path):
    interpreted = write_strategy(tmp_path, INTERPRETED_GOLD_CODE)
    deal = trace_deal(Matchup(STANDARD, interpreted, loader.find_strategy("simple"), 4, "deal"))
    decisions = [
        decision for decision in deal.decisions if decision.slot == "discard" and decision.seat == 0
    ]
    engine_views = [decision.view for decision in decisions]
    views = sys.seen["views"]
    assert len(views) == len(engine_views) > 2
    for view, engine_view in zip(views, engine_views, strict=True):
        assert all(np.array_equal(view[name], engine_view[name]) for name in VIEW_DTYPE.names)
        assert (
            view.hand == engine_view.hand and view.history.tolist() == engine_view.history.tolist()
        )
    assert set(map(tuple, sys.seen["params"])) == {(0.0, 2.5, -1.0)}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("return None", "returned nothing, but an action must be an integer or a Boolean"),
        ("return 3.0", "returned 3.0, a float, but"),
        ("return 2**63", "returned 9223372036854775808, which is too large"),
        ("return view.hand * 0 - 1", "discarded -1, but the legal discards are"),
        ("return view.best", "returned a set of cards ("),
        ("return SEEN['nothing']", "raised KeyError: 'nothing'"),
        ("raise KeyboardInterrupt", "raised KeyboardInterrupt "),  # Ctrl-C comes to another thread
        ("sys.exit(3)", "raised SystemExit: 3 "),
        ("view.history[0, 0] = 0", "raised ValueError: assignment destination is read-only"),
        ("rules.value[0] = 0", "raised ValueError: assignment destination is read-only"),
    ],
)
def test_policy_error_names_the_policy_and_the_deal(tmp_path, line, message):
    matchup = Matchup(STANDARD, GOLD, write_failing_strategy(tmp_path, line), 1, "deal")
    with pytest.raises(kernel.PolicyCallError) as error:
        kernel.play_batches(matchup, 0, 10)
    assert f"the discard policy 'low' {message}" in str(error.value)
    assert "Replay the deal with: simgin show gold" in str(error.value)
    assert trace_deal(matchup).error == str(error.value)


def test_keyboard_interrupt_in_the_main_thread_is_unchanged():
    """Raise KeyboardInterrupt, as Ctrl-C does during a policy call without compiled code."""
    with pytest.raises(KeyboardInterrupt), python_tier.reraise_policy_errors():
        raise KeyboardInterrupt


def test_interpretation_is_reported_once_with_its_reason(tmp_path, capsys):
    policy = write_failing_strategy(tmp_path, "return 1").policy("discard")
    compiler.compile_policy(policy)
    compiler.compile_policy(policy)
    notice = capsys.readouterr().err
    assert (
        notice.count("\n") == 1 and "the discard policy 'low' in slow.py runs in Python" in notice
    )
    assert "SEEN" in notice and compiler.find_interpretation_reason(policy) in notice


def test_listing_built_in_policies_compiles_nothing(monkeypatch):
    monkeypatch.setattr(jit.LazyDispatcher, "compile", lambda *_: pytest.fail("compiled"))
    assert {compiler.get_execution_mode(policy) for policy in loader.list_policies()} == {"fast"}


def test_fields_in_inner_functions_are_checked(tmp_path):
    """Use a typo in a comprehension, in a lambda and in an assignment."""
    for line, field in (
        ("return min(card for card in [view.legl])", "legl"),
        ("return (lambda: rules.gin_bonos)()", "gin_bonos"),
        ("view.hnad = 3", "hnad"),
    ):
        (tmp_path / field).mkdir()
        with pytest.raises(compiler.PolicyError, match=f"has no field '{field}'. Did you mean"):
            compiler.compile_policy(
                write_failing_strategy(tmp_path / field, line).policy("discard")
            )


STATEFUL_CODE = """
@take
def counting(view, rules, params):
    SEEN["asked"] = SEEN.get("asked", 0) + 1
    return {take}
@knock
def moody(view, rules, params):
    return {knock}
S = Strategy("stateful", take=counting, knock=moody)
"""
DEADWOOD_CONDITION = "lowers_deadwood(view, rules) and view.legal >> 1 & 1"
CALL_COUNT_CONDITION = "SEEN.get('asked', 0) % 3 < 2"


@pytest.mark.parametrize(
    ("take", "knock", "fails"),
    [
        (
            DEADWOOD_CONDITION,
            CALL_COUNT_CONDITION,
            False,
        ),  # a copy of SEEN is a constant for moody, whatever counting does
        (DEADWOOD_CONDITION, "SEEN.setdefault(int(view.turn), view.turn % 2 > 0)", False),
        (f"{DEADWOOD_CONDITION} and {CALL_COUNT_CONDITION}", "True", True),
    ],
)
def test_actions_that_depend_on_state_are_rejected(take, knock, fails, tmp_path):
    stateful = write_strategy(tmp_path, STATEFUL_CODE.format(take=take, knock=knock))
    results = []
    for workers in (1, 2):
        matchup = Matchup(STANDARD, stateful, GOLD, 3, "deal")
        try:
            results.append(runner.run_matchup(matchup, 2400, workers).tolist())
        except kernel.PolicyCallError as error:
            assert "chose different actions when the same deals were repeated" in str(error)
            results.append("refused")
    assert results[0] == results[1] and (results[0] == "refused") == fails


def test_changes_of_globals_do_not_affect_a_policy(tmp_path):
    stateful = write_strategy(
        tmp_path, STATEFUL_CODE.format(take=DEADWOOD_CONDITION, knock=CALL_COUNT_CONDITION)
    )
    matchup = Matchup(STANDARD, stateful, GOLD, 3, "deal")
    before = kernel.play_batches(matchup, 0, 100)
    stateful.knock.function.__globals__["SEEN"]["asked"] = 2
    assert (kernel.play_batches(matchup, 0, 100) == before).all()
