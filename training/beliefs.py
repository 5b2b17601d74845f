"""Fit the odds multipliers for the opponent's cards, and write strategies/beliefs.npy.

    python training/beliefs.py                     # committed file: 3,000 deals per pair, seed 1
    python training/beliefs.py --deals 200 --out x.npy

The model is a logistic regression on one discard decision per deal. For each card that the player
has not seen, it predicts if the card is in the opponent's hand. The features are the rank, the
stage of the deal, and the relation of the card to the cards that the opponent declined, took and
discarded (simgin.toolkit.beliefs). The decision is sampled from all decisions of a finished deal.
It is not yet weighted by their number (docs/explanation/decisions/0009-learning.md).

The script prints how well the fit and a uniform guess predict hands in held-out deals. It also
prints the mean deadwood by turn, which is in simgin.toolkit.opponent.COUNTS.
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
RIDGE = 4.0  # penalty on squared log multipliers, which keeps those of rare events near 1
NEWTON_STEPS = 8
MAX_TURNS = 30  # number of turns in the table of mean deadwood


def replay_deals(pair: tuple[str, str], n: int, seed: int) -> Iterator[TracedDeal]:
    """Yield single deals between two strategies under standard rules, alternating their seats."""
    a, b = (loader.find_strategy(name) for name in pair)
    for unit in range(n):
        player_0, player_1 = (a, b) if unit % 4 < 2 else (b, a)
        yield trace_deal(
            Matchup(variants.find_variant("standard"), player_0, player_1, seed, "deal"), unit
        )


def hands_before(deal: TracedDeal) -> list[list[int]]:
    """Return both hands as masks, before each turn and after the last turn."""
    hands = list(deal.hands)
    history = [list(hands)]
    for seat, _, card, thrown in deal.turns:
        hands[seat] |= 1 << card
        if thrown >= 0:
            hands[seat] &= ~(1 << thrown)
        history.append(list(hands))
    return history


def sample_discard(deal: TracedDeal, rng: np.random.Generator) -> Decision | None:
    """Return a randomly chosen discard decision of a deal."""
    discards = [decision for decision in deal.decisions if decision.slot == "discard"]
    return discards[rng.integers(len(discards))] if discards else None


def card_features(view: np.record) -> np.ndarray:
    """Return the features of each unseen card, which are the exponents of the odds multipliers.

    They are computed with the model itself: if one multiplier is 2 and all others are 1, the odds
    are 2 to the power of the exponent.

    Args:
        view: View of the deciding player.

    Returns:
        Exponents, (n_cards, N_MULTIPLIERS) int8.
    """
    cards = [card for card in range(52) if int(view.unseen) >> card & 1]
    exponents = np.zeros((len(cards), model.N_MULTIPLIERS), np.int8)
    stage = model.prior_offset(view, 0)
    for row, card in enumerate(cards):
        exponents[row, stage + card % 13] = 1
    for number in range(model.EVENTS_OFFSET, model.N_MULTIPLIERS):
        features, odds = np.ones(model.N_MULTIPLIERS), np.ones(52)
        features[number] = 2
        model.apply_history(view, features, 0, odds)
        exponents[:, number] = np.log2(odds[cards])
    return exponents


def collect_decisions(
    pairs: list[tuple[str, str]], n: int, seed: int
) -> tuple[np.ndarray, np.ndarray, list[np.record]]:
    """Sample decisions; return the features, a mask of the opponent's cards, and the views."""
    rows, held, views = [], [], []
    for number, pair in enumerate(pairs):
        rng = np.random.default_rng([seed, number])
        for deal in replay_deals(pair, n, seed):
            decision = sample_discard(deal, rng)
            if decision is None:
                continue
            view = decision.view
            hand = hands_before(deal)[int(view.turns)][1 - decision.seat]
            cards = [card for card in range(52) if int(view.unseen) >> card & 1]
            rows.append(card_features(view))
            held.append(np.array([hand >> card & 1 for card in cards], np.int8))
            views.append(view)
    return np.concatenate(rows), np.concatenate(held), views


def fit_multipliers(rows: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Fit the multipliers by Newton's method with a ridge penalty, rounded to four digits."""
    weights = np.zeros(rows.shape[1])
    for _ in range(NEWTON_STEPS):
        gradient, curvature = -RIDGE * weights, RIDGE * np.eye(len(weights))
        for first_row in range(0, len(rows), 1 << 16):
            x = rows[first_row : first_row + (1 << 16)].astype(np.float64)
            p = 1 / (1 + np.exp(-x @ weights))
            gradient += x.T @ (held[first_row : first_row + (1 << 16)] - p)
            curvature += x.T @ (x * (p * (1 - p))[:, None])
        weights += np.linalg.solve(curvature, gradient)
    return np.round(np.exp(weights), 4)


def prediction_losses(
    numbers: np.ndarray, held: np.ndarray, views: list[np.record]
) -> dict[str, tuple[float, float]]:
    """Return the log-loss (nats) and the Brier score per card of the fit and of a uniform guess."""
    believed, uniform = [], []
    for view in views:
        cards = [card for card in range(52) if int(view.unseen) >> card & 1]
        chances = np.zeros(52)
        model.estimate_holdings(view, numbers, 0, chances)
        believed.append(chances[cards])
        uniform.append(np.full(len(cards), (10 - int(view.known).bit_count()) / len(cards)))
    return {
        name: _log_and_brier(np.concatenate(p), held)
        for name, p in (("beliefs", believed), ("uniform", uniform))
    }


def _log_and_brier(p: np.ndarray, held: np.ndarray) -> tuple[float, float]:
    likelihood = np.clip(np.where(held, p, 1 - p), 1e-9, 1)
    return float(-np.log(likelihood).mean()), float(((p - held) ** 2).mean())


def mean_deadwood_by_turn(n: int, seed: int) -> list[float]:
    """Return the mean deadwood of gold-early in self-play, by number of turns of the player.

    Turns that end the deal are excluded.
    """
    own_rules = build_rules(variants.find_variant("standard"))
    total, counts = np.zeros(MAX_TURNS), np.zeros(MAX_TURNS)
    for deal in replay_deals(("gold-early", "gold-early"), n, seed):
        before, n_turns = hands_before(deal), [0, 0]
        turns_and_hands = zip((turn[0] for turn in deal.turns[:-1]), before[1:], strict=False)
        for seat, hands in [(0, before[0]), (1, before[0]), *turns_and_hands]:
            if n_turns[seat] < MAX_TURNS:
                total[n_turns[seat]] += deadwood(hands[seat], own_rules)
                counts[n_turns[seat]] += 1
            n_turns[seat] += 1
    return [round(float(t / s), 1) for t, s in zip(total, counts, strict=True) if s > 30]


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
    rows, held, _ = collect_decisions(pairs, args.deals, args.seed)
    numbers = fit_multipliers(rows, held)
    np.save(args.out, numbers)
    played = f"{len(rows):,} cards of {args.deals * len(pairs):,} deals, seed {args.seed}"
    print(f"{played}. Output: {args.out}")
    _, held, views = collect_decisions(pairs, max(1, args.deals // 10), args.seed + 1)
    for name, (nats, brier) in prediction_losses(numbers, held, views).items():
        loss = f"log-loss {nats:.4f} nats per card, Brier score {brier:.4f}"
        print(f"{name}: {loss} ({len(views):,} deals, seed {args.seed + 1})")
    print("mean deadwood by own turns:", *mean_deadwood_by_turn(args.deals, args.seed))


if __name__ == "__main__":
    main()
