"""Training of `champion`: its discards, knocks and takes, and its estimate of the opponent type.

At one decision of each training deal, every promising action is rolled out with the same hidden
cards (simgin.play.rollouts). The gain of an action is the change in match win probability. It is
regressed on the features of the action. Before the regression, features and gains are centred per
decision, because luck affects all rollouts of a decision in the same way. Ridge penalties shrink
the weights towards the weights of the previous round. The result is the average of the weights
after the final rounds.

Two sets of weights are trained: one against `simple`, which knocks immediately, and one against
players that wait for gin. Nine blends of the two sets are stored. The probability that the opponent
knocks immediately selects a blend. This probability is looked up in a table by the number of deals
that the opponent has won, the mean points of these deals, and the length of the current deal.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from typing import Any, TypeVar

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import (
    HAND_FEATURES,
    MATCH_VALUE_IN_POINTS,
    N_FEATURES,
    N_STAGES,
    STAGE_START_TURNS,
    add_opponent_help_costs,
    find_opponent_signals,
    write_hand_costs,
)
from simgin_strategies._champion_worlds import WON_DEAL_VALUE

from simgin.core.deadwood import deadwood
from simgin.core.jit import compile_function
from simgin.match_value import match_value
from simgin.match_value.outcomes import OutcomeError
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import map_units
from simgin.play.rollouts import PairedRollouts, roll_out_deals
from simgin.rules.build import build_rules
from simgin.rules.parameters import get_int_param
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
from simgin.strategy.cast import SELF_PLAY_OPPONENT, TRAINING_SETTINGS
from simgin.toolkit import bernoulli, cards_in_melds, is_gin_or_better, lowers_deadwood
from simgin.toolkit.stack_arrays import float_stack_array, int_stack_array

MAX_TRIED_DISCARDS = 5  # maximum number of discards that are rolled out per decision
ROLLOUT_DEALS_PER_CALL = 4000  # number of deals per call (their views use 16 MB)
# number of matches per opponent from which the initial scores of deals are sampled
INITIAL_MATCHES, REFINEMENT_MATCHES = 4000, 1000
WARM_UP_ROUNDS = 4
AVERAGED_ROUNDS = 5  # number of final rounds whose weights are averaged
# factors by which sums of previous rounds are multiplied
WARM_UP_SUMS_DECAY, SUMS_DECAY = 0.7, 0.95
RIDGE_PENALTY = 4000.0
# penalties on the weights of the knock table
KNOCK_SMOOTHNESS_PENALTY, KNOCK_LEVEL_PENALTY, KNOCK_LINEAR_PENALTY = 60.0, 1.0, 500.0
# penalty on changes of the cells of a trained table, as a number of decisions
KNOCK_REFINEMENT_PENALTY = 10.0
# Policies and their features are compiled together, so they have no types for mypy.
# mypy: disable-error-code="no-untyped-def"


# Actions to roll out


@helper
def select_cheapest_discards(view, rules, params, max_discards):
    """Return a mask of up to `max_discards` discards with the lowest costs."""
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
    """Return a mask of the MAX_TRIED_DISCARDS discards with the lowest costs."""
    return select_cheapest_discards(view, rules, params, MAX_TRIED_DISCARDS)


@knock
def propose_knock(view, rules, params):
    """Propose both knocking and continuing, as bits, or nothing (0) if the player has gin."""
    return 0 if is_gin_or_better(view) else 3


@knock(noise=True)
def knock_sometimes(view, rules, params):
    """Knock with probability 0.4, so that training also includes later opportunities to knock."""
    return is_gin_or_better(view) or bernoulli(0.4, view.noise)


@take
def propose_take(view, rules, params):
    """Propose both taking and declining the card, as bits, if taking lowers the deadwood."""
    return 3 if lowers_deadwood(view, rules) and view.legal & 3 == 3 else 0


# Features of actions


def write_discard_features(views, actions, rules, features):
    """Write the features of all discards to an array (n_decisions, n_actions, N_FEATURES)."""
    weights = np.zeros(N_FEATURES)
    cards, ranks, costs = int_stack_array(), int_stack_array(), float_stack_array()
    ten_card_hands = int_stack_array()
    unmatched_cards = int_stack_array()
    counts = int_stack_array()
    for i in range(len(views)):
        view = views[i]
        context = find_opponent_signals(view)
        n = 0
        while n < actions.shape[1] and actions[i, n] >= 0:
            card = actions[i, n]
            ten_card_hand = view.hand & ~(1 << card)
            cards[n], ranks[n], ten_card_hands[n] = card, card % 13, ten_card_hand
            unmatched_cards[n], counts[n] = (
                ten_card_hand & ~cards_in_melds(ten_card_hand, rules),
                deadwood(ten_card_hand, rules),
            )
            n += 1
        # If one weight is 1 and all other weights are 0, the cost equals the corresponding feature.
        for j in range(N_FEATURES):
            weights[j] = 1.0
            if j < len(HAND_FEATURES):
                write_hand_costs(
                    n, ten_card_hands, unmatched_cards, counts, context, view, rules, weights, costs
                )
            else:
                costs[:] = 0
                add_opponent_help_costs(
                    n, cards, ranks, ten_card_hands, unmatched_cards, context, view, weights, costs
                )
            weights[j] = 0.0
            for k in range(n):
                features[i, k, j] = costs[k]


def write_take_features(views, rules, params, features):
    """Write the features of all offered cards to an array (n_decisions, N_TAKE_FEATURES)."""
    for i in range(len(views)):
        weights = player.get_current_weights(views[i], rules, params)
        x = player.compute_take_features(views[i], rules, weights)
        for j in range(player.N_TAKE_FEATURES):
            features[i, j] = x[j]


def write_knock_features(views, rules, features):
    """Write the features of all knocks to an array (n_decisions, N_KNOCK_FEATURES)."""
    for i in range(len(views)):
        x = player.compute_knock_features(views[i], rules)
        for j in range(player.N_KNOCK_FEATURES):
            features[i, j] = x[j]


@cache
def compile_feature_writer(write_features: Callable[..., None]) -> Callable[..., None]:
    """Return a compiled feature writer, which is cached until its source code changes."""
    key = by_value.compute_fingerprint(write_features)
    writer: Callable[..., None] = compile_function(
        write_features, use_cache=bool(key), policy_digest=key
    )
    return writer


def find_deal_stages(views: np.ndarray) -> np.ndarray:
    """Return the stage of the deal, which depends on the turn, at each decision."""
    return np.searchsorted(STAGE_START_TURNS, views["own_turn"], side="right")


# Regression

BlockResult = TypeVar("BlockResult")
StageSums = tuple[np.ndarray, np.ndarray]  # sums of squares and of products, by stage of the deal
N_KNOCK_TABLE_CELLS = player.N_KNOCK_TURNS * player.N_KNOCK_DEADWOOD_LEVELS
# number of cells in the knock table, plus number of linear features for each stage
N_KNOCK_WEIGHTS = N_KNOCK_TABLE_CELLS + N_STAGES * player.N_KNOCK_FEATURES


def compute_sums_by_stage(stages: np.ndarray, features: np.ndarray, gains: np.ndarray) -> StageSums:
    """Return the sums of squares and products for a regression of gains on features, by stage."""
    squares = np.zeros((N_STAGES, features.shape[1], features.shape[1]))
    products = np.zeros((N_STAGES, features.shape[1]))
    for s in range(N_STAGES):
        stage_features = features[stages == s]
        squares[s] = stage_features.T @ stage_features
        products[s] = stage_features.T @ gains[stages == s]
    return squares, products


def compute_knock_sums(
    views: np.ndarray, features: np.ndarray, gains: np.ndarray, sqrt_weights: np.ndarray
) -> StageSums:
    """Compute the sums for a regression of knock gains on table cells and features.

    Args:
        views: Views at the decisions, VIEW_DTYPE (n,).
        features: Features, (n, N_KNOCK_FEATURES).
        gains: Gains of knocking, (n,).
        sqrt_weights: Square root of the weight of each decision, (n,).
    """
    turn = np.minimum(views["own_turn"], player.N_KNOCK_TURNS) - 1
    deadwood = np.minimum(views["ending_count"], player.N_KNOCK_DEADWOOD_LEVELS - 1)
    row_index = np.arange(len(views))
    knock_features = np.zeros((len(views), N_KNOCK_WEIGHTS))
    knock_features[row_index, turn * player.N_KNOCK_DEADWOOD_LEVELS + deadwood] = 1
    first_column = N_KNOCK_TABLE_CELLS + player.N_KNOCK_FEATURES * find_deal_stages(views)
    for j in range(player.N_KNOCK_FEATURES):
        knock_features[row_index, first_column + j] = features[:, j]
    knock_features *= sqrt_weights[:, None]
    return knock_features.T @ knock_features, knock_features.T @ (gains * sqrt_weights)


def fit_near_prior(
    sums: StageSums, prior: np.ndarray, common_penalty: float, stage_penalty: float
) -> np.ndarray:
    """Fit weights near a prior, with a change common to all stages and a change for each stage.

    Args:
        sums: Least-squares sums by stage.
        prior: Prior weights, (n_stages, size).
        common_penalty: Ridge penalty on the change that is common to all stages.
        stage_penalty: Ridge penalty on the separate change for each stage.

    Returns:
        Weights, (n_stages, size).
    """
    squares, products = sums
    identity = np.eye(len(prior[0]))
    residual_products = products - np.einsum("sij,sj->si", squares, prior)
    common_change = np.linalg.solve(
        squares.sum(axis=0) + common_penalty * identity, residual_products.sum(axis=0)
    )
    weights = prior + common_change
    for s in range(N_STAGES):
        stage_residual_products = residual_products[s] - squares[s] @ common_change
        weights[s] += np.linalg.solve(
            squares[s] + stage_penalty * identity, stage_residual_products
        )
    return weights


@cache
def build_knock_penalty(level_penalty: float) -> np.ndarray:
    """Return the penalty matrix that shrinks and smooths the weights of the knock policy."""
    index = np.arange(N_KNOCK_TABLE_CELLS).reshape(
        player.N_KNOCK_TURNS, player.N_KNOCK_DEADWOOD_LEVELS
    )
    penalty = np.diag(
        np.where(
            np.arange(N_KNOCK_WEIGHTS) < N_KNOCK_TABLE_CELLS, level_penalty, KNOCK_LINEAR_PENALTY
        )
    )
    for cells, next_cells in ((index[1:], index[:-1]), (index[:, 1:], index[:, :-1])):
        differences = np.zeros((cells.size, N_KNOCK_WEIGHTS))
        row_index = np.arange(cells.size)
        differences[row_index, cells.ravel()] = 1
        differences[row_index, next_cells.ravel()] = -1
        penalty += KNOCK_SMOOTHNESS_PENALTY * differences.T @ differences
    return penalty


def center_by_decision(values: np.ndarray, is_tried: np.ndarray) -> np.ndarray:
    """Subtract the mean value of the tried actions at each decision. Set untried actions to 0."""
    masked_values = np.where(is_tried, values, 0)
    mean = masked_values.sum(axis=1, keepdims=True) / is_tried.sum(axis=1, keepdims=True)
    result: np.ndarray = np.where(is_tried, masked_values - mean, 0)
    return result


# Equity of a deal in a variant, on a scale similar to points. In matches to a number of points,
# equity is proportional to the match win probability. In matches to a number of won deals, it is
# proportional to the number of deals won. For other goals, or if the seats have unequal chances,
# equity is in points.


# number of deals and seed for estimating the win probability at each score
MATCH_VALUE_DEALS, MATCH_VALUE_SEED = 2_000_000, 20261122

EquityFunction = Callable[[PairedRollouts], np.ndarray]


def make_equity_function(variant: Variant, deals: int | None = None) -> EquityFunction:
    """Return a function that computes A's equity after each rollout.

    Args:
        variant: Variant of the deals.
        deals: Number of deals for estimating the win probability at each score. The default is
            MATCH_VALUE_DEALS.
    """
    goal = variant.params["goal"]
    if goal == "points":
        # If match values are not available, equity is in points.
        with suppress(match_value.ValueUnavailableError, OutcomeError):
            return make_match_equity_function(variant, deals)
    return compute_deal_equity if goal == "deals" else compute_point_equity


def make_match_equity_function(variant: Variant, deals: int | None = None) -> EquityFunction:
    """Return a function that computes A's equity from match win probabilities of `gold`."""
    target = get_int_param(variant.params, "points_target")
    win_by_score = build_win_probability_table(variant.spec, target, deals)

    def compute_equity(rollouts: PairedRollouts) -> np.ndarray:
        score_a = rollouts.scores[:, :1] + rollouts.records["points_a"]
        score_b = rollouts.scores[:, 1:2] + rollouts.records["points_b"]
        equities: np.ndarray = (
            MATCH_VALUE_IN_POINTS
            * win_by_score[np.minimum(score_a, target), np.minimum(score_b, target)]
        )
        return equities

    return compute_equity


