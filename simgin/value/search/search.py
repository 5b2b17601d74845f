"""Deals of a matchup sifted by the million: only those found are kept.

request = read_request("gold", "simple", "standard", "undercut, lost", deals=1_000_000)
found = search(request)
found.deals  # FOUND (deals,): the first ten
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simgin.core.cell import Unit
from simgin.play.kernel import play_recorded, prepare
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.names import own_names
from simgin.play.parallel import Progress, over_units
from simgin.rules import variants
from simgin.text.amounts import AmountError, parse_count, parse_seed
from simgin.value.search.where import FOUND, Where, read_where

DEALS = 100_000
FEW_DEALS = 20  # where every decision is analysed
LIMIT = 10
MOST_LISTED = 1_000
MOST_ANALYSED = 1_000
BLOCK = 10_000  # units of deals sifted at once, a multiple of the batch


class SearchError(ValueError):
    """A search that cannot be made; the message is a sentence."""


@dataclass(frozen=True)
class Request:
    """Whose deals to look through, how many, and for what."""

    matchup: Matchup
    rival: Matchup | None  # the same with another strategy in A's place, if two are compared
    where: Where
    n: int  # deals or matches
    limit: int

    @property
    def title(self) -> str:
        """Whose deals they are, as in `gold v simple`."""
        names = [self.short(player.text) for player in self.matchup.players]
        if self.rival is None:
            return " v ".join(names)
        rival = self.short(self.rival.a.text)
        both = f"{names[0]} and {rival}"
        if self.matchup.b is None:
            return both
        return f"{both} against {names[1]}"

    def short(self, player: str) -> str:
        """What a player is called where space is short."""
        names = own_names(self.matchups)
        return names.get(player, player)

    @property
    def matchups(self) -> list[Matchup]:
        """The one whose deals they are, and the one that it is compared with."""
        if self.rival is None:
            return [self.matchup]
        return [self.matchup, self.rival]

    @property
    def is_paired(self) -> bool:
        """Whether deals have a second half, with the players in each other's seats."""
        return all(matchup.mirrored for matchup in self.matchups)


@dataclass(frozen=True)
class Found:
    """What a search found."""

    request: Request
    played: int  # deals looked through
    fitting: int  # deals that fit
    deals: np.ndarray  # FOUND: the first `limit` of them


def read_request(
    a: str,
    b: str | None,
    variant: str,
    where: str,
    *,
    deals: int | str | None = None,
    matches: int | str | None = None,
    against: str | None = None,
    limit: int = LIMIT,
    seed: int = 1,
) -> Request:
    """The search that texts and counts ask for.

    With `differ`, b is the strategy that a is compared with, and `against` plays both, by default
    b. Raises SearchError, WhereError and what the loaders raise.
    """
    asked = read_where(where)
    if deals is not None and matches is not None:
        raise AmountError("deals and matches are both given; keep one of them.")
    if against is not None and not asked.differ:
        raise SearchError("--against goes with `--where differ`; name the opponent behind A.")
    if asked.differ and matches is not None:
        raise SearchError("differ compares single deals, so count deals, not matches.")
    if not 1 <= limit <= MOST_LISTED:
        raise SearchError(f"{limit} deals cannot be listed: write a limit of 1 to {MOST_LISTED}.")
    usual = FEW_DEALS if asked.is_costly else DEALS
    n = parse_count(matches or deals or usual)
    number = parse_seed(seed)
    if asked.differ:
        matchup, rival = _compared(a, b, variant, against, number)
        return Request(matchup, rival, asked, n, limit)
    unit: Unit = "deal" if matches is None else "match"
    matchup = parse_matchup(a, b, variant, number, unit)
    return Request(matchup, None, asked, n, limit)


def _compared(
    a: str, b: str | None, variant: str, against: str | None, seed: int
) -> tuple[Matchup, Matchup]:
    """A and B in the same place: against a third, or alone."""
    if b is None:
        raise SearchError("differ compares two strategies: name both, as in `gold simple`.")
    opponent: str | None = against or b
    if variants.find(variant).row["players"] == 1:
        if against is not None:
            raise SearchError(f"{variant} is for one player: leave --against out.")
        opponent = None
    one = parse_matchup(a, opponent, variant, seed, "deal")
    two = parse_matchup(b, opponent, variant, seed, "deal")
    if one.a.text == two.a.text:
        raise SearchError(f"{one.a.text} does not differ from itself: name two strategies.")
    return one, two


def search(request: Request, workers: int | None = None, progress: Progress | None = None) -> Found:
    """Play the deals, and keep the first of those that fit."""
    where = request.where
    limit = request.limit
    if where.is_costly:
        limit = MOST_ANALYSED + 1
    for matchup in request.matchups:
        prepare(matchup)
    units = request.n
    if request.is_paired:
        units = (units + 1) // 2
    size = BLOCK
    if request.matchup.unit == "match":
        size = request.matchup.batch

    def sift(first: int, n: int) -> tuple[int, int, np.ndarray]:
        played = _play(request, first, n)
        fitting = played[where.fits(played)]
        kept = where.first(fitting, limit)
        return len(played), len(fitting), kept

    blocks = over_units(sift, units, size, workers, progress)
    played, fitting, kept = zip(*blocks, strict=True)
    fit = sum(fitting)
    if where.is_costly and fit > MOST_ANALYSED:
        raise SearchError(
            f"{fit:,} deals fit, and costly analyses every decision of {MOST_ANALYSED:,} at "
            "most: ask for fewer with --deals."
        )
    deals = np.concatenate(kept)
    return Found(request, sum(played), fit, where.first(deals, limit))


def _play(request: Request, first: int, n: int) -> np.ndarray:
    """The deals of some units: FOUND (deals,)."""
    played = []
    for matchup in request.matchups:
        _, records = play_recorded(matchup, first, n)
        if not request.is_paired:  # then one of the two has no second halves
            is_first = records["half"] == 0
            records = records[is_first]
        played.append(records)
    found = np.zeros(len(played[0]), FOUND)
    found["deal"] = played[0]
    found["other"] = played[-1]
    return found
