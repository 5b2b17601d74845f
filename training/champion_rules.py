"""Train how the weights of `champion` depend on the rules, and write strategies/champion-rules.npy.

    python training/champion_rules.py                # committed file: half an hour on one core
    python training/champion_rules.py --rounds 1 --rule-sets 4 --out x.npy

The weights for a rule set are the weights of strategies/champion.npy plus a linear function of the
features of the rules (strategies/_champion_rules.py). So are the log odds of the opponent's type.
Each round plays deals under random rule sets with the weights of the previous rounds, and rolls out
decisions as in simgin/learn/champion_weights.py. The decisions under all rule sets together give
one regression, in which every feature of an action is multiplied by every feature of the rules.
Finished rounds are stored in --work, so an interrupted training resumes.
"""

import argparse
import hashlib
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import N_FEATURES, N_STAGES
from simgin_strategies._champion_rules import N_RULE_FEATURES, compute_rule_features

from simgin.core import jit
from simgin.learn import champion_weights
from simgin.learn.champion_weights import ChampionTrainer
from simgin.learn.random_rules import sample_variant, two_player_names
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
ROUNDS, RULE_SETS, SEED = 8, 96, 20261128
# Numbers of deals for discards, knocks and takes, by type of opponent in the order of the weights
DEALS = {"wait_for_gin": (6000, 4500, 3000), "knock_immediately": (3000, 2500, 1500)}
SEED_STRIDE = 1000  # difference between the seeds of successive rule sets
N_MATCHES = 150  # number of matches per opponent that sample scores
VALUE_DEALS = 40_000  # number of deals for the win probability by score
DECAY = 0.9  # factor for the sums of previous rounds
WINDOW = 8  # number of rounds in a regression
BONUS_FEATURES = (*range(8), *range(16, 32))  # features of the rules that change the log odds
# Parameters for the odds of the opponent's type: number of random rule sets, number of matches per
# opponent, ridge penalty, and minimum likelihood ratio, which is the inverse of the maximum
ODDS_RULE_SETS, ODDS_MATCHES, ODDS_PENALTY, MIN_RATIO = 100, 400, 1.0, 1e-3
# Ridge penalties, as numbers of average rule sets in which a feature of the rules changes nothing.
# These penalties predict the sums of other rule sets best (threefold cross-validation in the first
# round).
PENALTIES = {"discards": 11.0, "takes": 6.0, "knocks": 1.5}
RIDGE = 40.0  # penalty on the squares of all weights, in decisions
STEPS, TOLERANCE = 400, 1e-5  # number of steps and tolerance of the method of conjugate gradients

N_DELTAS = 2 * player.BLEND_SIZE  # number of weights in both sets
Sums = dict[str, np.ndarray]  # sums of one rule set, or of several along the first axis


# Deals under one rule set


def initial_sets(rules: np.record) -> dict[str, np.ndarray]:
    """Return champion's weights for the most similar rules, by type of opponent."""
    numbers = np.load(STRATEGIES / "champion.npy").astype(np.float64)
    blends = numbers[player.find_rules_offset(rules) :][: player.OPPONENT_OFFSET]
    patient, *_, hasty = blends.reshape(player.N_BLENDS, player.BLEND_SIZE)
    return dict(zip(DEALS, (patient, hasty), strict=True))


def play_rule_set(variant: Variant, deltas: np.ndarray, seed: int) -> Sums:
    """Play training deals under one rule set.

    Args:
        variant: Rules.
        deltas: Change of both sets of weights per unit of each feature of the rules,
            (N_RULE_FEATURES, 2 * BLEND_SIZE).
        seed: Seed of the deals.

    Returns:
        The features of the rules, and for each type of opponent and decision the sums of squares
        and of products, minus the sums that the initial weights explain.
    """
    rules = build_rules(variant)
    found: Sums = {"features": compute_rule_features(rules)}
    changes = np.split(found["features"] @ deltas, len(DEALS))
    initial = initial_sets(rules)
    for number, (kind, change) in enumerate(zip(DEALS, changes, strict=True)):
        trainer = ChampionTrainer(
            champion_weights.training_opponents(kind),
            initial[kind] + change,
            seed + number,
            variant,
            1,
            is_trained=True,
            value_deals=VALUE_DEALS,
        )
        add_all_decisions(trainer, kind)
        for name, (squares, products) in trainer.sums.items():
            explained = np.einsum("...ij,...j->...i", squares, split(initial[kind])[name])
            residuals = equity_scale(trainer) * products - explained
            found[f"{kind} {name} squares"] = squares.astype(np.float32)
            found[f"{kind} {name} products"] = residuals.astype(np.float32)
    return found


def add_all_decisions(trainer: ChampionTrainer, kind: str) -> None:
    """Add all decisions against one type of opponent to the least-squares sums."""
    trainer.n_matches = N_MATCHES
    trainer.sample_scores()
    n_discards, n_knocks, n_takes = DEALS[kind]
    trainer.add_discards(n_discards)
    trainer.add_knocks(n_knocks)
    trainer.add_takes(n_takes)


