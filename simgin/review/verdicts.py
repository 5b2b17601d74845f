"""The texts of a review: question, rules in words, and the verdict of each rule set.

A verdict has at most 25 words and no intervals: match length, endings, winners and skill. It
depends only on the effect sizes of the scorecard. For a sweep, the texts give the trend of rows,
the break-even values and the best values.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from simgin.core import batch_columns
from simgin.report.numbers import EN_DASH
from simgin.report.report_table import Column, Table
from simgin.results.sentences import join_words
from simgin.review.review import GIN_VS_KNOCK, SKILL, Effect, MetricKey, Review
from simgin.review.scorecard import LITTLE, MUCH, SAME, UNCLEAR, Measurement, ScorecardRow
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.stats.batches import MIN_BATCHES
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import make_frame
from simgin.strategy.cast import PLAYS_FOR_GIN, STRONG

MAX_WORDS = 25
NO_EFFECT = "Nothing an evening would show."
IDENTICAL = "The same game: every match came out alike."
NEARLY_ALL_DEALS = 0.9  # proportion of deals
# Words for relative changes of length
FRACTIONS = {0.1: "a tenth", 0.2: "a fifth", 0.25: "a quarter", 1 / 3: "a third"}
HALF_AGAIN = 0.42  # relative change from which a length is "half as long again"
# Factors outside this range are given as "so many times as long"
MIN_FRACTION_FACTOR, MAX_FRACTION_FACTOR = 0.6, 1.5
SMALL_FACTOR = 0.2  # smaller factors have two decimals
BASIC_RULES = ("knock_limit", "gin_bonus", "undercut_bonus", "points_target")
# Clauses for significant effects on a row: increase, decrease
EFFECT_WORDS = {
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


def review_question(review: Review) -> str:
    """Return the user's title, or a question on the rules."""
    request = review.request
    if request.title:
        return request.title
    if request.sweep:
        names = join_words([name.replace("_", " ") for name, _ in request.sweep])
        return f"Which {names}?"
    if not request.compared_variants:
        return f"What is {join_words(list(map(variant_label, request.variants)))} like?"
    if len(request.compared_variants) == 1:
        return (
            f"{variant_label(request.compared_variants[0])} or {variant_label(str(request.base))}?"
        )
    *most, last = map(variant_label, request.compared_variants)
    return f"{', '.join(most)} or {last}?"


def variant_label(variant: str) -> str:
    """Return the display name of a rule set, with the settings that differ from it."""
    name, *settings = variant.split("+")
    named = [setting for setting in settings if "=" not in setting]
    words = [setting.replace("_", " ").replace("=", " ") for setting in settings if "=" in setting]
    if words and name == "standard" and not named:
        return capitalize_first(", ".join(words))
    names = " ".join([name.rpartition("#")[2], *named])
    return ", ".join([capitalize_first(names.replace("-", " ")), *words])


def capitalize_first(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]


def describe_rules(review: Review) -> list[tuple[str, str]]:
    """Return a sentence for every rule set: the baseline's main rules, and how others differ."""
    request = review.request
    base = variants.find_variant(request.base or "standard")
    if request.sweep:
        tried = [f"{name.replace('_', ' ')} {join_words(values)}" for name, values in request.sweep]
        return [
            (variant_label(base.spec), f"{capitalize_first('; '.join(_describe_basics(base)))}."),
            ("Tried", f"{'; '.join(tried)}."),
        ]
    sentences = []
    for text in request.variants:
        variant = variants.find_variant(text)
        said = _describe_parameters(
            variant, [name for name, *_ in variants.rule_differences(base, variant)]
        )
        said = said or _describe_basics(variant)
        sentences.append((variant_label(text), f"{capitalize_first('; '.join(said))}."))
    if any(text != base.spec for text in request.variants):
        sentences.append(("Everything else", f"As in {variant_label(base.spec)}."))
    return sentences


def _describe_basics(variant: Variant) -> list[str]:
    return (
        _describe_parameters(variant, BASIC_RULES)
        if variant.params["players"] == 2
        else [variant.about.rstrip(".")]
    )


def _describe_parameters(variant: Variant, names: Sequence[str]) -> list[str]:
    known = variants.rule_parameters()
    acting = [known[name] for name in names if known[name].has_effect(variant.params)]
    return [
        text for text in (rule.player_phrase(variant.params[rule.name]) for rule in acting) if text
    ]


# Verdicts


