"""Colours: one for each name on a page, apart for every eye, and seen on light and dark."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from simgin import plots
from simgin.report import figures
from support.made_pictures import frames

# What people with a kind of colour vision see of linear red, green and blue: Machado, Oliveira and
# Fernandes (2009), severity 1
VISIONS = {
    "normal": "1 0 0  0 1 0  0 0 1",
    "protanopia": "0.152286 1.052583 -0.204868  0.114503 0.786281 0.099216"
    "  -0.003882 -0.048116 1.051998",
    "deuteranopia": "0.367322 0.860646 -0.227968  0.280085 0.672501 0.047413"
    "  -0.011820 0.042940 0.968881",
    "tritanopia": "1.255528 -0.076749 -0.178779  -0.078411 0.930809 0.147602"
    "  0.004733 0.691367 0.303900",
}
TO_XYZ = "0.4124 0.3576 0.1805  0.2126 0.7152 0.0722  0.0193 0.1192 0.9505"  # of linear sRGB
WHITE = np.array([0.95047, 1, 1.08883])
PAPERS = ("#ffffff", "#16181d")  # of a light and of a dark page
APART, SEEN = 15, 2.2  # CIE 1976 colour difference; contrast of WCAG with the paper
# Pictures with a colour for each variant, on a page of these variants
OF_VARIANTS = ("turns", "points", "deadwood", "knock", "ladder", "strength", "odds")
PAGE = ("eaai", "standard", "oklahoma+knock_limit=5", r"a$b$.toml#mine")


def matrix(text):
    return np.array(text.split(), float).reshape(3, 3)


def linear(colour):
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of linear sRGB."""
    x, y, z = np.cbrt(matrix(TO_XYZ) @ np.clip(rgb, 0.01, 1) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(a, b):
    dark, light = sorted(float(matrix(TO_XYZ)[1] @ linear(colour)) for colour in (a, b))
    return (light + 0.05) / (dark + 0.05)


def distances(colours, vision):
    seen = [lab(matrix(VISIONS[vision]) @ linear(colour)) for colour in colours]
    return [np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]


@pytest.mark.parametrize("vision", VISIONS)
def test_the_hues_of_series_are_apart_for_every_eye(vision):
    hues = [look.colour for look in figures.SERIES]
    assert min(distances(hues, vision)) > APART


@pytest.mark.parametrize("paper", PAPERS)
def test_every_series_stands_out_from_the_paper(paper):
    for i in range(2 * len(figures.SERIES)):
        assert contrast(figures.series(i).colour, paper) > SEEN


def test_no_outcome_of_a_deal_has_the_colour_of_a_series():
    hues = {look.colour.lower() for look in figures.SERIES}
    assert not hues & {colour.lower() for colour in figures.KINDS.values()}


@pytest.mark.parametrize("kind", figures.KINDS)
def test_numbers_on_outcomes_can_be_read(kind):
    ink = figures.LIGHTEST if kind in figures.WHITE_TEXT else figures.DARKEST
    assert contrast(ink, figures.KINDS[kind]) > 4


def colours_of(axes):
    """Colours of lines and bars, without the inks."""
    found = {to_hex(line.get_color()) for line in axes.lines}
    inks = {figures.INK, figures.FAINT, figures.GRID}
    return {colour.upper() for colour in found - inks}


@pytest.mark.parametrize("name", OF_VARIANTS)
def test_a_variant_has_one_colour_in_every_picture_of_a_page(name):
    """That of its place among the variants of the page, also where the base has no data."""
    (frame,) = frames(name, "several")
    figure = getattr(plots, name)(frame, seed=1, among=PAGE)
    expected = {figures.series(i).colour.upper() for i in (1, 2, 3)}
    found = [colours_of(axes) for axes in figure.axes]
    assert set.union(*found) == expected
    assert figures.series(1).colour.upper() in found[0]
