"""Advice of the coach for the browser: the cost of each action, and a link to the analysis."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from simgin.analysis.analysis import Analysis
from simgin.analysis.analysis_report import analysis_verdict, format_cost
from simgin.analysis.position import Position, format_better_action
from simgin.text.notation import format_card, format_hand, mask_to_cards


def analysis_to_json(found: Analysis) -> dict[str, Any]:
    """Return the costs of all actions, best first, and sentences about them."""
    position = found.position
    return {
        "label": position.label,
        "unit": found.unit,
        "worlds": found.n_worlds,
        "verdict": analysis_verdict(found),
        "choice": _describe_choice(found) if position.chosen is not None else "",
        "cost": _chosen_cost(found),
        "actions": [_action_to_json(found, index) for index in found.ranking],
        "link": f"/analyse?{urlencode(position_query(position))}",
    }


def _chosen_cost(found: Analysis) -> float:
    """Return the cost of the chosen action, or 0 if it might be the best action."""
    position = found.position
    if position.chosen is None or position.chosen_index in found.best_indices:
        return 0.0
    return found.estimate_cost(position.chosen_index)[0]


def _describe_choice(found: Analysis) -> str:
    """Return a sentence about the chosen action and the best action."""
    index = found.position.chosen_index
    chosen_action, best = _format_action(found, index), _format_action(found, found.best_indices[0])
    if found.best_indices == [index]:
        return f"{chosen_action[:1].upper()}{chosen_action[1:]} is the best action."
    if index in found.best_indices:
        other = next(each for each in found.best_indices if each != index)
        return f"Too close to call: {chosen_action} and {_format_action(found, other)}."
    better = format_better_action(chosen_action, best)
    cost = f"{format_cost(found, index)} {found.unit}"
    return f"{chosen_action[:1].upper()}{chosen_action[1:]} costs {cost}. Best: {better}."


def _action_to_json(found: Analysis, index: int) -> dict[str, Any]:
    mean, low, high = found.estimate_cost(index)
    outcomes = found.outcomes[:, index]
    tried = outcomes[outcomes["points"] == outcomes["points"]]  # NaN if it was not played
    return {
        "text": _format_action(found, index),
        "cost": mean,
        "low": low,
        "high": high,
        "price": "" if index == found.ranking[0] else format_cost(found, index),
        "is_best": index in found.best_indices,
        "is_chosen": found.position.chosen is not None and index == found.position.chosen_index,
        "win": 100 * float(tried["win"].mean()),
        "gin": 100 * float(tried["gin"].mean()),
        "undercut": 100 * float(tried["undercut"].mean()),
    }


def _format_action(found: Analysis, index: int) -> str:
    return found.position.format_action(found.position.actions[index])


def position_query(position: Position) -> dict[str, str]:
    """Return the query parameters of the page that analyses a position."""
    view = position.view
    new = max(int(view.drawn), int(view.taken))
    hand = sorted(mask_to_cards(int(view.hand)), key=lambda card: card == new)  # new card last
    unit = "deals" if position.variant.goal.score == "deals" else "points"
    score = f"{view[f'own_{unit}']}-{view[f'other_{unit}']}"
    return {
        "variant": position.variant.spec,
        "hand": " ".join(map(format_card, hand)),
        "pile": " ".join(position.pile_cards),
        "known": format_hand(int(view.known)),
        "score": score if position.in_match else "",
        "dealer": "me" if view.dealer == view.seat else "opponent",
        "to_move": "draw" if view.taken_offer >= 0 else "discard",
    }
