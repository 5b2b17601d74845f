"""Training of all decisions of `champion`: discards, knocks, takes and the opponent type.

At one decision of each training deal, every promising action is rolled out with the same hidden
cards (simgin.play.rollouts). The gain of an action, measured as the change of the match win
probability, is regressed on the features of the action. Features and gains are first centred per
decision, because the rollouts of a decision share their luck. Ridge penalties shrink the weights
towards the weights of the previous round. The result is the average over the last rounds.

Two sets of weights are trained: one against `simple`, which knocks immediately, and one against
players that wait for gin. Nine blends of the two sets are stored, and the probability that the
opponent knocks immediately selects a blend. A table contains this probability by the opponent's won
deals and by the length of the deal.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import (
    HAND_FEATURES,
    MATCH_VALUE,
    N_FEATURES,
    N_STAGES,
    STAGE_STARTS,
    add_giveaway_costs,
    find_context,
    write_hand_costs,
)
from simgin_strategies._champion_worlds import DEAL_VALUE

from simgin.core.deadwood import deadwood
from simgin.core.jit import compile_function
from simgin.match_value import match_value
from simgin.match_value.outcomes import OutcomeError
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import map_units
from simgin.play.rollouts import PairedRollouts, roll_out_deals
from simgin.rules.build import build_rules
from simgin.rules.parameters import int_param
from simgin.rules.variants import Variant
from simgin.strategy import (
    Policy,
    Strategy,
    by_value,
    compiler,
    discard,
    helper,
    knock,
    loader,
    take,
)
from simgin.strategy.cast import SELF, TRAINING
from simgin.toolkit import bernoulli, cards_in_melds, is_gin_or_better, lowers_deadwood
from simgin.toolkit.stack_arrays import float_stack_array, int_stack_array

MAX_DISCARDS = 5  # maximum number of discards rolled out per decision
ROLLOUT_BLOCK = 4000  # number of deals per call, whose views take 16 MB
# Number of matches per opponent from which initial scores are sampled
START_MATCHES, REFINE_MATCHES = 4000, 1000
WARM_UP_ROUNDS = 4  # number of rounds in the warm-up
AVERAGED_ROUNDS = 5  # number of last rounds to average
WARM_UP_DECAY, DECAY = 0.7, 0.95  # factors for the sums of previous rounds
RIDGE_PENALTY = 4000.0
# Penalties on the weights of the knock table
SMOOTHNESS_PENALTY, LEVEL_PENALTY, LINEAR_PENALTY = 60.0, 1.0, 500.0
REFINE_LEVEL_PENALTY = 10.0  # penalty on the cells of a trained table, in decisions
IMMEDIATE_KNOCK_PRIOR = 0.5  # probability that an unknown opponent knocks immediately
# Policies and their features are compiled together, so mypy sees them untyped.
# mypy: disable-error-code="no-untyped-def"


# Actions to roll out


@helper
def cheapest_discards(view, rules, params, max_discards):
    """Return up to `max_discards` discards with the lowest costs, as bits."""
    weights = player.get_current_weights(view, rules, params)
    cards, costs = int_stack_array(), float_stack_array()
    n = player.write_candidates(view.legal, view, rules, weights, cards, costs)
    discards: Any = np.int64(0)
    for _ in range(min(n, max_discards)):
        i = costs[:n].argmin()
        discards |= 1 << cards[i]
        costs[i] = player.MAX_COST
    return discards


@discard
def propose_discards(view, rules, params):
    """Return the MAX_DISCARDS discards with the lowest costs, as bits."""
    return cheapest_discards(view, rules, params, MAX_DISCARDS)


@knock
def propose_knock(view, rules, params):
    """Return the actions for knocking and continuing, unless the player has gin."""
    return 0 if is_gin_or_better(view) else 3


@knock(noise=True)
def knock_sometimes(view, rules, params):
    """Knock with probability 0.4, so that training also includes later opportunities to knock."""
    return is_gin_or_better(view) or bernoulli(0.4, view.noise)


@take
def propose_take(view, rules, params):
    """Return the actions for taking and declining a card, if taking lowers the deadwood."""
    return 3 if lowers_deadwood(view, rules) and view.legal & 3 == 3 else 0


# Features of actions


def write_discard_features(views, actions, rules, out):
    """Write the features of all discards to `out`, (n_decisions, n_actions, N_FEATURES)."""
    weights = np.zeros(N_FEATURES)
    cards, ranks, costs = int_stack_array(), int_stack_array(), float_stack_array()
    tens, loose, counts = int_stack_array(), int_stack_array(), int_stack_array()
    for i in range(len(views)):
        view = views[i]
        context = find_context(view)
        n = 0
        while n < actions.shape[1] and actions[i, n] >= 0:
            card = actions[i, n]
            ten = view.hand & ~(1 << card)
            cards[n], ranks[n], tens[n] = card, card % 13, ten
            loose[n], counts[n] = ten & ~cards_in_melds(ten, rules), deadwood(ten, rules)
            n += 1
        # If one weight is 1 and all other weights are 0, the cost equals the feature.
        for j in range(N_FEATURES):
            weights[j] = 1.0
            if j < len(HAND_FEATURES):
                write_hand_costs(n, tens, loose, counts, context, view, rules, weights, costs)
            else:
                costs[:] = 0
                add_giveaway_costs(n, cards, ranks, tens, loose, context, view, weights, costs)
            weights[j] = 0.0
            for k in range(n):
                out[i, k, j] = costs[k]


def write_take_features(views, rules, params, out):
    """Write the features of all offered cards to `out`, (n_decisions, N_TAKE_FEATURES)."""
    for i in range(len(views)):
        weights = player.get_current_weights(views[i], rules, params)
        x = player.describe_take(views[i], rules, weights)
        for j in range(player.N_TAKE_FEATURES):
            out[i, j] = x[j]


def write_knock_features(views, rules, out):
    """Write the features of all knocks to `out`, (n_decisions, N_KNOCK_FEATURES)."""
    for i in range(len(views)):
        x = player.describe_knock(views[i], rules)
        for j in range(player.N_KNOCK_FEATURES):
            out[i, j] = x[j]


@cache
def compile_writer(write_features: Callable[..., None]) -> Callable[..., None]:
    """Return a compiled feature writer, which remains cached until its source changes."""
    key = by_value.compute_fingerprint(write_features)
    writer: Callable[..., None] = compile_function(write_features, use_cache=bool(key), key=key)
    return writer


def deal_stages(views: np.ndarray) -> np.ndarray:
    """Return the stage of the deal at each decision (see `_champion.find_stage`)."""
    return np.searchsorted(STAGE_STARTS, views["own_turn"], side="right")


# Regression

StageSums = tuple[np.ndarray, np.ndarray]  # sums of squares and products, by stage of the deal
KNOCK_CELLS = player.KNOCK_TURNS * player.N_KNOCK_COUNTS
# Cells of the table, and linear features by stage
KNOCK_FEATURES = KNOCK_CELLS + N_STAGES * player.N_KNOCK_FEATURES


def sums_by_stage(stages: np.ndarray, x: np.ndarray, y: np.ndarray) -> StageSums:
    """Compute the least-squares sums of features and gains for each stage of the deal."""
    squares = np.zeros((N_STAGES, x.shape[1], x.shape[1]))
    products = np.zeros((N_STAGES, x.shape[1]))
    for s in range(N_STAGES):
        rows = x[stages == s]
        squares[s] = rows.T @ rows
        products[s] = rows.T @ y[stages == s]
    return squares, products


def knock_sums(views: np.ndarray, x: np.ndarray, y: np.ndarray, scale: np.ndarray) -> StageSums:
    """Compute the least-squares sums of knocks, for the knock table and for features by stage.

    Args:
        views: Views of the decisions, VIEW (n,).
        x: Features, (n, N_KNOCK_FEATURES).
        y: Gains of knocking, (n,).
        scale: Square root of the weight of each decision, (n,).
    """
    turn = np.minimum(views["own_turn"], player.KNOCK_TURNS) - 1
    knock_count = np.minimum(views["ending_count"], player.N_KNOCK_COUNTS - 1)
    row = np.arange(len(views))
    features = np.zeros((len(views), KNOCK_FEATURES))
    features[row, turn * player.N_KNOCK_COUNTS + knock_count] = 1
    first_column = KNOCK_CELLS + player.N_KNOCK_FEATURES * deal_stages(views)
    for j in range(player.N_KNOCK_FEATURES):
        features[row, first_column + j] = x[:, j]
    features *= scale[:, None]
    return features.T @ features, features.T @ (y * scale)


def fit_near_prior(
    sums: StageSums, prior: np.ndarray, common_penalty: float, stage_penalty: float
) -> np.ndarray:
    """Fit weights that deviate little from a prior, with a common change and one per stage.

    Args:
        sums: Least-squares sums by stage.
        prior: Weights, (n_stages, size).
        common_penalty: Ridge penalty of the common change.
        stage_penalty: Ridge penalty of the change per stage.

    Returns:
        Weights, (n_stages, size).
    """
    squares, products = sums
    eye = np.eye(len(prior[0]))
    residual = products - np.einsum("sij,sj->si", squares, prior)
    shift = np.linalg.solve(squares.sum(axis=0) + common_penalty * eye, residual.sum(axis=0))
    weights = prior + shift
    for s in range(N_STAGES):
        stage_residual = residual[s] - squares[s] @ shift
        weights[s] += np.linalg.solve(squares[s] + stage_penalty * eye, stage_residual)
    return weights


@cache
def knock_penalty(level: float) -> np.ndarray:
    """Return the quadratic penalty on differences of adjacent cells and on linear features."""
    cell = np.arange(KNOCK_CELLS).reshape(player.KNOCK_TURNS, player.N_KNOCK_COUNTS)
    out = np.diag(np.where(np.arange(KNOCK_FEATURES) < KNOCK_CELLS, level, LINEAR_PENALTY))
    for cells, next_cells in ((cell[1:], cell[:-1]), (cell[:, 1:], cell[:, :-1])):
        pull = np.zeros((cells.size, KNOCK_FEATURES))
        row = np.arange(cells.size)
        pull[row, cells.ravel()] = 1
        pull[row, next_cells.ravel()] = -1
        out += SMOOTHNESS_PENALTY * pull.T @ pull
    return out


def centered(values: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Subtract the mean of all actions at a decision from each action; missing actions become 0."""
    tried_values = np.where(tried, values, 0)
    mean = tried_values.sum(axis=1, keepdims=True) / tried.sum(axis=1, keepdims=True)
    result: np.ndarray = np.where(tried, tried_values - mean, 0)
    return result


