"""The texts of a review: question, rules in words, and the verdict of each rule set.

A verdict has at most 25 words and no intervals: match length, endings, winners and skill. It
depends only on the effect sizes of the scorecard. For a sweep, the texts give the trend of rows,
the break-even values and the best values.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from simgin.core import sums
from simgin.findings.verdict import listed
from simgin.report.numbers import DASH
from simgin.report.table import Column, Table
from simgin.review.review import SKILL, WAITING, Change, Key, Review
from simgin.review.scorecard import LITTLE, MUCH, SAME, UNCLEAR, Measurement, Row
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.stats.batches import ENOUGH_BATCHES
from simgin.stats.differences import holm
from simgin.stats.quantity import Quantity
from simgin.stats.table import frame_of
from simgin.strategy.cast import PLAYS_FOR_GIN, STRONG

MOST_WORDS = 25
NOTHING = "Nothing an evening would show."
THE_SAME_GAME = "The same game: every match came out alike."
NEARLY_ALL = 0.9  # proportion of deals
# Words for relative changes of length
FRACTIONS = {0.1: "a tenth", 0.2: "a fifth", 0.25: "a quarter", 1 / 3: "a third"}
HALF_AGAIN = 0.42  # relative change from which a length is "half as long again"
# Factors outside this range are given as "so many times as long"
SHORT, LONG = 0.6, 1.5
SMALL = 0.2  # smaller factors have two decimals
BASIC_RULES = ("knock_limit", "gin_bonus", "undercut_bonus", "points_target")
# Clauses for significant effects on a row: increase, decrease
OTHERS = {
    "dead": ("more dead hands", "fewer dead hands"),
    "shut_out": ("more shut-outs", "fewer shut-outs"),
    "comebacks": ("more comebacks", "fewer comebacks"),
    "seat": ("better for the nondealer", "worse for the nondealer"),
    "knock_turn": ("later knocks", "earlier knocks"),
    "turns": ("longer deals", "shorter deals"),
    "draws": ("longer deals", "shorter deals"),
    "win": ("deals easier to win", "deals harder to win"),
    "match_win": ("matches easier to win", "matches harder to win"),
}


# Question and rules


def question(review: Review) -> str:
    """Return the user's title, or a question on the rules."""
    request = review.request
    if request.title:
        return request.title
    if request.sweep:
        names = listed([name.replace("_", " ") for name, _ in request.sweep])
        return f"Which {names}?"
    if not request.others:
        return f"What is {listed(list(map(label, request.variants)))} like?"
    if len(request.others) == 1:
        return f"{label(request.others[0])} or {label(str(request.base))}?"
    *most, last = map(label, request.others)
    return f"{', '.join(most)} or {last}?"


def label(variant: str) -> str:
    """Return the display name of a rule set, with the settings that differ from it."""
    name, *settings = variant.split("+")
    named = [setting for setting in settings if "=" not in setting]
    words = [setting.replace("_", " ").replace("=", " ") for setting in settings if "=" in setting]
    if words and name == "standard" and not named:
        return capital(", ".join(words))
    names = " ".join([name.rpartition("#")[2], *named])
    return ", ".join([capital(names.replace("-", " ")), *words])


def capital(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]


def rules_in_words(review: Review) -> list[tuple[str, str]]:
    """Return a sentence for every rule set: the baseline's main rules, and how others differ."""
    request = review.request
    base = variants.find(request.base or "standard")
    if request.sweep:
        tried = [f"{name.replace('_', ' ')} {listed(values)}" for name, values in request.sweep]
        return [
            (label(base.text), f"{capital('; '.join(_basic(base)))}."),
            ("Tried", f"{'; '.join(tried)}."),
        ]
    sentences = []
    for text in request.variants:
        variant = variants.find(text)
        said = _said(variant, [name for name, *_ in variants.difference(base, variant)])
        said = said or _basic(variant)
        sentences.append((label(text), f"{capital('; '.join(said))}."))
    if any(text != base.text for text in request.variants):
        sentences.append(("Everything else", f"As in {label(base.text)}."))
    return sentences


def _basic(variant: Variant) -> list[str]:
    return (
        _said(variant, BASIC_RULES) if variant.row["players"] == 2 else [variant.about.rstrip(".")]
    )


def _said(variant: Variant, names: Sequence[str]) -> list[str]:
    known = variants.parameters()
    acting = [known[name] for name in names if known[name].acts(variant.row)]
    return [text for text in (rule.said(variant.row[rule.name]) for rule in acting) if text]


# Verdicts


