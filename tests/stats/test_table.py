"""Tests of metrics, of tidy rows that are computed from units, and of CSV files."""

import json

import numpy as np
import pandas as pd
import pytest

from simgin.core import batch_columns
from simgin.stats import metrics, table
from simgin.stats.estimate import Estimate
from support import toy_deals as toy

RNG = np.random.default_rng(7)
STATISTICS_BY_UNIT = {
    "deal": toy.draw_statistics(RNG, 3000, win_probability=0.6),
    "match": toy.draw_statistics(RNG, 400, win_probability=0.6, is_match=True),
}


def make_tidy_frame(unit="deal", a="gold", b="simple"):
    return toy.make_tidy_rows("standard", a, b, unit, toy.make_batch_row(STATISTICS_BY_UNIT[unit]))


def select_row(tidy, metric, strategy="gold"):
    return tidy[(tidy["metric"] == metric) & (tidy["strategy"] == strategy)].iloc[0]


def test_tidy_table_has_the_declared_columns_and_order():
    tidy = make_tidy_frame("match")
    assert tuple(tidy.columns) == table.TABLE_COLUMNS
    two_player_metrics = [metric for metric in metrics.METRICS if 2 in metric.player_counts] * 2
    assert list(tidy["metric"]) == [metric.name for metric in two_player_metrics]
    assert list(tidy["unit"]) == [metric.unit for metric in two_player_metrics]
    assert list(tidy["strategy"]) == ["gold"] * (len(two_player_metrics) // 2) + ["simple"] * (
        len(two_player_metrics) // 2
    )
    self_play = make_tidy_frame(a="gold", b="gold")  # self-play has one side; deals have no matches
    assert set(self_play["opponent"]) == {"gold"} and set(self_play["unit"]) == {"deal"}
    assert len(self_play) == len(metrics.select_metrics("deal"))
    (key, rows), *others = table.iterate_matchups(tidy)
    assert key == ("standard", "gold", "simple") and others == []
    assert rows["deal_win"]["value"] == select_row(tidy, "deal_win")["value"]


@pytest.mark.parametrize("unit", ["deal", "match"])
@pytest.mark.parametrize("metric", metrics.METRICS, ids=lambda metric: metric.name)
def test_metrics_agree_with_the_delta_method_over_units(unit, metric):
    """Recompute every metric from the results of single units, for both players."""
    if metric.unit == "match" and unit == "deal":
        return
    is_solo = 2 not in metric.player_counts
    facts, tidy = STATISTICS_BY_UNIT[unit], make_tidy_frame(unit, b="" if is_solo else "simple")
    sides = [("gold", metric.numerator_a), ("simple", metric.numerator_b)]
    for strategy, fact in sides[:1] if is_solo else sides:
        sign = -1 if metric.is_zero_sum and strategy == "simple" else 1
        n = sign * toy.get_statistic(facts, fact).astype(float) / metric.scale
        d = toy.get_statistic(
            facts,
            batch_columns.STATISTIC_NAMES[
                batch_columns.DENOMINATOR_INDICES[batch_columns.STATISTIC_INDEX[fact]]
            ],
        ).astype(float)
        row = select_row(tidy, metric.name, strategy)
        if not d.any():
            assert np.isnan(row[["value", "se", "low", "high"]].astype(float)).all()
            continue
        residual = n - n.sum() / d.sum() * d
        assert row["value"] == pytest.approx(n.sum() / d.sum(), rel=1e-12)
        se = np.sqrt(len(n) / (len(n) - 1) * (residual**2).sum()) / d.sum()
        assert row["se"] == pytest.approx(se, rel=1e-9, abs=1e-12)
        assert row["low"] <= row["value"] <= row["high"]


def test_sample_size_counts_both_halves():
    assert set(make_tidy_frame("deal")["n"]) == {6000}
    tidy = make_tidy_frame("match")
    assert set(tidy.loc[tidy["unit"] == "match", "n"]) == {800}
    assert set(tidy.loc[tidy["unit"] == "deal", "n"]) == {
        toy.get_statistic(STATISTICS_BY_UNIT["match"], "deals").sum()
    }


def test_csv_values_have_at_most_ten_digits():
    text = table.format_csv(make_tidy_frame())
    lines = text.split("\n")
    assert "\r" not in text
    assert lines[0] == "variant,strategy,opponent,unit,metric,value,se,low,high,n"
    assert "standard,gold,simple,deal,points_shot,,,,,6000" in lines
    digits = [number.lstrip("-0.").replace(".", "") for number in lines[1].split(",")[5:9]]
    assert all(len(number_digits) <= 10 for number_digits in digits)
    assert text.endswith("\n")
    assert '"gold-early:k=4,j=2"' in table.format_csv(make_tidy_frame(a="gold-early:k=4,j=2"))
    rows = json.loads(json.dumps(table.to_records(make_tidy_frame()), allow_nan=False))
    shot = next(row for row in rows if row["metric"] == "points_shot")
    assert (shot["value"], shot["n"]) == (None, 6000)
    assert rows[0]["value"] == float(lines[1].split(",")[5])