# Equity of a deal in a variant, roughly on the scale of points. In matches to points, it is
# proportional to the probability of winning the match. In matches to won deals, it is proportional
# to the won deals. For other goals, or if the seats have unequal chances, equity is in points.


# Number of deals and seed for the win probability by score
VALUE_DEALS, VALUE_SEED = 2_000_000, 20261122

RolloutEquity = Callable[[PairedRollouts], np.ndarray]


def rollout_equity(variant: Variant, deals: int | None = None) -> RolloutEquity:
    """Return the function that computes A's equity from the records of rollouts.

    Args:
        variant: Rules.
        deals: Number of deals for the win probability by score (default: VALUE_DEALS).
    """
    goal = variant.params["goal"]
    if goal == "points":
        # Without match values, equity is in points.
        with suppress(match_value.ValueUnavailableError, OutcomeError):
            return match_equity(variant, deals)
    return deal_equity if goal == "deals" else point_equity


def match_equity(variant: Variant, deals: int | None = None) -> RolloutEquity:
    """Return a function that computes MATCH_VALUE times the match win probability."""
    target = int_param(variant.params, "points_target")
    win_by_score = win_table(variant.spec, target, deals)

    def equity(rollouts: PairedRollouts) -> np.ndarray:
        score_a = rollouts.scores[:, :1] + rollouts.records["points_a"]
        score_b = rollouts.scores[:, 1:2] + rollouts.records["points_b"]
        values: np.ndarray = (
            MATCH_VALUE * win_by_score[np.minimum(score_a, target), np.minimum(score_b, target)]
        )
        return values

    return equity


