"""Make strategies/mc.npy: the chance of winning a match to 100 from each score before a deal, for the strategy `mc`.

    python training/mc_value.py            (half a minute)

Row = own points, column = the other's, 0..99 each; gold against itself under the EAAI challenge's rules, the mean over who deals.
"""

from pathlib import Path

import numpy as np

from simgin.value import value

TARGET = 100
FILE = Path(__file__).resolve().parent.parent / "strategies" / "mc.npy"


def table(deals: int, seed: int = 20261122) -> np.ndarray:
    """Chance of winning by (own points, other's points), each below the target; with the mirror image it adds up to one."""
    v = value.of("eaai", "gold", "gold", deals=deals, seed=seed)
    own, other = np.indices((TARGET, TARGET))
    return (v.win(own, other, dealer=0) + v.win(own, other, dealer=1)) / 2


if __name__ == "__main__":
    chances = table(deals=2_000_000)
    assert np.allclose(chances + chances.T, 1)
    np.save(FILE, chances.astype(np.float32))
    print(
        f"{FILE}: level {chances[0, 0]:.3f}, 50 to 0 {chances[50, 0]:.3f}, 90 to 0 {chances[90, 0]:.3f}"
    )
