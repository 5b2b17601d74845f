"""The plan printed before a run: the steps beside its cells, and how long they take."""

from pathlib import Path

import pytest

from simgin.cli import plan_table
from simgin.play.matchup import parse_matchup
from simgin.runs.block import Task
from simgin.runs.plan import Plan
from simgin.runs.steps import Step

MATCHUP = parse_matchup("gold", "gold", "standard", 1, "deal")


@pytest.fixture(autouse=True)
def instant(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit takes 20 ms on either of two processors."""
    monkeypatch.setattr(plan_table, "unit_seconds", lambda matchup: 0.02)
    monkeypatch.setattr(plan_table, "usable_cpus", lambda: 2)
    monkeypatch.setattr(plan_table.kernel, "prepare", lambda matchup: None)


def announced(plan: Plan, capsys: pytest.CaptureFixture[str]) -> str:
    rows = plan_table.rows(plan, Path("nowhere"), 2, record_deals=False)
    plan_table.announce(plan, rows, Path("nowhere"))
    return " ".join(capsys.readouterr().out.split())


def test_steps_are_announced_with_their_time(capsys: pytest.CaptureFixture[str]) -> None:
    step = Step("luck standard", MATCHUP, 1000, 3.0, lambda *_: {})
    text = announced(Plan("review", (Task(MATCHUP, 1000),), steps=(step, step)), capsys)
    # 2 steps of 1,000 units at three times 20 ms on two processors
    assert "2 passes over more deals follow, about 60 s." in text


def test_a_plan_without_steps_does_not_speak_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert "passes" not in announced(Plan("run", (Task(MATCHUP, 1000),)), capsys)
