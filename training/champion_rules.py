"""Fit how the weights of `champion` depend on the rules, and write strategies/champion-rules.npy.

    python training/champion_rules.py                # committed file: three hours on one core
    python training/champion_rules.py --rounds 1 --rule-sets 4 --out x.npy
    python training/champion_rules.py --start combinations    # only the last part

The weights for a rule set are the weights of strategies/champion.npy plus a linear function of the
features of the rules (strategies/_champion_rules.py). The log odds of the opponent's type are also
a linear function of these features. Each round plays deals under random rule sets with the weights
of the previous rounds, and rolls out decisions as in simgin/learn/champion_weights.py. One
regression covers the decisions under all rule sets. Its features are the products of each feature
of an action and each feature of the rules. The later parts of the training contain only rule sets
with rare rules, such as other values of aces, with turn limits, with uncommon rules whose effects
depend on other rules, and with combinations of less frequent rules and bonuses. Each part fits only
the features of its rules. Finished rounds are stored in the directory `--work`, so an interrupted
training resumes.
"""

import argparse
import hashlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import N_FEATURES, N_STAGES
from simgin_strategies._champion_rules import (
    COMBINATION_FEATURES,
    COMMON_FEATURES,
    COUNTS_DEALS_INDEX,
    DEAL_COUNT_FEATURES,
    HIGH_UNDERCUT_INDEX,
    INTERACTION_FEATURES,
    N_COMMON_FEATURES,
    N_RULE_FEATURES,
    N_RULE_PRODUCT_FEATURES,
    RARE_FEATURES,
    TURN_LIMIT_FEATURES,
    compute_rule_features,
)

from simgin.core import jit
from simgin.core.rules_record import GOAL_DEALS
from simgin.learn import champion_weights
from simgin.learn.champion_weights import ChampionTrainer
from simgin.learn.random_rules import (
    COMBINATIONS_PART,
    DEAL_COUNT_ODDS,
    INTERACTIONS_PART,
    N_RULE_SETS_FOR_KNOCK_ODDS,
    PRIOR_ODDS_RULE_SETS,
    PRIOR_ODDS_SEED,
    RARE_RULES_PART,
    RULE_SETS_PER_ROUND,
    TRAINING_ROUNDS,
    TRAINING_SEED,
    TURN_LIMITS_PART,
    LaterPart,
    list_two_player_variants,
    sample_high_undercut_variants,
    sample_training_variants,
)
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.runs.runner import run_matchup
from simgin.stats import metrics
from simgin.stats.estimate import estimate_metric
from simgin.strategy import loader

STRATEGIES_DIRECTORY = Path(__file__).resolve().parent.parent / "strategies"
# Numbers of deals for discards, knocks and takes, by type of opponent (in the order of the weights)
N_DEALS_BY_OPPONENT_TYPE = {
    "wait_for_gin": (6000, 4500, 3000),
    "knock_immediately": (3000, 2500, 1500),
}
GENERATION_SEED_STRIDE = 1000  # difference between the seeds of successive rule sets
N_MATCHES = 150  # number of matches per opponent, from which scores are sampled
N_MATCH_VALUE_DEALS = 40_000  # number of deals for estimating the win probability by score
ROUND_WEIGHT_DECAY = 0.85  # factor for the sums of previous rounds
ROUNDS_PER_FIT = 6  # number of rounds in one regression
# Indices of the rule features that change the log odds of the opponent's type
LOG_ODDS_FEATURE_INDICES = (
    *range(8),
    *range(N_COMMON_FEATURES - N_RULE_PRODUCT_FEATURES, N_COMMON_FEATURES),
)
# Names of the parts of the training, and slices of the rule features that they fit
COMMON_RULES, RARE_RULES = "common-rules", "rare-rules"
TURN_LIMITS, INTERACTIONS, COMBINATIONS = "turn-limits", "interactions", "combinations"
FITTED_FEATURES_BY_PART = {
    COMMON_RULES: (COMMON_FEATURES,),
    RARE_RULES: (
        slice(COUNTS_DEALS_INDEX, N_COMMON_FEATURES - N_RULE_PRODUCT_FEATURES),
        RARE_FEATURES,
    ),
    TURN_LIMITS: (TURN_LIMIT_FEATURES,),
    INTERACTIONS: (INTERACTION_FEATURES,),
    COMBINATIONS: (COMBINATION_FEATURES,),
}
# Parameters for the odds of the opponent's type: number of matches per opponent, ridge penalty, and
# minimum likelihood ratio (the maximum is its inverse)
N_LOG_ODDS_MATCHES, LOG_ODDS_RIDGE_PENALTY, MIN_LIKELIHOOD_RATIO = 400, 1.0, 1e-3
# Fit of the prior log odds: opponents besides `champion` without adaptation, values for undercut
# bonuses of 50 or more, and number of matches per opponent
PRIOR_ODDS_OPPONENTS = ("simple", "gold-early", "gin-only", "marjj-early")
PRIOR_LOG_ODDS = (-6.0, -5.0, -4.0, -3.0, -2.0, -1.0, 0.0)
N_PRIOR_MATCHES = 1_000
# Ridge penalties. A penalty of n corresponds to n average rule sets in which a feature of the rules
# has no effect. These values were good in a fourfold cross-validation over 288 rule sets.
PENALTY_BY_DECISION_TYPE = {"discards": 16.0, "takes": 9.0, "knocks": 2.5}
RIDGE_PENALTY = 40.0  # penalty on squared weights, in decisions
# Maximum number of steps and tolerance of the conjugate gradient method
MAX_SOLVER_STEPS, SOLVER_TOLERANCE = 400, 1e-5

