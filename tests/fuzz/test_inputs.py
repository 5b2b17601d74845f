"""Fuzz tests of user input: any file, string or environment gives a result or one error.

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
from simgin.rules.variants import find_variant, validate_params
from simgin.runs import cluster
from simgin.runs.plan import plan_experiment
from simgin.strategy import loader, strategy_spec
from simgin.text import notation
from support import play_variants, random_texts, variant_files
from support.hostile import (
    HOSTILE_VALUES,
    ODD_STRINGS,
    TOUCH_FILE_CODE,
    check_exit_codes,
    cpu_limit,
    draw_changed_json,
    draw_corrupted,
    parametrize_cases,
    run_cases,
    run_cli,
    run_cli_harmlessly,
    time_limit,
)
from worked_examples import engine, files, schema

DATA_DIRECTORY = Path(__file__).parents[1] / "data"
parametrize_few_cases = parametrize_cases(3, 300)
SECRET_FILE_SPECS = ("../secret/evil.py", "../secret/EVIL.PY#x", "champion@../secret/w.npy")
HUGE_NUMBERS = ("9" * 5000, "-" + "9" * 5000, "9" * 30, str(2**63), "1e999999", "0x" + "f" * 5000)
DEEP_NESTING = ("[" * 100_000, '{"a":' * 50_000, "(" * 100_000, "\n\t" * 50_000, " " * 100_000)
INJECTED_CODE = 'a"""+__import__("pathlib").Path("it-ran").touch()+"""'
ODD_PATHS = (
    *("../out", "/etc/passwd", "/dev/full", "mine.txt", "folder", "pipe", "circle", "-", "--", "~"),
    *(
        INJECTED_CODE,
        f"{INJECTED_CODE}.py",
        "a\nb.py",
        "a\\b.py",
        "a'b.py",
        "$(touch it-ran)",
        "`touch it-ran`",
    ),
    *("x" * 300, "é.py", "a b", "{0.__class__}", "%s.toml", "C:\\x", "a/" * 500, "mine.py/x"),
)
HOSTILE_STRINGS = [
    word for word in (*ODD_STRINGS, *ODD_PATHS, *HUGE_NUMBERS, *DEEP_NESTING) if "\0" not in word
]  # no shell passes it
opened_secrets = []


def record_opened_secrets(event, args):
    """Record each opened file with "secret" in its path (an audit hook)."""
    if event == "open" and isinstance(args[0], str | bytes) and "secret" in os.fsdecode(args[0]):
        opened_secrets.append(args[0])


sys.addaudithook(record_opened_secrets)


@pytest.fixture
def workspace(empty_directory, monkeypatch):
    """Create a directory with secret files, and modules that would run if they were imported."""
    monkeypatch.setattr("simgin.cli.plan_table.measure_unit_seconds", lambda matchup: 1e-6)
    monkeypatch.setattr("simgin.report.html_report.render_html", lambda *_: "<html></html>")
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT_SECONDS", 0.5)  # no address has a scheduler
    monkeypatch.setattr(play, "_find_saved_game_file", lambda matchup: Path("kept.json").absolute())
    for folder in ("secret", "here", "here/folder"):
        Path(folder).mkdir()
    np.save("secret/w.npy", np.zeros(9))
    for name in (
        "secret/evil.py",
        "secret/EVIL.PY",
        *(f"here/{x}.py" for x in ("random", "json", "simgin")),
    ):
        Path(name).write_text(TOUCH_FILE_CODE)
    monkeypatch.chdir("here")
    for name in ("mine.txt", "folder/mine"):
        Path(name).write_text("years of work")
    os.mkfifo("pipe")
    Path("circle").symlink_to("circle")
    opened_secrets.clear()


@contextlib.contextmanager
def forbid_side_effects():
    """Raise AssertionError if the `with` block is slow, runs code or opens a secret file."""
    with cpu_limit():
        yield
    assert not Path("it-ran").exists() and not opened_secrets


# Files


def replace_match(text, replacement, index, pattern):
    """Replace one match of a pattern in a text, and return the result as bytes."""
    spans = [match.span() for match in re.finditer(pattern, text)] or [(0, 0)]
    start, end = spans[index % len(spans)]
    return (text[:start] + replacement + text[end:]).encode(errors="replace")


def draw_changed_text(text):
    """Draw a variation of a JSON or TOML text. Other texts are returned unchanged."""
    values = [*HOSTILE_VALUES, *SECRET_FILE_SPECS]
    for read, write in ((json.loads, encode_json), (tomllib.loads, random_texts.format_toml_file)):
        with contextlib.suppress(ValueError):
            return draw_changed_json(st.just(read(text)), values).map(write)
    return st.just(text.encode())


def encode_json(value):
    return json.dumps(value).encode(errors="replace")


def draw_file_content(valid_contents):
    """Draw the content of a file: valid, corrupt, or with changed values, encodings or sizes."""
    texts, indices = st.sampled_from(valid_contents), st.integers(0, 10**5)
    if isinstance(valid_contents[0], bytes):
        return draw_corrupted(texts)
    encodings = st.sampled_from(("utf-8-sig", "utf-16", "utf-16-le", "utf-32"))
    values = texts.flatmap(draw_changed_text)
    return st.one_of(
        *(values, values, draw_corrupted(texts.map(str.encode))),
        st.builds(str.encode, texts, encodings),
        st.builds(replace_match, texts, st.sampled_from(HUGE_NUMBERS), indices, st.just(r"\d+")),
        st.builds(
            replace_match,
            texts,
            st.sampled_from((*DEEP_NESTING, *HUGE_NUMBERS, "\0", *SECRET_FILE_SPECS)),
            indices,
            st.just(""),
        ),
    )


SPECIAL_FILE_CREATORS = {
    "a pipe": os.mkfifo,
    "a directory": os.mkdir,
    "a device": lambda path: os.symlink("/dev/zero", path),
    "a circle": lambda path: os.symlink(path, path),
    "nothing": lambda path: None,
    "no permission": lambda path: os.close(os.open(path, os.O_CREAT, 0)),
}


def write_content(path, content):
    """Write a file, or create a special file at its path."""
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    Path(path).unlink(missing_ok=True)
    if content in SPECIAL_FILE_CREATORS:
        SPECIAL_FILE_CREATORS[content](path)
    else:
        Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())


EXPERIMENT_TOML = """
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
SWEEP_TOML = """
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
SOLO_TOML = (
    'question = "?"\nvariants = ["gin-solitaire"]\nsolo = ["gold", "gin-only"]\nfor = "30s"\n'
)
REVIEW_TOML = """
title = "?"
rule_sets = ["oklahoma", "standard+gin_bonus=20"]
against = "standard"
goals = ["turns per match 100..140"]
seconds_per_turn = 10
matches = "20k"
"""
SAVED_GAME_JSON = '{"deals": [[1, 5], [0]], "prompts": [0], "back": 1}'
QUICK_OPTIONS = "--worlds 1 --as gold --against gold"


def check_experiment_plan():
    """Raise AssertionError if a matchup repeats or a comparison changes more than one field."""
    plan = plan_experiment("e.toml")
    pairs = {(key.variant, frozenset((key.a, key.b))) for key in plan.matchup_keys}
    assert len(pairs) == len(plan.matchup_keys) > 0
    assert len({frozenset(pair) for pair in plan.contrasts}) == len(plan.contrasts)
    for i, j in plan.contrasts:
        key, base = (vars(plan.matchup_keys[place]) for place in (i, j))
        assert sum(key[field] != base[field] for field in key) == 1


def check_variant_file():
    """Raise AssertionError if the file has an invalid variant or an ambiguous spec."""
    for spec, variant in variants.variants_in_file("v.toml").items():
        assert find_variant(spec) == find_variant(variant.spec) == variant
        assert not validate_params(variant.params)


def read_deal_file_contents():
    """Return contents of deal files: output of `simgin show` and logs of other engines."""
    words = ("show", "dice-player", "random", "-v", "dice", "--seed", "5")
    deals = [
        run_cli(*words, *more, exit_codes=(0,)).stdout for more in ((), ("--json",), ("--json",))
    ]
    return [
        *deals,
        *(path.read_text() for path in sorted((DATA_DIRECTORY / "game_logs").iterdir())),
    ]


def run_worked_examples():
    files.run_examples(files.read_examples("w.json"), engine)


WORKED_EXAMPLE_VECTORS = json.loads((DATA_DIRECTORY / "more_examples.json").read_text())["vectors"][
    :9
]
# Name: the path, valid contents, the command that reads it, and a check of accepted files
INPUT_FILES = {
    "experiment": (
        "e.toml",
        [EXPERIMENT_TOML, SWEEP_TOML, SOLO_TOML],
        "run e.toml --dry-run",
        check_experiment_plan,
    ),
    "variants": (
        "v.toml",
        [variant_files.CLUB_VARIANT_TOML, variant_files.DEN_VARIANT_TOML],
        "variants v.toml",
        check_variant_file,
    ),
    "review": ("r.toml", [REVIEW_TOML], "review --file r.toml --goals x<1", None),
    "values": ("k.toml", ["[knock]\nk = 3\n"], "strategies gold-early@k.toml", None),
    "weights": ("w.npy", [b"", b"\x93NUMPY"], "strategies champion@w.npy", None),
    "analyzed": (
        "d.json",
        read_deal_file_contents,
        f"analyze d.json --turn 2 {QUICK_OPTIONS}",
        None,
    ),
    "graded": ("d.json", read_deal_file_contents, f"grade d.json {QUICK_OPTIONS}", None),
    "speed": ("b.json", ['{"rows": []}'], "bench --seconds 0.01 --against b.json", None),
    "game": ("kept.json", [SAVED_GAME_JSON], "play gold --one", None),
    "worked examples": ("w.json", [json.dumps(WORKED_EXAMPLE_VECTORS)], run_worked_examples, None),
}
ALWAYS_REJECTED_FILES = ("review", "weights", "speed")  # valid files would play for a long time
NEVER_REJECTED_FILES = ("game",)  # a game that cannot be read is started again


@parametrize_few_cases
@pytest.mark.parametrize("name", INPUT_FILES)
def test_any_file_content_gives_a_result_or_one_error(workspace, name, n_cases):
    path, valid, command, check_accepted = INPUT_FILES[name]
    valid, codes = valid() if callable(valid) else valid, []

    def run_command(**options):
        if callable(command):
            with contextlib.suppress(schema.ExampleError):
                command()
                return 0
            return 2
        return run_cli_harmlessly(*command.split(), stdin="q\n", **options).exit_code

    write_content(path, valid[-1])
    run_command(may_write=[path])  # compiles

    def check_content(content):
        write_content(path, content)
        with forbid_side_effects():
            codes.append(
                run_command(
                    exit_codes=(0, 2), may_write=[path] if name in NEVER_REJECTED_FILES else []
                )
            )
        if codes[-1] == 0 and check_accepted:
            check_accepted()

    run_cases(
        n_cases,
        check_content,
        draw_file_content(valid)
        | draw_file_content(valid)
        | st.sampled_from([*SPECIAL_FILE_CREATORS]),
    )
    if name not in (*ALWAYS_REJECTED_FILES, *NEVER_REJECTED_FILES):
        check_exit_codes(codes)


LONG_DOTTED_KEY = ".".join("a" * 60_000)
MORE_ERRORS_MESSAGE = "more errors."
HOSTILE_TOML = [
    *(
        (text, "a line has more than 300 dots")
        for text in (f"{LONG_DOTTED_KEY} = 1", f"[{LONG_DOTTED_KEY}]")
    ),
    (f"x = {{ {LONG_DOTTED_KEY} = 1 }}", "a line has more than 300 dots"),
    ("x = '" + "x" * 2**20 + "'", "larger than 1 MiB"),
    *(("x = " + text, "nested too deep") for text in ("[" * 2**18 + "]" * 2**18, "{x=" * 2**18)),
    (".".join("x" * 300) + " = " + "[" * 300 + "]" * 300, ""),
    ("\n".join(f"k{n} = 1" for n in range(20_000)), MORE_ERRORS_MESSAGE),
    ("".join(f"[variants.V{n}]\nx = 1\n" for n in range(2000)), MORE_ERRORS_MESSAGE),
    *(
        (f"solo = {[f'x{n}' for n in range(2_000)]}\n", MORE_ERRORS_MESSAGE),
        (f"matchups = {['x' * 1000] * 900}", MORE_ERRORS_MESSAGE),
    ),
    (f"variants = ['{'x' * 10**6}']", ""),
    pytest.param(
        f"solo = {[f'x{n}' for n in range(8_000)]}\n", MORE_ERRORS_MESSAGE, marks=pytest.mark.slow
    ),
]


@pytest.mark.parametrize(("text", "reason"), HOSTILE_TOML, ids=range(len(HOSTILE_TOML)))
def test_toml_that_would_exhaust_time_or_memory_is_rejected(empty_directory, text, reason):
    Path("e.toml").write_text(text)
    commands = ("run", "e.toml", "--dry-run"), ("variants", "e.toml")
    with time_limit(60):
        messages = [run_cli_harmlessly(*words, exit_codes=(2,)).stderr for words in commands]
    assert max(map(len, messages)) < 10_000 and reason in "".join(messages)


# Strings


def draw_string(valid_strings):
    """Draw a string: valid, corrupt, repeated, or joined with a hostile string."""
    valid_strings = (
        valid_strings
        if isinstance(valid_strings, st.SearchStrategy)
        else st.sampled_from(valid_strings)
    )
    piece, part = st.sampled_from(HOSTILE_STRINGS), st.just("") | valid_strings
    joined = st.tuples(part, piece, part).map("".join)
    repeated = st.builds(str.__mul__, valid_strings, st.sampled_from((2, 21, 41, 3000)))
    return st.one_of(valid_strings, draw_corrupted(valid_strings), joined, joined, repeated).map(
        lambda text: text.replace("\0", "")
    )


def check_variant(spec):
    """Raise AssertionError if the canonical spec does not describe the same variant."""
    found = find_variant(spec)
    assert find_variant(found.spec) == found and validate_params(found.params) == []
    settings = random_texts.format_settings(found.params)
    assert find_variant("+".join(["standard", *settings])).params == found.params


def check_strategy(spec):
    """Raise AssertionError if the canonical spec does not describe the same strategy."""
    found = loader.find_strategy(spec)
    again = loader.find_strategy(found.spec)
    assert again.spec == found.spec
    assert loader.format_policies(again) == loader.format_policies(found)


def check_hand(text):
    """Raise AssertionError if formatting and parsing a hand changes its cards."""
    found = notation.parse_cards(text)
    again = notation.parse_cards(notation.format_hand(notation.cards_to_mask(found)))
    assert again == sorted(found) == sorted(set(again))


def check_written_strategy(path):
    """Load the strategy file written by `simgin chart`, and check that no hostile code runs."""
    with contextlib.suppress(strategy_spec.StrategyError):
        loader.find_strategy(path)
    assert not Path("it-ran").exists()


HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
HAND_FORMATS = [f"{HAND} KS", "7H 7D 7C | 8C 9C TC | 4H TD AC 4C", str(HAND.split()), HAND.lower()]
ANALYZE_COMMAND = ["analyze", HAND, *QUICK_OPTIONS.split()]
CHART_COMMAND = "chart knock --player gold --score 60-80 --deals 2k".split()
# Options of commands; those that would play for long have no valid player
OPTIONS_BY_COMMAND = {
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
COMMANDS_WITH_PLACEHOLDER = [
    f"{command} --{option} {{}}".split()
    for command, options in OPTIONS_BY_COMMAND.items()
    for option in options.split()
] + [[command, "--", "{}"] for command in ("report", "run", "show", "examples")]
VALID_ARGUMENTS = "run new/run x.py 5S gold eaai 7 0 18446744073709551616 1.5 0.1% 5m".split()
SCHEDULER_ADDRESSES = "local:0 127.0.0.1:1 tcp://127.0.0.1:1 [::1]:1 local:99999 tcp://x".split()
# Name: valid strings, commands with {} for the string, and a check of accepted strings
INPUT_STRINGS = {
    "rules": (random_texts.variant_specs, [["variants", "--json", "--", "{}"]], check_variant),
    "strategy": (random_texts.strategy_specs(), [["strategies", "--", "{}"]], check_strategy),
    "learned": (["@w.npy", "@0123abcd.npy"], [["strategies", "--", "champion{}"]], None),
    "hand": (
        random_texts.hand_strings | st.sampled_from(HAND_FORMATS),
        [["hand", "--", "{}"]],
        check_hand,
    ),
    "cards": (
        HAND_FORMATS,
        [["analyze", "--pile", "QD TS", *QUICK_OPTIONS.split(), "--", "{}"]],
        None,
    ),
    "pile": (
        ["QD TS 9D* QH ", "QD ? .. QH", "[QD, TS]", "? ", "? ?* "],
        *([[*ANALYZE_COMMAND, "--pile", "{}"]], None),
    ),
    "score": (["30-45", "0-0"], [[*ANALYZE_COMMAND, "--pile=QD", "--score", "{}"]], None),
    "goals": (["gin 4..5 %", "turns < 9"], [["review", "eaai", "--goals", "{}, no row < 1"]], None),
    "sweep": (["knock_limit=0..3"], ["review eaai --goals x<1 --sweep {}".split()], None),
    "limits": (["k=0..9"], ["tune gold-early --against nobody --parameters {}".split()], None),
    "where": (["won, points < 3"], ["find gold --deals 20 --where {}".split()], None),
    "scheduler": (SCHEDULER_ADDRESSES, ["match gold --deals 20 --scheduler {}".split()], None),
    "words": (VALID_ARGUMENTS, COMMANDS_WITH_PLACEHOLDER, None),
    "chart": (["chart"], [[*CHART_COMMAND, "-o", "{}"]], None),
    "chart file": (
        ["my.py", "MY.PY"],
        [[*CHART_COMMAND, "--strategy", "{}"]],
        check_written_strategy,
    ),
    "chart player": (
        ["gold", "gold+knock=at:k=3"],
        [[*CHART_COMMAND[:3], "{}", *CHART_COMMAND[4:]]],
        None,
    ),
}
ALWAYS_REJECTED_STRINGS = ("learned", "goals", "sweep", "limits", "scheduler")
OUTPUT_OPTIONS = {"-o", "--output", "--strategy", "--run", "--save", "examples"}


@parametrize_few_cases
@pytest.mark.parametrize("name", INPUT_STRINGS)
def test_any_string_gives_a_result_or_one_error(workspace, name, n_cases):
    valid, commands, check_accepted = INPUT_STRINGS[name]
    before, codes = {*os.listdir()}, []

    def check_string(text, arguments):
        first = text.split("/")[0] or "/"
        may_write = OUTPUT_OPTIONS & {*arguments} and not os.path.lexists(first)  # only new files
        arguments = [word.replace("{}", text) for word in arguments]
        with forbid_side_effects():
            result = run_cli_harmlessly(
                *arguments, exit_codes=(0, 2), may_write=[first] if may_write else []
            )
        codes.append(result.exit_code)
        if result.exit_code == 0 and check_accepted:
            check_accepted(text)
        for path in {*os.listdir()} - before:
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    run_cases(n_cases, check_string, draw_string(valid), st.sampled_from(commands))
    if name not in ALWAYS_REJECTED_STRINGS:
        check_exit_codes(codes)


def draw_valid_variants(n_draws):
    """Draw random rule combinations, and return the canonical specs of the valid ones."""
    specs = []

    def add_valid_spec(spec):
        with contextlib.suppress(ValueError):
            specs.append(find_variant(spec).spec)

    run_cases(n_draws, add_valid_spec, random_texts.variant_specs)
    return list(dict.fromkeys(specs))


def test_valid_variants_can_be_played():
    specs = draw_valid_variants(120)[-20:]
    assert len(specs) == 20
    for spec in specs:
        play_variants.play_variant(spec)


@pytest.mark.slow
def test_variants_play_within_array_bounds():
    specs = draw_valid_variants(2000)
    assert len(specs) > 200
    arguments = [sys.executable, play_variants.__file__]
    env = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    input_lines = "".join(f"{spec}\n" for spec in specs)
    process = subprocess.run(
        arguments, input=input_lines, env=env, capture_output=True, text=True, timeout=3600
    )
    assert process.returncode == 0, process.stderr[-2000:]
    assert process.stdout.splitlines() == specs


# Environment variables

LINES_TO_COMPLETE = ("", "simgin match ", "simgin match 'gold", "simgin " + "x" * 5000)
ODD_ENVIRONMENTS = [
    *({"TERM": value, "FORCE_COLOR": "x"} for value in ("", "dumb", "unknown", "\x1b")),
    *({"LANG": value} for value in ("", "C", "xx_YY", "tr_TR.UTF-8")),
    *({"_SIMGIN_COMPLETE": value} for value in ("x", "bash_source")),
    *(
        {"_SIMGIN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": index}
        for words in LINES_TO_COMPLETE
        for index in ("0", "1", "-1", "99")  # a shell passes a number; click fails on other strings
    ),
]


@pytest.mark.parametrize("env", ODD_ENVIRONMENTS, ids=str)
def test_any_environment_gives_a_result_or_one_error(workspace, env):
    for words in (["variants", "oklahoma"], ["hand", "5S"]):
        run_cli(*words, env=env)
