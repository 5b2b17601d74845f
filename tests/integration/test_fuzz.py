"""Random input: valid input plays, invalid input is refused in sentences.

There is never a traceback nor a half-written file. A few hundred inputs of each kind by default,
ten thousand with `-m slow`. Seeds are fixed.
"""

import json
import os
import random
import string
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from simgin.cli.main import cli
from simgin.rules import variants
from simgin.rules.parameters import parameters
from simgin.rules.variants import Variant, VariantError, find, validate
from simgin.runs import experiment
from simgin.strategy import SLOTS, loader
from simgin.text import notation
from simgin.text.messages import DASH
from support import play_variants as hundred

FEW, MANY = 300, 10_000
sizes = pytest.mark.parametrize("n", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
SAMPLED = 12  # every twelfth input goes through the command line, too

ODD = [
    "",
    " ",
    "\0",
    "\n",
    "\r\n",
    "\t",
    "é",
    "ß",
    "İ",
    "10",
    "🂡",
    "\udcff",
    "\u202e",
    "+",
    "=",
    "#",
    ":",
    ",",
    "/",
    "-",
    "--",
    ".",
    "'",
    '"',
]
ODD += [
    "\\",
    "$",
    "%s",
    "{0}",
    "{goal}",
    "[b]",
    "`",
    "nan",
    "inf",
    "-1",
    "1e9",
    "0x10",
    "٣",
    "9" * 30,
    "9" * 5000,
    "x" * 5000,
    "none",
    "yes",
]
ANYTHING = [
    None,
    True,
    0,
    -1,
    7,
    3.5,
    float("nan"),
    float("inf"),
    10**9,
    10**40,
    "",
    "x",
    "é\0",
    [],
    [1],
    [0, 10],
    [[30, 4]],
    [["a"]],
    [None],
    {},
]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty working directory, so that everything written is noticed."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(call, *words):
    """What a call returns, or None if it refuses in sentences; other exceptions pass."""
    try:
        return call(*words)
    except ValueError as error:
        assert type(error).__module__.startswith("simgin."), repr(words)
        said = str(error)
        assert (
            said
            and len(said) < 8_000
            and all(line.rstrip()[-1:] in (".", "?") for line in said.split("\n"))
        ), (words, said)
        return None


def command(*words, codes=(0, 2)):
    """Run a command line and check its exit code.

    Bad input must print one sentence or more on stderr and nothing on stdout.
    """
    result = CliRunner().invoke(cli, words, prog_name="simgin")
    assert isinstance(result.exception, SystemExit | None), (words, result.exc_info)
    assert result.exit_code in codes, (words, result.output)
    if result.exit_code == 2:
        assert result.stdout == "" and result.stderr.startswith("simgin: "), words
    return result


def mangled(rng, text):
    """A text with a piece or two put in, left out or doubled."""
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        at, to = sorted(rng.randint(0, len(text)) for _ in range(2))
        text = rng.choice(
            (text[:at] + rng.choice(ODD) + text[at:], text[:at] + text[to:], text[:to] + text[at:])
        )
    return text


# Variants


def value(rng, parameter):
    """A value that a parameter may have, and sometimes one that it may not."""
    if rng.random() < 0.03:
        return rng.choice(ANYTHING)

    def number():
        return rng.choice(
            (
                parameter.low,
                parameter.high,
                rng.randint(parameter.low, min(parameter.high, parameter.low + 60)),
            )
        )

    ups = sorted(rng.sample(range(150), rng.randint(1, 8)))
    of_kind = {
        "bool": lambda: rng.random() < 0.5,
        "choice": lambda: rng.choice(parameter.choices),
        "int": number,
        "pair": lambda: [number(), number()],
        "table": lambda: [[up, rng.randint(1, 100)] for up in ups],
    }
    return None if rng.random() < 0.05 else of_kind[parameter.kind]()


def changes(rng, most=4):
    named = rng.sample(list(parameters().values()), rng.choice([0, 1, 1, 2, 2, most]))
    return {parameter.name: value(rng, parameter) for parameter in named}


def settings(row):
    return [f"{name}={parameters()[name].write(one)}" for name, one in row.items()]


def composition(rng):
    named = rng.choices(variants.names(), k=rng.choice((1, 1, 1, 2, 3)))
    rest = named[1:] + settings(changes(rng))
    rng.shuffle(rest)
    return "+".join([named[0], *rest])


def sound_compositions(seed, n):
    rng = random.Random(seed)
    return [found for _ in range(n) if (found := answer(find, composition(rng)))]


@sizes
def test_a_random_composition_is_a_variant_or_refused(n):
    rng, sound = random.Random(1), 0
    for _ in range(n):
        text = mangled(rng, composition(rng)) if rng.random() < 0.3 else composition(rng)
        found = answer(find, text)
        if found is not None:
            sound += 1
            assert find(found.text) == found and validate(found.row) == []
        if rng.random() < 1 / SAMPLED:
            assert command("variants", "--", text).exit_code == (0 if found else 2)
    assert n / 5 < sound < 0.9 * n


@sizes
def test_a_random_row_is_a_variant_or_refused(n):
    rng, sound = random.Random(2), 0
    for _ in range(n):
        row = {**find(rng.choice(variants.names())).row, **changes(rng)}
        if rng.random() < 0.1:
            del row[rng.choice(list(row))]
            row[rng.choice(ODD)] = rng.choice(ANYTHING)
        sentences = validate(row)
        assert all(sentence[-1] in ".?" and "\n" not in sentence for sentence in sentences)
        if not sentences:
            sound += 1
            assert find("+".join(["standard", *settings(row)])).row == row
    assert n / 5 < sound < 0.9 * n


def test_valid_random_rows_can_be_played():
    texts = [variant.text for variant in sound_compositions(3, 150)][:24]
    assert len(texts) == 24 and {find(text).row["players"] for text in texts} == {1, 2}
    for text in texts:
        hundred.play(text)


@pytest.mark.slow
def test_ten_thousand_random_rows_play_within_array_bounds():
    texts = list(dict.fromkeys(variant.text for variant in sound_compositions(4, MANY)))
    assert len(texts) > MANY / 10
    done = subprocess.run(
        [sys.executable, hundred.__file__],
        input="".join(f"{text}\n" for text in texts),
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == texts


# Files of variants


def toml(value):
    """A value in TOML; what TOML lacks, as a text."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{json.dumps(key)} = {toml(one)}" for key, one in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return (
        json.dumps(DASH if value is None else value)
        .replace("NaN", "nan")
        .replace("Infinity", "inf")
    )


def entry(rng):
    """The table of a single variant, as a rule complete."""
    table = {"title": "T", "about": "A.", "base": composition(rng), "changes": changes(rng, 8)}
    if rng.random() < 0.15:
        table[rng.choice([*table, "titel", "source", ""])] = rng.choice(ANYTHING)
    if rng.random() < 0.05:
        del table[rng.choice(list(table))]
    return {key: one for key, one in table.items() if key != "base" or rng.random() < 0.7}


def file(rng):
    """The tables of a file, and its bytes."""
    names = rng.sample(
        ["club", "den", "a", "0", "-", "shot", "Club", "a+b", "", "é", "x#y", " a"],
        rng.choice((1, 1, 2, 3)),
    )
    tables = {name: entry(rng) for name in sorted(names)}
    text = "".join(
        f"[variants.{json.dumps(name)}]\n"
        + "".join(f"{json.dumps(key)} = {toml(one)}\n" for key, one in table.items())
        for name, table in tables.items()
    )
    return tables, text.encode("utf-8", "replace")


def broken(rng, content):
    """The content with bytes changed, left out, doubled or put in, or with its end torn off."""
    for _ in range(rng.randint(1, 4)):
        at, to = sorted(rng.randint(0, len(content)) for _ in range(2))
        some = bytes(
            rng.choice((rng.randrange(256), rng.choice(b"\"[]{}=\n#'0.,\\")))
            for _ in range(rng.randint(1, 3))
        )
        near = min(to, at + 5)
        content = rng.choice(
            (
                content[:at] + some + content[at:],
                content[:at] + content[near:],
                content[:to] + content[at:],
                content[:at],
            )
        )
    return content


def expected(table):
    """The row of a table composed as on the command line, or None where that is refused."""
    given = [
        f"{name}={parameters()[name].write(one)}" for name, one in table.get("changes", {}).items()
    ]
    try:
        return find("+".join([table.get("base", "standard"), *given])).row
    except VariantError:
        return None


def well_formed(name, table):
    sound = (
        set(table) <= {"title", "about", "base", "changes"}
        and table.get("title") == "T"
        and table.get("about") == "A."
    )
    values = table.get("changes", {})
    fine = isinstance(values, dict) and not any(
        parameters()[key].fault(one) for key, one in values.items()
    )
    return (
        name in ("club", "den", "a", "0", "-")
        and sound
        and fine
        and isinstance(table.get("base", ""), str)
    )


@sizes
def test_a_random_variant_file_is_read_or_refused(here, n):
    rng, sound, compared = random.Random(5), 0, 0
    path = here / "mine.toml"
    for _ in range(n):
        tables, content = file(rng)
        breaks = rng.random() < 0.5
        path.write_bytes(broken(rng, content) if breaks else content)
        found = answer(variants.variants_in_file, "mine.toml") or {}
        for text, one in found.items():
            if isinstance(one, Variant):
                sound += 1
                assert find(text) == find(one.text) == one and validate(one.row) == []
            else:
                assert one.sentences and all(sentence[-1] in ".?" for sentence in one.sentences), (
                    one.sentences
                )
        answer(find, "mine.toml")
        if not breaks:
            assert [text.partition("#")[2] for text in found] == list(tables)
            for (name, table), one in zip(tables.items(), found.values(), strict=True):
                if well_formed(name, table):
                    compared += 1
                    assert (one.row if isinstance(one, Variant) else None) == expected(table), (
                        name,
                        table,
                    )
        if rng.random() < 1 / SAMPLED:
            every = [isinstance(one, Variant) for one in found.values()]
            assert command("variants", "check", "mine.toml", codes=(0, 1, 2)).exit_code == (
                2 if not found else 0 if all(every) else 1
            )
            assert command("variants", "mine.toml").exit_code == (0 if found and all(every) else 2)
        assert os.listdir(here) == ["mine.toml"]
    assert sound > n / 7 and compared > n / 10


@sizes
def test_a_new_variant_file_is_valid_or_refused(here, n):
    rng, sound = random.Random(6), 0
    for _ in range(n // SAMPLED):
        name = mangled(rng, rng.choice(("mine", "oklahoma", "A b", "x.y", "-"))).replace(
            "/", "|"
        ) + rng.choice((".toml", ".toml", ".toml", ".TOML", ""))
        start = composition(rng) if rng.random() < 0.5 else rng.choice(variants.names())
        code = command("variants", "new", "--from", start, "--", name).exit_code
        left = os.listdir(here)
        assert left == ([name] if code == 0 else []), (name, left)
        if code == 0:
            sound += 1
            assert find(name).row == find(start).row
            assert command("variants", "new", "--from", start, "--", name).exit_code == 2
            Path(name).unlink()
    assert sound > n // SAMPLED / 5


# Cards


def hand(rng):
    """Ten or eleven cards in one of the ways they are written, or nearly so."""
    cards = [
        notation.card_text(card)
        for card in rng.sample(range(52), rng.choice((10, 10, 11, 11, 9, 0, 52)))
    ]
    joined = rng.choice((" ", ",", ", ", "", "  ")).join(cards)
    return rng.choice((joined, joined.lower(), mangled(rng, joined), mangled(rng, joined)))


@sizes
def test_a_random_hand_is_read_or_refused(n):
    rng, sound = random.Random(7), 0
    for _ in range(n):
        text = hand(rng)
        found = answer(notation.parse_cards, text)
        if found is not None:
            sound += 1
            assert (
                notation.cards_in(notation.hand_mask(found))
                == sorted(found)
                == sorted(set(notation.parse_cards(notation.hand_text(notation.hand_mask(found)))))
            )
        answer(notation.parse_cards, text, rng.randint(0, 12))
        card_text = mangled(rng, rng.choice(("5S", "TH", "10D", "as")))
        card = answer(notation.parse_card, card_text)
        written = card_text.strip().upper().replace("10", "T")
        assert card is None or notation.card_text(card) == written
        answer(notation.card_text, rng.randint(-60, 120))
        answer(notation.hand_text, rng.choice((1, -1)) * rng.getrandbits(rng.randint(1, 80)))
        if rng.random() < 1 / SAMPLED:
            options = rng.choice(
                (
                    ["--upcard", card_text],
                    ["--score", str(rng.randint(-5, 200))],
                    ["-v", "shot"],
                    ["-v", composition(rng)],
                    [],
                )
            )
            command("hand", *options, *(["--json"] if rng.random() < 0.5 else []), "--", text)
    assert n / 5 < sound < 0.9 * n


# Strategies


def strategy(rng):
    """A strategy in its text form, or nearly so."""
    policies = loader.policies()

    def item(policy):
        name = rng.choice([*policy.params, "k", "q"])
        return f"{name}={rng.choice(['0', '1', '4', '0.5', 'yes', 'no', 'high', 'random', *ODD])}"

    def form(policy):
        items = [item(policy) for _ in range(rng.choice((0, 0, 1, 2)))]
        return policy.name + (":" + ",".join(items) if items else "")

    head = rng.choice(
        [*loader.names(), *loader.names(), "mine.py", "mine.py#x", ".py", "/.py", "x/mine.py#"]
    )
    parts = [
        f"+{rng.choice((policy.slot, policy.slot, *SLOTS, 'stake'))}={form(policy)}"
        for policy in rng.choices(policies, k=rng.randint(0, 3))
    ]
    values = form(rng.choice(policies)).partition(":")[1:]
    return head + "".join(values) * rng.choice((0, 1)) + "".join(parts)


@sizes
def test_a_random_strategy_is_found_or_refused(n):
    rng, sound = random.Random(8), 0
    for _ in range(n):
        text = mangled(rng, strategy(rng))
        found = answer(loader.find, text)
        if found is not None:
            sound += 1
            again = loader.find(found.text)
            assert (again.text, loader.policy_texts(again)) == (
                found.text,
                loader.policy_texts(found),
            )
        if rng.random() < 1 / SAMPLED:
            assert command("strategies", "--", text).exit_code == (0 if found else 2)
    assert n / 40 < sound < 0.9 * n  # about one in twelve is valid


# Experiments


def player(rng):
    """An existing strategy, with or without places for values; sometimes something else."""
    known = [
        "gold",
        "simple",
        "gin-only",
        "gold-early:k={k}",
        "simple+knock=at:k={k}",
        "gold+discard=hits:keep_pairs={p}",
        "{who}",
    ]
    return mangled(rng, rng.choice(known)) if rng.random() < 0.05 else rng.choice(known)


def plain(rng):
    """A strategy without places."""
    return rng.choice(
        (
            "gold",
            "simple",
            "gin-only",
            "stubborn",
            "gold-early:k=3",
            strategy(rng) if rng.random() < 0.2 else "gold",
        )
    )


def grid(rng, texts):
    """Lists for the places of some texts; sometimes one too many, one too few, or an odd value."""
    values = {
        "k": [0, 2, 4, 5.0],
        "p": [True, False],
        "who": ["gold", "simple", "stubborn"],
        "u": [10, 20, 25],
        "v": ["eaai", "pro", "rush"],
    }
    used = [name for name in values if any("{" + name + "}" in text for text in texts)]
    lists = {name: rng.sample(values[name], rng.randint(1, 2)) for name in used}
    if rng.random() < 0.1:
        lists[rng.choice([*values, "", "x y", "\n", "é"])] = rng.choice(
            (ANYTHING, [rng.choice(ANYTHING)], rng.choice(ANYTHING))
        )
    if lists and rng.random() < 0.05:
        del lists[rng.choice(list(lists))]
    return lists


def a_sweep(rng):
    table = {"strategy": player(rng)}
    if rng.random() < 0.6:
        table["against"] = player(rng)
    if rng.random() < 0.5:
        table["variant"] = rng.choice(
            (
                "standard+undercut_bonus={u}",
                "{v}",
                "{v}+gin_bonus={u}",
                "gin-solitaire+gin_bonus={u}",
                "pro",
            )
        )
    return table | {"grid": grid(rng, list(table.values()))}


def an_experiment(rng):
    """The tables of an experiment file, most of them valid."""
    table = {"question": "?", "sweep": a_sweep(rng)}
    extras = {
        "hypothesis": ["Yes."],
        "variants": [["eaai", "pro"], ["gin-solitaire"], [composition(rng)]],
        "seed": [0, 7, 2**64 - 1],
        "deals": [1, "2M", 1e6],
        "matches": ["200k"],
        "until": ["0.1%", 0.05],
        "sprt": [[0, 10], [2.5, 7]],
        "for": ["30s", "2h", 5],
        "base": ["gold", "simple", "standard", "eaai"],
        "round_robin": [[plain(rng), plain(rng)]],
        "matchups": [[{"a": plain(rng)}]],
        "panel": [{"strategies": [plain(rng), plain(rng)], "against": "gold"}],
        "solo": [[plain(rng)]],
    }
    for key in rng.sample(list(extras), rng.choice((0, 0, 1, 1, 2))):
        table[key] = rng.choice(ANYTHING) if rng.random() < 0.1 else rng.choice(extras[key])
    return table


def well_laid_out(found):
    """Check that every cell is canonical, playable and unique.

    Every comparison must be of two cells that differ in one part, and occur once.
    """
    tasks = experiment.tasks(found)
    assert [task.matchup.cell for task in tasks] == list(found.cells)
    pairings = {(cell.variant, frozenset((cell.a, cell.b))) for cell in found.cells}
    assert len(pairings) == len(tasks) > 0
    compared = experiment.contrasts(found)
    assert len({frozenset(pair) for pair in compared}) == len(compared)
    for i, j in compared:
        cell, base = (vars(found.cells[place]) for place in (i, j))
        assert sum(cell[field] != base[field] for field in cell) == 1
    assert (
        1 <= found.n <= 10**12
        and sum(one is not None for one in (found.until, found.sprt, found.seconds)) <= 1
    )


@sizes
def test_a_random_experiment_file_is_read_or_refused(here, n):
    rng, sound, swept = random.Random(10), 0, 0
    for _ in range(n):
        table = an_experiment(rng)
        content = "".join(
            f"{json.dumps(key)} = {toml(one)}\n" for key, one in table.items()
        ).encode("utf-8", "replace")
        (here / "e.toml").write_bytes(broken(rng, content) if rng.random() < 0.3 else content)
        found = answer(experiment.read, "e.toml")
        if found is not None:
            sound += 1
            swept += len(found.cells) > 2
            well_laid_out(found)
        if found is None and rng.random() < 1 / SAMPLED:
            assert command("run", "e.toml").exit_code == 2
        assert os.listdir(here) == ["e.toml"]
    assert n / 5 < sound < 0.9 * n and swept > n / 30


@sizes
def test_a_random_command_line_runs_or_is_refused(n):
    rng = random.Random(9)
    for _ in range(n):
        text = "".join(rng.choice((*ODD, *string.printable)) for _ in range(rng.randint(0, 12)))
        for call in (find, loader.find, notation.parse_cards, notation.parse_card):
            answer(call, text)
