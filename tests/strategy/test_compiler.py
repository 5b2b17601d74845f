"""Fields and names in a policy's source are checked however the policy is written."""

import linecache
from pathlib import Path
from typing import Any

import pytest

from simgin.strategy import Policy
from simgin.strategy import compiler as hooks

HEAD = "from simgin.strategy import *\nfrom simgin.toolkit import *\nimport sys\n"


def policies(folder: Path, body: str) -> list[Policy]:
    """The policies of a strategy file, in the order in which it names or lists them."""
    file = folder / "mine.py"
    file.write_text(HEAD + body)
    module: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), module)
    things: list[Any] = []
    for thing in module.values():
        things += thing if isinstance(thing, list) else [thing]
    return [thing for thing in things if isinstance(thing, Policy)]


def verdict(policy: Policy) -> str:
    """Why a policy is refused; empty if it is compiled or played in Python."""
    try:
        hooks.hook(policy)
    except hooks.PolicyError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("p = discard(lambda view, rules, params: view.hnad)", "'hnad'; did you mean 'hand'?"),
        (
            "p = discard(name='low')(\n    lambda view, rules, params: lwoest(view.legal)\n)",
            "'lwoest' is nowhere defined; did you mean 'lowest'?",
        ),
        ("p = discard(lambda view, rules, params: view.noise & 7)", "write @discard(noise=True)"),
        ("p = discard(lambda v, r, p: v.gin_bonus)", "'gin_bonus'"),
        ("p = discard(lambda v, r, p: r.gin_bonos)", "'gin_bonos'; did you mean 'gin_bonus'?"),
    ],
)
def test_lambdas_are_read(tmp_path: Path, body: str, sentence: str) -> None:
    (policy,) = policies(tmp_path, body)
    assert sentence in verdict(policy)


def test_lambdas_on_one_line_are_told_apart_by_their_columns(tmp_path: Path) -> None:
    right, wrong = (
        "lambda view, rules, params: view.hand & 1",
        "lambda view, rules, params: view.hnad & 1",
    )
    made = policies(
        tmp_path, f"a, b, c = discard({right}), discard({wrong}), discard({right})  # ä"
    )
    assert ["hnad" in verdict(policy) for policy in made] == [False, True, False]


NESTED = """
@discard
def policy(view, rules, params):
    def inner(card):
        {line}
    return inner(1)
"""


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("return view.hnad", "'hnad'"),
        ("return rules.gin_bonos", "'gin_bonos'"),
        ("return view.noise", "noise=True"),
        ("return crad", "'crad' is nowhere defined"),
        ("return [other for other in range(card)][0] + other", "'other' is nowhere defined"),
        ("return (lambda deep: deep + depe)(card)", "'depe' is nowhere defined"),
        ("return card.anything", ""),
        ("return [view.mine for view in [sys]]", ""),
        ("return (lambda view: view.mine)(sys)", ""),
        ("total: Undefined = card; return total", ""),
        ("return card if any((last := one) for one in (0, 1)) else last", ""),
        ("import xml.dom, sys as system; return xml.dom + system.prefix", ""),
        ("nonlocal view; view = sys; return len(view.prefix)", ""),
        ("global kept; kept = card; return kept", ""),
        ("return {key: value for key, value in zip(range(3), range(3))}[card]", ""),
    ],
)
def test_nested_functions_are_read(tmp_path: Path, line: str, sentence: str) -> None:
    (policy,) = policies(tmp_path, NESTED.format(line=line))
    assert sentence in verdict(policy) if sentence else not verdict(policy)


BINDINGS = """
@discard
def policy(view, rules, params):
    first, *others = 1, 2, 3
    with open("nowhere") as file, open("nowhere") as (one, two):
        file.read(one, two)
    try:
        from math import pi, tau as circle
    except ValueError as error:
        print(error)
    match [1, 2, {"a": 3}]:
        case [number, *numbers, {"a": value, **rest}] as whole:
            print(number, numbers, value, rest, whole)
    class Local:
        size = 3
    for i, (j, k) in []:
        del i, j
    return first + len(others) + pi + circle + Local.size + k
"""


