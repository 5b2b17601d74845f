"""A parameter without effect changes no sum, byte for byte (rules.md 14, exact claims).

No code asks for the name of a variant, and a parameter with an effect shows it.
"""

import pytest

from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.parameters import parameters
from support.variant_lists import FOR_ONE, TWO_PLAYER, UNUSUAL, deals_of, possible, strategy

PAIRS = (("stray", "shooter-same"), ("gold", "simple"))
ROWS = (*TWO_PLAYER, *UNUSUAL)
STANDARD = variants.find("standard")
NEVER_KNOCKS = ("gin-only", "gold+take=never+knock=at:k=0")
NEVER_TAKES = ("gold+take=never", "gin-only+take=never")


def sums(text, pair=PAIRS[0], unit="deal", n=60):
    """The batch rows of n deals, or of a third as many matches, as bytes."""
    game = Matchup(variants.find(text), *map(strategy, pair), 12, unit)
    return kernel.play(game, 0, n // 3 if unit == "match" else n).tobytes()


def written(settings):
    return "".join(f"+{name}={parameters()[name].write(value)}" for name, value in settings.items())


def differences(name):
    """What a variant changes in standard, and to what."""
    return {
        parameter: value
        for parameter, _, value in variants.difference(STANDARD, variants.find(name))
    }


@pytest.mark.parametrize("name", [name for name in TWO_PLAYER if differences(name)])
def test_a_variant_with_a_difference_reset_is_standard_with_the_others(name):
    """It also plays like it."""
    for parameter in differences(name):
        others = {other: value for other, value in differences(name).items() if other != parameter}
        row = {**STANDARD.row, **others}
        if variants.validate(row):
            assert parameter == "goal" and row["die"] != "off"  # the die depends on the goal
            continue
        less = name + written({parameter: parameters()[parameter].default})
        more = "standard" + written(others)
        assert variants.find(less).row == variants.find(more).row == row
        for unit in ("deal", "match"):
            assert sums(less, unit=unit) == sums(more, unit=unit)


def idle(row):
    """Every parameter without effect in a row, and the other values it could have there."""
    found = {}
    for name, parameter in parameters().items():
        if parameter.status == "descriptive" or not parameter.acts(row):
            others = [value for value in alternatives(parameter) if value != row[name]]
            found[name] = [value for value in others if not variants.validate({**row, name: value})]
    return {name: values for name, values in found.items() if values}


def alternatives(parameter):
    others = {"table": [[[200, 2]]], "pair": [[60, 40]]}
    return others.get(parameter.kind) or possible(parameter)


@pytest.mark.parametrize("text", ROWS)
def test_idle_parameters_change_nothing_together(text):
    """Each with its first and then its last other value."""
    row = variants.find(text).row
    others = idle(row)
    assert len(others) >= 20
    for end in (0, -1):
        changed = text + written({name: values[end] for name, values in others.items()})
        assert sums(changed, unit="match") == sums(text, unit="match")


OF_MATCHES = [
    name for name, parameter in parameters().items() if parameter.section in ("match", "stake")
]


@pytest.mark.parametrize(
    "name", [name for name in OF_MATCHES if name != "first_dealer"]
)  # who deals decides who begins with which hand
def test_match_parameters_do_not_change_single_deals(name):
    """Next dealer, target, scores.

    A single deal without a shot knows nothing of them, and no strategy here looks at them.
    """
    for value in alternatives(parameters()[name]):
        row = {**STANDARD.row, name: value}
        if (
            not variants.validate(row)
            and row == variants.find(deals_of("standard" + written({name: value}))).row
        ):
            for pair in PAIRS[name == "start_points" :]:  # a shooter looks at his points
                assert sums("standard" + written({name: value}), pair) == sums("standard", pair), (
                    value
                )


RULES_OF_A_DEAL = tuple(
    name
    for name, parameter in parameters().items()
    if parameter.section in ("deal", "meld", "score")
    and parameter.status != "descriptive"
    and set(possible(parameter)) - set(FOR_ONE.get(name, ()))
)


@pytest.mark.parametrize(
    "name", [name for name in RULES_OF_A_DEAL if name not in ("players", "joker", "deal_scoring")]
)
def test_every_value_of_a_deal_parameter_changes_some_variant(name):
    """Otherwise the tests above would prove nothing."""
    parameter = parameters()[name]
    for value in set(possible(parameter)) - set(FOR_ONE.get(name, ())):
        assert any(differs(text, name, value, n) for n in (60, 3_000) for text in ROWS), value


def differs(text, name, value, n):
    """Whether another value of a parameter, which counts before and after, changes play."""
    row = variants.find(text).row
    other = {**row, name: value}
    if row[name] == value or not parameters()[name].acts(row) or variants.validate(other):
        return False
    return sums(text + written({name: value}), unit="match", n=n) != sums(text, unit="match", n=n)


BY_PLAY = (
    # (variant, a variant that plays alike, strategies, unit)
    ("standard", "standard+max_turns=400", PAIRS[1], "match"),
    ("standard", "shot", PAIRS[1], "deal"),  # without points there is no shot
    ("standard", "straight", NEVER_KNOCKS, "match"),  # nobody would knock anyway
    ("standard", "standard+layoff=no+undercut_bonus=10", NEVER_KNOCKS, "deal"),  # nothing but gin
    ("straight", "straight+layoff=no+rush_premium=yes+rush_on_gin=no", PAIRS[0], "match"),
    ("oklahoma", "straight", NEVER_KNOCKS, "match"),
    ("rush+rush_on_gin=no", "standard", NEVER_KNOCKS, "match"),
    ("standard", "standard+discard_ban=none+take_to_knock=melded", NEVER_TAKES, "match"),
    ("standard+first_turn=free", "standard+first_turn=free+take_discard=no", NEVER_TAKES, "deal"),
)


@pytest.mark.parametrize("text, other, pair, unit", BY_PLAY)
def test_rules_for_what_players_never_do_change_nothing(text, other, pair, unit):
    """Rules about actions that two strategies never take."""
    n = 300 if unit == "match" else 1_000
    assert sums(text, pair, unit, n) == sums(other, pair, unit, n)
