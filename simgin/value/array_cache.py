"""What was counted once and is kept on disk: arrays under a digest of all that they depend on.

They lie beside the compiled code of these sources (`simgin.core.jit.cache_directory`), so a change of the engine is a new directory, and
old ones are pruned with it. The files are plain npz, readable with numpy alone; `about` in them says what they are, as JSON.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import jit, rng
from simgin.play.matchup import Matchup
from simgin.strategy import loader
from simgin.text.files import replacing

FORM = 1  # raised whenever a reader would have to look elsewhere

Arrays = dict[str, np.ndarray]


def arrays(about: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
    """The arrays that `about` describes in full: from disk, or made and put there. A file that cannot be read is replaced."""
    text = json.dumps(about, sort_keys=True)
    place = _place(text)
    if place is None:
        return make()
    if (found := _read(place, text)) is not None:
        return found
    made = make()
    with contextlib.suppress(OSError):  # a full disk costs the cache, not the numbers
        _write(place, text, made)
    return made


def about(one: Matchup, n: int, form: str) -> dict[str, Any]:
    """Everything that n units of a matchup, counted in some form, depend on."""
    players = [[player.text, loader.source_digest(player)] for player in one.players]
    what = {
        "kept": FORM,
        "form": form,
        "stream": rng.STREAM,
        "players": players,
        "seed": one.seed,
        "unit": one.unit,
        "n": n,
    }
    return {**what, "rules": one.variant.row}


def _place(text: str) -> Path | None:
    folder = jit.cache_directory()
    return (
        None
        if folder is None
        else folder / "outcomes" / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.npz"
    )


def _read(place: Path, text: str) -> Arrays | None:
    """The arrays of a file, or None if there is none, it is damaged, or it is about something else."""
    try:
        with (
            place.open("rb") as stream,
            np.load(stream, allow_pickle=False) as file,
        ):  # numpy would leave a damaged file open
            found = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None
    return found if str(found.pop("about", "")) == text else None


def _write(place: Path, text: str, made: Arrays) -> None:
    """Written beside its place and moved into it, so that a reader finds all of it or nothing."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with replacing(place, writer=secrets.token_hex(8)) as incomplete:
        np.savez_compressed(incomplete, about=np.array(text), **made)  # type: ignore[arg-type]
