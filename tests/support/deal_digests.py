"""Digests of the results of every built-in strategy, computed in a separate process."""

import json
import os
import subprocess

DIGEST_SCRIPT = """
import hashlib, json
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.strategy import loader
digests = {}
for name in loader.list_built_in_strategies():
    for variant in ("standard", "solitary-gin"):
        opponent = None if variant == "solitary-gin" else "simple"
        try:
            matchup = parse_matchup(name, opponent, variant, 5, "deal")
            rows = kernel.play_batches(matchup, 0, 40)
        except ValueError as error:
            digests[f"{name} {variant}"] = str(error)
            continue
        digests[f"{name} {variant}"] = hashlib.sha256(rows.tobytes()).hexdigest()
print(json.dumps(digests))
"""


def compute_digests(interpreter, **environment):
    """Return a digest of some deals of every strategy, played by a Python interpreter."""
    found = subprocess.run(
        [
            interpreter,
            "-P",
            "-c",
            DIGEST_SCRIPT,
        ],  # -P: do not import simgin from the working directory
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return json.loads(found.stdout)
