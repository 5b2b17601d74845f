"""Page on which users play, and the requests that change a game."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from itertools import islice
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from simgin.play.matchup import PERSON_NAME
from simgin.play.played_game import SavedGame, list_saved_games
from simgin.rules.variants import Variant, find_variant, variant_names
from simgin.text.files import parse_json
from simgin.text.messages import SimginError
from simgin.web.coach_json import analysis_to_json
from simgin.web.games import GameRequest, MoveError, OpenGame, read_score_and_date
from simgin.web.opponents import list_opponents
from simgin.web.pages import Form, render_page
from simgin.web.table_json import game_to_json

MAX_LISTED_GAMES, MAX_NEW_SEED = 5, 10_000
# cookie name and lifetime, which are also in static/play.js
COACH_COOKIE_NAME, COACH_COOKIE_SECONDS = "simgin-coach", 365 * 24 * 3600
GAME_ACTIONS = ("act", "undo", "next")
DIE_RULES_NOTE = (
    "A player who accepts an offer owns the die, and only the owner may offer a higher number. "
    "A player who declines an offer loses the {}."
)
COACH_MODE_LABELS = {"off": "Off", "request": "On request", "always": "After every decision"}


# Page


def show_play_page(request: Request) -> Response:
    """Show the form for a new game, or the card table of an existing game."""
    site = request.app.state.site
    form = Form(request.query_params)
    game = GameRequest.read(form, site.extra_specs)
    last_coach = request.cookies.get(COACH_COOKIE_NAME, "")
    default_coach = last_coach if last_coach in COACH_MODE_LABELS else "request"
    coach = form.read_choice("coach", COACH_MODE_LABELS, default_coach)
    is_started = "variant" in form.values and not form.errors
    variants = {name: find_variant(name) for name in variant_names()}
    variants.setdefault(game.variant.spec, game.variant)
    response = render_page(
        request,
        "play",
        form.http_status,
        form=form,
        game=game if is_started else None,
        coach=coach,
        coach_modes=COACH_MODE_LABELS.items(),
        variants=variants,
        describe_rules=_describe_rules,
        solitaire=[spec for spec, variant in variants.items() if variant.is_solo],
        opponents=list_opponents(site.extra_specs),
        new_seed=str(secrets.randbelow(MAX_NEW_SEED)),
        saved=[]
        if is_started
        else [*islice(_iter_saved_game_links(site.extra_specs), MAX_LISTED_GAMES)],
        command=game.make_terminal_command(coach == "always") if is_started else "",
    )
    if is_started:
        response.set_cookie(COACH_COOKIE_NAME, coach, COACH_COOKIE_SECONDS, samesite="strict")
    return response


def _describe_rules(variant: Variant) -> str:
    """Return sentences about the rules of a variant, including the die."""
    die = variant.params["die"]
    return variant.about if die == "off" else f"{variant.about} {DIE_RULES_NOTE.format(die)}"


def _iter_saved_game_links(extra_specs: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the address and the label of each saved game that can be continued."""
    for saved_game in list_saved_games():
        try:
            game = _read_saved_game_settings(saved_game, extra_specs)
            score, date = read_score_and_date(saved_game, game)
        except (SimginError, ValueError, OSError):
            continue
        if score is None:
            continue
        against_text = f" against {game.opponent_name}" if game.opponent else ""
        label_parts = [
            f"{game.variant.title}{against_text}",
            f"deal {len(saved_game.deals)}",
            f"seed {game.seed}",
        ]
        yield game.query_string, ", ".join(filter(None, [*label_parts, score, date]))


def _read_saved_game_settings(saved_game: SavedGame, extra_specs: tuple[str, ...]) -> GameRequest:
    """Return the settings of a saved game, or raise MoveError if they are invalid."""
    opponents = [name for name in saved_game.players if name != PERSON_NAME]
    values = {
        "variant": saved_game.variant,
        "length": saved_game.unit,
        "seed": str(saved_game.seed),
    }
    values["seat"] = str(saved_game.players.index(PERSON_NAME))
    form = Form(values | ({"opponent": opponents[0]} if opponents else {}))
    game = GameRequest.read(form, extra_specs)
    if form.errors:
        raise MoveError("This game was saved by a different version of simgin. Start a new game.")
    return game