def equity_scale(trainer: ChampionTrainer) -> float:
    """Return the factor that converts equity to approximate points, for any match target."""
    goal, target = (trainer.variant.params[name] for name in ("goal", "points_target"))
    if goal != "points" or trainer.equity is champion_weights.point_equity:
        return 1.0
    return int(str(target)) / 100


def split(weights: np.ndarray) -> dict[str, np.ndarray]:
    """Split one set of weights by type of decision, with a leading axis for the stages."""
    return {
        "discards": weights[: N_STAGES * N_FEATURES].reshape(N_STAGES, N_FEATURES),
        "knocks": weights[player.KNOCK_OFFSET : player.TAKE_OFFSET],
        "takes": weights[player.TAKE_OFFSET :].reshape(N_STAGES, player.N_TAKE_FEATURES),
    }


# Regression on the decisions under all rule sets


def solve_joint(
    features: np.ndarray, squares: np.ndarray, residuals: np.ndarray, penalty: np.ndarray
) -> np.ndarray:
    """Solve the joint ridge regression of all rule sets with the conjugate gradient method.

    Args:
        features: Features of the rules, (n, n_rule_features).
        squares: Sums of squares, (n, size, size).
        residuals: Sums of products, minus the sums that the initial weights explain, (n, size).
        penalty: Penalty matrix, (size, size).

    Returns:
        Change of the weights per unit of each feature of the rules, (n_rule_features, size).
    """

    def multiply(deltas: np.ndarray) -> np.ndarray:
        shifts = (features @ deltas).astype(np.float32)
        pulled = np.matmul(squares, shifts[:, :, None])[:, :, 0]
        product: np.ndarray = features.T @ pulled + deltas @ penalty
        return product

    diagonal = (features**2).T @ np.einsum("nii->ni", squares) + np.diag(penalty)
    residual = features.T @ residuals
    deltas = np.zeros_like(residual)
    scaled = residual / diagonal
    direction, norm = scaled.copy(), (residual * scaled).sum()
    least = TOLERANCE**2 * norm
    for _ in range(STEPS):
        if norm <= least:
            break
        product = multiply(direction)
        step = norm / (direction * product).sum()
        deltas += step * direction
        residual -= step * product
        scaled = residual / diagonal
        norm, previous = (residual * scaled).sum(), norm
        direction = scaled + norm / previous * direction
    return deltas


def fit_by_stage(
    features: np.ndarray, squares: np.ndarray, residuals: np.ndarray, penalty: float
) -> np.ndarray:
    """Fit a change for all stages together, and then a change for each stage.

    Returns:
        Changes, (n_rule_features, n_stages * size).
    """
    ridge, n_stages = RIDGE * np.eye(squares.shape[-1]), squares.shape[1]
    mean = squares.mean(axis=0, dtype=np.float64)
    matrix = penalty * mean.sum(axis=0) + ridge
    common = solve_joint(features, squares.sum(axis=1), residuals.sum(axis=1), matrix)
    shifts = features @ common
    weights = []
    for stage in range(n_stages):
        stage_squares = squares[:, stage]
        remainder = residuals[:, stage] - np.einsum("nij,nj->ni", stage_squares, shifts)
        matrix = n_stages * penalty * mean[stage] + ridge
        weights.append(common + solve_joint(features, stage_squares, remainder, matrix))
    return np.concatenate(weights, axis=1)


def fit_deltas(sums: Sums, importance: np.ndarray) -> np.ndarray:
    """Fit how both sets of weights change per unit of each rule feature.

    Args:
        sums: Sums of all rule sets.
        importance: Weight of each rule set.
    """
    scale = np.sqrt(importance)[:, None]
    features, parts = sums["features"] * scale, []
    for kind in DEALS:
        for name in ("discards", "knocks", "takes"):
            squares, residuals = sums[f"{kind} {name} squares"], sums[f"{kind} {name} products"]
            if name == "knocks":
                penalty = champion_weights.knock_penalty(champion_weights.REFINEMENT_LEVEL_PENALTY)
                penalty = penalty + PENALTIES[name] * squares.mean(axis=0, dtype=np.float64)
                parts.append(solve_joint(features, squares, residuals * scale, penalty))
            else:
                weighted = residuals * scale[..., None]
                parts.append(fit_by_stage(features, squares, weighted, PENALTIES[name]))
    return np.concatenate(parts, axis=1)


# Odds of the opponent's type


