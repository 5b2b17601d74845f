"""Adaptation of champion to other rules: training of all decisions, cached and confirmed.

    result = adapt_champion("straight")   # about a minute of CPU time, once
    result.player                         # champion@NAME.npy, or champion if there is no gain

The weights are stored next to the compiled code, under a digest of everything that they depend on.
A second call therefore does not train again. Finished rounds are stored, too, so an interrupted
training resumes.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import jit
from simgin.play.parallel import SHARES, Progress
from simgin.report import numbers
from simgin.report.progress import OnProgress
from simgin.report.table import Column, Table
from simgin.rules import variants
from simgin.rules.parameters import parameters
from simgin.rules.variants import Variant
from simgin.runs import ledger
from simgin.runs.ledger import Ledger
from simgin.runs.manifest import run_identity
from simgin.stats.differences import holm
from simgin.stats.estimate import Estimate, two_sided
from simgin.stats.table import Frame, frame_of
from simgin.strategy import cast, loader
from simgin.strategy.cast import CHAMPION, SELF
from simgin.text.amounts import parse_count, parse_seed
from simgin.text.files import read_bytes, write_file
from simgin.tune.found import TRAINING, Found, Parts, confirm, saved, share_pieces
from simgin.tune.tune_request import TuneError, TuneRequest, read_matches, read_players

if TYPE_CHECKING:
    from simgin.tune.decisions import Learner

See = Callable[[str], None]  # called with a line for every round

# Opponents in training except champion itself
POOL = tuple(
    name for group in cast.TRAINING.values() for name in group["opponents"] if name != SELF
)
ROUNDS = 12  # rounds per type of opponent
DEALS = 40_000  # deals per round
CONFIRMED = 10_000  # matches of the confirmation against each opponent
FORM = 1  # incremented when training would give other weights
LEARNED = "learned"  # last step of the ledger
BETTER = 0.05  # threshold for the Holm-adjusted p-value of the confirmation
# Sections of the rules, and match parameters, that affect how deals are best played
PLAYED_BY = ("deal", "meld", "score", "stake")
MATCH_RULES = ("goal", "deal_count_gin", "deal_count_undercut")


@dataclass(frozen=True)
class AdaptRequest:
    """A training of champion."""

    match: TuneRequest  # rules and confirmation
    rounds: int  # rounds per type of opponent
    deals: int  # deals per round

    @classmethod
    def read(
        cls,
        strategy: str,
        variant: str,
        against: Sequence[str] = (),
        *,
        rounds: int = ROUNDS,
        deals: int | str = DEALS,
        confirmed: int | str = CONFIRMED,
        seed: int = 1,
    ) -> AdaptRequest:
        """Return the training that the strings describe.

        Args:
            strategy: `champion`.
            variant: Two-player variant.
            against: Must be empty, because champion has its own opponents.
            rounds: Rounds per type of opponent.
            deals: Deals per round.
            confirmed: Matches of the confirmation against each opponent.
            seed: Seed of the deals.

        Raises:
            TuneError: Opponents were named.
            SeatError: The variant is a solitaire game.
            AmountError: A number is invalid.
        """
        if against:
            raise TuneError(
                f"champion learns against opponents of its own, {', '.join(POOL)} and itself; "
                "leave --against out."
            )
        player, rules, pool = read_players(strategy, variant, POOL)
        confirming = read_matches(confirmed)
        match = TuneRequest(player, rules, pool, (), confirmed=confirming, seed=parse_seed(seed))
        return cls(match, rounds, parse_count(deals))

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that the weights depend on, except for the number of rounds."""
        matchups = self.match.matchups(self.match.strategy, self.match.seed)
        search = f"training of all decisions on {self.deals} deals a round, form {FORM}"
        return run_identity(matchups, search=search)

    @cached_property
    def rounds_file(self) -> Path:
        """The ledger of the rounds, next to the weights; raises TuneError without a cache."""
        folder = jit.cache_directory()
        if folder is None:
            raise TuneError(
                "learned players are kept in the cache, which cannot be written; name another "
                "folder with SIMGIN_CACHE_DIR."
            )
        about = json.dumps([self.identity, self.rounds], sort_keys=True)
        digest = hashlib.sha256(about.encode()).hexdigest()
        rules = re.sub(r"[^a-z0-9]+", "-", self.match.variant.text.lower()).strip("-")
        return folder / loader.LEARNED / f"{rules[:60]}-{digest[:8]}.sqlite"

    def player_file(self, content: bytes) -> Path:
        """Return the file of these weights, named after the rules and their digest."""
        file = self.rounds_file
        return file.with_name(loader.learned_name(file.stem, content))

    @property
    def is_kept(self) -> bool:
        """True if the training was finished before."""
        return any(self.rounds_file.parent.glob(f"{self.rounds_file.stem}-*.npy"))

    @property
    def pieces(self) -> int:
        """The number of parts of the work: the rounds, the opponent table and the confirmation."""
        return 2 * self.rounds + 2


