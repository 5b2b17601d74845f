"""Page that reviews rule changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simgin.learn.adapt import has_own_weights, is_trained_champion
from simgin.review import review_request
from simgin.review.review import Review, plan_review
from simgin.review.review_request import ReviewError, ReviewRequest
from simgin.review.verdicts import format_review_question
from simgin.rules.variants import Variant, find_variant, variant_names
from simgin.strategy.cast import CHAMPION_STRATEGY, FAST_SOLO_STRATEGY
from simgin.strategy.catalogue import list_strategies_by_strength
from simgin.text.amounts import parse_seconds
from simgin.text.messages import SimginError
from simgin.web.command_pages import CommandDraft, CommandPage
from simgin.web.expected_time import estimate_cpu_seconds
from simgin.web.pages import Form
from simgin.web.request_values import find_allowed_strategy, find_allowed_variant
from simgin.web.spec_fields import describe_variant_fields

if TYPE_CHECKING:
    from simgin.web.app import Site

EXAMPLE_RULE_SET = "standard+undercut_bonus=10"
# fields of the baseline and the rule sets, with their defaults
DEFAULT_VARIANTS = {"base": "standard", "r1": EXAMPLE_RULE_SET, "r2": "", "r3": "", "r4": ""}
# titles of groups of variants and strategies, which static/specs.js compares
TWO_PLAYER_GROUP, ONE_PLAYER_GROUP = "For two players", "For one player"
MAX_RULE_SETS_TO_ADAPT = 3  # maximum number of rule sets for which training is the default
PRECISIONS, TRAINING_CHOICES = ("normal", "quick", "deep"), ("auto", "yes", "no")
QUICK_REVIEW_FACTOR = 0.1
EARLY_END_NOTE = "The review ends earlier if more matches would rarely change an effect size."
PLAYERS_CONFLICT = ReviewError(
    "The last strategy in the field 'Players' is the strong player, so simgin cannot train a "
    "strong player. Choose another option, or empty the field 'Players'."
)
# CPU time per rule set for pilot matches and plots, and for training with compilation, in seconds
PILOT_SECONDS, TRAINING_SECONDS = 2, 50


def read_review_form(form: Form, site: Site) -> CommandDraft:
    """Return the command that reviews the rules in a form, and record the form's errors."""
    base = form.read("base", find_allowed_variant, "standard")
    rule_sets = _read_rule_sets(form, base)
    players = form.read("players", lambda value: _parse_players(value, site), "")
    specs = [variant.spec for variant in rule_sets]
    default_seconds = review_request.DEFAULT_SECONDS_PER_TURN
    seconds = form.read("seconds", parse_seconds, str(default_seconds))
    try:
        request = ReviewRequest.read(specs, base.spec, players=players, seconds_per_turn=seconds)
    except SimginError as error:
        if not form.errors:
            form.add_error("form", error)
        request = ReviewRequest.read([EXAMPLE_RULE_SET], "standard")
    goals = form.read("goals", lambda value: _check_goal_list(value, request), "")
    adapted_variants = (
        [] if players or request.is_solo else _choose_variants_to_adapt(form, [base, *rule_sets])
    )
    if players and form.values.get("adapt") == "yes":
        form.add_error("adapt", PLAYERS_CONFLICT)
    precision = form.read_choice("precision", PRECISIONS, "normal")
    factors = {"quick": QUICK_REVIEW_FACTOR, "deep": review_request.DEEP_REVIEW_FACTOR}
    n_matches = round(request.matches * factors.get(precision, 1))
    matches = max(review_request.MIN_REVIEW_MATCHES, n_matches)
    options = {
        "title": form.values.get("title", "").strip(),
        "note": form.values.get("note", "").strip(),
        "players": ",".join(players),
        "goals": goals,
        "seconds-per-turn": "" if seconds == default_seconds else f"{seconds:g}",
        "matches": str(matches) if precision == "quick" else "",
    }
    flags = ["--adapt"] * bool(adapted_variants) + ["--deep"] * (precision == "deep")
    option_arguments = [f"--{name}={value}" for name, value in options.items() if value]
    return CommandDraft(
        ["review", *specs, "--against", base.spec, *option_arguments, *flags],
        _format_title(replace(request, title=options["title"])),
        "-".join(["review", *specs, "against", base.spec]),
        _estimate_cpu_seconds(
            replace(request, matches=matches, is_sequential=False), adapted_variants
        ),
        _explain_training(adapted_variants)
        + [EARLY_END_NOTE] * (request.is_sequential and precision == "normal"),
        {
            name: describe_variant_fields(spec)
            for name, spec in form.get_values(DEFAULT_VARIANTS).items()
        },
    )


