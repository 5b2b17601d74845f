"""Tests that every output and parser uses the same order of the pile."""

import pytest

from simgin.analysis.analysis_report import build_card_rows
from simgin.analysis.position import find_decisions
from simgin.analysis.position_parts import parse_pile
from simgin.play.matchup import parse_matchup
from simgin.play.pile import format_pile
from simgin.play.table_text import format_table_lines
from simgin.play.traced_deal import trace_deal
from simgin.rules.build import build_rules
from simgin.text.notation import format_card

OPPONENT_BY_VARIANT = {
    "standard": "simple",
    "tedesco": "simple",
    "basic": "simple",
    "solitaire-gin": None,
}


def trace_deals(variant, opponent):
    a = "gold-early" if opponent else "solo-greedy"
    matchup = parse_matchup(a, opponent, variant, 3, "deal")
    return [trace_deal(matchup, unit) for unit in range(3)]


def find_pile_before(deal, decision_index):
    """Return the pile before a decision, oldest card first, with a star after taken cards.

    A player decides about the ending after the discard, which is in the pile only later.
    """
    turn = int(deal.get_decision(decision_index).view.turn)
    first_view = deal.get_decision(0).view
    cards = [format_card(int(first_view.upcard))] if first_view.upcard >= 0 else []
    for decision in deal.decisions[:decision_index]:
        if decision.slot == "take" and decision.action == 1:
            cards[-1] += "*"
        elif decision.slot == "discard" and decision.view.turn < turn:
            cards.append(format_card(decision.action))
    return cards


@pytest.mark.parametrize("variant", OPPONENT_BY_VARIANT)
def test_pile_on_the_table_can_be_parsed(variant):
    is_solo = OPPONENT_BY_VARIANT[variant] is None
    label = "Discards (oldest first)  " if is_solo else "Pile (oldest first)  "
    for deal in trace_deals(variant, OPPONENT_BY_VARIANT[variant]):
        rules = build_rules(deal.matchup.variant)
        for index, decision in enumerate(deal.decisions):
            expected = find_pile_before(deal, index)
            assert format_pile(decision.view, rules, is_solo) == expected
            screen = "\n".join(format_table_lines(decision, rules, "" if is_solo else "simple"))
            shown = screen.partition(label)[2].partition("\n\n")[0].split()
            assert shown == (expected or ["none"])
            parsed_cards, gap = parse_pile(" ".join(expected))
            assert gap is None
            assert [
                format_card(pile_card.card) + "*" * pile_card.is_taken for pile_card in parsed_cards
            ] == expected


def test_analysis_and_html_show_the_pile_in_the_same_order():
    deal = trace_deals("standard", "simple")[1]
    for position in find_decisions(deal)[2:]:
        pile = " ".join(position.pile_cards)
        assert f"Pile (oldest first)  {pile}" in list(position.describe())
        (row,) = [row for row in build_card_rows(position) if "oldest first" in row.label]
        assert row.groups == [pile.replace("*", "").split()]
