"""Solve worked examples about cards, deadwood and points."""

from itertools import combinations

import numpy as np

from oracles import reference
from oracles.reference.layoff import list_extensions
from simgin.text import notation
from worked_examples.schema import ImpossibleActionError, normalize_meldings, parse_melds

MAX_LISTED_MELDINGS = 8  # maximum number of optimal meldings that an example lists
ENDINGS = ("knock", "gin", "shot", "big_gin")


def format_cards(cards):
    return [notation.format_card(card) for card in cards]


def solve_deadwood_example(example, implementation):
    """Return the deadwood of a hand, its optimal meldings, and the melding shown."""
    params = example.read_params()
    params["defender_ace_value"] = params["ace_value"]  # the same values for any player
    least, meldings, shown = implementation.solve_hand(params, example.read_hand("hand", 10, 11))
    answer = {"deadwood": least, "optimal_families": len(meldings), "auto_melds": shown}
    return answer | {"families": _select_meldings(example, meldings)}


def _select_meldings(example, meldings):
    """Return all meldings, or only those that the example lists if there are too many."""
    if len(meldings) <= MAX_LISTED_MELDINGS or "families" not in example.expect:
        return meldings[:MAX_LISTED_MELDINGS]
    listed = example.expect["families"]
    wanted, have = (normalize_meldings(some) for some in (listed, meldings))
    sound = len(wanted) <= MAX_LISTED_MELDINGS and all(
        wanted.count(one) == 1 and one in have for one in wanted
    )
    return listed if sound else meldings[:MAX_LISTED_MELDINGS]


def solve_knock_options_example(example, implementation):
    """Return the discards that end a deal by a knock or a shot, and whether big gin is possible."""
    score, limit = example.input.get("own_score"), example.read_int("knock_limit", 0, 99)
    params = example.read_params("taken", "drawn", "own_score") | {"shot": score is not None}
    hand = example.read_hand("hand", 11)
    points = 0 if score is None else example.read_int("own_score")
    taken, drawn = example.read_card("taken"), example.read_card("drawn")
    if not {taken, drawn} <= {-1, *hand}:
        raise example.make_error("input.taken and input.drawn must be cards of the hand.")
    answer = implementation.find_knock_options(params, hand, limit, taken, drawn, points)
    return dict(zip(("knock", "shot", "big_gin"), answer, strict=True))


def solve_layoff_example(example, implementation):
    """Return the defender's deadwood and a best lay-off, if possible that of the example."""
    params, hand = example.read_params("knocker_melds"), example.read_hand("hand", *range(1, 12))
    shown = _read_shown_melds(example, params)
    count, own, laid, fixed = implementation.solve_layoff(params, hand, shown)
    way = {"own_melds_example": own, "laid_off_example": laid}
    if _is_best_layoff(example, params, hand, shown, count):
        way = {key: example.expect[key] for key in way}
    return {"deadwood": count, "deadwood_if_own_melds_are_fixed_first": fixed, **way}


def _read_shown_melds(example, params):
    """Return the melds that the knocker shows. Raise ExampleError if they are not melds."""
    given = parse_melds(example.input["knocker_melds"])
    if not {frozenset(format_cards(meld)) for meld in given} <= reference.list_all_melds(params):
        raise example.make_error(
            "input.knocker_melds has cards that are not a meld under these rules."
        )
    if len(given) > 3 or not _are_disjoint(given):
        raise example.make_error("input.knocker_melds must be at most three melds without overlap.")
    return given


def _are_disjoint(card_groups):
    return all(set(a).isdisjoint(b) for a, b in combinations(card_groups, 2))


def _is_best_layoff(example, params, hand, shown_melds, deadwood):
    """Return True if the lay-off in the example is legal and leaves this deadwood."""
    ways = [example.expect.get(key) for key in ("own_melds_example", "laid_off_example")]
    if None in ways:
        return False
    own, laid = map(parse_melds, ways)
    used = set().union(*own, *laid)
    if not _are_disjoint([*own, *laid]) or not used <= set(hand):
        return False
    values = reference.get_card_values(params, "defender")
    return (
        {frozenset(format_cards(meld)) for meld in own} <= reference.list_all_melds(params)
        and sum(values[card] for card in format_cards({*hand} - used)) == deadwood
        and _can_lay_off(frozenset(format_cards(set().union(*laid))), shown_melds, params)
    )


def _can_lay_off(laid_off, shown_melds, params):
    """Return True if all cards can be laid off on the melds shown."""
    if not shown_melds:
        return not laid_off
    first, *others = shown_melds
    return any(
        _can_lay_off(laid_off - extra, others, params)
        for extra in list_extensions(format_cards(first), laid_off, params)
    )


