"""Kinds of worked examples about cards, counts and points."""

from itertools import combinations

import numpy as np

from oracles import reference
from oracles.reference.layoff import list_extensions
from simgin.text import notation
from worked_examples.schema import Impossible, as_families, melds

LISTED = 8  # maximum number of optimal meldings that an example lists
STOPS = ("knock", "gin", "shot", "big_gin")


def texts(cards):
    return [notation.format_card(card) for card in cards]


def deadwood(example, subject):
    """Return the least deadwood of ten or eleven cards, the meldings with it, and the one shown."""
    row = example.row()
    row["defender_ace_value"] = row["ace_value"]  # one hand and one set of values for any player
    least, every, shown = subject.deadwood(row, example.hand("hand", 10, 11))
    answer = {"deadwood": least, "optimal_families": len(every), "auto_melds": shown}
    return answer | {"families": _listed(example, every)}


def _listed(example, every):
    """Return all optimal meldings, or those of the example if there are too many."""
    if len(every) <= LISTED or "families" not in example.expect:
        return every[:LISTED]
    listed = example.expect["families"]
    wanted, have = (as_families(some) for some in (listed, every))
    sound = len(wanted) <= LISTED and all(wanted.count(one) == 1 and one in have for one in wanted)
    return listed if sound else every[:LISTED]


def knock_options(example, subject):
    score, limit = example.given.get("own_score"), example.whole("knock_limit", 0, 99)
    row = example.row("taken", "drawn", "own_score") | {"shot": score is not None}
    hand = example.hand("hand", 11)
    points = 0 if score is None else example.whole("own_score")
    taken, drawn = example.card("taken"), example.card("drawn")
    if not {taken, drawn} <= {-1, *hand}:
        raise example.error("input.taken and input.drawn must be cards of the hand.")
    answer = subject.knock_options(row, hand, limit, taken, drawn, points)
    return dict(zip(("knock", "shot", "big_gin"), answer, strict=True))


def lay_off(example, subject):
    """Return the defender's count and a way to it, the example's own if it is correct."""
    row, hand = example.row("knocker_melds"), example.hand("hand", *range(1, 12))
    shown = _shown_melds(example, row)
    count, own, laid, fixed = subject.lay_off(row, hand, shown)
    way = {"own_melds_example": own, "laid_off_example": laid}
    if _is_best_way(example, row, hand, shown, count):
        way = {key: example.expect[key] for key in way}
    return {"deadwood": count, "deadwood_if_own_melds_are_fixed_first": fixed, **way}


def _shown_melds(example, row):
    given = melds(example.given["knocker_melds"])
    if not {frozenset(texts(meld)) for meld in given} <= reference.list_all_melds(row):
        raise example.error("input.knocker_melds has cards that are not a meld under these rules.")
    if len(given) > 3 or not _disjoint(given):
        raise example.error("input.knocker_melds must be at most three melds without overlap.")
    return given


def _disjoint(cards):
    return all(set(a).isdisjoint(b) for a, b in combinations(cards, 2))


def _is_best_way(example, row, hand, shown, count):
    """Return True if the expected melds and lay-offs are legal and leave this deadwood."""
    ways = [example.expect.get(key) for key in ("own_melds_example", "laid_off_example")]
    if None in ways:
        return False
    own, laid = map(melds, ways)
    used = set().union(*own, *laid)
    if not _disjoint([*own, *laid]) or not used <= set(hand):
        return False
    values = reference.get_card_values(row, "defender")
    return (
        {frozenset(texts(meld)) for meld in own} <= reference.list_all_melds(row)
        and sum(values[card] for card in texts({*hand} - used)) == count
        and _fits(frozenset(texts(set().union(*laid))), shown, row)
    )


def _fits(laid, shown, row):
    if not shown:
        return not laid
    first, *others = shown
    return any(
        _fits(laid - extra, others, row) for extra in list_extensions(texts(first), laid, row)
    )


