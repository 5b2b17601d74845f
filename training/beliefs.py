"""Fit a model of the cards that the opponent holds, and write strategies/beliefs.npy.

    python training/beliefs.py                     # committed file: 3,000 deals per pair, seed 1
    python training/beliefs.py --deals 200 --out x.npy

The model is a logistic regression on one discard decision per deal. For each card that the player
has not seen, it predicts whether the card is in the opponent's hand. The features are the rank of
the card, the stage of the deal, and the relation of the card to the cards that the opponent
declined, took and discarded (simgin.toolkit.beliefs). The decision is sampled from all decisions of
a finished deal, and all samples have the same weight
(docs/explanation/decisions/0009-learning.md).

The script prints how well the fitted model and a uniform guess predict hands in held-out deals. It
also prints the mean deadwood by turn, which is in simgin.toolkit.opponent.MEAN_DEADWOOD_BY_TURN.
"""

import argparse
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from simgin.core.deadwood import deadwood
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import Decision, TracedDeal, trace_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import loader
from simgin.toolkit import beliefs as model

TRAINING_PLAYERS = ("simple", "gold", "gold-early", "gin-only")
RIDGE_PENALTY = (
    4.0  # penalty on squared log multipliers, which keeps multipliers of rare events near 1
)
NEWTON_STEPS = 8
N_DEADWOOD_TABLE_TURNS = 30  # number of turns in the table of mean deadwood


def iter_deals(pair: tuple[str, str], n_deals: int, seed: int) -> Iterator[TracedDeal]:
    """Yield single deals of two strategies with alternating seats under standard rules."""
    a, b = (loader.find_strategy(name) for name in pair)
    for unit in range(n_deals):
        player_0, player_1 = (a, b) if unit % 4 < 2 else (b, a)
        yield trace_deal(
            Matchup(variants.find_variant("standard"), player_0, player_1, seed, "deal"), unit
        )


def reconstruct_hands(deal: TracedDeal) -> list[list[int]]:
    """Return both hands, as masks, before each turn and after the last turn."""
    hands = list(deal.hands)
    history = [list(hands)]
    for seat, _, card, discarded_card in deal.turns:
        hands[seat] |= 1 << card
        if discarded_card >= 0:
            hands[seat] &= ~(1 << discarded_card)
        history.append(list(hands))
    return history


def sample_discard(deal: TracedDeal, rng: np.random.Generator) -> Decision | None:
    """Return a randomly chosen discard decision of a deal."""
    discards = [decision for decision in deal.decisions if decision.slot == "discard"]
    return discards[rng.integers(len(discards))] if discards else None


def compute_card_features(view: np.record) -> np.ndarray:
    """Return the features of each unseen card: the exponents of the odds multipliers.

    The exponents are computed with the model itself: if one multiplier is 2 and all others are 1,
    the odds are 2 to the power of the exponent.

    Args:
        view: View of the deciding player.

    Returns:
        Exponents, (n_cards, N_MULTIPLIERS) int8.
    """
    cards = [card for card in range(52) if int(view.unseen) >> card & 1]
    exponents = np.zeros((len(cards), model.N_MULTIPLIERS), np.int8)
    stage = model.find_initial_odds_index(view, 0)
    for row_index, card in enumerate(cards):
        exponents[row_index, stage + card % 13] = 1
    for multiplier_index in range(model.EVENT_MULTIPLIERS_OFFSET, model.N_MULTIPLIERS):
        multipliers, odds = np.ones(model.N_MULTIPLIERS), np.ones(52)
        multipliers[multiplier_index] = 2
        model.update_holding_odds(view, multipliers, 0, odds)
        exponents[:, multiplier_index] = np.log2(odds[cards])
    return exponents


def collect_decisions(
    pairs: list[tuple[str, str]], deals_per_pair: int, seed: int
) -> tuple[np.ndarray, np.ndarray, list[np.record]]:
    """Return the card features, the opponent's true cards and the views of random decisions."""
    rows, is_held, views = [], [], []
    for pair_index, pair in enumerate(pairs):
        rng = np.random.default_rng([seed, pair_index])
        for deal in iter_deals(pair, deals_per_pair, seed):
            decision = sample_discard(deal, rng)
            if decision is None:
                continue
            view = decision.view
            hand = reconstruct_hands(deal)[int(view.turns)][1 - decision.seat]
            cards = [card for card in range(52) if int(view.unseen) >> card & 1]
            rows.append(compute_card_features(view))
            is_held.append(np.array([hand >> card & 1 for card in cards], np.int8))
            views.append(view)
    return np.concatenate(rows), np.concatenate(is_held), views


