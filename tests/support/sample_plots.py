"""Make test data for every plot, with one, several, many or undefined entries."""

import functools
import itertools

import numpy as np
import pandas as pd

from simgin import plots
from simgin.report import figures

VARIANTS = ("standard", "oklahoma+knock_limit=5", r"a$b$.toml#mine")
STRATEGIES = (
    "gold",
    "solo-lookahead+knock=stop-by",
    "strategies_of_mine/very_long_directory_name/mine.py#second",
)


def draw_plots_of_reports(monkeypatch):
    """Make reports save their plots, which are otherwise empty files in tests."""
    monkeypatch.setattr(figures, "png", plots.png)
    monkeypatch.setattr(figures, "svg", plots.svg)


def add_bounds(rows, value_column="value", half_width=0.02):
    """Return a DataFrame of rows with confidence bounds and sample sizes."""
    frame = pd.DataFrame(rows)
    n = np.arange(len(frame)) + 12_000
    return frame.assign(
        low=frame[value_column] - half_width, high=frame[value_column] + half_width, n=n
    )


def make_rows(variants, strategies, **columns):
    """Return a row with a value for every combination of variant, strategy and columns."""
    keys = list(itertools.product(variants, strategies, *columns.values()))
    names = ("variant", "strategy", *columns)
    return [
        dict(zip(names, key, strict=True)) | {"opponent": "", "value": 0.9 - 0.8 * i / len(keys)}
        for i, key in enumerate(keys)
    ]


def make_score_frame(variants, strategies):
    tens = range(0, 100, 10)
    frame = add_bounds(make_rows(variants[:1], strategies[:1], dealer=(0, 1), a=tens, b=tens))
    value = 0.5 + (frame["a"] - frame["b"]) / 250 + frame["dealer"] / 50
    return frame.assign(opponent=frame["strategy"], value=value)


FOREST_PLOT_METRICS = ("match_win", "deal_win", "gin", "undercut", "void", "margin", "turns")


def make_difference_frame(variants, strategies):
    names = {"strategy": "gold, simple", "opponent": "itself", "base_variant": "eaai"}
    rows = []
    for variant, (i, metric) in itertools.product(variants, enumerate(FOREST_PLOT_METRICS)):
        rows.append({"variant": variant, **names, "metric": metric, "value": 10.0**i - 5})
    frame = add_bounds(rows, "value", 0.5).assign(base_strategy="gold, simple")
    return frame.assign(p_holm=(frame["value"].abs() < 6).astype(float))


def make_effect_frame(variants, strategies):
    frame = make_rows(variants[:1], strategies, change=("take=lower", "knock=early"))
    rows = add_bounds(frame, "value", 0.5)
    return rows.assign(opponent="gold", field=rows["strategy"] + " v gold")


def make_search_history_frame(variants, strategies):
    """Return the search history of three parameters of a strategy."""
    names = {"variant": variants[0], "strategy": strategies[0], "opponent": "simple"}
    names |= {"metric": "margin", "value_low": 4.0, "default": 5.0}
    rows = []
    parameters = ("k", "discard.a_long_name_of_a_number", "share")
    for n, parameter in itertools.product(range(12), parameters):
        values = {"gain": 0.3 * n - 0.2, "value": 5.0 + n, "value_high": 8.0 + n}
        rows.append(names | {"generations": n, "parameter": parameter} | values)
    return add_bounds(rows, "gain", 0.4)


def make_analysis_frame(variants, strategies):
    """Return the costs of six actions in a position, the worst of which was chosen."""
    names = {"variant": variants[0], "strategy": strategies[0], "opponent": "simple"}
    actions = ("discard KS", "knock (discard 9D)", "discard TD", "discard AC", "big gin", "take 7H")
    rows = [
        names | {"action": action, "cost": 0.7 * i, "by": "match", "best": i < 2, "done": i == 5}
        for i, action in enumerate(actions)
    ]
    frame = add_bounds(rows, "cost", 0.9)
    return frame.assign(worlds=frame["n"])


def make_player_type_frame(variants, **columns):
    """Return a value for every variant, player type and combination of columns."""
    kinds = ("knocks immediately", "knocks early, then plays for gin", "strong")
    frame = make_rows(variants, ("gold",), players=kinds, **columns)
    return add_bounds([row | {"opponent": "gold"} for row in frame])


