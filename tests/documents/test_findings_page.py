"""Tests that the findings page contains only claims that its tables support."""

import re
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from support.pages_script import cards

PROJECT_ROOT = Path(__file__).resolve().parents[2]
FINDINGS_PAGE_TEXT = (PROJECT_ROOT / "docs" / "findings.md").read_text()
CLAIM_FILES = sorted((PROJECT_ROOT / "experiments" / "claims").glob("*.toml"))


@pytest.fixture
def replace_result_tables(monkeypatch):
    """Return a function that replaces the reference results with tables for a test."""

    def replace_tables(**tables):
        frames, seeds = {}, {}
        for seed, (name, table) in enumerate(tables.items()):
            rows = [("standard", "a", who, "margin", value, 0.1) for who, value in table.items()]
            frame = pd.DataFrame(rows, columns=[*cards.IDENTIFYING_COLUMNS, "value", "se"])
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
POSITIVE_VALUES = {"simple": 1, "gold-early": 2, "champion": 3}
MIXED_VALUES = {"simple": 1, "gold": -1}
EVERY_ROW_CHECK = {"word": "every", "is": "every", "query": ALL_ROWS_QUERY}
ONLY_ROW_CHECK = {
    "word": "only",
    "is": "only",
    "query": ALL_ROWS_QUERY,
    "column": "opponent",
    "names": ["simple"],
}
ONLY_ROW_CHECK |= {"condition": "low > 0", "other_condition": "high < 0"}
EQUIVALENCE_CHECK = {"word": "no difference", "is": "same", "query": ALL_ROWS_QUERY, "margin": 0.25}
BEST_ROW_CHECK = {
    "word": "best",
    "is": "best",
    "selection_query": ALL_ROWS_QUERY,
    "evaluation_query": {"from": "two/table"},
}
BEST_ROW_CHECK |= {"column": "opponent", "names": ["champion"]}
LOWEST_ROW_CHECK = BEST_ROW_CHECK | {"names": ["simple"], "sign": -1}
QUANTIFIER_CASES = [  # a check, a table for which it is true, and one for which it is false
    (
        EVERY_ROW_CHECK | {"condition": "low > 0"},
        POSITIVE_VALUES,
        POSITIVE_VALUES | {"champion": 0.1},
    ),
    (
        EVERY_ROW_CHECK | {"word": "nobody", "condition": "high < 0.25"},
        {"gold": -1},
        POSITIVE_VALUES,
    ),
    (
        EVERY_ROW_CHECK | {"word": "loses to none", "condition": "low > -0.25"},
        POSITIVE_VALUES,
        POSITIVE_VALUES | {"gold": -1},
    ),
    *(
        (ONLY_ROW_CHECK, MIXED_VALUES, table)
        for table in (POSITIVE_VALUES, MIXED_VALUES | {"simple": 0}, MIXED_VALUES | {"gold": 0})
    ),
    *((EQUIVALENCE_CHECK, {"gold": 0.05}, {"gold": value}) for value in (0.1, 1)),
    *((BEST_ROW_CHECK, POSITIVE_VALUES, POSITIVE_VALUES | {"gold": value}) for value in (2.9, 4)),
    (LOWEST_ROW_CHECK, POSITIVE_VALUES, POSITIVE_VALUES | {"champion": 0}),
]


@pytest.mark.parametrize(("check", "true_table", "false_table"), QUANTIFIER_CASES)
def test_unsupported_quantifier_is_an_error(check, true_table, false_table, replace_result_tables):
    words = f"It is {check['word']}."
    replace_result_tables(one=true_table, two=true_table)
    assert check["word"] in render_test_card(words, checks=(check,))
    replace_result_tables(one=false_table, two=false_table)
    with pytest.raises(cards.UnsupportedClaimError, match="Is it so"):
        render_test_card(words, checks=(check,))


def test_best_strategy_is_chosen_and_evaluated_on_different_deals(replace_result_tables):
    replace_result_tables(one=POSITIVE_VALUES, two=POSITIVE_VALUES | {"gold-early": 5})
    for judged, message in (
        (ALL_ROWS_QUERY, "on the same deals"),
        (BEST_ROW_CHECK["evaluation_query"], "contradict 'best'"),
    ):
        with pytest.raises(cards.UnsupportedClaimError, match=message):
            render_test_card("The best.", checks=(BEST_ROW_CHECK | {"evaluation_query": judged},))


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


def test_query_without_rows_is_an_error(replace_result_tables):
    replace_result_tables(one=POSITIVE_VALUES)
    for query in (
        {**ALL_ROWS_QUERY, "opponent": "nobody"},
        {**ALL_ROWS_QUERY, "less": {"variant": "straight"}},
    ):
        with pytest.raises(cards.UnsupportedClaimError, match="no row matches"):
            cards.select_rows(query)


