"""Tests of every plot: drawn values and bounds, captions, and files.

tests/plots/test_layout.py tests that nothing overlaps.
"""

import re
import xml.etree.ElementTree as ElementTree

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
from support.sample_plots import FRAMES, SIZES, STRATEGIES, VARIANTS, draw_plot, with_bounds


def normalise(text):
    return re.sub(r"\s+", "", text.replace("\\$", "$"))


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("size", ["one", "several"])
def test_the_caption_states_what_was_played(name, size):
    frame = FRAMES[name](*SIZES[size])
    caption = normalise(draw_plot(name, size).get_supxlabel())
    assert "seed7." in caption
    of_ends = frame["strategy"].isin([frame["strategy"].iloc[i] for i in (0, -1)])
    listed = frame[of_ends] if name == "gin_by_draw" else frame  # a ladder's ends
    told = {*listed["variant"], *listed["strategy"]}
    assert all(normalise(text) in caption for text in told)
    assert f"{frame['n'].max():,}" in caption and f"{frame['n'].min():,}" in caption
    assert "95%" in caption


def test_the_odds_plot_labels_the_weakest_and_the_strongest_player():
    """Draw the gins of the weakest and strongest players, and the joker of the strongest."""
    frame = FRAMES["gin_by_draw"](VARIANTS[:1], STRATEGIES)
    (axes,) = plots.gin_by_draw(frame, seed=1).axes
    assert sorted(text.get_text() for text in axes.texts) == ["joker", "naive", "strong"]
    drawn_lines = [line for line in axes.lines if len(line.get_xdata())]
    assert len(drawn_lines) == 3 and axes.get_legend() is None


@pytest.mark.parametrize("name", FRAMES)
def test_an_svg_has_text_shapes_and_its_own_ids(name):
    """SVG plots contain no images, and only colours that the report can exchange."""
    figure = draw_plot(name)
    root = ElementTree.fromstring(plots.svg(figure, "it"))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids) and all(one.startswith("it-") for one in ids)
    text = ElementTree.tostring(root, encoding="unicode")
    assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text)) <= set(ids)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "text" in tags and "image" not in tags
    inks = {figures.TEXT_COLOUR, figures.MUTED_COLOUR, figures.DARKEST, figures.LIGHTEST}
    visible = [text for text in figure.findobj(Text) if text.get_visible()]
    assert {to_hex(text.get_color()) for text in visible if text.get_text().strip()} <= inks


def test_bands_and_lines_show_the_values_and_limits():
    frame = FRAMES["gin_by_draw"](VARIANTS[:1], STRATEGIES[:1])
    frame = frame[frame["kind"] == "gin"]
    (axes,) = plots.gin_by_draw(frame, seed=1).axes
    assert axes.lines[0].get_ydata() == pytest.approx(100 * frame["value"])
    ends = axes.collections[0].get_paths()[0].vertices[:, 1]
    limits = (100 * frame["low"].min(), 100 * frame["high"].max())
    assert (ends.min(), ends.max()) == pytest.approx(limits)


def test_dots_and_bars_show_the_values_and_limits():
    frame = sample_plots.differences(("standard",), STRATEGIES).assign(p_holm=0)
    panels = [axes for axes in plots.forest_plot(frame, seed=1).axes if axes.get_visible()]
    shown = {axes.get_title(loc="left").replace("\n", " "): axes for axes in panels}
    assert len(shown) == len(frame)
    for _, row in frame.iterrows():
        metric = METRICS_BY_NAME[row["metric"]]
        dot, factor = shown[metric.title].containers[0], metric.display_factor
        assert dot[0].get_xdata() == pytest.approx([factor * row["value"]])
        ends = np.sort(dot[2][0].get_segments()[0][:, 0])
        assert ends == pytest.approx([factor * row["low"], factor * row["high"]])


def test_metrics_without_a_clear_difference_are_named_and_not_drawn():
    sizes = {"gin": 30, "void": 2, "turns": 4, "margin": 0}
    rows = [{"metric": metric, "value": x} for metric, x in sizes.items()]
    names = {"variant": "oklahoma", "strategy": "gold", "opponent": "itself"}
    frame = with_bounds(rows, "value", 0.1).assign(base_variant="standard", **names)
    frame["p_holm"] = np.where(frame["metric"].isin(["gin", "turns"]), 0.001, 0.3)
    figure = plots.forest_plot(frame, seed=1)
    shown = [axes.get_title(loc="left") for axes in figure.axes if axes.get_visible()]
    titles = [METRICS_BY_NAME[name].title for name in sizes]
    assert shown == [titles[0], titles[2]]
    unclear = f"No significant difference: {titles[1]}, {titles[3]}."
    assert unclear in " ".join(figure.get_supxlabel().split())


def forest_names(figure):
    """Return the row names of each panel."""
    return [[text.get_text() for text in axes.get_yticklabels()] for axes in figure.axes]


def strategy_differences(values, metric="margin"):
    rows = [
        {"strategy": f"gold+knock=at:k={i}+take=deny", "metric": metric, "value": value}
        for i, value in enumerate(values)
    ]
    names = {"variant": "standard", "opponent": "simple", "base_variant": "standard"}
    return with_bounds(rows, "value", 0.1).assign(**names, base_strategy="gold")