def solve_deal_points_example(example, implementation):
    """Return the points of both players for an ending and the deadwood of both players."""
    params = example.read_params("stop", "own_deadwood", "other_count", "multiplier", "stock_left")
    scoring = params["deal_scoring"]
    if scoring not in ("versus", "joker"):
        compares = f"compares no counts, as kind {example.kind} needs."
        raise example.make_error(f"input.deal_scoring = {scoring} {compares}")
    stop = example.read_choice("stop", *ENDINGS)
    is_gin = stop in ("gin", "big_gin")
    own = example.input.get("own_deadwood", 0 if is_gin else None)
    example.check_int("input.own_deadwood", own, 0, 200)
    other = example.read_int("other_count", 0, 200)
    if own and is_gin:
        raise example.make_error(f"input.own_deadwood must be 0 with {stop}, not {own}.")
    won, lost = implementation.score_deal(
        params, stop, own, other, *_read_stock_and_multiplier(example, params)
    )
    return {"stopper": won, "other": lost}


def _read_stock_and_multiplier(example, params):
    """Return the number of stock cards and the multiplier of the points."""
    left = example.read_option("stock_left", None if params["rush_premium"] else 0)
    return left, example.read_option("multiplier", 1)


def solve_showdown_example(example, implementation):
    """Return the deadwood and the points of both players after a showdown."""
    own_keys = ("knocker", "defender", "how", "upcard", "own_score", "discarded", "taken")
    params = example.read_params(*own_keys, "multiplier", "stock_left")
    how = example.read_choice("how", *ENDINGS)
    hand = example.read_hand("knocker", 11 if how == "big_gin" else 10)
    thrown = example.read_card("discarded")
    limit = example.input.get("knock_limit", params["knock_limit"])
    example.check_int("input.knock_limit", limit, 0, 99)
    points = example.input.get("own_score") if how == "shot" else 0
    example.check_int("input.own_score", points)
    taken, defender = example.read_card("taken"), example.read_hand("defender", 10)
    left, factor = _read_stock_and_multiplier(example, params)
    if how == "shot" and not implementation.list_shot_ranks(points):
        raise ImpossibleActionError("no melding permits this shot")
    own, other, won, lost, knocker_melds = implementation.score_showdown(
        params, how, hand, defender, limit, points, thrown, taken, left, factor
    )
    counts = {"knocker_deadwood": own, "defender_deadwood": other}
    return {**counts, "stopper": won, "other": lost, "knocker_melds": knocker_melds}


def solve_knock_limit_example(example, implementation):
    """Return the knock limit and the multiplier of a deal with an upcard."""
    params = example.read_params("upcard", base=example.get_base_spec())
    limit, factor = implementation.find_knock_limit(params, *example.read_hand("upcard", 1))
    return {"limit": limit, "multiplier": factor}


def solve_shot_digits_example(example, implementation):
    """Return the ranks that a shot must leave at a score."""
    example.read_settings(("score",))
    return {"cards": implementation.list_shot_ranks(example.read_int("score"))}


def solve_exact_counts_example(example, implementation):
    """Return the number of melds in the pack and the number of hands without deadwood."""
    params = example.read_params()
    melds = np.array(sorted(implementation.list_all_melds(params)), np.int64)
    answer = {"melds": len(melds)}
    for size in (10, 11):
        if (name := f"gin_hands_{size}") in example.expect:
            answer[name] = implementation.count_gin_hands(params, _list_gin_hands(melds, size))
    return answer


def _list_gin_hands(melds, size):
    """Return the masks of all hands of `size` cards that consist of disjoint melds."""
    sizes = np.bitwise_count(melds)
    unions = []
    for parts in _split_hand_size(size):
        hands, *others = (melds[sizes == part] for part in parts)
        for group in others:
            a, b = np.meshgrid(hands, group, indexing="ij")
            hands = _sort_unique((a | b)[a & b == 0])
        unions.append(hands)
    return _sort_unique(np.concatenate(unions))


def _split_hand_size(size, min_meld_size=3):
    """Return the ways to write a hand size as a sum of ascending meld sizes."""
    ways = [(size,)] if size >= min_meld_size else []
    for part in range(min_meld_size, size // 2 + 1):
        ways += [(part, *rest) for rest in _split_hand_size(size - part, part)]
    return ways


def _sort_unique(numbers):
    """Return the sorted distinct numbers, faster than numpy.unique for millions."""
    ordered = np.sort(numbers)
    return ordered[np.diff(ordered, prepend=-1) != 0]