@cache
def build_win_probability_table(variant: str, target: int, deals: int | None) -> np.ndarray:
    """Return the match win probabilities of `gold` in self-play for all scores up to the target."""
    probabilities = np.full((target + 1, target + 1), np.nan)
    probabilities[:target, :target] = compute_win_probabilities(variant, target, deals).astype(
        np.float32
    )
    probabilities[target, :target] = 1
    probabilities[:target, target] = 0
    return probabilities


def compute_win_probabilities(variant: str, target: int, deals: int | None = None) -> np.ndarray:
    """Return the match win probabilities of `gold` in self-play for scores below the target.

    The probabilities are averages over both dealers, so the table and its transpose add up to 1.
    """
    n = MATCH_VALUE_DEALS if deals is None else deals
    v = match_value.compute_value(variant, "gold", "gold", deals=n, seed=MATCH_VALUE_SEED)
    a, b = np.indices((target, target))
    probabilities: np.ndarray = (
        v.win_probability(a, b, dealer=0) + v.win_probability(a, b, dealer=1)
    ) / 2
    return probabilities


def compute_deal_equity(rollouts: PairedRollouts) -> np.ndarray:
    """Return the equity of each deal: plus or minus WON_DEAL_VALUE times the stake, or 0."""
    winner = rollouts.records["winner"]
    deal_results = (winner == 0).astype(float) - (winner == 1)
    equities: np.ndarray = WON_DEAL_VALUE * deal_results * rollouts.records["stake"]
    return equities


