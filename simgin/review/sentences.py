"""A review as people get it: what changes in sentences, the tables, the page, and all files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simgin.findings.sentences import SURE
from simgin.report import numbers
from simgin.report.sheet import Sheet
from simgin.review.review import Change, Review
from simgin.review.rule_metrics import Game, Told, Trait
from simgin.stats.estimate import smallest_detectable_difference
from simgin.stats.quantity import Quantity

MOST_CHANGES = 6  # that are told of one variant
PORTRAIT = ("turns", "void", "gin", "seat", "best_k", "luck")  # what is told of a game by itself
PORTRAIT_ALONE = (
    "win",
    "win_gap",
    "penalty",
    "penalty_gap",
    "match_win",
    "gin",
    "turns",
    "joker_share",
)
DEEPER = "with --deep"
GAINS, LOSES = "gains", "loses"


# Sentences


def sentences(review: Review) -> list[str]:
    """What the rules do, a paragraph a variant: against the base, the greatest changes first, or in themselves where there is none."""
    if review.asked.base is None:
        told = [_portrait(review, variant) for variant in review.asked.variants]
    else:
        told = [_changes(review, variant) for variant in review.others]
    alike = [_alike(game.variant, names) for game in review.games for names in game.alike]
    return [
        *told,
        *alike,
        *(_without_die(game.variant) for game in review.games if _is_without_die(review, game)),
    ]


def _is_without_die(review: Review, game: Game) -> bool:
    """Whether there is a die that nobody uses."""
    if game.row["die"] == "off":
        return False
    strategies = review.found.record.identity["strategies"]
    return all(strategies[name]["policies"]["offer"] == "none" for name in game.field)


def _without_die(variant: str) -> str:
    return f"{variant}: none of these players offers the die, so nothing here is about stakes."


def _alike(variant: str, names: Sequence[str]) -> str:
    return f"{variant}: {', '.join(names[:-1])} and {names[-1]} play alike; every deal of theirs came out the same."


def _portrait(review: Review, variant: str) -> str:
    keys = PORTRAIT_ALONE if review.asked.alone else PORTRAIT
    said = [_said(review.trait(key), review.told[variant, key]) for key in keys]
    return f"{variant}: {'; '.join(filter(None, said))}."


def _said(trait: Trait, told: Told) -> str:
    return (
        trait.said.format(value=_cell(trait, told))
        if isinstance(told, Quantity) and not np.isnan(told.limits).any()
        else ""
    )


def _words(trait: Trait, own: Quantity) -> str:
    """The sentence of a trait about a number: what gains less than nothing loses."""
    said = trait.said if own.value >= 0 else trait.said.replace(GAINS, LOSES)
    return said.format(value=_plain(trait, own, signed=said == trait.said))


def _plain(trait: Trait, own: Quantity, *, signed: bool = True) -> str:
    """A number as a sentence has it: to the first digit of its error, which the tables have in full."""
    value = own.value if signed else abs(own.value)
    return (
        f"{value:g}"
        if own.span is not None
        else numbers.number(trait.factor * value, 10 * trait.factor * _half(own))
    )


def _changes(review: Review, variant: str) -> str:
    """The greatest change of every theme, and what did not change."""
    if review.is_copy(variant):
        return f"{variant} against {review.asked.base}: no difference; every deal of every match came out the same."
    own = {review.trait(key): one for (name, key), one in review.changes.items() if name == variant}
    notable = [
        trait for trait, change in own.items() if _is_notable(review, variant, trait, change)
    ]
    greatest: dict[str, Trait] = {}
    for trait in sorted(notable, key=lambda trait: -abs(own[trait].by.value) / trait.notable):
        greatest.setdefault(trait.theme, trait)
    parts = [
        _change(review, variant, trait) for trait in list(greatest.values())[:MOST_CHANGES]
    ] or ["nothing was found that changes much"]
    same = [
        f"{trait.title} ({_least(trait, one)})"
        for trait, one in own.items()
        if trait.said and one.p_holm >= SURE
    ]
    equal = [
        trait.title
        for trait, one in own.items()
        if trait.said and one.is_none and _is_something(trait, review.told[variant, trait.key])
    ]
    unchanged = f" Not told apart (so much would have shown): {', '.join(same)}." if same else ""
    unchanged += f" The same to the last deal: {', '.join(equal)}." if equal else ""
    return f"{variant} against {review.asked.base}: {'; '.join(parts)}.{unchanged}"


def _is_notable(review: Review, variant: str, trait: Trait, change: Change) -> bool:
    """Whether a difference is sure, and large enough to be told."""
    own, base = (_number(review, name, trait) for name in (variant, review.asked.base))
    if (
        own.span is not None and base.span is not None
    ):  # a choice: sure if what may be best here is never so there
        sure = own.span[0] > base.span[1] or own.span[1] < base.span[0]
    else:
        sure = change.p_holm < SURE
    return bool(trait.said) and sure and abs(change.by.value) >= trait.notable


def _change(review: Review, variant: str, trait: Trait) -> str:
    """`a deal takes 23.22 turns, 6.30 ± 0.02 more (16.92)`: in the variant, the difference, in the base."""
    own, other = (_number(review, name, trait) for name in (variant, review.asked.base))
    if own.span is not None:
        return f"{_words(trait, own)}, not {_plain(trait, other)}"
    change = review.changes[variant, trait.key].by
    half = trait.factor * _half(change)
    by = f"{numbers.number(trait.factor * abs(change.value), 10 * half)} ± {numbers.number(half, 10 * half)}"
    return f"{_words(trait, own)}, {by} {'more' if change.value > 0 else 'less'} ({_plain(trait, other)})"


def _number(review: Review, variant: str | None, trait: Trait) -> Quantity:
    told = review.told[str(variant), trait.key]
    assert isinstance(told, Quantity), f"{trait.key} has no number"
    return told


def _half(one: Quantity) -> float:
    low, high = one.limits
    return (high - low) / 2


def _least(trait: Trait, change: Change) -> str:
    """What would have been found four times in five."""
    least = trait.factor * smallest_detectable_difference(change.by.se)
    return numbers.number(least, least)


def told(review: Review, keys: Sequence[str]) -> str:
    """Some metrics of every variant in words, for whoever cannot see the picture."""
    parts = [
        f"{variant}: {', '.join(f'{review.trait(key).title} {_cell(review.trait(key), review.told[variant, key])}' for key in keys)}"
        for variant in review.asked.variants
    ]
    return "; ".join(parts) + "."


# Tables


def metrics(review: Review) -> Sheet:
    """A row for every metric, a column for every variant, the base first."""
    names = review.asked.variants
    rows = [
        (trait.title, *(_cell(trait, review.told[name, trait.key]) for name in names))
        for trait in _shown(review)
    ]
    return Sheet("Metrics", ("metric", *names), rows, _note(review))


def differences(review: Review) -> Sheet:
    """The same for the differences from the base; no rows where there is none."""
    rows = [
        (trait.title, *(_difference(review, name, trait) for name in review.others))
        for trait in _shown(review)
    ]
    tested = sum(not np.isnan(one.p_holm) for one in review.changes.values())
    note = f"On the same packs: paired. * is p < {SURE} after Holm's adjustment for {tested} comparisons; none: the same to the last deal."
    return Sheet(
        f"Minus {review.asked.base}",
        ("metric", *review.others),
        [row for row in rows if any(row[1:])],
        note,
    )


def every(review: Review) -> Sheet:
    """A row for every metric of every variant, to sort and filter."""
    headings: tuple[str, ...] = ("metric", "variant", "value", f"minus {review.asked.base}", "n")
    rows: list[tuple[str, ...]] = [
        (
            trait.title,
            name,
            _cell(trait, told),
            _difference(review, name, trait),
            f"{told.n:,}" if isinstance(told, Quantity) else "",
        )
        for trait in _shown(review)
        for name in review.asked.variants
        for told in [review.told[name, trait.key]]
    ]
    if review.asked.base is None:
        headings, rows = headings[:3] + headings[4:], [row[:3] + row[4:] for row in rows]
    return Sheet("Every metric", headings, rows, _note(review))


def _shown(review: Review) -> list[Trait]:
    """The traits that are not nothing everywhere: endings that never came, what was left out."""
    return [
        trait
        for trait in review.asked.traits
        if any(
            _is_something(trait, review.told[variant, trait.key])
            for variant in review.asked.variants
        )
    ]


def _is_something(trait: Trait, told: Told) -> bool:
    return isinstance(told, Quantity) and (told.value != 0 or trait.theme != "endings")


def _cell(trait: Trait, told: Told) -> str:
    if isinstance(told, str):
        return numbers.DASH
    if told.span is not None:
        low, high = told.span
        return f"{told.value:g}" + (f" ({low:g} to {high:g})" if low < high else "")
    return numbers.estimate(told.value, *told.limits, trait.factor)


def _difference(review: Review, variant: str, trait: Trait) -> str:
    if (variant, trait.key) not in review.changes:
        return ""
    change = review.changes[variant, trait.key]
    if change.is_none:
        return "none"
    if _number(review, variant, trait).span is not None:
        return f"{change.by.value:+g}" if change.by.value else "0"
    return numbers.estimate(change.by.value, *change.by.limits, trait.factor) + (
        " *" if change.p_holm < SURE else ""
    )


def _note(review: Review) -> str:
    """How to read the cells, and why some are dashes."""
    reasons: dict[str, list[str]] = {}
    for (variant, key), told in review.told.items():
        if isinstance(told, str) and told != DEEPER:
            reasons.setdefault(f"{variant}: {told}", []).append(review.trait(key).title)
    names = review.asked.variants
    left_out = [
        trait.title
        for trait in review.asked.traits
        if all(review.told[name, trait.key] == DEEPER for name in names)
    ]
    field = ", ".join(review.asked.field)
    who = "By the best player" if review.asked.alone else f"Means over {field}, each against itself"
    said = [f"{who}. ± and brackets are 95 % intervals."]
    said += [f"{numbers.DASH} in {why} ({', '.join(titles)})." for why, titles in reasons.items()]
    said += [f"Only {DEEPER}: {', '.join(left_out)}."] if left_out else []
    return " ".join(said)
