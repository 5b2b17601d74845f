"""Tests of discard training: the regression, reproducibility, and a held-out gain."""

import numpy as np
import pytest

from simgin.learn import discard_weights
from simgin.learn.discard_weights import MAX_TRIED_DISCARDS, PRIOR_WEIGHT_IN_DECISIONS
from simgin.learn.tune_request import TuneError
from simgin.play.matchup import Matchup
from simgin.play.rollouts import roll_out_deals
from simgin.rules.build import build_rules
from simgin.runs import ledger
from simgin.strategy import compiler, loader
from support.weighted_strategy import WEIGHTED_STRATEGY_SOURCE, write_weighted_strategy

SHORT_TRAINING_SIZES = {"rounds": 2, "deals": 300, "confirmation_matches": 1000, "seed": 3}


@pytest.fixture(scope="module")
def strategy_file(tmp_path_factory):
    return write_weighted_strategy(tmp_path_factory.mktemp("weighed"))


def iter_training_rounds(request, ledger_path=None):
    """Yield the training rounds, which are stored in a ledger."""
    with ledger.open_ledger(ledger_path, request.identity) as run_ledger:
        yield from discard_weights.play_rounds(request, run_ledger)


# The regression


def fit_reference_weights(decisions, prior_weights, prior_decisions):
    """Fit weights by least squares with numpy, as a reference for `fit_weights`.

    There is a row for each discard and a prior row for each weight. `decisions` contains the weight
    and the discards of each decision.
    """
    rows, costs = [], []
    for repetitions, discards in decisions:  # (times, [(numbers, points), ...])
        mean_features = sum(features for features, _ in discards) / len(discards)
        mean_points = sum(points for _, points in discards) / len(discards)
        for features, points in discards * int(repetitions):
            rows.append(features - mean_features)
            costs.append(mean_points - points)
    for k in range(len(prior_weights)):
        prior_scale = np.sqrt(
            sum(row[k] ** 2 for row in rows[: len(costs)]) * prior_decisions / len(decisions)
        )
        row = np.zeros(len(prior_weights))
        row[k] = prior_scale if prior_scale > 1e-9 else 1.0
        rows.append(row)
    costs += [row[k] * prior_weights[k] for k, row in enumerate(rows[len(costs) :])]
    return np.linalg.lstsq(np.array(rows), np.array(costs), rcond=None)[0]


@pytest.mark.parametrize("seed", range(5))
def test_weights_agree_with_least_squares(seed):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(60, MAX_TRIED_DISCARDS, 4)) * [1, 10, 0.1, 1]
    features[:, :, 3] = rng.normal(size=(60, 1))  # the same for all discards of a decision
    points = rng.normal(size=(60, MAX_TRIED_DISCARDS)) * 20
    counts = rng.integers(2, MAX_TRIED_DISCARDS + 1, size=60)
    is_tried = np.arange(MAX_TRIED_DISCARDS) < counts[:, None]
    prior_weights = rng.normal(size=4)
    parts = (slice(0, 25), slice(25, 60))
    repetitions = rng.integers(1, 5, size=60)
    partial_sums = [
        discard_weights.compute_regression_sums(
            features[part], points[part], is_tried[part], repetitions[part]
        )
        for part in parts
    ]
    weights = discard_weights.fit_weights(
        discard_weights.add_regression_sums(partial_sums), prior_weights
    )
    columns = zip(repetitions, features, points, counts, strict=True)
    decisions = [
        (n_repetitions, list(zip(x[:n], y[:n], strict=True))) for n_repetitions, x, y, n in columns
    ]
    expected = fit_reference_weights(decisions, prior_weights, PRIOR_WEIGHT_IN_DECISIONS)
    assert np.allclose(weights, expected, atol=1e-9)
    assert weights[3] == prior_weights[3]


def test_sampled_sums_agree_with_single_discards(strategy_file):
    """Compute the expected sums discard by discard, in Python, from the same deals."""
    request = discard_weights.DiscardTrainingRequest.read(str(strategy_file), "eaai")
    weights = request.initial_weights + np.arange(8) / 10
    player = request.with_weights(weights)
    sampler = discard_weights.make_feature_sampler(player.discard)
    matchup = Matchup(
        request.match_request.variant, player, request.match_request.opponents[0], 9, "deal"
    )
    sums = sampler.sample(matchup, 100, 40)
    rollouts = roll_out_deals(matchup, sampler.select_discards, 100, 40, MAX_TRIED_DISCARDS)
    rules = build_rules(matchup.variant)
    describe = player.discard.describe
    decisions = []
    sampled_decisions = zip(
        rollouts.weights, rollouts.views, rollouts.actions, rollouts.records, strict=True
    )
    for repetitions, view, cards, records in sampled_decisions:
        costs = []
        for card in range(52):
            if view.legal >> card & 1:
                features = np.zeros(8)
                describe(view, rules, card, features)
                costs.append((float((features * weights).sum()), card, features))
        lowest_costs = sorted(costs, key=lambda item: item[:2])[:MAX_TRIED_DISCARDS]
        by_card = {card: features for _, card, features in lowest_costs}
        record_by_card = {
            card: item for card, item in zip(cards, records, strict=True) if card >= 0
        }
        assert list(record_by_card) == sorted(by_card)
        margins = {card: item.points_a - item.points_b for card, item in record_by_card.items()}
        decisions.append(
            (repetitions, [(by_card[card], margin) for card, margin in margins.items()])
        )
    assert sums.n_decisions == len(decisions) > 30
    fitted = discard_weights.fit_weights(sums, weights)
    assert np.allclose(fitted, fit_reference_weights(decisions, weights, PRIOR_WEIGHT_IN_DECISIONS))


