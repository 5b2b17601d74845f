"""Training of all decisions of `champion`: discards, knocks, draws and opponent types.

Each training deal is rolled out from one decision of the player (simgin.play.rollouts): every
promising action continues in the same world. The gain of an action, as the change of the
probability of winning the match, is regressed on its features. The rollouts of a decision share one
world, so features and gains are centred per decision first. Ridge penalties shrink the weights
towards those of the previous round; the result is the average of the last rounds.

Two sets of weights are trained: one against `simple`, which knocks immediately, and one against
players that wait for gin. They are mixed in nine blends by the probability that the opponent is of
the first type. A table gives this probability by the deals that the opponent won in the match, and
by how long the deal lasts.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import (
    HAND,
    MATCH,
    NEW_STAGES,
    SIZE,
    STAGES,
    add_given_costs,
    hand_costs,
    looked_around,
)
from simgin_strategies._champion_worlds import DEAL

from simgin.core.deadwood import deadwood
from simgin.core.jit import compiled
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import over_units
from simgin.play.rollout import Branches, branch_deals
from simgin.rules.build import build_rules
from simgin.rules.parameters import number
from simgin.rules.variants import Variant
from simgin.strategy import Policy, Strategy, compiler, discard, helper, knock, live, loader, take
from simgin.strategy.cast import SELF, TRAINING
from simgin.toolkit import chance, gin_or_better, lowers, meldable
from simgin.toolkit.lanes import real_lanes, whole_lanes
from simgin.value import value

TRIED = 5  # discards rolled out per decision
AT_ONCE = 4000  # deals per call; their views take 16 MB
MET, KNOWN_MET = 4000, 1000  # matches per opponent to sample starting scores
WARM = 4  # rounds of the warm-up
AVERAGED = 5  # last rounds that are averaged
KEPT_WARM, KEPT = 0.7, 0.95  # factor for the sums of previous rounds
RIDGE = 4000.0
SMOOTH, LEVEL, LINEAR = 60.0, 1.0, 500.0  # penalties of the knock table
KNOWN_LEVEL = 10.0  # decisions that a cell of a trained table counts for
PRIOR = 0.5  # probability that an unknown opponent knocks immediately
# Policies and their features are compiled together, so mypy sees them untyped.
# mypy: disable-error-code="no-untyped-def"


# Actions to roll out


@helper
def cheapest(view, rules, params, few):
    """Return the discards of lowest cost, at most `few`, as bits."""
    weights = player.weights_in_force(view, rules, params)
    cards, costs = whole_lanes(), real_lanes()
    n = player.priced(view.legal, view, rules, weights, cards, costs)
    found: Any = np.int64(0)
    for _ in range(min(n, few)):
        i = costs[:n].argmin()
        found |= 1 << cards[i]
        costs[i] = player.TOO_HIGH
    return found


@discard
def try_discards(view, rules, params):
    """Return the discards of lowest cost as bits."""
    return cheapest(view, rules, params, TRIED)


@knock
def try_knock(view, rules, params):
    """Return both knocking and continuing, except with gin."""
    return 0 if gin_or_better(view) else 3


@knock(noise=True)
def wait_often(view, rules, params):
    """Knock in two of five cases, so that later opportunities occur in training, too."""
    return gin_or_better(view) or chance(0.4, view.noise)


@take
def try_take(view, rules, params):
    """Return both taking and leaving a card that lowers the deadwood."""
    return 3 if lowers(view, rules) and view.legal & 3 == 3 else 0


# Features of actions


def describe_discards(views, answers, rules, out):
    """Write the features of every discard to out, (n_decisions, n_actions, N_FEATURES)."""
    weights = np.zeros(SIZE)
    cards, ranks, costs = whole_lanes(), whole_lanes(), real_lanes()
    tens, loose, counts = whole_lanes(), whole_lanes(), whole_lanes()
    for i in range(len(views)):
        view = views[i]
        around = looked_around(view)
        n = 0
        while n < answers.shape[1] and answers[i, n] >= 0:
            card = answers[i, n]
            ten = view.hand & ~(1 << card)
            cards[n], ranks[n], tens[n] = card, card % 13, ten
            loose[n], counts[n] = ten & ~meldable(ten, rules), deadwood(ten, rules)
            n += 1
        for j in range(SIZE):  # with one weight of 1 and all others 0, the cost is that feature
            weights[j] = 1.0
            if j < len(HAND):
                hand_costs(n, tens, loose, counts, around, view, rules, weights, costs)
            else:
                costs[:] = 0
                add_given_costs(n, cards, ranks, tens, loose, around, view, weights, costs)
            weights[j] = 0.0
            for k in range(n):
                out[i, k, j] = costs[k]


def describe_takes(views, rules, params, out):
    """Write the features of every card on offer to out, (n_decisions, N_TAKE_FEATURES)."""
    for i in range(len(views)):
        weights = player.weights_in_force(views[i], rules, params)
        x = player.describe_take(views[i], rules, weights)
        for j in range(player.OF_TAKE):
            out[i, j] = x[j]


def describe_knocks(views, rules, out):
    """Write the features of every knock to out, (n_decisions, N_KNOCK_FEATURES)."""
    for i in range(len(views)):
        x = player.describe_knock(views[i], rules)
        for j in range(player.OF_KNOCK):
            out[i, j] = x[j]


@cache
def writer(describe: Callable[..., None]) -> Callable[..., None]:
    """Return a compiled function that writes features, cached until its source changes."""
    key = live.fingerprint(describe)
    written: Callable[..., None] = compiled(describe, keep=bool(key), key=key)
    return written


def stages(views: np.ndarray) -> np.ndarray:
    """Return the stage of the deal at each decision, as `_champion.stage`."""
    return np.searchsorted(NEW_STAGES, views["own_turn"], side="right")


# Regression

Sums = tuple[np.ndarray, np.ndarray]  # squares and products, by stage of the deal
CELLS = player.KNOCK_TURNS * player.COUNTS
OF_KNOCKS = CELLS + STAGES * player.OF_KNOCK  # a table, and linear features by stage


def sums_of(stage: np.ndarray, x: np.ndarray, y: np.ndarray) -> Sums:
    """Return least-squares sums of rows of features and their gains, by stage."""
    squares = np.zeros((STAGES, x.shape[1], x.shape[1]))
    products = np.zeros((STAGES, x.shape[1]))
    for s in range(STAGES):
        rows = x[stage == s]
        squares[s] = rows.T @ rows
        products[s] = rows.T @ y[stage == s]
    return squares, products


def sums_of_knocks(views: np.ndarray, x: np.ndarray, y: np.ndarray) -> Sums:
    """Return least-squares sums of knocks: a table by turn and count, and features by stage."""
    turn = np.minimum(views["own_turn"], player.KNOCK_TURNS) - 1
    count = np.minimum(views["ending_count"], player.COUNTS - 1)
    row = np.arange(len(views))
    full = np.zeros((len(views), OF_KNOCKS))
    full[row, turn * player.COUNTS + count] = 1
    first = CELLS + player.OF_KNOCK * stages(views)
    for j in range(player.OF_KNOCK):
        full[row, first + j] = x[:, j]
    return full.T @ full, full.T @ y


def solve(sums: Sums, prior: np.ndarray, pooled: float, apart: float) -> np.ndarray:
    """Return weights near `prior`: a common change for all stages, then one per stage.

    Args:
        sums: Least-squares sums by stage.
        prior: Weights, (n_stages, size).
        pooled: Ridge penalty of the common change.
        apart: Ridge penalty of the change per stage.

    Returns:
        Weights, (n_stages, size).
    """
    squares, products = sums
    eye = np.eye(len(prior[0]))
    missing = products - np.einsum("sij,sj->si", squares, prior)
    shift = np.linalg.solve(squares.sum(axis=0) + pooled * eye, missing.sum(axis=0))
    weights = prior + shift
    for s in range(STAGES):
        rest = missing[s] - squares[s] @ shift
        weights[s] += np.linalg.solve(squares[s] + apart * eye, rest)
    return weights


@cache
def knock_penalty(level: float) -> np.ndarray:
    """Return the quadratic penalty on differences of adjacent cells and on linear features."""
    cell = np.arange(CELLS).reshape(player.KNOCK_TURNS, player.COUNTS)
    out = np.diag(np.where(np.arange(OF_KNOCKS) < CELLS, level, LINEAR))
    for one, other in ((cell[1:], cell[:-1]), (cell[:, 1:], cell[:, :-1])):
        pull = np.zeros((one.size, OF_KNOCKS))
        row = np.arange(one.size)
        pull[row, one.ravel()] = 1
        pull[row, other.ravel()] = -1
        out += SMOOTH * pull.T @ pull
    return out


def less_mean(numbers: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Return numbers minus the mean of their decision; 0 for actions that were not tried."""
    kept = np.where(tried, numbers, 0)
    mean = kept.sum(axis=1, keepdims=True) / tried.sum(axis=1, keepdims=True)
    apart: np.ndarray = np.where(tried, kept - mean, 0)
    return apart


