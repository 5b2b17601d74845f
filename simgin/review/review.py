"""A review of rule sets: what is played to find their metrics, and the metrics and differences that come of it (METRICS 7 and 7.5)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.findings.findings import Findings
from simgin.odds import sample
from simgin.odds.sample import Deals
from simgin.play.matchup import Matchup, parse_matchup
from simgin.review import knocking, rule_metrics, solo_metrics
from simgin.review.knocking import Matrix
from simgin.review.rule_metrics import FIELD, FULL, NAMED_PAIR, TRAITS, Game, Told, Trait
from simgin.rules import variants
from simgin.runs import runner
from simgin.runs.block import Task
from simgin.runs.manifest import engine_digest
from simgin.runs.plan import Plan
from simgin.stats import differences as contrast
from simgin.stats import mirroring
from simgin.stats.quantity import Quantity
from simgin.strategy import catalogue
from simgin.text import amounts
from simgin.value import drama, turns, value
from simgin.value.turns import Turns
from simgin.value.value import Value

if TYPE_CHECKING:
    import pandas as pd

# Of every pair of players; a hundred times as many, a tenth of the error, for a deep review
MATCHES = 20_000
MATCHES_ALONE = 5_000  # of every player of a game for one
FEWEST_MATCHES = 1_000  # of a pair: five batches of pairs, without which nothing has an error
DEEPER = 100
WEAK = ("stock-greedy", "rlcard-novice", "random")  # the foot of the ladder
FAST = 100_000  # deals a second
BONUSES = (10, 15, 20, 25)
SINGLES = 10  # single deals of the named pair for every match of the others
SINGLES_ALONE = 8  # deals of the best player of a game for one, likewise
HANDS = 40  # of so many single deals one is looked at turn by turn
MOST_HANDS, MOST_COURSES = (
    50_000,
    20_000,
)  # deals, and matches, followed turn by turn: they are kept hand by hand
# Of a cell: of more, neighbours are added up, since a deep review would not fit into memory, and
# errors are known to 2 %
MOST_BATCHES = 1_000
COLUMNS = ("variant", "metric", "title", "value", "se", "low", "high", "n", "why")
CHANGES = (
    "variant",
    "base_variant",
    "metric",
    "title",
    "difference",
    "se",
    "low",
    "high",
    "p",
    "p_holm",
    "n",
)


class ReviewError(ValueError):
    """A review that cannot be made; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Asked:
    """What is to be reviewed. variants: canonical texts, the base first if there is one."""

    variants: tuple[str, ...]
    base: str | None = None
    deep: bool = False
    matches: int = MATCHES
    seed: int = 1

    @property
    def told(self) -> dict[str, Any]:
        """The same for a manifest, that `again` reads."""
        return dataclasses.asdict(self)

    @property
    def alone(self) -> bool:
        """Whether the games are for one player."""
        return variants.find(self.variants[0]).row["players"] == 1

    @property
    def field(self) -> tuple[str, ...]:
        """Whose play stands for a game; alone: of all games, weakest first."""
        if self.alone:
            return tuple(
                dict.fromkeys([*solo_metrics.FIELD, *map(solo_metrics.best, self.variants)])
            )
        return (*FIELD, "marjj", strongest_fast()) if self.deep else FIELD

    @property
    def players(self) -> tuple[str, ...]:
        """Who meets whom: the field, and for a deep review the foot of the ladder."""
        return (*self.field, *WEAK) if self.deep and not self.alone else self.field

    @property
    def traits(self) -> tuple[Trait, ...]:
        """What is told of each game."""
        return solo_metrics.TRAITS if self.alone else TRAITS


