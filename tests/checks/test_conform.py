"""`simgin conform`: every worked example passes, a changed one fails, and a bad file is refused."""

import copy
import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from simgin.checks.examples import deal_script, files, solo_script
from simgin.checks.examples.kinds import KINDS
from simgin.cli.main import cli

FILE = Path(__file__).parents[1] / "data" / "rules_vectors.json"
VECTORS = {vector["id"]: vector for vector in json.loads(FILE.read_text())["vectors"]}
ALL = list(VECTORS)


@pytest.fixture
def file(tmp_path):
    """Write vectors to a file and return its path."""

    def write(*vectors):
        path = tmp_path / "vectors.json"
        path.write_text(json.dumps({"vectors": list(vectors)}))
        return path

    return write


def simgin(*words):
    return CliRunner().invoke(cli, [str(word) for word in words], prog_name="simgin")


def changed(name, path, value):
    """A vector with the value at `path` (keys) replaced."""
    vector = copy.deepcopy(VECTORS[name])
    *way, last = path
    place = vector
    for key in way:
        place = place[key]
    place[last] = value
    return vector


def outcome(vector):
    """The verdict on a vector."""
    example = files._example(vector, 1)
    return files.run([example])[0]


def made(kind, given, expect, variant="standard"):
    return {"id": "made", "kind": kind, "variant": variant, "input": given, "expect": expect}


# A position that the rules allow and the script cannot reach: no upcard and few cards in the stock.
BY_READING = made(
    "options",
    {"state": {"first_turn": "discard_first", "phase": "after the throw", "stock": 9}},
    {"options": ["stock"]},
)


# --- the worked examples of the rules ----------


@pytest.mark.parametrize("name", ALL)
def test_the_engine_agrees_with_the_worked_examples_of_the_rule_book(name):
    verdict = outcome(VECTORS[name])
    assert (verdict.outcome, verdict.differences) == (files.PASSED, {})


def test_the_whole_file_passes():
    result = simgin("conform", FILE)
    assert result.exit_code == 0
    kinds = Counter(vector["kind"] for vector in VECTORS.values())
    rows = {
        words[0]: words[1:]
        for line in result.stdout.splitlines()
        if (words := line.split()) and words[0] in {*kinds, "all"}
    }
    assert rows == {kind: [str(n), "0", "0"] for kind, n in kinds.items()} | {
        "all": ["248", "0", "0"]
    }
    assert "Not supported" not in result.stdout
    assert set(kinds) == set(KINDS)


def test_json_has_a_row_for_every_vector():
    result = simgin("conform", FILE, "--kind", "shot_digits", "--json")
    answer = json.loads(result.stdout)
    assert answer["command"] == f"simgin conform {FILE} --kind shot_digits"
    assert [row["id"] for row in answer["rows"]] == [
        name for name, vector in VECTORS.items() if vector["kind"] == "shot_digits"
    ]
    assert {row["outcome"] for row in answer["rows"]} == {"passed"}


# --- the runner can fail ----------


