"""Learns the numbers of one-player play from self-play without the joker, which nothing but the hazard 1/m depends on.

    python training/solo.py            writes strategies/stop.npy and strategies/solo.npy, in about a minute

stop.npy: the mean count of each state of `simgin_strategies.stop`, then the chances of the next state by cards left and state.
"""

import argparse
from pathlib import Path

import numpy as np
from simgin_strategies.solo import LOWEST, SPAN, STEP
from simgin_strategies.stop import MOST_LEFT, STATES, state_of

from simgin import hooks, loader, rules, variants
from simgin.core import jit, rng
from simgin.core.deadwood import deadwood
from simgin.core.policy import HOOK_TYPE, PARAMS_TYPE, RULES_TYPE, VIEW_TYPE
from simgin.core.view import new_view

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
DRAWS = 42


@jit.jit
def shuffled(seed, unit, pack):
    """A pack in random order, written to `pack`."""
    for i in range(52):
        pack[i] = i
    for i in range(51):
        j = i + rng.below(52 - i, rng.words(seed, unit, 0, i, rng.PACK)[0])
        pack[i], pack[j] = pack[j], pack[i]


def self_play(view, rules, params, discard, seed, deals, draws, hands, unseen):
    """Ten cards kept after each draw, and the cards unseen then: hands[deal, t] for t draws made, 0 after gin."""
    pack = np.empty(52, np.int64)
    for deal in range(deals):
        shuffled(seed, deal, pack)
        hand, seen = 0, 0
        for i in range(10):
            hand |= 1 << pack[i]
        seen = hand
        for t in range(draws + 1):
            hands[deal, t] = hand
            unseen[deal, t] = ((1 << 52) - 1) & ~seen
            view.count = deadwood(hand, rules)
            if t == draws or view.count == 0:
                break
            card = pack[10 + t]
            hand |= 1 << card
            seen |= 1 << card
            view.hand, view.legal, view.unseen, view.pile = hand, hand, ((1 << 52) - 1) & ~seen, seen & ~hand
            view.own_turn = view.turn = t + 1
            view.deck_left = DRAWS - t
            hand &= ~(1 << discard(view, rules, params))


def played(variant, discard, deals, seed):
    """Self-play of a discard policy: (rules, hands kept, cards unseen), int64 of shape (deals, draws + 1)."""
    own_rules = rules.build(variants.find(variant))
    policy = loader.find(f"gold+discard={discard}").discard
    draws = int(own_rules.max_draws) if own_rules.max_draws >= 0 else DRAWS
    hands, unseen = np.zeros((2, deals, draws + 1), np.int64)
    view = new_view()
    view.taken = view.taken_offer = -1
    signature = (VIEW_TYPE, RULES_TYPE, PARAMS_TYPE, HOOK_TYPE) + (jit.numba.int64,) * 3 + (jit.numba.int64[:, ::1],) * 2
    kernel = jit.compiled(self_play, signature, keep=False)
    kernel(view, own_rules, hooks.vector(policy), hooks.hook(policy), seed, deals, draws, hands, unseen)
    return own_rules, hands, unseen


@jit.jit
def count_changes(hands, rules, totals, changes):
    """Add up counts by state, and the next state by cards left (before the draw) and state."""
    for deal in range(hands.shape[0]):
        before = deadwood(hands[deal, 0], rules)
        for t in range(1, hands.shape[1]):
            totals[state_of(before), 0] += 1
            totals[state_of(before), 1] += before
            if hands[deal, t] == 0:
                break
            after = deadwood(hands[deal, t], rules)
            changes[hands.shape[1] - t + 1, state_of(before), state_of(after)] += 1
            before = after


def stop_table(deals, seed, discard="ahead:aim=gin"):
    """The numbers of stop.npy. Neighbouring numbers of cards left are pooled, five at a time; what was never seen changes nothing."""
    own_rules, hands, _ = played("solitaire-gin-knock", discard, deals, seed)
    totals, changes = np.zeros((STATES, 2)), np.zeros((MOST_LEFT + 1, STATES, STATES))
    count_changes(hands, own_rules, totals, changes)
    pooled = sum(np.roll(np.pad(changes, ((2, 2), (0, 0), (0, 0))), k, axis=0) for k in range(-2, 3))[2:-2]
    pooled += 1e-9 * np.eye(STATES)
    chances = pooled / pooled.sum(axis=2, keepdims=True)
    means = totals[:, 1] / np.maximum(totals[:, 0], 1)
    print(f"stop: {deals:,} deals of {discard}, seed {seed}; {changes.sum():,.0f} changes of the count")
    return np.concatenate([means, chances.ravel()]).astype(np.float32)


def goal_table(deals, seed, discard="switch:k=2"):
    """The numbers of solo.npy: for 0..4 deals the chance that they add up to at most -100, -95, .. points in Solitary Gin."""
    own_rules, hands, _ = played("solitary-gin", discard, deals, seed)
    scores = np.zeros(SPAN * 8)  # of one deal, from the lowest total on
    for kept in hands:
        count = deadwood(int(kept[-1]), own_rules) if kept[-1] else 0
        scores[((count or int(own_rules.penalty_gin)) - LOWEST) // STEP] += 1 / deals
    total = np.zeros(len(scores))
    total[-LOWEST // STEP] = 1.0
    rows = []
    for _ in range(5):
        rows.append(total.cumsum()[:SPAN])
        total = np.convolve(total, scores)[-LOWEST // STEP :][: len(scores)]
    print(f"goal: {deals:,} deals of {discard}, seed {seed}; gin in {scores[(int(own_rules.penalty_gin) - LOWEST) // STEP]:.1%}")
    return np.concatenate(rows).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--out", type=Path, default=STRATEGIES)
    args = parser.parse_args()
    np.save(args.out / "stop.npy", stop_table(args.deals, args.seed))
    np.save(args.out / "solo.npy", goal_table(args.deals, args.seed))


if __name__ == "__main__":
    main()
