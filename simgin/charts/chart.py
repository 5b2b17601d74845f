"""Charts of the gains of actions for a strong strategy, by the features that matter.

Each deal has paired rollouts from one decision of the strategy (`simgin.play.rollout`): all actions
are played to the end of the deal with the same hidden cards. A cell is a regression coefficient
with a fixed effect of the decision (`simgin.charts.regression`); with two actions it equals their
mean difference. If a decision was drawn at random from several in its deal, its weight is their
number. Intervals are based on Student's t distribution, with the effective number of decisions of a
cell (Kish 1965).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from simgin_strategies._champion import MATCH

from simgin import plots
from simgin.charts.kinds import KINDS, Kind
from simgin.charts.regression import LEAST_MET, Regression
from simgin.findings.verdict import listed
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import Progress, over_units
from simgin.play.rollout import branch_deals
from simgin.plots.answers import WORDS
from simgin.report.numbers import DASH
from simgin.report.page import template
from simgin.report.report import Picture, Report
from simgin.report.table import Cell, Column, Table
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.rules.parameters import Params, number
from simgin.runs.manifest import run_identity
from simgin.runs.runner import run_matchup
from simgin.stats import metrics, quantity
from simgin.stats.differences import holm
from simgin.stats.quantity import NO_MOVES, Quantity
from simgin.stats.table import frame_of, records
from simgin.text.messages import quoted
from simgin.tune.decisions import by_points, by_score
from simgin.tune.strongest import cached_or_strongest

if TYPE_CHECKING:
    import pandas as pd

SCORE = re.compile(r"(\d{1,9})-(\d{1,9})", re.ASCII)
AT_ONCE = 4000  # deals per engine call
SURE = 0.05
PRICED = 20_000  # matches on held-out deals that test a chart
TEMPLATE = Path(__file__).with_name("by_chart.py.j2")
MARK = b'"""Knocks by a chart of simgin: '  # first bytes of generated strategy files
PRICE_FACT = f"{PRICED:,} matches on packs that the chart was not made from."
PRICE_SEED = 0x7072696365  # added to the seed of the chart
WIDE = 5  # tables with more columns and a gain of at least this have no decimals
TONES = {1: "little", -1: "base", 0: "unclear"}
UNCLEAR = "Too close to call, or clear in one seat only:"
DRAWN = {  # by `ChartKind.first_only`
    True: "Each is branched at this decision of one side, who deals in every second deal.",
    False: "Each is branched at one decision to knock of one side, who deals in every second deal. "
    "It is drawn at random from all such decisions of that side and weighted by their number.",
}
LONG = 3  # shortest run of turns that is reported
EARLY = 3  # latest first turn of an early knock
READING = "A dot is too close to call; the other cells hold together at 5 % (Holm)."


class ChartError(ValueError):
    """Error raised if a chart cannot be made."""


@dataclass(frozen=True)
class ChartRequest:
    """Request for a chart.

    Attributes:
        kind_name: Key of `CHART_KINDS`.
        variant: Spec of the variant.
        strategy: Strategy; if empty, `run_chart` finds the strongest one.
        n_deals: Number of deals.
        seed: Seed of the deals.
        score: Points of the player and the opponent; None to maximise the points of a deal instead
            of the probability of winning the match.
    """

    kind: str
    variant: str
    player: str
    deals: int
    seed: int
    score: tuple[int, int] | None = None

    @classmethod
    def read(
        cls,
        kind: str,
        variant: str = "standard",
        *,
        player: str | None = None,
        score: str | None = None,
        deals: int | None = None,
        seed: int = 1,
    ) -> ChartRequest:
        """Parse a request.

        Args:
            kind: Key of `CHART_KINDS`.
            variant: Variant spec.
            player: Strategy; by default the strongest one, which `run_chart` finds.
            score: Score such as `60-80`, the player's points first.
            deals: Number of deals; the default depends on the kind.
            seed: Seed of the deals.

        Raises:
            ChartError: If there is no chart of these rules or at this score.
            VariantError: If the variant was not found.
        """
        rules = variants.find(variant)
        if rules.row["players"] != 2:
            raise ChartError("charts are of rules for two players; for one, see: simgin odds.")
        at = None if score is None else _score(score, number(rules.row, "points_target"), rules.row)
        if at is None:
            variants.warn_of_match_rules(rules)
        return cls(kind, rules.text, player or "", deals or KINDS[kind].deals, seed, at)

    @property
    def of(self) -> Kind:
        """Kind of the chart."""
        return KINDS[self.kind]

    @property
    def matchup(self) -> Matchup:
        """Matchup of the strategy against itself in single deals."""
        return parse_matchup(self.player, self.player, self.variant, self.seed, "deal")

    @property
    def unit(self) -> str:
        """Unit of the gains: `deal` for points, or `match` for matches."""
        return "deal" if self.score is None else "match"

    @property
    def factor(self) -> float:
        """Factor from gains to displayed values: 100 for matches, in %, otherwise 1."""
        return 1.0 if self.score is None else 100.0


