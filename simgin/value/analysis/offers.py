"""What an offer of the die tells: only hands with which the opponent would make it count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from simgin.core.answers import PHASE_BLIND
from simgin.play.matchup import Matchup
from simgin.play.worlds import Worlds, offers_in
from simgin.rules.record import build_rules
from simgin.value.analysis.worlds import draw_worlds, hastiness

PROBED = 500  # worlds in which the opponent is asked first
RARE = 0.01  # share of them below which offers are not looked for
TRIES = 1_000  # draws of a world at most; so many fail with a probability of e**-10
APART = 2**20  # between the numbers of two draws of a world


@dataclass(frozen=True)
class Drawing:
    """Worlds of a view, for A against B; of an offer to be answered those in which B makes it."""

    matchup: Matchup
    view: Any

    @property
    def has_offer(self) -> bool:
        """Whether an offer is to be answered that may tell something."""
        return bool(self.view.offered) and self.view.phase != PHASE_BLIND

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """What counts as the offer made; none if it tells nothing.

        A number that B would hardly offer counts as any that B offers.
        """
        offered = int(self.view.offered)
        if self._share((offered,)) >= RARE:
            return (offered,)
        every = tuple(range(1, int(self._rules.die_cap) + 1))
        return every if self._share(every) >= RARE else ()

    @property
    def share(self) -> float:
        """The share of worlds in which B makes the offer."""
        return self._share(self.numbers)

    def worlds(self, n: int, first: int) -> Worlds:
        """n worlds from number `first` on, each drawn apart from the others."""
        worlds = self._drawn(n, first)
        if not self.has_offer or worlds.views is not None or not self.numbers:
            return worlds
        left = np.arange(n)
        for attempt in range(1, TRIES):
            start = first + attempt * APART
            some = Worlds(worlds.hands[left], worlds.stocks[left])
            offered = offers_in(self.matchup, self.view, some, start)
            left = left[~np.isin(offered, self.numbers)]
            if not len(left):
                break
            for place in left:
                again = self._drawn(1, start + int(place))
                worlds.hands[place] = again.hands[0]
                worlds.stocks[place] = again.stocks[0]
        return worlds

    @cached_property
    def _rules(self) -> Any:
        return build_rules(self.matchup.variant)

    @cached_property
    def _probe(self) -> np.ndarray:
        """What B would offer in some worlds that are used for nothing else."""
        first = APART - PROBED
        return offers_in(self.matchup, self.view, self._drawn(PROBED, first), first)

    def _share(self, numbers: tuple[int, ...]) -> float:
        """How often B offers one of some numbers."""
        return float(np.isin(self._probe, numbers).mean())

    def _drawn(self, n: int, first: int) -> Worlds:
        """Worlds drawn by the play of the cards alone."""
        return draw_worlds(
            self.view,
            self._rules,
            n,
            self.matchup.seed,
            first,
            hastiness(self.matchup.b),
        )
