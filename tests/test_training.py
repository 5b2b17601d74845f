"""Tests that `make train` runs every script that writes policy weights."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT_TEXT_BY_NAME = {path.name: path.read_text() for path in (ROOT / "training").glob("*.py")}


def list_training_scripts():
    """Return the scripts that `make train` runs, in order."""
    text = (ROOT / "Makefile").read_text()
    lines = text.partition("\ntrain: ")[2].partition("\n\n")[0]
    return re.findall(r"training/(\w+\.py)", lines)


def test_every_weights_file_is_written_by_a_script_that_make_train_runs():
    written = "".join(SCRIPT_TEXT_BY_NAME[name] for name in list_training_scripts())
    files = [path.name for path in (ROOT / "strategies").glob("*.npy")]
    assert [name for name in files if f'"{name}"' not in written] == []


def test_make_train_runs_every_script_that_writes_files_of_the_package():
    writers = {
        name
        for name, text in SCRIPT_TEXT_BY_NAME.items()
        if "np.save(" in text or ".write_text(" in text
    }
    assert writers == set(list_training_scripts())


def test_training_scripts_run_after_those_that_they_need():
    order = list_training_scripts()
    needed = ("mc_value.py", "champion.py", "champion_eaai.py", "hands.py", "champion_mc.py")
    positions = [order.index(name) for name in needed]
    assert positions == sorted(positions)


# Without champion and solo_champion, which take half an hour (`make train` before a release)
WEIGHTS_BY_SCRIPT = {
    "beliefs": "beliefs",
    "improvement": "improvement",
    "solo": "stop solo solo_dp",
    "stake": "stake",
}


@pytest.mark.slow
@pytest.mark.parametrize("script", WEIGHTS_BY_SCRIPT)
def test_script_reproduces_its_committed_weights(script, tmp_path):
    names = WEIGHTS_BY_SCRIPT[script].split()
    out = tmp_path if script in ("solo", "stake") else tmp_path / f"{names[0]}.npy"
    words = [sys.executable, ROOT / "training" / f"{script}.py", "--out", out]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    for name in names:
        new_weights, committed = (
            np.load(place / f"{name}.npy") for place in (tmp_path, ROOT / "strategies")
        )
        # The last decimal of beliefs depends on the machine's BLAS
        assert new_weights == pytest.approx(
            committed, abs=2e-4 if script == "beliefs" else 0, rel=0
        ), name