# Equity of a deal under the rules of a variant, on about the scale of points: the probability of
# winning the match if points win it, won deals if they win it, and points for other goals or if
# the seats have unequal chances


VALUE_DEALS, VALUE_SEED = 2_000_000, 20261122  # for the probability of winning by score

Equity = Callable[[Branches], np.ndarray]


def equity_of(variant: Variant) -> Equity:
    """Return a function that computes A's equity of rollouts, in the shape of their records."""
    goal = variant.row["goal"]
    if goal == "points":
        with suppress(value.ValueRefused):  # without match values, points count
            return by_score(variant)
    return by_deals if goal == "deals" else by_points


def by_score(variant: Variant) -> Equity:
    """Return a function that computes MATCH times the probability of winning the match."""
    target = number(variant.row, "points_target")
    won = match_values(variant.text, target)

    def equity(branches: Branches) -> np.ndarray:
        own = branches.standings[:, :1] + branches.records["points_a"]
        other = branches.standings[:, 1:2] + branches.records["points_b"]
        worth: np.ndarray = MATCH * won[np.minimum(own, target), np.minimum(other, target)]
        return worth

    return equity


@cache
def match_values(variant: str, target: int) -> np.ndarray:
    """Return the probability of winning by both scores (0 to target) for gold against gold."""
    values = np.full((target + 1, target + 1), np.nan)
    values[:target, :target] = chances_by_score(variant, target).astype(np.float32)
    values[target, :target] = 1
    values[:target, target] = 0
    return values