def _score(text: str, target: int, row: Params) -> tuple[int, int]:
    """Parse a score such as `60-80`, with both numbers below the target."""
    if row["goal"] != "points":
        raise ChartError("--score is for matches to a number of points; leave it out here.")
    score = SCORE.fullmatch(text)
    if score is None:
        raise ChartError(f"{quoted(text)} is not a score. Write one like 60-80, yours first.")
    own, other = int(score[1]), int(score[2])
    if max(own, other) >= target:
        raise ChartError(f"both scores must be below {target}, which wins the match.")
    return own, other


@dataclass(frozen=True, eq=False)
class Chart:
    """Measured chart.

    Attributes:
        request: The request.
        cells: int64 (n_decisions, n_actions), cell of each action, -1 for none.
        values: float64 (n_decisions, n_actions), points or probability of winning the match; NaN if
            there is no action.
        weights: int64 (n_decisions,), number of decisions that each one represents.
        win_rate: Result of `estimate_chart_win_rate`, or None if it was not measured.
    """

    request: ChartRequest
    cells: np.ndarray
    worth: np.ndarray
    weights: np.ndarray
    price: Quantity | None = None

    @property
    def identity(self) -> dict[str, Any]:
        """See `simgin.report.report.Result`."""
        return run_identity([self.request.matchup])

    @property
    def units(self) -> list[int]:
        """See `simgin.report.report.Result`."""
        return [self.request.deals]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the cells of the chart as a DataFrame."""
        return {"chart": self.frame}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of the cells."""
        return records(self.frame)

    def report(self, command: str) -> Report:
        """Return the report of the chart."""
        return chart_report(self, command)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """DataFrame with one row per cell: row, column, value, se, low, high, n and p_holm."""
        kind, base = self.request.of, self.request.of.base
        names = {
            "variant": self.request.variant,
            "strategy": self.request.player,
            "opponent": self.request.player,
            "unit": self.request.unit,
            "metric": f"{self.request.kind}_gain",
        }
        fit = Regression(self.cells, self.worth, self.weights, kind.size, base)
        rows = []
        for cell in np.flatnonzero(fit.met >= LEAST_MET):
            value, se, effective = fit.numbers[:, cell]
            n = int(fit.met[cell])
            own = Quantity(value, n, NO_MOVES, effective, own_se=se if cell != base else 0.0)
            row, column = divmod(int(cell), len(kind.columns))
            low, high = own.limits
            where = {"row": kind.rows[row], "column": kind.columns[column]}
            measured = {"value": value, "se": own.se, "low": low, "high": high, "n": own.n}
            rows.append({**names, **where, **measured, "p": own.p if cell != base else 1.0})
        frame = frame_of(rows)
        return frame.assign(p_holm=holm(frame.pop("p").to_numpy())) if rows else frame

    def grid(self, name: str) -> np.ndarray:
        """Return a column of the DataFrame as a grid: float64 (n_rows, n_columns), NaN if empty."""
        kind = self.request.of
        table = self.frame.pivot(index="row", columns="column", values=name)
        return np.asarray(table.reindex(index=list(kind.rows), columns=list(kind.columns)))

    @property
    def signs(self) -> np.ndarray:
        """Signs of the cells: 1 for a significant gain, -1 for a significant loss, otherwise 0.

        The significance level is 5 % for all cells of the chart together (Holm).
        """
        return np.where(self.grid("p_holm") < SURE, np.sign(self.grid("value")), 0).astype(int)

    @property
    def met(self) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """Non-empty rows of the chart: name, displayed values and signs."""
        values = self.request.factor * self.grid("value")
        for name, row, signs in zip(self.request.of.rows, values, self.signs, strict=True):
            if not np.isnan(row).all():
                yield name, row, signs


def run_chart(
    request: ChartRequest, workers: int | None = None, on_progress: Progress | None = None
) -> Chart:
    """Measure a chart and, if possible, the win rate of a strategy that follows it.

    If the request names no strategy, pilot matches find the strongest one of the variant.

    Raises:
        ChartError: If the decision occurs too rarely.
    """
    if not request.player:
        strongest = cached_or_strongest(request.variant, request.seed, workers)
        request = replace(request, player=strongest)
    chart = measure(request, workers, on_progress)
    if request.kind != "knock" or request.score is not None:
        return chart  # a chart for one score does not apply to a whole match
    return replace(chart, price=price(chart, workers))


