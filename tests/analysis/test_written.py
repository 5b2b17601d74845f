"""Compare positions as a player writes them with the engine's views in played deals."""

import random

import numpy as np
import pytest

from simgin.analysis.position import PositionError, find_decisions, format_better_action
from simgin.analysis.position_parts import Die, PileCard, parse_pile
from simgin.analysis.position_text import parse_position
from simgin.analysis.world_sampling import fill_forgotten_cards
from simgin.core.codes import PHASE_UPCARD
from simgin.core.rules_record import FIRST_TURN_FREE, FIRST_TURN_UPCARD_STOCK_OR_PASS
from simgin.core.view import VIEW_FIELDS
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.text.notation import cards_to_mask, format_card, format_hand, mask_to_cards, parse_card

TEN_CARDS = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
FIELD_NAMES = [name for name, _ in VIEW_FIELDS]
# Fields of the decision that are not part of the view, and the seat numbers
DECISION_FIELDS = ("legal", "least", "best", "noise", "ending", "ending_card", "ending_count")
COMPARED_FIELDS = [
    name
    for name in FIELD_NAMES
    if name not in (*DECISION_FIELDS, "seat", "dealer", "owner", "deal")
]
SOLO_VARIANTS = [name for name in variants.variant_names() if variants.find_variant(name).is_solo]
# All variants except the race, whose seats differ, because a person can describe them
TWO_PLAYER_VARIANTS = [
    name
    for name in variants.variant_names()
    if name not in SOLO_VARIANTS and variants.find_variant(name).goal.other is None
]
UNOWNED_DIE = "dice+die_centre_in_play=yes"
UNUSUAL_GAMES = [
    *("standard+first_turn=free", "standard+first_turn=discard_first", UNOWNED_DIE),
    *(
        f"{UNOWNED_DIE}+first_turn={first}"
        for first in ("free", "discard_first", "upcard_stock_or_pass")
    ),
]
BOLD_STRATEGY = "gold-early+offer=strong:count=50,turn=20,blind=yes+answer=brave:count=60"
SOLO_PLAYER = "solo-lookahead:aim=gin+knock=stop-dp"


def iter_positions(name, units):
    """Yield the positions of some deals of a variant."""
    variant = variants.find_variant(name)
    if variant.is_solo:
        matchup = parse_matchup(SOLO_PLAYER, None, name, 11, "deal")
    elif variant.params["die"] == "off":
        matchup = parse_matchup("gold-early", "tonic-like", name, 11, "deal")
    else:
        matchup = parse_matchup(BOLD_STRATEGY, BOLD_STRATEGY.replace("50", "30"), name, 11, "deal")
    for unit in range(units):
        yield from find_decisions(trace_deal(matchup, unit, unit % 2 * matchup.is_mirrored))


@pytest.mark.parametrize("name", [*TWO_PLAYER_VARIANTS, *UNUSUAL_GAMES, *SOLO_VARIANTS])
def test_a_typed_position_agrees_with_the_view(name):
    variant = variants.find_variant(name)
    rules = build_rules(variant)
    kind = "deals" if variant.goal.score == "deals" else "points"
    compared = 0
    units = 3 if name in SOLO_VARIANTS else 1 if "dice" in name else 2
    for position in iter_positions(name, units):
        view = position.view
        asked_again = view.turns == 0 and view.taken_offer >= 0 and view.phase != PHASE_UPCARD
        if view.deck_left < 0 and asked_again and rules.first_turn != FIRST_TURN_FREE:
            continue  # both players have passed the first upcard, which the pile does not show
        options = table_options(position)
        if name not in SOLO_VARIANTS:
            options["score"] = int(view[f"own_{kind}"]), int(view[f"other_{kind}"])
        mine = parse_position(write_hand(view), " ".join(write_pile(view)), variant, **options)
        expected = {field: int(view[field]) for field in COMPARED_FIELDS}
        found = {field: int(mine.view[field]) for field in COMPARED_FIELDS}
        if (
            rules.first_turn == FIRST_TURN_UPCARD_STOCK_OR_PASS and view.upcard >= 0
        ):  # did the dealer decide?
            expected["shed"] |= found["shed"] & 1 << int(view.upcard)
        assert found == expected
        assert (mine.actions, mine.label) == (position.actions, position.label)
        same_seat = int(mine.view.seat == view.seat)
        assert (mine.view.dealer == view.dealer) == same_seat
        rows, theirs = mine.view.history[: view.turns], view.history[: view.turns]
        assert ((rows[:, 0] == theirs[:, 0]) == same_seat).all()
        assert (rows[:, [1, 3]] == theirs[:, [1, 3]]).all()
        hidden = (theirs[:, 1] == 0) | (theirs[:, 2] < 0)
        assert (rows[hidden, 2] == -1).all()  # players do not write down the turn of each draw
        assert (rows[~hidden, 2] == theirs[~hidden, 2]).all()
        compared += 1
    assert compared > 15


