"""Test the calibration of the opponent hands that simgin samples.

    python benchmarks/likely_hands.py            (five minutes)

Plays deals that were not used for training, samples the opponent's hand many times at one decision
of each (simgin.toolkit.hand_sampling), and compares the sampled probability of holding a card with
the observed frequency. The Brier score (mean squared error per card) is compared with those of two
other models.
"""

import argparse
from pathlib import Path

import numpy as np

from simgin.analysis.hidden_cards import draw_worlds
from simgin.core.cards import PACK
from simgin.play.matchup import parse_matchup
from simgin.play.watch import watch_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.text import notation
from simgin.toolkit import beliefs

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
PAIRS = (("champion", 0.0), ("gold-early", 0.0), ("marjj", 0.0), ("simple", 1.0), ("gold", 1.0))
HANDS = 200


def compared(variant: str, deals: int, seed: int) -> np.ndarray:
    """Return sampled, fitted and uniform probabilities and the truth for every unseen card.

    Returns:
        `(n_cards, 4) float64`: probability from sampled hands, from `beliefs.estimate_holdings` for
        single cards, and with all cards equally likely, and 1 if the opponent held the card.
    """
    multipliers = np.load(STRATEGIES / "beliefs.npy")
    rules = build_rules(variants.find(variant))
    lots = np.random.default_rng(seed)
    rows = []
    for rival, hasty in PAIRS:
        matchup = parse_matchup("champion", rival, variant, seed, "deal")
        for unit in range(deals // len(PAIRS)):
            deal = watch_deal(matchup, unit)
            views = [q.view for q in deal.questions if q.seat == 0 and q.view.turns > 0]
            if not views:
                continue
            view = views[lots.integers(len(views))]
            chances = np.zeros(52)
            hands = draw_worlds(view, rules, HANDS, unit, hasty=hasty).hands
            beliefs.believe(view, multipliers, 0, chances)
            stock = sum(1 << int(card) for card in deal.state.pack[52 - int(view.stock) :])
            hand = PACK & ~(int(view.hand) | int(view.pile) | stock)
            cards = np.array(notation.cards_in(int(view.unseen)))
            said = (hands[:, None] >> cards & 1).mean(axis=0)
            alike = np.full(len(cards), (10 - int(view.known).bit_count()) / len(cards))
            rows.append(np.stack([said, chances[cards], alike, hand >> cards & 1], axis=1))
    return np.concatenate(rows)


def main() -> None:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--variant", default="eaai")
    parser.add_argument("--deals", type=int, default=8_000)
    parser.add_argument("--seed", type=int, default=6060)
    args = parser.parse_args()
    rows = compared(args.variant, args.deals, args.seed)
    said, held = rows[:, 0], rows[:, 3]
    print("| said to be held with | cards | said, mean % | held % |\n|---|---|---|---|")
    for low in range(0, 100, 10):
        group = (said >= low / 100) & (said < (low + 10) / 100)
        n = int(group.sum())
        share = held[group].mean()
        error = 196 * np.sqrt(share * (1 - share) / n)
        means = f"{100 * said[group].mean():.1f} | {100 * share:.1f} ± {error:.1f}"
        print(f"| {low} to {low + 10} % | {n:,} | {means} |")
    names = ("whole hands", "card by card (`believe`)", "all alike")
    scores = ((rows[:, :3] - held[:, None]) ** 2).mean(axis=0)
    print("Brier score:", ", ".join(f"{n} {s:.4f}" for n, s in zip(names, scores, strict=True)))


if __name__ == "__main__":
    main()
