"""Verdicts, effect sizes, goals and scorecards of constructed review results."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from simgin.review import review_report, scorecard, verdicts
from simgin.review.review import GIN_VS_KNOCK, SKILL, Effect, Review
from simgin.review.review_request import ReviewError, ReviewRequest
from simgin.review.scorecard import (
    LITTLE,
    MUCH,
    SAME,
    UNCLEAR,
    classify_effect_size,
    list_scorecard_rows,
    parse_goals,
)
from simgin.review.verdicts import iterate_sweep_lines
from simgin.rules import variants
from simgin.stats.paired_estimate import PairedEstimate
from simgin.strategy.cast import GIN_PLAYER, IMMEDIATE_KNOCKER, STRONG
from simgin.text.messages import join_words

KEYS = [row.key for row in list_scorecard_rows(variants.find_variant("standard").params, 8)]
BASE, OTHER = "standard", "straight"
BASES = {"turns_per_match": 80.0, "gin": 0.5, "knock_turn": 6.0, "seat": 0.51, "stalled": 0.0}
BOUNDS = {"turns_per_match": (8, 24), "gin": (0.05, 0.15), "seat": (0.01, 0.03)}


def make_estimate(value, half=0.0):
    return PairedEstimate.from_known_se(value, half / 1.959964, 20_000)


def make_review(
    changes=(),
    *,
    half=1e-6,
    everybody=(),
    skill=(0, 0, 0),
    waiting=0.0,
    gin=0.5,
    knocks=0.32,
    other=OTHER,
):
    """Return a review of a variant against `standard` with these effects for the strong player.

    Args:
        changes: Effects by scorecard row, as numbers or paired estimates.
        half: Half-width of every interval.
        everybody: Effects for the weaker player types, by scorecard row.
        skill: Effects on skill against the weaker player types.
        waiting: Effect on playing for gin against knocking immediately.
        gin: Proportion of gin in the variant.
        knocks: Proportion of deals with a knock in the variant, which is 0.32 in the baseline.
        other: The variant.
    """
    request = ReviewRequest((BASE, other), BASE, strong=((BASE, "champion"), (other, "champion")))
    made = Review(request, None)
    figures, found = {}, {}
    kinds = [kind.name for kind in request.kinds]
    for variant, kind, key in itertools.product((BASE, other), [*kinds, STRONG], KEYS):
        figures[variant, key, kind] = make_estimate(BASES.get(key, 1.0), half)
    figures[other, "gin", STRONG] = make_estimate(gin, half)
    for kind, key in itertools.product([*kinds, STRONG], KEYS):
        change = dict(changes).get(key, 0.0) if kind == STRONG else None
        if change is None:
            change = dict(everybody).get(key, dict(changes).get(key, 0.0))
        change = change if isinstance(change, PairedEstimate) else make_estimate(change, half)
        found[other, key, kind] = Effect(change, BOUNDS.get(key, (1, 3)))
    for kind, change in zip(kinds, skill, strict=True):
        for variant in (BASE, other):
            figures[variant, SKILL, kind] = make_estimate(0.75, half)
        found[other, SKILL, kind] = Effect(make_estimate(change, half), scorecard.SKILL_BOUNDS)
    for variant in (BASE, other):
        figures[variant, GIN_VS_KNOCK, GIN_PLAYER] = make_estimate(0.5, half)
    found[other, GIN_VS_KNOCK, GIN_PLAYER] = Effect(
        make_estimate(waiting, half), scorecard.SKILL_BOUNDS
    )
    knock_rates = {BASE: make_estimate(0.32, half), other: make_estimate(knocks, half)}
    made.__dict__.update(measurements=figures, effects=found, knock_rates=knock_rates)
    return made


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (-0.9, 0.9, SAME),
        (-1.1, 0.9, UNCLEAR),
        (0.5, 1.5, UNCLEAR),
        (-5.0, 5.0, UNCLEAR),
        (1.1, 2.9, LITTLE),
        (2.0, 5.0, LITTLE),  # at least a little, perhaps much: report the smaller effect
        (-2.9, -1.1, LITTLE),
        (3.1, 9.0, MUCH),
        (-9.0, -3.1, MUCH),
        (np.nan, np.nan, UNCLEAR),
    ],
)
def test_words_of_size_follow_the_whole_interval(low, high, word):
    difference = make_estimate((low + high) / 2, (high - low) / 2)
    assert classify_effect_size(difference, (1.0, 3.0)) == word


def test_an_evening_of_five_matches_shows_much_with_probability_five_sixths():
    rng = np.random.default_rng(7)
    base = rng.normal(80, 30, 20_000)
    row = scorecard.TWO_PLAYER_ROWS[0]
    known = PairedEstimate.from_known_se(base.mean(), base.std() / np.sqrt(len(base)), len(base))
    little, much = row.compute_effect_bounds(known, len(base))
    for shift, matches in ((much, 5), (little, 50)):
        means = rng.normal(80, 30, (40_000, 2, matches)).mean(axis=2)
        right = (means[:, 1] + shift > means[:, 0]).mean()
        assert right == pytest.approx(0.841, abs=0.008)  # four standard errors


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (make_review(half=0.0), "Every match had the same result as under the baseline."),
        (make_review(), "Players would not notice the difference, even in ten evenings."),
        (
            make_review(
                {"gin": 0.1, "turns_per_match": 12}, everybody={"turns_per_match": 12}, gin=0.6
            ),
            "Matches are slightly longer, and the gin rate rises from 50 to 60 %. Skill "
            "matters as much as under the baseline.",
        ),
        (
            make_review({"turns_per_match": -27}, skill=(0.1, 0.1, 0.1)),
            "Matches are a third shorter, and skill matters much more.",
        ),
        (
            make_review({"gin": 0.45}, gin=0.96, skill=(-0.03, -0.1, -0.04), waiting=-0.2),
            "Matches are as long as under the baseline, but nearly every deal ends in gin. Playing "
            "for gin is less profitable, and skill matters slightly less.",
        ),
        (
            make_review(skill=(0.05, -0.05, 0.0)),
            "Matches are as long as under the baseline, but skill matters more against some "
            "opponents and less against others.",
        ),
        (
            make_review({"turns_per_match": 0.0}, everybody={"turns_per_match": 30}),
            "Matches between strong players are as long as under the baseline, but some other "
            "matches are not. Skill matters as much as under the baseline.",
        ),
        (
            # Player types differ from each other, but none differs by a little from the baseline.
            make_review(
                {"seat": 0.02, "turns_per_match": 7.0}, everybody={"turns_per_match": -7.0}
            ),
            "Matches are as long as under the baseline, but the nondealer wins slightly more "
            "often. Skill matters as much as under the baseline.",
        ),
        (
            make_review(
                {"seat": 0.02, "turns_per_match": 0.0},
                everybody={"turns_per_match": make_estimate(9, 30)},
            ),
            "Matches between strong players are as long as under the baseline, but the nondealer "
            "wins slightly more often. Skill matters as much as under the baseline.",
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
            "Matches are as long as under the baseline, but the nondealer wins slightly more "
            "often. Skill matters slightly more.",
        ),
    ],
)
def test_a_verdict_follows_from_the_words_of_size(made, said):
    found = verdicts.compose_variant_verdict(made, OTHER)
    assert found == said


@pytest.mark.parametrize(
    ("knocks", "half", "change", "said"),
    [
        (0.2, 1e-6, -1.5, "in fewer deals (20 instead of 32 %) and slightly earlier"),
        (0.43, 1e-6, 10.0, "in more deals (43 instead of 32 %) and much later"),
        (0.3, 1e-6, -1.5, "slightly earlier"),  # less than 3 percentage points
        (0.28, 0.02, -1.5, "slightly earlier"),  # not significantly more than 3
    ],
)
def test_a_large_change_in_the_number_of_knocks_comes_before_their_turn(knocks, half, change, said):
    made = make_review({"knock_turn": make_estimate(change)}, knocks=knocks)
    made.knock_rates[OTHER] = make_estimate(knocks, half)
    assert f"but players knock {said}. " in verdicts.compose_variant_verdict(made, OTHER)


# Estimates of every size for each row; a little is from 1 and much from 3
SIZES = {"same": 0.0, "little": 1.5, "less": -1.5, "much": 10.0, "unclear": make_estimate(1.0, 9.0)}
GIN_SIZES = ((0.0, 0.5), (0.1, 0.6), (-0.1, 0.4), (0.3, 0.8), (-0.3, 0.2), (0.3, 0.96))
SKILL_SIZES = (
    *((0.0,) * 3, (0.03,) * 3, (-0.03,) * 3, (0.1,) * 3, (-0.1,) * 3, (0.1, 0.0, 0.0)),
    *((-0.1, 0.0, 0.0), (0.1, -0.1, 0.0), (make_estimate(0.02, 0.02).value,) * 3),
)
LENGTHS = ((0.0, 0.0), (0.0, 30.0), (12.0, 12.0), (-12.0, -12.0), (27.0, 27.0), (-70.0, -70.0))


@pytest.mark.parametrize("skill", SKILL_SIZES)
@pytest.mark.parametrize("length", LENGTHS)
def test_every_verdict_is_up_to_three_short_sentences(length, skill):
    """For all combinations of length, gin, playing for gin, other effects and skill."""
    strong, others = length
    for (change, gin), waiting, size in itertools.product(GIN_SIZES, (0, 0.2, -0.2), SIZES):
        changes = dict.fromkeys(KEYS, SIZES[size]) | {"turns_per_match": strong, "gin": change}
        everybody = {"turns_per_match": others}
        effects = {"everybody": everybody, "skill": skill, "waiting": waiting}
        made = make_review(changes, **effects, gin=gin, knocks=0.2)
        found = verdicts.compose_variant_verdict(made, OTHER)
        sentences = re.split(r"(?<=[a-z%])\. ", found.removesuffix("."))
        assert len(sentences) <= 3 and len(found.split()) <= 45 and found.endswith("."), found
        assert all(sentence[0].isupper() for sentence in sentences), found
        assert all(len(sentence.split()) <= 20 for sentence in sentences), found
        assert "  " not in found and "{" not in found, found


def test_player_types_that_differ_have_a_range_and_no_mean():
    made = make_review({"turns_per_match": 30.0}, everybody={"turns_per_match": -20.0})
    assert made.player_types_differ(OTHER, "turns_per_match") and not made.player_types_differ(
        OTHER, "gin"
    )
    (row,) = (
        review_report.build_scorecard_table(made)
        .frame.query("row == 'Turns per match'")
        .to_dict("records")
    )
    cell = row[OTHER]
    assert (cell.text, cell.verdict, cell.tone) == ("80", "▲ much longer", "much")
    assert cell.detail.endswith("range over player types: -20 to +30")
    (gin,) = (
        review_report.build_scorecard_table(made)
        .frame.query("row == 'Deals ending in gin'")
        .to_dict("records")
    )
    assert (gin[OTHER].verdict, gin[BASE].tone, "player type" in gin[OTHER].detail) == (
        SAME,
        "base",
        False,
    )


@pytest.mark.parametrize(
    ("value", "half", "words", "short"),
    [
        (0.05, 0.03, "at most a little more", "≤ a little"),
        (-0.05, 0.03, "at most a little less", "≤ a little"),
        (-0.02, 0.06, "at most a little less", "≤ a little"),
        (0.1, 0.08, "same to much more", "same to much"),
        (0.0, 0.06, UNCLEAR, UNCLEAR),
    ],
)
def test_an_unclear_cell_names_the_effect_sizes_in_its_interval(value, half, words, short):
    made = make_review({"gin": make_estimate(value, half)}, skill=(0.0, 0.0, 0.03))
    rows = review_report.build_scorecard_table(made).frame.set_index("row")[OTHER]
    gin = rows["Deals ending in gin"]
    assert (gin.verdict, gin.tone) == (words, "unclear")
    assert gin.abbreviate() == f"50 % {short}"
    sizes = made.differences.query("metric == 'gin' and players == 'strong'")["size"]
    assert [*sizes] == [words.removesuffix(" more").removesuffix(" less")]
    skill = rows["Skill: strong v weaker players"]
    assert (skill.text, skill.verdict, skill.tone) == (
        "75 to 75 %",
        "▲ more against some opponents",
        "depends",
    )
    assert skill.shorten() == "75–75 % (0 to +3) ▲ more\nv some opponents"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (1.62, "2.6 times as long"),  # 83 to 218 turns
        (2.5, "3.5 times as long"),
        (0.52, "1.5 times as long"),
        (0.46, "1.5 times as long"),
        (0.34, "a third longer"),
        (0.12, "a tenth longer"),
        (-0.12, "a tenth shorter"),
        (-0.3, "a third shorter"),
        (-0.35, "a third shorter"),
        (-0.5, "0.5 times as long"),
        (-0.76, "0.2 times as long"),
        (-0.93, "0.07 times as long"),
    ],
)
def test_a_length_is_reported_by_its_factor_from_one_and_a_half_on(change, words):
    assert verdicts.format_length_change(change) == words
    factor = 1 + change
    if "times" in words:
        assert float(words.split()[0]) == pytest.approx(factor, abs=0.05)


def make_shutout_review(own, base, half=0.002):
    """Return a review in which the strong player's shut-outs change from one value to another."""
    made = make_review({"shut_out": make_estimate(own - base, half)})
    row = next(row for row in made.rows if row.key == "shut_out")
    own, base = make_estimate(own, half), make_estimate(base, half)
    made.effects[OTHER, "shut_out", STRONG] = Effect(
        own - base, (0.08, 0.25), scorecard.is_tenfold(own, base, row)
    )
    return made


