"""Tests of verdicts, effect sizes, goals and scorecards of constructed reviews."""

import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simgin.review import review_report, scorecard, verdicts
from simgin.review.review import GIN_VS_KNOCK_METRIC, SKILL_METRIC, Effect, Review
from simgin.review.review_plots import make_sweep_frame
from simgin.review.review_request import ReviewError, ReviewRequest
from simgin.review.scorecard import (
    LARGE_EFFECT,
    NO_EFFECT,
    SMALL_EFFECT,
    UNCLEAR_EFFECT,
    classify_effect_size,
    list_scorecard_rows,
    parse_goals,
)
from simgin.review.verdicts import iterate_sweep_lines
from simgin.rules import variants
from simgin.stats.paired_estimate import PairedEstimate
from simgin.strategy.cast import GIN_PLAYER, IMMEDIATE_KNOCKER, STRONG_PLAYER
from simgin.text.messages import join_words

SCORECARD_ROW_KEYS = [
    row.key for row in list_scorecard_rows(variants.find_variant("standard").params, 8)
]
BASELINE, OTHER_VARIANT = "standard", "straight"
BASELINE_VALUES = {
    "turns_per_match": 80.0,
    "gin": 0.5,
    "knock_turn": 6.0,
    "seat": 0.51,
    "stalled": 0.0,
}
EFFECT_BOUNDS = {"turns_per_match": (8, 24), "gin": (0.05, 0.15), "seat": (0.01, 0.03)}


def make_estimate(value, half_width=0.0):
    return PairedEstimate.from_known_se(value, half_width / 1.959964, 20_000)


def make_review(
    changes=(),
    *,
    half_width=1e-6,
    weaker_changes=(),
    skill=(0, 0, 0),
    gin_effect=0.0,
    gin_rate=0.5,
    knock_rate=0.32,
    variant_name=OTHER_VARIANT,
):
    """Return a review of a variant with the given effects on the strong player.

    Args:
        changes: Effects by scorecard row, as numbers or paired estimates.
        half_width: Half-width of every interval.
        weaker_changes: Effects for the weaker player types, by scorecard row.
        skill: Effects on skill against the weaker player types.
        gin_effect: Effect on playing for gin against knocking immediately.
        gin_rate: Proportion of gin in the variant.
        knock_rate: Proportion of deals with a knock in the variant; it is 0.32 in the baseline.
        variant_name: The variant.
    """
    request = ReviewRequest(
        (BASELINE, variant_name),
        BASELINE,
        strong=((BASELINE, "champion"), (variant_name, "champion")),
    )
    review = Review(request, None)
    measurements, effects = {}, {}
    type_names = [player_type.name for player_type in request.kinds]
    for variant, player_type, key in itertools.product(
        (BASELINE, variant_name), [*type_names, STRONG_PLAYER], SCORECARD_ROW_KEYS
    ):
        measurements[variant, key, player_type] = make_estimate(
            BASELINE_VALUES.get(key, 1.0), half_width
        )
    measurements[variant_name, "gin", STRONG_PLAYER] = make_estimate(gin_rate, half_width)
    for player_type, key in itertools.product([*type_names, STRONG_PLAYER], SCORECARD_ROW_KEYS):
        change = dict(changes).get(key, 0.0) if player_type == STRONG_PLAYER else None
        if change is None:
            change = dict(weaker_changes).get(key, dict(changes).get(key, 0.0))
        change = change if isinstance(change, PairedEstimate) else make_estimate(change, half_width)
        effects[variant_name, key, player_type] = Effect(change, EFFECT_BOUNDS.get(key, (1, 3)))
    for player_type, change in zip(type_names, skill, strict=True):
        for variant in (BASELINE, variant_name):
            measurements[variant, SKILL_METRIC, player_type] = make_estimate(0.75, half_width)
        effects[variant_name, SKILL_METRIC, player_type] = Effect(
            make_estimate(change, half_width), scorecard.SKILL_EFFECT_BOUNDS
        )
    for variant in (BASELINE, variant_name):
        measurements[variant, GIN_VS_KNOCK_METRIC, GIN_PLAYER] = make_estimate(0.5, half_width)
    effects[variant_name, GIN_VS_KNOCK_METRIC, GIN_PLAYER] = Effect(
        make_estimate(gin_effect, half_width), scorecard.SKILL_EFFECT_BOUNDS
    )
    knock_rates = {
        BASELINE: make_estimate(0.32, half_width),
        variant_name: make_estimate(knock_rate, half_width),
    }
    review.__dict__.update(measurements=measurements, effects=effects, knock_rates=knock_rates)
    return review


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.9, 0.9, NO_EFFECT),
        (-1.1, 0.9, UNCLEAR_EFFECT),
        (0.5, 1.5, UNCLEAR_EFFECT),
        (-5.0, 5.0, UNCLEAR_EFFECT),
        (1.1, 2.9, SMALL_EFFECT),
        (2.0, 5.0, SMALL_EFFECT),  # at least a little, perhaps much: report the smaller effect
        (-2.9, -1.1, SMALL_EFFECT),
        (3.1, 9.0, LARGE_EFFECT),
        (-9.0, -3.1, LARGE_EFFECT),
        (np.nan, np.nan, UNCLEAR_EFFECT),
    ],
)
def test_effect_size_depends_on_the_whole_interval(low, high, expected):
    difference = make_estimate((low + high) / 2, (high - low) / 2)
    assert classify_effect_size(difference, (1.0, 3.0)) == expected


def test_five_matches_show_a_large_effect_with_probability_five_sixths():
    rng = np.random.default_rng(7)
    lengths = rng.normal(80, 30, 20_000)
    row = scorecard.TWO_PLAYER_ROWS[0]
    estimate = PairedEstimate.from_known_se(
        lengths.mean(), lengths.std() / np.sqrt(len(lengths)), len(lengths)
    )
    little, much = row.compute_effect_bounds(estimate, len(lengths))
    for shift, matches in ((much, 5), (little, 50)):
        means = rng.normal(80, 30, (40_000, 2, matches)).mean(axis=2)
        probability = (means[:, 1] + shift > means[:, 0]).mean()
        assert probability == pytest.approx(0.841, abs=0.008)  # four standard errors


@pytest.mark.parametrize(
    ("review", "expected"),
    [
        (make_review(half_width=0.0), "Every match had the same result as under the baseline."),
        (make_review(), "Players would not notice the difference, even in ten evenings."),
        (
            make_review(
                {"gin": 0.1, "turns_per_match": 12},
                weaker_changes={"turns_per_match": 12},
                gin_rate=0.6,
            ),
            "Matches are slightly longer, and the gin rate rises from 50 to 60 %. Skill "
            "matters as much as under the baseline.",
        ),
        (
            make_review({"turns_per_match": -27}, skill=(0.1, 0.1, 0.1)),
            "Matches are a third shorter, and skill matters much more.",
        ),
        (
            make_review({"gin": 0.45}, gin_rate=0.96, skill=(-0.03, -0.1, -0.04), gin_effect=-0.2),
            "Matches are about as long as under the baseline, but nearly every deal ends in "
            "gin. Playing for gin is less profitable, and skill matters slightly less.",
        ),
        (
            make_review(skill=(0.05, -0.05, 0.0)),
            "Matches are about as long as under the baseline, but skill matters more against some "
            "opponents and less against others.",
        ),
        (
            make_review({"turns_per_match": 0.0}, weaker_changes={"turns_per_match": 30}),
            "Match length changes for some players, but hardly for strong players. Skill matters "
            "as much as under the baseline.",
        ),
        (
            # Player types differ from each other, but none differs by a little from the baseline.
            make_review(
                {"seat": 0.02, "turns_per_match": 7.0}, weaker_changes={"turns_per_match": -7.0}
            ),
            "Matches are about as long as under the baseline, but the nondealer wins slightly more "
            "often. Skill matters as much as under the baseline.",
        ),
        (
            make_review(
                {"seat": 0.02, "turns_per_match": 0.0},
                weaker_changes={"turns_per_match": make_estimate(9, 30)},
            ),
            "Matches between strong players are about as long as under the baseline, but the "
            "nondealer wins slightly more often. Skill matters as much as under the baseline.",
        ),
        (
            make_review(
                {"turns_per_match": make_estimate(9, 30), "gin": make_estimate(0.1, 0.2)},
                skill=(0.01,) * 3,
            ),
            "Skill matters as much as under the baseline.",
        ),
        (
            make_review({"seat": 0.02}, skill=(make_estimate(0.03, 0.03).value,) * 3),
            "Matches are about as long as under the baseline, but the nondealer wins slightly more "
            "often. Skill matters slightly more.",
        ),
    ],
)
def test_verdict_follows_from_the_effect_sizes(review, expected):
    verdict = verdicts.compose_variant_verdict(review, OTHER_VARIANT)
    assert verdict == expected


