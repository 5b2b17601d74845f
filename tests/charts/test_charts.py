"""Tests of charts: regression, cell means, confidence intervals and summaries."""

import itertools

import numpy as np
import pandas as pd
import pytest

from simgin.charts import chart as charts
from simgin.charts.chart import SUMMARY_FUNCTIONS, Chart, ChartError, ChartRequest
from simgin.charts.chart_kinds import CHART_KINDS, N_TURN_COLUMNS
from simgin.learn import champion_weights
from simgin.play.rollouts import roll_out_deals
from simgin.report.numbers import EN_DASH
from support.command_line import run_simgin

KNOCK_REQUEST = ChartRequest.read("knock", player="gold-early", deals=4000, seed=11)
DISCARD_REQUEST = ChartRequest.read("discard", player="simple", deals=4000, seed=12)


@pytest.fixture(scope="module")
def knock_chart():
    return charts.measure_chart(KNOCK_REQUEST)


@pytest.fixture(scope="module")
def discard_chart():
    return charts.measure_chart(DISCARD_REQUEST)


def test_cell_is_the_weighted_mean_gain_of_its_decisions(knock_chart):
    rollouts = roll_out_deals(KNOCK_REQUEST.matchup, KNOCK_REQUEST.kind.propose_actions, 0, 4000, 2)
    gains: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for view, weight, (continued, knocked) in zip(
        rollouts.views, rollouts.weights, rollouts.records, strict=True
    ):
        own_turn = min(int(view["own_turn"]), N_TURN_COLUMNS)
        name = f"{N_TURN_COLUMNS}+" if own_turn == N_TURN_COLUMNS else str(own_turn)
        points = [int(deal["points_a"]) - int(deal["points_b"]) for deal in (continued, knocked)]
        cell = str(int(view["ending_count"])), name
        gains.setdefault(cell, []).append((points[1] - points[0], int(weight)))
    rows = {(row["row"], row["column"]): row for row in knock_chart.frame.to_dict("records")}
    assert set(rows) == {
        cell for cell, cell_gains in gains.items() if len(cell_gains) >= charts.MIN_DECISIONS
    }
    assert max(weight for cell_gains in gains.values() for _, weight in cell_gains) > 3
    for cell, row in rows.items():
        mean, se = compute_weighted_mean(gains[cell])
        assert row["n"] == len(gains[cell])
        assert row["value"] == pytest.approx(mean)
        assert row["se"] == pytest.approx(se)
    assert knock_chart.frame["p_holm"].between(0, 1).all()


def compute_weighted_mean(gains):
    """Return the weighted mean of gains and its standard error, with Kish's effective size."""
    total = sum(weight for _, weight in gains)
    mean = sum(weight * gain for gain, weight in gains) / total
    squares = sum((weight * (gain - mean)) ** 2 for gain, weight in gains)
    effective_size = total**2 / sum(weight**2 for _, weight in gains)
    return mean, np.sqrt(squares * effective_size / (effective_size - 1)) / total


def test_equal_weights_have_no_effect(discard_chart):
    tripled = Chart(
        DISCARD_REQUEST,
        discard_chart.action_cells,
        discard_chart.action_values,
        3 * discard_chart.decision_weights,
    )
    assert (discard_chart.decision_weights == 1).all()
    assert np.allclose(tripled.to_grid("value"), discard_chart.to_grid("value"), equal_nan=True)
    assert np.allclose(tripled.to_grid("high"), discard_chart.to_grid("high"), equal_nan=True)


def test_cells_agree_with_a_dense_weighted_regression(discard_chart):
    """Fit least squares with a column for every decision and every cell, with numpy only.

    Standard errors use the sandwich estimator: the weighted residuals of a decision
    are summed before they are squared.
    """
    n_decisions = 300  # questions
    weights = np.random.default_rng(7).integers(1, 6, n_decisions)
    small = Chart(
        DISCARD_REQUEST,
        discard_chart.action_cells[:n_decisions],
        discard_chart.action_values[:n_decisions],
        weights,
    )
    decision_counts = np.bincount(
        small.action_cells[small.action_cells >= 0], minlength=DISCARD_REQUEST.kind.n_cells
    )
    used = [
        int(cell_index)
        for cell_index in np.flatnonzero(decision_counts >= charts.MIN_DECISIONS)
        if cell_index != DISCARD_REQUEST.kind.baseline_cell
    ]
    rows, values, decision_of_row = [], [], []
    for decision, action in itertools.product(
        range(n_decisions), range(small.action_values.shape[1])
    ):
        if not np.isnan(small.action_values[decision, action]):
            cell = small.action_cells[decision, action]
            rows.append(
                [
                    *(decision == i for i in range(n_decisions)),
                    *(cell == cell_index for cell_index in used),
                ]
            )
            values.append(small.action_values[decision, action])
            decision_of_row.append(decision)
    x, y, decisions = np.array(rows, float), np.array(values), np.array(decision_of_row)
    root = np.sqrt(weights[decisions])
    coefficients = np.linalg.lstsq(root[:, None] * x, root * y, rcond=None)[0]
    grid_cells = [divmod(cell_index, len(DISCARD_REQUEST.kind.columns)) for cell_index in used]
    assert [small.to_grid("value")[grid_cell] for grid_cell in grid_cells] == pytest.approx(
        list(coefficients[n_decisions:])
    )
    score = (weights[decisions] * (y - x @ coefficients))[:, None] * x
    score_by_decision = np.array(
        [score[decisions == decision].sum(axis=0) for decision in range(n_decisions)]
    )
    bread = np.linalg.pinv(x.T @ (weights[decisions][:, None] * x))
    errors = np.sqrt(np.diag(bread @ score_by_decision.T @ score_by_decision @ bread))[n_decisions:]
    for grid_cell, cell, error in zip(grid_cells, used, errors, strict=True):
        cell_weights = np.repeat(weights, (small.action_cells == cell).sum(axis=1))
        effective_size = cell_weights.sum() ** 2 / (cell_weights**2).sum()
        expected = error * np.sqrt(effective_size / (effective_size - 1))
        assert small.to_grid("se")[grid_cell] == pytest.approx(expected)


