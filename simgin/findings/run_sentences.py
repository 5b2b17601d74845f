"""What a run says, in sentences: who wins and by how much, and what differs significantly.

Every figure has its interval, and stands in a table below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from simgin.findings.change_sentences import differences, effects
from simgin.findings.league_sentences import leagues
from simgin.findings.matchup_sentences import matchups
from simgin.findings.wording import listed, percent
from simgin.stats import table
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    from simgin.core.cell import Cell
    from simgin.findings.findings import Findings


def run_sentences(findings: Findings) -> list[str]:
    """Everything that a run says, the most important first; of several variants, under which."""
    others = findings.table[~findings.table["variant"].isin(set(findings.standings["variant"]))]
    for cell in findings.identical:
        is_variant = others["variant"] == cell.variant
        is_one = others["strategy"].isin(cell.players)
        is_cell = is_variant & is_one & others["opponent"].isin(cell.players)
        others = others[~is_cell]
    unit = UNITS[findings.record.unit]
    sentences = [
        *leagues(
            findings.standings, findings.cross, findings.non_additivity, findings.triads, unit
        ),
        *alike(findings.alike),
        *identical(findings.identical),
        *effects(findings.effects),
        *matchups(others),
        *differences(findings.differences),
        *findings.ended,
    ]
    sentences = sentences or [_nothing_found(findings)]
    variants = {cell.variant for cell in findings.cells}
    if len(variants) > 1:
        return sentences
    players = tuple(findings.record.identity["strategies"])
    (variant,) = variants
    return [_without(variant, sentence, players) for sentence in sentences]


def _without(variant: str, sentence: str, players: tuple[str, ...]) -> str:
    """A sentence that does not name its variant; names of players keep their small letters."""
    short = sentence.removeprefix(f"{variant}: ")
    short = short.replace(f" ({variant}, ", " (").replace(f" ({variant})", "")
    if short.startswith(players):
        return short
    return short[:1].upper() + short[1:]


def _nothing_found(findings: Findings) -> str:
    """Why there is nothing to say."""
    cell, *others = findings.cells
    if others or cell.a != cell.b:
        return "Too few deals for any finding: play more."
    _, rows = next(table.matchups(findings.table))
    share = percent(rows, "first_player_win")
    return f"{cell.a} plays itself; the nondealer wins {share} of decided deals."


def alike(groups: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    """Which strategies of a round robin are one player under several names."""
    for variant, found in groups.items():
        for names in found:
            times = "twice" if len(names) == 2 else f"{len(names)} times"
            yield (
                f"{variant}: {listed(names)} play alike: each has the same results against all "
                f"others, so the league counts one player {times}. Leave out all but one."
            )


def identical(cells: Sequence[Cell]) -> list[str]:
    """Which matchups are a strategy against itself under another name."""
    return [
        f"{cell.variant}: {cell.a} and {cell.b} play identically: every deal ended alike, whoever "
        "held which hand."
        for cell in cells
    ]
