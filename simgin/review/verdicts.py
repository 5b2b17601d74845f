"""Sentences in a review: the question, the rules and the verdicts.

A verdict consists of one to three short sentences about match length, endings, winners and skill.
The sentences contain no intervals. Verdicts depend only on the effect sizes in the scorecard. For a
sweep, the sentences describe trends, break-even values and best values.
"""

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np

from simgin.core import batch_columns
from simgin.report.numbers import EN_DASH
from simgin.report.report_table import Column, Table
from simgin.review.review import GIN_VS_KNOCK_METRIC, SKILL_METRIC, Effect, MetricKey, Review
from simgin.review.scorecard import (
    GIN_ROW,
    LARGE_EFFECT,
    NO_EFFECT,
    PROPORTION_EFFECT_BOUNDS,
    SMALL_EFFECT,
    UNCLEAR_EFFECT,
    Measurement,
    ScorecardRow,
    classify_effect_size,
)
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.stats.batches import MIN_BATCHES
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import make_frame
from simgin.strategy.cast import GIN_PLAYER, PLAYER_TYPE_PLURALS, STRONG_PLAYER
from simgin.text.messages import capitalize_first, join_words

# Maximum number of clauses in a verdict, with two clauses per sentence. The last clause is about
# skill.
MAX_VERDICT_CLAUSES = 5
MAX_RULE_SETS_IN_TITLE = 5  # maximum number of rule sets that a default title lists
NO_EFFECT_SENTENCE = "Players would not notice the difference, even in ten evenings."
IDENTICAL_RESULTS_SENTENCE = "Every match had the same result as under the baseline."
MIN_RATE_FOR_NEARLY_EVERY_DEAL = 0.9  # minimum proportion called "nearly every deal"
# words for relative changes in length, and the maximum rounding error of the words
WORDS_BY_FRACTION = {0.1: "a tenth", 0.2: "a fifth", 0.25: "a quarter", 1 / 3: "a third"}
MAX_FRACTION_ERROR = 0.02
# Larger factors are formatted as "2.6 times as long".
MAX_FACTOR_SHOWN_IN_PERCENT = 1.42
MIN_WHOLE_MINUTES = 3  # shorter durations are formatted with two significant digits
MAIN_RULE_PARAMETERS = ("knock_limit", "gin_bonus", "undercut_bonus", "points_target")
SAME_LENGTH_CLAUSE = "matches are about as long as under the baseline"
SAME_STRONG_LENGTH_CLAUSE = "matches between strong players are about as long as under the baseline"
LENGTH_DIFFERS_CLAUSE = "match length changes for some players, but hardly for strong players"
# Clauses for a significant increase and a significant decrease of a scorecard value. The effect
# size replaces {}.
EFFECT_CLAUSES = {
    "dead": ("dead hands are {} more common", "dead hands are {} less common"),
    "shut_out": ("shut-outs are {} more common", "shut-outs are {} less common"),
    "comebacks": ("comebacks are {} more common", "comebacks are {} less common"),
    "seat": ("the nondealer wins {} more often", "the nondealer wins {} less often"),
    "knock_turn": ("players knock{knocks} {} later", "players knock{knocks} {} earlier"),
    "turns": ("deals are {} longer", "deals are {} shorter"),
    "draws": ("deals are {} longer", "deals are {} shorter"),
    "win": ("deals are {} easier to win", "deals are {} harder to win"),
    "match_win": ("matches are {} easier to win", "matches are {} harder to win"),
}
SAME_SKILL_CLAUSE = "skill matters as much as under the baseline"
UNCLEAR_SKILL_CLAUSE = "there is no clear change in how much skill matters"
SKILL_CLAUSES = {
    NO_EFFECT: SAME_SKILL_CLAUSE,
    UNCLEAR_EFFECT: UNCLEAR_SKILL_CLAUSE,
    "depends": "skill matters more against some opponents and less against others",
    "some+": "skill matters more against some opponents",
    "some-": "skill matters less against some opponents",
    f"+{SMALL_EFFECT}": "skill matters slightly more",
    f"+{LARGE_EFFECT}": "skill matters much more",
    f"-{SMALL_EFFECT}": "skill matters slightly less",
    f"-{LARGE_EFFECT}": "skill matters much less",
}
# sentences about a rule set without a baseline, by scorecard rows
NO_BASELINE_SENTENCES = {
    ("turns_per_match", "minutes"): "a match takes about {} turns ({})",
    ("win",): "a strong player wins {} of deals",
    ("gin",): "strong players go gin in {} of deals",
}
NO_CHANGE_CLAUSES = (
    SAME_LENGTH_CLAUSE,
    SAME_STRONG_LENGTH_CLAUSE,
    SAME_SKILL_CLAUSE,
    UNCLEAR_SKILL_CLAUSE,
)
ABSENCE_WORDS = ("no", "none", "off", "-")  # parameter values that turn a rule off
ALL_PLAYER_TYPES_PHRASE, ALL_WEAKER_TYPES_PHRASE = "all player types", "all weaker player types"


# Question and rules


