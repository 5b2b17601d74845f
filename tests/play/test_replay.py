"""Tests that `simgin show` prints every turn and decision, and agrees with the kernel."""

import re

import numpy as np
import pytest

from oracles import reference
from simgin.core import batch_columns
from simgin.play import kernel, replay, replay_json
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.text import notation
from support.command_line import call

GAMES = (
    *("standard", "basic", "tedesco", "rainbow+rush", "standard-50th+knock_limit=0"),
    "standard+take_discard=no+first_turn=free+stock_end=at_draw+knock_limit=0",
    "standard+first_turn=discard_first+big_gin=yes",
)
SOLO_VARIANTS = [name for name in variants.variant_names() if variants.find_variant(name).is_solo]
UNUSUAL_VARIANTS = [
    "solitaire-gin-knock+joker_in_hand=lose",
    "gin-solitaire+knock_limit=60+count_joker=yes",
    "solitaire-gin-knock+max_turns=3",
]
ENDING = r"  (can (knock|go gin|declare|shoot)|knocks|goes gin|declares|shoots)"
PAIR, SINGLE = ("gold", "simple"), ("gold+knock=at:k=4", None)
RANDOM_OFFER_PLAYERS = ("gold+stake=random", "simple+stake=random")


def replayed(players, variant, unit, half=0, deal=None):
    return replay.make_replay(replay.trace_numbered_deal(*players, variant, 1, unit, half, deal))


@pytest.mark.parametrize("variant", [*GAMES, *SOLO_VARIANTS, *UNUSUAL_VARIANTS])
def test_rows_agree_with_the_kernels_sums(variant):
    """Return both halves of some units as replays."""
    alone = variants.find_variant(variant).is_solo
    players, units, halves = (SINGLE, 40, (0,)) if alone else (PAIR, 3, (0, 1))
    row = kernel.play_batches(parse_matchup(*players, variant, 1, "deal"), 0, units).sum(axis=0)
    facts = {
        name: int(row[batch_columns.COL_SUM + i])
        for name, i in batch_columns.STATISTIC_INDEX.items()
    }
    places = [(unit, half) for unit in range(units) for half in halves]
    results = [
        replay_json.replay_to_json(replayed(players, variant, *place))[-1] for place in places
    ]
    assert facts["turns"] == sum(result["turns"] for result in results)
    for kind in batch_columns.DEAL_RESULTS:
        assert facts[kind] == sum(result["kind"] == kind for result in results)
    own = [result["score"][half] for (_, half), result in zip(places, results, strict=True)]
    other = [result["score"][1 - half] for (_, half), result in zip(places, results, strict=True)]
    assert facts["a_margin"] == sum(own) - sum(other)
    if not alone:
        knocks = [result for result in results if result["kind"] in ("knock", "undercut", "even")]
        assert facts["defender_count"] == sum(result["defender_count"] for result in knocks)
        assert facts["laid_off"] == sum(len(result["laid_off"].split()) for result in knocks)


def first_words(lines, *starts):
    return [line.split()[1].rstrip(",") for line in lines if line.startswith(starts)]


@pytest.mark.parametrize("variant", [*GAMES, *SOLO_VARIANTS, *UNUSUAL_VARIANTS])
def test_the_text_has_every_turn_and_decision_within_80_columns(variant):
    alone = variants.find_variant(variant).is_solo
    for unit in range(8 if alone else 2):
        told = replayed(SINGLE, variant, unit) if alone else replayed(PAIR, variant, 3, unit)
        lines = list(told.iter_lines())
        assert all(len(line) <= 80 for line in lines)
        text = "\n".join(lines)
        turns = [int(number) for number in re.findall(r"^Turn (\d+)\b", text, re.M)]
        dealers = re.findall(r"\(seat (\d)\),\sdealer", text)
        assert alone or dealers == [str(told.state.dealer)]
        silent = not alone and told.traced.kind == "void" and told.state.drawn >= 0
        assert turns == list(range(1, told.state.turns + silent + 1))
        history = told.traced.turns
        stocks = [int(number) for number in re.findall(r"(\d+)\scards\sin\sthe\sstock", text)]
        left = [31 - sum(turn[1] == 0 for turn in history[:i]) for i in range(len(stocks))]
        assert alone or (stocks == left and len(left) >= len(history) - 1)
        thrown = first_words(lines, "  discards")
        names = [notation.format_card(card) for *_, card in history if card >= 0]
        assert names[: len(thrown)] == thrown and len(names) - len(thrown) <= 1
        drawn = [notation.format_card(card) for _, source, card, _ in history if source < 2]
        assert first_words(lines, "  draws", "  takes")[: len(drawn)] == drawn
        asked = [question for question in told.traced.decisions if question.slot == "knock"]
        assert len([line for line in lines if re.match(ENDING, line)]) == len(asked)
        if alone:  # the position of the joker is shown at the end
            end = r"^(Knock|Gin|Big gin|Undercut|Even|Joker|Limit|Stalled)\b(?!.*deck of)"
            assert told.summary.startswith(lines[1])
            last = max(i for i, line in enumerate(lines) if re.match(end, line))
            assert not any("joker" in line for line in lines[6:last])
            place = re.search("(is|are) above the joker|Joker: ", "\n".join(lines[last:]))
            assert place or variant == "solitary-gin"


