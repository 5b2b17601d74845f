"""Compute the tables of the die policies: probabilities of winning deals, and match values V.

    python training/stake.py           # writes strategies/stake.npy in about a minute

The probabilities are proportions of deals won and lost in self-play, by own turn and deadwood.
There is one table for the player on turn, and one for the player who answers offers. V is exact for
two equal players who win half of the deals, make profitable offers before the cards are seen, and
answer optimally.
"""

import argparse
from pathlib import Path

import numpy as np
from simgin_strategies.stake import BAND, BANDS, MAX_NEEDED, OFF_TURN, ON_TURN, TURNS

from simgin.core.state import SLOT_TAKE, new_state
from simgin.core.view import new_view
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.rules.build import build_rules

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
PRIOR_DEALS = 10  # weight of the prior in each cell, in deals
MAX_DIE = 6  # highest number on the die


def trace_self_play(variant, strategy, deals, seed):
    """Yield the decisions of every deal that a strategy plays against itself.

    Yields:
        The seats with a take decision, their deadwood and own turns, the deadwood at the end, and
        the winner.
    """
    pairing = parse_matchup(strategy, strategy, variant, seed, "deal")
    kernel.compile_matchup(pairing)
    state, views = new_state(seed), (new_view(), new_view())
    own_rules = build_rules(pairing.variant)
    state.watch_half = 0
    for unit in range(deals):
        kernel.run_units(pairing, state, own_rules, views, unit, 1)
        decisions = state.log[: state.logged][state.slots[: state.logged] == SLOT_TAKE]
        yield (
            decisions["seat"],
            decisions["count"],
            decisions["own_turn"],
            state["count"].copy(),
            int(state.winner),
        )


def add_deal(tally, seats, counts, turns, at_end, winner):
    """Add the decisions in one deal to the tallies of the player to move and of the opponent.

    The opponent is counted with the hand that it has until its next turn.
    """
    for i, seat in enumerate(seats):
        later = next((k for k in range(i + 1, len(seats)) if seats[k] != seat), None)
        deadwood_points, turn = (
            (counts[later], turns[later]) if later is not None else (at_end[1 - seat], turns[i])
        )
        _add(tally[ON_TURN], turns[i], counts[i], seat, winner)
        _add(tally[OFF_TURN], turn, deadwood_points, 1 - seat, winner)


def _add(tally, turn, deadwood_points, seat, winner):
    tally[min(turn, TURNS) - 1, min(deadwood_points // BAND, BANDS - 1)] += (
        winner == seat,
        winner == 1 - seat,
        1,
    )


def deal_probabilities(deals, seed, strategy="gold"):
    """Return the proportions of won and of lost deals, (2, TURNS, BANDS, 2) float64.

    The first axis is the player on turn, then the opponent.
    """
    tally = np.zeros((2, TURNS, BANDS, 3))
    for deal in trace_self_play("standard", strategy, deals, seed):
        add_deal(tally, *deal)
    share = f"{_share(tally[0, 2, 4]):.1%}"
    print(f"stake: {deals:,} deals of {strategy}, seed {seed}")
    print(f"win rate with 20-24 points of deadwood on the third turn: {share}")
    return smooth_proportions(tally)


def _share(cell):
    return cell[0] / max(cell[2], 1)


def smooth_proportions(tally):
    """Smooth the proportions of won and of lost deals over the deadwood bands.

    The prior is the next higher band, with the weight of PRIOR_DEALS deals. A band without
    observations therefore equals the band above it.
    """
    shares = np.zeros(tally.shape[:-1] + (2,))
    above = tally.sum(axis=2)[..., :2] / np.maximum(tally.sum(axis=2)[..., 2:], 1)
    for band in reversed(range(tally.shape[2])):
        cell = tally[:, :, band]
        above = shares[:, :, band] = (cell[..., :2] + PRIOR_DEALS * above) / (
            cell[..., 2:] + PRIOR_DEALS
        )
    return shares


def compute_match_values():
    """Compute match values V[dealer, i, j] for players who need i + 1 and j + 1 won deals.

    `dealer` is 1 if the player deals.
    """
    table = np.zeros((2, MAX_NEEDED, MAX_NEEDED))

    def value(mine, other, dealer):
        return 1.0 if mine <= 0 else 0.0 if other <= 0 else table[dealer, mine - 1, other - 1]

    def play_value(mine, other, n):
        return (value(mine - n, other, 1) + value(mine, other - n, 0)) / 2

    def offer_value(mine, other):
        refused = value(mine - 1, other, 1)
        return max(min(refused, play_value(mine, other, n)) for n in range(2, MAX_DIE + 1))

    for needed in range(2, 2 * MAX_NEEDED + 1):
        for mine in range(max(1, needed - MAX_NEEDED), min(MAX_NEEDED, needed - 1) + 1):
            other = needed - mine
            plain = play_value(mine, other, 1)
            best, worst = offer_value(mine, other), 1 - offer_value(other, mine)
            table[0, mine - 1, other - 1] = max(
                best, min(plain, worst)
            )  # The nondealer offers first.
            table[1, mine - 1, other - 1] = min(worst, max(plain, best))
    return table


def main():
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--out", type=Path, default=STRATEGIES)
    args = parser.parse_args()
    tables = [deal_probabilities(args.deals, args.seed).ravel(), compute_match_values().ravel()]
    np.save(args.out / "stake.npy", np.concatenate(tables).astype(np.float32))


if __name__ == "__main__":
    main()
