"""A beginner's mistakes each get a sentence with a remedy: nothing plays on in another meaning."""

from pathlib import Path

import pytest

from simgin.strategy import SLOTS, compiler, loader
from simgin.strategy.text_form import StrategyError

HEAD = '"""Mine."""\nfrom simgin.strategy import *\nfrom simgin.toolkit import *\n'
LOW = "return best_discard(view.hand, view.legal, rules)"
DEFINED = "@discard\ndef mine(view, rules, params):\n    {}\n"
STRATEGY = 'STRATEGY = Strategy("x", discard=mine)\n'
K = "@discard(k=param(5, 0, 20))\ndef mine(view, rules, params):\n    {}\n"
COUNTED = "COUNT = 0\n@discard\ndef mine(view, rules, params):\n    global COUNT\n    COUNT += 1\n"
CARD = "a card is a number 0..51"


def said(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What an author is told: the refusal, or the notice that a policy runs in Python."""
    file = folder / "mine.py"
    file.write_text(text)
    try:
        strategy = loader.find(str(file))
        for slot in SLOTS:
            policy = strategy.policy(slot)
            assert policy is not None
            if policy.source == file:
                compiler.hook(policy)
    except (StrategyError, compiler.PolicyError) as error:
        return str(error)
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            DEFINED.format('return "5S"'),
            f"returns a text, and an answer is a whole number or a yes or no; {CARD}",
        ),
        (DEFINED.format("return 1, 2"), "returns several values"),
        (
            DEFINED.format(f'if view.upcard == "5S": return 1\n    {LOW}'),
            "compares view.upcard, a number, with the text '5S'",
        ),
        (
            DEFINED.format(f"if params[0] > 3: return 1\n    {LOW}"),
            "reads params[0], but its parameters are none; declare one more, as in @discard(",
        ),
        (
            K.format(f"if params[1] > 3: return 1\n    {LOW}"),
            "reads params[1], but its parameters are k",
        ),
        (
            K.format(f"if params.k > 3: return 1\n    {LOW}"),
            "reads params.k, but params is a row of numbers: write params[0]",
        ),
        (
            K.format(f'if params["k"] > 3: return 1\n    {LOW}'),
            "reads params['k'], but params is a row of numbers",
        ),
        (
            "@discard\ndef mine(rules, view, params):\n    return 1\n",
            "takes (rules, view, params), but its arguments come in the order (view, ru",
        ),
        (
            "mine = discard(lambda view, r, p: best_discard(view.hand, view.legal, rules))\n",
            "'rules' is nowhere defined; a policy's three arguments are (view, rules, params).",
        ),
        (
            "def mine(view, rules, params):\n    return 1\n",
            "is a plain function; write @discard above the definition of mine",
        ),
        (
            "mine = lambda view: 1\n",
            "is a lambda; write a function of (view, rules, params) with @discard",
        ),
        (
            "@discard\n" + DEFINED.format("return 1"),
            "cannot be read (line 4): TypeError: mine is a discard policy already",
        ),
        (
            K.format("return 1").replace("param(5, 0, 20)", "5"),
            "(line 4): TypeError: k=5 is no parameter: write k=param(5, low, high)",
        ),
        (
            K.format("return 1").replace("k=", ""),
            "a parameter has a name: write @discard(k=param(...))",
        ),
        (
            K.format("return 1").replace("5", "50"),
            "the default of a parameter must lie in 0..20, not 50",
        ),
        (K.format("return 1").replace("5", '"five"'), "must be a number 0..20, not five"),
        (
            "@discard\ndef mine(view, rules):\n    return 1\n",
            "three arguments: (view, rules, params)",
        ),
        (
            "SEEN = {}\n" + DEFINED.format(f"SEEN[1] = 2\n    {LOW}"),
            "it reads SEEN, a dict of its module. Compiled code reads numbers, tuples",
        ),
        (COUNTED + f"    {LOW}\n", "it changes COUNT, a variable of its module"),
        (
            DEFINED.format(f"seen = []\n    if len(seen): return 1\n    {LOW}"),
            "says what it holds: one that stays empty",
        ),
        (DEFINED.format("return bin(view.legal)"), "numba says Untyped global name 'bin'"),
    ],
)
def test_a_mistake_gets_its_own_sentence(
    text: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(tmp_path, HEAD + text + STRATEGY, capsys)
    assert sentence in told and told.count("\n") <= 1 and "\x1b" not in told, told


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        (
            "from simgin.strategy import Strategy, discard\n",
            "'best_discard' is nowhere defined; write `from simgin.toolkit import best_discard`.",
        ),
        (
            "from simgin.toolkit import *\n",
            "(line 2): NameError: name 'discard' is not defined; write "
            "`from simgin.strategy import discard`.",
        ),
    ],
)
def test_a_missing_import_is_told(
    head: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(tmp_path, head + DEFINED.format(LOW) + STRATEGY, capsys)
    assert sentence in told, told


@pytest.mark.parametrize(
    ("strategies", "sentence"),
    [
        ("", "it needs a line like"),
        ('A = Strategy("a", discard=mine)\nB = Strategy("b", discard=mine)\n', "name one of them"),
        (
            'A = Strategy("a", discard=mine)\nB = Strategy("a", discard=mine, ending="same")\n',
            "two strategies are called 'a'",
        ),
    ],
)
def test_a_file_has_one_strategy_of_a_name(
    strategies: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sentence in said(tmp_path, HEAD + DEFINED.format(LOW) + strategies, capsys)


@pytest.mark.parametrize(
    "body",
    [
        f"params = (1, 2, 3)\n    if params[2] == 4: return 1\n    {LOW}",
        f"word = 'a'\n    if word == 'b': return 1\n    {LOW}",
        f"if params[len(params) - 1] > 100: return 1\n    {LOW}",
    ],
)
def test_what_only_resembles_a_mistake_is_compiled(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(tmp_path, HEAD + K.format(body) + STRATEGY, capsys) == ""


def test_the_built_in_policies_make_no_mistake() -> None:
    """They are not checked when they are played."""
    policies = [policy for name in loader.built_in() for policy in loader.find(name).policies]
    for policy in [*policies, *loader.policies()]:
        compiler.check_source(policy)


def test_two_names_of_one_strategy_are_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEAD + DEFINED.format(LOW) + STRATEGY + "AGAIN = STRATEGY\n")
    assert loader.find(str(file)).name == "x"
