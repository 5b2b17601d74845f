"""Tests of the Analyse page: fields, errors, command, costs and uploaded deals."""

import asyncio
import json
import shlex
import threading
import time

import pytest

from simgin.analysis.position import find_decisions
from simgin.play.replay import trace_numbered_deal
from simgin.rules.variants import find_variant, variant_names
from simgin.web.board_position import BoardPosition
from simgin.web.coach_json import make_position_query
from simgin.web.live_analysis import LiveAnalysis
from simgin.web.pages import Form
from support.command_line import run_simgin
from support.web_site import check_page

pytestmark = pytest.mark.usefixtures("few_metropolis_steps")
HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
PILE = "QD TS 9D* QH"
POSITION_BEFORE_DRAW = {
    "hand": HAND,
    "pile": PILE,
    "known": "9D",
    "to_move": "draw",
    "seed": "3",
    "worlds": "400",
}
PLAYERS_BY_NUMBER = {1: ("solo-greedy", None), 2: ("gold", "simple")}
OFFER_BEFORE_DEALING = {
    "die": "offer",
    "blind": "yes",
    "hand": "",
    "pile": "",
    "stake": "1",
    "owner": "nobody",
}
FAST_PLAYERS = {"strategy": "simple", "opponent": "simple"}


def parse_json_lines(response):
    """Return the JSON objects of a response, one for each line."""
    return [json.loads(line) for line in response.text.splitlines()]


def test_page_shows_the_position_in_the_address(browser):
    page = check_page(
        browser.get("/analyse", params=POSITION_BEFORE_DRAW | {"dealer": "me", "score": "20-35"})
    )
    assert f'value="{HAND}"' in page and f'value="{PILE}"' in page
    assert '<option value="me" selected>' in page and '<option value="draw" selected>' in page
    assert "--dealer me --score 20-35" in page
    incomplete_page = check_page(browser.get("/analyse", params={"hand": "7H 7D"}))
    assert "simgin analyze" not in incomplete_page


@pytest.mark.parametrize(
    ("field", "changes", "message"),
    [
        ("variant", {"variant": "nonsense"}, "nonsense"),
        ("variant", {"variant": "/etc/passwd"}, "not a built-in variant"),
        ("hand", {"hand": "7H 7X"}, "7X"),
        ("hand", {"hand": HAND + " KS KD", "to_move": "discard"}, "a hand cannot have 12 cards"),
        ("hand", {"hand": HAND + " KS"}, "before the draw, a hand has ten cards, not 11"),
        ("pile", {"pile": "QD 7H"}, "7H cannot be both in your hand and in the pile"),
        ("pile", {"pile": "..", "stock": ""}, ""),
        ("known", {"known": "2S"}, "does not show that the opponent holds 2S"),
        ("score", {"score": "a lot"}, "not a valid score"),
        ("score", {"score": "200-0"}, "Use scores below 100"),
        ("score", {"score": "0-95", "variant": "twofold"}, "Omit the score to rank actions"),
        ("stock", {"stock": "77"}, "not 77"),
        ("stock", {"stock": "²"}, "not a whole number"),
        ("dealer", {"dealer": "nobody"}, "is not in the list"),
        ("dealer", {"dealer": "opponent"}, "played first. Choose You as the dealer."),
        ("to_move", {"to_move": "knock"}, "is not in the list"),
        ("opponent", {"opponent": "mine.py"}, "not a built-in strategy"),
        ("worlds", {"worlds": "2M"}, "do not fit into memory"),
        ("seed", {"seed": "-1"}, "not a valid seed"),
    ],
)
def test_impossible_position_has_an_error_message_at_the_field(browser, field, changes, message):
    answer = browser.get("/analyse/costs", params=POSITION_BEFORE_DRAW | changes)
    (first,) = parse_json_lines(answer)
    assert answer.status_code == 400 and list(first["errors"]) == [field]
    assert message.lower() in first["errors"][field].lower()
    page = check_page(browser.get("/analyse", params=POSITION_BEFORE_DRAW | changes), 400)
    assert f'id="{field}-error"' in page


@pytest.mark.parametrize(
    ("fields", "assumed"),
    [
        (
            POSITION_BEFORE_DRAW,
            "You are the dealer. The pile is complete, so the stock contains 29 cards.",
        ),
        (POSITION_BEFORE_DRAW | {"dealer": "me", "stock": "29"}, ""),
        (
            POSITION_BEFORE_DRAW
            | {"hand": f"{HAND} KS", "to_move": "discard", "pile": "", "known": ""},
            "You just drew KS, the last card of your hand. The opponent is the dealer.",
        ),
    ],
)
def test_inferred_dealer_and_stock_are_listed(browser, fields, assumed):
    first, *_ = parse_json_lines(browser.get("/analyse/costs", params=fields | FAST_PLAYERS))
    assert not first["errors"] and " ".join(first["assumed"]) == assumed


def test_error_message_of_a_long_hand_contains_no_shell_advice(browser):
    query = {"hand": f"{HAND} KS AS 2S", "to_move": "discard"}
    (answer,) = parse_json_lines(browser.get("/analyse/costs", params=query))
    (message,) = answer["errors"].values()
    assert message.startswith("A hand cannot have") and "command line" not in message


def test_incomplete_position_has_neither_a_command_nor_an_error(browser):
    for hand, move in (("", "draw"), ("7H", "discard"), (HAND, "discard"), (HAND, "draw")):
        answer = browser.get("/analyse/costs", params={"hand": hand, "to_move": move})
        (first,) = parse_json_lines(answer)
        assert answer.status_code == 200 and not first["errors"] and not first["command"]