@pytest.mark.parametrize(
    ("base", "own", "words"),
    [
        (0.17, 0.01, "much less common"),
        (0.17, 0.05, "slightly less common"),
        (0.01, 0.15, "much more common"),
        (0.05, 0.17, "slightly more common"),
        (0.07, 0.001, ""),  # same, as far as an evening shows
    ],
)
def test_a_percentage_that_falls_to_a_tenth_or_grows_tenfold_is_not_slight(base, own, words):
    made = make_shutout_review(own, base)
    found = verdicts.compose_variant_verdict(made, OTHER)
    assert f"hut-outs are {words}" in found if words else "shut-outs" not in found
    cells = review_report.build_scorecard_table(made).frame.set_index("row")[OTHER]
    many = "much" if words and "slightly" not in words else "a little"
    assert (many in cells["Shut-outs"].verdict) == bool(words)


def test_a_tenth_needs_the_whole_interval():
    row = next(row for row in scorecard.TWO_PLAYER_ROWS if row.key == "shut_out")
    turns = scorecard.TURNS_ROW
    assert scorecard.is_tenfold(make_estimate(0.01, 0.004), make_estimate(0.17, 0.01), row)
    assert not scorecard.is_tenfold(make_estimate(0.015, 0.004), make_estimate(0.17, 0.01), row)
    assert not scorecard.is_tenfold(make_estimate(1.0), make_estimate(80.0), turns)


