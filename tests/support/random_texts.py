"""Hypothesis strategies for input that users type, most of which is valid."""

import json

from hypothesis import strategies as st

from simgin.rules import variants
from simgin.rules.parameters import load_rule_parameters
from simgin.strategy import SLOTS, loader
from simgin.text import notation
from simgin.text.messages import NO_VALUE
from support.hostile import HOSTILE_VALUES, ODD_STRINGS


def make_rule_values(parameter):
    """Return a Hypothesis strategy that draws valid and invalid values of a parameter."""
    number = st.integers(parameter.min_value, min(parameter.max_value, parameter.min_value + 60))
    rows = st.lists(st.tuples(st.integers(0, 149), st.integers(1, 100)).map(list), min_size=1)
    kinds = {
        "bool": st.booleans(),
        "choice": st.sampled_from(parameter.choices or ("",)),
        "int": number | st.just(parameter.max_value),
        "pair": st.tuples(number, number).map(list),
        "table": rows.map(sorted),
    }
    good = kinds[parameter.value_type]
    return st.one_of(*[good] * 12, st.none(), st.sampled_from(HOSTILE_VALUES))


rule_changes = st.lists(
    st.sampled_from(list(load_rule_parameters().values())).flatmap(
        lambda parameter: st.tuples(st.just(parameter.name), make_rule_values(parameter))
    ),
    max_size=4,
).map(dict)


def format_settings(params):
    return [
        f"{name}={load_rule_parameters()[name].to_text(value)}" for name, value in params.items()
    ]


variant_name_lists = st.lists(st.sampled_from(variants.variant_names()), min_size=1, max_size=3)
variant_specs = st.tuples(variant_name_lists, rule_changes).map(
    lambda drawn: "+".join([*drawn[0], *format_settings(drawn[1])])
)

card_lists = st.permutations(range(52)).flatmap(
    lambda pack: st.sampled_from((10, 10, 11, 11, 9, 0, 52)).map(lambda size: pack[:size])
)
hand_strings = st.tuples(card_lists, st.sampled_from((" ", ",", ", ", "", "  "))).map(
    lambda drawn: drawn[1].join(map(notation.format_card, drawn[0]))
)


@st.composite
def policy_specs(draw, policy):
    """Draw a policy spec with up to two parameters, some of which are invalid."""
    named = st.sampled_from([*policy.params, *policy.params, "k"])
    values = st.sampled_from(("0", "1", "4", "0.5", "yes", "no", "high", *ODD_STRINGS))
    items = draw(st.lists(st.tuples(named, values).map("=".join), max_size=2))
    return policy.name + (":" + ",".join(items) if items else "")


@st.composite
def strategy_specs(draw):
    """Draw a strategy spec with up to three policies, some of which are invalid."""
    text = draw(st.sampled_from([*loader.list_strategies(), "mine.py", "mine.py#x", ".py"]))
    for policy in draw(st.lists(st.sampled_from(loader.list_policies()), max_size=3)):
        slot = draw(st.sampled_from((policy.slot, policy.slot, *SLOTS, "stake")))
        text += f"+{slot}={draw(policy_specs(policy))}"
    return text


def format_toml_value(value):
    """Format a value as TOML, or as a string if TOML lacks its type."""
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)} = {format_toml_value(item)}" for key, item in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(format_toml_value, value)) + "]"
    text = json.dumps(NO_VALUE if value is None else value)
    return text.replace("NaN", "nan").replace("Infinity", "inf")


def format_toml_file(content):
    lines = [f"{json.dumps(key)} = {format_toml_value(value)}\n" for key, value in content.items()]
    return "".join(lines).encode(errors="replace")
