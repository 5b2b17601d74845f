"""What is known of the opponent, in its cheap forms: what he may hold, what he may want, how far he should be by now.

P (`view.known`) are the cards he took and holds, D (`view.shed`) those he threw or declined, U (`view.unseen`) those that may be in
his hand or in the stock. The rich form, the chance of each card by what he did, is in simgin.toolkit.beliefs.
"""

from simgin.core.bits import popcount
from simgin.core.cards import lane, of_rank
from simgin.core.jit import jit

# Mean least deadwood of the opponent's ten cards after so many of his turns, none of which ended the deal (0: as dealt), over 3,000
# deals of gold-early against itself; printed by training/beliefs.py.
COUNTS = (
    (56.4, 47.4, 40.5, 35.3, 31.3, 27.6, 22.4, 18.0, 14.5, 11.7)
    + (9.4, 7.6, 6.4, 5.3, 4.6, 3.9, 3.4, 3.0, 2.6, 2.1)
)  # fmt: skip


@jit
def near(card):
    """The cards of the same rank and those of the same suit within two ranks, without the card itself (no round the corner)."""
    r = card % 13
    span = (0b11111 << r >> 2) & 0x1FFF
    return (of_rank(r) | span << (13 * (card // 13))) & ~(1 << card)


@jit
def chance_held(view):
    """The chance that the opponent holds a given card of `view.unseen`, if all are alike: his unknown cards over the unseen ones."""
    unseen = popcount(view.unseen)
    if unseen == 0 or view.deck_left >= 0:  # alone nobody holds them
        return 0.0
    return max(0, 10 - popcount(view.known)) / unseen


@jit
def believe_alike(view, chances):
    """Write the chance of each of the 52 cards to be in the opponent's hand to `chances` (float64[52]) if all unseen cards are alike."""
    alike = chance_held(view)
    for card in range(52):
        chances[card] = alike if view.unseen >> card & 1 else 1.0 if view.known >> card & 1 else 0.0


@jit
def danger(card, view, p, u, d):
    """How much a discard may help the opponent: p, u and -d for each card near it in P, U and D (jdh8/gin-rummy-engine: 2, 1, 2)."""
    around = near(card)
    return p * popcount(around & view.known) + u * popcount(around & view.unseen) - d * popcount(around & view.shed)


@jit
def melds_through(card, cards, rules):
    """How many sets of three and runs of three hold the card and otherwise cards of a mask: the dangerous melds of Dreyfus."""
    cards &= ~(1 << card)
    peers = popcount(cards & of_rank(card % 13))
    n = peers * (peers - 1) // 2
    one = 1 << (card % 13)
    own = lane(cards, card // 13) | one
    for i in range(rules.n_runs):
        run = rules.runs[i]
        if popcount(run) > 3:
            break  # runs come shortest first
        n += run & one != 0 and run & ~own == 0
    return n


@jit
def expected_count(turns):
    """The mean least deadwood of an opponent who has had so many turns."""
    return COUNTS[min(turns, len(COUNTS) - 1)]
