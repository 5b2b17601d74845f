"""Random input as people type it, and rule values, most of which are valid."""

import json

from hypothesis import strategies as st

from simgin.rules import variants
from simgin.rules.parameters import load_rule_parameters
from simgin.strategy import SLOTS, loader
from simgin.text import notation
from simgin.text.messages import NO_VALUE
from support.hostile import ODD, VALUES


def rule_value(parameter):
    """Return a value of a rule parameter, sometimes an invalid one."""
    number = st.integers(parameter.low, min(parameter.high, parameter.low + 60))
    rows = st.lists(st.tuples(st.integers(0, 149), st.integers(1, 100)).map(list), min_size=1)
    kinds = {
        "bool": st.booleans(),
        "choice": st.sampled_from(parameter.choices or ("",)),
        "int": number | st.just(parameter.high),
        "pair": st.tuples(number, number).map(list),
        "table": rows.map(sorted),
    }
    good = kinds[parameter.kind]
    return st.one_of(*[good] * 12, st.none(), st.sampled_from(VALUES))


changes = st.lists(
    st.sampled_from(list(load_rule_parameters().values())).flatmap(
        lambda parameter: st.tuples(st.just(parameter.name), rule_value(parameter))
    ),
    max_size=4,
).map(dict)


def settings(row):
    return [f"{name}={load_rule_parameters()[name].to_text(value)}" for name, value in row.items()]


names = st.lists(st.sampled_from(variants.variant_names()), min_size=1, max_size=3)
compositions = st.tuples(names, changes).map(
    lambda drawn: "+".join([*drawn[0], *settings(drawn[1])])
)

cards = st.permutations(range(52)).flatmap(
    lambda pack: st.sampled_from((10, 10, 11, 11, 9, 0, 52)).map(lambda size: pack[:size])
)
hands = st.tuples(cards, st.sampled_from((" ", ",", ", ", "", "  "))).map(
    lambda drawn: drawn[1].join(map(notation.format_card, drawn[0]))
)


@st.composite
def policy_forms(draw, policy):
    named = st.sampled_from([*policy.params, *policy.params, "k"])
    values = st.sampled_from(("0", "1", "4", "0.5", "yes", "no", "high", *ODD))
    items = draw(st.lists(st.tuples(named, values).map("=".join), max_size=2))
    return policy.name + (":" + ",".join(items) if items else "")


@st.composite
def strategies(draw):
    text = draw(st.sampled_from([*loader.list_strategies(), "mine.py", "mine.py#x", ".py"]))
    for policy in draw(st.lists(st.sampled_from(loader.list_policies()), max_size=3)):
        slot = draw(st.sampled_from((policy.slot, policy.slot, *SLOTS, "stake")))
        text += f"+{slot}={draw(policy_forms(policy))}"
    return text


def toml(value):
    """Format a value as TOML, or as a string if TOML lacks its type."""
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    text = json.dumps(NO_VALUE if value is None else value)
    return text.replace("NaN", "nan").replace("Infinity", "inf")


def toml_file(table):
    lines = [f"{json.dumps(key)} = {toml(value)}\n" for key, value in table.items()]
    return "".join(lines).encode(errors="replace")