def asked(
    names: Sequence[str], against: str | None, *, deep: bool, matches: int | None, seed: int
) -> Asked:
    """What texts ask for. ReviewError for games that cannot stand side by side."""
    if not names and against is None:
        raise ReviewError(
            "name at least one game, like: simgin review oklahoma --against standard. `simgin variants` lists them."
        )
    found = {
        variants.find(name).text: variants.find(name)
        for name in ([] if against is None else [against]) + list(names)
    }
    players = {one.row["players"] for one in found.values()}
    if len(players) > 1:
        raise ReviewError(
            "games for one player and for two have no metric in common: review them apart."
        )
    base = (
        variants.find(against).text if against is not None and len(found) > 1 else None
    )  # alone there is nothing to tell from it
    usual = (MATCHES if players == {2} else MATCHES_ALONE) * (DEEPER if deep else 1)
    n = usual if matches is None else amounts.parse_count(matches)
    if n < FEWEST_MATCHES:
        raise ReviewError(
            f"--matches {n} is too few to tell how sure a metric is: take at least {FEWEST_MATCHES}."
        )
    return Asked(tuple(found), base, deep, n, seed)


def again(told: Mapping[str, Any], found: Findings) -> Review:
    """A review from its directory. ReviewError if another engine played it: what is not in the ledger would be another game's."""
    if found.record.identity["engine"] != engine_digest():
        raise ReviewError(
            "another version of simgin made this review; make it again with this one, in another directory."
        )
    return Review(Asked(**{**told, "variants": tuple(told["variants"])}), found)


def strongest_fast() -> str:
    """The strategy with the best rating of those that play 100,000 deals a second."""
    return catalogue.best(at_least=FAST)


def planned(one: Asked) -> Plan:
    """Everything that the review plays through the ledger: matches, in pairs wherever two different strategies meet."""
    met = dict.fromkeys(
        pair for name in one.variants for pair in _pairs(one, name)
    )  # two variants may share a third with another bonus
    tasks = [
        Task(parse_matchup(a, b, variant, one.seed, "match"), one.matches) for variant, a, b in met
    ]
    question = f"What do these rules do to the game? {', '.join(one.variants)}" + (
        f", against {one.base}" if one.base else ""
    )
    return Plan("review", tuple(tasks), question=question)


def _pairs(one: Asked, variant: str) -> Iterator[tuple[str, str, str | None]]:
    """Variant, A and B of every cell that is about a variant, each once."""
    if one.alone:
        yield from ((variant, name, None) for name in solo_metrics.field(variant))
        return
    row = variants.find(variant).row
    ks = [knocking.player(k) for k in knocking.limits(row)]
    met = [(name, name) for name in one.field]
    met += list(itertools.combinations(one.players, 2))
    met += [
        pair for pair in itertools.combinations(ks, 2) if pair not in met and pair[::-1] not in met
    ]
    if one.deep:
        met += [
            (f"{rule_metrics.FULL}+{slot}", rule_metrics.FULL) for slot in rule_metrics.RESTRICTED
        ]
    yield from ((variant, a, b) for a, b in met)
    if one.deep and len(ks) > 1:
        yield from (
            (text, ks[0], ks[-1]) for text in with_bonuses(variant).values() if text != variant
        )


def with_bonuses(variant: str) -> dict[int, str]:
    """The variant with each of several undercut bonuses, by their canonical texts."""
    return {bonus: variants.find(f"{variant}+undercut_bonus={bonus}").text for bonus in BONUSES}


@dataclass(frozen=True, eq=False)
class Change:
    """What a metric is more in a variant than in the base."""

    by: Quantity
    p_holm: float

    @property
    def is_none(self) -> bool:
        """Whether every batch came out the same."""
        return self.by.value == 0 and self.by.se == 0


