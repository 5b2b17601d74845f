"""Page that compares strategies and shows a live chart of the win rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from simgin.runs.plan import (
    DEFAULT_DEALS,
    DEFAULT_MATCHES,
    DEFAULT_MAX_SIZE,
    Plan,
    plan_league,
    plan_match,
)
from simgin.strategy.catalogue import (
    is_solo_strategy,
    list_strategies_by_strength,
    read_catalogue_entry,
)
from simgin.strategy.strategy_spec import StrategyError
from simgin.text.amounts import UNIT_PLURALS, parse_count, parse_half_width
from simgin.text.messages import SimginError, quote_text
from simgin.web.command_pages import CommandDraft, CommandPage
from simgin.web.expected_time import estimate_cpu_seconds
from simgin.web.opponents import make_display_names
from simgin.web.pages import Form
from simgin.web.request_values import find_allowed_strategy, find_allowed_variant
from simgin.web.review_page import ONE_PLAYER_GROUP, TWO_PLAYER_GROUP, group_variants, list_variants
from simgin.web.spec_fields import describe_strategy_fields

if TYPE_CHECKING:
    from simgin.web.app import Site

# strategy fields with their default values
DEFAULT_STRATEGIES = {"s1": "champion", "s2": "marjj-early"} | dict.fromkeys(
    ["s3", "s4", "s5", "s6", "s7", "s8"], ""
)
LEAGUE_LAYOUT = "league"


def read_comparison_form(form: Form, site: Site) -> CommandDraft:
    """Return the command that compares the strategies in a form, and record the form's errors."""
    variant = form.read("variant", find_allowed_variant, "standard")
    strategies = _read_strategies(form, site, variant.is_solo)
    against = form.read("against", partial(_parse_strategy, site=site, is_solo=False), "simple")
    specs = form.get_values(DEFAULT_STRATEGIES) | {"against": form.values.get("against") or against}
    layout = form.read_choice("layout", (LEAGUE_LAYOUT, "panel"), LEAGUE_LAYOUT)
    is_league = len(strategies) > 2 and layout == LEAGUE_LAYOUT
    command = "league" if is_league else "match"
    opponent = {"against": against} if len(strategies) > 2 and not is_league else {}
    if opponent and against in strategies:
        form.errors.setdefault("against", "This strategy is compared. Choose another opponent.")
    size_options = _read_sample_size(form)
    plan = _make_plan(form, is_league, strategies, variant.spec, opponent | size_options)
    names = [plan.display_names.get(spec, spec) for spec in strategies]
    return CommandDraft(
        [
            command,
            *strategies,
            *_iter_option_arguments(opponent),
            "-v",
            variant.spec,
            *_iter_option_arguments(size_options),
        ],
        f"{' v '.join(names)}, {variant.spec}",
        "-".join([command, *names, variant.spec]),
        estimate_cpu_seconds(plan),
        _explain_stopping(size_options, plan),
        {name: describe_strategy_fields(spec, site.extra_specs) for name, spec in specs.items()},
    )


def _iter_option_arguments(options: Mapping[str, str]) -> Iterator[str]:
    """Yield the command-line arguments for options, given as a mapping of names to values."""
    for name, value in options.items():
        yield from (f"--{name}", value)


def _explain_stopping(size_options: Mapping[str, str], plan: Plan) -> list[str]:
    """Return a note that states when a run with a target precision stops, if it has one."""
    if "until" not in size_options:
        return []
    max_size = f"{plan.tasks[0].n_games:,} {UNIT_PLURALS[plan.unit]}"
    return [
        f"The run stops when the confidence interval is at most ± {size_options['until']}, or at "
        f"{max_size}."
    ]


