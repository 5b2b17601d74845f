"""JSON object printed by `--json` and stored in files with saved deals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simgin.core import rng
from simgin.version import get_version


def format_json_output(
    command: str,
    rows: Sequence[dict[str, Any]],
    seed: int | None,
    files: Sequence[Path] = (),
    stop_reason: str = "complete",
) -> str:
    """Return the result of a command as the JSON object that --json prints.

    Args:
        command: Command that repeats the result.
        rows: Rows of the result.
        seed: Seed, or None if the command has no seed.
        files: Paths of the written files.
        stop_reason: Reason for stopping, or "complete" for a complete run.
    """
    fields = {
        "simgin": get_version(),
        "stream": rng.STREAM_VERSION,
        "command": command,
        "seed": seed,
        "stopped": stop_reason,
        "files": [str(path) for path in files],
        "rows": rows,
    }
    return json.dumps(fields, allow_nan=False)
