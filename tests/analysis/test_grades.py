"""Tests of grades: error rates from files of deals, blunders, and logs of other engines."""

import json
import math
import random
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
from support.command_line import call

LOGS = Path(__file__).parents[1] / "data/game_logs"
SLOW_TEST = pytest.mark.slow


def write_deal(path, deal):
    path.write_text(json.dumps({"seed": 1, "rows": replay_to_json(make_replay(deal))}))
    return str(path)


def write_pairs(folder):
    """Write three pairs of deals, each deal to a file."""
    matchup = parse_matchup("gold", "simple", "standard", 1, "deal")
    addresses = [(unit, half) for unit in range(3) for half in range(2)]
    return [write_deal(folder / f"{u}{h}.json", trace_deal(matchup, u, h)) for u, h in addresses]


@pytest.fixture
def deal_files(empty_directory):
    return write_pairs(Path())


def grade_gold(files, seed, worlds=None):
    return run_grade(GradeRequest.read(files, "gold", None, None, worlds, seed))


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Grade gold in three pairs of deals once."""
    return grade_gold(write_pairs(tmp_path_factory.mktemp("deals")), 1, 25)


# Against the error rates of strategies


def test_the_files_of_a_strategy_give_the_decisions_of_its_error_rates(graded):
    trial = error_rates.RatingTask.read("gold", "simple", "standard", "champion", 100, 25, 1)
    units = error_rates.evaluate_units(trial, 0, 3)
    found = [one for deal in graded.decisions for one in deal]  # a unit is a file
    alike = ("mirrored_game", "turn", "label", "chosen", "evaluator_cost")
    same, rated = (
        [[getattr(one, name) for name in alike] for one in of] for of in (found, [*chain(*units)])
    )
    assert same == rated and [one.unit // 2 for one in found] == [one.unit for one in chain(*units)]
    assert graded.total.value == pytest.approx(sum(one.cost for one in found) / 6)
    assert graded.task.evaluator.key == trial.evaluator.key


def test_results_of_the_two_players_are_opposite(deal_files):
    requests = [
        GradeRequest.read(deal_files[:2], who, None, "champion", 0, 1) for who in ("gold", "simple")
    ]
    both = [run_grade(request).net_scores for request in requests]
    assert both[0]["won"].value == -both[1]["won"].value != 0
    assert both[0]["less_luck"].value == pytest.approx(-both[1]["less_luck"].value)


@pytest.mark.parametrize(
    ("a", "b", "judge", "opponent", "deals"),
    [
        ("stock-greedy", "simple", "gold", "simple", 30),
        pytest.param("stock-greedy", "simple", "gold", "gold-early", 400, marks=SLOW_TEST),
        pytest.param("stubborn", "gold-early", "gold", "gold", 400, marks=SLOW_TEST),
    ],
)
def test_the_luck_adjusted_result_has_the_same_mean_and_a_smaller_error(
    a, b, judge, opponent, deals
):
    """Apply the performance difference lemma, with any evaluator; luck has mean zero."""
    matchup = parse_matchup(a, b, "standard", 7, "deal")
    played = [
        grades.make_graded_deal(trace_deal(matchup, i // 2, i % 2), i % 2) for i in range(deals)
    ]
    judging = parse_matchup(judge, opponent, "standard", 1, "deal")
    found = grades.grade_deals(grades.make_rating_task("a", judging, deals, 0), played)
    won, less_luck = found.net_scores.values()
    luck = [w - g for w, g in map(found._compute_points_and_loss, range(deals))]
    away = sum(luck) / deals - found.evaluator_gain.value
    error = (sum(one * one for one in luck) / deals**2) ** 0.5
    assert abs(away) < 3 * error
    assert less_luck.se < won.se


# All reports use the same measurement


def test_headline_table_and_list_have_the_same_costs(graded):
    wrong = [one for deal in graded.decisions for one in deal if one.mistake]
    rows = [*error_rates.build_rates_rows(graded)]
    (whole,) = [row for row in rows if row["metric"] == "given_up" and row["kind"] == "all"]
    assert whole["value"] == graded.total.value == pytest.approx(sum(o.cost for o in wrong) / 6)
    assert whole["se"] == pytest.approx(math.sqrt(sum(one.se**2 for one in wrong)) / 6)
    listed = {(row["command"], row["decision"]): row for row in rows if row["metric"] == "cost"}
    assert len(listed) == min(5, len(wrong))
    costs = sorted((one.cost for one in wrong), reverse=True)
    assert [row["points"] for row in listed.values()] == costs[: len(listed)]
    for row in rows:
        alone = [one for one in wrong if (one.kind, one.mistake) == (row["kind"], row["mistake"])]
        if row["metric"] == "given_up" and len(alone) == 1:
            assert (row["value"], row["se"]) == (alone[0].cost / 6, alone[0].se / 6)


def test_a_cost_is_measured_in_new_worlds(deal_files):
    """Compare with 4,000 other worlds within 4 SE: one false alarm in 16,000 decisions."""
    graded = grade_gold(deal_files[:1], 2, 25)
    judge = DecisionEvaluator(graded.task.evaluator, 0)
    (deal,) = graded.deals_played
    checked = 0
    for one, position in zip(graded.decisions[0], iter_positions_of_a(deal), strict=True):
        if one.mistake:
            more = judge.sample_lead(position, one.best, 4000)
            assert abs(more.mean() - one.cost) < 4 * math.hypot(one.se, more.std() / 63)
            checked += 1
    assert checked


@pytest.mark.parametrize(("deals", "seeds"), [(1, 4), pytest.param(6, 16, marks=SLOW_TEST)])
def test_seeds_agree_within_the_reported_errors(deal_files, deals, seeds):
    """Compare each seed with the others; |z| > 3.5 is a false alarm in one of 2,000 seeds."""
    found = [grade_gold(deal_files[:deals], seed).total for seed in range(1, seeds + 1)]
    values = np.array([one.value for one in found])
    error = math.sqrt(np.mean([one.se**2 for one in found]))
    assert error > 0
    for own in found:
        others = (values.sum() - own.value) / (seeds - 1)
        assert abs(own.value - others) < 3.5 * math.hypot(own.se, error / math.sqrt(seeds - 1))
    # Chi-square test of the variance: five standard deviations
    assert values.var(ddof=1) < error**2 * (1 + 5 * math.sqrt(2 / (seeds - 1)))


@SLOW_TEST
def test_the_interval_of_a_few_deals_covers_the_results_of_other_seeds():
    """Check 192 intervals of 24 deals with eight seeds: 95 % are within 2.8 SE."""
    hits = []
    for a, b in (("simple", "gold"), ("gold-early", "simple"), ("random", "gold")):
        matchup = parse_matchup(a, b, "standard", 21, "deal")
        seats = [(trace_deal(matchup, unit, half), half) for unit in range(4) for half in range(2)]
        played = [grades.make_graded_deal(deal, half) for deal, half in seats]
        costs, errors = [], []
        for seed in range(1, 9):
            judging = parse_matchup("champion", b, "standard", seed, "deal")
            graded = grades.grade_deals(grades.make_rating_task("a", judging, len(played)), played)
            costs.append([sum(one.cost for one in deal) for deal in graded.decisions])
            errors.append([sum(one.se**2 for one in deal) for deal in graded.decisions])
        values, variances = np.array(costs), np.array(errors)
        others = (values.sum(axis=0) - values) / 7
        reach = 1.96 * np.sqrt(variances + variances.mean(axis=0) / 7)
        hits.append(np.abs(values - others) <= reach)
    assert np.mean(hits) > 0.90


def test_few_deals_are_not_reported_as_a_rate(graded):
    """Also omit the comparison with the ladder, whose rates come from hundreds of deals."""
    few = graded
    message = " ".join(grades.iter_grade_sentences(few))
    assert "in these 6 deals" in message and "To find out how well gold plays" in message
    assert "about as much as" not in message and "Luck-adjusted" not in message
    report = few.report("")
    assert "Comparison" not in [table.title for table in report.tables]
    many = replace(
        few,
        decisions=few.decisions * 5,
        deals_played=few.deals_played * 5,
        opponent_decisions=few.opponent_decisions * 5,
    )
    message = " ".join(grades.iter_grade_sentences(many))
    assert "these" not in message and "Luck-adjusted" in message
    report = many.report("")
    (ladder,) = [table for table in report.tables if table.title == "Comparison"]
    assert all("±" in str(row) for row in ladder.rows)


def test_several_opponents_are_counted(empty_directory):
    for number, opponent in enumerate(("gold", "simple", "simple")):
        matchup = parse_matchup("champion", opponent, "standard", 1, "deal")
        write_deal(Path(f"{number}.json"), trace_deal(matchup, number, number % 2))
    both, one = (
        " ".join(call("grade", *names, "--player", "champion", "--worlds", 1).stdout.split())
        for names in (("0.json", "1.json", "2.json"), ("1.json", "2.json"))
    )
    assert "The deals were played against 2 opponents: simple (2) and gold (1)." in both
    assert "champion replaces all opponents" in both and "opponents" not in one


# Blunders


def test_the_cost_of_a_blunder_agrees_with_analyze(empty_directory):
    """Discard the card that leaves the most deadwood in the first turn."""
    matchup = parse_matchup("champion", "champion", "standard", 4, "deal")
    best = trace_deal(matchup, 3)
    numbers = [n for n, asked in enumerate(best.decisions) if asked.slot == "discard"]
    number = next(n for n in numbers if best.decision(n).seat == 0)
    view = best.decision(number).view
    rules = build_rules(matchup.variant)
    worst = max(
        (card for card in range(52) if int(view.legal) >> card & 1),
        key=lambda card: deadwood(int(view.hand) & ~(1 << card), rules),
    )
    answers = [asked.action for asked in best.decisions[:number]]
    played = trace_deal(
        matchup, 3, pack=best.state.pack, dealer=best.state.dealer, script=[*answers, worst]
    )
    file = write_deal(
        Path("blunder.json"), truncate_deal(played, number + 1, has_open_decision=False)
    )
    found = json.loads(call("grade", file, "--json").stdout)["rows"]
    costly = next(row for row in found if row["metric"] == "cost")
    assert costly["done"].startswith("discard") and costly["value"] > 5
    assert not [row for row in found if row["metric"] in ("won", "less_luck")]
    words = costly["command"].split()[1:]
    priced = json.loads(call(*words, "--worlds", 2000, "--json").stdout)["rows"]
    by_action = {row["action"]: row for row in priced}
    done, best = (by_action[costly[name]] for name in ("done", "best"))
    error = math.hypot(done["points_se"], best["points_se"], costly["se"])
    assert abs(best["points"] - done["points"] - costly["value"]) < 3 * error < 9


# Logs of other engines

RESULTS = {
    "openspiel-bots.txt": ("knock", [0, 4], "gin_bonus=20"),
    "openspiel-history.txt": ("knock", [8, 0], ""),
    "openspiel-oklahoma.txt": ("knock", [0, 33], "knock_by_upcard=yes"),
    "openspiel-wall.txt": ("knock", [28, 0], ""),
    "openspiel-broken-off.txt": ("", None, ""),
    "kaggle-replay.json": ("knock", [8, 0], ""),
    "rlcard-novices.txt": ("knock", [0, 18], "first_turn=discard_first"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_real_log_has_the_recorded_result(name):
    kind, score, rule = RESULTS[name]
    recorded = read_deal_file(LOGS / name)
    assert recorded.deal.kind == kind and rule in recorded.deal.matchup.variant.spec
    assert recorded.deal.is_truncated == (score is None)
    assert score is None or recorded.deal.state.score.tolist() == score


def test_the_parameters_of_openspiel_become_rules():
    assert [format_card(_convert_card(number)) for number in (0, 13, 26, 51)] == [
        "AS",
        "AC",
        "AD",
        "KH",
    ]
    row = read_deal_file(LOGS / "openspiel-bots.txt").deal.matchup.variant.params
    assert (row["knock_limit"], row["gin_bonus"], row["undercut_bonus"]) == (5, 20, 10)
    text = SERIALIZED.format("gin_rummy(knock_card=5,oklahoma=True)")
    assert parse_log(text).variant.endswith("+knock_by_upcard=yes")
    row = read_deal_file(LOGS / "openspiel-history.txt").deal.matchup.variant.params
    assert (row["knock_limit"], row["gin_bonus"], row["undercut_bonus"]) == (10, 25, 25)


def test_a_kaggle_replay_names_its_teams():
    recorded, plain = (
        parse_log((LOGS / name).read_text())
        for name in ("kaggle-replay.json", "openspiel-history.txt")
    )
    assert recorded.names == ("Team One", "Team Two")
    assert replace(recorded, names=plain.names, variant=plain.variant) == plain
    shown = call("grade", LOGS / "kaggle-replay.json", "--player", "Team Two", "--worlds", 25)
    assert "Grade of Team Two in 1 deal (OpenSpiel)" in shown.stdout


def test_the_screen_names_the_differences_of_other_engines(empty_directory):
    for engine, name in (("OpenSpiel", "openspiel-bots"), ("RLCard", "rlcard-novices")):
        file = LOGS / f"{name}.txt"
        shown = " ".join(call("grade", file, "--player", 1, "--worlds", 25).stdout.split())
        assert ENGINE_NOTES[engine] in shown and f"1 deal ({engine})" in shown
        assert "error for this deal" in shown
        analyses = f"simgin analyze {file} --turn" in shown
        assert analyses != ("made no significant mistake" in shown)


def test_the_error_names_a_move_that_the_rules_forbid():
    text = (LOGS / "openspiel-history.txt").read_text().split()
    begins = text[:21]
    for moves, message in (
        (["53"], "move 1 .draw by player 0. is not legal"),
        (["54", "54", "52"], "move 3 .take by player 0. is not legal"),
        (["52", begins[10]], "move 2 .discard .. by player 0. is not legal"),
        (["52", "55", begins[0]], "move 2 .knock .. by player 0. is not legal"),
    ):
        with pytest.raises(PositionError, match=message):
            replay_log(parse_log("\n".join([*begins, *moves])))
    with pytest.raises(PositionError, match=r"move 110 .take by S"):
        read_deal_file(LOGS / "rlcard-random.txt")


HISTORY = (LOGS / "openspiel-history.txt").read_text()
SHEET = (LOGS / "rlcard-novices.txt").read_text()
SERIALIZED = "[Game]\n{}\n[State]\n" + HISTORY
PROXY_LOG = "[Game]\ngin_rummy_proxy()\n[State]\nhistory={}\nmove_number=1\n"
DEALT = ",".join(f"-1:{number}" for number in HISTORY.split()[:21])
REPLAY = (LOGS / "kaggle-replay.json").read_text()
INVALID_LOGS = {
    "": "neither the output",
    "{": "neither the output",
    '{"rows": []}': "lacks fields",
    "[1, 2]": "ends before the cards are dealt",
    HISTORY.replace("\n", "\n240\n", 1): "240 is not a valid OpenSpiel card number",
    HISTORY.split()[0] + "9" * 5000 + HISTORY: "is not a valid deal file",
    "\n".join(["7"] * 30): "the log repeats a card",
    SERIALIZED.format("chess()"): "the log is not from the game gin_rummy",
    SERIALIZED.format("gin_rummy(hand_size=7)"): "game parameter 'hand_size=7'",
    SERIALIZED.format("gin_rummy(knock_card=500)"): "knock_limit",
    SERIALIZED.format("gin_rummy(oklahoma=maybe)"): "knock_by_upcard",
    SERIALIZED.format(
        "repeated_game(stage_game=gin_rummy())"
    ): "the log is not from the game gin_rummy",
    SERIALIZED.format("gin_rummy()") * 2: "the file contains several deals",
    SERIALIZED.format("gin_rummy()").replace(
        "\n54", "\nfold", 1
    ): "'fold' is not a valid OpenSpiel action",
    PROXY_LOG.format(""): "ends before the cards are dealt",
    PROXY_LOG.format("0:1," + DEALT): "a move before the cards are dealt",
    PROXY_LOG.format(
        DEALT + ",1:54"
    ): "an action by player 1 (action 54), but it is player 0's turn",
    PROXY_LOG.format(DEALT + ",0:54,2:54"): "'2:54' is not a valid OpenSpiel action",
    REPLAY.replace("gin_rummy_proxy", "hearts_proxy"): "the log is not from the game gin_rummy",
    REPLAY.replace("history=-1:43", "history=-1:44", 2): "the file contains several deals",
    REPLAY.replace("# Automatically", "", 0)[:2000]: "neither the output",
    '{"steps": [{"serializedGameAndState": ""}]}': "contains no data for",
    SHEET.replace("AD ", "", 1): "51 cards",
    SHEET.replace("AD ", "XX ", 1): "not a card",
    SHEET.replace("discard", "eat", 1): "is not a valid move in RLCard's",
    SHEET.replace("discard KS", "discard", 1): "move 1 (discard by S)",
    SHEET.replace("discard KS", "discard Kx", 1): "not a card",
    SHEET.replace("S discard KS", "N discard KS", 1): "move 1 (discard KS by N)",
    SHEET + "N discard KS": "discard KS by N",
    SHEET.splitlines()[0]: "contain no decision",
}


@pytest.mark.parametrize("text", INVALID_LOGS)
def test_an_invalid_deal_is_rejected_with_a_message(text, empty_directory):
    Path("log.txt").write_text(text)
    message = " ".join(call("grade", "log.txt", code=2).stderr.split())
    assert INVALID_LOGS[text] in message and message.endswith(".")


@pytest.mark.parametrize(
    ("words", "sentence"),
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
def test_what_cannot_be_graded_is_rejected(words, sentence, deal_files):
    write_deal(
        Path("other.json"), trace_deal(parse_matchup("simple", "gold", "standard", 1, "deal"))
    )
    logs = {"openspiel": LOGS / "openspiel-bots.txt", "rlcard": LOGS / "rlcard-random.txt"}
    done = call("grade", *words.format(**logs).split(), code=2)
    assert sentence in " ".join(done.stderr.split())


def test_the_report_contains_its_command(deal_files):
    call("grade", *deal_files[:2], "--worlds", 25, "-o", "out")
    page = Path("out/report.html").read_text()
    assert "Grade of gold in 2 deals" in page and "rlcard-novice" not in page
    assert "simgin analyze 0" in page


# Logs of other engines


TEAMS = ("Ada", "Bo")


def kaggle_logs(game, state):
    """Return a state with the header of Kaggle's proxy, and a replay that ends with it."""
    entries = [f"{one.player}:{one.action}" for one in state.full_history()]
    head = "[Meta]\nVersion: 1\n\n[Game]\n" + str(game).replace("gin_rummy(", "gin_rummy_proxy(")
    texts = [
        f"{head}\n[State]\nhistory={','.join(entries[:n])}\nmove_number={n}\n__dict__=gASV99\n"
        for n in (21, len(entries) // 2 + 11, len(entries))
    ]
    steps = [[{"observation": {"serializedGameAndState": text}} for text in texts[:1]]]
    steps += [
        [{"observation": {"step": 1}}, {"observation": {"serializedGameAndState": text}}]
        for text in texts[1:]
    ]
    return texts[-1], json.dumps({"info": {"TeamNames": [*TEAMS]}, "steps": steps})


@pytest.mark.parametrize("deals", [8, pytest.param(100, marks=SLOW_TEST)])
def test_random_games_of_openspiel_agree_in_every_format(deals):
    """Read finished and unfinished games, under the rules of the game."""
    spiel = pytest.importorskip("pyspiel", reason="pip install 'simgin[oracle]'")
    rng, variants = random.Random(4), set()
    for i in range(deals):
        rules = {"oklahoma": i % 3 == 1, "knock_card": rng.randint(1, 10)}
        rules |= {"gin_bonus": rng.choice((25, 20)), "undercut_bonus": rng.choice((25, 10))}
        state = spiel.load_game("gin_rummy", rules).new_initial_state()
        most = rng.choice((0, 3, 40, 10**4))  # moves after the deal
        while not state.is_terminal() and state.move_number() < 21 + most:
            state.apply_action(rng.choice(state.legal_actions()))
        if state.move_number() < 21:
            continue
        game = state.get_game()
        log = parse_log(spiel.serialize_game_and_state(game, state))
        proxy, replay = map(parse_log, kaggle_logs(game, state))
        assert proxy == log and replay == replace(log, names=TEAMS)
        alone = parse_log(kaggle_logs(game, state)[0].partition("[State]")[2])
        assert alone == replace(log, variant=alone.variant)
        variants.add(log.variant)
    assert len(variants) > 4


@pytest.mark.parametrize("deals", [4, pytest.param(100, marks=SLOW_TEST)])
def test_deals_of_openspiel_are_read_back(deals):
    spiel = pytest.importorskip("pyspiel", reason="pip install 'simgin[oracle]'")
    from oracles import openspiel
    from oracles.test_openspiel import ROW, check_showdown, random_actions, stacked_pack
    from support import hands

    rng, ends = random.Random(3), set()
    for i in range(deals):
        text = ROW + ("", "+knock_by_upcard=yes", "+gin_bonus=20+undercut_bonus=10")[i // 3 % 3]
        rules, row = hands.game(text)
        theirs = openspiel.Deal(row, stacked_pack(rng) if i % 2 else rng.sample(range(52), 52))
        for action in random_actions(rng, openspiel, theirs, rules):
            theirs.act(action)
        game = theirs.state.get_game()
        held = [theirs.hand(seat) for seat in range(2)]
        plain = spiel.serialize_game_and_state(game, theirs.state)
        ours = replay_log(parse_log((plain, *kaggle_logs(game, theirs.state))[i % 3]))
        ends.add(ours.kind)
        if ours.is_truncated:  # a rule of that engine
            assert theirs.over and theirs.returns == [0, 0]
            continue
        if ours.state.knocker >= 0:
            seen, stopper = {"laid off": 0}, int(ours.state.knocker)
            check_showdown(openspiel, theirs, ours.state, stopper, rules, seen)
        else:
            assert held == ours.state.hand.tolist()
        margin = int(ours.state.score[0] - ours.state.score[1])
        assert theirs.returns == [margin, -margin]
        log = parse_log(spiel.serialize_game_and_state(game, theirs.state))
        assert replay_log(log).state.score.tolist() == ours.state.score.tolist()
    assert len(ends) > 1


@pytest.mark.parametrize("deals", [4, pytest.param(50, marks=SLOW_TEST)])
def test_deals_of_rlcard_are_read_back(deals):
    pytest.importorskip("rlcard", reason="pip install 'simgin[oracle]'")
    import numpy as np
    from rlcard.games.gin_rummy.game import GinRummyGame

    game, rng, read = GinRummyGame(), random.Random(5), 0
    game.np_random = np.random.RandomState(5)
    for _ in range(deals):
        game.init_game()
        while not game.is_over():
            legal = game.judge.get_legal_actions()
            endings = [action for action in legal if action.action_id >= 58]
            game.step(rng.choice(endings or legal))
        log = parse_log("\n".join(map(str, game.round.move_sheet)))
        try:
            ours = replay_log(log)
        except PositionError as error:
            assert "take by" in str(error)  # taking the last discard without ending the deal
            continue
        read += 1
        rules = build_rules(ours.matchup.variant)
        for seat, player in enumerate(game.round.players):
            hand = cards_to_mask(parse_cards(" ".join(map(str, player.hand))))
            assert deadwood(hand, rules) == game.round.move_sheet[seat - 2].deadwood_count
            if ours.kind != "gin":  # the log does not contain the discard
                assert int(ours.state.hand[seat]) == hand
        went_out = game.round.going_out_player_id if ours.kind != "void" else -1
        assert ours.is_truncated or int(ours.state.knocker) == went_out
    assert read > deals // 3
