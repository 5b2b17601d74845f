"""Tests of the parameter search: the planted optimum, its limits, and resuming."""

import numpy as np
import pytest

import simgin
from simgin.learn import improvement as found_by
from simgin.learn.cma_search import CandidateDistribution, run_tune
from simgin.learn.tune_request import (
    TunableParameter,
    TuneRequest,
    group_values_by_slot,
    read_tunable_parameters,
)
from simgin.rules import variants
from simgin.runs import ledger, runner
from simgin.stats import batches, differences, metrics
from simgin.stats.batches import BatchRows
from simgin.stats.paired_estimate import PairedEstimate, estimate_metric_by_batch
from simgin.strategy import Param, loader, strategy_spec
from support.planted_strategy import BEST, write_planted


def run_search(request):
    with ledger.open_ledger(None, request.identity) as run_ledger:
        return run_tune(request, run_ledger=run_ledger)


@pytest.fixture(scope="module")
def planted_search(tmp_path_factory):
    """Run a search that starts far from the best value."""
    file = write_planted(tmp_path_factory.mktemp("planted_search"), 4.0)
    sizes = {"generations": 6, "matches": 1000, "confirmation_matches": 2000, "seed": 5}
    return run_search(TuneRequest.read(str(file), "eaai", ["simple"], "p", **sizes))


def test_a_planted_number_is_found(planted_search):
    (value,) = planted_search.values
    assert abs(value - BEST) < 2
    (line,) = planted_search.confirmation.comparisons
    assert line.gain.low > 0.1  # with 4, one discard in nine is a blunder
    assert planted_search.confirmation.head_to_head.gain.low > 0.1


def test_at_the_best_number_nothing_is_gained(planted_search):
    best = f"{planted_search.request.strategy.spec}:p={BEST}"
    small = {"generations": 3, "matches": 1000, "confirmation_matches": 1000}
    request = TuneRequest.read(best, "eaai", ["simple"], "p", **small)
    assert run_search(request).confirmation.objective.gain.low <= 0


@pytest.mark.parametrize(
    ("name", "n", "arrays"),
    [
        ("generation 1", 1000, {"objective": np.array(["x"] * 6), "gain": np.zeros(5)}),
        ("generation 2", 1000, {"objective": np.zeros(3), "gain": np.zeros(5)}),
        ("generation 3", 1000, {"objective": np.full(6, np.nan), "gain": np.zeros(5)}),
        ("finals after 6 generations", 5000, {"worths": np.zeros((2, 2))}),
    ],
)
def test_a_directory_of_a_stranger_gets_a_sentence(planted_search, tmp_path, name, n, arrays):
    request = planted_search.request
    with ledger.open_ledger(tmp_path / ledger.LEDGER_FILE, request.identity) as run_ledger:
        run_ledger.add_pass_result(name, n, arrays)
        with pytest.raises(ledger.LedgerError, match=f"the ledger is corrupt .step .{name}"):
            run_tune(request, run_ledger=run_ledger)


def test_a_gain_is_the_paired_difference_of_the_two_runs():
    """The gain agrees with simgin.stats.differences, which also corrects for unseen events."""
    request = TuneRequest.read("gold", "eaai", ["simple"], confirmation_matches=3000)
    strategies = [loader.find_strategy("gold-early"), loader.find_strategy("gold")]
    matchups = [matchup for s in strategies for matchup in request.make_matchups(s, 3)]
    rows = runner.run_matchups(matchups, 3000)
    cells = [BatchRows(matchup.key, each) for matchup, each in zip(matchups, rows, strict=True)]
    metric = metrics.METRICS_BY_NAME["match_win"]
    gain = found_by.to_estimate(
        estimate_metric_by_batch(rows[0], metric) - estimate_metric_by_batch(rows[1], metric)
    )
    (row,) = differences.compute_differences([tuple(cells)], ["match_win"]).itertuples()
    assert gain.value == pytest.approx(row.value)
    assert gain.se == pytest.approx(row.se, rel=0.01)
    won = metrics.METRICS_BY_NAME["match_win"].find_fact_index()
    for cell in cells:
        shares = (
            batches.extract_fact_sums(cell.rows, won)
            / batches.extract_denominator_sums(cell.rows, won)
            / 2
        )
        assert estimate_metric_by_batch(cell.rows, metric).value == pytest.approx(shares.mean())


def test_the_api_finds_the_same_on_packs_of_each_generation(planted_search, monkeypatch):
    """The deals of each generation and of the confirmation are different."""
    played = []

    def record_matchups(matchups, *rest):
        played.append({matchup.seed for matchup in matchups})
        return runner.run_matchups(matchups, *rest)

    monkeypatch.setattr("simgin.learn.improvement.run_matchups", record_matchups)
    request = planted_search.request
    sizes = {"generations": 6, "matches": "1k", "confirmation_matches": "2k"}
    tuned = simgin.tune_strategy(request.strategy, "eaai", parameters="p", seed=5, **sizes)
    assert tuned.table.equals(planted_search.table) and tuned.history_frame.equals(
        planted_search.history_frame
    )
    assert [row.opponent for row in tuned.table.itertuples()] == ["simple", request.strategy.spec]
    assert simgin.plots.search_history(tuned.history_frame, seed=5).axes
    assert all(len(seeds) == 1 for seeds in played)
    *searched, confirmed = (seeds.pop() for seeds in played)
    assert len(searched) == request.generations + 1  # and the final round
    assert len({confirmed, *searched}) == len(searched) + 1
    assert confirmed == request.seed