def format_review_question(review: Review) -> str:
    """Return the title of a review, by default a question about its rules."""
    request = review.request
    if request.title:
        return request.title
    if request.sweep:
        verb = "is" if len(request.sweep) == 1 else "are"
        return f"Which {_format_swept_names(request.sweep)} {verb} best?"
    if not request.compared_variants:
        verb = "is" if len(request.variants) == 1 else "are"
        names = [_format_rule_set_in_title(review, variant) for variant in request.variants]
        if len(names) > MAX_RULE_SETS_IN_TITLE:
            names = [f"these {len(names)} rule sets"]
        return f"What {verb} {join_words(names)} like?"
    names = [_format_rule_set_in_title(review, variant) for variant in request.compared_variants]
    if len(names) > MAX_RULE_SETS_IN_TITLE:
        return f"{len(names)} rule sets against {format_rule_set_label(review, str(request.base))}"
    if len(names) == 1:
        names.append(_format_rule_set_in_title(review, str(request.base)))
    if any(" and " in name for name in names):
        return f"{', '.join(names[:-1])}, or {names[-1]}?"
    return f"{join_words(names, 'or')}?"


def _format_swept_names(sweep: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return the names of swept parameters, such as `gin bonus` or `value of big gin`."""
    has_words = any(not value.lstrip("-").isdecimal() for _, values in sweep for value in values)
    noun = f"value{'' if len(sweep) == 1 else 's'} of " if has_words else ""
    return noun + join_words([name.replace("_", " ") for name, _ in sweep])


def _format_rule_set_in_title(review: Review, variant: str) -> str:
    """Return the label of a rule set without commas between its rules, which separate rule sets."""
    name, *settings = format_rule_set_label(review, variant).split(", ")
    base_name = variant.partition("+")[0].rpartition("#")[2].replace("-", " ")
    if name.startswith(capitalize_first(base_name)):
        return f"{name} with {join_words(settings)}" if settings else name
    return join_words([name, *settings])


def list_review_notes(review: Review) -> list[str]:
    """Return the user's note, and a note for each rule set that is equal to a built-in variant."""
    request = review.request
    equal_variants = {
        variant: review.find_equal_built_in(variant)
        for variant in request.variants
        if not request.sweep
    }
    sentences = [
        f"{variant} has the same rules as {name}."
        for variant, name in equal_variants.items()
        if name
    ]
    return [request.note, *sentences] if request.note else sentences


def list_stall_warnings(review: Review) -> list[str]:
    """Return a warning for each player type whose deals often reach the turn limit."""
    rates_by_type: dict[str, list[float]] = {}
    for (_, player_type), rate in review.stalled_rates.items():
        rates_by_type.setdefault(player_type, []).append(rate)
    return [
        "Warning: simgin stops "
        f"{' to '.join(dict.fromkeys(f'{100 * rate:.1f}' for rate in (min(rates), max(rates))))} % "
        f"of deals between {_pluralise_type(player_type)} at the turn limit. For "
        f"{_pluralise_type(player_type)}, the length of matches and deals depends on the "
        "turn limit."
        for player_type, rates in rates_by_type.items()
    ]


def _pluralise_type(player_type: str) -> str:
    """Return the plural of a player type, such as `beginners` or `gold players`."""
    return PLAYER_TYPE_PLURALS.get(player_type, f"{player_type} players")


def format_rule_set_label(review: Review, variant: str) -> str:
    """Return the label of a rule set, or of the built-in variant with the same rules.

    In a sweep, or if two rule sets of the review have the same rules, the display name is the spec.
    """
    name = "" if review.request.sweep else review.find_equal_built_in(variant)
    other_variants = [spec for spec in review.request.variants if spec != variant]
    is_unique = name not in (*other_variants, *map(review.find_equal_built_in, other_variants))
    return format_variant_label(name if name and is_unique else variant)


def format_variant_label(variant: str) -> str:
    """Return the label of a variant spec, such as `Tedesco, gin bonus 20`."""
    name, *settings = variant.split("+")
    named_settings = [setting for setting in settings if "=" not in setting]
    texts = [_format_setting(*setting.split("=", 1)) for setting in settings if "=" in setting]
    if texts and name == "standard" and not named_settings:
        return capitalize_first(", ".join(texts))
    base_name = " ".join([name.rpartition("#")[2], *named_settings])
    return ", ".join([capitalize_first(base_name.replace("-", " ")), *texts])


def _format_setting(name: str, value: str) -> str:
    """Return a rule parameter and its value, such as `gin bonus 20`, `big gin` or `no layoff`."""
    words = name.replace("_", " ")
    if value == "yes":
        return words
    return f"no {words}" if value in ABSENCE_WORDS else f"{words} {value.replace('_', ' ')}"


def describe_rules(review: Review) -> list[tuple[str, str]]:
    """Return the main rules of the baseline, and the rules that each rule set changes."""
    request = review.request
    base = variants.find_variant(request.base or "standard")
    if request.sweep:
        parameter_values = [
            f"{name.replace('_', ' ')} {join_words(values)}" for name, values in request.sweep
        ]
        return [
            (format_variant_label(base.spec), format_sentences(_describe_main_rules(base))),
            ("Values", format_sentences([", each with ".join(parameter_values)])),
        ]
    sentences = []
    for spec in request.variants:
        variant = variants.find_variant(spec)
        changed_names = [name for name, *_ in variants.rule_differences(base, variant)]
        rules = _describe_parameters(variant, changed_names) or _describe_main_rules(variant)
        sentences.append((format_rule_set_label(review, spec), format_sentences(rules)))
    if any(spec != base.spec for spec in request.variants):
        sentences.append(("All other rules", f"As in {format_rule_set_label(review, base.spec)}."))
    return sentences


def format_sentences(clauses: Sequence[str]) -> str:
    """Return clauses as sentences with a capital letter and a full stop."""
    return " ".join(f"{capitalize_first(clause)}." for clause in clauses)


def _describe_main_rules(variant: Variant) -> list[str]:
    """Return phrases about the main rules of a variant."""
    if variant.is_solo:
        return [variant.about.rstrip(".")]
    return _describe_parameters(variant, MAIN_RULE_PARAMETERS)


def _describe_parameters(variant: Variant, parameter_names: Sequence[str]) -> list[str]:
    """Return phrases about the rule parameters that have an effect in a variant."""
    rules = [variants.load_rule_parameters()[name] for name in parameter_names]
    effective_rules = [rule for rule in rules if rule.has_effect(variant.params)]
    phrases = (rule.format_for_players(variant.params[rule.name]) for rule in effective_rules)
    return [phrase for phrase in phrases if phrase]


# Verdicts


def list_review_verdicts(review: Review) -> list[tuple[str, str]]:
    """Return the verdict on each rule set, compared with the baseline if there is one."""
    request = review.request
    return [
        (format_rule_set_label(review, variant), _compose_verdict_with_players(review, variant))
        for variant in request.compared_variants or request.variants
    ]


def _compose_verdict_with_players(review: Review, variant: str) -> str:
    """Return the verdict on a rule set, with sentences about minutes and player types."""
    base_variant = review.request.base
    if base_variant is None:
        return _describe_without_baseline(review, variant)
    sentences = [compose_variant_verdict(review, variant)]
    length_effect = review.effects.get((variant, "turns_per_match", STRONG_PLAYER))
    if length_effect is not None and length_effect.sign:
        sentences.append(describe_change_in_minutes(review, variant, base_variant))
    if not review.request.goals:
        sentences.append(describe_winners_and_losers(review, variant))
    return " ".join(filter(None, sentences))


def compose_variant_verdict(review: Review, variant: str) -> str:
    """Return one to three sentences about the effects of a variant."""
    if review.is_identical_to_baseline(variant):
        return IDENTICAL_RESULTS_SENTENCE
    effects = {
        metric: effect
        for (effect_variant, metric, player_type), effect in review.effects.items()
        if effect_variant == variant and player_type == STRONG_PLAYER
    }
    skill = summarise_skill_effect(review, variant)
    is_unchanged = skill == NO_EFFECT and all(
        effect.size == NO_EFFECT for effect in effects.values()
    )
    if is_unchanged and not any(
        review.varies_by_player_type(variant, metric) for metric in effects
    ):
        return NO_EFFECT_SENTENCE
    clauses = [
        _format_length_clause(review, variant, effects),
        _format_gin_clause(review, variant, effects.get("gin")),
        *_iterate_effect_clauses(review, variant, effects),
    ]
    return join_verdict_clauses([clause for clause in clauses if clause], SKILL_CLAUSES[skill])


def join_verdict_clauses(clauses: Sequence[str], skill_clause: str) -> str:
    """Join the clauses of a verdict, two per sentence and with the skill clause last."""
    main_clauses = list(clauses[: MAX_VERDICT_CLAUSES - 1])
    sentences = []
    # The clause about match length is long enough for a separate sentence.
    if main_clauses[:1] == [LENGTH_DIFFERS_CLAUSE]:
        sentences = [main_clauses.pop(0)]
        main_clauses = main_clauses[: MAX_VERDICT_CLAUSES - 3]
    main_clauses.append(skill_clause)
    for index in range(0, len(main_clauses), 2):
        sentences.append(_join_clauses(*main_clauses[index : index + 2]))
    return format_sentences(sentences)


def _join_clauses(clause: str, next_clause: str = "") -> str:
    """Join two clauses with "and", or with "but" if only one of them states a change."""
    if not next_clause:
        return clause
    has_contrast = (clause in NO_CHANGE_CLAUSES) != (next_clause in NO_CHANGE_CLAUSES)
    return f"{clause}, {'but' if has_contrast else 'and'} {next_clause}"


def _iterate_effect_clauses(
    review: Review, variant: str, effects: dict[str, Effect]
) -> Iterator[str]:
    """Yield clauses about effects other than on length, gin and skill, largest first."""
    gin_vs_knock = review.effects.get((variant, GIN_VS_KNOCK_METRIC, GIN_PLAYER))
    if gin_vs_knock is not None and gin_vs_knock.size == LARGE_EFFECT:
        comparative = "more" if gin_vs_knock.sign > 0 else "less"
        yield f"playing for gin is {comparative} profitable"
    for size in (LARGE_EFFECT, SMALL_EFFECT):
        for metric, clauses in EFFECT_CLAUSES.items():
            if metric in effects and effects[metric].size == size and effects[metric].sign:
                clause = clauses[effects[metric].sign < 0]
                knocks = (
                    _format_knock_rate_change(review, variant) if metric == "knock_turn" else ""
                )
                adverb = "much" if size == LARGE_EFFECT else "slightly"
                yield clause.format(adverb, knocks=knocks)


def _format_knock_rate_change(review: Review, variant: str) -> str:
    """Return a phrase about a large change in the knock rate, or ""."""
    rate, base_rate = (review.knock_rates[v] for v in (variant, str(review.request.base)))
    if classify_effect_size(rate - base_rate, PROPORTION_EFFECT_BOUNDS) != LARGE_EFFECT:
        return ""
    comparative = "more" if rate.value > base_rate.value else "fewer"
    percent, base_percent = (f"{100 * estimate.value:.0f}" for estimate in (rate, base_rate))
    return f" in {comparative} deals ({percent} instead of {base_percent} %) and"


def _format_length_clause(review: Review, variant: str, effects: dict[str, Effect]) -> str:
    """Return a clause about the change in match length."""
    length_effect = effects.get("turns_per_match")
    if length_effect is None or length_effect.size == UNCLEAR_EFFECT:
        return ""
    if length_effect.size == NO_EFFECT:
        type_effects = review.select_effects_by_type(variant, "turns_per_match").values()
        sizes = {effect.size for effect in type_effects}
        if sizes & {SMALL_EFFECT, LARGE_EFFECT}:
            return LENGTH_DIFFERS_CLAUSE
        return SAME_LENGTH_CLAUSE if sizes == {NO_EFFECT} else SAME_STRONG_LENGTH_CLAUSE
    if length_effect.size == SMALL_EFFECT:
        return f"matches are slightly {'longer' if length_effect.sign > 0 else 'shorter'}"
    base_length = review.measurements[str(review.request.base), "turns_per_match", STRONG_PLAYER]
    assert isinstance(base_length, PairedEstimate)
    return f"matches are {format_length_change(length_effect.difference.value / base_length.value)}"


def format_length_change(relative_change: float) -> str:
    """Format a relative change in length, such as `a third shorter`."""
    factor, change = 1 + relative_change, abs(relative_change)
    if factor > MAX_FACTOR_SHOWN_IN_PERCENT:
        return f"{factor:.1f} times as long"
    nearest_fraction = min(WORDS_BY_FRACTION, key=lambda fraction: abs(fraction - change))
    change_text = f"{100 * change:.0f} %"
    if abs(nearest_fraction - change) <= MAX_FRACTION_ERROR:
        change_text = WORDS_BY_FRACTION[nearest_fraction]
    return f"{change_text} {'longer' if relative_change > 0 else 'shorter'}"


def _format_gin_clause(review: Review, variant: str, effect: Effect | None) -> str:
    """Return a clause about the change in the gin rate, or "" if there is none."""
    if effect is None or not effect.sign:
        return ""
    gin_rates = [
        review.measurements[v, "gin", STRONG_PLAYER] for v in (variant, str(review.request.base))
    ]
    new_rate, base_rate = (rate.value for rate in gin_rates if isinstance(rate, PairedEstimate))
    if new_rate >= MIN_RATE_FOR_NEARLY_EVERY_DEAL and effect.sign > 0:
        return "nearly every deal ends in gin"
    new_text, old_text = map(GIN_ROW.format_value, (new_rate, base_rate))
    if new_text == old_text:
        return ""
    verb = "rises" if effect.sign > 0 else "falls"
    return f"the gin rate {verb} from {old_text.removesuffix(GIN_ROW.unit)} to {new_text}"


def summarise_skill_effect(review: Review, variant: str) -> str:
    """Summarise the effect on skill over all weaker player types.

    Returns:
        If all player types agree on the sign, the result is the smallest effect size with this
        sign, such as `+a little` or `-much`. If there is no effect for any player type, the result
        is NO_EFFECT. If there is an effect for only some player types, the result is `some+` or
        `some-`.
        If the signs differ, the result is `depends`. Otherwise, the result is UNCLEAR_EFFECT.
    """
    return _find_common_skill_effect(review.select_effects_by_type(variant, SKILL_METRIC).values())


def _find_common_skill_effect(effects: Collection[Effect]) -> str:
    """Return one label for the effects on skill (see `summarise_skill_effect`)."""
    clear_effects = [effect for effect in effects if effect.sign]
    signs = {effect.sign for effect in clear_effects}
    if not clear_effects:
        return (
            NO_EFFECT
            if effects and all(effect.size == NO_EFFECT for effect in effects)
            else UNCLEAR_EFFECT
        )
    if len(signs) > 1:
        return "depends"
    sign = "+" if signs == {1} else "-"
    if len(clear_effects) < len(effects):
        return f"some{sign}"
    return sign + (
        LARGE_EFFECT
        if all(effect.size == LARGE_EFFECT for effect in clear_effects)
        else SMALL_EFFECT
    )


def describe_change_in_minutes(review: Review, variant: str, base_variant: str) -> str:
    """Return a sentence about the change in minutes per match, or "" if it rounds to 0.

    The change is computed from the rounded lengths. The lengths are rounded to whole minutes if
    this changes the difference by at most 10 %, and to one decimal place otherwise.
    """
    seconds = review.request.seconds_per_turn
    lengths = [
        review.measurements[v, "turns_per_match", STRONG_PLAYER] for v in (variant, base_variant)
    ]
    new, old = (v.value * seconds / 60 for v in lengths if isinstance(v, PairedEstimate))
    digits = 0 if abs(round(new) - round(old) - (new - old)) <= abs(new - old) / 10 else 1
    new, old = round(new, digits), round(old, digits)
    if new == old:
        return ""
    change_text = f"{abs(new - old):.{digits}f} {'minute' if abs(new - old) == 1 else 'minutes'}"
    return (
        f"A match is about {change_text} {'longer' if new > old else 'shorter'} "
        f"({new:.{digits}f} {'minute' if new == 1 else 'minutes'} instead of {old:.{digits}f}, at "
        f"{seconds:g} s per turn)."
    )


def describe_winners_and_losers(review: Review, variant: str) -> str:
    """Return sentences about the player types that win more or less, and match length.

    The sentences refer to matches against the strong player or, in solitaire games, to deals. If no
    player type wins more or fewer matches and all match lengths change equally, the result is
    empty.
    """
    sentences = []
    if review.varies_by_player_type(variant, "turns_per_match"):
        phrases_by_sign = _format_length_changes_by_sign(review, variant)
        if clauses := _format_type_clauses("longer {}", "shorter {}", phrases_by_sign):
            sentences.append(f"Matches are {', but '.join(clauses)}.")
        stalled_types = [
            _pluralise_type(player_type)
            for player_type, effect in review.select_effects_by_type(
                variant, "turns_per_match"
            ).items()
            if {(variant, player_type), (str(review.request.base), player_type)}
            & review.stalled_rates.keys()
        ]
        if len(stalled_types) == len(review.player_types):
            stalled_types = [ALL_PLAYER_TYPES_PHRASE]
        if stalled_types:
            sentences.append(
                f"The match length of {join_words(stalled_types)} depends on the turn limit."
            )
    if review.request.is_solo:
        metric, start, nouns = "win", "{} win", ("more deals", "fewer deals")
    else:
        start = "against strong players, {} win"
        metric, nouns = SKILL_METRIC, ("fewer matches", "more matches")
    more_template, fewer_template = (f"{start} {noun} than under the baseline" for noun in nouns)
    clauses = _format_type_clauses(
        more_template, fewer_template, _group_types_by_effect(review, variant, metric)
    )
    return " ".join(filter(None, [*sentences, format_sentences(clauses)]))


def _format_length_changes_by_sign(review: Review, variant: str) -> dict[int, list[str]]:
    """Return phrases such as `for gold players (+9 ± 1.0 turns)` by the sign of the effect."""
    row = next(row for row in review.scorecard_rows if row.key == "turns_per_match")
    effects = review.select_effects_by_type(variant, row.key)
    phrases_by_sign: dict[int, list[str]] = {}
    for player_type, effect in effects.items():
        change = row.format_difference(effect.difference)
        phrase = f"for {_pluralise_type(player_type)} ({change} turns)"
        phrases_by_sign.setdefault(effect.sign, []).insert(0, phrase)
    if len(phrases_by_sign) > 1:
        return phrases_by_sign
    changes = sorted(effect.difference.value for effect in effects.values())
    range_text = f"{row.format_change(changes[0])} to {row.format_change(changes[-1])} turns"
    return {sign: [f"for {ALL_PLAYER_TYPES_PHRASE} ({range_text})"] for sign in phrases_by_sign}


def _group_types_by_effect(review: Review, variant: str, metric: str) -> dict[int, list[str]]:
    """Return the player types by the sign of the effect: 1, -1 or 0 (unclear)."""
    types_by_sign: dict[int, list[str]] = {}
    for player_type, effect in review.select_effects_by_type(variant, metric).items():
        types_by_sign.setdefault(effect.sign, []).insert(0, _pluralise_type(player_type))
    if len(types_by_sign) == 1 and len(next(iter(types_by_sign.values()))) > 1:
        return {
            sign: [ALL_WEAKER_TYPES_PHRASE if metric == SKILL_METRIC else ALL_PLAYER_TYPES_PHRASE]
            for sign in types_by_sign
        }
    return types_by_sign


def _format_type_clauses(
    more_template: str, fewer_template: str, types_by_sign: Mapping[int, list[str]]
) -> list[str]:
    """Return clauses about the player types with an increase and with a decrease."""
    return [
        clause.format(join_words(types_by_sign[sign]))
        for sign, clause in ((1, more_template), (-1, fewer_template))
        if sign in types_by_sign
    ]


def _describe_without_baseline(review: Review, variant: str) -> str:
    """Describe the match length, win rate and gin rate of a rule set without a baseline."""
    rows_by_key = {row.key: row for row in review.scorecard_rows}
    sentences = []
    for keys, sentence in NO_BASELINE_SENTENCES.items():
        measurements = [review.measurements.get((variant, key, STRONG_PLAYER)) for key in keys]
        values = [
            _format_minutes(measurement.value)
            if key == "minutes"
            else f"{measurement.value * rows_by_key[key].display_factor:.0f}{rows_by_key[key].unit}"
            for key, measurement in zip(keys, measurements, strict=True)
            if isinstance(measurement, PairedEstimate)
        ]
        if len(values) == len(keys):
            sentences.append(sentence.format(*values))
    return format_sentences(sentences)


def _format_minutes(minutes: float) -> str:
    """Format a duration in whole minutes or, if it is short, with two significant digits."""
    minutes_text = f"{minutes:.{'2g' if minutes < MIN_WHOLE_MINUTES else '0f'}}"
    return f"{minutes_text} {'minute' if minutes_text == '1' else 'minutes'}"


# Sweeps


# rows with a trend sentence, with the subject of the sentence and its unit
TREND_SENTENCE_SUBJECTS = {
    "turns_per_match": ("The length of a match", " turns"),
    "gin": ("The percentage of deals that end in gin", ""),
    "win": ("The percentage of deals that a strong player wins", ""),
    "shut_out": ("The percentage of matches with a shut-out", ""),
}
BREAK_EVEN_WIN_RATE = 0.5
# sentences about playing for gin, by the sign of its result against immediate knocking
BREAK_EVEN_SENTENCES = {
    1: "With {}, playing for gin beats knocking immediately.",
    -1: "With {}, playing for gin loses to knocking immediately.",
    0: "With {}, the result of playing for gin against knocking immediately is inconclusive.",
}

MeasurementsByKey = Mapping[MetricKey, Measurement]


def format_swept_parameters(review: Review, variant: str) -> str:
    """Return the swept parameters of a rule set, such as `with gin bonus 25`."""
    point = find_swept_parameters(review, variant)
    conditions = join_words([_format_condition(name, [value]) for name, value in point])
    is_first_present = conditions.startswith("with ")
    return conditions.replace(" and with ", " and ") if is_first_present else conditions


def _format_condition(name: str, values: Sequence[str]) -> str:
    """Return values of a parameter, such as `with gin bonus 20 and 25` or `without big gin`."""
    words = name.replace("_", " ")
    if not {"yes", *ABSENCE_WORDS}.intersection(values):
        return f"with {words} {join_words([value.replace('_', ' ') for value in values])}"
    conditions = [
        f"without {words}" if value in ABSENCE_WORDS else f"with {_format_setting(name, value)}"
        for value in values
    ]
    return join_words(conditions)


def format_sweep_values(review: Review, variant: str) -> str:
    """Return the swept values of a rule set, such as `20 / 10`.

    If the rule set is not in the sweep, the result is its label.
    """
    return " / ".join(
        value for _, value in find_swept_parameters(review, variant)
    ) or format_variant_label(variant)


def find_swept_parameters(review: Review, variant: str) -> list[tuple[str, str]]:
    """Return the swept parameters of a variant with their values, or [] if not in the sweep."""
    request = review.request
    names = [name for name, _ in request.sweep]
    points = itertools.product(*(values for _, values in request.sweep))
    point = dict(zip(request.swept_variants, points, strict=True)).get(variant, ())
    return list(zip(names, point, strict=False))


def iterate_sweep_lines(review: Review) -> Iterator[str]:
    """Yield sentences about the trends and the break-even values of a sweep."""
    first_variant, *_, last_variant = review.request.swept_variants
    for row in review.scorecard_rows:
        if row.key in TREND_SENTENCE_SUBJECTS:
            yield from _iterate_trend_lines(review, row, first_variant, last_variant)
    yield from _iterate_skill_trend_lines(review, first_variant, last_variant)
    if review.request.gin_and_knock_players:
        has_one_parameter = len(review.request.sweep) == 1
        yield (_describe_break_even if has_one_parameter else _describe_break_even_grid)(review)


def _iterate_trend_lines(
    review: Review, row: ScorecardRow, first_variant: str, last_variant: str
) -> Iterator[str]:
    """Yield a sentence about the change in a metric between the ends of a sweep."""
    first_value, last_value = (
        review.measurements[variant, row.key, STRONG_PLAYER]
        for variant in (first_variant, last_variant)
    )
    if not isinstance(first_value, PairedEstimate) or not isinstance(last_value, PairedEstimate):
        return
    effect = review.compute_effect(last_value, first_value, row.key)
    subject, noun = TREND_SENTENCE_SUBJECTS[row.key]
    start_text, end_text = (
        f"{row.format_value(value.value)}{noun} {format_swept_parameters(review, variant)}"
        for value, variant in ((first_value, first_variant), (last_value, last_variant))
    )
    values = (review.measurements[v, row.key, STRONG_PLAYER] for v in review.request.swept_variants)
    known_values = [value.value for value in values if isinstance(value, PairedEstimate)]
    low_text, high_text = map(row.format_value, (min(known_values), max(known_values)))
    low, high = effect.interval
    if effect.size != NO_EFFECT and (low > 0 or high < 0):
        verb = "rises" if low > 0 else "falls"
        adverb = {SMALL_EFFECT: " slightly", LARGE_EFFECT: " sharply"}.get(effect.size, "")
        range_text = ""
        endpoint_texts = {row.format_value(value.value) for value in (first_value, last_value)}
        if endpoint_texts != {low_text, high_text}:
            range_text = f"The values of the sweep range from {low_text} to {high_text}{noun}."
        minutes_text = ""
        if row.key == "turns_per_match":
            minutes_text = describe_change_in_minutes(review, last_variant, first_variant)
        sentence = f"{subject} {verb}{adverb}, from {start_text} to {end_text}."
        yield " ".join(filter(None, [sentence, range_text, minutes_text]))
    else:
        range_text = f"is {low_text}"
        if low_text != high_text:
            range_text = f"ranges from {low_text} to {high_text}"
        verb = "hardly differs" if effect.size == NO_EFFECT else "does not differ significantly"
        endpoints = "the first and the last column of the scorecard"
        if len(review.request.sweep) == 1:
            ((name, (first, *_, last)),) = review.request.sweep
            endpoints = f"{_format_setting(name, first)} and {_format_setting(name, last)}"
        yield f"{subject} {range_text}{noun}, and {verb} between {endpoints}."


def _iterate_skill_trend_lines(
    review: Review, first_variant: str, last_variant: str
) -> Iterator[str]:
    """Yield a sentence about skill if it changes between the ends of a sweep."""
    effects = []
    for player_type in review.player_types:
        first_value, last_value = (
            review.measurements.get((variant, SKILL_METRIC, player_type))
            for variant in (first_variant, last_variant)
        )
        if isinstance(first_value, PairedEstimate) and isinstance(last_value, PairedEstimate):
            effects.append(review.compute_effect(last_value, first_value, SKILL_METRIC))
    if (skill := _find_common_skill_effect(effects)) not in (NO_EFFECT, UNCLEAR_EFFECT):
        last_text, first_text = (
            format_swept_parameters(review, variant) for variant in (last_variant, first_variant)
        )
        yield f"{capitalize_first(SKILL_CLAUSES[skill])} {last_text} than {first_text}."


def _describe_break_even(review: Review) -> str:
    """Return sentences about the values at which playing for gin beats knocking."""
    ((name, _),) = review.request.sweep
    parameter = name.replace("_", " ")
    variants_by_sign: dict[int, list[str]] = {}
    for variant, sign in _compute_gin_vs_knock_signs(review).items():
        variants_by_sign.setdefault(sign, []).append(variant)
    if len(variants_by_sign) == 1:
        return BREAK_EVEN_SENTENCES[next(iter(variants_by_sign))].format(
            f"every {_format_swept_names(review.request.sweep)} tried"
        )
    return " ".join(
        sentence.format(
            f"{parameter} {join_words(format_value_ranges(review, variants_by_sign[sign]))}"
        )
        for sign, sentence in BREAK_EVEN_SENTENCES.items()
        if sign in variants_by_sign
    )


def _compute_gin_vs_knock_signs(review: Review) -> dict[str, int]:
    """Return, for each rule set, the sign of the gain from playing for gin.

    The gain is the win rate of a player who plays for gin against a player who knocks immediately,
    minus 50 %.

    If the gain is not significant at the 5 % level after Holm's correction, the sign is 0.
    """
    gains: dict[str, PairedEstimate] = {}
    for variant in review.request.swept_variants:
        win_rate = review.measurements[variant, GIN_VS_KNOCK_METRIC, GIN_PLAYER]
        assert isinstance(win_rate, PairedEstimate)
        gains[variant] = win_rate.rescale(1, -BREAK_EVEN_WIN_RATE)
    adjusted_p_values = adjust_p_values(np.array([gain.p for gain in gains.values()], float))
    return {
        variant: int(np.sign(gain.value)) if p < ALPHA else 0
        for (variant, gain), p in zip(gains.items(), adjusted_p_values, strict=True)
    }


def format_value_ranges(review: Review, variant_names: Sequence[str]) -> list[str]:
    """Format the swept values of rule sets, such as `0 to 6`."""
    ranges = []
    swept_variants = review.request.swept_variants
    for is_chosen, adjacent_variants in itertools.groupby(
        swept_variants, variant_names.__contains__
    ):
        value_texts = [format_sweep_values(review, variant) for variant in adjacent_variants]
        if len(value_texts) > 2 and len(review.request.sweep) == 1:
            value_texts = [f"{value_texts[0]} to {value_texts[-1]}"]
        ranges += value_texts if is_chosen else []
    return ranges


def _describe_break_even_grid(review: Review) -> str:
    """Return sentences about the combinations of values at which playing for gin pays."""
    (x_name, x_values), (y_name, y_values) = review.request.sweep
    signs = _compute_gin_vs_knock_signs(review)
    if len(set(signs.values())) == 1:
        return BREAK_EVEN_SENTENCES[signs[review.request.swept_variants[0]]].format(
            "every combination tried"
        )
    points = zip(itertools.product(x_values, y_values), review.request.swept_variants, strict=True)
    paying_points = {point for point, variant in points if signs[variant] > 0}
    x_values_by_paying: dict[tuple[str, ...], list[str]] = {}
    for x in x_values:
        paying_values = tuple(y for y in y_values if (x, y) in paying_points)
        x_values_by_paying.setdefault(paying_values, []).append(x)
    sentences = []
    for paying_values, values in x_values_by_paying.items():
        clause = "playing for gin never significantly beats knocking immediately"
        if paying_values:
            condition = _format_condition(y_name, paying_values)
            clause = f"playing for gin beats knocking immediately {condition}"
        sentences.append(f"{capitalize_first(_format_condition(x_name, values))}, {clause}.")
    return " ".join(sentences)


# Best values

# With fewer matches, one half of the mirrored pairs has too few batches for a standard error.
MIN_MATCHES_FOR_BEST_VALUES = 4 * MIN_BATCHES * batch_columns.MATCH_BATCH_SIZE


def _compute_distance_from_half(proportion: PairedEstimate) -> PairedEstimate:
    """Return the absolute difference between a proportion and one half."""
    if proportion.value >= BREAK_EVEN_WIN_RATE:
        return proportion.rescale(1, -BREAK_EVEN_WIN_RATE)
    return proportion.rescale(-1, BREAK_EVEN_WIN_RATE)


# title, metric and player type of each objective, and the function that the best value minimises
BEST_VALUE_OBJECTIVES: tuple[
    tuple[str, str, str, Callable[[PairedEstimate], PairedEstimate]], ...
] = (
    ("fewest dead hands", "dead", STRONG_PLAYER, lambda number: number),
    ("fairest seats", "seat", STRONG_PLAYER, _compute_distance_from_half),
    (
        "knocking immediately and playing for gin equally strong",
        GIN_VS_KNOCK_METRIC,
        GIN_PLAYER,
        _compute_distance_from_half,
    ),
)


def can_show_best_values(review: Review) -> bool:
    """Return True if a review has enough matches to determine the best values."""
    return min(review.request.stage_sizes) >= MIN_MATCHES_FOR_BEST_VALUES


def describe_best_values(review: Review) -> str:
    """Return a sentence that refers to the table of best values, or states why it is missing."""
    if can_show_best_values(review):
        title = _format_best_values_title(review)
        return f'The table "{title}" in the report shows the best value for each aim.'
    return (
        "The best values are not shown, because at least "
        f"{MIN_MATCHES_FOR_BEST_VALUES:,} matches are required."
    )


def _format_best_values_title(review: Review) -> str:
    """Return the title of the table of best values, such as `Best gin bonus`."""
    return f"Best {' / '.join(name.replace('_', ' ') for name, _ in review.request.sweep)}"


def build_best_values_table(review: Review) -> Table:
    """Return a table with the best value for each objective.

    The table also lists the values that are not significantly worse.
    """
    even_measurements = review.select_half(0).measurements
    odd_measurements = review.select_half(1).measurements
    rows = []
    objectives = list(BEST_VALUE_OBJECTIVES)
    for player_type, _ in review.request.kinds:
        title = f"most skill (opponent: {player_type})"
        objectives.append((title, SKILL_METRIC, player_type, lambda number: number.rescale(-1)))
    for title, metric, player_type, loss_function in objectives:
        losses = _compute_losses_by_variant(
            review, even_measurements, metric, player_type, loss_function
        )
        if not losses:
            continue
        best_variant = min(losses, key=lambda variant: losses[variant].value)
        test_losses = _compute_losses_by_variant(
            review, odd_measurements, metric, player_type, loss_function
        )
        near_text = _format_near_best_values(review, test_losses, best_variant)
        best_text = format_sweep_values(review, best_variant)
        rows.append({"aim": title, "best": best_text, "near": near_text})
    columns = (
        *(Column("aim", "aim"), Column("best", "best value")),
        Column("near", "not significantly worse"),
    )
    note = (
        "simgin selects the best value on one half of the deals. On the other half, simgin tests "
        "whether the remaining values are worse, at the 5 % level with Holm's correction."
    )
    frame = make_frame(rows, ("aim", "best", "near"))
    return Table(_format_best_values_title(review), frame, columns, note)


def _compute_losses_by_variant(
    review: Review,
    measurements: MeasurementsByKey,
    metric: str,
    player_type: str,
    loss_function: Callable[[PairedEstimate], PairedEstimate],
) -> dict[str, PairedEstimate]:
    """Return the loss of each rule set under an objective.

    The best rule set has the smallest loss.
    """
    losses = {}
    for variant in review.request.swept_variants:
        estimate = measurements.get((variant, metric, player_type))
        if isinstance(estimate, PairedEstimate) and not np.isnan(estimate.value):
            losses[variant] = loss_function(estimate)
    return losses


def _format_near_best_values(
    review: Review, losses: Mapping[str, PairedEstimate], best_variant: str
) -> str:
    """Format the parameter values that are not significantly worse than the best value."""
    variants_not_worse = _list_near_best_variants(losses, best_variant)
    if variants_not_worse is None:
        return EN_DASH
    if len(variants_not_worse) == len(review.request.swept_variants) - 1:
        return "all other values"
    return ", ".join(format_value_ranges(review, variants_not_worse)) or "none"


def _list_near_best_variants(
    losses: Mapping[str, PairedEstimate], best_variant: str
) -> list[str] | None:
    """Return the rule sets that are not significantly worse than the best one, or None.

    If there are too few batches for a test, return None.
    """
    other_variants = [variant for variant in losses if variant != best_variant]
    differences = [losses[variant] - losses[best_variant] for variant in other_variants]
    if any(np.isnan(difference.se) for difference in differences):
        return None
    p_values = [difference.p if difference.value > 0 else 1.0 for difference in differences]
    adjusted = adjust_p_values(np.array(p_values, float))
    return [variant for variant, p in zip(other_variants, adjusted, strict=True) if not p < ALPHA]
