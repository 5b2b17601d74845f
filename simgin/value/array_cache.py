"""Arrays that were computed once and are kept on disk, under a digest of all that they depend on.

They lie beside the compiled code (`simgin.core.jit.cache_directory`), so that a change of the
engine is a new directory, and old ones are pruned with it. The files are plain npz, readable with
numpy alone; `about` in them says what they are, as JSON. Behind them stands a digest: a file that
was damaged is made again.
"""

import contextlib
import hashlib
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import jit, rng
from simgin.play.matchup import Matchup
from simgin.strategy import loader
from simgin.text.files import read_bytes, replacing

DIGEST = 32  # bytes at the end of a file
FORM = 1  # raised whenever a reader would have to look elsewhere

Arrays = dict[str, np.ndarray]


def cached(about: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
    """The arrays that `about` describes in full: from disk, or made and put there.

    A file that cannot be read is replaced.
    """
    text = json.dumps(about, sort_keys=True)
    place = _place(text)
    if place is None:
        return make()
    arrays = _read(place, text)
    if arrays is None:
        arrays = make()
        with contextlib.suppress(OSError):  # a full disk costs the cache, not the numbers
            _write(place, text, arrays)
    return arrays


def describe(matchup: Matchup, units: int, form: str) -> dict[str, Any]:
    """Everything that arrays counted in some form from units of a matchup depend on."""
    players = [[player.text, loader.source_digest(player)] for player in matchup.players]
    return {
        "kept": FORM,
        "form": form,
        "stream": rng.STREAM,
        "players": players,
        "seed": matchup.seed,
        "unit": matchup.unit,
        "n": units,
        "rules": matchup.variant.row,
    }


def directory() -> Path | None:
    """Where the files lie; None where nothing is kept."""
    folder = jit.cache_directory()
    return None if folder is None else folder / "outcomes"


def _place(text: str) -> Path | None:
    folder = directory()
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return None if folder is None else folder / f"{digest}.npz"


def _read(place: Path, text: str) -> Arrays | None:
    """The arrays of a file; None if there is none, it is damaged, or it is about something else."""
    try:
        content = read_bytes(place)
    except OSError:
        return None
    stream = io.BytesIO(content[:-DIGEST])
    if content[-DIGEST:] != _digest(stream):
        return None
    with np.load(stream, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return arrays if str(arrays.pop("about", "")) == text else None


def _write(place: Path, text: str, arrays: Arrays) -> None:
    """Written beside its place and moved into it: a reader sees all of it or nothing."""
    place.parent.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    np.savez_compressed(stream, about=np.array(text), **arrays)  # type: ignore[arg-type]
    with replacing(place) as file:
        file.write(stream.getvalue() + _digest(stream))


def _digest(stream: io.BytesIO) -> bytes:
    """What a file ends with; whatever reads an npz file passes over it."""
    return hashlib.sha256(stream.getbuffer()).digest()
