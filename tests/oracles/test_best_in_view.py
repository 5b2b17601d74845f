"""The best discards that a view shows, against trying each discard with the twin."""

import pytest

from oracles import twin
from support import hands
from support import twin_views as sight

SHOWN = 400  # questions of each slot, from all variants


def left_by(discards, view, row):
    """Discard -> deadwood that the twin finds in the other cards."""
    hand = hands.names(int(view.hand))
    return {
        card: twin.deadwood([other for other in hand if other != card], row) for card in discards
    }


def test_a_discard_question_shows_the_best_discards():
    for text, view in sight.questions("discard")[:SHOWN]:
        left = left_by(hands.names(int(view.legal)), view, hands.game(text)[1])
        least = min(left.values())
        assert view.least == least
        assert int(view.best) == hands.mask(card for card in left if left[card] == least)


@pytest.mark.parametrize("slot", ["take", "knock"])
def test_other_questions_show_them_with_eleven_cards_only(slot):
    for text, view in sight.questions(slot)[:SHOWN]:
        if int(view.hand).bit_count() < 11:
            assert (view.least, view.best) == (-1, 0)
        else:
            left = left_by(hands.names(int(view.best)), view, hands.game(text)[1])
            assert left and set(left.values()) == {int(view.least)}
