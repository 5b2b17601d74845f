"""Tests that mistakes of authors give an error with a fix."""

import linecache

import pytest

from simgin.strategy import SLOTS, compiler, loader
from simgin.strategy.strategy_spec import StrategyError

HEAD = '"""Mine."""\nfrom simgin.strategy import *\nfrom simgin.toolkit import *\nimport sys\n'
LOW = "return best_discard(view.hand, view.legal, rules)"
DEFINED = "@discard\ndef mine(view, rules, params):\n    {}\n"
STRATEGY = 'STRATEGY = Strategy("x", discard=mine)\n'
K = "@discard(k=param(5, 0, 20))\ndef mine(view, rules, params):\n    {}\n"


def author_message(folder, text, capsys):
    """Return the error, or the notice that a policy runs in Python."""
    file = folder / "mine.py"
    file.write_text(text)
    try:
        strategy = loader.find_strategy(str(file))
        for slot in SLOTS:
            policy = strategy.policy(slot)
            if policy.source_file == file:
                compiler.make_parameter_vector(policy)
                compiler.compile_policy(policy)
    except (StrategyError, compiler.PolicyError) as error:
        return str(error)
    return capsys.readouterr().err


BINDINGS = """first, *others = 1, 2, 3
    with open("nowhere") as file, open("nowhere") as (one, two):
        file.read(one, two)
    try:
        from math import pi, tau as circle
    except ValueError as error:
        len(error)
    match [1, 2, {"a": 3}]:
        case [number, *numbers, {"a": value, **rest}] as whole:
            len(number, numbers, value, rest, whole)
    class Local:
        size = 3
    for i, (j, k) in []:
        del i, j
    return first + len(others) + pi + circle + Local.size + k"""


@pytest.mark.parametrize(
    "body",
    [
        f"params = (1, 2, 3)\n    if params[2] == 4: return 1\n    {LOW}",
        f"word = 'a'\n    if word == 'b': return 1\n    {LOW}",
        f"if params[len(params) - 1] > 100: return 1\n    {LOW}",
        "return sum([view.mine for view in [sys]])",
        "return (lambda view: view.mine)(sys)",
        "return view.seat in view.own_columns",
        "total: Undefined = 1; return total",
        "global kept; kept = 1; return kept",
        BINDINGS,
    ],
)
def test_code_that_only_resembles_a_mistake_is_played(body, tmp_path, capsys):
    told = author_message(tmp_path, HEAD + K.format(body) + STRATEGY, capsys)
    assert told == "" or "runs in Python" in told


def test_the_built_in_policies_make_no_mistake():
    """Policies are not checked again when they are played."""
    policies = [
        policy for name in loader.list_built_in() for policy in loader.find_strategy(name).policies
    ]
    for policy in [*policies, *loader.list_policies()]:
        compiler.check_source(policy)


def compile_text(text, name):
    """Return the policy in a string that is executed as a file."""
    module = {"__name__": "made"}
    exec(compile(text, name, "exec"), module)
    return module["mine"]


def test_a_policy_without_source_can_be_played():
    fine = compile_text(HEAD + DEFINED.format("return view.hand & 1"), "<nowhere>")
    compiler.compile_policy(fine)
    assert compiler.find_interpretation_reason(fine) == ""
    for body, words in (("return view.hnad", "'hnad'"), ("return nothing", "is not defined")):
        with pytest.raises(compiler.PolicyError, match=words):
            compiler.compile_policy(compile_text(HEAD + DEFINED.format(body), "<nowhere>"))


def test_source_known_only_to_linecache_is_read():
    """Test a notebook cell and an example in a docstring."""
    text = HEAD + DEFINED.format("return params[3] > 1")
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
    with pytest.raises(compiler.PolicyError, match=r"params\[3\]"):
        compiler.compile_policy(compile_text(text, "<cell 1>"))
    del linecache.cache["<cell 1>"]


def test_a_file_changed_since_it_was_imported_rejects_nothing(tmp_path):
    file = tmp_path / "mine.py"
    text = HEAD + DEFINED.format("return view.hand & 1")
    file.write_text(text.replace("hand", "hnad"))
    compiler.check_source(compile_text(text, str(file)))
    file.write_text("def policy(:\n")
    compiler.check_source(compile_text(text, str(file)))