# Players who were not trained for the rules


def make_request(*players, base=BASE, **more):
    """Return a request with the strong players of its variants."""
    return ReviewRequest(tuple(v for v, _ in players), base, strong=players, **more)


def warning(request, command="simgin review straight -o out --seed 1"):
    return review_report._make_training_caveat(Review(request, None), command)


NEW_VARIANT = "standard+undercut_bonus=150"  # outside the training range of champion
TRAINED_PLAYER = "champion@standard-undercut-bonus-150-1234abcd.npy"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            make_request((BASE, "champion"), (NEW_VARIANT, "champion")),
            "champion was not trained for Undercut ",
        ),
        (
            make_request((NEW_VARIANT, "champion"), (BASE, "champion"), base=NEW_VARIANT),
            "champion was not trained for U",
        ),
        (
            make_request((BASE, "champion"), ("race", "champion")),
            "champion was not trained for Race.",
        ),
        (
            make_request((BASE, "champion"), ("race", "champion"), (OTHER, "mishra-uniform")),
            "champion and mishra-uniform were not trained for Race or Straight.",
        ),
        (
            make_request((BASE, "marjj-early"), (NEW_VARIANT, TRAINED_PLAYER)),
            "marjj-early was not trained for Standard.",
        ),
        (make_request((BASE, "champion"), ("tedesco", "champion")), None),
        (make_request((BASE, "champion"), (OTHER, "champion")), None),
        (make_request((BASE, "champion"), (NEW_VARIANT, TRAINED_PLAYER)), None),
        # Training gained nothing
        (make_request((BASE, "champion"), ("race", "champion"), adapt=True), None),
        (make_request((BASE, "gold"), (NEW_VARIANT, "gold"), given_strong="gold"), None),
        (make_request(("solitary-gin", "solo-champion"), base=None), None),
    ],
)
def test_a_review_names_rules_for_which_the_strong_player_was_not_trained(request_, words):
    found = warning(request_)
    if words is None:
        assert found is None
    else:
        assert found.sentence.startswith(f"Warning: {words}") and "rows marked † " in found.sentence


