"""Tests of charts: a slow reference of the regression, means of differences, and coverage."""

import itertools

import numpy as np
import pandas as pd
import pytest

from simgin.charts import chart as charts
from simgin.charts.chart import SUMMARY_FUNCTIONS, Chart, ChartError, ChartRequest
from simgin.charts.chart_kinds import CHART_KINDS, N_TURNS
from simgin.learn import champion_weights
from simgin.play.rollouts import roll_out_deals
from support.command_line import call

KNOCK_REQUEST = ChartRequest.read("knock", player="gold-early", deals=4000, seed=11)
DISCARD_REQUEST = ChartRequest.read("discard", player="simple", deals=4000, seed=12)


@pytest.fixture(scope="module")
def knock_chart():
    return charts.measure_chart(KNOCK_REQUEST)


@pytest.fixture(scope="module")
def discard_chart():
    return charts.measure_chart(DISCARD_REQUEST)


def test_a_cell_with_two_actions_is_the_weighted_mean_difference_of_its_decisions(knock_chart):
    found = roll_out_deals(KNOCK_REQUEST.matchup, KNOCK_REQUEST.kind.propose_actions, 0, 4000, 2)
    gains: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for view, weight, (on, now) in zip(found.views, found.weights, found.records, strict=True):
        own_turn = min(int(view["own_turn"]), N_TURNS)
        name = f"{N_TURNS}+" if own_turn == N_TURNS else str(own_turn)
        points = [int(deal["points_a"]) - int(deal["points_b"]) for deal in (on, now)]
        cell = str(int(view["ending_count"])), name
        gains.setdefault(cell, []).append((points[1] - points[0], int(weight)))
    rows = {(row["row"], row["column"]): row for row in knock_chart.frame.to_dict("records")}
    assert set(rows) == {cell for cell, of in gains.items() if len(of) >= charts.MIN_DECISIONS}
    assert max(weight for of in gains.values() for _, weight in of) > 3
    for cell, row in rows.items():
        mean, se = weighted_mean(gains[cell])
        assert row["n"] == len(gains[cell])
        assert row["value"] == pytest.approx(mean)
        assert row["se"] == pytest.approx(se)
    assert knock_chart.frame["p_holm"].between(0, 1).all()


def weighted_mean(gains):
    """Return the mean of (gain, weight) and its standard error, with Kish's effective number."""
    total = sum(weight for _, weight in gains)
    mean = sum(weight * gain for gain, weight in gains) / total
    squares = sum((weight * (gain - mean)) ** 2 for gain, weight in gains)
    effective = total**2 / sum(weight**2 for _, weight in gains)
    return mean, np.sqrt(squares * effective / (effective - 1)) / total


def test_equal_weights_have_no_effect(discard_chart):
    thrice = Chart(
        DISCARD_REQUEST, discard_chart.cells, discard_chart.values, 3 * discard_chart.weights
    )
    assert (discard_chart.weights == 1).all()
    assert np.allclose(thrice.to_grid("value"), discard_chart.to_grid("value"), equal_nan=True)
    assert np.allclose(thrice.to_grid("high"), discard_chart.to_grid("high"), equal_nan=True)


def test_cells_are_a_weighted_regression_with_an_effect_of_every_decision(discard_chart):
    """Fit least squares with a column for every decision and every cell, with numpy only.

    Standard errors use the sandwich estimator: the weighted residuals of a decision
    are summed before they are squared.
    """
    few = 300  # questions
    weights = np.random.default_rng(7).integers(1, 6, few)
    small = Chart(DISCARD_REQUEST, discard_chart.cells[:few], discard_chart.values[:few], weights)
    met = np.bincount(small.cells[small.cells >= 0], minlength=DISCARD_REQUEST.kind.n_cells)
    used = [
        int(c)
        for c in np.flatnonzero(met >= charts.MIN_DECISIONS)
        if c != DISCARD_REQUEST.kind.baseline
    ]
    rows, worth, of = [], [], []
    for q, k in itertools.product(range(few), range(small.values.shape[1])):
        if not np.isnan(small.values[q, k]):
            cell = small.cells[q, k]
            rows.append([*(q == i for i in range(few)), *(cell == c for c in used)])
            worth.append(small.values[q, k])
            of.append(q)
    x, y, question = np.array(rows, float), np.array(worth), np.array(of)
    root = np.sqrt(weights[question])
    coefficients = np.linalg.lstsq(root[:, None] * x, root * y, rcond=None)[0]
    places = [divmod(c, len(DISCARD_REQUEST.kind.columns)) for c in used]
    assert [small.to_grid("value")[place] for place in places] == pytest.approx(
        list(coefficients[few:])
    )
    score = (weights[question] * (y - x @ coefficients))[:, None] * x
    by_question = np.array([score[question == q].sum(axis=0) for q in range(few)])
    bread = np.linalg.pinv(x.T @ (weights[question][:, None] * x))
    errors = np.sqrt(np.diag(bread @ by_question.T @ by_question @ bread))[few:]
    for place, cell, error in zip(places, used, errors, strict=True):
        own = np.repeat(weights, (small.cells == cell).sum(axis=1))
        effective = own.sum() ** 2 / (own**2).sum()
        corrected = error * np.sqrt(effective / (effective - 1))
        assert small.to_grid("se")[place] == pytest.approx(corrected)


