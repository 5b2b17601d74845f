"""Join the numbers of `champion-mc`: strategies/champion-mc.npy.

    python training/champion_mc.py
    python training/champion_mc.py --spreads     # measures what its parameters say of champion

The weights of champion, those of the opponent's hands, and the probability of winning a match to
100 from each score, as training/champion.py, training/hands.py and training/mc_value.py made them.

`--spreads` writes nothing. At questions of `champion` against itself the actions worth trying are
played on in many worlds, and a table says what they gain over the first by the weights and by the
worlds, how far apart the two are (by two halves of the worlds, so that the luck of the worlds drops
out), how far worlds are apart, and how long the deal lasts. The constants of champion-mc are such
numbers, rounded.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies import champion_mc
from simgin_strategies._champion import MATCH

from simgin.analysis.hidden_cards import draw_worlds
from simgin.core.position import END, THROW
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.rollout import Action, legal_actions, play_in
from simgin.play.watch import watch_deal
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader
from simgin.toolkit import gin_or_better, legal_discards, lowers

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
PARTS = ("champion.npy", "hands.npy", "mc.npy")
UNITS, WORLDS, SEED = 400, 256, 991
RIVALS = ("champion", "champion+knock=at")  # who play on, as long as nothing is known of either
HASTY = 0.5  # the probability that the opponent knocks at once
GAPS = (0.5, 1, 2, 4, 8, 16)  # points that an action is behind, at most
HEADER = """\
| slot | behind, points | actions | by weights | by worlds | spread | worlds apart | turns |
|---|---|--:|--:|--:|--:|--:|--:|"""


def joined() -> np.ndarray:
    """All numbers in a row: float64."""
    return np.concatenate([np.load(STRATEGIES / part).ravel() for part in PARTS])


# What is tried: the actions, best by the weights first, and how many points each is behind

Tried = tuple[list[Action], list[float]]


def tried_draws(view: Any, rules: Any, numbers: np.ndarray) -> Tried:
    """To take and not to, where taking lowers the deadwood."""
    if not lowers(view, rules):
        return [], []
    gain = player.take_gain(view, rules, numbers)
    draws = legal_actions(view, rules)[:2]
    return draws[::-1] if gain > 0 else draws, [0.0, abs(gain)]


def tried_discards(view: Any, rules: Any, params: np.ndarray) -> Tried:
    """The cheapest few."""
    cards, before = champion_mc.cheapest_few(view.legal, view, rules, params)
    return [Action(THROW, int(card)) for card in cards], [-float(gain) for gain in before]


def tried_knocks(view: Any, rules: Any, numbers: np.ndarray) -> Tried:
    """To knock and to play on, except with gin."""
    if gin_or_better(view):
        return [], []
    gain = player.knock_gain(view, rules, numbers)
    thrown = player.cheapest(legal_discards(view, rules), view, rules, numbers)
    ways = [Action(THROW, int(thrown)), Action(END, int(view.ending_card))]
    return ways[::-1] if gain > 0 else ways, [0.0, abs(gain)]


# What the worlds say


def worths(rivals: list[Matchup], view: Any, rules: Any, actions: list[Action]) -> np.ndarray:
    """What each action is worth in each world, as champion-mc counts it, and the turns.

    Each of the rivals plays on in as many of the worlds.
    """
    share, played = WORLDS // len(rivals), []
    for i, matchup in enumerate(rivals):
        drawn = draw_worlds(view, rules, share, SEED, i * share, HASTY)
        played.append(play_in(matchup, view, actions, drawn))
    records = np.concatenate(played)
    chances = np.load(STRATEGIES / "mc.npy").reshape(100, 100)
    own, other = records["points_a"], records["points_b"]
    won = chances[np.minimum(own, 99), np.minimum(other, 99)]
    won = np.where(own >= 100, 1.0, np.where(other >= 100, 0.0, won))
    return np.stack([MATCH * won, records["turns"] - view.turns])


def questions(matchup: Matchup, units: int) -> Iterator[tuple[str, Any]]:
    """The questions of the player at the first seat, with their slots."""
    for unit in range(units):
        for question in watch_deal(matchup, unit).questions:
            if question.seat == 0:
                yield question.slot, question.view


def compared(units: int) -> dict[tuple[str, float], list[np.ndarray]]:
    """By slot and gap: what actions gain by the weights, by two halves of the worlds, and so on."""
    rivals = [parse_matchup("champion", name, "eaai", SEED, "deal") for name in RIVALS]
    rules = build_rules(rivals[0].variant)
    params = compiler.vector(loader.find("champion-mc").policy("discard"))
    numbers = np.load(STRATEGIES / "champion.npy").astype(np.float64)
    ways = {"take": tried_draws, "discard": tried_discards, "knock": tried_knocks}
    found = defaultdict(list)
    for slot, view in questions(rivals[0], units):
        given = params if slot == "discard" else numbers
        actions, behind = ways[slot](view, rules, given)
        if len(actions) < 2:
            continue
        worth, turns = worths(rivals, view, rules, actions)
        for i in range(1, len(actions)):
            gains = worth[:, i] - worth[:, 0]
            halves = gains[::2].mean(), gains[1::2].mean()
            row = np.array([-behind[i], *halves, gains.var(), turns[:, i].mean()])
            place = np.searchsorted(GAPS, behind[i])
            if place < len(GAPS):
                found[slot, GAPS[place]].append(row)
    return found


def print_spreads(units: int) -> None:
    """The table of `--spreads`."""
    print(HEADER)
    found = compared(units)
    for slot, gap in sorted(found):
        rows = np.array(found[slot, gap])
        before, one, other, apart, turns = rows.T
        product = (one - before) * (other - before)
        spread = np.sqrt(max(0.0, product.mean()))
        worlds, deviation = (one + other).mean() / 2, np.sqrt(apart.mean())
        cells = f"{before.mean():.2f} | {worlds:.2f} | {spread:.2f} | {deviation:.1f}"
        print(f"| {slot} | {gap} | {len(rows)} | {cells} | {turns.mean():.1f} |")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spreads", action="store_true")
    parser.add_argument("--units", type=int, default=UNITS)
    args = parser.parse_args()
    if args.spreads:
        print_spreads(args.units)
    else:
        np.save(STRATEGIES / "champion-mc.npy", joined())


if __name__ == "__main__":
    main()