def measure_log_odds(variant: Variant, deltas: np.ndarray, seed: int) -> np.ndarray:
    """Return the log odds, under one rule set, that the opponent knocks immediately, (N_ODDS,)."""
    rules = build_rules(variant)
    changes = np.split(compute_rule_features(rules) @ deltas, len(DEALS))
    initial = initial_sets(rules).values()
    sets = [weights + change for weights, change in zip(initial, changes, strict=True)]
    ratios = champion_weights.likelihood_ratios(*sets, seed, variant, ODDS_MATCHES, 1)
    all_ratios = np.concatenate([ratio.ravel() for ratio in ratios])
    log_odds: np.ndarray = np.log(np.clip(all_ratios, MIN_RATIO, 1 / MIN_RATIO))
    return log_odds


def fit_log_odds(deltas: np.ndarray, pool: Executor) -> np.ndarray:
    """Fit the log odds under the rules of eaai and their change per unit of each rule feature.

    Only bonuses change the log odds, because they change the points of a won deal. The regression
    on all features keeps the effects of other rules apart.

    Returns:
        Constants and changes, (1 + N_RULE_FEATURES, N_ODDS).
    """
    rng = np.random.default_rng([SEED, ODDS_RULE_SETS])
    named_variants = [variants.find_variant(name) for name in two_player_names()]
    named_variants += [sample_variant(rng) for _ in range(ODDS_RULE_SETS)]
    seeds = [SEED - SEED_STRIDE * (1 + index) for index in range(len(named_variants))]
    log_odds = np.stack(list(pool.map(measure_log_odds, named_variants, repeat(deltas), seeds)))
    features = np.stack([compute_rule_features(build_rules(variant)) for variant in named_variants])
    x = np.insert(features, 0, 1.0, axis=1)
    penalty = ODDS_PENALTY * np.diag([0.0, *np.ones(N_RULE_FEATURES)])
    coefficients: np.ndarray = np.linalg.solve(x.T @ x + penalty, x.T @ log_odds)
    coefficients[1:][np.isin(np.arange(N_RULE_FEATURES), BONUS_FEATURES, invert=True)] = 0
    return coefficients


# Rounds


def play_round(number: int, deltas: np.ndarray, rule_sets: int, pool: Executor) -> Sums:
    """Play one training round with random rule sets."""
    rng = np.random.default_rng([SEED, number])
    sampled_variants = [sample_variant(rng) for _ in range(rule_sets)]
    seeds = SEED + SEED_STRIDE * np.arange(number * rule_sets, (number + 1) * rule_sets)
    sums = list(pool.map(play_rule_set, sampled_variants, repeat(deltas), map(int, seeds)))
    return {name: np.stack([rule_set[name] for rule_set in sums]) for name in sums[0]}


def fit_window(played: Sequence[Sums]) -> np.ndarray:
    """Fit the weights to the last rounds, giving less weight to older rounds."""
    last_rounds = played[-WINDOW:]
    sums = {name: np.concatenate([row[name] for row in last_rounds]) for name in last_rounds[0]}
    ages = np.arange(len(last_rounds))[::-1]
    return fit_deltas(sums, np.repeat(DECAY**ages, len(last_rounds[0]["features"])))


def train(rounds: int, rule_sets: int, work: Path, pool: Executor) -> np.ndarray:
    """Train how both sets of weights change per unit of each rule feature."""
    work.mkdir(parents=True, exist_ok=True)
    played: list[Sums] = []
    for number in range(rounds):
        file, unfinished = work / f"round-{number + 1}.npz", work / "unfinished.npz"
        if not file.exists():
            began = time.monotonic()
            deltas = fit_window(played) if played else np.zeros((N_RULE_FEATURES, N_DELTAS))
            np.savez(unfinished, **play_round(number, deltas, rule_sets, pool))
            unfinished.rename(file)
            print(f"round {number + 1}: {time.monotonic() - began:.0f} s", flush=True)
        with np.load(file) as saved_arrays:
            played.append(dict(saved_arrays))
    return fit_window(played)


def default_work_directory(rule_sets: int) -> Path:
    """Return the directory of finished rounds, whose name is a digest of the training's inputs."""
    inputs = [(STRATEGIES / "champion.npy").read_bytes(), Path(__file__).read_bytes()]
    digest = hashlib.sha256(b"".join([*inputs, str(rule_sets).encode()])).hexdigest()
    cache = jit.cache_directory()
    assert cache is not None, "the cache directory is not writable"
    return cache / f"champion-rules-{digest[:8]}"


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--rule-sets", type=int, default=RULE_SETS, help="rule sets per round")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--work", type=Path, help="directory for finished rounds")
    parser.add_argument("--out", type=Path, default=STRATEGIES / "champion-rules.npy")
    args = parser.parse_args()
    work = args.work or default_work_directory(args.rule_sets)
    with ProcessPoolExecutor(args.jobs) as pool:
        deltas = train(args.rounds, args.rule_sets, work, pool)
        log_odds = fit_log_odds(deltas, pool)
    rows = np.concatenate([np.insert(deltas, 0, 0.0, axis=0), log_odds], axis=1)
    np.save(args.out, rows.astype(np.float32))
    print(f"Output: {args.out}")


if __name__ == "__main__":
    main()