@pytest.mark.parametrize(
    ("players", "variant", "target"), [(PAIR, "standard", 100), (SINGLE, "gin-solitaire", 100)]
)
def test_a_match_is_shown_deal_by_deal(players, variant, target):
    score = np.zeros(2, int)
    number = 0
    while max(score) < target:
        first, *_, last = replay_json.replay_to_json(replayed(players, variant, 2, 0, number))
        assert (first["points"], first["deal"], first["in_match"]) == (score.tolist(), number, True)
        score += last["score"]
        assert last["match"]["points"] == score.tolist()
        number += 1
    assert last["match"]["over"] and last["match"]["winner"] == int(score.argmax())
    words = [*[player for player in players if player], "-v", variant, "--unit", 2, "--deal"]
    winner = (players[0], players[1] or "joker")[score.argmax()]
    assert f"{winner} wins the match" in call("show", *words, number - 1).stdout
    over = call("show", *words, number, code=2)
    assert f"the match ended with deal {number - 1}, so it has no deal {number}." in over.stderr


def test_the_command_shows_a_deal():
    result = call("show", "gold", "simple", "--seed", 5, "--unit", 3, "--half", 1)
    lines = result.stdout.splitlines()
    assert lines[0] == "standard: seed 5, unit 3, half 1"
    assert lines[-1] == "Command: simgin show gold simple -v standard --seed 5 --unit 3 --half 1"
    assert call("show", *lines[-1].split()[3:]).stdout == result.stdout
    assert re.search(r"^Knock limit 10, upcard [A2-9TJQK][SHDC]$", result.stdout, re.M)
    alone = call("show", "gold", "-v", "solitaire-gin", "--unit", 3).stdout.splitlines()
    assert alone[:4] == [
        "solitaire-gin: seed 1, unit 3",
        "Joker. Points: gold 0, joker 1",
        "",
        "Gin only, deck of 43 cards including the joker",
    ]
    assert alone[-1] == "Command: simgin show gold -v solitaire-gin --seed 1 --unit 3"
    itself = call("show", "simple", "simple").stdout
    assert "simple (A) (seat 0)" in itself and "simple (B) (seat 1)" in itself


INVALID_POLICIES = """
from simgin.strategy import Strategy, discard, offer
from simgin.toolkit import best_discard

@discard
def bad(view, rules, params):
    return -1 if view.turns > 3 else best_discard(view.hand, view.legal, rules)

@offer
def bad_offer(view, rules, params):
    return 1

STRATEGY = Strategy("bad", discard=bad, offer=bad_offer)
"""


