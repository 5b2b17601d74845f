"""The findings page contains only claims that its tables support."""

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
def set_tables(monkeypatch):
    """Return a function that replaces results/reference by tables of values with SE 0.1."""

    def replace(**tables):
        frames, seeds = {}, {}
        for seed, (name, table) in enumerate(tables.items()):
            rows = [("standard", "a", who, "margin", value, 0.1) for who, value in table.items()]
            frame = pd.DataFrame(rows, columns=[*cards.KEY_COLUMNS, "value", "se"])
            limits = {"low": frame["value"] - 0.196, "high": frame["value"] + 0.196}
            frames[f"{name}/table"], seeds[name] = frame.assign(**limits), seed
        monkeypatch.setattr(cards, "read_result_table", frames.__getitem__)
        monkeypatch.setattr(
            cards, "read_manifest", lambda name: {"seed": seeds[name], "command": name}
        )

    return replace


def render(verdict, question="Is it so?", **parts):
    return cards.render_card(cards.FindingCard("", question, verdict, **parts))


ALL = {"from": "one/table"}
WINS = {"simple": 1, "gold-early": 2, "champion": 3}
MIXED = {"simple": 1, "gold": -1}
EVERY_CHECK = {"word": "every", "is": "every", "of": ALL}
ONLY_CHECK = {"word": "only", "is": "only", "of": ALL, "column": "opponent", "names": ["simple"]}
ONLY_CHECK |= {"that": "low > 0", "others": "high < 0"}
SAME = {"word": "no difference", "is": "same", "of": ALL, "margin": 0.25}
BEST = {"word": "best", "is": "best", "chosen": ALL, "judged": {"from": "two/table"}}
BEST |= {"column": "opponent", "names": ["champion"]}
LEAST_CHECK = BEST | {"names": ["simple"], "sign": -1}
CASES = [  # a check, a table for which it is true, and one for which it is false
    (EVERY_CHECK | {"that": "low > 0"}, WINS, WINS | {"champion": 0.1}),
    (EVERY_CHECK | {"word": "nobody", "that": "high < 0.25"}, {"gold": -1}, WINS),
    (EVERY_CHECK | {"word": "loses to none", "that": "low > -0.25"}, WINS, WINS | {"gold": -1}),
    *((ONLY_CHECK, MIXED, table) for table in (WINS, MIXED | {"simple": 0}, MIXED | {"gold": 0})),
    *((SAME, {"gold": 0.05}, {"gold": value}) for value in (0.1, 1)),
    *((BEST, WINS, WINS | {"gold": value}) for value in (2.9, 4)),
    (LEAST_CHECK, WINS, WINS | {"champion": 0}),
]


@pytest.mark.parametrize(("check", "true", "false"), CASES)
def test_a_false_quantifier_is_an_error(check, true, false, set_tables):
    words = f"It is {check['word']}."
    set_tables(one=true, two=true)
    assert check["word"] in render(words, checks=(check,))
    set_tables(one=false, two=false)
    with pytest.raises(cards.UnsupportedClaimError, match="Is it so"):
        render(words, checks=(check,))


def test_the_best_is_chosen_and_evaluated_on_different_deals(set_tables):
    set_tables(one=WINS, two=WINS | {"gold-early": 5})
    for judged, wrong in ((ALL, "on the same deals"), (BEST["judged"], "contradict 'best'")):
        with pytest.raises(cards.UnsupportedClaimError, match=wrong):
            render("The best.", checks=(BEST | {"judged": judged},))


@pytest.mark.parametrize(
    ("verdict", "wrong"),
    [
        ("It never pays.", "the word 'never'"),
        *(
            (verdict, "no query supports")
            for verdict in ("It wins 60 % of it.", "It gains 2.5 points.")
        ),
        ("one two three four five six seven eight nine ten eleven", "longer than 10"),
    ],
)
def test_words_without_a_query_are_an_error(verdict, wrong):
    with pytest.raises(cards.UnsupportedClaimError, match=wrong):
        render(verdict)


def test_a_query_without_rows_is_an_error(set_tables):
    set_tables(one=WINS)
    for query in ({**ALL, "opponent": "nobody"}, {**ALL, "less": {"variant": "straight"}}):
        with pytest.raises(cards.UnsupportedClaimError, match="no row matches"):
            cards.select_rows(query)


def test_differences_have_the_errors_of_both_sides(set_tables):
    set_tables(one={"simple": 5, "champion": 1})
    less = {"opponent": "champion"}
    (row,) = cards.select_rows({**ALL, "opponent": "simple", "less": less}).itertuples()
    assert (row.value, row.se) == (4, pytest.approx(0.02**0.5))
    assert (row.low, row.high) == pytest.approx((4 - 0.2772, 4 + 0.2772), abs=1e-4)
    assert list(cards.select_rows({**ALL, "less": 0.5})["value"]) == [4.5, 0.5]