def verdicts(review: Review) -> list[tuple[str, str]]:
    """Return the verdict of every rule set, compared with the baseline if there is one."""
    request = review.request
    if request.others:
        return [(label(variant), verdict(review, variant)) for variant in request.others]
    return [(label(variant), _alone(review, variant)) for variant in request.variants]


def verdict(review: Review, variant: str) -> str:
    """Return the effects of a rule set, in at most 25 words."""
    if review.is_copy(variant):
        return THE_SAME_GAME
    own = {
        key: change
        for (of, key, kind), change in review.changes.items()
        if of == variant and kind == STRONG
    }
    skilled = skill_size(review, variant)
    all_same = skilled == SAME and all(change.size == SAME for change in own.values())
    if all_same and not any(review.disagree(variant, key) for key in own):
        return NOTHING
    clauses = list(_clauses(review, variant, own))
    clauses.append(SKILL_WORDS[skilled])
    return sentence(clauses)


def sentence(clauses: Sequence[str]) -> str:
    """Return as many clauses as fit as one sentence, always including the last one."""
    *first, last = [clause for clause in clauses if clause]
    kept: list[str] = []
    for clause in first:
        if len(" ".join([*kept, clause, last]).split()) <= MOST_WORDS:
            kept.append(clause)
    return capital("; ".join([*kept, last])) + "."


def _clauses(review: Review, variant: str, own: dict[str, Change]) -> Iterator[str]:
    yield _length(review, variant, own)
    yield _gin(review, variant, own.get("gin"))
    waiting = review.changes.get((variant, WAITING, PLAYS_FOR_GIN))
    if waiting is not None and waiting.size == MUCH:
        yield "playing for gin pays " + ("more" if waiting.sign > 0 else "less")
    for wanted in (MUCH, LITTLE):
        for key, words in OTHERS.items():
            if key in own and own[key].size == wanted and own[key].sign:
                a_few = "" if wanted == MUCH else "slightly "
                yield a_few + words[own[key].sign < 0]


def _length(review: Review, variant: str, own: dict[str, Change]) -> str:
    """Return a clause on match length."""
    change = own.get("turns_per_match")
    if change is None or change.size == UNCLEAR:
        return ""
    if review.disagree(variant, "turns_per_match") and change.size == SAME:
        return "matches as long between strong players, not for every kind"
    if change.size == SAME:
        return "matches as long"
    way = "longer" if change.sign > 0 else "shorter"
    if change.size == LITTLE:
        return f"matches a little {way}"
    base = review.figures[str(review.request.base), "turns_per_match", STRONG]
    assert isinstance(base, Quantity)
    return f"matches {times(change.difference.value / base.value)}"


def times(change: float) -> str:
    """Return a relative change of a length: `a third shorter`, `2.6 times as long`."""
    factor = 1 + change
    if not SHORT < factor < LONG:
        return f"{factor:.{1 if factor >= SMALL else 2}f} times as long"
    if change >= HALF_AGAIN:
        return "half as long again"
    part = FRACTIONS[min(FRACTIONS, key=lambda known: abs(known - abs(change)))]
    return f"{part} {'longer' if change > 0 else 'shorter'}"


def _gin(review: Review, variant: str, change: Change | None) -> str:
    if change is None or not change.sign:
        return ""
    share = review.figures[variant, "gin", STRONG]
    assert isinstance(share, Quantity)
    if share.value >= NEARLY_ALL and change.sign > 0:
        return "nearly every deal runs to gin"
    many = "much " if change.size == MUCH else "a little "
    return many + ("more gin" if change.sign > 0 else "less gin")


def skill_size(review: Review, variant: str) -> str:
    """Return the effect on skill, over all weaker player types.

    Returns:
        If all player types agree, the smallest of their effect sizes with its sign: SAME, `+a
        little` or `-much`. `some+` or `some-` if the effect is significant for some, `depends` if
        signs differ, and UNCLEAR otherwise.
    """
    found = [
        change for (of, key, _), change in review.changes.items() if (of, key) == (variant, SKILL)
    ]
    clear = [change for change in found if change.sign]
    signs = {change.sign for change in clear}
    if not clear:
        return SAME if found and all(change.size == SAME for change in found) else UNCLEAR
    if len(signs) > 1:
        return "depends"
    sign = "+" if signs == {1} else "-"
    if len(clear) < len(found):
        return f"some{sign}"
    return sign + (MUCH if all(change.size == MUCH for change in clear) else LITTLE)


