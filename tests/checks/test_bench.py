"""Tests of the benchmark: sampled hands, consistent measurements and comparisons."""

import json
import os
import sys

import numpy as np
import pytest

from simgin.checks import bench
from simgin.checks.bench import BenchError, SpeedChange, compare_speeds, list_uncompared_tasks
from simgin.core.state import create_state
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import loader
from simgin.text.files import NewFileError, check_writable
from support.command_line import run_simgin


def test_dealt_hands_are_those_of_traced_deals():
    hands_by_size = {size: np.zeros(200, np.int64) for size in (10, 11)}
    for size, hands in hands_by_size.items():
        bench._fill_dealt_hands(create_state(bench.SEED), size, hands)
        assert {int(hand).bit_count() for hand in hands} == {size}
    gold = loader.find_strategy("gold")
    matchup = Matchup(variants.find_variant("standard"), gold, gold, bench.SEED, "deal")
    for unit in range(3):
        pack = trace_deal(matchup, unit).state.pack
        assert hands_by_size[10][unit] == sum(1 << int(card) for card in pack[:10])


def test_hands_in_play_improve_from_turn_to_turn():
    rules = build_rules(variants.find_variant("standard"))
    hands = np.zeros(100 * bench.HANDS_PER_DECK, np.int64)
    bench._fill_hands_in_play(create_state(bench.SEED), rules, hands)
    assert {int(hand).bit_count() for hand in hands} == {11}
    hands_by_deck = hands.reshape(100, bench.HANDS_PER_DECK)
    first, last = (bench._sum_best_deadwood(hands_by_deck[:, turn], rules, 1) for turn in (0, -1))
    assert last < first / 2


def test_calibration_kernel_contains_no_vector_instructions():
    """Vector instructions are faster on some machines, so ratios would not be comparable."""
    kernel = bench._compile_kernel(bench._run_calibration)
    kernel(2)
    (code,) = kernel.inspect_llvm().values()
    assert "mul" in code and " x i64>" not in code and " x i32>" not in code


def test_printed_measurements_are_consistent(monkeypatch):
    """Measure few strategies, because compiling all built-in strategies takes a minute."""
    monkeypatch.setattr(bench, "list_two_player_strategies", lambda: ["gold"])
    monkeypatch.setattr(bench, "BENCH_MATCHUPS", bench.BENCH_MATCHUPS[1:2])
    monkeypatch.setattr(bench, "N_TRACED_DEALS", 5)
    monkeypatch.setattr(bench, "compile_c_program", lambda: None)
    measured = bench.measure_speeds(0.01, [1, 2])
    monkeypatch.setattr(bench, "measure_speeds", lambda *_: measured)
    arguments = ["bench", "--seconds", "0.01"]
    printed = run_simgin(*arguments)
    assert "56.58064 (deadwood, dealt hands)" in " ".join(printed.stdout.split())
    assert all(len(line) <= 80 for line in printed.stdout.splitlines())
    output = json.loads(run_simgin(*arguments, "--json").stdout)
    assert list(output) == ["simgin", "stream", "command", "seed", "stopped", "files", "rows"]
    assert output["command"] == "simgin bench --seconds 0.01"
    rows = output["rows"]
    assert [(row["figure"], row["threads"]) for row in rows] == [
        ("calibration, blocks", 1),
        ("deadwood, dealt hands", 1),
        ("best discard, dealt hands", 1),
        ("best discard, hands in play", 1),
        ("shuffle of gold v gold, deals", 1),
        ("best discards of gold v gold, deals", 1),
        ("policies of gold v gold, deals", 1),
        ("sums of gold v gold, deals", 1),
        ("gold v gold, deals", 1),
        ("gold v gold, deals", 2),
        ("gold, eaai deals", 1),
    ]
    for row in rows:
        ratio = rows[0]["per_second"] / row["per_second"]
        assert row["ratio"] == pytest.approx(ratio) and row["per_second"] > 0
        assert row["threads"] > 1 or row["speedup"] == 1
    proportions = bench.compute_time_proportions(rows)
    assert list(proportions) == ["shuffle", "best discards", "policies", "sums", "turns"]
    assert sum(proportions.values()) == pytest.approx(1) and min(list(proportions.values())[:4]) > 0
    assert f"shuffle {100 * proportions['shuffle']:.0f} %" in " ".join(printed.stdout.split())
    # Mean deadwood of a dealt hand: 56.565, sd 13.795
    assert rows[1]["mean"] == pytest.approx(56.565, abs=4 * 13.795 / bench.N_HANDS**0.5)


def test_engine_is_compared_with_the_c_program():
    figure = bench.BENCH_MATCHUPS[0][0]
    rows = [make_speed_row(figure, 60), make_speed_row(figure, 30, 2)]
    assert bench.compare_with_c(rows) is None
    suffixes = (bench.GENERIC_TASK_SUFFIX, bench.SPECIALIZED_TASK_SUFFIX, bench.C_TASK_SUFFIX)
    rows += map(make_speed_row, (figure + suffix for suffix in suffixes), (60, 40, 50))
    assert bench.compare_with_c(rows) == (1.2, 0.8)


# Changes in speed


