"""The cards of the findings: what a table does not say is not printed."""

import re
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from support.pages_script import cards

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "findings.md").read_text()
CLAIMS = sorted((ROOT / "experiments" / "claims").glob("*.toml"))


@pytest.fixture
def tables(monkeypatch):
    """Replaces results/reference by results with these rows, of seeds 1, 2, ..."""

    def made(**results):
        frames = {f"{name}/table": _frame(table) for name, table in results.items()}
        seeds = {name: i + 1 for i, name in enumerate(results)}
        monkeypatch.setattr(cards, "read_frame", frames.__getitem__)
        monkeypatch.setattr(
            cards, "read_manifest", lambda name: {"seed": seeds[name], "command": name}
        )

    return made


def _frame(table):
    """Rows of a table opponent: value, of a standard error of a tenth."""
    rows = [("standard", "a", who, "margin", value, 0.1) for who, value in table.items()]
    frame = pd.DataFrame(rows, columns=[*cards.KEY_COLUMNS, "value", "se"])
    return frame.assign(low=frame["value"] - 0.196, high=frame["value"] + 0.196)


ALL = {"from": "one/table"}
WINS = {"simple": 1, "gold-early": 2, "champion": 3}
SOME = {"simple": 1, "gold": -1}
EVERY = {"word": "every", "is": "every", "of": ALL}
ONLY = {"word": "only", "is": "only", "of": ALL, "column": "opponent", "names": ["simple"]}
ONLY |= {"that": "low > 0", "others": "high < 0"}
SAME = {"word": "no difference", "is": "same", "of": ALL, "margin": 0.25}
BEST = {"word": "best", "is": "best", "chosen": ALL, "judged": {"from": "two/table"}}
BEST |= {"column": "opponent", "names": ["champion"]}
LEAST = BEST | {"names": ["simple"], "sign": -1}
CASES = [  # a check, a table that says so, and turned
    (EVERY | {"that": "low > 0"}, WINS, WINS | {"champion": 0.1}),
    (EVERY | {"word": "nobody", "that": "high < 0.25"}, {"gold": -1}, WINS),
    (EVERY | {"word": "loses to none", "that": "low > -0.25"}, WINS, WINS | {"gold": -1}),
    (ONLY, SOME, WINS),
    (ONLY, SOME, SOME | {"simple": 0}),
    (ONLY, SOME, SOME | {"gold": 0}),
    (SAME, {"gold": 0.05}, {"gold": 0.1}),
    (SAME, {"gold": 0.05}, {"gold": 1}),
    (BEST, WINS, WINS | {"gold": 2.9}),
    (BEST, WINS, WINS | {"gold": 4}),
    (LEAST, WINS, WINS | {"champion": 0}),
]


@pytest.mark.parametrize(("check", "true", "turned"), CASES)
def test_a_quantifier_that_is_turned_round_fails_the_page(check, true, turned, tables):
    card = cards.Card("", "Is it so?", f"It is {check['word']}.", checks=(check,))
    tables(one=true, two=true)
    assert check["word"] in cards.render_card(card)
    tables(one=turned, two=turned)
    with pytest.raises(cards.UnsupportedClaimError, match="Is it so"):
        cards.render_card(card)


def test_what_was_chosen_on_some_packs_is_judged_on_others(tables):
    tables(one=WINS, two=WINS | {"gold-early": 5})
    for judged, wrong in ((ALL, "chosen on the packs"), (BEST["judged"], "'best' is untrue")):
        with pytest.raises(cards.UnsupportedClaimError, match=wrong):
            cards.render_card(
                cards.Card("", "Who?", "The best.", checks=(BEST | {"judged": judged},))
            )


@pytest.mark.parametrize(
    ("verdict", "wrong"),
    [
        ("It never pays.", "the word 'never'"),
        ("It wins 60 % of matches.", "no query made"),
        ("It gains 2.5 points.", "no query made"),
        ("one two three four five six seven eight nine ten eleven", "longer than 10"),
    ],
)
def test_words_that_no_query_stands_behind_fail_the_page(verdict, wrong):
    with pytest.raises(cards.UnsupportedClaimError, match=wrong):
        cards.render_card(cards.Card("", "Is it so?", verdict))


def test_a_query_that_finds_nothing_fails_the_page(tables):
    tables(one=WINS)
    for query in ({**ALL, "opponent": "nobody"}, {**ALL, "less": {"variant": "straight"}}):
        with pytest.raises(cards.UnsupportedClaimError, match="no row has"):
            cards.select_rows(query)


def test_differences_have_the_errors_of_both_sides(tables):
    tables(one={"simple": 5, "champion": 1})
    less = {"opponent": "champion"}
    (row,) = cards.select_rows({**ALL, "opponent": "simple", "less": less}).itertuples()
    assert (row.value, row.se) == (4, pytest.approx(0.02**0.5))
    assert (row.low, row.high) == pytest.approx((4 - 0.2772, 4 + 0.2772), abs=1e-4)
    assert list(cards.select_rows({**ALL, "less": 0.5})["value"]) == [4.5, 0.5]


