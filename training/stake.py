"""Learns the numbers of the stake policies: the chance of winning a deal by own turn and deadwood, and V of a match with the die.

    python training/stake.py           writes strategies/stake.npy, in about a minute

The chances are shares of self-play deals that the player on turn won and lost, and the same for the other, who is the one to answer.
V is exact for equal players who win half the deals, offer before the cards are seen whenever that helps, and answer as well as can be.
"""

import argparse
from pathlib import Path

import numpy as np
from simgin_strategies.stake import BAND, BANDS, MOST_NEEDED, OFF_TURN, ON_TURN, TURNS

from simgin.core.state import TAKE, new_state
from simgin.core.view import new_view
from simgin.play import matchup
from simgin.rules import record

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
PRIOR = 10  # deals that every cell begins with
CAP = 6  # highest number of the die


def watched(variant, strategy, deals, seed):
    """Every deal of a strategy against itself: (seats asked to take, their counts and own turns, counts at the end, winner)."""
    one = matchup.seated(strategy, strategy, variant, seed, "deal")
    matchup.prepare(one)
    state, own_rules, views = new_state(seed), record.build(one.variant), (new_view(), new_view())
    state.watch_half = 0
    for unit in range(deals):
        matchup.run(one, state, own_rules, views, unit, 1)
        asked = state.log[: state.logged][state.slots[: state.logged] == TAKE]
        yield (
            asked["seat"],
            asked["count"],
            asked["own_turn"],
            state["count"].copy(),
            int(state.winner),
        )


def add_deal(tally, seats, counts, turns, at_end, winner):
    """Add one deal: for each question the player on turn, and the other with what he holds until his own next turn."""
    for i, seat in enumerate(seats):
        later = next((k for k in range(i + 1, len(seats)) if seats[k] != seat), None)
        count, turn = (
            (counts[later], turns[later]) if later is not None else (at_end[1 - seat], turns[i])
        )
        _add(tally[ON_TURN], turns[i], counts[i], seat, winner)
        _add(tally[OFF_TURN], turn, count, 1 - seat, winner)


def _add(tally, turn, count, seat, winner):
    tally[min(turn, TURNS) - 1, min(count // BAND, BANDS - 1)] += (
        winner == seat,
        winner == 1 - seat,
        1,
    )


def chances(deals, seed, strategy="gold"):
    """Shares won and lost, float64 of shape (on turn or not, turns, bands, 2)."""
    tally = np.zeros((2, TURNS, BANDS, 3))
    for deal in watched("standard", strategy, deals, seed):
        add_deal(tally, *deal)
    print(
        f"stake: {deals:,} deals of {strategy}, seed {seed}; won by who has 20-24 points on his third turn: {_share(tally[0, 2, 4]):.1%}"
    )
    return filled(tally)


def _share(cell):
    return cell[0] / max(cell[2], 1)


def filled(tally):
    """Shares won and lost; a band begins with PRIOR deals of the band above it, so that one never seen is as good as that."""
    shares = np.zeros(tally.shape[:-1] + (2,))
    above = tally.sum(axis=2)[..., :2] / np.maximum(tally.sum(axis=2)[..., 2:], 1)
    for band in reversed(range(tally.shape[2])):
        cell = tally[:, :, band]
        above = shares[:, :, band] = (cell[..., :2] + PRIOR * above) / (cell[..., 2:] + PRIOR)
    return shares


def match_values():
    """V[dealer, i, j] of the player who needs i + 1 won deals more where the other needs j + 1; dealer: whether he deals."""
    table = np.zeros((2, MOST_NEEDED, MOST_NEEDED))

    def value(mine, his, dealer):
        return 1.0 if mine <= 0 else 0.0 if his <= 0 else table[dealer, mine - 1, his - 1]

    def played(mine, his, n):
        return (value(mine - n, his, 1) + value(mine, his - n, 0)) / 2

    def offered(mine, his):
        return max(min(value(mine - 1, his, 1), played(mine, his, n)) for n in range(2, CAP + 1))

    for needed in range(2, 2 * MOST_NEEDED + 1):
        for mine in range(max(1, needed - MOST_NEEDED), min(MOST_NEEDED, needed - 1) + 1):
            his = needed - mine
            plain = played(mine, his, 1)
            best, worst = offered(mine, his), 1 - offered(his, mine)
            table[0, mine - 1, his - 1] = max(best, min(plain, worst))  # asked first
            table[1, mine - 1, his - 1] = min(worst, max(plain, best))
    return table


def main():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--out", type=Path, default=STRATEGIES)
    args = parser.parse_args()
    np.save(
        args.out / "stake.npy",
        np.concatenate([chances(args.deals, args.seed).ravel(), match_values().ravel()]).astype(
            np.float32
        ),
    )


if __name__ == "__main__":
    main()
