"""The findings page contains only claims that its tables support."""

import re
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from support.pages_script import cards

ROOT = Path(__file__).resolve().parents[2]
FINDINGS_PAGE_TEXT = (ROOT / "docs" / "findings.md").read_text()
CLAIM_FILES = sorted((ROOT / "experiments" / "claims").glob("*.toml"))


@pytest.fixture
def set_tables(monkeypatch):
    """Return a function that replaces the reference results by tables with an SE of 0.1."""

    def replace_tables(**tables):
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

    return replace_tables


def render_test_card(verdict, question="Is it so?", **parts):
    return cards.render_card(cards.FindingCard("", question, verdict, **parts))


ALL_ROWS_QUERY = {"from": "one/table"}
POSITIVE_TABLE = {"simple": 1, "gold-early": 2, "champion": 3}
MIXED_TABLE = {"simple": 1, "gold": -1}
EVERY_CHECK = {"word": "every", "is": "every", "of": ALL_ROWS_QUERY}
ONLY_CHECK = {
    "word": "only",
    "is": "only",
    "of": ALL_ROWS_QUERY,
    "column": "opponent",
    "names": ["simple"],
}
ONLY_CHECK |= {"that": "low > 0", "others": "high < 0"}
SAME_CHECK = {"word": "no difference", "is": "same", "of": ALL_ROWS_QUERY, "margin": 0.25}
BEST_CHECK = {
    "word": "best",
    "is": "best",
    "chosen": ALL_ROWS_QUERY,
    "judged": {"from": "two/table"},
}
BEST_CHECK |= {"column": "opponent", "names": ["champion"]}
LEAST_CHECK = BEST_CHECK | {"names": ["simple"], "sign": -1}
QUANTIFIER_CASES = [  # a check, a table for which it is true, and one for which it is false
    (EVERY_CHECK | {"that": "low > 0"}, POSITIVE_TABLE, POSITIVE_TABLE | {"champion": 0.1}),
    (EVERY_CHECK | {"word": "nobody", "that": "high < 0.25"}, {"gold": -1}, POSITIVE_TABLE),
    (
        EVERY_CHECK | {"word": "loses to none", "that": "low > -0.25"},
        POSITIVE_TABLE,
        POSITIVE_TABLE | {"gold": -1},
    ),
    *(
        (ONLY_CHECK, MIXED_TABLE, table)
        for table in (POSITIVE_TABLE, MIXED_TABLE | {"simple": 0}, MIXED_TABLE | {"gold": 0})
    ),
    *((SAME_CHECK, {"gold": 0.05}, {"gold": value}) for value in (0.1, 1)),
    *((BEST_CHECK, POSITIVE_TABLE, POSITIVE_TABLE | {"gold": value}) for value in (2.9, 4)),
    (LEAST_CHECK, POSITIVE_TABLE, POSITIVE_TABLE | {"champion": 0}),
]


@pytest.mark.parametrize(("check", "true_table", "false_table"), QUANTIFIER_CASES)
def test_false_quantifier_is_an_error(check, true_table, false_table, set_tables):
    words = f"It is {check['word']}."
    set_tables(one=true_table, two=true_table)
    assert check["word"] in render_test_card(words, checks=(check,))
    set_tables(one=false_table, two=false_table)
    with pytest.raises(cards.UnsupportedClaimError, match="Is it so"):
        render_test_card(words, checks=(check,))


def test_best_strategy_is_chosen_and_evaluated_on_different_deals(set_tables):
    set_tables(one=POSITIVE_TABLE, two=POSITIVE_TABLE | {"gold-early": 5})
    for judged, message in (
        (ALL_ROWS_QUERY, "on the same deals"),
        (BEST_CHECK["judged"], "contradict 'best'"),
    ):
        with pytest.raises(cards.UnsupportedClaimError, match=message):
            render_test_card("The best.", checks=(BEST_CHECK | {"judged": judged},))


@pytest.mark.parametrize(
    ("verdict", "message"),
    [
        ("It never pays.", "the word 'never'"),
        *(
            (verdict, "no query supports")
            for verdict in ("It wins 60 % of it.", "It gains 2.5 points.")
        ),
        ("one two three four five six seven eight nine ten eleven", "longer than 10"),
    ],
)
def test_claim_without_a_query_is_an_error(verdict, message):
    with pytest.raises(cards.UnsupportedClaimError, match=message):
        render_test_card(verdict)


def test_query_without_rows_is_an_error(set_tables):
    set_tables(one=POSITIVE_TABLE)
    for query in (
        {**ALL_ROWS_QUERY, "opponent": "nobody"},
        {**ALL_ROWS_QUERY, "less": {"variant": "straight"}},
    ):
        with pytest.raises(cards.UnsupportedClaimError, match="no row matches"):
            cards.select_rows(query)


