"""What a finished run rests on, in words and numbers alone: one that was just played gives it, and so does a manifest.

No strategy is needed to read it: their files may have changed since, or be gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simgin.core import sums
from simgin.runs import directory
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    from simgin.runs.plan import Plan
    from simgin.runs.runner import Played


class AccountError(ValueError):
    """A manifest that does not say all that the findings rest on; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Entry:
    """One cell as far as it counts. `b` is empty for one player; `rules` is the variant's row."""

    variant: str
    rules: Mapping[str, Any]
    a: str
    b: str
    seed: int
    unit: str  # "deal" or "match"
    units: int
    stopped: str
    multiplier: (
        float | None
    )  # half-width of its intervals in standard errors where a rule looked at results

    @property
    def title(self) -> str:
        """Who played, for people."""
        return " v ".join(filter(None, (self.a, self.b)))

    @property
    def players(self) -> int:
        """How many the game is for."""
        return 2 if self.b else 1

    @property
    def mirrored(self) -> bool:
        """Whether a unit is a pair, as of `simgin.play.matchup.Matchup`."""
        return self.b not in ("", self.a)

    @property
    def batch(self) -> int:
        """Units in a batch row."""
        return sums.BATCH_MATCHES if self.unit == "match" else sums.BATCH_DEALS

    @property
    def n(self) -> int:
        """Deals or matches that count, both halves of pairs."""
        return self.units * (2 if self.mirrored else 1)


@dataclass(frozen=True)
class Account:
    """A whole run. All cells have one seed and one unit."""

    identity: Mapping[str, Any]  # as of `simgin.runs.directory.identity`
    ends: Sequence[Mapping[str, Any]]  # of every cell units, stopped and multiplier
    contrasts: Sequence[Sequence[int]] = ()  # a cell and its base, by their places
    health: Sequence[Mapping[str, Any]] = field(
        default=()
    )  # as of `simgin.findings.health.of`; empty where nobody asked

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every cell, in the order of tables."""
        cells = zip(self.identity["matchups"], self.ends, strict=True)
        return tuple(self._entry(cell, end) for cell, end in cells)

    def _entry(self, cell: Mapping[str, Any], end: Mapping[str, Any]) -> Entry:
        row = self.identity["variants"][cell["variant"]]
        return Entry(
            cell["variant"],
            row,
            cell["a"],
            cell["b"],
            self.seed,
            self.unit,
            end["units"],
            end["stopped"],
            end["multiplier"],
        )

    @property
    def seed(self) -> int:
        """The seed of every cell."""
        return int(self.identity["seed"])

    @property
    def unit(self) -> str:
        """What every cell was played in."""
        return str(self.identity["unit"])

    @property
    def question(self) -> str:
        """What the experiment asked; empty for a single matchup."""
        return self.identity["question"] or ""

    @property
    def hypothesis(self) -> str:
        """What was expected; may be empty."""
        return self.identity["hypothesis"] or ""

    @property
    def stop(self) -> str:
        """The rule that ended cells, in words; empty for a size fixed beforehand, or a time."""
        return self.identity["stop"] or ""


def of_plan(
    asked: Plan, played: Sequence[Played], health: Sequence[Mapping[str, Any]] = ()
) -> Account:
    """The account of a plan that was carried out."""
    ends = [
        {"units": one.units, "stopped": one.stopped, "multiplier": one.multiplier} for one in played
    ]
    return Account(asked.identity, ends, asked.contrasts, health)


def of_manifest(manifest: Mapping[str, Any]) -> Account:
    """The account that a manifest gives. AccountError if another version of simgin wrote it."""
    if (form := manifest.get("form")) != directory.FORM:
        raise AccountError(
            f"it was written by another version of simgin (form {form}, not {directory.FORM}); play it again with this one."
        )
    if "contrasts" not in manifest:
        again = manifest["command"]
        raise AccountError(
            f"an earlier version of simgin wrote it, and not what is compared; `{again}` adds that, and plays nothing."
        )
    return Account(manifest, manifest["matchups"], manifest["contrasts"], manifest["health"])


def mirroring(entries: Sequence[Entry]) -> str:
    """What was played twice, and the seed, in a sentence or two."""
    first = entries[0]
    unit = UNITS[first.unit]
    each = " each" if len(entries) > 1 else ""
    if not first.b:
        return f"Not mirrored: one player, {_range(entries, 'n')} independent {unit}{each}. Seed {first.seed}."
    mirrored = [one for one in entries if one.mirrored]
    selves = [one for one in entries if not one.mirrored]
    said = []
    if mirrored:
        each = " for every matchup" if len(mirrored) > 1 else ""
        pairs = f"{_range(mirrored, 'units')} pairs of {unit}{each}"
        said.append(
            f"Mirrored: {pairs}, the same packs with the players exchanged; errors are over pairs."
        )
    if selves:
        names = ", ".join(dict.fromkeys(one.a for one in selves))
        said.append(f"Not mirrored: {names} against itself, {_range(selves, 'n')} {unit}.")
    return " ".join([*said, f"Seed {first.seed}."])


def _range(entries: Sequence[Entry], what: str) -> str:
    counts = [getattr(one, what) for one in entries]
    return f"{counts[0]:,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
