"""Tests of the parameter search: a planted optimum, ranges and paired gains."""

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
from support.planted_strategy import BEST_PARAMETER_VALUE, write_planted_strategy


def run_search(request):
    with ledger.open_ledger(None, request.identity) as run_ledger:
        return run_tune(request, run_ledger=run_ledger)


@pytest.fixture(scope="module")
def planted_search(tmp_path_factory):
    """Run a search that starts far from the best value."""
    file = write_planted_strategy(tmp_path_factory.mktemp("planted_search"), 4.0)
    sizes = {"generations": 6, "matches": 1000, "confirmation_matches": 2000, "seed": 5}
    return run_search(TuneRequest.read(str(file), "eaai", ["simple"], "p", **sizes))


def test_search_finds_the_planted_value(planted_search):
    (value,) = planted_search.tuned_values
    assert abs(value - BEST_PARAMETER_VALUE) < 2
    (comparison,) = planted_search.confirmation.comparisons
    assert comparison.gain.low > 0.1  # with 4, one discard in nine is a blunder
    assert planted_search.confirmation.head_to_head.gain.low > 0.1


def test_search_from_the_best_value_gains_nothing(planted_search):
    best_spec = f"{planted_search.request.strategy.spec}:p={BEST_PARAMETER_VALUE}"
    small_sizes = {"generations": 3, "matches": 1000, "confirmation_matches": 1000}
    request = TuneRequest.read(best_spec, "eaai", ["simple"], "p", **small_sizes)
    assert run_search(request).confirmation.objective_comparison.gain.low <= 0


@pytest.mark.parametrize(
    ("name", "units", "arrays"),
    [
        ("generation 1", 1000, {"objective": np.array(["x"] * 6), "gain": np.zeros(5)}),
        ("generation 2", 1000, {"objective": np.zeros(3), "gain": np.zeros(5)}),
        ("generation 3", 1000, {"objective": np.full(6, np.nan), "gain": np.zeros(5)}),
        ("finals after 6 generations", 5000, {"worths": np.zeros((2, 2))}),
    ],
)
def test_corrupt_ledger_step_is_reported(planted_search, tmp_path, name, units, arrays):
    request = planted_search.request
    with ledger.open_ledger(tmp_path / ledger.LEDGER_FILE, request.identity) as run_ledger:
        run_ledger.add_step_result(name, units, arrays)
        with pytest.raises(ledger.LedgerError, match=f"the ledger is corrupt .step .{name}"):
            run_tune(request, run_ledger=run_ledger)


def test_gain_is_the_paired_difference_of_the_two_runs():
    """Compare with simgin.stats.differences, which also corrects for unseen events."""
    request = TuneRequest.read("gold", "eaai", ["simple"], confirmation_matches=3000)
    strategies = [loader.find_strategy("gold-early"), loader.find_strategy("gold")]
    matchups = [
        matchup for strategy in strategies for matchup in request.make_matchups(strategy, 3)
    ]
    rows = runner.run_matchups(matchups, 3000)
    cells = [
        BatchRows(matchup.key, batch_rows)
        for matchup, batch_rows in zip(matchups, rows, strict=True)
    ]
    metric = metrics.METRICS_BY_NAME["match_win"]
    gain = found_by.to_estimate(
        estimate_metric_by_batch(rows[0], metric) - estimate_metric_by_batch(rows[1], metric)
    )
    (row,) = differences.compute_differences([tuple(cells)], ["match_win"]).itertuples()
    assert gain.value == pytest.approx(row.value)
    assert gain.se == pytest.approx(row.se, rel=0.01)
    won_index = metrics.METRICS_BY_NAME["match_win"].find_numerator_index()
    for cell in cells:
        win_rates = (
            batches.extract_statistic_sums(cell.rows, won_index)
            / batches.extract_denominator_sums(cell.rows, won_index)
            / 2
        )
        assert estimate_metric_by_batch(cell.rows, metric).value == pytest.approx(win_rates.mean())


def test_each_generation_plays_different_deals(planted_search, monkeypatch):
    """Check also that the Python function gives the result of the command."""
    seeds_by_call = []

    def record_matchups(matchups, *arguments):
        seeds_by_call.append({matchup.seed for matchup in matchups})
        return runner.run_matchups(matchups, *arguments)

    monkeypatch.setattr("simgin.learn.improvement.run_matchups", record_matchups)
    request = planted_search.request
    sizes = {"generations": 6, "matches": "1k", "confirmation_matches": "2k"}
    tuned = simgin.tune_strategy(request.strategy, "eaai", parameters="p", seed=5, **sizes)
    assert tuned.table.equals(planted_search.table) and tuned.history_frame.equals(
        planted_search.history_frame
    )
    assert [row.opponent for row in tuned.table.itertuples()] == ["simple", request.strategy.spec]
    assert simgin.plots.search_history(tuned.history_frame, seed=5).axes
    assert all(len(seeds) == 1 for seeds in seeds_by_call)
    *search_seeds, confirmation_seed = (seeds.pop() for seeds in seeds_by_call)
    assert len(search_seeds) == request.n_generations + 1  # and the final round
    assert len({confirmation_seed, *search_seeds}) == len(search_seeds) + 1
    assert confirmation_seed == request.seed


def test_pool_score_combines_the_scores_of_the_opponents():
    estimates = [PairedEstimate(value, 1000, np.array([value, -value]), 2) for value in (0.2, 0.6)]
    assert found_by.compute_pool_score(estimates, "matches").value == pytest.approx(0.4)
    assert found_by.compute_pool_score(estimates, "matches").influences == pytest.approx(
        [0.4, -0.4]
    )
    assert found_by.compute_pool_score(estimates, "worst").value == 0.2
    even = found_by.compute_even_score(1050, metrics.METRICS_BY_NAME["match_win"])
    assert even.value == 0.5 and len(even.influences) == 6 and even.effective_batches < 6
    assert found_by.compute_even_score(1050, metrics.METRICS_BY_NAME["margin"]).value == 0


