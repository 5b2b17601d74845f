"""Test the calibration of the opponent's hands that simgin samples.

    python benchmarks/likely_hands.py            (five minutes)

The script plays deals that were not used for training. At one decision of each deal, it samples the
opponent's hand many times (simgin.toolkit.hand_sampling). It compares the sampled probability that
the opponent holds a card with the observed frequency. The Brier score (mean squared error per card)
is compared with the scores of two other models.
"""

import argparse
from pathlib import Path

import numpy as np

from simgin.analysis.world_sampling import sample_worlds
from simgin.core.cards import ALL_CARDS
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.text import notation
from simgin.toolkit import beliefs

STRATEGIES_DIRECTORY = Path(__file__).resolve().parent.parent / "strategies"
OPPONENTS = (("champion", 0.0), ("gold-early", 0.0), ("marjj", 0.0), ("simple", 1.0), ("gold", 1.0))
HANDS_PER_DECISION = 200


def predict_opponent_cards(variant: str, n_deals: int, seed: int) -> np.ndarray:
    """Predict with three models whether the opponent holds each card, and add the truth.

    Returns:
        `(n_cards, 4) float64`. The columns are the probability in sampled hands, the probability
        from `beliefs.estimate_holdings`, the probability if all cards are equally likely, and 1 if
        the opponent holds the card, otherwise 0.
    """
    multipliers = np.load(STRATEGIES_DIRECTORY / "beliefs.npy")
    rules = build_rules(variants.find_variant(variant))
    rng = np.random.default_rng(seed)
    rows = []
    for opponent, knock_probability in OPPONENTS:
        matchup = parse_matchup("champion", opponent, variant, seed, "deal")
        for unit in range(n_deals // len(OPPONENTS)):
            deal = trace_deal(matchup, unit)
            views = [q.view for q in deal.decisions if q.seat == 0 and q.view.turns > 0]
            if not views:
                continue
            view = views[rng.integers(len(views))]
            probabilities = np.zeros(52)
            hands = sample_worlds(
                view, rules, HANDS_PER_DECISION, unit, p_immediate_knock=knock_probability
            ).hands
            beliefs.estimate_holdings(view, multipliers, 0, probabilities)
            stock = sum(1 << int(card) for card in deal.state.pack[52 - int(view.stock) :])
            hand = ALL_CARDS & ~(int(view.hand) | int(view.pile) | stock)
            cards = np.array(notation.mask_to_cards(int(view.unseen)))
            sampled_probabilities = (hands[:, None] >> cards & 1).mean(axis=0)
            uniform_probabilities = np.full(
                len(cards), (10 - int(view.known).bit_count()) / len(cards)
            )
            rows.append(
                np.stack(
                    [
                        sampled_probabilities,
                        probabilities[cards],
                        uniform_probabilities,
                        hand >> cards & 1,
                    ],
                    axis=1,
                )
            )
    return np.concatenate(rows)


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--variant", default="eaai")
    parser.add_argument("--deals", type=int, default=8_000)
    parser.add_argument("--seed", type=int, default=6060)
    args = parser.parse_args()
    rows = predict_opponent_cards(args.variant, args.deals, args.seed)
    sampled_probabilities, is_held = rows[:, 0], rows[:, 3]
    print("| sampled probability | cards | mean probability % | cards held % |\n|---|---|---|---|")
    for lower_bound in range(0, 100, 10):
        in_bin = (sampled_probabilities >= lower_bound / 100) & (
            sampled_probabilities < (lower_bound + 10) / 100
        )
        n = int(in_bin.sum())
        frequency = is_held[in_bin].mean()
        half_width = 196 * np.sqrt(frequency * (1 - frequency) / n)
        mean_text = f"{100 * sampled_probabilities[in_bin].mean():.1f}"
        frequency_text = f"{100 * frequency:.1f} ± {half_width:.1f}"
        print(f"| {lower_bound} to {lower_bound + 10} % | {n:,} | {mean_text} | {frequency_text} |")
    names = ("sampled hands", "single cards (`estimate_holdings`)", "uniform")
    scores = ((rows[:, :3] - is_held[:, None]) ** 2).mean(axis=0)
    print("Brier score:", ", ".join(f"{n} {s:.4f}" for n, s in zip(names, scores, strict=True)))


if __name__ == "__main__":
    main()