def compute_point_equity(rollouts: PairedRollouts) -> np.ndarray:
    """Return the equity of deals as points won minus points lost."""
    point_differences: np.ndarray = rollouts.records["points_a"] - rollouts.records["points_b"]
    return point_differences.astype(float)


# Training


class ChampionTrainer:
    """Trainer for one set of weights of `champion`, against a group of opponents."""

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
            opponents: Training opponents. The value None means the player itself with its current
                weights.
            weights: Initial weights, (player.N_WEIGHTS_PER_BLEND,) float64.
            seed: Seed of the deals.
            variant: Rules of the training.
            workers: Number of worker threads.
            is_trained: True if the weights have already been trained. In this case, the weights of
                knocks and takes are shrunk towards them, and fewer matches are played to sample
                scores.
            is_weighted: True to multiply decisions by their sampling weights. Without these
                weights, long deals are under-represented, and the result is biased.
            value_deals: Number of deals for estimating the win probability at each score (see
                `make_equity_function`).
        """
        self.variant, self.rules = variant, build_rules(variant)
        self.opponents, self.seed, self.workers = opponents, seed, workers
        self.is_weighted = is_weighted
        self.value_deals = value_deals
        self.weights = weights.copy()
        # weights towards which the knock and take weights are shrunk
        self.shrink_target = weights.copy() if is_trained else np.zeros(player.N_WEIGHTS_PER_BLEND)
        self.level_penalty, self.n_matches = (
            (KNOCK_REFINEMENT_PENALTY, REFINEMENT_MATCHES)
            if is_trained
            else (KNOCK_LEVEL_PENALTY, INITIAL_MATCHES)
        )
        self.next_unit, self.rounds = 0, 0
        self.seconds = 0.0  # CPU time of all rounds, in seconds
        # proportion of matches won before each round
        self.win_rates = np.zeros((0, len(opponents)))
        # weights after each of the final rounds
        self.last_weights = np.zeros((0, player.N_WEIGHTS_PER_BLEND))
        self.reset_sums()

    @cached_property
    def compute_equity(self) -> EquityFunction:
        """Function that computes the equity of rollouts in the variant."""
        return make_equity_function(self.variant, self.value_deals)

    def reset_sums(self) -> None:
        """Set the regression sums to 0, and use the current weights as the prior."""
        self.prior = self.weights[: N_STAGES * N_FEATURES].reshape(N_STAGES, N_FEATURES).copy()
        self.sums = {
            name: (np.zeros((*stages, size, size)), np.zeros((*stages, size)))
            for name, stages, size in (
                ("discards", (N_STAGES,), N_FEATURES),
                ("takes", (N_STAGES,), player.N_TAKE_FEATURES),
                ("knocks", (), N_KNOCK_WEIGHTS),
            )
        }

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State of the training, which determines all remaining rounds."""
        arrays = {"weights": self.weights, "prior": self.prior, "last": self.last_weights}
        arrays |= {"shares": self.win_rates, "next": np.array(self.next_unit)}
        arrays["seconds"] = np.array(self.seconds)
        for name, (squares, products) in self.sums.items():
            arrays |= {f"{name} squares": squares, f"{name} products": products}
        return arrays

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore the state of an interrupted training run."""
        self.weights, self.prior = state["weights"].copy(), state["prior"]
        self.last_weights, self.win_rates = state["last"], state["shares"]
        self.next_unit, self.rounds = int(state["next"]), len(self.win_rates)
        self.seconds = float(state["seconds"])
        for name in self.sums:
            self.sums[name] = (state[f"{name} squares"], state[f"{name} products"])

    def make_matchup(self, opponent: Strategy | None, unit: Any) -> Matchup:
        """Return a matchup of the player with its current weights and an opponent."""
        strategy = make_champion(make_single_set_weights(self.weights))
        return Matchup(self.variant, strategy, opponent or strategy, self.seed, unit)

    def add_rollouts(
        self,
        sums_name: str,
        n_deals: int,
        max_actions: int,
        propose_actions: Policy,
        compute_sums: Callable[[PairedRollouts, np.ndarray], StageSums],
        exploration_policy: Policy | None = None,
    ) -> StageSums:
        """Roll out deals against each opponent, and add the results to the regression sums.

        Args:
            sums_name: Key of the sums, which is "discards", "knocks" or "takes".
            n_deals: Number of deals.
            max_actions: Maximum number of actions per decision.
            propose_actions: Policy that returns the proposed actions as bits.
            compute_sums: Function that computes the sums from rollouts and their equity.
            exploration_policy: Policy that plays before the decision.

        Returns:
            Sums that include previous rounds.
        """
        blocks = self.roll_out_blocks(
            n_deals, max_actions, propose_actions, compute_sums, exploration_policy
        )
        for block in blocks:
            for total, block_sum in zip(self.sums[sums_name], block, strict=True):
                total += block_sum
        return self.sums[sums_name]

    def roll_out_blocks(
        self,
        n_deals: int,
        max_actions: int,
        propose_actions: Policy,
        compute_result: Callable[[PairedRollouts, np.ndarray], BlockResult],
        exploration_policy: Policy | None = None,
    ) -> Iterator[BlockResult]:
        """Roll out deals against each opponent, and yield the result of each block of deals.

        Args:
            n_deals: Number of deals.
            max_actions: Maximum number of actions per decision.
            propose_actions: Policy that returns the proposed actions as bits.
            compute_result: Function that computes a result from rollouts and their equity.
            exploration_policy: Policy that plays before the decision.
        """
        n_deals //= len(self.opponents)

        def play_blocks(opponent: Strategy | None, start_scores: np.ndarray) -> list[BlockResult]:
            """Return the result of each block of deals against an opponent."""
            deal_matchup, first_unit = self.make_matchup(opponent, "deal"), self.next_unit
            kernel.compile_matchup(deal_matchup)
            rng = np.random.default_rng([self.seed, first_unit])
            block_sizes = [
                min(ROLLOUT_DEALS_PER_CALL, n_deals - offset)
                for offset in range(0, n_deals, ROLLOUT_DEALS_PER_CALL)
            ]
            sampled_scores = [
                start_scores[rng.integers(len(start_scores), size=size)] for size in block_sizes
            ]

            def roll_out_block(offset: int, units: int) -> BlockResult:
                block_scores = sampled_scores[offset // ROLLOUT_DEALS_PER_CALL]
                rollouts = roll_out_deals(
                    deal_matchup,
                    propose_actions,
                    first_unit + offset,
                    units,
                    max_actions,
                    block_scores,
                    exploration_policy,
                )
                return compute_result(rollouts, self.compute_equity(rollouts))

            return map_units(roll_out_block, n_deals, ROLLOUT_DEALS_PER_CALL, self.workers)

        for opponent, scores in zip(self.opponents, self.start_scores, strict=True):
            yield from play_blocks(opponent, scores)
            self.next_unit += n_deals

    def compute_sqrt_decision_weights(self, rollouts: PairedRollouts) -> np.ndarray:
        """Return the square root of the weight of each decision, (n_decisions,).

        Weights are relative to their mean, so that ridge penalties do not depend on their scale.
        """
        if not self.is_weighted or not len(rollouts.views):
            return np.ones(len(rollouts.views))
        scales: np.ndarray = np.sqrt(
            rollouts.weights * (len(rollouts.views) / rollouts.weights.sum())
        )
        return scales

    def add_discard_decisions(self, n_deals: int) -> StageSums:
        """Roll out discards, and add the results to the regression sums."""

        def compute_sums(rollouts: PairedRollouts, equity: np.ndarray) -> StageSums:
            x = np.zeros((*rollouts.actions.shape, N_FEATURES))
            compile_feature_writer(write_discard_features)(
                rollouts.views, rollouts.actions, self.rules, x
            )
            x = center_by_decision(x, rollouts.rolled_out_mask[..., None])
            y = center_by_decision(equity, rollouts.rolled_out_mask)
            scale = self.compute_sqrt_decision_weights(rollouts)[:, None]
            return compute_sums_by_stage(
                np.repeat(find_deal_stages(rollouts.views), MAX_TRIED_DISCARDS),
                (x * scale[..., None]).reshape(-1, N_FEATURES),
                -(y * scale).ravel(),
            )

        return self.add_rollouts(
            "discards", n_deals, MAX_TRIED_DISCARDS, propose_discards, compute_sums
        )

    def fit_discard_weights(self, n_deals: int) -> None:
        """Fit the discard weights by a regression of equity on features."""
        sums = self.add_discard_decisions(n_deals)
        weights = fit_near_prior(sums, self.prior, RIDGE_PENALTY, RIDGE_PENALTY)
        self.weights[: N_STAGES * N_FEATURES] = weights.ravel()

    def add_take_decisions(self, n_deals: int) -> StageSums:
        """Roll out decisions to take a card, and add the results to the regression sums."""
        params = make_single_set_weights(self.weights)

        def compute_sums(rollouts: PairedRollouts, equity: np.ndarray) -> StageSums:
            x = np.zeros((len(rollouts.views), player.N_TAKE_FEATURES))
            compile_feature_writer(write_take_features)(rollouts.views, self.rules, params, x)
            scale = self.compute_sqrt_decision_weights(rollouts)
            gain = (equity[:, 1] - equity[:, 0]) * scale
            return compute_sums_by_stage(find_deal_stages(rollouts.views), x * scale[:, None], gain)

        return self.add_rollouts("takes", n_deals, 2, propose_take, compute_sums)

    def fit_take_weights(self, n_deals: int) -> None:
        """Fit the take weights by a regression of the gain from taking on features."""
        sums = self.add_take_decisions(n_deals)
        prior = self.shrink_target[player.TAKE_FEATURES_OFFSET :].reshape(
            N_STAGES, player.N_TAKE_FEATURES
        )
        weights = fit_near_prior(sums, prior, 20.0, 400.0)
        self.weights[player.TAKE_FEATURES_OFFSET :] = weights.ravel()

    def add_knock_decisions(self, n_deals: int) -> StageSums:
        """Roll out decisions to knock, and add the results to the regression sums."""

        def compute_sums(rollouts: PairedRollouts, equity: np.ndarray) -> StageSums:
            x = np.zeros((len(rollouts.views), player.N_KNOCK_FEATURES))
            compile_feature_writer(write_knock_features)(rollouts.views, self.rules, x)
            gain = equity[:, 1] - equity[:, 0]
            return compute_knock_sums(
                rollouts.views, x, gain, self.compute_sqrt_decision_weights(rollouts)
            )

        return self.add_rollouts("knocks", n_deals, 2, propose_knock, compute_sums, knock_sometimes)

    def fit_knock_weights(self, n_deals: int) -> None:
        """Fit the knock weights by a regression of the gain from knocking on cells and features."""
        squares, products = self.add_knock_decisions(n_deals)
        prior = self.shrink_target[player.KNOCK_TABLE_OFFSET : player.TAKE_FEATURES_OFFSET]
        residual_products = products - squares @ prior
        weights = prior + np.linalg.solve(
            squares + build_knock_penalty(self.level_penalty), residual_products
        )
        self.weights[player.KNOCK_TABLE_OFFSET : player.TAKE_FEATURES_OFFSET] = weights

    def run_round(self, deals: int, decay: float | None = None) -> np.ndarray:
        """Train for one round, and return the win rate against each opponent before the round.

        Args:
            deals: Number of deals to roll out for discards. Knocks and takes use half of this
                number.
            decay: Factor for the sums of previous rounds. The default depends on the round.
        """
        start_time = time.process_time()
        if self.rounds == WARM_UP_ROUNDS and decay is None:
            self.reset_sums()
        decay_factor = (
            (WARM_UP_SUMS_DECAY if self.rounds < WARM_UP_ROUNDS else SUMS_DECAY)
            if decay is None
            else decay
        )
        for squares, products in self.sums.values():
            squares *= decay_factor
            products *= decay_factor
        records = self.sample_scores()
        new_win_rates = np.array([compute_match_win_rate(played_deals) for played_deals in records])
        self.fit_discard_weights(deals)
        self.fit_knock_weights(deals // 2)
        self.fit_take_weights(deals // 2)
        self.rounds += 1
        self.seconds += time.process_time() - start_time
        self.win_rates = np.concatenate([self.win_rates, [new_win_rates]])
        self.last_weights = np.concatenate([self.last_weights, [self.weights]])[-AVERAGED_ROUNDS:]
        return new_win_rates

    def sample_scores(self) -> list[np.ndarray]:
        """Play matches, store the scores before their deals, and return the deals by opponent."""
        records = [self.play_matches(opponent, self.n_matches) for opponent in self.opponents]
        # The fields must be the same as in simgin.play.rollouts.
        fields = ("score_a", "score_b", "deals_a", "deals_b")
        self.start_scores = [np.stack([deals[name] for name in fields], 1) for deals in records]
        return records

    @property
    def mean_weights(self) -> np.ndarray:
        """Mean of the weights after the final rounds, (player.N_WEIGHTS_PER_BLEND,) float64."""
        mean: np.ndarray = np.mean(self.last_weights, axis=0)
        return mean

    def play_matches(self, opponent: Strategy | None, matches: int) -> np.ndarray:
        """Play matches against an opponent, and return the records of all deals."""
        matchup = self.make_matchup(opponent, "match")
        kernel.compile_matchup(matchup)
        play_records = partial(_play_deal_records, matchup)
        units = matchup.count_units(matches)
        return np.concatenate(map_units(play_records, units, max(1, units // 8), self.workers))


def _play_deal_records(matchup: Matchup, first: int, units: int) -> np.ndarray:
    """Play deals or matches of a matchup, and return the records of all deals."""
    return kernel.play_with_records(matchup, first, units)[1]


def compute_match_win_rate(records: np.ndarray) -> float:
    """Return the proportion of finished matches that strategy A won."""
    return float((records["outcome"] == 0).sum() / (records["outcome"] >= 0).sum())


def list_training_opponents(opponent_group: str) -> list[Strategy | None]:
    """Return the training opponents in a group, in which None means the player itself."""
    return [
        None if name == SELF_PLAY_OPPONENT else loader.find_strategy(name)
        for name in TRAINING_SETTINGS[opponent_group]["opponents"]
    ]


# Weights of the player


def make_champion(weights: np.ndarray) -> Strategy:
    """Return `champion` with the given weights."""
    return loader.with_weights(loader.find_strategy("champion"), weights)


def make_single_set_weights(weights: np.ndarray) -> np.ndarray:
    """Return weights of `champion` that are the same against every opponent and for all rules."""
    table = np.zeros((player.N_DEALS_WON_BINS, player.N_MEAN_POINTS_BINS, player.N_TURN_BINS))
    return repeat_weights_for_all_rules(blend_weights(weights, weights, table))


def repeat_weights_for_all_rules(weights: np.ndarray) -> np.ndarray:
    """Repeat the weights of one rule group for each rule group of `champion`."""
    return np.tile(weights, player.N_WEIGHTS // player.N_WEIGHTS_PER_VARIANT)


def blend_weights(
    patient_weights: np.ndarray, hasty_weights: np.ndarray, probabilities: np.ndarray
) -> np.ndarray:
    """Blend two sets of weights into nine sets, followed by the table that selects a blend.

    Args:
        patient_weights: Weights against players that wait for gin, (player.N_WEIGHTS_PER_BLEND,).
        hasty_weights: Weights against players that knock immediately,
            (player.N_WEIGHTS_PER_BLEND,).
        probabilities: Probabilities that the opponent knocks immediately, by deals won, mean points
            of these deals, and number of turns.

    Returns:
        Weights with the precision of the weights file.
    """
    max_level = player.N_WEIGHT_BLENDS - 1
    difference = hasty_weights - patient_weights
    blends = [patient_weights + difference * (i / max_level) for i in range(player.N_WEIGHT_BLENDS)]
    blend_numbers = np.concatenate([*blends, np.rint(max_level * probabilities).ravel()])
    return blend_numbers.astype(np.float32).astype(np.float64)


def estimate_opponent_distribution(records: np.ndarray) -> np.ndarray:
    """Return the distribution of B's mean points per won deal, by number of won deals."""
    n_won = np.minimum(records["deals_b"], player.N_DEALS_WON_BINS - 1)
    mean_points = records["score_b"] // np.maximum(1, 3 * records["deals_b"])
    mean_points = np.where(n_won > 0, np.minimum(mean_points, player.N_MEAN_POINTS_BINS - 1), 0)
    counts = np.zeros((player.N_DEALS_WON_BINS, player.N_MEAN_POINTS_BINS))
    np.add.at(counts, (n_won, mean_points), 1.0)
    smoothed_counts = counts.copy()
    smoothed_counts[1:, 1:] += 0.5 * counts[1:, :-1]
    smoothed_counts[1:, :-1] += 0.5 * counts[1:, 1:]
    smoothed_counts += 0.5
    proportions: np.ndarray = smoothed_counts / smoothed_counts.sum(axis=1, keepdims=True)
    return proportions


