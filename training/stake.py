"""Compute the tables of the die policies: win probabilities of deals, and match values V.

    python training/stake.py           # writes strategies/stake.npy in about a minute

The probabilities are proportions of deals won and lost in self-play, by own turn and deadwood.
One table is for the player on turn, and the other for the player who answers offers. V is exact for
equally strong players who win half of the deals, make profitable offers before they see the cards,
and answer optimally.
"""

import argparse
from pathlib import Path

import numpy as np
from simgin_strategies.stake import (
    DEADWOOD_BAND_WIDTH,
    MAX_WINS_NEEDED,
    N_DEADWOOD_BANDS,
    N_TABLE_TURNS,
    OPPONENT_TURN_INDEX,
    OWN_TURN_INDEX,
)

from simgin.core.state import SLOT_TAKE, create_state
from simgin.core.view import create_view
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.rules.build import build_rules

STRATEGIES_DIRECTORY = Path(__file__).resolve().parent.parent / "strategies"
N_PRIOR_DEALS = 10  # weight of the prior of each cell, in deals
MAX_DIE_NUMBER = 6  # highest number on the die


def iter_self_play_deals(variant, strategy, deals, seed):
    """Yield the decisions of each deal that a strategy plays against itself.

    Yields:
        The seats of all take decisions, the deadwood and the turn number of the player at each
        decision, the final deadwood of both players, and the winner.
    """
    matchup = parse_matchup(strategy, strategy, variant, seed, "deal")
    kernel.compile_matchup(matchup)
    state, views = create_state(seed), (create_view(), create_view())
    rules = build_rules(matchup.variant)
    state.log_half = 0
    for unit in range(deals):
        kernel.run_units(matchup, state, rules, views, unit, 1)
        decisions = state.log[: state.n_logged][state.slots[: state.n_logged] == SLOT_TAKE]
        yield (
            decisions["seat"],
            decisions["count"],
            decisions["own_turn"],
            state["count"].copy(),
            int(state.winner),
        )


def add_deal_to_tally(tally, seats, deadwood_values, turns, final_deadwood, winner):
    """Add the decisions in one deal to the tally of both players.

    The deadwood of the opponent is for the hand that the opponent holds until its next turn.
    """
    for i, seat in enumerate(seats):
        next_index = next(
            (later for later in range(i + 1, len(seats)) if seats[later] != seat), None
        )
        deadwood_points, turn = (
            (deadwood_values[next_index], turns[next_index])
            if next_index is not None
            else (final_deadwood[1 - seat], turns[i])
        )
        _add_decision_to_tally(tally[OWN_TURN_INDEX], turns[i], deadwood_values[i], seat, winner)
        _add_decision_to_tally(tally[OPPONENT_TURN_INDEX], turn, deadwood_points, 1 - seat, winner)


def _add_decision_to_tally(tally, turn, deadwood_points, seat, winner):
    """Add the result of the deal to the table cell of a turn and a deadwood."""
    tally[
        min(turn, N_TABLE_TURNS) - 1,
        min(deadwood_points // DEADWOOD_BAND_WIDTH, N_DEADWOOD_BANDS - 1),
    ] += (winner == seat, winner == 1 - seat, 1)


def compute_deal_probabilities(deals, seed, strategy="gold"):
    """Return the proportions of won and of lost deals by turn and deadwood, as in stake.npy.

    Index 0 of the first axis is the player on turn, and index 1 the opponent.
    """
    tally = np.zeros((2, N_TABLE_TURNS, N_DEADWOOD_BANDS, 3))
    for deal in iter_self_play_deals("standard", strategy, deals, seed):
        add_deal_to_tally(tally, *deal)
    win_rate_text = f"{_compute_win_rate(tally[0, 2, 4]):.1%}"
    print(f"stake: {deals:,} deals of {strategy}, seed {seed}")
    print(f"win rate with 20-24 points of deadwood on the third turn: {win_rate_text}")
    return smooth_proportions(tally)


def _compute_win_rate(cell):
    """Return the proportion of won deals in a table cell, or 0 for an empty cell."""
    return cell[0] / max(cell[2], 1)


def smooth_proportions(tally):
    """Smooth the proportions of won and of lost deals over the deadwood bands.

    The prior of a band is the next higher band, with the weight of `N_PRIOR_DEALS` deals. A band
    without observations therefore has the proportions of the next higher band.
    """
    proportions = np.zeros(tally.shape[:-1] + (2,))
    proportions_above = tally.sum(axis=2)[..., :2] / np.maximum(tally.sum(axis=2)[..., 2:], 1)
    for band in reversed(range(tally.shape[2])):
        cell = tally[:, :, band]
        proportions_above = proportions[:, :, band] = (
            cell[..., :2] + N_PRIOR_DEALS * proportions_above
        ) / (cell[..., 2:] + N_PRIOR_DEALS)
    return proportions


def compute_match_values():
    """Compute the match win probabilities V by dealer and wins needed, (2, n, n) float64.

    For V[dealer, i, j], the player needs i + 1 won deals, and the opponent j + 1. `dealer` is 1 if
    the player deals.
    """
    table = np.zeros((2, MAX_WINS_NEEDED, MAX_WINS_NEEDED))

    def look_up_match_value(own_wins_needed, opponent_wins_needed, dealer):
        if own_wins_needed <= 0 or opponent_wins_needed <= 0:
            return float(own_wins_needed <= 0)
        return table[dealer, own_wins_needed - 1, opponent_wins_needed - 1]

    def compute_play_value(own_wins_needed, opponent_wins_needed, stake):
        return (
            look_up_match_value(own_wins_needed - stake, opponent_wins_needed, 1)
            + look_up_match_value(own_wins_needed, opponent_wins_needed - stake, 0)
        ) / 2

    def compute_offer_value(own_wins_needed, opponent_wins_needed):
        refusal_value = look_up_match_value(own_wins_needed - 1, opponent_wins_needed, 1)
        return max(
            min(refusal_value, compute_play_value(own_wins_needed, opponent_wins_needed, n))
            for n in range(2, MAX_DIE_NUMBER + 1)
        )

    for deals_needed in range(2, 2 * MAX_WINS_NEEDED + 1):
        for own_wins_needed in range(
            max(1, deals_needed - MAX_WINS_NEEDED), min(MAX_WINS_NEEDED, deals_needed - 1) + 1
        ):
            opponent_wins_needed = deals_needed - own_wins_needed
            no_offer_value = compute_play_value(own_wins_needed, opponent_wins_needed, 1)
            value_if_offering = compute_offer_value(own_wins_needed, opponent_wins_needed)
            value_if_offered = 1 - compute_offer_value(opponent_wins_needed, own_wins_needed)
            # The nondealer offers first.
            table[0, own_wins_needed - 1, opponent_wins_needed - 1] = max(
                value_if_offering, min(no_offer_value, value_if_offered)
            )
            table[1, own_wins_needed - 1, opponent_wins_needed - 1] = min(
                value_if_offered, max(no_offer_value, value_if_offering)
            )
    return table


def main():
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--out", type=Path, default=STRATEGIES_DIRECTORY)
    args = parser.parse_args()
    tables = [
        compute_deal_probabilities(args.deals, args.seed).ravel(),
        compute_match_values().ravel(),
    ]
    np.save(args.out / "stake.npy", np.concatenate(tables).astype(np.float32))


if __name__ == "__main__":
    main()
