"""Plots of a review, together with the DataFrames that they show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin import plots
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.report.report import Plot
from simgin.report.report_table import Column, describe_frame
from simgin.review import match_course
from simgin.review.review import GIN_VS_KNOCK_METRIC, Review
from simgin.review.verdicts import format_rule_set_label
from simgin.rules.parameters import load_rule_parameters
from simgin.stats import paired_estimate
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import Frame, build_output_frame, make_estimate_columns
from simgin.strategy.cast import STRONG_PLAYER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_LENGTH_BINS = 30
PLOTTED_LENGTH_PROPORTION = 0.995  # proportion of matches that the plot of match lengths shows
# scorecard rows that are plotted by player type
METRICS_PLOTTED_BY_PLAYER_TYPE = ("turns_per_match", "gin", "win")
MIN_SIGNIFICANT_SCORE_CELLS = 5  # minimum number of significant cells in the plot of scores
N_PLOTTED_SCORE_BINS = 5  # number of score bins in plots; each bin is a fifth of the target


def iterate_review_plots(review: Review) -> Iterator[Plot]:
    """Yield the plots of a review, in the order of the report."""
    seed = review.request.seed
    labels = [format_rule_set_label(review, variant) for variant in review.request.variants]
    if review.request.sweep:
        yield from _iterate_sweep_plots(review)
        return
    frame = make_match_length_frame(review)
    figure = plots.match_length(frame, seed=seed, order=labels)
    columns = _make_titled_columns(variant="", median="Median turns per match")
    yield _make_plot("match_length", "How long does a match take?", figure, frame, columns)
    frame = make_endings_frame(review)
    figure = plots.endings_by_player_type(frame, seed=seed)
    columns = _make_titled_columns("variant", "players", "metric", value="Proportion of deals")
    yield _make_plot("outcomes", "How do deals end?", figure, frame, columns)
    frame = make_effects_frame(review)
    if len(frame):
        figure = plots.effects_by_player_type(frame, seed=seed, order=labels)
        columns = _make_titled_columns(
            "title", "variant", "players", value="Difference from the baseline"
        )
        question = "Do the effects hold for every player type?"
        yield _make_plot("kinds", question, figure, frame, columns)
    frame = make_knocks_frame(review)
    if len(frame) and not review.request.is_solo:
        figure = plots.knocks_by_turn(frame, seed=seed, order=labels)
        columns = _make_titled_columns("variant", "turn", "deadwood", value="Proportion of knocks")
        question = "When does the strong player knock?"
        yield _make_plot("knock_chart", question, figure, frame, columns)
    frame = make_score_difference_frame(review)
    is_significant = (frame["low"] > 0) | (frame["high"] < 0)
    if is_significant.sum() >= MIN_SIGNIFICANT_SCORE_CELLS:
        figure = plots.score_difference(frame, seed=seed)
        colour_title = "Win probability minus that of the baseline"
        columns = _make_titled_columns("variant", "own", "other", value=colour_title)
        yield _make_plot("scores", "How much is a lead worth?", figure, frame, columns)


def _make_plot(
    plot_name: str, question: str, figure: Figure, frame: Frame, columns: Sequence[Column]
) -> Plot:
    """Return a plot whose alternative text describes its DataFrame."""
    return Plot(plot_name, question, describe_frame(frame, columns), figure, frame)


def _make_titled_columns(*names: str, **titles: str) -> tuple[Column, ...]:
    """Return table columns with titles, which are the column names by default."""
    title_by_name = {name: name for name in names} | titles
    return tuple(Column(name, title) for name, title in title_by_name.items())


def _make_plot_row(
    review: Review,
    variant: str,
    estimate: PairedEstimate,
    other_columns: Mapping[str, Any],
    player_type: str = STRONG_PLAYER,
    sample_size: int | None = None,
) -> dict[str, Any]:
    """Return a row of a plotted DataFrame: an estimate with its variant and players.

    Args:
        review: Review with all players.
        variant: Spec of the variant.
        estimate: Estimate to plot.
        other_columns: Values of additional columns.
        player_type: Player type of both players.
        sample_size: Sample size [default: the sample size of the estimate].
    """
    strategy = review.find_strategy(variant, player_type)
    opponent = "" if review.request.is_solo else strategy
    labels = {
        "variant": format_rule_set_label(review, variant),
        "strategy": strategy,
        "opponent": opponent,
    }
    return {
        **labels,
        **other_columns,
        **make_estimate_columns(estimate, estimate.n if sample_size is None else sample_size),
    }


def make_match_length_frame(review: Review) -> Frame:
    """Return the distribution of turns per match between strong players, in equal bins."""
    counts = {
        variant: review.get_stats_of_type(variant, STRONG_PLAYER).event_counts["length"]
        for variant in review.request.variants
    }
    max_turns = max(
        int(np.searchsorted(c.sum(axis=0).cumsum(), PLOTTED_LENGTH_PROPORTION * c.sum()))
        for c in counts.values()
    )
    bin_width = max(1, -(-max_turns // MAX_LENGTH_BINS))
    bin_starts = np.arange(0, max_turns + 1, bin_width)
    rows = []
    for variant, length_counts in counts.items():
        median = int(np.searchsorted(length_counts.sum(axis=0).cumsum(), length_counts.sum() / 2))
        plotted_counts = length_counts[:, : bin_starts[-1] + bin_width]
        binned_counts = np.add.reduceat(plotted_counts, bin_starts, axis=1)
        for bin_start, column in zip(bin_starts, binned_counts.T, strict=True):
            rate = paired_estimate.estimate_rate(column, length_counts.sum(axis=1))
            columns = {"turns": bin_start, "width": bin_width, "median": median}
            rows.append(_make_plot_row(review, variant, rate, columns))
    return build_output_frame("plots/match_length", rows)


def make_endings_frame(review: Review) -> Frame:
    """Return the proportion of deals with each ending, by player type."""
    rows = []
    endings_by_metric = {
        "gin": ["gin", "big_gin", "shot"],
        "knock": ["knock", "even"],
        "undercut": ["undercut"],
        **({"stalled": ["stalled"]} if review.stalled_rates else {}),
    }
    counted_metrics = [*chain(*endings_by_metric.values())]
    endings_by_metric["void"] = [kind for kind in DEAL_RESULTS if kind not in counted_metrics]
    for variant in review.request.variants:
        for player_type in review.player_types:
            stats = review.get_stats_of_type(variant, player_type)
            for metric, endings in endings_by_metric.items():
                rate = stats.estimate_per_unit("deals", *endings, is_proportion=True)
                labels = {"players": player_type, "metric": metric}
                rows.append(_make_plot_row(review, variant, rate, labels, player_type))
    return build_output_frame("plots/outcomes", rows)


def make_effects_frame(review: Review) -> Frame:
    """Return the effects on the most important metrics, by player type."""
    rows = []
    for row in (row for row in review.scorecard_rows if row.key in METRICS_PLOTTED_BY_PLAYER_TYPE):
        for (variant, key, player_type), effect in review.effects.items():
            if key == row.key and variant in review.request.variants:
                labels = {
                    "players": player_type,
                    "metric": row.key,
                    "factor": row.display_factor,
                    "title": f"{row.title}, difference{' in percentage points' * bool(row.unit)}",
                }
                base_key = (str(review.request.base), key, player_type)
                n_matches = review.count_matches((variant, key, player_type), base_key)
                rows.append(
                    _make_plot_row(
                        review, variant, effect.difference, labels, player_type, n_matches
                    )
                )
    return build_output_frame("plots/kinds", rows)


def make_knocks_frame(review: Review) -> Frame:
    """Return the distribution of the strong player's knocks by turn and deadwood."""
    rows = []
    for variant in review.request.variants:
        knocks = review.get_stats_of_type(variant, STRONG_PLAYER).event_counts.get("knocks")
        if knocks is None or not knocks.any():
            continue
        n_knocks = knocks.sum(axis=(1, 2))
        for turn, deadwood in np.ndindex(knocks.shape[1:]):
            if turn:
                rate = paired_estimate.estimate_rate(knocks[:, turn, deadwood], n_knocks)
                columns = {"turn": turn, "deadwood": deadwood}
                rows.append(_make_plot_row(review, variant, rate, columns))
    return build_output_frame("plots/knock_chart", rows)


