"""Every plot of a frame: the values and limits drawn, the captions, and text within the figure."""

import itertools
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest

from simgin import plots
from simgin.report import figures

VARIANTS = ("standard", "oklahoma+knock_limit=5", r"a$b$.toml#mine")
STRATEGIES = (
    "gold",
    "solo-lookahead+knock=stop-by",
    "strategies_of_mine/very_long_directory_name/mine.py#second",
)
SLACK = 0.05  # inches: half the label of the last tick


def spread(rows, value="value", half=0.02):
    """A frame of rows with limits about a value, and n."""
    made = pd.DataFrame(rows)
    return made.assign(
        low=made[value] - half, high=made[value] + half, n=np.arange(len(made)) + 12_000
    )


def rows_for(variants, strategies, **columns):
    """A row for every variant, strategy and combination of columns; values fall with each."""
    keys = list(itertools.product(variants, strategies, *columns.values()))
    names = ("variant", "strategy", *columns)
    return [
        dict(zip(names, key, strict=True)) | {"opponent": "", "value": 0.9 - 0.8 * i / len(keys)}
        for i, key in enumerate(keys)
    ]


def renamed(rows, name):
    return [{name if key == "value" else key: x for key, x in row.items()} for row in rows]


def deadwood(variants, strategies):
    made = spread(
        rows_for(variants, strategies[:1], side=("nondealer", "dealer"), turn=range(8)), half=2
    )
    return made.assign(
        q50=40 - 5 * made["turn"], q10=30 - 4 * made["turn"], q90=60 - 5 * made["turn"]
    ).assign(low=lambda x: x["q50"] - 1, high=lambda x: x["q50"] + 1)


def points(variants, strategies):
    return spread(
        renamed(rows_for(variants, strategies[:1], points=range(0, 80, 10)), "share"), "share"
    ).assign(width=10)


def scores(variants, strategies):
    made = spread(
        rows_for(
            variants[:1], strategies[:1], dealer=(0, 1), a=range(0, 100, 10), b=range(0, 100, 10)
        )
    )
    return made.assign(value=lambda x: 0.5 + (x["a"] - x["b"]) / 250 + x["dealer"] / 50)


def differences(variants, strategies):
    metrics = [{"metric": f"m{i}", "title": f"points rows_for deal, sd {i}"} for i in range(7)]
    rows = [
        {
            "variant": v,
            "strategy": "gold, simple",
            "opponent": "itself",
            "base_variant": "eaai",
            **m,
            "difference": 10.0**i - 5,
        }
        for v in variants
        for i, m in enumerate(metrics)
    ]
    return spread(rows, "difference", 0.5)


def effects(variants, strategies):
    made = rows_for(variants[:1], strategies, change=("take=lower", "knock=early"))
    rows = [
        row | {"opponent": "gold", "field": f"{row['strategy']} v gold"}
        for row in renamed(made, "difference")
    ]
    return spread(rows, "difference", 0.5)


def convergence(variants, strategies):
    one = {"variant": variants[0], "strategy": strategies[0], "opponent": "simple", "value": 0.6}
    made = spread([one | {"units": 100 * i} for i in range(1, 40)])
    return made.assign(final_low=0.59, final_high=0.61)


def swings(variants, strategies):
    made = spread(rows_for(variants, strategies[:1], match=range(5), share=np.linspace(0, 1, 11)))
    return made.assign(q10=0.2, q50=0.5, q90=0.8)


def knock_matrix(variants, strategies):
    made = spread(rows_for(variants[:1], strategies[:1], k=(0, 2, 4), j=(0, 2, 4)))
    return made[made["k"] != made["j"]].assign(value=lambda x: x["j"] - x["k"])


def ladder(variants, strategies):
    rows = rows_for(variants, strategies)
    return spread([row | {"opponent": "simple"} for row in rows])


FRAMES = {
    "turns": lambda v, s: spread(renamed(rows_for(v, s[:1], turns=range(30)), "share"), "share"),
    "points": points,
    "deadwood": deadwood,
    "counts": lambda v, s: spread(rows_for(v, s[:1], turn=range(9), count=range(0, 60, 5))),
    "knock": lambda v, s: spread(
        rows_for(v, s[:1], measure=("points", "share"), k=(0, 2, 4, 6, 8, 10))
    ),
    "knock_matrix": knock_matrix,
    "scores": scores,
    "swings": swings,
    "ladder": ladder,
    "odds": lambda v, s: spread(
        renamed(rows_for(v, s, kind=("gin", "joker"), draws=range(20)), "share"), "share"
    ),
    "strength": lambda v, s: spread(rows_for(v, s, metric=("win", "match_win"))),
    "totals": lambda v, s: spread(
        renamed(rows_for(v[:1], s, total=range(0, 100, 10)), "share"), "share"
    ),
    "differences": differences,
    "effects": effects,
    "convergence": convergence,
}
SIZES = {"one": (VARIANTS[:1], STRATEGIES[:1]), "several": (VARIANTS, STRATEGIES)}
EVERY = pytest.mark.parametrize("name", FRAMES)


