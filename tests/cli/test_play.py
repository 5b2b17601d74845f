"""Tests of `simgin play` through a pipe: whole games, resuming, undoing and saving."""

import json
import os
import pty
import random
import re
import select
from pathlib import Path

import numba
import pandas as pd
import platformdirs
import pytest
from click.testing import CliRunner

from simgin.analysis import coach
from simgin.analysis.analysis import Analysis
from simgin.analysis.analysis_report import describe_choice, format_outcome_comparison
from simgin.analysis.deal_file import read_deal_file
from simgin.analysis.error_rates import describe_costliest
from simgin.analysis.grades import STRATEGY_ERROR_RATES
from simgin.cli import game, session
from simgin.cli.main import cli
from simgin.play import saved_deals, table_text
from simgin.play.game_table import GameTable
from simgin.play.matchup import parse_matchup
from simgin.web.coach_json import analysis_to_json
from support.command_line import run_simgin

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def games_in_test_directory(tmp_path, monkeypatch):
    """Save games and deals in the test's directory, and analyse with few worlds."""
    from simgin.cli.commands import play

    monkeypatch.setattr(
        play, "_find_saved_game_file", lambda matchup: tmp_path / "kept" / "game.json"
    )
    monkeypatch.setenv("SIMGIN_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(coach, "MAX_COACH_WORLDS", 100)


def run_play(typed_input, *arguments):
    """Run `simgin play` with typed input, and return its output."""
    result = CliRunner().invoke(cli, ["play", *arguments], input=typed_input, prog_name="simgin")
    assert isinstance(result.exception, SystemExit | None), result.exception
    assert result.exit_code == 0, result.output
    assert all(len(line) <= 80 for line in result.output.splitlines() if "Saved" not in line)
    return result.output


class RandomPlayer:
    """Player that ends the deal if possible, and otherwise types a random legal choice."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.screens = []

    def __call__(self, prompt=""):
        screen = self.read_screen()
        self.screens.append(screen)
        keys = re.findall(r"\b(\w) to ", screen.split("\n\n")[-1].partition("Type ? for")[0])
        if "Press Enter" in screen:
            return ""
        for ending in "kgbh":
            if ending in keys:
                return ending
        if "card to discard" in screen:
            return self.rng.choice(re.findall(r"\w\w", re.search("Hand (.*)", screen)[1]))
        return self.rng.choice(keys)


def play_to_the_end(monkeypatch, capsys, *arguments, player=None):
    """Play a game to its end; return the screens before each input and the last output."""
    player = player or RandomPlayer(1)
    player.read_screen = lambda: capsys.readouterr().out
    monkeypatch.setattr("builtins.input", player)
    with pytest.raises(SystemExit) as exit_info:
        cli.main(["play", *arguments])
    assert exit_info.value.code == 0
    return player.screens, capsys.readouterr().out


@pytest.mark.parametrize("variant", ["standard", "dice", "solitaire-gin"])
def test_finished_game_saves_a_deal_that_can_be_graded(variant, monkeypatch, capsys, tmp_path):
    players = () if variant == "solitaire-gin" else ("gold",)
    file = tmp_path / "mine.json"
    (tmp_path / "mine-1.json").write_text("an earlier game")
    arguments = (*players, "-v", variant, "--one", "--save", str(file))
    screens, end = play_to_the_end(monkeypatch, capsys, *arguments)
    assert f"Saved: {tmp_path}/mine-2.json" in end.replace("\n", "")
    assert end.endswith("\nGrade: simgin grade --last 1\n")
    assert screens[0].startswith(f"{variant}: deal 1")
    assert (tmp_path / "mine-1.json").read_text() == "an earlier game"
    rows = json.loads((tmp_path / "mine-2.json").read_text())["rows"]
    deal = read_deal_file(tmp_path / "mine-2.json").deal
    assert [row["event"] for row in rows[1:-1]] == ["decision"] * len(deal.decisions)
    assert rows[0]["taken_back"] == 0 and deal.state.score.tolist() == rows[-1]["score"]
    is_declined = rows[-1]["kind"] == "refused"
    points = f"Points: you {rows[-1]['score'][0]}"
    assert ("gold declined your offer." if is_declined else points) in screens[-1]
    grade_options = ("--as", *(players or ("solo-greedy",)), "--worlds", 1)
    graded = run_simgin("grade", tmp_path / "mine-2.json", *grade_options).stdout
    assert graded.startswith("Your grade in 1 deal (")
    assert "\nYou lost " in graded or "\nYou made no significant mistake" in graded
    assert "Comparison" not in graded and ("Net score: " in graded) == (variant == "standard")


def test_unfinished_game_is_resumed_and_an_action_can_be_undone(games_in_test_directory):
    first = run_play("?\nq\n", "gold")
    assert "Keys:" in first and "run: simgin play gold -v standard" in first
    key = re.search(r"(\w) to (?:take|pass)", first)[1]
    second = run_play(f"{key}\nq\n", "gold")
    assert second.count("Hand") == 2 and "resumed" not in second  # nothing had been answered
    third = run_play("u\nq\n", "gold")
    assert "Saved game resumed." in third and "undone: 1" in third
    hands = re.findall("Hand .*", first + third)
    assert hands[0] == hands[-1]
    assert "Saved game resumed." not in run_play("q\n", "gold", "--new")


@pytest.mark.parametrize(
    ("variant", "header"),
    [
        ("solitaire-gin-knock", "match to 100 points: deal 1\nyou: score 0; joker: score 0\n"),
        ("solitaire-gin", "solitaire-gin: deal 1\n-----"),
    ],
)
def test_header_shows_all_sides_that_score(variant, header, games_in_test_directory):
    assert header in run_play("q\n", "-v", variant)


def test_invalid_key_is_reported(games_in_test_directory):
    message = run_play("XX\n9C9\n\nu\nq\n", "gold")
    assert "'XX' is not a valid key" in message
    assert "nothing to undo" in message


@pytest.fixture
def saved_game(tmp_path, games_in_test_directory):
    """Return the file of a game saved in its second deal, after an undo."""
    file = tmp_path / "kept" / "game.json"
    player = RandomPlayer(3)
    screen = run_play("q\n", "gold")
    typed = []
    while (len(typed) < 60 and "deal 2" not in screen) or "card to discard" not in screen:
        player.read_screen = lambda screen=screen: screen.rpartition(72 * "-")[2]
        typed.append(player())
        screen = run_play("".join(f"{key}\n" for key in [typed[-1], "q"]), "gold")
        screen = screen.rpartition("> ")[0].rpartition("> ")[2]
    run_play("u\nq\n", "gold")
    return file


def test_unreadable_saved_game_is_replaced_by_a_new_game(tmp_path, games_in_test_directory):
    for content in ("[]", "{", '{"deals": [[63, 63]], "prompts": [], "back": 0}'):
        (tmp_path / "kept").mkdir(exist_ok=True)
        (tmp_path / "kept" / "game.json").write_text(content)
        assert "is corrupt, so a new game" in run_play("q\n", "gold")


INVALID_NUMBERS_JSON = [
    "9223372036854775808",
    "-9223372036854775809",
    "Infinity",
    "NaN",
    "-1",
    "64",
    "1e3",
    "0.5",
]
INVALID_NUMBERS_JSON += ["true", "null", '"1"', "[]", "{}", "1" * 5000, "[" * 100_000]
# One number of each kind: too large, not finite, negative, not a card, not whole, and other types
FEW_INVALID_NUMBERS_JSON = ["9223372036854775808", "NaN", "-1", "64", "0.5", "null", '"1"', "[]"]
CORRUPT_FILE_CONTENTS = [
    "",
    "null",
    "7",
    '"game"',
    "[" * 100_000,
    '{"a":' * 100_000,
    "\ufeff{}",
    "\0" * 40,
    "[]",
]


def iter_corrupt_games(content, invalid_numbers):
    """Yield corrupt versions of a saved game, some of which contain one of the invalid numbers."""
    saved = json.loads(content)
    yield from CORRUPT_FILE_CONTENTS
    yield content[: len(content) // 2]
    for name in saved:
        yield json.dumps({key: value for key, value in saved.items() if key != name})
        for number in invalid_numbers:
            if (name, number) not in {("prompts", "[]"), ("back", "64")}:  # can be saved, too
                yield json.dumps(saved | {name: "HERE"}).replace('"HERE"', number)
            if name != "back":
                yield json.dumps(saved | {name: ["HERE"]}).replace('"HERE"', number)
    first, *_, last = deals = saved["deals"]
    for number in invalid_numbers:
        yield json.dumps(saved | {"deals": [[*first, "HERE"], last]}).replace('"HERE"', number)
    yield json.dumps(saved | {"deals": [first[:-1], last]})
    yield json.dumps(saved | {"deals": [*deals, last]})
    yield json.dumps(saved | {"deals": [first] * 40})
    yield json.dumps(saved | {"deals": [first, last[:-1] + [last[-1] ^ 1]]})
    yield json.dumps(saved | {"deals": [first * 1000]})
    yield json.dumps(saved | {"prompts": [len(last)]})
    yield json.dumps(saved | {"prompts": [0, 0]})
    yield json.dumps(saved | {"more": 1})


@pytest.mark.parametrize(
    ("invalid_numbers", "min_files"),
    [
        pytest.param(FEW_INVALID_NUMBERS_JSON, 60, id="few"),
        pytest.param(INVALID_NUMBERS_JSON, 100, id="all", marks=pytest.mark.slow),
    ],
)
def test_corrupt_saved_game_is_reported_and_not_resumed(saved_game, invalid_numbers, min_files):
    content = saved_game.read_text()
    assert "Saved game resumed." in run_play("q\n", "gold")
    assert len(json.loads(content)["deals"]) == 2 and json.loads(content)["back"] == 1
    files = list(iter_corrupt_games(content, invalid_numbers))
    assert len(files) > min_files
    for text in files:
        saved_game.write_text(text)
        screen = run_play("u\nq\n", "gold")
        assert "is corrupt, so a new game" in screen, text[:200]
        assert "nothing to undo" in screen
        assert saved_game.read_text() == text  # the first answer would overwrite it


@pytest.mark.parametrize("file_type", ["pipe", "folder", "huge"])
def test_unusable_saved_game_file_is_reported(saved_game, file_type):
    saved_game.unlink()
    if file_type == "pipe":
        os.mkfifo(saved_game)
    elif file_type == "folder":
        saved_game.mkdir()
    else:
        with saved_game.open("wb") as file:
            file.truncate(1 << 40)
    output = run_simgin("play", "gold", exit_code=2).output
    assert output.count("simgin: ") == 1 and "could not be read" in output
    assert "delete the file" in output


def test_opponent_in_a_solitaire_variant_is_rejected(games_in_test_directory):
    result = run_simgin("play", "gold", "-v", "solitaire-gin", exit_code=2)
    assert "Omit gold" in result.output


@pytest.mark.slow
def test_coach_reports_the_costs_of_decisions(monkeypatch, capsys):
    monkeypatch.setattr(
        coach, "MAX_COACH_WORLDS", 1000
    )  # A cost is rarely significant in 100 worlds.
    screens, end = play_to_the_end(monkeypatch, capsys, "simple", "--one", "--coach")
    output = " ".join("".join(screens).split())
    assert re.search("Coach: [^:]* (is the best action|(Best|Better): )", output)
    number = r"(1 mistake|\d+ mistakes|no significant mistake)"
    assert re.search(f"Coach: you made {number} in this deal\\.", output)
    assert not re.search("mistakes? in this deal cost", output)  # the grade measures the total
    assert "You lost" in end and end.endswith("\nGrade: simgin grade --last 1\n")


def test_error_rates_of_strategies_equal_the_reference_results():
    rates = pd.read_csv(ROOT / "results/reference/error-rates/rates.csv").set_index("strategy")
    total = rates[rates["kind"] == "all"]
    half = (total["high"] - total["low"]) / 2
    rounded = {
        name: (round(total["value"][name], 1), round(half[name], 1))
        for name in STRATEGY_ERROR_RATES
    }
    assert rounded == STRATEGY_ERROR_RATES


# Hints, explanations and the log


def test_hint_and_explanation_show_the_outcomes_of_the_best_action(games_in_test_directory):
    screens = run_play("e\nw\np\nw\nq\n", "gold", "--one").split("> ")
    hint, empty_explanation, _, explanation = (" ".join(screen.split()) for screen in screens[1:5])
    assert re.search(r"Best: (take TC|pass)\b|No action is clearly the best\.", hint)
    assert re.search(
        r"after (take TC|pass), compared with those after (pass|take TC), "
        r"you average -?[\d.]+ net points "
        r"\(vs. -?[\d.]+\), win \d+ % \(vs. \d+ %\)",
        hint,
    )
    assert "action cost, points match % points won % gin % undercut %" in hint
    assert re.search(r"undercut in \d+ % \(vs. \d+ %\), are undercut", hint)
    assert "are undercut in" in hint and "and your opponent wins" in hint
    assert "Pile" not in hint and "Hand" in hint and "Type t to take TC" in hint
    assert "You have not made a decision in this deal yet." in empty_explanation
    assert re.search(
        r"Pass (costs [\d.]+ ± [\d.]+ points\. Best: take TC|is the best)|better than pass\.",
        explanation,
    )
    assert "pass <" in explanation and "take TC" in explanation


def test_coach_and_grade_report_the_same_mistakes(games_in_test_directory):
    """Compare messages for an insignificant and for a significant cost in points."""
    assert re.search("action +cost, points +match %", run_play("e\nq\n", "gold"))
    table = GameTable(parse_matchup("gold", "gold", "standard", 1, "match"), (0,))
    advisor = coach.Coach(table.matchup)
    table.act(advisor.analyse_pending_decision(table.get_traced_deal()).ranking[1])
    (position,) = advisor.list_decisions(table.get_traced_deal())
    analysis = advisor.analyse(table.get_traced_deal(), position)
    assert analysis.unit == "points"
    for low, comment in ((-0.1, "No action is clearly better"), (0.1, "costs 2.0 ± 1.9 points")):
        analysis.__dict__["best_indices"] = analysis.ranking[:1]
        object.__setattr__(analysis, "estimate_cost", lambda _, low=low: (2.0, low, 4 - low))
        assert comment in describe_choice(analysis)
        assert (analysis_to_json(analysis)["cost"] > 0) == (low > 0)
        row = {"metric": "cost", "value": 2.0, "low": low, "high": 4 - low, "counted": "points"}
        row |= {"done": "pass", "best": "take TC", "decision": "turn 1", "command": "simgin"}
        assert len([*describe_costliest([row])]) == (low > 0)


def test_coach_counts_mistakes_without_a_biased_total(games_in_test_directory, monkeypatch):
    table = GameTable(parse_matchup("gold", "gold", "standard", 1, "match"), (0,))
    advisor = coach.Coach(table.matchup)
    table.act(advisor.analyse_pending_decision(table.get_traced_deal()).ranking[1])
    deal = table.get_traced_deal()
    advisor.analyse(deal, *advisor.list_decisions(deal))
    for is_mistake, number in ((False, "no significant mistake"), (True, "1 mistake")):
        monkeypatch.setattr(Analysis, "is_mistake", is_mistake)
        assert advisor.format_deal_summary(deal) == f"Coach: you made {number} in this deal."


def test_hint_always_lists_a_possible_knock():
    table = GameTable(parse_matchup("gold", "gold", "standard", 1, "deal"), (0,))
    while table.decision.slot != "knock":
        view = table.decision.view
        table.act(int(view.best).bit_length() - 1 if table.decision.slot == "discard" else 1)
    advisor = coach.Coach(table.matchup)
    analysis = advisor.analyse_pending_decision(table.get_traced_deal())
    assert "knock" not in " ".join(analysis.action_names[i] for i in analysis.ranking[:4])
    *_, knock, others = advisor.format_hint(table.get_traced_deal())
    assert knock.startswith("knock (discard ") and "every other action" in others
    actions = analysis_to_json(analysis)["actions"]
    assert [one["text"].split()[0] for one in actions if one["is_best_ending"]] == ["knock"]


def test_outcomes_of_two_actions_are_consistent_with_the_cost(games_in_test_directory):
    table = GameTable(parse_matchup("gold", "beginner", "standard", 1, "deal"), (0,))
    analysis = coach.Coach(table.matchup).analyse_pending_decision(table.get_traced_deal())
    best, other_action = analysis.ranking[:2]
    sentence = format_outcome_comparison(analysis, other_action)
    points = re.search(r"average (-?[\d.]+) net points \(vs. (-?[\d.]+)\)", sentence)
    difference = float(points[1]) - float(points[2])
    assert difference == pytest.approx(analysis.estimate_cost(other_action)[0], abs=0.11)
    outcomes = analysis.outcomes[:, best]
    undercut_rate = outcomes["won_undercut"].mean()
    assert 0 < undercut_rate < outcomes["win"].mean()
    assert f", undercut in {100 * undercut_rate:.0f} %" in sentence


def test_command_to_resume_a_game_contains_all_options(games_in_test_directory):
    arguments = ("gold", "-v", "standard", "--seed", "5", "--coach", "--save", "mine")
    screen = " ".join(run_play("q\n", *arguments).split())
    assert "run: simgin play gold -v standard --seed 5 --coach --save mine" in screen


def test_only_enter_continues_after_a_deal(monkeypatch, capsys):
    class CuriousPlayer(RandomPlayer):
        """Player that types other keys before Enter after a deal."""

        keys = iter("ew?sx")

        def __call__(self, prompt=""):
            key = super().__call__(prompt)
            return key or next(self.keys, "")

    player = CuriousPlayer(1)
    screens, _ = play_to_the_end(monkeypatch, capsys, "gold", "--one", player=player)
    evaluation, explanation, keys, s_key, x_key = (" ".join(s.split()) for s in screens[-5:])
    assert "The player chose" in evaluation and "action cost, points" in evaluation
    assert "Coach: " in explanation and "you average" in explanation
    assert "Keys: Enter continue with the next deal e evaluate" in keys
    assert "'s' is not a valid key after a deal" in s_key
    assert "'x' is not a valid key after a deal" in x_key


def test_log_of_a_long_deal_has_pages(monkeypatch):
    lines = [f"{number} turn" for number in range(1, 51)]
    monkeypatch.setattr(table_text, "format_turn_lines", lambda deal, seat: lines)
    pages = [table_text.format_history_lines(None, page) for page in range(4)]
    assert all(len(page) == 12 and "Type l again" in page[0] for page in pages[:2])
    assert "29 turn" in pages[0][1] and pages[0][-1].endswith("50 turn")
    shown = {turn for page in pages for turn in re.findall(r"\d+ turn", " ".join(page))}
    assert shown == set(lines) and pages[3] == pages[0]
    lines[24:] = []
    assert len(table_text.format_history_lines(None, 0)) == 12


def test_compilation_is_announced_at_the_start_and_at_each_analysis(
    games_in_test_directory, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(session, "NOTICE_DELAY_SECONDS", 0.0)
    file = tmp_path / "mine.py"
    file.write_text(
        "from simgin.strategy import Strategy, take\n\n\n@take\ndef never(view, rules, params):\n"
        f"    return 0 * {os.getpid()}\n\n\nSTRATEGY = Strategy('mine', take=never)\n"
    )
    assert session.COMPILING_NOTICE in run_play("q\n", str(file))
    for _ in range(2):
        with game.announce_analysis("Evaluating ..."):
            numba.njit(lambda: 1)()
    assert capsys.readouterr().err.count(session.COMPILING_NOTICE) == 2


def test_keys_typed_during_an_analysis_are_ignored(monkeypatch):
    terminal, terminal_input = pty.openpty()
    with os.fdopen(terminal, "wb", buffering=0) as keyboard, os.fdopen(terminal_input) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with game.announce_analysis("Evaluating ..."):
            keyboard.write(b"s\n")
            assert select.select([stdin], [], [], 10)[0]
        assert not select.select([stdin], [], [], 0)[0]


def test_coach_reuses_the_analysis_of_a_hint(games_in_test_directory, monkeypatch):
    calls = []
    analyse = coach.analyse_position
    monkeypatch.setattr(coach, "analyse_position", lambda *a: calls.append(a) or analyse(*a))
    output = run_play("e\np\nu\ne\nt\nu\nq\n", "gold", "--one", "--coach")
    assert re.search("Coach: (Pass |No .* than pass)", output)
    assert len(calls) == 1


@pytest.mark.parametrize("variant", ["solitaire-gin", "solitary-gin", "dice", "shot"])
def test_hint_fits_one_screen_in_every_variant(variant, games_in_test_directory):
    players = () if "solita" in variant else ("gold",)
    screens = run_play("e\nl\n?\nq\n", *players, "-v", variant, "--seed", "3").split("> ")
    assert "action" in screens[1] and ("opponent" in screens[1]) == bool(players)
    for screen in screens:
        assert screen.count("\n") <= 24, screen


def test_log_lists_the_turns_without_hidden_cards(monkeypatch, capsys):
    class LoggingPlayer(RandomPlayer):
        """Player that looks at the log before every action."""

        has_seen_log = True

        def __call__(self, prompt=""):
            self.has_seen_log = not self.has_seen_log
            if self.has_seen_log:
                return super().__call__(prompt)
            self.screens.append(self.read_screen())
            return "l"

    screens, _ = play_to_the_end(monkeypatch, capsys, "gold", "--one", player=LoggingPlayer(1))
    logs = [re.findall(r"^ ?\d+ (?:you|gold) .*", screen, re.M) for screen in screens]
    longest = max(logs, key=len)
    assert len(longest) > 4
    assert any(re.match(r" ?\d+ you (drew|took) \w\w, discarded \w\w", line) for line in longest)
    assert any(re.match(r" ?\d+ gold drew, discarded \w\w", line) for line in longest)
    assert not any("gold drew " in line for line in longest)


def test_game_begins_with_at_most_three_lines_of_rules(games_in_test_directory):
    assert "Standard Gin" not in run_play("q\n", "gold")
    long_spec = (
        "hollywood+oklahoma+rainbow+big_gin=yes+stock_reserve=3+undercut_bonus=35+gin_bonus=35"
    )
    for variant, text in [
        ("oklahoma", "The first upcard sets the knock limit"),
        (long_spec, " ..."),
    ]:
        lines = run_play("q\n", "gold", "-v", variant).split(72 * "-")[1].splitlines()
        about = lines[1 : next(i for i, line in enumerate(lines) if "declined" in line)]
        assert text in " ".join(about) and 1 <= len(about) <= 3


def test_suits_have_colours_on_a_terminal_only(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    styled = game.colour_suits("Hand [7H 8H 9H] AS 3D KC, deadwood 14")
    assert re.sub("\x1b.*?m", "", styled) == "Hand [7H 8H 9H] AS 3D KC, deadwood 14"
    codes = {card: re.search(rf"(\x1b\S*?m){card}", styled)[1] for card in ("7H", "3D", "KC")}
    assert len(set(codes.values())) == 3
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
        assert game.colour_suits("7H") == "7H"


# Deals that simgin keeps


def test_grade_last_grades_the_most_recent_deals(monkeypatch, capsys, tmp_path):
    output = run_simgin("grade", "--last", 1, exit_code=2).output
    assert "contains no deals. To play a deal" in " ".join(output.split())
    for seed, variant in (("1", "oklahoma"), ("2", "standard"), ("3", "standard")):
        play_to_the_end(monkeypatch, capsys, "gold", "--one", "-v", variant, "--seed", seed)
    deal_files = sorted((tmp_path / "data" / "deals").iterdir())
    assert (
        len(deal_files) == 3
        and read_deal_file(deal_files[0]).deal.matchup.variant.spec == "oklahoma"
    )
    assert saved_deals.find_last_deals(1) == [str(deal_files[2])]
    assert saved_deals.find_last_deals(9) == list(map(str, deal_files[1:]))
    (tmp_path / "data" / "deals" / "deal-9.json").write_text("damaged")
    screen = run_simgin("grade", "--last", 2, "--as", "gold", "--worlds", 1).stdout
    assert screen.startswith("Your grade in 2 deals (standard)")
    assert "Command: simgin grade --last 2 " in screen
    for arguments in (("grade",), ("grade", "mine.json", "--last", 1)):
        assert "use --last 10" in run_simgin(*arguments, exit_code=2).output


def test_only_the_newest_deals_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(saved_deals, "MAX_SAVED_DEALS", 2)
    folder = saved_deals.get_deals_directory()
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    for number in range(4):
        saved_deals.save_deal(f"{number}".encode())
    assert [path.read_text() for path in sorted(folder.iterdir())] == ["2", "3", "mine"]


def test_game_continues_if_a_deal_cannot_be_saved(monkeypatch, capsys, tmp_path):
    (tmp_path / "data").write_text("a file in the place of the directory")
    _, end = play_to_the_end(monkeypatch, capsys, "gold", "--one")
    assert "`simgin grade --last` cannot use this deal" in end


def test_deals_are_saved_in_the_data_directory_of_the_user(monkeypatch, tmp_path):
    assert saved_deals.get_deals_directory() == tmp_path / "data" / "deals"
    monkeypatch.delenv("SIMGIN_DATA_DIR")
    assert saved_deals.get_deals_directory() == platformdirs.user_data_path("simgin") / "deals"
