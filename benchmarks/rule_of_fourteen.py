"""The rule of fourteen: does what a player does at one rank tell of the rank that adds up to fourteen with it (A and K, 2 and Q, ... 7)?

    python benchmarks/rule_of_fourteen.py            # 2,000 deals of every pair, two or three minutes

rummytalk's advisers say it does. Beside everything that training/beliefs.py fits to logged deals, three more numbers are fitted: the
factors on the odds of an unseen card for every card of the other rank that the opponent declined, took or threw. 1 means: it tells
nothing. The same for ranks that add up to 12, 13, 15 and 16: if those tell as much, there is nothing in fourteen. Errors are of leaving out
each of ten groups of deals.
"""

import argparse
import importlib.util
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from simgin.stats.ratios import Z95
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
    """For each unseen card how many cards of the rank that adds up with its own the opponent declined, took and threw: int8 (cards, 3)."""
    counts = np.zeros((3, 13), np.int8)
    for i in range(int(view.turns)):
        if view.history[i, 0] == view.seat:
            continue
        kind, card = model.began(view, i)
        if kind >= 0:
            counts[kind, card % 13] += 1
        counts[model.THROWN, int(view.history[i, 3]) % 13] += 1
    partner = [
        total - 2 - rank for rank in range(13)
    ]  # ranks count from 0 here, from 1 at the table
    none = np.zeros(3, np.int8)
    cards = [card for card in range(52) if int(view.unseen) >> card & 1]
    return np.array(
        [counts[:, partner[card % 13]] if 0 <= partner[card % 13] < 13 else none for card in cards]
    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=2_000, help="deals of every pair")
    given = parser.parse_args()
    pairs = list(combinations_with_replacement(PLAYERS, 2))
    rows, held, views = training.logged(pairs, given.deals, 3)
    group = np.repeat(
        np.arange(len(views)) % GROUPS, [int(view.unseen).bit_count() for view in views]
    )
    print(
        f"{len(views):,} deals of {', '.join(PLAYERS)}, seed 3: factor on the odds when he declined, took, threw a card of the other rank"
    )
    for total in TOTALS:
        more = np.hstack([rows, np.concatenate([seen_at_partners(view, total) for view in views])])
        found = np.log(training.fit(more, held)[-3:])
        left = np.array(
            [np.log(training.fit(more[group != k], held[group != k])[-3:]) for k in range(GROUPS)]
        )
        se = np.sqrt((GROUPS - 1) / GROUPS * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
        factors = zip(np.exp(found), Z95 * np.exp(found) * se, strict=True)
        print(
            f"adding up to {total}: "
            + ", ".join(f"{factor:.3f} ± {half:.3f}" for factor, half in factors)
        )


if __name__ == "__main__":
    main()
