"""`simgin show`: the text has every turn and decision, and agrees with the kernel's sums."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from oracles import twin
from simgin.cli.main import cli
from simgin.core import sums
from simgin.core.state import new_state
from simgin.core.view import new_view
from simgin.play import kernel, replay, replay_rows
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.text import notation

GAMES = (
    *("standard", "basic", "tedesco", "rainbow+rush", "standard-50th+knock_limit=0"),
    "standard+take_discard=no+first_turn=free+stock_end=at_draw+knock_limit=0",
    "standard+first_turn=discard_first+big_gin=yes",
)
ALONE = [name for name in variants.names() if variants.find(name).row["players"] == 1]
UNUSUAL = [
    "solitaire-gin-knock+joker_in_hand=lose",
    "gin-solitaire+knock_limit=60+count_joker=yes",
    "solitaire-gin-knock+max_turns=3",
]
ENDING = r"  (may (knock|go gin|declare|shoot)|knocks|goes gin|declares|shoots)"
PAIR, SINGLE = ("gold", "simple"), ("gold+knock=at:k=4", None)
LOT = ("gold+stake=random", "simple+stake=random")


def simgin(*words):
    return CliRunner().invoke(cli, ["show", *map(str, words)], prog_name="simgin")


def sums_of(variant, players, units, kind="deal", first=0):
    """The kernel's sums of some units, by fact."""
    matchup = parse_matchup(*players, variant, 1, kind)
    views = new_view(), new_view()
    row = kernel.run(matchup, new_state(1), build_rules(matchup.variant), views, first, units)[0]
    return {name: int(row[sums.SUM + i]) for name, i in sums.FACT.items()}


def replayed(players, variant, unit, half=0, deal=None):
    return replay.make_replay(replay.find_deal(*players, variant, 1, unit, half, deal))


def same_sums(facts, results):
    assert facts["turns"] == sum(result["turns"] for result in results)
    for kind in sums.KINDS:
        assert facts[kind] == sum(result["kind"] == kind for result in results)


@pytest.mark.parametrize("variant", GAMES)
@pytest.mark.parametrize("unit", [0, 7])
def test_both_halves_agree_with_the_kernels_sums(variant, unit):
    facts = sums_of(variant, PAIR, 1, first=unit)
    results = [replay_rows.rows(replayed(PAIR, variant, unit, half))[-1] for half in (0, 1)]
    same_sums(facts, results)
    assert facts["points_scored"] == sum(sum(result["score"]) for result in results)
    assert facts["a_points"] == results[0]["score"][0] + results[1]["score"][1]
    knocks = [result for result in results if result["kind"] in ("knock", "undercut", "even")]
    assert facts["defender_count"] == sum(result["defender_count"] for result in knocks)
    assert facts["laid_off"] == sum(len(result["laid_off"].split()) for result in knocks)


@pytest.mark.parametrize("variant", [*ALONE, *UNUSUAL])
def test_deals_of_one_player_agree_with_the_kernels_sums(variant):
    results = [replay_rows.rows(replayed(SINGLE, variant, unit))[-1] for unit in range(40)]
    facts = sums_of(variant, SINGLE, 40)
    same_sums(facts, results)
    assert facts["a_margin"] == sum(result["score"][0] - result["score"][1] for result in results)


