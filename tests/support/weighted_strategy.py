"""The strategy of docs/how-to/tuning.md, which has eight features of a discard."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/tuning.md"
(WEIGHED,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)


def write_weighed(folder, text=WEIGHED):
    """Write the file of the strategy without weights and return its path."""
    file = folder / "weighed.py"
    file.write_text(text)
    return file