def review_verdicts(review: Review) -> list[tuple[str, str]]:
    """Return the verdict of every rule set, compared with the baseline if there is one."""
    request = review.request
    if request.compared_variants:
        return [
            (variant_label(variant), variant_verdict(review, variant))
            for variant in request.compared_variants
        ]
    return [
        (variant_label(variant), _single_verdict(review, variant)) for variant in request.variants
    ]


def variant_verdict(review: Review, variant: str) -> str:
    """Return the effects of a rule set, in at most 25 words."""
    if review.is_identical_to_baseline(variant):
        return IDENTICAL
    effects = {
        key: change
        for (of, key, kind), change in review.effects.items()
        if of == variant and kind == STRONG
    }
    skill = skill_effect(review, variant)
    all_same = skill == SAME and all(change.size == SAME for change in effects.values())
    if all_same and not any(review.player_types_differ(variant, key) for key in effects):
        return NO_EFFECT
    clauses = list(_effect_clauses(review, variant, effects))
    clauses.append(SKILL_WORDS[skill])
    return join_clauses(clauses)


def join_clauses(clauses: Sequence[str]) -> str:
    """Return as many clauses as fit as one sentence, always including the last one."""
    *first, last = [clause for clause in clauses if clause]
    kept: list[str] = []
    for clause in first:
        if len(" ".join([*kept, clause, last]).split()) <= MAX_WORDS:
            kept.append(clause)
    return capitalize_first("; ".join([*kept, last])) + "."


def _effect_clauses(review: Review, variant: str, effects: dict[str, Effect]) -> Iterator[str]:
    yield _length_clause(review, variant, effects)
    yield _gin_clause(review, variant, effects.get("gin"))
    waiting = review.effects.get((variant, GIN_VS_KNOCK, PLAYS_FOR_GIN))
    if waiting is not None and waiting.size == MUCH:
        yield "playing for gin pays " + ("more" if waiting.sign > 0 else "less")
    for effect_size in (MUCH, LITTLE):
        for key, words in EFFECT_WORDS.items():
            if key in effects and effects[key].size == effect_size and effects[key].sign:
                a_few = "" if effect_size == MUCH else "slightly "
                yield a_few + words[effects[key].sign < 0]


def _length_clause(review: Review, variant: str, effects: dict[str, Effect]) -> str:
    """Return a clause on match length."""
    change = effects.get("turns_per_match")
    if change is None or change.size == UNCLEAR:
        return ""
    if review.player_types_differ(variant, "turns_per_match") and change.size == SAME:
        return "matches as long between strong players, not for every kind"
    if change.size == SAME:
        return "matches as long"
    way = "longer" if change.sign > 0 else "shorter"
    if change.size == LITTLE:
        return f"matches a little {way}"
    base = review.measurements[str(review.request.base), "turns_per_match", STRONG]
    assert isinstance(base, PairedEstimate)
    return f"matches {format_length_change(change.difference.value / base.value)}"


def format_length_change(relative_change: float) -> str:
    """Return a relative change of a length: `a third shorter`, `2.6 times as long`."""
    factor = 1 + relative_change
    if not MIN_FRACTION_FACTOR < factor < MAX_FRACTION_FACTOR:
        return f"{factor:.{1 if factor >= SMALL_FACTOR else 2}f} times as long"
    if relative_change >= HALF_AGAIN:
        return "half as long again"
    part = FRACTIONS[min(FRACTIONS, key=lambda known: abs(known - abs(relative_change)))]
    return f"{part} {'longer' if relative_change > 0 else 'shorter'}"


def _gin_clause(review: Review, variant: str, effect: Effect | None) -> str:
    if effect is None or not effect.sign:
        return ""
    share = review.measurements[variant, "gin", STRONG]
    assert isinstance(share, PairedEstimate)
    if share.value >= NEARLY_ALL_DEALS and effect.sign > 0:
        return "nearly every deal runs to gin"
    many = "much " if effect.size == MUCH else "a little "
    return many + ("more gin" if effect.sign > 0 else "less gin")


def skill_effect(review: Review, variant: str) -> str:
    """Return the effect on skill, over all weaker player types.

    Returns:
        If all player types agree, the smallest of their effect sizes with its sign: SAME, `+a
        little` or `-much`. `some+` or `some-` if the effect is significant for some, `depends` if
        signs differ, and UNCLEAR otherwise.
    """
    found = [
        change for (of, key, _), change in review.effects.items() if (of, key) == (variant, SKILL)
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


def _single_verdict(review: Review, variant: str) -> str:
    """Return the length, gin rate and skill of a rule set without a baseline."""
    parts = []
    for key, words in (
        ("turns_per_match", "about {} turns a match"),
        ("minutes", "{} minutes"),
        ("win", "a strong player wins {} of the deals"),
        ("gin", "{} of deals end in gin"),
    ):
        found = review.measurements.get((variant, key, STRONG))
        if isinstance(found, PairedEstimate):
            row = next(row for row in review.rows if row.key == key)
            parts.append(words.format(f"{found.value * row.factor:.0f}{row.unit}"))
    return join_clauses(parts)


# Sweeps


TREND_ROWS = ("turns_per_match", "gin", "win")  # rows whose trend the verdict describes
BREAK_EVEN = 0.5

Measurements = Mapping[MetricKey, Measurement]


def format_sweep_point(review: Review, variant: str) -> str:
    """Return the parameter values of a rule set, as in `undercut bonus 10`."""
    point = sweep_point(review, variant)
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in point)