@cache
def win_table(variant: str, target: int, deals: int | None) -> np.ndarray:
    """Return the match win probabilities of gold against gold, for all scores up to the target."""
    values = np.full((target + 1, target + 1), np.nan)
    values[:target, :target] = win_probabilities(variant, target, deals).astype(np.float32)
    values[target, :target] = 1
    values[:target, target] = 0
    return values


def win_probabilities(variant: str, target: int, deals: int | None = None) -> np.ndarray:
    """Return the match win probabilities of gold against gold, for all scores below the target.

    The result is averaged over both dealers, so the table and its transpose add up to 1.
    """
    n = VALUE_DEALS if deals is None else deals
    v = match_value.compute_value(variant, "gold", "gold", deals=n, seed=VALUE_SEED)
    a, b = np.indices((target, target))
    probabilities: np.ndarray = (
        v.win_probability(a, b, dealer=0) + v.win_probability(a, b, dealer=1)
    ) / 2
    return probabilities


def deal_equity(rollouts: PairedRollouts) -> np.ndarray:
    """Return DEAL_VALUE times the stake for a won deal, and minus that value for a lost deal."""
    winner = rollouts.records["winner"]
    deal_results = (winner == 0).astype(float) - (winner == 1)
    equities: np.ndarray = DEAL_VALUE * deal_results * rollouts.records["stake"]
    return equities


