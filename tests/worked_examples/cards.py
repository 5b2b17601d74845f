"""Kinds of worked examples about cards, counts and points: the engine's answers."""

import numpy as np

from oracles import twin
from simgin.core import endings, layoff, meldings, scoring
from simgin.core.answers import BIG_GIN, KNOCK, SHOT
from simgin.core.cards import PACK
from simgin.core.deadwood import best_discards, deadwood_of, each_deadwood
from simgin.core.rules import DEFENDER, STOPPER
from simgin.core.showdown import showdown as engine_showdown
from simgin.core.state import new_state
from simgin.play.evaluation import demanded_ranks
from simgin.play.melds import all_meldings, in_text_order, meld_text, shown_melding
from simgin.rules.build import build_rules_from
from simgin.text import notation
from simgin.text.notation import hand_mask
from worked_examples.schema import Impossible, melds

LISTED = 8  # most optimal meldings that an example lists
# Deadwood 0 makes a knock gin
STOPS = {"knock": KNOCK, "gin": KNOCK, "shot": SHOT, "big_gin": BIG_GIN}


def texts(cards):
    return [notation.card_text(card) for card in cards]


def _texts(melds):
    return [meld_text(meld) for meld in in_text_order(melds)]


def deadwood(example):
    """Least deadwood of ten or eleven cards, the meldings that reach it, and the one shown."""
    row = example.row()
    row["defender_ace_value"] = row["ace_value"]  # one hand, one set of values: whoever holds it
    rules, mask = build_rules_from(row), hand_mask(example.hand("hand", 10, 11))
    side = DEFENDER if (row["ace_value"], row["pip_values"]) == (15, "face") else STOPPER
    every = [[meld_text(meld) for meld in found] for found in all_meldings(mask, rules, side)]
    least, shown = int(deadwood_of(mask, rules, side)), _texts(shown_melding(mask, rules)[1])
    answer = {"deadwood": least, "optimal_families": len(every), "auto_melds": shown}
    return answer | {"families": every[:LISTED]}


def knock_options(example):
    score, limit = example.given.get("own_score"), example.whole("knock_limit", 0, 99)
    row = example.row("taken", "drawn", "own_score") | {"shot": score is not None}
    hand = example.hand("hand", 11)
    points = 0 if score is None else example.whole("own_score")
    taken, drawn = example.card("taken"), example.card("drawn")
    if not {taken, drawn} <= {-1, *hand}:
        raise example.error("input.taken and input.drawn must be cards of the hand.")
    return ways_to_end(row, hand_mask(hand), limit, taken, drawn, points)


def ways_to_end(row, mask, limit, taken, drawn, points):
    """Discards that permit a knock, with the count declared; that permit a shot; big gin or not."""
    rules = build_rules_from(row)
    must = int(endings.must_be_melded(taken, rules))
    legal = int(endings.legal_discards(mask, taken, drawn, rules))
    least, best = best_discards(mask, legal, rules)
    ending, _, _ = endings.best_ending(mask, legal, must, limit, points, least, best, rules)
    knock, shot = {}, []
    for card in notation.cards_in(legal):
        ten = mask & ~(1 << card)
        count = int(endings.count_declared(ten, must, rules))
        if count <= limit:
            knock[notation.card_text(card)] = count
        if row["shot"] and endings.is_shot(ten, must, points, rules):
            shot.append(notation.card_text(card))
    return {"knock": knock, "shot": shot, "big_gin": bool(ending == BIG_GIN)}


def lay_off(example):
    """The defender's count, and a way to it."""
    row, hand = example.row("knocker_melds"), example.hand("hand", *range(1, 12))
    shown = _shown_melds(example, row)
    rules, mask = build_rules_from(row), hand_mask(hand)
    masks = np.array([*map(hand_mask, shown), 0, 0, 0][:3], np.int64)
    count, laid = _laid_off(mask, masks, rules)
    own = all_meldings(mask & ~laid, rules, DEFENDER)[0]
    apart = [mask & ~sum(melding) for melding in all_meldings(mask, rules, DEFENDER)]
    fixed = min(_laid_off(rest, masks, rules)[0] for rest in apart)
    way = {"own_melds_example": _texts(own), "laid_off_example": notation.hand_text(laid).split()}
    return {"deadwood": count, "deadwood_if_own_melds_are_fixed_first": fixed, **way}


def _laid_off(hand, melds, rules):
    options = np.zeros((3, layoff.MAX_OPTIONS), np.int64)
    chains = np.zeros((2, 16), np.int64)
    count, laid = layoff.lay_off(hand, melds, rules, options, chains)
    return int(count), int(laid)


