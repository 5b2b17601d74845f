"""Test whether a rule of thumb, the rule of fourteen, predicts the opponent's cards.

    python benchmarks/rule_of_fourteen.py    # 2,000 deals of every pair, two or three minutes

According to this rule of thumb (rummytalk), the opponent's choices at one rank reveal cards of the
partner rank, which adds up to fourteen with this rank. Partners are A and K, 2 and Q, and so on; 7
is its own partner. training/beliefs.py fits a model of the opponent's hand to simulated deals. This
script adds three factors to the model. For each card of the partner rank that the opponent
declined, took or discarded, a factor multiplies the odds that the opponent holds an unseen card. A
factor of 1 means that the choice contains no information.

The same factors are fitted for ranks that add up to 12, 13, 15 and 16. If these factors are equally
large, fourteen is not special. Standard errors are jackknife estimates from ten groups of deals.
"""

import argparse
import importlib.util
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from simgin.stats.estimate import Z95
from simgin.toolkit import beliefs as model

PLAYERS = ("gold-early", "tonic-like", "marjj")
PARTNER_RANK_SUMS = (12, 13, 14, 15, 16)
N_JACKKNIFE_GROUPS = 10
BELIEFS_MODULE_SPEC = importlib.util.spec_from_file_location(
    "training_beliefs", Path(__file__).parent.parent / "training" / "beliefs.py"
)
beliefs_training = importlib.util.module_from_spec(BELIEFS_MODULE_SPEC)
BELIEFS_MODULE_SPEC.loader.exec_module(beliefs_training)


def count_partner_choices(view: np.record, rank_sum: int) -> np.ndarray:
    """Count, for each unseen card, the opponent's choices at the partner rank.

    The choices are declined, taken and discarded cards. The partner rank and the rank of the card
    add up to `rank_sum`.

    Returns:
        `(n_cards, 3) int8`.
    """
    counts = np.zeros((3, 13), np.int8)
    for i in range(int(view.turns)):
        if view.history[i, 0] == view.seat:
            continue
        event, card = model.find_turn_event(view, i)
        if event >= 0:
            counts[event, card % 13] += 1
        counts[model.EVENT_DISCARDED, int(view.history[i, 3]) % 13] += 1
    rows = []
    for card in range(52):
        if int(view.unseen) >> card & 1:
            partner_rank = (
                rank_sum - 2 - card % 13
            )  # The first rank is 0 in simgin but 1 in the rule.
            rows.append(counts[:, partner_rank] if 0 <= partner_rank < 13 else np.zeros(3, np.int8))
    return np.array(rows)


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=2_000, help="number of deals of every pair")
    args = parser.parse_args()
    pairs = list(combinations_with_replacement(PLAYERS, 2))
    rows, is_held, views = beliefs_training.collect_decisions(pairs, args.deals, 3)
    group_indices = np.repeat(
        np.arange(len(views)) % N_JACKKNIFE_GROUPS, [int(view.unseen).bit_count() for view in views]
    )
    print(f"{len(views):,} deals of {', '.join(PLAYERS)}, seed 3")
    print(
        "Factors on the odds if the opponent declined, took or discarded a card of the other rank:"
    )
    for rank_sum in PARTNER_RANK_SUMS:
        choices = np.hstack(
            [rows, np.concatenate([count_partner_choices(view, rank_sum) for view in views])]
        )
        log_factors = np.log(beliefs_training.fit_multipliers(choices, is_held)[-3:])
        factors_without_group = [
            beliefs_training.fit_multipliers(
                choices[group_indices != k], is_held[group_indices != k]
            )[-3:]
            for k in range(N_JACKKNIFE_GROUPS)
        ]
        log_factors_without_group = np.log(np.array(factors_without_group))
        squared_deviations = (
            (log_factors_without_group - log_factors_without_group.mean(axis=0)) ** 2
        ).sum(axis=0)
        se = np.sqrt((N_JACKKNIFE_GROUPS - 1) / N_JACKKNIFE_GROUPS * squared_deviations)
        factors = zip(np.exp(log_factors), Z95 * np.exp(log_factors) * se, strict=True)
        print(
            f"ranks that add up to {rank_sum}: "
            + ", ".join(f"{factor:.3f} ± {half_width:.3f}" for factor, half_width in factors)
        )


if __name__ == "__main__":
    main()
