"""Worked examples of the rules, each kind put to the compiled engine: what it makes of the input, in the words of the expectation.

The schema is that of the rule book's vectors: an example has an id, a kind, a variant, an input and an expectation. Keys of the input that
are parameters of RULES.md section 11 set the rules, and so do `options` and `overrides`; the rest of the rules is `standard`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from simgin import hand as hands
from simgin import notation, rules, scripted, variants
from simgin.core import deal, endings, layoff, match, meldings, scoring
from simgin.core.deadwood import deadwood_of
from simgin.core.jit import jit
from simgin.core.rules import DEFENDER, STOPPER
from simgin.core.state import new_state
from simgin.parameters import Value, did_you_mean, parameters, shown
from simgin.scripted import SEATS
from simgin.variants import Variant, VariantError

NOT_COMPARED = ("why", "note")
NO_RULES = ("hand", "options", "overrides")  # input keys that are no parameter in any kind
LISTED = 8  # most optimal meldings that an example lists


class ExampleError(ValueError):
    """An example that cannot be read; the message is a sentence that begins with its id."""


class NotSupported(Exception):
    """An example that the engine has no way to play yet; the message is the reason, a sentence."""


@dataclass(frozen=True)
class Example:
    """One worked example as it stands in the file."""

    id: str
    kind: str
    variant: str
    given: dict[str, Any]
    expect: dict[str, Any]

    def error(self, sentence: str) -> ExampleError:
        """What is wrong with this example."""
        return ExampleError(f"{self.id}: {sentence}")


# Reading the input


def _need(one: Example, key: str) -> Any:
    if key not in one.given:
        raise one.error(f"input has no {key}, which kind {one.kind} needs.")
    return one.given[key]


def _number(one: Example, key: str, value: Any, low: int = 0, high: int = 10**6) -> int:
    if type(value) is not int or not low <= value <= high:
        raise one.error(f"{key} must be a whole number {low}..{high}, not {shown(value)}.")
    return value


def _word(one: Example, key: str, *words: str) -> str:
    value = _need(one, key)
    if value not in words:
        raise one.error(f"input.{key} must be {', '.join(words[:-1])} or {words[-1]}, not {shown(value)}.")
    return str(value)


def _cards(one: Example, key: str, value: Any, sizes: tuple[int, ...] = ()) -> list[int]:
    if not isinstance(value, str):
        raise one.error(f"{key} must be cards separated by blanks, like 5S 6S 7S, not {shown(value)}.")
    try:
        found = notation.cards(value)
    except notation.CardError as error:
        raise one.error(f"{key}: {error}") from None
    if sizes and len(found) not in sizes:
        raise one.error(f"{key} must have {' or '.join(map(str, sizes))} cards, not {len(found)}.")
    return found


def _mask(one: Example, key: str, *sizes: int) -> int:
    return notation.mask(_cards(one, f"input.{key}", _need(one, key), sizes))


def _card(one: Example, key: str) -> int:
    """One card that need not be given: -1 where it is absent or null."""
    value = one.given.get(key)
    return -1 if value is None else _cards(one, f"input.{key}", value, (1,))[0]


def _melds(one: Example, key: str, value: Any) -> list[int]:
    if not isinstance(value, list):
        raise one.error(f"{key} must be a list of melds, each a text like 5S 6S 7S, not {shown(value)}.")
    return [notation.mask(_cards(one, key, meld)) for meld in value]


def _settings(one: Example, own: tuple[str, ...]) -> dict[str, Value]:
    """The parameters that an example sets; what is neither a parameter nor a key of its kind (`own`) is refused, never ignored."""
    given = {key: value for key, value in one.given.items() if key not in own and key not in NO_RULES}
    for key in ("options", "overrides"):
        more = one.given.get(key, {})
        if not isinstance(more, dict):
            raise one.error(f"input.{key} must be an object of parameters, not {shown(more)}.")
        given |= {name: value for name, value in more.items() if name not in own}
    for name, value in given.items():
        if name not in parameters():
            raise one.error(f"input has {shown(name)}, which is neither a parameter nor a key of kind {one.kind}{did_you_mean(name, [*parameters(), *own])}")
        if fault := parameters()[name].fault(value):
            raise one.error(f"input: {fault}")
    return given


def _row(one: Example, *own: str, base: str = "standard") -> dict[str, Value]:
    """The rules of an example: those of `base` with its settings. NotSupported where the engine does not play them."""
    given = _settings(one, own)
    row = {**variants.find(base).row, **given}
    if row["deal_scoring"] != "versus" and "deal_scoring" in given:
        raise NotSupported(f"deal_scoring = {row['deal_scoring']} is not played by this version of simgin.")
    if sentences := [sentence for name in given for sentence in rules.not_played({**variants.find("standard").row, name: given[name]})]:
        raise NotSupported(sentences[0])
    return row


def _option(one: Example, key: str, default: int | None = None) -> int:
    """A number among the options that is no parameter, like stock_left."""
    value = one.given.get("options", {}).get(key, one.given.get(key, default))
    if value is None:
        raise one.error(f"input.options has no {key}, which these rules need.")
    return _number(one, f"input.options.{key}", value, 0, 52)


# The kinds: what the engine says. The values of an answer have the form of the expectation.

Answer = dict[str, Any]


def _texts(melds: Any) -> list[str]:
    return [hands.meld_text(meld) for meld in hands.in_text_order(melds)]


def deadwood(one: Example) -> Answer:
    """Least deadwood, all meldings that reach it, and the one that is shown, of ten cards (or eleven)."""
    row = _row(one)
    row["defender_ace_value"] = row["ace_value"]  # one hand, one set of values: the stopper's or the defender's
    own_rules, hand = rules.of_row(row), _mask(one, "hand", 10, 11)
    side = DEFENDER if (row["ace_value"], row["pip_values"]) == (15, "face") else STOPPER
    every = [[hands.meld_text(meld) for meld in melding] for melding in hands.all_meldings(hand, own_rules, side)]
    return {
        "deadwood": int(deadwood_of(hand, own_rules, side)),
        "optimal_families": len(every),
        "families": _listed(one, every),
        "auto_melds": _texts(hands.shown(hand, own_rules)[1]),
    }


def _listed(one: Example, every: list[list[str]]) -> list[list[str]]:
    """All optimal meldings; where there are too many to list, those that the example lists, if they are among them."""
    if len(every) <= LISTED or "families" not in one.expect:
        return every[:LISTED]
    listed = one.expect["families"]
    wanted, have = _as_families(one, "families", listed), _as_families(one, "families", every)
    sound = len(wanted) == len(set(wanted)) <= LISTED and set(wanted) <= set(have)
    return listed if sound else every[:LISTED]  # type: ignore[no-any-return]


def knock_options(one: Example) -> Answer:
    """What each discard of eleven cards permits."""
    score, limit = one.given.get("own_score"), _number(one, "input.knock_limit", _need(one, "knock_limit"), 0, 99)
    row = _row(one, "taken", "drawn", "own_score")
    own_rules, hand = rules.of_row({**row, "shot": score is not None}), _mask(one, "hand", 11)
    points = 0 if score is None else _number(one, "input.own_score", score)
    taken, drawn = _card(one, "taken"), _card(one, "drawn")
    must = int(endings.must_be_melded(taken, own_rules))
    legal = int(endings.legal_discards(hand, taken, drawn, own_rules))
    kept = {card: hand & ~(1 << card) for card in notation.members(legal)}
    counts = {card: int(endings.count_declared(ten, must, own_rules)) for card, ten in kept.items()}
    return {
        "knock": {notation.text(card): count for card, count in counts.items() if count <= limit},
        "shot": [notation.text(c) for c, ten in kept.items() if score is not None and endings.is_shot(ten, must, points, own_rules)],
        "big_gin": bool(endings.best_ending(hand, legal, must, limit, points, own_rules)[0] == endings.BIG_GIN),
    }


def lay_off(one: Example) -> Answer:
    """The defender's count, and a way to it: the example's own where that is one."""
    row = _row(one, "knocker_melds")
    own_rules, hand = rules.of_row(row), _mask(one, "hand", *range(1, 12))
    melds = _shown_melds(one, own_rules)
    count, laid = _laid_off(hand, melds, own_rules)
    best = hands.all_meldings(hand & ~laid, own_rules, DEFENDER)[0]
    answer: Answer = {"deadwood": count, "own_melds_example": _texts(best), "laid_off_example": notation.show(laid).split()}
    if _is_best_way(one, hand, melds, count, own_rules):
        answer |= {key: one.expect[key] for key in ("own_melds_example", "laid_off_example")}
    apart = [hand & ~sum(melding) for melding in hands.all_meldings(hand, own_rules, DEFENDER)]
    return answer | {"deadwood_if_own_melds_are_fixed_first": min(_laid_off(rest, melds, own_rules)[0] for rest in apart)}


def _shown_melds(one: Example, own_rules: Any) -> np.ndarray:
    """The melds of `knocker_melds`, which must be melds."""
    given = _melds(one, "input.knocker_melds", _need(one, "knocker_melds"))
    found = np.zeros(meldings.MAX_MELDS, np.int64)
    for meld in given:
        if meld not in found[: meldings.melds_in(meld, own_rules, found)]:
            raise one.error(f"input.knocker_melds: {notation.show(meld)} is no meld under these rules.")
    if len(given) > 3 or sum(given).bit_count() != sum(meld.bit_count() for meld in given):
        raise one.error("input.knocker_melds must be at most three melds that have no card in common.")
    return np.array([*given, 0, 0, 0][:3], np.int64)


def _laid_off(hand: int, melds: np.ndarray, own_rules: Any) -> tuple[int, int]:
    """The engine's count and lay-offs of a defender."""
    options, chains = np.zeros((3, layoff.MAX_OPTIONS), np.int64), np.zeros((2, 16), np.int64)
    count, laid = layoff.lay_off(hand, melds, own_rules, options, chains)
    return int(count), int(laid)