INVALID_SOURCE_MESSAGE = (
    "is neither an installation of simgin nor a file written by `simgin bench --save`."
)


def make_speed_row(name, ratio, threads=1):
    return {"figure": name, "threads": threads, "ratio": ratio}


def write_executable(path, code):
    """Write a Python script that stands in for the program of another installation."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{code}")
    path.chmod(0o755)
    return path


def test_rounds_are_compared_pairwise():
    before = [
        [make_speed_row("deals", 100), make_speed_row("gone", 1)],
        [make_speed_row("deals", 90)],
        [make_speed_row("deals", 200)],
    ]
    now = [
        [make_speed_row("new", 1), make_speed_row("deals", 50)],
        [make_speed_row("deals", 60)],
        [make_speed_row("deals", 40)],
    ]
    (change,) = compare_speeds(before, now)
    assert change == SpeedChange("deals", 1, before=100, now=50, faster=2, low=1.5, high=5)
    assert list_uncompared_tasks(before, now) == ["gone (threads: 1)", "new (threads: 1)"]
    # Threads are separate, and one round has no range
    before = [[make_speed_row("deals", 100), make_speed_row("deals", 60, 2)]]
    first, second = compare_speeds(
        before, [[make_speed_row("deals", 80), make_speed_row("deals", 60, 2)]]
    )
    assert (first.threads, first.faster, first.low, first.high) == (1, 1.25, None, None)
    assert (second.threads, second.faster) == (2, 1)


@pytest.mark.parametrize("text", ["", "[]", '{"rows": []}', '{"rows": [1]}', '{"rows": [{}]}'])
def test_file_without_measurements_is_rejected(tmp_path, text):
    path = tmp_path / "bench.json"
    path.write_text(text)
    with pytest.raises(BenchError, match=INVALID_SOURCE_MESSAGE.replace(".", r"\.")):
        bench.read_measurements(path)


def test_unwritable_folder_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(NewFileError, match=f"no permission to write to {tmp_path}"):
        check_writable(tmp_path / "old.json")


def test_saved_measurements_are_compared(tmp_path, monkeypatch):
    measurement = bench.Measurement("gold v gold, deals", "deals", 1, 1e5, 50.0, 1.0, None)
    monkeypatch.setattr(bench, "measure_speeds", lambda *_: [measurement])
    monkeypatch.chdir(tmp_path)
    saving = run_simgin("bench", "--save", "old.json")
    assert "gold v gold" in saving.stdout
    assert saving.stderr.endswith("simgin: wrote old.json.\n")
    saved = json.loads((tmp_path / "old.json").read_text())
    saved["rows"][0]["ratio"] = 75.0
    (tmp_path / "old.json").write_text(json.dumps(saved))
    arguments = ["bench", "--against", "old.json"]
    comparison = run_simgin(*arguments)
    assert all(len(line) <= 80 for line in comparison.stdout.splitlines())
    (line,) = (line for line in comparison.stdout.splitlines() if line.startswith("gold v gold"))
    assert line.split()[-3:] == ["50", "75", "1.50"]
    assert "Differences of up to 10 % can be due to the machine" in " ".join(
        comparison.stdout.split()
    )
    assert "not compared" not in comparison.stderr
    output = json.loads(run_simgin(*arguments, "--json").stdout)
    assert output["command"] == "simgin bench --seconds 1 --against old.json"
    assert output["rows"][0]["faster"] == 1.5
    saved["rows"].append(make_speed_row("gold v gold, deals", 20.0, threads=64))
    (tmp_path / "old.json").write_text(json.dumps(saved))
    warning = "because one side lacks them: gold v gold, deals (threads: 64)."
    assert warning in run_simgin(*arguments).stderr


def test_two_installations_are_measured_alternately(tmp_path, monkeypatch):
    log = tmp_path / "log"
    code = (
        "import json, sys\n"
        f"open({str(log)!r}, 'a').write('NAME ' + ' '.join(sys.argv[1:]) + '\\n')\n"
        "print(json.dumps({'rows': [{'figure': 'deals', 'threads': 1, 'ratio': RATIO}]}))\n"
    )
    old = write_executable(tmp_path / "old", code.replace("NAME", "old").replace("RATIO", "60"))
    new = write_executable(tmp_path / "new", code.replace("NAME", "new").replace("RATIO", "40"))
    monkeypatch.setattr(bench, "N_COMPARISON_ROUNDS", 2)
    monkeypatch.setattr(bench, "THIS_INSTALLATION_COMMAND", [str(new)])
    (change,) = compare_speeds(*bench.measure_alternately(old, 0.5))
    assert (change.faster, change.low, change.high) == (1.5, 1.5, 1.5)
    arguments = "bench --seconds 0.5 --json"
    assert log.read_text().splitlines() == [f"{name} {arguments}" for name in ("old", "new")] * 2


def test_failing_installation_is_reported(tmp_path):
    broken = write_executable(tmp_path / "simgin", "import sys; sys.exit('simgin: no numba here')")
    result = run_simgin("bench", "--against", broken, exit_code=2)
    assert result.stdout == ""
    assert result.stderr.endswith(
        f"simgin: error: the speed of {broken} could not be measured (simgin: no numba here). "
        "Check that simgin works in that installation.\n"
    )
