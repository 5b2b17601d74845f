"""Plot settings, which a matplotlib style can change.

If an rcParam has matplotlib's default value, simgin uses its own setting. All other rcParams apply
to plots, no matter whether they are set by `matplotlib.pyplot.style.context`, a matplotlibrc file
or `--style`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from simgin.text.files import read_text
from simgin.text.messages import SimginError, format_error_message, format_value, suggest_spelling

DEFAULT_STYLE_NAME = "default"  # name of simgin's style and of matplotlib's default style
STYLE_FILE_EXTENSION = ".mplstyle"
MAX_STYLE_BYTES = 1 << 20  # maximum size of a style file, in bytes
SMALL_FONT_SIZE, NORMAL_FONT_SIZE = 7.5, 8.5  # points
TEXT_COLOUR, MUTED_COLOUR, GRID_COLOUR, BACKGROUND_COLOUR = (
    "#222222",
    "#666666",
    "#dddddd",
    "#ffffff",
)
# Colours that a style must replace together, so that text contrasts with its background. HTML
# reports replace these colours with the colours of the light or dark scheme.
COLOUR_SCHEME = {
    "text.color": TEXT_COLOUR,
    "axes.labelcolor": TEXT_COLOUR,
    "axes.titlecolor": TEXT_COLOUR,
    "xtick.labelcolor": TEXT_COLOUR,
    "ytick.labelcolor": TEXT_COLOUR,
    "legend.labelcolor": TEXT_COLOUR,
    "xtick.color": MUTED_COLOUR,
    "ytick.color": MUTED_COLOUR,
    "axes.edgecolor": MUTED_COLOUR,
    "grid.color": GRID_COLOUR,
    "axes.facecolor": BACKGROUND_COLOUR,
    "figure.facecolor": BACKGROUND_COLOUR,
}
# Only the width of the figure is used. On a phone in portrait orientation (1.18 pixels per point),
# text is displayed at 90 % of its nominal size.
SIMGIN_STYLE: dict[str, Any] = {
    **COLOUR_SCHEME,
    "figure.figsize": (4.2, 2.6),
    "figure.dpi": 200,
    "figure.titlesize": 11,
    "figure.titleweight": "bold",
    "figure.labelsize": SMALL_FONT_SIZE,
    "font.size": NORMAL_FONT_SIZE,
    "axes.titlesize": NORMAL_FONT_SIZE,
    "axes.labelsize": NORMAL_FONT_SIZE,
    "xtick.labelsize": NORMAL_FONT_SIZE,
    "ytick.labelsize": NORMAL_FONT_SIZE,
    "legend.fontsize": NORMAL_FONT_SIZE,
    "legend.frameon": False,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "errorbar.capsize": 2.5,
}
# rcParams in the style of the option --style. They replace simgin's settings even if they are equal
# to matplotlib's defaults.
_active_style_settings: set[str] = set()


def list_styles() -> list[str]:
    """Return the names of simgin's default style and of matplotlib's styles."""
    from matplotlib import style

    return [DEFAULT_STYLE_NAME, *style.available]


@contextlib.contextmanager
def use_style(name: str) -> Iterator[None]:
    """Return a context manager that applies a style to all plots.

    Args:
        name: Name of a matplotlib style, path of a style file, or "default" for simgin's style.

    Raises:
        SimginError: If the style is unknown or the style file is not valid.
    """
    from matplotlib import style

    settings = {} if name == DEFAULT_STYLE_NAME else _read_style(name)
    with style.context(settings or DEFAULT_STYLE_NAME):
        _active_style_settings.update(settings)
        try:
            yield
        finally:
            _active_style_settings.clear()


def _read_style(name: str) -> dict[str, Any]:
    """Return the rcParams of a matplotlib style or of a style file."""
    from matplotlib import rc_params_from_file, style

    if name in style.library:
        return cast("dict[str, Any]", style.library[name])
    if not name.endswith(STYLE_FILE_EXTENSION):
        suggestion = suggest_spelling(name, list_styles())
        hint = (
            ". Use a matplotlib style, such as ggplot, or a file that ends in "
            f"{STYLE_FILE_EXTENSION}."
        )
        raise SimginError(
            f"{format_value(name)} is not a plot style{hint if suggestion == '.' else suggestion}"
        )
    try:
        _check_style_keys(name, read_text(Path(name), MAX_STYLE_BYTES))
        params = rc_params_from_file(name, fail_on_error=True, use_default_template=False)
    except SimginError:
        raise
    except OSError as error:
        raise SimginError(f"{name} cannot be read ({error.strerror}). Use another file.") from None
    except UnicodeDecodeError:
        raise SimginError(f"{name} is not UTF-8 text. Save it as UTF-8.") from None
    except ValueError as error:
        reason = format_error_message(error)
        raise SimginError(f"{name} is not a valid style ({reason}). Correct the file.") from None
    return cast("dict[str, Any]", params)


def _check_style_keys(name: str, text: str) -> None:
    """Raise SimginError if a line of a style file does not begin with an rcParam."""
    from matplotlib import rcParams

    for line in text.splitlines():
        key = line.partition("#")[0].partition(":")[0].strip()
        if key and key not in rcParams:
            suggestion = suggest_spelling(key, rcParams)
            hint = ". Correct the line." if suggestion == "." else suggestion
            raise SimginError(f"{name}: {format_value(key)} is not a matplotlib setting{hint}")


def disable_tex() -> contextlib.AbstractContextManager[None]:
    """Disable LaTeX within a `with` block, because LaTeX cannot typeset % and _ in plots."""
    from matplotlib import rc_context

    return rc_context({"text.usetex": False})


def get_rc_param(name: str) -> Any:
    """Return the current value of a matplotlib rcParam."""
    from matplotlib import rcParams

    return cast("dict[str, Any]", rcParams)[name]


def is_rc_param_changed(name: str) -> bool:
    """Return True if the user's style overrides simgin's value of an rcParam."""
    from matplotlib import rcParamsDefault

    default = cast("dict[str, Any]", rcParamsDefault)[name]
    return name in _active_style_settings or get_rc_param(name) != default


def is_colour_scheme_changed() -> bool:
    """Return True if the user's style overrides the colours of text, axes or background."""
    return any(map(is_rc_param_changed, COLOUR_SCHEME))


