"""Tests of every plot: drawn values and bounds, captions, and files.

tests/plots/test_layout.py tests that nothing overlaps.
"""

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

from simgin import plots
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.report import figures
from simgin.stats.metrics import METRICS_BY_NAME
from support import sample_plots
from support import toy_deals as toy
from support.plot_layout import find_layout_errors
from support.sample_plots import (
    ENTRIES_BY_SIZE,
    FRAME_BUILDERS,
    STRATEGIES,
    VARIANTS,
    add_bounds,
    draw_plot,
)
from support.slow_cases import mark_slow_except


def remove_whitespace(text):
    """Remove whitespace, and the backslashes before dollar signs."""
    return re.sub(r"\s+", "", text.replace("\\$", "$"))


@pytest.mark.parametrize("name", FRAME_BUILDERS)
@pytest.mark.parametrize("size", ["one", "several"])
def test_caption_states_what_was_played(name, size):
    frame = FRAME_BUILDERS[name](*ENTRIES_BY_SIZE[size])
    caption = remove_whitespace(draw_plot(name, size).get_supxlabel())
    assert "seed7." in caption
    is_end_of_ladder = frame["strategy"].isin([frame["strategy"].iloc[i] for i in (0, -1)])
    labelled_rows = frame[is_end_of_ladder] if name == "gin_by_draw" else frame  # a ladder's ends
    names = {*labelled_rows["variant"], *labelled_rows["strategy"]}
    assert all(remove_whitespace(text) in caption for text in names)
    assert f"{frame['n'].max():,}" in caption and f"{frame['n'].min():,}" in caption
    assert "95%" in caption


def test_gin_plot_labels_the_weakest_and_the_strongest_player():
    """Expect lines for gin by the naive and the strong player, and for the strong one's joker."""
    frame = FRAME_BUILDERS["gin_by_draw"](VARIANTS[:1], STRATEGIES)
    (axes,) = plots.gin_by_draw(frame, seed=1).axes
    assert sorted(text.get_text() for text in axes.texts) == ["joker", "naive", "strong"]
    drawn_lines = [line for line in axes.lines if len(line.get_xdata())]
    assert len(drawn_lines) == 3 and axes.get_legend() is None


# win_by_deadwood has more cells than other maps
@pytest.mark.parametrize(
    "name",
    mark_slow_except(
        [name for name in FRAME_BUILDERS if name != "win_by_deadwood"], FRAME_BUILDERS
    ),
)
def test_svg_has_text_and_unique_ids(name):
    """Expect also no raster images, and only text colours that HTML reports can replace."""
    figure = draw_plot(name)
    root = ElementTree.fromstring(plots.svg(figure, "it"))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids) and all(element_id.startswith("it-") for element_id in ids)
    text = ElementTree.tostring(root, encoding="unicode")
    assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text)) <= set(ids)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "text" in tags and "image" not in tags
    text_colours = {
        figures.TEXT_COLOUR,
        figures.MUTED_COLOUR,
        figures.DARKEST_COLOUR,
        figures.LIGHTEST_COLOUR,
    }
    visible = [text for text in figure.findobj(Text) if text.get_visible()]
    assert {to_hex(text.get_color()) for text in visible if text.get_text().strip()} <= text_colours


def test_lines_and_bands_show_values_and_bounds():
    frame = FRAME_BUILDERS["gin_by_draw"](VARIANTS[:1], STRATEGIES[:1])
    frame = frame[frame["kind"] == "gin"]
    (axes,) = plots.gin_by_draw(frame, seed=1).axes
    assert axes.lines[0].get_ydata() == pytest.approx(100 * frame["value"])
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    bounds = (100 * frame["low"].min(), 100 * frame["high"].max())
    assert (band.min(), band.max()) == pytest.approx(bounds)


