"""Write the example strategy of docs/how-to/tuning.md, which has weights for eight features."""

import re
from pathlib import Path

TUNING_PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/tuning.md"
(WEIGHTED_STRATEGY_SOURCE,) = re.findall(r"```python\n(.*?)```", TUNING_PAGE.read_text(), re.S)


def write_weighted_strategy(folder, source=WEIGHTED_STRATEGY_SOURCE):
    """Write the strategy file without its weights, and return the path."""
    file = folder / "weighed.py"
    file.write_text(source)
    return file
