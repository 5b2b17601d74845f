"""Compare counts of outcomes with a slow count of the same records; test their cache files."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest

from simgin.match_value import outcomes
from simgin.play.kernel import play_with_records
from simgin.play.matchup import parse_matchup
from support.variant_files import CLUB, write

PAIRS = [
    ("gold", "simple", "standard"),
    ("gold", "gold", "race"),
    ("simple+stake=random", "gold+stake=random", "dice"),
    ("gold", None, "gin-solitaire"),
    ("gold", None, "solitary-gin"),
]
STANDARD = parse_matchup("gold", "simple", "standard", 3, "deal")


def slow_count(a, b, variant):
    """Return outcomes and their frequencies, from the records of all units."""
    matchup = parse_matchup(a, b, variant, 3, "deal")
    _, records = play_with_records(matchup, 0, matchup.count_units(10_000))
    found = Counter()
    for row in records.tolist():
        deal = dict(zip(records.dtype.names, row, strict=True))
        assert deal["points_a"] == 0 or deal["points_b"] == 0
        points = max(deal["points_a"], deal["points_b"], key=abs)
        found[deal["dealer"], deal["winner"], deal["kind"], points, max(deal["stake"], 0)] += 1
    return found


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """Create an empty cache directory."""
    monkeypatch.setattr(outcomes, "get_outcomes_directory", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(("a", "b", "variant"), PAIRS)
def test_counts_agree_with_the_records(a, b, variant, empty_cache):
    counted = outcomes.count_outcomes(parse_matchup(a, b, variant, 3, "deal"), 10_000)
    rows, totals = map(tuple, counted.rows.tolist()), counted.counts.sum(axis=0).tolist()
    assert dict(zip(rows, totals, strict=True)) == slow_count(a, b, variant)
    assert counted.n_deals == 10_000
    assert np.ptp(counted.counts.sum(axis=1)) <= 4  # groups of equal size, up to a pair of units
    for dealer in set(counted.column("dealer")):
        of_dealer = counted.probabilities[:, counted.column("dealer") == dealer]
        assert of_dealer.sum(axis=1) == pytest.approx(np.ones(21))


def test_the_counts_do_not_depend_on_threads_or_calls(empty_cache, monkeypatch):
    first = outcomes._count_outcomes(STANDARD, 30_000, 1, None)
    monkeypatch.setattr(outcomes, "UNITS_PER_CALL", 1000)
    second = outcomes._count_outcomes(STANDARD, 30_000, 2, None)
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_the_error_of_a_share_is_binomial():
    """Over the 100 commonest outcomes the mean of se^2 n / p (1 - p) is 1 within five times .033.

    Each is a chi-square of 19 over 19.
    """
    counted = outcomes.count_outcomes(parse_matchup("gold", "gold", "standard", 3, "deal"), 100_000)
    dealers = [counted.counts[:, counted.column("dealer") == side].sum(axis=1) for side in (0, 1)]
    assert np.array_equal(*dealers)  # in every group, each side deals equally often
    share, *left_out = counted.probabilities[:, np.argsort(counted.counts.sum(axis=0))[-100:]]
    ratio = outcomes.compute_jackknife_se(np.array(left_out)) ** 2 * 50_000 / (share * (1 - share))
    assert abs(ratio.mean() - 1) < 0.165


def test_both_sides_count_every_deal():
    rows = np.array([[0, 1, 1, 30, 1], [1, 0, 1, 30, 1], [1, -1, 6, 0, 1]])
    seen = outcomes.Outcomes(rows, np.tile([[4, 3, 2]], (20, 1))).with_mirrored_deals()
    found = dict(zip(map(tuple, seen.rows.tolist()), seen.counts[0].tolist(), strict=True))
    void, won = {(0, -1, 6, 0, 1): 2, (1, -1, 6, 0, 1): 2}, {(0, 1, 1, 30, 1): 7}
    assert found == void | won | {(1, 0, 1, 30, 1): 7}


def test_outcomes_that_cannot_be_counted_are_rejected():
    with pytest.raises(outcomes.OutcomeError, match="Use at least 10,000"):
        outcomes.count_outcomes(STANDARD, 9_999)
    long = parse_matchup("gold", "simple", "shot+points_target=300", 3, "deal")
    with pytest.raises(outcomes.OutcomeError, match="points_target = 300 is too high"):
        outcomes.count_outcomes_by_score(long, 10_000)


# Cache files


OWN_STRATEGY_CODE = (
    "import simgin.strategy as s\nS = s.Strategy('mine', knock=s.knock(lambda v, r, p: {}))\n"
)
OTHER_SETTINGS = [("standard", 4), ("basic", 3), ("standard+knock_limit=9", 3)]


def test_other_settings_have_another_cache_file():
    settings = ((10_000, "x"), (20_000, "x"), (10_000, "y"))
    own, *others = (outcomes.make_cache_identity(STANDARD, *one) for one in settings)
    for b, (variant, seed) in itertools.product(("simple", "gold-early:k=7"), OTHER_SETTINGS):
        matchup = parse_matchup("gold", b, variant, seed, "deal")
        others.append(outcomes.make_cache_identity(matchup, 10_000, "x"))
    places = {outcomes._get_cache_path(json.dumps(about)) for about in (own, *others)}
    assert len(places) == 1 + len(others)


@pytest.mark.usefixtures("empty_directory")
def test_a_file_that_changes_under_its_name_has_another_cache_file():
    places = set()
    for bonus, answer in (("30", True), ("40", True), ("30", False)):
        names = (
            write(OWN_STRATEGY_CODE.format(answer), "mine.py"),
            "gold",
            write(CLUB.replace("30", bonus)),
        )
        about = outcomes.make_cache_identity(parse_matchup(*names, 3, "deal"), 10_000, "x")
        places.add(outcomes._get_cache_path(json.dumps(about)))
    assert len(places) == 3


def test_cached_counts_are_not_played_again(empty_cache, monkeypatch):
    first = outcomes.count_outcomes(STANDARD, 10_000)
    monkeypatch.setattr(outcomes, "_count_outcomes", None)
    second = outcomes.count_outcomes(STANDARD, 10_000)
    assert np.array_equal(first.rows, second.rows)
    assert np.array_equal(first.counts, second.counts)
    assert [path.suffix for path in empty_cache.iterdir()] == [".npz"], "nothing is left beside it"


def test_nothing_is_cached_without_a_writable_directory(empty_cache, monkeypatch):
    def fail_as_full_disk(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(outcomes.np, "savez_compressed", fail_as_full_disk)
        assert outcomes.load_or_compute({}, lambda: {"x": np.ones(1)})["x"] == 1
    monkeypatch.setattr(outcomes, "get_outcomes_directory", lambda: None)
    assert outcomes.load_or_compute({}, lambda: {"x": np.ones(1)})["x"] == 1
    assert list(empty_cache.iterdir()) == []
