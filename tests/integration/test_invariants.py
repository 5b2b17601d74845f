"""What must hold for any variant, strategies and seed.

Cards are conserved, sums add up, sides can be exchanged, and blocks and threads make no difference.
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simgin.core import sums
from simgin.play import kernel
from simgin.play.deal import watch_deal
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs import runner
from simgin.strategy import loader
from support import hands
from support.variant_lists import TWO_PLAYER, UNUSUAL, distinct

ROWS = distinct((*TWO_PLAYER, *UNUSUAL))
STRATEGIES = (
    "simple",
    "gold",
    "gin-only",
    "gold-early",
    "stubborn",
    "random",
    "random:p=0.2,p_end=1",
    "gold+take=never",
)
STOCK, DEALT = 0, 2  # source of a card in a deal's turns
MARGINS = ("a_margin", "a_match_margin", "a_settlement")  # A's lead over B

# Matches of every kind as well
any_row = st.sampled_from(tuple(dict.fromkeys((*ROWS, *TWO_PLAYER))))
a_row, a_strategy, a_seed = (
    st.sampled_from(ROWS),
    st.sampled_from(STRATEGIES),
    st.integers(0, 2**64 - 1),
)
without_noise = st.sampled_from(
    ("gold", "gin-only", "gold-early", "gold+take=never", "gold+discard=loose-high", "gold-at")
)
a_unit = st.sampled_from(("deal", "match"))


@cache
def variant(text):
    return variants.find(text)


@cache
def strategy(text):
    return loader.find(text)


def game(row, a, b, seed, unit="deal"):
    return Matchup(variant(row), strategy(a), strategy(b), seed, unit)


def block(row, start):
    return row[start : start + sums.N_FACTS]


def fact(row, name, start=sums.SUM):
    return int(row[start + sums.FACT[name]])


@settings(max_examples=60)
@given(a_row, a_strategy, a_strategy, a_seed, st.integers(0, 2**48 - 1), st.integers(0, 1))
def test_cards_are_conserved(row, a, b, seed, unit, half):
    """In every question the cards seen and unseen make up the pack.

    The unseen cards are the stock and the opponent's hidden cards.
    """
    this = game(row, a, b, seed)
    played = watch_deal(this, unit, half if this.mirrored else 0)
    assert not played.fault
    pack = [1 << int(card) for card in played.state.pack]
    assert sum(pack) == hands.PACK
    for question in played.questions:
        view = question.view
        hand, pile, known, unseen = (
            int(view[name]) for name in ("hand", "pile", "known", "unseen")
        )
        assert hand | pile | known | unseen == hands.PACK
        assert sum(cards.bit_count() for cards in (hand, pile, known, unseen)) == 52
        draws = 31 - int(view.stock)
        eleven = question.slot == "discard" or (question.slot == "knock" and view.phase != 2)
        assert hand.bit_count() == 10 + eleven
        opponent = 52 - hand.bit_count() - pile.bit_count() - int(view.stock)
        assert opponent == unseen.bit_count() - int(view.stock) + known.bit_count() == 10
        assert 0 <= draws <= 31 and view.turns < 501
        assert question.answer is not None and int(view.legal) >> question.answer & 1


@settings(max_examples=60)
@given(a_row, a_strategy, a_strategy, a_seed, st.integers(0, 2**48 - 1))
def test_every_card_moves_as_reported(row, a, b, seed, unit):
    """Turn by turn from the hands dealt.

    A card drawn lay on top, a card discarded was held, and after every turn there are 52 cards.
    """
    played = watch_deal(game(row, a, b, seed), unit)
    state, pack = played.state, played.state.pack.tolist()
    held = [set(hands.members(hand)) for hand in played.hands]
    stock, pile = pack[21:], [int(state.upcard)] if state.upcard >= 0 else []
    for seat, source, card, thrown in played.turns:
        if source != DEALT:
            assert card == (stock.pop(0) if source == STOCK else pile.pop())
            held[seat].add(card)
        if thrown >= 0:
            held[seat].remove(thrown)
            pile.append(thrown)
        assert sorted([*held[0], *held[1], *stock, *pile]) == list(range(52))
        assert [len(held[0]), len(held[1])] == [10, 10] or (thrown < 0 and len(held[seat]) == 11)
    if len(stock) > state.stock:  # void at the draw
        held[1 - played.turns[-1][0]].add(stock.pop(0))
    assert [sum(1 << card for card in hand) for hand in held] == state.hand.tolist() and len(
        stock
    ) == state.stock


@settings(max_examples=60)
@given(a_row, a_strategy, a_strategy, a_seed)
def test_only_the_winner_scores(row, a, b, seed):
    """Nobody scores where nobody has won."""
    this = game(row, a, b, seed)
    for unit in range(5):
        played = watch_deal(this, unit)
        winner, score = int(played.state.winner), played.state.score.tolist()
        assert [seat for seat in (0, 1) if score[seat]] in ([], [winner]) and min(score) >= 0
        assert (winner < 0) == (sum(score) == 0)
        assert (played.state.stopper < 0) == (played.kind in ("void", "stalled"))
        if winner >= 0:
            assert played.kind in sums.WON_KINDS and (played.kind == "undercut") == (
                winner != played.state.stopper
            )


@settings(max_examples=40)
@given(any_row, a_strategy, a_strategy, a_seed, a_unit)
def test_sums_add_up(row, a, b, seed, unit):
    """Kinds, histograms and sides are parts of wholes."""
    this = game(row, a, b, seed, unit)
    n = 30 if unit == "match" else 200
    total = kernel.play(this, 0, n)[0]
    deals = fact(total, "deals")
    assert total[sums.UNITS] == n and deals >= n * (1 + this.mirrored)
    assert sum(fact(total, kind) for kind in sums.KINDS) == deals
    assert total[sums.TURNS_HISTOGRAM : sums.COUNT_HISTOGRAM].sum() == deals
    assert total[sums.PAIR_HISTOGRAM : sums.DEAL_SQUARE].sum() == n
    assert (
        total[sums.COUNT_HISTOGRAM : sums.PAIR_HISTOGRAM].sum()
        == fact(total, "showdowns")
        == sum(fact(total, k) for k in ("knock", "undercut", "even"))
    )
    assert fact(total, "a_deal_win") + fact(total, "b_deal_win") == fact(total, "decided")
    for kind in sums.WON_KINDS:
        assert fact(total, f"a_won_{kind}") + fact(total, f"b_won_{kind}") <= fact(total, kind)
    assert fact(total, "a_points") - fact(total, "b_points") == fact(total, "a_margin")
    assert fact(total, "a_points") + fact(total, "b_points") == sum(
        fact(total, f"points_{kind}") for kind in sums.SCORED_KINDS
    )
    assert (block(total, sums.SQUARE) >= 0).all()
    if unit == "match":
        assert fact(total, "matches") == n * (1 + this.mirrored)
        assert fact(total, "a_match_win") + fact(total, "b_match_win") == 2 * fact(total, "matches")


@settings(max_examples=40)
@given(any_row, without_noise, without_noise, a_seed, a_unit)
def test_exchanging_the_strategies_exchanges_the_sides(row, a, b, seed, unit):
    """A against B and B against A play the same pairs of deals.

    Every sum of one side is the other's, and every margin changes its sign.
    """
    assume(a != b)
    n = 20 if unit == "match" else 150
    one, other = (kernel.play(game(row, *pair, seed, unit), 0, n)[0] for pair in ((a, b), (b, a)))
    for start in (sums.SUM, sums.SQUARE, sums.CROSS):
        for name in sums.FACTS:
            sign = -1 if name in MARGINS and start != sums.SQUARE else 1
            assert fact(one, name, start) == sign * fact(other, seen_by_the_other(name), start), (
                name
            )
    assert (
        one[sums.TURNS_HISTOGRAM : sums.PAIR_HISTOGRAM]
        == other[sums.TURNS_HISTOGRAM : sums.PAIR_HISTOGRAM]
    ).all()
    assert (
        one[sums.PAIR_HISTOGRAM : sums.DEAL_SQUARE]
        == other[sums.PAIR_HISTOGRAM : sums.DEAL_SQUARE][::-1]
    ).all()
    assert (one[sums.DEAL_SQUARE :] == other[sums.DEAL_SQUARE :]).all()


def seen_by_the_other(name):
    """The name of the same fact with A and B exchanged."""
    if name in MARGINS or name[:2] not in ("a_", "b_"):
        return name
    return ("b_" if name[0] == "a" else "a_") + name[2:]


def test_a_strategy_against_its_clone_is_even():
    """The clone has another name, and every margin is zero, deal by deal."""
    total = kernel.play(
        game("standard", "gold", "gold+knock=at:k=10+discard=low:tie=middle", 3), 0, 1000
    )[0]
    assert fact(total, "a_margin", sums.SQUARE) > 0  # another discard rule: here margins do vary
    total = kernel.play(game("standard", "gold", "gold-early:k=500", 3), 0, 1000)[0]
    assert fact(total, "a_margin") == fact(total, "a_margin", sums.SQUARE) == 0


@pytest.mark.parametrize("unit, units", [("deal", 5_000), ("match", 500)])
def test_results_do_not_depend_on_blocks(unit, units):
    this = game("oklahoma", "simple", "gold-early", 9, unit)
    whole = kernel.play(this, 0, units)
    size = this.batch
    pieces = [kernel.play(this, first, size) for first in range(0, units, size)]
    assert (whole == np.concatenate(pieces)).all()
    backwards = [kernel.play(this, first, size) for first in reversed(range(0, units, size))]
    assert (whole == np.concatenate(backwards[::-1])).all()
    assert (whole[1:4] == kernel.play(this, size, 3 * size)).all()


@pytest.mark.parametrize("unit, n", [("deal", 9_001), ("match", 1_234)])
def test_results_do_not_depend_on_threads(unit, n):
    this = game("standard", "random:p=0.3", "simple", 10, unit)
    rows = [runner.run_matchup(this, n, workers) for workers in (1, 2, 5)]
    assert (rows[0] == rows[1]).all() and (rows[0] == rows[2]).all()


@settings(max_examples=25)
@given(any_row, a_strategy, a_strategy, a_seed)
def test_a_watched_deal_is_the_deal_of_the_run(row, a, b, seed):
    """A deal played by itself is what the kernel counted."""
    this = game(row, a, b, seed)
    total = kernel.play(this, 0, 3)[0]
    played = [
        watch_deal(this, unit, half) for unit in range(3) for half in range(1 + this.mirrored)
    ]
    assert sum(int(deal.state.turns) for deal in played) == fact(total, "turns")
    for kind in sums.KINDS:
        assert sum(deal.kind == kind for deal in played) == fact(total, kind)
    margins = [
        int(deal.state.score[deal.state.half] - deal.state.score[1 - deal.state.half])
        for deal in played
    ]
    assert sum(margins) == fact(total, "a_margin")