def test_the_notes_name_the_rules_for_which_training_did_not_improve_the_player():
    players = ((BASE, "champion"), ("race", "champion"), (NEW_VARIANT, TRAINED_PLAYER))
    for adapt, expected in (
        (True, ["Training did not find a stronger player under Standard and Race."]),
        (False, []),
    ):
        review = Review(make_request(*players, adapt=adapt), None)
        assert [*review_report._iterate_training_notes(review)] == expected


def test_the_rule_sets_of_a_sweep_are_named_or_counted():
    one = ReviewRequest.read(["standard"], sweep=["undercut_bonus=25,125,150"])
    two = ReviewRequest.read(
        ["standard"], sweep=["undercut_bonus=25,125,150,175", "gin_bonus=20,25"]
    )
    found = [
        warning(replace(one, strong=tuple((variant, "champion") for variant in one.variants)))
        for one in (one, two)
    ]
    assert "for undercut bonus 125 or 150. " in found[0].sentence
    assert "for 6 of these 8 rule sets. " in found[1].sentence


def test_the_suggested_command_trains_and_writes_to_a_separate_directory():
    request = make_request((BASE, "champion"), (NEW_VARIANT, "champion"))
    command = "simgin review straight --against standard -o 'my results/x/' --matches 2000"
    assert warning(request, command).command == (
        "simgin review straight --against standard -o 'my results/x-adapted' --matches 2000 --adapt"
    )


def test_the_rows_that_training_decides_are_marked_and_no_others():
    """Comebacks and matches between other players have no mark (decisions/0008-reviews.md)."""
    marked = review_report.build_scorecard_table(make_review(other=NEW_VARIANT)).frame["row"]
    steady = {"Comebacks", scorecard.GIN_VS_KNOCK_TITLE}
    assert {row for row in marked if not row.endswith("†")} == steady
    request = make_request((BASE, "champion"), (NEW_VARIANT, TRAINED_PLAYER))
    made = make_review(other=NEW_VARIANT)
    object.__setattr__(made, "request", request)
    assert not any(
        row.endswith("†") for row in review_report.build_scorecard_table(made).frame["row"]
    )


def test_frames_name_the_numbers_that_training_would_change():
    made = make_review({"gin": 0.1}, other=NEW_VARIANT)
    strong = {(NEW_VARIANT, "gin", STRONG), (NEW_VARIANT, "knock_turn", STRONG)}
    assert all(made.is_untrained(key) for key in strong)
    kind = IMMEDIATE_KNOCKER
    others = {(BASE, "gin", STRONG), (NEW_VARIANT, "comebacks", STRONG), (NEW_VARIANT, "gin", kind)}
    assert not any(made.is_untrained(key) for key in others)
    assert made.is_untrained((NEW_VARIANT, SKILL, kind))
    assert not made.is_untrained((NEW_VARIANT, GIN_VS_KNOCK, GIN_PLAYER))
    told = made.differences.set_index(["metric", "players"])["untrained"]
    assert told["gin", STRONG] and not told["gin", kind] and not told["comebacks", STRONG]