# Training


def test_resumed_training_gives_the_same_weights(strategy_file, tmp_path):
    request = discard_weights.DiscardTrainingRequest.read(
        str(strategy_file), "eaai", ["simple", "gold-early"], **SHORT_TRAINING_SIZES
    )
    with ledger.open_ledger(None, request.identity) as run_ledger:
        complete = discard_weights.run_training(request, 1, run_ledger=run_ledger)
    ledger_path = tmp_path / ledger.LEDGER_FILE
    interrupted = iter_training_rounds(request, ledger_path)
    next(interrupted)
    interrupted.close()
    with ledger.open_ledger(ledger_path, request.identity) as run_ledger:
        resumed = discard_weights.run_training(request, 3, run_ledger=run_ledger)
    assert resumed.render_file("simgin train weighed.py") == complete.render_file(
        "simgin train weighed.py"
    )
    assert [training_round.gain for training_round in resumed.rounds] == [
        training_round.gain for training_round in complete.rounds
    ]


def test_training_beats_the_initial_weights(strategy_file):
    """Expect a gain of about 8 percentage points, with a standard error of about 0.9.

    Without any gain, the lower bound exceeds 0 in one of forty trainings, and 2
    points in fewer than one of ten thousand.
    """
    request = discard_weights.DiscardTrainingRequest.read(
        str(strategy_file), "eaai", rounds=3, deals=4000, confirmation_matches=4000, seed=2
    )
    with ledger.open_ledger(None, request.identity) as run_ledger:
        trained = discard_weights.run_training(request, run_ledger=run_ledger)
    confirmation = trained.confirmation
    assert confirmation.head_to_head.gain.low > 0.02
    assert confirmation.objective_comparison.gain.low > 0.02
    assert list(trained.parameters["number"]) == list(request.policy.start)


def test_strategy_uses_its_trained_weights(tmp_path, capfd):
    strategy_file = write_weighted_strategy(tmp_path)
    policy = loader.find_strategy(str(strategy_file)).discard
    assert list(compiler.make_parameter_vector(policy)) == [1, 0, 0, 0, 0, 0, 0, 0]
    assert "because weighed.npy does not exist" in capfd.readouterr().err
    untrained_digest = loader.compute_strategy_digest(loader.find_strategy(str(strategy_file)))
    request = discard_weights.DiscardTrainingRequest.read(
        str(strategy_file), "eaai", rounds=1, deals=200, confirmation_matches=1000
    )
    with ledger.open_ledger(None, request.identity) as run_ledger:
        trained = discard_weights.run_training(request, run_ledger=run_ledger)
    weights_file = tmp_path / "weighed.npy"
    weights_file.write_bytes(trained.render_file("simgin train weighed.py"))
    assert discard_weights.TrainingResult.wording.file_marker in weights_file.read_bytes()
    assert list(compiler.make_parameter_vector(policy)) == list(trained.weights)
    assert (
        loader.compute_strategy_digest(loader.find_strategy(str(strategy_file))) != untrained_digest
    )
    second_request = discard_weights.DiscardTrainingRequest.read(
        str(strategy_file), "eaai", rounds=1, deals=200, confirmation_matches=1000
    )
    assert second_request.identity == request.identity  # earlier weights are ignored
    np.save(weights_file, np.zeros(5))
    with pytest.raises(compiler.PolicyError, match=r"contains 5 weights, but `start` has 8"):
        compiler.make_parameter_vector(loader.find_strategy(str(strategy_file)).discard)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '    "breaks a meld": 0,\n',
            "",
            "computes features that have no initial weight: `start` has only 7 weights",
        ),
        ("@helper\ndef describe", "def describe", "Decorate `describe` with @helper"),
        (", start=START", "", "training requires a weights file"),
        ("start=START", "start={'a': 'b'}", "the initial weight of 'a' must be a number, not 'b'"),
        ("@discard(", "@knock(", "only discard policies can be trained"),
    ],
)
def test_untrainable_policy_is_rejected(tmp_path, old, new, message):
    assert old in WEIGHTED_STRATEGY_SOURCE
    code = WEIGHTED_STRATEGY_SOURCE.replace(old, new).replace(
        "import Strategy,", "import Strategy, knock,"
    )
    strategy_file = write_weighted_strategy(tmp_path, code)
    with pytest.raises((TuneError, loader.StrategyError), match=message):
        list(
            iter_training_rounds(
                discard_weights.DiscardTrainingRequest.read(
                    str(strategy_file), "eaai", rounds=1, deals=100, confirmation_matches=1000
                )
            )
        )