def test_standard_error_of_a_difference_includes_both_sides(set_tables):
    set_tables(one={"simple": 5, "champion": 1})
    subtracted = {"opponent": "champion"}
    (row,) = cards.select_rows(
        {**ALL_ROWS_QUERY, "opponent": "simple", "less": subtracted}
    ).itertuples()
    assert (row.value, row.se) == (4, pytest.approx(0.02**0.5))
    assert (row.low, row.high) == pytest.approx((4 - 0.2772, 4 + 0.2772), abs=1e-4)
    assert list(cards.select_rows({**ALL_ROWS_QUERY, "less": 0.5})["value"]) == [4.5, 0.5]


def test_dots_are_significant_for_the_number_of_dots_on_the_page():
    """The probability that any dot of the page is wrong is at most 0.1."""
    cases = [(1, 0.1), (-1, 0.1), (0.1, 0.01), (0.1, 0.1), (0, 0), (0.3, 0.09)]
    assert "".join(cards.choose_effect_symbol(value, se, 0.25) for value, se in cases) == "▲▼=?=?"
    shown = sum(FINDINGS_PAGE_TEXT.count(f"| {dot} ") for dot in cards.EFFECT_SYMBOLS)
    assert 100 < shown < 200


def test_card_shows_numbers_and_dots_of_its_table(set_tables):
    set_tables(one=POSITIVE_TABLE)
    numbers = {
        "least": {"of": ALL_ROWS_QUERY, "ends": "least"},
        "both": {"of": ALL_ROWS_QUERY, "unit": " points"},
    }
    dots = {"of": ALL_ROWS_QUERY, "by": "opponent", "measure": "points"}
    lines = render_test_card("From {least} to {both}.", dots=dots, numbers=numbers).split("\n\n")
    assert lines[:2] == ["### Is it so?", "From 1.0 to 1.0 to 3.0 points."]
    assert lines[2] == "Data: [one](../results/reference/one)"
    assert cards.format_effect_row(**dots) == ["points", "▲", "▲", "", "▲"]


def test_number_with_more_digits_than_its_interval_allows_is_an_error(set_tables):
    set_tables(one=POSITIVE_TABLE)  # within 0.196
    number = {"of": ALL_ROWS_QUERY, "form": "{:.1f}"}
    assert "It is 1.0 to 3.0." in render_test_card("It is {worth}.", numbers={"worth": number})
    for change in ({"factor": 2}, {"form": "{:.2f}"}):
        with pytest.raises(cards.UnsupportedClaimError, match="too wide for the last digit"):
            render_test_card("It is {worth}.", numbers={"worth": number | change})


PAGE_CHECKS = [(card.question, check) for card in cards.read_cards() for check in card.checks]


@pytest.mark.parametrize(("question", "check"), PAGE_CHECKS)
def test_every_check_of_the_page_can_fail(question, check, monkeypatch):
    """A check fails for values that are far too high, far too low or of the other sign."""
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


DECIDED_FINDINGS = [
    card for card in cards.read_cards() if card.dots and card.finding != "undecided"
]


@pytest.mark.parametrize("card", DECIDED_FINDINGS, ids=lambda card: str(card.question))
def test_no_card_is_supported_by_a_shifted_table(card, monkeypatch):
    """A card fails if the values of its dots are far too high or far too low."""
    query, read_frame, errors = cards.add_family_keys(card.dots["of"]), cards.read_result_table, 0
    shifted_rows = cards.select_rows(
        {key: value for key, value in query.items() if key != "less"}
    ).index
    for shift in (1e6, -1e6):
        table = read_frame(query["from"]).copy()
        table.loc[shifted_rows, ["value", "low", "high"]] += shift
        other = {query["from"]: table}
        monkeypatch.setattr(
            cards, "read_result_table", lambda name, of=other: of.get(name, read_frame(name))
        )
        try:
            cards.render_card(card)
        except cards.UnsupportedClaimError:
            errors += 1
    assert errors


def test_each_claim_has_a_card_on_a_short_page():
    claims = re.findall(r"^\| (H\d+) \|", (ROOT / "docs/reference/rules.md").read_text(), re.M)
    answered = [card.claim for card in cards.read_cards() if card.claim]
    assert len(answered) == 29 and sorted(answered) == sorted(claims)
    assert len(re.findall(r"\S*\w\S*", FINDINGS_PAGE_TEXT)) <= 2_400


def test_each_claim_has_its_own_seed_in_its_manifest():
    other_seeds, claims = (
        {path: int(tomllib.loads(path.read_text())["seed"]) for path in paths}
        for paths in ((ROOT / "experiments").glob("*.toml"), CLAIM_FILES)
    )
    seeds = {*claims.values()}
    assert len(seeds) == len(CLAIM_FILES) and not seeds & {*other_seeds.values()}
    assert all(
        cards.read_manifest(f"claims/{path.stem}")["seed"] == claims[path] for path in CLAIM_FILES
    )
    assert all(
        cards.read_manifest(name)["seed"] for card in cards.read_cards() for name in card.results
    )
