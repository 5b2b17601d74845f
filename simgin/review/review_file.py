"""A review file: what a club wants to know of its rules, in TOML.

title = "Should we play Oklahoma?"   # the question on the page; optional
note = "For the meeting in May."     # shown on the page; optional
rule_sets = ["oklahoma", "standard+gin_bonus=20"]
against = "standard"
players = ["simple", "mine.py", "champion"]   # weakest first, the strong one last; optional
goals = ["turns per match 100..140", "gin 40..50 %"]
seconds_per_turn = 10
sweep = ["undercut_bonus=0,10,25"]   # instead of several rule sets
matches = "20k"
seed = 1
adapt = true
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from simgin.review.review_request import SECONDS_PER_TURN
from simgin.runs.experiment_file import Count, StrategyText, VariantText
from simgin.text import amounts, toml

Texts = Annotated[list[str], Field(default_factory=list)]


class ReviewFile(toml.Table):
    """The keys of a review file."""

    title: str = ""
    note: str = ""
    rule_sets: Annotated[list[VariantText], Field(min_length=1)]
    against: VariantText | None = None
    players: Annotated[list[StrategyText], Field(default_factory=list)]
    goals: Texts
    sweep: Texts
    seconds_per_turn: Annotated[float, Field(gt=0, strict=False)] = SECONDS_PER_TURN
    matches: Count | None = None
    seed: Annotated[int, AfterValidator(amounts.parse_seed)] = 1
    adapt: bool = False
    deep: bool = False


def read_file(path: Path) -> dict[str, Any]:
    """The arguments of `read_request` that a file gives. Raises TomlError."""
    raw = toml.read_tables(path, "name a review file")
    try:
        file = ReviewFile.model_validate(raw)
    except ValidationError as error:
        known = list(ReviewFile.model_fields)
        raise toml.TomlError(toml.describe_mistakes(path, error, lambda _: known)) from None
    fields = file.model_dump()
    return {"names": fields.pop("rule_sets"), **fields}