def _is_best_way(one: Example, hand: int, melds: np.ndarray, count: int, own_rules: Any) -> bool:
    """Whether the two example lists of an expectation are a way to the count: melds of the hand, cards that fit, the right rest."""
    if not {"own_melds_example", "laid_off_example"} <= one.expect.keys():
        return False
    own = _melds(one, "expect.own_melds_example", one.expect["own_melds_example"])
    laid = sum(_melds(one, "expect.laid_off_example", one.expect["laid_off_example"]))
    found = np.zeros(meldings.MAX_MELDS, np.int64)
    sound = set(own) <= {int(meld) for meld in found[: meldings.melds_in(hand & ~laid, own_rules, found)]}
    rest = hand & ~laid & ~sum(own)
    apart = sum(own).bit_count() == sum(meld.bit_count() for meld in own) and laid & ~hand == 0
    return sound and apart and int(meldings.points(rest, own_rules, DEFENDER)) == count and _fits(laid, tuple(melds), own_rules)


def _fits(cards: int, melds: tuple[int, ...], own_rules: Any) -> bool:
    """Whether all cards can be laid off, one after the other, each directly on a meld as it has grown."""
    if cards == 0:
        return True
    for i, meld in enumerate(melds):
        for card in notation.members(int(meldings.extension(int(meld), own_rules)) & cards) if meld else []:
            grown = (*melds[:i], int(meld) | 1 << card, *melds[i + 1 :])
            if _fits(cards & ~(1 << card), grown, own_rules):
                return True
    return False


