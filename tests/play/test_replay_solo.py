"""`simgin show` for one player: every decision, the place of the joker, and the kernel's sums."""

import json
import re
import shlex

import numpy as np
import pytest
from click.testing import CliRunner

from oracles import twin
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

GAMES = [name for name in variants.names() if variants.find(name).row["players"] == 1]
UNUSUAL = [
    "solitaire-gin-knock+joker_in_hand=lose",
    "gin-solitaire+knock_limit=60+count_joker=yes",
    "solitaire-gin-knock+max_turns=3",
]
ENDING = r"  (may (knock|go gin|declare|shoot)|knocks|goes gin|declares|shoots)"


def simgin(*words):
    return CliRunner().invoke(cli, ["show", *map(str, words)], prog_name="simgin")


def replays(variant, units, strategy="gold+knock=at:k=4", deal=None):
    return [
        replay.make_replay(replay.find_deal(strategy, None, variant, 1, unit, 0, deal))
        for unit in units
    ]


def sums_of(variant, units, strategy="gold+knock=at:k=4"):
    matchup = Matchup(variants.find(variant), loader.find(strategy), None, 1, "deal")
    row = kernel.run(
        matchup, new_state(1), build_rules(matchup.variant), (new_view(), new_view()), 0, units
    )[0]
    return {name: int(row[sums.SUM + i]) for name, i in sums.FACT.items()}


@pytest.mark.parametrize("variant", [*GAMES, *UNUSUAL])
def test_replays_agree_with_the_kernels_sums(variant):
    facts, results = (
        sums_of(variant, 40),
        [replay_rows.rows(replayed)[-1] for replayed in replays(variant, range(40))],
    )
    assert facts["a_margin"] == sum(result["score"][0] - result["score"][1] for result in results)
    assert facts["turns"] == sum(result["turns"] for result in results)
    for kind in sums.KINDS:
        assert facts[kind] == sum(result["kind"] == kind for result in results)


@pytest.mark.parametrize("variant", [*GAMES, *UNUSUAL])
def test_the_text_has_every_decision_and_ends_with_the_joker(variant):
    for replayed in replays(variant, range(12)):
        lines = list(replayed.lines())
        assert all(len(line) <= 80 for line in lines)
        turns = [int(number) for number in re.findall(r"^Turn (\d+)$", "\n".join(lines), re.M)]
        assert turns == list(range(1, replayed.state.turns + 1))
        history = replayed.watched.turns
        thrown = []
        for line in lines:
            if line.startswith("  discards"):
                thrown.append(line.split()[1])
            elif line.startswith("  goes gin, discarding"):
                thrown.append(line.split()[-1])
        assert thrown == [notation.card_text(c) for *_, c in history if c >= 0]
        drawn = [line.split()[1].rstrip(",") for line in lines if line.startswith("  draws")]
        assert drawn == [notation.card_text(card) for _, _, card, _ in history if card >= 0]
        proposals = [
            question for question in replayed.watched.questions if question.slot == "knock"
        ]
        assert len([line for line in lines if re.match(ENDING, line)]) == len(proposals)
        last = next(
            i
            for i, line in enumerate(lines)
            if re.match("Knock$|Gin$|Big|Undercut|Even|Joker|Limit|Stalled", line)
        )
        assert all(
            line.startswith("gold") and "; joker, score " in line
            for line in lines[3:last]
            if "joker" in line
        )
        assert (
            re.search("lies? above the joker|Joker: ", "\n".join(lines[last:]))
            or variant == "solitary-gin"
        )


def test_the_place_of_the_joker_is_its_place_in_the_pack():
    """It lies under the cards drawn and those above it; the player saw none of that."""
    seen = set()
    for replayed in replays("gin-solitaire", range(60)):
        dealt, *_, result = replay_rows.rows(replayed)
        place = replayed.state.joker - 11
        assert result["above_joker"] == place - replayed.state.draws[0] >= 0
        assert (result["kind"] == "joker") <= (result["above_joker"] == 0) and dealt["deck"] == 42
        if result["kind"] == "joker":
            assert f"Joker: card {place + 1} of the 42 in the deck" in list(replayed.lines())
        seen.add(result["kind"])
    assert {"knock", "joker"} <= seen


def test_the_count_held_at_the_end_is_that_of_the_cards_held():
    """Of ten cards, or of the eleven of big gin."""
    row, seen = variants.find("gin-solitaire").row, set()
    for replayed in replays("gin-solitaire", range(60), strategy="solo-greedy"):
        result = replay_rows.rows(replayed)[-1]
        held = result["held"].split()
        assert result["held_count"] == twin.deadwood(held, row)
        seen.add((result["kind"], len(held)))
    assert seen == {("gin", 10), ("big_gin", 11), ("joker", 10)}


def test_a_match_adds_up_deal_by_deal():
    score = np.zeros(2, int)
    for number in range(100):
        first, *_, last = replay_rows.rows(replays("gin-solitaire", [2], deal=number)[0])
        assert (
            first["points"] == score.tolist()
            and first["deal"] == number
            and first["strategies"] == ["gold+knock=at:k=4"]
        )
        score += last["score"]
        assert last["match"]["points"] == score.tolist()
        if last["match"]["over"]:
            break
    assert max(score) >= 100 and last["match"]["winner"] == int(score.argmax())
    said = simgin("gold+knock=at:k=4", "-v", "gin-solitaire", "--unit", 2, "--deal", number)
    assert f"{('gold+knock=at:k=4', 'joker')[score.argmax()]} wins the match" in said.stdout
    over = simgin("gold+knock=at:k=4", "-v", "gin-solitaire", "--unit", 2, "--deal", number + 1)
    assert over.exit_code == 2 and f"over after {number + 1} deals" in over.stderr


def test_the_last_deal_shows_whether_the_goal_was_met():
    for unit in range(4):
        replayed = replays("solitary-gin", [unit], deal=4)[0]
        total = replay_rows.rows(replayed)[-1]["match"]["points"][0]
        result = "won" if total <= 30 else "lost"
        assert f"The match is {result}: the goal was a total of 30 or less after 5 deals" in list(
            replayed.lines()
        )


def test_the_command_shows_a_deal_as_text_and_json():
    result = simgin("gold", "-v", "solitaire-gin", "--unit", 3)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and lines[0] == "solitaire-gin: seed 1, unit 3"
    assert lines[1] == "Gin only; deck of 43 cards including the joker"
    assert lines[-1] == "Repeat:  simgin show gold -v solitaire-gin --seed 1 --unit 3"
    assert (
        CliRunner().invoke(cli, shlex.split(lines[-1])[2:], prog_name="simgin").stdout
        == result.stdout
    )
    first, *decisions, last = json.loads(
        simgin("gold", "-v", "solitaire-gin", "--unit", 3, "--json").stdout
    )["rows"]
    assert first["dealer"] is None and len(first["hands"]) == 1 and last["match"] is None
    assert [row["deck_left"] for row in decisions if row["slot"] == "discard"] == list(
        range(42, 42 - last["turns"], -1)
    )


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
    unit = next(
        i
        for i, replayed in enumerate(replays("solitaire-gin", range(9)))
        if replayed.state.turns > 5
    )
    result = simgin(path, "-v", "solitaire-gin", "--unit", unit)
    assert result.exit_code == 2
    before, after = result.stdout.split("The deal stopped here")
    assert before.rstrip().endswith("gives no legal answer") and "joker" not in after
    assert f"simgin show {path} -v solitaire-gin --seed 1 --unit {unit}" in " ".join(
        result.stderr.split()
    )
    assert "half" not in result.stderr