def _format_title(request: ReviewRequest) -> str:
    """Return the title of the report of a review, which does not depend on the results."""
    no_results: Any = None
    return format_review_question(Review(request, no_results))


def _estimate_cpu_seconds(request: ReviewRequest, adapted_variants: list[Variant]) -> float | None:
    """Estimate the CPU time of a review, or return None if a strategy's speed is unknown."""
    strong_player = request.given_strong or (
        FAST_SOLO_STRATEGY if request.is_solo else CHAMPION_STRATEGY
    )
    players = tuple((variant, strong_player) for variant in request.variants)
    seconds = estimate_cpu_seconds(plan_review(replace(request, strong=players)))
    additional_seconds = PILOT_SECONDS * len(players) + TRAINING_SECONDS * len(adapted_variants)
    return seconds and seconds + additional_seconds


def _read_rule_sets(form: Form, base: Variant) -> list[Variant]:
    """Return the rule sets in a form, and record an error for each duplicate."""
    rule_sets: list[Variant] = []
    for name in list(form.get_values(DEFAULT_VARIANTS))[1:]:
        variant = form.read(name, find_allowed_variant, EXAMPLE_RULE_SET)
        if variant.spec == base.spec:
            form.errors.setdefault(
                name,
                "These are the rules of the baseline. Change a rule, or choose another variant.",
            )
        elif variant in rule_sets:
            form.errors.setdefault(name, "Another rule set has the same rules. Change a rule.")
        else:
            rule_sets.append(variant)
    return rule_sets


def _choose_variants_to_adapt(form: Form, rule_sets: list[Variant]) -> list[Variant]:
    """Return the rule sets for which a strong player should be trained."""
    rule_sets = [
        variant for variant in rule_sets if not variant.is_solo and not has_own_weights(variant)
    ]
    choice = form.read_choice("adapt", TRAINING_CHOICES, "auto")
    if choice != "auto":
        return rule_sets if choice == "yes" else []
    untrained_variants = [
        variant for variant in rule_sets if not is_trained_champion(CHAMPION_STRATEGY, variant)
    ]
    return untrained_variants if len(untrained_variants) <= MAX_RULE_SETS_TO_ADAPT else []


def _explain_training(adapted_variants: list[Variant]) -> list[str]:
    """Return a note about the training before a review, if there is any."""
    if not adapted_variants:
        return []
    names = ", ".join(variant.spec for variant in adapted_variants)
    return [
        f"Before the review, simgin trains a strong player for {names}. Training takes less than a "
        "minute of CPU time per rule set, and is cached for later reviews."
    ]


def _parse_players(text: str, site: Site) -> list[str]:
    """Parse a list of strategies separated by commas."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    specs = [find_allowed_strategy(name, site.extra_specs).spec for name in names]
    if len(set(specs)) == 1:
        raise ReviewError(
            "Choose at least two different strategies, weakest first, separated by commas."
        )
    return specs


def _check_goal_list(text: str, request: ReviewRequest) -> str:
    """Return a list of design goals unchanged, or raise an error if it is not valid."""
    if text:
        ReviewRequest.read(list(request.variants), goals=[text])
    return text


def list_variants() -> list[tuple[str, str]]:
    """Return the name and the title of each built-in variant."""
    return [(name, find_variant(name).title) for name in variant_names()]


def group_variants() -> dict[str, list[tuple[str, str]]]:
    """Return the names and titles of variants, grouped by number of players."""
    groups: dict[str, list[tuple[str, str]]] = {TWO_PLAYER_GROUP: [], ONE_PLAYER_GROUP: []}
    for name, title in list_variants():
        group = ONE_PLAYER_GROUP if find_variant(name).is_solo else TWO_PLAYER_GROUP
        groups[group].append((name, title))
    return groups


def _make_template_variables(site: Site) -> dict[str, Any]:
    """Return the variants and strategies that the page offers for selection."""
    return {
        "fields_of_rules": DEFAULT_VARIANTS,
        "variants": group_variants(),
        "strategies": [*site.extra_specs, *list_strategies_by_strength()],
    }


REVIEW_PAGE = CommandPage("review", read_review_form, _make_template_variables)