def test_dots_and_bars_show_values_and_bounds():
    frame = sample_plots.make_difference_frame(("standard",), STRATEGIES).assign(p_holm=0)
    panels = [axes for axes in plots.forest_plot(frame, seed=1).axes if axes.get_visible()]
    axes_by_title = {axes.get_title(loc="left").replace("\n", " "): axes for axes in panels}
    assert len(axes_by_title) == len(frame)
    for _, row in frame.iterrows():
        metric = METRICS_BY_NAME[row["metric"]]
        dot, factor = axes_by_title[metric.title].containers[0], metric.display_factor
        assert dot[0].get_xdata() == pytest.approx([factor * row["value"]])
        bar_ends = np.sort(dot[2][0].get_segments()[0][:, 0])
        assert bar_ends == pytest.approx([factor * row["low"], factor * row["high"]])


def test_insignificant_metrics_are_only_named():
    differences = {"gin": 30, "void": 2, "turns": 4, "margin": 0}
    rows = [{"metric": metric, "value": value} for metric, value in differences.items()]
    names = {"variant": "oklahoma", "strategy": "gold", "opponent": "itself"}
    frame = add_bounds(rows, "value", 0.1).assign(base_variant="standard", **names)
    frame["p_holm"] = np.where(frame["metric"].isin(["gin", "turns"]), 0.001, 0.3)
    figure = plots.forest_plot(frame, seed=1)
    panel_titles = [axes.get_title(loc="left") for axes in figure.axes if axes.get_visible()]
    titles = [METRICS_BY_NAME[name].title for name in differences]
    assert panel_titles == [titles[0], titles[2]]
    note = f"No significant difference: {titles[1]}, {titles[3]}."
    assert note in " ".join(figure.get_supxlabel().split())


def find_row_names(figure):
    """Return the row names of each panel."""
    return [[text.get_text() for text in axes.get_yticklabels()] for axes in figure.axes]


def make_strategy_differences(values, metric="margin"):
    rows = [
        {"strategy": f"gold+knock=at:k={i}+take=deny", "metric": metric, "value": value}
        for i, value in enumerate(values)
    ]
    names = {"variant": "standard", "opponent": "simple", "base_variant": "standard"}
    return add_bounds(rows, "value", 0.1).assign(**names, base_strategy="gold")


def test_shared_parts_of_row_names_are_in_the_caption():
    frame = make_strategy_differences([1.0, 3.0, -2.0])
    figure = plots.forest_plot(frame, seed=1)
    assert find_row_names(figure) == [["k=1", "k=0", "k=2"]]
    caption = " ".join(figure.get_supxlabel().split())
    assert "Every full name begins with gold+knock=at and ends with +take=deny." in caption
    labels = {frame["strategy"][1]: "Best", "gold": "Golden"}
    figure = plots.forest_plot(frame, labels=labels)
    assert (
        find_row_names(figure)[0][0] == "Best" and figure.get_suptitle() == "Difference from Golden"
    )


def test_caption_of_win_probabilities_has_units():
    caption = " ".join(draw_plot("win_by_score", "one").get_supxlabel().split())
    assert re.search(
        r"nondealer's win probability differs by at most [\d.]+ percentage points", caption
    )
    assert re.search(r"95 % intervals are at most [\d.]+ percentage points", caption)


def test_caption_describes_only_marks_in_the_plot():
    frame = make_strategy_differences([1.0, 0.01], "margin").assign(unit="deal", n=8_000)
    matches = make_strategy_differences([1.0, 2.0], "match_win").assign(unit="match", n=1_000)
    significant = plots.forest_plot(pd.concat([frame[:1], matches]), seed=1)
    caption = " ".join(significant.get_supxlabel().split())
    assert "8,000 deals and 1,000 matches, seed 1. Baseline: gold. " in caption
    assert "grey" not in caption and "shorter" not in caption
    mixed = plots.forest_plot(frame, seed=1)
    assert "Hollow grey dots" in " ".join(mixed.get_supxlabel().split())