# Goals


def test_goals_are_met_missed_or_undecided_by_the_whole_interval():
    rows = list_scorecard_rows(variants.find_variant("standard").params, 8)
    texts = ["turns per match 100..140, gin 40..50 %", "dead hands < 5 %, minutes at least 10"]
    read = parse_goals(texts, rows)
    assert [(goal.row.key, goal.low, goal.high) for goal in read] == [
        ("turns_per_match", 100, 140),
        ("gin", 40, 50),
        ("dead", -np.inf, 5),
        ("minutes", 10, np.inf),
    ]
    turns, gin, *_ = read
    assert [turns.evaluate(make_estimate(x, 5)) for x in (120, 137, 150)] == [
        "met",
        "undecided",
        "missed",
    ]
    assert (
        gin.evaluate(make_estimate(0.45, 0.01)) == "met"
        and gin.evaluate("no number") == "undecided"
    )


RESULTS = (scorecard.MET, scorecard.MISSED, scorecard.UNDECIDED)
NAMES = ("Standard", "Straight", "Tedesco")


@pytest.mark.parametrize("n", [2, 3])
def test_a_recommendation_fits_every_combination_of_results(n):
    for cells in itertools.product(RESULTS, repeat=n * len(NAMES)):
        found = {name: cells[i * n : (i + 1) * n] for i, name in enumerate(NAMES)}
        by_goal = [{name: own[i] for name, own in found.items()} for i in range(n)]
        said = review_report.format_recommendation(by_goal, join_words)
        met = [name for name in NAMES if set(found[name]) == {scorecard.MET}]
        missed = [name for name in NAMES if scorecard.MISSED in found[name]]
        open_ = [name for name in NAMES if name not in (*met, *missed)]
        every = {2: "both goals", 3: "all 3 goals"}[n]
        first = f"{every} are met by {join_words(met)}" if met else f"meets {every}"
        assert first.lower() in said.lower() and said.startswith("No rule set ") == (not met)
        assert said.startswith("No rule set clearly") == bool(open_ and not met)
        assert (f"at least one is missed by {join_words(missed or NAMES)}" in said) == bool(
            missed and (met or open_)
        )
        assert ("more matches are needed for " in said) == bool(open_)
        if len(missed) == len(NAMES):
            fewest = min(found[name].count(scorecard.MISSED) for name in NAMES)
            near = [name for name in NAMES if found[name].count(scorecard.MISSED) == fewest]
            assert said.endswith(f", and the fewest are missed by {join_words(near)}.")
        assert len(said.split()) <= 25 and said[0].isupper() and said.endswith("."), said


def test_several_goals_begin_with_the_rule_sets_that_meet_all():
    made = make_review(gin=0.6)
    for variant, turns in ((BASE, 80.0), (OTHER, 100.0)):
        made.measurements[variant, "turns_per_match", STRONG] = make_estimate(turns, 1e-6)
    goals = ("turns per match 70..90", "gin 40..55 %")
    object.__setattr__(made, "request", replace(made.request, goals=goals))
    first, second, third, verdict = review_report._list_verdict_lines(made)
    assert first == "Both goals are met by Standard, and at least one is missed by Straight."
    assert second == (
        'The goal "turns per match 70..90" is met by Standard and missed by Straight.'
    )
    assert third.startswith('The goal "gin 40..55 %" is met by Standard and missed by')
    assert "strong players" not in verdict  # the goals replace gains and losses


# Minutes, and who gains and loses


@pytest.mark.parametrize(
    ("own", "base", "seconds", "words"),
    [
        (54, 83, 8, "4 minutes shorter (7 minutes instead of 11, at 8 s per turn)."),
        (70, 83, 8, "1.8 minutes shorter (9.3 minutes instead of 11.1, at 8 s per turn)."),
        (90, 75, 4, "1 minute longer (6 minutes instead of 5, at 4 s per turn)."),
        (83, 54, 7.5, "3.6 minutes longer (10.4 minutes instead of 6.8, at 7.5 s per turn)."),
        (54, 83, 0.01, ""),
    ],
)
def test_a_change_in_minutes_is_that_of_the_rounded_lengths(own, base, seconds, words):
    assert minutes_of(own, base, seconds) == (f"A match is about {words}" if words else "")


def minutes_of(own, base, seconds):
    made = make_review()
    for variant, turns in ((BASE, base), (OTHER, own)):
        made.measurements[variant, "turns_per_match", STRONG] = make_estimate(turns)
    object.__setattr__(made, "request", replace(made.request, seconds_per_turn=seconds))
    return verdicts.describe_minutes(made, OTHER, BASE)


