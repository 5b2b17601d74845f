"""Tests of the source check of policies."""

import linecache

import pytest

from simgin.strategy import SLOTS, compiler, loader
from simgin.strategy.strategy_spec import StrategyError

IMPORTS_CODE = (
    '"""Mine."""\nfrom simgin.strategy import *\nfrom simgin.toolkit import *\nimport sys\n'
)
DISCARD_BODY = "return best_discard(view.hand, view.legal, rules)"
POLICY_TEMPLATE = "@discard\ndef mine(view, rules, params):\n    {}\n"
STRATEGY_DEFINITION = 'STRATEGY = Strategy("x", discard=mine)\n'
PARAMETER_POLICY_TEMPLATE = "@discard(k=param(5, 0, 20))\ndef mine(view, rules, params):\n    {}\n"


def load_and_get_message(folder, code, capsys):
    """Load a strategy; return the error, or the notice that a policy runs in Python."""
    file = folder / "mine.py"
    file.write_text(code)
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


NAME_BINDINGS_BODY = """first, *others = 1, 2, 3
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
        f"params = (1, 2, 3)\n    if params[2] == 4: return 1\n    {DISCARD_BODY}",
        f"word = 'a'\n    if word == 'b': return 1\n    {DISCARD_BODY}",
        f"if params[len(params) - 1] > 100: return 1\n    {DISCARD_BODY}",
        "return sum([view.mine for view in [sys]])",
        "return (lambda view: view.mine)(sys)",
        "return view.seat in view.own_columns",
        "total: Undefined = 1; return total",
        "global kept; kept = 1; return kept",
        NAME_BINDINGS_BODY,
    ],
)
def test_valid_code_that_resembles_a_mistake_is_accepted(body, tmp_path, capsys):
    message = load_and_get_message(
        tmp_path,
        IMPORTS_CODE + PARAMETER_POLICY_TEMPLATE.format(body) + STRATEGY_DEFINITION,
        capsys,
    )
    assert message == "" or "runs in Python" in message


def test_built_in_policies_pass_the_source_check():
    """Check the policies in this test, because simgin does not check them during play."""
    policies = [
        policy
        for name in loader.list_built_in_strategies()
        for policy in loader.find_strategy(name).policies
    ]
    for policy in [*policies, *loader.list_policies()]:
        compiler.check_source(policy)


def execute_policy_code(code, file_name):
    """Execute code as if it came from a file, and return the policy in the code."""
    namespace = {"__name__": "made"}
    exec(compile(code, file_name, "exec"), namespace)
    return namespace["mine"]


def test_policy_without_source_can_be_compiled():
    valid_policy = execute_policy_code(
        IMPORTS_CODE + POLICY_TEMPLATE.format("return view.hand & 1"), "<nowhere>"
    )
    compiler.compile_policy(valid_policy)
    assert compiler.find_interpretation_reason(valid_policy) == ""
    for body, message in (("return view.hnad", "'hnad'"), ("return nothing", "is not defined")):
        with pytest.raises(compiler.PolicyError, match=message):
            compiler.compile_policy(
                execute_policy_code(IMPORTS_CODE + POLICY_TEMPLATE.format(body), "<nowhere>")
            )


def test_source_known_only_to_linecache_is_read():
    """Add source code to linecache, as Jupyter does for a notebook cell."""
    code = IMPORTS_CODE + POLICY_TEMPLATE.format("return params[3] > 1")
    linecache.cache["<cell 1>"] = (len(code), None, code.splitlines(keepends=True), "<cell 1>")
    with pytest.raises(compiler.PolicyError, match=r"params\[3\]"):
        compiler.compile_policy(execute_policy_code(code, "<cell 1>"))
    del linecache.cache["<cell 1>"]


def test_source_changed_after_the_import_is_not_checked(tmp_path):
    file = tmp_path / "mine.py"
    code = IMPORTS_CODE + POLICY_TEMPLATE.format("return view.hand & 1")
    file.write_text(code.replace("hand", "hnad"))
    compiler.check_source(execute_policy_code(code, str(file)))
    file.write_text("def policy(:\n")
    compiler.check_source(execute_policy_code(code, str(file)))