def make_score_difference_frame(review: Review) -> Frame:
    """Return the changes in win probability from the baseline, by both players' scores."""
    base = review.request.base
    baseline = {} if base is None else _compute_win_rates_by_score(review, base)
    rows = []
    for variant in review.request.compared_variants:
        for bins, win_rate in _compute_win_rates_by_score(review, variant).items():
            if bins in baseline:
                own_score, other_score = (100 / N_PLOTTED_SCORE_BINS * fifth for fifth in bins)
                columns = {"own": own_score, "other": other_score}
                rows.append(_make_plot_row(review, variant, win_rate - baseline[bins], columns))
    return build_output_frame("plots/scores", rows)


def _compute_win_rates_by_score(
    review: Review, variant: str
) -> dict[tuple[int, int], PairedEstimate]:
    """Return the match win rate of a player for each pair of scores."""
    scores = review.get_stats_of_type(variant, STRONG_PLAYER).event_counts.get("scores")
    if scores is None:
        return {}
    bins_per_plotted_bin = match_course.N_SCORE_BINS // N_PLOTTED_SCORE_BINS
    shape = (
        len(scores),
        N_PLOTTED_SCORE_BINS,
        bins_per_plotted_bin,
        N_PLOTTED_SCORE_BINS,
        bins_per_plotted_bin,
        2,
    )
    deals, n_won = np.moveaxis(scores.reshape(shape).sum(axis=(2, 4)), -1, 0)
    return {
        (i, j): paired_estimate.estimate_rate(n_won[:, i, j], deals[:, i, j])
        for i in range(N_PLOTTED_SCORE_BINS)
        for j in range(N_PLOTTED_SCORE_BINS)
        if i != j and deals[:, i, j].any()  # If both scores are equal, the win rate is one half.
    }


