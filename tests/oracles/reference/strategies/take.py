"""Reference take policies, which return the acceptable actions: 0 stock, 1 take, 2 pass."""

from .discard import count_outs
from .player_view import PlayerView


def take_if(view: PlayerView, is_wanted: bool) -> set[int]:
    """Return take if the card is wanted, otherwise pass or, if not legal, draw from the stock."""
    if is_wanted:
        return {1}
    return {2} if 2 in view.legal else {0}


def never(view: PlayerView) -> set[int]:
    """Never take a card."""
    return take_if(view, False)


def random(view: PlayerView, p: float = 0.5) -> set[int]:
    """Take a card with probability p."""
    return take_if(view, True) | take_if(view, False) if 0 < p < 1 else take_if(view, p == 1)


def meld_any(view: PlayerView) -> set[int]:
    """Take the card if it forms a meld with cards of the hand."""
    return take_if(
        view,
        any(view.offered_card in meld for meld in view.find_melds(view.hand | {view.offered_card})),
    )


def meld_best(view: PlayerView) -> set[int]:
    """Take the card if an optimal melding of the new hand contains it."""
    unmatched_sets = view.find_unmatched_cards(view.hand | {view.offered_card})
    return take_if(view, any(view.offered_card not in cards for cards in unmatched_sets))


def meld_best_lower(view: PlayerView) -> set[int]:
    """Take the card if both `meld_best` and `lower` take it."""
    return take_if(view, meld_best(view) == {1} == lower(view))


def knock_or_meld(view: PlayerView) -> set[int]:
    """Take the card if that allows a legal knock, or if `meld_best` takes it."""
    eleven = view.hand | {view.offered_card}
    knocks = (
        view.compute_least_deadwood(
            eleven, view.list_legal_discards(eleven, taken=view.offered_card)
        )
        <= view.limit
    )
    return take_if(view, knocks or meld_best(view) == {1})


def lower(view: PlayerView) -> set[int]:
    """Take the card if taking it and discarding lowers the deadwood."""
    eleven = view.hand | {view.offered_card}
    deadwood_after = view.compute_least_deadwood(
        eleven, view.list_legal_discards(eleven, taken=view.offered_card)
    )
    return take_if(view, deadwood_after < view.compute_deadwood(view.hand))


def value(view: PlayerView, by: str = "deadwood") -> set[int]:
    """Take the card if the hand becomes better than with an average unseen card."""

    def compute_best_value(card: str, unseen: frozenset[str], **drawn: str) -> int:
        eleven = view.hand | {card}
        tens = [eleven - {discarded} for discarded in view.list_legal_discards(eleven, **drawn)]
        if by == "deadwood":
            return min(map(view.compute_deadwood, tens))
        return -max(count_outs(view, ten, unseen) for ten in tens)

    draws = [compute_best_value(card, view.unseen - {card}, drawn=card) for card in view.unseen]
    return take_if(
        view,
        compute_best_value(view.offered_card, view.unseen, taken=view.offered_card) * len(draws)
        < sum(draws),
    )
