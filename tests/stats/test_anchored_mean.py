"""Means set right by a control: what they are exactly, and how often their intervals hold."""

import numpy as np
import pytest

from simgin.stats.control_variates import anchored_mean
from simgin.stats.estimate import Estimate


def test_values_on_a_line_are_known_exactly():
    control = np.array([1.0, 2.0, 4.0, 7.0])
    found = anchored_mean(3 + 2 * control, control, Estimate(10.0, 0.0))
    assert found.value == pytest.approx(23)
    assert found.se == pytest.approx(0, abs=1e-9)


def test_the_error_of_the_known_mean_counts():
    control = np.array([1.0, 2.0, 4.0, 7.0])
    found = anchored_mean(3 + 2 * control, control, Estimate(10.0, 0.5))
    assert found.se == pytest.approx(1.0)


def test_without_a_control_it_is_the_plain_mean():
    values = np.arange(200.0)
    found = anchored_mean(values, np.zeros(200), Estimate(0.0, 0.0))
    assert found.value == pytest.approx(99.5)
    assert found.se == pytest.approx(values.std(ddof=2) / np.sqrt(200))


def test_sums_have_the_sums_of_the_means():
    lots = np.random.default_rng(1)
    one, other, control = lots.normal(size=(3, 60))
    known = Estimate(0.3, 0.1)
    parts = [anchored_mean(values, control, known).value for values in (one, other)]
    assert anchored_mean(one + other, control, known).value == pytest.approx(sum(parts))


def test_intervals_hold_and_are_narrower_than_plain_ones():
    lots = np.random.default_rng(7)
    held, narrower = 0, 0
    for _ in range(2000):
        control = lots.exponential(5, 60)
        values = 0.8 * control + lots.exponential(2, 60)
        known = Estimate(5 + lots.normal(0, 0.2), 0.2)
        found = anchored_mean(values, control, known)
        held += found.low <= 0.8 * 5 + 2 <= found.high
        narrower += found.se < values.std(ddof=1) / np.sqrt(60)
    assert 0.92 < held / 2000 < 0.97
    assert narrower / 2000 > 0.99
