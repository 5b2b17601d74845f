"""Test that the C program of the benchmark gives the results of the engine."""

import os
import shutil

import numpy as np
import pytest

from simgin.checks import bench
from simgin.checks.c_program import BATCH_SIZE, SOURCE_FILE, compile_c_program
from simgin.play import kernel
from simgin.play.matchup import parse_matchup


@pytest.mark.parametrize("seed", [bench.SEED, 2**64 - 1])
def test_c_program_gives_the_batch_rows_of_the_engine(seed):
    if not os.environ.get("CC") and shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    play = compile_c_program()
    _, variant, a, b, unit = bench.BENCH_MATCHUPS[0]
    matchup = parse_matchup(a, b, variant, seed, unit)
    n_deals = 50 * BATCH_SIZE
    assert np.array_equal(play(seed, n_deals), kernel.play_batches(matchup, 0, n_deals))


def test_c_program_requires_a_compiler_and_the_source(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("simgin.checks.c_program.SOURCE_FILE", SOURCE_FILE.with_name("none.c"))
    assert compile_c_program() is None
    monkeypatch.undo()
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert compile_c_program() is None
    assert capsys.readouterr().err == ""


def test_compiler_that_cannot_be_run_is_reported(monkeypatch, tmp_path, capsys):
    compiler = tmp_path / "cc"
    monkeypatch.setenv("CC", str(compiler))
    assert compile_c_program() is None
    message = capsys.readouterr().err
    assert f"No such file or directory: '{compiler}'). Set the environment variable" in message


def test_compiler_can_have_arguments(monkeypatch, tmp_path):
    compiler = tmp_path / "wrapper"
    compiler.write_text('#!/bin/sh\n[ "$1" = cc ] && shift && exec cc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", f"{compiler} cc")
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    assert compile_c_program() is not None


def test_errors_of_the_compiler_are_printed(monkeypatch, tmp_path, capsys):
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho 'full.c:1: error: unknown column' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    assert compile_c_program() is None
    message = capsys.readouterr().err
    assert f"warning: {compiler} -O3" in message and "error: unknown column" in message