def make_score_gap_frame(variants, _):
    places = [20 * i for i in range(5)]
    frame = add_bounds(make_rows(variants, ("gold",), own=places, other=places))
    value = (frame["other"] - frame["own"]) / 1000
    return frame.assign(value=value, low=value - 0.01, high=value + 0.01, opponent="gold")


def make_sweep_curve_frame(_, strategies):
    """Return the values of two scorecard rows by one swept parameter."""
    frame = make_rows(("standard",), strategies[:1], title=("Turns", "Gin, %"), x=range(5))
    rows = [row | {"opponent": "gold", "value": 100 * row["value"]} for row in frame]
    names = {"x_name": "undercut bonus", "is_base": False, "factor": 1}
    return add_bounds(rows, half_width=2).assign(**names)


def make_sweep_map_frame(_, strategies):
    frame = make_rows(("standard",), strategies[:1], x=range(0, 25, 5), y=range(0, 50, 10))
    rows = [row | {"opponent": "gold", "value": 100 * row["value"]} for row in frame]
    names = {"title": "Turns per match", "x_name": "gin bonus", "y_name": "undercut bonus"}
    return add_bounds(rows, half_width=2).assign(**names, factor=1, even=np.nan)


def make_decision_chart_frame(_, strategies):
    cells = {"row": tuple("12345"), "column": ("1", "2", "3", "12+")}
    frame = add_bounds(make_rows(("standard",), strategies[:1], metric=("knock_gain",), **cells))
    return frame.assign(unit="deal", p_holm=[0.01, 1.0] * (len(frame) // 2))


FRAME_BUILDERS = {
    "decision_chart": make_decision_chart_frame,
    "effects_by_player_type": lambda v, _: make_player_type_frame(
        v, title=("Turns: change", "Gin: change, points")
    ).assign(factor=100),
    "endings_by_player_type": lambda v, _: make_player_type_frame(
        v, metric=("gin", "knock", "undercut", "void")
    ).assign(value=0.25, low=0.24, high=0.26),
    "match_length": lambda v, s: add_bounds(make_rows(v, s[:1], turns=range(0, 200, 10))).assign(
        width=10, median=85.0
    ),
    "knocks_by_turn": lambda v, s: add_bounds(
        make_rows(v, s[:1], turn=range(1, 12), deadwood=range(11))
    ),
    "score_difference": make_score_gap_frame,
    "sweep_curves": make_sweep_curve_frame,
    "sweep_map": make_sweep_map_frame,
    "analysis": make_analysis_frame,
    "win_by_deadwood": lambda v, s: add_bounds(
        make_rows(v, s[:1], turn=range(20), count=range(0, 60, 5))
    ),
    "knock_thresholds": lambda v, s: add_bounds(
        make_rows(v, s[:1], measure=("points", "share"), k=range(0, 12, 2))
    ),
    "win_by_score": make_score_frame,
    "gin_by_draw": lambda v, s: add_bounds(make_rows(v, s, kind=("gin", "joker"), draws=range(20))),
    "skill": lambda v, s: add_bounds(make_rows(v, (*s[:2], "hindsight"))),
    "match_totals": lambda v, s: add_bounds(make_rows(v[:1], s, total=range(0, 100, 10))),
    "forest_plot": make_difference_frame,
    "gains_by_field": make_effect_frame,
    "search_history": make_search_history_frame,
}
# Variants and strategies for plots with one, several and many entries
ENTRIES_BY_SIZE = {
    "one": (VARIANTS[:1], STRATEGIES[:1]),
    "several": (VARIANTS, STRATEGIES),
    "many": (
        tuple(f"standard+undercut_bonus={10 * i}" for i in range(6)),
        tuple(f"gold-early+knock=at:k={i}" for i in range(12)),
    ),
}
VALUE_COLUMNS = ("value", "cost", "gain", "elo", "lead")


def make_matchup_frame(variants, strategies):
    """Return the results of every strategy against simple. Many strategies play one variant."""
    if len(strategies) > 3:
        variants = variants[:1]
    values = {"deal_win": 0.5, "deal_loss": 0.45, "margin": -1.5, "match_win": 0.55}
    values |= {"knock": 0.6, "gin": 0.2, "undercut": 0.15, "void": 0.05}
    values |= {"won_knock": 0.3, "won_gin": 0.15, "won_undercut": 0.05}
    values |= {"lost_knock": 0.3, "lost_gin": 0.05, "lost_undercut": 0.1}
    rows = []
    for variant, strategy in itertools.product(variants, strategies):
        names = {"variant": variant, "strategy": strategy, "opponent": "simple"}
        for metric, value in values.items():
            unit = "match" if metric == "match_win" else "deal"
            rows.append(names | {"metric": metric, "unit": unit, "value": value})
    return add_bounds(rows).assign(se=0.01)


def make_standings_frame(variants, strategies):
    """Return the ratings of a league of at least two strategies, best first."""
    names = [*strategies, "random"]
    rows = []
    for i, name in enumerate(names):
        row = {"variant": variants[0], "strategy": name, "n": 4000, "place": i + 1}
        rows.append(row | {"elo": 900.0 - 60 * i, "lead": 378.0 if i == 1 else 3.0})
    frame = pd.DataFrame(rows)
    for column in ("elo", "lead"):
        frame[f"{column}_low"] = frame[column] - 12
        frame[f"{column}_high"] = frame[column] + 12
    return frame


def make_cross_table_frame(variants, strategies):
    """Return the win rates of all pairs in the league of `make_standings_frame`."""
    names = [*strategies, "random"]
    rows = []
    for (i, a), (j, b) in itertools.permutations(enumerate(names), 2):
        share = 0.5 + (j - i) / (2 * len(names))
        rows.append({"variant": variants[0], "strategy": a, "opponent": b, "value": share})
    return add_bounds(rows)


# Data for the plots that show several DataFrames
FRAME_LIST_BUILDERS = {
    "endings": lambda v, s: [make_matchup_frame(v, s)],
    "win_and_points": lambda v, s: [make_matchup_frame(v, s)],
    "elo_ratings": lambda v, s: [make_standings_frame(v, s)],
    "cross_table": lambda v, s: [make_standings_frame(v, s), make_cross_table_frame(v, s)],
}
PLOT_OPTIONS = {"elo_ratings": {"unit": "match"}, "cross_table": {"unit": "match"}}
PLOT_NAMES = (*FRAME_BUILDERS, *FRAME_LIST_BUILDERS)


def add_undefined_row(frame):
    """Return a copy of the frame whose last row has no values."""
    known = frame.copy()
    numbers = _find_value_columns(frame)
    known[numbers] = known[numbers].astype(float)
    known.loc[known.index[-1], numbers] = np.nan
    return known


def make_frames(plot_name, size="several"):
    """Return the DataFrames of a plot with one, several or many entries."""
    if plot_name in FRAME_LIST_BUILDERS:
        return FRAME_LIST_BUILDERS[plot_name](*ENTRIES_BY_SIZE[size])
    return [FRAME_BUILDERS[plot_name](*ENTRIES_BY_SIZE[size])]


def make_values_undefined(frame):
    """Return a copy of the frame in which every value is undefined."""
    known = frame.copy()
    known[_find_value_columns(frame)] = np.nan
    return known.assign(p_holm=1.0) if "p_holm" in frame else known


def make_insignificant(frame):
    """Return a copy of the frame in which every difference is 0 and not significant."""
    known = frame.copy()
    for name in _find_value_columns(frame):
        known[name] = float(name.endswith("high")) - float(name.endswith("low"))
    return known.assign(p_holm=1.0) if "p_holm" in frame else known


def select_first_row(frame):
    """Return only the first row of the frame."""
    return frame.iloc[:1]


def make_undefined_first_row(frame):
    return make_values_undefined(select_first_row(frame))


def _find_value_columns(frame):
    return [name for name in frame if name in VALUE_COLUMNS or name.endswith(("low", "high"))]


@functools.cache
def draw_plot(plot_name, size="several", change_frame=None):
    """Return a plot of test data, which `change_frame` can modify."""
    changed = [
        change_frame(frame) if change_frame else frame for frame in make_frames(plot_name, size)
    ]
    return getattr(plots, plot_name)(*changed, seed=7, **PLOT_OPTIONS.get(plot_name, {}))
