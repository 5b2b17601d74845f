"""Tests of input in unusual formats, encodings and letter cases, and of huge values."""

import json
import shutil
from pathlib import Path

import pytest

from support.command_runs import STRATEGY_SOURCE
from support.hostile import cpu_limit, run_cli
from support.variant_files import CLUB_VARIANT_TOML

GAME_LOG_DIRECTORY = Path(__file__).parents[1] / "data/game_logs"
HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS"
HAND_FORMATS = [
    *("7H 7D 7C | 8C 9C TC | 4H TD AC 4C KS", HAND.lower(), HAND.replace("T", "10")),
    *(f"[{HAND.replace(' ', ', ')}]", str(HAND.split()), HAND.replace(" ", ";")),
    *("7♥ 7♦ 7♣ 8♣ 9♣ 10♣ 4♥ 10♦ A♣ 4♣ K♠", HAND.replace(" ", "")),
]
PILE_FORMATS = [
    "QD TS 9D* QH",
    "['QD', 'TS', '9D*', 'QH']",
    "qd; 10s; 9♦*; Q♥",
    "[QD, TS, 9D*, QH]",
]
QUICK_OPTIONS = ("--worlds", 1, "--as", "gold", "--against", "gold", "--json")
ENCODINGS = ("utf-8-sig", "utf-16", "utf-32")


def run_and_parse_json_rows(*arguments):
    return json.loads(run_cli(*arguments, exit_codes=(0,)).stdout)["rows"]


def test_pasted_hand_formats_are_equivalent():
    hands = [run_and_parse_json_rows("hand", hand, "--json") for hand in HAND_FORMATS]
    assert all(hand == hands[0] for hand in hands)
    expected = run_and_parse_json_rows(
        "analyze", *HAND.split(), "--pile", PILE_FORMATS[0], *QUICK_OPTIONS
    )
    for hand, pile in zip(HAND_FORMATS, PILE_FORMATS * 2, strict=True):
        assert run_and_parse_json_rows("analyze", hand, "--pile", pile, *QUICK_OPTIONS) == expected
    assert run_and_parse_json_rows(
        "analyze", HAND_FORMATS[-1], *QUICK_OPTIONS
    )  # without spaces and without a pile


def test_card_formats_are_accepted_in_a_game(monkeypatch, empty_directory):
    from click.testing import CliRunner

    from simgin.cli.commands import play
    from simgin.cli.main import cli

    monkeypatch.setattr(
        play, "_find_saved_game_file", lambda matchup: empty_directory / "game.json"
    )
    for typed in ("10♥", "th", "['TH']", "TH"):
        arguments = ["play", "gold", "--one", "--new"]
        screen = CliRunner().invoke(cli, arguments, input=f"{typed}\nq\n").stdout
        assert "TH is not in your hand." in screen or "TH cannot be discarded now." in screen


INPUT_FILES = {
    "e.toml": ('question = "?"\nmatchups = [{ a = "gold" }]\n', "run {} --dry-run"),
    "club.toml": (CLUB_VARIANT_TOML, "variants {}"),
    "rules.toml": (CLUB_VARIANT_TOML, "match gold -v {} --deals 20"),
    "knocks.toml": ("[knock]\nk = 3\n", "match gold-early@{} gold --deals 20"),
    "goals.toml": ('rule_sets = ["eaai"]\ngoals = ["no row < 5"]\n', "review --file {}"),
    "log.txt": (
        (GAME_LOG_DIRECTORY / "openspiel-bots.txt").read_text(),
        "analyze {} --turn 2 --worlds 1",
    ),
    "sheet.log": (
        (GAME_LOG_DIRECTORY / "rlcard-novices.txt").read_text(),
        "analyze {} --turn 2 --worlds 1",
    ),
    "player.py": (STRATEGY_SOURCE, "match {} gold --deals 20"),
}


def run_command_on_file(name, text, encoding):
    """Write a file, run its command, and return the exit code and the output in lower case."""
    Path(name).write_text(text, encoding=encoding)
    result = run_cli(*INPUT_FILES[name.lower()][1].format(name).split())
    return result.exit_code, (result.stdout or result.stderr).lower()


@pytest.mark.parametrize("name", INPUT_FILES)
def test_file_encoding_and_upper_case_name_do_not_matter(name, empty_directory):
    text, _ = INPUT_FILES[name]
    expected = run_command_on_file(name, text, "utf-8")
    assert expected[0] == (2 if name == "goals.toml" else 0)
    for encoding in ENCODINGS if not name.endswith(".py") else ENCODINGS[:1]:
        assert run_command_on_file(name, text, encoding) == expected
    assert run_command_on_file(name.upper(), text, "utf-8") == expected


def test_encoding_of_deals_and_worked_examples_does_not_matter(empty_directory):
    from worked_examples import files

    deal = run_cli("show", "gold", "simple", "--json", exit_codes=(0,)).stdout
    arguments = ("analyze", "deal.json", "--turn", 2, *QUICK_OPTIONS)
    examples = GAME_LOG_DIRECTORY.with_name("more_examples.json").read_text()
    results = []
    for encoding in ("utf-8", *ENCODINGS):
        Path("deal.json").write_text(deal, encoding=encoding)
        Path("book.json").write_text(examples, encoding=encoding)
        results.append((run_and_parse_json_rows(*arguments), files.read_examples("book.json")))
    assert all(result == results[0] for result in results)
    shutil.copy("deal.json", "DEAL.JSON")
    assert run_and_parse_json_rows("grade", "DEAL.JSON", "--worlds", 1, "--json")