@pytest.mark.parametrize(
    "changes", [{}, {"hand": HAND + " KS", "to_move": "discard", "score": "3-5"}]
)
def test_costs_equal_those_of_simgin_analyze(browser, changes):
    first, *_, last = parse_json_lines(
        browser.get("/analyse/costs", params=POSITION_BEFORE_DRAW | FAST_PLAYERS | changes)
    )
    assert last["is_over"] and last["worlds"] <= 400
    rows = json.loads(run_simgin(*shlex.split(first["command"])[1:], "--json").stdout)["rows"]
    assert [row["action"] for row in rows] == [action["text"] for action in last["actions"]]
    assert [row["cost"] for row in rows] == [action["cost"] for action in last["actions"]]
    assert [row["high"] for row in rows] == [action["high"] for action in last["actions"]]
    assert rows[0]["worlds"] == last["worlds"]


@pytest.mark.parametrize("variant", variant_names())
def test_link_to_a_decision_opens_its_position(variant):
    players = PLAYERS_BY_NUMBER.get(find_variant(variant).params["players"])
    deal = trace_numbered_deal(*players, variant, 3, 1, 0, None)
    for position in find_decisions(deal)[::3]:  # every type of decision, often two per turn
        form = Form(make_position_query(position))
        request = BoardPosition.read(form, ()).make_request(form)
        if variant == "race":
            assert "cannot be analysed in race" in form.errors["variant"].lower()
            continue
        assert not form.errors
        opened, view = request.position_or_deal, position.view
        assert [*map(opened.format_action, opened.actions)] == [
            *map(position.format_action, position.actions)
        ]
        for name in ("hand", "pile", "known", "stock", "deck_left", "stake", "offered", "turn"):
            assert opened.view[name] == view[name], name
        for name in ("dealer", "owner"):
            is_own = [
                decision_view[name] == decision_view["seat"]
                for decision_view in (opened.view, view)
            ]
            assert is_own[0] == is_own[1]


@pytest.mark.parametrize(
    ("decision", "actions"),
    [
        ({"die": "offer"}, ["leave the die", "offer 3"]),
        ({"die": "3", "owner": "opponent"}, ["accept 3", "refuse 3"]),
        (OFFER_BEFORE_DEALING, ["leave the die", "offer 3"]),
    ],
)
def test_decision_about_the_die_is_analysed(browser, decision, actions):
    query = {
        "variant": "dice",
        "stake": "2",
        "owner": "me",
        "known": "",
        "pile": "QD TS",
    } | decision
    answer = browser.get(
        "/analyse/costs", params=POSITION_BEFORE_DRAW | FAST_PLAYERS | {"worlds": "50"} | query
    )
    first, *_, last = parse_json_lines(answer)
    assert {action["text"] for action in last["actions"]} >= set(actions)
    rows = json.loads(run_simgin(*shlex.split(first["command"])[1:], "--json").stdout)["rows"]
    assert [row["cost"] for row in rows] == [action["cost"] for action in last["actions"]]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"stake": "2"}, "cannot belong to nobody. Choose Neither player for a die"),
        ({"stake": "7"}, "not a valid number on the die"),
        ({"die": "2"}, "can only be offered blind"),
        ({"die": "offer", "stake": "2", "owner": "opponent"}, "only its owner can offer it"),
    ],
)
def test_impossible_die_has_an_error_message_at_its_field(browser, query, message):
    params = POSITION_BEFORE_DRAW | {"variant": "dice"} | query
    (first,) = parse_json_lines(browser.get("/analyse/costs", params=params))
    assert message in first["errors"]["die"]
    assert 'id="die-error"' in check_page(browser.get("/analyse", params=params), 400)


def test_solitaire_position_is_analysed(browser):
    cards = "AS AD AC 3S TS 4D 5D 3C 8C TC 4H"
    query = {"variant": "gin-solitaire", "hand": cards, "pile": "QH", "worlds": "200"}
    *_, last = parse_json_lines(
        browser.get("/analyse/costs", params=query | {"strategy": "solo-greedy"})
    )
    assert last["is_over"] and last["actions"]


def test_analysis_stops_when_the_browser_disconnects():
    ended = threading.Event()

    def analyse(on_result):
        try:
            while True:
                on_result(1, 2, dict)
                time.sleep(0.001)
        finally:
            ended.set()

    async def read_two_lines():
        lines = LiveAnalysis(analyse, lambda result, _: result).iter_json_lines({"first": True})
        assert json.loads(await anext(lines)) == {"first": True}
        assert json.loads(await anext(lines)) == {"is_over": False}
        await lines.aclose()

    asyncio.run(read_two_lines())
    assert ended.wait(5)


def test_decisions_in_an_uploaded_deal_are_listed_by_cost(browser, monkeypatch):
    monkeypatch.setattr("simgin.web.analyse_page.MAX_WORLDS_FOR_DEAL_FILE", 200)
    text = run_simgin("show", "simple", "simple", "--seed", "3", "--json").stdout
    first, *_, last = parse_json_lines(browser.post("/analyse/file?name=deal.json", content=text))
    assert first == {"title": "simple against simple (standard)"}
    costs = [decision["cost"] for decision in last["decisions"]]
    assert last["is_over"] and len(costs) > 5 and costs == sorted(costs, reverse=True)
    for decision in last["decisions"]:
        assert browser.get(decision["link"]).status_code == 200, decision


def test_uploaded_deal_cannot_refer_to_another_file(browser, empty_directory):
    content = json.loads(run_simgin("show", "simple", "simple", "--json").stdout)
    (empty_directory / "mine.toml").write_text("secret")
    content["rows"][0]["variant"] = str(empty_directory / "mine.toml")
    for text in (json.dumps(content), "nothing", "[" * 9999, "{}"):
        answer = browser.post("/analyse/file?name=deal.json", content=text)
        assert answer.status_code == 400 and "secret" not in answer.text