SKILL_WORDS = {
    SAME: "skill counts as before",
    UNCLEAR: "no clear change in skill",
    "depends": "skill counts more against some, less against others",
    "some+": "skill counts more, against some",
    "some-": "skill counts less, against some",
    f"+{LITTLE}": "skill counts a little more",
    f"+{MUCH}": "skill counts much more",
    f"-{LITTLE}": "skill counts a little less",
    f"-{MUCH}": "skill counts much less",
}


def _alone(review: Review, variant: str) -> str:
    """Return the length, gin rate and skill of a rule set without a baseline."""
    parts = []
    for key, words in (
        ("turns_per_match", "about {} turns a match"),
        ("minutes", "{} minutes"),
        ("win", "a strong player wins {} of the deals"),
        ("gin", "{} of deals end in gin"),
    ):
        found = review.figures.get((variant, key, STRONG))
        if isinstance(found, Quantity):
            row = next(row for row in review.rows if row.key == key)
            parts.append(words.format(f"{found.value * row.factor:.0f}{row.unit}"))
    return sentence(parts)


# Sweeps


TOLD = ("turns_per_match", "gin", "win")  # rows whose trend the verdict describes
EVEN = 0.5
SURE = 0.05

Figures = Mapping[Key, Measurement]


def words(review: Review, variant: str) -> str:
    """Return the parameter values of a rule set, as in `undercut bonus 10`."""
    point = request_point(review, variant)
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in point)


def values(review: Review, variant: str) -> str:
    """Return the values of a rule set, as in `10` or `20 / 10`, or the baseline's name."""
    return " / ".join(value for _, value in request_point(review, variant)) or label(variant)


def request_point(review: Review, variant: str) -> list[tuple[str, str]]:
    """Return the swept parameters with their values; empty for a separate baseline."""
    request = review.request
    names = [name for name, _ in request.sweep]
    points = itertools.product(*(values for _, values in request.sweep))
    found = dict(zip(request.swept, points, strict=True)).get(variant, ())
    return list(zip(names, found, strict=False))


def sweep_lines(review: Review) -> Iterator[str]:
    """Yield the results of a sweep: trends of rows and break-even values."""
    first, *_, last = review.request.swept
    for row in review.rows:
        if row.key in TOLD:
            yield from _course(review, row, first, last)
    if review.request.waiting:
        yield _break_even(review) if len(review.request.sweep) == 1 else _break_evens(review)


def _course(review: Review, row: Row, first: str, last: str) -> Iterator[str]:
    """Yield the first and last value of a row and the effect size between them."""
    own, other = (review.figures[variant, row.key, STRONG] for variant in (first, last))
    if not isinstance(own, Quantity) or not isinstance(other, Quantity):
        return
    change = review.change(other, own, row.key)
    way = row.more if change.difference.value > 0 else row.less
    word = f"{change.size} {way}" if change.sign else change.size
    ends = f"{row.text(own.value)} at {words(review, first)}, {row.text(other.value)} at "
    yield f"{row.title}: {ends}{words(review, last)}: {word}"


def _break_even(review: Review) -> str:
    """Return a line on the values for which playing for gin beats knocking immediately."""
    ((name, _),) = review.request.sweep
    found: dict[str, list[str]] = {}
    for variant, way in _waiting_wins(review).items():
        word = {1: "beats it", -1: "loses to it", 0: UNCLEAR}[way]
        found.setdefault(word, []).append(variant)
    parameter = name.replace("_", " ")
    if len(found) == 1:
        parts = [f"{next(iter(found))} with every {parameter} tried"]
    else:
        parts = [
            f"{word} with {parameter} {listed(spans(review, of))}" for word, of in found.items()
        ]
    return f"Playing for gin against knocking at once: {'; '.join(parts)}"


def _waiting_wins(review: Review) -> dict[str, int]:
    """Return 1 by rule set if playing for gin beats knocking immediately, or -1 if it loses.

    The sign is 0 if the result is not significant at 5 %, with Holm's adjustment over the sweep.
    """
    known: dict[str, Quantity] = {}
    for variant in review.request.swept:
        share = review.figures[variant, WAITING, PLAYS_FOR_GIN]
        assert isinstance(share, Quantity)
        known[variant] = share.scaled(1, -EVEN)
    adjusted = holm(np.array([gain.p for gain in known.values()], float))
    return {
        variant: int(np.sign(gain.value)) if p < SURE else 0
        for (variant, gain), p in zip(known.items(), adjusted, strict=True)
    }


