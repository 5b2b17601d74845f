"""Write strategies/mc.npy for `mc`, with the probability of winning a match to 100 by score.

    python training/mc_value.py            # half a minute

Rows are the player's points before a deal, and columns the opponent's points, each from 0 to 99.
The probabilities are for gold against itself under the rules of the EAAI challenge, averaged over
both dealers.
"""

from pathlib import Path

import numpy as np

from simgin.learn.champion_weights import win_probabilities

FILE = Path(__file__).resolve().parent.parent / "strategies" / "mc.npy"

if __name__ == "__main__":
    chances = win_probabilities("eaai", 100)
    assert np.allclose(chances + chances.T, 1)
    np.save(FILE, chances.astype(np.float32))
    level, ahead, far = chances[0, 0], chances[50, 0], chances[90, 0]
    print(f"{FILE}: {level:.3f} at 0-0, {ahead:.3f} at 50-0, {far:.3f} at 90-0")