def test_standard_error_of_a_difference_combines_both_errors(replace_result_tables):
    replace_result_tables(one={"simple": 5, "champion": 1})
    subtracted = {"opponent": "champion"}
    (row,) = cards.select_rows(
        {**ALL_ROWS_QUERY, "opponent": "simple", "less": subtracted}
    ).itertuples()
    assert (row.value, row.se) == (4, pytest.approx(0.02**0.5))
    assert (row.low, row.high) == pytest.approx((4 - 0.2772, 4 + 0.2772), abs=1e-4)
    assert list(cards.select_rows({**ALL_ROWS_QUERY, "less": 0.5})["value"]) == [4.5, 0.5]


def test_effect_symbols_on_the_page_are_rarely_wrong():
    """Limit the probability that any symbol on the page is wrong to 0.1."""
    cases = [(1, 0.1), (-1, 0.1), (0.1, 0.01), (0.1, 0.1), (0, 0), (0.3, 0.09)]
    assert "".join(cards.choose_effect_symbol(value, se, 0.25) for value, se in cases) == "▲▼=?=?"
    shown = sum(FINDINGS_PAGE_TEXT.count(f"| {dot} ") for dot in cards.EFFECT_SYMBOLS)
    assert 100 < shown < 200


def test_card_shows_numbers_and_effects_of_its_table(replace_result_tables):
    replace_result_tables(one=POSITIVE_VALUES)
    numbers = {
        "least": {"query": ALL_ROWS_QUERY, "minimum_only": True},
        "both": {"query": ALL_ROWS_QUERY, "unit": " points"},
    }
    effect = {"query": ALL_ROWS_QUERY, "type_column": "opponent", "title": "points"}
    lines = render_test_card("From {least} to {both}.", effect=effect, placeholders=numbers).split(
        "\n\n"
    )
    assert lines[:2] == ["### Is it so?", "From 1.0 to 1.0 to 3.0 points."]
    assert lines[2] == "Data: [one](../results/reference/one)"
    assert cards.format_effect_cells(**effect) == ["points", "▲", "▲", "", "▲"]


def test_number_with_more_digits_than_its_interval_allows_is_an_error(replace_result_tables):
    replace_result_tables(one=POSITIVE_VALUES)  # within 0.196
    number = {"query": ALL_ROWS_QUERY, "number_format": "{:.1f}"}
    assert "It is 1.0 to 3.0." in render_test_card("It is {worth}.", placeholders={"worth": number})
    for change in ({"factor": 2}, {"number_format": "{:.2f}"}):
        with pytest.raises(cards.UnsupportedClaimError, match="too wide for the last digit"):
            render_test_card("It is {worth}.", placeholders={"worth": number | change})


CHECKS_WITH_QUESTION = [
    (card.question, check) for card in cards.read_cards() for check in card.checks
]


@pytest.mark.parametrize(("question", "check"), CHECKS_WITH_QUESTION)
def test_every_check_on_the_page_can_fail(question, check, monkeypatch):
    """Change the values of the results so that they are extreme or have the opposite sign."""
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


DECIDED_CARDS = [
    card for card in cards.read_cards() if card.effect and card.conclusion != "undecided"
]


@pytest.mark.parametrize("card", DECIDED_CARDS, ids=lambda card: str(card.question))
def test_extreme_values_do_not_support_the_claim_of_a_finding(card, monkeypatch):
    """Replace the values behind the effect symbols with much higher or lower values."""
    query, read_frame, errors = (
        cards.add_family_defaults(card.effect["query"]),
        cards.read_result_table,
        0,
    )
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


def test_each_claim_has_a_card_and_the_page_is_short():
    claims = re.findall(
        r"^\| (H\d+) \|", (PROJECT_ROOT / "docs/reference/rules.md").read_text(), re.M
    )
    answered = [card.claim for card in cards.read_cards() if card.claim]
    assert len(answered) == 29 and sorted(answered) == sorted(claims)
    assert len(re.findall(r"\S*\w\S*", FINDINGS_PAGE_TEXT)) <= 2_400


def test_each_claim_has_its_own_seed_in_its_manifest():
    other_seeds, claims = (
        {path: int(tomllib.loads(path.read_text())["seed"]) for path in paths}
        for paths in ((PROJECT_ROOT / "experiments").glob("*.toml"), CLAIM_FILES)
    )
    seeds = {*claims.values()}
    assert len(seeds) == len(CLAIM_FILES) and not seeds & {*other_seeds.values()}
    assert all(
        cards.read_manifest(f"claims/{path.stem}")["seed"] == claims[path] for path in CLAIM_FILES
    )
    assert all(
        cards.read_manifest(name)["seed"] for card in cards.read_cards() for name in card.results
    )
