"""Sentences of a review, with the question, the rules and the verdicts.

A verdict consists of one to three short sentences without intervals: match length, endings, winners
and skill. It depends only on the effect sizes of the scorecard. For a sweep, the sentences describe
the trends of rows, the break-even values and the best values.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from simgin.core import batch_columns
from simgin.report.numbers import EN_DASH
from simgin.report.report_table import Column, Table
from simgin.review.review import GIN_VS_KNOCK, SKILL, Effect, MetricKey, Review
from simgin.review.scorecard import GIN_ROW, LITTLE, MUCH, SAME, UNCLEAR, Measurement, ScorecardRow
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.stats.batches import MIN_BATCHES
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import make_frame
from simgin.strategy.cast import PLAYS_FOR_GIN, PLURALS, STRONG
from simgin.text.messages import join_words

# Maximum number of clauses in a verdict, with two clauses per sentence. The last clause is about
# skill.
MAX_CLAUSES = 5
NO_EFFECT = "Players would not notice the difference, even in ten evenings."
IDENTICAL = "Every match had the same result as under the baseline."
NEARLY_ALL_DEALS = 0.9  # minimum proportion of deals called "nearly every deal"
# Words for relative changes in length
FRACTIONS = {0.1: "a tenth", 0.2: "a fifth", 0.25: "a quarter", 1 / 3: "a third"}
HALF_AGAIN = 0.42  # minimum relative change in length called "half as long again"
# A factor outside this range is formatted as "2.6 times as long".
MIN_FRACTION_FACTOR, MAX_FRACTION_FACTOR = 0.6, 1.5
SMALL_FACTOR = 0.2  # Smaller factors have two decimals.
BASIC_RULES = ("knock_limit", "gin_bonus", "undercut_bonus", "points_target")
SAME_LENGTH = "matches are as long as before"
LENGTH_DIFFERS = f"{SAME_LENGTH} between strong players, but not for every player type"
# Clauses for a significant increase and a significant decrease of a row. The effect size replaces
# {}.
EFFECT_CLAUSES = {
    "dead": ("dead hands are {} more common", "dead hands are {} less common"),
    "shut_out": ("shut-outs are {} more common", "shut-outs are {} less common"),
    "comebacks": ("comebacks are {} more common", "comebacks are {} less common"),
    "seat": ("the nondealer wins {} more often", "the nondealer wins {} less often"),
    "knock_turn": ("players knock {} later", "players knock {} earlier"),
    "turns": ("deals are {} longer", "deals are {} shorter"),
    "draws": ("deals are {} longer", "deals are {} shorter"),
    "win": ("deals are {} easier to win", "deals are {} harder to win"),
    "match_win": ("matches are {} easier to win", "matches are {} harder to win"),
}
SAME_SKILL = "skill matters as much as before"
UNCLEAR_SKILL = "there is no clear change in skill"
SKILL_CLAUSES = {
    SAME: SAME_SKILL,
    UNCLEAR: UNCLEAR_SKILL,
    "depends": "skill matters more against some opponents and less against others",
    "some+": "skill matters more against some opponents",
    "some-": "skill matters less against some opponents",
    f"+{LITTLE}": "skill matters slightly more",
    f"+{MUCH}": "skill matters much more",
    f"-{LITTLE}": "skill matters slightly less",
    f"-{MUCH}": "skill matters much less",
}
# Sentences about a rule set without a baseline, by rows of the scorecard
SINGLE_SENTENCES = {
    ("turns_per_match", "minutes"): "a match takes about {} turns ({} minutes)",
    ("win",): "a strong player wins {} of deals",
    ("gin",): "gin ends {} of deals",
}
UNCHANGED_CLAUSES = (SAME_LENGTH, SAME_SKILL, UNCLEAR_SKILL)
ALL_PLAYERS, ALL_WEAKER = "all player types", "all weaker player types"


# Question and rules


def review_question(review: Review) -> str:
    """Return the title of the request, or a default question about the rules."""
    request = review.request
    if request.title:
        return request.title
    if request.sweep:
        parameter_names = join_words([name.replace("_", " ") for name, _ in request.sweep])
        return f"Which {parameter_names} {'is' if len(request.sweep) == 1 else 'are'} best?"
    if not request.compared_variants:
        verb = "is" if len(request.variants) == 1 else "are"
        names = [rule_set_label(review, variant) for variant in request.variants]
        return f"What {verb} {join_words(names)} like?"
    if len(request.compared_variants) == 1:
        base = rule_set_label(review, str(request.base))
        return f"{rule_set_label(review, request.compared_variants[0])} or {base}?"
    *most, last = (rule_set_label(review, variant) for variant in request.compared_variants)
    return f"{', '.join(most)} or {last}?"


def review_notes(review: Review) -> list[str]:
    """Return the note of the request, and a sentence per rule set equal to a built-in variant."""
    request = review.request
    names = {v: review.equal_built_in(v) for v in request.variants if not request.sweep}
    sentences = [
        f"{variant} has the same rules as {name}." for variant, name in names.items() if name
    ]
    return [request.note, *sentences] if request.note else sentences


def rule_set_label(review: Review, variant: str) -> str:
    """Return the display name of a rule set, or of the built-in variant that it equals.

    Rule sets of a sweep, and rule sets that equal another rule set of the review, are named by
    their specs.
    """
    name = "" if review.request.sweep else review.equal_built_in(variant)
    others = [other for other in review.request.variants if other != variant]
    is_unique = name not in (*others, *map(review.equal_built_in, others))
    return variant_label(name if name and is_unique else variant)


def variant_label(variant: str) -> str:
    """Return the display name of a variant spec, such as `Tedesco, gin bonus 20`."""
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
    """Return the main rules of the baseline, and the rules that differ in each rule set."""
    request = review.request
    base = variants.find_variant(request.base or "standard")
    if request.sweep:
        parameter_values = [
            f"{name.replace('_', ' ')} {join_words(values)}" for name, values in request.sweep
        ]
        return [
            (variant_label(base.spec), join_sentences(_describe_basics(base))),
            ("Values", join_sentences([", each with ".join(parameter_values)])),
        ]
    sentences = []
    for text in request.variants:
        variant = variants.find_variant(text)
        basic_rules = _describe_parameters(
            variant, [name for name, *_ in variants.rule_differences(base, variant)]
        )
        label = rule_set_label(review, text)
        sentences.append((label, join_sentences(basic_rules or _describe_basics(variant))))
    if any(text != base.spec for text in request.variants):
        sentences.append(("All other rules", f"As in {rule_set_label(review, base.spec)}."))
    return sentences


def join_sentences(clauses: Sequence[str]) -> str:
    """Return every clause as a sentence with a capital letter and a full stop."""
    return " ".join(f"{capitalize_first(clause)}." for clause in clauses)


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
    """Return the verdict of every rule set, compared with the baseline if a baseline exists."""
    request = review.request
    return [
        (rule_set_label(review, variant), _verdict_with_players(review, variant))
        for variant in request.compared_variants or request.variants
    ]


def _verdict_with_players(review: Review, variant: str) -> str:
    """Return a verdict with the change in minutes and, without goals, winners and losers."""
    base = review.request.base
    if base is None:
        return _single_verdict(review, variant)
    sentences = [variant_verdict(review, variant)]
    length = review.effects.get((variant, "turns_per_match", STRONG))
    if length is not None and length.sign:
        sentences.append(minutes_sentence(review, variant, base))
    if not review.request.goals:
        sentences.append(winners_and_losers(review, variant))
    return " ".join(filter(None, sentences))


def variant_verdict(review: Review, variant: str) -> str:
    """Return the effects of a rule set, in one to three sentences."""
    if review.is_identical_to_baseline(variant):
        return IDENTICAL
    effects = {
        key: change
        for (rule_set, key, kind), change in review.effects.items()
        if rule_set == variant and kind == STRONG
    }
    skill = skill_effect(review, variant)
    all_same = skill == SAME and all(change.size == SAME for change in effects.values())
    if all_same and not any(review.player_types_differ(variant, key) for key in effects):
        return NO_EFFECT
    clauses = [
        _length_clause(review, variant, effects),
        _gin_clause(review, variant, effects.get("gin")),
        *_effect_clauses(review, variant, effects),
    ]
    return compose_verdict([clause for clause in clauses if clause], SKILL_CLAUSES[skill])


def compose_verdict(clauses: Sequence[str], skill_clause: str) -> str:
    """Compose a verdict from clauses, two per sentence. The clause about skill comes last."""
    first = list(clauses[: MAX_CLAUSES - 1])
    sentences = []
    if first[:1] == [LENGTH_DIFFERS]:  # minimum length of a clause that forms a separate sentence
        sentences = [first.pop(0)]
        first = first[: MAX_CLAUSES - 3]
    first.append(skill_clause)
    pairs = [first[index : index + 2] for index in range(0, len(first), 2)]
    return join_sentences([*sentences, *(_join_clauses(*pair) for pair in pairs)])


def _join_clauses(clause: str, other: str = "") -> str:
    """Join two clauses, with "but" if only one of them reports no change."""
    if not other:
        return clause
    differ = (clause in UNCHANGED_CLAUSES) != (other in UNCHANGED_CLAUSES)
    return f"{clause}, {'but' if differ else 'and'} {other}"


def _effect_clauses(review: Review, variant: str, effects: dict[str, Effect]) -> Iterator[str]:
    gin_vs_knock = review.effects.get((variant, GIN_VS_KNOCK, PLAYS_FOR_GIN))
    if gin_vs_knock is not None and gin_vs_knock.size == MUCH:
        profit = "more" if gin_vs_knock.sign > 0 else "less"
        yield f"playing for gin is {profit} profitable"
    for effect_size in (MUCH, LITTLE):
        for key, clauses in EFFECT_CLAUSES.items():
            if key in effects and effects[key].size == effect_size and effects[key].sign:
                clause = clauses[effects[key].sign < 0]
                yield clause.format("much" if effect_size == MUCH else "slightly")


def _length_clause(review: Review, variant: str, effects: dict[str, Effect]) -> str:
    """Return a clause about match length."""
    change = effects.get("turns_per_match")
    if change is None or change.size == UNCLEAR:
        return ""
    if change.size == SAME:
        differs = review.player_types_differ(variant, "turns_per_match")
        return LENGTH_DIFFERS if differs else SAME_LENGTH
    if change.size == LITTLE:
        return f"matches are slightly {'longer' if change.sign > 0 else 'shorter'}"
    base = review.measurements[str(review.request.base), "turns_per_match", STRONG]
    assert isinstance(base, PairedEstimate)
    return f"matches are {format_length_change(change.difference.value / base.value)}"


def format_length_change(relative_change: float) -> str:
    """Format a relative change in length, such as `a third shorter` or `2.6 times as long`."""
    factor = 1 + relative_change
    if not MIN_FRACTION_FACTOR < factor < MAX_FRACTION_FACTOR:
        return f"{factor:.{1 if factor >= SMALL_FACTOR else 2}f} times as long"
    if relative_change >= HALF_AGAIN:
        return "half as long again"
    part = FRACTIONS[min(FRACTIONS, key=lambda known: abs(known - abs(relative_change)))]
    return f"{part} {'longer' if relative_change > 0 else 'shorter'}"


def _gin_clause(review: Review, variant: str, effect: Effect | None) -> str:
    """Return a clause about deals that end in gin, or "" if no change is significant and shown."""
    if effect is None or not effect.sign:
        return ""
    shares = [review.measurements[v, "gin", STRONG] for v in (variant, str(review.request.base))]
    new, old = (share.value for share in shares if isinstance(share, PairedEstimate))
    if new >= NEARLY_ALL_DEALS and effect.sign > 0:
        return "nearly every deal ends in gin"
    new_text, old_text = map(GIN_ROW.format_value, (new, old))
    return f"gin ends {new_text} of deals, not {old_text}" if new_text != old_text else ""


def skill_effect(review: Review, variant: str) -> str:
    """Return the effect on skill, summarized over all weaker player types.

    Returns:
        The smallest effect size with its sign, such as `+a little` or `-much`, if all player types
        agree on the sign. SAME if there is no effect for any player type, `some+` or `some-` if
        there is an effect only for some player types, `depends` if the signs differ, and UNCLEAR
        otherwise.
    """
    effects = review.effects_by_type(variant, SKILL).values()
    clear = [change for change in effects if change.sign]
    signs = {change.sign for change in clear}
    if not clear:
        return SAME if effects and all(change.size == SAME for change in effects) else UNCLEAR
    if len(signs) > 1:
        return "depends"
    sign = "+" if signs == {1} else "-"
    if len(clear) < len(effects):
        return f"some{sign}"
    return sign + (MUCH if all(change.size == MUCH for change in clear) else LITTLE)


def minutes_sentence(review: Review, variant: str, reference: str) -> str:
    """Return a sentence about the change in minutes per match, or "" if the change rounds to 0.

    The difference is computed from the rounded lengths. The lengths are rounded to whole minutes if
    rounding changes the difference by at most a tenth.
    """
    seconds = review.request.seconds_per_turn
    values = [review.measurements[v, "turns_per_match", STRONG] for v in (variant, reference)]
    new, old = (v.value * seconds / 60 for v in values if isinstance(v, PairedEstimate))
    digits = 0 if abs(round(new) - round(old) - (new - old)) <= abs(new - old) / 10 else 1
    new, old = round(new, digits), round(old, digits)
    if new == old:
        return ""
    change = f"{abs(new - old):.{digits}f} {'minute' if abs(new - old) == 1 else 'minutes'}"
    return (
        f"A match is about {change} {'longer' if new > old else 'shorter'} "
        f"({new:.{digits}f} minutes instead of {old:.{digits}f}, at {seconds:g} s per turn)."
    )


def winners_and_losers(review: Review, variant: str) -> str:
    """Return sentences about the player types that gain or lose matches, and about match length.

    Player types gain or lose matches against the strong player, or deals in solitaire games. The
    result is empty if no player type gains or loses, and match lengths change equally for all
    player types.
    """
    sentences = []
    if review.player_types_differ(variant, "turns_per_match"):
        lengths = _types_by_sign(review, variant, "turns_per_match")
        sentences.append(_two_way("matches are ", "longer for {}", "shorter for {}", lengths))
    if review.request.is_solo:
        wins = _types_by_sign(review, variant, "win")
        sentences.append(_two_way("", "{} win more deals", "{} win fewer deals", wins))
    else:
        losses = _types_by_sign(review, variant, SKILL)
        less, more = "{} win fewer matches", "{} win more matches"
        sentences.append(_two_way("against strong players, ", less, more, losses))
    return " ".join(filter(None, sentences))


def _types_by_sign(review: Review, variant: str, metric: str) -> dict[int, list[str]]:
    """Return the player types with an increase (1), a decrease (-1) and no clear effect (0)."""
    by_sign: dict[int, list[str]] = {}
    for kind, effect in review.effects_by_type(variant, metric).items():
        by_sign.setdefault(effect.sign, []).insert(0, PLURALS.get(kind, f"{kind} players"))
    if len(by_sign) == 1 and len(next(iter(by_sign.values()))) > 1:
        return {sign: [ALL_WEAKER if metric == SKILL else ALL_PLAYERS] for sign in by_sign}
    return by_sign


def _two_way(start: str, more: str, fewer: str, by_sign: Mapping[int, list[str]]) -> str:
    """Return a sentence about the player types with an increase or a decrease, or ""."""
    clauses = {1: more, -1: fewer}
    parts = [
        clause.format(join_words(by_sign[sign]))
        for sign, clause in clauses.items()
        if sign in by_sign
    ]
    return join_sentences([start + ", and ".join(parts)]) if parts else ""


def _single_verdict(review: Review, variant: str) -> str:
    """Return the match length, win rate and gin rate of a rule set without a baseline."""
    rows = {row.key: row for row in review.rows}
    sentences = []
    for keys, sentence in SINGLE_SENTENCES.items():
        measured = [review.measurements.get((variant, key, STRONG)) for key in keys]
        values = [
            f"{number.value * rows[key].factor:.0f}{rows[key].unit}"
            for key, number in zip(keys, measured, strict=True)
            if isinstance(number, PairedEstimate)
        ]
        if len(values) == len(keys):
            sentences.append(sentence.format(*values))
    return join_sentences(sentences)


# Sweeps


# Rows with a trend sentence, with the subject of the sentence and the unit
TREND_SUBJECTS = {
    "turns_per_match": ("The length of a match", " turns"),
    "gin": ("The percentage of deals that end in gin", ""),
    "win": ("The percentage of deals that a strong player wins", ""),
}
BREAK_EVEN = 0.5
# Sentences about playing for gin, by the sign of its result against knocking immediately
BREAK_EVEN_SENTENCES = {
    1: "With {}, playing for gin beats knocking immediately.",
    -1: "With {}, playing for gin loses to knocking immediately.",
    0: "With {}, the result of playing for gin against knocking immediately is inconclusive.",
}

Measurements = Mapping[MetricKey, Measurement]


def format_sweep_point(review: Review, variant: str) -> str:
    """Return the parameter values of a rule set, as in `gin bonus 25 and undercut bonus 10`."""
    point = sweep_point(review, variant)
    return join_words([f"{name.replace('_', ' ')} {value}" for name, value in point])


def format_sweep_values(review: Review, variant: str) -> str:
    """Return the values of a rule set, as in `10` or `20 / 10`, or the baseline's name."""
    return " / ".join(value for _, value in sweep_point(review, variant)) or variant_label(variant)