N_WEIGHTS_FOR_BOTH_TYPES = 2 * player.N_WEIGHTS_PER_BLEND  # total number of weights in both sets
RuleSetSums = dict[
    str, np.ndarray
]  # sums of one rule set, or of several rule sets along the first axis


# Deals under one rule set


def load_initial_weights(rules: np.record) -> dict[str, np.ndarray]:
    """Return the weights of `champion` for the most similar rules, by type of opponent."""
    all_weights = np.load(STRATEGIES_DIRECTORY / "champion.npy").astype(np.float64)
    blends = all_weights[player.find_weights_offset(rules) :][: player.OPPONENT_TABLE_OFFSET]
    weights_against_waiters, *_, weights_against_knockers = blends.reshape(
        player.N_WEIGHT_BLENDS, player.N_WEIGHTS_PER_BLEND
    )
    return dict(
        zip(
            N_DEALS_BY_OPPONENT_TYPE,
            (weights_against_waiters, weights_against_knockers),
            strict=True,
        )
    )


def load_weights(
    rules: np.record, features: np.ndarray, deltas: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the weights of `champion` for the given rules, by type of opponent."""
    initial_weights = load_initial_weights(rules)
    changes = np.split(player.compute_total_changes(features, deltas), len(initial_weights))
    return {
        opponent_type: weights + change
        for (opponent_type, weights), change in zip(initial_weights.items(), changes, strict=True)
    }


def play_rule_set(
    variant: Variant, deltas: np.ndarray, seed: int, fixed_deltas: np.ndarray
) -> RuleSetSums:
    """Play training deals under one rule set.

    Args:
        variant: Variant.
        deltas: Change of both sets of weights per unit of each feature of the rules,
            (N_RULE_FEATURES, 2 * N_WEIGHTS_PER_BLEND).
        seed: Seed of the deals.
        fixed_deltas: Part of `deltas` that is not fitted.

    Returns:
        The features of the rules, and the sums of squares and of products for each type of opponent
        and each type of decision. The part of the products that the weights with `fixed_deltas`
        explain is subtracted.
    """
    rules = build_rules(variant)
    sums: RuleSetSums = {
        "features": compute_rule_features(rules),
        "points_scale": np.float64(estimate_points_scale(rules)),
    }
    weights, fixed_weights = (
        load_weights(rules, sums["features"], x) for x in (deltas, fixed_deltas)
    )
    for seed_offset, opponent_type in enumerate(N_DEALS_BY_OPPONENT_TYPE):
        trainer = ChampionTrainer(
            champion_weights.list_training_opponents(opponent_type),
            weights[opponent_type],
            seed + seed_offset,
            variant,
            1,
            is_trained=True,
            value_deals=N_MATCH_VALUE_DEALS,
        )
        add_all_decisions(trainer, opponent_type)
        for decision_type, (squares, products) in trainer.sums.items():
            explained_products = np.einsum(
                "...ij,...j->...i",
                squares,
                split_by_decision(fixed_weights[opponent_type])[decision_type],
            )
            residuals = compute_equity_scale(trainer) * products - explained_products
            sums[f"{opponent_type} {decision_type} squares"] = squares.astype(np.float32)
            sums[f"{opponent_type} {decision_type} products"] = residuals.astype(np.float32)
    return sums


def estimate_points_scale(rules: np.record) -> float:
    """Return the approximate size of the points of a deal, relative to the rules of eaai."""
    if rules.goal == GOAL_DEALS:
        return 1.0
    return float(50 + rules.gin_bonus + rules.undercut_bonus) / 100


def add_all_decisions(trainer: ChampionTrainer, opponent_type: str) -> None:
    """Add decisions against one type of opponent to the trainer's least-squares sums."""
    trainer.n_matches = N_MATCHES
    trainer.sample_scores()
    n_discards, n_knocks, n_takes = N_DEALS_BY_OPPONENT_TYPE[opponent_type]
    trainer.add_discard_decisions(n_discards)
    trainer.add_knock_decisions(n_knocks)
    trainer.add_take_decisions(n_takes)


def compute_equity_scale(trainer: ChampionTrainer) -> float:
    """Return the factor that converts match equity to approximate points."""
    goal, points_target = (trainer.variant.params[name] for name in ("goal", "points_target"))
    if goal != "points" or trainer.compute_equity is champion_weights.compute_point_equity:
        return 1.0
    return int(str(points_target)) / 100


def split_by_decision(weights: np.ndarray) -> dict[str, np.ndarray]:
    """Split one set of weights by type of decision.

    The first axis of the weights for discards and takes is the stage.
    """
    return {
        "discards": weights[: N_STAGES * N_FEATURES].reshape(N_STAGES, N_FEATURES),
        "knocks": weights[player.KNOCK_TABLE_OFFSET : player.TAKE_FEATURES_OFFSET],
        "takes": weights[player.TAKE_FEATURES_OFFSET :].reshape(N_STAGES, player.N_TAKE_FEATURES),
    }


# Regression on the decisions under all rule sets


def solve_ridge_regression(
    features: np.ndarray, squares: np.ndarray, residuals: np.ndarray, penalty: np.ndarray
) -> np.ndarray:
    """Solve the joint ridge regression of all rule sets by the conjugate gradient method.

    Args:
        features: Features of the rules, (n, n_rule_features).
        squares: Sums of squares, (n, size, size).
        residuals: Sums of products that the initial weights do not explain, (n, size).
        penalty: Penalty matrix, (size, size).

    Returns:
        Change of the weights per unit of each feature of the rules, (n_rule_features, size).
    """

    def multiply_by_normal_matrix(deltas: np.ndarray) -> np.ndarray:
        """Multiply by the matrix of the penalised normal equations."""
        weight_changes = (features @ deltas).astype(np.float32)
        products = np.matmul(squares, weight_changes[:, :, None])[:, :, 0]
        product: np.ndarray = features.T @ products + deltas @ penalty
        return product

    diagonal = (features**2).T @ np.einsum("nii->ni", squares) + np.diag(penalty)
    residual = features.T @ residuals
    deltas = np.zeros_like(residual)
    scaled_residual = residual / diagonal
    direction, norm = scaled_residual.copy(), (residual * scaled_residual).sum()
    min_norm = SOLVER_TOLERANCE**2 * norm
    for _ in range(MAX_SOLVER_STEPS):
        if norm <= min_norm:
            break
        product = multiply_by_normal_matrix(direction)
        step_size = norm / (direction * product).sum()
        deltas += step_size * direction
        residual -= step_size * product
        scaled_residual = residual / diagonal
        norm, previous_norm = (residual * scaled_residual).sum(), norm
        direction = scaled_residual + norm / previous_norm * direction
    return deltas


def fit_by_stage(
    features: np.ndarray, squares: np.ndarray, residuals: np.ndarray, penalty: float
) -> np.ndarray:
    """Fit a common change for all stages, and then a separate change for each stage.

    Returns:
        Changes, (n_rule_features, n_stages * size).
    """
    ridge, n_stages = RIDGE_PENALTY * np.eye(squares.shape[-1]), squares.shape[1]
    mean_squares = squares.mean(axis=0, dtype=np.float64)
    penalty_matrix = penalty * mean_squares.sum(axis=0) + ridge
    common_deltas = solve_ridge_regression(
        features, squares.sum(axis=1), residuals.sum(axis=1), penalty_matrix
    )
    common_changes = features @ common_deltas
    weights = []
    for stage in range(n_stages):
        stage_squares = squares[:, stage]
        stage_residuals = residuals[:, stage] - np.einsum(
            "nij,nj->ni", stage_squares, common_changes
        )
        penalty_matrix = n_stages * penalty * mean_squares[stage] + ridge
        weights.append(
            common_deltas
            + solve_ridge_regression(features, stage_squares, stage_residuals, penalty_matrix)
        )
    return np.concatenate(weights, axis=1)


def fit_weight_deltas(sums: RuleSetSums, rule_set_weights: np.ndarray) -> np.ndarray:
    """Fit the changes in weights per unit of each rule feature, for both opponent types.

    Args:
        sums: Sums of all rule sets.
        rule_set_weights: Weight of each rule set.
    """
    scale_factors = np.sqrt(rule_set_weights)[:, None]
    features, delta_parts = sums["features"] * scale_factors, []
    for opponent_type in N_DEALS_BY_OPPONENT_TYPE:
        for decision_type in ("discards", "knocks", "takes"):
            squares = sums[f"{opponent_type} {decision_type} squares"]
            residuals = sums[f"{opponent_type} {decision_type} products"]
            if decision_type == "knocks":
                penalty = champion_weights.build_knock_penalty(
                    champion_weights.KNOCK_REFINEMENT_PENALTY
                )
                penalty = penalty + PENALTY_BY_DECISION_TYPE[decision_type] * squares.mean(
                    axis=0, dtype=np.float64
                )
                delta_parts.append(
                    solve_ridge_regression(features, squares, residuals * scale_factors, penalty)
                )
            else:
                weighted_residuals = residuals * scale_factors[..., None]
                delta_parts.append(
                    fit_by_stage(
                        features,
                        squares,
                        weighted_residuals,
                        PENALTY_BY_DECISION_TYPE[decision_type],
                    )
                )
    return np.concatenate(delta_parts, axis=1)


# Odds of the opponent's type


def measure_log_odds(variant: Variant, deltas: np.ndarray, seed: int) -> np.ndarray:
    """Return the log odds that the opponent knocks immediately under one rule set."""
    rules = build_rules(variant)
    weights = load_weights(rules, compute_rule_features(rules), deltas)
    ratios = champion_weights.estimate_likelihood_ratios(
        *weights.values(), seed, variant, N_LOG_ODDS_MATCHES, 1
    )
    all_ratios = np.concatenate([ratio.ravel() for ratio in ratios])
    log_odds: np.ndarray = np.log(
        np.clip(all_ratios, MIN_LIKELIHOOD_RATIO, 1 / MIN_LIKELIHOOD_RATIO)
    )
    return log_odds


def fit_log_odds(deltas: np.ndarray, pool: Executor) -> np.ndarray:
    """Fit the log odds under the rules of `eaai`, and their change per unit of a rule feature.

    Only bonuses are assumed to change the log odds, because they change the points of a won deal.
    The regression contains all common features, to separate the effects of bonuses from other
    effects.

    Returns:
        Log odds in row 0, and their changes in the other rows,
        (1 + N_RULE_FEATURES, N_OPPONENT_LOG_ODDS).
    """
    named_variants = [variants.find_variant(name) for name in list_two_player_variants()]
    named_variants += sample_training_variants(
        N_RULE_SETS_FOR_KNOCK_ODDS, N_RULE_SETS_FOR_KNOCK_ODDS
    )
    seeds = [
        TRAINING_SEED - GENERATION_SEED_STRIDE * (1 + index) for index in range(len(named_variants))
    ]
    log_odds = np.stack(list(pool.map(measure_log_odds, named_variants, repeat(deltas), seeds)))
    features = np.stack([compute_rule_features(build_rules(variant)) for variant in named_variants])
    x = np.insert(features[:, :N_COMMON_FEATURES], 0, 1.0, axis=1)
    penalty = LOG_ODDS_RIDGE_PENALTY * np.diag([0.0, *np.ones(N_COMMON_FEATURES)])
    coefficients = np.linalg.solve(x.T @ x + penalty, x.T @ log_odds)
    all_coefficients = np.zeros((1 + N_RULE_FEATURES, player.N_OPPONENT_LOG_ODDS))
    rows = np.append(0, 1 + np.array(LOG_ODDS_FEATURE_INDICES))
    all_coefficients[rows, : coefficients.shape[1]] = coefficients[rows]
    return all_coefficients


def fit_deal_count_log_odds(table: np.ndarray, pool: Executor) -> np.ndarray:
    """Return the table with log odds for matches that count deals.

    The log odds under the rules of `dice` determine the coefficient of COUNTS_DEALS_INDEX. A ridge
    regression on random rule sets then determines the coefficients of DEAL_COUNT_FEATURES.

    Args:
        table: Changes of the weights and of the log odds, in the format of
            strategies/champion-rules.npy.
        pool: Pool of processes.
    """
    sampled_variants = [
        variants.find_variant("dice"),
        *DEAL_COUNT_ODDS.sample_variants(0, DEAL_COUNT_ODDS.rule_sets),
    ]
    seeds = [DEAL_COUNT_ODDS.seed + index for index in range(len(sampled_variants))]
    deltas, log_odds = np.split(table.copy(), [N_WEIGHTS_FOR_BOTH_TYPES], axis=1)
    deal_count_rows = 1 + np.r_[DEAL_COUNT_FEATURES]
    log_odds[[1 + COUNTS_DEALS_INDEX, *deal_count_rows], :-1] = 0
    features = np.stack([compute_rule_features(build_rules(x)) for x in sampled_variants])
    measured = pool.map(measure_log_odds, sampled_variants, repeat(deltas[1:]), seeds)
    residuals = np.stack(list(measured)) - log_odds[0, :-1] - features @ log_odds[1:, :-1]
    log_odds[1 + COUNTS_DEALS_INDEX, :-1] = residuals[0]
    x = features[1:, DEAL_COUNT_FEATURES]
    penalty = LOG_ODDS_RIDGE_PENALTY * np.eye(x.shape[1])
    log_odds[deal_count_rows, :-1] = np.linalg.solve(
        x.T @ x + penalty, x.T @ (residuals[1:] - residuals[0])
    )
    return round_to_float32(np.concatenate([deltas, log_odds], axis=1))


# Prior odds that an opponent knocks immediately


def measure_prior_win_rates(variant: Variant, table: np.ndarray, seed: int) -> np.ndarray:
    """Return the mean win rate against PRIOR_ODDS_OPPONENTS under one rule set, for each prior.

    Args:
        variant: Variant with a high undercut bonus.
        table: Changes of the weights and of the log odds, in the format of
            strategies/champion-rules.npy. The prior log odds are 0.
        seed: Seed of the deals.
    """
    rules, table = build_rules(variant), table.copy()
    weights = np.load(STRATEGIES_DIRECTORY / "champion.npy").astype(np.float64)
    unadapted_champion = replace(champion_weights.make_champion(weights), spec="not adapted")
    opponents = [*map(loader.find_strategy, PRIOR_ODDS_OPPONENTS), unadapted_champion]
    win_metric, mean_win_rates = metrics.METRICS_BY_NAME["match_win"], []
    for log_odds in PRIOR_LOG_ODDS:
        table[1 + HIGH_UNDERCUT_INDEX, -1] = log_odds
        champion = champion_weights.make_champion(player.adapt_weights(weights, table, rules))
        matchups = [Matchup(variant, champion, opponent, seed, "match") for opponent in opponents]
        rows = [run_matchup(matchup, N_PRIOR_MATCHES, 1) for matchup in matchups]
        win_rates = [estimate_metric(x.sum(axis=0), win_metric).value for x in rows]
        mean_win_rates.append(np.mean(win_rates))
    return np.array(mean_win_rates)


def fit_prior_log_odds(table: np.ndarray, pool: Executor) -> float:
    """Return the prior log odds for undercut bonuses of 50 or more.

    The prior log odds are 0 for undercut bonuses up to 25, and linear in between. The result
    maximises the mean win rate over random rule sets, which is interpolated quadratically.
    """
    sampled_variants = sample_high_undercut_variants(PRIOR_ODDS_RULE_SETS)
    seeds = [PRIOR_ODDS_SEED + index for index in range(len(sampled_variants))]
    win_rates = list(pool.map(measure_prior_win_rates, sampled_variants, repeat(table), seeds))
    a, b, _ = np.polyfit(PRIOR_LOG_ODDS, np.mean(win_rates, axis=0), 2)
    return float(np.clip(-b / (2 * a), min(PRIOR_LOG_ODDS), max(PRIOR_LOG_ODDS)))


# Rounds


@dataclass(frozen=True)
class TrainingPart:
    """Part of the training, which fits the effects of some features of the rules.

    Attributes:
        name: Start of the file names of the rounds.
        sample_variants: Function that returns the rule sets of a round.
        seed: Seed of the deals.
        rounds: Number of rounds.
        rule_sets: Number of rule sets per round.
        feature_slices: Slices of the features that are fitted.
        fixed_deltas: Change of both sets of weights per unit of each other feature of the rules,
            (N_RULE_FEATURES, N_WEIGHTS_FOR_BOTH_TYPES). The rows of the fitted features are 0.
    """

    name: str
    sample_variants: Callable[[int, int], list[Variant]]
    seed: int
    rounds: int
    rule_sets: int
    feature_slices: tuple[slice, ...]
    fixed_deltas: np.ndarray

    def play_round(self, round_index: int, deltas: np.ndarray, pool: Executor) -> RuleSetSums:
        """Play one training round with random rule sets."""
        sampled_variants = self.sample_variants(round_index, self.rule_sets)
        seeds = self.seed + GENERATION_SEED_STRIDE * np.arange(
            round_index * self.rule_sets, (round_index + 1) * self.rule_sets
        )
        sums_by_rule_set = list(
            pool.map(
                play_rule_set,
                sampled_variants,
                repeat(deltas),
                map(int, seeds),
                repeat(self.fixed_deltas),
            )
        )
        return {
            name: np.stack([rule_set_sums[name] for rule_set_sums in sums_by_rule_set])
            for name in sums_by_rule_set[0]
        }

    def fit_to_last_rounds(self, finished_rounds: Sequence[RuleSetSums]) -> np.ndarray:
        """Fit the changes in weights to the last rounds.

        The weight of a rule set decreases with the age of the round and with the bonuses, because
        large bonuses increase the variance of the points.
        """
        deltas = self.fixed_deltas.copy()
        last_rounds = finished_rounds[-ROUNDS_PER_FIT:]
        if not last_rounds:
            return deltas
        sums = {
            name: np.concatenate([round_sums[name] for round_sums in last_rounds])
            for name in last_rounds[0]
        }
        ages = np.arange(len(last_rounds))[::-1]
        age_weights = np.repeat(ROUND_WEIGHT_DECAY**ages, len(last_rounds[0]["features"]))
        fitted_features = np.r_[self.feature_slices]
        sums["features"] = sums["features"][:, fitted_features]
        deltas[fitted_features] = fit_weight_deltas(sums, age_weights / sums["points_scale"])
        return deltas

    def train(self, work_directory: Path, pool: Executor) -> np.ndarray:
        """Play all rounds, and return the change of both sets of weights per unit of each feature.

        Finished rounds are loaded from the work directory.
        """
        work_directory.mkdir(parents=True, exist_ok=True)
        finished_rounds: list[RuleSetSums] = []
        for round_index in range(self.rounds):
            file = work_directory / f"{self.name}-{round_index + 1}.npz"
            temporary_file = work_directory / "unfinished.npz"
            if not file.exists():
                start_time = time.monotonic()
                deltas = self.fit_to_last_rounds(finished_rounds)
                np.savez(temporary_file, **self.play_round(round_index, deltas, pool))
                temporary_file.rename(file)
                print(
                    f"{self.name} {round_index + 1}: {time.monotonic() - start_time:.0f} s",
                    flush=True,
                )
            with np.load(file) as saved_arrays:
                finished_rounds.append(dict(saved_arrays))
        return self.fit_to_last_rounds(finished_rounds)


def make_common_rules_part(rounds: int, rule_sets: int) -> TrainingPart:
    """Return the first part of the training, which fits the common features of the rules."""
    return TrainingPart(
        "round",
        sample_training_variants,
        TRAINING_SEED,
        rounds,
        rule_sets,
        FITTED_FEATURES_BY_PART[COMMON_RULES],
        np.zeros((N_RULE_FEATURES, N_WEIGHTS_FOR_BOTH_TYPES)),
    )


def make_later_part(
    name: str, part: LaterPart, rounds: int | None, rule_sets: int | None, deltas: np.ndarray
) -> TrainingPart:
    """Return a later part of the training, which fits the features of the rules of this part."""
    fixed_deltas = deltas.copy()
    fixed_deltas[np.r_[FITTED_FEATURES_BY_PART[name]]] = 0
    return TrainingPart(
        name,
        part.sample_variants,
        part.seed,
        rounds or part.rounds,
        rule_sets or part.rule_sets,
        FITTED_FEATURES_BY_PART[name],
        fixed_deltas,
    )


def find_work_directory(n_rule_sets: int | None) -> Path:
    """Return the directory for finished rounds, whose name is a digest of the training inputs."""
    inputs = [(STRATEGIES_DIRECTORY / "champion.npy").read_bytes(), Path(__file__).read_bytes()]
    digest = hashlib.sha256(b"".join([*inputs, str(n_rule_sets).encode()])).hexdigest()
    cache = jit.get_cache_directory()
    assert cache is not None, "the cache directory is not writable"
    return cache / f"champion-rules-{digest[:8]}"


def load_table_of_earlier_parts(start: str) -> np.ndarray:
    """Load strategies/champion-rules.npy without the features of the parts to repeat."""
    table = np.load(STRATEGIES_DIRECTORY / "champion-rules.npy").astype(np.float64)
    parts = list(FITTED_FEATURES_BY_PART)
    for part in parts[parts.index(start) :]:
        table[1 + np.r_[FITTED_FEATURES_BY_PART[part]], :N_WEIGHTS_FOR_BOTH_TYPES] = 0
    return table


def train_common_rules(args: argparse.Namespace, pool: Executor) -> np.ndarray:
    """Run the first part of the training, and return its table."""
    part = make_common_rules_part(
        args.rounds or TRAINING_ROUNDS, args.rule_sets or RULE_SETS_PER_ROUND
    )
    deltas = part.train(args.work, pool)
    table = np.concatenate([np.insert(deltas, 0, 0.0, axis=0), fit_log_odds(deltas, pool)], axis=1)
    return round_to_float32(table)


def train_later_part(
    name: str, part: LaterPart, table: np.ndarray, args: argparse.Namespace, pool: Executor
) -> np.ndarray:
    """Run a later part of the training, and return the table of all parts so far."""
    deltas, log_odds = np.split(table, [N_WEIGHTS_FOR_BOTH_TYPES], axis=1)
    later_part = make_later_part(name, part, args.rounds, args.rule_sets, deltas[1:])
    deltas = np.insert(later_part.train(args.work, pool), 0, 0.0, axis=0)
    return round_to_float32(np.concatenate([deltas, log_odds], axis=1))


def round_to_float32(table: np.ndarray) -> np.ndarray:
    """Round values to the precision of the file, so that `--start` does not change the result."""
    return table.astype(np.float32).astype(np.float64)


def train_all_parts(args: argparse.Namespace, pool: Executor) -> np.ndarray:
    """Run the training from the part `args.start`, and return the contents of the file."""
    if args.start == COMMON_RULES:
        table = train_common_rules(args, pool)
    else:
        table = load_table_of_earlier_parts(args.start)
    if args.start in (COMMON_RULES, RARE_RULES):
        table = train_later_part(RARE_RULES, RARE_RULES_PART, table, args, pool)
        table[:, -1] = 0
        table[1 + HIGH_UNDERCUT_INDEX, -1] = fit_prior_log_odds(table, pool)
    last_parts = {
        TURN_LIMITS: TURN_LIMITS_PART,
        INTERACTIONS: INTERACTIONS_PART,
        COMBINATIONS: COMBINATIONS_PART,
    }
    names = list(last_parts)
    first_index = names.index(args.start) if args.start in names else 0
    for name in names[first_index:]:
        table = train_later_part(name, last_parts[name], table, args, pool)
    return fit_deal_count_log_odds(table, pool)


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, help="rounds of each part")
    parser.add_argument("--rule-sets", type=int, help="rule sets per round")
    parser.add_argument(
        "--start",
        choices=FITTED_FEATURES_BY_PART,
        default=COMMON_RULES,
        help="first part to repeat; the results of earlier parts are loaded",
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--work", type=Path, help="directory for finished rounds")
    parser.add_argument("--out", type=Path, default=STRATEGIES_DIRECTORY / "champion-rules.npy")
    args = parser.parse_args()
    args.work = args.work or find_work_directory(args.rule_sets)
    with ProcessPoolExecutor(args.jobs) as pool:
        table = train_all_parts(args, pool)
    np.save(args.out, table.astype(np.float32))
    print(f"Output: {args.out}")


if __name__ == "__main__":
    main()
