"""`simgin conform`: every worked example of the rule book passes, a changed one fails, and a bad file is told in sentences."""

import copy
import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from simgin import conform, scripted
from simgin.cli import cli
from simgin.kinds import KINDS, NOT_YET

FILE = Path(__file__).parent / "data" / "rules_vectors.json"
VECTORS = {vector["id"]: vector for vector in json.loads(FILE.read_text())["vectors"]}
SOLO = ["OP8"]  # a one-player game among the kinds that are played
PLAYED = [name for name, vector in VECTORS.items() if vector["kind"] in KINDS and name not in SOLO]


@pytest.fixture
def file(tmp_path):
    """Writes vectors to a file and gives its path."""

    def write(*vectors):
        path = tmp_path / "vectors.json"
        path.write_text(json.dumps({"vectors": list(vectors)}))
        return path

    return write


def simgin(*words):
    return CliRunner().invoke(cli, [str(word) for word in words], prog_name="simgin")


def changed(name, path, value):
    """A vector with the thing at `path` (keys) replaced."""
    vector = copy.deepcopy(VECTORS[name])
    *way, last = path
    place = vector
    for key in way:
        place = place[key]
    place[last] = value
    return vector


def outcome(vector):
    """The verdict on one vector."""
    one = conform._example(vector, 1)
    return conform.run([one])[0]


# --- the rule book ----------


@pytest.mark.parametrize("name", PLAYED)
def test_the_engine_agrees_with_the_rule_book(name):
    verdict = outcome(VECTORS[name])
    assert (verdict.outcome, verdict.differences) == (conform.PASSED, {})


def test_the_whole_file():
    result = simgin("conform", FILE)
    assert result.exit_code == 0
    kinds = Counter(vector["kind"] for vector in VECTORS.values())
    rows = {words[0]: words[1:] for line in result.stdout.splitlines() if (words := line.split()) and words[0] in {*kinds, "all"}}
    for kind, n in kinds.items():
        solo = sum(VECTORS[name]["kind"] == kind for name in SOLO)
        assert rows[kind] == ([str(n - solo), "0", str(solo)] if kind in KINDS else ["0", "0", str(n)])
    assert rows["all"] == [str(len(PLAYED)), "0", str(len(VECTORS) - len(PLAYED))]
    assert f"{kinds['solo_script']:>5}  solo_script: one-player deals are not played yet." in result.stdout
    assert set(kinds) == {*KINDS, *NOT_YET}


def test_json_has_a_row_for_every_vector():
    result = simgin("conform", FILE, "--kind", "shot_digits", "--json")
    answer = json.loads(result.stdout)
    assert answer["command"] == f"simgin conform {FILE} --kind shot_digits"
    assert [row["id"] for row in answer["rows"]] == [name for name, vector in VECTORS.items() if vector["kind"] == "shot_digits"]
    assert {row["outcome"] for row in answer["rows"]} == {"passed"}


# --- the runner can fail ----------