def test_minutes_add_up_for_every_length():
    pattern = re.compile(
        r"A match is about ([\d.]+) minutes? (longer|shorter) "
        r"\(([\d.]+) minutes instead of ([\d.]+), at (8|30) s per turn\)\."
    )
    for own, base, seconds in itertools.product(range(20, 300, 7), range(20, 300, 9), (8, 30)):
        said = minutes_of(own, base, seconds)
        if abs(own - base) * seconds < 9:
            continue
        change, way, new, old = pattern.fullmatch(said).groups()[:4]
        sign = 1 if way == "longer" else -1
        assert sign * float(change) == pytest.approx(float(new) - float(old), abs=1e-9), said
        true = (own - base) * seconds / 60
        assert sign * float(change) == pytest.approx(true, abs=max(0.1, 0.1 * abs(true)) + 1e-9), (
            said
        )
        assert ("1 minute " in said) == (change == "1")


def test_gains_and_losses_name_the_player_types_for_every_combination():
    phrases = [
        "players who knock immediately",
        "players who knock only in early turns",
        "players who play for gin",
    ]
    for signs in itertools.product((1, 0, -1), repeat=3):
        said = verdicts.describe_winners_and_losers(
            make_review(skill=[0.05 * s for s in signs]), OTHER
        )
        sentences = []
        for sign, words in ((1, "win fewer matches"), (-1, "win more matches")):
            pairs = [*zip(phrases, signs, strict=True)]
            named = [name for name, own in reversed(pairs) if own == sign]  # strongest first
            if named:
                who = "all weaker player types" if len(named) == 3 else join_words(named)
                sentences.append(f"Against strong players, {who} {words} than under the baseline.")
        assert said == " ".join(sentences)


@pytest.mark.parametrize(
    ("strong", "others", "said"),
    [
        (0.0, 0.0, ""),
        (30.0, 30.0, ""),
        (
            0.0,
            30.0,
            "Matches are longer for players who play for gin, for players who knock only in early "
            "turns and for players who knock immediately.",
        ),
        (
            30.0,
            -30.0,
            "Matches are longer for strong players, but shorter for players who play for gin, "
            "for players who knock only in early turns and for players who knock immediately.",
        ),
        (50.0, 30.0, "Matches are longer for all player types."),
    ],
)
def test_lengths_that_differ_name_the_player_types(strong, others, said):
    made = make_review({"turns_per_match": strong}, everybody={"turns_per_match": others})
    assert verdicts.describe_winners_and_losers(made, OTHER) == said


def test_lengths_that_depend_on_the_turn_limit_have_a_warning():
    kind = IMMEDIATE_KNOCKER
    made = make_review(everybody={"turns_per_match": 30.0})
    assert not verdicts.list_stalled_warnings(made)
    rows = review_report.build_scorecard_table(made).frame["row"]
    assert not any(row.startswith("Stalled") for row in rows)
    made = make_review(everybody={"turns_per_match": 30.0})
    made.measurements[BASE, "stalled", kind] = make_estimate(0.08)
    made.measurements[OTHER, "stalled", kind] = make_estimate(0.0995)
    (note,) = verdicts.list_stalled_warnings(made)
    assert note.startswith(
        "Warning: simgin stops 8.0 to 10.0 % of deals between players who knock immediately at "
    )
    # The row shows the strong player's stalled deals, not those in the warning.
    assert "Stalled deals (strong player)" in {
        *review_report.build_scorecard_table(made).frame["row"]
    }
    assert verdicts.describe_winners_and_losers(made, OTHER).endswith(
        " The match length of players who knock immediately depends on the turn limit."
    )
    assert all(note in each.note for each in review_report._iterate_detail_tables(made))


def test_strategies_of_players_are_named_in_the_plural():
    made = make_review()
    effects = {(OTHER, SKILL, "gold"): Effect(make_estimate(0.1), scorecard.SKILL_BOUNDS)}
    made.__dict__.update(effects=effects)
    assert verdicts.describe_winners_and_losers(made, OTHER) == (
        "Against strong players, gold players win fewer matches than under the baseline."
    )


def test_a_cell_shows_the_difference_and_its_interval():
    made = make_review(
        {"turns_per_match": make_estimate(-27.0, 1.2), "gin": make_estimate(0.1, 0.02)},
        skill=(0.05, -0.04, 0.0),
        waiting=-0.2,
    )
    rows = review_report.build_scorecard_table(made).frame.set_index("row")[OTHER]
    turns, gin = rows["Turns per match"], rows["Deals ending in gin"]
    assert str(turns) == "80 (-27.0) ▼ much shorter" and turns.detail.startswith("-27.0 ± 1.2")
    assert str(gin) == "50 % (+10.0) ▲ a little more"
    assert gin.markdown == "50 %, ▲ a little more (+10.0 ± 2.0 percentage points)"
    assert rows["Skill: strong v weaker players"].change == "-4 to +5"
    assert rows["Playing for gin v knocking"].change == "-20.00"
    base = review_report.build_scorecard_table(made).frame.set_index("row")[BASE]
    assert not any(cell.change for cell in base)


# Rules in words, and requests


