"""Tests of colours: one per name in a report, visible on light and dark pages."""

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from simgin import plots
from simgin.report import figures
from support.sample_plots import frames

LUMINANCE = np.array([0.2126, 0.7152, 0.0722])  # of linear sRGB
BACKGROUNDS = ("#ffffff", "#16181d")  # of a light and a dark page
MIN_CONTRAST = 2.2  # WCAG contrast with the background
# Plots with a colour per variant, in a report on these variants
VARIANT_PLOTS = ("knock_thresholds", "effects_by_player_type")
PAGE = ("eaai", "standard", "oklahoma+knock_limit=5", r"a$b$.toml#mine")


def to_linear_rgb(colour):
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    dark, light = sorted(float(LUMINANCE @ to_linear_rgb(colour)) for colour in (a, b))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("paper", BACKGROUNDS)
def test_every_series_stands_out_from_the_paper(paper):
    for i in range(2 * len(figures.SERIES_STYLES)):
        assert contrast(figures.get_series_style(i).colour, paper) > MIN_CONTRAST


def test_no_outcome_of_a_deal_has_the_colour_of_a_series():
    hues = {look.colour.lower() for look in figures.SERIES_STYLES}
    assert not hues & {colour.lower() for colour in figures.ENDING_COLOURS.values()}


@pytest.mark.parametrize("kind", figures.ENDING_COLOURS)
def test_numbers_on_outcomes_can_be_read(kind):
    ink = figures.LIGHTEST if kind in figures.LIGHT_TEXT_ENDINGS else figures.DARKEST
    assert contrast(ink, figures.ENDING_COLOURS[kind]) > 4


def colours_of(axes):
    """Return the colours of lines and bars, without the text colours."""
    found = {to_hex(line.get_color()) for line in axes.lines}
    inks = {figures.TEXT_COLOUR, figures.MUTED_COLOUR, figures.GRID_COLOUR}
    return {colour.upper() for colour in found - inks}


@pytest.mark.parametrize("name", VARIANT_PLOTS)
def test_a_variant_has_one_colour_in_every_plot_of_a_page(name):
    """Each variant has the colour of its position in the report, even without baseline data."""
    (frame,) = frames(name, "several")
    figure = getattr(plots, name)(frame, seed=1, order=PAGE)
    expected = {figures.get_series_style(i).colour.upper() for i in (1, 2, 3)}
    found = [colours_of(axes) for axes in figure.axes]
    assert set.union(*found) == expected
    assert figures.get_series_style(1).colour.upper() in found[0]