def drawn(name, size="several", seed=7):
    return getattr(plots, name)(FRAMES[name](*SIZES[size]), seed=seed)


def words(figure):
    return " ".join(
        text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))
    )


def plain(text):
    return re.sub(r"\s+", "", text.replace("\\$", "$"))


@EVERY
@pytest.mark.parametrize("size", SIZES)
def test_the_caption_states_what_was_played(name, size):
    frame = FRAMES[name](*SIZES[size])
    caption = plain(getattr(plots, name)(frame, seed=1234).get_supxlabel())
    assert "seed1234" in caption
    told = (
        ("variant",) if name == "knock_matrix" else ("variant", "strategy")
    )  # its players are told by their limits
    assert all(plain(text) in caption for column in told for text in set(frame[column]))
    shown = frame[-1:] if name == "convergence" else frame
    assert f"{shown['n'].max():,}" in caption and f"{shown['n'].min():,}" in caption
    assert "95%" in caption or name == "swings"


@EVERY
@pytest.mark.parametrize("size", SIZES)
def test_no_text_leaves_the_figure(name, size):
    figure = drawn(name, size)
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert width == figures.WIDTH
    assert (
        box.x0 >= -SLACK
        and box.y0 >= -SLACK
        and box.x1 <= width + SLACK
        and box.y1 <= height + SLACK
    )


@EVERY
def test_title_and_legends_do_not_overlap(name):
    figure = drawn(name)
    figure.draw_without_rendering()
    title = figure._suptitle.get_window_extent()
    for axes in figure.axes:
        for part in (axes.get_legend(), axes.title, axes._left_title):
            if part is not None and part.get_visible() and part.get_window_extent().width > 1:
                assert not title.overlaps(part.get_window_extent()), part
        legend, heading = axes.get_legend(), axes._left_title
        if legend is not None and heading.get_text():
            assert not legend.get_window_extent().overlaps(heading.get_window_extent())


def assert_no_legend_covers_data(figure):
    figure.draw_without_rendering()
    panels = [axes.patch.get_window_extent() for axes in figure.axes if axes.get_visible()]
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is not None:
            box = legend.get_window_extent()
            assert not any(box.overlaps(panel) for panel in panels)


@EVERY
@pytest.mark.parametrize("size", SIZES)
def test_no_legend_covers_data(name, size):
    assert_no_legend_covers_data(drawn(name, size))


@pytest.mark.parametrize("name", ["endings", "win_and_points"])
@pytest.mark.parametrize("matchups", [1, 2, 30])
def test_no_legend_of_matchups_covers_data_however_many_there_are(name, matchups):
    rows = []
    for k in range(matchups):
        played = {"variant": "standard", "strategy": f"gold+knock=at:k={k}", "opponent": "simple"}
        shares = {"deal_win": 0.5, "deal_loss": 0.45, "margin": 1.5}
        shares |= {"knock": 0.6, "gin": 0.2, "undercut": 0.15, "void": 0.05}
        for metric, value in shares.items():
            rows.append(played | {"metric": metric, "unit": "deal", "value": value})
    frame = spread(rows).assign(se=0.01)
    assert_no_legend_covers_data(getattr(plots, name)(frame, seed=1))


def test_the_odds_draw_other_outcomes_of_the_strongest_player_only():
    frame = FRAMES["odds"](VARIANTS[:1], STRATEGIES)
    (axes,) = plots.odds(frame, seed=1).axes
    labels = axes.get_legend_handles_labels()[1]
    assert [figures.escape(label) for label in labels].count("joker drawn") == 1
    assert len(axes.lines) == len(STRATEGIES) + 1


@EVERY
def test_equal_frames_give_equal_files(name):
    assert plots.svg(drawn(name), "a") == plots.svg(drawn(name), "a")
    assert plots.png(drawn(name, "one")) == plots.png(drawn(name, "one"))


@EVERY
def test_an_svg_has_text_shapes_and_its_own_ids(name):
    """Well-formed and without images, which a page's policy forbids.

    Every reference is within the file, and the title is text.
    """
    root = ElementTree.fromstring(plots.svg(drawn(name), "it"))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids) and all(one.startswith("it-") for one in ids)
    text = ElementTree.tostring(root, encoding="unicode")
    assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text)) <= set(ids)
    assert not any(element.tag.endswith("}image") for element in root.iter())
    assert any(
        (element.text or "").strip() for element in root.iter() if element.tag.endswith("}text")
    )