def test_rule_sets_that_equal_a_built_in_variant_have_its_name():
    typed = "oklahoma+spade_multiplier=2"
    made = Review(ReviewRequest.read([typed], "standard", note="In May."), None)
    assert verdicts.format_review_question(made) == "Oklahoma spades or Standard?"
    assert verdicts.list_review_notes(made) == [
        "In May.",
        f"{typed} has the same rules as oklahoma-spades.",
    ]
    assert dict(verdicts.describe_rules(made))["Oklahoma spades"].startswith("The first upcard")
    made = Review(ReviewRequest.read([typed], "oklahoma-spades"), None)
    assert (
        verdicts.format_review_question(made) == "Oklahoma, spade multiplier 2 or Oklahoma spades?"
    )
    sweep = Review(ReviewRequest.read(["standard"], sweep=["knock_limit=0,10"]), None)
    assert verdicts.format_rule_set_label(sweep, "standard+knock_limit=0") == "Knock limit 0"
    assert verdicts.list_review_notes(sweep) == []


@pytest.mark.parametrize("targets", ["150,250", "250,100,150", " 250, 150"])
def test_targets_are_a_sweep_that_includes_the_usual_target(targets):
    request = ReviewRequest.read(["standard"], targets=targets)
    assert request == ReviewRequest.read(["standard"], sweep=["points_target=100,150,250"])
    both = ReviewRequest.read(["pro+goal=points"], targets="50", sweep=["gin_bonus=20,25"])
    assert both.sweep[1] == ("points_target", ("50", "121"))


@pytest.mark.parametrize("variant", ["dice", "pro", "race", "hollywood", "solitary-gin"])
def test_targets_need_a_game_to_points(variant):
    with pytest.raises(ReviewError, match=f"the goal of {variant} is "):
        ReviewRequest.read([variant], targets="150")


def test_a_sweep_needs_two_values():
    with pytest.raises(ReviewError, match="at least two values"):
        ReviewRequest.read(["standard"], sweep=["gin_bonus=20"])
    with pytest.raises(variants.VariantError, match="points_target must be"):
        ReviewRequest.read(["standard"], targets="many")