STOPS = {"knock": endings.KNOCK, "gin": endings.KNOCK, "shot": endings.SHOT, "big_gin": endings.BIG_GIN}


def deal_points(one: Example) -> Answer:
    """Points of both sides for two counts."""
    row = _row(one, "stop", "own_deadwood", "other_count", "multiplier", "stock_left")
    stop = _word(one, "stop", *STOPS)
    own = _number(one, "input.own_deadwood", one.given.get("own_deadwood", 0 if stop in ("gin", "big_gin") else None), 0, 200)
    other = _number(one, "input.other_count", _need(one, "other_count"), 0, 200)
    if own and stop in ("gin", "big_gin"):
        raise one.error(f"input.own_deadwood must be 0 with {stop}, not {own}.")
    left = _option(one, "stock_left", None if row["rush_premium"] else 0)
    _, won, lost, _ = scoring.score(STOPS[stop], own, other, left, _option(one, "multiplier", 1), rules.of_row(row))
    return {"stopper": int(won), "other": int(lost)}


def showdown(one: Example) -> Answer:
    """From two hands to melding, counts and points, through the engine's own showdown."""
    row = _row(one, "knocker", "defender", "how", "upcard", "own_score", "discarded", "taken", "multiplier", "stock_left")
    own_rules, how, state = rules.of_row(row), _word(one, "how", *STOPS), new_state(0)
    hand, thrown = _mask(one, "knocker", 11 if how == "big_gin" else 10), _card(one, "discarded")
    limit = _number(one, "input.knock_limit", one.given.get("knock_limit", row["knock_limit"]), 0, 99)
    score = one.given.get("own_score")
    demanded = int(endings.demanded_by(_number(one, "input.own_score", score))) if how == "shot" else -1
    must = int(endings.must_be_melded(_card(one, "taken"), own_rules))
    state.hand[0], state.hand[1] = hand, _mask(one, "defender", 10)
    state.stock, state.multiplier = _option(one, "stock_left", None if row["rush_premium"] else 0), _option(one, "multiplier", 1)
    own, melds = hands.shown(hand, own_rules, discard=1 << thrown if thrown >= 0 else 0, must=must, demanded=demanded)
    if own > {"knock": limit, "shot": 99}.get(how, 0) or demanded == 0:
        return {"knocker_melds": f"no melding permits this {how.replace('_', ' ')}"}
    state.melds[:] = [*melds, 0, 0, 0][:3]
    deal.showdown(state, own_rules, 0, STOPS[how], own)
    counts = {"knocker_deadwood": int(state.stopper_count), "defender_deadwood": int(state.other_count)}
    return counts | {"stopper": int(state.score[0]), "other": int(state.score[1]), "knocker_melds": _texts(melds)}