# Sweeps


def _iterate_sweep_plots(review: Review) -> Iterator[Plot]:
    """Yield curves of a sweep over one parameter, or heat maps of a sweep over two."""
    seed = review.request.seed
    frame = make_sweep_frame(review)
    columns = _make_titled_columns("title", "variant", value="Value")
    if len(review.request.sweep) == 1:
        figure = plots.sweep_curves(frame, seed=seed)
        yield _make_plot("sweep", "How does the game change?", figure, frame, columns)
        return
    for plot_number, (title, title_rows) in enumerate(frame.groupby("title", sort=False), start=1):
        figure = plots.sweep_map(title_rows, seed=seed)
        yield _make_plot(f"sweep_{plot_number}", str(title), figure, title_rows, columns)


def make_sweep_frame(review: Review) -> Frame:
    """Return the scorecard values of all rule sets in a sweep.

    The column `even` contains the break-even value.
    """
    (x_name, xs), *y_sweep = [
        (name, _parse_values(name, texts)) for name, texts in review.request.sweep
    ]
    y_name, ys = y_sweep[0] if y_sweep else ("", [""])
    points = dict(zip(review.request.swept_variants, ((x, y) for x in xs for y in ys), strict=True))
    rows = []
    plotted_rows = [row for row in review.shown_scorecard_rows if row.key != "minutes"]
    titles = {row.key: (row.title, row.display_factor, np.nan) for row in plotted_rows}
    if review.request.gin_and_knock_players:
        title = "Matches won by playing for gin against knocking immediately, %"
        titles[GIN_VS_KNOCK_METRIC] = (title, 100, 50.0)
    for (variant, key, player_type), estimate in review.measurements.items():
        if variant not in points or key not in titles or not isinstance(estimate, PairedEstimate):
            continue
        if player_type != STRONG_PLAYER and key != GIN_VS_KNOCK_METRIC:
            continue
        title, factor, break_even = titles[key]
        x, y = points[variant]
        columns = {
            "title": title,
            "metric": key,
            "x": x,
            "y": y,
            "even": break_even,
            "x_name": x_name.replace("_", " "),
            "y_name": y_name.replace("_", " "),
            "is_base": variant == review.request.base,
            "factor": factor,
        }
        if key == GIN_VS_KNOCK_METRIC and (players := review.request.gin_and_knock_players):
            columns |= dict(zip(("strategy", "opponent"), players, strict=True))
        n_matches = review.count_matches((variant, key, player_type))
        rows.append(_make_plot_row(review, variant, estimate, columns, sample_size=n_matches))
    return build_output_frame("plots/sweep", rows)


def _parse_values(parameter_name: str, texts: Sequence[str]) -> list[Any]:
    """Return parameter values as numbers or, if not all are numbers, as canonical strings.

    The words yes and no can also be written as 1 and 0.
    """
    parameter = load_rule_parameters()[parameter_name]
    values = [parameter.parse(text) for text in texts]
    numbers = [float(value) for value in values if type(value) is int]
    if len(numbers) == len(values):
        return numbers
    return [parameter.to_text(value) for value in values]
