"""A request of odds says how far it is, within a player too."""

import pytest

from simgin.odds import request
from simgin.value import array_cache, outcomes


@pytest.mark.parametrize(
    "variant",
    [
        "standard",
        "shot+points_target=8",  # outcomes by score
        "solitaire-gin",
    ],
)
def test_progress_goes_on_within_a_player(variant, tmp_path, monkeypatch):
    monkeypatch.setattr(array_cache, "directory", lambda: tmp_path)
    monkeypatch.setattr(outcomes, "CALL_UNITS", 1000)
    wanted = request.read_request([variant], ["gold", "gold-early"], deals=20_000, seed=7)
    reports = []
    request.measure(wanted, progress=lambda done, units: reports.append((done, units)))
    assert reports == sorted(reports)
    (all_of_it,) = {units for _, units in reports}
    done = [100 * done / all_of_it for done, _ in reports]
    assert done[-1] == 100
    within_the_first = [share for share in done if 0 < share < 50]
    assert len(within_the_first) >= 3
