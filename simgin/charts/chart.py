"""Measurement of charts, which show the mean gain from an action in each situation.

The strategy plays against itself. At one decision in each deal, every action is rolled out to the
end of the deal with the same hidden cards (`simgin.play.rollouts`). The gain in a cell is a
regression coefficient with a fixed effect for each decision (`simgin.charts.regression`). If there
are two actions, the coefficient is the mean difference between them. If a decision was drawn at
random from several decisions in its deal, its weight is the number of these decisions. Confidence
intervals use Student's t with the effective number of decisions in the cell (Kish 1965).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from simgin_strategies._champion import MATCH_VALUE_IN_POINTS

from simgin import plots
from simgin.charts.chart_kinds import CHART_KINDS, ChartKind
from simgin.charts.regression import MIN_DECISIONS, CellRegression
from simgin.learn.champion_weights import compute_point_equity, make_match_equity_function
from simgin.learn.strongest import load_or_find_strongest
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import ProgressCallback, map_units
from simgin.play.rollouts import roll_out_deals
from simgin.plots.action_costs import GAIN_UNITS
from simgin.report.html_report import load_template
from simgin.report.numbers import EN_DASH
from simgin.report.report import LazySequence, Plot, Report
from simgin.report.report_table import Column, ScoreCell, Table, describe_frame
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.rules.parameters import Params, get_int_param
from simgin.runs.result import Result
from simgin.runs.runner import run_matchup
from simgin.stats import metrics, paired_estimate
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA
from simgin.stats.paired_estimate import NO_INFLUENCES, PairedEstimate
from simgin.stats.table import build_output_frame, make_estimate_columns, make_frame
from simgin.text.messages import SimginError, join_words, quote_text

if TYPE_CHECKING:
    import pandas as pd

SCORE_PATTERN = re.compile(r"(\d{1,9})-(\d{1,9})", re.ASCII)
DEALS_PER_ENGINE_CALL = 4000  # number of deals per engine call
WIN_RATE_MATCHES = 20_000  # number of matches on held-out deals for estimating the win rate
STRATEGY_TEMPLATE_FILE = Path(__file__).with_name("by_chart.py.j2")
STRATEGY_FILE_MARKER = b'"""Knock policy from a chart: '  # first bytes of generated strategy files
WIN_RATE_NOTE = f"Estimated from {WIN_RATE_MATCHES:,} matches on held-out deals."
# difference between the seed of the held-out deals and the seed of the chart
WIN_RATE_SEED_OFFSET = 0x7072696365
# Values in a table have no decimals if the table has more than 5 columns and the largest gain is at
# least 5 points.
MAX_COLUMNS_WITH_DECIMALS, MIN_GAIN_WITHOUT_DECIMALS = 5, 5
CELL_TONE_BY_SIGN = {1: "little", -1: "base", 0: "unclear"}
UPCARD_SENTENCES = {
    "take": "Take an upcard that {}.",
    "leave": "Leave an upcard that {}.",
    "unclear": "If the upcard {}, the better choice depends on who deals, or the result is "
    "inconclusive.",
}
SAMPLING_NOTES = {  # notes on the sampling of decisions, by `ChartKind.uses_first_decision`
    True: "In each deal, all actions were compared for one of the players. This player was the "
    "dealer in every second deal.",
    False: "In each deal, knocking and continuing were compared at one knock decision of one "
    "player. This player was the dealer in every second deal. The decision was drawn at random "
    "from all knock decisions of this player in the deal. Its weight was the number of these "
    "decisions.",
}
MIN_EARLY_KNOCK_TURNS = 3  # minimum number of successive turns for reporting early knocks
MAX_FIRST_EARLY_KNOCK_TURN = 3  # latest turn in which the early knocks can begin
SIGNIFICANCE_NOTE = (
    "A dot marks an inconclusive cell. All other cells are significant at 5 % after Holm's "
    "correction."
)
MISSING_CELL_NOTE = f"A dash marks a cell with fewer than {MIN_DECISIONS} decisions. "


