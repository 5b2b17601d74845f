"""Every surface where input is typed or read: any input gives a result or one error message.

Each case ends within ten seconds of CPU time, shows no traceback, and reads, runs and changes no
file but those that it names.
"""

import contextlib
import json
import os
import re
import shutil
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
from support import random_texts, variant_files
from support.hostile import CASES, ODD, VALUES, answer, changed, damaged, fuzz, harmless, soon
from worked_examples import engine, files, schema

DATA = Path(__file__).parents[1] / "data"
sizes = pytest.mark.parametrize("n", [int(CASES or 3), pytest.param(300, marks=pytest.mark.slow)])
MARK = "import pathlib\npathlib.Path('it-ran').touch()\n"
SECRETS = ("../secret/evil.py", "../secret/EVIL.PY#x", "champion@../secret/w.npy")
HUGE = ("9" * 5000, "-" + "9" * 5000, "9" * 30, str(2**63), "1e999999", "0x" + "f" * 5000)
DEEP = ("[" * 100_000, '{"a":' * 50_000, "(" * 100_000, "\n\t" * 50_000, " " * 100_000)
CODE = 'a"""+__import__("pathlib").Path("it-ran").touch()+"""'
PATHS = (
    *("../out", "/etc/passwd", "/dev/full", "mine.txt", "folder", "pipe", "circle", "-", "--", "~"),
    *(CODE, f"{CODE}.py", "a\nb.py", "a\\b.py", "a'b.py", "$(touch it-ran)", "`touch it-ran`"),
    *("x" * 300, "é.py", "a b", "{0.__class__}", "%s.toml", "C:\\x", "a/" * 500, "mine.py/x"),
)
TYPED = [word for word in (*ODD, *PATHS, *HUGE, *DEEP) if "\0" not in word]  # no shell passes it on
opened = []  # files of other people that were opened


def remember(event, args):
    if event == "open" and isinstance(args[0], str | bytes) and "secret" in os.fsdecode(args[0]):
        opened.append(args[0])


sys.addaudithook(remember)


@pytest.fixture
def here(empty_directory, monkeypatch, without_pictures):
    """A folder with secret files, and modules that would run if they were imported."""
    monkeypatch.setattr("simgin.cli.plan_table.measure_unit_seconds", lambda matchup: 1e-6)
    monkeypatch.setattr("simgin.report.html_report.render_html", lambda *_: "<html></html>")
    monkeypatch.setattr(play, "_saved_game_file", lambda matchup: Path("kept.json").absolute())
    for folder in ("secret", "here", "here/folder"):
        Path(folder).mkdir()
    np.save("secret/w.npy", np.zeros(9))
    for name in ("secret/evil.py", "secret/EVIL.PY"):
        Path(name).write_text(MARK)
    monkeypatch.chdir("here")
    for name in ("random.py", "json.py", "simgin.py"):
        Path(name).write_text(MARK)
    for name in ("mine.txt", "folder/mine"):
        Path(name).write_text("years of work")
    os.mkfifo("pipe")
    Path("circle").symlink_to("circle")
    opened.clear()
    return Path()


@contextlib.contextmanager
def alone():
    """Check that the block ends soon, runs nothing and opens none of the secrets."""
    with soon():
        yield
    assert not Path("it-ran").exists() and not opened


def ended(codes):
    """Check that of many cases some were sound and some refused."""
    assert len(codes) < 100 or 0.02 * len(codes) < codes.count(2) < 0.98 * len(codes), codes


# Files


@st.composite
def contents(draw, sounds):
    """The bytes of a sound file, or of one that is damaged, in another encoding, huge or deep."""
    sound = draw(st.sampled_from(sounds))
    if isinstance(sound, bytes):
        return draw(damaged(st.just(sound)))
    how = draw(st.sampled_from(("values", "values", "damage", "encoding", "number", "piece")))
    if how == "values":
        return draw(with_values(sound))
    if how == "encoding":
        return sound.encode(draw(st.sampled_from(("utf-8-sig", "utf-16", "utf-16-le", "utf-32"))))
    if how == "damage":
        return draw(damaged(st.just(sound.encode())))
    numbers = [match.span() for match in re.finditer(r"\d+", sound)] if how == "number" else []
    start, end = draw(st.sampled_from(numbers or [(place, place) for place in range(len(sound))]))
    piece = draw(st.sampled_from(HUGE if numbers else (*DEEP, *HUGE, "\0", *SECRETS)))
    return (sound[:start] + piece + sound[end:]).encode(errors="replace")


