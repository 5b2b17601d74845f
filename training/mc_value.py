"""Write strategies/mc.npy for `mc`, with the probability of winning a match to 100 by score.

    python training/mc_value.py            # half a minute

The rows are the player's points before a deal, and the columns are the opponent's points, each from
0 to 99. The probabilities are for `gold` against itself under the rules of `eaai`, averaged over
both dealers.
"""

from pathlib import Path

import numpy as np

from simgin.learn.champion_weights import compute_win_probabilities

OUTPUT_PATH = Path(__file__).resolve().parent.parent / "strategies" / "mc.npy"

if __name__ == "__main__":
    match_values = compute_win_probabilities("eaai", 100)
    assert np.allclose(match_values + match_values.T, 1)
    np.save(OUTPUT_PATH, match_values.astype(np.float32))
    examples = [f"{match_values[points, 0]:.3f} at {points}-0" for points in (0, 50, 90)]
    print(f"{OUTPUT_PATH}: {', '.join(examples)}")
