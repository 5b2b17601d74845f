"""Settings for the tests of plots."""

import pytest

from support.sample_plots import draw_plot


@pytest.fixture(autouse=True)
def real_files(drawn_plots):
    """Draw the files of plots."""


@pytest.fixture(scope="module", autouse=True)
def forget_plots():
    """Free the plots that the tests of a file share."""
    yield
    draw_plot.cache_clear()
