"""Tests of `simgin hand` with the worked examples of rules.md 13."""

import json

import pytest

from simgin.play import hand_analysis
from simgin.play.hand_analysis import choose_shown_melding, format_meld
from simgin.rules import variants
from simgin.rules.build import build_rules_from_params
from simgin.text import notation
from simgin.text.notation import format_card
from support.command_line import run_simgin
from support.worked_examples import parametrize_examples


def analyze_hand_text(cards, variant="standard", **options):
    """Analyse a hand that is given as text."""
    return hand_analysis.analyze_hand(
        variants.find_variant(variant), notation.parse_cards(cards), **options
    )


EXAMPLES_WITHOUT_TAKEN_CARD = [
    one for one in parametrize_examples("knock_options") if one.values[0]["input"]["taken"] is None
]


@pytest.mark.parametrize("example", EXAMPLES_WITHOUT_TAKEN_CARD)
def test_endings_agree_with_the_worked_examples(example):
    hand_input, expected = example["input"], example["expect"]
    score = hand_input["own_score"]
    flags = {
        "rainbow": hand_input["rainbow"],
        "big_gin": hand_input["big_gin"],
        "shot": score is not None,
    }
    settings = [f"{name}={'yes' if flag else 'no'}" for name, flag in flags.items()]
    settings += [f"{name}={hand_input[name]}" for name in ("ace_runs", "knock_limit")]
    analysis = analyze_hand_text(
        hand_input["hand"], "+".join(["standard+discard_ban=none", *settings]), score=score
    )
    endings = [ending for ending in analysis.endings if ending.name in ("knock", "gin")]
    knocks = {format_card(ending.discard): ending.deadwood for ending in endings}
    if hand_input["discard_ban"] == "drawn":  # the command does not know the drawn card
        knocks.pop(hand_input["drawn"], None)
    assert knocks == expected["knock"]
    shots = [format_card(ending.discard) for ending in analysis.endings if ending.name == "shot"]
    assert sorted(shots) == sorted(expected.get("shot", []))
    assert any(ending.name == "big gin" for ending in analysis.endings) == expected["big_gin"]


OVERLAPPING_MELDS_HAND = "3S 4S 5S 6S JH JD JC JS 2H 6D 9C"


def test_shot_requires_the_digits_of_the_score():
    analysis = analyze_hand_text("AS 2S 3S 4S JH JD JC JS 5C 5D", "shot", score=55)
    endings = {(ending.name, ending.deadwood) for ending in analysis.endings}
    assert endings == {("knock", 10), ("shot", 10)}
    assert (
        hand_analysis.find_required_shot_ranks(311) == [1, 1]
        and hand_analysis.find_required_shot_ranks(100) == []
    )


def test_json_output_has_the_documented_keys():
    output = json.loads(run_simgin("hand", OVERLAPPING_MELDS_HAND, "--json").stdout)
    assert set(output) == {"simgin", "stream", "command", "seed", "stopped", "files", "rows"}
    (row,) = output["rows"]
    assert (row["deadwood"], row["limit"], row["best_discards"]) == (17, 10, ["9C"])
    assert row["endings"] == [{"ending": "knock", "discard": "9C", "count": 8}]
    assert row["discards"]["4S"] == 31 and len(row["discards"]) == 11


@pytest.mark.parametrize("cards", ["QS KS AS", "KS AS 2S", "AS 2S 3S", "5S 6H 7C 8D", "4S 4H 4C"])
def test_melds_are_formatted_in_rank_order(cards):
    assert format_meld(notation.cards_to_mask(notation.parse_cards(cards))) == cards


def test_whole_suit_around_the_corner_is_one_run():
    rules = build_rules_from_params(variants.find_variant("standard+ace_runs=corner").params)
    assert format_meld((1 << 13) - 1) == "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"
    assert choose_shown_melding((1 << 11) - 1, rules) == (0, ((1 << 11) - 1,))
