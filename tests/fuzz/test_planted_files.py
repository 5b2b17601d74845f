"""Hostile files and names in the working directory: none is run, or read or changed unasked."""

import shutil
import subprocess
from pathlib import Path

import pytest

from simgin.core import jit
from simgin.strategy import loader
from support.hostile import CASES, ODD, VALUES, answer, flipped, generator, harmless

ROOT = Path(__file__).parents[2]
OWN = ROOT / "strategies" / "champion.npy"
MARK = "it-ran"
CODE = f"import pathlib\npathlib.Path({MARK!r}).touch()\nraise SystemExit(7)\n"
RUN = f'__import__("pathlib").Path({MARK!r}).touch()'
MANY = pytest.param(int(CASES or 300), marks=pytest.mark.slow)
few = pytest.mark.parametrize("n", [int(CASES or 2), MANY])
some = pytest.mark.parametrize("n", [int(CASES or 30), MANY])  # of quick cases


def content(rng):
    """What a planted file holds: code, other people's data, or noise."""
    kinds = (
        CODE.encode(),
        f'question = "Whose?"\n[[matchups]]\na = "nobody"\n# {RUN}'.encode(),
        b'[variants.oklahoma]\ntitle = "Planted"\nabout = "Planted"\nchanges.gin_bonus = 99\n',
        b"[knock]\nk = 0\n",
        b'{"rows": [], "command": "simgin bench"}',
        b"",
        rng.randbytes(rng.choice((1, 100, 10_000))),
        flipped(rng, OWN.read_bytes()[:2000]),
        b"\xff\xfe" + "planted".encode("utf-16-le"),
    )
    return rng.choice(kinds)


# What is looked up by its name is not looked up here

LEARNED = loader.format_learned_name("straight-12345678", OWN.read_bytes())
NAMES = f"""
gold simple champion demo standard oklahoma eaai solitaire-gin random nobody mine straight learned
gold.py simple.py demo.toml oklahoma.toml standard.toml variants.toml deals.toml metrics.toml
champion.npy beliefs.npy stake.npy mc.npy improvement.npy solo.npy {LEARNED} by_chart.py.j2
page.html.j2 strategy.py.j2 ledger.sql manifest.json ledger.sqlite known_answers.toml pyproject.toml
simgin simgin.py strategies experiments results cache py.typed setup.cfg conftest.py core toolkit
""".split()
BY_NAME = [
    "match gold simple --deals 40",
    "match champion gold -v oklahoma --deals 40",
    f"match champion@{LEARNED} simple --deals 40",
    "strategies gold",
    "strategies champion --json",
    "variants oklahoma",
    "variants diff standard oklahoma",
    "show gold simple -v eaai",
    "hand 5S6S7S9H9D9CKSQD2CAH",
    "examples",
    "find gold --where won --deals 20",
    "cite",
    "run nothing",
    "match nothing",
    "variants nothing",
]


