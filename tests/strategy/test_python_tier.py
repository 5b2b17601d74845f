"""Policies that numba cannot compile play in the same engine, with the same views and errors."""

import sys

import numpy as np
import pytest

from simgin.core import jit
from simgin.core.view import VIEW
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.runs import runner
from simgin.strategy import compiler, loader, python_tier

STANDARD, GOLD = variants.find_variant("standard"), loader.find_strategy("gold")
HEAD = "from simgin.strategy import *\nfrom simgin.toolkit import *\nSEEN = {}\n"
HEAD += "import sys\nsys.seen = {}\n"  # no copy is made of modules
GOLD_IN_PYTHON = """
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


def strategy(folder, body):
    (folder / "slow.py").write_text(HEAD + body)
    np.save(folder / "numbers.npy", np.array([2.5, -1.0]))
    return loader.find_strategy(str(folder / "slow.py"))


def failing(folder, line):
    body = (
        f"import sys\n@discard\ndef low(view, rules, params):\n    SEEN.get(1)\n    {line}\n"
        f"S = Strategy('failing', discard=low)\n"
    )
    return strategy(folder, body)


def test_an_interpreted_policy_plays_like_its_compiled_version(tmp_path):
    slow, simple, gold = strategy(tmp_path, GOLD_IN_PYTHON), loader.find_strategy("simple"), GOLD
    rows = [
        runner.run_matchup(Matchup(STANDARD, one, simple, 3, "deal"), 2400, workers)
        for one, workers in ((gold, 1), (slow, 1), (slow, 2))
    ]
    assert (rows[0] == rows[1]).all() and (rows[1] == rows[2]).all() and rows[0].any()
    assert {
        compiler.get_execution_mode(slow.policy(slot)) for slot in ("take", "discard", "knock")
    } == {"slow"}


def test_an_interpreted_policy_sees_the_engines_view(tmp_path):
    slow = strategy(tmp_path, GOLD_IN_PYTHON)
    played = trace_deal(Matchup(STANDARD, slow, loader.find_strategy("simple"), 4, "deal"))
    asked = [one for one in played.decisions if one.slot == "discard" and one.seat == 0]
    logged = [question.view for question in asked]
    views = sys.seen["views"]
    assert len(views) == len(logged) > 2
    for view, other in zip(views, logged, strict=True):
        assert all(np.array_equal(view[name], other[name]) for name in VIEW.names)
        assert view.hand == other.hand and view.history.tolist() == other.history.tolist()
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
def test_a_failure_names_strategy_and_place(tmp_path, line, message):
    game = Matchup(STANDARD, GOLD, failing(tmp_path, line), 1, "deal")
    with pytest.raises(kernel.PolicyCallError) as raised:
        kernel.play_batches(game, 0, 10)
    assert f"the discard policy 'low' {message}" in str(raised.value)
    assert "Replay the deal with: simgin show gold" in str(raised.value)
    assert trace_deal(game).error == str(raised.value)


def test_ctrl_c_in_the_main_thread_is_unchanged():
    """Without compiled code, a policy is asked in the main thread."""
    with pytest.raises(KeyboardInterrupt), python_tier.reraise_policy_errors():
        raise KeyboardInterrupt


def test_a_single_notice_gives_the_reason(tmp_path, capsys):
    policy = failing(tmp_path, "return 1").policy("discard")
    compiler.compile_policy(policy)
    compiler.compile_policy(policy)
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "the discard policy 'low' in slow.py runs in Python" in said
    assert "SEEN" in said and compiler.find_interpretation_reason(policy) in said


def test_listing_shipped_policies_compiles_nothing(monkeypatch):
    monkeypatch.setattr(jit, "compile_function", lambda *_, **__: pytest.fail("compiled"))
    assert {compiler.get_execution_mode(policy) for policy in loader.list_policies()} == {"fast"}


def test_names_and_fields_of_inner_functions_are_read(tmp_path):
    """A typo in a comprehension or a lambda is refused."""
    for line, field in (
        ("return min(card for card in [view.legl])", "legl"),
        ("return (lambda: rules.gin_bonos)()", "gin_bonos"),
        ("view.hnad = 3", "hnad"),
    ):
        (tmp_path / field).mkdir()
        with pytest.raises(compiler.PolicyError, match=f"has no field '{field}'. Did you mean"):
            compiler.compile_policy(failing(tmp_path / field, line).policy("discard"))


STATEFUL = """
@take
def counting(view, rules, params):
    SEEN["asked"] = SEEN.get("asked", 0) + 1
    return {take}
@knock
def moody(view, rules, params):
    return {knock}
S = Strategy("stateful", take=counting, knock=moody)
"""
LOWERS = "lowers_deadwood(view, rules) and view.legal >> 1 & 1"
MOOD = "SEEN.get('asked', 0) % 3 < 2"


@pytest.mark.parametrize(
    ("take", "knock", "fails"),
    [
        (LOWERS, MOOD, False),  # a copy of SEEN is a constant for moody, whatever counting does
        (LOWERS, "SEEN.setdefault(int(view.turn), view.turn % 2 > 0)", False),
        (f"{LOWERS} and {MOOD}", "True", True),
    ],
)
def test_the_state_of_a_policy_must_not_change_an_action(take, knock, fails, tmp_path):
    one = strategy(tmp_path, STATEFUL.format(take=take, knock=knock))
    found = []
    for workers in (1, 2):
        game = Matchup(STANDARD, one, GOLD, 3, "deal")
        try:
            found.append(runner.run_matchup(game, 2400, workers).tolist())
        except kernel.PolicyCallError as error:
            assert "chose different actions when the same deals were repeated" in str(error)
            found.append("refused")
    assert found[0] == found[1] and (found[0] == "refused") == fails


def test_outside_changes_do_not_affect_a_policy(tmp_path):
    one = strategy(tmp_path, STATEFUL.format(take=LOWERS, knock=MOOD))
    game = Matchup(STANDARD, one, GOLD, 3, "deal")
    before = kernel.play_batches(game, 0, 100)
    one.knock.function.__globals__["SEEN"]["asked"] = 2
    assert (kernel.play_batches(game, 0, 100) == before).all()
