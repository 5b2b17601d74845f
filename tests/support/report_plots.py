"""Draw few plots of reports, because drawing takes most of the time of a report."""

import functools
import sys

from matplotlib.figure import Figure

from simgin import plots

PLOT_FUNCTIONS = {
    name: getattr(plots, name)
    for name in plots.__all__
    if hasattr(getattr(plots, name), "__wrapped__")  # validates its DataFrame
}


def draw_each_kind_of_plot_once(monkeypatch):
    """Make reports draw only the first plot of each kind, and use empty figures for the others.

    Tests that call a plot function themselves always receive the plot.
    """
    drawn_kinds = set()
    for name, function in PLOT_FUNCTIONS.items():
        monkeypatch.setattr(plots, name, _make_function_for_reports(function, drawn_kinds))


def draw_all_plots(monkeypatch):
    """Undo `draw_each_kind_of_plot_once`."""
    for name, function in PLOT_FUNCTIONS.items():
        monkeypatch.setattr(plots, name, function)


def _make_function_for_reports(function, drawn_kinds):
    """Return a plot function that draws only the first plot of each kind for simgin's modules."""

    @functools.wraps(function)
    def draw_first_of_its_kind(*args, **options):
        if sys._getframe(1).f_globals["__name__"].startswith("simgin."):
            kind = function.__name__, *map(_describe_kind, (*args, *options.values()))
            if kind in drawn_kinds:
                return Figure()
            drawn_kinds.add(kind)
        return function(*args, **options)

    return draw_first_of_its_kind


def _describe_kind(argument):
    """Return the columns, number of rows and columns with undefined values of a DataFrame.

    Of the other arguments, only strings such as the unit have an influence on the kind of a plot.
    """
    if hasattr(argument, "columns"):
        return tuple(argument), len(argument), tuple(argument.isna().any())
    return argument if isinstance(argument, str) else None
