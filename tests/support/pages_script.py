"""Import docs/make.py, which generates parts of the documentation, and its modules."""

import sys
from pathlib import Path

DOCS_DIRECTORY = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS_DIRECTORY))

import make  # noqa: E402
from blocks import cards, games, metrics, strategies  # noqa: E402

__all__ = ["cards", "games", "make", "metrics", "strategies"]
