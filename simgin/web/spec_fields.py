"""Fields for the specs of variants and strategies: one for each parameter, described as JSON.

The browser edits a spec as a name and changed parameters (see static/specs.js). It shows what these
functions return: the parameters with their values, ranges and descriptions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from simgin.rules.parameters import Parameter, ParamValue, rule_parameters
from simgin.rules.variants import VariantError
from simgin.strategy.author import Param
from simgin.strategy.catalogue import extract_idea
from simgin.strategy.strategy_spec import StrategyError
from simgin.web.names import read_strategy_name, read_variant_name
from simgin.web.opponents import make_sentence

# Parameters that are shown first
BASIC_PARAMETERS = (
    "knock_limit",
    "knock_by_upcard",
    "gin_bonus",
    "undercut_bonus",
    "points_target",
    "box_bonus",
)
SECTIONS = {
    "basic": "Basic rules",
    "deal": "Deal",
    "meld": "Melds and card values",
    "score": "Score of a deal",
    "match": "Match",
    "stake": "Die",
}
KINDS = {"integer": "number", "bool": "choice"}  # strategy parameters


def describe_variant_fields(spec: str) -> dict[str, Any]:
    """Return the variant name in a spec, and a form field for every rule parameter.

    Values that are not valid are returned as well, so that the user can correct them.
    """
    parts = spec.split("+")
    head = "+".join(part for part in parts if "=" not in part)
    try:
        named = read_variant_name(head)
    except VariantError:
        named = read_variant_name("standard")
    known = rule_parameters()
    params = dict(named.params)
    for name, _, value in (part.partition("=") for part in parts):
        if name in known:
            params[name] = known[name].parse(value)
    displayed_parameters = [
        parameter for parameter in known.values() if parameter.status != "descriptive"
    ]
    fields = [_rule_field(one, params, named.params[one.name]) for one in displayed_parameters]
    fields.sort(key=lambda one: list(SECTIONS.values()).index(one["section"]))
    return {"head": head, "title": named.title, "about": named.about, "fields": fields}


def _rule_field(
    parameter: Parameter, params: Mapping[str, ParamValue], named: ParamValue
) -> dict[str, Any]:
    name = parameter.name
    section = "basic" if name in BASIC_PARAMETERS else parameter.section
    is_number = parameter.kind == "int" and not parameter.optional
    is_choice = parameter.kind in ("bool", "choice")
    return {
        "name": name,
        "label": name.replace("_", " ").capitalize(),
        "section": SECTIONS[section],
        "about": parameter.meaning,
        "unit": parameter.unit,
        "kind": "choice" if is_choice else "number" if is_number else "text",
        "choices": parameter.allowed_values().split(", ") if is_choice else [],
        "range": [parameter.low, parameter.high] if is_number else None,
        "value": parameter.to_text(params[name]),
        "default": parameter.to_text(named),
        "idle": parameter.explain_no_effect(params),
    }


def describe_strategy_fields(spec: str, given: Sequence[str] = ()) -> dict[str, Any]:
    """Return the strategy name in a spec, and a form field for every policy parameter.

    There are no fields for strategies with replaced policies, and for strategies from files.

    Args:
        spec: Spec of the strategy.
        given: Specs of the strategies that were named when the server was started.
    """
    head, _, settings = spec.partition(":")
    if spec in given or "+" in spec:
        return {"head": spec, "title": spec, "about": "", "fields": []}
    try:
        strategy = read_strategy_name(head)
    except StrategyError:
        return {"head": head, "title": head, "about": "", "fields": []}
    values = dict(part.split("=", 1) for part in settings.split(",") if "=" in part)
    params = [item for policy in strategy.policies for item in policy.params.items()]
    uses = Counter(name for name, _ in params)  # a name of two policies is ambiguous in a spec
    named = [(name, param) for name, param in params if uses[name] == 1]
    fields = [_strategy_field(name, param, values) for name, param in named]
    about = make_sentence(extract_idea(strategy))
    return {"head": head, "title": head, "about": about, "fields": fields}


def _strategy_field(name: str, param: Param, values: Mapping[str, str]) -> dict[str, Any]:
    kind = KINDS.get(param.kind, param.kind)
    default = param.format(param.default)
    return {
        "name": name,
        "label": name.replace("_", " ").capitalize(),
        "section": "Parameters",
        "about": param.about,
        "unit": "",
        "kind": kind,
        "choices": list(param.choices) or ["yes", "no"] if kind == "choice" else [],
        "range": [param.low, param.high] if kind == "number" else None,
        "step": 1 if param.kind == "integer" else "any",
        "value": values.get(name, default),
        "default": default,
        "idle": "",
    }