def knock_limit(one: Example) -> Answer:
    """Limit and factor of a deal, by its first upcard: the one kind whose rules are the variant's."""
    try:
        base = variants.find(one.variant).text
    except VariantError as error:
        raise one.error(f"kind {one.kind} needs a variant: {error}") from None
    own_rules, upcard = rules.of_row(_row(one, "upcard", base=base)), _mask(one, "upcard", 1).bit_length() - 1
    return {"limit": int(endings.knock_limit(upcard, own_rules)), "multiplier": int(endings.multiplier(upcard, own_rules))}


def shot_digits(one: Example) -> Answer:
    """The ranks that a score demands."""
    _settings(one, ("score",))
    return {"cards": hands.demanded_ranks(_number(one, "input.score", _need(one, "score")))}


SIDES = {0: 0, 1: 1, "player": 0, "joker": 1, None: -1}  # the joker is the other side


def match_points(one: Example) -> Answer:
    """A match to so many points, event by event, until it is decided."""
    row = _row(one, "events", "target") | {"goal": "points", "points_target": _number(one, "input.target", _need(one, "target"), 1)}
    own_rules, state = rules.of_row(row), new_state(0)
    match.start_match(state, own_rules)
    outcome, played = match.UNDECIDED, 0
    for winner, points in _events(one):
        if outcome != match.UNDECIDED:
            break
        state.winner, state.score[0], state.score[1] = winner, points if winner == 0 else 0, points if winner == 1 else 0
        played += 1
        outcome = int(match.enter(state, own_rules, played))
    names: tuple[Any, Any] = ("player", "joker") if isinstance(one.expect.get("scores"), dict) else (0, 1)
    scores = [int(points) for points in state.points]
    winner = names[outcome] if outcome >= 0 else None
    return {"scores": dict(zip(names, scores, strict=True)) if "player" in names else scores, "winner": winner, "deals": played}


def _events(one: Example) -> list[tuple[int, int]]:
    """(winner, points) of every event: a seat, or -1 for a deal without a winner."""
    events = _need(one, "events")
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise one.error("input.events must be a list of objects with winner, points and how.")
    return [_event(one, event) for event in events]


def _event(one: Example, event: dict[str, Any]) -> tuple[int, int]:
    winner = event.get("winner")
    if isinstance(winner, bool | float | list | dict) or winner not in SIDES or event.keys() - {"winner", "points", "how"}:
        raise one.error(f"input.events: {shown(str(event))} is no event; it has winner (0, 1, player, joker or null), points and how.")
    points = _number(one, "input.events: points", event.get("points", 0 if winner is None else None), 0, 10**6)
    if points and winner is None:
        raise one.error("input.events: a deal without a winner has no points.")
    return SIDES[winner], points


def exact_counts(one: Example) -> Answer:
    """Melds in the pack, and hands that melds make up to the last card, all confirmed by the engine's deadwood."""
    row = _row(one)
    counts = _counts(str(row["ace_runs"]), bool(row["rainbow"]))
    return {"melds": len(_pack_melds(str(row["ace_runs"]), bool(row["rainbow"])))} | {
        f"gin_hands_{size}": counts(size) for size in (10, 11) if f"gin_hands_{size}" in one.expect
    }


def play_script(one: Example) -> Answer:
    """A deal played as the script says, as far as it can be."""
    cards = _pack(one)
    variant = _played_variant(one)
    try:
        actions = _need(one, "actions")
        script = [scripted.action(str(text)) for text in (actions if isinstance(actions, list) else [actions])]
        played = scripted.play(variant, scripted.pack(*cards), script)
    except (scripted.ScriptError, notation.CardError) as error:
        raise one.error(f"input: {error}") from None
    except scripted.NotPlayable as reason:
        raise NotSupported(f"{reason}.") from None
    return _outcome(one, played)


