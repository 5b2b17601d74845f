"""Advice of the coach as JSON: the cost of each action, and a link to the analysis."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from simgin.analysis import analysis_report
from simgin.analysis.analysis import Analysis
from simgin.analysis.position import Position
from simgin.core.codes import PHASE_BLIND
from simgin.text.messages import capitalize_first
from simgin.text.notation import format_card, format_hand, mask_to_cards


def analysis_to_json(analysis: Analysis, is_final: bool = True) -> dict[str, Any]:
    """Return the costs and descriptions of all actions as a JSON object, best action first.

    Args:
        analysis: Analysis of a decision.
        is_final: True if the analysis has ended.
    """
    position, rows = analysis.position, analysis.rows()
    choice = ""
    if position.recorded_action is not None:
        chosen_cost = _format_cost(analysis, position.chosen_index)
        choice = analysis_report.describe_choice(analysis).replace(
            analysis_report.format_cost(analysis, position.chosen_index), chosen_cost
        )
    ending = analysis.best_ending_index
    best_ending_index = None if ending is None else analysis.action_names[ending]
    costs = ["lowest", *(_format_cost(analysis, index) for index in analysis.ranking[1:])]
    return {
        "label": capitalize_first(position.label),
        "unit": analysis.unit,
        "worlds": analysis.n_worlds,
        "verdict": analysis_report.format_analysis_verdict(analysis, is_final),
        "choice": choice,
        "cost": sum(row["cost"] for row in rows if row["done"] and analysis.is_mistake),
        "is_decided": len(analysis.best_indices) == 1,
        "actions": [
            _action_to_json(row, cost, row["action"] == best_ending_index)
            for row, cost in zip(rows, costs, strict=True)
        ],
        "link": f"/analyse?{urlencode(make_position_query(position))}",
    }


def _format_cost(analysis: Analysis, index: int) -> str:
    """Format the cost of an action with its 95 % interval, both with the same decimals."""
    mean, _, high = analysis.estimate_cost(index)
    decimals = 2 if analysis.measure in ("deals", "games") else 1
    return f"{mean:.{decimals}f} ± {high - mean:.{decimals}f}"


def _action_to_json(row: dict[str, Any], cost_text: str, is_best_ending: bool) -> dict[str, Any]:
    """Return the description, cost and win probabilities of an action as a JSON object."""
    return {
        "text": row["action"],
        "cost": row["cost"],
        "low": row["low"],
        "high": row["high"],
        "price": cost_text,
        "is_best": row["best"],
        "is_chosen": row["done"],
        "is_best_ending": is_best_ending,
        "win": 100 * row["win"],
        "gin": 100 * row["gin"],
    }


def make_position_query(position: Position) -> dict[str, str]:
    """Return the query parameters for the analysis page of a position."""
    view = position.view
    new_card = max(int(view.drawn), int(view.taken))
    hand = sorted(mask_to_cards(int(view.hand)), key=lambda card: card == new_card)  # new card last
    unit = "deals" if position.variant.goal.score_unit == "deals" else "points"
    score = f"{view[f'own_{unit}']}-{view[f'other_{unit}']}"
    dealer = "me" if view.dealer == view.seat else "opponent"
    is_blind = view.phase == PHASE_BLIND
    fields = {
        "variant": position.variant.spec,
        "hand": "" if is_blind else " ".join(map(format_card, hand)),
        "pile": "" if is_blind else " ".join(position.pile_cards),
        "known": format_hand(int(view.known)),
        "score": score if position.is_in_match and not position.is_solo else "",
        "dealer": "" if position.is_solo else dealer,
        "to_move": "draw" if len(hand) == analysis_report.HAND_SIZE else "discard",
    }
    return fields if position.variant.params["die"] == "off" else fields | _make_die_query(position)


def _make_die_query(position: Position) -> dict[str, str]:
    """Return the query parameters that describe the die in a position."""
    view = position.view
    decision = str(view.offered or "offer") if position.is_about_die else ""
    return {
        "stake": str(view.stake),
        "owner": {-1: "nobody", int(view.seat): "me"}.get(int(view.owner), "opponent"),
        "die": decision,
        "blind": "yes" if view.phase == PHASE_BLIND else "",
    }
