"""Compare parsed positions with the engine's views in played deals."""

import random
from itertools import islice

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

TEN_CARD_HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
VIEW_FIELD_NAMES = [name for name, _ in VIEW_FIELDS]
# Fields of the decision that are not part of the view, and the seat numbers
DECISION_FIELDS = ("legal", "least", "best", "noise", "ending", "ending_card", "ending_count")
COMPARED_FIELDS = [
    name
    for name in VIEW_FIELD_NAMES
    if name not in (*DECISION_FIELDS, "seat", "dealer", "owner", "deal")
]
SOLO_VARIANTS = [name for name in variants.variant_names() if variants.find_variant(name).is_solo]
# All variants except the race, whose seats differ, because a person can describe them
TWO_PLAYER_VARIANTS = [
    name
    for name in variants.variant_names()
    if name not in SOLO_VARIANTS and variants.find_variant(name).goal.other_side_goal is None
]
UNOWNED_DIE = "dice+die_centre_in_play=yes"
UNUSUAL_VARIANTS = [
    *("standard+first_turn=free", "standard+first_turn=discard_first", UNOWNED_DIE),
    *(
        f"{UNOWNED_DIE}+first_turn={first}"
        for first in ("free", "discard_first", "upcard_stock_or_pass")
    ),
]
# The standard suite tests these first turns without a die.
SLOW_VARIANTS = [f"{UNOWNED_DIE}+first_turn={first}" for first in ("free", "discard_first")]
OFFERING_PLAYER = "gold-early+offer=strong:count=50,turn=20,blind=yes+answer=brave:count=60"
SOLO_PLAYER = "solo-lookahead:aim=gin+knock=stop-dp"


def iter_positions(variant_name, units):
    """Yield the positions of the deals with the given numbers."""
    variant = variants.find_variant(variant_name)
    if variant.is_solo:
        matchup = parse_matchup(SOLO_PLAYER, None, variant_name, 11, "deal")
    elif variant.params["die"] == "off":
        matchup = parse_matchup("gold-early", "tonic-like", variant_name, 11, "deal")
    else:
        matchup = parse_matchup(
            OFFERING_PLAYER, OFFERING_PLAYER.replace("50", "30"), variant_name, 11, "deal"
        )
    for unit in units:
        yield from find_decisions(trace_deal(matchup, unit, unit % 2 * matchup.is_mirrored))