def compute_knock_probabilities(
    patient_weights: np.ndarray,
    hasty_weights: np.ndarray,
    seed: int,
    variant: Variant,
    workers: int | None = None,
    *,
    is_trained: bool = False,
) -> np.ndarray:
    """Return the table of the probability that an opponent knocks immediately.

    The probabilities are computed from likelihood ratios with Bayes' rule.

    Args:
        patient_weights: Weights against players that wait for gin, (player.N_WEIGHTS_PER_BLEND,).
        hasty_weights: Weights against players that knock immediately,
            (player.N_WEIGHTS_PER_BLEND,).
        seed: Seed of the deals.
        variant: Rules of the matches.
        workers: Number of worker threads.
        is_trained: True if the weights have already been trained. In this case, the player with
            `patient_weights` also plays against itself.

    Returns:
        Probabilities by deals won, mean points of these deals, and number of turns.
    """
    matches = 5 * (REFINEMENT_MATCHES if is_trained else INITIAL_MATCHES)
    ratios, turns = estimate_likelihood_ratios(
        patient_weights, hasty_weights, seed, variant, matches, workers, includes_self=is_trained
    )
    odds = load_prior_odds(variant) * ratios[:, :, None] * turns
    probabilities: np.ndarray = odds / (1 + odds)
    return probabilities


