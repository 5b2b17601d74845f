"""Test the rule of fourteen against the play of built-in strategies.

    python benchmarks/rule_of_fourteen.py    # 2,000 deals of every pair, two or three minutes

According to the rule, play at one rank reveals the rank that adds up to fourteen with it. The pairs
are A and K, 2 and Q, and so on; 7 is paired with itself. The rule is from the advisers of
rummytalk. training/beliefs.py fits a model of the opponent's hand to logged deals. This script adds
three factors to the model. They multiply the odds of an unseen card for every card of the other
rank that the opponent declined, took or discarded. A factor of 1 means no information.

The same factors are fitted for ranks that add up to 12, 13, 15 and 16. If these reveal as much,
fourteen is not special. Errors are jackknife errors over ten groups of deals.
"""

import argparse
import importlib.util
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from simgin.stats.estimate import Z95
from simgin.toolkit import beliefs as model

LOGGED_PLAYERS = ("gold-early", "tonic-like", "marjj")
RANK_TOTALS = (12, 13, 14, 15, 16)
N_GROUPS = 10
MODULE_SPEC = importlib.util.spec_from_file_location(
    "training_beliefs", Path(__file__).parent.parent / "training" / "beliefs.py"
)
training = importlib.util.module_from_spec(MODULE_SPEC)
MODULE_SPEC.loader.exec_module(training)


def count_partner_choices(view: np.record, total: int) -> np.ndarray:
    """Count the opponent's choices at the partner rank of each unseen card.

    The choices are cards declined, taken and discarded. The partner rank adds up to `total` with
    the rank of the card.

    Returns:
        `(n_cards, 3) int8`.
    """
    counts = np.zeros((3, 13), np.int8)
    for i in range(int(view.turns)):
        if view.history[i, 0] == view.seat:
            continue
        kind, card = model.find_turn_event(view, i)
        if kind >= 0:
            counts[kind, card % 13] += 1
        counts[model.EVENT_DISCARDED, int(view.history[i, 3]) % 13] += 1
    rows = []
    for card in range(52):
        if int(view.unseen) >> card & 1:
            partner = total - 2 - card % 13  # Ranks start at 0 in simgin and at 1 in the rule.
            rows.append(counts[:, partner] if 0 <= partner < 13 else np.zeros(3, np.int8))
    return np.array(rows)


def main() -> None:
    """Parse the command line, fit the factors and print them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=2_000, help="number of deals of every pair")
    args = parser.parse_args()
    pairs = list(combinations_with_replacement(LOGGED_PLAYERS, 2))
    rows, held, views = training.collect_decisions(pairs, args.deals, 3)
    group = np.repeat(
        np.arange(len(views)) % N_GROUPS, [int(view.unseen).bit_count() for view in views]
    )
    print(f"{len(views):,} deals of {', '.join(LOGGED_PLAYERS)}, seed 3")
    print(
        "Factors on the odds if the opponent declined, took or discarded a card of the other rank:"
    )
    for total in RANK_TOTALS:
        choices = np.hstack(
            [rows, np.concatenate([count_partner_choices(view, total) for view in views])]
        )
        logs = np.log(training.fit_multipliers(choices, held)[-3:])
        without = [
            training.fit_multipliers(choices[group != k], held[group != k])[-3:]
            for k in range(N_GROUPS)
        ]
        left_out = np.log(np.array(without))
        squares = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
        se = np.sqrt((N_GROUPS - 1) / N_GROUPS * squares)
        factors = zip(np.exp(logs), Z95 * np.exp(logs) * se, strict=True)
        print(
            f"ranks that add up to {total}: "
            + ", ".join(f"{factor:.3f} ± {half:.3f}" for factor, half in factors)
        )


if __name__ == "__main__":
    main()
