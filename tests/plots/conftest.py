"""Fixtures for the tests of plots."""

import pytest

from support.sample_plots import draw_plot


@pytest.fixture(autouse=True)
def draw_real_plots(drawn_plots):
    """Draw real plots in all tests of this folder, instead of the usual empty files."""


@pytest.fixture(scope="module", autouse=True)
def clear_plot_cache():
    """Free the memory of the cached plots after the tests of a file."""
    yield
    draw_plot.cache_clear()
