"""What commands write, for Python callers: tidy pandas frames, reviews and odds. Ledgers are kept in memory, and nothing is written.

Frames have the columns that the pictures of `simgin.plots` are drawn from, each function from the frame of its name
(docs/reference/plots.md).
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simgin.findings.findings import Findings
from simgin.findings.record import record_plan
from simgin.runs import ledger, plan, runner
from simgin.runs.threads import Threads
from simgin.text import amounts

if TYPE_CHECKING:
    import pandas as pd

    from simgin.review.review import Review

ODDS = 40_000  # deals of a player, as in `simgin odds`


def match(
    a: str,
    b: str | None = None,
    variant: str = "standard",
    *,
    deals: int | str | None = None,
    matches: int | str | None = None,
    until: float | str | None = None,
    sprt: tuple[float, float] | None = None,
    seconds: float | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """Tidy rows (`simgin.stats.table.COLUMNS`) of A against B (two players: `simple` if none is named): 100,000 deals unless told otherwise.

    until ("0.1%" of the share won, or 0.05 points), sprt (two Elo differences) and seconds end a run sooner than deals or matches; the
    intervals are then those of a confidence sequence. The frame depends on everything but `workers` (and, with seconds, on the clock).
    Raises ValueError with a sentence for a text that names nothing, a variant that this version does not play, and a policy that answers
    illegally.
    """
    until, sprt = until and amounts.half_width(until), sprt and amounts.elo_bounds(sprt)
    n = {"deals": deals, "matches": matches}
    return _played(
        plan.plan_matchup(a, b, variant, **n, until=until, sprt=sprt, seconds=seconds, seed=seed),
        workers,
    ).table


def run(path: str | Path, *, seed: int | None = None, workers: int | None = None) -> pd.DataFrame:
    """Tidy rows of every matchup of an experiment file; `seed` stands in for the file's own. Writes nothing."""
    return findings_of(path, seed=seed, workers=workers).table


def findings_of(
    path: str | Path, *, seed: int | None = None, workers: int | None = None
) -> Findings:
    """All that comes of an experiment file, as frames: table, differences, ratings, standings, cross, pairing, adjusted."""
    return _played(plan.plan_file(path, seed), workers)


def review_of(
    rules: Sequence[str],
    against: str | None = None,
    *,
    matches: int | str | None = None,
    deep: bool = False,
    seed: int = 1,
    workers: int | None = None,
) -> Review:
    """What variants do to the game, as `simgin review` plays it: 20,000 matches of every pair of players (one alone: 5,000).

    Its frames are `metrics` and `differences`; `simgin.review.frames` has those of its pictures. Raises ReviewError for games that cannot
    stand side by side. At least 1,000 matches are needed for the chances by score.
    """
    from simgin.review import review

    asked = review.asked(
        rules,
        against,
        deep=deep,
        matches=None if matches is None else amounts.count(matches),
        seed=seed,
    )
    return review.Review(asked, _played(review.planned(asked), workers), workers)


def odds_of(
    variant: str,
    *strategies: str,
    deals: int | str = ODDS,
    seed: int = 1,
    workers: int | None = None,
) -> dict[str, pd.DataFrame]:
    """The frames of `simgin odds` by their names: strength, odds, left, gin, totals, gap, joker of a game for one; seats, scores of two.

    strategies: weakest first; the usual ladder if none is named. deals: of each of them.
    """
    from simgin.odds import report, seats, solo
    from simgin.odds import sample as dealt
    from simgin.rules import variants

    game, n = variants.find(variant), amounts.count(deals)
    if game.row["players"] == 1:
        ladder = strategies or solo.ladder(game)
        return report.of(
            [[dealt.of(name, game.text, n, seed=seed, workers=workers) for name in ladder]],
            [],
            seed,
        ).frames
    return report.of(
        [],
        [
            seats.of(name, game.text, n, seed=seed, workers=workers)
            for name in strategies or seats.PLAYERS
        ],
        seed,
    ).frames


def show(
    a: str,
    b: str | None = None,
    variant: str = "standard",
    *,
    seed: int = 1,
    unit: int = 0,
    half: int = 0,
    deal: int | None = None,
) -> str:
    """One deal in words, every decision and the showdown: a single deal, or number `deal` (from 0) of the match of a unit.

    half 1: the same pack with the strategies exchanged. Raises ReplayError or NoSuchDeal for what was not played.
    """
    from simgin.play import replay, replay_solo

    return "\n".join(
        replay_solo.make_replay(replay.find_deal(a, b, variant, seed, unit, half, deal)).lines()
    )


def forest(differences: pd.DataFrame) -> pd.DataFrame:
    """The differences of findings as `simgin.plots.differences` draws them: shares in per cent, with a title; undefined ones left out."""
    from simgin.findings.tables import BY_METRIC

    column = differences["metric"].map(BY_METRIC)
    factor = column.map(lambda one: one.factor)
    scaled = {name: factor * differences[name] for name in ("difference", "se", "low", "high")}
    shown = differences.assign(title=column.map(lambda one: one.title), **scaled)
    return shown[shown["se"] > 0].reset_index(drop=True)


def _played(asked: plan.Plan, workers: int | None) -> Findings:
    """What comes of a plan; its ledger lies in memory for as long as the findings do."""
    with contextlib.closing(Threads(workers)) as team, contextlib.ExitStack() as open_ledger:
        team.prepare(asked.matchups)
        report = open_ledger.enter_context(ledger.opened(None, asked.identity))
        done = runner.run(asked.tasks, report, team, rules=asked.rules, seconds=asked.seconds)
        found = Findings(record_plan(asked, done), report)
        weakref.finalize(found, open_ledger.pop_all().close)
        return found
