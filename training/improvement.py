"""Estimate how much discards improve the opponent's hand, and write strategies/improvement.npy.

    python training/improvement.py                 # committed file: 4,000 deals per pair, seed 1
    python training/improvement.py --deals 200 --out x.npy

At each discard in simulated deals, each unmatched card is added to the opponent's actual hand. The
table contains the mean decrease of the opponent's deadwood. A cell of the table stands for the rank
of the card and the locations of the cards that would meld with it
(strategies/ginrummy_and_tonic.py). Cells with fewer than 100 observations are scaled down, as in
the original program.
"""

import argparse
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from beliefs import TRAINING_PLAYERS, iter_deals, reconstruct_hands
from simgin_strategies.ginrummy_and_tonic import (
    N_NEIGHBOUR_COMBINATIONS,
    N_RANKS,
    N_SAME_RANK_COMBINATIONS,
    find_improvement_index,
)

from simgin.core.deadwood import best_discards, deadwood
from simgin.play.traced_deal import TracedDeal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.toolkit import unmatched_cards

# Number of observations below which a cell is scaled down
MIN_OBSERVATIONS = 100
STANDARD_RULES = build_rules(variants.find_variant("standard"))


def compute_deadwood_drops(deal: TracedDeal) -> list[tuple[int, int]]:
    """Return the table cell and the opponent's deadwood decrease for each possible discard."""
    hands = reconstruct_hands(deal)
    drops = []
    for decision in deal.decisions:
        if decision.slot != "discard":
            continue
        view = decision.view
        opponent_hand = hands[int(view.turns)][1 - decision.seat]
        deadwood_points = deadwood(opponent_hand, STANDARD_RULES)
        cards = int(unmatched_cards(view.hand, STANDARD_RULES))
        for card in range(52):
            if cards >> card & 1:
                extended_hand = opponent_hand | 1 << card
                deadwood_after, _ = best_discards(extended_hand, extended_hand, STANDARD_RULES)
                drops.append(
                    (
                        find_improvement_index(card, view.known, view.unseen),
                        deadwood_points - deadwood_after,
                    )
                )
    return drops


def compute_mean_deadwood_drops(
    pairs: list[tuple[str, str]], n_deals: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean decrease in deadwood and the number of observations for each table cell."""
    drop_sums = np.zeros(N_RANKS * N_SAME_RANK_COMBINATIONS * N_NEIGHBOUR_COMBINATIONS)
    counts = np.zeros(N_RANKS * N_SAME_RANK_COMBINATIONS * N_NEIGHBOUR_COMBINATIONS, np.int64)
    for pair in pairs:
        for deal in iter_deals(pair, n_deals, seed):
            for cell, drop in compute_deadwood_drops(deal):
                drop_sums[cell] += drop
                counts[cell] += 1
    return drop_sums / np.maximum(counts, 1), counts


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=4_000, help="deals per pair")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent.parent / "strategies" / "improvement.npy"
    )
    args = parser.parse_args()
    pairs = list(combinations_with_replacement(TRAINING_PLAYERS, 2))
    mean_drops, counts = compute_mean_deadwood_drops(pairs, args.deals, args.seed)
    table = np.round(mean_drops * np.minimum(counts / MIN_OBSERVATIONS, 1), 3)
    np.save(args.out, table)
    print(f"{counts.sum():,} cards in {np.count_nonzero(counts):,} cells, seed {args.seed}")
    print(f"mean decrease {mean_drops @ counts / counts.sum():.3f}. Output: {args.out}")


if __name__ == "__main__":
    main()