def test_rows_are_sorted_and_shared_parts_of_names_are_in_the_caption():
    frame = strategy_differences([1.0, 3.0, -2.0])
    figure = plots.forest_plot(frame, seed=1)
    assert forest_names(figure) == [["k=1", "k=0", "k=2"]]
    caption = " ".join(figure.get_supxlabel().split())
    assert "Every full name begins with gold+knock=at and ends with +take=deny." in caption
    labels = {frame["strategy"][1]: "Best", "gold": "Golden"}
    figure = plots.forest_plot(frame, labels=labels)
    assert (
        forest_names(figure)[0][0] == "Best" and figure.get_suptitle() == "Difference from Golden"
    )


def test_a_caption_describes_only_marks_in_the_plot():
    frame = strategy_differences([1.0, 0.01], "margin").assign(unit="deal", n=8_000)
    matches = strategy_differences([1.0, 2.0], "match_win").assign(unit="match", n=1_000)
    significant = plots.forest_plot(pd.concat([frame[:1], matches]), seed=1)
    caption = " ".join(significant.get_supxlabel().split())
    assert "8,000 deals and 1,000 matches, seed 1. Baseline: gold. " in caption
    assert "grey" not in caption and "shorter" not in caption
    mixed = plots.forest_plot(frame, seed=1)
    assert "Hollow grey dots" in " ".join(mixed.get_supxlabel().split())


def test_outliers_are_marked_at_the_edge_with_their_value():
    figure = plots.forest_plot(strategy_differences([1.0, -1.0, 2.0, 0.8, 90.0, -70.0]), seed=1)
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    assert (low, high) == pytest.approx((-1.15 * 2.1, 1.15 * 2.1))
    arrows = {line.get_marker(): line for line in axes.lines if line.get_marker() in ("<", ">")}
    ends = {marker: (line.get_xdata()[0], line.get_ydata()[0]) for marker, line in arrows.items()}
    assert ends == {">": (pytest.approx(0.97 * high), 0), "<": (pytest.approx(0.97 * low), 5)}
    assert [text.get_text() for text in axes.texts] == ["+90", "\N{MINUS SIGN}70"]
    assert "outside the scale" in " ".join(figure.get_supxlabel().split())
    assert not plots.forest_plot(strategy_differences([1.0, 90.0, 2.0])).axes[0].texts  # too few


def test_a_very_large_lead_does_not_compress_the_other_leads():
    standings = sample_plots.standings(VARIANTS[:1], [f"player {i}" for i in range(6)])
    axes = plots.elo_ratings(standings, unit="match", seed=1).axes[1]
    low, high = axes.get_xlim()
    assert -15 < low < -9 and 15 < high < 20 and axes.get_xscale() == "linear"
    assert [text.get_text() for text in axes.texts] == ["+378"]


def test_rows_name_the_variant_and_the_opponent_where_they_differ():
    frame = strategy_differences([1.0, 2.0])
    other = frame.assign(variant="eaai", base_variant="eaai", opponent="stubborn")
    names = forest_names(plots.forest_plot(pd.concat([frame, other])))[0]
    flat = [name.replace("\n", "") for name in names]
    assert len(set(flat)) == 4 and any("eaai" in name and "stubborn" in name for name in flat)


def test_rows_name_the_baseline_where_strategies_and_variants_are_compared():
    frame = strategy_differences([1.0])
    other = frame.assign(variant="oklahoma", base_strategy=frame["strategy"])
    names = forest_names(plots.forest_plot(pd.concat([frame, other])))[0]
    flat = " ".join(" ".join(names).split())
    assert flat.count("v gold") == 1 and flat.count("v standard") == 1


def test_the_effects_of_a_change_have_a_panel_and_the_best_comes_first():
    frame = sample_plots.effects(VARIANTS, STRATEGIES)
    frame.loc[frame["change"] == "knock=early", ["value", "low", "high"]] += 5
    first, second, *_ = plots.gains_by_field(frame, seed=1).axes
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["knock=early", "take=lower"]
    rows = frame[frame["change"] == "knock=early"]
    dots = [container[0].get_xdata()[0] for container in first.containers]
    assert dots == pytest.approx(list(rows["value"]))


def test_hands_of_two_players_are_not_mixed():
    cells = {"turn": range(4), "count": range(0, 20, 5)}
    frame = with_bounds(sample_plots.rows_for(VARIANTS[:2], STRATEGIES[:2], **cells))
    panels = plots.win_by_deadwood(frame, seed=1).axes
    assert len(panels) == 4
    parts = frame.groupby(["variant", "strategy"], sort=False)["value"]
    for axes, (_, values) in zip(panels, parts, strict=True):
        told = sorted(text.get_text() for text in axes.texts)
        assert told == sorted(f"{100 * x:.0f}" for x in values)