@pytest.mark.parametrize("most", [1, 8])
def test_intervals_of_cells_have_nominal_coverage(most):
    """Check 400 charts of 200 decisions with three actions and known gains.

    Decisions have weights of 1 to `most`; large weights have a larger variance.
    """
    rng = np.random.default_rng(5)
    truth = np.array([0.0, 2.0, -1.0, 0.5])
    inside = []
    for _ in range(400):
        cells = rng.integers(0, 4, (200, 3))
        base = cells == 3
        cells[base] = CHART_KINDS["discard"].baseline
        gain = np.where(base, 0, truth[np.minimum(cells, 3)] - truth[3])
        weights = rng.integers(1, most + 1, 200)
        spread = (1 + gain**2) * (1 + weights[:, None] / most)
        worth = gain + rng.normal(0, 5, (200, 1)) + rng.normal(0, 3, (200, 3)) * spread
        frame = Chart(DISCARD_REQUEST, cells, worth, weights).frame
        assert len(frame) == 4
        low, high = frame["low"].to_numpy()[:3], frame["high"].to_numpy()[:3]
        inside.append((low < truth[:3] - truth[3]) & (truth[:3] - truth[3] < high))
    # 1,200 intervals of 95 %; four standard errors are 2.5 points
    assert 0.92 < np.mean(inside) < 0.975


def test_rows_and_decisions_without_an_action_are_omitted(discard_chart):
    """Ignore a decision without a tried action, and a row without decisions."""
    few = discard_chart.cells[:300], discard_chart.values[:300], discard_chart.weights[:300]
    none = np.full_like(few[0][:5], -1), np.full_like(few[1][:5], np.nan), few[2][:5]
    both = map(np.concatenate, zip(few, none, strict=True))
    small, more = (Chart(DISCARD_REQUEST, *of) for of in (few, both))
    pd.testing.assert_frame_equal(small.frame, more.frame)
    met = Chart(DISCARD_REQUEST, np.where(few[0] < 13, few[0], -1), *few[1:])
    assert not any("partners" in line for line in SUMMARY_FUNCTIONS["discard"](met))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "deals", "charts_of"), [("knock", 20_000, 60), ("discard", 3000, 200)]
)
def test_intervals_of_played_cells_cover_the_values_of_a_million_deals(kind, deals, charts_of):
    def cells(deals, seed):
        player = "gold-early"  # a player that declines knocks, so that weights differ
        frame = charts.measure_chart(
            ChartRequest.read(kind, player=player, deals=deals, seed=seed)
        ).frame
        return frame[frame["se"] > 0].set_index(["row", "column"])

    true, inside = cells(1_000_000, 99), []
    for seed in range(charts_of):
        own = cells(deals, 1000 + seed)
        value, error = true.loc[own.index, "value"], true.loc[own.index, "se"]
        half = np.hypot((own["high"] - own["low"]) / 2, 1.96 * error)
        inside += list((own["value"] - value).abs() < half)
    assert len(inside) > 5000 and 0.94 < np.mean(inside) < 0.96


def make_chart(kind, values):
    """Return a chart whose cells are significant unless their value is 0."""
    import pandas as pd

    request = ChartRequest(kind, "standard", "champion", 1000, 1)
    shape = CHART_KINDS[kind]
    chart = Chart(request, np.zeros((1, 2), int), np.zeros((1, 2)), np.ones(1, int))
    rows = [
        {"row": row, "column": column, "value": v, "p_holm": 0.001 if v else 1.0}
        | {"low": v - 0.5, "high": v + 0.5}
        for row, of in zip(shape.rows, values, strict=False)
        for column, v in zip(shape.columns, of, strict=True)
    ]
    chart.__dict__["frame"] = pd.DataFrame(rows)
    return chart