TUNABLE_PARAMETERS = (
    TunableParameter("k", "k", ("knock",), Param(5, 0, 20, "", "integer"), 0, 20),
    TunableParameter("share", "share", ("take",), Param(0.3, 0.0, 1.0, "", "number"), 0.0, 1.0),
    TunableParameter(
        "wide", "wide", ("take",), Param(18.0, 0.0, 1000.0, "", "number"), 0.0, 1000.0
    ),
    TunableParameter("yes", "yes", ("take",), Param(1.0, 0, 1, "", "bool"), 0, 1),
)


@pytest.mark.parametrize(
    "parameters", [TUNABLE_PARAMETERS, TUNABLE_PARAMETERS[:1], TUNABLE_PARAMETERS[1:2]], ids=len
)
def test_sampled_candidates_are_valid_and_reproducible(parameters):
    """Check that values are in range, and integers if required."""
    rng = np.random.default_rng(1)
    distribution, repeated = (
        CandidateDistribution(parameters, 8, seed=3),
        CandidateDistribution(parameters, 8, seed=3),
    )
    state = np.random.get_state()[1].copy()
    for _ in range(15):
        candidates = distribution.sample_generation()
        assert np.array_equal(candidates, repeated.sample_generation())
        scores = rng.random(len(candidates))
        distribution.update(candidates, scores)
        repeated.update(candidates, scores)
        for candidate in candidates:
            for parameter, value in zip(
                parameters, distribution.to_parameter_values(candidate), strict=True
            ):
                assert parameter.low <= value <= parameter.high
                assert not parameter.is_integer or value == int(value)
                assert parameter.declaration.encode(parameter.format_value(value)) == value
    assert np.array_equal(np.random.get_state()[1], state)  # numpy's own generator is not used


# Tunable parameters of a strategy, and files of values


EAAI_VARIANT = variants.find_variant("eaai")


def read_parameters(spec, selection=None, variant=EAAI_VARIANT):
    return read_tunable_parameters(loader.find_strategy(spec), variant, selection)


def test_parameter_shared_by_slots_is_tuned_once():
    by_name = {parameter.name: parameter for parameter in read_parameters("mishra-uniform")}
    assert by_name["promise"].slots == ("take", "discard")
    assert by_name["tax"].slots == ("take",)
    values = group_values_by_slot([by_name["promise"]], [0.5])
    assert values == {"take": {"promise": "0.5"}, "discard": {"promise": "0.5"}}
    assert [parameter.name for parameter in read_parameters("dice-player")] == ["k"]
    dice_variant = variants.find_variant("dice")
    assert {parameter.name for parameter in read_parameters("dice-player", None, dice_variant)} == {
        "k",
        "edge",
        "caution",
    }


def test_equally_named_parameters_of_slots_are_separate():
    mixed = loader.find_strategy("solo-switch+knock=at")  # each has its own k
    parameters = read_parameters(mixed.spec)
    k_parameters = [parameter for parameter in parameters if parameter.name_in_policy == "k"]
    assert [parameter.name for parameter in k_parameters] == ["discard.k", "knock.k"]
    changed = loader.set_values_by_slot(mixed, group_values_by_slot(k_parameters, [4, 8]))
    reloaded = loader.find_strategy(changed.spec)
    assert reloaded.policies == changed.policies
    assert (reloaded.discard.params["k"].default, reloaded.knock.params["k"].default) == (4, 8)


@pytest.mark.parametrize(("selection", "low", "start"), [("k=2..9", 2, 5), (" k = 7..9 ", 7, 7)])
def test_range_of_a_parameter_can_be_narrowed(selection, low, start):
    (parameter,) = read_parameters("gold-early", selection)
    assert (
        parameter.low,
        parameter.high,
        parameter.initial_value,
        parameter.initial_deviation,
    ) == (low, 9, start, (9 - low) / 4)


# Files of values


def test_values_file_sets_the_parameters(tmp_path):
    file = tmp_path / "tuned.toml"
    file.write_text("# tuned\n[knock]\nk = 7\n")
    for spec, expected_spec in [
        ("gold-early", "gold-early:k=7"),
        ("simple+knock=at", "simple:k=7"),
        ("simple+take=never+knock=gold-early", "simple+take=never+knock=early:k=7"),
    ]:
        strategy = loader.find_strategy(f"{spec}@{file}")
        assert strategy.policies == loader.find_strategy(expected_spec).policies
        assert loader.find_strategy(strategy.spec).policies == strategy.policies


@pytest.mark.parametrize(("take", "discard"), [("0.8", "0.8"), ("0.6", "0.8"), ("0.6", "0.5")])
def test_spec_with_values_of_slots_can_be_reloaded(take, discard):
    strategy = loader.find_strategy("mishra-uniform")
    changed = loader.set_values_by_slot(
        strategy, {"take": {"promise": take}, "discard": {"promise": discard}}
    )
    reloaded = loader.find_strategy(changed.spec)
    assert reloaded.spec == changed.spec and reloaded.policies == changed.policies
    promises = [policy.params["promise"].default for policy in (reloaded.take, reloaded.discard)]
    assert promises == [float(take), float(discard)]


def test_values_file_round_trips(tmp_path):
    values = {"knock": {"k": "7", "tie": "random"}, "take": {"share": "0.25", "open": "yes"}}
    file = tmp_path / "values.toml"
    file.write_text(strategy_spec.format_values_toml(values))
    assert strategy_spec.read_values_file(file) == values
