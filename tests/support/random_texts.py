"""Random texts of what people type: variants, strategies, hands and TOML, most of them sound."""

import json

from simgin.rules import variants
from simgin.rules.parameters import parameters
from simgin.strategy import SLOTS, loader
from simgin.text import notation
from simgin.text.messages import DASH
from support.hostile import ODD, mangled

ANYTHING = [
    *(None, True, 0, -1, 7, 3.5, float("nan"), float("inf"), 10**9, 10**40, "", "x", "é\0"),
    *([], [1], [0, 10], [[30, 4]], [["a"]], [None], {}),
]
# Values that a policy's parameter may have in a text, and some that none has
VALUES = ["0", "1", "4", "0.5", "yes", "no", "high", "random", *ODD]


def random_value(rng, parameter):
    """A value that a parameter of the rules may have, and sometimes one that it may not."""
    if rng.random() < 0.03:
        return rng.choice(ANYTHING)

    def number():
        near = rng.randint(parameter.low, min(parameter.high, parameter.low + 60))
        return rng.choice((parameter.low, parameter.high, near))

    ups = sorted(rng.sample(range(150), rng.randint(1, 8)))
    of_kind = {
        "bool": lambda: rng.random() < 0.5,
        "choice": lambda: rng.choice(parameter.choices),
        "int": number,
        "pair": lambda: [number(), number()],
        "table": lambda: [[up, rng.randint(1, 100)] for up in ups],
    }
    return None if rng.random() < 0.05 else of_kind[parameter.kind]()


def random_changes(rng, most=4):
    """Values of some parameters of the rules."""
    named = rng.sample(list(parameters().values()), rng.choice([0, 1, 1, 2, 2, most]))
    return {parameter.name: random_value(rng, parameter) for parameter in named}


def settings(row):
    """A row of parameters as texts like knock_limit=5."""
    return [f"{name}={parameters()[name].write(value)}" for name, value in row.items()]


def composition(rng):
    """A variant composed on the command line: oklahoma+rainbow+gin_bonus=30."""
    named = rng.choices(variants.names(), k=rng.choice((1, 1, 1, 2, 3)))
    rest = named[1:] + settings(random_changes(rng))
    rng.shuffle(rest)
    return "+".join([named[0], *rest])


def hand(rng):
    """Ten or eleven cards in one of the ways they are written, or nearly so."""
    size = rng.choice((10, 10, 11, 11, 9, 0, 52))
    cards = [notation.card_text(card) for card in rng.sample(range(52), size)]
    joined = rng.choice((" ", ",", ", ", "", "  ")).join(cards)
    return rng.choice((joined, joined.lower(), mangled(rng, joined), mangled(rng, joined)))


def strategy(rng):
    """A strategy in its text form, or nearly so."""
    policies = loader.policies()

    def form(policy):
        names = [*policy.params, "k", "q"]
        count = rng.choice((0, 0, 1, 2))
        items = [f"{rng.choice(names)}={rng.choice(VALUES)}" for _ in range(count)]
        return policy.name + (":" + ",".join(items) if items else "")

    names = [*loader.names(), *loader.names()]
    head = rng.choice([*names, "mine.py", "mine.py#x", ".py", "/.py", "x/mine.py#"])
    values = form(rng.choice(policies)).partition(":")[1:]
    text = head + "".join(values) * rng.choice((0, 1))
    for policy in rng.choices(policies, k=rng.randint(0, 3)):
        slot = rng.choice((policy.slot, policy.slot, *SLOTS, "stake"))
        text += f"+{slot}={form(policy)}"
    return text


def toml(value):
    """A value in TOML; what TOML lacks, as a text."""
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    text = json.dumps(DASH if value is None else value)
    return text.replace("NaN", "nan").replace("Infinity", "inf")


def toml_lines(table):
    """A table in TOML, a key a line."""
    return "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in table.items())