# requests from the script


def send_game_state(request: Request) -> Response:
    """Send the state of the game in the address."""
    open_game = _find_game(request)
    with open_game.lock:
        is_noted = open_game.note and not open_game.game.prompts
        note = {"note": open_game.note} if is_noted else {}
        return JSONResponse(game_to_json(open_game.game) | note)


async def change_game(request: Request) -> Response:
    """Take or undo an action, or start the next deal, and send the new state."""
    try:
        body = parse_json((await request.body()).decode())
    except ValueError:
        raise MoveError("The request is not valid JSON.") from None
    return await run_in_threadpool(
        _apply_game_action, request, body if isinstance(body, dict) else {}
    )


def _apply_game_action(request: Request, body: dict[str, Any]) -> Response:
    """Apply an action to the game in the address, and send the new state."""
    open_game = _find_game(request)
    action = request.path_params["action"]
    if action not in GAME_ACTIONS:
        raise HTTPException(404)
    with open_game.lock:
        try:
            open_game.check_version(body.get("version"))
            if action == "act":
                open_game.take_action(body.get("key"))
            elif action == "undo":
                open_game.undo()
            else:
                open_game.start_next_deal()
        except MoveError as error:
            state = game_to_json(open_game.game)
            return JSONResponse({"error": str(error), "state": state}, 409)
        return JSONResponse(game_to_json(open_game.game))


def restart_game(request: Request) -> Response:
    """Restart the game in the address."""
    games = request.app.state.site.games
    return JSONResponse(game_to_json(games.restart(_read_game_request(request)).game))


def send_hint(request: Request) -> Response:
    """Send the costs of the possible actions in the current decision."""
    open_game = _find_game(request)
    with open_game.lock:
        deal = open_game.get_latest_deal()
    with open_game.coach_lock:
        analysis = open_game.coach.analyse_pending_decision(deal)
    if analysis is None:
        return JSONResponse({"verdict": "There is only one legal action.", "actions": []})
    return JSONResponse(analysis_to_json(analysis))


def send_decision_analysis(request: Request) -> Response:
    """Send the analysis of a user's decision, and the number of decisions in the deal.

    Without a number in the address, the function sends the analysis of the last decision.
    """
    open_game = _find_game(request)
    with open_game.lock:
        deal = open_game.get_latest_deal()
    decisions = open_game.coach.list_decisions(deal)
    decision_index = request.path_params.get("number", len(decisions) - 1)
    if not 0 <= decision_index < len(decisions):
        return JSONResponse({"decisions": len(decisions), "choice": "", "actions": []})
    with open_game.coach_lock:
        analysis = open_game.coach.analyse(deal, decisions[decision_index])
    return JSONResponse(analysis_to_json(analysis) | {"decisions": len(decisions)})


def send_deal_file(request: Request) -> Response:
    """Send a finished deal in the file format of `simgin play --save`."""
    open_game = _find_game(request)
    with open_game.lock:
        if open_game.game.decision is not None:
            raise MoveError("The deal is not over yet.")
        content = open_game.format_deal_file(open_game.get_latest_deal())
    number = len(open_game.game.deals) + (not open_game.game.table.is_over)
    disposition = f'attachment; filename="deal-{number}.json"'
    headers = {"Content-Disposition": disposition}
    return Response(content, media_type="application/json", headers=headers)


def _read_game_request(request: Request) -> GameRequest:
    """Return the game settings in the address.

    Raises:
        MoveError: If a query parameter is not valid.
    """
    form = Form(request.query_params)
    game = GameRequest.read(form, request.app.state.site.extra_specs)
    for message in form.errors.values():
        raise MoveError(message)
    return game


def _find_game(request: Request) -> OpenGame:
    """Return the game in the address, and resume or start it if necessary."""
    game: OpenGame = request.app.state.site.games.find_or_start(_read_game_request(request))
    return game