def test_the_best_knock_limit_is_the_largest_mark():
    frame = FRAMES["knock_thresholds"](VARIANTS[:1], STRATEGIES[:1])
    axes = plots.knock_thresholds(frame, seed=1).axes[0]
    largest = max(axes.lines, key=lambda line: line.get_markersize())
    best = frame[frame["measure"] == "points"].sort_values("value").iloc[-1]
    assert (largest.get_xdata()[0], largest.get_ydata()[0]) == (best["k"], best["value"])


def test_undefined_values_are_noted_and_not_drawn():
    frame = sample_plots.with_undefined_row(FRAMES["forest_plot"](*SIZES["one"])[:1])
    figure = plots.forest_plot(frame, seed=1)
    assert plots.png(figure).startswith(b"\x89PNG")
    texts = figure.findobj(lambda artist: hasattr(artist, "get_text"))
    assert any("sample too small" in text.get_text() for text in texts)


EMPTY = "sample too small|too few scores for a map|No cell is significant|no knock"


@pytest.mark.parametrize("name", sample_plots.PLOT_NAMES)
def test_a_plot_of_nothing_says_so_in_every_panel(name):
    """Plots without data contain a message, without warnings or `nan`."""
    figure = draw_plot(name, "one", sample_plots.with_undefined_values)
    figure.draw_without_rendering()
    for axes in figure.axes:
        texts = [text.get_text() for text in axes.texts if text.get_visible()]
        assert re.search(EMPTY, " ".join(texts)), name
    texts = [text.get_text() for text in figure.findobj(Text)]
    assert not any(re.search(r"\bnan\b", text, re.IGNORECASE) for text in texts), texts


# A ladder has another row for hindsight; a league has two players
TWO_ROWS = ("skill", "elo_ratings")


@pytest.mark.parametrize("name", sample_plots.PLOT_NAMES)
def test_plots_of_a_single_row_and_of_what_is_nowhere_clear_warn_of_nothing(name):
    changes = [sample_plots.without_significance]
    changes += [sample_plots.first_row, sample_plots.undefined_first_row] * (name not in TWO_ROWS)
    for change in changes:
        draw_plot(name, "one", change).draw_without_rendering()


def test_a_single_knock_is_a_cell_of_the_chart():
    (cells,) = draw_plot("knocks_by_turn", "one", sample_plots.first_row).axes[0].collections
    assert [*np.ptp(cells.get_coordinates(), axis=(0, 1))] == pytest.approx([1, 1])


def test_a_sweep_of_a_single_value_by_another_is_a_map_without_a_line():
    """The break-even line would be between two values, but a line needs two rows."""
    frame = FRAMES["sweep_map"](*SIZES["one"])
    figure = plots.sweep_map(frame[frame["y"] == 0].assign(even=85.0), seed=7)
    assert len(figure.axes[0].collections) == 1


def test_series_differ_in_more_than_colour():
    looks = [figures.get_series_style(i) for i in range(14)]
    assert len({(look.colour, look.marker) for look in looks}) == 14
    for part in (looks[:7], looks[7:]):
        assert len({look.marker for look in part}) == len({look.dash for look in part}) == 7


# Matchups

RNG = np.random.default_rng(13)
PLOTS = [plots.win_and_points, plots.endings]


def matchups(*pairs, unit="deal", units=200):
    made = [toy.draw_facts(RNG, units, win=0.55, matches=unit == "match") for _ in pairs]
    rows = [
        toy.tidy_rows(*names, unit, toy.batch_row(one))
        for names, one in zip(pairs, made, strict=True)
    ]
    return pd.concat(rows, ignore_index=True)


ONE = [("standard", "gold", "simple")]
PANEL = [("standard", "gold", "simple"), ("standard", "simple+knock=at:k=4+discard=gold", "simple")]
GAMES = [("standard", "gold", "simple"), ("eaai", "gold", "simple")]


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize(
    ("pairs", "labels"),
    [
        (PANEL, ["gold v simple", "simple+knock=at:k=4\n+discard=gold v simple"]),
        (GAMES, ["gold v simple\nstandard", "gold v simple\neaai"]),
    ],
)
def test_labels_name_the_players_and_variants_where_they_differ(plot, pairs, labels):
    figure = plot(matchups(*pairs), seed=7)
    assert re.search(r"400\sdeals(\seach)?,\sseed\s7", figure.get_supxlabel())
    for axes in figure.axes:
        assert [text.get_text() for text in axes.get_yticklabels()] == labels


def test_matches_have_their_own_panel():
    assert len(plots.win_and_points(matchups(*ONE), seed=1).axes) == 2
    figure = plots.win_and_points(matchups(*ONE, unit="match"), seed=1)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["deals won %", "points/deal", "matches won %"]


def test_outcomes_fill_the_bar():
    data = matchups(*PANEL)
    axes = plots.endings(data, seed=1).axes[0]
    widths = np.sum([[bar.get_width() for bar in bars] for bars in axes.containers], axis=0)
    assert widths == pytest.approx(100)
    told = [text.get_text() for text in axes.get_legend().get_texts()]
    assert told == ["knock", "gin", "undercut", "dead hand"]
    assert set(figures.ENDING_COLOURS) == set(DEAL_RESULTS)
    assert len(set(figures.ENDING_COLOURS.values())) == len(DEAL_RESULTS)