def test_row_dicts_contain_python_objects():
    """Compare with pandas' own conversion, including the types of all values."""
    frame = pd.DataFrame(
        {
            "text": ["a", None, "b"],
            "number": [0.5, np.nan, -2.0],
            "count": [1, 2, 3],
            "is_best": [True, False, True],
            "mixed": np.array([np.int64(4), None, "c"], object),
        }
    )
    rows, expected = table.to_row_dicts(frame), frame.to_dict("records")
    assert repr(rows) == repr(expected)
    assert [[*map(type, row.values())] for row in rows] == [
        [*map(type, row.values())] for row in expected
    ]
    assert table.to_row_dicts(frame[:0]) == []


def test_frame_has_the_declared_columns_of_its_output():
    names = {"variant": "eaai", "strategy": "gold", "opponent": "simple", "metric": "match_win"}
    row = {**names, "p": 0.5, **table.make_estimate_columns(Estimate(0.25, 0.01, 9, 0.2, 0.3), 9)}
    built_frame = table.build_output_frame("effects", [row])
    assert table.format_csv(built_frame).splitlines() == [
        "variant,strategy,opponent,unit,metric,value,se,low,high,n,p",
        "eaai,gold,simple,match,match_win,0.25,0.01,0.2,0.3,9,0.5",
    ]
    (record,) = table.to_records(built_frame)
    assert list(record)[:10] == [*table.TABLE_COLUMNS] and record["value"] == 0.25
    assert tuple(table.build_output_frame("effects", [])) == table.list_output_columns("effects")
    assert list(table.build_output_frame("rounds", [{"gain": 1, "round": 2}])) == ["round", "gain"]
    with pytest.raises(ValueError, match=r"effects has unknown columns: size"):
        table.build_output_frame("effects", [row | {"size": 1}])


def test_declared_columns_and_meanings_agree():
    schema = table.read_schema()
    used = {name for output in schema["outputs"] for name in table.list_output_columns(output)}
    assert used == set(schema["columns"])
    for output, entry in schema["outputs"].items():
        assert set(entry.get("meanings", {})) <= set(table.list_output_columns(output))
        assert len(set(table.list_output_columns(output))) == len(table.list_output_columns(output))


def test_stacked_estimates_have_one_row_each():
    rows = pd.DataFrame({"place": [1, 2], "strategy": ["a", "b"], "n": [5, 6]})
    for name, first in {"elo": 10, "margin": 0.5}.items():
        for offset, suffix in enumerate(("", "_se", "_low", "_high")):
            rows[name + suffix] = [first + offset, 2 * first + offset]
    stacked_frame = table.build_output_frame(
        "league", table.stack_estimates(rows, ("elo", "margin"))
    )
    assert table.format_csv(stacked_frame).splitlines()[1:] == [
        ",a,,,elo,10,11,12,13,5,1",
        ",a,,deal,margin,0.5,1.5,2.5,3.5,5,1",
        ",b,,,elo,20,21,22,23,6,2",
        ",b,,deal,margin,1,2,3,4,6,2",
    ]


def test_zero_is_formatted_without_a_minus_sign():
    facts = np.zeros((100, batch_columns.N_STATISTICS), np.int64)
    facts[:, batch_columns.STATISTIC_INDEX["deals"]] = 2
    assert "-0" not in table.format_csv(
        toy.make_tidy_rows("standard", "gold", "simple", "deal", toy.make_batch_row(facts))
    )


@pytest.mark.parametrize("metric", metrics.METRICS, ids=lambda metric: metric.name)
def test_metric_is_recorded_for_both_players(metric):
    assert ("(0 to 1)" in metric.meaning) == metric.is_proportion == ("per " not in metric.meaning)
    swapped = {"a_": "b_", "b_": "a_"}.get(
        metric.numerator_a[:2], metric.numerator_a[:2]
    ) + metric.numerator_a[2:]
    assert metric.numerator_b == (metric.numerator_a if metric.is_zero_sum else swapped)
    assert metric.numerator_a in batch_columns.STATISTIC_INDEX
    assert metric.numerator_b in batch_columns.STATISTIC_INDEX
    indices = [
        batch_columns.DENOMINATOR_INDICES[batch_columns.STATISTIC_INDEX[name]]
        for name in (metric.numerator_a, metric.numerator_b)
    ]
    denominator_a, denominator_b = (batch_columns.STATISTIC_NAMES[name] for name in indices)
    assert denominator_a.removeprefix("a_") == denominator_b.removeprefix("b_") or {
        denominator_a,
        denominator_b,
    } == {"deals"}