def measure(
    request: ChartRequest, workers: int | None = None, progress: Progress | None = None
) -> Chart:
    """Play paired rollouts of the decisions of a chart.

    Raises:
        ChartError: If the decision occurs too rarely.
    """
    kind, matchup = request.of, request.matchup
    kernel.prepare(matchup)
    rules: Any = build_rules(matchup.variant)
    standing = np.array([*(request.score or (0, 0)), 0, 0], np.int64)
    worth = by_points if request.score is None else by_score(variants.find(request.variant))
    in_unit = 1 if request.score is None else MATCH

    def block(first: int, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found = branch_deals(
            *(matchup, kind.choose, first, units, kind.most, np.tile(standing, (units, 1))),
            first_only=kind.first_only,
        )
        values = np.where(found.tried, worth(found) / in_unit, np.nan)
        return kind.cells(found, rules), values, found.weights

    parts = over_units(block, request.deals, AT_ONCE, workers, progress)
    cells, values, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    chart = Chart(request, cells, values, weights)
    if not len(chart.frame):
        raise ChartError(
            f"under {request.variant} this question came up fewer than {LEAST_MET} times in any "
            "cell; play more --deals, or another variant."
        )
    return chart


# Strategy that follows a knock chart, and its win rate


def strategy_file(chart: Chart, command: str) -> str:
    """Render a strategy file in which the player knocks if the cell is positive."""
    gains = np.nan_to_num(chart.grid("value")) > 0
    rows = ["".join("1" if pays else "0" for pays in turn[::-1]) + "0" for turn in gains.T]
    words = {"command": _in_docstring(command), "player": _in_docstring(chart.request.player)}
    deals = f"{chart.request.deals:,}"
    return template(TEMPLATE).render(**words, deals=deals, rows=rows) + "\n"


def _in_docstring(text: str) -> str:
    """Escape a text for use in a docstring; it may contain a path with any character."""
    return repr(text)[1:-1].replace('"', r"\"")


def price(chart: Chart, workers: int | None = None) -> Quantity:
    """Estimate the proportion of matches won against itself if one side knocks by the chart."""
    request = chart.request
    seed = (request.seed + PRICE_SEED) % 2**64
    with TemporaryDirectory() as folder:
        file = Path(folder) / "by_chart.py"
        file.write_bytes(strategy_file(chart, "").encode())
        own = f"{request.player}+knock={file}"
        matchup = parse_matchup(own, request.player, request.variant, seed, "match")
        rows = run_matchup(matchup, PRICED, workers)
    return quantity.ratio(rows, metrics.BY_NAME["match_win"])


# Summary sentences


def knock_lines(chart: Chart) -> Iterator[str]:
    """Yield sentences with the turns to knock and the turns to play on, by deadwood."""
    kept = [(name, _turns(signs)) for name, _, signs in chart.met]
    for early, group in groupby(kept, lambda row: row[1][0] is not None):
        names, turns = zip(*group, strict=True)
        span = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        waits = [first for *_, first in turns]
        later = None if None in waits else max(waits)
        parts = []
        if early:
            first, last = max(t[0] for t in turns), min(t[1] for t in turns)
            in_turns = f"your first {last} turns" if first == 1 else f"turns {first} to {last}"
            parts.append(f"knock in {in_turns}")
        if later is not None:
            parts.append(f"from turn {later} on play for gin")
        yield f"With {span} deadwood: {'; '.join(parts) or 'too close to call, or it depends'}."


def _turns(signs: np.ndarray) -> tuple[int | None, int | None, int | None]:
    """Return the first and last turn of early knocks, and the turn from which to play for gin.

    Early knocks are a run of turns in which knocking is significantly better. From the third turn
    returned, knocking is never significantly better, and in that turn it is significantly worse. A
    turn that does not exist is None.
    """
    pays = np.flatnonzero(signs == 1)
    start = end = None
    if len(pays) and pays[0] < EARLY:
        start = end = int(pays[0])
        while end + 1 < len(signs) and signs[end + 1] == 1:
            end += 1
        if end + 1 - start < LONG:
            start = end = None
    after = pays[-1] + 1 if len(pays) else 0
    costs = np.flatnonzero(signs[after:] == -1)
    wait = int(after + costs[0]) + 1 if len(costs) else None
    return (None, None, wait) if start is None or end is None else (start + 1, end + 1, wait)


def upcard_lines(chart: Chart) -> Iterator[str]:
    """Yield sentences with the upcards to take and to leave."""
    found: dict[str, list[str]] = {}
    for name, signs in zip(chart.request.of.rows, chart.signs, strict=True):
        word = {(1, 1): "Take", (-1, -1): "Leave"}.get(tuple(signs), UNCLEAR)
        found.setdefault(word, []).append(name)
    for word in ("Take", "Leave", UNCLEAR):
        if word in found:
            *most, last = found[word]
            yield f"{word} an upcard that {' or '.join(filter(None, (', '.join(most), last)))}."


def discard_lines(chart: Chart) -> Iterator[str]:
    """Yield sentences with the costs of discards, compared with a king without partners."""
    kind, signs = chart.request.of, chart.signs
    values = -chart.request.factor * chart.grid("value")
    half = chart.request.factor * (chart.grid("high") - chart.grid("low")) / 2
    unit = WORDS[chart.request.unit]
    dear = [rank for rank, sign in zip(kind.columns, signs[0], strict=True) if sign < 0]
    cheap = [rank for rank, sign in zip(kind.columns, signs[0], strict=True) if sign > 0]
    if dear:
        yield f"Of cards without a partner {listed(dear)} clearly cost more than a king."
    if cheap:
        yield f"Of cards without a partner {listed(cheap)} clearly cost less than a king."
    for name, row, error in zip(kind.rows[1:], values[1:], half[1:], strict=True):
        if np.isnan(row).all():
            continue
        partners = "one partner" if name == "one" else f"{name} partners"
        ends = f"{np.nanmin(row):.1f} to {np.nanmax(row):.1f} {unit}"
        known = f"each within ± {np.nanmax(error):.1f}"
        yield f"A card with {partners} costs {ends} more than a king with none ({known})."


LINES = {"knock": knock_lines, "upcard": upcard_lines, "discard": discard_lines}


# Report


def chart_report(chart: Chart, command: str) -> Report:
    """Build the report of a chart."""
    request, price = chart.request, chart.price
    told = list(LINES[request.kind](chart))
    if price is not None:
        low, high = price.limits
        told.append(
            f"{request.player} knocking by this chart wins {100 * price.value:.1f} % of matches "
            f"from {request.player} itself ({100 * low:.1f} to {100 * high:.1f})."
        )
    else:
        told.append(f"What playing by this chart costs was not measured: {request.of.unpriced}.")
    told.append(
        f"Hands: those of {request.player} against itself, at {request.of.decisions}; every answer "
        "is played on with the same pack."
    )
    score = f", at {request.score[0]} to {request.score[1]}" if request.score else ""
    title = variants.find(request.variant).title
    return Report(
        request.of.question,
        told,
        rules=[("Rules", f"{title}{score}; {request.player} plays.")],
        folded=[_table(chart)],
        pictures=[
            Picture(
                f"chart_{request.kind}",
                f"Gain of {request.of.gain}",
                "",
                plots.chart(chart.frame, seed=request.seed),
                frame=chart.frame,
                columns=(
                    Column("row", "row"),
                    Column("column", "column"),
                    Column("value", "gain", factor=request.factor),
                ),
            )
        ],
        facts=[
            (
                "Deals",
                f"{request.deals:,} deals of {request.player} against itself, none mirrored. "
                + DRAWN[request.of.first_only],
            ),
            *([] if price is None else [("Price", PRICE_FACT)]),
            ("Seed", str(request.seed)),
        ],
        command=command,
    )


def _table(chart: Chart) -> Table:
    """Return the chart as a table."""
    kind = chart.request.of
    rows = list(chart.met)
    largest = max(float(np.nanmax(np.abs(values))) for _, values, _ in rows)
    digits = 0 if largest >= WIDE and len(kind.columns) > WIDE else 1
    cells = [
        [name, *(_cell(*pair, digits) for pair in zip(values, signs, strict=True))]
        for name, values, signs in rows
    ]
    columns = [Column("row", ""), *(Column(column, column) for column in kind.columns)]
    unit = WORDS[chart.request.unit]
    title = f"Gain of {kind.gain}, {unit}, by {kind.row_title} and {kind.column_title}"
    frame = frame_of(cells, ["row", *kind.columns])
    return Table(title, frame, columns, READING)


def _cell(value: float, sign: int, digits: int) -> Cell:
    if np.isnan(value):
        return Cell(DASH)
    text = f"{value:+.{digits}f}"
    return Cell(text if sign else "·", tone=TONES[sign])
