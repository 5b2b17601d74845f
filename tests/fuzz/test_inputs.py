"""Files, strings and variables that users type or write: any input gives a result or one error.

Each case ends within ten seconds of CPU time, shows no traceback, and reads, runs and changes only
the files that it names.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from simgin.cli.commands import play
from simgin.rules import variants
from simgin.rules.variants import find_variant, validate
from simgin.runs.plan import plan_experiment
from simgin.strategy import loader, strategy_spec
from simgin.text import notation
from support import play_variants, random_texts, variant_files
from support.hostile import (
    ODD,
    VALUES,
    cases,
    changed,
    check_exit_codes,
    cpu_limit,
    damaged,
    fuzz,
    run_cli,
    run_cli_harmlessly,
    time_limit,
)
from worked_examples import engine, files, schema

DATA = Path(__file__).parents[1] / "data"
few_cases = cases(3, 300)
MARK = "import pathlib\npathlib.Path('it-ran').touch()\n"
SECRETS = ("../secret/evil.py", "../secret/EVIL.PY#x", "champion@../secret/w.npy")
HUGE = ("9" * 5000, "-" + "9" * 5000, "9" * 30, str(2**63), "1e999999", "0x" + "f" * 5000)
DEEP_NESTING = ("[" * 100_000, '{"a":' * 50_000, "(" * 100_000, "\n\t" * 50_000, " " * 100_000)
CODE = 'a"""+__import__("pathlib").Path("it-ran").touch()+"""'
PATHS = (
    *("../out", "/etc/passwd", "/dev/full", "mine.txt", "folder", "pipe", "circle", "-", "--", "~"),
    *(CODE, f"{CODE}.py", "a\nb.py", "a\\b.py", "a'b.py", "$(touch it-ran)", "`touch it-ran`"),
    *("x" * 300, "é.py", "a b", "{0.__class__}", "%s.toml", "C:\\x", "a/" * 500, "mine.py/x"),
)
TYPED_TEXTS = [
    word for word in (*ODD, *PATHS, *HUGE, *DEEP_NESTING) if "\0" not in word
]  # no shell passes it
opened_secrets = []


def record_secrets(event, args):
    if event == "open" and isinstance(args[0], str | bytes) and "secret" in os.fsdecode(args[0]):
        opened_secrets.append(args[0])


sys.addaudithook(record_secrets)


@pytest.fixture
def workspace(empty_directory, monkeypatch):
    """Create a directory with secret files, and modules that would run if they were imported."""
    monkeypatch.setattr("simgin.cli.plan_table.measure_unit_seconds", lambda matchup: 1e-6)
    monkeypatch.setattr("simgin.report.html_report.render_html", lambda *_: "<html></html>")
    monkeypatch.setattr(play, "_saved_game_file", lambda matchup: Path("kept.json").absolute())
    for folder in ("secret", "here", "here/folder"):
        Path(folder).mkdir()
    np.save("secret/w.npy", np.zeros(9))
    for name in (
        "secret/evil.py",
        "secret/EVIL.PY",
        *(f"here/{x}.py" for x in ("random", "json", "simgin")),
    ):
        Path(name).write_text(MARK)
    monkeypatch.chdir("here")
    for name in ("mine.txt", "folder/mine"):
        Path(name).write_text("years of work")
    os.mkfifo("pipe")
    Path("circle").symlink_to("circle")
    opened_secrets.clear()


@contextlib.contextmanager
def isolated():
    """Raise AssertionError if the block takes long, runs code or opens one of the secrets."""
    with cpu_limit():
        yield
    assert not Path("it-ran").exists() and not opened_secrets


# Files


def edit_text(text, piece, index, pattern):
    """Return the bytes of a text in which one match of a pattern is replaced."""
    spans = [match.span() for match in re.finditer(pattern, text)] or [(0, 0)]
    start, end = spans[index % len(spans)]
    return (text[:start] + piece + text[end:]).encode(errors="replace")


def with_values(text):
    """Return cases of a JSON or TOML file with other values; another text does not change."""
    values = [*VALUES, *SECRETS]
    for read, write in ((json.loads, json_file), (tomllib.loads, random_texts.toml_file)):
        with contextlib.suppress(ValueError):
            return changed(st.just(read(text)), values).map(write)
    return st.just(text.encode())


def json_file(value):
    return json.dumps(value).encode(errors="replace")


def contents(valid):
    """Return cases of a file: valid, damaged, with other values or encodings, huge or deep."""
    texts, indices = st.sampled_from(valid), st.integers(0, 10**5)
    if isinstance(valid[0], bytes):
        return damaged(texts)
    encodings = st.sampled_from(("utf-8-sig", "utf-16", "utf-16-le", "utf-32"))
    values = texts.flatmap(with_values)
    return st.one_of(
        *(values, values, damaged(texts.map(str.encode))),
        st.builds(str.encode, texts, encodings),
        st.builds(edit_text, texts, st.sampled_from(HUGE), indices, st.just(r"\d+")),
        st.builds(
            edit_text,
            texts,
            st.sampled_from((*DEEP_NESTING, *HUGE, "\0", *SECRETS)),
            indices,
            st.just(""),
        ),
    )


NOT_A_FILE = {
    "a pipe": os.mkfifo,
    "a directory": os.mkdir,
    "a device": lambda path: os.symlink("/dev/zero", path),
    "a circle": lambda path: os.symlink(path, path),
    "nothing": lambda path: None,
    "no permission": lambda path: os.close(os.open(path, os.O_CREAT, 0)),
}


def write_content(path, content):
    """Write a file, or create something other than a file at its path."""
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    Path(path).unlink(missing_ok=True)
    if content in NOT_A_FILE:
        NOT_A_FILE[content](path)
    else:
        Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())


EXPERIMENT = """
question = "?"
variants = ["eaai", "standard+gin_bonus=20"]
deals = "2k"
base = "gold"
round_robin = ["gold", "simple"]
matchups = [{ a = "gin-only", b = "simple" }]
changes = ["knock=early"]
fields = [{ strategy = "gold", against = "simple" }]
[panel]
strategies = ["gold", "stubborn"]
"""
SWEEP = """
question = "?"
hypothesis = "Yes."
seed = 7
matches = 100
sprt = [0, 10]
[sweep]
strategy = "simple+knock=at:k={k}"
against = "{who}"
variant = "standard+undercut_bonus={u}"
grid = { k = [0, 2], who = ["gold", "simple"], u = [10, 25] }
"""
SOLO = 'question = "?"\nvariants = ["gin-solitaire"]\nsolo = ["gold", "gin-only"]\nfor = "30s"\n'
REVIEW = """
title = "?"
rule_sets = ["oklahoma", "standard+gin_bonus=20"]
against = "standard"
goals = ["turns per match 100..140"]
seconds_per_turn = 10
matches = "20k"
"""
SAVED_GAME = '{"deals": [[1, 5], [0]], "prompts": [0], "back": 1}'
QUICK = "--worlds 1 --as gold --against gold"


def check_plan():
    """Raise AssertionError if matchups repeat or contrasts differ in more than one part."""
    plan = plan_experiment("e.toml")
    pairs = {(key.variant, frozenset((key.a, key.b))) for key in plan.matchup_keys}
    assert len(pairs) == len(plan.matchup_keys) > 0
    assert len({frozenset(pair) for pair in plan.contrasts}) == len(plan.contrasts)
    for i, j in plan.contrasts:
        key, base = (vars(plan.matchup_keys[place]) for place in (i, j))
        assert sum(key[field] != base[field] for field in key) == 1


def check_variants():
    for spec, variant in variants.variants_in_file("v.toml").items():
        assert find_variant(spec) == find_variant(variant.spec) == variant
        assert not validate(variant.params)


def recorded_deals():
    """Return deals that simgin shows, and logs of other engines."""
    words = ("show", "dice-player", "random", "-v", "dice", "--seed", "5")
    deals = [run_cli(*words, *more, codes=(0,)).stdout for more in ((), ("--json",), ("--json",))]
    return [*deals, *(path.read_text() for path in sorted((DATA / "game_logs").iterdir()))]


def run_worked_examples():
    files.run_examples(files.read_examples("w.json"), engine)


VECTORS = json.loads((DATA / "more_examples.json").read_text())["vectors"][:9]
# Name: the path, valid contents, the command that reads it, and a check of accepted files
FILES = {
    "experiment": ("e.toml", [EXPERIMENT, SWEEP, SOLO], "run e.toml --dry-run", check_plan),
    "variants": (
        "v.toml",
        [variant_files.CLUB, variant_files.DEN],
        "variants v.toml",
        check_variants,
    ),
    "review": ("r.toml", [REVIEW], "review --file r.toml --goals x<1", None),
    "values": ("k.toml", ["[knock]\nk = 3\n"], "strategies gold-early@k.toml", None),
    "weights": ("w.npy", [b"", b"\x93NUMPY"], "strategies champion@w.npy", None),
    "analyzed": ("d.json", recorded_deals, f"analyze d.json --turn 2 {QUICK}", None),
    "graded": ("d.json", recorded_deals, f"grade d.json {QUICK}", None),
    "speed": ("b.json", ['{"rows": []}'], "bench --seconds 0.01 --against b.json", None),
    "game": ("kept.json", [SAVED_GAME], "play gold --one", None),
    "worked examples": ("w.json", [json.dumps(VECTORS)], run_worked_examples, None),
}
ALWAYS_REJECTED = ("review", "weights", "speed")  # valid files would play for a long time
NEVER_REJECTED = ("game",)  # a game that cannot be read is started again


@few_cases
@pytest.mark.parametrize("name", FILES)
def test_files(workspace, name, n):
    path, valid, command, check_accepted = FILES[name]
    valid, codes = valid() if callable(valid) else valid, []

    def read(**options):
        if callable(command):
            with contextlib.suppress(schema.ExampleError):
                command()
                return 0
            return 2
        return run_cli_harmlessly(*command.split(), stdin="q\n", **options).exit_code

    write_content(path, valid[-1])
    read(writes=[path])  # compiles

    def check(content):
        write_content(path, content)
        with isolated():
            codes.append(read(codes=(0, 2), writes=[path] if name in NEVER_REJECTED else []))
        if codes[-1] == 0 and check_accepted:
            check_accepted()

    fuzz(n, check, contents(valid) | contents(valid) | st.sampled_from([*NOT_A_FILE]))
    if name not in (*ALWAYS_REJECTED, *NEVER_REJECTED):
        check_exit_codes(codes)


DOTTED = ".".join("a" * 60_000)
MORE_ERRORS_MESSAGE = "more errors."
HOSTILE_TOML = [
    *((text, "a line has more than 300 dots") for text in (f"{DOTTED} = 1", f"[{DOTTED}]")),
    (f"x = {{ {DOTTED} = 1 }}", "a line has more than 300 dots"),
    ("x = '" + "x" * 2**20 + "'", "larger than 1 MiB"),
    *(("x = " + text, "nested too deep") for text in ("[" * 2**18 + "]" * 2**18, "{x=" * 2**18)),
    (".".join("x" * 300) + " = " + "[" * 300 + "]" * 300, ""),
    ("\n".join(f"k{n} = 1" for n in range(20_000)), MORE_ERRORS_MESSAGE),
    ("".join(f"[variants.V{n}]\nx = 1\n" for n in range(2000)), MORE_ERRORS_MESSAGE),
    *(
        (f"solo = {[f'x{n}' for n in range(8_000)]}\n", MORE_ERRORS_MESSAGE),
        (f"matchups = {['x' * 1000] * 900}", MORE_ERRORS_MESSAGE),
    ),
    (f"variants = ['{'x' * 10**6}']", ""),
]


@pytest.mark.parametrize(("text", "reason"), HOSTILE_TOML, ids=range(len(HOSTILE_TOML)))
def test_a_file_made_to_use_up_time_or_memory(empty_directory, text, reason):
    Path("e.toml").write_text(text)
    commands = ("run", "e.toml", "--dry-run"), ("variants", "e.toml")
    with time_limit(60):
        messages = [run_cli_harmlessly(*words, codes=(2,)).stderr for words in commands]
    assert max(map(len, messages)) < 10_000 and reason in "".join(messages)


# Strings


def hostile_variations(valid):
    """Return cases of a string: valid, damaged, repeated, or next to a hostile string."""
    valid = valid if isinstance(valid, st.SearchStrategy) else st.sampled_from(valid)
    piece, part = st.sampled_from(TYPED_TEXTS), st.just("") | valid
    joined = st.tuples(part, piece, part).map("".join)
    repeated = st.builds(str.__mul__, valid, st.sampled_from((2, 21, 41, 3000)))
    return st.one_of(valid, damaged(valid), joined, joined, repeated).map(
        lambda text: text.replace("\0", "")
    )


def check_variant(spec):
    found = find_variant(spec)
    assert find_variant(found.spec) == found and validate(found.params) == []
    settings = random_texts.settings(found.params)
    assert find_variant("+".join(["standard", *settings])).params == found.params


def check_strategy(spec):
    found = loader.find_strategy(spec)
    again = loader.find_strategy(found.spec)
    assert again.spec == found.spec
    assert loader.format_policies(again) == loader.format_policies(found)


def check_hand(text):
    found = notation.parse_cards(text)
    again = notation.parse_cards(notation.format_hand(notation.cards_to_mask(found)))
    assert again == sorted(found) == sorted(set(again))


def check_written_strategy(path):
    """Load the strategy that a chart wrote, unless its name means more than a path."""
    with contextlib.suppress(strategy_spec.StrategyError):
        loader.find_strategy(path)
    assert not Path("it-ran").exists()


HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
HANDS = [f"{HAND} KS", "7H 7D 7C | 8C 9C TC | 4H TD AC 4C", str(HAND.split()), HAND.lower()]
ANALYZE = ["analyze", HAND, *QUICK.split()]
CHART = "chart knock --player gold --score 60-80 --deals 2k".split()
# Options of commands; those that would play for long have no valid player
OPTIONS = {
    "match gold --deals 20": "until sprt for seed workers variant output",
    "show gold": "seed unit half deal variant",
    "hand 5S6S7S9H9D9CKSQD2CAH": "upcard score variant",
    "find gold --where won --deals 20": "against limit seed variant",
    "analyze gold --turn 1 --worlds 1": "unit seed pile score as",
    "run mine.toml --dry-run": "output seed workers",
    "review nothing": "against matches seed workers output file",
    "tune nothing": "generations confirm seed variant output run",
    "train nothing": "rounds confirm seed workers output run",
    "bench nothing": "seconds save against",
    "strategies gold": "slot players search",
}
WORDS = [
    f"{command} --{option} {{}}".split()
    for command, options in OPTIONS.items()
    for option in options.split()
] + [[command, "--", "{}"] for command in ("report", "run", "show", "examples")]
ARGUMENTS = "run new/run x.py 5S gold eaai 7 0 18446744073709551616 1.5 0.1% 5m".split()
ADDRESSES = "local:0 127.0.0.1:1 tcp://127.0.0.1:1 [::1]:1 local:99999 tcp://x".split()
# Name: valid strings, commands with {} for the string, and a check of accepted strings
STRINGS = {
    "rules": (random_texts.compositions, [["variants", "--json", "--", "{}"]], check_variant),
    "strategy": (random_texts.strategies(), [["strategies", "--", "{}"]], check_strategy),
    "learned": (["@w.npy", "@0123abcd.npy"], [["strategies", "--", "champion{}"]], None),
    "hand": (random_texts.hands | st.sampled_from(HANDS), [["hand", "--", "{}"]], check_hand),
    "cards": (HANDS, [["analyze", "--pile", "QD TS", *QUICK.split(), "--", "{}"]], None),
    "pile": (
        ["QD TS 9D* QH ", "QD ? .. QH", "[QD, TS]", "? ", "? ?* "],
        *([[*ANALYZE, "--pile", "{}"]], None),
    ),
    "score": (["30-45", "0-0"], [[*ANALYZE, "--pile=QD", "--score", "{}"]], None),
    "goals": (["gin 4..5 %", "turns < 9"], [["review", "eaai", "--goals", "{}, no row < 1"]], None),
    "sweep": (["knock_limit=0..3"], ["review eaai --goals x<1 --sweep {}".split()], None),
    "limits": (["k=0..9"], ["tune gold-early --against nobody --parameters {}".split()], None),
    "where": (["won, points < 3"], ["find gold --deals 20 --where {}".split()], None),
    "scheduler": (ADDRESSES, ["match gold --deals 20 --scheduler {}".split()], None),
    "words": (ARGUMENTS, WORDS, None),
    "chart": (["chart"], [[*CHART, "-o", "{}"]], None),
    "chart file": (["my.py", "MY.PY"], [[*CHART, "--strategy", "{}"]], check_written_strategy),
    "chart player": (["gold", "gold+knock=at:k=3"], [[*CHART[:3], "{}", *CHART[4:]]], None),
}
REJECTED_STRINGS = ("learned", "goals", "sweep", "limits", "scheduler")
OUTPUTS = {"-o", "--output", "--strategy", "--run", "--save", "examples"}


@few_cases
@pytest.mark.parametrize("name", STRINGS)
def test_strings(workspace, name, n):
    valid, commands, check_accepted = STRINGS[name]
    before, codes = {*os.listdir()}, []

    def check(text, words):
        first = text.split("/")[0] or "/"
        may_write = OUTPUTS & {*words} and not os.path.lexists(first)  # only new files
        words = [word.replace("{}", text) for word in words]
        with isolated():
            result = run_cli_harmlessly(*words, codes=(0, 2), writes=[first] if may_write else [])
        codes.append(result.exit_code)
        if result.exit_code == 0 and check_accepted:
            check_accepted(text)
        for path in {*os.listdir()} - before:
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    fuzz(n, check, hostile_variations(valid), st.sampled_from(commands))
    if name not in REJECTED_STRINGS:
        check_exit_codes(codes)


def valid_variants(n):
    """Return the canonical specs of those of n random compositions that are valid."""
    specs = []

    def check(spec):
        with contextlib.suppress(ValueError):
            specs.append(find_variant(spec).spec)

    fuzz(n, check, random_texts.compositions)
    return list(dict.fromkeys(specs))


def test_valid_variants_can_be_played():
    specs = valid_variants(120)[-20:]
    assert len(specs) == 20
    for spec in specs:
        play_variants.play(spec)


@pytest.mark.slow
def test_variants_play_within_array_bounds():
    specs = valid_variants(2000)
    assert len(specs) > 200
    words = [sys.executable, play_variants.__file__]
    env = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    sent = "".join(f"{spec}\n" for spec in specs)
    done = subprocess.run(words, input=sent, env=env, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == specs


# Environment variables

SHELL_WORDS = ("", "simgin match ", "simgin match 'gold", "simgin " + "x" * 5000)
VARIABLES = [
    *({"TERM": value, "FORCE_COLOR": "x"} for value in ("", "dumb", "unknown", "\x1b")),
    *({"LANG": value} for value in ("", "C", "xx_YY", "tr_TR.UTF-8")),
    *({"_SIMGIN_COMPLETE": value} for value in ("x", "bash_source")),
    *(
        {"_SIMGIN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": index}
        for words in SHELL_WORDS
        for index in ("0", "1", "-1", "99")  # a shell passes a number; click fails on other strings
    ),
]


@pytest.mark.parametrize("env", VARIABLES, ids=str)
def test_variables_of_the_shell(workspace, env):
    for words in (["variants", "oklahoma"], ["hand", "5S"]):
        run_cli(*words, env=env)
