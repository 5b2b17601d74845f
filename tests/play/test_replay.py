"""`simgin show`: the text has every turn and decision, and agrees with the kernel's sums."""

import json
import re
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

from simgin.cli.main import cli
from simgin.core import sums
from simgin.core.state import new_state
from simgin.core.view import new_view
from simgin.play import kernel, replay, replay_rows
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import loader
from simgin.text import notation

GAMES = (
    "standard",
    "basic",
    "tedesco",
    "rainbow+rush",
    "standard-50th+knock_limit=0",
    "standard+take_discard=no+first_turn=free+stock_end=at_draw+knock_limit=0",
    "standard+first_turn=discard_first+big_gin=yes",
)
ENDING = r"  (may (knock|go gin|declare|shoot)|knocks|goes gin|declares|shoots)"


def simgin(*words):
    return CliRunner().invoke(cli, ["show", *map(str, words)], prog_name="simgin")


def sums_of(variant, a, b, unit, kind="deal"):
    """The kernel's sums of one unit, by fact."""
    matchup = Matchup(variants.find(variant), loader.find(a), loader.find(b), 1, kind)
    views = new_view(), new_view()
    row = kernel.run(matchup, new_state(1), build_rules(matchup.variant), views, unit, 1)[0]
    return {name: int(row[sums.SUM + i]) for name, i in sums.FACT.items()}


def replays(variant, a, b, unit, deals=(None,), halves=(0, 1)):
    found = [
        replay.find_deal(a, b, variant, 1, unit, half, deal)
        for half, deal in product(halves, deals)
    ]
    return [replay.Replay(one) for one in found]


@pytest.mark.parametrize("variant", GAMES)
@pytest.mark.parametrize("unit", [0, 7])
def test_replays_of_both_halves_agree_with_the_kernels_sums(variant, unit):
    facts = sums_of(variant, "gold", "simple", unit)
    told = [replay_rows.rows(replayed) for replayed in replays(variant, "gold", "simple", unit)]
    results = [rows[-1] for rows in told]
    assert facts["deals"] == 2
    assert facts["turns"] == sum(result["turns"] for result in results)
    assert facts["points_scored"] == sum(
        sum(result["score"]) for result in results if result["winner"] is not None
    )
    assert facts["a_points"] == results[0]["score"][0] + results[1]["score"][1]
    for result in results:
        assert facts[result["kind"]] >= 1
    knocks = [result for result in results if result["kind"] in ("knock", "undercut", "even")]
    assert facts["defender_count"] == sum(result["defender_count"] for result in knocks)
    assert facts["laid_off"] == sum(len(result["laid_off"].split()) for result in knocks)


@pytest.mark.parametrize("variant", GAMES)
def test_the_text_has_every_turn_and_decision_within_80_columns(variant):
    for replayed in replays(variant, "gold", "simple", 3):
        lines = list(replayed.lines())
        assert all(len(line) <= 80 for line in lines)
        turns = [
            int(number) for line in lines if (number := "".join(re.findall(r"^Turn (\d+),", line)))
        ]
        began = replayed.state.turns + (
            replayed.watched.kind == "void" and replayed.state.drawn >= 0
        )
        assert turns == list(range(1, began + 1))
        thrown = [line.split()[1] for line in lines if line.startswith("  discards")]
        history = [notation.card_text(card) for *_, card in replayed.watched.turns if card >= 0]
        assert history[: len(thrown)] == thrown and len(history) - len(thrown) <= 1
        drawn = [line.split()[1] for line in lines if line.startswith(("  draws", "  takes"))]
        assert drawn[: len(replayed.watched.turns)] == [
            notation.card_text(card) for _, source, card, _ in replayed.watched.turns if source < 2
        ]
        proposals = [
            question for question in replayed.watched.questions if question.slot == "knock"
        ]
        assert len([line for line in lines if re.match(ENDING, line)]) == len(proposals)