def numbers(value, path=()):
    """Every place in an expectation that holds a number or a truth value."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(inner, (*path, key))
    elif isinstance(value, int):
        yield path, value


WRONG_NUMBERS = [
    (name, path, not value if isinstance(value, bool) else value + 1)
    for name in ALL
    if not (VECTORS[name]["kind"] == "exact_counts" and name != "CT1")
    for path, value in numbers(VECTORS[name]["expect"])
]


@pytest.mark.parametrize("name", [name for name in ALL if VECTORS[name]["kind"] == "options"])
def test_every_missing_or_extra_option_is_detected(name):
    right = VECTORS[name]["expect"]["options"]
    for wrong in (right[1:], [*right, "draw twice"]):
        assert outcome(changed(name, ("expect", "options"), wrong)).differences == {
            "options": (wrong, right)
        }


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"options"}))  # which have no numbers
def test_every_changed_number_is_detected(kind):
    cases = [case for case in WRONG_NUMBERS if VECTORS[case[0]]["kind"] == kind]
    assert cases
    for name, path, value in cases:
        verdict = outcome(changed(name, ("expect", *path), value))
        assert verdict.outcome == files.FAILED, (name, path)
        assert (path[0] if path else KINDS[kind].bare) in verdict.differences


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("D03", "families", [["4S 4H 4D", "5S 5H 5D", "6S 6H 6D"]]),  # one of two
        (
            "D33",
            "families",
            [["AS 2S 3S", "4S 5S 6S 7S 8S 9S TS"], ["AS 2S 3S", "4S 5S 6S 7S 8S 9S TS"]],
        ),  # twice the same
        ("D03", "auto_melds", ["4D 5D 6D", "4H 5H 6H", "4S 5S 6S"]),
        ("K01", "knock", {}),
        ("K01", "knock", {"9C": 8, "6D": 11}),
        ("K18", "shot", []),
        ("L01", "laid_off_example", ["JH", "TH"]),
        ("L01", "laid_off_example", ["JH", "TH", "6H", "QC"]),
        ("L01", "own_melds_example", []),
        ("L03", "own_melds_example", ["8S 8H 8D 8C"]),
        ("S03", "knocker_melds", ["4S 5S 6S", "9H 9D 9C", "QS QH"]),
        ("SD4", "cards", [8]),
        ("M01", "winner", 1),
        ("M01", "winner", None),
        ("M03", "scores", {"player": 101, "joker": 62}),
        ("M03", "winner", "player"),
        ("T01", "how", "knock"),
        ("T01", "stopper", "D"),
        ("T01", "illegal", "N take"),
        ("T02", "points", {"N": 25, "D": 0}),
        ("T03", "illegal", "D pass"),
        ("T06", "illegal", "N throw QD"),
        ("T07", "how", "stalled"),
        ("O01", "how", "knock"),
        ("O02", "how", "gin"),
        ("O13", "illegal", "deadwood 27 exceeds the limit"),
        ("O13", "illegal", None),
        ("O14", "how", "joker"),
        ("O15", "how", "redeal"),
        ("R01", "how", "limit"),
        ("R02", "how", "gin"),
        ("PR9", "winner", 1),
        ("PR9", "winner", None),
        ("PR10", "games", [7, 5]),
        ("RA1", "winner", 0),
        ("RA2", "winner", 1),
        ("TW3", "winner", 0),
        ("TW1", "deals_won", [1, 7]),
        ("HO1", "closed_by", [0, 0]),
        ("HO1", "boxes", [[0, 3], [3, 2], [3, 2]]),
        ("HO2", "columns", [[105, 0], [101, 72], [106, 60]]),
        ("HO4", "settlement", [-65, 75, None]),
        ("HO4", "total", None),
        ("HO6", "total", True),
        ("SO1", "won", None),
        ("DI1", "owner", 0),
        ("DI1", "ended_by", "void"),
        ("DI2", "ended_by", "play"),
        ("DI6", "illegal", "the new number must exceed the present one and be at most 6"),
        ("DI8", "illegal", None),
        ("DI10", "winner", 0),
        ("DR1", "winner", None),
        ("DR2", "won_deals", [6, 2]),
    ],
)
def test_other_changes_are_detected(name, key, value):
    verdict = outcome(changed(name, ("expect", key), value))
    assert verdict.outcome == files.FAILED
    assert key in verdict.differences


def test_an_impossible_script_with_an_expected_result_names_the_action():
    vector = changed("T05", ("expect",), {"how": "void"})
    assert outcome(vector).differences == {"how": ("void", "N throw QD (action 2) is not possible")}


def test_a_legal_script_has_no_illegal_action():
    script = VECTORS["T02"]["input"]["actions"]
    vector = changed("T02", ("expect",), {"illegal": script[-1]})
    assert outcome(vector).differences == {"illegal": ("N stop 2D", None)}


def test_failures_are_printed_with_what_was_expected(file):
    path = file(VECTORS["P01"], changed("P03", ("expect", "other"), 30), BY_READING)
    result = simgin("conform", path)
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "P03 failed: deal_points, standard\n  other\n    expected 30\n    got      29\n"
    )
    assert next(line.split() for line in result.stdout.splitlines() if line.startswith("all")) == [
        "all",
        "1",
        "1",
        "1",
    ]


def test_a_file_of_unsupported_vectors_is_reported(file):
    result = simgin("conform", file(BY_READING))
    assert result.exit_code == 3
    assert (
        "    1  options: positions by the size of the stock" in result.stdout
        and "this one is by reading." in result.stdout
    )
    assert simgin("conform", file(BY_READING, VECTORS["P01"])).exit_code == 0


# --- other vectors of the schema ----------


HANDS = {
    key: VECTORS["T02"]["input"][key]
    for key in ("nondealer", "dealer", "upcard", "stock_top_first")
}
BIG = "3S 4S 5S 6S 8H 8D 8C 8S JD QD KD"
OTHERS = [
    card
    for suit in "SHDC"
    for card in (f"{rank}{suit}" for rank in "A23456789TJQK")
    if card not in BIG.split()
]


def two_player_script(actions, expect, **overrides):
    """A two-player script with the hands of T02."""
    return made("play_script", {**HANDS, "actions": actions, "overrides": overrides}, expect)


@pytest.mark.parametrize(
    ("vector", "passes"),
    [
        (
            made(
                "deadwood",
                {"hand": "KS AS 2S 3D 3H 3C 9H TH JH 5C", "ace_runs": "corner"},
                {"deadwood": 5},
            ),
            True,
        ),
        (
            made("deal_points", {"stop": "gin", "other_count": 30}, {"stopper": 55, "other": 0}),
            True,
        ),
        (
            made(
                "knock_limit",
                {"upcard": "AS"},
                {"limit": 1, "multiplier": 2},
                "oklahoma-spades+upcard_ace_limit=1",
            ),
            True,
        ),
        (
            made(
                "knock_limit",
                {"upcard": "7S", "overrides": {"spade_multiplier": 2}},
                {"limit": 7, "multiplier": 2},
                "oklahoma",
            ),
            True,
        ),
        (
            made(
                "match_points",
                {"events": [{"winner": 0, "points": 9}], "target": 10},
                {"winner": None, "deals": 1},
            ),
            True,
        ),
        (
            made(
                "match_points",
                {"events": [], "target": 10, "start_points": [5, 0]},
                {"scores": [5, 0]},
            ),
            True,
        ),
        # ten points are left over
        (made("showdown", {**VECTORS["S13"]["input"], "how": "gin"}, {"stopper": 36}), False),
        # no shot at 100
        (made("showdown", {**VECTORS["S08"]["input"], "own_score": 100}, {"stopper": 82}), False),
        # the openings of Basic Gin: the stock at the first decision, the upcard after two passes,
        # and the pass with three choices
        (
            two_player_script(
                ["N pass", "D stock", "D throw KS", "N pass"],
                {"illegal": "N pass"},
                first_turn="upcard_stock_or_pass",
            ),
            True,
        ),
        (
            two_player_script(
                ["N pass", "D pass", "N take", "N throw QS", "D stock"],
                {"stock": 30},
                first_turn="upcard_stock_or_pass",
            ),
            True,
        ),
        (
            two_player_script(
                ["N pass", "D pass", "N take"],
                {"illegal": "N take"},
                first_turn="upcard_stock_or_pass_dead",
            ),
            True,
        ),
        (
            two_player_script(
                ["N take", "N throw KD"], {"stock": 31}, first_turn="free", discard_ban="none"
            ),
            True,
        ),
        (two_player_script(["D stock"], {"illegal": "D stock"}), True),
        (two_player_script(["N take", "D throw KD"], {"illegal": "D throw KD"}), True),
        (two_player_script(["N take", "N throw JS"], {"illegal": "N throw JS"}), True),
        (two_player_script(["N take", "N stop QS"], {"illegal": "N stop QS"}), True),
        (two_player_script(["N take", "N big gin"], {"illegal": "N big gin"}, big_gin=True), True),
        # The example means its last action, but here the first of two equal ones is impossible.
        (two_player_script(["N stock", "N stock"], {"illegal": "N stock"}), False),
    ],
)
def test_other_vectors_of_the_schema_pass_or_fail(vector, passes):
    verdict = outcome(vector)
    assert verdict.outcome == (files.PASSED if passes else files.FAILED), verdict.differences


def test_big_gin_can_be_declared_with_the_dealt_cards():
    given = {
        "nondealer": BIG,
        "dealer": " ".join(OTHERS[:10]),
        "stock_top_first": " ".join(OTHERS[10:]),
        "actions": ["N big gin"],
    }
    vector = made(
        "play_script",
        given | {"overrides": {"first_turn": "discard_first", "big_gin": True}},
        {"how": "big_gin", "stock": 31},
    )
    vector["expect"] |= {"winner": "N", "stopper": "N", "own": 0, "turns": 1}
    assert outcome(vector).outcome == files.PASSED


def test_a_forced_draw_belongs_to_the_script():
    vector = made(
        "play_script",
        {**HANDS, "actions": ["N stock", "N throw QD", "D stock", "D throw KS"]},
        {"illegal": None, "stock": 29},
    )
    vector["input"]["overrides"] = {"first_turn": "free", "take_discard": False}
    assert outcome(vector).outcome == files.PASSED
    vector["input"]["actions"] = ["N throw QS"]
    vector["expect"] = {"illegal": "N throw QS"}
    assert outcome(vector).outcome == files.PASSED


def test_an_opponent_who_cannot_end_the_deal_with_the_last_discard_passes():
    vector = changed("T12", ("input", "overrides"), {"stock_end": "opponent_may_take"})
    vector["input"]["actions"] = [*vector["input"]["actions"][:-1], "N throw 6C", "D pass"]
    vector["expect"] = {"how": "void", "stock": 2}
    assert outcome(vector).outcome == files.PASSED
    vector["input"]["actions"][-1] = "D take"
    vector["expect"] = {"illegal": "D take"}
    assert outcome(vector).outcome == files.PASSED


def test_what_the_engine_cannot_play_is_reported_as_unsupported():
    vector = changed(
        "T09", ("input", "overrides"), {"stock_end": "opponent_may_take", "knock_limit": 30}
    )
    vector["input"]["actions"][-1] = "D stop QC"
    verdict = outcome(vector)
    assert verdict.outcome == files.NOT_SUPPORTED
    assert "proposes the best ending only" in verdict.reason
    vector["input"]["overrides"]["knock_limit"] = 1
    vector["expect"] = {"illegal": "D take"}
    assert outcome(vector).outcome == files.PASSED


def state(**given):
    return {"state": given}


LATE = {"stock": 2, "phase": "after the throw", "stock_end": "opponent_may_take"}
HOLDING = {"stock_before_draw": 3, "phase": "drawer holds eleven"}


@pytest.mark.parametrize(
    ("given", "can"),
    [
        (state(first_turn="upcard_pass", to_move="dealer", passes=1), ["take", "pass"]),
        (
            state(first_turn="discard_first", to_move="nondealer", passes=0),
            ["throw", "knock", "gin"],
        ),
        (state(**HOLDING, knock_limit=1), ["throw", "gin"]),
        (state(**HOLDING, big_gin=True), ["throw", "knock", "gin", "big gin"]),
        (state(**{**HOLDING, "stock_before_draw": 4}), ["throw", "knock", "gin"]),  # the other seat
        (
            state(**{**HOLDING, "stock_before_draw": 31}, first_turn="free"),
            ["throw", "knock", "gin"],
        ),
        (state(**HOLDING, stock_reserve=3), None),  # nobody draws that card
        (
            state(**{**HOLDING, "stock_before_draw": 4}, stock_reserve=3, stock_end="at_draw"),
            ["void"],
        ),
        (
            state(**LATE, discard_ban="drawn", take_to_knock="melded"),
            ["take and end the deal", "pass"],
        ),
        (state(**{**LATE, "stock": 3}, stock_reserve=3, can_end_with_it=False), ["pass"]),
        (state(**{**LATE, "stock": 3}, can_end_with_it=False), ["take", "stock"]),
        (state(**{**LATE, "stock": 30}), ["take", "stock"]),
        (state(stock=9, phase="after the throw", first_turn="free", take_discard=False), ["stock"]),
        (state(first_turn="free", to_move="dealer", passes=1), None),  # nobody may pass
    ],
)
def test_the_options_in_other_positions(given, can):
    verdict = outcome(made("options", given, {"options": can or []}))
    if can is None:
        assert "is not possible" in verdict.differences["options"][1]
    else:
        assert verdict.differences == {}
        wrong = outcome(made("options", given, {"options": [*can[1:], "take a walk"]}))
        assert wrong.differences["options"][1] == can


SOLO = {"hand": "3S 4S 5S 8H 8D 8C QD KD 2H 6C", "deck_top_first": "JD 8S 4C 9H X"}
ELEVEN = {"hand": "3S 4S 5S 6S 8H 8D 8C 8S JD QD KD", "deck_top_first": "4H 7C X"}
PENALTY = {"hand": "AD 2D 3D QC KC AC 8H 8S 8D 8C", "deck_top_first": "2S 3S"}


def one_player_script(actions, expect, variant="solitaire-gin-knock", given=SOLO, **overrides):
    return made(
        "solo_script", {**given, "actions": actions, "overrides": overrides}, expect, variant
    )


OPEN = {"how": "the script ends before the deal"}


@pytest.mark.parametrize(
    "vector",
    [
        # what is not possible, and why not
        one_player_script(["draw", "throw 7S"], {"illegal": "throw 7S"}),
        one_player_script(
            ["draw", "throw JD", "draw", "throw 8S", "stop", "draw"],
            {"illegal": "deadwood 28 exceeds the limit, as action 5"},
        ),
        one_player_script(["draw", "stop"], {"illegal": "stop"}),
        one_player_script(["throw 2H"], {"illegal": "throw 2H"}),
        one_player_script(["draw", "big gin"], {"illegal": "big gin"}),
        one_player_script(["draw", "throw 2H", "stop", "draw"], {"illegal": "the deal is over"}),
        one_player_script(
            ["stop"],
            {"illegal": "no stop before the first draw"},
            stop_before_draw=False,
            knock_limit=30,
        ),
        one_player_script(["stop"], {"how": "undercut", "joker": 28 - 4 + 25}, knock_limit=30),
        one_player_script(
            ["draw", "big gin"], {"illegal": "draw, as action 1"}, "gin-solitaire", ELEVEN
        ),
        one_player_script(
            ["throw 3S", "stop", "draw"], {"illegal": "the deal is over"}, "gin-solitaire", ELEVEN
        ),
        one_player_script(
            ["throw KD", "stop"],
            {"illegal": "deadwood 20 exceeds the limit"},
            "gin-solitaire",
            ELEVEN,
        ),
        one_player_script(["stop"], {"illegal": "stop"}, "gin-solitaire", ELEVEN),
        one_player_script(
            ["big gin"], {"illegal": "big gin"}, "gin-solitaire", ELEVEN, big_gin=False
        ),
        one_player_script(
            ["stop"],
            {"illegal": "deadwood 30 exceeds the limit"},
            "solitary-gin",
            {**SOLO, "deck_top_first": "2C"},
        ),
        # a script that ends before the deal does, even if the joker is next
        one_player_script([], OPEN),
        one_player_script(["draw", "throw JD"], OPEN | {"draws": 1}),
        one_player_script(["draw", "throw 9C"], OPEN, given={**SOLO, "deck_top_first": "9C X"}),
        one_player_script(["throw 3S"], OPEN, "gin-solitaire", ELEVEN),
        one_player_script(["throw 3S", "draw"], OPEN, "gin-solitaire", ELEVEN),
        # gin that may be declined, and gin that may not
        one_player_script(
            ["throw 3S", "draw", "throw 4H", "stop"],
            {"how": "gin", "player": 26},
            "gin-solitaire",
            ELEVEN,
        ),
        one_player_script([], {"how": "gin", "score": -20, "draws": 0}, "solitary-gin", PENALTY),
        one_player_script(
            ["draw", "throw 2S", "stop"],
            {"how": "gin", "draws": 1},
            "solitary-gin",
            PENALTY,
            stop_before_draw=False,
        ),
        # the joker in the hand
        one_player_script(
            ["stop"],
            {"how": "joker", "joker": 1, "draws": 0},
            "solitaire-gin",
            {**SOLO, "hand": "X 3S 4S 5S 8H 8D 8C QD KD 2H", "deck_top_first": "JD"},
            joker_in_hand="lose",
        ),
    ],
)
def test_other_one_player_deals_pass(vector):
    assert outcome(vector).differences == {}


def test_an_impossible_one_player_script_names_the_action():
    vector = one_player_script(["draw", "throw 7S", "stop"], {"how": "gin"})
    assert outcome(vector).differences == {"how": ("gin", "throw 7S (action 2) is not possible")}


def die(events, expect, winner=None, **options):
    return made(
        "die", {"events": events, "deal_winner": winner, "options": options}, expect, "dice"
    )


BEFORE, TAKEN = ["before", "offer", 0, 2], ["before", "accept", 1, None]
DEARER = "the new number must exceed the present one and be at most 6"
CENTRED = "the die in the centre may be offered only before the cards are seen, as offer 1"


@pytest.mark.parametrize(
    "vector",
    [
        die([], {"winner": 0, "won_deals": 1}, 0),
        die([], {"winner": None, "won_deals": 0, "ended_by": "void"}),
        die(
            [],
            {"winner": 1, "won_deals": 1},
            1,
            discard_ban="none",
            stock_end="at_draw",
            stock_reserve=5,
        ),
        die(
            [],
            {"winner": 0, "won_deals": 1},
            0,
            first_turn="upcard_stock_or_pass",
            deal_count_gin=2,
        ),
        die(
            [
                BEFORE,
                TAKEN,
                ["play", "offer", 1, 3],
                ["play", "accept", 0, None],
                ["play", "offer", 0, 4],
                ["play", "accept", 1, None],
                ["play", "offer", 1, 6],
                ["play", "accept", 0, None],
            ],
            {"won_deals": 6, "owner": 0},
            1,
        ),
        die(
            [BEFORE, TAKEN, ["play", "offer", 1, 3], ["play", "refuse", 0, None]],
            {"won_deals": 3, "winner": 1},
            die_refusal_pays="new",
        ),
        die([["before", "offer", 0, 1]], {"illegal": DEARER}),
        die([["before", "offer", 0, 5]], {"illegal": DEARER.replace("6", "4")}, die_cap=4),
        die([BEFORE], {"ended_by": "the script ends before the deal"}),
        # a single offer before the cards are seen
        die([BEFORE, TAKEN, ["before", "offer", 1, 3]], {"illegal": "before: seat 1 offers 3"}),
        die(
            [["play", "offer", 0, 2], ["play", "accept", 1, None], ["play", "offer", 1, 3]],
            {"illegal": CENTRED},
        ),
    ],
)
def test_other_vectors_of_the_die_pass(vector):
    assert outcome(vector).differences == {}


def test_an_impossible_offer_is_named():
    assert outcome(die([BEFORE, TAKEN, ["play", "offer", 0, 3]], {"winner": 0})).differences == {
        "winner": (0, "play: seat 0 offers 3 (offer 2) is not possible")
    }


def test_a_die_without_knocks_is_unsupported():
    verdict = outcome(die([], {"winner": 0}, 0, knock_limit=0))
    assert verdict.outcome == files.NOT_SUPPORTED and "won by a knock" in verdict.reason


def events(*deals):
    return {
        "events": [dict(zip(("winner", "points", "how"), deal, strict=False)) for deal in deals]
    }


@pytest.mark.parametrize(
    "vector",
    [
        made(
            "race",
            {**events((1, 130), (0, 1, "gin")), "points_player": 1},
            {"points": 130, "deals_won": 0, "winner": 1, "deals": 1},
        ),
        made(
            "race",
            {**events((0, 1, "undercut"), (0, 1, "shot")), "points_player": 1},
            {"deals_won": 4, "winner": None},
        ),
        made("race", {**events((1, 50)), "points_player": 1, "points_target": 50}, {"winner": 1}),
        made(
            "twofold",
            {**events((0, 60, "big_gin"), (None, 0)), "deals_target": 2, "points_target": 60},
            {"winner": 0, "deals": 1},
        ),
        made(
            "match_points",
            {**events((0, 9), (1, 12)), "target": 10, "max_deals": 1},
            {"winner": None, "deals": 1, "scores": [9, 0]},
        ),
        made(
            "pro_round",
            {"games": [[0, 40], [0, 40]], "goal": 6, "game_table": [[60, 3], [120, 1]]},
            {"games": [6, 0], "winner": 0},
        ),
        made("pro_round", {"games": [], "goal": 7}, {"games": [0, 0], "winner": None, "played": 0}),
        made("pro_games", {"loser_score": 20, "game_table": [[120, 5]]}, 5),
        made("pro_games", {"loser_score": 20}, {"games": 4}),
        made("dice_pro", {"stake": 6, "loser_score": 91, "refused": False}, {"games": 6}),
        made("dice_pro", {"stake": 6, "loser_score": 0, "refused": True}, {"games": 6}),
        made(
            "die_round",
            {"deals": [[1, 6], [1, 6]], "goal": 12},
            {"won_deals": [0, 12], "winner": 1, "deals": 2},
        ),
        made("total_match", {"deal_scores": [5, 5], "goal": 30}, {"total": 10, "won": None}),
        made(
            "total_match",
            {"deal_scores": [5, 5, 90], "goal": 9, "deals_in_match": 2},
            {"total": 10, "won": False},
        ),
        made(
            "hollywood",
            {"wins": [[1, 100]]},
            {"closed_by": [1, None, None], "settlement": [-100, None, None], "total": None},
        ),
        made(
            "hollywood",
            {"wins": [[1, 100]], "columns": 1, "shutout": "double_all"},
            {"settlement": [-200], "total": -200, "winner": 1},
        ),
        made("hollywood", VECTORS["HO6"]["input"], {"winner": 1}),
    ],
)
def test_other_vectors_of_matches_pass(vector):
    assert outcome(vector).differences == {}


def lone(variant, first_turn, can):
    return made(
        "options",
        {"state": {"first_turn": first_turn, "to_move": "player", "passes": 0}},
        {"options": can},
        variant,
    )


@pytest.mark.parametrize(
    "vector",
    [
        lone("solitaire-gin", "stock", ["stock", "gin"]),
        lone("solitaire-gin-knock", "stock", ["stock", "knock", "gin"]),
        lone("solitaire-gin-knock+stop_before_draw=no", "stock", ["stock"]),
        lone("gin-solitaire+big_gin=no", "discard_first", ["throw"]),
    ],
)
def test_the_first_options_of_a_single_player(vector):
    assert outcome(vector).differences == {}


def test_scripts_round_trip():
    for text in ("draw", "throw TC", "stop", "big gin"):
        assert solo_script.said(solo_script.action(text)) == text
    for text in ("N pass", "D take", "N stock", "D throw TC", "N stop 2D", "D big gin"):
        assert str(deal_script.action(text)) == text


# --- bad files ----------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("[1, 2", "is not JSON"),
        ('{"vectors": 3}', "has no list of vectors"),
        ('{"examples": []}', "has no list of vectors"),
        ('{"vectors": []}', "has no vectors."),
        ('{"vectors": [7]}', "vector 1: a vector is an object, not '7'."),
        ('{"vectors": [{"kind": "deadwood"}]}', "vector 1: id must be a text of its own"),
        (
            '{"vectors": [{"id": "X1", "kind": "deadwod"}]}',
            "X1: there is no kind 'deadwod'; did you mean 'deadwood'?",
        ),
        ('{"vectors": [{"id": "X1", "kind": "deadwood"}]}', "X1: input must be an object"),
        (
            '{"vectors": [{"id": "X1", "kind": "deadwood", "input": {}, "expected": {}}]}',
            "X1: a vector has no key 'expected'",
        ),
    ],
)
def test_a_bad_file_is_refused(tmp_path, content, message):
    path = tmp_path / "bad.json"
    path.write_text(content)
    result = simgin("conform", path)
    assert result.exit_code == 2
    assert message in result.stderr and result.stderr.startswith("simgin: ")


def test_a_missing_file_and_an_unknown_kind_are_refused(tmp_path, file):
    assert "cannot be read: No such file" in simgin("conform", tmp_path / "none.json").stderr
    assert "cannot be read: Is a directory" in simgin("conform", tmp_path).stderr
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert "not text in UTF-8" in simgin("conform", tmp_path / "binary").stderr
    assert "did you mean 'layoff'" in simgin("conform", FILE, "--kind", "layof").stderr
    assert (
        "has no vectors of kind layoff"
        in simgin("conform", file(VECTORS["D01"]), "--kind", "layoff").stderr
    )
    assert (
        "the id 'D01' is given more than once"
        in simgin("conform", file(VECTORS["D01"], VECTORS["D01"])).stderr
    )


@pytest.mark.parametrize(
    ("name", "path", "value", "message"),
    [
        ("D01", ("input", "hand"), "5S 6S 7S", "D01: input.hand must have 10 or 11 cards, not 3."),
        (
            "D01",
            ("input", "hand"),
            "5S 6S 7S 5H 5D KC QD 2H 9C 1D",
            "D01: input.hand: '1D' is not a card",
        ),
        ("D01", ("input", "hand"), 7, "D01: input.hand must be cards separated by blanks"),
        (
            "D01",
            ("input", "ace_runs"),
            "around",
            "D01: input: ace_runs must be one of low, high_or_low, corner",
        ),
        ("D01", ("input", "ace_runs"), None, "D01: input: ace_runs always needs a value"),
        (
            "D01",
            ("input", "ace_run"),
            "low",
            "D01: input has 'ace_run', which is neither a parameter nor a key of kind deadwood",
        ),
        (
            "D01",
            ("expect", "deadwoods"),
            50,
            "D01: expect has 'deadwoods', which kind deadwood does not have; did you "
            "mean 'deadwood'?",
        ),
        ("D01", ("expect", "deadwood"), 50.0, "D01: expect.deadwood must be a number, a word"),
        ("D01", ("expect", "families"), "none", "D01: expect.families must be a list of meldings"),
        (
            "D01",
            ("expect", "auto_melds"),
            "5S 6S 7S",
            "D01: expect.auto_melds must be a list of melds",
        ),
        ("D01", ("expect",), {}, "D01: expect is empty"),
        ("D01", ("expect",), {"note": "nothing"}, "D01: expect is empty"),
        ("K01", ("input", "knock_limit"), 100, "K01: input"),
        (
            "K05",
            ("input", "taken"),
            "2C",
            "K05: input.taken and input.drawn must be cards of the hand.",
        ),
        (
            "L01",
            ("input", "knocker_melds"),
            ["7H 8H TH"],
            "L01: input.knocker_melds: 7H 8H TH is no meld under these rules.",
        ),
        ("L01", ("input", "knocker_melds"), ["7H 8H 9H", "8H 9H TH"], "no card in common"),
        (
            "P01",
            ("input", "stop"),
            "undercut",
            "P01: input.stop must be knock, gin, shot or big_gin",
        ),
        ("P08", ("input", "own_deadwood"), 3, "P08: input.own_deadwood must be 0 with gin, not 3."),
        (
            "P14",
            ("input", "options"),
            {"rush_premium": True},
            "P14: input.options has no stock_left",
        ),
        ("P14", ("input", "options"), [], "P14: input.options must be an object"),
        ("P14", ("input", "options", "stock"), 3, "P14: input has 'stock'"),
        (
            "KL1",
            ("variant",),
            "oklahomer",
            "KL1: kind knock_limit needs a variant: there is no variant 'oklahomer'",
        ),
        ("SD1", ("input",), {}, "SD1: input has no score, which kind shot_digits needs."),
        ("SD1", ("input", "score"), -3, "SD1: input.score must be a whole number"),
        ("M01", ("input", "events", 0, "winner"), 2, "M01: input.events"),
        (
            "M01",
            ("input", "events", 2, "points"),
            5,
            "M01: input.events: a deal without a winner has no points.",
        ),
        ("OP1", ("input", "state"), 7, "OP1: input.state must be an object"),
        (
            "OP1",
            ("input", "state", "to_move"),
            "dealer",
            "OP1: input.state.to_move must be nondealer after 0 passes.",
        ),
        (
            "OP1",
            ("input", "state", "passes"),
            3,
            "OP1: input.state.passes must be a whole number 0..2",
        ),
        (
            "OP1",
            ("input", "state", "pases"),
            0,
            "OP1: input has 'pases', which is neither a parameter nor a key of kind "
            "options; did you",
        ),
        (
            "OP9",
            ("input", "state", "phase"),
            "later",
            "OP9: input.phase must be drawer holds eleven or after the throw",
        ),
        (
            "OP10",
            ("input", "state", "stock"),
            31,
            "OP10: input.state.stock must be a whole number 1..30",
        ),
        (
            "OP12",
            ("input", "state", "can_end_with_it"),
            "no",
            "OP12: input.state.can_end_with_it must be true or false",
        ),
        ("OP10", ("expect", "options"), "void", "OP10: expect.options must be a list"),
        ("T01", ("input", "actions", 0), "N grab", "T01: input: 'N grab' is no action"),
        ("T01", ("input", "actions", 1), "N stop", "T01: input: 'N stop' is no action"),
        ("T01", ("input", "actions", 1), "X stop 2C", "T01: input: 'X stop 2C' is no action"),
        ("T01", ("input", "upcard"), "AC", "T01: input: AC can be in one place only."),
        ("T01", ("input", "stock_top_first"), "AC", "T01: input: a deal is ten cards each"),
        (
            "T01",
            ("input", "overrides", "first_turn"),
            "stock",
            "T01: input: first_turn = stock is for one player",
        ),
        (
            "O01",
            ("variant",),
            "solitair-gin",
            "O01: kind solo_script needs a variant: there is no variant 'solitair-gin'",
        ),
        (
            "O01",
            ("variant",),
            "standard",
            "O01: kind solo_script needs a variant for one player, and standard is for two.",
        ),
        ("O01", ("input", "hand"), "3S 4S", "O01: input.hand must have 10 cards, not 2."),
        (
            "Q01",
            ("input", "hand"),
            "3S 4S 5S 8H 8D 8C JD QD 2H 6C",
            "Q01: input.hand must have 11 cards, not 10.",
        ),
        ("O01", ("input", "hand"), 7, "O01: input.hand must be cards separated by blanks"),
        (
            "O01",
            ("input", "hand"),
            "3S 4S 5S 8H 8D 8C QD KD 2H 1C",
            "O01: input.hand: '1C' is not a card",
        ),
        ("O01", ("input", "deck_top_first"), "JD 3S X", "O01: input: 3S can be in one place only."),
        (
            "O01",
            ("input", "deck_top_first"),
            "JD 8S 4C",
            "O01: input: the joker X must be in one place",
        ),
        (
            "O01",
            ("input", "deck_top_first"),
            "X JD X",
            "O01: input.deck_top_first: there is one joker, and X is written 2 times.",
        ),
        (
            "O01",
            ("input", "deck_top_first"),
            "X",
            "O01: input.deck_top_first has fewer cards (1) than the actions draw (2).",
        ),
        ("O14", ("input", "deck_top_first"), "X", "O14: input: the joker X must be in one place"),
        (
            "O14",
            ("variant",),
            "gin-solitaire",
            "O14: input: the joker is shuffled in after the deal, so X cannot be in hand.",
        ),
        (
            "R03",
            ("input", "deck_top_first"),
            "X",
            "R03: input: there is no joker in these rules, so X has no place.",
        ),
        (
            "O01",
            ("input", "actions"),
            "draw",
            "O01: input.actions must be a list of texts like draw and throw 6C.",
        ),
        (
            "O01",
            ("input", "actions", 0),
            "N stock",
            "O01: input.actions: 'N stock' is no action: write draw, throw CARD, stop or big gin.",
        ),
        ("O01", ("input", "actions", 1), "throw 2Z", "O01: input.actions: '2Z' is not a card"),
        ("O01", ("input", "overrides", "gin_bonus"), -1, "O01: input: gin_bonus"),
        ("O07", ("input", "overrides", "shot"), True, "O07: input: shot = yes needs two players"),
        ("O07", ("input", "overrides", "undercut_bonus"), None, "O07: input: undercut_bonus"),
        (
            "O01",
            ("input", "deck"),
            "JD",
            "O01: input has 'deck', which is neither a parameter nor a key of kind solo_script",
        ),
        (
            "O01",
            ("expect", "drawn"),
            2,
            "O01: expect has 'drawn', which kind solo_script does not have; did you mean 'draws'?",
        ),
        (
            "P01",
            ("input", "options", "deal_scoring"),
            "penalty",
            "P01: input.deal_scoring = penalty compares no counts",
        ),
        (
            "RA1",
            ("input", "points_player"),
            2,
            "RA1: input.points_player must be a whole number 0..1, not 2.",
        ),
        (
            "RA1",
            ("input", "race_points_seat"),
            1,
            "RA1: input.race_points_seat cannot be set: kind race has 0 there.",
        ),
        (
            "RA1",
            ("input", "events", 0, "how"),
            "knok",
            "RA1: input.events: there is no ending 'knok'; did you mean 'knock'?",
        ),
        (
            "TW1",
            ("input", "events", 0, "how"),
            "void",
            "TW1: input.events: a deal that ends as void has no winner.",
        ),
        (
            "TW1",
            ("input", "goal"),
            "points",
            "TW1: input.goal cannot be set: kind twofold has 'twofold' there.",
        ),
        ("TW1", ("expect", "points"), 142, "TW1: expect.points must be two scores"),
        ("M01", ("input", "start_points"), [100, 0], "M01: input: start_points"),
        ("PR1", ("expect",), "four", "PR1: expect must be an object, not 'four'."),
        ("PR1", ("expect",), True, "PR1: expect must be an object, not 'True'."),
        (
            "PR1",
            ("input", "loser_score"),
            121,
            "PR1: input.loser_score must be a whole number 0..120, not 121.",
        ),
        ("PR1", ("input", "game_table"), [[30, 4]], "PR1: input: game_table"),
        ("PR9", ("input", "goal"), 0, "PR9: input.goal must be a whole number 1..1000, not 0."),
        ("PR9", ("input", "games"), 3, "PR9: input.games must be a list of pairs"),
        (
            "PR9",
            ("input", "games", 0),
            [None, 0],
            "PR9: input.games: every game has a winner, 0 or 1.",
        ),
        (
            "PR9",
            ("input", "games", 0),
            [0, 121],
            "PR9: input.games: the number beside a winner must be a whole number 0..120, not 121.",
        ),
        (
            "HO1",
            ("input", "wins", 0),
            [2, 40],
            "HO1: input.wins: a winner must be a whole number 0..1, not 2.",
        ),
        ("HO1", ("input", "wins", 0), [0], "HO1: input.wins must be a list of pairs"),
        (
            "HO4",
            ("input", "wins", 3),
            [None, 5],
            "HO4: input.wins: the number of a deal without a winner must be a whole number 0..0",
        ),
        ("HO1", ("expect", "columns"), 105, "HO1: expect.columns must be a list, not '105'."),
        ("SO1", ("input", "deal_scores"), 5, "SO1: input.deal_scores must be a list of numbers"),
        ("SO1", ("input", "deal_scores", 0), "x", "SO1: input.deal_scores must be a whole number"),
        ("SO1", ("input", "goal"), None, "SO1: input.goal must be a whole number"),
        ("DR1", ("input", "goal"), 2, "DR1: input: deals_target must be 3..21 with die = deal"),
        (
            "DR1",
            ("input", "deals", 0),
            [0, 7],
            "DR1: input.deals: the number beside a winner must be a whole number 1..6, not 7.",
        ),
        ("DP1", ("input", "stake"), 7, "DP1: input.stake must be a whole number 1..6, not 7."),
        ("DP1", ("input", "refused"), 0, "DP1: input.refused must be true or false, not '0'."),
        (
            "DP1",
            ("input", "die_refusal_pays"),
            "new",
            "DP1: input.die_refusal_pays cannot be set: kind dice_pro has 'old' there.",
        ),
        ("DI2", ("input", "events"), "none", "DI2: input.events must be a list"),
        ("DI2", ("input", "events", 0), ["before", "offer", 0], "DI2: input.events must be a list"),
        (
            "DI2",
            ("input", "events", 0),
            ["later", "offer", 0, 3],
            "DI2: input.events: 'later offer' is no event",
        ),
        (
            "DI2",
            ("input", "events", 0),
            ["before", "offer", 2, 3],
            "DI2: input.events: a seat must be a whole number 0..1, not 2.",
        ),
        (
            "DI2",
            ("input", "events", 0),
            ["before", "offer", 0, "3"],
            "DI2: input.events: an offer must be a whole number 1..63, not '3'.",
        ),
        (
            "DI2",
            ("input", "events", 1),
            ["before", "refuse", 0, None],
            "DI2: input.events: an answer follows an offer of the other seat",
        ),
        (
            "DI2",
            ("input", "events", 1),
            ["play", "refuse", 1, None],
            "DI2: input.events: an answer follows an offer of the other seat",
        ),
        (
            "DI2",
            ("input", "events", 0),
            ["before", "accept", 1, None],
            "DI2: input.events: an answer follows an offer",
        ),
        (
            "DI2",
            ("input", "events", 1),
            ["before", "offer", 1, 4],
            "DI2: input.events: an offer is answered before the next one.",
        ),
        (
            "DI1",
            ("input", "deal_winner"),
            "A",
            "DI1: input.deal_winner must be a whole number 0..1, not 'A'.",
        ),
        ("DI1", ("input", "options", "die_cap"), 7, "DI1: input: die_cap"),
        (
            "OP8",
            ("variant",),
            "standard",
            "OP8: input.state.to_move = player needs a variant for one player, and "
            "standard is for two.",
        ),
        (
            "OP8",
            ("input", "state", "passes"),
            1,
            "OP8: input.state.passes must be a whole number 0..0, not 1.",
        ),
    ],
)
def test_a_bad_vector_is_refused_in_a_sentence(file, name, path, value, message):
    result = simgin("conform", file(changed(name, path, value), VECTORS["P02"]))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_every_mistake_is_reported_at_once(file):
    result = simgin(
        "conform",
        file(changed("SD1", ("input", "score"), -3), changed("SD2", ("input", "score"), "x")),
    )
    assert [line.split(":")[1].strip() for line in result.stderr.splitlines()] == ["SD1", "SD2"]
