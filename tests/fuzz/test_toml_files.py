"""Files of variants and of experiments: read as they say, or refused."""

import json
import os
from pathlib import Path

import pytest

from simgin.rules import variants
from simgin.rules.parameters import parameters
from simgin.rules.variants import Variant, find, validate
from simgin.runs import experiment
from support.hostile import accepted, answer, flipped, generator, mangled, sizes
from support.random_texts import ANYTHING, composition, random_changes, strategy, toml_lines

pytestmark = pytest.mark.usefixtures("empty_directory")


def damaged(rng, content):
    """The bytes of a file with some changed, or with its text changed."""
    if rng.random() < 0.5:
        return flipped(rng, content)
    text = content.decode(errors="replace")
    return mangled(rng, text).encode(errors="replace")


# Variants

NAMES = ["club", "den", "a", "0", "-", "shot", "Club", "a+b", "", "é", "x#y", " a"]


def entry(rng):
    """The table of a single variant, as a rule complete."""
    table = {"title": "T", "about": "A.", "base": composition(rng)}
    table["changes"] = random_changes(rng, 8)
    if rng.random() < 0.15:
        table[rng.choice([*table, "titel", "source", ""])] = rng.choice(ANYTHING)
    if rng.random() < 0.05:
        del table[rng.choice(list(table))]
    if rng.random() < 0.3:
        table.pop("base", None)
    return table


def variant_file(rng):
    """The tables of a file, and its bytes."""
    names = rng.sample(NAMES, rng.choice((1, 1, 2, 3)))
    tables = {name: entry(rng) for name in sorted(names)}
    text = ""
    for name, table in tables.items():
        text += f"[variants.{json.dumps(name)}]\n{toml_lines(table)}"
    return tables, text.encode(errors="replace")


def expected(table):
    """The row of a table composed as on the command line, or None where that is refused."""
    changes = table.get("changes", {}).items()
    given = [f"{name}={parameters()[name].write(value)}" for name, value in changes]
    found = accepted(find, "+".join([table.get("base", "standard"), *given]))
    return found and found.row


def well_formed(name, table):
    """Whether a table has the form of a variant, so that only its rules can be refused."""
    values = table.get("changes", {})
    if name not in ("club", "den", "a", "0", "-") or not isinstance(values, dict):
        return False
    if any(parameters()[key].fault(value) for key, value in values.items()):
        return False
    known = set(table) <= {"title", "about", "base", "changes"}
    texts = table.get("title") == "T" and table.get("about") == "A."
    return known and texts and isinstance(table.get("base", ""), str)


@sizes
def test_any_variant_file_is_read_or_refused(n):
    rng = generator("variant files")
    sound = compared = 0
    for _ in range(n):
        tables, content = variant_file(rng)
        is_whole = rng.random() < 0.5
        content = content if is_whole else damaged(rng, content)
        Path("mine.toml").write_bytes(content)
        found = accepted(variants.variants_in_file, "mine.toml") or {}
        for text, variant in found.items():
            if isinstance(variant, Variant):
                sound += 1
                assert find(text) == find(variant.text) == variant and not validate(variant.row)
            else:
                assert variant.sentences and all(one[-1] in ".?" for one in variant.sentences)
        if is_whole:
            compared += compare(tables, found)
        commands(found)
        assert os.listdir() == ["mine.toml"] and Path("mine.toml").read_bytes() == content
    assert sound > n / 7 and compared > n / 10


def compare(tables, found):
    """How many variants of a whole file could be compared with their composition."""
    assert [text.partition("#")[2] for text in found] == list(tables)
    compared = 0
    for (name, table), variant in zip(tables.items(), found.values(), strict=True):
        if well_formed(name, table):
            compared += 1
            row = variant.row if isinstance(variant, Variant) else None
            assert row == expected(table), (name, table)
    return compared


def commands(found):
    """Check what the commands say of a file in which these variants were found."""
    sound = [isinstance(variant, Variant) for variant in found.values()]
    checked = answer("variants", "check", "mine.toml").exit_code
    assert checked == (2 if not found else 0 if all(sound) else 1)
    answer("variants", "mine.toml", codes=(0,) if found and all(sound) else (2,))
    answer("match", "nobody", "-v", "mine.toml", codes=(2,))


# Experiments

PLAYERS = ["gold", "simple", "gin-only", "gold-early:k={k}", "simple+knock=at:k={k}"]
PLAYERS += ["gold+discard=hits:keep_pairs={p}", "{who}"]
PLAIN = ("gold", "simple", "gin-only", "stubborn", "gold-early:k=3")
RULES = ["standard+undercut_bonus={u}", "{v}", "{v}+gin_bonus={u}", "pro"]
RULES += ["gin-solitaire+gin_bonus={u}"]
GRID = {
    "k": [0, 2, 4, 5.0],
    "p": [True, False],
    "who": ["gold", "simple", "stubborn"],
    "u": [10, 20, 25],
    "v": ["eaai", "pro", "rush"],
}


def player(rng):
    """An existing strategy, with or without places for values; sometimes something else."""
    known = rng.choice(PLAYERS)
    return mangled(rng, known) if rng.random() < 0.05 else known


def plain(rng):
    """A strategy without places."""
    return strategy(rng) if rng.random() < 0.04 else rng.choice(PLAIN)


def grid(rng, texts):
    """Lists for the places of some texts; sometimes one too many, one too few, or an odd value."""
    used = [name for name in GRID if any("{" + name + "}" in text for text in texts)]
    lists = {name: rng.sample(GRID[name], rng.randint(1, 2)) for name in used}
    if rng.random() < 0.1:
        value = rng.choice(ANYTHING)
        name = rng.choice([*GRID, "", "x y", "\n", "é"])
        lists[name] = rng.choice((ANYTHING, [value], value))
    if lists and rng.random() < 0.05:
        del lists[rng.choice(list(lists))]
    return lists


def sweep(rng):
    """The table of a sweep."""
    table = {"strategy": player(rng)}
    if rng.random() < 0.6:
        table["against"] = player(rng)
    if rng.random() < 0.5:
        table["variant"] = rng.choice(RULES)
    return table | {"grid": grid(rng, list(table.values()))}


def experiment_file(rng):
    """The tables of an experiment file, most of them valid."""
    table = {"question": "?", "sweep": sweep(rng)}
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
    return toml_lines(table).encode(errors="replace")


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
    stops = [one for one in (found.until, found.sprt, found.seconds) if one is not None]
    assert 1 <= found.n <= 10**12 and len(stops) <= 1


@sizes
def test_any_experiment_file_is_read_or_refused(n):
    rng = generator("experiment files")
    sound = swept = 0
    for _ in range(n):
        content = experiment_file(rng)
        content = damaged(rng, content) if rng.random() < 0.3 else content
        Path("e.toml").write_bytes(content)
        found = accepted(experiment.read, "e.toml")
        answer("run", "e.toml", "--dry-run", "--json", codes=(0,) if found else (2,))
        if found is not None:
            sound += 1
            swept += len(found.cells) > 2
            well_laid_out(found)
        assert os.listdir() == ["e.toml"] and Path("e.toml").read_bytes() == content
    assert n / 5 < sound < 0.9 * n and swept > n / 30
