"""Learn the weights of `champion` on branches; writes strategies/champion.npy.

    python training/champion.py                    # as committed: half an hour of one core
    python training/champion.py --deals 2000 --out x.npy

Deals are branched at one question of the player (simgin.play.branches): every answer worth trying
is played on in the same world. What an answer gains, as the change of the probability of winning
the match, is regressed on the named numbers of that answer. Since all answers of a question share
one world, what they share is taken out of both sides first. Ridge penalties pull towards the
weights of the round before; a few such rounds, and the mean of the last ones, are the result.

Two sets of weights are learned: one against `simple`, who knocks at once, one against players who
wait for gin. They are mixed in nine blends by the probability that the opponent is of the first
kind, which a table gives by the deals that he won in the match and by how long the deal lasts.

All of it is learned under the rules of several variants; half as many deals are played for those
after the first.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from equity import equity_of
from simgin_strategies import champion as player
from simgin_strategies._champion import COUNT, NEW_STAGES, SIZE, STAGES, discard_cost, looked_around

from simgin.core.deadwood import deadwood
from simgin.core.jit import jit
from simgin.play import kernel
from simgin.play.branches import Branches, branch_deals
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import Policy, Strategy, discard, helper, knock, loader, take
from simgin.toolkit import chance, gin_or_better, lowers, meldable

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
VARIANTS = (
    "eaai",
    "rush",
    "tedesco",
    "dice",
)  # in the order of the file, see `champion.learned_under`
DEALS, SEED = 400_000, 20261122
TRIED = 5  # discards branched at most
AT_ONCE = 4000  # deals branched in one call: their views take 16 MB
MET = 4000  # matches against a rival in which scores are met
WARM, ROUNDS = 4, 8  # rounds that find a start, and rounds that count
AVERAGED = 5  # the last rounds, whose mean is the result
RIDGE = 4000.0
PRIOR = 0.5  # probability that an unknown opponent knocks at once


# What is tried


@helper
def cheapest(view, rules, params, few):
    """The discards of least cost, at most `few`, as bits."""
    common, weights = player.prepare(view, rules), player.weights_in_force(view, rules, params)
    prices = np.full(52, player.TOO_HIGH)
    found = np.int64(0)
    for card in range(52):
        if view.legal >> card & 1:
            prices[card] = player.price(card, common, view, rules, weights)
    for _ in range(few):
        card = prices.argmin()
        if prices[card] < player.TOO_HIGH:
            found |= 1 << card
            prices[card] = player.TOO_HIGH
    return found


@discard
def try_discards(view, rules, params):
    """The discards of least cost."""
    return cheapest(view, rules, params, TRIED)


@knock
def try_knock(view, rules, params):
    """To knock and to play on, except with gin."""
    return 0 if gin_or_better(view) else 3


@knock(noise=True)
def wait_often(view, rules, params):
    """Knock in two of five cases, so that later chances are met too."""
    return gin_or_better(view) or chance(0.4, view.noise)


@take
def try_take(view, rules, params):
    """To take and to leave what lowers the count."""
    return 3 if lowers(view, rules) and view.legal & 3 == 3 else 0


# What is known of an answer


@jit
def describe_discards(views, answers, rules, out):
    """Write the numbers of every discard tried to out, float64 (questions, answers, SIZE)."""
    weights = np.zeros(SIZE)
    for i in range(len(views)):
        view = views[i]
        around = looked_around(view)
        for k in range(answers.shape[1]):
            card = answers[i, k]
            if card >= 0:
                ten = view.hand & ~(1 << card)
                count = deadwood(ten, rules)
                loose = ten & ~meldable(ten, rules)
                for j in range(SIZE):
                    weights[j] = 1.0
                    cost = discard_cost(card, ten, loose, count, around, view, rules, weights)
                    out[i, k, j] = cost
                    weights[j] = 0.0


@jit
def describe_takes(views, rules, params, out):
    """Write the numbers of every card on offer to out, float64 (questions, OF_TAKE)."""
    for i in range(len(views)):
        weights = player.weights_in_force(views[i], rules, params)
        x = player.describe_take(views[i], rules, weights)
        for j in range(player.OF_TAKE):
            out[i, j] = x[j]


@jit
def describe_knocks(views, rules, out):
    """Write the numbers of every knock to out, float64 (questions, OF_KNOCK)."""
    for i in range(len(views)):
        x = player.describe_knock(views[i], rules)
        for j in range(player.OF_KNOCK):
            out[i, j] = x[j]


def stages(views: np.ndarray) -> np.ndarray:
    """The stage of the deal at each question, as `_champion.stage`."""
    return np.searchsorted(NEW_STAGES, views["own_turn"], side="right")


# Regression


class Sums:
    """Least-squares sums of one kind of decision, by stage of the deal."""

    def __init__(self, size: int) -> None:
        self.squares = np.zeros((STAGES, size, size))
        self.products = np.zeros((STAGES, size))

    def fade(self, keep: float) -> None:
        """Let older rounds count less."""
        self.squares *= keep
        self.products *= keep

    def add(self, stage: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
        """Add rows of numbers and what they led to."""
        for s in range(STAGES):
            rows = x[stage == s]
            self.squares[s] += rows.T @ rows
            self.products[s] += rows.T @ y[stage == s]

    def solve(self, prior: np.ndarray, pooled: float, apart: float) -> np.ndarray:
        """Weights (stages, size) near `prior`: one change for all stages, then one of each."""
        eye = np.eye(len(prior[0]))
        missing = self.products - np.einsum("sij,sj->si", self.squares, prior)
        shift = np.linalg.solve(self.squares.sum(axis=0) + pooled * eye, missing.sum(axis=0))
        weights = prior + shift
        for s in range(STAGES):
            rest = missing[s] - self.squares[s] @ shift
            weights[s] += np.linalg.solve(self.squares[s] + apart * eye, rest)
        return weights


class KnockSums:
    """Least-squares sums of knocks: a table by turn and count, and a linear part by stage."""

    CELLS = player.KNOCK_TURNS * player.COUNTS
    SIZE = CELLS + STAGES * player.OF_KNOCK

    def __init__(self) -> None:
        self.squares = np.zeros((self.SIZE, self.SIZE))
        self.products = np.zeros(self.SIZE)

    def fade(self, keep: float) -> None:
        """Let older rounds count less."""
        self.squares *= keep
        self.products *= keep

    def add(self, views: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
        """Add questions with the numbers of their knocks, and what knocking gained."""
        turn = np.minimum(views["own_turn"], player.KNOCK_TURNS) - 1
        count = np.minimum(views["ending_count"], player.COUNTS - 1)
        row = np.arange(len(views))
        full = np.zeros((len(views), self.SIZE))
        full[row, turn * player.COUNTS + count] = 1
        first = self.CELLS + player.OF_KNOCK * stages(views)
        for j in range(player.OF_KNOCK):
            full[row, first + j] = x[:, j]
        self.squares += full.T @ full
        self.products += full.T @ y

    def solve(self) -> np.ndarray:
        """Weights; neighbouring cells of the table are pulled together."""
        return np.linalg.solve(self.squares + self.penalty(), self.products)

    def penalty(
        self, smooth: float = 60.0, level: float = 1.0, linear: float = 500.0
    ) -> np.ndarray:
        """The quadratic penalty on differences of neighbours and on the linear part."""
        cell = np.arange(self.CELLS).reshape(player.KNOCK_TURNS, player.COUNTS)
        out = np.diag(np.where(np.arange(self.SIZE) < self.CELLS, level, linear))
        for one, other in ((cell[1:], cell[:-1]), (cell[:, 1:], cell[:, :-1])):
            pull = np.zeros((one.size, self.SIZE))
            row = np.arange(one.size)
            pull[row, one.ravel()] = 1
            pull[row, other.ravel()] = -1
            out += smooth * pull.T @ pull
        return out


# Learning


class Learner:
    """One set of weights, learned against some rivals."""

    def __init__(
        self,
        rivals: Sequence[Strategy | None],
        weights: np.ndarray,
        seed: int,
        variant: str = VARIANTS[0],
    ) -> None:
        """rivals: None stands for the player itself, as strong as it is by then."""
        self.variant = variants.find(variant)
        self.rules = build_rules(self.variant)
        self.rivals = rivals
        self.weights = weights.copy()
        self.seed = seed
        self.next_unit = 0
        self.equity = equity_of(self.variant)
        self.start()

    def start(self) -> None:
        """Forget what was seen, and pull towards the weights of now."""
        self.prior = self.weights[: STAGES * SIZE].reshape(STAGES, SIZE).copy()
        self.discards = Sums(SIZE)
        self.takes = Sums(player.OF_TAKE)
        self.knocks = KnockSums()

    def matchup(self, rival: Strategy | None, unit: str) -> Matchup:
        """The player as it is by now against a rival."""
        own = with_numbers(single(self.weights))
        return Matchup(self.variant, own, rival or own, self.seed, unit)

    def branched(
        self, n: int, most: int, choose: Policy, explore: Policy | None = None
    ) -> Iterator[tuple[Branches, np.ndarray]]:
        """Questions against each rival, and what their answers lead to in match equity."""
        for rival, met in zip(self.rivals, self.met, strict=True):
            lots = np.random.default_rng([self.seed, self.next_unit])
            left = n // len(self.rivals)
            while left > 0:
                units = min(left, AT_ONCE)
                left -= units
                standings = met[lots.integers(len(met), size=units)]
                deals = self.matchup(rival, "deal")
                first, self.next_unit = self.next_unit, self.next_unit + units
                found = branch_deals(deals, choose, first, units, most, standings, explore)
                yield found, self.equity(found)

    def learn_discards(self, n: int) -> None:
        """Regress the equity of discards, less their question's mean, on their numbers."""
        for found, equity in self.branched(n, TRIED, try_discards):
            x = np.zeros((*found.answers.shape, SIZE))
            describe_discards(found.views, found.answers, self.rules, x)
            x = centred(x, found.tried[..., None])
            y = centred(equity, found.tried)
            stage = np.repeat(stages(found.views), TRIED)
            self.discards.add(stage, x.reshape(-1, SIZE), -y.ravel())
        weights = self.discards.solve(self.prior, RIDGE, RIDGE)
        self.weights[: STAGES * SIZE] = weights.ravel()

    def learn_takes(self, n: int) -> None:
        """Regress what taking gains on its numbers."""
        for found, equity in self.branched(n, 2, try_take):
            x = np.zeros((len(found.views), player.OF_TAKE))
            describe_takes(found.views, self.rules, single(self.weights), x)
            self.takes.add(stages(found.views), x, equity[:, 1] - equity[:, 0])
        weights = self.takes.solve(np.zeros((STAGES, player.OF_TAKE)), 20.0, 400.0)
        self.weights[player.TAKES :] = weights.ravel()

    def learn_knocks(self, n: int) -> None:
        """Regress what knocking gains on its table and its numbers."""
        for found, equity in self.branched(n, 2, try_knock, wait_often):
            x = np.zeros((len(found.views), player.OF_KNOCK))
            describe_knocks(found.views, self.rules, x)
            self.knocks.add(found.views, x, equity[:, 1] - equity[:, 0])
        self.weights[player.KNOCKS : player.TAKES] = self.knocks.solve()

    def round(self, deals: int, keep: float) -> list[float]:
        """One round of learning; returns the shares of matches won before it."""
        for sums in (self.discards, self.takes, self.knocks):
            sums.fade(keep)
        self.met, shares = [], []
        for rival in self.rivals:
            records = played(self.matchup(rival, "match"), MET)
            self.met.append(standings_in(records))
            shares.append(share_won(records))
        self.learn_discards(deals)
        self.learn_knocks(deals // 2)
        self.learn_takes(deals // 2)
        return shares

    def learn(self, deals: int, name: str) -> np.ndarray:
        """All rounds; returns the mean weights of the last ones."""
        last = []
        for i in range(WARM + ROUNDS):
            if i == WARM:
                self.start()
            shares = self.round(deals, 0.7 if i < WARM else 0.95)
            won = ", ".join(f"{100 * share:.1f} %" for share in shares)
            print(f"{name}, round {i + 1}: won {won} before it", flush=True)
            last = [*last, self.weights.copy()][-AVERAGED:]
        return np.mean(last, axis=0)


def centred(numbers: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Numbers less the mean of what was tried at their question; 0 for what was not."""
    kept = np.where(tried, numbers, 0)
    mean = kept.sum(axis=1, keepdims=True) / tried.sum(axis=1, keepdims=True)
    return np.where(tried, kept - mean, 0)


def played(matchup: Matchup, matches: int) -> np.ndarray:
    """The records of the deals of some matches."""
    _, records = kernel.play_recorded(matchup, 0, matchup.units(matches))
    return records


def standings_in(records: np.ndarray) -> np.ndarray:
    """The standings before deals: int64 (deals, 4), as simgin.play.branches takes them."""
    return np.stack([records[name] for name in ("score_a", "score_b", "deals_a", "deals_b")], 1)


def share_won(records: np.ndarray) -> float:
    """The share of the finished matches that A won."""
    return float((records["outcome"] == 0).sum() / (records["outcome"] >= 0).sum())


# The player's file


def with_numbers(numbers: np.ndarray) -> Strategy:
    """Champion with other numbers than those of its file."""
    champion = loader.find("champion")
    policies = {}
    for slot in ("take", "discard", "knock"):
        policies[slot] = replace(champion.policy(slot), weights=numbers)
    return replace(champion, **policies)


def single(weights: np.ndarray) -> np.ndarray:
    """The numbers of a player with one set of weights, under any rules."""
    never = np.zeros((player.WON, player.MEANS, player.TURNS))
    return np.tile(numbers_of(weights, weights, never), len(VARIANTS))


def numbers_of(patient: np.ndarray, hasty: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """The numbers for rules of one kind: nine blends of two sets of weights, and which one when.

    chances: the probability that the opponent knocks at once, by deals won, their mean points and
    own turn.
    """
    last = player.BLENDS - 1
    blends = [patient + (hasty - patient) * (i / last) for i in range(player.BLENDS)]
    numbers = np.concatenate([*blends, np.rint(last * chances).ravel()])
    return numbers.astype(np.float32).astype(np.float64)


def naive() -> np.ndarray:
    """Weights to start from: least deadwood, knock at once, take what lowers the count."""
    weights = np.zeros(player.ALL)
    weights[COUNT : STAGES * SIZE : SIZE] = 1.0
    weights[player.KNOCKS : player.KNOCK_EXTRA] = 1.0
    weights[player.TAKES :: player.OF_TAKE] = 1.0
    return weights


def opponent_cells(records: np.ndarray) -> np.ndarray:
    """Smoothed shares of the cells of B's deals won and mean points: float64 (WON, MEANS)."""
    won = np.minimum(records["deals_b"], player.WON - 1)
    mean = records["score_b"] // np.maximum(1, 3 * records["deals_b"])
    mean = np.where(won > 0, np.minimum(mean, player.MEANS - 1), 0)
    cells = np.zeros((player.WON, player.MEANS))
    np.add.at(cells, (won, mean), 1.0)
    smooth = cells.copy()
    smooth[1:, 1:] += 0.5 * cells[1:, :-1]
    smooth[1:, :-1] += 0.5 * cells[1:, 1:]
    smooth += 0.5
    return smooth / smooth.sum(axis=1, keepdims=True)


def lasting(records: np.ndarray) -> np.ndarray:
    """The share of deals that reach each own turn of a player: float64 (TURNS,)."""
    turn = np.arange(player.TURNS)
    return (records["turns"][:, None] >= 2 * turn).mean(axis=0)


def chances_hasty(patient: np.ndarray, hasty: np.ndarray, seed: int, variant: str) -> np.ndarray:
    """The probability that the opponent knocks at once, by what `champion.blend` looks at.

    By Bayes from matches of the hasty set against players who knock at once, and of the patient
    one against players who wait.
    """
    found = []
    for weights, rivals in ((hasty, ("simple", "gold")), (patient, ("gold-early", "gin-only"))):
        learner = Learner([loader.find(name) for name in rivals], weights, seed, variant)
        records = [played(learner.matchup(rival, "match"), 5 * MET) for rival in learner.rivals]
        together = np.concatenate(records)
        found.append((opponent_cells(together), lasting(together)))
    (cells, length), (other_cells, other_length) = found
    likely = cells / other_cells
    likely[0] = 1
    turns = length / np.maximum(other_length, 1e-6)
    odds = PRIOR / (1 - PRIOR) * likely[:, :, None] * turns
    return odds / (1 + odds)


def learned(variant: str, deals: int, seed: int) -> np.ndarray:
    """The numbers for rules like those of a variant: float64 (player.EACH,)."""
    print(f"Under the rules of {variant}")
    hasty_rivals = [loader.find("simple")]
    hasty = Learner(hasty_rivals, naive(), seed, variant).learn(deals // 2, "hasty opponents")
    patient_rivals = [None, None, loader.find("gold-early"), loader.find("gin-only")]
    patient = Learner(patient_rivals, naive(), seed + 1, variant).learn(deals, "patient opponents")
    return numbers_of(patient, hasty, chances_hasty(patient, hasty, seed + 2, variant))


def contents(deals: int, seed: int) -> np.ndarray:
    """The contents of champion.npy: float32 (player.ALL_RULES,)."""
    first, *others = VARIANTS
    numbers = [learned(first, deals, seed)]
    for variant in others:
        numbers.append(learned(variant, deals // 2, seed))
    return np.concatenate(numbers).astype(np.float32)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=DEALS, help="deals branched in a round")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=STRATEGIES / "champion.npy")
    args = parser.parse_args()
    np.save(args.out, contents(args.deals, args.seed))
    print(f"written: {args.out}")


if __name__ == "__main__":
    main()