def test_rules_are_described_by_what_differs():
    request = ReviewRequest.read(["oklahoma", "tedesco+gin_bonus=20"], "standard")
    made = Review(request, None)
    assert verdicts.format_review_question(made) == "Oklahoma or Tedesco, gin bonus 20?"
    assert verdicts.describe_rules(made) == [
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


def test_every_rule_set_can_be_described_and_every_value_has_words():
    for name in variants.variant_names():
        made = Review(ReviewRequest.read([name], None), None)
        for _, sentence in verdicts.describe_rules(made):
            assert sentence.endswith(".") and "{" not in sentence and sentence[0].isupper()
    for parameter in variants.load_rule_parameters().values():
        for choice in parameter.choices:
            if parameter.words:
                assert parameter.format_for_players(choice), (parameter.name, choice)


def test_the_immediate_knocker_uses_the_full_limit():
    usual = dict(ReviewRequest.read(["standard", "straight"]).kinds)
    wide = dict(ReviewRequest.read(["standard"], sweep=["knock_limit=0,10,20"]).kinds)
    at_once = IMMEDIATE_KNOCKER
    assert usual.pop(at_once) == "simple" and wide.pop(at_once) == "simple:k=20"
    assert usual == wide


def test_a_sweep_is_every_value_of_one_or_two_parameters():
    one = ReviewRequest.read(["standard"], sweep=["undercut_bonus=0,25,10..12"])
    bonuses = ("0", "25", "10", "11", "12")
    assert one.sweep == (("undercut_bonus", bonuses),) and one.base == "standard"
    assert one.swept_variants[1] == "standard" and one.variants == tuple(one.swept_variants)
    two = ReviewRequest.read(["standard"], sweep=["gin_bonus=0,20", "undercut_bonus=0,10"])
    assert two.variants[0] == "standard" and len(two.variants) == 5
    assert two.swept_variants[1] == "standard+gin_bonus=0+undercut_bonus=10"


@pytest.mark.parametrize(
    ("win_rates", "words"),
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
def test_a_sweep_reports_the_values_at_which_waiting_wins(win_rates, words):
    request = ReviewRequest.read(["standard"], sweep=["undercut_bonus=0,10,25,30,40"])
    made = Review(request, None)
    keys = [(variant, GIN_VS_KNOCK, GIN_PLAYER) for variant in request.swept_variants]
    known = dict(zip(keys, (make_estimate(share, 0.02) for share in win_rates), strict=True))
    made.__dict__.update(measurements=known, rows=())
    assert list(iterate_sweep_lines(made)) == [words]


def test_a_sweep_of_two_parameters_groups_values_with_the_same_result():
    sweep = ["gin_bonus=0,20,50", "undercut_bonus=0,10,25"]
    made = Review(ReviewRequest.read(["standard"], sweep=sweep), None)
    keys = [(variant, GIN_VS_KNOCK, GIN_PLAYER) for variant in made.request.swept_variants]
    shares = (0.3, 0.6, 0.7, 0.3, 0.6, 0.7, 0.3, 0.4, 0.5)
    known = dict(zip(keys, (make_estimate(share, 0.02) for share in shares), strict=True))
    made.__dict__.update(measurements=known, rows=())
    assert list(iterate_sweep_lines(made)) == [
        "For gin bonus 0 and 20, playing for gin beats knocking immediately with undercut bonus 10 "
        "and 25. For gin bonus 50, playing for gin never significantly beats knocking immediately."
    ]


@pytest.mark.parametrize(
    ("first", "last", "half", "words"),
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
def test_a_sweep_names_the_trend_of_a_row(first, last, half, words, monkeypatch):
    made = make_sweep([make_estimate(0.6)] * 5)
    low, *_, middle, high = made.request.swept_variants
    values = {low: first, middle: 70.0, high: last}
    turns = {variant: make_estimate(value, half) for variant, value in values.items()}
    missing = dict.fromkeys(made.request.swept_variants, "not measured")
    own = {(v, "turns_per_match", STRONG): value for v, value in (missing | turns).items()}
    made.measurements.update(own)
    made.__dict__.update(rows=(scorecard.TURNS_ROW,))
    effect = Effect(turns[high] - turns[low], BOUNDS["turns_per_match"])
    monkeypatch.setattr(Review, "compute_effect", lambda *_: effect)
    assert next(iterate_sweep_lines(made)).startswith(f"The length of a match {words}")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((0.1, 0.1, 0.1), "Skill matters much more with {} 40 than with {} 0."),
        ((-0.03, -0.1, -0.1), "Skill matters slightly less with {} 40 than with {} 0."),
        ((0.1, 0.0, 0.0), "Skill matters more against some opponents with {} 40 than with {} 0."),
        ((0.0, 0.0, 0.0), ""),
    ],
)
def test_a_sweep_names_significant_changes_of_skill(changes, words):
    made = make_sweep([make_estimate(0.6)] * 5)
    first, *_, last = made.request.swept_variants
    for kind, change in zip(made.request.kinds, changes, strict=True):
        made.measurements[first, SKILL, kind.name] = make_estimate(0.75)
        made.measurements[last, SKILL, kind.name] = make_estimate(0.75 + change)
    *lines, _ = iterate_sweep_lines(made)
    assert lines == [words.replace("{}", "undercut bonus")] * bool(words)


def make_sweep(win_rates):
    """Return a review of a sweep with these win rates of playing for gin."""
    request = ReviewRequest.read(["standard"], sweep=["undercut_bonus=0,10,25,30,40"])
    made = Review(request, None)
    keys = [(variant, GIN_VS_KNOCK, GIN_PLAYER) for variant in request.swept_variants]
    made.__dict__.update(measurements=dict(zip(keys, win_rates, strict=True)), rows=())
    return made


def test_a_sweep_of_five_calls_none_by_its_own_interval():
    """At one of five values z = 2.15, which is not significant after Holm's correction."""
    half = 0.02
    made = make_sweep(
        [make_estimate(0.5 + half * 2.15 / 1.96, half), *(make_estimate(0.501, half),) * 4]
    )
    (line,) = iterate_sweep_lines(made)
    assert line.startswith("With every undercut bonus tried, the result of playing for gin ")


BEST_VALUES_LINE = 'The table "Best gin bonus" in the report shows the best value for each aim.'


@pytest.mark.parametrize(
    ("matches", "line"),
    [
        (1_000, "The best values are not shown, because at least 2,000 matches are required."),
        (2_000, BEST_VALUES_LINE),
        (20_000, BEST_VALUES_LINE),
    ],
)
def test_best_values_require_2000_matches(matches, line):
    request = ReviewRequest.read(["standard"], sweep=["gin_bonus=0,20"], matches=matches)
    assert verdicts.describe_best_values(Review(request, None)) == line


def test_only_significantly_worse_values_are_clearly_worse():
    known = {"best": 0.2, "level": 0.22, "worse": 0.3, "better": 0.1}
    found = {name: make_estimate(value, 0.03) for name, value in known.items()}
    assert verdicts._list_variants_not_worse(found, "best") == ["level", "better"]


@pytest.mark.parametrize(("batches", "near"), [(4, "–"), (6, "30")])
def test_fewer_than_five_batches_are_too_few_for_not_clearly_worse(batches, near):
    """Two batches are too few to call values "not clearly worse"."""
    made = make_sweep([make_estimate(0.5)] * 5)
    wins = (0.9, 0.9, 0.52, 0.53, 0.9)
    known = {}
    for place, (variant, share) in enumerate(zip(made.request.swept_variants, wins, strict=True)):
        moves = 0.005 * np.cos(np.arange(batches) + place)
        known[variant] = PairedEstimate(share, 1_000, moves - moves.mean(), batches)
    chosen = made.request.swept_variants[2]
    known[chosen] = PairedEstimate(0.51, 1_000, 0 * moves, batches)
    assert verdicts._format_values_not_worse(made, known, chosen) == near
