"""A batch that stands out is played again and must repeat; workers are named only on request."""

import numpy as np
import pytest

from simgin.core import sums
from simgin.findings import health
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.runs import invariants, ledger
from simgin.runs.ledger import pack
from simgin.runs.stopping import End

BATCHES = 6


@pytest.fixture(scope="module")
def game():
    matchup = parse_matchup("gold", "simple", "eaai", 3, "deal")
    return matchup, kernel.play(matchup, 0, BATCHES * matchup.batch)


def found(game, rows):
    one, _ = game
    with ledger.opened(None, {}) as run_ledger:
        run_ledger.add(0, 0, [one.batch] * 3, pack(rows[:3]), "thread 1")
        run_ledger.add(0, 3, [one.batch] * 3, pack(rows[3:]), "thread 2")
        return health.check_health([one], [End(BATCHES * one.batch)], run_ledger)


def test_a_sound_run_is_described_by_two_chi_squares(game, monkeypatch):
    (told,) = found(game, game[1])
    assert told["metric"] == "deal_win" and "played_again" not in told
    assert told["batches"]["df"] == BATCHES - 1 and told["workers"]["df"] == 1
    assert told["workers"]["names"] == ["thread 1", "thread 2"]
    said = health.describe_health([told], "batches", "workers")
    assert said.startswith("Homogeneity of who wins (chi-square): over batches p = ")
    assert "over workers p = " in said
    alone = health.describe_health([told], "batches")
    assert "workers" not in alone, "a page must not depend on who played"
    other, none = ({**told, "batches": {**told["batches"], "p": p}} for p in (0.0123, None))
    said = health.describe_health([told, other], "batches")
    assert "(the smallest of 2, chi-square): over batches p = 0.012." in said
    assert health.describe_health([none], "batches") == ""
    monkeypatch.setattr(health, "SUSPICIOUS", 2.0)
    (told,) = found(game, game[1])
    assert 0 <= told["played_again"] < BATCHES
    said = health.describe_health([told], "batches")
    assert "Of 1 the batch that stands out was played again: it is the same." in said


def test_a_batch_that_does_not_repeat_is_an_error(game):
    rows = np.array(game[1])
    rows[4, sums.SUM + sums.FACT["a_deal_win"]] += 400
    with pytest.raises(
        invariants.IdentityError,
        match=r"gold v simple \(eaai\): batch 4 in the ledger is not what it is",
    ):
        found(game, rows)