@dataclass(frozen=True)
class Adapted(Found):
    """Champion after training for some rules, and the confirmation."""

    words = TRAINING
    training: AdaptRequest
    weights: np.ndarray  # float64, in champion's format
    course: np.ndarray  # win rates before each round, (n_rounds, len(TRAINING_OPPONENTS))
    seconds: float  # CPU time of the training

    @property
    def identity(self) -> Mapping[str, Any]:
        """See `simgin.report.report.Result`."""
        return self.training.identity

    @property
    def p_holm(self) -> dict[str, float]:
        """Holm-adjusted p-values of every gain, by opponent."""
        gains = {line.opponent: line.gain for line in self.confirmation.every}
        p = [two_sided(gain.value, gain.se, gain.n) for gain in gains.values()]
        return dict(zip(gains, map(float, holm(np.array(p))), strict=True))

    @property
    def gain(self) -> Estimate:
        """Win rate against champion minus one half."""
        return self.confirmation.direct.gain

    @property
    def better(self) -> bool:
        """True if it beats champion on held-out deals."""
        return self.gain.value > 0 and self.p_holm[CHAMPION] < BETTER

    @property
    def player(self) -> str:
        """Spec string of the strategy to play: the trained one if it is better, or champion."""
        return f"{CHAMPION}@{self.name}" if self.better else CHAMPION

    @property
    def name(self) -> str:
        """Name of the weights file."""
        return self.training.player_file(saved(self.weights)).name

    @property
    def sentences(self) -> list[str]:
        """Sentences on the result against champion, and on opponents against which it wins less."""
        variant, n = self.request.variant.text, self.request.confirmed
        won = self.confirmation.direct.tuned
        figure = numbers.estimate(won.value, won.low, won.high, 100)
        what = f"{figure} % of the matches against champion"
        size = f"{n:,} matches of {self.words.unseen}, {variant}"
        if not self.better:
            return [
                "What was learned is not better than champion, and champion is what plays: it "
                f"wins {what}, on {size}."
            ]
        sentences = [f"What was learned is better than champion: it wins {what}, on {size}."]
        p = self.p_holm
        for line in self.confirmation.lines:
            if line.gain.value < 0 and p[line.opponent] < BETTER:
                gain = numbers.estimate(-line.gain.value, -line.gain.high, -line.gain.low, 100)
                sentences.append(
                    f"Against {line.opponent} it wins {gain} points fewer than champion."
                )
        return sentences

    @property
    def sums_up(self) -> str:
        """Empty, because an average over these opponents has no meaning."""
        return ""

    @property
    def table(self) -> Frame:
        """The confirmation, with Holm-adjusted p-values of the gains."""
        table = super().table
        return table.assign(p_holm=table["opponent"].map(self.p_holm))

    def file(self, command: str) -> bytes:
        """Return the weights, followed by the command and the gain as remarks."""
        return saved(self.weights, command, *self.sentences)

    def frames(self) -> Mapping[str, Frame]:
        """Return the DataFrames by name."""
        rounds = []
        for number, shares in enumerate(self.course, 1):
            for opponent, won in zip(POOL, shares, strict=True):
                rounds.append({"round": number, "opponent": opponent, "won": won})
        return {"rounds": frame_of(rounds), "confirmation": self.table}

    def shown(self) -> list[Table]:
        """Return the table of win rates by round."""
        rows = enumerate(self.course, 1)
        told = frame_of([{"round": n, **dict(zip(POOL, won, strict=True))} for n, won in rows])
        columns = [Column(name, name, digits=1, factor=100) for name in POOL]
        note = "Of 1,000 matches each: the half-width of an interval is 3 points."
        title = "Matches won before each round [%]"
        return [Table(title, told, [Column("round", "round"), *columns], note)]

    @property
    def method(self) -> str:
        """A sentence on how the training was made."""
        training = self.training
        return (
            f"{training.rounds} rounds of {training.deals:,} deals against opponents who wait for "
            f"gin, and as many of {training.deals // 2:,} against those who knock at once, from "
            "champion's own weights on; the mean of the last rounds."
        )


