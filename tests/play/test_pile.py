"""Tests that every screen and reader uses the same order of the pile and states it."""

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

GAMES = {"standard": "simple", "tedesco": "simple", "basic": "simple", "solitaire-gin": None}


def trace_deals(variant, opponent):
    a = "gold-early" if opponent else "solo-greedy"
    matchup = parse_matchup(a, opponent, variant, 3, "deal")
    return [trace_deal(matchup, unit) for unit in range(3)]


def pile_before(deal, number):
    """Return the pile before a decision of the trace, oldest first, with stars.

    A player decides about the ending after the discard, which is in the pile only later.
    """
    turn = int(deal.decision(number).view.turn)
    first = deal.decision(0).view
    cards = [format_card(int(first.upcard))] if first.upcard >= 0 else []
    for question in deal.decisions[:number]:
        if question.slot == "take" and question.action == 1:
            cards[-1] += "*"
        elif question.slot == "discard" and question.view.turn < turn:
            cards.append(format_card(question.action))
    return cards


@pytest.mark.parametrize("variant", GAMES)
def test_the_table_shows_the_whole_pile_as_the_option_reads_it(variant):
    alone = GAMES[variant] is None
    label = "Discards (oldest first)  " if alone else "Pile (oldest first)  "
    for deal in trace_deals(variant, GAMES[variant]):
        rules = build_rules(deal.matchup.variant)
        for number, question in enumerate(deal.decisions):
            expected = pile_before(deal, number)
            assert format_pile(question.view, rules, alone) == expected
            screen = "\n".join(format_table_lines(question, rules, "" if alone else "simple"))
            shown = screen.partition(label)[2].partition("\n\n")[0].split()
            assert shown == (expected or ["none"])
            read, gap = parse_pile(" ".join(expected))
            assert gap is None
            assert [format_card(one.card) + "*" * one.is_taken for one in read] == expected


def test_an_analysis_and_a_page_name_the_same_order():
    deal = trace_deals("standard", "simple")[1]
    for position in find_decisions(deal)[2:]:
        pile = " ".join(position.pile_cards)
        assert f"Pile (oldest first)  {pile}" in list(position.describe())
        (row,) = [row for row in build_card_rows(position) if "oldest first" in row.label]
        assert row.groups == [pile.replace("*", "").split()]