@pytest.mark.parametrize(
    ("knock_rate", "half_width", "change", "phrase"),
    [
        (0.2, 1e-6, -1.5, "in fewer deals (20 instead of 32 %) and slightly earlier"),
        (0.43, 1e-6, 10.0, "in more deals (43 instead of 32 %) and much later"),
        (0.3, 1e-6, -1.5, "slightly earlier"),  # less than 3 percentage points
        (0.28, 0.02, -1.5, "slightly earlier"),  # not significantly more than 3
    ],
)
def test_verdict_reports_large_changes_of_the_knock_rate(knock_rate, half_width, change, phrase):
    review = make_review({"knock_turn": make_estimate(change)}, knock_rate=knock_rate)
    review.knock_rates[OTHER_VARIANT] = make_estimate(knock_rate, half_width)
    assert f"but players knock {phrase}. " in verdicts.compose_variant_verdict(
        review, OTHER_VARIANT
    )


# Estimates of every size for each row; a little is from 1 and much from 3
CHANGE_BY_EFFECT_SIZE = {
    "same": 0.0,
    "little": 1.5,
    "less": -1.5,
    "much": 10.0,
    "unclear": make_estimate(1.0, 9.0),
}
GIN_CHANGES = ((0.0, 0.5), (0.1, 0.6), (-0.1, 0.4), (0.3, 0.8), (-0.3, 0.2), (0.3, 0.96))
SKILL_CHANGES = (
    *((0.0,) * 3, (0.03,) * 3, (-0.03,) * 3, (0.1,) * 3, (-0.1,) * 3, (0.1, 0.0, 0.0)),
    *((-0.1, 0.0, 0.0), (0.1, -0.1, 0.0), (make_estimate(0.02, 0.02).value,) * 3),
)
LENGTH_CHANGES = (
    (0.0, 0.0),
    (0.0, 30.0),
    (12.0, 12.0),
    (-12.0, -12.0),
    (27.0, 27.0),
    (-70.0, -70.0),
)


# Small and large changes, in one direction each, and changes that differ between matchups
FAST_SKILL_CHANGES = [SKILL_CHANGES[i] for i in (0, 1, 4, 5, 7, 8)]


@pytest.mark.parametrize(
    "skill",
    [
        pytest.param(skill, marks=() if skill in FAST_SKILL_CHANGES else pytest.mark.slow)
        for skill in SKILL_CHANGES
    ],
)
@pytest.mark.parametrize("length", LENGTH_CHANGES)
def test_every_verdict_has_at_most_three_short_sentences(length, skill):
    """Test the verdicts for all combinations of changes in the scorecard."""
    strong_change, weaker_change = length
    for (change, gin_rate), gin_effect, size in itertools.product(
        GIN_CHANGES, (0, 0.2, -0.2), CHANGE_BY_EFFECT_SIZE
    ):
        changes = dict.fromkeys(SCORECARD_ROW_KEYS, CHANGE_BY_EFFECT_SIZE[size]) | {
            "turns_per_match": strong_change,
            "gin": change,
        }
        weaker_changes = {"turns_per_match": weaker_change}
        effects = {"weaker_changes": weaker_changes, "skill": skill, "gin_effect": gin_effect}
        review = make_review(changes, **effects, gin_rate=gin_rate, knock_rate=0.2)
        verdict = verdicts.compose_variant_verdict(review, OTHER_VARIANT)
        sentences = re.split(r"(?<=[a-z%])\. ", verdict.removesuffix("."))
        assert len(sentences) <= 3 and len(verdict.split()) <= 45 and verdict.endswith("."), verdict
        assert all(sentence[0].isupper() for sentence in sentences), verdict
        assert all(len(sentence.split()) <= 20 for sentence in sentences), verdict
        assert "  " not in verdict and "{" not in verdict, verdict


def test_effects_that_differ_by_player_type_are_shown_as_a_range():
    review = make_review({"turns_per_match": 30.0}, weaker_changes={"turns_per_match": -20.0})
    assert review.varies_by_player_type(
        OTHER_VARIANT, "turns_per_match"
    ) and not review.varies_by_player_type(OTHER_VARIANT, "gin")
    (row,) = (
        review_report.build_scorecard_table(review)
        .frame.query("row == 'Turns per match'")
        .to_dict("records")
    )
    cell = row[OTHER_VARIANT]
    assert (cell.text, cell.verdict, cell.tone) == ("80", "▲ much longer", "much")
    assert cell.detail.endswith("range over player types: -20 to +30")
    (gin,) = (
        review_report.build_scorecard_table(review)
        .frame.query("row == 'Deals ending in gin'")
        .to_dict("records")
    )
    assert (
        gin[OTHER_VARIANT].verdict,
        gin[BASELINE].tone,
        "player type" in gin[OTHER_VARIANT].detail,
    ) == (NO_EFFECT, "base", False)


@pytest.mark.parametrize(
    ("value", "half_width", "verdict", "abbreviation"),
    [
        (0.05, 0.03, "at most a little more", "≤ a little"),
        (-0.05, 0.03, "at most a little less", "≤ a little"),
        (-0.02, 0.06, "at most a little less", "≤ a little"),
        (0.1, 0.08, "same to much more", "same to much"),
        (0.0, 0.06, UNCLEAR_EFFECT, UNCLEAR_EFFECT),
    ],
)
def test_cell_with_an_unclear_effect_names_the_possible_sizes(
    value, half_width, verdict, abbreviation
):
    review = make_review({"gin": make_estimate(value, half_width)}, skill=(0.0, 0.0, 0.03))
    rows = review_report.build_scorecard_table(review).frame.set_index("row")[OTHER_VARIANT]
    gin = rows["Deals ending in gin"]
    assert (gin.verdict, gin.tone) == (verdict, "unclear")
    assert gin.abbreviate() == f"50 % {abbreviation}"
    sizes = review.differences.query("metric == 'gin' and players == 'strong'")["size"]
    assert [*sizes] == [verdict.removesuffix(" more").removesuffix(" less")]
    skill = rows["Skill: strong v weaker players"]
    assert (skill.text, skill.verdict, skill.tone) == (
        "75 to 75 %",
        "▲ more against some opponents",
        "depends",
    )
    assert skill.shorten() == "75–75 % (0 to +3) ▲ more\nv some opponents"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (1.62, "2.6 times as long"),  # 83 to 218 turns
        (2.5, "3.5 times as long"),
        (0.52, "1.5 times as long"),
        (0.46, "1.5 times as long"),
        (0.34, "a third longer"),
        (0.12, "a tenth longer"),
        (-0.12, "a tenth shorter"),
        (0.41, "41 % longer"),
        (0.15, "15 % longer"),
        (-0.3, "30 % shorter"),
        (-0.35, "a third shorter"),
        (-0.391, "39 % shorter"),
        (-0.4, "40 % shorter"),
        (-0.5, "50 % shorter"),
        (-0.76, "76 % shorter"),
        (-0.93, "93 % shorter"),
    ],
)
def test_large_change_of_length_is_reported_as_a_fraction_or_a_factor(change, expected):
    assert verdicts.format_length_change(change) == expected
    factor = 1 + change
    if "times" in expected:
        assert float(expected.split()[0]) == pytest.approx(factor, abs=0.05)


