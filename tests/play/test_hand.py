"""Tests of `simgin hand`: worked examples of rules.md 13, and rejected input."""

import json

import pytest

from simgin.play import hand_analysis
from simgin.play.hand_analysis import choose_shown_melding, format_meld
from simgin.rules import variants
from simgin.rules.build import build_rules_from_params
from simgin.text import notation
from simgin.text.notation import format_card
from support.command_line import call
from support.worked_examples import vectors


def describe_hand(cards, variant="standard", **more):
    return hand_analysis.analyze_hand(
        variants.find_variant(variant), notation.parse_cards(cards), **more
    )


VECTORS_WITHOUT_TAKEN_CARD = [
    one for one in vectors("knock_options") if one.values[0]["input"]["taken"] is None
]


@pytest.mark.parametrize("vector", VECTORS_WITHOUT_TAKEN_CARD)
def test_eleven_cards_show_every_ending(vector):
    given, expect = vector["input"], vector["expect"]
    score = given["own_score"]
    flags = {"rainbow": given["rainbow"], "big_gin": given["big_gin"], "shot": score is not None}
    words = [f"{name}={'yes' if flag else 'no'}" for name, flag in flags.items()]
    words += [f"{name}={given[name]}" for name in ("ace_runs", "knock_limit")]
    answer = describe_hand(
        given["hand"], "+".join(["standard+discard_ban=none", *words]), score=score
    )
    ends = [one for one in answer.endings if one.kind in ("knock", "gin")]
    knocks = {format_card(one.discard): one.count for one in ends}
    if given["discard_ban"] == "drawn":  # the command does not know the drawn card
        knocks.pop(given["drawn"], None)
    assert knocks == expect["knock"]
    shots = [format_card(one.discard) for one in answer.endings if one.kind == "shot"]
    assert sorted(shots) == sorted(expect.get("shot", []))
    assert any(ending.kind == "big gin" for ending in answer.endings) == expect["big_gin"]


MANY_MELDS_HAND = "3S 4S 5S 6S JH JD JC JS 2H 6D 9C"


def test_a_shot_leaves_exactly_the_cards_that_the_score_requires():
    answer = describe_hand("AS 2S 3S 4S JH JD JC JS 5C 5D", "shot", score=55)
    found = {(ending.kind, ending.count) for ending in answer.endings}
    assert found == {("knock", 10), ("shot", 10)}
    assert (
        hand_analysis.find_required_shot_ranks(311) == [1, 1]
        and hand_analysis.find_required_shot_ranks(100) == []
    )


def test_the_json_output_has_its_keys():
    answer = json.loads(call("hand", MANY_MELDS_HAND, "--json").stdout)
    assert set(answer) == {"simgin", "stream", "command", "seed", "stopped", "files", "rows"}
    (row,) = answer["rows"]
    assert (row["deadwood"], row["limit"], row["best_discards"]) == (17, 10, ["9C"])
    assert row["endings"] == [{"ending": "knock", "discard": "9C", "count": 8}]
    assert row["discards"]["4S"] == 31 and len(row["discards"]) == 11


@pytest.mark.parametrize("text", ["QS KS AS", "KS AS 2S", "AS 2S 3S", "5S 6H 7C 8D", "4S 4H 4C"])
def test_melds_are_written_in_text_order(text):
    assert format_meld(notation.cards_to_mask(notation.parse_cards(text))) == text


def test_a_whole_suit_round_the_corner_is_one_run():
    own_rules = build_rules_from_params(variants.find_variant("standard+ace_runs=corner").params)
    assert format_meld((1 << 13) - 1) == "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"
    assert choose_shown_melding((1 << 11) - 1, own_rules) == (0, ((1 << 11) - 1,))
