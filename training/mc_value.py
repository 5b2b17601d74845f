"""Write strategies/mc.npy: the probability of winning a match to 100 from each score, for `mc`.

    python training/mc_value.py            (half a minute)

Rows are the player's own points and columns the opponent's, 0..99 each, before a deal. It is for
gold against itself under the rules of the EAAI challenge, averaged over who deals.
"""

from pathlib import Path

import numpy as np

from simgin.value import value

TARGET = 100
FILE = Path(__file__).resolve().parent.parent / "strategies" / "mc.npy"


def table(
    deals: int, seed: int = 20261122, variant: str = "eaai", target: int = TARGET
) -> np.ndarray:
    """Probability of winning by own points and the opponent's, each below the target.

    The table and its transpose add up to one.
    """
    v = value.compute(variant, "gold", "gold", deals=deals, seed=seed)
    own, other = np.indices((target, target))
    return (v.win(own, other, dealer=0) + v.win(own, other, dealer=1)) / 2


if __name__ == "__main__":
    chances = table(deals=2_000_000)
    assert np.allclose(chances + chances.T, 1)
    np.save(FILE, chances.astype(np.float32))
    level, ahead, far = chances[0, 0], chances[50, 0], chances[90, 0]
    print(f"{FILE}: level {level:.3f}, 50 to 0 {ahead:.3f}, 90 to 0 {far:.3f}")