def test_one_dot_of_all_pages_is_wrong_with_probability_one_in_ten():
    """The threshold depends on the number of dots on the page."""
    cases = [(1, 0.1), (-1, 0.1), (0.1, 0.01), (0.1, 0.1), (0, 0), (0.3, 0.09)]
    assert "".join(cards.choose_effect_symbol(value, se, 0.25) for value, se in cases) == "▲▼=?=?"
    shown = sum(PAGE.count(f"| {dot} ") for dot in cards.EFFECT_SYMBOLS)
    assert 100 < shown < 200


def test_numbers_and_dots_are_those_of_the_table(set_tables):
    set_tables(one=WINS)
    numbers = {"least": {"of": ALL, "ends": "least"}, "both": {"of": ALL, "unit": " points"}}
    dots = {"of": ALL, "by": "opponent", "measure": "points"}
    lines = render("From {least} to {both}.", dots=dots, numbers=numbers).split("\n\n")
    assert lines[:2] == ["### Is it so?", "From 1.0 to 1.0 to 3.0 points."]
    assert lines[2] == "Data: [one](../results/reference/one)"
    assert cards.format_effect_row(**dots) == ["points", "▲", "▲", "", "▲"]


def test_a_number_has_only_the_digits_that_its_interval_allows(set_tables):
    set_tables(one=WINS)  # within 0.196
    number = {"of": ALL, "form": "{:.1f}"}
    assert "It is 1.0 to 3.0." in render("It is {worth}.", numbers={"worth": number})
    for change in ({"factor": 2}, {"form": "{:.2f}"}):
        with pytest.raises(cards.UnsupportedClaimError, match="too wide for the last digit"):
            render("It is {worth}.", numbers={"worth": number | change})


CHECKS = [(card.question, check) for card in cards.read_cards() for check in card.checks]


@pytest.mark.parametrize(("question", "check"), CHECKS)
def test_every_check_of_the_page_can_fail(question, check, monkeypatch):
    """Each card fails if its values are far too high or low, or its table is reversed."""
    arguments = {key: value for key, value in check.items() if key not in ("word", "is")}
    rows, results = cards.select_rows, []
    for factor, shift in ((1, 0), (1, 1e6), (1, -1e6), (-1, 0)):

        def shift_values(query, factor=factor, shift=shift):
            table = rows(query)
            names = table.select_dtypes("number").columns.difference(["se", "n"])
            return table.assign(**{name: factor * table[name] + shift for name in names})

        monkeypatch.setattr(cards, "select_rows", shift_values)
        results.append(cards.CHECK_FUNCTIONS[check["is"]](**arguments))
    assert results[0] and not all(results), question


ANSWERED_CARDS = [card for card in cards.read_cards() if card.dots and card.finding != "undecided"]


@pytest.mark.parametrize("card", ANSWERED_CARDS, ids=lambda card: str(card.question))
def test_no_card_is_also_true_of_the_opposite_table(card, monkeypatch):
    """Each card fails if the values of its dots are far too high or far too low."""
    query, real, errors = cards.add_family_keys(card.dots["of"]), cards.read_result_table, 0
    shift_values = cards.select_rows(
        {key: value for key, value in query.items() if key != "less"}
    ).index
    for shift in (1e6, -1e6):
        table = real(query["from"]).copy()
        table.loc[shift_values, ["value", "low", "high"]] += shift
        other = {query["from"]: table}
        monkeypatch.setattr(
            cards, "read_result_table", lambda name, of=other: of.get(name, real(name))
        )
        try:
            cards.render_card(card)
        except cards.UnsupportedClaimError:
            errors += 1
    assert errors


def test_each_claim_has_a_card_and_the_page_is_short():
    claims = re.findall(r"^\| (H\d+) \|", (ROOT / "docs/reference/rules.md").read_text(), re.M)
    answered = [card.claim for card in cards.read_cards() if card.claim]
    assert len(answered) == 29 and sorted(answered) == sorted(claims)
    assert len(re.findall(r"\S*\w\S*", PAGE)) <= 2_400


def test_claims_have_seeds_of_their_own_and_manifests_with_them():
    others, claims = (
        {path: int(tomllib.loads(path.read_text())["seed"]) for path in paths}
        for paths in ((ROOT / "experiments").glob("*.toml"), CLAIMS)
    )
    seeds = {*claims.values()}
    assert len(seeds) == len(CLAIMS) and not seeds & {*others.values()}
    assert all(
        cards.read_manifest(f"claims/{path.stem}")["seed"] == claims[path] for path in CLAIMS
    )
    assert all(
        cards.read_manifest(name)["seed"] for card in cards.read_cards() for name in card.results
    )
