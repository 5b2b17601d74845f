"""Choice of the discard with the lowest cost, which is the remaining deadwood plus a penalty.

Advice about discards says which cards to keep, but rarely how many points they are worth. To turn
such advice into a policy, add a penalty on some cards to the discard policy of `gold`. The discard
minimises the remaining deadwood plus the penalty. Ties are broken by the highest card, then by the
lowest card number. A penalty of less than 1 point only breaks ties. A penalty of 10 points or more
is a strict rule, because no card counts more than 10 points.

If costs or penalties depend on the card, the author writes a function with the decorator `@helper`.
The function is called with the arguments (view, rules, params, card, context). `context` is a value
that the policy has computed once for all cards, such as a number, a mask, an array or a tuple of
such values.
"""

from simgin.core.bits import lowest_bit
from simgin.core.deadwood import best_discards, cards_in_melds, deadwood, highest_value_cards
from simgin.core.jit import inline_before_compilation, jit


@jit
def discard_with_penalty(view, rules, penalised, penalty):
    """Return the best discard if the same penalty applies to all given cards.

    The discard minimises the remaining deadwood plus the penalty.

    Args:
        view: View of the player, in a discard policy.
        rules: Rules of the variant.
        penalised: Cards that have the penalty, as a 52-bit mask.
        penalty: Penalty in points.

    Returns:
        A card, 0 to 51.

    Example:
        Keep cards near the cards that the opponent took unless this costs more than 2 points::

            discard_with_penalty(view, rules, neighbours_of_any(view.known), 2.0)
    """
    least_deadwood, cards = best_discards(view.hand, view.legal & ~penalised, rules)
    penalised_deadwood, penalised_best = best_discards(view.hand, view.legal & penalised, rules)
    if penalised_deadwood + penalty < least_deadwood:
        cards = penalised_best
    elif penalised_deadwood + penalty == least_deadwood:
        cards |= penalised_best
    return lowest_bit(highest_value_cards(cards, rules)[0])


@inline_before_compilation
def discard_with_card_penalties(view, rules, params, penalty, context):
    """Return the best discard if each card has an individual penalty.

    The discard minimises the remaining deadwood plus the penalty.

    Args:
        view: View of the player, in a discard policy.
        rules: Rules of the variant.
        params: `params` of the policy.
        penalty: Function decorated with `@helper`. `penalty(view, rules, params, card, context)`
            returns the penalty on a card, in points.
        context: Value that `penalty` receives as `context`.

    Returns:
        A card, 0 to 51.

    Example:
        Penalise dangerous discards::

            @helper
            def penalty(view, rules, params, card, context):
                return params[0] * discard_danger(card, view, 2, 1, 2)

            @discard(weight=param(0.2, 0, 2, "points per unit of danger"))
            def careful(view, rules, params):
                return discard_with_card_penalties(view, rules, params, penalty, 0)
    """
    hand_deadwood, in_melds = deadwood(view.hand, rules), cards_in_melds(view.hand, rules)
    best_card, min_cost = -1, 1e18
    untested_cards = view.legal
    while untested_cards:
        card = lowest_bit(highest_value_cards(untested_cards, rules)[0])
        untested_cards &= ~(1 << card)
        deadwood_left = (
            deadwood(view.hand & ~(1 << card), rules)
            if in_melds >> card & 1
            else hand_deadwood - rules.value[0, card % 13]
        )
        cost = deadwood_left + penalty(view, rules, params, card, context)
        if cost < min_cost:
            best_card, min_cost = card, cost
    return best_card


@inline_before_compilation
def lowest_cost_card(view, rules, params, cards, cost, context):
    """Return the card with the lowest cost among the given cards.

    Ties are broken by the highest card, then by the lowest card number.

    Args:
        view: View of the player.
        rules: Rules of the variant.
        params: `params` of the policy.
        cards: Cards to choose from, as a 52-bit mask.
        cost: Function decorated with `@helper`. `cost(view, rules, params, card, context)` returns
            the cost of a card.
        context: Value that `cost` receives as `context`.

    Returns:
        A card, 0 to 51, or -1 if there are no cards.

    Example:
        Discard the least dangerous of the best discards::

            @helper
            def cost(view, rules, params, card, context):
                return discard_danger(card, view, 2, 1, 2)

            @discard
            def careful(view, rules, params):
                return lowest_cost_card(view, rules, params, view.best, cost, 0)
    """
    best_card, min_cost = -1, 1e18
    while cards:
        card = lowest_bit(highest_value_cards(cards, rules)[0])
        cards &= ~(1 << card)
        card_cost = cost(view, rules, params, card, context)
        if card_cost < min_cost:
            best_card, min_cost = card, card_cost
    return best_card