def test_a_match_is_shown_deal_by_deal():
    facts = sums_of("standard", "gold", "simple", 2, "match")
    deals, points = 0, np.zeros(2, int)
    for half in (0, 1):
        score, number = [0, 0], 0
        while max(score) < 100:
            first, *_, last = replay_rows.rows(
                replays("standard", "gold", "simple", 2, (number,), (half,))[0]
            )
            assert first["points"] == score and first["deal"] == number
            score = [score[seat] + last["score"][seat] for seat in (0, 1)]
            number += 1
        deals += number
        points += np.array(score if half == 0 else score[::-1])
        over = simgin("gold", "simple", "--unit", 2, "--half", half, "--deal", number)
        assert over.exit_code == 2 and f"over after {number} deals" in over.stderr
    assert facts["deals"] == deals
    assert facts["a_match_margin"] == points[0] - points[1]


def test_the_command_shows_a_deal():
    result = simgin("gold", "simple", "--seed", 5, "--unit", 3, "--half", 1)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "standard: seed 5, unit 3, half 1"
    assert lines[-1] == "Repeat:  simgin show gold simple -v standard --seed 5 --unit 3 --half 1"
    assert simgin(*lines[-1].split()[3:]).stdout == result.stdout
    assert re.search(r"^Knock limit 10, upcard [A2-9TJQK][SHDC]$", result.stdout, re.M)
    assert len(re.findall(r"^  is dealt .*, deadwood \d+$", result.stdout, re.M)) == 2


def test_a_strategy_against_itself_has_two_names():
    result = simgin("simple", "simple")
    assert "simple (A) (seat 0)" in result.stdout and "simple (B) (seat 1)" in result.stdout


def test_the_json_output_is_one_object():
    answer = json.loads(simgin("gold", "simple", "-v", "tedesco", "--unit", 3, "--json").stdout)
    first, *decisions, last = answer["rows"]
    assert (first["event"], last["event"]) == ("deal", "result")
    assert {row["event"] for row in decisions} == {"decision"}
    assert answer["command"] == "simgin show gold simple -v tedesco --seed 1 --unit 3 --half 0"
    assert last["fault"] is None and last["kind"] in sums.KINDS


BAD = """
from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard

@discard
def bad(view, rules, params):
    return 99 if view.turns > 3 else best_discard(view.hand, view.legal, rules)

BAD = Strategy("bad", discard=bad)
"""


def test_an_illegal_answer_is_shown_where_it_happened(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(BAD)
    result = simgin(path, "simple")
    assert result.exit_code == 2
    before, after = result.stdout.split("The deal stopped here")
    assert before.rstrip().endswith("gives no legal answer")
    assert "discarded 99" in " ".join(after.split())
    assert result.stderr.startswith(f"simgin: {path}: the discard policy 'bad' discarded 99")
    early = simgin(path, "simple", "--half", 1)
    assert early.exit_code == 2 and early.stdout == ""
    assert "the match did not get as far as this deal" in early.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["simple", "simple", "--half", 1], "there is no half 1"),
        (["gold", "--half", 2], "a half is 0 or 1, not 2."),
        (["gold", "--unit", -1], "a unit is 0..2^48-1, not -1."),
        (["gold", "--unit", 2**48], "a unit is 0..2^48-1"),
        (["gold", "--seed", 2**64], "the seed must lie between 0 and 2^64 - 1"),
        (["gold", "--deal", -1], "the deals of a match are numbered from 0, not -1."),
        (["glod"], "there is no strategy 'glod'; did you mean 'gold'?"),
        (["gold", "-v", "standart"], "there is no variant 'standart'"),
        (
            ["gold", "-v", "gin-solitaire", "--half", 1],
            "gin-solitaire is for one player, so its packs are played once: there is no half 1.",
        ),
        (
            ["gold", "simple", "-v", "gin-solitaire"],
            "gin-solitaire is for one player: name one strategy, not gold and simple.",
        ),
    ],
)
def test_bad_input_is_refused_in_a_sentence(words, sentence):
    result = simgin(*words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stdout == ""
