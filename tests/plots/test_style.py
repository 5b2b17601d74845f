"""Tests that plots follow the user's matplotlib style, and that simgin's style is the default."""

import re

import matplotlib
import pytest
from cycler import cycler
from matplotlib import rc_context, style
from matplotlib.colors import same_color, to_hex

from simgin import plots
from simgin.report import figures
from simgin.report.figures.style import use_style
from simgin.report.html_report import _inline_svg
from simgin.report.report import Plot
from simgin.text.messages import SimginError
from support.plot_layout import find_layout_errors
from support.sample_plots import PLOT_NAMES, draw_plot

PAPER_STYLE = {
    "figure.figsize": (3.3, 2.5),
    "figure.dpi": 300,
    "font.family": "serif",
    "font.size": 8.0,
    "axes.prop_cycle": cycler(color=["black", "tab:red"]),
}
LARGE_STYLE = {"font.size": 12.0, "figure.figsize": (6.0, 4.0)}


def draw_uncached(name, size="several"):
    """Draw a plot without the cache that tests share."""
    return draw_plot.__wrapped__(name, size)


@pytest.mark.parametrize("name", PLOT_NAMES)
@pytest.mark.parametrize(
    "user_style",
    [
        pytest.param(PAPER_STYLE, id="paper"),
        pytest.param(LARGE_STYLE, id="large", marks=pytest.mark.slow),
    ],
)
def test_plot_elements_do_not_overlap_in_a_user_style(name, user_style):
    before = matplotlib.rcParams.copy()
    with style.context(user_style):
        errors = find_layout_errors(draw_uncached(name, "one"))
    assert [error for error in errors if "phone" not in error] == []
    changed = {name for name in before if matplotlib.rcParams[name] != before[name]}
    assert changed <= {"backend"}


@pytest.mark.parametrize("name", ["forest_plot", "win_and_points", "win_by_score"])
def test_user_style_sets_width_fonts_and_resolution(name):
    with style.context(PAPER_STYLE):
        figure = draw_uncached(name)
        data = plots.png(figure)
    assert figure.get_figwidth() == 3.3 and figure.dpi == 300
    assert figure._supxlabel.get_fontsize() == pytest.approx(7.5 * 8 / 8.5)
    assert {family for text in figure.texts for family in text.get_fontfamily()} == {"serif"}
    labels = figure.axes[0].get_xticklabels()
    assert all(label.get_fontfamily() == ["serif"] for label in labels)
    assert int.from_bytes(data[16:20], "big") == 990  # pixels across


def test_series_use_the_colours_of_the_cycle_and_then_grey():
    with style.context(PAPER_STYLE):
        styles = [figures.get_series_style(i) for i in range(3)]
    assert [series_style.colour for series_style in styles] == ["black", "tab:red", figures.GREY]
    assert [series_style.marker for series_style in styles] == [
        series_style.marker for series_style in figures.SERIES_STYLES[:3]
    ]
    with style.context({"axes.prop_cycle": cycler(marker=["x"], linestyle=["-."])}):
        assert figures.get_series_style(0) == (figures.BLUE, "x", "-.")


def test_matplotlib_setting_replaces_only_the_same_setting():
    with rc_context({"axes.labelsize": 14, "lines.linewidth": 3.2, "axes.spines.left": False}):
        figure = draw_uncached("gin_by_draw")
    axes = figure.axes[0]
    assert axes.yaxis.label.get_fontsize() == 14
    assert axes.get_yticklabels()[0].get_fontsize() == figures.NORMAL_FONT_SIZE
    assert axes.lines[0].get_linewidth() == 3.2 and not axes.spines["left"].get_visible()
    assert to_hex(figure.get_facecolor()) == figures.BACKGROUND_COLOUR


def test_user_style_replaces_text_and_background_colours_together():
    with style.context("dark_background"):
        figure = draw_uncached("forest_plot")
        assert figures.is_colour_scheme_changed()
    axes = figure.axes[0]
    texts = [*figure.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]
    assert {to_hex(text.get_color()) for text in texts} == {"#ffffff"}
    assert same_color(figure.get_facecolor(), "black") and same_color(axes.get_facecolor(), "black")


@pytest.mark.parametrize(
    ("user_style", "is_replaced"), [("default", True), ("dark_background", False)]
)
def test_html_reports_replace_only_the_colours_of_the_default_style(user_style, is_replaced):
    with style.context(user_style):
        svg = _inline_svg(Plot("it", "Title", "Alt", draw_uncached("forest_plot")))
    assert ("var(--ink)" in svg) is is_replaced and ("var(--paper)" in svg) is is_replaced


def test_default_style_ignores_the_user_style():
    expected = plots.png(draw_uncached("endings"))
    with style.context("ggplot"):
        assert plots.png(draw_uncached("endings")) != expected
        with use_style("default"):
            assert plots.png(draw_uncached("endings")) == expected


def test_style_file_can_set_matplotlib_defaults(tmp_path):
    """Use `font.size: 10`, which is matplotlib's default, but not simgin's."""
    file = tmp_path / "paper.mplstyle"
    file.write_text("# for a paper\nfont.size: 10\naxes.grid: False  # no lines\n\n")
    with use_style(str(file)):
        figure = draw_uncached("gin_by_draw")
        assert figure._supxlabel.get_fontsize() == pytest.approx(7.5 * 10 / 8.5)
        assert not any(line.get_visible() for line in figure.axes[0].get_xgridlines())
    assert figures.get_setting("font.size") == figures.NORMAL_FONT_SIZE


def test_text_is_drawn_without_latex():
    with rc_context({"text.usetex": True}):
        assert not any(text.get_usetex() for text in draw_uncached("endings").texts)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("font.sizze: 8", r"'font.sizze' is not a matplotlib setting. Did you mean 'font.size'\?"),
        ("no colon", "'no colon' is not a matplotlib setting. Correct the line."),
        ("axes.grid: maybe", "is not a valid style (.*maybe.*). Correct the file."),
        (b"\xff", "is not UTF-8 text. Save it as UTF-8."),
        (None, "cannot be read (No such file or directory). Use another file."),
    ],
)
def test_invalid_style_file_is_rejected(content, message, tmp_path):
    file = tmp_path / "paper.mplstyle"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    pattern = re.escape(f"{file}") + ".*" + message.replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(SimginError, match=pattern), use_style(str(file)):
        pass


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gplot", r"'gplot' is not a plot style. Did you mean 'ggplot'\?"),
        ("nature", "Use a matplotlib style, such as ggplot, or a file that ends in .mplstyle."),
    ],
)
def test_unknown_style_is_rejected(name, message):
    with pytest.raises(SimginError, match=message), use_style(name):
        pass
