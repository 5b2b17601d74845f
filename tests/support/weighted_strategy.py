"""The strategy of docs/how-to/tuning.md, which has eight features of a discard."""

import re
from pathlib import Path

TUNING_PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/tuning.md"
(WEIGHTED_SOURCE,) = re.findall(r"```python\n(.*?)```", TUNING_PAGE.read_text(), re.S)


def write_weighted_strategy(folder, text=WEIGHTED_SOURCE):
    """Write the file of the strategy without weights and return its path."""
    file = folder / "weighed.py"
    file.write_text(text)
    return file