def with_values(sound):
    """A file of JSON or TOML with values changed; another text as it is."""
    for read, write in ((json.loads, written), (tomllib.loads, random_texts.toml_file)):
        with contextlib.suppress(ValueError):
            return changed(st.just(read(sound)), VALUES + [*SECRETS]).map(write)
    return st.just(sound.encode())


def written(value):
    return json.dumps(value).encode(errors="replace")


THINGS = {
    "a pipe": os.mkfifo,
    "a folder": os.mkdir,
    "a device": lambda path: os.symlink("/dev/zero", path),
    "a circle": lambda path: os.symlink(path, path),
    "nothing": lambda path: None,
    "no permission": lambda path: os.close(os.open(path, os.O_CREAT, 0)),
}


def put(path, content):
    """Write a file, or put something else in its place; what was there goes."""
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    Path(path).unlink(missing_ok=True)
    if isinstance(content, bytes):
        Path(path).write_bytes(content)
    else:
        THINGS[content](path)


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
ALONE = 'question = "?"\nvariants = ["gin-solitaire"]\nsolo = ["gold", "gin-only"]\nfor = "30s"\n'
REVIEW = """
title = "?"
rule_sets = ["oklahoma", "standard+gin_bonus=20"]
against = "standard"
goals = ["turns per match 100..140"]
seconds_per_turn = 10
matches = "20k"
"""
LAID_ANEW = '{"deals": [[1, 5], [0]], "prompts": [0], "back": 1}'


def well_laid_out():
    """Check that no cell is there twice, and that what is compared differs in one part."""
    plan = plan_experiment("e.toml")
    pairings = {(cell.variant, frozenset((cell.a, cell.b))) for cell in plan.matchup_keys}
    assert len(pairings) == len(plan.matchup_keys) > 0
    assert len({frozenset(pair) for pair in plan.contrasts}) == len(plan.contrasts)
    for i, j in plan.contrasts:
        cell, base = (vars(plan.matchup_keys[place]) for place in (i, j))
        assert sum(cell[field] != base[field] for field in cell) == 1


def variants_are_found():
    for text, variant in variants.variants_in_file("v.toml").items():
        assert find_variant(text) == find_variant(variant.text) == variant and not validate(
            variant.params
        )


def shown():
    """Deals that simgin shows, and logs of other engines."""
    words = ("show", "dice-player", "random", "-v", "dice", "--seed", "5")
    deals = [answer(*words, *more, codes=(0,)).stdout for more in ((), ("--json",), ("--json",))]
    return [*deals, *(path.read_text() for path in sorted((DATA / "game_logs").iterdir()))]


QUICK = ("--worlds", "1", "--as", "gold", "--against", "gold")
# Name, sound files, the command that reads it, and what holds of those that it takes
READ = {
    "experiment": ("e.toml", [EXPERIMENT, SWEEP, ALONE], "run e.toml --dry-run", well_laid_out),
    "variants": (
        *("v.toml", [variant_files.CLUB, variant_files.DEN]),
        *("variants v.toml", variants_are_found),
    ),
    "review": ("r.toml", [REVIEW], "review --file r.toml --goals x<1", None),
    "values": ("k.toml", ["[knock]\nk = 3\n"], "strategies gold-early@k.toml", None),
    "weights": ("w.npy", [b"", b"\x93NUMPY"], "strategies champion@w.npy", None),
    "analyzed": ("d.json", shown, ["analyze", "d.json", "--turn", "2", *QUICK], None),
    "graded": ("d.json", shown, ["grade", "d.json", *QUICK], None),
    "speed": ("b.json", ['{"rows": []}'], "bench --seconds 0.01 --against b.json", None),
    "game": ("kept.json", [LAID_ANEW], "play gold --one", None),
}
REFUSED = ("review", "weights", "speed")  # always: what is sound would play for long
MADE_NEW = ("game",)  # never: a game that cannot be read is begun again