def test_outliers_are_marked_at_the_edge_with_their_value():
    figure = plots.forest_plot(
        make_strategy_differences([1.0, -1.0, 2.0, 0.8, 90.0, -70.0]), seed=1
    )
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    assert (low, high) == pytest.approx((-1.15 * 2.1, 1.15 * 2.1))
    arrows = {line.get_marker(): line for line in axes.lines if line.get_marker() in ("<", ">")}
    ends = {marker: (line.get_xdata()[0], line.get_ydata()[0]) for marker, line in arrows.items()}
    assert ends == {">": (pytest.approx(0.97 * high), 0), "<": (pytest.approx(0.97 * low), 5)}
    assert [text.get_text() for text in axes.texts] == ["+90", "\N{MINUS SIGN}70"]
    assert "outside the scale" in " ".join(figure.get_supxlabel().split())
    assert (
        not plots.forest_plot(make_strategy_differences([1.0, 90.0, 2.0])).axes[0].texts
    )  # too few


def test_large_lead_does_not_compress_the_other_leads():
    standings = sample_plots.make_standings_frame(VARIANTS[:1], [f"player {i}" for i in range(6)])
    axes = plots.elo_ratings(standings, unit="match", seed=1).axes[1]
    low, high = axes.get_xlim()
    assert -15 < low < -9 and 15 < high < 20 and axes.get_xscale() == "linear"
    assert [text.get_text() for text in axes.texts] == ["+378"]


def test_row_names_include_differing_variants_and_opponents():
    frame = make_strategy_differences([1.0, 2.0])
    other_frame = frame.assign(variant="eaai", base_variant="eaai", opponent="stubborn")
    names = find_row_names(plots.forest_plot(pd.concat([frame, other_frame])))[0]
    unwrapped_names = [name.replace("\n", "") for name in names]
    assert len(set(unwrapped_names)) == 4 and any(
        "eaai" in name and "stubborn" in name for name in unwrapped_names
    )


def test_row_names_include_differing_baselines():
    frame = make_strategy_differences([1.0])
    variant_frame = frame.assign(variant="oklahoma", base_strategy=frame["strategy"])
    names = find_row_names(plots.forest_plot(pd.concat([frame, variant_frame])))[0]
    unwrapped_names = " ".join(" ".join(names).split())
    assert unwrapped_names.count("v gold") == 1 and unwrapped_names.count("v standard") == 1


def test_best_change_has_the_first_panel():
    frame = sample_plots.make_effect_frame(VARIANTS, STRATEGIES)
    frame.loc[frame["change"] == "knock=early", ["value", "low", "high"]] += 5
    first, second, *_ = plots.gains_by_field(frame, seed=1).axes
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["knock=early", "take=lower"]
    rows = frame[frame["change"] == "knock=early"]
    dots = [container[0].get_xdata()[0] for container in first.containers]
    assert dots == pytest.approx(list(rows["value"]))


def test_each_player_and_variant_has_a_panel():
    cells = {"turn": range(4), "count": range(0, 20, 5)}
    frame = add_bounds(sample_plots.make_rows(VARIANTS[:2], STRATEGIES[:2], **cells))
    panels = plots.win_by_deadwood(frame, seed=1).axes
    assert len(panels) == 4
    values_by_panel = frame.groupby(["variant", "strategy"], sort=False)["value"]
    for axes, (_, values) in zip(panels, values_by_panel, strict=True):
        cell_texts = sorted(text.get_text() for text in axes.texts)
        assert cell_texts == sorted(f"{100 * value:.0f}" for value in values)


def test_best_knock_limit_has_the_largest_marker():
    frame = FRAME_BUILDERS["knock_thresholds"](VARIANTS[:1], STRATEGIES[:1])
    axes = plots.knock_thresholds(frame, seed=1).axes[0]
    largest = max(axes.lines, key=lambda line: line.get_markersize())
    best = frame[frame["measure"] == "points"].sort_values("value").iloc[-1]
    assert (largest.get_xdata()[0], largest.get_ydata()[0]) == (best["k"], best["value"])