def _shown_melds(example, row):
    given = melds(example.given["knocker_melds"])
    if not {frozenset(texts(meld)) for meld in given} <= twin.all_melds(row):
        raise example.error("input.knocker_melds has what is no meld under these rules.")
    if len(given) > 3 or len(set().union(*given)) < sum(map(len, given)):
        raise example.error("input.knocker_melds must be at most three melds without overlap.")
    return given


def deal_points(example):
    row = example.row("stop", "own_deadwood", "other_count", "multiplier", "stock_left")
    if row["deal_scoring"] not in ("versus", "joker"):
        compares = f"compares no counts, as kind {example.kind} needs."
        raise example.error(f"input.deal_scoring = {row['deal_scoring']} {compares}")
    stop = example.word("stop", *STOPS)
    is_gin = stop in ("gin", "big_gin")
    own = example.given.get("own_deadwood", 0 if is_gin else None)
    example.number("input.own_deadwood", own, 0, 200)
    other = example.whole("other_count", 0, 200)
    if own and is_gin:
        raise example.error(f"input.own_deadwood must be 0 with {stop}, not {own}.")
    left, factor = _left_and_factor(example, row)
    _, won, lost, _ = scoring.score(STOPS[stop], own, other, left, factor, build_rules_from(row))
    return {"stopper": int(won), "other": int(lost)}


def _left_and_factor(example, row):
    """Cards left in the stock, which only a premium for them needs, and the factor on points."""
    left = example.option("stock_left", None if row["rush_premium"] else 0)
    return left, example.option("multiplier", 1)


def showdown(example):
    own_keys = ("knocker", "defender", "how", "upcard", "own_score", "discarded", "taken")
    row = example.row(*own_keys, "multiplier", "stock_left")
    how = example.word("how", *STOPS)
    hand, thrown = (
        example.hand("knocker", 11 if how == "big_gin" else 10),
        example.card("discarded"),
    )
    limit = example.given.get("knock_limit", row["knock_limit"])
    example.number("input.knock_limit", limit, 0, 99)
    points = example.given.get("own_score") if how == "shot" else 0
    example.number("input.own_score", points)
    taken, defender = example.card("taken"), example.hand("defender", 10)
    left, factor = _left_and_factor(example, row)
    if how == "shot" and not demanded_ranks(points):
        raise Impossible("no melding permits this shot")
    rules, state = build_rules_from(row), new_state(0)
    state.hand[:] = hand_mask(hand), hand_mask(defender)
    state.stock, state.multiplier = left, factor
    own, melds = shown_melding(
        int(state.hand[0]),
        rules,
        discard=1 << thrown if thrown >= 0 else 0,
        must=int(endings.must_be_melded(taken, rules)),
        demanded=int(endings.demanded_by(points)) if how == "shot" else -1,
    )
    if own > {"knock": limit, "shot": 99}.get(how, 0):
        raise Impossible(f"no melding permits this {how.replace('_', ' ')}")
    state.melds[:] = [*melds, 0, 0, 0][:3]
    engine_showdown(state, rules, 0, STOPS[how], own)
    counts = (int(state.stopper_count), int(state.other_count), *map(int, state.score))
    names = ("knocker_deadwood", "defender_deadwood", "stopper", "other")
    return dict(zip(names, counts, strict=True)) | {"knocker_melds": _texts(melds)}


def knock_limit(example):
    """Limit and factor of a deal, by its first upcard, under the variant named."""
    rules = build_rules_from(example.row("upcard", base=example.base()))
    (upcard,) = example.hand("upcard", 1)
    limit, factor = endings.knock_limit(upcard, rules), endings.multiplier(upcard, rules)
    return {"limit": int(limit), "multiplier": int(factor)}


def shot_digits(example):
    example.settings(("score",))
    return {"cards": demanded_ranks(example.whole("score"))}


def exact_counts(example):
    """Number of melds in the pack, and of hands that consist of melds only."""
    rules, found = build_rules_from(example.row()), np.zeros(1024, np.int64)
    melds = np.unique(found[: meldings.melds_in(PACK, rules, found)])
    answer = {"melds": len(melds)}
    for size in (10, 11):
        if (name := f"gin_hands_{size}") in example.expect:
            hands = _fully_melded(melds, size)
            left = np.empty_like(hands)
            each_deadwood(hands, rules, 0, left)
            answer[name] = int((left == 0).sum())
    return answer


def _fully_melded(melds, size):
    """The hands of `size` cards that are unions of disjoint melds; all as masks."""
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
    """The ways to write a size as rising sizes of melds, at most three for eleven cards."""
    ways = [(size,)] if size >= least else []
    for part in range(least, size // 2 + 1):
        ways += [(part, *rest) for rest in _parts(size - part, part)]
    return ways


def _distinct(numbers):
    """Distinct numbers, by sorting: on millions several times as fast as numpy.unique."""
    ordered = np.sort(numbers)
    return ordered[np.diff(ordered, prepend=-1) != 0]