@pytest.mark.parametrize("variant", [*GAMES, *ALONE, *UNUSUAL])
def test_the_text_has_every_turn_and_decision_within_80_columns(variant):
    alone = variants.find(variant).row["players"] == 1
    for unit in range(8 if alone else 2):
        told = replayed(SINGLE, variant, unit) if alone else replayed(PAIR, variant, 3, unit)
        lines = list(told.lines())
        assert all(len(line) <= 80 for line in lines)
        turns = [int(number) for number in re.findall(r"^Turn (\d+)\b", "\n".join(lines), re.M)]
        silent = not alone and told.watched.kind == "void" and told.state.drawn >= 0
        assert turns == list(range(1, told.state.turns + silent + 1))
        history = told.watched.turns
        thrown = [line.split()[1] for line in lines if line.startswith("  discards")]
        names = [notation.card_text(card) for *_, card in history if card >= 0]
        assert names[: len(thrown)] == thrown and len(names) - len(thrown) <= 1
        words = [line.split()[1] for line in lines if line.startswith(("  draws", "  takes"))]
        drawn = [notation.card_text(card) for _, source, card, _ in history if source < 2]
        assert [word.rstrip(",") for word in words][: len(drawn)] == drawn
        asked = [question for question in told.watched.questions if question.slot == "knock"]
        assert len([line for line in lines if re.match(ENDING, line)]) == len(asked)
        if alone:  # where the joker lay is told at the end
            end = r"^(Knock|Gin|Big gin|Undercut|Even|Joker|Limit|Stalled)\b(?!.*deck of)"
            last = max(i for i, line in enumerate(lines) if re.match(end, line))
            assert not any("joker" in line for line in lines[4:last])
            place = re.search("lies? above the joker|Joker: ", "\n".join(lines[last:]))
            assert place or variant == "solitary-gin"


@pytest.mark.parametrize(
    ("players", "variant", "target"), [(PAIR, "standard", 100), (SINGLE, "gin-solitaire", 100)]
)
def test_a_match_is_shown_deal_by_deal(players, variant, target):
    score = np.zeros(2, int)
    number = 0
    while max(score) < target:
        first, *_, last = replay_rows.rows(replayed(players, variant, 2, 0, number))
        assert (first["points"], first["deal"], first["in_match"]) == (score.tolist(), number, True)
        score += last["score"]
        assert last["match"]["points"] == score.tolist()
        number += 1
    assert last["match"]["over"] and last["match"]["winner"] == int(score.argmax())
    words = [*[player for player in players if player], "-v", variant, "--unit", 2, "--deal"]
    winner = (players[0], players[1] or "joker")[score.argmax()]
    assert f"{winner} wins the match" in simgin(*words, number - 1).stdout
    over = simgin(*words, number)
    assert over.exit_code == 2 and f"over after {number} deals" in over.stderr


def test_the_command_shows_a_deal():
    result = simgin("gold", "simple", "--seed", 5, "--unit", 3, "--half", 1)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "standard: seed 5, unit 3, half 1"
    assert lines[-1] == "Repeat:  simgin show gold simple -v standard --seed 5 --unit 3 --half 1"
    assert simgin(*lines[-1].split()[3:]).stdout == result.stdout
    assert re.search(r"^Knock limit 10, upcard [A2-9TJQK][SHDC]$", result.stdout, re.M)
    assert len(re.findall(r"^  is dealt .*, deadwood \d+$", result.stdout, re.M)) == 2
    alone = simgin("gold", "-v", "solitaire-gin", "--unit", 3).stdout.splitlines()
    assert alone[0] == "solitaire-gin: seed 1, unit 3"
    assert alone[1] == "Gin only; deck of 43 cards including the joker"
    assert alone[-1] == "Repeat:  simgin show gold -v solitaire-gin --seed 1 --unit 3"


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
    pack = first["pack"].split()
    nondealer = 1 - first["dealer"]
    for seat, cards in ((nondealer, pack[0:20:2]), (first["dealer"], pack[1:20:2])):
        assert sorted(first["hands"][seat].split()) == sorted(cards)
    drawn = [row["drawn"] for row in decisions if row["slot"] == "discard" and row["drawn"]]
    assert pack[21 : 21 + len(drawn)] == drawn
    alone = json.loads(simgin("gold", "-v", "solitaire-gin", "--unit", 3, "--json").stdout)
    first, *decisions, last = alone["rows"]
    assert first["dealer"] is None and len(first["hands"]) == 1 and last["match"] is None
    left = [row["deck_left"] for row in decisions if row["slot"] == "discard"]
    assert left == list(range(42, 42 - last["turns"], -1))


