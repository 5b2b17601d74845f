"""Advice of the coach for the browser: the cost of each action, and a link to the analysis."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from simgin.analysis.analysis import Analysis
from simgin.analysis.analysis_report import (
    HAND_SIZE,
    analysis_verdict,
    describe_choice,
    format_cost,
)
from simgin.analysis.position import Position
from simgin.core.codes import PHASE_BLIND
from simgin.text.notation import format_card, format_hand, mask_to_cards

# Action that ends the deal, before the card that is discarded
KNOCK_DISCARD = re.compile(r"\b(knock|gin|shoot), (?=[A2-9TJQK][SHDC]\b)", re.IGNORECASE)


def analysis_to_json(found: Analysis, is_final: bool = True) -> dict[str, Any]:
    """Return the cost and a description of every action, best action first.

    Args:
        found: Analysis of a decision.
        is_final: True if the analysis has ended.
    """
    position, rows = found.position, found.rows()
    choice = ""
    if position.chosen is not None:
        price = _format_price(found, position.chosen_index)
        choice = describe_choice(found).replace(format_cost(found, position.chosen_index), price)
    ending = None if found.best_ending is None else found.action_names[found.best_ending]
    prices = ["lowest", *(_format_price(found, index) for index in found.ranking[1:])]
    return {
        "label": f"{position.label[:1].upper()}{position.label[1:]}",
        "unit": found.unit,
        "worlds": found.n_worlds,
        "verdict": name_discards(analysis_verdict(found, is_final)),
        "choice": name_discards(choice),
        "cost": sum(row["cost"] for row in rows if row["done"] and found.is_mistake),
        "is_decided": len(found.best_indices) == 1,
        "actions": [
            _action_to_json(row, price, row["action"] == ending)
            for row, price in zip(rows, prices, strict=True)
        ],
        "link": f"/analyse?{urlencode(position_query(position))}",
    }


def _format_price(found: Analysis, index: int) -> str:
    """Format the cost of an action and its 95 % interval with the same number of decimals."""
    mean, _, high = found.estimate_cost(index)
    decimals = 2 if found.measure in ("deals", "games") else 1
    return f"{mean:.{decimals}f} ± {high - mean:.{decimals}f}"


def name_discards(text: str) -> str:
    """Return a text in which `knock, 5D` is `knock, discarding 5D`."""
    return KNOCK_DISCARD.sub(r"\1, discarding ", text)


def _action_to_json(row: dict[str, Any], price: str, is_best_ending: bool) -> dict[str, Any]:
    return {
        "text": name_discards(row["action"]),
        "cost": row["cost"],
        "low": row["low"],
        "high": row["high"],
        "price": price,
        "is_best": row["best"],
        "is_chosen": row["done"],
        "is_best_ending": is_best_ending,
        "win": 100 * row["win"],
        "gin": 100 * row["gin"],
    }


def position_query(position: Position) -> dict[str, str]:
    """Return the query parameters of the page that analyses a position."""
    view = position.view
    new = max(int(view.drawn), int(view.taken))
    hand = sorted(mask_to_cards(int(view.hand)), key=lambda card: card == new)  # new card last
    unit = "deals" if position.variant.goal.score == "deals" else "points"
    score = f"{view[f'own_{unit}']}-{view[f'other_{unit}']}"
    dealer = "me" if view.dealer == view.seat else "opponent"
    is_blind = view.phase == PHASE_BLIND
    fields = {
        "variant": position.variant.spec,
        "hand": "" if is_blind else " ".join(map(format_card, hand)),
        "pile": "" if is_blind else " ".join(position.pile_cards),
        "known": format_hand(int(view.known)),
        "score": score if position.in_match and not position.is_solo else "",
        "dealer": "" if position.is_solo else dealer,
        "to_move": "draw" if len(hand) == HAND_SIZE else "discard",
    }
    return fields if position.variant.params["die"] == "off" else fields | _die_query(position)


def _die_query(position: Position) -> dict[str, str]:
    view = position.view
    decision = str(view.offered or "offer") if position.is_about_die else ""
    return {
        "stake": str(view.stake),
        "owner": {-1: "nobody", int(view.seat): "me"}.get(int(view.owner), "opponent"),
        "die": decision,
        "blind": "yes" if view.phase == PHASE_BLIND else "",
    }