def forget_cards(words, view, rng):
    """Return the pile with ? for some cards, its forgotten cards, and the cards taken from it."""
    words = list(words)
    lying, taken = [], []
    for place in range(len(words) - 1):
        name = words[place].removesuffix("*")
        card = parse_card(name)
        elsewhere = any(word.startswith(name) for word in [*words[:place], *words[place + 1 :]])
        if elsewhere or rng.random() < 0.5:
            continue
        if words[place] == name:
            lying.append(card)
        elif view.known >> card & 1 and not taken:
            taken.append(card)
        else:
            continue
        words[place] = words[place].replace(name, "?")
    return words, lying, taken


@pytest.mark.parametrize("name", ["standard", "eaai", "straight", "standard+first_turn=free"])
def test_a_position_with_the_forgotten_cards_filled_in_is_complete(name):
    variant = variants.find_variant(name)
    rng = random.Random(5)
    forgotten = held = 0
    for position in iter_positions(name, 4):
        view = position.view
        if view.turns == 0:
            continue
        cards, words, options = write_hand(view), write_pile(view), table_options(position)
        whole = parse_position(cards, " ".join(words), variant, **options)
        some, lying, taken = forget_cards(words, view, rng)
        part = parse_position(cards, " ".join(some), variant, **options)
        assert part.actions == whole.actions
        hidden = mask_to_cards(int(view.unseen) & ~cards_to_mask(lying))[: 10 - len(taken)]
        hand = cards_to_mask(
            [*hidden[: 10 - int(view.known).bit_count()], *mask_to_cards(int(view.known))]
        )
        free = mask_to_cards(hand & ~int(part.view.known))
        first = free.index(taken[0]) if taken else 0
        columns = np.array([lying], np.int64).reshape(1, -1)
        hands = np.array([hand])
        (filled,) = fill_forgotten_cards(part.view, build_rules(variant), hands, columns, first)
        for field in (*(name for name in FIELD_NAMES if name not in DECISION_FIELDS), "history"):
            assert np.array_equal(filled[field], whole.view[field]), (field, some, words)
        forgotten += len(lying)
        held += len(taken)
    assert forgotten > 30
    assert held > 0 or name == "straight"


def test_dots_represent_the_number_of_cards_that_the_stock_implies():
    variant = variants.find_variant("standard")
    for n in (1, 5, 19):
        marks = parse_position(f"{TEN_CARDS} KS", f"QD {'? ' * n} 9D ? QH", variant).view
        for dots in ("..", "...", "…"):
            pile = f"QD {dots} 9D ? QH"
            assert (
                parse_position(f"{TEN_CARDS} KS", pile, variant, stock=int(marks.stock)).view
                == marks
            )


@pytest.mark.parametrize("name", ["solitaire-gin", "gin-solitaire", "solitary-gin"])
def test_the_number_of_cards_left_in_solitaire_games_does_not_depend_on_forgotten_cards(name):
    variant = variants.find_variant(name)
    cards = f"{TEN_CARDS} KS"
    whole = parse_position(cards, "QD TS 9D QH", variant).view
    marks = parse_position(cards, "? TS ? QH", variant).view
    dots = parse_position(cards, ".. TS ? QH", variant, stock=int(whole.deck_left)).view
    assert marks == dots
    for field in FIELD_NAMES:
        if field not in ("pile", "unseen"):
            assert marks[field] == whole[field], field
    assert int(marks.unseen) == int(whole.unseen) | cards_to_mask(
        [parse_card("QD"), parse_card("9D")]
    )