@dataclass(frozen=True, eq=False)
class Review:
    """A review that was played, while its ledger is open."""

    asked: Asked
    found: Findings
    workers: int | None = None
    _turns: dict[str, Turns] = field(default_factory=dict)
    _courses: dict[str, tuple[pd.DataFrame, pd.DataFrame]] = field(default_factory=dict)

    @property
    def singles(self) -> int:
        """How many single deals stand for a game where matches do not tell."""
        return SINGLES * self.asked.matches

    @cached_property
    def games(self) -> list[Game]:
        """The games with what was played of them, in the order of the variants."""
        return [self._game(variant) for variant in self.asked.variants]

    def trait(self, key: str) -> Trait:
        """The trait of a key."""
        return next(trait for trait in self.asked.traits if trait.key == key)

    @cached_property
    def told(self) -> dict[tuple[str, str], Told]:
        """Every trait of every game, by variant and key."""
        return {
            (game.variant, trait.key): _told(trait, game, self.asked.deep)
            for game in self.games
            for trait in self.asked.traits
        }

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """The metrics of every variant, COLUMNS; `why` there is no number, if there is none."""
        import pandas as pd

        rows = [
            (game.variant, *_row(trait, self.told[game.variant, trait.key]))
            for game in self.games
            for trait in self.asked.traits
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    @cached_property
    def changes(self) -> dict[tuple[str, str], Change]:
        """Variant minus base of every metric that both have, by variant and key; one family for Holm."""
        told = {
            pair: (own, self.told[str(self.asked.base), pair[1]])
            for pair, own in self.told.items()
            if pair[0] in self.others
        }
        by = {
            pair: own - base
            for pair, (own, base) in told.items()
            if isinstance(own, Quantity) and isinstance(base, Quantity)
        }
        p = contrast.holm(np.array([one.p for one in by.values()], float))
        return {
            pair: Change(one, float(adjusted))
            for (pair, one), adjusted in zip(by.items(), p, strict=True)
        }

    @property
    def others(self) -> tuple[str, ...]:
        """The variants that are told from the base; none without a base."""
        return (
            tuple(variant for variant in self.asked.variants if variant != self.asked.base)
            if self.asked.base
            else ()
        )

    def is_copy(self, variant: str) -> bool:
        """Whether every match came out as by the rules of the base: the rules differ where nobody went."""
        own, base = (
            {game.variant: game.cells for game in self.games}[str(name)]
            for name in (variant, self.asked.base)
        )
        return own.keys() == base.keys() and all(
            np.array_equal(own[pair], base[pair]) for pair in own
        )

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The changes as a frame, CHANGES."""
        import pandas as pd

        rows = [
            (
                variant,
                self.asked.base,
                key,
                self.trait(key).title,
                by.value,
                by.se,
                *by.limits,
                by.p,
                one.p_holm,
                by.n,
            )
            for (variant, key), one in self.changes.items()
            for by in [one.by]
        ]
        return pd.DataFrame(rows, columns=list(CHANGES))

    def cells(self, variant: str) -> dict[tuple[str, str], np.ndarray]:
        """The batch rows of a variant's cells, by A and B, at most MOST_BATCHES of each."""
        return {
            (one.a, one.b): merged(self.found.rows(i))
            for i, one in enumerate(self.found.cells)
            if one.variant == variant
        }

    def matchup(self, variant: str, a: str, b: str | None, unit: Any = "deal") -> Matchup:
        """Who is played in another pass over the same packs."""
        return parse_matchup(a, b, variant, self.asked.seed, unit)

    def value(self, variant: str) -> Value:
        """V of gold-early against itself. ValueRefused where there is none."""
        return value.compute(
            variant, FULL, FULL, deals=self.singles, seed=self.asked.seed, workers=self.workers
        )

    def turns(self, variant: str) -> Turns:
        """Single deals of gold-early against itself, turn by turn: fewer than of the others, since every hand is looked at."""
        if variant not in self._turns:
            n = min(self.singles // HANDS, MOST_HANDS)
            self._turns[variant] = turns.play(self.matchup(variant, FULL, FULL), n, self.workers)
        return self._turns[variant]

    def course(self, variant: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The drama of matches of gold-early against itself, and how some of them swing (`drama.measure`, `drama.sample`)."""
        if variant not in self._courses:
            n = min(self.asked.matches, MOST_COURSES)
            one = drama.follow(
                variant, FULL, FULL, matches=n, seed=self.asked.seed, workers=self.workers
            )
            self._courses[variant] = drama.measure(one), drama.sample(one)
        return self._courses[variant]

    def _game(self, variant: str) -> Game:
        return Game(
            variant,
            variants.find(variant).row,
            self.asked.field,
            self.asked.players,
            self.cells(variant),
            self._extra(variant),
        )

    def deals(self, variant: str) -> Deals:
        """Single deals of the best player of a game for one."""
        return sample.of(
            solo_metrics.best(variant),
            variant,
            SINGLES_ALONE * self.asked.matches,
            seed=self.asked.seed,
            workers=self.workers,
        )

    def _extra(self, variant: str) -> dict[str, Told]:
        if self.asked.alone:
            return solo_metrics.extras(self.deals(variant))
        found = {"luck": self._luck(variant)}
        if self.asked.deep:
            found |= (
                {"break_even": self._break_even(variant)}
                | self._course(variant)
                | self._choice(variant)
            )
        return found

    def _course(self, variant: str) -> dict[str, Told]:
        """Of the drama family what is measured turn by turn: the coarser form, from deal to deal, is another measure."""
        rows = self.course(variant)[0].to_dict("records")
        if any(row["step"] != "turn" for row in rows):
            return {row["metric"]: "the chance to win is known between deals only" for row in rows}
        return _extras(rows)

    def _choice(self, variant: str) -> dict[str, Told]:
        return _extras(turns.decisions(self.turns(variant)).to_dict("records"))

    def _break_even(self, variant: str) -> Told:
        """From the cells of the same game with other bonuses."""
        ks = knocking.limits(variants.find(variant).row)
        if len(ks) < 2:
            return rule_metrics.BY_GIN_ALONE
        ends = (ks[0], ks[-1])
        return knocking.break_even(
            {bonus: self._waiting(text, ends) for bonus, text in with_bonuses(variant).items()}
        )

    def _waiting(self, variant: str, ends: tuple[int, int]) -> Quantity:
        """What the lowest limit makes of the highest."""
        rows = {
            (k, j): self.cells(variant).get((knocking.player(k), knocking.player(j)))
            for k, j in (ends, ends[::-1])
        }
        return Matrix(
            ends, {pair: cell for pair, cell in rows.items() if cell is not None}
        ).patience()

    def _luck(self, variant: str) -> Told:
        rows = runner.run_matchup(self.matchup(variant, *NAMED_PAIR), self.singles, self.workers)
        found = mirroring.luck(rows, "deal")
        return found if found.se > 0 else f"{NAMED_PAIR[0]} and {NAMED_PAIR[1]} play alike here"


def merged(rows: np.ndarray) -> np.ndarray:
    """Batch rows, int64 (batches, columns), of which there are at most MOST_BATCHES: neighbours added up, as many to each."""
    if len(rows) <= MOST_BATCHES:
        return rows
    return np.asarray(
        np.add.reduceat(rows, np.arange(0, len(rows), -(-len(rows) // MOST_BATCHES)), axis=0)
    )


def _extras(rows: Sequence[Mapping[Hashable, Any]]) -> dict[str, Told]:
    return {
        str(row["metric"]): Quantity.with_error(row["value"], row["se"], int(row["n"]))
        for row in rows
    }


def _told(trait: Trait, game: Game, deep: bool) -> Told:
    return "with --deep" if trait.deep and not deep else trait.of(game)


def _row(trait: Trait, told: Told) -> tuple[object, ...]:
    if isinstance(told, str):
        return trait.key, trait.title, np.nan, np.nan, np.nan, np.nan, 0, told
    return trait.key, trait.title, told.value, told.se, *told.limits, told.n, ""
