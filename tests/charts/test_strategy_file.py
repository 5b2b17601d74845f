"""Tests that hostile names in the strategy file of a chart are not executed."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simgin.charts import chart as charts
from simgin.charts.chart import Chart, ChartRequest
from simgin.strategy import loader

CHART_REQUEST = ChartRequest.read("knock", player="simple", deals=1000, seed=1)
HOSTILE_NAMES = [
    'a"""+__import__("pathlib").Path("it-ran").touch()+"""',
    '"""\nimport pathlib\npathlib.Path("it-ran").touch()\n"""',
    'a\\"""+__import__("pathlib").Path("it-ran").touch()+"""',
    "\\",
    '"',
    "'\"\\",
    "\\N",
    "a\nb\t\x00\x1b",
    "é 🂡 \u202e",
    "{{ 7 * 7 }} {% raw %}",
]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_hostile_names_are_not_executed(empty_directory, name):
    command = f"simgin chart knock -o {name}"
    request = replace(CHART_REQUEST, strategy=f"simple+knock={name}.py")
    chart = Chart(request, np.zeros((60, 2), int), np.tile([0.0, 1.0], (60, 1)), np.ones(60, int))
    code = charts.render_chart_strategy(chart, command)
    docstring = ast.get_docstring(ast.parse(code), clean=False)
    assert docstring.startswith(f"Knock policy from a chart: {command}\n")
    assert f"\nSource: {request.strategy} against itself, 1,000 deals" in docstring
    assert code.encode().startswith(charts.STRATEGY_FILE_MARKER)
    Path("by_chart.py").write_text(code)
    assert loader.find_strategy("by_chart.py").name == "knock-chart"
    assert not Path("it-ran").exists()