def chances_by_score(variant: str, target: int) -> np.ndarray:
    """Return the probability that gold beats gold, by own and opponent's points below target.

    The probability is averaged over both dealers, so the table and its transpose add up to 1.
    """
    v = value.compute(variant, "gold", "gold", deals=VALUE_DEALS, seed=VALUE_SEED)
    own, other = np.indices((target, target))
    chances: np.ndarray = (v.win(own, other, dealer=0) + v.win(own, other, dealer=1)) / 2
    return chances


def by_deals(branches: Branches) -> np.ndarray:
    """Return DEAL for every deal won, multiplied by the stake."""
    winner = branches.records["winner"]
    won = (winner == 0).astype(float) - (winner == 1)
    worth: np.ndarray = DEAL * won * branches.records["stake"]
    return worth


def by_points(branches: Branches) -> np.ndarray:
    """Return points won minus points lost."""
    won: np.ndarray = branches.records["points_a"] - branches.records["points_b"]
    return won.astype(float)


# Training


class Learner:
    """The training of one set of weights against opponents."""

    def __init__(
        self,
        rivals: Sequence[Strategy | None],
        weights: np.ndarray,
        seed: int,
        variant: Variant,
        workers: int | None = None,
        *,
        known: bool = False,
    ) -> None:
        """Set up the training.

        Args:
            rivals: Opponents; None is the player itself with its current weights.
            weights: Initial weights, (player.BLEND_SIZE,) float64.
            seed: Seed of the deals.
            variant: Rules of the training.
            workers: Number of worker threads.
            known: True if the weights are already trained. Knocks and takes are then shrunk towards
                them, too, and fewer matches are played to sample scores.
        """
        self.variant, self.rules = variant, build_rules(variant)
        self.rivals, self.seed, self.workers = rivals, seed, workers
        self.equity = equity_of(variant)
        self.weights = weights.copy()
        self.base = weights.copy() if known else np.zeros(player.ALL)  # of knocks and takes
        self.level, self.matches = (KNOWN_LEVEL, KNOWN_MET) if known else (LEVEL, MET)
        self.next_unit, self.rounds = 0, 0
        self.seconds = 0.0  # CPU time of all rounds
        self.shares = np.zeros((0, len(rivals)))  # proportion of matches won before each round
        self.last = np.zeros((0, player.ALL))  # weights after each of the last rounds
        self.start()

    def start(self) -> None:
        """Discard the sums, and shrink towards the current weights."""
        self.prior = self.weights[: STAGES * SIZE].reshape(STAGES, SIZE).copy()
        self.seen = {
            name: (np.zeros((*stages, size, size)), np.zeros((*stages, size)))
            for name, stages, size in (
                ("discards", (STAGES,), SIZE),
                ("takes", (STAGES,), player.OF_TAKE),
                ("knocks", (), OF_KNOCKS),
            )
        }

    @property
    def state(self) -> dict[str, np.ndarray]:
        """Everything that the next rounds and the result depend on."""
        arrays = {"weights": self.weights, "prior": self.prior}
        arrays |= {"last": self.last, "shares": self.shares, "next": np.array(self.next_unit)}
        arrays["seconds"] = np.array(self.seconds)
        for name, (squares, products) in self.seen.items():
            arrays |= {f"{name} squares": squares, f"{name} products": products}
        return arrays

    def go_on(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore the state at the end of a round."""
        self.weights, self.prior = state["weights"].copy(), state["prior"]
        self.last, self.shares = state["last"], state["shares"]
        self.next_unit, self.rounds = int(state["next"]), len(self.shares)
        self.seconds = float(state["seconds"])
        for name in self.seen:
            self.seen[name] = (state[f"{name} squares"], state[f"{name} products"])

    def matchup(self, rival: Strategy | None, unit: Any) -> Matchup:
        """Return a matchup of the player with its current weights against an opponent."""
        own = with_numbers(single(self.weights))
        return Matchup(self.variant, own, rival or own, self.seed, unit)

    def learn(
        self,
        name: str,
        n: int,
        most: int,
        choose: Policy,
        sums: Callable[[Branches, np.ndarray], Sums],
        explore: Policy | None = None,
    ) -> Sums:
        """Roll out n deals against all opponents, and add the gains of their actions to the sums.

        The weights of the sampled decisions (`PairedRollouts.weights`) are not used yet, so long
        deals count too little and the result is biased. The shipped weights were trained without
        them, and `make train` reproduces those until the next training.

        Args:
            name: Key of the sums: "discards", "knocks" or "takes".
            n: Number of deals.
            most: Maximum number of actions per decision.
            choose: Policy that proposes the actions as bits.
            sums: Function of rollouts and their match equity that computes the sums.
            explore: Policy that plays until the decision.

        Returns:
            The sums, including those of previous rounds.
        """
        n //= len(self.rivals)

        def blocks(rival: Strategy | None, met: np.ndarray) -> list[Sums]:
            """Return the sums of n deals against an opponent, by block, from sampled scores."""
            deals, start = self.matchup(rival, "deal"), self.next_unit
            kernel.prepare(deals)
            lots = np.random.default_rng([self.seed, start])
            sizes = [min(AT_ONCE, n - first) for first in range(0, n, AT_ONCE)]
            standings = [met[lots.integers(len(met), size=size)] for size in sizes]

            def branch(first: int, units: int) -> Sums:
                before = standings[first // AT_ONCE]
                found = branch_deals(deals, choose, start + first, units, most, before, explore)
                return sums(found, self.equity(found))

            return over_units(branch, n, AT_ONCE, self.workers)

        for rival, met in zip(self.rivals, self.met, strict=True):
            for of_block in blocks(rival, met):
                for seen, found in zip(self.seen[name], of_block, strict=True):
                    seen += found
            self.next_unit += n
        return self.seen[name]

    def learn_discards(self, n: int) -> None:
        """Regress the equity of discards on their features, both centred per decision."""

        def sums(found: Branches, equity: np.ndarray) -> Sums:
            x = np.zeros((*found.answers.shape, SIZE))
            writer(describe_discards)(found.views, found.answers, self.rules, x)
            x = less_mean(x, found.tried[..., None])
            y = less_mean(equity, found.tried)
            return sums_of(np.repeat(stages(found.views), TRIED), x.reshape(-1, SIZE), -y.ravel())

        seen = self.learn("discards", n, TRIED, try_discards, sums)
        weights = solve(seen, self.prior, RIDGE, RIDGE)
        self.weights[: STAGES * SIZE] = weights.ravel()

    def learn_takes(self, n: int) -> None:
        """Regress the gain of taking on its features."""
        params = single(self.weights)

        def sums(found: Branches, equity: np.ndarray) -> Sums:
            x = np.zeros((len(found.views), player.OF_TAKE))
            writer(describe_takes)(found.views, self.rules, params, x)
            return sums_of(stages(found.views), x, equity[:, 1] - equity[:, 0])

        seen = self.learn("takes", n, 2, try_take, sums)
        base = self.base[player.TAKES :].reshape(STAGES, player.OF_TAKE)
        weights = solve(seen, base, 20.0, 400.0)
        self.weights[player.TAKES :] = weights.ravel()

    def learn_knocks(self, n: int) -> None:
        """Regress the gain of knocking on its table and its features."""

        def sums(found: Branches, equity: np.ndarray) -> Sums:
            x = np.zeros((len(found.views), player.OF_KNOCK))
            writer(describe_knocks)(found.views, self.rules, x)
            return sums_of_knocks(found.views, x, equity[:, 1] - equity[:, 0])

        squares, products = self.learn("knocks", n, 2, try_knock, sums, wait_often)
        base = self.base[player.KNOCKS : player.TAKES]
        missing = products - squares @ base
        weights = base + np.linalg.solve(squares + knock_penalty(self.level), missing)
        self.weights[player.KNOCKS : player.TAKES] = weights

    def round(self, deals: int, keep: float | None = None) -> np.ndarray:
        """Train for one round, and return the proportions of matches won before it, by opponent.

        Args:
            deals: Deals to roll out for discards; half of them for knocks and takes.
            keep: Factor for the sums of previous rounds; by default it depends on the round.
        """
        began = time.process_time()
        if self.rounds == WARM and keep is None:
            self.start()
        fading = (KEPT_WARM if self.rounds < WARM else KEPT) if keep is None else keep
        for squares, products in self.seen.values():
            squares *= fading
            products *= fading
        records = [self.played(rival, self.matches) for rival in self.rivals]
        standing = ("score_a", "score_b", "deals_a", "deals_b")  # as in simgin.play.rollouts
        self.met = [np.stack([one[name] for name in standing], 1) for one in records]
        shares = np.array([share_won(one) for one in records])
        self.learn_discards(deals)
        self.learn_knocks(deals // 2)
        self.learn_takes(deals // 2)
        self.rounds += 1
        self.seconds += time.process_time() - began
        self.shares = np.concatenate([self.shares, [shares]])
        self.last = np.concatenate([self.last, [self.weights]])[-AVERAGED:]
        return shares

    @property
    def learned(self) -> np.ndarray:
        """The mean weights of the last rounds, (player.BLEND_SIZE,) float64."""
        mean: np.ndarray = np.mean(self.last, axis=0)
        return mean

    def played(self, rival: Strategy | None, matches: int) -> np.ndarray:
        """Return the records of the deals of matches against an opponent."""
        matchup = self.matchup(rival, "match")
        kernel.prepare(matchup)
        play = partial(_records, matchup)
        units = matchup.units(matches)
        return np.concatenate(over_units(play, units, max(1, units // 8), self.workers))


def _records(matchup: Matchup, first: int, units: int) -> np.ndarray:
    return kernel.play_recorded(matchup, first, units)[1]


def share_won(records: np.ndarray) -> float:
    """Return the proportion of finished matches that A won."""
    return float((records["outcome"] == 0).sum() / (records["outcome"] >= 0).sum())


def training_opponents(group: str) -> list[Strategy | None]:
    """Return the opponents of a group in TRAINING; None stands for the player itself."""
    return [None if name == SELF else loader.find(name) for name in TRAINING[group]["opponents"]]


# Weights of the player


def with_numbers(numbers: np.ndarray) -> Strategy:
    """Return champion with other weights than those of its file."""
    return loader.with_weights(loader.find("champion"), numbers)


def single(weights: np.ndarray) -> np.ndarray:
    """Return the weights of a player with a single set, for any rules."""
    never = np.zeros((player.WON, player.MEANS, player.TURNS))
    return under_any_rules(numbers_of(weights, weights, never))


def under_any_rules(numbers: np.ndarray) -> np.ndarray:
    """Return the weights for one group of rules, repeated for every group that champion knows."""
    return np.tile(numbers, player.ALL_RULES // player.EACH)


def numbers_of(patient: np.ndarray, hasty: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Return the weights for one group of rules: nine blends of two sets, and a table of use.

    Args:
        patient: Weights against players that wait for gin, (player.BLEND_SIZE,).
        hasty: Weights against players that knock immediately, (player.BLEND_SIZE,).
        chances: Probability that the opponent knocks immediately, by deals won, their mean points
            and own turn.

    Returns:
        Weights with the precision of the file.
    """
    last = player.BLENDS - 1
    blends = [patient + (hasty - patient) * (i / last) for i in range(player.BLENDS)]
    numbers = np.concatenate([*blends, np.rint(last * chances).ravel()])
    return numbers.astype(np.float32).astype(np.float64)


def opponent_cells(records: np.ndarray) -> np.ndarray:
    """Return smoothed proportions of B's deals won and mean points, (N_WON, N_MEANS) float64."""
    won = np.minimum(records["deals_b"], player.WON - 1)
    mean = records["score_b"] // np.maximum(1, 3 * records["deals_b"])
    mean = np.where(won > 0, np.minimum(mean, player.MEANS - 1), 0)
    cells = np.zeros((player.WON, player.MEANS))
    np.add.at(cells, (won, mean), 1.0)
    smooth = cells.copy()
    smooth[1:, 1:] += 0.5 * cells[1:, :-1]
    smooth[1:, :-1] += 0.5 * cells[1:, 1:]
    smooth += 0.5
    shares: np.ndarray = smooth / smooth.sum(axis=1, keepdims=True)
    return shares


def chances_hasty(
    patient: np.ndarray,
    hasty: np.ndarray,
    seed: int,
    variant: Variant,
    workers: int | None = None,
    *,
    known: bool = False,
) -> np.ndarray:
    """Return the probability of an immediate knocker, by the key of `champion.blend`.

    Bayes' rule is applied to matches of the set `hasty` against players that knock immediately, and
    of the set `patient` against players that wait for gin.

    Args:
        patient: Weights against players that wait for gin, (player.BLEND_SIZE,).
        hasty: Weights against players that knock immediately, (player.BLEND_SIZE,).
        seed: Seed of the deals.
        variant: Rules of the matches.
        workers: Number of worker threads.
        known: True if the weights are already trained. The set `patient` then also plays against
            itself.

    Returns:
        Probabilities by deals won, their mean points and own turn.
    """
    found = []
    for weights, group in zip((hasty, patient), TRAINING.values(), strict=True):
        rivals: list[Strategy | None] = [loader.find(name) for name in group["recognized"]]
        if known and weights is patient:
            rivals.append(None)
        learner = Learner(rivals, weights, seed, variant, workers, known=known)
        together = np.concatenate([learner.played(rival, 5 * learner.matches) for rival in rivals])
        lasting = together["turns"][:, None] >= 2 * np.arange(player.TURNS)
        found.append((opponent_cells(together), lasting.mean(axis=0)))
    (cells, length), (other_cells, other_length) = found
    likely = cells / other_cells
    likely[0] = 1
    turns = length / np.maximum(other_length, 1e-6)
    odds = PRIOR / (1 - PRIOR) * likely[:, :, None] * turns
    chances: np.ndarray = odds / (1 + odds)
    return chances


# Variants that champion's weights were trained for, in the order of its file
LEARNED_UNDER = ("eaai", "rush", "tedesco", "dice")


def rules_learned(variant: Variant) -> str:
    """Return the variant of TRAINED_VARIANTS whose weights champion uses for a variant."""
    return LEARNED_UNDER[int(player.learned_under(build_rules(variant))) // player.EACH]


def weights_learned_under(variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """Return champion's weights under the most similar rules: the set `hasty`, then `patient`."""
    policy = loader.find("champion").discard
    assert policy is not None, "champion has one"
    first = int(player.learned_under(build_rules(variant)))
    numbers = compiler.vector(policy)[first : first + player.KINDS]
    blends = numbers.reshape(player.BLENDS, player.ALL)
    return blends[-1].copy(), blends[0].copy()
