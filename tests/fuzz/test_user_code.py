"""Fuzz tests of strategy files, policies and hostile file names."""

import itertools
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import strategies as st

from simgin.core import jit
from simgin.strategy import by_value, compiler, loader
from support.hostile import (
    check_exit_codes,
    draw_corrupted,
    fill_template,
    parametrize_cases,
    read_directory,
    run_cases,
    run_cli,
    run_cli_harmlessly,
)

IMPORT_LINES = """
import asyncio, click, functools, os, sys, time
import numpy as np
from simgin.envs.external_player import make_external_strategy
from simgin.strategy import *
from simgin.toolkit import *
LIST, DICT, ARRAY, TEXT = [1, 2], {1: 2}, np.arange(3), "x"
"""
KNOCK_POLICY_CODE = """
@knock
def ends(view, rules, params):
    return 1
"""
VALID_STRATEGY_CODE = f"""{KNOCK_POLICY_CODE}
@take(n=param(3, 0, 9, "turns"), w=choice("high", "low"), on=flag(True))
def picks(view, rules, params):
    return deadwood_after_taking(view.hand, view.taken_offer, rules) < view.count
MINE = Strategy("mine", take=picks, knock=ends)
"""
EXCEPTION_EXPRESSIONS = [
    *("SystemExit(7)", "GeneratorExit", "BaseException('so')", "MemoryError", "OSError(28, 'so')"),
    *("type('Own', (BaseException,), {})", "type('Own', (Exception,), {'__str__': 7})"),
    *("UnicodeDecodeError('a', b'', 0, 1, 'so')", "NameError('so', name=[])", "KeyError(None)"),
    *("ExceptionGroup('so', [OSError()])", "ValueError('two\\n\\nlines' * 4000)", "SyntaxError"),
    *("click.Abort", "click.exceptions.Exit(0)", "asyncio.CancelledError"),
]
VALUE_EXPRESSIONS = [
    *("None", "0", "-1", "2.5", "1e400", "float('nan')", "10**5000", "''", "'x'", "'A b'", "b'x'"),
    *("'\\0'", "'x' * 9999", "'\\ud800'", "()", "[]", "[1]", "dict()", "DICT", "len", "object()"),
    *("Strategy", "Policy", "sys", "lambda v, r, p: 1", "type('Odd', (), {'__repr__': 7})()"),
    *("type('Odd', (), {'__eq__': lambda a, b: 1 / 0})()", "range(3)", "Ellipsis", "print", "take"),
    *("type('Odd', (), {'__getattr__': lambda a, b: 1 / 0})()", "memoryview(b'')", "picks", "MINE"),
    *("type('Odd', (), {'__index__': sys.exit})()", "param(3, 0, 9)", "choice()", "flag(None)"),
    *("(yield)", "99", "10**30", "52.0", "1j", "np.zeros(2)", "np.float32(52)"),
]
STATEMENT_TEMPLATES = [
    *("raise {raised}", "sys.exit({value})", "__doc__ = {value}", "__name__ = {value}"),
    *(f"X = Strategy({one})" for one in ("{value}", "'x', {slot}={value}", "'x', ending={value}")),
    "X = Strategy('x', about={value}, source={value})",
    "X = Strategy('x', **dict([({value}, {value})]))",
    "X = Strategy('x', take=picks(n={value}))",
    *(f"X = {{slot}}({one})(picks.function)" for one in ("k={value}", "weights={value}")),
    *("X = {slot}(name={value}, noise={value})(picks.function)", "X = {slot}({value})"),
    *("X = param({value}, {value}, {value})", "{value}.nothing", "sys.modules[__name__] = {value}"),
    "X = take(k=param({value}, 0, 9))(picks.function); Y = Strategy('y', take=X)",
    *("os.remove(__file__)", "os.remove(__file__); os.mkdir(__file__)"),
    "exec('X = lambda v, r, p: 1'); Y = Strategy('y', take=take(X))",
    "def f(): yield {value}\nfor x in f(): x.y",
]
POLICY_SIGNATURES = [
    *["(view, rules, params)"] * 12,
    *("(view, rules)", "()", "(view, rules, params, more)", "(view, rules, params, more=1)"),
    *("(*args)", "(view, rules, params, *more)", "(view, rules, params, **more)", "(**more)"),
    *("(view, rules, *, params)", "(view, rules, params=None)", "(view, rules, params, /)"),
    *("(self, view, rules, params)", "(rules, view, params)", "(_, __, ___)"),
    *("(view: 'x', rules: 1 / 1, params) -> None", "(view, view_, rules=print)"),
]
POLICY_BODY_LINES = [
    *("return 0", "return 1", "return True", "return None", "return 2.5", "return 'x'", "return"),
    *("return -1", "return 63", "return 64", "return 10**30", "return -2**63", "return 2**63"),
    *("return view", "return rules", "return params", "return (1, 2)", "return [1]", "return {}"),
    *("return view.nothing", "return rules.nothing", "return params.nothing", "return params[0]"),
    *("return mine(view, rules, params)", "return mine", "yield 1", "return (lambda: 1)()"),
    *("raise ValueError('so')", "raise SystemExit(3)", "raise KeyboardInterrupt", "assert False"),
    *("raise BaseException", "raise ValueError('two\\n\\nlines' * 999)", "raise MemoryError"),
    *("view.hand = 0", "rules.knock_limit = 3", "params[0] = 1", "LIST.append(1)", "ARRAY[0] = 9"),
    *("view.history[0, 0] = 3", "del view", "global MORE; MORE = 1", "import os"),
    *("if view.hand == 'x': return 1", "return min([])", "return max(view)", "return len(view)"),
    *("return best_discard(view.hand)", "return best_discard(view, rules, params)"),
    *("return np.linalg.inv(np.zeros((2, 2)))[0, 0]", "return np.zeros(10**13)[0] > 0"),
    *("return sum(range(10**5)) % 2", "return time.time() % 2", "return np.random.rand() < 1"),
    *("x = [[]]; x.append(x); return 0", "try: return 0\n    finally: return 1", "'about'"),
    *("return functools.reduce(lambda a, b: a, [])", "return '\\ud800'", "return view.noise"),
    *("with open(__file__) as file: return 0", "async def f(): pass", "class X: pass"),
]
POLICY_TEMPLATE = "@{slot}{options}\ndef mine{signature}:\n    {line}\n    {line}\n"
POLICY_TEMPLATES = [
    *[POLICY_TEMPLATE] * 12,
    POLICY_TEMPLATE + "mine = {slot}(lambda view, rules, params: 1)\n",
    POLICY_TEMPLATE + "mine = {slot}({slot}(lambda v, r, p: 1).function)\n",
    "def make():\n    x = object()\n    @{slot}\n    def inner(view, rules, params): return x\n"
    "    return inner\nmine = make()\n",
    "class Mine:\n    def __call__(self, view, rules, params): return 1\nmine = {slot}(Mine())\n",
    POLICY_TEMPLATE + "Z = mine.function\nZ.__code__ = (lambda a, b, c: 7).__code__\n",
    POLICY_TEMPLATE + "Z = mine.function\nZ.__doc__ = 7\nZ.__module__ = None\n",
    POLICY_TEMPLATE + "Z = mine.function\nZ.__globals__.clear\nZ.__defaults__ = (1, 2, 3)\n",
]
EXTERNAL_STRATEGY_TEMPLATE = "MINE = make_external_strategy('external', lambda seen: {value})\n"
TEMPLATE_FIELDS = {
    "value": VALUE_EXPRESSIONS,
    "raised": EXCEPTION_EXPRESSIONS,
    "signature": POLICY_SIGNATURES,
    "line": POLICY_BODY_LINES,
    "options": ("", "", "", "(noise=True)", "(k=param(1, 0, 9))", "(weights=[1.0])"),
}
FILE_TEMPLATE_FIELDS = TEMPLATE_FIELDS | {"slot": ("take", "discard", "knock", "show", "pick")}