@EVERY
def test_only_the_pages_inks_are_grey(name):
    """Text, axes and grid take an ink that the page can exchange, or stand on data."""
    figure = drawn(name)
    figure.draw_without_rendering()
    from matplotlib.colors import to_hex
    from matplotlib.text import Text

    inks = {figures.INK, figures.FAINT, figures.DARKEST, figures.LIGHTEST}
    used = {
        to_hex(text.get_color())
        for text in figure.findobj(Text)
        if text.get_text().strip() and text.get_visible()
    }
    assert used <= inks, used - inks


def test_bands_and_lines_show_the_values_and_limits():
    frame = FRAMES["turns"](VARIANTS[:1], STRATEGIES[:1])
    (axes,) = plots.turns(frame, seed=1).axes
    assert axes.lines[0].get_ydata() == pytest.approx(100 * frame["share"])
    ends = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert ends.min() == pytest.approx(100 * frame["low"].min()) and ends.max() == pytest.approx(
        100 * frame["high"].max()
    )


def test_dots_and_bars_show_the_values_and_limits():
    frame = differences(("standard",), STRATEGIES)
    for axes, (_, row) in zip(
        plots.differences(frame, seed=1).axes, frame.iterrows(), strict=False
    ):
        dot = axes.containers[0]
        assert dot[0].get_xdata() == pytest.approx([row["difference"]])
        assert np.sort(dot[2][0].get_segments()[0][:, 0]) == pytest.approx(
            [row["low"], row["high"]]
        )


def test_the_effects_of_a_change_have_a_panel_and_the_best_comes_first():
    frame = effects(VARIANTS, STRATEGIES)
    frame.loc[frame["change"] == "knock=early", ["difference", "low", "high"]] += 5
    first, second, *_ = plots.effects(frame, seed=1).axes
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["knock=early", "take=lower"]
    rows = frame[frame["change"] == "knock=early"]
    dots = [container[0].get_xdata()[0] for container in first.containers]
    assert dots == pytest.approx(list(rows["difference"]))


def test_a_heat_map_labels_every_cell():
    frame = knock_matrix(VARIANTS, STRATEGIES)
    (axes,) = plots.knock_matrix(frame, seed=1).axes
    assert sorted(text.get_text() for text in axes.texts) == sorted(
        f"{x:+.1f}" for x in frame["value"]
    )


def test_hands_of_two_players_are_not_mixed():
    frame = spread(rows_for(VARIANTS[:2], STRATEGIES[:2], turn=range(4), count=range(0, 20, 5)))
    panels = plots.counts(frame, seed=1).axes
    assert len(panels) == 4
    for axes, (_, part) in zip(
        panels, frame.groupby(["variant", "strategy"], sort=False), strict=True
    ):
        assert sorted(text.get_text() for text in axes.texts) == sorted(
            f"{100 * x:.0f}" for x in part["value"]
        )


def test_the_best_knock_limit_is_the_largest_mark():
    frame = FRAMES["knock"](VARIANTS[:1], STRATEGIES[:1])
    axes = plots.knock(frame, seed=1).axes[0]
    largest = max(axes.lines, key=lambda line: line.get_markersize())
    best = frame[frame["measure"] == "points"].sort_values("value").iloc[-1]
    assert (largest.get_xdata()[0], largest.get_ydata()[0]) == (best["k"], best["value"])


@pytest.mark.parametrize("name", ["ladder", "strength", "differences"])
def test_undefined_values_are_noted_and_not_drawn(name):
    frame = FRAMES[name](*SIZES["one"])
    value = "difference" if name == "differences" else "value"
    figure = getattr(plots, name)(
        frame.assign(**{value: np.nan, "low": np.nan, "high": np.nan}), seed=1
    )
    assert plots.png(figure).startswith(b"\x89PNG")
    assert "too few to estimate" in words(figure)


def test_series_differ_in_more_than_colour():
    looks = [figures.series(i) for i in range(16)]
    assert len({(look.colour, look.marker) for look in looks}) == 16
    assert (
        len({look.marker for look in looks[:8]}) == 8
        and len({look.dash for look in looks[:8]}) == 8
    )


def test_a_long_legend_leaves_the_panels_of_differences_in_place():
    """Every heading ends within the figure."""
    frame = differences(("oklahoma", "straight", "tedesco"), STRATEGIES)
    figure = plots.differences(frame.assign(title="waiting v knocking, points"), seed=1)
    figure.draw_without_rendering()
    left, right = (axes.get_position() for axes in figure.axes[:2])
    assert 0 < right.x0 - left.x1 < 0.1
    for axes in figure.axes[:2]:
        assert axes._left_title.get_window_extent().x1 < figure.bbox.x1


def test_differences_of_strategies_have_a_dot_for_every_strategy():
    frame = differences(("standard",), STRATEGIES)
    several = pd.concat([frame.assign(strategy=name) for name in ("gold", "simple")])
    figure = plots.differences(
        several.assign(base_variant="standard", base_strategy="gold-early"), seed=1
    )
    assert figure.get_suptitle() == "Difference from gold-early"
    assert figure.axes[0].get_legend_handles_labels()[1] == ["gold", "simple"]