def _read_strategies(form: Form, site: Site, is_solo: bool) -> list[str]:
    """Return the distinct strategies in a form, or one strategy for a solitaire game."""
    field_names = list(form.get_values(DEFAULT_STRATEGIES))[: 1 if is_solo else None]
    read_spec = partial(_parse_strategy, site=site, is_solo=is_solo)
    defaults = {"s1": _find_strongest_solo_strategy()} if is_solo else DEFAULT_STRATEGIES
    specs = [form.read(name, read_spec, defaults[name] or "simple") for name in field_names]
    if len(specs) == 2:  # A strategy can play against itself.
        return specs
    for index, field_name in enumerate(field_names):
        if specs[index] in specs[:index]:
            form.errors.setdefault(field_name, "This strategy occurs twice. Change a parameter.")
    return specs


def _find_strongest_solo_strategy() -> str:
    return next(filter(is_solo_strategy, list_strategies_by_strength()))


def _parse_strategy(spec: str, site: Site, is_solo: bool) -> str:
    """Return the canonical spec of a strategy for the given number of players.

    Strategies from files can play all variants.
    """
    strategy = find_allowed_strategy(spec, site.extra_specs)
    if spec not in site.extra_specs and is_solo_strategy(strategy.name) != is_solo:
        players = "one player" if is_solo else "two players"
        raise StrategyError(
            f"{quote_text(spec)} does not play this variant, which has {players}. Choose a "
            f"strategy for {players}."
        )
    return strategy.spec


def _read_sample_size(form: Form) -> dict[str, str]:
    """Return the command options for the sample size, such as `{"deals": "100000"}`."""
    unit = form.read_choice("unit", ("matches", "deals"), "matches")
    is_until = form.read_choice("stop", ("size", "until"), "size") == "until"
    usual_size = DEFAULT_DEALS if unit == "deals" else DEFAULT_MATCHES
    default_size = DEFAULT_MAX_SIZE if is_until else usual_size
    size_options = {unit: str(form.read("size", parse_count, str(default_size)))}
    if is_until:
        size_options["until"] = str(form.read("until", parse_half_width, "0.5%"))
    return size_options


def _make_plan(
    form: Form, is_league: bool, strategy_specs: list[str], variant: str, options: Mapping[str, Any]
) -> Plan:
    """Return the plan of the command, or record an error in the form."""
    try:
        return (plan_league if is_league else plan_match)(strategy_specs, variant, **options)
    except SimginError as error:
        if not form.errors:
            form.add_error("form", error)
        return plan_match([*DEFAULT_STRATEGIES.values()][:2], "standard")


def _make_template_variables(site: Site) -> dict[str, Any]:
    """Return the variants and strategies that the page offers for selection."""
    return {
        "fields_of_strategies": DEFAULT_STRATEGIES,
        "variants": list_variants(),
        "default_solo_strategy": _find_strongest_solo_strategy(),
        "solitaire": [name for name, _ in group_variants()[ONE_PLAYER_GROUP]],
        "strategies": _group_strategies(site),
    }


def _group_strategies(site: Site) -> dict[str, list[tuple[str, str]]]:
    """Return the specs and labels of all strategies, grouped, in order of Elo.

    Strategies without a rating are last, so that the page does not add slow ones by default.
    """
    names = sorted(
        list_strategies_by_strength(), key=lambda name: "elo" not in read_catalogue_entry(name)
    )
    labels = {name: _format_strategy_label(name) for name in names}
    return {
        "Your strategies": [*make_display_names(site.extra_specs).items()],
        TWO_PLAYER_GROUP: [item for item in labels.items() if not is_solo_strategy(item[0])],
        ONE_PLAYER_GROUP: [item for item in labels.items() if is_solo_strategy(item[0])],
    }


def _format_strategy_label(strategy: str) -> str:
    """Return the name of a strategy with its Elo rating."""
    catalogue_entry = read_catalogue_entry(strategy)
    return f"{strategy} (Elo {catalogue_entry['elo']:+d})" if "elo" in catalogue_entry else strategy


COMPARE_PAGE = CommandPage("compare", read_comparison_form, _make_template_variables)