@st.composite
def draw_strategy_file(draw):
    """Draw a strategy file that is corrupt or contains hostile statements."""
    lines = draw(st.lists(st.sampled_from(STATEMENT_TEMPLATES), min_size=1, max_size=2))
    hostile = "".join(f"{fill_template(draw, line, FILE_TEMPLATE_FIELDS)}\n" for line in lines)
    texts = [IMPORT_LINES + VALID_STRATEGY_CODE + hostile] * 3 + [
        IMPORT_LINES + hostile + VALID_STRATEGY_CODE
    ]
    content = st.sampled_from([text.encode(errors="surrogatepass") for text in texts])
    return draw(
        content
        | content
        | content
        | draw_corrupted(st.just((IMPORT_LINES + VALID_STRATEGY_CODE).encode()))
    )


@st.composite
def draw_policy_code(draw):
    """Draw a strategy file whose policy has unusual arguments, lines or decorators."""
    slot = draw(st.sampled_from(("take", "discard", "knock", "show")))
    policy = draw(st.sampled_from(POLICY_TEMPLATES)) + f"MINE = Strategy('mine', {slot}=mine)\n"
    template = draw(st.sampled_from([policy] * 9 + [EXTERNAL_STRATEGY_TEMPLATE]))
    return IMPORT_LINES + fill_template(draw, template, TEMPLATE_FIELDS | {"slot": [slot]})


