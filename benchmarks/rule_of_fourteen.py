"""Test of the rule of fourteen: play at one rank reveals the rank that adds up to fourteen with it.

    python benchmarks/rule_of_fourteen.py    # 2,000 deals of every pair, two or three minutes

The pairs of ranks are A and K, 2 and Q, and so on; 7 pairs with itself. rummytalk's advisers state
the rule. Beside everything that training/beliefs.py fits to logged deals, three more numbers are
fitted: the factors on the odds of an unseen card for every card of the other rank that the opponent
declined, took or discarded. A factor of 1 means no information.

The same is fitted for ranks that add up to 12, 13, 15 and 16. If those reveal as much, there is
nothing special about fourteen. Errors are jackknife errors over ten groups of deals.
"""

import argparse
import importlib.util
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from simgin.stats.estimate import Z95
from simgin.toolkit import beliefs as model

PLAYERS = ("gold-early", "tonic-like", "marjj")
TOTALS = (12, 13, 14, 15, 16)
GROUPS = 10
SPEC = importlib.util.spec_from_file_location(
    "training_beliefs", Path(__file__).parent.parent / "training" / "beliefs.py"
)
training = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(training)


def seen_at_partners(view: np.record, total: int) -> np.ndarray:
    """Counts for each unseen card of the opponent's choices at its partner rank: int8 (cards, 3).

    The choices are cards declined, taken and discarded. The partner rank adds up to `total` with
    the card's own.
    """
    counts = np.zeros((3, 13), np.int8)
    for i in range(int(view.turns)):
        if view.history[i, 0] == view.seat:
            continue
        kind, card = model.began(view, i)
        if kind >= 0:
            counts[kind, card % 13] += 1
        counts[model.THROWN, int(view.history[i, 3]) % 13] += 1
    rows = []
    for card in range(52):
        if int(view.unseen) >> card & 1:
            partner = total - 2 - card % 13  # ranks count from 0 here, from 1 at the table
            rows.append(counts[:, partner] if 0 <= partner < 13 else np.zeros(3, np.int8))
    return np.array(rows)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=2_000, help="deals of every pair")
    args = parser.parse_args()
    pairs = list(combinations_with_replacement(PLAYERS, 2))
    rows, held, views = training.logged(pairs, args.deals, 3)
    group = np.repeat(
        np.arange(len(views)) % GROUPS, [int(view.unseen).bit_count() for view in views]
    )
    print(f"{len(views):,} deals of {', '.join(PLAYERS)}, seed 3")
    print("factors on the odds if the opponent declined, took, discarded a card of the other rank")
    for total in TOTALS:
        more = np.hstack([rows, np.concatenate([seen_at_partners(view, total) for view in views])])
        logs = np.log(training.fit(more, held)[-3:])
        without = [training.fit(more[group != k], held[group != k])[-3:] for k in range(GROUPS)]
        left_out = np.log(np.array(without))
        squares = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
        se = np.sqrt((GROUPS - 1) / GROUPS * squares)
        factors = zip(np.exp(logs), Z95 * np.exp(logs) * se, strict=True)
        print(
            f"adding up to {total}: "
            + ", ".join(f"{factor:.3f} ± {half:.3f}" for factor, half in factors)
        )


if __name__ == "__main__":
    main()
