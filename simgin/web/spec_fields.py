"""Form fields for the parameters of variants and strategies, described as JSON.

The browser represents a spec as a name and a list of changed parameters (see static/specs.js). The
browser shows the parameters with their values, ranges and descriptions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from simgin.rules.parameters import Parameter, ParamValue, load_rule_parameters
from simgin.rules.variants import Variant, VariantError
from simgin.strategy.author import Param
from simgin.strategy.catalogue import extract_first_sentence
from simgin.strategy.strategy_spec import StrategyError
from simgin.text.messages import capitalize_first
from simgin.web.opponents import format_as_sentence
from simgin.web.request_values import find_allowed_strategy, find_allowed_variant

# parameters that are shown first
BASIC_RULE_PARAMETERS = (
    "knock_limit",
    "knock_by_upcard",
    "gin_bonus",
    "undercut_bonus",
    "points_target",
    "box_bonus",
)
RULE_SECTION_TITLES = {
    "basic": "Basic rules",
    "deal": "Deal",
    "meld": "Melds and card values",
    "score": "Score of a deal",
    "match": "Match",
    "stake": "Die",
}
FIELD_TYPE_BY_PARAMETER_KIND = {
    "integer": "number",
    "bool": "choice",
}  # field types of strategy parameters
SPEC_PREFIX_PATTERN = re.compile(r"^'[^']*': ")  # beginning of errors in strategy parameters


def describe_variant_fields(spec: str) -> dict[str, Any]:
    """Return the variant in a spec, with a form field for each rule parameter.

    Invalid values are also returned, so that the user can correct them.
    """
    spec_parts = spec.split("+")
    base_spec = "+".join(spec_part for spec_part in spec_parts if "=" not in spec_part)
    base_variant = _find_variant_or(find_allowed_variant("standard"), base_spec)
    parameters = load_rule_parameters()
    params = dict(base_variant.params)
    for name, _, value in (spec_part.partition("=") for spec_part in spec_parts):
        if name in parameters:
            params[name] = parameters[name].parse(value)
    displayed_parameters = [
        parameter for parameter in parameters.values() if parameter.status != "descriptive"
    ]
    fields = [
        _make_rule_field(parameter, params, base_variant.params[parameter.name])
        for parameter in displayed_parameters
    ]
    fields.sort(key=lambda field: list(RULE_SECTION_TITLES.values()).index(field["section"]))
    return {
        "head": base_spec,
        "title": base_variant.title,
        "about": _find_variant_or(base_variant, spec).about,
        "fields": fields,
    }


def _find_variant_or(default: Variant, spec: str) -> Variant:
    """Return the variant for a spec, or a default if the spec is not valid."""
    try:
        return find_allowed_variant(spec)
    except VariantError:
        return default


def _make_rule_field(
    parameter: Parameter, rule_values: Mapping[str, ParamValue], default_value: ParamValue
) -> dict[str, Any]:
    """Return the form field for a rule parameter."""
    name = parameter.name
    section = "basic" if name in BASIC_RULE_PARAMETERS else parameter.section
    is_number = parameter.value_type == "int" and not parameter.is_optional
    is_choice = parameter.value_type in ("bool", "choice")
    return {
        "name": name,
        "label": name.replace("_", " ").capitalize(),
        "section": RULE_SECTION_TITLES[section],
        "about": parameter.meaning,
        "unit": parameter.unit,
        "kind": "choice" if is_choice else "number" if is_number else "text",
        "choices": parameter.list_allowed_values().split(", ") if is_choice else [],
        "range": [parameter.min_value, parameter.max_value] if is_number else None,
        "value": parameter.to_text(rule_values[name]),
        "default": parameter.to_text(default_value),
        "idle": parameter.explain_no_effect(rule_values),
    }


def describe_strategy_fields(spec: str, extra_specs: Sequence[str] = ()) -> dict[str, Any]:
    """Return the strategy in a spec, with a form field for each policy parameter.

    Strategies from files and strategies with replaced policies have no form fields.

    Args:
        spec: Spec of the strategy.
        extra_specs: Specs of the strategies that were specified when the server was started.
    """
    is_extra = spec in extra_specs
    base_spec, _, settings = (spec, "", "") if is_extra else spec.partition(":")
    if "+" in spec:
        return {"head": spec, "title": spec, "about": "", "fields": []}
    try:
        strategy = find_allowed_strategy(base_spec, extra_specs)
    except StrategyError:
        return {"head": base_spec, "title": base_spec, "about": "", "fields": []}
    about = format_as_sentence(extract_first_sentence(strategy))
    if is_extra:
        return {"head": spec, "title": spec, "about": about, "fields": []}
    parameter_values = dict(part.split("=", 1) for part in settings.split(",") if "=" in part)
    params = [named_param for policy in strategy.policies for named_param in policy.params.items()]
    # A parameter name that two policies share is ambiguous in a spec.
    name_counts = Counter(name for name, _ in params)
    unique_params = [(name, param) for name, param in params if name_counts[name] == 1]
    fields = [_make_strategy_field(name, param, parameter_values) for name, param in unique_params]
    return {"head": base_spec, "title": base_spec, "about": about, "fields": fields}


def _make_strategy_field(name: str, param: Param, values: Mapping[str, str]) -> dict[str, Any]:
    """Return the form field for a policy parameter."""
    field_type = FIELD_TYPE_BY_PARAMETER_KIND.get(param.kind, param.kind)
    default = param.format(param.default)
    return {
        "name": name,
        "label": name.replace("_", " ").capitalize(),
        "section": "Parameters",
        "about": param.about,
        "unit": "",
        "kind": field_type,
        "choices": list(param.choices) or ["yes", "no"] if field_type == "choice" else [],
        "range": [param.low, param.high] if field_type == "number" else None,
        "step": 1 if param.kind == "integer" else "any",
        "value": values.get(name, default),
        "default": default,
        "idle": "",
    }


def move_errors_to_parameters(errors: dict[str, str], parameter_fields: Mapping[str, Any]) -> None:
    """Move error messages from the fields of specs to the fields of the parameters they name.

    Args:
        errors: Error messages, by field name. The field of the parameter `gin_bonus` of the spec
            in the field `r1` is `r1-gin_bonus`.
        parameter_fields: Form fields for the parameters of each spec, by the name of its field.
    """
    for spec_name, description in parameter_fields.items():
        names_by_label = {field["label"]: field["name"] for field in description["fields"]}
        for line in errors.pop(spec_name, "").splitlines():
            text = SPEC_PREFIX_PATTERN.sub("", line)
            readable_text = capitalize_first(text).replace("_", " ")
            labels = [label for label in names_by_label if readable_text.startswith(f"{label} ")]
            name = spec_name
            if labels:
                label = max(labels, key=len)
                name, line = f"{spec_name}-{names_by_label[label]}", label + text[len(label) :]
            errors[name] = f"{errors[name]}\n{line}" if name in errors else line
