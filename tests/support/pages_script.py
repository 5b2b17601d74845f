"""Import docs/make.py, the generator of blocks in the documents, and its modules."""

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS))

import make  # noqa: E402
from blocks import cards, games, metrics, strategies  # noqa: E402

__all__ = ["cards", "games", "make", "metrics", "strategies"]