class ChartError(SimginError):
    """Error raised if a chart cannot be measured."""


@dataclass(frozen=True)
class ChartRequest:
    """Request to measure a chart.

    Attributes:
        kind_name: Key of `CHART_KINDS`.
        variant: Spec of the variant.
        strategy: Strategy spec. If it is empty, `run_chart` finds the strongest strategy.
        n_deals: Number of deals.
        seed: Seed of the deals.
        score: Points of the player and of the opponent, or None. If there is a score, gains are
            measured in matches won, otherwise in points per deal.
    """

    kind_name: str
    variant: str
    strategy: str
    n_deals: int
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
        """Parse the arguments of a request to measure a chart.

        Args:
            kind: Key of `CHART_KINDS`.
            variant: Variant spec.
            player: Strategy spec. By default, `run_chart` finds the strongest strategy.
            score: Score such as `60-80`, with the points of the player first.
            deals: Number of deals. The default depends on the kind.
            seed: Seed of the deals.

        Raises:
            ChartError: If the kind does not exist, or if charts do not support the variant or the
                score.
            VariantError: If the variant does not exist.
        """
        if kind not in CHART_KINDS:
            raise ChartError(
                f"{kind!r} is not a kind of chart. Use {join_words([*CHART_KINDS], 'or')}."
            )
        parsed_variant = variants.find_variant(variant)
        if parsed_variant.is_solo:
            raise ChartError(
                f"{parsed_variant.spec} is a solitaire variant, but charts require a two-player "
                "variant. Use `simgin odds` for solitaire variants."
            )
        scores = None if score is None else _parse_score(score, parsed_variant.params)
        if scores is None:
            variants.warn_about_match_settings(parsed_variant)
        n_deals = deals or CHART_KINDS[kind].default_deals
        return cls(kind, parsed_variant.spec, player or "", n_deals, seed, scores)

    @property
    def kind(self) -> ChartKind:
        """Kind of chart, which defines the decisions, rows and columns."""
        return CHART_KINDS[self.kind_name]

    @property
    def matchup(self) -> Matchup:
        """Matchup of the strategy against itself in single deals."""
        return parse_matchup(self.strategy, self.strategy, self.variant, self.seed, "deal")

    @property
    def unit(self) -> str:
        """Unit of the gains, which is `deal` (points per deal) or `match` (matches won)."""
        return "deal" if self.score is None else "match"

    @property
    def display_factor(self) -> float:
        """Factor that converts gains to the displayed unit.

        The factor is 100 for matches won and 1 otherwise.
        """
        return 1.0 if self.score is None else 100.0


def _parse_score(text: str, params: Params) -> tuple[int, int]:
    """Parse a score such as `60-80`, with both numbers below the target score."""
    if params["goal"] != "points":
        raise ChartError(
            "--score requires a variant with a target score. Omit --score for this variant."
        )
    score_match = SCORE_PATTERN.fullmatch(text)
    if score_match is None:
        raise ChartError(
            f"--score: {quote_text(text)} is not a valid score. Use a score such as 60-80, with "
            "your points first."
        )
    points, opponent_points = int(score_match[1]), int(score_match[2])
    target = get_int_param(params, "points_target")
    if max(points, opponent_points) >= target:
        raise ChartError(
            f"--score: {quote_text(text)} is not a valid score, because the match ends at {target} "
            "points. Use lower scores."
        )
    return points, opponent_points