def make_shutout_review(value, baseline, half_width=0.002):
    """Return a review in which the strong player's shut-outs change from one value to another."""
    review = make_review({"shut_out": make_estimate(value - baseline, half_width)})
    row = next(row for row in review.scorecard_rows if row.key == "shut_out")
    value, baseline = make_estimate(value, half_width), make_estimate(baseline, half_width)
    review.effects[OTHER_VARIANT, "shut_out", STRONG_PLAYER] = Effect(
        value - baseline, (0.08, 0.25), scorecard.is_tenfold_change(value, baseline, row)
    )
    return review


@pytest.mark.parametrize(
    ("baseline", "value", "phrase"),
    [
        (0.17, 0.01, "much less common"),
        (0.17, 0.05, "slightly less common"),
        (0.01, 0.15, "much more common"),
        (0.05, 0.17, "slightly more common"),
        (0.07, 0.001, ""),  # same, as far as an evening shows
    ],
)
def test_tenfold_change_of_a_percentage_is_large(baseline, value, phrase):
    review = make_shutout_review(value, baseline)
    verdict = verdicts.compose_variant_verdict(review, OTHER_VARIANT)
    assert f"hut-outs are {phrase}" in verdict if phrase else "shut-outs" not in verdict
    cells = review_report.build_scorecard_table(review).frame.set_index("row")[OTHER_VARIANT]
    effect_size_label = "much" if phrase and "slightly" not in phrase else "a little"
    assert (effect_size_label in cells["Shut-outs"].verdict) == bool(phrase)


def test_tenfold_change_requires_the_whole_interval():
    row = next(row for row in scorecard.TWO_PLAYER_ROWS if row.key == "shut_out")
    turns = scorecard.TURNS_ROW
    assert scorecard.is_tenfold_change(make_estimate(0.01, 0.004), make_estimate(0.17, 0.01), row)
    assert not scorecard.is_tenfold_change(
        make_estimate(0.015, 0.004), make_estimate(0.17, 0.01), row
    )
    assert not scorecard.is_tenfold_change(make_estimate(1.0), make_estimate(80.0), turns)


# Players who were not trained for the rules


def test_given_players_keep_the_names_of_their_types():
    """Expect the row about playing for gin, as in a review with the default players."""
    players = ["beginner", "simple", "gin-only", "champion", "champion-mc"]
    request = ReviewRequest.read([OTHER_VARIANT], BASELINE, players=players)
    names = ["beginner", IMMEDIATE_KNOCKER, GIN_PLAYER, "champion"]
    assert [player_type.name for player_type in request.kinds] == names
    assert request.gin_and_knock_players == ("gin-only", "simple")


def test_scorecard_explains_only_its_rows(monkeypatch):
    review = make_review({})
    note = review_report.build_scorecard_table(review).note
    assert "Playing for gin v knocking: " in note
    assert 'For deals won, matches won and stalled deals, "a little" begins at 1' in note
    monkeypatch.setattr(ReviewRequest, "gin_and_knock_players", None)
    assert "Playing for gin v" not in review_report._explain_scorecard_rows(review)


def make_request(*players, baseline=BASELINE, **options):
    """Return a request with the given (variant, strong player) pairs."""
    return ReviewRequest(
        tuple(variant for variant, _ in players), baseline, strong=players, **options
    )


def make_training_caveat(request, command="simgin review straight -o out --seed 1"):
    return review_report._make_training_caveat(Review(request, None), command)


UNTRAINED_VARIANT = "standard+undercut_bonus=150"  # outside the training range of champion
TRAINED_PLAYER = "champion@standard-undercut-bonus-150-1234abcd.npy"


@pytest.mark.parametrize(
    ("review_request", "beginning"),
    [
        (
            make_request((BASELINE, "champion"), (UNTRAINED_VARIANT, "champion")),
            "champion was not trained for Undercut ",
        ),
        (
            make_request(
                (UNTRAINED_VARIANT, "champion"), (BASELINE, "champion"), baseline=UNTRAINED_VARIANT
            ),
            "champion was not trained for U",
        ),
        (
            make_request((BASELINE, "champion"), ("race", "champion")),
            "champion was not trained for Race.",
        ),
        (
            make_request(
                (BASELINE, "champion"), ("race", "champion"), (OTHER_VARIANT, "mishra-uniform")
            ),
            "champion and mishra-uniform were not trained for Race or Straight.",
        ),
        (
            make_request((BASELINE, "marjj-early"), (UNTRAINED_VARIANT, TRAINED_PLAYER)),
            "marjj-early was not trained for Standard.",
        ),
        (make_request((BASELINE, "champion"), ("tedesco", "champion")), None),
        (make_request((BASELINE, "champion"), (OTHER_VARIANT, "champion")), None),
        (make_request((BASELINE, "champion"), (UNTRAINED_VARIANT, TRAINED_PLAYER)), None),
        # Training gained nothing
        (make_request((BASELINE, "champion"), ("race", "champion"), adapt=True), None),
        (make_request((BASELINE, "gold"), (UNTRAINED_VARIANT, "gold"), given_strong="gold"), None),
        (make_request(("solitary-gin", "solo-champion"), baseline=None), None),
    ],
)
def test_caveat_names_the_untrained_rules(review_request, beginning):
    caveat = make_training_caveat(review_request)
    if beginning is None:
        assert caveat is None
    else:
        assert (
            caveat.sentence.startswith(f"Warning: {beginning}")
            and "rows marked † " in caveat.sentence
        )


def test_notes_name_the_rules_without_a_newly_trained_player():
    players = ((BASELINE, "champion"), ("race", "champion"), (UNTRAINED_VARIANT, TRAINED_PLAYER))
    for adapt, expected in (
        (
            True,
            [
                "Training did not find a stronger player under Race.",
                "champion was already trained for Standard.",
            ],
        ),
        (False, []),
    ):
        review = Review(make_request(*players, adapt=adapt), None)
        assert [*review_report._iterate_training_notes(review)] == expected


def test_caveat_names_or_counts_the_rule_sets_of_a_sweep():
    small_sweep = ReviewRequest.read(["standard"], sweep=["undercut_bonus=25,125,150"])
    large_sweep = ReviewRequest.read(
        ["standard"], sweep=["undercut_bonus=25,125,150,175", "gin_bonus=20,25"]
    )
    caveats = [
        make_training_caveat(
            replace(
                small_sweep, strong=tuple((variant, "champion") for variant in small_sweep.variants)
            )
        )
        for small_sweep in (small_sweep, large_sweep)
    ]
    assert "for undercut bonus 125 or 150. " in caveats[0].sentence
    assert "for 6 of these 8 rule sets. " in caveats[1].sentence


def test_caveat_suggests_a_command_that_trains():
    request = make_request((BASELINE, "champion"), (UNTRAINED_VARIANT, "champion"))
    command = "simgin review straight --against standard -o 'my results/x/' --matches 2000"
    assert make_training_caveat(request, command).command == (
        "simgin review straight --against standard -o 'my results/x-adapted' --matches 2000 --adapt"
    )


