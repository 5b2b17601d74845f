"""The request of a review: which variants, against which base, and how much of each is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simgin.review import players, rule_metrics, solo_metrics
from simgin.review.rule_metrics import RuleMetric
from simgin.rules import variants
from simgin.text import amounts

MATCHES = 20_000  # of every pair of players
MATCHES_ALONE = 5_000  # of every player of a variant for one player
FEWEST_MATCHES = 1_000  # of a pair: five batches of pairs, without which nothing has an error
DEEPER = 100  # times as many matches with --deep: a tenth of the error
SINGLES = 10  # single deals of a pair for every match of the others
SINGLES_ALONE = 8  # single deals of the best player of a variant for one player, likewise
HANDS = 40  # one of so many single deals is followed turn by turn
# Deals followed turn by turn at most, since they are kept hand by hand
MOST_HANDS = 50_000


class ReviewError(ValueError):
    """A review that cannot be made; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class ReviewRequest:
    """What is to be reviewed. variants: canonical texts, the base first if there is one."""

    variants: tuple[str, ...]
    base: str | None = None
    deep: bool = False
    matches: int = MATCHES
    seed: int = 1

    @classmethod
    def from_manifest(cls, entry: Mapping[str, Any]) -> ReviewRequest:
        """The request that a manifest records, field by field."""
        return cls(**{**entry, "variants": tuple(entry["variants"])})

    @property
    def others(self) -> tuple[str, ...]:
        """The variants that are compared with the base; none without a base."""
        if self.base is None:
            return ()
        return tuple(variant for variant in self.variants if variant != self.base)

    @property
    def alone(self) -> bool:
        """Whether the variants are for one player."""
        return variants.find(self.variants[0]).row["players"] == 1

    @property
    def field(self) -> tuple[str, ...]:
        """Whose play stands for a variant; alone: of all variants, weakest first."""
        if self.alone:
            names = dict.fromkeys([*players.SOLO_FIELD, *map(players.best_solo, self.variants)])
            return tuple(names)
        if self.deep:
            return (*players.FIELD, "marjj", players.strongest_quick())
        return players.FIELD

    @property
    def players(self) -> tuple[str, ...]:
        """Who meets whom: the field, and for a deep review the foot of the ladder."""
        if self.deep and not self.alone:
            return (*self.field, *players.WEAK)
        return self.field

    @property
    def metrics(self) -> tuple[RuleMetric, ...]:
        """What is measured of each variant."""
        if self.alone:
            return solo_metrics.SOLO_METRICS
        return rule_metrics.RULE_METRICS

    @property
    def singles(self) -> int:
        """Single deals of each pass over a variant."""
        return (SINGLES_ALONE if self.alone else SINGLES) * self.matches

    @property
    def hands(self) -> int:
        """Single deals followed turn by turn."""
        return min(self.singles // HANDS, MOST_HANDS)


def read_request(
    names: Sequence[str],
    against: str | None,
    *,
    deep: bool = False,
    matches: int | str | None = None,
    seed: int = 1,
) -> ReviewRequest:
    """The request in words. Raises ReviewError for variants that cannot stand side by side."""
    if not names and against is None:
        raise ReviewError(
            "name at least one variant, like: simgin review oklahoma --against standard. "
            "`simgin variants` lists them."
        )
    base = () if against is None else (against,)
    named = [variants.find(name) for name in (*base, *names)]
    if len({variant.row["players"] for variant in named}) > 1:
        raise ReviewError(
            "variants for one player and for two have no metric in common: review them separately."
        )
    texts = tuple(dict.fromkeys(variant.text for variant in named))
    alone = named[0].row["players"] == 1
    if matches is None:
        usual = MATCHES_ALONE if alone else MATCHES
        n = usual * DEEPER if deep else usual
    else:
        n = amounts.parse_count(matches)
    if n < FEWEST_MATCHES:
        raise ReviewError(
            f"{n} matches are too few for error estimates: use at least {FEWEST_MATCHES}."
        )
    is_compared = against is not None and len(texts) > 1
    reviewed_against = texts[0] if is_compared else None
    return ReviewRequest(texts, reviewed_against, deep=deep, matches=n, seed=seed)