@dataclass(frozen=True, eq=False, repr=False)
class Chart(Result):
    """Measured chart, with the gain in each cell.

    Attributes:
        request: Request for the chart.
        action_cells: Cell of each action, or -1 if the action has no cell,
            (n_decisions, n_actions) int64.
        action_values: Points or match win probability after each action, or NaN if there is no
            action, (n_decisions, n_actions) float64.
        decision_weights: Number of decisions that each sampled decision represents,
            (n_decisions,) int64.
        win_rate: Result of `estimate_chart_win_rate`, or None if the win rate was not measured.
    """

    plots_folder = ""
    request: ChartRequest
    action_cells: np.ndarray
    action_values: np.ndarray
    decision_weights: np.ndarray
    win_rate: PairedEstimate | None = None

    @property
    def played_matchups(self) -> list[tuple[Matchup, int]]:
        """Matchup of the chart, with the number of deals played."""
        return [(self.request.matchup, self.request.n_deals)]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the DataFrame of the chart, keyed by its name."""
        return {"chart": self.frame}

    def report(self, command: str) -> Report:
        """Return the report of the chart."""
        return build_chart_report(self, command)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """DataFrame with one row per cell of the chart."""
        kind, baseline_cell = self.request.kind, self.request.kind.baseline_cell
        label_columns = {
            "variant": self.request.variant,
            "strategy": self.request.strategy,
            "opponent": self.request.strategy,
            "unit": self.request.unit,
            "metric": f"{self.request.kind_name}_gain",
        }
        regression_inputs = (self.action_cells, self.action_values, self.decision_weights)
        regression = CellRegression(*regression_inputs, kind.n_cells, baseline_cell)
        rows: list[dict[str, Any]] = []
        p_values: list[float] = []
        for cell in np.flatnonzero(regression.action_counts >= MIN_DECISIONS):
            value, se, n_effective = regression.estimates[:, cell]
            n_actions = int(regression.action_counts[cell])
            known_se = se if cell != baseline_cell else 0.0
            estimate = PairedEstimate(
                value, n_actions, NO_INFLUENCES, n_effective, known_se=known_se
            )
            row, column = divmod(int(cell), len(kind.columns))
            labels = {"row": kind.rows[row], "column": kind.columns[column]}
            p_values.append(estimate.p if cell != baseline_cell else 1.0)
            rows.append({**label_columns, **labels, **make_estimate_columns(estimate, n_actions)})
        frame = build_output_frame("chart", rows)
        return frame.assign(p_holm=adjust_p_values(np.array(p_values, float)))

    def to_grid(self, column_name: str) -> np.ndarray:
        """Arrange a DataFrame column as a (n_rows, n_columns) grid, with NaN in empty cells."""
        kind = self.request.kind
        table = self.frame.pivot(index="row", columns="column", values=column_name)
        return np.asarray(table.reindex(index=list(kind.rows), columns=list(kind.columns)))

    @property
    def signs(self) -> np.ndarray:
        """Sign of each cell: 1 for a significant gain, -1 for a significant loss, otherwise 0.

        The significance level of 5 % applies to all cells of the chart together (Holm's method).
        """
        is_significant = self.to_grid("p_holm") < ALPHA
        return np.where(is_significant, np.sign(self.to_grid("value")), 0).astype(int)

    @property
    def filled_rows(self) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """Non-empty rows of the chart, each with its name, displayed values and signs."""
        values = self.request.display_factor * self.to_grid("value")
        for name, row, signs in zip(self.request.kind.rows, values, self.signs, strict=True):
            if not np.isnan(row).all():
                yield name, row, signs


def run_chart(
    request: ChartRequest, workers: int | None = None, on_progress: ProgressCallback | None = None
) -> Chart:
    """Measure a chart and, for knock charts, the win rate of a strategy that follows it.

    If the request does not specify a strategy, pilot matches determine the strongest strategy for
    the variant.

    Raises:
        ChartError: If the decision occurs too rarely.
    """
    if not request.strategy:
        strongest_strategy = load_or_find_strongest(request.variant, request.seed, workers)
        request = replace(request, strategy=strongest_strategy)
    chart = measure_chart(request, workers, on_progress)
    if request.kind_name != "knock" or request.score is not None:
        return chart  # A chart for one score does not apply to a match because the score changes.
    return replace(chart, win_rate=estimate_chart_win_rate(chart, workers))


def measure_chart(
    request: ChartRequest, workers: int | None = None, on_progress: ProgressCallback | None = None
) -> Chart:
    """Measure the cells of a chart with paired rollouts.

    Raises:
        ChartError: If the decision occurs too rarely.
    """
    kind, matchup = request.kind, request.matchup
    kernel.compile_matchup(matchup)
    rules: Any = build_rules(matchup.variant)
    start_score = np.array([*(request.score or (0, 0)), 0, 0], np.int64)
    has_score = request.score is not None
    compute_equity = (
        make_match_equity_function(matchup.variant) if has_score else compute_point_equity
    )
    unit_divisor = MATCH_VALUE_IN_POINTS if has_score else 1

    def measure_block(first_unit: int, n_units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        scores = np.tile(start_score, (n_units, 1))
        arguments = (matchup, kind.propose_actions, first_unit, n_units, kind.max_actions, scores)
        rollouts = roll_out_deals(*arguments, use_first_decision=kind.uses_first_decision)
        values = np.where(rollouts.rolled_out_mask, compute_equity(rollouts) / unit_divisor, np.nan)
        return kind.find_cells(rollouts, rules), values, rollouts.weights

    blocks = map_units(measure_block, request.n_deals, DEALS_PER_ENGINE_CALL, workers, on_progress)
    cells, values, weights = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    chart = Chart(request, cells, values, weights)
    if not len(chart.frame):
        raise ChartError(
            f"the chart for {request.variant} is empty, because every cell has fewer than "
            f"{MIN_DECISIONS} decisions. Increase --deals or choose another variant."
        )
    return chart


# Strategy that follows a knock chart, with its win rate


def render_chart_strategy(chart: Chart, command: str) -> str:
    """Return the Python source of a strategy that follows a knock chart.

    The strategy knocks in every cell with a positive gain.
    """
    gains = np.nan_to_num(chart.to_grid("value")) > 0
    rows = ["".join("1" if is_gain else "0" for is_gain in turn[::-1]) + "0" for turn in gains.T]
    text = load_template(STRATEGY_TEMPLATE_FILE).render(
        command=_escape_docstring(command),
        player=_escape_docstring(chart.request.strategy),
        deals=f"{chart.request.n_deals:,}",
        rows=rows,
    )
    return f"{text}\n"


def _escape_docstring(text: str) -> str:
    """Escape a string for use in a docstring."""
    return repr(text)[1:-1].replace('"', r"\"")


def estimate_chart_win_rate(chart: Chart, workers: int | None = None) -> PairedEstimate:
    """Estimate how often a strategy with a knock chart beats the same strategy without it."""
    request = chart.request
    seed = (request.seed + WIN_RATE_SEED_OFFSET) % 2**64
    with TemporaryDirectory() as folder:
        file = Path(folder) / "by_chart.py"
        file.write_bytes(render_chart_strategy(chart, "").encode())
        spec = f"{request.strategy}+knock={file}"
        matchup = parse_matchup(spec, request.strategy, request.variant, seed, "match")
        rows = run_matchup(matchup, WIN_RATE_MATCHES, workers)
    return paired_estimate.estimate_metric_by_batch(rows, metrics.METRICS_BY_NAME["match_win"])


# Summary sentences


def summarise_knock_chart(chart: Chart) -> Iterator[str]:
    """Yield sentences about the turns in which to knock or play for gin, by deadwood."""
    turns_by_row = [(name, _find_knock_turns(signs)) for name, _, signs in chart.filled_rows]
    for has_early_knocks, row_group in groupby(turns_by_row, lambda row: row[1][0] is not None):
        names, turns = zip(*row_group, strict=True)
        name_range = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        point_noun = "point" if name_range == "1" else "points"
        gin_turns = [gin_turn for *_, gin_turn in turns]
        gin_turn = None if None in gin_turns else max(gin_turns)
        clauses = []
        if has_early_knocks:
            first_turn, last_turn = (
                max(knock_turns[0] for knock_turns in turns),
                min(knock_turns[1] for knock_turns in turns),
            )
            turns_text = (
                f"from your {_format_ordinal(first_turn)} to your {_format_ordinal(last_turn)} turn"
            )
            if first_turn == 1:
                turns_text = f"in your first {last_turn} turns"
            clauses.append(f"knock {turns_text}")
        if gin_turn is not None:
            limit_text = " at the latest" if has_early_knocks else ""
            clauses.append(f"play for gin from your {_format_ordinal(gin_turn)} turn{limit_text}")
        advice = ", and ".join(clauses) or "the best choice is inconclusive or depends on the turn"
        yield f"With {name_range} {point_noun} of deadwood, {advice}."


def _format_ordinal(number: int) -> str:
    """Return a number from 1 to 12 as an ordinal, such as `3rd`."""
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number, "th")


def _find_knock_turns(signs: np.ndarray) -> tuple[int | None, int | None, int | None]:
    """Return the first and last turn for early knocks, and the first turn to play for gin.

    Early knocks form a run of early turns in which knocking is significantly better. The turn from
    which to play for gin is the first turn with a significant loss after the last turn with a
    significant gain. The value is None for a turn that does not exist.
    """
    gain_turns = np.flatnonzero(signs == 1)
    start = end = None
    if len(gain_turns) and gain_turns[0] < MAX_FIRST_EARLY_KNOCK_TURN:
        start = end = int(gain_turns[0])
        while end + 1 < len(signs) and signs[end + 1] == 1:
            end += 1
        if end + 1 - start < MIN_EARLY_KNOCK_TURNS:
            start = end = None
    next_turn = gain_turns[-1] + 1 if len(gain_turns) else 0
    loss_turns = np.flatnonzero(signs[next_turn:] == -1)
    gin_turn = int(next_turn + loss_turns[0]) + 1 if len(loss_turns) else None
    if start is None or end is None:
        return None, None, gin_turn
    return start + 1, end + 1, gin_turn


def summarise_upcard_chart(chart: Chart) -> Iterator[str]:
    """Yield sentences about which first upcards to take and which to leave."""
    names_by_advice: dict[str, list[str]] = {}
    for name, signs in zip(chart.request.kind.rows, chart.signs, strict=True):
        advice = {(1, 1): "take", (-1, -1): "leave"}.get(tuple(signs), "unclear")
        names_by_advice.setdefault(advice, []).append(name)
    for advice, sentence in UPCARD_SENTENCES.items():
        if advice in names_by_advice:
            yield sentence.format(join_words(names_by_advice[advice], "or"))


def summarise_discard_chart(chart: Chart) -> Iterator[str]:
    """Yield sentences that compare discards with the discard of a king without partners."""
    kind, signs = chart.request.kind, chart.signs
    values = -chart.request.display_factor * chart.to_grid("value")
    half_widths = chart.request.display_factor * (chart.to_grid("high") - chart.to_grid("low")) / 2
    unit = GAIN_UNITS[chart.request.unit]
    costlier_ranks = [rank for rank, sign in zip(kind.columns, signs[0], strict=True) if sign < 0]
    cheaper_ranks = [rank for rank, sign in zip(kind.columns, signs[0], strict=True) if sign > 0]
    if costlier_ranks:
        yield _compare_with_king(costlier_ranks, "more")
    if cheaper_ranks:
        yield _compare_with_king(cheaper_ranks, "less")
    for name, row, row_half_widths in zip(kind.rows[1:], values[1:], half_widths[1:], strict=True):
        if np.isnan(row).all():
            continue
        partners_text = "one partner" if name == "one" else f"{name} partners"
        range_text = f"{np.nanmin(row):.1f} to {np.nanmax(row):.1f} {unit}"
        yield (
            f"Discarding a card with {partners_text} costs {range_text} more than discarding a "
            f"king without partners. For cards with {partners_text}, the 95 % confidence intervals "
            f"are at most ± {np.nanmax(row_half_widths):.1f}."
        )


def _compare_with_king(ranks: Sequence[str], direction: str) -> str:
    """Return a sentence about the ranks that cost more (or less) to discard than a king."""
    cost_text = f"{'cost' if len(ranks) > 1 else 'costs'} significantly {direction}"
    return f"Among cards without a partner, {join_words(ranks)} {cost_text} to discard than a king."


SUMMARY_FUNCTIONS = {
    "knock": summarise_knock_chart,
    "upcard": summarise_upcard_chart,
    "discard": summarise_discard_chart,
}


# Report


def build_chart_report(chart: Chart, command: str) -> Report:
    """Build the report of a chart."""
    request, win_rate = chart.request, chart.win_rate
    sentences = list(SUMMARY_FUNCTIONS[request.kind_name](chart))
    if win_rate is not None:
        low, high = win_rate.interval
        sentences.append(
            f"A version of {request.strategy} that follows this chart wins "
            f"{100 * win_rate.value:.1f} % ({100 * low:.1f} to {100 * high:.1f}) of matches "
            f"against the unmodified {request.strategy}."
        )
    else:
        sentences.append(
            "The win rate of this chart was not measured, because "
            f"{request.kind.no_win_rate_reason}."
        )
    sentences.append(
        f"The chart covers {request.kind.decision_phrase}, in deals that {request.strategy} plays "
        "against itself. After each action, the deal is played to its end with the same hidden "
        "cards."
    )
    score_text = ""
    if request.score:
        score_text = f", with {request.score[0]} points against {request.score[1]}"
    title = variants.find_variant(request.variant).title
    return Report(
        request.kind.question,
        sentences,
        rules=[("Rules", f"{title}{score_text}, played by {request.strategy}.")],
        detail_tables=[_build_chart_table(chart)],
        plots=LazySequence(_iter_plots(chart)),
        facts=[
            (
                "Deals",
                f"{request.n_deals:,} deals of {request.strategy} against itself, not mirrored. "
                + SAMPLING_NOTES[request.kind.uses_first_decision],
            ),
            *([] if win_rate is None else [("Win rate", WIN_RATE_NOTE)]),
            ("Seed", str(request.seed)),
        ],
        command=command,
    )


def _iter_plots(chart: Chart) -> Iterator[Plot]:
    """Yield the plots of a chart."""
    request, frame = chart.request, chart.frame
    gain_column = Column("value", "gain", factor=request.display_factor)
    text = describe_frame(frame, (Column("row", "row"), Column("column", "column"), gain_column))
    figure = plots.decision_chart(frame, seed=request.seed)
    title = f"Gain from {request.kind.gain_source_phrase}"
    yield Plot(f"chart_{request.kind_name}", title, text, figure, frame)


def _build_chart_table(chart: Chart) -> Table:
    """Return a table of the gains in all cells of a chart."""
    kind = chart.request.kind
    rows = list(chart.filled_rows)
    max_value = max(float(np.nanmax(np.abs(values))) for _, values, _ in rows)
    is_wide = len(kind.columns) > MAX_COLUMNS_WITH_DECIMALS
    digits = 0 if max_value >= MIN_GAIN_WITHOUT_DECIMALS and is_wide else 1
    cells = [
        [name, *(_format_cell(*cell, digits) for cell in zip(values, signs, strict=True))]
        for name, values, signs in rows
    ]
    columns = [Column("row", ""), *(Column(column, column) for column in kind.columns)]
    unit = GAIN_UNITS[chart.request.unit]
    title = (
        f"Gain from {kind.gain_source_phrase} ({unit}), by {kind.row_title} and {kind.column_title}"
    )
    frame = make_frame(cells, ["row", *kind.columns])
    has_missing_cells = any(np.isnan(values).any() for _, values, _ in rows)
    note = MISSING_CELL_NOTE * has_missing_cells + SIGNIFICANCE_NOTE
    return Table(title, frame, columns, note, is_note_short=True)


def _format_cell(value: float, sign: int, digits: int) -> ScoreCell:
    """Format a gain, with a dot if it is insignificant or a dash if it is missing."""
    if np.isnan(value):
        return ScoreCell(EN_DASH)
    text = f"{value:+.{digits}f}"
    return ScoreCell(text if sign else "·", tone=CELL_TONE_BY_SIGN[sign])