def format_sweep_values(review: Review, variant: str) -> str:
    """Return the values of a rule set, as in `10` or `20 / 10`, or the baseline's name."""
    return " / ".join(value for _, value in sweep_point(review, variant)) or variant_label(variant)


def sweep_point(review: Review, variant: str) -> list[tuple[str, str]]:
    """Return the swept parameters with their values; empty for a separate baseline."""
    request = review.request
    names = [name for name, _ in request.sweep]
    points = itertools.product(*(values for _, values in request.sweep))
    found = dict(zip(request.swept_variants, points, strict=True)).get(variant, ())
    return list(zip(names, found, strict=False))


def sweep_lines(review: Review) -> Iterator[str]:
    """Yield the results of a sweep: trends of rows and break-even values."""
    first, *_, last = review.request.swept_variants
    for row in review.rows:
        if row.key in TREND_ROWS:
            yield from _trend_line(review, row, first, last)
    if review.request.gin_and_knock_players:
        yield (
            _break_even_line(review)
            if len(review.request.sweep) == 1
            else _break_even_grid_line(review)
        )


def _trend_line(review: Review, row: ScorecardRow, first: str, last: str) -> Iterator[str]:
    """Yield the first and last value of a row and the effect size between them."""
    own, other = (review.measurements[variant, row.key, STRONG] for variant in (first, last))
    if not isinstance(own, PairedEstimate) or not isinstance(other, PairedEstimate):
        return
    change = review.compute_effect(other, own, row.key)
    way = row.more if change.difference.value > 0 else row.less
    word = f"{change.size} {way}" if change.sign else change.size
    start = f"{row.format_value(own.value)} at {format_sweep_point(review, first)}"
    end = f"{row.format_value(other.value)} at {format_sweep_point(review, last)}"
    yield f"{row.title}: {start}, {end}: {word}"


def _break_even_line(review: Review) -> str:
    """Return a line on the values for which playing for gin beats knocking immediately."""
    ((name, _),) = review.request.sweep
    by_result: dict[str, list[str]] = {}
    for variant, way in _gin_vs_knock_signs(review).items():
        word = {1: "beats it", -1: "loses to it", 0: UNCLEAR}[way]
        by_result.setdefault(word, []).append(variant)
    parameter = name.replace("_", " ")
    if len(by_result) == 1:
        parts = [f"{next(iter(by_result))} with every {parameter} tried"]
    else:
        parts = [
            f"{word} with {parameter} {join_words(value_ranges(review, of))}"
            for word, of in by_result.items()
        ]
    return f"Playing for gin against knocking at once: {'; '.join(parts)}"


def _gin_vs_knock_signs(review: Review) -> dict[str, int]:
    """Return 1 by rule set if playing for gin beats knocking immediately, or -1 if it loses.

    The sign is 0 if the result is not significant at 5 %, with Holm's adjustment over the sweep.
    """
    known: dict[str, PairedEstimate] = {}
    for variant in review.request.swept_variants:
        share = review.measurements[variant, GIN_VS_KNOCK, PLAYS_FOR_GIN]
        assert isinstance(share, PairedEstimate)
        known[variant] = share.rescale(1, -BREAK_EVEN)
    adjusted = adjust_p_values(np.array([gain.p for gain in known.values()], float))
    return {
        variant: int(np.sign(gain.value)) if p < ALPHA else 0
        for (variant, gain), p in zip(known.items(), adjusted, strict=True)
    }


def value_ranges(review: Review, chosen: Sequence[str]) -> list[str]:
    """Return the values of these rule sets; three or more consecutive ones as `0 to 6`."""
    found = []
    for is_chosen, run in itertools.groupby(review.request.swept_variants, chosen.__contains__):
        texts = [format_sweep_values(review, variant) for variant in run] if is_chosen else []
        if len(texts) > 2 and len(review.request.sweep) == 1:
            texts = [f"{texts[0]} to {texts[-1]}"]
        found += texts
    return found