def test_rows_that_depend_on_training_are_marked():
    """Expect no mark for comebacks and weaker players (decisions/0008-reviews.md)."""
    marked = review_report.build_scorecard_table(make_review(variant_name=UNTRAINED_VARIANT)).frame[
        "row"
    ]
    unmarked = {"Comebacks", scorecard.GIN_VS_KNOCK_TITLE}
    assert {row for row in marked if not row.endswith("†")} == unmarked
    request = make_request((BASELINE, "champion"), (UNTRAINED_VARIANT, TRAINED_PLAYER))
    review = make_review(variant_name=UNTRAINED_VARIANT)
    object.__setattr__(review, "request", request)
    assert not any(
        row.endswith("†") for row in review_report.build_scorecard_table(review).frame["row"]
    )


def test_output_marks_the_metrics_that_depend_on_training():
    review = make_review({"gin": 0.1}, variant_name=UNTRAINED_VARIANT)
    dependent = {
        (UNTRAINED_VARIANT, "gin", STRONG_PLAYER),
        (UNTRAINED_VARIANT, "knock_turn", STRONG_PLAYER),
    }
    assert all(review.needs_training(key) for key in dependent)
    weaker_type = IMMEDIATE_KNOCKER
    independent = {
        (BASELINE, "gin", STRONG_PLAYER),
        (UNTRAINED_VARIANT, "comebacks", STRONG_PLAYER),
        (UNTRAINED_VARIANT, "gin", weaker_type),
    }
    assert not any(review.needs_training(key) for key in independent)
    assert review.needs_training((UNTRAINED_VARIANT, SKILL_METRIC, weaker_type))
    assert not review.needs_training((UNTRAINED_VARIANT, GIN_VS_KNOCK_METRIC, GIN_PLAYER))
    is_untrained = review.differences.set_index(["metric", "players"])["untrained"]
    assert (
        is_untrained["gin", STRONG_PLAYER]
        and not is_untrained["gin", weaker_type]
        and not is_untrained["comebacks", STRONG_PLAYER]
    )


# Goals


def test_goal_is_evaluated_by_the_whole_interval():
    rows = list_scorecard_rows(variants.find_variant("standard").params, 8)
    texts = ["turns per match 100..140, gin 40..50 %", "dead hands < 5 %, minutes at least 10"]
    goals = parse_goals(texts, rows)
    assert [(goal.row.key, goal.min_value, goal.max_value) for goal in goals] == [
        ("turns_per_match", 100, 140),
        ("gin", 40, 50),
        ("dead", -np.inf, 5),
        ("minutes", 10, np.inf),
    ]
    turns, gin, *_ = goals
    assert [turns.evaluate(make_estimate(value, 5)) for value in (120, 137, 150)] == [
        "met",
        "undecided",
        "missed",
    ]
    assert (
        gin.evaluate(make_estimate(0.45, 0.01)) == "met"
        and gin.evaluate("no number") == "undecided"
    )


GOAL_RESULTS = (scorecard.GOAL_MET, scorecard.GOAL_MISSED, scorecard.GOAL_UNDECIDED)
RULE_SET_NAMES = ("Standard", "Straight", "Tedesco")


@pytest.mark.parametrize("n_goals", [2, 3])
def test_recommendation_is_correct_for_every_combination_of_results(n_goals):
    for cells in itertools.product(GOAL_RESULTS, repeat=n_goals * len(RULE_SET_NAMES)):
        results_by_name = {
            name: cells[i * n_goals : (i + 1) * n_goals] for i, name in enumerate(RULE_SET_NAMES)
        }
        by_goal = [
            {name: results[i] for name, results in results_by_name.items()} for i in range(n_goals)
        ]
        recommendation = review_report.format_recommendation(by_goal, join_words)
        meeting = [
            name for name in RULE_SET_NAMES if set(results_by_name[name]) == {scorecard.GOAL_MET}
        ]
        missing = [
            name for name in RULE_SET_NAMES if scorecard.GOAL_MISSED in results_by_name[name]
        ]
        undecided = [name for name in RULE_SET_NAMES if name not in (*meeting, *missing)]
        goals = {2: "both goals", 3: "all 3 goals"}[n_goals]
        beginning = f"{goals} are met by {join_words(meeting)}" if meeting else f"meets {goals}"
        assert beginning.lower() in recommendation.lower() and recommendation.startswith(
            "No rule set "
        ) == (not meeting)
        assert recommendation.startswith("No rule set clearly") == bool(undecided and not meeting)
        assert (
            f"at least one is missed by {join_words(missing or RULE_SET_NAMES)}" in recommendation
        ) == bool(missing and (meeting or undecided))
        assert ("more matches are needed for " in recommendation) == bool(undecided)
        if len(missing) == len(RULE_SET_NAMES):
            fewest = min(
                results_by_name[name].count(scorecard.GOAL_MISSED) for name in RULE_SET_NAMES
            )
            closest = [
                name
                for name in RULE_SET_NAMES
                if results_by_name[name].count(scorecard.GOAL_MISSED) == fewest
            ]
            clause = f"the fewest are missed by {join_words(closest)}"
            if closest == missing:
                word = {1: "one", n_goals: {2: "both", 3: "all"}[n_goals]}.get(fewest, fewest)
                clause = f"each rule set misses {word} of them"
            assert recommendation.endswith(f", and {clause}.")
        assert (
            len(recommendation.split()) <= 25
            and recommendation[0].isupper()
            and recommendation.endswith(".")
        ), recommendation


def test_verdict_on_several_goals_starts_with_rule_sets_that_meet_all():
    review = make_review(gin_rate=0.6)
    for variant, turns in ((BASELINE, 80.0), (OTHER_VARIANT, 100.0)):
        review.measurements[variant, "turns_per_match", STRONG_PLAYER] = make_estimate(turns, 1e-6)
    goals = ("turns per match 70..90", "gin 40..55 %")
    object.__setattr__(review, "request", replace(review.request, goals=goals))
    summary, first_goal, second_goal, verdict = review_report._list_verdict_lines(review)
    assert summary == "Both goals are met by Standard, and at least one is missed by Straight."
    assert first_goal == (
        'The goal "turns per match 70..90" is met by Standard and missed by Straight.'
    )
    assert second_goal.startswith('The goal "gin 40..55 %" is met by Standard and missed by')
    assert "strong players" not in verdict  # the goals replace gains and losses


# Minutes, and who gains and loses


@pytest.mark.parametrize(
    ("turns", "baseline_turns", "seconds", "expected"),
    [
        (54, 83, 8, "4 minutes shorter (7 minutes instead of 11, at 8 s per turn)."),
        (70, 83, 8, "1.8 minutes shorter (9.3 minutes instead of 11.1, at 8 s per turn)."),
        (90, 75, 4, "1 minute longer (6 minutes instead of 5, at 4 s per turn)."),
        (7, 15, 8, "1 minute shorter (1 minute instead of 2, at 8 s per turn)."),
        (83, 54, 7.5, "3.6 minutes longer (10.4 minutes instead of 6.8, at 7.5 s per turn)."),
        (54, 83, 0.01, ""),
    ],
)
def test_change_in_minutes_is_computed_from_rounded_lengths(
    turns, baseline_turns, seconds, expected
):
    assert describe_minutes(turns, baseline_turns, seconds) == (
        f"A match is about {expected}" if expected else ""
    )


@pytest.mark.parametrize(
    ("turns", "seconds", "duration"),
    [
        (83, 8, "11 minutes"),
        (54, 8, "7 minutes"),
        (74, 1, "1.2 minutes"),
        (74, 0.5, "0.62 minutes"),
        (60, 1, "1 minute"),
    ],
)
def test_length_without_a_baseline_is_stated_in_minutes(turns, seconds, duration):
    review = Review(ReviewRequest((BASELINE,), seconds_per_turn=seconds), None)
    measurements = {
        (BASELINE, "turns_per_match", STRONG_PLAYER): make_estimate(turns),
        (BASELINE, "minutes", STRONG_PLAYER): make_estimate(turns * seconds / 60),
    }
    review.__dict__.update(measurements=measurements)
    ((_, verdict),) = verdicts.list_review_verdicts(review)
    assert verdict == f"A match takes about {turns} turns ({duration})."