def test_placeholder_cards_do_not_end_the_deal():
    """Avoid 4H and 3H, with which the player would have had gin."""
    cards = "4S 6H 4D 6D 7D 8D 4C 8C 9C TC 5H"
    view = parse_position(
        cards, "AH ? ? ? .. TH AC", variants.find_variant("solitary-gin"), stock=29
    ).view
    assert (int(view.turns), int(view.pile).bit_count()) == (12, 3)


@pytest.mark.parametrize(("stock", "forgotten"), [(None, 1), (20, 11)])
def test_an_omitted_pile_is_unknown(stock, forgotten):
    view = parse_position(
        f"{TEN_CARDS} KS", "", variants.find_variant("standard"), stock=stock
    ).view
    assert (view.pile, view.turns, view.stock) == (0, forgotten - 1, 31 - forgotten)


def test_a_pile_is_parsed_and_abbreviated():
    taken = [
        PileCard(parse_card("QD")),
        PileCard(-1),
        PileCard(parse_card("9D"), True),
        PileCard(-1, True),
    ]
    assert parse_pile("QD,? 9d* .. ?*") == (taken, 3)
    position = parse_position(
        f"{TEN_CARDS} KS", "QD ? 9D .. QH", variants.find_variant("standard"), stock=20
    )
    _, pile, forgotten, *_ = position.describe()
    assert pile == "Pile (oldest first)  QD ? 9D .. QH"
    assert forgotten == "The pile contains 8 unknown cards, which simgin samples."
    assert position.view.drawn == parse_card("KS")  # the last of eleven


@pytest.mark.parametrize("score", [(-5, 3), (1, 2, 3), ("a", "b"), 5])
def test_an_invalid_score_is_rejected(score):
    with pytest.raises(ValueError, match="is not a valid score"):
        parse_position(TEN_CARDS, "QD TH", variants.find_variant("standard"), score=score)


@pytest.mark.parametrize(
    ("cards", "pile", "game", "stock"),
    [
        (TEN_CARDS, "? ?* " * 22 + "QD", "standard", None),
        (f"{TEN_CARDS} KS", "? " * 41 + "QD", "gin-solitaire", None),
        (f"{TEN_CARDS} KS", ".. QD", "gin-solitaire", 0),
        (f"{TEN_CARDS} KS", "? " * 200, "solitary-gin", None),
    ],
)
def test_more_forgotten_cards_than_the_pack_has_are_rejected(cards, pile, game, stock):
    with pytest.raises(PositionError, match="contains more cards than the deck"):
        parse_position(cards, pile, variants.find_variant(game), stock=stock)


def test_a_pile_that_is_too_long_is_rejected():
    with pytest.raises(PositionError, match="the pile has 1,001 cards"):
        parse_position(TEN_CARDS, "KD* " * 1000 + "QD", variants.find_variant("standard"))


def test_a_discard_instead_of_an_ending_continues_the_deal():
    assert format_better_action("knock, KS", "discard 5C") == "play on, discarding 5C"
    assert format_better_action("discard KS", "discard 5C") == "discard 5C"
    assert format_better_action("gin, KS", "big gin") == "big gin"


def write_hand(view):
    """Return the hand as a string, with the card that came last at the end."""
    last = [int(card) for card in (view.drawn, view.taken) if card >= 0]
    hand = int(view.hand) & ~cards_to_mask(last)
    return f"{format_hand(hand)} {' '.join(map(format_card, last))}" if view.hand else "blind"


def write_pile(view):
    """Return the words of the pile in order; in solitaire games, the discards."""
    words = [format_card(int(view.upcard))] if view.upcard >= 0 else []
    for _, source, _, thrown in view.history[: view.turns]:
        if source == 1:
            words[-1] += "*"
        words.append(format_card(int(thrown)))
    if view.taken >= 0:
        words[-1] += "*"
    return words


def table_options(position):
    """Return dealer and die as options of `parse_position`; none for a solitaire game."""
    view = position.view
    if view.deck_left >= 0:
        return {}
    owner = "nobody" if view.owner < 0 else "me" if view.owner == view.seat else "other"
    offer = position.is_about_die and not view.offered
    dealer = "me" if view.dealer == view.seat else "other"
    return {"dealer": dealer, "die": Die(int(view.stake), owner, offer, int(view.offered))}