@sizes
@pytest.mark.parametrize("kind", READ)
def test_files(here, kind, n):
    path, sounds, words, holds = READ[kind]
    sounds = sounds() if callable(sounds) else sounds
    words = words.split() if isinstance(words, str) else words
    put(path, sounds[-1] if isinstance(sounds[-1], bytes) else sounds[-1].encode())
    answer(*words, stdin="q\n")  # compiles
    codes = []

    def check(content):
        put(path, content)
        writes = [path] if kind in MADE_NEW else []
        with alone():
            result = harmless(*words, codes=(0, 2), writes=writes, stdin="q\n")
        codes.append(result.exit_code)
        if result.exit_code == 0 and holds:
            holds()

    fuzz(n, check, contents(sounds) | contents(sounds) | st.sampled_from([*THINGS]))
    if kind not in (*REFUSED, *MADE_NEW):
        ended(codes)


@sizes
def test_worked_examples(here, n):
    sounds = [json.dumps(json.loads((DATA / "more_examples.json").read_text())["vectors"][:9])]
    put("w.json", sounds[0].encode())
    files.run(files.read("w.json"), engine)  # compiles
    codes = []

    def check(content):
        put("w.json", content)
        with alone():
            try:
                files.run(files.read("w.json"), engine)
                codes.append(0)
            except schema.ExampleError:
                codes.append(2)

    fuzz(n, check, contents(sounds) | st.sampled_from([*THINGS]))
    ended(codes)


# Texts


def typed(sounds):
    """A sound text, a damaged one, or one with a hostile piece before, behind or in its place."""
    sound = sounds if isinstance(sounds, st.SearchStrategy) else st.sampled_from(sounds)
    piece = st.sampled_from(TYPED)
    joined = st.tuples(st.just("") | sound, piece, st.just("") | sound).map("".join)
    often = st.tuples(sound, st.sampled_from((2, 21, 41, 3000))).map(lambda two: two[0] * two[1])
    found = sound | damaged(sound) | joined | joined | often
    return found.map(lambda text: text.replace("\0", ""))


def same_rules(text):
    found = find_variant(text)
    assert find_variant(found.text) == found and validate(found.params) == []
    settings = random_texts.settings(found.params)
    assert find_variant("+".join(["standard", *settings])).params == found.params


def same_strategy(text):
    found = loader.find_strategy(text)
    again = loader.find_strategy(found.text)
    assert again.text == found.text
    assert loader.format_policies(again) == loader.format_policies(found)


def same_hand(text):
    found = notation.parse_cards(text)
    again = notation.parse_cards(notation.format_hand(notation.cards_to_mask(found)))
    assert again == sorted(found) == sorted(set(again))


def written_strategy_loads(path):
    """Load the strategy that a chart wrote, unless its name means more than a path."""
    with contextlib.suppress(strategy_spec.StrategyError):
        loader.find_strategy(path)
    assert not Path("it-ran").exists()


HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
HANDS = [f"{HAND} KS", "7H 7D 7C | 8C 9C TC | 4H TD AC 4C", str(HAND.split()), HAND.lower()]
PILES = ["QD TS 9D* QH ", "QD ? .. QH", "[QD, TS]", "? ", "? ?* "]
CHART = ("chart", "knock", "--player", "gold", "--score", "60-80", "--deals", "2k")
ADDRESSES = ["local:0", "127.0.0.1:1", "tcp://127.0.0.1:1", "[::1]:1", "local:99999", "tcp://x"]
MATCH, REVIEW_ONLY = ["match", "gold", "--deals", "20"], ["review", "eaai", "--goals"]
# Options and words of commands, where those that would play for long have no sound player
WORDS = [
    f"{command} --{option} {{}}".split()
    for command, options in {
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
    }.items()
    for option in options.split()
] + [[command, "--", "{}"] for command in ("report", "run", "show", "examples")]
PLACES = ["run", "new/run", "x.py", "5S", "gold", "eaai", "7", "0", str(2**64), "1.5", "0.1%", "5m"]
# Sound texts, commands with {} for the text, and what holds of those that it takes
TEXTS = {
    "rules": (random_texts.compositions, [["variants", "--json", "--", "{}"]], same_rules),
    "strategy": (random_texts.strategies(), [["strategies", "--", "{}"]], same_strategy),
    "learned": (["@w.npy", "@0123abcd.npy"], [["strategies", "--", "champion{}"]], None),
    "hand": (random_texts.hands | st.sampled_from(HANDS), [["hand", "--", "{}"]], same_hand),
    "cards": (HANDS, [["analyze", "--pile", "QD TS", *QUICK, "--", "{}"]], None),
    "pile": (PILES, [["analyze", HAND, "--pile", "{}", *QUICK]], None),
    "score": (["30-45", "0-0"], [["analyze", HAND, "--pile=QD", "--score", "{}", *QUICK]], None),
    "goals": (["gin 4..5 %", "turns < 9"], [[*REVIEW_ONLY, "{}, no row < 1"]], None),
    "sweep": (["knock_limit=0..3"], [[*REVIEW_ONLY, "x<1", "--sweep", "{}"]], None),
    "limits": (["k=0..9"], ["tune gold-early --against nobody --parameters {}".split()], None),
    "where": (["won, points < 3"], ["find gold --deals 20 --where {}".split()], None),
    "scheduler": (ADDRESSES, [[*MATCH, "--scheduler", "{}"]], None),
    "words": (PLACES, WORDS, None),
    "chart": (["chart"], [[*CHART, "-o", "{}"]], None),
    "chart file": (["my.py", "MY.PY"], [[*CHART, "--strategy", "{}"]], written_strategy_loads),
    "chart player": (["gold", "gold+knock=at:k=3"], [[*CHART[:3], "{}", *CHART[4:]]], None),
}
ALWAYS_REFUSED = ("learned", "goals", "sweep", "limits", "scheduler")
OUTPUTS = {"-o", "--output", "--strategy", "--run", "--save", "examples"}


@sizes
@pytest.mark.parametrize("kind", TEXTS)
def test_texts(here, kind, n):
    sounds, commands, holds = TEXTS[kind]
    before = {*os.listdir()}
    codes = []

    def check(text, words):
        first = text.split("/")[0] or "/"
        may_write = OUTPUTS & {*words} and not os.path.lexists(first)  # only what is new
        words = [word.replace("{}", text) for word in words]
        with alone():
            result = harmless(*words, codes=(0, 2), writes=[first] if may_write else [])
        codes.append(result.exit_code)
        if result.exit_code == 0 and holds:
            holds(text)
        for name in {*os.listdir()} - before:
            shutil.rmtree(name) if os.path.isdir(name) else os.unlink(name)

    fuzz(n, check, typed(sounds), st.sampled_from(commands))
    if kind not in ALWAYS_REFUSED:
        ended(codes)


# The arguments of environments


@sizes
def test_environments(here, n):
    """Whatever an environment is asked for: it is made, or refused in a sentence of simgin's."""
    pytest.importorskip("pettingzoo")
    gymnasium = pytest.importorskip("gymnasium")
    from simgin.envs import gin_rummy

    value = st.sampled_from(VALUES + [*TYPED, "standard", "gold", "deal", "match", "ansi"])
    names = ("variant", "opponent", "unit", "render_mode", "num_envs", "seed")
    wanted = st.dictionaries(st.sampled_from(names), value, max_size=2)

    def check(make, asked, action):
        seed = asked.pop("seed", 1)
        if make is gin_rummy.vector_env:
            n_games = asked.setdefault("num_envs", 2)
            if isinstance(n_games, int) and 1000 < n_games <= gin_rummy.MAX_ENVS:
                return  # so many may be had
        else:
            asked.pop("num_envs", None)
        if make is gin_rummy.env:
            asked.pop("opponent", None)
        with alone():
            try:
                made = make(**asked)
                made.reset(seed=seed)
                made.step(action)
            except (ValueError, TypeError, gymnasium.error.Error) as error:
                assert 0 < len(str(error)) < 3000, (asked, error)

    makers = (gin_rummy.env, gin_rummy.gym_env, gin_rummy.vector_env)
    fuzz(n, check, st.sampled_from(makers), wanted, value)
