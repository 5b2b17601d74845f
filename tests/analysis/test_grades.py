"""Tests of grades: error rates from files of deals, blunders, and logs of other engines."""

import json
import math
import random
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from simgin.analysis import error_rates, grades
from simgin.analysis.deal_file import read_deal_file
from simgin.analysis.decision_evaluator import DecisionEvaluator, iter_positions_of_a
from simgin.analysis.foreign_logs import ENGINE_NOTES, _convert_card, parse_log, replay_log
from simgin.analysis.grades import GradeRequest, run_grade
from simgin.analysis.position import PositionError
from simgin.core.deadwood import deadwood
from simgin.play.matchup import parse_matchup
from simgin.play.replay import make_replay
from simgin.play.replay_json import replay_to_json
from simgin.play.traced_deal import trace_deal, truncate_deal
from simgin.rules.build import build_rules
from simgin.text.notation import cards_to_mask, format_card, parse_cards
from support.command_line import run_simgin

LOG_DIRECTORY = Path(__file__).parents[1] / "data/game_logs"
SLOW_MARK = pytest.mark.slow
pytestmark = pytest.mark.usefixtures("few_metropolis_steps")


def write_deal(path, deal):
    """Write a deal file and return its path."""
    path.write_text(json.dumps({"seed": 1, "rows": replay_to_json(make_replay(deal))}))
    return str(path)


def write_mirrored_deal_files(folder):
    """Write three mirrored pairs of deals, one file per deal, and return the paths."""
    matchup = parse_matchup("gold", "simple", "standard", 1, "deal")
    addresses = [(unit, half) for unit in range(3) for half in range(2)]
    return [
        write_deal(folder / f"{unit}{half}.json", trace_deal(matchup, unit, half))
        for unit, half in addresses
    ]


@pytest.fixture
def deal_files(empty_directory):
    return write_mirrored_deal_files(Path())


def grade_gold(files, seed, n_worlds=None):
    return run_grade(GradeRequest.read(files, "gold", None, None, n_worlds, seed))


@pytest.fixture(scope="module")
def gold_grade(tmp_path_factory):
    """Grade the strategy `gold` once in three mirrored pairs of deals."""
    return grade_gold(write_mirrored_deal_files(tmp_path_factory.mktemp("deals")), 1, 25)


# Against the error rates of strategies


def test_grade_of_a_strategy_equals_its_error_rates(gold_grade):
    task = error_rates.EvaluationTask.read("gold", "simple", "standard", "champion", 100, 25, 1)
    units = error_rates.evaluate_units(task, 0, 3)
    grade_decisions = [
        decision for deal in gold_grade.decisions for decision in deal
    ]  # a unit is a file
    compared_names = (
        "mirrored_game",
        "turn",
        "position_label",
        "chosen_action",
        "evaluator_action_gain",
    )
    grade_values, rate_values = (
        [[getattr(decision, name) for name in compared_names] for decision in decisions]
        for decisions in (grade_decisions, [*chain(*units)])
    )
    assert grade_values == rate_values and [
        decision.unit_number // 2 for decision in grade_decisions
    ] == [decision.unit_number for decision in chain(*units)]
    assert gold_grade.total_loss.value == pytest.approx(
        sum(decision.cost for decision in grade_decisions) / 6
    )
    assert gold_grade.task.evaluator.key == task.evaluator.key


def test_results_of_the_two_players_have_opposite_signs(deal_files):
    requests = [
        GradeRequest.read(deal_files[:2], player, None, "champion", 0, 1)
        for player in ("gold", "simple")
    ]
    results = [run_grade(request).net_scores for request in requests]
    assert results[0]["won"].value == -results[1]["won"].value != 0
    assert results[0]["less_luck"].value == pytest.approx(-results[1]["less_luck"].value)