def test_scores_of_a_pool_and_of_oneself():
    made = [PairedEstimate(value, 1000, np.array([value, -value]), 2) for value in (0.2, 0.6)]
    assert found_by.compute_pool_score(made, "matches").value == pytest.approx(0.4)
    assert found_by.compute_pool_score(made, "matches").influences == pytest.approx([0.4, -0.4])
    assert found_by.compute_pool_score(made, "worst").value == 0.2
    even = found_by.compute_even_score(1050, metrics.METRICS_BY_NAME["match_win"])
    assert even.value == 0.5 and len(even.influences) == 6 and even.effective_batches < 6
    assert found_by.compute_even_score(1050, metrics.METRICS_BY_NAME["margin"]).value == 0


PARAMETERS = (
    TunableParameter("k", "k", ("knock",), Param(5, 0, 20, "", "integer"), 0, 20),
    TunableParameter("share", "share", ("take",), Param(0.3, 0.0, 1.0, "", "number"), 0.0, 1.0),
    TunableParameter(
        "wide", "wide", ("take",), Param(18.0, 0.0, 1000.0, "", "number"), 0.0, 1000.0
    ),
    TunableParameter("yes", "yes", ("take",), Param(1.0, 0, 1, "", "bool"), 0, 1),
)


@pytest.mark.parametrize("knobs", [PARAMETERS, PARAMETERS[:1], PARAMETERS[1:2]], ids=len)
def test_what_is_drawn_can_be_played(knobs):
    """Sampled values are in range, integers if required, and reproducible from the seed."""
    lot = np.random.default_rng(1)
    draws, again = CandidateDistribution(knobs, 8, seed=3), CandidateDistribution(knobs, 8, seed=3)
    state = np.random.get_state()[1].copy()
    for _ in range(15):
        points = draws.sample_generation()
        assert np.array_equal(points, again.sample_generation())
        worths = lot.random(len(points))
        draws.update(points, worths)
        again.update(points, worths)
        for point in points:
            for knob, value in zip(knobs, draws.to_parameter_values(point), strict=True):
                assert knob.low <= value <= knob.high
                assert not knob.is_integer or value == int(value)
                assert knob.declaration.encode(knob.format_value(value)) == value
    assert np.array_equal(np.random.get_state()[1], state)  # numpy's own generator is not used


# Tunable parameters of a strategy, and files of values


EAAI = variants.find_variant("eaai")


def read_parameters(text, chosen=None, variant=EAAI):
    return read_tunable_parameters(loader.find_strategy(text), variant, chosen)


def test_numbers_that_slots_share_are_one_and_those_never_asked_are_left_alone():
    by_name = {knob.name: knob for knob in read_parameters("mishra-uniform")}
    assert by_name["promise"].slots == ("take", "discard")
    assert by_name["tax"].slots == ("take",)
    values = group_values_by_slot([by_name["promise"]], [0.5])
    assert values == {"take": {"promise": "0.5"}, "discard": {"promise": "0.5"}}
    assert [knob.name for knob in read_parameters("dice-player")] == ["k"]
    die = variants.find_variant("dice")
    assert {knob.name for knob in read_parameters("dice-player", None, die)} == {
        "k",
        "edge",
        "caution",
    }


def test_numbers_of_one_name_that_differ_are_apart():
    mixed = loader.find_strategy("solo-switch+knock=at")  # each has its own k
    found = read_parameters(mixed.spec)
    apart = [knob for knob in found if knob.key == "k"]
    assert [knob.name for knob in apart] == ["discard.k", "knock.k"]
    moved = loader.set_values_by_slot(mixed, group_values_by_slot(apart, [4, 8]))
    again = loader.find_strategy(moved.spec)
    assert again.policies == moved.policies
    assert (again.discard.params["k"].default, again.knock.params["k"].default) == (4, 8)


@pytest.mark.parametrize(("text", "low", "start"), [("k=2..9", 2, 5), (" k = 7..9 ", 7, 7)])
def test_limits_can_be_narrowed(text, low, start):
    (knob,) = read_parameters("gold-early", text)
    assert (knob.low, knob.high, knob.initial_value, knob.initial_deviation) == (
        low,
        9,
        start,
        (9 - low) / 4,
    )


# Files of values


def test_a_file_of_values_stands_for_what_it_says(tmp_path):
    file = tmp_path / "tuned.toml"
    file.write_text("# tuned\n[knock]\nk = 7\n")
    for text, full in [
        ("gold-early", "gold-early:k=7"),
        ("simple+knock=at", "simple:k=7"),
        ("simple+take=never+knock=gold-early:k=3", "simple+take=never+knock=early:k=7"),
    ]:
        found = loader.find_strategy(f"{text}@{file}")
        assert found.policies == loader.find_strategy(full).policies
        assert loader.find_strategy(found.spec).policies == found.policies


@pytest.mark.parametrize(("take", "discard"), [("0.8", "0.8"), ("0.6", "0.8"), ("0.6", "0.5")])
def test_values_of_slots_give_a_text_that_finds_them(take, discard):
    base = loader.find_strategy("mishra-uniform")
    found = loader.set_values_by_slot(
        base, {"take": {"promise": take}, "discard": {"promise": discard}}
    )
    again = loader.find_strategy(found.spec)
    assert again.spec == found.spec and again.policies == found.policies
    promises = [policy.params["promise"].default for policy in (again.take, again.discard)]
    assert promises == [float(take), float(discard)]


def test_values_are_read_as_they_were_written(tmp_path):
    values = {"knock": {"k": "7", "tie": "random"}, "take": {"share": "0.25", "open": "yes"}}
    file = tmp_path / "values.toml"
    file.write_text(strategy_spec.format_values_toml(values))
    assert strategy_spec.read_values_file(file) == values
