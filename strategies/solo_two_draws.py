"""One-player strategy that searches the next draw card by card on the table of `solo-dp`.

The table itself looks one draw ahead: it adds up what each live card would save. Here the next draw
is played out as well, so two draws are seen: after every card that fits comes the best discard, and
then the table's value. Only the discards that the table likes best are searched (`width`; more of
them win no more), and after a draw only cards in no meld are discarded. A card that fits nowhere
goes back; where deadwood is paid, it may take the place of the card that the table would miss
least. Ends the deal like `solo-dp`.

Source: This project; one step of search on a learned value, as in G. Tesauro and G. Galperin,
"On-line Policy Improvement using Monte-Carlo Search", 1996, but over every card.
"""

import numpy as np
from simgin_strategies.ahead import fewest_loose, no_draw_follows
from simgin_strategies.solo_dp import BAND, PENALTIES, TIMES, WON, dp_stop, going_on, scoring_of
from simgin_strategies.stop import stop_value

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import best_discard, deadwood, dearest, lowest, outs, popcount

N_PARAMS = 1  # the numbers of solo_dp.npy follow them
HAND = 11
LEAST = -1e18  # below every value


@discard(
    width=param(4, 1, 11, "number of discards searched, those that the table likes best"),
    weights="solo_dp.npy",
)
def two_draws(view, rules, params):
    """Keep the ten cards with the best next draw, valued by the table after it."""
    if no_draw_follows(view, rules):
        return best_discard(view.hand, view.legal, rules)
    cards, values = searched(view, int(params[0]), rules, params[N_PARAMS:])
    return cards[values.argmax()]


@helper
def searched(view, width, rules, table):
    """The discards that the table likes best, at most `width`, and their values by the next draw.

    int64 and float64, in the order of the table's liking.
    """
    left = draws_or_cards_left(view, rules)
    cards, likes = np.empty(HAND, np.int64), np.full(HAND, LEAST)
    n = 0
    legal = view.legal
    while legal:
        cards[n] = lowest(dearest(legal, rules)[0])
        legal &= ~(1 << cards[n])
        likes[n] = by_table(view.hand & ~(1 << cards[n]), view.unseen, left, rules, table)
        n += 1
    n = min(n, width)
    best, values = np.empty(n, np.int64), np.empty(n)
    for i in range(n):
        k = likes.argmax()
        likes[k] = LEAST
        best[i] = cards[k]
        values[i] = by_next_draw(view.hand & ~(1 << best[i]), view.unseen, left, rules, table)
    return best, values


@helper
def draws_or_cards_left(view, rules):
    """Draws still to come; where they are not limited, cards in the deck with the joker.

    Against another player, cards in the stock.
    """
    if rules.max_draws >= 0:
        return rules.max_draws - view.own_turn
    return view.deck_left if view.deck_left >= 1 else view.stock


@helper
def by_table(ten, unseen, left, rules, table):
    """The table's value of ten cards; exact where no draw follows or only the joker is left."""
    is_limited = rules.max_draws >= 0
    if left < 1 or (left == 1 and not is_limited):
        return caught(ten, rules)
    time = left - 1 if is_limited else (left - 1) // BAND
    return going_on(ten, unseen, min(time, TIMES - 1), rules, table)


@helper
def by_next_draw(ten, unseen, left, rules, table):
    """Value of ten cards: the mean over the next card, which may be the joker."""
    fit = outs(ten, rules) & unseen
    others = unseen & ~fit
    back = by_table(ten, unseen, left - 1, rules, table)
    total = back * popcount(others)
    if scoring_of(rules) != WON:
        nine = _spared(ten, unseen, left - 1, rules, table)
        while others:
            card = others & -others
            others ^= card
            kept = by_table(nine | card, unseen ^ card, left - 1, rules, table)
            total += max(0.0, kept - back)
    while fit:
        card = fit & -fit
        fit ^= card
        total += _with_meld(ten | card, unseen ^ card, left - 1, rules, table)
    mean = total / max(1, popcount(unseen))
    if rules.max_draws >= 0:
        return mean
    return mean + (caught(ten, rules) - mean) / max(1, left)


@helper
def _spared(ten, unseen, left, rules, table):
    """Ten cards without the one, of those in no meld, that the table would miss least."""
    best, most = ten, LEAST
    now = fewest_loose(ten, rules)
    cards = ten
    while cards:
        card = cards & -cards
        cards ^= card
        if fewest_loose(ten ^ card, rules) < now:
            worth = by_table(ten ^ card, unseen, left, rules, table)
            if worth > most:
                best, most = ten ^ card, worth
    return best


@helper
def _with_meld(eleven, unseen, left, rules, table):
    """Value of eleven cards: of gin, or of the best ten without one card in no meld."""
    now = fewest_loose(eleven, rules)
    if now <= 1:
        return gin(left, rules)
    most = LEAST
    cards = eleven
    while cards:
        card = cards & -cards
        cards ^= card
        if fewest_loose(eleven ^ card, rules) < now:
            most = max(most, by_table(eleven ^ card, unseen, left, rules, table))
    return most


@helper
def gin(left, rules):
    """Value of gin."""
    scoring = scoring_of(rules)
    if scoring == WON:
        return 1.0
    return -float(rules.penalty_gin) if scoring == PENALTIES else stop_value(0, left, rules)


@helper
def caught(ten, rules):
    """Value of ten cards that the joker or the last draw leaves in the hand."""
    return 0.0 if scoring_of(rules) == WON else -float(deadwood(ten, rules))


SOLO_TWO_DRAWS = Strategy(
    "solo-two-draws",
    discard=two_draws,
    knock=dp_stop,
    about="One player: searches the next draw on the table of `solo-dp`, so sees two draws.",
)
