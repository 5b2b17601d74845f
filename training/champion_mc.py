"""Join the numbers of `champion-mc`: strategies/champion-mc.npy.

    python training/champion_mc.py

The weights of champion, those of the opponent's hands, and the probability of winning a match to
100 from each score, as training/champion.py, training/hands.py and training/mc_value.py made them.
"""

from pathlib import Path

import numpy as np

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
PARTS = ("champion.npy", "hands.npy", "mc.npy")


def joined() -> np.ndarray:
    """All numbers in a row: float64."""
    return np.concatenate([np.load(STRATEGIES / part).ravel() for part in PARTS])


if __name__ == "__main__":
    np.save(STRATEGIES / "champion-mc.npy", joined())
