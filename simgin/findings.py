"""What came of a run: its tables, computed from the batch rows of the ledger and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin import contrast, control, homogeneity, identities, league, pairing, ratings, statistics, table
from simgin import matchup as games
from simgin.contrast import Side
from simgin.core import sums
from simgin.core.record import FIELDS
from simgin.pairing import Sweeps
from simgin.plan import Plan
from simgin.ratings import Cycles, Pairing
from simgin.runner import COMPLETE, Played

if TYPE_CHECKING:
    import pandas as pd

    from simgin.ledger import Ledger

OF_RULES = ("turns", "gin", "undercut", "void")  # what variants are compared by beside who wins
SUSPICIOUS = 0.001  # p of a chi-square below which a batch is played again: one sound run in a thousand


@dataclass(frozen=True)
class Findings:
    """A run that was played, while its ledger is open."""

    plan: Plan
    played: Sequence[Played]
    ledger: Ledger

    @property
    def stopped(self) -> str:
        """How the run ended: complete, or what was decided; what holds of several cells once."""
        return "; ".join(dict.fromkeys(one.stopped for one in self.played))

    @property
    def ended(self) -> list[str]:
        """A line for every cell that did not end at a size given beforehand."""
        many = len(self.played) > 1
        return [
            (f"{one.cell.matchup.title} ({one.cell.matchup.variant.text}): " if many else "Stopped: ") + one.stopped
            for one in self.played
            if one.stopped != COMPLETE
        ]

    @cached_property
    def table(self) -> pd.DataFrame:
        """Tidy rows (`simgin.table.COLUMNS`) of every cell."""
        import pandas as pd

        return pd.concat([self._tidy(i) for i in range(len(self.played))], ignore_index=True)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The contrasts of the plan (`simgin.contrast.COLUMNS`), one family for Holm."""
        import pandas as pd

        parts = [contrast.differences([(self._side(i), self._side(base))], self._metrics(i, base)) for i, base in self.plan.contrasts]
        if not parts:
            return pd.DataFrame(columns=list(contrast.COLUMNS))
        frame = pd.concat(parts, ignore_index=True)
        return frame.assign(p_holm=contrast.holm(frame["p"].to_numpy(dtype=float)))

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """Elo of the strategies of every variant in which each met each (`simgin.ratings.COLUMNS`)."""
        import pandas as pd

        parts = [self._widened(ratings.ratings(met, self.plan.seed)).assign(variant=variant) for variant, met in self._leagues]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["variant", *ratings.COLUMNS])

    @cached_property
    def standings(self) -> pd.DataFrame:
        """The league table of every variant that has ratings (`simgin.league.COLUMNS`)."""
        import pandas as pd

        parts = []
        for variant, _ in self._leagues:
            rated = self.ratings[self.ratings["variant"] == variant]
            parts.append(league.standings(self._sides(variant), rated).assign(variant=variant))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["variant", *league.COLUMNS])

    @cached_property
    def cross(self) -> pd.DataFrame:
        """Everyone against everyone in every variant that has ratings (`simgin.ratings.CROSS_COLUMNS`)."""
        import pandas as pd

        parts = [ratings.cross_table(met).assign(variant=variant) for variant, met in self._leagues]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["variant", *ratings.CROSS_COLUMNS])

    @cached_property
    def cycles(self) -> list[tuple[str, Cycles]]:
        """The cyclic share of every variant that has ratings."""
        return [(variant, ratings.cycles(met, self.plan.seed)) for variant, met in self._leagues]

    @cached_property
    def pairing(self) -> pd.DataFrame:
        """What mirroring was worth to every cell of pairs (`simgin.pairing.COLUMNS`), beside who played."""
        return self._each(lambda i: pairing.gain(self.rows(i), self.plan.unit), pairing.COLUMNS, lambda one: one.cell.matchup.mirrored)

    @cached_property
    def sweeps(self) -> dict[tuple[str, str, str], Sweeps]:
        """Of every cell of pairs, by variant and who played: how often either won both halves, and the exact test of it."""
        mirrored = [(i, one.cell.matchup) for i, one in enumerate(self.played) if one.cell.matchup.mirrored]
        total = {i: self.ledger.total(i, self.played[i].units, m.batch) for i, m in mirrored}
        return {(m.variant.text, m.a.text, m.opponent): pairing.sweeps(total[i]) for i, m in mirrored}

    @cached_property
    def adjusted(self) -> pd.DataFrame:
        """What a control variate helps, of runs whose size was fixed (`simgin.control.COLUMNS`), beside who played."""
        return self._each(
            lambda i: control.adjusted(self.played[i].cell.matchup, self.rows(i)), control.COLUMNS, lambda _: not self.plan.rules
        )

    @cached_property
    def health(self) -> list[dict[str, Any]]:
        """Of every cell whether its share won is the same in all batches and with all workers; what stands out was played again."""
        return [self._health(i) for i in range(len(self.played))]

    def deals(self) -> Iterator[tuple[str, str, str, np.ndarray]]:
        """Variant, A, B and the recorded deals, int64 (deals, record.FIELDS), batch by batch, for `simgin.records.write`."""
        for i, one in enumerate(self.played):
            m = one.cell.matchup
            for batch in self.ledger.deals(i, one.units, m.batch, len(FIELDS)):
                yield m.variant.text, m.a.text, m.opponent, batch

    def rows(self, i: int) -> np.ndarray:
        """The batch rows of cell number i as far as they count, int64 (batches, sums.COLUMNS)."""
        return self.ledger.rows(i, self.played[i].units, self.played[i].cell.matchup.batch)

    def _tidy(self, i: int) -> pd.DataFrame:
        one = self.played[i]
        matchup = one.cell.matchup
        total = self.ledger.total(i, one.units, matchup.batch)
        return table.tidy(matchup.variant.text, matchup.a.text, matchup.opponent, matchup.unit, total, one.multiplier)

    def _side(self, i: int, as_b: bool = False) -> Side:
        one = self.played[i].cell.matchup
        names = (one.opponent, one.a.text) if as_b else (one.a.text, one.opponent)
        return Side(one.variant.text, *names, one.unit, one.seed, self.rows(i), as_b, self.played[i].multiplier)

    def _sides(self, variant: str) -> list[Side]:
        """Every cell of pairs of a variant, seen from both its sides."""
        cells = [(i, one.cell.matchup) for i, one in enumerate(self.played)]
        return [self._side(i, as_b) for i, m in cells if m.mirrored and m.variant.text == variant for as_b in (False, True)]

    def _metrics(self, i: int, base: int) -> tuple[str, ...]:
        one, other = (self.played[k].cell.matchup for k in (i, base))
        wins = headline(one.unit, len(one.players)) if one.mirrored or one.b is None else ()  # whoever plays himself wins one half
        return wins + (OF_RULES if one.variant != other.variant else ())

    @cached_property
    def _leagues(self) -> list[tuple[str, list[Pairing]]]:
        """The pairings of every variant in which three or more strategies met, each of them each other."""
        players = {variant: len({name for one in met for name in (one.a, one.b)}) for variant, met in self._met()}
        return [(variant, met) for variant, met in self._met() if len(met) == comb(players[variant], 2) and players[variant] > 2]

    def _met(self) -> Iterator[tuple[str, list[Pairing]]]:
        """The pairings of every variant."""
        mirrored = [(i, one.cell.matchup) for i, one in enumerate(self.played) if one.cell.matchup.mirrored]
        for variant in dict.fromkeys(matchup.variant.text for _, matchup in mirrored):
            yield variant, [Pairing(m.a.text, m.opponent, self.rows(i)) for i, m in mirrored if m.variant.text == variant]

    def _widened(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Ratings with limits that hold under the rule of stopping, if there was one."""
        wide = max(one.multiplier or statistics.Z95 for one in self.played) / statistics.Z95
        return frame.assign(**{end: frame["elo"] + (frame[end] - frame["elo"]) * wide for end in ("low", "high")})

    def _each(self, of: Any, columns: Sequence[str], wanted: Any) -> pd.DataFrame:
        """One frame of the frames that a function gives of the wanted cells, by their numbers, with the names of who played."""
        import pandas as pd

        parts = []
        for i, one in enumerate(self.played):
            if wanted(one):
                m = one.cell.matchup
                parts.append(of(i).assign(variant=m.variant.text, strategy=m.a.text, opponent=m.opponent))
        names = ["variant", "strategy", "opponent", *columns]
        return pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame(columns=names)

    def _health(self, i: int) -> dict[str, Any]:
        one, rows = self.played[i], self.rows(i)
        matchup = one.cell.matchup
        metric = headline(matchup.unit, len(matchup.players))[0]
        workers = self.ledger.workers(i, one.units, matchup.batch)
        names = list(dict.fromkeys(workers))
        batches = homogeneity.homogeneity(rows, metric)
        groups = homogeneity.homogeneity(rows, metric, [names.index(worker) for worker in workers])
        found: dict[str, Any] = {"metric": metric, "batches": _told(batches), "workers": {**_told(groups), "names": names}}
        if batches.p < SUSPICIOUS:
            found["played_again"] = self._play_again(i, batches.where, rows[batches.where])
        return found

    def _play_again(self, i: int, batch: int, row: np.ndarray) -> int:
        """The batch that stands out, after a second play that came to the same; IdentityError if it did not."""
        matchup = self.played[i].cell.matchup
        if (games.play(matchup, batch * matchup.batch, int(row[sums.UNITS]))[0] != row).any():
            raise identities.IdentityError(
                f"{matchup.title} ({matchup.variant.text}): batch {batch} in the ledger is not what it is when it is played again. "
                "Run `simgin doctor` on every machine that took part, and begin again in another directory."
            )
        return batch


def headline(unit: str, players: int) -> tuple[str, str]:
    """The two metrics that answer who wins: a share first, then points."""
    if players == 1:
        return ("win", "score") if unit == "deal" else ("match_win", "score")
    return ("deal_win", "margin") if unit == "deal" else ("match_win", "margin")


def _told(found: homogeneity.Homogeneity) -> dict[str, float | int | None]:
    """A chi-square for the manifest; None for what is undefined."""
    return {
        "chi_square": None if np.isnan(found.statistic) else round(found.statistic, 3),
        "df": found.df,
        "p": None if np.isnan(found.p) else float(f"{found.p:.4g}"),
        "largest_residual": None if np.isnan(found.largest) else round(found.largest, 3),
    }