def adapt(
    variant: str, *, workers: int | None = None, progress: Progress | None = None, **sizes: Any
) -> Adapted:
    """Return champion adapted to a two-player variant, from the cache or newly trained.

    Args:
        variant: Variant spec.
        workers: Number of worker threads.
        progress: Progress callback for training and confirmation together.
        **sizes: seed, deals, rounds and confirmed of `AdaptRequest.read`.

    Raises:
        SeatError: The variant is a solitaire game.
        TuneError: The cache cannot be written.
        LedgerError: Another process trains the same weights.
    """

    def report(done: int, total: int, _look: object = None) -> None:
        if progress is not None:
            progress(done, total)

    return run_adaptation(AdaptRequest.read(CHAMPION, variant, **sizes), workers, report)


def kept(variant: str, **sizes: Any) -> Adapted | None:
    """Return the cached result of `adapt_champion` for a variant, or None."""
    training = AdaptRequest.read(CHAMPION, variant, **sizes)
    if jit.cache_directory() is None or not training.is_kept:
        return None
    return run_adaptation(training)


def is_trained(name: str, variant: Variant) -> bool:
    """Return True if a strategy is champion with weights that were trained for these rules.

    The default weights count if no parameter that affects how deals are best played differs.
    """
    if name.startswith(f"{CHAMPION}@"):
        return True
    return name == CHAMPION and not other_rules(variant)


def other_rules(variant: Variant) -> list[str]:
    """Return the parameters that differ from the rules that champion was trained for."""
    from simgin.tune import decisions

    known = variants.find(decisions.rules_learned(variant))
    found = []
    for name, *_ in variants.difference(known, variant):
        rule = parameters()[name]
        decides = rule.section in PLAYED_BY and rule.status != "descriptive"
        acts = rule.acts(known.row) or rule.acts(variant.row)
        if acts and (decides or name in MATCH_RULES):
            found.append(name)
    return found


