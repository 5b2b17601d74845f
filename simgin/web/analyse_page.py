"""Page that analyses a position on a board of cards, or a recorded deal."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from simgin.analysis.analysis import (
    DEFAULT_WORLDS,
    Analysis,
    AnalysisBudget,
    analyse_deal,
    analyse_position,
)
from simgin.analysis.deal_file import parse_deal_file
from simgin.analysis.position import Position
from simgin.rules.build import build_rules
from simgin.strategy import catalogue
from simgin.strategy.cast import find_strong_player
from simgin.text.messages import escape_control_chars
from simgin.text.notation import format_card
from simgin.web.board_position import DEFAULT_SEED, BoardPosition
from simgin.web.coach_json import analysis_to_json
from simgin.web.live_analysis import LiveAnalysis
from simgin.web.opponents import make_display_names
from simgin.web.pages import Form, render_page
from simgin.web.request_values import find_allowed_strategy, find_allowed_variant
from simgin.web.review_page import list_variants

JSON_LINES_MEDIA_TYPE = "application/x-ndjson"
MAX_WORLDS_FOR_DEAL_FILE = 1000  # maximum number of simulations per decision of a recorded deal


def show_analysis_board(request: Request) -> Response:
    """Show the analysis board with the position in the address."""
    site = request.app.state.site
    form = Form(request.query_params)
    board = BoardPosition.read(form, site.extra_specs)
    analysis_request = board.make_request(form)
    stakes = [str(stake) for stake in range(1, int(build_rules(board.variant).die_cap) + 1)]
    answer_options = [(stake, f"Answer the opponent's offer of {stake}") for stake in stakes[1:]]
    return render_page(
        request,
        "analyse",
        form.http_status,
        form=form,
        board=board,
        variants=list_variants(),
        stakes=[(stake, stake) for stake in stakes],
        die_decisions=[("", "None"), ("offer", "Offer the die or not"), *answer_options],
        strategies=_list_strategies(board, site.extra_specs),
        worlds=DEFAULT_WORLDS,
        seed=DEFAULT_SEED,
        command=board.command if analysis_request else "",
        has_live_command=True,
    )


def _list_strategies(board: BoardPosition, extra_specs: Sequence[str]) -> list[tuple[str, str]]:
    """Return the specs and labels of the strategies that can play the board's variant."""
    names = [
        name
        for name in catalogue.list_strategies_by_strength()
        if catalogue.is_solo_strategy(name) == board.variant.is_solo
    ]
    specs = dict.fromkeys((*extra_specs, *names, board.strategy, board.opponent))
    labels = {spec: spec for spec in specs if spec} | make_display_names(extra_specs)
    default_label = f"Default ({find_strong_player(board.variant)})"
    return [("", default_label), *labels.items()]


def stream_position_costs(request: Request) -> Response:
    """Send the errors of a position, or its command followed by the costs of its actions."""
    form = Form(request.query_params)
    board = BoardPosition.read(form, request.app.state.site.extra_specs)
    analysis_request = board.make_request(form)
    first_object = {"command": "", "errors": form.errors, "about": [], "assumed": []}
    if analysis_request is None:
        return _make_json_lines_response(_yield_json_line(first_object), form.http_status)
    position = analysis_request.position_or_deal
    assert isinstance(position, Position), "the board has a position"
    assert analysis_request.strategy is not None, "a position has a strategy that continues"
    first_object["command"] = board.command
    first_object["about"] = list(position.describe())
    first_object["assumed"] = list(_list_assumptions(board, position))
    analyse = partial(
        analyse_position,
        position,
        analysis_request.strategy,
        analysis_request.opponent,
        analysis_request.budget,
    )
    return _make_json_lines_response(
        LiveAnalysis(analyse, _costs_to_json).iter_json_lines(first_object)
    )


def _list_assumptions(board: BoardPosition, position: Position) -> Iterator[str]:
    """Yield sentences about what simgin inferred from the order and number of the cards."""
    view = position.view
    if view.drawn >= 0:
        yield f"You just drew {format_card(int(view.drawn))}, the last card of your hand."
    if board.variant.is_solo or board.is_blind:
        return
    if board.dealer is None:
        yield f"{'You are' if view.dealer == view.seat else 'The opponent is'} the dealer."
    if board.pile and board.stock is None:
        yield f"The pile is complete, so the stock contains {view.stock} cards."


async def stream_deal_costs(request: Request) -> Response:
    """Send the costs of the decisions in an uploaded deal, costliest first."""
    file_text = (await request.body()).decode(errors="replace")
    file_name = request.query_params.get("name", "")[:100]
    extra_specs = request.app.state.site.extra_specs
    recorded_deal = await run_in_threadpool(
        parse_deal_file,
        file_text,
        escape_control_chars(file_name),
        find_allowed_variant,
        partial(find_allowed_strategy, extra_specs=extra_specs),
    )
    analyse = partial(
        analyse_deal,
        recorded_deal.deal,
        None,
        None,
        None,
        AnalysisBudget(MAX_WORLDS_FOR_DEAL_FILE),
        player_names=recorded_deal.player_names,
    )
    players = " against ".join(recorded_deal.player_names)
    title = f"{players} ({recorded_deal.deal.matchup.variant.spec})"
    return _make_json_lines_response(
        LiveAnalysis(analyse, _decisions_to_json).iter_json_lines({"title": title})
    )


def _make_json_lines_response(lines: AsyncIterator[str], status: int = 200) -> Response:
    """Return a response that streams JSON lines."""
    return StreamingResponse(lines, status, media_type=JSON_LINES_MEDIA_TYPE)


async def _yield_json_line(first_object: Mapping[str, Any]) -> AsyncIterator[str]:
    """Yield a JSON object as a single line."""
    yield json.dumps(first_object) + "\n"


def _costs_to_json(analysis: Analysis, is_over: bool) -> dict[str, Any]:
    """Return the costs of actions, best action first, and the maximum number of simulations."""
    return analysis_to_json(analysis, is_over) | {"max_worlds": analysis.max_worlds}


def _decisions_to_json(analyses: Mapping[str, Analysis], is_over: bool) -> dict[str, Any]:
    """Return the decisions of a deal with their costs, costliest first."""
    decisions = [
        analysis_to_json(analysis) | {"title": title, "actions": []}
        for title, analysis in analyses.items()
    ]
    return {"decisions": sorted(decisions, key=lambda decision: -decision["cost"])}
