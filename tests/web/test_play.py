"""Tests of the Play page: whole games, undoing, resuming, two tabs and the coach."""

import json
import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from simgin.analysis import coach
from simgin.analysis.deal_file import read_deal_file
from simgin.cli.main import cli
from simgin.play import played_game, saved_deals
from simgin.rules.variants import find_variant
from simgin.strategy import catalogue
from simgin.strategy.cast import PLAYER_TYPE_TABLES
from simgin.web.app import Site, create_app
from simgin.web.games import OpenGames
from simgin.web.opponents import list_opponents
from support.command_line import run_simgin
from support.web_site import check_page

GAME_QUERY = "variant=standard&opponent=gold&length=match&seat=0&seed=3"


@pytest.fixture(autouse=True)
def use_test_directory_and_few_worlds(empty_directory, monkeypatch):
    """Save games in the directory of the test, and run few simulations."""
    monkeypatch.setattr(played_game, "get_saved_games_folder", lambda: empty_directory / "games")
    monkeypatch.setattr(coach, "MAX_COACH_WORLDS", 100)


def read_game_state(browser, query=GAME_QUERY):
    """Return the state of a game, as sent by the server."""
    answer = browser.get(f"/play/state?{query}")
    assert answer.status_code == 200
    return answer.json()


def post_action(browser, action, state, query=GAME_QUERY, status=200, **body):
    """Post an action of a game, and return the JSON response."""
    answer = browser.post(f"/play/{action}?{query}", json={"version": state["version"], **body})
    assert answer.status_code == status
    return answer.json()


def play_until(browser, query, rng, is_end=lambda state: False):
    """Play, ending deals early, until a condition is true or the last deal is over."""
    state = read_game_state(browser, query)
    for _ in range(2000):
        if is_end(state) or (state["result"] and state["result"]["is_last"]):
            return state
        if state["result"]:
            state = post_action(browser, "next", state, query)
            continue
        check_visible_cards(state)
        keys = [choice["key"] for choice in state["table"]["choices"]]
        ending = next((key for key in "kgbh" if key in keys), None)
        state = post_action(browser, "act", state, query, key=ending or rng.choice(keys))
    raise AssertionError("the game does not end")


def check_visible_cards(state):
    """Check the size of the hand, and that no card is in two places."""
    table = state["table"]
    hand = [card for group in table["hand"] for card in group]
    assert len(set(hand) | set(table["known"])) == len(hand) + len(table["known"])
    if hand:
        assert len(hand) in (10, 11)
    discards = {choice["key"] for choice in table["choices"] if choice["is_discard"]}
    assert discards <= set(hand)