def point_equity(rollouts: PairedRollouts) -> np.ndarray:
    """Return the equity of deals as points won minus points lost."""
    point_differences: np.ndarray = rollouts.records["points_a"] - rollouts.records["points_b"]
    return point_differences.astype(float)


# Training


class ChampionTrainer:
    """Trainer of one set of weights against a group of opponents."""

    def __init__(
        self,
        opponents: Sequence[Strategy | None],
        weights: np.ndarray,
        seed: int,
        variant: Variant,
        workers: int | None = None,
        *,
        is_trained: bool = False,
        is_weighted: bool = True,
        value_deals: int | None = None,
    ) -> None:
        """Initialise the trainer with the weights and the opponents.

        Args:
            opponents: Opponents. None is the player itself with its current weights.
            weights: Initial weights, (player.BLEND_SIZE,) float64.
            seed: Seed of the deals.
            variant: Rules of the training.
            workers: Number of worker threads.
            is_trained: True if the weights are already trained. The weights of knocks and takes
                are then also shrunk towards them, and fewer matches are played to sample scores.
            is_weighted: Whether decisions count with their sampling weights. Without them, long
                deals have too little weight, and the result is biased.
            value_deals: Deals for the win probability by score (see `rollout_equity`).
        """
        self.variant, self.rules = variant, build_rules(variant)
        self.opponents, self.seed, self.workers = opponents, seed, workers
        self.is_weighted = is_weighted
        self.value_deals = value_deals
        self.weights = weights.copy()
        # Weights toward which the knock and take weights are shrunk
        self.shrink_target = weights.copy() if is_trained else np.zeros(player.BLEND_SIZE)
        self.level_penalty, self.n_matches = (
            (REFINE_LEVEL_PENALTY, REFINE_MATCHES) if is_trained else (LEVEL_PENALTY, START_MATCHES)
        )
        self.next_unit, self.rounds = 0, 0
        self.seconds = 0.0  # CPU time of all rounds, in seconds
        # Proportion of matches won before each round
        self.win_rates = np.zeros((0, len(opponents)))
        # Weights after each of the last rounds
        self.last_weights = np.zeros((0, player.BLEND_SIZE))
        self.reset_sums()

    @cached_property
    def equity(self) -> RolloutEquity:
        """Function that computes the equity of rollouts in the variant."""
        return rollout_equity(self.variant, self.value_deals)

    def reset_sums(self) -> None:
        """Clear the least-squares sums, and make the current weights the prior."""
        self.prior = self.weights[: N_STAGES * N_FEATURES].reshape(N_STAGES, N_FEATURES).copy()
        self.sums = {
            name: (np.zeros((*stages, size, size)), np.zeros((*stages, size)))
            for name, stages, size in (
                ("discards", (N_STAGES,), N_FEATURES),
                ("takes", (N_STAGES,), player.N_TAKE_FEATURES),
                ("knocks", (), KNOCK_FEATURES),
            )
        }

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State of the training that determines all further rounds."""
        arrays = {"weights": self.weights, "prior": self.prior}
        arrays |= {
            "last": self.last_weights,
            "shares": self.win_rates,
            "next": np.array(self.next_unit),
        }
        arrays["seconds"] = np.array(self.seconds)
        for name, (squares, products) in self.sums.items():
            arrays |= {f"{name} squares": squares, f"{name} products": products}
        return arrays

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore the state of an interrupted training."""
        self.weights, self.prior = state["weights"].copy(), state["prior"]
        self.last_weights, self.win_rates = state["last"], state["shares"]
        self.next_unit, self.rounds = int(state["next"]), len(self.win_rates)
        self.seconds = float(state["seconds"])
        for name in self.sums:
            self.sums[name] = (state[f"{name} squares"], state[f"{name} products"])

    def matchup(self, opponent: Strategy | None, unit: Any) -> Matchup:
        """Return a matchup in which the player with the current weights meets an opponent."""
        self_strategy = champion_with_weights(single_set_weights(self.weights))
        return Matchup(self.variant, self_strategy, opponent or self_strategy, self.seed, unit)

    def add_rollouts(
        self,
        name: str,
        n: int,
        max_actions: int,
        propose: Policy,
        compute_sums: Callable[[PairedRollouts, np.ndarray], StageSums],
        explore: Policy | None = None,
    ) -> StageSums:
        """Roll out n deals against each opponent, and add them to the least-squares sums.

        Args:
            name: Key of the sums, which is "discards", "knocks" or "takes".
            n: Number of deals.
            max_actions: Maximum number of actions per decision.
            propose: Policy that proposes the actions as bits.
            compute_sums: Function that computes the sums from rollouts and their equity.
            explore: Policy that plays up to the decision.

        Returns:
            The sums, including the sums of previous rounds.
        """
        n //= len(self.opponents)

        def block_sums(opponent: Strategy | None, start_scores: np.ndarray) -> list[StageSums]:
            """Return the sums over n deals against an opponent, by block."""
            deals, start = self.matchup(opponent, "deal"), self.next_unit
            kernel.compile_matchup(deals)
            rng = np.random.default_rng([self.seed, start])
            sizes = [min(ROLLOUT_BLOCK, n - first) for first in range(0, n, ROLLOUT_BLOCK)]
            standings = [start_scores[rng.integers(len(start_scores), size=size)] for size in sizes]

            def branch(first: int, units: int) -> StageSums:
                block_scores = standings[first // ROLLOUT_BLOCK]
                rollouts = roll_out_deals(
                    deals, propose, start + first, units, max_actions, block_scores, explore
                )
                return compute_sums(rollouts, self.equity(rollouts))

            return map_units(branch, n, ROLLOUT_BLOCK, self.workers)

        for rival, scores in zip(self.opponents, self.start_scores, strict=True):
            for sums_of_block in block_sums(rival, scores):
                for total, new_sum in zip(self.sums[name], sums_of_block, strict=True):
                    total += new_sum
            self.next_unit += n
        return self.sums[name]

    def decision_scale(self, rollouts: PairedRollouts) -> np.ndarray:
        """Return the square roots of the decision weights, (n_decisions,).

        Weights are relative to their mean, so that ridge penalties keep their meaning.
        """
        if not self.is_weighted or not len(rollouts.views):
            return np.ones(len(rollouts.views))
        scale: np.ndarray = np.sqrt(
            rollouts.weights * (len(rollouts.views) / rollouts.weights.sum())
        )
        return scale

    def add_discards(self, n: int) -> StageSums:
        """Add discards to the least-squares sums, with values centred per decision."""

        def sums(rollouts: PairedRollouts, equity: np.ndarray) -> StageSums:
            x = np.zeros((*rollouts.actions.shape, N_FEATURES))
            compile_writer(write_discard_features)(rollouts.views, rollouts.actions, self.rules, x)
            x = centered(x, rollouts.is_tried[..., None])
            y = centered(equity, rollouts.is_tried)
            scale = self.decision_scale(rollouts)[:, None]
            return sums_by_stage(
                np.repeat(deal_stages(rollouts.views), MAX_DISCARDS),
                (x * scale[..., None]).reshape(-1, N_FEATURES),
                -(y * scale).ravel(),
            )

        return self.add_rollouts("discards", n, MAX_DISCARDS, propose_discards, sums)

    def fit_discards(self, n: int) -> None:
        """Fit the discard weights by a regression of equity on features."""
        sums = self.add_discards(n)
        weights = fit_near_prior(sums, self.prior, RIDGE_PENALTY, RIDGE_PENALTY)
        self.weights[: N_STAGES * N_FEATURES] = weights.ravel()

    def add_takes(self, n: int) -> StageSums:
        """Add take decisions to the least-squares sums."""
        params = single_set_weights(self.weights)

        def sums(rollouts: PairedRollouts, equity: np.ndarray) -> StageSums:
            x = np.zeros((len(rollouts.views), player.N_TAKE_FEATURES))
            compile_writer(write_take_features)(rollouts.views, self.rules, params, x)
            scale = self.decision_scale(rollouts)
            gain = (equity[:, 1] - equity[:, 0]) * scale
            return sums_by_stage(deal_stages(rollouts.views), x * scale[:, None], gain)

        return self.add_rollouts("takes", n, 2, propose_take, sums)

    def fit_takes(self, n: int) -> None:
        """Fit the take weights by a regression of the gain from taking on features."""
        sums = self.add_takes(n)
        base = self.shrink_target[player.TAKE_OFFSET :].reshape(N_STAGES, player.N_TAKE_FEATURES)
        weights = fit_near_prior(sums, base, 20.0, 400.0)
        self.weights[player.TAKE_OFFSET :] = weights.ravel()

    def add_knocks(self, n: int) -> StageSums:
        """Add knock decisions to the least-squares sums."""

        def sums(rollouts: PairedRollouts, equity: np.ndarray) -> StageSums:
            x = np.zeros((len(rollouts.views), player.N_KNOCK_FEATURES))
            compile_writer(write_knock_features)(rollouts.views, self.rules, x)
            gain = equity[:, 1] - equity[:, 0]
            return knock_sums(rollouts.views, x, gain, self.decision_scale(rollouts))

        return self.add_rollouts("knocks", n, 2, propose_knock, sums, knock_sometimes)

    def fit_knocks(self, n: int) -> None:
        """Fit the knock weights by a regression of the gain from knocking on cells and features."""
        squares, products = self.add_knocks(n)
        base = self.shrink_target[player.KNOCK_OFFSET : player.TAKE_OFFSET]
        residual = products - squares @ base
        weights = base + np.linalg.solve(squares + knock_penalty(self.level_penalty), residual)
        self.weights[player.KNOCK_OFFSET : player.TAKE_OFFSET] = weights

    def run_round(self, deals: int, decay: float | None = None) -> np.ndarray:
        """Train for one round, and return the win rates before the round by opponent.

        Args:
            deals: Number of deals to roll out for discards. Knocks and takes use half of these
                deals.
            decay: Factor for the sums of previous rounds, which by default depends on the round.
        """
        start_time = time.process_time()
        if self.rounds == WARM_UP_ROUNDS and decay is None:
            self.reset_sums()
        fading = (
            (WARM_UP_DECAY if self.rounds < WARM_UP_ROUNDS else DECAY) if decay is None else decay
        )
        for squares, products in self.sums.values():
            squares *= fading
            products *= fading
        records = self.sample_scores()
        new_win_rates = np.array([match_win_rate(played_deals) for played_deals in records])
        self.fit_discards(deals)
        self.fit_knocks(deals // 2)
        self.fit_takes(deals // 2)
        self.rounds += 1
        self.seconds += time.process_time() - start_time
        self.win_rates = np.concatenate([self.win_rates, [new_win_rates]])
        self.last_weights = np.concatenate([self.last_weights, [self.weights]])[-AVERAGED_ROUNDS:]
        return new_win_rates

    def sample_scores(self) -> list[np.ndarray]:
        """Play matches to sample the scores before deals; return the deal records by opponent."""
        records = [self.play_matches(rival, self.n_matches) for rival in self.opponents]
        # The fields are the same as in simgin.play.rollouts.
        score_fields = ("score_a", "score_b", "deals_a", "deals_b")
        self.start_scores = [
            np.stack([deals[name] for name in score_fields], 1) for deals in records
        ]
        return records

    @property
    def mean_weights(self) -> np.ndarray:
        """Mean of the weights over the last rounds, (player.BLEND_SIZE,) float64."""
        mean: np.ndarray = np.mean(self.last_weights, axis=0)
        return mean

    def play_matches(self, opponent: Strategy | None, matches: int) -> np.ndarray:
        """Play matches against an opponent, and return the records of all deals."""
        matchup = self.matchup(opponent, "match")
        kernel.compile_matchup(matchup)
        play = partial(_records, matchup)
        units = matchup.count_units(matches)
        return np.concatenate(map_units(play, units, max(1, units // 8), self.workers))


def _records(matchup: Matchup, first: int, units: int) -> np.ndarray:
    return kernel.play_with_records(matchup, first, units)[1]


def match_win_rate(records: np.ndarray) -> float:
    """Return the proportion of finished matches that strategy A has won."""
    return float((records["outcome"] == 0).sum() / (records["outcome"] >= 0).sum())


def training_opponents(group: str) -> list[Strategy | None]:
    """Return the training opponents of a group; None stands for the player itself."""
    return [
        None if name == SELF else loader.find_strategy(name)
        for name in TRAINING[group]["opponents"]
    ]


# Weights of the player


def champion_with_weights(weights: np.ndarray) -> Strategy:
    """Return the `champion` strategy with the given weights."""
    return loader.with_weights(loader.find_strategy("champion"), weights)


def single_set_weights(weights: np.ndarray) -> np.ndarray:
    """Return the complete weights of a player that uses one set of weights under all rules."""
    no_levels = np.zeros((player.N_WON, player.N_MEANS, player.N_TURNS))
    return tile_for_all_rules(blend_weights(weights, weights, no_levels))


def tile_for_all_rules(weights: np.ndarray) -> np.ndarray:
    """Repeat the weights of one rule group for each rule group of champion."""
    return np.tile(weights, player.N_WEIGHTS // player.RULES_SIZE)


def blend_weights(patient: np.ndarray, hasty: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return the weights of a rule group: nine blends of two sets and a selection table.

    Args:
        patient: Weights against players that wait for gin, (player.BLEND_SIZE,).
        hasty: Weights against players that knock immediately, (player.BLEND_SIZE,).
        probabilities: Probability that the opponent knocks immediately, by deals won, mean points
            of these deals, and own turn.

    Returns:
        Weights with the precision of the weights file.
    """
    max_level = player.N_BLENDS - 1
    blends = [patient + (hasty - patient) * (i / max_level) for i in range(player.N_BLENDS)]
    numbers = np.concatenate([*blends, np.rint(max_level * probabilities).ravel()])
    return numbers.astype(np.float32).astype(np.float64)


def opponent_distribution(records: np.ndarray) -> np.ndarray:
    """Return the smoothed distribution of B's mean points, by won deals, (N_WON, N_MEANS)."""
    n_won = np.minimum(records["deals_b"], player.N_WON - 1)
    mean = records["score_b"] // np.maximum(1, 3 * records["deals_b"])
    mean = np.where(n_won > 0, np.minimum(mean, player.N_MEANS - 1), 0)
    cells = np.zeros((player.N_WON, player.N_MEANS))
    np.add.at(cells, (n_won, mean), 1.0)
    smoothed_cells = cells.copy()
    smoothed_cells[1:, 1:] += 0.5 * cells[1:, :-1]
    smoothed_cells[1:, :-1] += 0.5 * cells[1:, 1:]
    smoothed_cells += 0.5
    shares: np.ndarray = smoothed_cells / smoothed_cells.sum(axis=1, keepdims=True)
    return shares


def compute_knock_probabilities(
    patient: np.ndarray,
    hasty: np.ndarray,
    seed: int,
    variant: Variant,
    workers: int | None = None,
    *,
    is_trained: bool = False,
) -> np.ndarray:
    """Return the table from which champion selects a blend of weights.

    The probability follows from Bayes' rule and the likelihood ratios.

    Args:
        patient: Weights against players that wait for gin, (player.BLEND_SIZE,).
        hasty: Weights against players that knock immediately, (player.BLEND_SIZE,).
        seed: Seed of the deals.
        variant: Rules of the matches.
        workers: Number of worker threads.
        is_trained: True if the weights are already trained. The set `patient` then also plays
            against itself.

    Returns:
        Probabilities by deals won, mean points of these deals, and own turn.
    """
    matches = 5 * (REFINE_MATCHES if is_trained else START_MATCHES)
    ratios, turns = likelihood_ratios(
        patient, hasty, seed, variant, matches, workers, includes_self=is_trained
    )
    odds = IMMEDIATE_KNOCK_PRIOR / (1 - IMMEDIATE_KNOCK_PRIOR) * ratios[:, :, None] * turns
    probabilities: np.ndarray = odds / (1 + odds)
    return probabilities


def likelihood_ratios(
    patient: np.ndarray,
    hasty: np.ndarray,
    seed: int,
    variant: Variant,
    matches: int,
    workers: int | None = None,
    *,
    includes_self: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Return likelihood ratios for the hypothesis that the opponent knocks immediately.

    The ratios are estimated from matches of the set `hasty` against players that knock immediately,
    and of the set `patient` against players that wait for gin.

    Args:
        patient: Weights against players that wait for gin, (player.BLEND_SIZE,).
        hasty: Weights against players that knock immediately, (player.BLEND_SIZE,).
        seed: Seed of the deals.
        variant: Rules of the matches.
        matches: Matches per opponent.
        workers: Number of worker threads.
        includes_self: Whether the set `patient` also plays against itself.

    Returns:
        Ratios by deals won and mean points of these deals, (player.N_WON, player.N_MEANS), and by
        own turn, (player.N_TURNS,).
    """
    samples = []
    for weights, group in zip((hasty, patient), TRAINING.values(), strict=True):
        rivals: list[Strategy | None] = [loader.find_strategy(name) for name in group["recognized"]]
        if includes_self and weights is patient:
            rivals.append(None)
        trainer = ChampionTrainer(rivals, weights, seed, variant, workers)
        deals = np.concatenate([trainer.play_matches(rival, matches) for rival in rivals])
        is_lasting = deals["turns"][:, None] >= 2 * np.arange(player.N_TURNS)
        samples.append((opponent_distribution(deals), is_lasting.mean(axis=0)))
    (cells, length), (other_cells, other_length) = samples
    ratios = cells / other_cells
    ratios[0] = 1
    return ratios, length / np.maximum(other_length, 1e-6)


def trained_variant(variant: Variant) -> str:
    """Return the variant in player.TRAINED_VARIANTS whose weights champion uses in a variant."""
    group = player.find_rules_offset(build_rules(variant)) // player.RULES_SIZE
    return str(player.TRAINED_VARIANTS[group])


def initial_champion_weights(variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """Return the `hasty` and the `patient` weights of champion under the rules of a variant."""
    policy = loader.find_strategy("champion").discard
    assert policy is not None, "champion has a discard policy"
    rules = build_rules(variant)
    offset = player.find_rules_offset(rules)
    numbers = compiler.make_parameter_vector(policy, rules)[
        offset : offset + player.OPPONENT_OFFSET
    ]
    blends = numbers.reshape(player.N_BLENDS, player.BLEND_SIZE)
    return blends[-1].copy(), blends[0].copy()