def numbers(value, path=()):
    """Every place in an expectation where a number or a truth value stands."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(inner, (*path, key))
    elif isinstance(value, int):
        yield path, value


WRONG_NUMBERS = [
    (name, path, not value if isinstance(value, bool) else value + 1)
    for name in PLAYED
    if not (VECTORS[name]["kind"] == "exact_counts" and name != "CT1")
    for path, value in numbers(VECTORS[name]["expect"])
]


@pytest.mark.parametrize("name", [name for name in PLAYED if VECTORS[name]["kind"] == "options"])
def test_every_option_too_many_or_too_few_is_found(name):
    right = VECTORS[name]["expect"]["options"]
    for wrong in (right[1:], [*right, "draw twice"]):
        assert outcome(changed(name, ("expect", "options"), wrong)).differences == {"options": (wrong, right)}


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"options"}))  # which have no numbers
def test_every_changed_number_is_found(kind):
    cases = [case for case in WRONG_NUMBERS if VECTORS[case[0]]["kind"] == kind]
    assert cases
    for name, path, value in cases:
        verdict = outcome(changed(name, ("expect", *path), value))
        assert verdict.outcome == conform.FAILED, (name, path)
        assert path[0] in verdict.differences


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("D03", "families", [["4S 4H 4D", "5S 5H 5D", "6S 6H 6D"]]),  # one of two
        ("D33", "families", [["AS 2S 3S", "4S 5S 6S 7S 8S 9S TS"], ["AS 2S 3S", "4S 5S 6S 7S 8S 9S TS"]]),  # twice the same
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
    ],
)
def test_other_changes_are_found(name, key, value):
    verdict = outcome(changed(name, ("expect", key), value))
    assert verdict.outcome == conform.FAILED
    assert key in verdict.differences


def test_an_expected_result_of_an_impossible_script_names_the_action():
    vector = changed("T05", ("expect",), {"how": "void"})
    assert outcome(vector).differences == {"how": ("void", "N throw QD (action 2) is not possible")}


def test_a_legal_script_has_no_illegal_action():
    script = VECTORS["T02"]["input"]["actions"]
    vector = changed("T02", ("expect",), {"illegal": script[-1]})
    assert outcome(vector).differences == {"illegal": ("N stop 2D", None)}


def test_failures_are_printed_with_what_was_expected(file):
    path = file(VECTORS["P01"], changed("P03", ("expect", "other"), 30), VECTORS["SO1"])
    result = simgin("conform", path)
    assert result.exit_code == 1
    assert result.stdout.startswith("P03 failed: deal_points, standard\n  other\n    expected 30\n    got      29\n")
    assert next(line.split() for line in result.stdout.splitlines() if line.startswith("all")) == ["all", "1", "1", "1"]


def test_a_file_of_what_is_not_supported_only(file):
    assert simgin("conform", file(VECTORS["SO1"], VECTORS["DI1"])).exit_code == 3


# --- other vectors of the schema ----------


def made(kind, given, expect, variant="standard"):
    return {"id": "made", "kind": kind, "variant": variant, "input": given, "expect": expect}


HANDS = {key: VECTORS["T02"]["input"][key] for key in ("nondealer", "dealer", "upcard", "stock_top_first")}
BIG = "3S 4S 5S 6S 8H 8D 8C 8S JD QD KD"
OTHERS = [card for suit in "SHDC" for card in (f"{rank}{suit}" for rank in "A23456789TJQK") if card not in BIG.split()]


@pytest.mark.parametrize(
    ("vector", "passes"),
    [
        (made("deadwood", {"hand": "KS AS 2S 3D 3H 3C 9H TH JH 5C", "ace_runs": "corner"}, {"deadwood": 5}), True),
        (made("deal_points", {"stop": "gin", "other_count": 30}, {"stopper": 55, "other": 0}), True),
        (made("knock_limit", {"upcard": "AS"}, {"limit": 1, "multiplier": 2}, "oklahoma-spades+upcard_ace_limit=1"), True),
        (made("knock_limit", {"upcard": "7S", "overrides": {"spade_multiplier": 2}}, {"limit": 7, "multiplier": 2}, "oklahoma"), True),
        (made("match_points", {"events": [{"winner": 0, "points": 9}], "target": 10}, {"winner": None, "deals": 1}), True),
        (made("match_points", {"events": [], "target": 10, "start_points": [5, 0]}, {"scores": [5, 0]}), True),
        (made("showdown", {**VECTORS["S13"]["input"], "how": "gin"}, {"stopper": 36}), False),  # ten points are left over
        (made("showdown", {**VECTORS["S08"]["input"], "own_score": 100}, {"stopper": 82}), False),  # no shot at 100
        # basic to the letter: the stock at the first decision, the upcard after two passes, and the three-way pass
        (made("play_script", {**HANDS, "actions": ["N pass", "D stock", "D throw KS", "N pass"],
              "overrides": {"first_turn": "upcard_stock_or_pass"}}, {"illegal": "N pass"}), True),
        (made("play_script", {**HANDS, "actions": ["N pass", "D pass", "N take", "N throw QS", "D stock"],
              "overrides": {"first_turn": "upcard_stock_or_pass"}}, {"stock": 30}), True),
        (made("play_script", {**HANDS, "actions": ["N pass", "D pass", "N take"],
              "overrides": {"first_turn": "upcard_stock_or_pass_dead"}}, {"illegal": "N take"}), True),
        (made("play_script", {**HANDS, "actions": ["N take", "N throw KD"], "overrides": {"first_turn": "free", "discard_ban": "none"}},
              {"stock": 31}), True),
        (made("play_script", {**HANDS, "actions": ["D stock"], "overrides": {}}, {"illegal": "D stock"}), True),
        (made("play_script", {**HANDS, "actions": ["N take", "D throw KD"], "overrides": {}}, {"illegal": "D throw KD"}), True),
        (made("play_script", {**HANDS, "actions": ["N take", "N throw JS"], "overrides": {}}, {"illegal": "N throw JS"}), True),
        (made("play_script", {**HANDS, "actions": ["N take", "N stop QS"], "overrides": {}}, {"illegal": "N stop QS"}), True),
        (made("play_script", {**HANDS, "actions": ["N take", "N big gin"], "overrides": {"big_gin": True}},
              {"illegal": "N big gin"}), True),
        # the same words twice: the example means its last action, and here the first is impossible already
        (made("play_script", {**HANDS, "actions": ["N stock", "N stock"], "overrides": {}}, {"illegal": "N stock"}), False),
    ],
)  # fmt: skip
def test_other_vectors(vector, passes):
    verdict = outcome(vector)
    assert verdict.outcome == (conform.PASSED if passes else conform.FAILED), verdict.differences


def test_big_gin_with_the_cards_dealt():
    given = {"nondealer": BIG, "dealer": " ".join(OTHERS[:10]), "stock_top_first": " ".join(OTHERS[10:]), "actions": ["N big gin"]}
    vector = made("play_script", given | {"overrides": {"first_turn": "discard_first", "big_gin": True}}, {"how": "big_gin", "stock": 31})
    vector["expect"] |= {"winner": "N", "stopper": "N", "own": 0, "turns": 1}
    assert outcome(vector).outcome == conform.PASSED


def test_a_draw_that_nobody_is_asked_about_belongs_to_the_script():
    vector = made("play_script", {**HANDS, "actions": ["N stock", "N throw QD", "D stock", "D throw KS"]}, {"illegal": None, "stock": 29})
    vector["input"]["overrides"] = {"first_turn": "free", "take_discard": False}
    assert outcome(vector).outcome == conform.PASSED
    vector["input"]["actions"] = ["N throw QS"]
    vector["expect"] = {"illegal": "N throw QS"}
    assert outcome(vector).outcome == conform.PASSED


def test_the_opponent_who_cannot_end_the_deal_with_the_last_discard_passes():
    vector = changed("T12", ("input", "overrides"), {"stock_end": "opponent_may_take"})
    vector["input"]["actions"] = [*vector["input"]["actions"][:-1], "N throw 6C", "D pass"]
    vector["expect"] = {"how": "void", "stock": 2}
    assert outcome(vector).outcome == conform.PASSED
    vector["input"]["actions"][-1] = "D take"
    vector["expect"] = {"illegal": "D take"}
    assert outcome(vector).outcome == conform.PASSED


def test_what_the_rules_allow_and_the_engine_cannot_play_is_not_supported():
    vector = changed("T09", ("input", "overrides"), {"stock_end": "opponent_may_take", "knock_limit": 30})
    vector["input"]["actions"][-1] = "D stop QC"
    verdict = outcome(vector)
    assert verdict.outcome == conform.NOT_SUPPORTED
    assert "proposes the best ending only" in verdict.reason
    vector["input"]["overrides"]["knock_limit"] = 1
    vector["expect"] = {"illegal": "D take"}
    assert outcome(vector).outcome == conform.PASSED


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"deal_scoring": "joker"}, "deal_scoring = joker is not played"),
        ({"melding": "choice"}, "melding = choice is not played"),
        ({"players": 1}, "players = 1 is not played"),
    ],
)
def test_rules_that_are_not_played_are_not_supported(given, reason):
    verdict = outcome(made("deal_points", {"stop": "knock", "own_deadwood": 3, "other_count": 9, "options": given}, {"stopper": 6}))
    assert verdict.outcome == conform.NOT_SUPPORTED
    assert reason in verdict.reason


def state(**given):
    return {"state": given}


LATE = {"stock": 2, "phase": "after the throw", "stock_end": "opponent_may_take"}
HOLDING = {"stock_before_draw": 3, "phase": "drawer holds eleven"}


@pytest.mark.parametrize(
    ("given", "can"),
    [
        (state(first_turn="upcard_pass", to_move="dealer", passes=1), ["take", "pass"]),
        (state(first_turn="discard_first", to_move="nondealer", passes=0), ["throw", "knock", "gin"]),
        (state(**HOLDING, knock_limit=1), ["throw", "gin"]),
        (state(**HOLDING, big_gin=True), ["throw", "knock", "gin", "big gin"]),
        (state(**{**HOLDING, "stock_before_draw": 4}), ["throw", "knock", "gin"]),  # the other seat
        (state(**{**HOLDING, "stock_before_draw": 31}, first_turn="free"), ["throw", "knock", "gin"]),
        (state(**HOLDING, stock_reserve=3), None),  # nobody draws that card
        (state(**{**HOLDING, "stock_before_draw": 4}, stock_reserve=3, stock_end="at_draw"), ["void"]),
        (state(**LATE, discard_ban="drawn", take_to_knock="melded"), ["take and end the deal", "pass"]),
        (state(**{**LATE, "stock": 3}, stock_reserve=3, can_end_with_it=False), ["pass"]),
        (state(**{**LATE, "stock": 3}, can_end_with_it=False), ["take", "stock"]),
        (state(**{**LATE, "stock": 30}), ["take", "stock"]),
        (state(stock=9, phase="after the throw", first_turn="free", take_discard=False), ["stock"]),
        (state(first_turn="free", to_move="dealer", passes=1), None),  # nobody may pass
    ],
)  # fmt: skip
def test_what_can_be_done_in_other_positions(given, can):
    verdict = outcome(made("options", given, {"options": can or []}))
    if can is None:
        assert "is not possible" in verdict.differences["options"][1]
    else:
        assert verdict.differences == {}
        wrong = outcome(made("options", given, {"options": [*can[1:], "take a walk"]}))
        assert wrong.differences["options"][1] == can


def test_scripts_round_trip():
    for text in ("N pass", "D take", "N stock", "D throw TC", "N stop 2D", "D big gin"):
        assert str(scripted.action(text)) == text


# --- bad files ----------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ("[1, 2", "is not JSON"),
        ('{"vectors": 3}', "has no list of vectors"),
        ('{"examples": []}', "has no list of vectors"),
        ('{"vectors": []}', "has no vectors."),
        ('{"vectors": [7]}', "vector 1: a vector is an object, not '7'."),
        ('{"vectors": [{"kind": "deadwood"}]}', "vector 1: id must be a text of its own"),
        ('{"vectors": [{"id": "X1", "kind": "deadwod"}]}', "X1: there is no kind 'deadwod'; did you mean 'deadwood'?"),
        ('{"vectors": [{"id": "X1", "kind": "deadwood"}]}', "X1: input must be an object"),
        ('{"vectors": [{"id": "X1", "kind": "deadwood", "input": {}, "expected": {}}]}', "X1: a vector has no key 'expected'"),
    ],
)
def test_bad_files(tmp_path, content, said):
    path = tmp_path / "bad.json"
    path.write_text(content)
    result = simgin("conform", path)
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.startswith("simgin: ")


def test_missing_files_and_kinds(tmp_path, file):
    assert "cannot be read: No such file" in simgin("conform", tmp_path / "none.json").stderr
    assert "cannot be read: Is a directory" in simgin("conform", tmp_path).stderr
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert "not text in UTF-8" in simgin("conform", tmp_path / "binary").stderr
    assert "did you mean 'layoff'" in simgin("conform", FILE, "--kind", "layof").stderr
    assert "has no vectors of kind layoff" in simgin("conform", file(VECTORS["D01"]), "--kind", "layoff").stderr
    assert "the id 'D01' is given more than once" in simgin("conform", file(VECTORS["D01"], VECTORS["D01"])).stderr


@pytest.mark.parametrize(
    ("name", "path", "value", "said"),
    [
        ("D01", ("input", "hand"), "5S 6S 7S", "D01: input.hand must have 10 or 11 cards, not 3."),
        ("D01", ("input", "hand"), "5S 6S 7S 5H 5D KC QD 2H 9C 1D", "D01: input.hand: '1D' is no card"),
        ("D01", ("input", "hand"), 7, "D01: input.hand must be cards separated by blanks"),
        ("D01", ("input", "ace_runs"), "around", "D01: input: ace_runs must be one of low, high_or_low, corner"),
        ("D01", ("input", "ace_runs"), None, "D01: input: ace_runs always needs a value"),
        ("D01", ("input", "ace_run"), "low", "D01: input has 'ace_run', which is neither a parameter nor a key of kind deadwood"),
        ("D01", ("expect", "deadwoods"), 50, "D01: expect has 'deadwoods', which kind deadwood does not know; did you mean 'deadwood'?"),
        ("D01", ("expect", "deadwood"), 50.0, "D01: expect.deadwood must be a number, a word"),
        ("D01", ("expect", "families"), "none", "D01: expect.families must be a list of meldings"),
        ("D01", ("expect", "auto_melds"), "5S 6S 7S", "D01: expect.auto_melds must be a list of melds"),
        ("D01", ("expect",), {}, "D01: expect is empty"),
        ("D01", ("expect",), {"note": "nothing"}, "D01: expect is empty"),
        ("K01", ("input", "knock_limit"), 100, "K01: input"),
        ("K05", ("input", "taken"), "2C", "K05: input.taken and input.drawn must be cards of the hand."),
        ("L01", ("input", "knocker_melds"), ["7H 8H TH"], "L01: input.knocker_melds: 7H 8H TH is no meld under these rules."),
        ("L01", ("input", "knocker_melds"), ["7H 8H 9H", "8H 9H TH"], "no card in common"),
        ("P01", ("input", "stop"), "undercut", "P01: input.stop must be knock, gin, shot or big_gin"),
        ("P08", ("input", "own_deadwood"), 3, "P08: input.own_deadwood must be 0 with gin, not 3."),
        ("P14", ("input", "options"), {"rush_premium": True}, "P14: input.options has no stock_left"),
        ("P14", ("input", "options"), [], "P14: input.options must be an object"),
        ("P14", ("input", "options", "stock"), 3, "P14: input has 'stock'"),
        ("KL1", ("variant",), "oklahomer", "KL1: kind knock_limit needs a variant: there is no variant 'oklahomer'"),
        ("SD1", ("input",), {}, "SD1: input has no score, which kind shot_digits needs."),
        ("SD1", ("input", "score"), -3, "SD1: input.score must be a whole number"),
        ("M01", ("input", "events", 0, "winner"), 2, "M01: input.events"),
        ("M01", ("input", "events", 2, "points"), 5, "M01: input.events: a deal without a winner has no points."),
        ("OP1", ("input", "state"), 7, "OP1: input.state must be an object"),
        ("OP1", ("input", "state", "to_move"), "dealer", "OP1: input.state.to_move must be nondealer after 0 passes."),
        ("OP1", ("input", "state", "passes"), 3, "OP1: input.state.passes must be a whole number 0..2"),
        ("OP1", ("input", "state", "pases"), 0, "OP1: input has 'pases', which is neither a parameter nor a key of kind options; did you"),
        ("OP9", ("input", "state", "phase"), "later", "OP9: input.phase must be drawer holds eleven or after the throw"),
        ("OP10", ("input", "state", "stock"), 31, "OP10: input.state.stock must be a whole number 1..30"),
        ("OP12", ("input", "state", "can_end_with_it"), "no", "OP12: input.state.can_end_with_it must be true or false"),
        ("OP10", ("expect", "options"), "void", "OP10: expect.options must be a list"),
        ("T01", ("input", "actions", 0), "N grab", "T01: input: 'N grab' is no action"),
        ("T01", ("input", "actions", 1), "N stop", "T01: input: 'N stop' is no action"),
        ("T01", ("input", "actions", 1), "X stop 2C", "T01: input: 'X stop 2C' is no action"),
        ("T01", ("input", "upcard"), "AC", "T01: input: AC can be in one place only."),
        ("T01", ("input", "stock_top_first"), "AC", "T01: input: a deal is ten cards each"),
        ("T01", ("input", "overrides", "first_turn"), "stock", "T01: input: first_turn = stock is for one player"),
    ],
)  # fmt: skip
def test_vectors_that_cannot_be_read(file, name, path, value, said):
    result = simgin("conform", file(changed(name, path, value), VECTORS["P02"]))
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_all_that_is_wrong_is_told_at_once(file):
    result = simgin("conform", file(changed("SD1", ("input", "score"), -3), changed("SD2", ("input", "score"), "x")))
    assert [line.split(":")[1].strip() for line in result.stderr.splitlines()] == ["SD1", "SD2"]