def describe_minutes(variant_turns, baseline_turns, seconds, review=None):
    """Return the verdict on minutes per match, for which a given review is modified."""
    review = review or make_review()
    for variant, turns in ((BASELINE, baseline_turns), (OTHER_VARIANT, variant_turns)):
        review.measurements[variant, "turns_per_match", STRONG_PLAYER] = make_estimate(turns)
    object.__setattr__(review, "request", replace(review.request, seconds_per_turn=seconds))
    return verdicts.describe_change_in_minutes(review, OTHER_VARIANT, BASELINE)


def test_stated_minutes_are_consistent_for_every_length():
    pattern = re.compile(
        r"A match is about ([\d.]+) minutes? (longer|shorter) "
        r"\(([\d.]+) minutes instead of ([\d.]+), at (8|30) s per turn\)\."
    )
    review = make_review()
    for turns, baseline_turns, seconds in itertools.product(
        range(20, 300, 7), range(20, 300, 9), (8, 30)
    ):
        sentence = describe_minutes(turns, baseline_turns, seconds, review)
        if abs(turns - baseline_turns) * seconds < 9:
            continue
        change, direction, minutes, baseline_minutes = pattern.fullmatch(sentence).groups()[:4]
        sign = 1 if direction == "longer" else -1
        assert sign * float(change) == pytest.approx(
            float(minutes) - float(baseline_minutes), abs=1e-9
        ), sentence
        expected = (turns - baseline_turns) * seconds / 60
        assert sign * float(change) == pytest.approx(
            expected, abs=max(0.1, 0.1 * abs(expected)) + 1e-9
        ), sentence
        assert ("1 minute " in sentence) == (change == "1")


def test_winners_and_losers_are_named_for_all_effects():
    phrases = [
        "players who knock immediately",
        "players who knock only in early turns",
        "players who play for gin",
    ]
    for signs in itertools.product((1, 0, -1), repeat=3):
        description = verdicts.describe_winners_and_losers(
            make_review(skill=[0.05 * factor for factor in signs]), OTHER_VARIANT
        )
        sentences = []
        for sign, effect in ((1, "win fewer matches"), (-1, "win more matches")):
            pairs = [*zip(phrases, signs, strict=True)]
            named_types = [
                name for name, type_sign in reversed(pairs) if type_sign == sign
            ]  # strongest first
            if named_types:
                subject = (
                    "all weaker player types" if len(named_types) == 3 else join_words(named_types)
                )
                sentences.append(
                    f"Against strong players, {subject} {effect} than under the baseline."
                )
        assert description == " ".join(sentences)


@pytest.mark.parametrize(
    ("strong_change", "weaker_change", "expected"),
    [
        (0.0, 0.0, ""),
        (30.0, 30.0, ""),
        (
            0.0,
            30.0,
            "Matches are longer for players who play for gin (+30.00 ± 0.00 turns), for players "
            "who knock only in early turns (+30.00 ± 0.00 turns) and for players who knock "
            "immediately (+30.00 ± 0.00 turns).",
        ),
        (
            30.0,
            -30.0,
            "Matches are longer for strong players (+30.00 ± 0.00 turns), but shorter for players "
            "who play for gin (-30.00 ± 0.00 turns), for players who knock only in early turns "
            "(-30.00 ± 0.00 turns) and for players who knock immediately (-30.00 ± 0.00 turns).",
        ),
        (50.0, 30.0, "Matches are longer for all player types (+30 to +50 turns)."),
    ],
)
def test_player_types_with_different_lengths_are_named(strong_change, weaker_change, expected):
    review = make_review(
        {"turns_per_match": strong_change}, weaker_changes={"turns_per_match": weaker_change}
    )
    assert verdicts.describe_winners_and_losers(review, OTHER_VARIANT) == expected


def test_stalled_deals_cause_a_warning():
    player_type = IMMEDIATE_KNOCKER
    review = make_review(weaker_changes={"turns_per_match": 30.0})
    assert not verdicts.list_stall_warnings(review)
    rows = review_report.build_scorecard_table(review).frame["row"]
    assert not any(row.startswith("Stalled") for row in rows)
    review = make_review(weaker_changes={"turns_per_match": 30.0})
    review.measurements[BASELINE, "stalled", player_type] = make_estimate(0.08)
    review.measurements[OTHER_VARIANT, "stalled", player_type] = make_estimate(0.0995)
    (note,) = verdicts.list_stall_warnings(review)
    assert note.startswith(
        "Warning: simgin stops 8.0 to 10.0 % of deals between players who knock immediately at "
    )
    # The row shows the strong player's stalled deals, not those in the warning.
    assert "Stalled deals (strong player)" in {
        *review_report.build_scorecard_table(review).frame["row"]
    }
    assert verdicts.describe_winners_and_losers(review, OTHER_VARIANT).endswith(
        " The match length of players who knock immediately depends on the turn limit."
    )
    assert all(note in table.note for table in review_report._iterate_detail_tables(review))


def test_verdict_names_all_player_types_whose_deals_stall():
    review = make_review({"turns_per_match": 0.0}, weaker_changes={"turns_per_match": 30.0})
    for player_type in (IMMEDIATE_KNOCKER, STRONG_PLAYER):
        review.measurements[OTHER_VARIANT, "stalled", player_type] = make_estimate(0.08)
    assert verdicts.describe_winners_and_losers(review, OTHER_VARIANT).endswith(
        " The match length of players who knock immediately and strong players depends on the turn "
        "limit."
    )
    for player_type in review.player_types:
        review.measurements[OTHER_VARIANT, "stalled", player_type] = make_estimate(0.08)
    del review.__dict__["stalled_rates"]
    assert verdicts.describe_winners_and_losers(review, OTHER_VARIANT).endswith(
        " The match length of all player types depends on the turn limit."
    )


def test_players_of_a_strategy_are_named_in_the_plural():
    review = make_review()
    effects = {
        (OTHER_VARIANT, SKILL_METRIC, "gold"): Effect(
            make_estimate(0.1), scorecard.SKILL_EFFECT_BOUNDS
        )
    }
    review.__dict__.update(effects=effects)
    assert verdicts.describe_winners_and_losers(review, OTHER_VARIANT) == (
        "Against strong players, gold players win fewer matches than under the baseline."
    )


def test_scorecard_cell_shows_the_difference_and_its_interval():
    review = make_review(
        {"turns_per_match": make_estimate(-27.0, 1.2), "gin": make_estimate(0.1, 0.02)},
        skill=(0.05, -0.04, 0.0),
        gin_effect=-0.2,
    )
    rows = review_report.build_scorecard_table(review).frame.set_index("row")[OTHER_VARIANT]
    turns, gin = rows["Turns per match"], rows["Deals ending in gin"]
    assert str(turns) == "80 (-27.0) ▼ much shorter" and turns.detail.startswith("-27.0 ± 1.2")
    assert str(gin) == "50 % (+10.0) ▲ a little more"
    assert gin.markdown == "50 %, ▲ a little more (+10.0 ± 2.0 percentage points)"
    assert rows["Skill: strong v weaker players"].change == "-4 to +5"
    assert rows["Playing for gin v knocking"].change == "-20.00"
    baseline_cells = review_report.build_scorecard_table(review).frame.set_index("row")[BASELINE]
    assert not any(cell.change for cell in baseline_cells)


# Reviews of many rule sets