def test_the_summary_of_a_knock_chart_holds_in_every_cell_that_it_names():
    wait, early = [0, 0, 0, *[-2.0] * 9], [3.0, 3, 3, 3, 0, 0, *[-4.0] * 6]
    later = [0, 5.0, 5, 5, 5, 5, 0, *[-4.0] * 5]
    lines = list(SUMMARY_FUNCTIONS["knock"](make_chart("knock", [wait, wait, early, later])))
    assert lines == [
        "With 1 to 2 points of deadwood, play for gin from your 4th turn.",
        "With 3 to 4 points of deadwood, knock from your 2nd to your 4th turn, and play for gin "
        "from your 8th turn at the latest.",
    ]
    alone = list(SUMMARY_FUNCTIONS["knock"](make_chart("knock", [[0.0] * 12])))
    unclear = "the best choice is inconclusive or depends on the turn"
    assert alone == [f"With 1 point of deadwood, {unclear}."]


def test_summaries_of_upcard_and_discard_charts():
    upcard = make_chart("upcard", [[12.0, 15], [1.0, 2], [0, 1.0], [-1.0, -2]])
    assert list(SUMMARY_FUNCTIONS["upcard"](upcard)) == [
        "Take an upcard that makes a meld or has two or more partners.",
        "Leave an upcard that has no partner.",
        "If the upcard has one partner, the better choice depends on who deals, or the "
        "result is inconclusive.",
    ]
    lone = [-2.0, -1.5, *[0.0] * 10, 0.0]
    lines = list(
        SUMMARY_FUNCTIONS["discard"](make_chart("discard", [lone, [-4.0] * 13, [-6.0] * 13]))
    )
    assert lines[:2] == [
        "Among cards without a partner, A and 2 cost significantly more to discard than a king.",
        "Discarding a card with one partner costs 4.0 to 4.0 points per deal more than discarding "
        "a king without partners. For cards with one partner, the 95 % confidence intervals are at "
        "most ± 0.5.",
    ]


def test_the_written_strategy_knocks_by_the_sign_of_each_cell(knock_chart):
    text = charts.render_chart_strategy(knock_chart, "simgin chart knock")
    names: dict[str, object] = {}
    exec(text[text.index("CHART") : text.index("@knock")], names)
    grid = knock_chart.to_grid("value")
    for turn, row in enumerate(names["CHART"]):
        for deadwood in range(1, len(grid) + 1):
            assert bool(row >> deadwood & 1) == bool(grid[deadwood - 1, turn] > 0)
    paid = charts.estimate_chart_win_rate(knock_chart, workers=2)
    assert paid.n == charts.TEST_MATCHES and 0.3 < paid.value < 0.8


def test_a_chart_at_a_score_counts_matches_and_writes_a_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(champion_weights, "MATCH_VALUE_DEALS", 50_000)
    words = ("chart", "knock", "--player", "simple", "--deals", "8k", "--score", "60-80")
    shown = " ".join(call(*words, "-o", "out").stdout.split())
    assert shown.startswith("When should you knock?") and "% of matches" in shown
    assert {"report.html", "summary.md", "chart_knock.csv"} <= {
        path.name for path in (tmp_path / "out").iterdir()
    }


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("knock", {"variant": "solitaire-gin"}),
        ("knock", {"variant": "standard", "score": "60"}),
        ("knock", {"variant": "standard", "score": "60-100"}),
        ("knock", {"variant": "hollywood", "score": "6-7"}),
    ],
)
def test_a_chart_that_cannot_be_measured_is_reported(kind, more):
    with pytest.raises(ChartError, match=r"[.]$"):
        ChartRequest.read(kind, player="simple", **more)


def test_a_decision_that_never_occurs_is_reported():
    with pytest.raises(ChartError, match="is empty, because every cell"):
        charts.measure_chart(ChartRequest.read("knock", "straight", player="simple", deals=500))


def test_the_same_seed_gives_the_same_chart_on_any_number_of_workers():
    one, two = (charts.measure_chart(KNOCK_REQUEST, workers).frame for workers in (1, 2))
    assert one.equals(two)