def test_python_file_that_is_not_utf8_is_rejected(empty_directory):
    Path("mine.py").write_text(STRATEGY_SOURCE, encoding="utf-16")
    assert "mine.py is not UTF-8 text. Save it as UTF-8." in run_cli("match", "mine.py").stderr


def test_python_file_named_in_a_deal_is_not_executed(empty_directory):
    Path("EVIL.PY").write_text("open('it-ran', 'w')\n")
    deal = json.loads(run_cli("show", "gold", "simple", "--json", exit_codes=(0,)).stdout)
    deal["rows"][0]["strategies"] = ["EVIL.PY", "evil.Py#x"]
    Path("deal.json").write_text(json.dumps(deal))
    run_cli("analyze", "deal.json", "--turn", 2, *QUICK_OPTIONS)
    assert not Path("it-ran").exists()


MANY_DIGITS, MANY_BLANKS = "9" * 5000, " " * 50_000
LONG_ARGUMENTS = {
    "a sweep": ("review", "standard", "--sweep", f"knock_limit={MANY_DIGITS}"),
    "a span": ("review", "standard", "--sweep", f"knock_limit=0..{MANY_DIGITS}"),
    "two spans": ("review", "standard", "--sweep", f"gin_bonus={MANY_DIGITS}..{MANY_DIGITS}"),
    "blanks in goals": ("review", "eaai", "--goals", f"gin{MANY_BLANKS}x"),
    "more blanks": ("review", "eaai", "--goals", f"gin <{MANY_BLANKS}5{MANY_BLANKS}x"),
    "a goal": ("review", "eaai", "--goals", f"no row < {MANY_DIGITS}"),
    "dots of limits": ("tune", "gold-early", "--parameters", f"k={'.' * 50_000}x"),
    "a limit": ("tune", "gold-early", "--parameters", f"k=1..{MANY_DIGITS}"),
    "a score": ("analyze", HAND, "--pile", "QD TS", "--score", f"{MANY_DIGITS}-5"),
    "a stock": ("analyze", HAND, "--pile", "QD .. TS", "--stock", MANY_DIGITS),
    "a pile": ("analyze", HAND, "--pile", "? " * 20_000 + "QD"),
    "a hand": ("hand", "5S " * 20_000),
    "a rule": ("variants", f"standard+gin_bonus={MANY_DIGITS}"),
    "a policy": ("match", f"gold+knock=at:k={MANY_DIGITS}"),
    "a count": ("match", "gold", "--deals", f"{MANY_DIGITS}m"),
    "a seed": ("match", "gold", "--seed", MANY_DIGITS),
    "a comparison": ("find", "gold", "--where", f"points{MANY_BLANKS}<{MANY_BLANKS}x"),
    "a command": ("x" * 50_000,),
    "a file": ("run", "x" * 50_000),
    "a file of many lines": ("run", "\n" * 50_000),
}


@pytest.mark.parametrize("arguments", LONG_ARGUMENTS.values(), ids=LONG_ARGUMENTS)
def test_long_argument_is_rejected_quickly_with_a_short_error(arguments, empty_directory):
    with cpu_limit(5):
        output = run_cli(*arguments, exit_codes=(2,)).stderr
    assert len(output.splitlines()) <= 62
    assert all(len(line) < 2100 for line in output.splitlines())
    assert max(map(len, output.split())) <= 300


LARGE_FILES = {
    "deal.json": (
        '{"seed": 9' + MANY_DIGITS + ', "rows": []}',
        "analyze {}",
        "is neither the output",
    ),
    "k.toml": (
        f"[knock]\nk = 0x{MANY_DIGITS}\n",
        "strategies gold-early@{}",
        "thousands of digits",
    ),
    "deep.json": ("[" * 100_000, "grade {}", "is neither the output"),
    "log.txt": (f"[State]\n{MANY_DIGITS}\n" * 30, "grade {}", "is not a valid deal file"),
    "e.toml": (f"seed = {MANY_DIGITS}\n", "run {} --dry-run", "a number that is too long"),
    "title.toml": (
        '[variants.club]\nabout = "A"\ntitle = "' + "\t" * 500_000 + '"\n',
        *("variants {}", "title must have at most 10,000 characters"),
    ),
    "v.toml": (f"x = {MANY_DIGITS}\n", "variants {}", "a number that is too long"),
}


@pytest.mark.parametrize("name", LARGE_FILES)
def test_file_with_huge_value_is_rejected_quickly(name, empty_directory):
    text, command, message = LARGE_FILES[name]
    Path(name).write_text(text)
    with cpu_limit(5):
        output = run_cli(*command.format(name).split(), exit_codes=(2,)).stderr
    assert message in output and "limit" not in output