def is_accepted(spec):
    """Return True if a strategy can be described, or False if it is rejected with an error."""
    try:
        strategy = loader.find_strategy(spec)
        loader.compute_strategy_digest(strategy)
        loader.collect_parameter_values(strategy)
        loader.format_policies(strategy)
        for policy in strategy.policies:
            compiler.make_parameter_vector(policy)
            assert policy.about is not None
    except ValueError as error:
        assert type(error).__module__.startswith("simgin."), spec
        message = str(error)
        assert message.endswith((".", "?")) and "\n" not in message and len(message) < 3000
        return False
    return True


def remove_path(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@parametrize_cases(80)
def test_any_strategy_file_gives_a_strategy_or_one_error(empty_directory, n_cases):
    modules, codes, number = {*sys.modules}, [], itertools.count()

    def check_strategy_file(content):
        path = Path(f"s{next(number)}.py")
        path.write_bytes(content)
        codes.append(0 if is_accepted(str(path)) else 2)
        if len(codes) % 10 == 0:
            message = run_cli("match", path, "nobody", exit_codes=(2,)).stderr
            assert codes[-1] == 0 or path.name in message
        remove_path(path)

    run_cases(n_cases, check_strategy_file, draw_strategy_file())
    for name in {*sys.modules} - modules:
        if isinstance(name, str) and name.startswith("simgin_plugin_"):  # it can be a number
            del sys.modules[name]
    check_exit_codes(codes, 0.95)


@pytest.mark.parametrize("name", ["7", "10**5000", "type('Odd', (), {'__repr__': 7})()"])
def test_module_name_need_not_be_a_string(empty_directory, name):
    calls = f"import types\nM = types.ModuleType('m')\nM.x = 1\n__name__ = M.__name__ = {name}\n"
    Path("mine.py").write_text(
        IMPORT_LINES + calls + VALID_STRATEGY_CODE.replace("return 1", "return M.x")
    )
    assert is_accepted("mine.py")
    run_cli("match", "mine.py", "--deals", 10, exit_codes=(0, 2))


TYPE_ERROR_LINES = ["Strategy(None)", "Strategy('x', about=3)", "Strategy('x', take=take(len))"]


@pytest.mark.parametrize(
    "line", [f"raise {raised}" for raised in EXCEPTION_EXPRESSIONS] + TYPE_ERROR_LINES
)
def test_error_in_a_strategy_file_names_the_line(empty_directory, line):
    Path("mine.py").write_text(f"import asyncio, click\nfrom simgin.strategy import *\n{line}\n")
    message = run_cli("match", "mine.py", exit_codes=(2,)).stderr
    assert message.count("\n") == 1 and "mine.py cannot be read (line 3): " in message
    assert line not in TYPE_ERROR_LINES or "TypeError: " in message


@parametrize_cases(20)
def test_any_policy_gives_a_result_or_errors(empty_directory, monkeypatch, capfd, n_cases):
    monkeypatch.setattr(
        by_value, "compute_fingerprint", lambda _: ""
    )  # compiled code is not cached
    codes, number = [], itertools.count()
    plays = st.sampled_from(("match {} --deals 10 --workers 1", "show {} gold"))

    def check_policy_file(text, command):
        path = Path(f"s{next(number)}.py")
        path.write_text(text)
        for line in ("strategies {} --json", command):
            result = run_cli(*line.format(path).split())
            lines = result.stderr.splitlines()
            assert all(line.startswith("simgin: ") for line in lines), result.stderr
            assert (result.exit_code == 0 or lines) and len(result.stderr) < 5000
        codes.append(2 if result.exit_code else 0)
        assert path.read_text() == text
        path.unlink()
        assert read_directory(".") == {}

    run_cases(n_cases, check_policy_file, draw_policy_code(), plays)
    check_exit_codes(codes, 0.95)
    assert "Traceback" not in "".join(capfd.readouterr())


# Names in the working directory

INJECTED_CODE = '__import__("pathlib").Path("it-ran").touch()'
CHAMPION_WEIGHTS = (Path(__file__).parents[2] / "strategies" / "champion.npy").read_bytes()
LEARNED_WEIGHTS_FILE_NAME = loader.format_weights_file_name("straight-12345678", CHAMPION_WEIGHTS)
HOSTILE_FILE_CONTENTS = [
    *(
        f"{INJECTED_CODE}\nraise SystemExit(7)\n".encode(),
        b"[knock]\nk = 0\n",
        b"",
        b"\xff\xfep\0l\0",
    ),
    f'question = "Whose?"\n[[matchups]]\na = "nobody"\n# {INJECTED_CODE}'.encode(),
    b'[variants.oklahoma]\ntitle = "Planted"\nabout = "Planted"\nchanges.gin_bonus = 99\n',
    b'{"rows": [], "command": "simgin bench"}',
]
SHADOWED_NAMES = f"""
gold simple champion demo standard oklahoma eaai solitaire-gin random nobody mine straight learned
gold.py simple.py demo.toml oklahoma.toml standard.toml variants.toml deals.toml metrics.toml
champion.npy beliefs.npy stake.npy mc.npy improvement.npy solo.npy {LEARNED_WEIGHTS_FILE_NAME}
by_chart.py.j2 page.html.j2 strategy.py.j2 ledger.sql manifest.json ledger.sqlite
known_answers.toml pyproject.toml simgin simgin.py strategies experiments results cache py.typed
setup.cfg conftest.py core toolkit
""".split()
COMMANDS_WITH_BUILT_IN_NAMES = f"""match gold simple --deals 40,
match champion gold -v oklahoma --deals 40, strategies gold, strategies champion --json,
match champion@{LEARNED_WEIGHTS_FILE_NAME} simple --deals 40,
variants oklahoma, variants diff standard oklahoma, show gold simple -v eaai,
hand 5S6S7S9H9D9CKSQD2CAH, examples, find gold --where won --deals 20, cite, run nothing,
match nothing, variants nothing""".split(",")
COMMANDS_WITH_PATHS = """match gold --deals 10 -o {}, strategies new {}.py, variants new {}.toml,
examples {}, show gold simple --json {}, match {}.py --deals 10,
match gold+knock={}.py --deals 10 -o out, match gold -v {}.toml --deals 10 -o out,
match champion@{}.npy --deals 10, strategies {}.py, match gold@{}.toml --deals 10 -o out,
run {}.toml -o out, run {} --dry-run, report {}, compare {} {}, analyze {}.json,
variants {}.toml""".split(",")
FILE_NAME_PARTS = [
    *('"""', "'", '"', "\\", "\n", "\t", "\x1b[31m", "\x7f", "\u202e", "é", "🂡", " ", "  ", "%s"),
    *("$(touch it-ran)", "`touch it-ran`", ";touch it-ran;", "|", "&", ">", "*", "~", "!", "#"),
    *(
        f'"""+{INJECTED_CODE}+"""',
        "{{ 7 * 7 }}",
        "{k}",
        "<script>",
        "-->",
        "[b]",
        "@",
        "+knock=at",
        ":k=1",
    ),
    *("-", "--debug", "..", ".", "=", ",", "]]\n[knock]\nk = 1", "x" * 100, "\\N", "\\x00"),
    *("a", "mine"),
]
VALID_FILE_CONTENTS_BY_SUFFIX = {
    ".py": (
        f"from simgin.strategy import *{KNOCK_POLICY_CODE}MINE = Strategy('mine', knock=ends)\n"
    ).encode(),
    ".toml": b'question = "?"\ndeals = 10\nmatchups = [{ a = "gold" }]\n',
    ".npy": CHAMPION_WEIGHTS,
    ".json": b"{}",
}


@pytest.fixture
def workspace(empty_directory, tmp_path_factory, monkeypatch):
    """Return an empty directory in which no code may run; cache weights outside it."""
    jit.get_cache_directory()  # the cache of compiled code does not move
    monkeypatch.setenv("SIMGIN_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    folder = jit.get_cache_root() / jit.compute_source_digest() / loader.TRAINED_WEIGHTS_FOLDER
    folder.mkdir(parents=True)
    (folder / LEARNED_WEIGHTS_FILE_NAME).write_bytes(CHAMPION_WEIGHTS)
    yield empty_directory
    assert not Path("it-ran").exists()


@parametrize_cases(2, 300)
def test_files_in_the_working_directory_do_not_shadow_built_in_names(workspace, n_cases):
    expected = {command: run_cli(*command.split()) for command in COMMANDS_WITH_BUILT_IN_NAMES}
    content = (
        st.sampled_from(HOSTILE_FILE_CONTENTS)
        | st.binary(max_size=9999)
        | draw_corrupted(st.just(CHAMPION_WEIGHTS))
    )
    kinds = st.sampled_from(("file", "file", "file", "file", "folder", "link"))
    links = st.sampled_from(("circle", "/etc/passwd", "..", "/dev/zero"))
    planted_files = st.dictionaries(
        st.sampled_from(SHADOWED_NAMES), st.tuples(kinds, content, links), min_size=12, max_size=12
    )

    def check_planted_files(planted_files, command):
        for name, (kind, content, target) in planted_files.items():
            if kind == "link":
                Path(name).symlink_to(name if target == "circle" else target)
                continue
            inner = ("__init__.py", "manifest.json", "ledger.sqlite") if kind == "folder" else ("",)
            for path in (Path(name, one) for one in inner):
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
        result = run_cli_harmlessly(*command.split())
        outcomes = (
            (result.exit_code, result.output),
            (expected[command].exit_code, expected[command].output),
        )
        assert outcomes[0] == outcomes[1], (command, planted_files)
        for name in planted_files:
            remove_path(Path(name))

    run_cases(
        n_cases, check_planted_files, planted_files, st.sampled_from(COMMANDS_WITH_BUILT_IN_NAMES)
    )


@parametrize_cases(20, 300)
def test_file_name_is_neither_executed_nor_split(workspace, n_cases):
    """Check that bash reads the same file name from the printed command."""
    codes = []
    name_parts = st.lists(st.sampled_from(FILE_NAME_PARTS), min_size=1, max_size=3)

    def check_file_name(name_parts, command_template):
        name = "".join(name_parts).replace("/", "")
        for ending, content in VALID_FILE_CONTENTS_BY_SUFFIX.items():
            with suppress(OSError, ValueError):  # if such a file can exist
                Path(f"{name}{ending}").write_bytes(content)
        arguments = [word.replace("{}", name) for word in command_template.split()]
        result = run_cli(*arguments)
        codes.append(result.exit_code)
        assert not Path("it-ran").exists(), arguments
        if result.exit_code == 0 and "--json" not in arguments:
            (command,) = [one for one in result.stdout.splitlines() if one.startswith("Command: ")]
            script = f"printf '%s\\0' {command.removeprefix('Command: ')}"
            process = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
            repeated = process.stdout.decode().split("\0")[:-1]
            assert repeated[:2] == ["simgin", arguments[0]], (arguments, command)
            assert any(name.removeprefix("./") in word for word in repeated) or "." in name, command
        for path in Path().iterdir():
            remove_path(path)

    run_cases(n_cases, check_file_name, name_parts, st.sampled_from(COMMANDS_WITH_PATHS))
    check_exit_codes(codes)
