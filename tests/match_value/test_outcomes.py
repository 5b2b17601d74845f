"""Compare outcome counts with a slow count of the same records, and test their cache."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest

from simgin.match_value import outcomes
from simgin.play.kernel import play_with_records
from simgin.play.matchup import parse_matchup
from support.variant_files import CLUB_VARIANT_TOML, write_variant_file

MATCHUP_NAMES = [
    ("gold", "simple", "standard"),
    ("gold", "gold", "race"),
    ("simple+stake=random", "gold+stake=random", "dice"),
    ("gold", None, "gin-solitaire"),
    ("gold", None, "solitary-gin"),
]
STANDARD_MATCHUP = parse_matchup("gold", "simple", "standard", 3, "deal")


def count_outcomes_from_records(a, b, variant):
    """Count the outcomes in the records of all deals."""
    matchup = parse_matchup(a, b, variant, 3, "deal")
    _, records = play_with_records(matchup, 0, matchup.count_units(10_000))
    counts = Counter()
    for row in records.tolist():
        deal = dict(zip(records.dtype.names, row, strict=True))
        assert deal["points_a"] == 0 or deal["points_b"] == 0
        points = max(deal["points_a"], deal["points_b"], key=abs)
        counts[deal["dealer"], deal["winner"], deal["kind"], points, max(deal["stake"], 0)] += 1
    return counts


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    """Use an empty cache directory."""
    monkeypatch.setattr(outcomes, "get_outcomes_directory", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(("a", "b", "variant"), MATCHUP_NAMES)
def test_counts_agree_with_the_records(a, b, variant, cache_folder):
    counted = outcomes.count_outcomes(parse_matchup(a, b, variant, 3, "deal"), 10_000)
    rows, totals = map(tuple, counted.rows.tolist()), counted.counts.sum(axis=0).tolist()
    assert dict(zip(rows, totals, strict=True)) == count_outcomes_from_records(a, b, variant)
    assert counted.n_deals == 10_000
    assert np.ptp(counted.counts.sum(axis=1)) <= 4  # groups of equal size, up to a pair of units
    for dealer in set(counted.column("dealer")):
        probabilities = counted.probabilities[:, counted.column("dealer") == dealer]
        assert probabilities.sum(axis=1) == pytest.approx(np.ones(21))


def test_counts_do_not_depend_on_threads_or_blocks(cache_folder, monkeypatch):
    first = outcomes._count_outcomes(STANDARD_MATCHUP, 30_000, 1, None)
    monkeypatch.setattr(outcomes, "UNITS_PER_ENGINE_CALL", 1000)
    second = outcomes._count_outcomes(STANDARD_MATCHUP, 30_000, 2, None)
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_error_of_a_probability_is_binomial():
    """Compare jackknife and binomial variances of the 100 commonest outcomes; tolerance 5 SE.

    Each is a chi-square of 19 over 19.
    """
    counted = outcomes.count_outcomes(parse_matchup("gold", "gold", "standard", 3, "deal"), 100_000)
    dealers = [counted.counts[:, counted.column("dealer") == side].sum(axis=1) for side in (0, 1)]
    assert np.array_equal(*dealers)  # in every group, each side deals equally often
    probability, *left_out = counted.probabilities[:, np.argsort(counted.counts.sum(axis=0))[-100:]]
    ratio = (
        outcomes.compute_jackknife_se(np.array(left_out)) ** 2
        * 50_000
        / (probability * (1 - probability))
    )
    assert abs(ratio.mean() - 1) < 0.165


def test_mirrored_deals_are_added():
    rows = np.array([[0, 1, 1, 30, 1], [1, 0, 1, 30, 1], [1, -1, 6, 0, 1]])
    mirrored = outcomes.Outcomes(rows, np.tile([[4, 3, 2]], (20, 1))).with_mirrored_deals()
    counts = dict(zip(map(tuple, mirrored.rows.tolist()), mirrored.counts[0].tolist(), strict=True))
    drawn_deals, won_deals = {(0, -1, 6, 0, 1): 2, (1, -1, 6, 0, 1): 2}, {(0, 1, 1, 30, 1): 7}
    assert counts == drawn_deals | won_deals | {(1, 0, 1, 30, 1): 7}


def test_outcomes_that_cannot_be_counted_are_rejected():
    with pytest.raises(outcomes.OutcomeError, match="Use at least 10,000"):
        outcomes.count_outcomes(STANDARD_MATCHUP, 9_999)
    long_match = parse_matchup("gold", "simple", "shot+points_target=300", 3, "deal")
    with pytest.raises(outcomes.OutcomeError, match="points_target = 300 is too high"):
        outcomes.count_outcomes_by_score(long_match, 10_000)


# Cache files


OWN_STRATEGY_CODE = (
    "import simgin.strategy as s\nS = s.Strategy('mine', knock=s.knock(lambda v, r, p: {}))\n"
)
CHANGED_SETTINGS = [("standard", 4), ("basic", 3), ("standard+knock_limit=9", 3)]


def test_each_setting_has_a_separate_cache_file():
    settings = ((10_000, "x"), (20_000, "x"), (10_000, "y"))
    identity, *other_identities = (
        outcomes.make_cache_identity(STANDARD_MATCHUP, *setting) for setting in settings
    )
    for b, (variant, seed) in itertools.product(("simple", "gold-early:k=7"), CHANGED_SETTINGS):
        matchup = parse_matchup("gold", b, variant, seed, "deal")
        other_identities.append(outcomes.make_cache_identity(matchup, 10_000, "x"))
    paths = {
        outcomes._get_cache_path(json.dumps(cache_identity))
        for cache_identity in (identity, *other_identities)
    }
    assert len(paths) == 1 + len(other_identities)


@pytest.mark.usefixtures("empty_directory")
def test_changed_user_file_has_a_separate_cache_file():
    paths = set()
    for bonus, knocks in (("30", True), ("40", True), ("30", False)):
        names = (
            write_variant_file(OWN_STRATEGY_CODE.format(knocks), "mine.py"),
            "gold",
            write_variant_file(CLUB_VARIANT_TOML.replace("30", bonus)),
        )
        identity = outcomes.make_cache_identity(parse_matchup(*names, 3, "deal"), 10_000, "x")
        paths.add(outcomes._get_cache_path(json.dumps(identity)))
    assert len(paths) == 3


def test_cached_counts_are_loaded(cache_folder, monkeypatch):
    first = outcomes.count_outcomes(STANDARD_MATCHUP, 10_000)
    monkeypatch.setattr(outcomes, "_count_outcomes", None)
    second = outcomes.count_outcomes(STANDARD_MATCHUP, 10_000)
    assert np.array_equal(first.rows, second.rows)
    assert np.array_equal(first.counts, second.counts)
    assert [path.suffix for path in cache_folder.iterdir()] == [".npz"], "nothing is left beside it"


def test_outcomes_are_computed_without_a_writable_cache(cache_folder, monkeypatch):
    def raise_disk_full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch_context:
        patch_context.setattr(outcomes.np, "savez_compressed", raise_disk_full)
        assert outcomes.load_or_compute_arrays({}, lambda: {"x": np.ones(1)})["x"] == 1
    monkeypatch.setattr(outcomes, "get_outcomes_directory", lambda: None)
    assert outcomes.load_or_compute_arrays({}, lambda: {"x": np.ones(1)})["x"] == 1
    assert list(cache_folder.iterdir()) == []