def test_undefined_values_are_noted_and_not_drawn():
    frame = sample_plots.add_undefined_row(
        FRAME_BUILDERS["forest_plot"](*ENTRIES_BY_SIZE["one"])[:1]
    )
    figure = plots.forest_plot(frame, seed=1)
    assert plots.png(figure).startswith(b"\x89PNG")
    texts = figure.findobj(lambda artist: hasattr(artist, "get_text"))
    assert any("sample too small" in text.get_text() for text in texts)


NO_DATA_PATTERN = "sample too small|too few scores for a map|No cell is significant|no knock"


@pytest.mark.parametrize("name", sample_plots.PLOT_NAMES)
def test_every_panel_without_data_has_a_message(name):
    """Expect no warnings, and no text that contains `nan`."""
    figure = draw_plot(name, "one", sample_plots.make_values_undefined)
    figure.draw_without_rendering()
    for axes in figure.axes:
        texts = [text.get_text() for text in axes.texts if text.get_visible()]
        assert re.search(NO_DATA_PATTERN, " ".join(texts)), name
    texts = [text.get_text() for text in figure.findobj(Text)]
    assert not any(re.search(r"\bnan\b", text, re.IGNORECASE) for text in texts), texts


# A ladder has another row for hindsight; a league has two players
MULTI_ROW_PLOTS = ("skill", "elo_ratings")


@pytest.mark.parametrize("name", sample_plots.PLOT_NAMES)
def test_insignificant_data_cause_no_warnings(name):
    draw_plot(name, "one", sample_plots.make_insignificant).draw_without_rendering()