@pytest.mark.parametrize("max_weight", [1, 8])
def test_intervals_of_cells_have_nominal_coverage(max_weight):
    """Count the intervals that cover the true gains, in 400 charts of simulated decisions.

    Decisions have weights of 1 to `max_weight`. Large weights have a larger variance.
    """
    rng = np.random.default_rng(5)
    truth = np.array([0.0, 2.0, -1.0, 0.5])
    is_covered = []
    for _ in range(400):
        cells = rng.integers(0, 4, (200, 3))
        is_baseline = cells == 3
        cells[is_baseline] = CHART_KINDS["discard"].baseline_cell
        gain = np.where(is_baseline, 0, truth[np.minimum(cells, 3)] - truth[3])
        weights = rng.integers(1, max_weight + 1, 200)
        spread = (1 + gain**2) * (1 + weights[:, None] / max_weight)
        values = gain + rng.normal(0, 5, (200, 1)) + rng.normal(0, 3, (200, 3)) * spread
        frame = Chart(DISCARD_REQUEST, cells, values, weights).frame
        assert len(frame) == 4
        low, high = frame["low"].to_numpy()[:3], frame["high"].to_numpy()[:3]
        is_covered.append((low < truth[:3] - truth[3]) & (truth[:3] - truth[3] < high))
    # 1,200 intervals of 95 %; four standard errors are 2.5 points
    assert 0.92 < np.mean(is_covered) < 0.975


def test_decisions_without_an_action_are_ignored(discard_chart):
    """Test decisions without an evaluated action, and chart rows without decisions."""
    decisions = (
        discard_chart.action_cells[:300],
        discard_chart.action_values[:300],
        discard_chart.decision_weights[:300],
    )
    empty_decisions = (
        np.full_like(decisions[0][:5], -1),
        np.full_like(decisions[1][:5], np.nan),
        decisions[2][:5],
    )
    all_decisions = map(np.concatenate, zip(decisions, empty_decisions, strict=True))
    chart, extended_chart = (
        Chart(DISCARD_REQUEST, *arrays) for arrays in (decisions, all_decisions)
    )
    pd.testing.assert_frame_equal(chart.frame, extended_chart.frame)
    partial_chart = Chart(
        DISCARD_REQUEST, np.where(decisions[0] < 13, decisions[0], -1), *decisions[1:]
    )
    assert not any("partners" in line for line in SUMMARY_FUNCTIONS["discard"](partial_chart))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "n_deals", "n_charts"), [("knock", 20_000, 60), ("discard", 3000, 200)]
)
def test_intervals_cover_the_values_of_a_million_deals(kind, n_deals, n_charts):
    def measure_cells(n_deals, seed):
        player = "gold-early"  # a player that declines knocks, so that weights differ
        frame = charts.measure_chart(
            ChartRequest.read(kind, player=player, deals=n_deals, seed=seed)
        ).frame
        return frame[frame["se"] > 0].set_index(["row", "column"])

    expected, is_covered = measure_cells(1_000_000, 99), []
    for seed in range(n_charts):
        chart_cells = measure_cells(n_deals, 1000 + seed)
        value, error = (
            expected.loc[chart_cells.index, "value"],
            expected.loc[chart_cells.index, "se"],
        )
        half_widths = np.hypot((chart_cells["high"] - chart_cells["low"]) / 2, 1.96 * error)
        is_covered += list((chart_cells["value"] - value).abs() < half_widths)
    assert len(is_covered) > 5000 and 0.94 < np.mean(is_covered) < 0.96


def make_chart(kind, values):
    """Return a chart whose cells are significant unless their value is 0."""
    import pandas as pd

    request = ChartRequest(kind, "standard", "champion", 1000, 1)
    chart_kind = CHART_KINDS[kind]
    chart = Chart(request, np.zeros((1, 2), int), np.zeros((1, 2)), np.ones(1, int))
    rows = [
        {"row": row, "column": column, "value": value, "p_holm": 0.001 if value else 1.0}
        | {"low": value - 0.5, "high": value + 0.5}
        for row, row_values in zip(chart_kind.rows, values, strict=False)
        for column, value in zip(chart_kind.columns, row_values, strict=True)
    ]
    chart.__dict__["frame"] = pd.DataFrame(rows)
    return chart