@pytest.mark.parametrize(
    ("a", "b", "evaluator", "opponent", "n_deals"),
    [
        ("stock-greedy", "simple", "gold", "simple", 30),
        pytest.param("stock-greedy", "simple", "gold", "gold-early", 400, marks=SLOW_MARK),
        pytest.param("stubborn", "gold-early", "gold", "gold", 400, marks=SLOW_MARK),
    ],
)
def test_luck_adjustment_keeps_the_mean_and_reduces_the_error(a, b, evaluator, opponent, n_deals):
    """Check that the luck that is removed from the results is 0 on average."""
    matchup = parse_matchup(a, b, "standard", 7, "deal")
    graded_deals = [
        grades.make_graded_deal(trace_deal(matchup, i // 2, i % 2), i % 2) for i in range(n_deals)
    ]
    evaluator_matchup = parse_matchup(evaluator, opponent, "standard", 1, "deal")
    grade = grades.grade_deals(
        grades.make_grading_task("a", evaluator_matchup, n_deals, 0), graded_deals
    )
    points, adjusted_points = grade.net_scores.values()
    luck = [
        points_won - points_lost
        for points_won, points_lost in map(grade._compute_points_and_loss, range(n_deals))
    ]
    mean_difference = sum(luck) / n_deals - grade.evaluator_gain.value
    error = (sum(value * value for value in luck) / n_deals**2) ** 0.5
    assert abs(mean_difference) < 3 * error
    assert adjusted_points.se < points.se


# All reports use the same measurement


def test_total_equals_the_sum_of_the_listed_costs(gold_grade):
    mistakes = [decision for deal in gold_grade.decisions for decision in deal if decision.mistake]
    rows = [*error_rates.build_rates_rows(gold_grade)]
    (total_row,) = [row for row in rows if row["metric"] == "given_up" and row["kind"] == "all"]
    assert (
        total_row["value"]
        == gold_grade.total_loss.value
        == pytest.approx(sum(decision.cost for decision in mistakes) / 6)
    )
    assert total_row["se"] == pytest.approx(
        math.sqrt(sum(decision.cost_se**2 for decision in mistakes)) / 6
    )
    listed_rows = {
        (row["command"], row["decision"]): row for row in rows if row["metric"] == "cost"
    }
    assert len(listed_rows) == min(5, len(mistakes))
    costs = sorted((decision.cost for decision in mistakes), reverse=True)
    assert [row["points"] for row in listed_rows.values()] == costs[: len(listed_rows)]
    for row in rows:
        matching_mistakes = [
            decision
            for decision in mistakes
            if (decision.decision_kind, decision.mistake) == (row["kind"], row["mistake"])
        ]
        if row["metric"] == "given_up" and len(matching_mistakes) == 1:
            assert (row["value"], row["se"]) == (
                matching_mistakes[0].cost / 6,
                matching_mistakes[0].cost_se / 6,
            )


def test_cost_of_a_mistake_agrees_with_other_worlds(deal_files):
    """Compare with the cost in 4,000 other worlds, with a tolerance of 4 standard errors."""
    gold_grade = grade_gold(deal_files[:1], 2, 25)
    evaluator = DecisionEvaluator(gold_grade.task.evaluator, 0)
    (deal,) = gold_grade.graded_deals
    n_checked = 0
    for decision, position in zip(gold_grade.decisions[0], iter_positions_of_a(deal), strict=True):
        if decision.mistake:
            leads = evaluator.sample_gains_over_chosen(position, decision.best_action, 4000)
            assert abs(leads.mean() - decision.cost) < 4 * math.hypot(
                decision.cost_se, leads.std() / 63
            )
            n_checked += 1
    assert n_checked


@pytest.mark.parametrize(("n_deals", "n_seeds"), [(1, 4), pytest.param(6, 16, marks=SLOW_MARK)])
def test_seeds_agree_within_the_reported_errors(deal_files, n_deals, n_seeds):
    """Compare each seed with the mean of the others, with a tolerance of 3.5 standard errors."""
    totals = [grade_gold(deal_files[:n_deals], seed).total_loss for seed in range(1, n_seeds + 1)]
    values = np.array([total.value for total in totals])
    error = math.sqrt(np.mean([total.se**2 for total in totals]))
    assert error > 0
    for total in totals:
        mean_of_others = (values.sum() - total.value) / (n_seeds - 1)
        assert abs(total.value - mean_of_others) < 3.5 * math.hypot(
            total.se, error / math.sqrt(n_seeds - 1)
        )
    # Chi-square test of the variance: five standard deviations
    assert values.var(ddof=1) < error**2 * (1 + 5 * math.sqrt(2 / (n_seeds - 1)))


@SLOW_MARK
def test_interval_of_a_few_deals_covers_the_results_of_other_seeds():
    """Grade 24 deals with eight seeds each, and count the intervals that cover other seeds."""
    is_covered = []
    for a, b in (("simple", "gold"), ("gold-early", "simple"), ("random", "gold")):
        matchup = parse_matchup(a, b, "standard", 21, "deal")
        seats = [(trace_deal(matchup, unit, half), half) for unit in range(4) for half in range(2)]
        graded_deals = [grades.make_graded_deal(deal, half) for deal, half in seats]
        costs, errors = [], []
        for seed in range(1, 9):
            evaluator_matchup = parse_matchup("champion", b, "standard", seed, "deal")
            gold_grade = grades.grade_deals(
                grades.make_grading_task("a", evaluator_matchup, len(graded_deals)), graded_deals
            )
            costs.append([sum(decision.cost for decision in deal) for deal in gold_grade.decisions])
            errors.append(
                [sum(decision.cost_se**2 for decision in deal) for deal in gold_grade.decisions]
            )
        values, variances = np.array(costs), np.array(errors)
        mean_of_others = (values.sum(axis=0) - values) / 7
        half_widths = 1.96 * np.sqrt(variances + variances.mean(axis=0) / 7)
        is_covered.append(np.abs(values - mean_of_others) <= half_widths)
    assert np.mean(is_covered) > 0.90


def test_few_deals_are_not_reported_as_a_rate(gold_grade):
    """Check also that a grade of few deals is not compared with built-in strategies."""
    few_deals = gold_grade
    message = " ".join(grades.iter_grade_sentences(few_deals))
    assert "in these 6 deals" in message and "To find out how well gold plays" in message
    assert "about as much as" not in message and "Luck-adjusted" not in message
    report = few_deals.report("")
    assert "Comparison" not in [table.title for table in report.tables]
    many_deals = replace(
        few_deals,
        decisions=few_deals.decisions * 5,
        graded_deals=few_deals.graded_deals * 5,
        opponent_decisions=few_deals.opponent_decisions * 5,
    )
    message = " ".join(grades.iter_grade_sentences(many_deals))
    assert "these" not in message and "Luck-adjusted" in message
    report = many_deals.report("")
    (ladder,) = [table for table in report.tables if table.title == "Comparison"]
    assert all("±" in str(row) for row in ladder.rows)


def test_opponents_are_counted_in_the_summary(empty_directory):
    for number, opponent in enumerate(("gold", "simple", "simple")):
        matchup = parse_matchup("champion", opponent, "standard", 1, "deal")
        write_deal(Path(f"{number}.json"), trace_deal(matchup, number, number % 2))
    two_opponents, one_opponent = (
        " ".join(run_simgin("grade", *files, "--player", "champion", "--worlds", 1).stdout.split())
        for files in (("0.json", "1.json", "2.json"), ("1.json", "2.json"))
    )
    assert "The deals were played against 2 opponents: simple (2) and gold (1)." in two_opponents
    assert "champion replaces all opponents" in two_opponents and "opponents" not in one_opponent


# Blunders


def test_cost_of_a_blunder_agrees_with_analyze(empty_directory):
    """Grade a deal in which the first discard is the worst possible one."""
    matchup = parse_matchup("champion", "champion", "standard", 4, "deal")
    best_deal = trace_deal(matchup, 3)
    discard_numbers = [
        n for n, decision in enumerate(best_deal.decisions) if decision.slot == "discard"
    ]
    number = next(n for n in discard_numbers if best_deal.get_decision(n).seat == 0)
    view = best_deal.get_decision(number).view
    rules = build_rules(matchup.variant)
    worst_discard = max(
        (card for card in range(52) if int(view.legal) >> card & 1),
        key=lambda card: deadwood(int(view.hand) & ~(1 << card), rules),
    )
    actions = [decision.action for decision in best_deal.decisions[:number]]
    played = trace_deal(
        matchup,
        3,
        pack=best_deal.state.pack,
        dealer=best_deal.state.dealer,
        script=[*actions, worst_discard],
    )
    file = write_deal(
        Path("blunder.json"), truncate_deal(played, number + 1, has_open_decision=False)
    )
    rows = json.loads(run_simgin("grade", file, "--json").stdout)["rows"]
    cost_row = next(row for row in rows if row["metric"] == "cost")
    assert cost_row["done"].startswith("discard") and cost_row["value"] > 5
    assert not [row for row in rows if row["metric"] in ("won", "less_luck")]
    arguments = cost_row["command"].split()[1:]
    analysed_rows = json.loads(run_simgin(*arguments, "--worlds", 2000, "--json").stdout)["rows"]
    by_action = {row["action"]: row for row in analysed_rows}
    played_row, best_deal = (by_action[cost_row[name]] for name in ("done", "best"))
    error = math.hypot(played_row["points_se"], best_deal["points_se"], cost_row["se"])
    assert abs(best_deal["points"] - played_row["points"] - cost_row["value"]) < 3 * error < 9


# Logs of other engines

EXPECTED_RESULT_BY_LOG = {
    "openspiel-bots.txt": ("knock", [0, 4], "gin_bonus=20"),
    "openspiel-history.txt": ("knock", [8, 0], ""),
    "openspiel-oklahoma.txt": ("knock", [0, 33], "knock_by_upcard=yes"),
    "openspiel-wall.txt": ("knock", [28, 0], ""),
    "openspiel-broken-off.txt": ("", None, ""),
    "kaggle-replay.json": ("knock", [8, 0], ""),
    "rlcard-novices.txt": ("knock", [0, 18], "first_turn=discard_first"),
}


@pytest.mark.parametrize("name", EXPECTED_RESULT_BY_LOG)
def test_log_of_another_engine_has_the_recorded_result(name):
    kind, score, rule = EXPECTED_RESULT_BY_LOG[name]
    recorded = read_deal_file(LOG_DIRECTORY / name)
    assert recorded.deal.ending == kind and rule in recorded.deal.matchup.variant.spec
    assert recorded.deal.is_truncated == (score is None)
    assert score is None or recorded.deal.state.score.tolist() == score


def test_openspiel_parameters_are_converted_to_rules():
    assert [format_card(_convert_card(number)) for number in (0, 13, 26, 51)] == [
        "AS",
        "AC",
        "AD",
        "KH",
    ]
    row = read_deal_file(LOG_DIRECTORY / "openspiel-bots.txt").deal.matchup.variant.params
    assert (row["knock_limit"], row["gin_bonus"], row["undercut_bonus"]) == (5, 20, 10)
    text = SERIALIZED_GAME_LOG.format("gin_rummy(knock_card=5,oklahoma=True)")
    assert parse_log(text).variant.endswith("+knock_by_upcard=yes")
    row = read_deal_file(LOG_DIRECTORY / "openspiel-history.txt").deal.matchup.variant.params
    assert (row["knock_limit"], row["gin_bonus"], row["undercut_bonus"]) == (10, 25, 25)


def test_kaggle_replay_contains_the_team_names():
    replay, history = (
        parse_log((LOG_DIRECTORY / name).read_text())
        for name in ("kaggle-replay.json", "openspiel-history.txt")
    )
    assert replay.names == ("Team One", "Team Two")
    assert replace(replay, names=history.names, variant=history.variant) == history
    output = run_simgin(
        "grade", LOG_DIRECTORY / "kaggle-replay.json", "--player", "Team Two", "--worlds", 25
    )
    assert "Grade of Team Two in 1 deal (OpenSpiel)" in output.stdout


def test_screen_notes_rule_differences_of_other_engines(empty_directory):
    for engine, name in (("OpenSpiel", "openspiel-bots"), ("RLCard", "rlcard-novices")):
        file = LOG_DIRECTORY / f"{name}.txt"
        screen = " ".join(run_simgin("grade", file, "--player", 1, "--worlds", 25).stdout.split())
        assert ENGINE_NOTES[engine] in screen and f"1 deal ({engine})" in screen
        assert "error for this deal" in screen
        has_analyze_command = f"simgin analyze {file} --turn" in screen
        assert has_analyze_command != ("made no significant mistake" in screen)


def test_illegal_move_in_a_log_is_reported():
    words = (LOG_DIRECTORY / "openspiel-history.txt").read_text().split()
    dealt_cards = words[:21]
    for moves, message in (
        (["53"], "move 1 .draw by player 0. is not legal"),
        (["54", "54", "52"], "move 3 .take by player 0. is not legal"),
        (["52", dealt_cards[10]], "move 2 .discard .. by player 0. is not legal"),
        (["52", "55", dealt_cards[0]], "move 2 .knock .. by player 0. is not legal"),
    ):
        with pytest.raises(PositionError, match=message):
            replay_log(parse_log("\n".join([*dealt_cards, *moves])))
    with pytest.raises(PositionError, match=r"move 110 .take by S"):
        read_deal_file(LOG_DIRECTORY / "rlcard-random.txt")


OPENSPIEL_LOG = (LOG_DIRECTORY / "openspiel-history.txt").read_text()
RLCARD_LOG = (LOG_DIRECTORY / "rlcard-novices.txt").read_text()
SERIALIZED_GAME_LOG = "[Game]\n{}\n[State]\n" + OPENSPIEL_LOG
KAGGLE_PROXY_LOG = "[Game]\ngin_rummy_proxy()\n[State]\nhistory={}\nmove_number=1\n"
DEALT_CARD_ACTIONS = ",".join(f"-1:{number}" for number in OPENSPIEL_LOG.split()[:21])
KAGGLE_REPLAY_JSON = (LOG_DIRECTORY / "kaggle-replay.json").read_text()
ERROR_BY_LOG = {
    "": "neither the output",
    "{": "neither the output",
    '{"rows": []}': "lacks fields",
    "[1, 2]": "ends before the cards are dealt",
    OPENSPIEL_LOG.replace("\n", "\n240\n", 1): "240 is not a valid OpenSpiel card number",
    OPENSPIEL_LOG.split()[0] + "9" * 5000 + OPENSPIEL_LOG: "is not a valid deal file",
    "\n".join(["7"] * 30): "the log repeats a card",
    SERIALIZED_GAME_LOG.format("chess()"): "the log is not from the game gin_rummy",
    SERIALIZED_GAME_LOG.format("gin_rummy(hand_size=7)"): "game parameter 'hand_size=7'",
    SERIALIZED_GAME_LOG.format("gin_rummy(knock_card=500)"): "knock_limit",
    SERIALIZED_GAME_LOG.format("gin_rummy(oklahoma=maybe)"): "knock_by_upcard",
    SERIALIZED_GAME_LOG.format(
        "repeated_game(stage_game=gin_rummy())"
    ): "the log is not from the game gin_rummy",
    SERIALIZED_GAME_LOG.format("gin_rummy()") * 2: "the file contains several deals",
    SERIALIZED_GAME_LOG.format("gin_rummy()").replace(
        "\n54", "\nfold", 1
    ): "'fold' is not a valid OpenSpiel action",
    KAGGLE_PROXY_LOG.format(""): "ends before the cards are dealt",
    KAGGLE_PROXY_LOG.format("0:1," + DEALT_CARD_ACTIONS): "a move before the cards are dealt",
    KAGGLE_PROXY_LOG.format(
        DEALT_CARD_ACTIONS + ",1:54"
    ): "an action by player 1 (action 54), but it is player 0's turn",
    KAGGLE_PROXY_LOG.format(
        DEALT_CARD_ACTIONS + ",0:54,2:54"
    ): "'2:54' is not a valid OpenSpiel action",
    KAGGLE_REPLAY_JSON.replace(
        "gin_rummy_proxy", "hearts_proxy"
    ): "the log is not from the game gin_rummy",
    KAGGLE_REPLAY_JSON.replace(
        "history=-1:43", "history=-1:44", 2
    ): "the file contains several deals",
    KAGGLE_REPLAY_JSON.replace("# Automatically", "", 0)[:2000]: "neither the output",
    '{"steps": [{"serializedGameAndState": ""}]}': "contains no data for",
    RLCARD_LOG.replace("AD ", "", 1): "51 cards",
    RLCARD_LOG.replace("AD ", "XX ", 1): "not a card",
    RLCARD_LOG.replace("discard", "eat", 1): "is not a valid move in RLCard's",
    RLCARD_LOG.replace("discard KS", "discard", 1): "move 1 (discard by S)",
    RLCARD_LOG.replace("discard KS", "discard Kx", 1): "not a card",
    RLCARD_LOG.replace("S discard KS", "N discard KS", 1): "move 1 (discard KS by N)",
    RLCARD_LOG + "N discard KS": "discard KS by N",
    RLCARD_LOG.splitlines()[0]: "contain no decision",
}


@pytest.mark.parametrize("log", ERROR_BY_LOG)
def test_invalid_log_is_rejected(log, empty_directory):
    Path("log.txt").write_text(log)
    message = " ".join(run_simgin("grade", "log.txt", exit_code=2).stderr.split())
    assert ERROR_BY_LOG[log] in message and message.endswith(".")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("no.json", "No such file"),
        ("strategy.py", "'strategy.py' is not a valid deal file name"),
        ("00.json {openspiel}", "Grade each variant separately"),
        ("00.json 01.json --player nobody", "Choose 'gold' or 'simple'"),
        ("00.json --player 2", "'2' is not a player"),
        (
            "00.json other.json",
            "deals played by 'gold' and 'simple'. Choose one player with --player",
        ),
        ("00.json --as nobody-else", "nobody-else"),
        ("{rlcard}", "move 110 "),
    ],
)
def test_invalid_grade_arguments_are_rejected(arguments, message, deal_files):
    write_deal(
        Path("other.json"), trace_deal(parse_matchup("simple", "gold", "standard", 1, "deal"))
    )
    logs = {
        "openspiel": LOG_DIRECTORY / "openspiel-bots.txt",
        "rlcard": LOG_DIRECTORY / "rlcard-random.txt",
    }
    result = run_simgin("grade", *arguments.format(**logs).split(), exit_code=2)
    assert message in " ".join(result.stderr.split())