def run_adaptation(
    training: AdaptRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    on_round: Callable[[str], None] = lambda line: None,
    **_: Ledger,
) -> Adapted:
    """Train and confirm, or load the result.

    Args:
        training: The training.
        workers: Number of worker threads.
        on_progress: Callback for the progress of the rounds and the confirmation together.
        on_round: Callback that is called with a line for every round.
        **_: A ledger of the caller, which is not used: the cache contains the only one.
    """
    lines: list[str] = []

    def see(line: str) -> None:
        lines.append(line)
        on_round(line)

    part = share_pieces(on_progress, training.pieces, lambda: "\n".join(lines))
    place, match = training.rounds_file, training.match
    place.parent.mkdir(parents=True, exist_ok=True)
    with ledger.opened(place, training.identity) as run_ledger:
        if not run_ledger.has_step(LEARNED, training.rounds):
            found = _learn(training, run_ledger, workers, part, see)
            run_ledger.add_step(LEARNED, training.rounds, found)
        learned = run_ledger.step(LEARNED, training.rounds)
        weights = learned["weights"]
        content = saved(weights)
        digest = hashlib.sha256(content).hexdigest()
        strategy = loader.with_weights(match.strategy, weights)
        strategy = replace(strategy, text=f"{CHAMPION} (trained, {digest[:8]})")
        confirmation = confirm(match, strategy, run_ledger, workers, part(training.pieces - 1))
    player = training.player_file(content)
    if not player.exists() or read_bytes(player) != content:
        write_file(player, content)
    seconds = float(learned["seconds"])
    return Adapted(match, strategy, confirmation, training, weights, learned["course"], seconds)


def _learn(
    training: AdaptRequest, run_ledger: Ledger, workers: int | None, part: Parts, see: See
) -> dict[str, np.ndarray]:
    """Run all rounds against both types of opponents, and estimate the opponent table.

    Returns:
        weights (float64, in champion's format), course (win rates before each round, (n_rounds,
        len(TRAINING_OPPONENTS))) and seconds (CPU time).
    """
    from simgin.tune import decisions

    match = training.match
    own = decisions.weights_learned_under(match.variant)
    kinds = ("knock at once", "wait for gin")
    learners = []
    for place, (kind, group) in enumerate(zip(kinds, cast.TRAINING, strict=True)):
        rivals = decisions.training_opponents(group)
        seed = match.generation_seed(place + 1)
        learner = decisions.Learner(rivals, own[place], seed, match.variant, workers, known=True)
        learners.append(learner)
        first, deals = training.rounds * place, training.deals // (2 - place)
        pieces = [part(first + number) for number in range(training.rounds)]
        _play_rounds(learner, kind, deals, run_ledger, pieces, see)
    hasty, patient = learners
    before = time.process_time()
    apart = match.generation_seed(len(kinds) + 1)
    sets = patient.learned, hasty.learned
    chances = decisions.chances_hasty(*sets, apart, match.variant, workers, known=True)
    seconds = hasty.seconds + patient.seconds + time.process_time() - before
    _finish(part(training.pieces - 2))
    return {
        "weights": decisions.under_any_rules(decisions.numbers_of(*sets, chances)),
        "course": np.hstack([hasty.shares, patient.shares[:, 1 - len(POOL) :]]),
        "seconds": np.array(seconds),
    }


def _play_rounds(
    learner: Learner,
    kind: str,
    deals: int,
    run_ledger: Ledger,
    pieces: Sequence[Progress | None],
    see: See,
) -> None:
    """Run the rounds against one type of opponents, starting from the last stored one."""
    step = f"rounds against who {kind}"
    rounds = len(pieces)
    done = max((n for n in range(1, rounds + 1) if run_ledger.has_step(step, n)), default=0)
    if done:
        learner.go_on(run_ledger.step(step, done))
    for number in range(done + 1, rounds + 1):
        won = ", ".join(f"{100 * share:.1f}" for share in learner.round(deals))
        run_ledger.add_step(step, number, learner.state)
        _finish(pieces[number - 1])
        see(f"against who {kind}, round {number} of {rounds}: won {won} % before it")


def _finish(progress: Progress | None) -> None:
    if progress is not None:
        progress(SHARES, SHARES)


def plan_sentence(training: AdaptRequest) -> str:
    """Return sentences on what will be played."""
    match = training.match
    return (
        f"Champion learns all of its decisions under {match.variant.text}: {training.rounds} "
        f"rounds of {training.deals // 2:,} deals against opponents who knock at once, then of "
        f"{training.deals:,} against those who wait for gin. Then {match.confirmed:,} matches on "
        f"{Adapted.words.unseen} confirm what was learned."
    )