def fit_multipliers(feature_rows: np.ndarray, is_held: np.ndarray) -> np.ndarray:
    """Fit the odds multipliers by logistic regression, rounded to four decimals."""
    log_multipliers = np.zeros(feature_rows.shape[1])
    for _ in range(NEWTON_STEPS):
        gradient, hessian = (
            -RIDGE_PENALTY * log_multipliers,
            RIDGE_PENALTY * np.eye(len(log_multipliers)),
        )
        for first_row in range(0, len(feature_rows), 1 << 16):
            x = feature_rows[first_row : first_row + (1 << 16)].astype(np.float64)
            p = 1 / (1 + np.exp(-x @ log_multipliers))
            gradient += x.T @ (is_held[first_row : first_row + (1 << 16)] - p)
            hessian += x.T @ (x * (p * (1 - p))[:, None])
        log_multipliers += np.linalg.solve(hessian, gradient)
    return np.round(np.exp(log_multipliers), 4)


def compute_prediction_losses(
    multipliers: np.ndarray, is_held: np.ndarray, views: list[np.record]
) -> dict[str, tuple[float, float]]:
    """Return the log-loss (nats) and the Brier score of the model and of a uniform guess."""
    fitted_probabilities, uniform_probabilities = [], []
    for view in views:
        cards = [card for card in range(52) if int(view.unseen) >> card & 1]
        probabilities = np.zeros(52)
        model.estimate_holdings(view, multipliers, 0, probabilities)
        fitted_probabilities.append(probabilities[cards])
        uniform_probabilities.append(
            np.full(len(cards), (10 - int(view.known).bit_count()) / len(cards))
        )
    return {
        name: _compute_log_loss_and_brier_score(np.concatenate(p), is_held)
        for name, p in (("beliefs", fitted_probabilities), ("uniform", uniform_probabilities))
    }


def _compute_log_loss_and_brier_score(p: np.ndarray, is_held: np.ndarray) -> tuple[float, float]:
    """Return the log-loss, in nats, and the Brier score of predicted probabilities."""
    likelihood = np.clip(np.where(is_held, p, 1 - p), 1e-9, 1)
    return float(-np.log(likelihood).mean()), float(((p - is_held) ** 2).mean())


def compute_mean_deadwood_by_turn(n_deals: int, seed: int) -> list[float]:
    """Return the mean deadwood of `gold-early` in self-play, by number of turns of the player.

    Hands after the last turn of a deal are excluded.
    """
    own_rules = build_rules(variants.find_variant("standard"))
    deadwood_sums, counts = np.zeros(N_DEADWOOD_TABLE_TURNS), np.zeros(N_DEADWOOD_TABLE_TURNS)
    for deal in iter_deals(("gold-early", "gold-early"), n_deals, seed):
        hands_by_turn, n_turns = reconstruct_hands(deal), [0, 0]
        turns_and_hands = zip(
            (turn[0] for turn in deal.turns[:-1]), hands_by_turn[1:], strict=False
        )
        for seat, hands in [(0, hands_by_turn[0]), (1, hands_by_turn[0]), *turns_and_hands]:
            if n_turns[seat] < N_DEADWOOD_TABLE_TURNS:
                deadwood_sums[n_turns[seat]] += deadwood(hands[seat], own_rules)
                counts[n_turns[seat]] += 1
            n_turns[seat] += 1
    return [round(float(t / s), 1) for t, s in zip(deadwood_sums, counts, strict=True) if s > 30]


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=3_000, help="deals per pair")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent.parent / "strategies" / "beliefs.npy"
    )
    args = parser.parse_args()
    pairs = list(combinations_with_replacement(TRAINING_PLAYERS, 2))
    rows, is_held, _ = collect_decisions(pairs, args.deals, args.seed)
    multipliers = fit_multipliers(rows, is_held)
    np.save(args.out, multipliers)
    size_text = f"{len(rows):,} cards of {args.deals * len(pairs):,} deals, seed {args.seed}"
    print(f"{size_text}. Output: {args.out}")
    _, is_held, views = collect_decisions(pairs, max(1, args.deals // 10), args.seed + 1)
    for name, (log_loss, brier_score) in compute_prediction_losses(
        multipliers, is_held, views
    ).items():
        loss_text = f"log-loss {log_loss:.4f} nats per card, Brier score {brier_score:.4f}"
        print(f"{name}: {loss_text} ({len(views):,} deals, seed {args.seed + 1})")
    print("mean deadwood by own turns:", *compute_mean_deadwood_by_turn(args.deals, args.seed))


if __name__ == "__main__":
    main()