def sweep_point(review: Review, variant: str) -> list[tuple[str, str]]:
    """Return the swept parameters with their values, or an empty list for a separate baseline."""
    request = review.request
    names = [name for name, _ in request.sweep]
    points = itertools.product(*(values for _, values in request.sweep))
    point = dict(zip(request.swept_variants, points, strict=True)).get(variant, ())
    return list(zip(names, point, strict=False))


def sweep_lines(review: Review) -> Iterator[str]:
    """Yield sentences about the trends of rows and the break-even values of a sweep."""
    first, *_, last = review.request.swept_variants
    for row in review.rows:
        if row.key in TREND_SUBJECTS:
            yield from _trend_line(review, row, first, last)
    if review.request.gin_and_knock_players:
        yield (
            _break_even_line(review)
            if len(review.request.sweep) == 1
            else _break_even_grid_line(review)
        )


def _trend_line(review: Review, row: ScorecardRow, first: str, last: str) -> Iterator[str]:
    """Yield a sentence about the change of a row from the first to the last value."""
    first_value, last_value = (
        review.measurements[variant, row.key, STRONG] for variant in (first, last)
    )
    if not isinstance(first_value, PairedEstimate) or not isinstance(last_value, PairedEstimate):
        return
    change = review.compute_effect(last_value, first_value, row.key)
    subject, noun = TREND_SUBJECTS[row.key]
    start, end = (
        f"{row.format_value(value.value)}{noun} with {format_sweep_point(review, variant)}"
        for value, variant in ((first_value, first), (last_value, last))
    )
    if change.sign:
        verb = "rises" if change.sign > 0 else "falls"
        size = "sharply" if change.size == MUCH else "slightly"
        minutes = minutes_sentence(review, last, first) if row.key == "turns_per_match" else ""
        yield f"{subject} {verb} {size}, from {start} to {end}. {minutes}".rstrip()
    else:
        values = (review.measurements[v, row.key, STRONG] for v in review.request.swept_variants)
        known = [value.value for value in values if isinstance(value, PairedEstimate)]
        bounds = dict.fromkeys(map(row.format_value, (min(known), max(known))))
        verb = "hardly differs" if change.size == SAME else "does not differ significantly"
        points = " and ".join(format_sweep_point(review, variant) for variant in (first, last))
        yield f"{subject} is {' to '.join(bounds)}{noun} and {verb} between {points}."


