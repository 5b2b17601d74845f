"""Call a policy for a single decision, with a constructed or random view."""

import random
from typing import Any

from oracles import reference
from simgin.core.deadwood import best_discards
from simgin.core.view import create_view
from simgin.rules import variants
from simgin.strategy import compiler, loader
from simgin.text import notation
from support.hands import ALL_CARDS_MASK, build_both_rules, list_card_names

EAAI_PARAMS = variants.find_variant("eaai").params
THREE_CARD_MELDS = [
    frozenset(meld) for meld in reference.list_all_melds(EAAI_PARAMS) if len(meld) == 3
]


def build_view(**fields: int) -> Any:
    """Return a view with these fields, and otherwise with default values."""
    made = create_view()
    made.taken = made.drawn = made.deck_left = -1
    made.limit = 10
    for field, value in fields.items():
        made[field] = value
    return made


def query_policy(
    slot: str, policy_name: str, view: Any, rules: Any = None, **params: float | str
) -> int:
    """Return the action of a policy, by default under the EAAI rules."""
    policy = next(p for p in loader.list_policies() if (p.slot, p.name) == (slot, policy_name))(
        **params
    )
    rules = build_both_rules("eaai")[0] if rules is None else rules
    if slot == "discard" and view.flags.writeable and int(view.hand).bit_count() == 11:
        # The engine fills the fields in the same way.
        view.least, view.best = best_discards(view.hand, view.legal, rules)
    return int(
        compiler.compile_policy(policy)(view, rules, compiler.make_parameter_vector(policy, rules))
    )


def parse_hand_mask(cards_text: str) -> int:
    return notation.cards_to_mask(notation.parse_cards(cards_text))


def compute_eaai_deadwood(hand: int) -> int:
    return reference.compute_deadwood(list_card_names(hand), EAAI_PARAMS)


def make_random_view(
    rng: random.Random, n_cards: int, has_near_ranks: bool = False, n_known: int = 2
) -> Any:
    """Return a view with n cards in hand, some in the pile, and some known to be held."""
    pack = rng.sample([c for c in range(52) if not has_near_ranks or 3 <= c % 13 <= 8], n_cards)
    rest = rng.sample([c for c in range(52) if c not in pack], 52 - n_cards)
    pile, his = rest[: rng.randrange(1, 14)], rest[14 : 14 + n_known]
    hand = sum(1 << c for c in pack)
    pile_mask, known_mask = sum(1 << c for c in pile), sum(1 << c for c in his)
    return build_view(
        hand=hand,
        legal=hand & ~(1 << pack[0]),
        taken=pack[0],
        pile=pile_mask,
        known=known_mask,
        shed=sum(1 << c for c in pile[::2]),
        unseen=ALL_CARDS_MASK & ~(hand | pile_mask | known_mask),
        noise=rng.randrange(2**53),
        turns=0,
    )