def test_report_contains_analyze_commands(deal_files):
    run_simgin("grade", *deal_files, "--worlds", 25, "-o", "out")
    html = Path("out/report.html").read_text()
    assert "Grade of gold in 6 deals" in html and "rlcard-novice" not in html
    assert re.search(r"simgin analyze [012][01]\.json", html)


# Logs of other engines


TEAM_NAMES = ("Ada", "Bo")


def make_kaggle_logs(game, state):
    """Return Kaggle's log of an OpenSpiel state, and a Kaggle replay that ends in this state."""
    entries = [f"{move.player}:{move.action}" for move in state.full_history()]
    header = "[Meta]\nVersion: 1\n\n[Game]\n" + str(game).replace("gin_rummy(", "gin_rummy_proxy(")
    logs = [
        f"{header}\n[State]\nhistory={','.join(entries[:n])}\nmove_number={n}\n__dict__=gASV99\n"
        for n in (21, len(entries) // 2 + 11, len(entries))
    ]
    steps = [[{"observation": {"serializedGameAndState": log}} for log in logs[:1]]]
    steps += [
        [{"observation": {"step": 1}}, {"observation": {"serializedGameAndState": log}}]
        for log in logs[1:]
    ]
    return logs[-1], json.dumps({"info": {"TeamNames": [*TEAM_NAMES]}, "steps": steps})


@pytest.mark.parametrize("n_deals", [8, pytest.param(100, marks=SLOW_MARK)])
def test_openspiel_games_are_read_equally_from_every_format(n_deals):
    """Read finished and unfinished games with random rules."""
    spiel = pytest.importorskip("pyspiel", reason="pip install 'simgin[oracle]'")
    rng, variants = random.Random(4), set()
    for i in range(n_deals):
        rules = {"oklahoma": i % 3 == 1, "knock_card": rng.randint(1, 10)}
        rules |= {"gin_bonus": rng.choice((25, 20)), "undercut_bonus": rng.choice((25, 10))}
        state = spiel.load_game("gin_rummy", rules).new_initial_state()
        max_moves = rng.choice((0, 3, 40, 10**4))  # moves after the deal
        while not state.is_terminal() and state.move_number() < 21 + max_moves:
            state.apply_action(rng.choice(state.legal_actions()))
        if state.move_number() < 21:
            continue
        game = state.get_game()
        log = parse_log(spiel.serialize_game_and_state(game, state))
        proxy, replay = map(parse_log, make_kaggle_logs(game, state))
        assert proxy == log and replay == replace(log, names=TEAM_NAMES)
        history = parse_log(make_kaggle_logs(game, state)[0].partition("[State]")[2])
        assert history == replace(log, variant=history.variant)
        variants.add(log.variant)
    assert len(variants) > 4


@pytest.mark.parametrize("n_deals", [4, pytest.param(100, marks=SLOW_MARK)])
def test_openspiel_deals_are_replayed(n_deals):
    spiel = pytest.importorskip("pyspiel", reason="pip install 'simgin[oracle]'")
    from oracles import openspiel
    from oracles.test_openspiel import (
        BASE_VARIANT,
        check_showdown,
        deal_stacked_pack,
        iter_random_actions,
    )
    from support import hands

    rng, endings = random.Random(3), set()
    for i in range(n_deals):
        variant = (
            BASE_VARIANT
            + ("", "+knock_by_upcard=yes", "+gin_bonus=20+undercut_bonus=10")[i // 3 % 3]
        )
        rules, row = hands.build_both_rules(variant)
        spiel_deal = openspiel.OpenSpielDeal(
            row, deal_stacked_pack(rng) if i % 2 else rng.sample(range(52), 52)
        )
        for action in iter_random_actions(rng, openspiel, spiel_deal, rules):
            spiel_deal.apply_action(action)
        game = spiel_deal.state.get_game()
        final_hands = [spiel_deal.get_hand(seat) for seat in range(2)]
        serialized = spiel.serialize_game_and_state(game, spiel_deal.state)
        replayed = replay_log(
            parse_log((serialized, *make_kaggle_logs(game, spiel_deal.state))[i % 3])
        )
        endings.add(replayed.ending)
        if replayed.is_truncated:  # a rule of that engine
            assert spiel_deal.is_over and spiel_deal.payoffs == [0, 0]
            continue
        if replayed.state.knocker >= 0:
            layoff_counts, stopper = {"laid off": 0}, int(replayed.state.knocker)
            check_showdown(openspiel, spiel_deal, replayed.state, stopper, rules, layoff_counts)
        else:
            assert final_hands == replayed.state.hand.tolist()
        margin = int(replayed.state.score[0] - replayed.state.score[1])
        assert spiel_deal.payoffs == [margin, -margin]
        log = parse_log(spiel.serialize_game_and_state(game, spiel_deal.state))
        assert replay_log(log).state.score.tolist() == replayed.state.score.tolist()
    assert len(endings) > 1


@pytest.mark.parametrize("n_deals", [4, pytest.param(50, marks=SLOW_MARK)])
def test_rlcard_deals_are_replayed(n_deals):
    pytest.importorskip("rlcard", reason="pip install 'simgin[oracle]'")
    import numpy as np
    from rlcard.games.gin_rummy.game import GinRummyGame

    game, rng, n_read = GinRummyGame(), random.Random(5), 0
    game.np_random = np.random.RandomState(5)
    for _ in range(n_deals):
        game.init_game()
        while not game.is_over():
            legal = game.judge.get_legal_actions()
            endings = [action for action in legal if action.action_id >= 58]
            game.step(rng.choice(endings or legal))
        log = parse_log("\n".join(map(str, game.round.move_sheet)))
        try:
            replayed = replay_log(log)
        except PositionError as error:
            assert "take by" in str(error)  # taking the last discard without ending the deal
            continue
        n_read += 1
        rules = build_rules(replayed.matchup.variant)
        for seat, player in enumerate(game.round.players):
            hand = cards_to_mask(parse_cards(" ".join(map(str, player.hand))))
            assert deadwood(hand, rules) == game.round.move_sheet[seat - 2].deadwood_count
            if replayed.ending != "gin":  # the log does not contain the discard
                assert int(replayed.state.hand[seat]) == hand
        expected_knocker = game.round.going_out_player_id if replayed.ending != "void" else -1
        assert replayed.is_truncated or int(replayed.state.knocker) == expected_knocker
    assert n_read > n_deals // 3