def _break_even_grid_line(review: Review) -> str:
    """Return the values of the second parameter for which gin pays, for each first value."""
    (first, firsts), (second, seconds) = review.request.sweep
    wins = _gin_vs_knock_signs(review)
    parts = []
    for place, value in enumerate(firsts):
        row = review.request.swept_variants[place * len(seconds) : (place + 1) * len(seconds)]
        pays = [text for text, variant in zip(seconds, row, strict=True) if wins[variant] > 0]
        parts.append(f"{join_words(pays) if pays else 'none'} with {value}")
    names = f"these values of {second.replace('_', ' ')}, by {first.replace('_', ' ')}"
    return f"Playing for gin beats knocking at once under {names}: {'; '.join(parts)}"


# Best values

# With fewer matches, one half of the pairs has no standard error
ENOUGH_MATCHES = 4 * MIN_BATCHES * batch_columns.MATCH_BATCH_SIZE


def _imbalance(number: PairedEstimate) -> PairedEstimate:
    """Return the distance of a proportion from one half."""
    return (
        number.rescale(1, -BREAK_EVEN)
        if number.value >= BREAK_EVEN
        else number.rescale(-1, BREAK_EVEN)
    )


# Aims: title, metric, player type, and a function that the best value minimizes
AIMS: tuple[tuple[str, str, str, Callable[[PairedEstimate], PairedEstimate]], ...] = (
    ("fewest dead hands", "dead", STRONG, lambda number: number),
    ("fairest seats", "seat", STRONG, _imbalance),
    (
        "knocking at once and playing for gin worth the same",
        GIN_VS_KNOCK,
        PLAYS_FOR_GIN,
        _imbalance,
    ),
)


def best_values_table(review: Review) -> Table:
    """Return the best value for each aim, and those that are not significantly worse."""
    even = replace(review, parity=0).measurements
    odd = replace(review, parity=1).measurements
    rows = []
    aims = list(AIMS)
    for kind, _ in review.request.kinds:
        aims.append((f"most skill against: {kind}", SKILL, kind, lambda number: number.rescale(-1)))
    for title, metric, kind, bad in aims:
        known = _losses(review, even, metric, kind, bad)
        if not known:
            continue
        chosen = min(known, key=lambda variant: known[variant].value)
        not_worse = _not_worse_text(review, _losses(review, odd, metric, kind, bad), chosen)
        rows.append({"aim": title, "best": format_sweep_values(review, chosen), "near": not_worse})
    columns = (Column("aim", "aim"), Column("best", "best"), Column("near", "not clearly worse"))
    note = (
        "Chosen on one half of the packs and judged on the other, at 5 % (Holm). A dash: that half "
        f"has fewer than {MIN_BATCHES} batches, so play at least {ENOUGH_MATCHES:,} matches."
    )
    names = " / ".join(name.replace("_", " ") for name, _ in review.request.sweep)
    return Table(f"Best {names}", make_frame(rows, ("aim", "best", "near")), columns, note)


def _losses(
    review: Review,
    measurements: Measurements,
    metric: str,
    player_type: str,
    loss: Callable[[PairedEstimate], PairedEstimate],
) -> dict[str, PairedEstimate]:
    """Return the value that an aim minimizes, by rule set."""
    found = {
        variant: measurements.get((variant, metric, player_type))
        for variant in review.request.swept_variants
    }
    numbers = {variant: own for variant, own in found.items() if isinstance(own, PairedEstimate)}
    return {variant: loss(own) for variant, own in numbers.items() if not np.isnan(own.value)}


def _not_worse_text(review: Review, known: Mapping[str, PairedEstimate], best: str) -> str:
    """Return the values that are not significantly worse than the best, or a dash."""
    others = _not_significantly_worse(known, best)
    if others is None:
        return EN_DASH
    if len(others) == len(review.request.swept_variants) - 1:
        return "all the others"
    return ", ".join(value_ranges(review, others)) or "none"


def _not_significantly_worse(known: Mapping[str, PairedEstimate], best: str) -> list[str] | None:
    """Return the rule sets that are not significantly worse than the best one.

    Returns None if there are too few batches for a test.
    """
    others = [variant for variant in known if variant != best]
    worse = [known[variant] - known[best] for variant in others]
    if any(np.isnan(own.se) for own in worse):
        return None
    adjusted = adjust_p_values(np.array([own.p if own.value > 0 else 1.0 for own in worse], float))
    return [variant for variant, p in zip(others, adjusted, strict=True) if not p < ALPHA]
