"""Tests that no text in a plot is cut off, too small, or on other text or data.

Text can be on data only in the colours for numbers in cells and bars.
"""

import pytest

from simgin import plots
from simgin.report import figures
from support.plot_layout import find_layout_errors
from support.sample_plots import PLOT_NAMES, add_undefined_row, draw_plot
from support.slow_cases import mark_slow_except

parametrize_plots = pytest.mark.parametrize("name", PLOT_NAMES)
# Plots whose layout another plot shares, and plots with many panels
SLOW_UNDEFINED_PLOTS = """endings_by_player_type gains_by_field knocks_by_turn match_totals
score_difference win_by_deadwood""".split()
# tests/plots/test_style.py tests the plots of one entry in a narrower style.
parametrize_sizes = pytest.mark.parametrize(
    "size", [pytest.param("one", marks=pytest.mark.slow), "many"]
)


def test_every_plot_has_sample_data():
    """Fail if a plot has no sample data in tests/support/sample_plots.py."""
    assert set(PLOT_NAMES) == set(plots.__all__) - {"png", "svg"}


@parametrize_plots
@parametrize_sizes
def test_plot_elements_do_not_overlap(name, size):
    figure = draw_plot(name, size)
    assert figure.get_figwidth() == figures.SIMGIN_STYLE["figure.figsize"][0]
    assert find_layout_errors(figure) == []


@pytest.mark.parametrize(
    "name",
    mark_slow_except([name for name in PLOT_NAMES if name not in SLOW_UNDEFINED_PLOTS], PLOT_NAMES),
)
def test_panels_with_undefined_values_do_not_overlap(name):
    assert find_layout_errors(draw_plot(name, "several", change_frame=add_undefined_row)) == []