@pytest.mark.parametrize(
    ("words", "fault", "shown"),
    [
        (["simple"], "discard policy 'bad' discarded -1", "returns no legal action"),
        (["-v", "solitaire-gin", "--unit", 3], "'bad' discarded -1", "returns no legal action"),
        (
            ["simple", "-v", "dice", "--unit", 1],
            "'bad-offer' returned 1, but only 0 or 2 or 3 or 4 or 5 or 6 is legal",
            "can offer more than 1, but returns no legal action",
        ),
    ],
)
def test_an_illegal_answer_is_shown_where_it_happened(words, fault, shown, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(INVALID_POLICIES)
    result = call("show", path, *words, code=2)
    before, after = result.stdout.split("The deal stops here")
    assert before.rstrip().endswith(shown)
    assert fault in " ".join(after.split()) and fault in result.stderr
    assert result.stderr.startswith(f"simgin: error: {path}: the ")
    assert ("half" in result.stderr) == ("solitaire-gin" not in words)
    if words == ["simple"]:
        early = call("show", path, "simple", "--half", 1, code=2)
        assert early.stdout == ""
        assert "the match stopped before this deal" in early.stderr


def die_text(row):
    """Return the replay's line for a decision about the die."""
    if row["slot"] == "offer":
        return f"offers {row['answer']}" if row["answer"] else f"leaves the die at {row['stake']}"
    if row["answer"]:
        return f"accepts {row['stake_offered']} and owns the die"
    return f"refuses {row['stake_offered']}"


@pytest.mark.parametrize(
    "variant", ["dice", "dice-pro", "dice+first_turn=discard_first+die_centre_in_play=yes"]
)
def test_every_offer_and_answer_is_shown_and_the_stake_follows(variant):
    seen = set()
    for unit in range(60):
        one = replayed(RANDOM_OFFER_PLAYERS, variant, unit, unit % 2)
        lines, (first, *decisions, last) = list(one.iter_lines()), replay_json.replay_to_json(one)
        assert all(len(line) <= 80 for line in lines)
        words = r"\) (offers|leaves the die|accepts|refuses) "
        told = [line.split(") ", 1)[1] for line in lines if re.search(words, line)]
        about_die = [row for row in decisions if row["slot"] in ("offer", "answer")]
        assert told == [die_text(row) for row in about_die]
        answers = [row for row in about_die if row["slot"] == "answer"]
        accepted = [row["stake_offered"] for row in answers if row["answer"]]
        assert last["stake"] == max([1, *accepted])
        refused = last["kind"] == "refused"
        blind = refused and not first["hands"] and len(about_die) == len(decisions)
        if blind:
            assert not re.search("dealt|holds|Knock limit", "\n".join(lines))
        if variant == "dice":
            assert "Before the players see their cards, the die shows 1" in lines[4:6]
        if refused:
            assert last["paid_for_refusal"] == last["stake"] and last["score"] == [0, 0]
            assert "Refused" in lines
        seen.add((refused, blind))
    assert seen == {(False, False), (True, False), (True, True)}


@pytest.mark.parametrize(
    ("variant", "standing"),
    [
        ("hollywood", r"columns \d+, \d+, \d+"),
        ("pro", r"\d of 7 games, score \d+"),
        ("twofold", r"score \d+ of 121, \d of 7 won deals"),
        ("race", r"score \d+ of 121|\d of 7 won deals"),
        ("dice", r"\d of 7 won deals"),
        ("standard", r"score \d+"),
    ],
)
def test_the_score_of_a_match_is_shown_before_and_after(variant, standing):
    before, after = (replayed(PAIR, variant, 0, 0, deal) for deal in (2, 3))
    line = " ".join("\n".join(before.iter_lines()).split("Match: ")[1].split())
    told = dict(part.split(", ", 1) for part in line.split("; "))
    for name in before.names:
        assert re.fullmatch(standing, told[name])
        assert any(
            text.startswith(name) and text.endswith(told[name]) for text in after.iter_lines()
        )


def test_the_chosen_melding_is_shown():
    told = []
    for unit in range(20):
        one = replayed(("gold+show=random", "simple"), "standard+melding=choice", unit, unit % 2)
        told += [line for line in one.iter_lines() if "shows melding" in line]
    assert told and all(re.match(r"  shows melding \d+ of 0\.\.\d+: ", line) for line in told)


def test_hand_and_joker_position_are_reported_at_the_end():
    """The joker is under the drawn cards; ten cards count, or eleven with big gin."""
    row, seen = variants.find_variant("gin-solitaire").params, set()
    for unit in range(60):
        one = replayed(("solo-greedy", None), "gin-solitaire", unit)
        dealt, *_, result = replay_json.replay_to_json(one)
        place = one.state.joker - 11
        assert result["above_joker"] == place - one.state.draws[0] >= 0
        assert (result["kind"] == "joker") <= (result["above_joker"] == 0) and dealt["deck"] == 42
        if result["kind"] == "joker":
            assert f"Joker: card {place + 1} of the 42 in the deck" in list(one.iter_lines())
        held = result["held"].split()
        assert result["held_count"] == reference.compute_deadwood(held, row)
        seen.add((result["kind"], len(held)))
    assert seen == {("gin", 10), ("big_gin", 11), ("joker", 10)}