def _pack(one: Example) -> tuple[list[int], list[int], int | None, list[int]]:
    """Nondealer's and dealer's hand, upcard and stock."""
    upcard = _card(one, "upcard")
    hands_and_stock = [_cards(one, f"input.{key}", _need(one, key)) for key in ("nondealer", "dealer", "stock_top_first")]
    return hands_and_stock[0], hands_and_stock[1], None if upcard < 0 else upcard, hands_and_stock[2]


def _played_variant(one: Example) -> Variant:
    """The variant that a script is played under: standard with the example's settings, which must make a game."""
    row = _row(one, "nondealer", "dealer", "upcard", "stock_top_first", "actions")
    if sentences := variants.validate(row):
        raise one.error(f"input: {' '.join(sentences)}")
    return Variant(f"standard, as {one.id} has it", row, "", "")


def _outcome(one: Example, played: scripted.Played) -> Answer:
    """What became of the script: the first action that was not possible, or the result."""
    if played.illegal >= 0:
        said = one.given["actions"]
        text, wanted = str(said[played.illegal]), one.expect.get("illegal")
        again = text == wanted == said[-1] and played.illegal != len(said) - 1
        return {"illegal": f"{text} (action {played.illegal + 1}, before the last)" if again else text}
    state = played.deal.state
    if not played.deal.kind:
        return {"illegal": None, "how": "the script ends before the deal", "stock": int(state.stock)}
    answer: Answer = {"illegal": None, "how": played.deal.kind, "stock": int(state.stock), "turns": int(state.turns)}
    answer["points"] = {SEATS[seat]: int(state.score[seat]) for seat in (0, 1)}
    answer["winner"], answer["stopper"] = (SEATS[seat] if seat >= 0 else None for seat in (state.winner, state.stopper))
    if state.stopper >= 0:
        answer |= {"own": int(state.stopper_count), "other": int(state.other_count)}
    return answer


# Exact counts


@cache
def _pack_melds(ace_runs: str, rainbow: bool) -> np.ndarray:
    """Every meld of the pack, as the engine finds them in all 52 cards."""
    found = np.zeros(1024, np.int64)
    own_rules = rules.of_row({**variants.find("standard").row, "ace_runs": ace_runs, "rainbow": rainbow})
    return np.unique(found[: meldings.melds_in((1 << 52) - 1, own_rules, found)])


def _counts(ace_runs: str, rainbow: bool) -> Callable[[int], int]:
    """Number of hands of a size that are unions of disjoint melds; a hand that the engine's deadwood contradicts is not counted."""
    own_rules = rules.of_row({**variants.find("standard").row, "ace_runs": ace_runs, "rainbow": rainbow})
    melds = _pack_melds(ace_runs, rainbow)
    sizes = np.array([int(meld).bit_count() for meld in melds])

    def count(size: int) -> int:
        unions = [_unions([melds[sizes == part] for part in parts]) for parts in _parts(size)]
        return int(_without_deadwood(np.unique(np.concatenate(unions)), own_rules))

    return count


