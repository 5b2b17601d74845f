"""`simgin hand`: the worked examples of rules.md 13 as questions, and what the command refuses."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from simgin.cli.main import cli
from simgin.play import hand
from simgin.play.melds import meld_text, shown_melding
from simgin.rules import variants
from simgin.rules.record import build_rules_from
from simgin.text import notation

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "rules_vectors.json").read_text())[
    "vectors"
]


def simgin(*words):
    return CliRunner().invoke(cli, ["hand", *words], prog_name="simgin")


def said(cards, variant="standard", **more):
    return hand.analyse(variants.find(variant), notation.parse_cards(cards), **more)


def examples(kind):
    return [
        pytest.param(vector["input"], vector["expect"], id=vector["id"])
        for vector in VECTORS
        if vector["kind"] == kind
    ]


@pytest.mark.parametrize(
    ("given", "expect"), [one for one in examples("deadwood") if "auto_melds" in one.values[1]]
)
def test_ten_cards_show_their_best_melding(given, expect):
    rainbow = "yes" if given["rainbow"] else "no"
    text = (
        f"standard+ace_runs={given['ace_runs']}+rainbow={rainbow}+"
        f"pip_values={given['pip_values']}+ace_value={given['ace_value']}"
    )
    answer = said(given["hand"], text)
    assert answer.deadwood == expect["deadwood"]
    assert len(answer.meldings) == expect["optimal_families"]
    assert [meld_text(meld) for meld in answer.melding] == sorted(expect["auto_melds"])
    endings = {(ending.how, ending.count) for ending in answer.endings}
    assert endings == (
        {("gin", 0)}
        if answer.deadwood == 0
        else {("knock", answer.deadwood)}
        if answer.deadwood <= 10
        else set()
    )


@pytest.mark.parametrize(
    ("given", "expect"),
    [one for one in examples("knock_options") if one.values[0]["taken"] is None],
)
def test_eleven_cards_show_every_ending(given, expect):
    score = given["own_score"]
    words = {name: given[name] for name in ("ace_runs", "knock_limit")} | {"discard_ban": "none"}
    flags = {"rainbow": given["rainbow"], "big_gin": given["big_gin"], "shot": score is not None}
    text = "+".join(
        [
            "standard",
            *(f"{k}={v}" for k, v in words.items()),
            *(f"{k}={'yes' if v else 'no'}" for k, v in flags.items()),
        ]
    )
    answer = said(given["hand"], text, score=score)
    knocks = {
        notation.card_text(ending.discard): ending.count
        for ending in answer.endings
        if ending.how in ("knock", "gin")
    }
    banned = (
        given["drawn"] if given["discard_ban"] == "drawn" else None
    )  # the command does not know what was drawn
    assert {card: count for card, count in knocks.items() if card != banned} == expect["knock"]
    assert sorted(
        notation.card_text(ending.discard) for ending in answer.endings if ending.how == "shot"
    ) == sorted(expect.get("shot", []))
    assert any(ending.how == "big gin" for ending in answer.endings) == expect["big_gin"]


def test_the_example_of_the_online_card_room():
    result = simgin("3S 4S 5S 6S JH JD JC JS 2H 6D 9C")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[1] == "deadwood    17 (2H 6D 9C)"
    assert lines[2] == "melds       3S 4S 5S 6S | JS JH JD JC  (of all eleven)"
    assert lines[3] == "knock limit 10"
    assert lines[5] == "  9C *           8  knock with 8"
    assert lines[-1] == "Repeat:  simgin hand '3S 4S 5S 6S JS 2H JH 6D JD 9C JC' -v standard"
    assert all(len(line) <= 80 for line in lines)


def test_cards_may_be_separate_arguments():
    words = "4S 5S 6S 4H 5H 6H 4D 5D 6D KC"
    assert simgin(*words.split()).stdout == simgin(words).stdout
    assert "or          4D 5D 6D | 4H 5H 6H | 4S 5S 6S" in simgin(words).stdout
    assert "may end     knock with 10" in simgin(words).stdout


def test_every_discard_is_listed_with_what_it_leaves():
    answer = said("3S 4S 5S 6S JH JD JC JS 2H 6D 9C")
    assert answer.leaves[notation.parse_card("4S")] == 31
    assert len(answer.leaves) == 11
    assert [notation.card_text(card) for card in answer.best] == ["9C"]


def test_the_knock_limit_of_oklahoma_depends_on_the_upcard():
    cards = "3S 4S 5S 6S JH JD JC JS 2H 6D 9C"
    unknown = simgin(cards, "-v", "oklahoma")
    assert (
        "give it with --upcard" in unknown.stdout
        and "knock if the limit is 8 or more" in unknown.stdout
    )
    assert "knock limit 0 (gin only)" in simgin(cards, "-v", "oklahoma", "--upcard", "AH").stdout
    assert "knock with 8" in simgin(cards, "-v", "oklahoma", "--upcard", "8H").stdout
    assert "knock with 8" not in simgin(cards, "-v", "oklahoma", "--upcard", "7H").stdout


def test_shots_depend_on_the_score():
    cards = "5S 6S 7S 8S JH JD JC JS 3C 8D KH"
    assert "give it with --score" in simgin(cards, "-v", "shot").stdout
    assert "shot        must leave 3 and 8" in simgin(cards, "-v", "shot", "--score", "38").stdout
    assert "KH *          11  shot with 11" in simgin(cards, "-v", "shot", "--score", "38").stdout
    assert "shot        none at this score" in simgin(cards, "-v", "shot", "--score", "100").stdout


def test_a_shot_leaves_exactly_what_the_score_demands():
    answer = said("AS 2S 3S 4S JH JD JC JS 5C 5D", "shot", score=55)
    assert {(ending.how, ending.count) for ending in answer.endings} == {
        ("knock", 10),
        ("shot", 10),
    }
    assert hand.demanded_ranks(311) == [1, 1] and hand.demanded_ranks(100) == []


def test_big_gin_is_offered():
    assert (
        "big gin     all eleven cards are melded"
        in simgin("3S 4S 5S 6S JH JD JC JS 9H 9D 9C", "-v", "big-gin").stdout
    )


TWO_LEFT, GIN = "3S 4S 5S 8H 8D 8C JD QD KD 2H", "3S 4S 5S 8H 8D 8C 8S JD QD KD"


@pytest.mark.parametrize(
    ("cards", "variant", "line"),
    [
        (TWO_LEFT, "solitaire-gin", "may stop    no"),
        (TWO_LEFT, "solitaire-gin-knock", "may stop    knock with 2"),
        (TWO_LEFT, "gin-solitaire+knock_limit=1", "may stop    no"),
        (
            TWO_LEFT,
            "solitaire-gin-knock+stop_before_draw=no",
            "may stop    knock with 2 (not before the first draw)",
        ),
        (TWO_LEFT, "solitary-gin", "ends        no"),
        (TWO_LEFT, "solitary-gin", "deadwood    5 (2H)"),
        (GIN, "solitaire-gin", "may stop    gin"),
        (GIN, "solitary-gin", "ends        gin"),
        ("AS AH KD QD JD 5C 6C 7C 9H 2S", "solitary-gin", "deadwood    40 (AS 2S AH 9H)"),
        (f"{TWO_LEFT} 9S", "solitaire-gin-knock", "discard     leaves  may stop after it"),
        (f"{TWO_LEFT} 9S", "solitaire-gin-knock", "  9S *           2  knock with 2"),
        (f"{TWO_LEFT} 9S", "solitaire-gin-knock", "  2H             9  knock with 9"),
        (f"{TWO_LEFT} 9S", "solitaire-gin", "  9S *           2  -"),
        (f"{TWO_LEFT} 9S", "solitary-gin", "discard     leaves  ends after it"),
        (
            f"{GIN} 6S",
            "gin-solitaire",
            "big gin     all eleven cards are melded: no discard is needed",
        ),
        (f"{GIN} 6S", "gin-solitaire", "  8S *           0  gin"),
    ],
)
def test_one_player_variants_show_whether_the_player_may_stop(cards, variant, line):
    assert line in simgin(cards, "-v", variant).stdout.splitlines()


def test_big_gin_is_offered_only_where_the_variant_has_it():
    assert "big gin" not in simgin(f"{GIN} 6S", "-v", "solitaire-gin-knock").stdout


@pytest.mark.parametrize(
    "vector",
    [vector for vector in VECTORS if vector["kind"] == "solo_script"],
    ids=lambda vector: vector["id"],
)
def test_scripted_one_player_endings_are_offered(vector):
    """Every scripted ending is among those listed for the cards held at that point."""
    given, how, held = vector["input"], vector["expect"].get("how"), vector["input"]["hand"].split()
    deck = iter(given["deck_top_first"].split())
    for action in given["actions"]:
        if action == "draw":
            held.append(next(deck))
        elif action.startswith("throw"):
            held.remove(action.split()[1])
    if "X" in held:
        return
    told = {ending.how for ending in said(" ".join(held), vector["variant"]).endings}
    if len(held) == 11:
        assert ("big gin" in told) == (how == "big_gin")
    else:
        assert told == (
            {"gin"}
            if how == "gin"
            else {"knock"}
            if how in ("knock", "undercut", "even")
            else set()
        )


def test_the_json_output_has_its_keys():
    result = simgin("3S 4S 5S 6S JH JD JC JS 2H 6D 9C", "--json")
    answer = json.loads(result.stdout)
    assert set(answer) == {"simgin", "stream", "command", "seed", "stopped", "files", "rows"}
    (row,) = answer["rows"]
    assert (row["deadwood"], row["limit"], row["best_discards"]) == (17, 10, ["9C"])
    assert row["endings"] == [{"ending": "knock", "discard": "9C", "count": 8}]
    assert row["discards"]["4S"] == 31


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["5S"], "1 card was given; a hand has ten cards, or eleven before the discard."),
        (["5S 6S 7S"], "3 cards were given"),
        (["5S 6S 7S 5H 5D KC QD 2H 9C 1D"], "'1D' is not a card"),
        (["5S 6S 7S 5H 5D KC QD 2H 9C 5S"], "5S is given more than once"),
        (["5S 6S 7S 5H 5D KC QD 2H 9C 9D", "-v", "oklahomer"], "there is no variant 'oklahomer'"),
        (["5S 6S 7S 5H 5D KC QD 2H 9C 9D", "--upcard", "ZZ"], "'ZZ' is not a card"),
        (["5S 6S 7S 5H 5D KC QD 2H 9C 9D", "--score", "10"], "standard has no shots"),
        (
            ["5S 6S 7S 5H 5D KC QD 2H 9C 9D", "-v", "solitary-gin", "--upcard", "2S"],
            "solitary-gin has no upcard",
        ),
        (["5S 6S 7S 5H 5D KC QD 2H 9C 9D", "-v", "shot", "--score", "-1"], "a score is 0 or more"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(words, sentence):
    result = simgin(*words)
    assert result.exit_code == 2
    assert sentence in result.stderr and result.stderr.startswith("simgin: ")
    assert result.stdout == ""


@pytest.mark.parametrize("text", ["QS KS AS", "KS AS 2S", "AS 2S 3S", "5S 6H 7C 8D", "4S 4H 4C"])
def test_melds_are_written_in_text_order(text):
    assert meld_text(notation.hand_mask(notation.parse_cards(text))) == text


def test_a_whole_suit_round_the_corner_is_one_run():
    own_rules = build_rules_from(variants.find("standard+ace_runs=corner").row)
    assert meld_text((1 << 13) - 1) == "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"
    assert shown_melding((1 << 11) - 1, own_rules) == (0, ((1 << 11) - 1,))