VARIANTS = ["standard", "oklahoma", "dice", "hollywood", "solitaire-gin", "solitary-gin"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_game_is_played_to_its_end(browser, variant):
    is_solo = "solita" in variant
    query = f"variant={variant}&seed=5&length={'match' if variant == 'standard' else 'deal'}"
    query += "" if is_solo else "&opponent=gold"
    state = play_until(browser, query, random.Random(1))
    result = state["result"]
    is_declined = "declined" in result["summary"]
    assert len(result["hands"]) == 1 + (not is_solo) or is_declined
    assert re.search("Points|Penalty|declined", result["summary"])
    turns = len(state["history"])
    assert len(result["pile"]) >= turns
    if not is_solo:
        assert re.search(r"^(You|gold) (knocked|went|declined)|^Dead hand", result["summary"])
    assert "Continue a game" not in browser.get("/play").text  # This game is over.
    if variant == "standard":
        assert re.search("wins? the match", " ".join(result["match"])) and state["deal"] > 1
        after = post_action(browser, "next", state, query)
        assert after["is_over"] and after["result"]["summary"] == result["summary"]
        post_action(browser, "next", after, query, status=409)
        files = saved_deals.find_last_deals(50)
        assert len(files) == state["deal"]


@pytest.mark.parametrize(
    ("variant", "seat", "unit"), [("dice", 0, "deal"), ("dice", 1, "deal"), ("dice-pro", 0, "game")]
)
def test_declined_offer_has_a_result_without_cards(browser, variant, seat, unit):
    query = f"variant={variant}&opponent=simple&length=match&seed=3&seat={seat}"
    state = read_game_state(browser, query)
    state = post_action(browser, "act", state, query, key="4")
    result = state["result"]
    assert result["summary"] == f"simple declined your offer. You win 1 {unit}."
    assert result["hands"] == result["pile"] == [] and result["winner"] == "you"
    assert result["match"][0].startswith("simple: 0 of 7" if seat else "You: 1 of 7")


@pytest.mark.parametrize("n_seeds", [8, pytest.param(20, marks=pytest.mark.slow)])
def test_result_of_a_joker_game_shows_the_count_and_the_score_of_the_joker(browser, n_seeds):
    summaries = set()
    for seed in range(n_seeds):
        query = f"variant=gin-solitaire%2Bknock_limit=50&length=match&seed={seed}"
        state = play_until(browser, query, random.Random(seed), lambda state: state["result"])
        summary, score = state["result"]["summary"], state["result"]["scores"][1]
        assert state["scores"] == ["score 0", "score 0"]
        assert re.search(rf", joker {score.removeprefix('score ')}\b", summary)
        sentences = summary.split(". ")
        assert re.match("You (knocked|went|drew the joker)", sentences[0])
        is_shown = re.search(r"above the joker, so the joker's count is \d+$", sentences[1])
        assert bool(is_shown) == ("You drew the joker" not in summary)
        summaries.add(re.sub(r" .*", "", sentences[0].partition(" ")[2]))
        assert "and joker" not in summary
    assert len(summaries) > 1


def test_users_in_different_seats_have_different_hands(browser):
    def read_hand(seat):
        state = read_game_state(browser, f"{GAME_QUERY.replace('seat=0', f'seat={seat}')}")
        return {card for group in state["table"]["hand"] for card in group}, state

    (first, first_state), (second, second_state) = read_hand(0), read_hand(1)
    assert not first & second
    assert {first_state["dealer"], second_state["dealer"]} == {"you", "gold"}
    play_until(browser, GAME_QUERY.replace("seat=0", "seat=1"), random.Random(2))


def test_downloaded_deal_equals_the_file_of_simgin_play(browser, empty_directory):
    state = play_until(browser, GAME_QUERY, random.Random(4), lambda state: state["result"])
    answer = browser.get(f"/play/deal.json?{GAME_QUERY}")
    assert 'filename="deal-1.json"' in answer.headers["content-disposition"]
    (empty_directory / "deal-1.json").write_bytes(answer.content)
    deal = read_deal_file(empty_directory / "deal-1.json").deal
    assert deal.matchup.variant.spec == "standard" and state["result"]["is_last"] is False
    assert json.loads(answer.content)["command"] == "simgin play gold -v standard --seed 3"
    assert run_simgin("analyze", "deal-1.json", "--as", "gold", "--worlds", 1).stdout
    arguments = "play gold --seed 3 --save mine".split()
    CliRunner().invoke(cli, arguments, input="\nq\n")  # resumes the game at the end of its deal
    typed, downloaded = (
        json.loads(Path(name).read_text()) for name in ("mine-1.json", "deal-1.json")
    )
    typed["command"] = downloaded["command"]
    assert typed == downloaded


def test_action_can_be_undone_and_game_resumed_by_another_server(browser, site):
    first = read_game_state(browser)
    key = first["table"]["choices"][0]["key"]
    second = post_action(browser, "act", first, key=key)
    undone = post_action(browser, "undo", second)
    assert undone["undone"] == 1 and not undone["can_undo"]
    assert undone["table"]["hand"] == first["table"]["hand"]
    post_action(browser, "undo", undone, status=409)
    last_state = play_until(browser, GAME_QUERY, random.Random(1), lambda state: state["can_undo"])
    site.games = OpenGames()
    assert read_game_state(browser) == last_state
    page = check_page(browser.get("/play"))
    assert "Standard Gin against gold, deal 1, seed 3" in page
    assert f"/play?{GAME_QUERY.replace('&', '&amp;')}" in page
    call_screen = run_simgin("play", "gold", "--seed", 3).stdout
    assert "Saved game resumed." in call_screen
    restarted = browser.post(f"/play/restart?{GAME_QUERY}").json()
    assert not restarted["can_undo"] and restarted["undone"] == 0


def test_corrupt_saved_game_is_replaced_by_a_new_game_with_a_note(browser, site, empty_directory):
    state = read_game_state(browser)
    assert "note" not in state
    state = post_action(browser, "act", state, key=state["table"]["choices"][0]["key"])
    (file,) = (empty_directory / "games").glob("*.json")
    file.write_text("{}")
    site.games = OpenGames()
    state = read_game_state(browser)
    assert state["note"].startswith("The saved game is corrupt, so a new game starts.")
    assert not state["can_undo"]
    post_action(browser, "act", state, key=state["table"]["choices"][0]["key"])
    assert "note" not in read_game_state(browser)


def test_action_in_an_outdated_tab_is_rejected_with_the_current_state(browser):
    first = read_game_state(browser)
    key = first["table"]["choices"][0]["key"]
    second = post_action(browser, "act", first, key=key)
    answer = post_action(browser, "act", first, key=key, status=409)
    assert "another tab" in answer["error"] and answer["state"] == second


@pytest.mark.parametrize("body", [[], {}, {"key": "zz"}, {"key": 7}, {"key": None}])
def test_illegal_action_is_rejected(browser, body):
    version = read_game_state(browser)["version"]
    body = body | {"version": version} if isinstance(body, dict) else body
    answer = browser.post(f"/play/act?{GAME_QUERY}", json=body)
    assert browser.post(f"/play/act?{GAME_QUERY}", content=b"{").status_code == 400
    assert answer.status_code == 409 and answer.json()["state"]["version"] == version


def test_coach_shows_the_cost_of_each_action(browser):
    def has_choice(state):
        return state["table"] and any(one["is_discard"] for one in state["table"]["choices"])

    state = play_until(browser, GAME_QUERY, random.Random(1), has_choice)
    hint = browser.get(f"/play/hint?{GAME_QUERY}").json()
    assert re.match("Best: |No action is clearly the best", hint["verdict"])
    assert len(hint["actions"]) > 5
    assert hint["actions"][0]["cost"] == 0 and hint["actions"][0]["is_best"]
    assert hint["unit"] == "points" and "to_move=discard" in hint["link"]
    discard = state["table"]["hand"][-1][0]
    post_action(browser, "act", state, key=discard)
    last = browser.get(f"/play/last-decision?{GAME_QUERY}").json()
    assert re.search(
        r"is the best action\.|^No action is clearly better|costs .* (Best|Better): ",
        last["choice"],
    )
    assert hint["actions"][0]["price"] == "lowest"
    assert all(re.fullmatch(r"\d+\.\d ± \d+\.\d", one["price"]) for one in hint["actions"][1:])
    (chosen,) = [action for action in last["actions"] if action["is_chosen"]]
    assert discard in chosen["text"]
    decision = browser.get(f"/play/decisions/0?{GAME_QUERY}").json()
    assert decision["decisions"] >= 1
    assert browser.get(f"/play/decisions/999?{GAME_QUERY}").json()["actions"] == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("variant=nothing", "'nothing'"),
        ("variant=mine.toml", "is not a built-in variant"),
        ("variant=standard&opponent=mine.py", "is not a built-in strategy"),
        ("variant=standard&opponent=champion@../x.npy", "is not a built-in strategy"),
        ("variant=standard&seed=-1", "is not a valid seed"),
        ("variant=standard&seed=99999999999999999999", "is not a valid seed"),
        ("variant=standard&seat=2", "is not in the list"),
        ("variant=standard&length=year", "is not in the list"),
    ],
)
def test_invalid_field_has_an_error_message(browser, query, message):
    page = check_page(browser.get(f"/play?{query}"), 400)
    assert 'aria-invalid="true"' in page and message.replace("'", "&#39;") in page
    assert 'id="game"' not in page
    answer = browser.get(f"/play/state?{query}", headers={"Accept": "application/json"})
    assert answer.status_code == 400 and message in answer.json()["error"]