def load_prior_odds(variant: Variant) -> float:
    """Return the prior odds of `champion` that an opponent knocks immediately, such as 1.0."""
    policy = loader.find_strategy("champion").discard
    assert policy is not None and policy.rules_weights is not None
    return float(player.compute_prior_odds(np.load(policy.rules_weights), build_rules(variant)))


def estimate_likelihood_ratios(
    patient_weights: np.ndarray,
    hasty_weights: np.ndarray,
    seed: int,
    variant: Variant,
    matches: int,
    workers: int | None = None,
    *,
    includes_self: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Return likelihood ratios for the hypothesis that the opponent knocks immediately.

    The ratios are estimated from matches in which a player with `hasty_weights` plays against
    immediate knockers and a player with `patient_weights` plays against players that wait for gin.

    Args:
        patient_weights: Weights against players that wait for gin, (player.N_WEIGHTS_PER_BLEND,).
        hasty_weights: Weights against players that knock immediately,
            (player.N_WEIGHTS_PER_BLEND,).
        seed: Seed of the deals.
        variant: Rules of the matches.
        matches: Number of matches per opponent.
        workers: Number of worker threads.
        includes_self: True if the player with `patient_weights` also plays against itself.

    Returns:
        Ratios by deals won and mean points of these deals, (player.N_DEALS_WON_BINS,
        player.N_MEAN_POINTS_BINS), and ratios by number of turns, (player.N_TURN_BINS,).
    """
    distributions = []
    for weights, group in zip(
        (hasty_weights, patient_weights), TRAINING_SETTINGS.values(), strict=True
    ):
        opponents: list[Strategy | None] = [
            loader.find_strategy(name) for name in group["recognized"]
        ]
        if includes_self and weights is patient_weights:
            opponents.append(None)
        trainer = ChampionTrainer(opponents, weights, seed, variant, workers)
        deals = np.concatenate([trainer.play_matches(opponent, matches) for opponent in opponents])
        is_long_enough = deals["turns"][:, None] >= 2 * np.arange(player.N_TURN_BINS)
        distributions.append((estimate_opponent_distribution(deals), is_long_enough.mean(axis=0)))
    (hasty_cells, hasty_lengths), (patient_cells, patient_lengths) = distributions
    ratios = hasty_cells / patient_cells
    ratios[0] = 1
    return ratios, hasty_lengths / np.maximum(patient_lengths, 1e-6)


def find_trained_variant(variant: Variant) -> str:
    """Return the trained variant whose weights `champion` uses under the given rules."""
    group = player.find_weights_offset(build_rules(variant)) // player.N_WEIGHTS_PER_VARIANT
    return str(player.TRAINED_VARIANTS[group])


def load_initial_weights(variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """Load the weights of `champion` against hasty and against patient opponents."""
    policy = loader.find_strategy("champion").discard
    assert policy is not None, "champion has a discard policy"
    rules = build_rules(variant)
    offset = player.find_weights_offset(rules)
    parameter_vector = compiler.make_parameter_vector(policy, rules)[
        offset : offset + player.OPPONENT_TABLE_OFFSET
    ]
    blends = parameter_vector.reshape(player.N_WEIGHT_BLENDS, player.N_WEIGHTS_PER_BLEND)
    return blends[-1].copy(), blends[0].copy()