def make_review_of_knock_limits(n_rule_sets):
    """Return a review of several knock limits, all with targets for equal match length."""
    specs = [f"standard+knock_limit={limit}" for limit in range(1, n_rule_sets + 1)]
    request = ReviewRequest.read(specs, BASELINE)
    same_length = [(spec, f"{spec}+points_target=90") for spec in specs]
    played_variants = [BASELINE, *itertools.chain(*same_length)]
    request = replace(
        request,
        strong=tuple((variant, "champion") for variant in played_variants),
        same_length=tuple(same_length),
    )
    review = Review(request, None)
    measurements = {
        (variant, key, STRONG_PLAYER): make_estimate(BASELINE_VALUES.get(key, 1.0))
        for variant, key in itertools.product(played_variants, SCORECARD_ROW_KEYS)
    }
    effects = {
        key: Effect(make_estimate(10.0), EFFECT_BOUNDS.get(key[1], (1, 3)))
        for key in measurements
        if key[0] != BASELINE
    }
    review.__dict__.update(measurements=measurements, effects=effects)
    return review


def test_scorecards_of_many_rule_sets_are_summarised():
    maximum = review_report.MAX_VARIANTS_PER_TABLE
    tables = list(review_report._iterate_tables(make_review_of_knock_limits(maximum - 1)))
    assert [table.title for table in tables[:2]] == ["Scorecard", review_report.SAME_LENGTH_TITLE]
    assert [len(table.columns) for table in tables[:2]] == [maximum + 1] * 2
    review = make_review_of_knock_limits(maximum)
    scorecard_summary, same_length_summary = list(review_report._iterate_tables(review))[:2]
    assert scorecard_summary.headings == (
        "rules",
        "Turns per match",
        "Deals ending in gin",
        "Skill: strong v weaker players",
    )
    assert scorecard_summary.rows[0][:3] == ("Standard", "80", "50 %")
    assert scorecard_summary.rows[1][:3] == ("Knock limit 1", "80 ▲", "50 % ▲")
    assert len(scorecard_summary.rows) == len(same_length_summary.rows) == maximum + 1
    assert same_length_summary.rows[1][0] == "Knock limit 1, target 90"
    detail_titles = [table.title for table in review_report._iterate_detail_tables(review)]
    assert detail_titles[:2] == ["Scorecard", review_report.SAME_LENGTH_TITLE]
    assert f'"{detail_titles[0]}"' in scorecard_summary.note
    assert f'"{detail_titles[1]}"' in same_length_summary.note


def test_title_of_many_rule_sets_states_only_their_number():
    review = make_review_of_knock_limits(9)
    assert verdicts.format_review_question(review) == "9 rule sets against Standard"
    review = Review(ReviewRequest.read(review.request.compared_variants), None)
    assert verdicts.format_review_question(review) == "What are these 9 rule sets like?"


def test_solitaire_scorecard_counts_draws_and_has_signs_only_for_differences():
    request = ReviewRequest.read(["solitary-gin"], "solitaire-gin")
    strong = tuple((variant, "solo-champion") for variant in request.variants)
    review = Review(replace(request, strong=strong), None)
    naive_type = request.kinds[0].name
    measurements, effects = {}, {}
    for variant, draws, lead in zip(request.variants, (14.0, 12.0), (0.25, 0.45), strict=True):
        measurements[variant, "draws", STRONG_PLAYER] = make_estimate(draws)
        measurements[variant, SKILL_METRIC, naive_type] = make_estimate(lead)
    for key, change in ((("draws", STRONG_PLAYER), -2.0), ((SKILL_METRIC, naive_type), 0.2)):
        effects["solitary-gin", *key] = Effect(make_estimate(change, 0.1), (0.05, 3.0))
    review.__dict__.update(measurements=measurements, effects=effects)
    rows = review_report.build_scorecard_table(review).frame.set_index("row")
    draws = rows.loc["Draws per deal", "solitary-gin"]
    assert str(draws) == "12.0 (-2.0) ▼ a little fewer"
    skill = rows.loc["Skill (matches won): strong v naive player"]
    assert str(skill["solitaire-gin"]) == "25 percentage points"
    assert str(skill["solitary-gin"]) == "45 percentage points (+20) ▲ a little more"


# Rules in words, and requests


def test_baseline_is_the_first_rule_set_except_in_sweeps():
    request = ReviewRequest.read(["standard+knock_limit=9", "straight", BASELINE], BASELINE)
    assert request.variants == (BASELINE, "standard+knock_limit=9", "straight")
    sweep = ReviewRequest.read([BASELINE], sweep=["knock_limit=9,10,11"])
    assert sweep.variants.index(str(sweep.base)) == 1


def test_rules_equal_to_a_built_in_variant_have_its_name():
    spec = "oklahoma+spade_multiplier=2"
    review = Review(ReviewRequest.read([spec], "standard", note="In May."), None)
    assert verdicts.format_review_question(review) == "Oklahoma spades or Standard?"
    assert verdicts.list_review_notes(review) == [
        "In May.",
        f"{spec} has the same rules as oklahoma-spades.",
    ]
    assert dict(verdicts.describe_rules(review))["Oklahoma spades"].startswith("The first upcard")
    review = Review(ReviewRequest.read([spec], "oklahoma-spades"), None)
    assert (
        verdicts.format_review_question(review)
        == "Oklahoma with spade multiplier 2 or Oklahoma spades?"
    )
    sweep = Review(ReviewRequest.read(["standard"], sweep=["knock_limit=0,10"]), None)
    assert verdicts.format_rule_set_label(sweep, "standard+knock_limit=0") == "Knock limit 0"
    assert verdicts.list_review_notes(sweep) == []


@pytest.mark.parametrize(
    ("spec", "label"),
    [
        ("standard+layoff_on_gin=yes", "Layoff on gin"),
        ("tedesco+big_gin=no+gin_bonus=20", "Tedesco, no big gin, gin bonus 20"),
        ("standard+shutout=flat_100", "Shutout flat 100"),
    ],
)
def test_label_of_a_rule_set_names_its_parameters(spec, label):
    assert verdicts.format_variant_label(spec) == label


@pytest.mark.parametrize(
    ("specs", "title"),
    [
        (
            ["standard+knock_limit=7+undercut_bonus=15+layoff_on_gin=yes"],
            "Knock limit 7, undercut bonus 15 and layoff on gin, or Standard?",
        ),
        (
            ["standard+straight+gin_bonus=7", "standard+big_gin=no+box_bonus=5"],
            "Standard straight with gin bonus 7 or Box bonus 5?",
        ),
        (
            ["standard+knock_limit=7+undercut_bonus=20", "oklahoma"],
            "Knock limit 7 and undercut bonus 20, or Oklahoma?",
        ),
        (["house.toml#house+gin_bonus=3"], "House with gin bonus 3 or Standard?"),
    ],
)
def test_title_separates_rule_sets_from_their_rules(specs, title, empty_directory):
    Path("house.toml").write_text('[variants.house]\ntitle = "House"\nabout = "Club rules."\n')
    review = Review(ReviewRequest.read(specs, "standard"), None)
    assert verdicts.format_review_question(review) == title


def test_title_of_a_sweep_names_its_parameter():
    for sweep, text in (
        (["gin_bonus=0,20"], "gin bonus is"),
        (["big_gin=yes,no"], "value of big gin is"),
        (["gin_bonus=0,20", "undercut_bonus=0,20"], "gin bonus and undercut bonus are"),
        (["big_gin=yes,no", "gin_bonus=0,20"], "values of big gin and gin bonus are"),
    ):
        review = Review(ReviewRequest.read(["standard"], sweep=sweep), None)
        assert verdicts.format_review_question(review) == f"Which {text} best?"