# test_every_panel_without_data_has_a_message also draws undefined values, but of several rows.
@pytest.mark.parametrize(
    "change",
    [
        sample_plots.select_first_row,
        pytest.param(sample_plots.make_undefined_first_row, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    "name", [name for name in sample_plots.PLOT_NAMES if name not in MULTI_ROW_PLOTS]
)
def test_single_row_causes_no_warnings(name, change):
    draw_plot(name, "one", change).draw_without_rendering()


def test_single_knock_is_a_cell_of_the_chart():
    (cells,) = draw_plot("knocks_by_turn", "one", sample_plots.select_first_row).axes[0].collections
    assert [*np.ptp(cells.get_coordinates(), axis=(0, 1))] == pytest.approx([1, 1])


def test_sweep_map_with_one_row_has_no_break_even_line():
    """Use one value of the second parameter, because the line needs at least two values."""
    frame = FRAME_BUILDERS["sweep_map"](*ENTRIES_BY_SIZE["one"])
    figure = plots.sweep_map(frame[frame["y"] == 0].assign(even=85.0), seed=7)
    assert len(figure.axes[0].collections) == 1


def replace_values(frame, column, values):
    """Replace the sorted values of a column by the given values."""
    value_by_number = dict(zip(sorted(set(frame[column])), values, strict=True))
    return frame.assign(**{column: frame[column].map(value_by_number)})


CATEGORIES = ["upcard_stock_or_pass_dead", "none", 20.0, True, "30:4/60:3/90:2/120:1"]
CATEGORY_LABELS = ["upcard stock or pass dead", "none", "20", "True", "30:4/60:3/90:2/120:1"]


def test_sweep_over_categories_has_a_row_of_dots_for_each_value():
    frame = replace_values(FRAME_BUILDERS["sweep_curves"]((), STRATEGIES), "x", CATEGORIES)
    frame["is_base"] = frame["x"] == "none"
    figure = plots.sweep_curves(frame, seed=7)
    assert find_layout_errors(figure) == []
    for axes, (_, rows) in zip(figure.axes, frame.groupby("title", sort=False), strict=True):
        labels = [text.get_text().replace("\n", " ") for text in axes.get_yticklabels()]
        assert labels == CATEGORY_LABELS
        dots, ring = axes.containers[0][0], axes.lines[-1]
        assert [*dots.get_ydata()] == [*range(5)] and dots.get_linestyle() == "None"
        assert dots.get_xdata() == pytest.approx(rows["value"])
        assert ([*ring.get_xdata()], [*ring.get_ydata()]) == ([rows["value"].iloc[1]], [1])
    assert "Error bars are 95" in figure.get_supxlabel()


@pytest.mark.parametrize("columns", [("x",), ("y",), ("x", "y")])
def test_sweep_map_over_categories_has_labels_and_no_line(columns):
    frame = FRAME_BUILDERS["sweep_map"]((), STRATEGIES).assign(even=60.0)
    assert len(plots.sweep_map(frame).axes[0].collections) == 2
    for column in columns:
        frame = replace_values(frame, column, CATEGORIES)
    figure = plots.sweep_map(frame, seed=7)
    (axes,) = figure.axes
    assert find_layout_errors(figure) == [] and len(axes.collections) == 1
    for column, texts in (("x", axes.get_xticklabels()), ("y", axes.get_yticklabels())):
        if column in columns:
            assert [text.get_text().replace("\n", " ") for text in texts] == CATEGORY_LABELS
    numbers = axes.collections[0].get_array()
    assert [*numbers.T.ravel()] == pytest.approx([*frame["value"]])
    assert "line" not in figure.get_supxlabel()


def test_numbers_of_a_sweep_map_with_many_columns_do_not_overlap():
    frame = FRAME_BUILDERS["sweep_map"]((), STRATEGIES)
    rows = [frame.iloc[:2].assign(x=x, y=[0, 10], value=[0.1 * x, 1.5]) for x in range(21)]
    figure = plots.sweep_map(pd.concat(rows), seed=7)
    assert find_layout_errors(figure) == []
    numbers = figure.axes[0].texts[:21]
    extents = [number.get_window_extent() for number in numbers]
    assert all(left.x1 < right.x0 for left, right in pairwise(extents))


def get_caption(figure):
    """Return the caption of a figure on one line, with ordinary spaces."""
    return " ".join(figure.get_supxlabel().split())


def test_sweep_map_explains_its_colours_and_marks_the_baseline():
    frame = FRAME_BUILDERS["sweep_map"]((), STRATEGIES)
    frame["is_base"] = (frame["x"] == 15) & (frame["y"] == 10)
    figure = plots.sweep_map(frame, seed=7)
    (cell,) = figure.axes[0].patches
    assert (round(cell.get_x() + 0.5), round(cell.get_y() + 0.5)) == (3, 1)
    colour_text = "High values are blue, and low values are orange."
    assert f"{colour_text} A frame marks the baseline." in get_caption(figure)
    figure = plots.sweep_map(frame.assign(is_base=False, even=50.0), seed=7)
    colour_text = "Blue cells are above the break-even value, 50, and orange cells are below it."
    assert get_caption(figure).endswith(f"{colour_text} The line marks the break-even value.")
    assert not figure.axes[0].patches


@pytest.mark.parametrize(
    ("variants", "text"),
    [
        (["Gin bonus 0, undercut bonus 0", "Standard"], "Standard with gin bonus 0, 25; "),
        (
            ["Oklahoma, gin bonus 0, undercut bonus 0", "Oklahoma"],
            "Oklahoma with gin bonus 0, 25; ",
        ),
        (["mine", "yours"], "gin bonus 0, 25; "),
    ],
)
def test_sweep_caption_lists_the_values_of_each_parameter(variants, text):
    frame = FRAME_BUILDERS["sweep_map"]((), STRATEGIES).iloc[[0, -1]]
    frame = frame.assign(variant=variants, x=[0, 25], y=[0, 25])
    caption = get_caption(plots.sweep_map(frame, seed=7))
    assert caption.startswith(f"Variant: {text}undercut bonus 0, 25. Players: ")


def test_knock_panels_have_equal_axes():
    frame = FRAME_BUILDERS["knocks_by_turn"](VARIANTS[:2], STRATEGIES)
    is_empty = (frame["variant"] == VARIANTS[0]) & ((frame["turn"] > 4) | (frame["deadwood"] > 5))
    frame.loc[is_empty, "value"] = 0.0
    figure = plots.knocks_by_turn(frame, seed=7)
    assert [axes.get_xlim() for axes in figure.axes] == [(0.5, 11.5)] * 2
    assert [axes.get_ylim() for axes in figure.axes] == [(-0.5, 10.5)] * 2
    # In dark mode, cells with many knocks are brighter than the background.
    assert "Darker" not in get_caption(figure)


def test_effects_by_player_type_show_at_most_eight_variants():
    variants = [f"variant {i}" for i in range(30)]
    frame = FRAME_BUILDERS["effects_by_player_type"](variants, STRATEGIES)
    figure = plots.effects_by_player_type(frame, seed=7)
    _, names = figure.axes[0].get_legend_handles_labels()
    assert names == variants[:8]
    assert get_caption(figure).endswith("The plot shows the first 8 of 30 variants.")
    assert find_layout_errors(figure) == []


def test_effects_by_player_type_show_rows_with_an_empty_unit():
    """Differences in CSV files have no unit."""
    frame = FRAME_BUILDERS["effects_by_player_type"](VARIANTS[:1], STRATEGIES).assign(unit=np.nan)
    for axes in plots.effects_by_player_type(frame, seed=7).axes:
        assert len(axes.containers[0][0].get_xdata()) == 3


def test_series_differ_in_marker_and_dash():
    styles = [figures.get_series_style(i) for i in range(14)]
    assert len({(series_style.colour, series_style.marker) for series_style in styles}) == 14
    for group in (styles[:7], styles[7:]):
        assert (
            len({series_style.marker for series_style in group})
            == len({series_style.dash for series_style in group})
            == 7
        )


# Matchups

RNG = np.random.default_rng(13)
MATCHUP_PLOTS = [plots.win_and_points, plots.endings]


def make_matchup_rows(*pairs, unit="deal", n_units=200):
    facts = [
        toy.draw_statistics(RNG, n_units, win_probability=0.55, is_match=unit == "match")
        for _ in pairs
    ]
    rows = [
        toy.make_tidy_rows(*names, unit, toy.make_batch_row(unit_facts))
        for names, unit_facts in zip(pairs, facts, strict=True)
    ]
    return pd.concat(rows, ignore_index=True)


ONE_MATCHUP = [("standard", "gold", "simple")]
PANEL_MATCHUPS = [
    ("standard", "gold", "simple"),
    ("standard", "simple+knock=at:k=4+discard=gold", "simple"),
]
VARIANT_MATCHUPS = [("standard", "gold", "simple"), ("eaai", "gold", "simple")]


@pytest.mark.parametrize("draw", MATCHUP_PLOTS)
@pytest.mark.parametrize(
    ("matchups", "labels"),
    [
        (PANEL_MATCHUPS, ["gold v simple", "simple+knock=at:k=4\n+discard=gold v simple"]),
        (VARIANT_MATCHUPS, ["gold v simple\nstandard", "gold v simple\neaai"]),
    ],
)
def test_labels_name_the_differing_players_and_variants(draw, matchups, labels):
    figure = draw(make_matchup_rows(*matchups), seed=7)
    assert re.search(r"400\sdeals(\seach)?,\sseed\s7", figure.get_supxlabel())
    for axes in figure.axes:
        assert [text.get_text() for text in axes.get_yticklabels()] == labels


def test_match_wins_have_a_separate_panel():
    assert len(plots.win_and_points(make_matchup_rows(*ONE_MATCHUP), seed=1).axes) == 2
    figure = plots.win_and_points(make_matchup_rows(*ONE_MATCHUP, unit="match"), seed=1)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["deals won %", "points/deal", "matches won %"]


def test_endings_fill_the_bar():
    frame = make_matchup_rows(*PANEL_MATCHUPS)
    axes = plots.endings(frame, seed=1).axes[0]
    widths = np.sum([[bar.get_width() for bar in bars] for bars in axes.containers], axis=0)
    assert widths == pytest.approx(100)
    legend_texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend_texts == ["knock", "gin", "undercut", "dead hand"]
    assert set(figures.ENDING_COLOURS) == set(DEAL_RESULTS)
    assert len(set(figures.ENDING_COLOURS.values())) == len(DEAL_RESULTS)