def deal_points(example, subject):
    row = example.row("stop", "own_deadwood", "other_count", "multiplier", "stock_left")
    scoring = row["deal_scoring"]
    if scoring not in ("versus", "joker"):
        compares = f"compares no counts, as kind {example.kind} needs."
        raise example.error(f"input.deal_scoring = {scoring} {compares}")
    stop = example.word("stop", *STOPS)
    is_gin = stop in ("gin", "big_gin")
    own = example.given.get("own_deadwood", 0 if is_gin else None)
    example.number("input.own_deadwood", own, 0, 200)
    other = example.whole("other_count", 0, 200)
    if own and is_gin:
        raise example.error(f"input.own_deadwood must be 0 with {stop}, not {own}.")
    won, lost = subject.deal_points(row, stop, own, other, *_left_and_factor(example, row))
    return {"stopper": won, "other": lost}


def _left_and_factor(example, row):
    """Return the cards left in the stock (for a premium), and the factor on points."""
    left = example.option("stock_left", None if row["rush_premium"] else 0)
    return left, example.option("multiplier", 1)


def showdown(example, subject):
    own_keys = ("knocker", "defender", "how", "upcard", "own_score", "discarded", "taken")
    row = example.row(*own_keys, "multiplier", "stock_left")
    how = example.word("how", *STOPS)
    hand = example.hand("knocker", 11 if how == "big_gin" else 10)
    thrown = example.card("discarded")
    limit = example.given.get("knock_limit", row["knock_limit"])
    example.number("input.knock_limit", limit, 0, 99)
    points = example.given.get("own_score") if how == "shot" else 0
    example.number("input.own_score", points)
    taken, defender = example.card("taken"), example.hand("defender", 10)
    left, factor = _left_and_factor(example, row)
    if how == "shot" and not subject.shot_digits(points):
        raise Impossible("no melding permits this shot")
    own, other, won, lost, melds = subject.showdown(
        row, how, hand, defender, limit, points, thrown, taken, left, factor
    )
    counts = {"knocker_deadwood": own, "defender_deadwood": other}
    return {**counts, "stopper": won, "other": lost, "knocker_melds": melds}


def knock_limit(example, subject):
    """Return the knock limit and the factor of a deal with this upcard in the named variant."""
    row = example.row("upcard", base=example.base())
    limit, factor = subject.knock_limit(row, *example.hand("upcard", 1))
    return {"limit": limit, "multiplier": factor}


def shot_digits(example, subject):
    example.settings(("score",))
    return {"cards": subject.shot_digits(example.whole("score"))}


def exact_counts(example, subject):
    """Return the number of melds in the pack, and of hands that consist of melds only."""
    row = example.row()
    melds = np.array(sorted(subject.all_melds(row)), np.int64)
    answer = {"melds": len(melds)}
    for size in (10, 11):
        if (name := f"gin_hands_{size}") in example.expect:
            answer[name] = subject.gin_hands(row, _fully_melded(melds, size))
    return answer


def _fully_melded(melds, size):
    """Return all hands of `size` cards that are unions of disjoint melds, as masks."""
    sizes = np.bitwise_count(melds)
    unions = []
    for parts in _parts(size):
        hands, *others = (melds[sizes == part] for part in parts)
        for group in others:
            a, b = np.meshgrid(hands, group, indexing="ij")
            hands = _distinct((a | b)[a & b == 0])
        unions.append(hands)
    return _distinct(np.concatenate(unions))


def _parts(size, least=3):
    """Return the ways to write a size as rising meld sizes, at most three for eleven cards."""
    ways = [(size,)] if size >= least else []
    for part in range(least, size // 2 + 1):
        ways += [(part, *rest) for rest in _parts(size - part, part)]
    return ways


def _distinct(numbers):
    """Return distinct numbers by sorting, which is faster than numpy.unique for millions."""
    ordered = np.sort(numbers)
    return ordered[np.diff(ordered, prepend=-1) != 0]