def _break_even_line(review: Review) -> str:
    """Return sentences about the values for which playing for gin beats knocking immediately."""
    ((name, _),) = review.request.sweep
    parameter = name.replace("_", " ")
    by_sign: dict[int, list[str]] = {}
    for variant, sign in _gin_vs_knock_signs(review).items():
        by_sign.setdefault(sign, []).append(variant)
    if len(by_sign) == 1:
        return BREAK_EVEN_SENTENCES[next(iter(by_sign))].format(f"every {parameter} tried")
    return " ".join(
        sentence.format(f"{parameter} {join_words(value_ranges(review, by_sign[sign]))}")
        for sign, sentence in BREAK_EVEN_SENTENCES.items()
        if sign in by_sign
    )


def _gin_vs_knock_signs(review: Review) -> dict[str, int]:
    """Return the sign of the result of playing for gin against immediate knocking, by rule set.

    The sign is 0 if the result is not significant at the 5 % level after Holm's correction.
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


def value_ranges(review: Review, variant_names: Sequence[str]) -> list[str]:
    """Return the values of rule sets, with ranges such as `0 to 6` for consecutive values."""
    ranges = []
    for is_chosen, run in itertools.groupby(
        review.request.swept_variants, variant_names.__contains__
    ):
        texts = [format_sweep_values(review, variant) for variant in run] if is_chosen else []
        if len(texts) > 2 and len(review.request.sweep) == 1:
            texts = [f"{texts[0]} to {texts[-1]}"]
        ranges += texts
    return ranges


def _break_even_grid_line(review: Review) -> str:
    """Return a sentence about playing for gin for every value of the first parameter."""
    (first, first_values), (second, second_values) = review.request.sweep
    wins = _gin_vs_knock_signs(review)
    by_paying: dict[tuple[str, ...], list[str]] = {}
    for index, value in enumerate(first_values):
        row = review.request.swept_variants[
            index * len(second_values) : (index + 1) * len(second_values)
        ]
        paying_values = (
            text for text, variant in zip(second_values, row, strict=True) if wins[variant] > 0
        )
        by_paying.setdefault(tuple(paying_values), []).append(value)
    sentences = []
    for paying_values_group, values in by_paying.items():
        condition_text = f"For {first.replace('_', ' ')} {join_words(values)}"
        if paying_values_group:
            condition = f"with {second.replace('_', ' ')} {join_words(paying_values_group)}"
            sentences.append(
                f"{condition_text}, playing for gin beats knocking immediately {condition}."
            )
        else:
            sentences.append(
                f"{condition_text}, playing for gin never significantly beats knocking immediately."
            )
    return " ".join(sentences)


# Best values

# With fewer matches, one half of the pairs has too few batches for a standard error.
ENOUGH_MATCHES = 4 * MIN_BATCHES * batch_columns.MATCH_BATCH_SIZE


def _imbalance(number: PairedEstimate) -> PairedEstimate:
    """Return the distance of a proportion from one half."""
    return (
        number.rescale(1, -BREAK_EVEN)
        if number.value >= BREAK_EVEN
        else number.rescale(-1, BREAK_EVEN)
    )


# Title, metric and player type of each aim, and a function that the best value minimizes
AIMS: tuple[tuple[str, str, str, Callable[[PairedEstimate], PairedEstimate]], ...] = (
    ("fewest dead hands", "dead", STRONG, lambda number: number),
    ("fairest seats", "seat", STRONG, _imbalance),
    (
        "knocking immediately and playing for gin equally strong",
        GIN_VS_KNOCK,
        PLAYS_FOR_GIN,
        _imbalance,
    ),
)


def has_best_values(review: Review) -> bool:
    """Return True if a sweep has enough matches for the table of the best values."""
    return min(review.request.sizes) >= ENOUGH_MATCHES


def best_values_line(review: Review) -> str:
    """Return a sentence that names the table of the best values, or why the table is omitted."""
    if has_best_values(review):
        return f'The best value for each aim is in the table "{_best_values_title(review)}".'
    return (
        f"The best values are not shown, because at least {ENOUGH_MATCHES:,} matches are required."
    )


def _best_values_title(review: Review) -> str:
    return f"Best {' / '.join(name.replace('_', ' ') for name, _ in review.request.sweep)}"


def best_values_table(review: Review) -> Table:
    """Return a table of the best value for each aim and the values that are not worse."""
    even_measurements = replace(review, parity=0).measurements
    odd_measurements = replace(review, parity=1).measurements
    rows = []
    aims = list(AIMS)
    for kind, _ in review.request.kinds:
        aims.append(
            (f"most skill (opponent: {kind})", SKILL, kind, lambda number: number.rescale(-1))
        )
    for title, metric, kind, loss in aims:
        losses = _losses(review, even_measurements, metric, kind, loss)
        if not losses:
            continue
        best_variant = min(losses, key=lambda variant: losses[variant].value)
        not_worse = _not_worse_text(
            review, _losses(review, odd_measurements, metric, kind, loss), best_variant
        )
        rows.append(
            {"aim": title, "best": format_sweep_values(review, best_variant), "near": not_worse}
        )
    columns = (
        *(Column("aim", "aim"), Column("best", "best value")),
        Column("near", "not significantly worse"),
    )
    note = (
        "One half of the deals selects the best value, and the other half tests the remaining "
        "values at the 5 % level with Holm's correction."
    )
    frame = make_frame(rows, ("aim", "best", "near"))
    return Table(_best_values_title(review), frame, columns, note)


def _losses(
    review: Review,
    measurements: Measurements,
    metric: str,
    player_type: str,
    loss: Callable[[PairedEstimate], PairedEstimate],
) -> dict[str, PairedEstimate]:
    """Return the loss of every rule set for one aim. The best rule set has the smallest loss."""
    by_variant = {
        variant: measurements.get((variant, metric, player_type))
        for variant in review.request.swept_variants
    }
    numbers = {
        variant: estimate
        for variant, estimate in by_variant.items()
        if isinstance(estimate, PairedEstimate)
    }
    return {
        variant: loss(estimate)
        for variant, estimate in numbers.items()
        if not np.isnan(estimate.value)
    }


def _not_worse_text(review: Review, losses: Mapping[str, PairedEstimate], best: str) -> str:
    """Return the values that are not significantly worse than the best, or a dash."""
    not_worse = _not_significantly_worse(losses, best)
    if not_worse is None:
        return EN_DASH
    if len(not_worse) == len(review.request.swept_variants) - 1:
        return "all other values"
    return ", ".join(value_ranges(review, not_worse)) or "none"


def _not_significantly_worse(losses: Mapping[str, PairedEstimate], best: str) -> list[str] | None:
    """Return the rule sets that are not significantly worse than the best rule set.

    Return None if there are too few batches for a test.
    """
    others = [variant for variant in losses if variant != best]
    differences = [losses[variant] - losses[best] for variant in others]
    if any(np.isnan(difference.se) for difference in differences):
        return None
    adjusted = adjust_p_values(
        np.array(
            [difference.p if difference.value > 0 else 1.0 for difference in differences], float
        )
    )
    return [variant for variant, p in zip(others, adjusted, strict=True) if not p < ALPHA]
