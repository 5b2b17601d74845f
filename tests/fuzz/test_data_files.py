"""Files of worked examples, of figures of speed, and of arrays that simgin keeps."""

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from simgin.checks import bench_change
from simgin.cli.commands.checks import bench
from simgin.core import jit
from simgin.value import array_cache
from support.hostile import answer, flipped, generator, mutated, sizes
from worked_examples import engine, files

pytestmark = pytest.mark.usefixtures("empty_directory")


# Worked examples


@sizes
def test_any_file_of_worked_examples_is_read_or_refused(n):
    rng = generator("worked examples")
    place = Path(__file__).parents[1] / "data/rules_vectors.json"
    schema = json.loads(place.read_text())
    for _ in range(n):
        some = rng.sample(schema["vectors"], 2)
        contents = mutated(rng, {**schema, "vectors": some})
        text = json.dumps(contents).encode(errors="replace")
        Path("mine.json").write_bytes(flipped(rng, text) if rng.random() < 0.2 else text)
        with suppress(files.ConformError):
            files.run(files.read("mine.json"), engine)


# Figures of speed

FIGURES = [("deadwood", 1, 12.5), ("gold simple", 1, 310.0), ("gold simple", 2, 160.0)]


@sizes
def test_any_file_of_speeds_is_read_or_refused(monkeypatch, n):
    rows = []
    for figure, threads, ratio in FIGURES:
        row = {"figure": figure, "unit": "deals", "threads": threads, "ratio": ratio}
        rows.append(row | {"per_second": 1e6 / ratio, "speedup": 1.0, "mean": None})
    monkeypatch.setattr(bench, "_measure", lambda _: rows)
    rng = generator("speeds")
    saved = {"command": "simgin bench", "rows": rows}
    compared = 0
    for _ in range(n):
        text = json.dumps(mutated(rng, saved)).encode(errors="replace")
        text = flipped(rng, text) if rng.random() < 0.2 else text
        Path("before.json").write_bytes(text)
        words = ["--json"] if rng.random() < 0.5 else []
        result = answer("bench", "--against", "before.json", *words, codes=(0, 2))
        compared += result.exit_code == 0
        assert Path("before.json").read_bytes() == text
    assert n / 10 < compared < 0.9 * n


@pytest.mark.parametrize("ratio", [0, -1, 1e-300, 1e300, "NaN", "Infinity", '"1"', "null", "[1]"])
def test_a_figure_that_cannot_be_compared_is_refused(ratio):
    text = f'{{"rows": [{{"figure": "deals", "threads": 1, "ratio": {ratio}}}]}}'
    Path("before.json").write_text(text)
    with pytest.raises(bench_change.BenchError):
        bench_change.read_rounds(Path("before.json"))


# Arrays that were computed once


@sizes
def test_whatever_lies_there_the_arrays_are_the_same(monkeypatch, n):
    here = Path().absolute()
    monkeypatch.setattr(jit, "cache_directory", lambda: here)
    rng = generator("arrays")
    wanted = {"counts": np.arange(600).reshape(3, 200), "share": np.array(0.25)}
    about = {"form": "of a test"}
    made = 0

    def make():
        nonlocal made
        made += 1
        return {name: array.copy() for name, array in wanted.items()}

    array_cache.cached(about, make)
    (path,) = here.rglob("*.npz")
    with np.load(path, allow_pickle=False) as file:  # numpy alone can read it
        assert json.loads(str(file["about"])) == about
    sound = path.read_bytes()
    for _ in range(n):
        path.write_bytes(flipped(rng, sound))
        for _ in range(2):
            arrays = array_cache.cached(about, make)
            assert arrays.keys() == wanted.keys()
            for name, array in wanted.items():
                assert arrays[name].dtype == array.dtype and np.array_equal(arrays[name], array)
    assert 0.5 * n < made <= n + 1
    path.unlink()
    path.mkdir()
    assert np.array_equal(array_cache.cached(about, make)["counts"], wanted["counts"])