BAD = """
from simgin.strategy import Strategy, discard, offer
from simgin.toolkit import best_discard

@discard
def bad(view, rules, params):
    return 99 if view.turns > 3 else best_discard(view.hand, view.legal, rules)

@offer
def bad_offer(view, rules, params):
    return 1

STRATEGY = Strategy("bad", discard=bad, offer=bad_offer)
"""


@pytest.mark.parametrize(
    ("words", "fault", "shown"),
    [
        (["simple"], "discard policy 'bad' discarded 99", "gives no legal answer"),
        (["-v", "solitaire-gin", "--unit", 3], "'bad' discarded 99", "gives no legal answer"),
        (
            ["simple", "-v", "dice", "--unit", 1],
            "'bad-offer' answered 1, but only 0 or 2 or 3 or 4 or 5 or 6 is legal",
            "may offer more than 1: gives no legal answer",
        ),
    ],
)
def test_an_illegal_answer_is_shown_where_it_happened(words, fault, shown, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(BAD)
    result = simgin(path, *words)
    assert result.exit_code == 2
    before, after = result.stdout.split("The deal stopped here")
    assert before.rstrip().endswith(shown)
    assert fault in " ".join(after.split()) and fault in result.stderr
    assert result.stderr.startswith(f"simgin: {path}: the ")
    assert ("half" in result.stderr) == ("solitaire-gin" not in words)


def test_a_match_that_fails_earlier_has_no_such_deal(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(BAD)
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


# The die, columns, and a choice of melding


@pytest.mark.parametrize(
    "variant",
    [
        "dice",
        "dice-pro",
        "dice+first_turn=free",
        "dice+first_turn=discard_first+die_centre_in_play=yes",
    ],
)
def test_every_offer_and_answer_is_shown_and_the_stake_follows(variant):
    seen = set()
    for unit in range(60):
        one = replayed(LOT, variant, unit, unit % 2)
        lines, (first, *decisions, last) = list(one.lines()), replay_rows.rows(one)
        assert all(len(line) <= 80 for line in lines)
        told = [
            line.split(") ", 1)[1]
            for line in lines
            if re.search(r"\) (offers|leaves the die|accepts|refuses) ", line)
        ]
        wanted = []
        for row in decisions:
            if row["slot"] == "offer":
                wanted.append(
                    f"offers {row['answer']}"
                    if row["answer"]
                    else f"leaves the die at {row['stake']}"
                )
            if row["slot"] == "answer":
                wanted.append(
                    f"{'accepts' if row['answer'] else 'refuses'} "
                    f"{row['stake_offered']}{' and owns the die' * row['answer']}"
                )
        assert told == wanted
        accepted = [
            row["stake_offered"] for row in decisions if row["slot"] == "answer" and row["answer"]
        ]
        assert last["stake"] == max([1, *accepted])
        blind = (
            not any(row["slot"] in ("take", "discard") for row in decisions)
            and last["kind"] == "refused"
            and not first["hands"]
        )
        if blind:
            assert not any(
                "dealt" in line or "holds" in line or "Knock limit" in line for line in lines
            )
        seen.add((last["kind"] == "refused", blind))
        if last["kind"] == "refused":
            assert (
                last["paid_for_refusal"] == last["stake"]
                and "Refused" in lines
                and last["score"] == [0, 0]
            )
    assert seen == {(False, False), (True, False), (True, True)}


def test_blind_offers_are_shown_before_the_cards():
    told = (replayed(LOT, "dice", unit, unit % 2) for unit in range(20))
    one = next(one for one in told if replay_rows.rows(one)[-1]["stake"] > 1)
    lines = list(one.lines())
    seen = next(i for i, line in enumerate(lines) if line.startswith("  is dealt"))
    assert any("accepts" in line for line in lines[:seen])
    assert lines[2] == "Before the cards are seen, the die shows 1"


@pytest.mark.parametrize(
    ("variant", "standing"),
    [
        ("hollywood", r"columns \d+, \d+, \d+"),
        ("pro", r"\d of 7 games, score \d+"),
        ("twofold", r"score \d+ of 121, \d of 7 won deals"),
        ("dice", r"\d of 7 won deals"),
        ("standard", r"score \d+"),
    ],
)
def test_the_score_of_a_match_is_shown_before_and_after(variant, standing):
    before, after = (replayed(PAIR, variant, 0, 0, deal) for deal in (3, 4))
    (line,) = (" ".join(text.split()) for text in ["\n".join(before.lines()).split("Match: ")[1]])
    told = dict(part.split(", ", 1) for part in line.split("; "))
    for name in before.names:
        assert re.fullmatch(standing, told[name])
        assert any(text.startswith(name) and text.endswith(told[name]) for text in after.lines())


def test_a_race_has_two_goals():
    lines = list(replayed(PAIR, "race", 0, 0, 2).lines())
    assert any(re.search(r"gold \(seat 0\).*score \d+ of 121$", line) for line in lines)
    assert any(re.search(r"simple \(seat 1\).*\d of 7 won deals$", line) for line in lines)


def test_columns_show_how_they_ended():
    deal = 0
    while True:
        one = replayed(PAIR, "hollywood", 0, 0, deal)
        match = replay_rows.rows(one)[-1]["match"]
        text = " ".join("\n".join(one.lines()).split())
        closed = [c for c in range(3) if max(match["columns"][0][c], match["columns"][1][c]) >= 100]
        assert len(re.findall(r"\d+ \(won\)", text.split("Match: ")[1])) == len(closed)
        if match["over"]:
            break
        deal += 1
    assert len(closed) == 3 and "wins the match" in text


def test_the_chosen_melding_is_shown():
    told = []
    for unit in range(20):
        one = replayed(("gold+show=random", "simple"), "standard+melding=choice", unit, unit % 2)
        told += [line for line in one.lines() if "shows melding" in line]
    assert told and all(re.match(r"  shows melding \d+ of 0\.\.\d+: ", line) for line in told)


# One player


def test_the_place_of_the_joker_is_its_place_in_the_pack():
    """It lies under the cards drawn and those above it; the player saw none of that."""
    seen = set()
    for unit in range(60):
        one = replayed(SINGLE, "gin-solitaire", unit)
        dealt, *_, result = replay_rows.rows(one)
        place = one.state.joker - 11
        assert result["above_joker"] == place - one.state.draws[0] >= 0
        assert (result["kind"] == "joker") <= (result["above_joker"] == 0) and dealt["deck"] == 42
        if result["kind"] == "joker":
            assert f"Joker: card {place + 1} of the 42 in the deck" in list(one.lines())
        seen.add(result["kind"])
    assert {"knock", "joker"} <= seen


def test_the_count_held_at_the_end_is_that_of_the_cards_held():
    """Of ten cards, or of the eleven of big gin."""
    row, seen = variants.find("gin-solitaire").row, set()
    for unit in range(60):
        one = replayed(("solo-greedy", None), "gin-solitaire", unit)
        result = replay_rows.rows(one)[-1]
        held = result["held"].split()
        assert result["held_count"] == twin.deadwood(held, row)
        seen.add((result["kind"], len(held)))
    assert seen == {("gin", 10), ("big_gin", 11), ("joker", 10)}


def test_the_last_deal_shows_whether_the_goal_was_met():
    for unit in range(4):
        one = replayed(SINGLE, "solitary-gin", unit, 0, 4)
        total = replay_rows.rows(one)[-1]["match"]["points"][0]
        result = "won" if total <= 30 else "lost"
        assert f"The match is {result}: the goal was a total of 30 or less after 5 deals" in list(
            one.lines()
        )