def test_swept_parameters_that_turn_rules_on_and_off_have_their_own_prepositions():
    sweep = ["big_gin=no,yes", "layoff=yes,no"]
    review = Review(ReviewRequest.read(["standard"], sweep=sweep), None)
    assert [
        verdicts.format_swept_parameters(review, variant)
        for variant in review.request.swept_variants
    ] == [
        "without big gin and with layoff",
        "without big gin and without layoff",
        "with big gin and layoff",
        "with big gin and without layoff",
    ]


@pytest.mark.parametrize("targets", ["150,250", "250,100,150", " 250, 150"])
def test_targets_option_sweeps_the_usual_and_the_given_targets(targets):
    request = ReviewRequest.read(["standard"], targets=targets)
    assert request == ReviewRequest.read(["standard"], sweep=["points_target=100,150,250"])
    two_parameters = ReviewRequest.read(
        ["pro+goal=points"], targets="50", sweep=["gin_bonus=20,25"]
    )
    assert two_parameters.sweep[1] == ("points_target", ("50", "121"))


@pytest.mark.parametrize("variant", ["dice", "pro", "race", "hollywood", "solitary-gin"])
def test_targets_require_a_points_goal(variant):
    with pytest.raises(ReviewError, match=f"the goal of {variant} is "):
        ReviewRequest.read([variant], targets="150")


def test_rule_set_must_differ_from_the_baseline():
    message = "^'standard.knock_limit=10' has the same rules as the baseline 'standard'. Change"
    with pytest.raises(ReviewError, match=message):
        ReviewRequest.read(["standard+knock_limit=10"], "standard")
    assert ReviewRequest.read([], "standard").base is None


def test_omitted_rule_set_is_reported(capsys):
    request = ReviewRequest.read(["standard+knock_limit=10", "oklahoma"], "standard")
    assert request.variants == ("standard", "oklahoma")
    assert capsys.readouterr().err == (
        "simgin: 'standard+knock_limit=10' is omitted because the review already contains the "
        "same rules (standard).\n"
    )
    ReviewRequest.read(["oklahoma", "straight"], "standard")
    assert capsys.readouterr().err == ""


def test_deep_review_has_a_fixed_number_of_matches(tmp_path):
    message = "^`deep` and `matches` cannot be combined. Use only one of them.$"
    with pytest.raises(ReviewError, match=message):
        ReviewRequest.read(["straight"], "standard", deep=True, matches=1000)
    file = tmp_path / "club.toml"
    file.write_text('rule_sets = ["straight"]\ndeep = true\n')
    request = ReviewRequest.read_file(file, matches=1000)
    assert (request.deep, request.matches) == (False, 1000)
    file.write_text('rule_sets = ["straight"]\nmatches = 1000\n')
    assert ReviewRequest.read_file(file, deep=True).matches == 2_000_000


def test_sweep_requires_two_values():
    with pytest.raises(ReviewError, match="at least two values"):
        ReviewRequest.read(["standard"], sweep=["gin_bonus=20"])
    with pytest.raises(variants.VariantError, match="points_target must be"):
        ReviewRequest.read(["standard"], targets="many")


def test_rules_are_described_by_their_differences():
    request = ReviewRequest.read(["oklahoma", "tedesco+gin_bonus=20"], "standard")
    review = Review(request, None)
    assert verdicts.format_review_question(review) == "Oklahoma or Tedesco with gin bonus 20?"
    assert verdicts.describe_rules(review) == [
        ("Standard", "Knock with 10 or less. Gin +25. Undercut +25. Play to 100 points."),
        ("Oklahoma", "The first upcard sets the knock limit."),
        (
            "Tedesco, gin bonus 20",
            "The first upcard sets the knock limit. A discard taken to knock must be "
            "melded. Runs go round the corner. The defender's aces count 15. Gin +20. A spade "
            "upcard doubles the score.",
        ),
        ("All other rules", "As in Standard."),
    ]


def test_first_turn_of_a_solitaire_game_is_described_for_one_player():
    review = Review(ReviewRequest.read(["gin-solitaire"], "solitaire-gin"), None)
    rules = dict(verdicts.describe_rules(review))["Gin solitaire"]
    assert "On the first turn, the player has eleven cards and does not draw." in rules
    assert "first player" not in rules


def test_every_rule_can_be_described():
    for name in variants.variant_names():
        review = Review(ReviewRequest.read([name], None), None)
        for _, sentence in verdicts.describe_rules(review):
            assert sentence.endswith(".") and "{" not in sentence and sentence[0].isupper()
    for parameter in variants.load_rule_parameters().values():
        for choice in parameter.choices:
            if parameter.phrases:
                assert parameter.format_for_players(choice), (parameter.name, choice)


def test_immediate_knocker_uses_the_highest_knock_limit():
    usual_types = dict(ReviewRequest.read(["standard", "straight"]).kinds)
    sweep_types = dict(ReviewRequest.read(["standard"], sweep=["knock_limit=0,10,20"]).kinds)
    knocker = IMMEDIATE_KNOCKER
    assert usual_types.pop(knocker) == "simple" and sweep_types.pop(knocker) == "simple:k=20"
    assert usual_types == sweep_types


def test_sweep_has_every_value_of_one_or_two_parameters():
    one_parameter = ReviewRequest.read(["standard"], sweep=["undercut_bonus=0,25,10..12"])
    bonuses = ("0", "25", "10", "11", "12")
    assert (
        one_parameter.sweep == (("undercut_bonus", bonuses),) and one_parameter.base == "standard"
    )
    assert one_parameter.swept_variants[1] == "standard" and one_parameter.variants == tuple(
        one_parameter.swept_variants
    )
    two_parameters = ReviewRequest.read(
        ["standard"], sweep=["gin_bonus=0,20", "undercut_bonus=0,10"]
    )
    assert two_parameters.variants[0] == "standard" and len(two_parameters.variants) == 5
    assert two_parameters.swept_variants[1] == "standard+gin_bonus=0+undercut_bonus=10"


@pytest.mark.parametrize(
    ("win_rates", "expected"),
    [
        (
            (0.4, 0.51, 0.6, 0.7, 0.7),
            "With undercut bonus 25 to 40, playing for gin beats knocking immediately. With "
            "undercut bonus 0, playing for gin loses to knocking immediately. With undercut bonus "
            "10, the result of playing for gin against knocking immediately is inconclusive.",
        ),
        (
            (0.6, 0.51, 0.6, 0.7, 0.4),
            "With undercut bonus 0, 25 and 30, playing for gin beats knocking immediately. With "
            "undercut bonus 40, playing for gin loses to knocking immediately. With undercut bonus "
            "10, the result of playing for gin against knocking immediately is inconclusive.",
        ),
        (
            (0.6,) * 5,
            "With every undercut bonus tried, playing for gin beats knocking immediately.",
        ),
        (
            (0.51,) * 5,
            "With every undercut bonus tried, the result of playing for gin against knocking "
            "immediately is inconclusive.",
        ),
    ],
)
def test_sweep_reports_the_values_at_which_playing_for_gin_wins(win_rates, expected):
    request = ReviewRequest.read(["standard"], sweep=["undercut_bonus=0,10,25,30,40"])
    review = Review(request, None)
    keys = [(variant, GIN_VS_KNOCK_METRIC, GIN_PLAYER) for variant in request.swept_variants]
    measurements = dict(
        zip(keys, (make_estimate(win_rate, 0.02) for win_rate in win_rates), strict=True)
    )
    review.__dict__.update(measurements=measurements, scorecard_rows=())
    assert list(iterate_sweep_lines(review)) == [expected]