def test_every_way_to_bind_a_name_is_known(tmp_path: Path) -> None:
    (policy,) = policies(tmp_path, BINDINGS)
    assert not verdict(policy)
    (policy,) = policies(tmp_path, BINDINGS.replace("+ k", "+ m"))
    assert "'m' is nowhere defined" in verdict(policy)


SEVERAL_LINES = """
@discard(
    k=param(1, 0, 9),
    name="low",
)

def policy(
    view,
    rules,
    params,
):
    return view.{}
"""


def test_decorators_over_several_lines(tmp_path: Path) -> None:
    for field, refused in (("hand", False), ("hnad", True)):
        (policy,) = policies(tmp_path, SEVERAL_LINES.format(field))
        assert ("hnad" in verdict(policy)) is refused


DELETED = """
k = 3

def kept(function):
    return function

@discard
@kept
def policy(view: kept, rules, params=k) -> k:
    return 1

del k, kept
"""


def test_decorators_and_defaults_are_not_part_of_the_policy(tmp_path: Path) -> None:
    """They ran when the file was imported and may use names the file has deleted since."""
    (policy,) = policies(tmp_path, DELETED)
    assert not verdict(policy)


FACTORY = """
def make(k):
    @discard
    def policy(view, rules, params):
        return k + view.{}
    return policy

made = [make(3), make(4)]
"""
LOOP = """
made = []
for k in (3, 4):
    @discard
    def policy(view, rules, params):
        return k + view.{}
    made.append(policy)
del policy
"""


@pytest.mark.parametrize("body", [FACTORY, LOOP])
def test_functions_made_several_times_share_one_definition(tmp_path: Path, body: str) -> None:
    assert [verdict(policy) for policy in policies(tmp_path, body.format("turns"))] == ["", ""]
    refused = [verdict(policy) for policy in policies(tmp_path, body.format("trns"))]
    assert len(refused) == 2 and all("has a field 'trns'" in sentence for sentence in refused)


SAME_NAME = """
made = []
@discard
def policy(view, rules, params):
    return view.hand
made.append(policy)
@discard
def policy(view, rules, params):
    return view.hnad
made.append(policy)
@discard
def policy(view, rules, params):
    return view.turns
"""


def test_same_named_functions_of_one_file_are_told_apart_by_their_lines(tmp_path: Path) -> None:
    assert ["hnad" in verdict(policy) for policy in policies(tmp_path, SAME_NAME)] == [
        False,
        True,
        False,
    ]


def test_a_policy_without_source_can_be_played(capsys: pytest.CaptureFixture[str]) -> None:
    """It is compiled where numba can; otherwise the first question raises the error."""
    made: dict[str, Policy] = {}
    body = "@discard\ndef {}(view, rules, params):\n    return {}\n"
    exec(
        HEAD
        + body.format("fine", "view.hand & 1")
        + body.format("unknown", "nowhere")
        + body.format("noisy", "view.noise"),
        made,
    )
    assert verdict(made["fine"]) == "" and hooks.slow_because(made["fine"]) == ""
    assert verdict(made["unknown"]) == "" and "nowhere" in hooks.slow_because(made["unknown"])
    assert "noise=True" in verdict(made["noisy"])
    assert "runs in Python" in capsys.readouterr().err


def test_source_known_only_to_linecache_is_read() -> None:
    """A cell of a notebook, or an example in a docstring."""
    text = HEAD + "@discard\ndef policy(view, rules, params):\n    return view.hnad\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
    made: dict[str, Policy] = {}
    exec(compile(text, "<cell 1>", "exec"), made)
    assert "'hnad'" in verdict(made["policy"])
    del linecache.cache["<cell 1>"]


def test_a_file_changed_since_it_was_imported_refuses_nothing(tmp_path: Path) -> None:
    (policy,) = policies(
        tmp_path, "@discard\ndef policy(view, rules, params):\n    return view.hand & 1\n"
    )
    (tmp_path / "mine.py").write_text(
        HEAD + "# one line more\n@discard\ndef policy(view, rules, params):\n    return view.hnad\n"
    )
    assert not verdict(policy)
    (tmp_path / "mine.py").write_text("def policy(:\n")
    (policy,) = (Policy("discard", "again", policy.function, {}, True),)
    assert not verdict(policy)
