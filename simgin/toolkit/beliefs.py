"""Probabilities that the opponent holds each card, from the opponent's actions.

After Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy" (EAAI-21). The
odds of a card begin with a value for its rank and the stage of the deal. Each event multiplies the
odds of the cards near the card of the event. training/beliefs.py fits the multipliers jointly to
logged deals and writes strategies/beliefs.npy. A policy requests them with `weights="beliefs.npy"`
and passes the position in its parameters at which they begin. The computation uses only
multiplications, divisions and tables, so that results are identical on all machines.
"""

from simgin.core.bits import lowest, popcount
from simgin.core.cards import of_rank
from simgin.core.jit import jit
from simgin.core.view import FROM_PILE
from simgin.toolkit.prospects import three_card_runs

DECLINED, TAKEN, THROWN = 0, 1, 2
STAGES = (4, 7, 11)  # turns of the opponent at which a new stage of the deal begins
RELATIONS = 3  # relations of cards: same rank, adjacent in a suit, two ranks apart in a suit
N_STAGES = len(STAGES) + 1
# Multipliers by stage and rank come first, then those by type of event, stage and relation.
EVENTS = 13 * N_STAGES
NUMBERS = EVENTS + 3 * N_STAGES * RELATIONS
_NEWTON_STEPS = 8


@jit
def stage(turn):
    """Return the stage of the deal, 0..3, on a given turn of a player, counted from 1."""
    # Begins with 0 because, in interpreted mode, the sum of two NumPy booleans is a boolean
    return 0 + (turn >= STAGES[0]) + (turn >= STAGES[1]) + (turn >= STAGES[2])


@jit
def prior(view, first):
    """Return the position of the odds of the thirteen ranks at this stage of the deal."""
    return first + 13 * stage(view.turns - view.own_turn + 1)


@jit
def upcard_declined(view):
    """Return True if the opponent has declined the first upcard."""
    took = view.turns > 0 and view.history[0, 0] != view.seat and view.history[0, 1] == FROM_PILE
    return view.upcard >= 0 and view.shed >> view.upcard & 1 and not took


@jit
def began(view, i):
    """Return how turn i of the history, one of the opponent's, began.

    Returns the type of event, EVENT_DECLINED or EVENT_TAKEN, and the card, or (-1, -1) if the
    opponent had no choice.
    """
    if view.history[i, 1] == FROM_PILE:
        return TAKEN, int(view.history[i, 2])
    if i == 0 or view.history[i, 1] != 0:
        return -1, -1
    return DECLINED, int(view.history[i - 1, 3])


@jit
def related(card, cards, relation):
    """Return the cards among `cards` that have a given relation to a card."""
    if relation == 0:
        return cards & of_rank(card % 13) & ~(1 << card)
    suit = 0x1FFF << (13 * (card // 13))
    return cards & suit & (1 << (card + relation) | 1 << card >> relation)


@jit
def _weigh(card, at, view, numbers, odds):
    """Multiply the odds of unseen cards near a card by the multipliers of an event and stage."""
    for relation in range(RELATIONS):
        cards = related(card, view.unseen, relation)
        while cards:
            odds[lowest(cards)] *= numbers[at + relation]
            cards &= cards - 1


@jit
def weigh_history(view, numbers, first, odds):
    """Multiply the odds by the multipliers of all events of the opponent."""
    if upcard_declined(view):
        _weigh(view.upcard, first + EVENTS, view, numbers, odds)
    turn = 0
    for i in range(view.turns):
        if view.history[i, 0] == view.seat:
            continue
        turn += 1
        at = first + EVENTS + stage(turn) * RELATIONS
        kind, card = began(view, i)
        if kind >= 0:
            _weigh(card, at + kind * N_STAGES * RELATIONS, view, numbers, odds)
        _weigh(int(view.history[i, 3]), at + THROWN * N_STAGES * RELATIONS, view, numbers, odds)


@jit
def _scale(cards, held, odds):
    """Return the factor on the odds for which the probabilities add up to `n_held` cards.

    `n_held` must be less than the number of cards. The sum of s * o / (1 + s * o) is concave in s,
    so Newton's method converges from below and never overshoots.
    """
    total = 0.0
    rest = cards
    while rest:
        total += odds[lowest(rest)]
        rest &= rest - 1
    s = held / total
    for _ in range(_NEWTON_STEPS):
        have, slope = 0.0, 0.0
        rest = cards
        while rest:
            o = odds[lowest(rest)]
            rest &= rest - 1
            have += s * o / (1 + s * o)
            slope += o / ((1 + s * o) * (1 + s * o))
        s += (held - have) / slope
    return s


@jit
def believe(view, numbers, first, chances):
    """Estimate the probability that the opponent holds each card, from the opponent's actions.

    Args:
        view: View of the player.
        numbers: The policy's `params`, declared with `weights="beliefs.npy"`.
        first: Position in `params` at which the multipliers begin: the number of the policy's own
            parameters.
        chances: (52,) float64, overwritten with the probabilities: 1 for `view.known`, 0 for cards
            that the player sees elsewhere.

    Example:
        Compute the probability that the opponent holds the queen of hearts::

            probabilities = np.zeros(52)
            estimate_holdings(view, params, 0, probabilities)
            probabilities[13 * 1 + 11]
    """
    held = max(0, 10 - popcount(view.known)) if view.deck_left < 0 else 0
    n = popcount(view.unseen)
    ranks = prior(view, first)
    for card in range(52):
        chances[card] = numbers[ranks + card % 13]
    weigh_history(view, numbers, first, chances)
    s = _scale(view.unseen, held, chances) if 0 < held < n else 0.0
    for card in range(52):
        one = 1 << card
        if view.unseen & one and held >= n:
            chances[card] = 1.0
        elif view.unseen & one and held > 0:
            chances[card] = s * chances[card] / (1 + s * chances[card])
        else:
            chances[card] = 1.0 if view.known & one else 0.0


@jit
def meld_chance(card, chances, rules):
    """Return the probability that the opponent can meld a card with two cards of the hand.

    The opponent's cards are treated as independent.

    Args:
        card: Card, 0..51.
        chances: (52,) float64 from `estimate_holdings` or `estimate_holdings_uniformly`.
        rules: Rules of the variant.

    Returns:
        Probability, 0..1.

    Example:
        Compute how likely the opponent can use a discard::

            probabilities = np.zeros(52)
            estimate_holdings_uniformly(view, probabilities)
            meld_probability(card, probabilities, rules)
    """
    missing = 1.0
    r, base = card % 13, card - card % 13
    for a in range(r, 52, 13):
        for b in range(a + 13, 52, 13):
            if a != card and b != card:
                missing *= 1 - chances[a] * chances[b]
    for i in range(three_card_runs(rules)):
        run = rules.runs[i]
        if run >> r & 1:
            others = (run ^ 1 << r) << base
            a = lowest(others)
            missing *= 1 - chances[a] * chances[lowest(others ^ 1 << a)]
    return 1 - missing