def test_sweep_of_two_parameters_groups_values_with_equal_results():
    sweep = ["gin_bonus=0,20,50", "undercut_bonus=0,10,25"]
    review = Review(ReviewRequest.read(["standard"], sweep=sweep), None)
    keys = [(variant, GIN_VS_KNOCK_METRIC, GIN_PLAYER) for variant in review.request.swept_variants]
    win_rates = (0.3, 0.6, 0.7, 0.3, 0.6, 0.7, 0.3, 0.4, 0.5)
    measurements = dict(
        zip(keys, (make_estimate(win_rate, 0.02) for win_rate in win_rates), strict=True)
    )
    review.__dict__.update(measurements=measurements, scorecard_rows=())
    assert list(iterate_sweep_lines(review)) == [
        "With gin bonus 0 and 20, playing for gin beats knocking immediately with undercut bonus "
        "10 and 25. With gin bonus 50, playing for gin never significantly beats knocking "
        "immediately."
    ]
    sweep = ["big_gin=no,yes", "layoff=yes,no"]
    review = Review(ReviewRequest.read(["standard"], sweep=sweep), None)
    for win_rates, sentences in (
        ((0.6, 0.4, 0.6, 0.4), "Without big gin and with big gin, playing for gin beats knocking "),
        ((0.6, 0.7, 0.6, 0.7), "With every combination tried, playing for gin beats knocking "),
    ):
        keys = [
            (variant, GIN_VS_KNOCK_METRIC, GIN_PLAYER) for variant in review.request.swept_variants
        ]
        measurements = {
            key: make_estimate(win_rate, 0.02)
            for key, win_rate in zip(keys, win_rates, strict=True)
        }
        review.__dict__.update(measurements=measurements, scorecard_rows=())
        (line,) = iterate_sweep_lines(review)
        assert line.startswith(sentences)


@pytest.mark.parametrize(
    ("first_value", "last_value", "half_width", "phrase"),
    [
        (90.0, 74.0, 1.0, "falls slightly, from 90 turns with undercut bonus 0 to 74 turns with "),
        (74.0, 110.0, 1.0, "rises sharply, from 74 turns with undercut bonus 0 to 110 turns with "),
        (
            74.0,
            75.0,
            1.0,
            "ranges from 70 to 75 turns, and hardly differs between undercut bonus 0 and undercut ",
        ),
        (
            74.0,
            82.0,
            1.0,
            "rises, from 74 turns with undercut bonus 0 to 82 turns with undercut bonus ",
        ),
        (
            74.0,
            82.0,
            9.0,
            "ranges from 70 to 82 turns, and does not differ significantly between undercut bonus ",
        ),
    ],
)
def test_sweep_states_the_trend_of_the_match_length(
    first_value, last_value, half_width, phrase, monkeypatch
):
    review = make_sweep_review([make_estimate(0.6)] * 5)
    first_variant, *_, middle_variant, last_variant = review.request.swept_variants
    values = {first_variant: first_value, middle_variant: 70.0, last_variant: last_value}
    turns = {variant: make_estimate(value, half_width) for variant, value in values.items()}
    missing = dict.fromkeys(review.request.swept_variants, "not measured")
    measurements = {
        (variant, "turns_per_match", STRONG_PLAYER): value
        for variant, value in (missing | turns).items()
    }
    review.measurements.update(measurements)
    review.__dict__.update(scorecard_rows=(scorecard.TURNS_ROW,))
    effect = Effect(turns[last_variant] - turns[first_variant], EFFECT_BOUNDS["turns_per_match"])
    monkeypatch.setattr(Review, "compute_effect", lambda *_: effect)
    line = next(iterate_sweep_lines(review))
    assert line.startswith(f"The length of a match {phrase}")
    is_trend = not phrase.startswith("ranges")
    assert ("The values of the sweep range from 70 to" in line) == is_trend


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ((0.1, 0.1, 0.1), "Skill matters much more with {} 40 than with {} 0."),
        ((-0.03, -0.1, -0.1), "Skill matters slightly less with {} 40 than with {} 0."),
        ((0.1, 0.0, 0.0), "Skill matters more against some opponents with {} 40 than with {} 0."),
        ((0.0, 0.0, 0.0), ""),
    ],
)
def test_sweep_states_significant_changes_of_skill(changes, sentence):
    review = make_sweep_review([make_estimate(0.6)] * 5)
    first_variant, *_, last_variant = review.request.swept_variants
    for player_type, change in zip(review.request.kinds, changes, strict=True):
        review.measurements[first_variant, SKILL_METRIC, player_type.name] = make_estimate(0.75)
        review.measurements[last_variant, SKILL_METRIC, player_type.name] = make_estimate(
            0.75 + change
        )
    *lines, _ = iterate_sweep_lines(review)
    assert lines == [sentence.replace("{}", "undercut bonus")] * bool(sentence)


def make_sweep_review(win_rates):
    """Return a review of a sweep with the given win rates of playing for gin."""
    request = ReviewRequest.read(["standard"], sweep=["undercut_bonus=0,10,25,30,40"])
    review = Review(request, None)
    keys = [(variant, GIN_VS_KNOCK_METRIC, GIN_PLAYER) for variant in request.swept_variants]
    review.__dict__.update(measurements=dict(zip(keys, win_rates, strict=True)), scorecard_rows=())
    return review


def test_plot_of_playing_for_gin_names_its_players():
    review = make_sweep_review([make_estimate(0.6)] * 5)
    strong = tuple((variant, "champion") for variant in review.request.variants)
    review.__dict__["request"] = replace(review.request, strong=strong)
    pairs = make_sweep_frame(review)[["strategy", "opponent"]].drop_duplicates()
    assert [*pairs.itertuples(index=False, name=None)] == [review.request.gin_and_knock_players]


def test_sweep_is_adjusted_for_multiple_comparisons():
    """Use five values, one with z = 2.15, which is not significant after Holm's correction."""
    half_width = 0.02
    review = make_sweep_review(
        [
            make_estimate(0.5 + half_width * 2.15 / 1.96, half_width),
            *(make_estimate(0.501, half_width),) * 4,
        ]
    )
    (line,) = iterate_sweep_lines(review)
    assert line.startswith("With every undercut bonus tried, the result of playing for gin ")


BEST_VALUES_SENTENCE = 'The table "Best gin bonus" in the report shows the best value for each aim.'


@pytest.mark.parametrize(
    ("matches", "line"),
    [
        (1_000, "The best values are not shown, because at least 2,000 matches are required."),
        (2_000, BEST_VALUES_SENTENCE),
        (20_000, BEST_VALUES_SENTENCE),
    ],
)
def test_best_values_require_2000_matches(matches, line):
    request = ReviewRequest.read(["standard"], sweep=["gin_bonus=0,20"], matches=matches)
    assert verdicts.describe_best_values(Review(request, None)) == line


def test_values_without_a_significant_difference_are_near_best():
    values = {"best": 0.2, "level": 0.22, "worse": 0.3, "better": 0.1}
    estimates = {name: make_estimate(value, 0.03) for name, value in values.items()}
    assert verdicts._list_near_best_variants(estimates, "best") == ["level", "better"]


@pytest.mark.parametrize(("n_batches", "expected"), [(4, "–"), (6, "30")])
def test_near_best_values_require_five_batches(n_batches, expected):
    review = make_sweep_review([make_estimate(0.5)] * 5)
    win_rates = (0.9, 0.9, 0.52, 0.53, 0.9)
    estimates = {}
    for index, (variant, win_rate) in enumerate(
        zip(review.request.swept_variants, win_rates, strict=True)
    ):
        influences = 0.005 * np.cos(np.arange(n_batches) + index)
        estimates[variant] = PairedEstimate(
            win_rate, 1_000, influences - influences.mean(), n_batches
        )
    best_variant = review.request.swept_variants[2]
    estimates[best_variant] = PairedEstimate(0.51, 1_000, 0 * influences, n_batches)
    assert verdicts._format_near_best_values(review, estimates, best_variant) == expected
