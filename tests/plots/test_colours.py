"""Tests of plot colours: one per name in a report, with enough contrast."""

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from simgin import plots
from simgin.report import figures
from support.sample_plots import make_frames

LUMINANCE_WEIGHTS = np.array([0.2126, 0.7152, 0.0722])  # of linear sRGB
BACKGROUNDS = ("#ffffff", "#16181d")  # of a light and a dark page
MIN_CONTRAST = 2.2  # WCAG contrast with the background
# Plots with a colour per variant, in a report on these variants
VARIANT_PLOTS = ("knock_thresholds", "effects_by_player_type")
REPORT_VARIANTS = ("eaai", "standard", "oklahoma+knock_limit=5", r"a$b$.toml#mine")


def to_linear_rgb(colour):
    """Convert a colour to linear sRGB."""
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def compute_contrast(colour_a, colour_b):
    """Return the WCAG contrast of two colours."""
    dark, light = sorted(
        float(LUMINANCE_WEIGHTS @ to_linear_rgb(colour)) for colour in (colour_a, colour_b)
    )
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_series_colours_have_enough_contrast(background):
    for i in range(2 * len(figures.SERIES_STYLES)):
        assert compute_contrast(figures.get_series_style(i).colour, background) > MIN_CONTRAST


def test_endings_and_series_have_different_colours():
    series_colours = {series_style.colour.lower() for series_style in figures.SERIES_STYLES}
    assert not series_colours & {colour.lower() for colour in figures.ENDING_COLOURS.values()}


@pytest.mark.parametrize("ending", figures.ENDING_COLOURS)
def test_numbers_on_endings_have_enough_contrast(ending):
    text_colour = (
        figures.LIGHTEST_COLOUR
        if ending in figures.ENDINGS_WITH_LIGHT_TEXT
        else figures.DARKEST_COLOUR
    )
    assert compute_contrast(text_colour, figures.ENDING_COLOURS[ending]) > 4


def find_data_colours(axes):
    """Return the colours of the lines that show data, but not of grid or reference lines."""
    colours = {to_hex(line.get_color()) for line in axes.lines}
    text_colours = {figures.TEXT_COLOUR, figures.MUTED_COLOUR, figures.GRID_COLOUR}
    return {colour.upper() for colour in colours - text_colours}


@pytest.mark.parametrize("name", VARIANT_PLOTS)
def test_variant_has_one_colour_in_every_plot_of_a_report(name):
    """Expect the colour that belongs to the variant's position in the report."""
    (frame,) = make_frames(name, "several")
    figure = getattr(plots, name)(frame, seed=1, order=REPORT_VARIANTS)
    expected = {figures.get_series_style(i).colour.upper() for i in (1, 2, 3)}
    colours_by_panel = [find_data_colours(axes) for axes in figure.axes]
    assert set.union(*colours_by_panel) == expected
    assert figures.get_series_style(1).colour.upper() in colours_by_panel[0]