def _parts(size: int, least: int = 3) -> list[tuple[int, ...]]:
    """The ways to write a size as rising sizes of melds, at most three for eleven cards."""
    rest = [(part, *more) for part in range(least, size // 2 + 1) for more in _parts(size - part, part)]
    return [(size,), *rest] if size >= least else []


def _unions(groups: list[np.ndarray]) -> np.ndarray:
    """All unions of disjoint melds, one of each group."""
    hands_made = groups[0]
    for group in groups[1:]:
        a, b = np.meshgrid(hands_made, group, indexing="ij")
        hands_made = np.unique((a | b)[a & b == 0])
    return hands_made


@jit
def _without_deadwood(hands_made, own_rules):  # type: ignore[no-untyped-def]
    n = 0
    for hand in hands_made:
        n += deadwood_of(hand, own_rules, 0) == 0
    return n


# Reading an expectation: each key in a form in which equal things are equal


def _plain(one: Example, key: str, value: Any) -> Any:
    """Numbers, words and null, apart from yes and no, which Python takes for 1 and 0."""
    if not isinstance(value, bool | int | str | None):
        raise one.error(f"expect.{key} must be a number, a word, true, false or null, not {shown(str(value))}.")
    return type(value) is bool, value


def _as_text(one: Example, key: str, value: Any) -> Any:
    return value if value is None else " ".join(str(value).split())


def _as_melds(one: Example, key: str, value: Any) -> Any:
    if isinstance(value, str):  # what the engine says where there is no melding
        return value
    return tuple(sorted(_melds(one, f"expect.{key}", value)))


def _as_families(one: Example, key: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise one.error(f"expect.{key} must be a list of meldings, each a list of melds, not {shown(value)}.")
    return tuple(sorted(_as_melds(one, key, melding) for melding in value))


def _as_list(one: Example, key: str, value: Any) -> Any:
    if not isinstance(value, list):
        raise one.error(f"expect.{key} must be a list, not {shown(str(value))}.")
    return sorted(map(repr, value))


def _in_order(one: Example, key: str, value: Any) -> Any:
    return repr(list(value.items()) if isinstance(value, dict) else value)


def _as_mapping(one: Example, key: str, value: Any) -> Any:
    if not isinstance(value, dict):
        raise one.error(f"expect.{key} must be an object, not {shown(str(value))}.")
    return sorted((name, repr(amount)) for name, amount in value.items())


Reader = Callable[[Example, str, Any], Any]


@dataclass(frozen=True)
class Kind:
    """A kind of example: what the engine makes of one, and how to read each key of an expectation."""

    answer: Callable[[Example], Answer]
    expects: dict[str, Reader]


KINDS = {
    "deadwood": Kind(
        deadwood, {"deadwood": _plain, "optimal_families": _plain, "families": _as_families, "auto_melds": _as_melds}
    ),
    "knock_options": Kind(knock_options, {"knock": _as_mapping, "shot": _as_list, "big_gin": _plain}),
    "layoff": Kind(
        lay_off,
        {"deadwood": _plain, "deadwood_if_own_melds_are_fixed_first": _plain, "own_melds_example": _as_melds, "laid_off_example": _as_melds},
    ),
    "deal_points": Kind(deal_points, {"stopper": _plain, "other": _plain}),
    "showdown": Kind(
        showdown,
        {"knocker_deadwood": _plain, "defender_deadwood": _plain, "stopper": _plain, "other": _plain, "knocker_melds": _as_melds},
    ),
    "play_script": Kind(
        play_script,
        {
            "illegal": _as_text, "how": _plain, "stopper": _plain, "winner": _plain, "own": _plain, "other": _plain, "points": _as_mapping,
            "stock": _plain, "turns": _plain,
        },
    ),
    "match_points": Kind(match_points, {"scores": _in_order, "winner": _plain, "deals": _plain}),
    "knock_limit": Kind(knock_limit, {"limit": _plain, "multiplier": _plain}),
    "shot_digits": Kind(shot_digits, {"cards": _as_list}),
    "exact_counts": Kind(exact_counts, {"melds": _plain, "gin_hands_10": _plain, "gin_hands_11": _plain}),
}  # fmt: skip

_SOLO = "one-player deals are not played by this version of simgin."
_DIE = "the die is not played by this version of simgin."
_GOAL = "matches with this goal are not played by this version of simgin."
NOT_YET = {
    "solo_script": _SOLO,
    "total_match": _SOLO,
    "die": _DIE,
    "die_round": _DIE,
    "dice_pro": _DIE,
    "pro_games": _GOAL,
    "pro_round": _GOAL,
    "race": _GOAL,
    "twofold": _GOAL,
    "hollywood": _GOAL,
    "options": "positions by themselves cannot be set up in the engine; these are checked by reading.",
}


def compare(one: Example) -> dict[str, tuple[Any, Any]]:
    """Every expected key that the engine answers otherwise: (expected, got). NotSupported and ExampleError as they come."""
    if one.kind in NOT_YET:
        raise NotSupported(NOT_YET[one.kind])
    kind = KINDS[one.kind]
    wanted = {key: value for key, value in one.expect.items() if key not in NOT_COMPARED}
    for key in wanted:
        if key not in kind.expects:
            raise one.error(f"expect has {shown(key)}, which kind {one.kind} does not know{did_you_mean(key, kind.expects)}")
    if not wanted:
        raise one.error("expect is empty, so there is nothing to compare.")
    read = {key: kind.expects[key](one, key, value) for key, value in wanted.items()}
    got = kind.answer(one)
    return {
        key: (value, got.get(key))
        for key, value in wanted.items()
        if key not in got or read[key] != kind.expects[key](one, key, got[key])
    }
