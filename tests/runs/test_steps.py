"""Steps: played once, kept whole, and played again only where the ledger lacks them."""

import numpy as np
import pytest

from simgin.play.matchup import parse_matchup
from simgin.runs import steps
from simgin.runs.ledger import FILE, LedgerError, opened, pack, reading
from simgin.runs.steps import Step

RESULT = {"share": np.array([0.1, np.nan]), "variant": np.array(["oklahoma", "straight"])}


class Played:
    """Steps that say when they were played, and are interrupted if told so."""

    def __init__(self, interrupted=""):
        self.names, self.interrupted = [], interrupted

    def step(self, name, n=1000):
        def play(workers, progress):
            if name == self.interrupted:
                raise KeyboardInterrupt
            self.names.append(name)
            if progress:
                progress(1, 2)
            return RESULT

        return Step(name, parse_matchup("gold", "gold", "standard", 1, "deal"), n, 1.0, play)


@pytest.fixture
def path(tmp_path):
    return tmp_path / FILE


def is_result(ledger, name, n):
    arrays = ledger.step(name, n)
    return list(arrays) == list(RESULT) and all(
        arrays[key].tobytes() == RESULT[key].tobytes() for key in RESULT
    )


def test_only_what_is_missing_is_played_again(path):
    played = Played(interrupted="value")
    asked = [played.step(name) for name in ("luck", "value", "turns")]
    with opened(path, {}) as ledger:
        # An empty ledger would be begun anew
        ledger.add(0, 0, [1], pack(np.zeros((1, 3), np.int64)), "me")
        with pytest.raises(KeyboardInterrupt):
            steps.play(asked, ledger)
    played.interrupted = ""
    with opened(path, {}) as ledger:
        assert [step.name for step in steps.missing(asked, ledger)] == ["value", "turns"]
        steps.play(asked, ledger)
        assert steps.missing(asked, ledger) == []
    assert played.names == ["luck", "value", "turns"]


def test_a_result_comes_back_bit_by_bit_for_its_size_alone(path):
    played = Played()
    with opened(path, {}) as ledger:
        steps.play([played.step("luck", 1000)], ledger)
        steps.play([played.step("luck", 2000)], ledger)
        assert played.names == ["luck", "luck"]
    with reading(path) as ledger:
        assert is_result(ledger, "luck", 2000)
        lacks = r"lacks a step of its run, or it is damaged \(luck\); run it again to play it"
        with pytest.raises(LedgerError, match=lacks):
            ledger.step("luck", 1000)


def test_progress_is_that_of_all_steps():
    played, reports = Played(), []
    with opened(None, {}) as ledger:
        asked = [played.step("luck"), played.step("value")]
        steps.play(asked, ledger, progress=lambda done, units: reports.append(done / units))
    assert reports == [0.0, 0.25, 0.5, 0.75, 1.0]