def test_unfinished_game_is_listed_with_its_score(browser):
    first = read_game_state(browser)
    post_action(browser, "act", first, key=first["table"]["choices"][0]["key"])
    browser.get(f"/play?{GAME_QUERY}&coach=always")
    page = check_page(browser.get("/play"))
    assert re.search(
        r"gold, deal 1, seed 3, you: score 0; gold: score 0, 20\d\d-\d\d-\d\d \d\d:\d\d<", page
    )
    page = check_page(browser.get(f"/play?{GAME_QUERY}"))
    assert '<option value="always" selected>' in page


def test_page_shows_the_command_and_the_chosen_fields(browser):
    page = check_page(browser.get(f"/play?{GAME_QUERY}&coach=always"))
    assert "simgin play gold -v standard --seed 3 --coach" in page
    assert re.search(r'<option value="gold" [^>]*selected>gold, average<', page)


def test_rules_of_the_variant_are_shown_in_the_form_and_at_the_table(browser):
    rules = "the owner may offer a higher number. A player who declines an offer loses the deal."
    assert (
        rules in check_page(browser.get("/play?variant=dice&opponent=gold")).partition("<form")[0]
    )
    assert rules in check_page(browser.get("/play")).partition("<form")[2]
    state = read_game_state(browser, "variant=dice&opponent=gold&length=match&seat=0&seed=3")
    assert "The stake of this deal is one won deal." in state["table"]["die"][0]
    state = read_game_state(browser, "variant=solitaire-gin&length=deal&seed=3")
    assert state["table"]["events"] == [find_variant("solitaire-gin").about]