def spans(review: Review, chosen: Sequence[str]) -> list[str]:
    """Return the values of these rule sets; three or more consecutive ones as `0 to 6`."""
    found = []
    for is_chosen, run in itertools.groupby(review.request.swept, chosen.__contains__):
        texts = [values(review, variant) for variant in run] if is_chosen else []
        if len(texts) > 2 and len(review.request.sweep) == 1:
            texts = [f"{texts[0]} to {texts[-1]}"]
        found += texts
    return found


def _break_evens(review: Review) -> str:
    """Return the values of the second parameter for which gin pays, for each first value."""
    (first, firsts), (second, seconds) = review.request.sweep
    wins = _waiting_wins(review)
    parts = []
    for place, value in enumerate(firsts):
        row = review.request.swept[place * len(seconds) : (place + 1) * len(seconds)]
        pays = [text for text, variant in zip(seconds, row, strict=True) if wins[variant] > 0]
        parts.append(f"{listed(pays) if pays else 'none'} with {value}")
    names = f"these values of {second.replace('_', ' ')}, by {first.replace('_', ' ')}"
    return f"Playing for gin beats knocking at once under {names}: {'; '.join(parts)}"


# Best values

# With fewer matches, one half of the pairs has no standard error
ENOUGH_MATCHES = 4 * ENOUGH_BATCHES * sums.BATCH_MATCHES


def _uneven(number: Quantity) -> Quantity:
    """Return the distance of a proportion from one half."""
    return number.scaled(1, -EVEN) if number.value >= EVEN else number.scaled(-1, EVEN)


# Aims: title, metric, player type, and a function that the best value minimizes
AIMS: tuple[tuple[str, str, str, Callable[[Quantity], Quantity]], ...] = (
    ("fewest dead hands", "dead", STRONG, lambda number: number),
    ("fairest seats", "seat", STRONG, _uneven),
    ("knocking at once and playing for gin worth the same", WAITING, PLAYS_FOR_GIN, _uneven),
)


def best_values(review: Review) -> Table:
    """Return the best value for each aim, and those that are not significantly worse."""
    even = replace(review, half=0).figures
    odd = replace(review, half=1).figures
    rows = []
    aims = list(AIMS)
    for kind, _ in review.request.kinds:
        aims.append((f"most skill against: {kind}", SKILL, kind, lambda number: number.scaled(-1)))
    for title, metric, kind, bad in aims:
        known = _badness(review, even, metric, kind, bad)
        if not known:
            continue
        chosen = min(known, key=lambda variant: known[variant].value)
        near = _near(review, _badness(review, odd, metric, kind, bad), chosen)
        rows.append({"aim": title, "best": values(review, chosen), "near": near})
    columns = (Column("aim", "aim"), Column("best", "best"), Column("near", "not clearly worse"))
    note = (
        "Chosen on one half of the packs and judged on the other, at 5 % (Holm). A dash: that half "
        f"has fewer than {ENOUGH_BATCHES} batches, so play at least {ENOUGH_MATCHES:,} matches."
    )
    names = " / ".join(name.replace("_", " ") for name, _ in review.request.sweep)
    return Table(f"Best {names}", frame_of(rows, ("aim", "best", "near")), columns, note)


def _badness(
    review: Review, figures: Figures, metric: str, kind: str, bad: Callable[[Quantity], Quantity]
) -> dict[str, Quantity]:
    """Return the value that an aim minimizes, by rule set."""
    found = {variant: figures.get((variant, metric, kind)) for variant in review.request.swept}
    numbers = {variant: own for variant, own in found.items() if isinstance(own, Quantity)}
    return {variant: bad(own) for variant, own in numbers.items() if not np.isnan(own.value)}


def _near(review: Review, known: Mapping[str, Quantity], best: str) -> str:
    """Return the values that are not significantly worse than the best, or a dash."""
    others = _not_clearly_worse(known, best)
    if others is None:
        return DASH
    if len(others) == len(review.request.swept) - 1:
        return "all the others"
    return ", ".join(spans(review, others)) or "none"


def _not_clearly_worse(known: Mapping[str, Quantity], best: str) -> list[str] | None:
    """Return the rule sets that are not significantly worse than the best one.

    Returns None if there are too few batches for a test.
    """
    others = [variant for variant in known if variant != best]
    worse = [known[variant] - known[best] for variant in others]
    if any(np.isnan(own.se) for own in worse):
        return None
    adjusted = holm(np.array([own.p if own.value > 0 else 1.0 for own in worse], float))
    return [variant for variant, p in zip(others, adjusted, strict=True) if not p < SURE]