def test_knock_chart_summary_groups_deadwood_by_best_action():
    wait_row, early_row = [0, 0, 0, *[-2.0] * 9], [3.0, 3, 3, 3, 0, 0, *[-4.0] * 6]
    late_row = [0, 5.0, 5, 5, 5, 5, 0, *[-4.0] * 5]
    lines = list(
        SUMMARY_FUNCTIONS["knock"](make_chart("knock", [wait_row, wait_row, early_row, late_row]))
    )
    assert lines == [
        "With 1 to 2 points of deadwood, play for gin from your 4th turn.",
        "With 3 to 4 points of deadwood, knock from your 2nd to your 4th turn, and play for gin "
        "from your 8th turn at the latest.",
    ]
    unclear_lines = list(SUMMARY_FUNCTIONS["knock"](make_chart("knock", [[0.0] * 12])))
    unclear = "the best choice is inconclusive or depends on the turn"
    assert unclear_lines == [f"With 1 point of deadwood, {unclear}."]


def test_note_explains_dashes_only_if_the_chart_has_any(knock_chart, discard_chart):
    for chart in (knock_chart, discard_chart):
        table = charts._build_chart_table(chart)
        has_dashes = any(str(cell) == EN_DASH for row in table.rows for cell in row)
        assert ("A dash marks a cell" in table.note) == has_dashes == (chart is knock_chart)


def test_upcard_and_discard_charts_are_summarised():
    upcard_chart = make_chart("upcard", [[12.0, 15], [1.0, 2], [0, 1.0], [-1.0, -2]])
    assert list(SUMMARY_FUNCTIONS["upcard"](upcard_chart)) == [
        "Take an upcard that makes a meld or has two or more partners.",
        "Leave an upcard that has no partner.",
        "If the upcard has one partner, the better choice depends on who deals, or the "
        "result is inconclusive.",
    ]
    no_partner_row = [-2.0, -1.5, *[0.0] * 10, 0.0]
    lines = list(
        SUMMARY_FUNCTIONS["discard"](
            make_chart("discard", [no_partner_row, [-4.0] * 13, [-6.0] * 13])
        )
    )
    assert lines[:2] == [
        "Among cards without a partner, A and 2 cost significantly more to discard than a king.",
        "Discarding a card with one partner costs 4.0 to 4.0 points per deal more than discarding "
        "a king without partners. For cards with one partner, the 95 % confidence intervals are at "
        "most ± 0.5.",
    ]


def test_strategy_file_knocks_if_the_cell_is_positive(knock_chart):
    text = charts.render_chart_strategy(knock_chart, "simgin chart knock")
    namespace: dict[str, object] = {}
    exec(text[text.index("CHART") : text.index("@knock")], namespace)
    grid = knock_chart.to_grid("value")
    for turn, row in enumerate(namespace["CHART"]):
        for deadwood in range(1, len(grid) + 1):
            assert bool(row >> deadwood & 1) == bool(grid[deadwood - 1, turn] > 0)
    win_rate = charts.estimate_chart_win_rate(knock_chart, workers=2)
    assert win_rate.n == charts.WIN_RATE_MATCHES and 0.3 < win_rate.value < 0.8


def test_chart_at_a_score_reports_match_wins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(champion_weights, "MATCH_VALUE_DEALS", 50_000)
    arguments = ("chart", "knock", "--player", "simple", "--deals", "8k", "--score", "60-80")
    arguments += ("-o", "out", "--strategy", "mine.py")
    output = " ".join(run_simgin(*arguments).stdout.split())
    assert output.startswith("When should you knock?") and "% of matches" in output
    assert "A dot marks an inconclusive cell." in output
    assert "Next: simgin match simple+knock=mine.py simple -v standard --matches 20k" in output
    assert {"report.html", "summary.md", "chart_knock.csv"} <= {
        path.name for path in (tmp_path / "out").iterdir()
    }


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("knock", {"variant": "solitaire-gin"}),
        ("knock", {"variant": "standard", "score": "60"}),
        ("knock", {"variant": "standard", "score": "60-100"}),
        ("knock", {"variant": "hollywood", "score": "6-7"}),
    ],
)
def test_invalid_chart_request_is_rejected(kind, options):
    with pytest.raises(ChartError, match=r"[.]$"):
        ChartRequest.read(kind, player="simple", **options)


def test_chart_without_decisions_is_reported():
    with pytest.raises(ChartError, match="is empty, because every cell"):
        charts.measure_chart(ChartRequest.read("knock", "straight", player="simple", deals=500))


def test_chart_does_not_depend_on_the_number_of_workers():
    frame_1, frame_2 = (charts.measure_chart(KNOCK_REQUEST, workers).frame for workers in (1, 2))
    assert frame_1.equals(frame_2)