@pytest.mark.parametrize(("n_units", "step"), [(1, 3), pytest.param(6, 1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "variant_name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in SLOW_VARIANTS else name
        for name in (*TWO_PLAYER_VARIANTS, *UNUSUAL_VARIANTS, *SOLO_VARIANTS)
    ],
)
def test_parsed_position_agrees_with_the_view(variant_name, n_units, step):
    """Compare positions of at least `n_units` deals, and more if these deals are short.

    Two decisions per turn are typical, so every third position includes every type of decision.
    """
    n_compared = 0
    for unit in range(100):
        if unit >= n_units and n_compared > 15:
            break
        for position in islice(iter_positions(variant_name, [unit]), unit % step, None, step):
            if not is_opening_after_passes(position):
                assert_parsed_position_equals(position)
                n_compared += 1
    assert n_compared > 15


def is_opening_after_passes(position):
    """Return True if both players have passed the first upcard, which the pile does not show."""
    view = position.view
    is_after_passes = view.turns == 0 and view.taken_offer >= 0 and view.phase != PHASE_UPCARD
    first_turn = build_rules(position.variant).first_turn
    return view.deck_left < 0 and is_after_passes and first_turn != FIRST_TURN_FREE


def assert_parsed_position_equals(position):
    """Describe a position in words, parse the words, and compare the result with the position."""
    view, variant = position.view, position.variant
    options = make_position_options(position)
    if not variant.is_solo:
        kind = "deals" if variant.goal.score_unit == "deals" else "points"
        options["score"] = int(view[f"own_{kind}"]), int(view[f"other_{kind}"])
    parsed = parse_position(
        format_view_hand(view), " ".join(format_view_pile(view)), variant, **options
    )
    expected = {field: int(view[field]) for field in COMPARED_FIELDS}
    parsed_fields = {field: int(parsed.view[field]) for field in COMPARED_FIELDS}
    first_turn = build_rules(variant).first_turn
    if first_turn == FIRST_TURN_UPCARD_STOCK_OR_PASS and view.upcard >= 0:  # did the dealer decide?
        expected["shed"] |= parsed_fields["shed"] & 1 << int(view.upcard)
    assert parsed_fields == expected
    assert (parsed.actions, parsed.label) == (position.actions, position.label)
    same_seat = int(parsed.view.seat == view.seat)
    assert (parsed.view.dealer == view.dealer) == same_seat
    parsed_turns, engine_turns = parsed.view.history[: view.turns], view.history[: view.turns]
    assert ((parsed_turns[:, 0] == engine_turns[:, 0]) == same_seat).all()
    assert (parsed_turns[:, [1, 3]] == engine_turns[:, [1, 3]]).all()
    hidden = (engine_turns[:, 1] == 0) | (engine_turns[:, 2] < 0)
    assert (parsed_turns[hidden, 2] == -1).all()  # players do not write down the turn of each draw
    assert (parsed_turns[~hidden, 2] == engine_turns[~hidden, 2]).all()


def forget_cards(pile, view, rng):
    """Replace random cards of a pile with `?`, and return the pile and the replaced cards."""
    pile = list(pile)
    discarded, taken = [], []
    for index in range(len(pile) - 1):
        card_name = pile[index].removesuffix("*")
        card = parse_card(card_name)
        is_repeated = any(
            other_name.startswith(card_name) for other_name in [*pile[:index], *pile[index + 1 :]]
        )
        if is_repeated or rng.random() < 0.5:
            continue
        if pile[index] == card_name:
            discarded.append(card)
        elif view.known >> card & 1 and not taken:
            taken.append(card)
        else:
            continue
        pile[index] = pile[index].replace(card_name, "?")
    return pile, discarded, taken


@pytest.mark.parametrize("n_units", [1, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "variant_name", ["standard", "eaai", "straight", "standard+first_turn=free"]
)
def test_filling_in_forgotten_cards_restores_the_view(variant_name, n_units):
    variant = variants.find_variant(variant_name)
    rng = random.Random(5)
    n_forgotten = n_taken = 0
    for position in iter_positions(variant_name, range(n_units)):
        view = position.view
        if view.turns == 0:
            continue
        cards, pile, options = (
            format_view_hand(view),
            format_view_pile(view),
            make_position_options(position),
        )
        complete = parse_position(cards, " ".join(pile), variant, **options)
        partial_pile, discarded, taken = forget_cards(pile, view, rng)
        partial = parse_position(cards, " ".join(partial_pile), variant, **options)
        assert partial.actions == complete.actions
        hidden = mask_to_cards(int(view.unseen) & ~cards_to_mask(discarded))[: 10 - len(taken)]
        hand = cards_to_mask(
            [*hidden[: 10 - int(view.known).bit_count()], *mask_to_cards(int(view.known))]
        )
        free = mask_to_cards(hand & ~int(partial.view.known))
        taken_index = free.index(taken[0]) if taken else 0
        columns = np.array([discarded], np.int64).reshape(1, -1)
        hands = np.array([hand])
        (filled,) = fill_forgotten_cards(
            partial.view, build_rules(variant), hands, columns, taken_index
        )
        for field in (
            *(field_name for field_name in VIEW_FIELD_NAMES if field_name not in DECISION_FIELDS),
            "history",
        ):
            assert np.array_equal(filled[field], complete.view[field]), (field, partial_pile, pile)
        n_forgotten += len(discarded)
        n_taken += len(taken)
    assert n_forgotten > 30
    assert n_taken > 0 or variant_name == "straight"


def test_dots_replace_the_cards_missing_from_the_stock():
    variant = variants.find_variant("standard")
    for n in (1, 5, 19):
        expected = parse_position(f"{TEN_CARD_HAND} KS", f"QD {'? ' * n} 9D ? QH", variant).view
        for dots in ("..", "...", "…"):
            pile = f"QD {dots} 9D ? QH"
            assert (
                parse_position(f"{TEN_CARD_HAND} KS", pile, variant, stock=int(expected.stock)).view
                == expected
            )


@pytest.mark.parametrize("variant_name", ["solitaire-gin", "gin-solitaire", "solitary-gin"])
def test_forgotten_cards_do_not_change_the_size_of_a_solitaire_deck(variant_name):
    variant = variants.find_variant(variant_name)
    cards = f"{TEN_CARD_HAND} KS"
    complete = parse_position(cards, "QD TS 9D QH", variant).view
    with_marks = parse_position(cards, "? TS ? QH", variant).view
    with_dots = parse_position(cards, ".. TS ? QH", variant, stock=int(complete.deck_left)).view
    assert with_marks == with_dots
    for field in VIEW_FIELD_NAMES:
        if field not in ("pile", "unseen"):
            assert with_marks[field] == complete[field], field
    assert int(with_marks.unseen) == int(complete.unseen) | cards_to_mask(
        [parse_card("QD"), parse_card("9D")]
    )


def test_placeholder_cards_do_not_give_gin():
    """Use a position in which 4H or 3H would have given gin."""
    cards = "4S 6H 4D 6D 7D 8D 4C 8C 9C TC 5H"
    view = parse_position(
        cards, "AH ? ? ? .. TH AC", variants.find_variant("solitary-gin"), stock=29
    ).view
    assert (int(view.turns), int(view.pile).bit_count()) == (12, 3)


@pytest.mark.parametrize(("stock", "n_forgotten"), [(None, 1), (20, 11)])
def test_omitted_pile_is_unknown(stock, n_forgotten):
    view = parse_position(
        f"{TEN_CARD_HAND} KS", "", variants.find_variant("standard"), stock=stock
    ).view
    assert (view.pile, view.turns, view.stock) == (0, n_forgotten - 1, 31 - n_forgotten)


def test_described_pile_abbreviates_unknown_cards():
    pile_cards = [
        PileCard(parse_card("QD")),
        PileCard(-1),
        PileCard(parse_card("9D"), True),
        PileCard(-1, True),
    ]
    assert parse_pile("QD,? 9d* .. ?*") == (pile_cards, 3)
    position = parse_position(
        f"{TEN_CARD_HAND} KS", "QD ? 9D .. QH", variants.find_variant("standard"), stock=20
    )
    _, pile, note, *_ = position.describe()
    assert pile == "Pile (oldest first)  QD ? 9D .. QH"
    assert note == "The pile contains 8 unknown cards, which simgin samples."
    assert position.view.drawn == parse_card("KS")  # the last of eleven


@pytest.mark.parametrize("score", [(-5, 3), (1, 2, 3), ("a", "b"), 5])
def test_invalid_score_is_rejected(score):
    with pytest.raises(ValueError, match="is not a valid score"):
        parse_position(TEN_CARD_HAND, "QD TH", variants.find_variant("standard"), score=score)


@pytest.mark.parametrize(
    ("cards", "pile", "variant", "stock"),
    [
        (TEN_CARD_HAND, "? ?* " * 22 + "QD", "standard", None),
        (f"{TEN_CARD_HAND} KS", "? " * 41 + "QD", "gin-solitaire", None),
        (f"{TEN_CARD_HAND} KS", ".. QD", "gin-solitaire", 0),
        (f"{TEN_CARD_HAND} KS", "? " * 200, "solitary-gin", None),
    ],
)
def test_more_forgotten_cards_than_the_deck_has_are_rejected(cards, pile, variant, stock):
    with pytest.raises(PositionError, match="contains more cards than the deck"):
        parse_position(cards, pile, variants.find_variant(variant), stock=stock)


def test_too_long_pile_is_rejected():
    with pytest.raises(PositionError, match="the pile has 1,001 cards"):
        parse_position(TEN_CARD_HAND, "KD* " * 1000 + "QD", variants.find_variant("standard"))


def test_discard_instead_of_an_ending_is_described_as_playing_on():
    assert format_better_action("knock (discard KS)", "discard 5C") == "play on and discard 5C"
    assert format_better_action("discard KS", "discard 5C") == "discard 5C"
    assert format_better_action("gin (discard KS)", "big gin") == "big gin"


def test_names_of_actions_contain_no_comma():
    hand = "3S 4S 5S 6S JH JD JC JS 2H 9C 6D"
    position = parse_position(hand, "", variants.find_variant("standard"))
    names = [position.format_action(action) for action in position.actions]
    assert "knock (discard 9C)" in names and not any("," in name for name in names)


def format_view_hand(view):
    """Format the hand of a view, with the card that was drawn or taken last at the end."""
    last = [int(card) for card in (view.drawn, view.taken) if card >= 0]
    hand = int(view.hand) & ~cards_to_mask(last)
    return f"{format_hand(hand)} {' '.join(map(format_card, last))}" if view.hand else "blind"


def format_view_pile(view):
    """Return the cards of the pile as strings, oldest first, with taken cards marked."""
    cards = [format_card(int(view.upcard))] if view.upcard >= 0 else []
    for _, source, _, discard in view.history[: view.turns]:
        if source == 1:
            cards[-1] += "*"
        cards.append(format_card(int(discard)))
    if view.taken >= 0:
        cards[-1] += "*"
    return cards


def make_position_options(position):
    """Return the options of `parse_position` that specify the dealer and the die."""
    view = position.view
    if view.deck_left >= 0:
        return {}
    owner = "nobody" if view.owner < 0 else "me" if view.owner == view.seat else "other"
    offer = position.is_about_die and not view.offered
    dealer = "me" if view.dealer == view.seat else "other"
    return {"dealer": dealer, "die": Die(int(view.stake), owner, offer, int(view.offered))}