@pytest.fixture
def here(empty_directory, without_pictures, tmp_path_factory, monkeypatch):
    """An empty working directory, and a learned player in a cache elsewhere."""
    jit.cache_directory()  # compiled code stays where it is
    monkeypatch.setenv("SIMGIN_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    folder = jit.cache_root() / jit.compiled_digest() / loader.LEARNED_FOLDER
    folder.mkdir(parents=True)
    (folder / LEARNED).write_bytes(OWN.read_bytes())
    yield empty_directory
    assert not Path(MARK).exists()


def plant(rng, name):
    """A file, a folder with a file, or a link in the working directory."""
    path = Path(name)
    kind = rng.random()
    if kind < 0.7:
        path.write_bytes(content(rng))
    elif kind < 0.9:
        path.mkdir()
        for inner in ("__init__.py", "manifest.json", "ledger.sqlite"):
            (path / inner).write_bytes(content(rng))
    else:
        path.symlink_to(rng.choice((name, "/etc/passwd", "..", "/dev/zero")))


@few
def test_what_lies_here_changes_nothing_that_is_named_without_a_path(here, n):
    plain = {words: answer(*words.split()) for words in BY_NAME}
    rng = generator("planted names")
    for _ in range(n):
        names = rng.sample(NAMES, 12)
        for name in names:
            plant(rng, name)
        words = rng.choice(BY_NAME)
        found = harmless(*words.split())
        assert (found.exit_code, found.output) == (plain[words].exit_code, plain[words].output), (
            words,
            names,
        )
        for name in names:
            path = Path(name)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


# Names of files with any character

SIGNS = [
    *('"""', "'", '"', "\\", "\n", "\t", "\x1b[31m", "\x7f", "\u202e", "é", "🂡", " ", "  ", "%s"),
    *("$(touch it-ran)", "`touch it-ran`", ";touch it-ran;", "|", "&", ">", "*", "~", "!", "#"),
    *(f'"""+{RUN}+"""', "{{ 7 * 7 }}", "{k}", "<script>", "-->", "[b]", "@", "+knock=at", ":k=1"),
    *("-", "--debug", "..", ".", "=", ",", "]]\n[knock]\nk = 1", "x" * 100, "\\N", "\\x00"),
]
WRITES = [
    "match gold --deals 10 -o {}",
    "strategies new {}.py",
    "variants new {}.toml",
    "examples {}",
    "show gold simple --json {}",
    "match {}.py --deals 10",
    "match gold+knock={}.py --deals 10 -o out",
    "match gold -v {}.toml --deals 10 -o out",
    "match champion@{}.npy --deals 10",
    "match gold@{}.toml --deals 10 -o out",
    "run {}.toml -o out",
    "run {} --dry-run",
    "report {}",
    "compare {} {}",
    "analyze {}.json",
    "strategies {}.py",
    "variants {}.toml",
]
STRATEGY = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return 1
MINE = Strategy("mine", knock=mine)
"""
FILES = {
    ".py": STRATEGY.encode(),
    ".toml": b'question = "?"\ndeals = 10\nmatchups = [{ a = "gold" }]\n',
    ".npy": OWN.read_bytes(),
    ".json": b"{}",
}


def hostile_name(rng):
    pieces = [rng.choice((*SIGNS, "a", "mine")) for _ in range(rng.choice((1, 1, 2, 3)))]
    return "".join(pieces).replace("/", "")


def planted_under(name):
    """Files of every ending under a name, where there can be such files."""
    for ending, data in FILES.items():
        try:
            Path(f"{name}{ending}").write_bytes(data)
        except (OSError, ValueError):
            return


def pasted(line):
    """The words that bash reads in a command."""
    script = f"printf '%s\\0' {line}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    return done.stdout.decode().split("\0")[:-1]


@some
def test_no_character_of_a_name_is_code_or_ends_a_command(here, n):
    rng = generator("hostile names")
    done = 0
    for _ in range(n):
        name = hostile_name(rng)
        planted_under(name)
        line = rng.choice(WRITES)
        words = [word.replace("{}", name) for word in line.split()]
        result = answer(*words)
        assert not Path(MARK).exists(), words
        repeats = [one for one in result.stdout.splitlines() if one.startswith("Repeat:  ")]
        if result.exit_code == 0 and "--json" not in words:
            done += 1
            (command,) = repeats
            again = pasted(command.removeprefix("Repeat:  "))
            assert again[:2] == ["simgin", words[0]], (words, command)
            assert any(name.removeprefix("./") in word for word in again) or "." in name, command
        for path in list(Path().iterdir()):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    assert done > n / 20


# Policies from outside that return anything

ACTS = """
from simgin.envs.external_player import make_external_strategy

class Odd:
    def __repr__(self):
        raise SystemExit
    def __index__(self):
        raise KeyboardInterrupt

asked = 0
def act(seen):
    global asked
    asked += 1
    if asked > {after}:
        return {value}
    return int(seen["action_mask"].argmax())

STRATEGY = make_external_strategy("from-outside", act)
"""
RETURNED = [
    *("99", "-1", "130", "10**30", "-10**30", "10**5000", "2.5", "52.0", "1e300", "float('nan')"),
    *("float('inf')", "None", "''", "'52'", "'\\n' * 99", "b'52'", "[]", "[52]", "(52,)", "1j"),
    *("{}", "seen", "seen['action_mask']", "object()", "type", "act", "Odd()", "Odd", "range(3)"),
    *("__import__('numpy').float32(52)", "__import__('numpy').zeros(2)", "lambda: 52", "..."),
]


@few
def test_what_a_policy_from_outside_returned_is_told_with_its_decision(here, n):
    rng = generator("from outside")
    for i in range(n):
        path = Path(f"outside{i}.py")
        path.write_text(ACTS.format(value=rng.choice(RETURNED), after=rng.choice((0, 1, 5))))
        told = answer("match", path, "gold", "--deals", 10, "--workers", 1, codes=(2,)).stderr
        last = told.splitlines()[-1]
        assert "policy 'from-outside' answered " in last or "raised" in last, told
        assert "(variant standard, seed 1, unit 0, half 0, deal 0)" in last, told
        path.unlink()


# Sizes of terminals


@some
def test_any_size_of_a_terminal_leaves_a_result(here, n):
    rng = generator("terminals")
    plain = answer("hand", "5S6S7S9H9D9CKSQD2CAH").stdout.split()
    sizes = [str(value) for value in (*ODD, *VALUES) if "\0" not in str(value)]
    for _ in range(n):
        size = rng.choice((*sizes, str(rng.randrange(10 ** rng.randrange(1, 30)))))
        env = {rng.choice(("COLUMNS", "LINES")): size.encode(errors="ignore").decode()}
        told = answer("hand", "5S6S7S9H9D9CKSQD2CAH", codes=(0,), env=env).stdout
        assert told.split() == plain and len(told) < 5000, size