def test_opponents_are_listed_in_order_of_strength():
    (weak, built_in) = list_opponents(()).values()
    assert (
        [opponent.spec for opponent in weak]
        == [opponent.label for opponent in weak]
        == ["beginner"]
    )
    specs = [opponent.spec for opponent in built_in]
    entries = map(catalogue.read_catalogue_entry, specs)
    ratings = [entry["elo"] for entry in entries if "elo" in entry]
    assert len(ratings) > 20 and ratings == sorted(ratings, reverse=True)
    assert {entry["strategy"] for entry in PLAYER_TYPE_TABLES["two_player"][1:]} < set(specs)


def test_opponents_without_a_rating_have_a_position_and_a_level():
    opponents = list_opponents(())["Strongest first"]
    labels = [opponent.label for opponent in opponents]
    # champion-mc and champion-eaai beat champion, and mc wins 70 % of matches against simple
    assert labels[:3] == [
        f"{name}, very strong" for name in ("champion-mc", "champion-eaai", "champion")
    ]
    assert labels.index("mc, strong") < labels.index("simple, average")
    assert labels.index("dice-player, average") == labels.index("gold, average") - 1
    assert all(", " in label for label in labels)


def test_strategy_file_given_to_the_server_can_be_an_opponent(
    site, unauthorized_client, empty_directory
):
    path = empty_directory / "mine.py"
    run_simgin("strategies", "new", "mine.py")
    from starlette.testclient import TestClient

    from support.web_site import ADDRESS, PORT, TOKEN

    site_with_strategy = Site(site.results_directory, site.jobs, (str(path),))
    client = TestClient(
        create_app(site_with_strategy, TOKEN, PORT), base_url=ADDRESS, follow_redirects=True
    )
    page = check_page(client.get(f"/play?token={TOKEN}"))
    assert f'<option value="{path}"' in page
    assert client.get("/play/state", params={"variant": "standard", "opponent": str(path)}).json()
