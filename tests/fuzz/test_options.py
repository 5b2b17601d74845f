"""Options, arguments and the environment: any value is taken or refused in a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.hostile import answer, generator, sizes, tree

NUMBERS = [
    *(
        "",
        " ",
        "nan",
        "inf",
        "-inf",
        "-1",
        "-0",
        "0",
        "1e400",
        "1e-400",
        "0x10",
        "1.5",
        "1,000",
        "٣",
        "½",
    ),
    *(
        "9" * 30,
        "9" * 5000,
        "1" + "0" * 60,
        str(2**31),
        str(2**63),
        str(2**64),
        str(-(2**64)),
        "5m",
    ),
    *("1_0", "+1", "1e", "e1", "k", "0k", "0.0001k", "2MM", "1%", "±1", "--", "é", "\udcff", "1\n"),
    *("0,10", "10,0", ",", "0,0", "nan,nan", "1e400,2", "0,1,2", "0%", "50%", "99%", "-1s", "1d"),
]
TEXTS = [
    *(
        "",
        " ",
        ".",
        "..",
        "/",
        "~",
        "~nobody",
        "~nouser9",
        "circle",
        "-",
        "--",
        "#",
        "+",
        "=",
        ":",
        "gold",
        "standard",
    ),
    *("mine.py", "mine.toml", "mine.json", "mine.toml#club", "folder", "folder.py", "folder.toml"),
    *("x" * 300, "x" * 5000, "a/" * 2000, "é", "\udcff", "\x1b[2J", "%s", "{0}", "$x^{$", "<b>"),
    *("gold+knock=at:k=nan", "gold+knock=at:k=1e400", "gold+knock=at:k=" + "9" * 5000, "gold:" * 9),
    *("standard+gin_bonus=" + "9" * 5000, "standard+goal=x", "standard+" * 500, "5S 6S", "tcp://x"),
    *(
        "tcp://127.0.0.1:99999",
        "local:0",
        "local:99999",
        "/dev/null",
        "/dev/full",
        "/proc/self/mem",
    ),
]
# What is quick to do, and the options that a value is put into
COMMANDS = {
    "match": (
        ["gold", "--deals", "20"],
        [
            "--deals",
            "--matches",
            "--until",
            "--sprt",
            "--seed",
            "--workers",
            "-v",
            "-o",
            "--scheduler",
        ],
    ),
    "show": (["gold"], ["--seed", "--unit", "--half", "--deal", "-v"]),
    "hand": (["5S 6S 7S 9H 9D 9C KS QD 2C AH"], ["--upcard", "--score", "-v"]),
    "find": (
        ["gold", "--where", "won", "--deals", "20"],
        ["--where", "--against", "--limit", "--deals", "--matches", "--seed", "--workers", "-v"],
    ),
    "analyze": (
        ["gold", "simple", "--turn", "1", "--worlds", "100"],
        [
            "--turn",
            "--unit",
            "--half",
            "--deal",
            "--seed",
            "--workers",
            "--worlds",
            "--pile",
            "--score",
            "--dealer",
            "-v",
            "-o",
        ],
    ),
    "run": (["mine.toml", "--dry-run"], ["-o", "--seed", "--workers"]),
    "odds": ([], ["--seed", "--workers", "-o", "--matches"]),
    "review": ([], ["--against", "--matches", "--seed", "--workers", "-o"]),
    "report": (["folder"], []),
    "compare": (["folder", "folder"], []),
    "variants": (["oklahoma"], []),
    "strategies": (["gold"], ["--slot", "--players", "--search"]),
    "bench": ([], ["--seconds", "--save", "--against"]),
    "conform": (["mine.json"], ["--kind"]),
    "examples": ([], []),
}
LONG_COMMANDS = {"odds", "review", "bench"}  # never without a mistake: they play for minutes
SMALL = {"--deals", "--matches", "--worlds"}  # a value that is good for these may take an hour
LONG = {str(2**31), "+1"}


@pytest.fixture
def here(empty_directory):
    """A folder with a file of every kind, broken where that is possible."""
    Path("folder").mkdir()
    Path("circle").symlink_to("circle")
    Path("folder.py").mkdir()
    Path("folder.toml").mkdir()
    Path("mine.py").write_text("raise SystemExit\n")
    Path("mine.toml").write_text('question = "?"\n[variants.club]\n')
    Path("mine.json").write_text("[]")
    return empty_directory


def words_of(rng):
    """A command line with an odd value or two."""
    command = rng.choice(list(COMMANDS))
    base, options = COMMANDS[command]
    words = list(base)
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        if not options:
            break
        option = rng.choice(options)
        values = [value for value in NUMBERS if option not in SMALL or value not in LONG]
        words += [option, rng.choice(values if rng.random() < 0.7 else TEXTS)]
    if rng.random() < 0.3 and words:
        words[rng.randrange(len(words))] = rng.choice(TEXTS)
    if rng.random() < 0.1:
        words.insert(rng.randint(0, len(words)), rng.choice(["--json", "--nothing", "-x", *TEXTS]))
    if command in LONG_COMMANDS:
        words.append("nothing")
    return [command, *words]


@sizes
def test_any_option_is_taken_or_refused(here, n):
    rng = generator("options")
    before = tree(here)
    refusals = 0
    for _ in range(n):
        words = words_of(rng)
        result = answer(*words, codes=(0, 1, 2, 3) if words[0] == "conform" else (0, 1, 2))
        refusals += result.exit_code == 2
        after = tree(here)
        assert {name: after.get(name) for name in before} == before, words
        assert result.exit_code != 2 or after == before, words
        remove_new(here, before)
    assert 0.5 * n < refusals < 0.98 * n


def remove_new(place, before):
    """Remove what a command wrote."""
    for path in sorted(place.rglob("*"), reverse=True):
        name = path.relative_to(place).as_posix()
        if path.is_dir():
            if path.name not in ("folder", "folder.py", "folder.toml"):
                path.rmdir()
        elif name not in before:
            path.unlink()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("match", "gold", "--workers", 10_000),
            "10000 workers cannot be had: write a number from",
        ),
        (("match", "gold", "--workers", 10**60), "workers cannot be had: write a number from 1 to"),
        (("match", "gold", "--workers", 0), "0 workers cannot be had: write a number from 1 to"),
        (("show", "gold", "--deal", 2**64), "deal"),
        (("show", "gold", "--unit", 2**64), "a unit is 0..2^48-1"),
        (("bench", "--seconds", "nan"), "nan is not a number of seconds"),
        (
            ("match", "gold", "--matches", "5m"),
            "a small m stands for minutes; write 5M for millions",
        ),
        (("match", "gold", "--scheduler", "foo"), "'foo' is no address of a scheduler; write one"),
    ],
)
def test_a_number_beyond_its_bounds_is_named(here, words, said):
    told = answer(*words, codes=(2,)).stderr
    assert said in told and len(told.splitlines()) <= 2


# The environment

VARIABLES = {
    "COLUMNS": ["", "0", "-1", "1", "abc", "1e9", "9" * 30, "99999"],
    "LINES": ["", "0", "-1", "abc"],
    "TERM": ["", "dumb", "unknown", "\x1b"],
    "NO_COLOR": ["", "1"],
    "FORCE_COLOR": ["", "1", "x"],
    "LANG": ["", "C", "xx_YY", "tr_TR.UTF-8"],
    "_SIMGIN_COMPLETE": ["", "x", "bash_source", "bash_complete", "zsh_complete", "fish_complete"],
    "COMP_WORDS": ["", "simgin", "simgin match ", "simgin match 'gold", "simgin " + "x" * 5000],
    "COMP_CWORD": ["0", "1", "-1", "99", "9" * 30],
}


@sizes
def test_any_environment_is_lived_with(here, n):
    rng = generator("environment")
    lines = (["variants", "oklahoma"], ["hand", "5S"], ["strategies", "--short"], ["--version"])
    for _ in range(n):
        names = rng.sample(list(VARIABLES), rng.choice((1, 2, 3)))
        env = {name: rng.choice(VARIABLES[name]) for name in names}
        if "_SIMGIN_COMPLETE" in env:
            env |= {name: rng.choice(VARIABLES[name]) for name in ("COMP_WORDS", "COMP_CWORD")}
        answer(*rng.choice(lines), env=env)


ENVIRONMENTS = [
    *({"SIMGIN_CACHE_DIR": "/proc/nowhere"}, {"SIMGIN_CACHE_DIR": "mine.json"}),
    *({"SIMGIN_CACHE_DIR": "x" * 5000}, {"XDG_CACHE_HOME": "/dev/null", "SIMGIN_CACHE_DIR": ""}),
    *({"HOME": "/nowhere", "SIMGIN_CACHE_DIR": ""}, {"TMPDIR": "/nowhere"}),
]


@pytest.mark.slow
@pytest.mark.parametrize("variables", ENVIRONMENTS)
def test_a_place_for_the_cache_that_is_none_is_named(here, variables):
    """Played without a cache, after a sentence that says why it will be slow again."""
    words = [sys.executable, "-m", "simgin", "match", "simple", "simple", "--deals", "10"]
    found = subprocess.run(
        words, capture_output=True, text=True, timeout=300, env={**os.environ, **variables}
    )
    assert found.returncode == 0 and "Traceback" not in found.stderr, found.stderr


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="devices of Unix")
def test_a_file_without_end_is_not_read(here):
    for words in (
        ("conform", "/dev/zero"),
        ("run", "/dev/zero"),
        ("bench", "--against", "/dev/zero"),
    ):
        assert "/dev/zero" in answer(*words, codes=(2,)).stderr