@pytest.mark.parametrize(
    ("value", "se", "dot"),
    [
        (1, 0.1, "▲"),
        (-1, 0.1, "▼"),
        (0.1, 0.01, "="),
        (0.1, 0.1, "?"),
        (0, 0, "="),
        (0.3, 0.09, "?"),
    ],
)
def test_a_dot_is_wrong_in_one_page_of_ten(value, se, dot):
    assert cards.choose_dot(value, se, 0.25) == dot
    shown = sum(
        PAGE.count(f"{dot} {kind}") for dot in cards.DOTS for kind in cards.STRATEGIES_BY_TYPE
    )
    assert 100 < shown < 200


def test_figures_and_dots_are_those_of_the_table(tables):
    tables(one=WINS)
    card = cards.Card(
        "",
        "What is it worth?",
        "From {least} to {both}.",
        dots={"of": ALL, "by": "opponent", "measure": "points"},
        numbers={"least": {"of": ALL, "ends": "least"}, "both": {"of": ALL, "unit": " points"}},
    )
    lines = cards.render_card(card).split("<br>\n")
    assert lines[:2] == ["**What is it worth?**", "From 1.0 to 1.0 to 3.0 points."]
    assert lines[2] == "points: ▲ at once · ▲ early · ▲ strong"
    assert lines[3].endswith("`one`</small>")


def test_a_figure_has_no_digit_that_its_table_does_not_know(tables):
    tables(one=WINS)  # known within 0.196
    for form, factor, is_known in (("{:.1f}", 1, True), ("{:.1f}", 2, False), ("{:.2f}", 1, False)):
        number = {"of": ALL, "form": form, "factor": factor}
        card = cards.Card("", "What is it worth?", "It is {worth}.", numbers={"worth": number})
        if is_known:
            assert "It is 1.0 to 3.0." in cards.render_card(card)
        else:
            with pytest.raises(cards.UnsupportedClaimError, match="not known to its last digit"):
                cards.render_card(card)


CHECKS = [(card.question, check) for card in cards.read_cards() for check in card.checks]


@pytest.mark.parametrize(("question", "check"), CHECKS)
def test_every_check_of_the_page_can_fail(question, check, monkeypatch):
    """With all its rows far too high, or far too low; the best with its table upside down."""
    own, found = {key: value for key, value in check.items() if key not in ("word", "is")}, []
    rows = cards.select_rows
    assert cards.CHECKS[check["is"]](**own)
    for factor, shift in ((1, 1e6), (1, -1e6), (-1, 0)):

        def moved(query, factor=factor, shift=shift):
            table = rows(query)
            told = table.select_dtypes("number").columns.difference(["se", "n"])
            return table.assign(**{name: factor * table[name] + shift for name in told})

        monkeypatch.setattr(cards, "select_rows", moved)
        found.append(cards.CHECKS[check["is"]](**own))
    assert not all(found), question


ANSWERED = [card for card in cards.read_cards() if card.dots and card.finding != "undecided"]


@pytest.mark.parametrize("card", ANSWERED, ids=lambda card: str(card.question))
def test_no_card_says_the_same_of_the_opposite_table(card, monkeypatch):
    """With what its dots are made of far too high, or far too low."""
    query = cards.with_family(card.dots["of"])
    real, keys = cards.read_frame, {k: v for k, v in query.items() if k not in ("from", "less")}
    moved = cards.select_rows({"from": query["from"], **keys}).index
    failed = 0
    for shift in (1e6, -1e6):
        table = real(query["from"]).copy()
        table.loc[moved, ["value", "low", "high"]] += shift
        other = {query["from"]: table}
        monkeypatch.setattr(cards, "read_frame", lambda name, of=other: of.get(name, real(name)))
        try:
            cards.render_card(card)
        except cards.UnsupportedClaimError:
            failed += 1
    assert failed


def test_each_of_the_29_claims_has_a_card_and_the_page_is_short():
    asked = re.findall(r"^\| (H\d+) \|", (ROOT / "docs/reference/rules.md").read_text(), re.M)
    answered = [card.claim for card in cards.read_cards() if card.claim]
    assert len(answered) == 29 and sorted(answered) == sorted(asked)
    assert len(PAGE.split()) <= 2_500


def _seed(path):
    return int(tomllib.loads(path.read_text())["seed"])


def test_no_two_experiments_share_their_packs_with_a_claim():
    others = {_seed(path) for path in (ROOT / "experiments").glob("*.toml")}
    seeds = [_seed(path) for path in CLAIMS]
    assert len(set(seeds)) == len(seeds) and not others & set(seeds)


def test_what_a_card_quotes_has_a_manifest_and_a_claim_the_seed_of_its_experiment():
    assert all(
        cards.read_manifest(name)["seed"] for card in cards.read_cards() for name in card.results
    )
    for path in CLAIMS:
        assert cards.read_manifest(f"claims/{path.stem}")["seed"] == _seed(path)