def get_setting(name: str) -> Any:
    """Return an rcParam from the user's style or, if it is not set, from simgin's style."""
    if is_colour_scheme_changed() if name in COLOUR_SCHEME else is_rc_param_changed(name):
        return get_rc_param(name)
    return SIMGIN_STYLE[name]


def get_colour_setting(name: str, fallback: str) -> Any:
    """Return the colour that an rcParam sets, or the colour that `fallback` sets."""
    colour = get_setting(name)
    return get_setting(fallback) if colour in ("auto", "inherit") else colour


def get_muted_colour() -> Any:
    """Return the colour of captions and reference lines, which is the colour of the ticks."""
    return get_setting("xtick.color")


def scale_font(points: float) -> float:
    """Scale a font size by the ratio of the user's base font size to simgin's."""
    return points * float(get_setting("font.size") / SIMGIN_STYLE["font.size"])


def resolve_font_size(param_name: str, points: float | None = None) -> float:
    """Return the font size in points that an rcParam sets.

    Args:
        param_name: Name of the rcParam, such as "axes.labelsize".
        points: Size of the text in simgin's style, if it differs from the size in `SIMGIN_STYLE`.
    """
    from matplotlib.font_manager import font_scalings

    size = get_setting(param_name)
    if not is_rc_param_changed(param_name):
        return scale_font(points or size)
    return float(font_scalings[size] * get_setting("font.size") if isinstance(size, str) else size)


def count_fitting_characters(default_characters: int, param_name: str) -> int:
    """Return the number of characters that fit on a line with the user's font size.

    Args:
        default_characters: Number of characters that fit on a line in simgin's style.
        param_name: rcParam that sets the font size of the line.
    """
    width = get_setting("figure.figsize")[0] / SIMGIN_STYLE["figure.figsize"][0]
    return int(default_characters * width / compute_text_scale(param_name))


def compute_text_scale(param_name: str) -> float:
    """Return the ratio of the font size that an rcParam sets to that in simgin's style."""
    return resolve_font_size(param_name) / float(SIMGIN_STYLE[param_name])


def scale_line_width(points: float) -> float:
    """Scale a line width by the ratio of the user's line width to simgin's."""
    return points * float(get_setting("lines.linewidth") / SIMGIN_STYLE["lines.linewidth"])


def scale_marker_size(points: float) -> float:
    """Scale a marker size by the ratio of the user's marker size to simgin's."""
    return points * float(get_setting("lines.markersize") / SIMGIN_STYLE["lines.markersize"])
