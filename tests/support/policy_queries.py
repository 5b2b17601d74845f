"""Call a policy for a single decision, with a constructed or random view."""

import random
from typing import Any

from oracles import reference
from simgin.core.deadwood import best_discards
from simgin.core.view import create_view
from simgin.rules import variants
from simgin.strategy import compiler, loader
from simgin.text import notation
from support.hands import PACK, game

EAAI_PARAMS = variants.find_variant("eaai").params
THREE_CARD_MELDS = [
    frozenset(meld) for meld in reference.list_all_melds(EAAI_PARAMS) if len(meld) == 3
]


def view(**fields: int) -> Any:
    made = create_view()
    made.taken = made.drawn = made.deck_left = -1
    made.limit = 10
    for field, value in fields.items():
        made[field] = value
    return made


def query_policy(slot: str, name: str, seen: Any, rules: Any = None, **values: float | str) -> int:
    """Return the action of a policy, by default under the EAAI rules."""
    policy = next(p for p in loader.list_policies() if (p.slot, p.name) == (slot, name))(**values)
    rules = game("eaai")[0] if rules is None else rules
    if slot == "discard" and seen.flags.writeable and int(seen.hand).bit_count() == 11:
        # The engine fills the fields in the same way.
        seen.least, seen.best = best_discards(seen.hand, seen.legal, rules)
    return int(
        compiler.compile_policy(policy)(seen, rules, compiler.make_parameter_vector(policy, rules))
    )


def cards(hand: int) -> list[str]:
    return notation.format_hand(int(hand)).split()


def mask(text: str) -> int:
    return notation.cards_to_mask(notation.parse_cards(text))


def count_deadwood(hand: int) -> int:
    return reference.compute_deadwood(cards(hand), EAAI_PARAMS)


def make_random_view(rng: random.Random, n: int, rich: bool = False, known: int = 2) -> Any:
    """Return a view with n cards in hand, some in the pile and some known of the opponent."""
    pack = rng.sample([c for c in range(52) if not rich or 3 <= c % 13 <= 8], n)
    rest = rng.sample([c for c in range(52) if c not in pack], 52 - n)
    pile, his = rest[: rng.randrange(1, 14)], rest[14 : 14 + known]
    hand = sum(1 << c for c in pack)
    pile_mask, known_mask = sum(1 << c for c in pile), sum(1 << c for c in his)
    return view(
        hand=hand,
        legal=hand & ~(1 << pack[0]),
        taken=pack[0],
        pile=pile_mask,
        known=known_mask,
        shed=sum(1 << c for c in pile[::2]),
        unseen=PACK & ~(hand | pile_mask | known_mask),
        noise=rng.randrange(2**53),
        turns=0,
    )
