"""Compare analyses of small endgames with exact values of the reference implementation."""

from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest

from oracles import reference
from oracles.reference.solo import JOKER, SoloDeal
from simgin.analysis import world_sampling
from simgin.analysis.analysis import AnalysisBudget, analyse_position
from simgin.analysis.decision_evaluator import _find_hidden_hand
from simgin.analysis.position import Position, find_decisions
from simgin.analysis.position_text import parse_position
from simgin.core.position_rollouts import ACTION_ACCEPT, ACTION_DISCARD, ACTION_OFFER, ACTION_REFUSE
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.text.notation import cards_to_mask, format_card, mask_to_cards, parse_card
from simgin.toolkit.hand_sampling import N_HAND_WEIGHTS
from support.hands import build_both_rules, list_card_names

pytestmark = pytest.mark.usefixtures("few_metropolis_steps")
SOLO_VARIANTS = [name for name in variants.variant_names() if variants.find_variant(name).is_solo]
DIE_VARIANT = "dice+die_centre_in_play=yes"
N_KNOWN_CARDS = 8  # cards of the opponent that the player knows
STOCK_SIZE = 3  # cards left: one of them may still be drawn
PLAIN_STRATEGY_CODE = '''
from simgin.strategy import Strategy, answer, discard, knock, offer, take
from simgin.toolkit import deadwood_after_taking, lowest_bit, take_if

@take
def lower(view, rules, params):
    deadwood = deadwood_after_taking(view.hand, view.taken_offer, rules)
    return take_if(deadwood < view.count, view.legal)

@discard
def first_of_the_best(view, rules, params):
    return lowest_bit(view.best)

@knock
def at_once(view, rules, params):
    return 1

@offer
def ahead(view, rules, params):
    return min(rules.die_cap, view.stake + 2) if view.count <= 30 else 0

@answer
def not_far_behind(view, rules, params):
    return view.count <= 45

STRATEGY = Strategy(
    "plain", take=lower, discard=first_of_the_best, knock=at_once, offer=ahead,
    answer=not_far_behind, ending="same",
)
'''  # fmt: skip
LATE_OFFERS_CODE = '''
from simgin.strategy import Strategy, answer, knock, offer

@offer
def late(view, rules, params):
    return view.stake + 1 if view.stock <= 3 and view.stake < 3 else 0

@answer
def yes(view, rules, params):
    return 1

@knock
def gin(view, rules, params):
    return view.ending_count == 0

STRATEGY = Strategy("late", offer=late, answer=yes, knock=gin)
'''  # fmt: skip


@pytest.fixture(scope="module")
def strategy_files(tmp_path_factory):
    """Write the files of two simple strategies, `plain` and `late`, and return the paths."""
    folder = tmp_path_factory.mktemp("players")
    for name, text in (("plain", PLAIN_STRATEGY_CODE), ("late", LATE_OFFERS_CODE)):
        (folder / f"{name}.py").write_text(text)
    return str(folder / "plain.py"), str(folder / "late.py")


@cache
def compute_reference_deadwood(hand, variant):
    return reference.compute_deadwood(sorted(hand), build_both_rules(variant)[1])


def finish_reference_deal(variant, deal):
    """Play a reference deal to its end like the strategy `plain`, and return the result."""
    max_stake = build_both_rules(variant)[1]["die_cap"]
    while deal.result is None:
        hand = deal.hands[deal.seat_to_move]
        options = deal.legal_actions()
        hand_deadwood = compute_reference_deadwood(frozenset(hand), variant)
        endings = [option for option in options if option[0] == "end"]
        if ("no offer",) in options:
            offered_stake = min(max_stake or 0, deal.die.stake + 2)
            deal.apply_action(("offer", offered_stake) if hand_deadwood <= 30 else ("no offer",))
        elif ("accept",) in options:
            deal.apply_action(("accept",) if hand_deadwood <= 45 else ("refuse",))
        elif ("take",) in options:
            hand_after_taking = {*hand, deal.pile[-1]}
            deadwood_after_taking = min(
                compute_reference_deadwood(frozenset(hand_after_taking - {discard}), variant)
                for discard in hand
            )
            deal.apply_action(("take",) if deadwood_after_taking < hand_deadwood else ("stock",))
        elif isinstance(deal, SoloDeal) and endings:
            deal.apply_action(endings[0])
        elif ("stock",) in options:
            deal.apply_action(("stock",))
        else:
            discards = [option[1] for option in options if option[0] == "throw"]
            deadwood_left = {
                card: compute_reference_deadwood(frozenset(hand) - {card}, variant)
                for card in discards
            }
            card = min(deadwood_left, key=lambda card: (deadwood_left[card], parse_card(card)))
            matching_endings = [option for option in endings if option[1] == card]
            deal.apply_action(matching_endings[0] if matching_endings else ("throw", card))
    return deal.result


def make_reference_deal(position, hidden_cards, stock):
    """Return the reference deal at a two-player position, with the given hidden cards."""
    view = position.view
    seat = int(view.seat)
    deal = reference.Deal(
        build_both_rules(position.variant.spec)[1], reference.PACK, dealer=int(view.dealer)
    )
    deal.hands[seat] = list_card_names(int(view.hand))
    deal.hands[1 - seat] = [*list_card_names(int(view.known)), *hidden_cards]
    deal.stock = list(stock)
    last_discard = format_card(int(view.history[view.turns - 1, 3]))
    deal.pile = sorted(
        list_card_names(int(view.pile)), key=lambda card: card == last_discard
    )  # on top if it exists
    deal.turns = int(view.turns)
    deal._active_seat, deal._phase = seat, "discard"
    deal._drawn_card = format_card(int(view.drawn)) if view.drawn >= 0 else None
    deal._taken_card = format_card(int(view.taken)) if view.taken >= 0 else None
    if position.is_about_die:
        deal._blind_offer_seats, deal._cards_seen, deal._phase_after_offer, deal._phase = (
            [],
            True,
            "draw",
            "offer",
        )
        deal.die.stake = int(view.stake)
        deal.die.owner = None if view.owner < 0 else int(view.owner)
        if view.offered:
            deal.die.pending_offer, deal._phase = (1 - seat, int(view.offered)), "answer"
    return deal


def make_reference_deal_solo(position, deck):
    """Return the reference deal at a solitaire position, with the given deck."""
    view = position.view
    row = build_both_rules(position.variant.spec)[1]
    deal = SoloDeal(row, reference.PACK, None if row["joker"] == "none" else 20)
    deal.result = None
    deal.hands = [list_card_names(int(view.hand))]
    deal.deck = list(deck)
    deal.discards = list_card_names(int(view.pile))
    deal.turns = int(view.turns)
    deal.draws = int(view.own_turn) - (row["first_turn"] == "discard_first")
    deal._drawn_card = format_card(int(view.drawn))
    return deal


def apply_action(deal, action):
    """Perform an action in a deal of the reference implementation."""
    die_actions = {
        ACTION_ACCEPT: ("accept",),
        ACTION_REFUSE: ("refuse",),
        ACTION_OFFER: ("offer", action.card),
    }
    card = format_card(action.card) if action.card >= 0 else None
    if action.type in die_actions:
        deal.apply_action(die_actions[action.type] if action.card else ("no offer",))
    elif action.type == ACTION_DISCARD:
        deal.apply_action(("throw", card))
    elif not isinstance(deal, SoloDeal):
        deal.apply_action(
            next(option for option in deal.legal_actions() if option[:2] == ("end", card))
        )
    elif card is None:
        deal.apply_action(("end", None, "big_gin"))
    else:
        deal.apply_action(("throw", card))
        if deal.result is None:
            deal.apply_action(("end", None, "gin"))


def iter_reference_worlds(position):
    """Yield, for each world, a function that makes its reference deal."""
    view = position.view
    variant = position.variant.spec
    unseen = list_card_names(int(view.unseen))
    if view.deck_left >= 0:
        row = build_both_rules(variant)[1]
        deck_cards = [*unseen, JOKER]
        length = None
        if row["joker"] == "none":
            deck_cards, length = unseen, row["max_draws"] - int(view.own_turn)
        for deck in permutations(deck_cards, length):
            yield lambda deck=deck: make_reference_deal_solo(position, deck)
        return
    for hidden in combinations(unseen, 10 - int(view.known).bit_count()):
        offers = (
            compute_reference_deadwood(
                frozenset([*list_card_names(int(view.known)), *hidden]), variant
            )
            <= 30
        )
        if view.offered and not offers:
            continue  # `plain` never makes an offer
        stock_cards = [card for card in unseen if card not in hidden]
        for card in stock_cards:
            stock = [card, *(stock_card for stock_card in stock_cards if stock_card != card)][
                : int(view.stock)
            ]
            yield lambda hidden=hidden, stock=stock: make_reference_deal(position, hidden, stock)


def compute_exact_values(position):
    """Return the mean value and the win rate of every action over all worlds."""
    row = position.variant.params
    seat = int(position.view.seat)
    values, wins = np.zeros((2, len(position.actions)))
    worlds = list(iter_reference_worlds(position))
    for make_deal in worlds:
        for i, action in enumerate(position.actions):
            deal = make_deal()
            apply_action(deal, action)
            result = deal.result or finish_reference_deal(position.variant.spec, deal)
            points, opponent_points = result.points[seat], result.points[1 - seat]
            wins[i] += result.winner == seat
            if row["die"] == "off":
                values[i] += (
                    -points if row["deal_scoring"] == "penalty" else points - opponent_points
                )
            elif result.winner is not None:
                stake = result.stake if result.outcome == "refused" else deal.die.stake
                values[i] += stake if result.winner == seat else -stake
    return values / len(worlds), wins / len(worlds)


def assert_analysis_is_exact(position, analysis):
    """Compare an analysis with exact values, and return True if a single action is best."""
    values, wins = compute_exact_values(position)
    measured_values = 100 * wins if analysis.measure == "win" else values
    name = "deals" if analysis.measure == "deals" else "points"
    for index, (_, row) in zip(analysis.ranking, analysis.frame().iterrows(), strict=True):
        action = position.format_action(position.actions[index])
        assert row["action"] == action
        cost = measured_values[analysis.ranking[0]] - measured_values[index]
        assert abs(row[name] - values[index]) <= 4 * row[f"{name}_se"] + 1e-9, action
        assert abs(row["win"] - wins[index]) <= 4 * row["win_se"] + 1e-9, action
        assert row["low"] - 1e-9 <= cost <= row["high"] + 1e-9, action
    assert measured_values[analysis.best_indices].max() == pytest.approx(measured_values.max())
    return len(analysis.best_indices) == 1


def reveal_opponent(position, deal, forget_discard=False):
    """Return a position in which the player knows most cards of the opponent's hand."""
    view = position.view.copy()
    hidden = mask_to_cards(_find_hidden_hand(deal, view))
    unseen = int(view.unseen | view.known)
    view.known = cards_to_mask(hidden[:N_KNOWN_CARDS])
    view.unseen = unseen & ~int(view.known)
    for turn in range(int(view.turns) - 1 if forget_discard else 0):
        seat, _, _, card = map(int, view.history[turn])
        if seat != view.seat and view.pile >> card & 1:
            view.history[turn, 3] = -1
            view.pile, view.shed = int(view.pile) & ~(1 << card), int(view.shed) & ~(1 << card)
            view.unseen = int(view.unseen) | 1 << card
            break
    return Position(position.variant, view, position.actions)


def find_late_positions(player, variant, action_kinds, n_positions):
    """Find positions with a short stock for each kind of action, and return (position, deal)."""
    matchup = parse_matchup(player, player, variant, 21, "deal")
    pairs_by_kind = {kind: [] for kind in action_kinds}
    for unit in range(300):
        deal = trace_deal(matchup, unit)
        for position in find_decisions(deal):
            kind = position.actions[0].type
            is_late = position.view.stock == STOCK_SIZE and len(position.actions) > 1
            if is_late and len(pairs_by_kind.get(kind, [None] * n_positions)) < n_positions:
                pairs_by_kind[kind].append((position, deal))
                break
        if all(len(pairs) == n_positions for pairs in pairs_by_kind.values()):
            break
    assert all(len(pairs) == n_positions for pairs in pairs_by_kind.values())
    return [pair for pairs in pairs_by_kind.values() for pair in pairs]


def make_solo_endgame(variant_name, rng, n_left=3):
    """Return a solitaire position with few cards left, in which gin or low deadwood is near."""
    variant = variants.find_variant(variant_name)
    melds, useful_cards = "4S 5S 6S 8H 8D 8C JH QH".split(), "3S 8S KH".split()
    remaining_cards = [format_card(card) for card in rng.permutation(52)]
    remaining_cards = [card for card in remaining_cards if card not in (*melds, *useful_cards)]
    is_limited = variant.params["max_draws"] is not None
    turns = (
        variant.params["max_draws"] - 2
        if is_limited
        else len(remaining_cards) - 3 + len(useful_cards) - n_left
    )
    return parse_position(
        " ".join([*melds, *remaining_cards[:3]]), " ".join(remaining_cards[3 : 3 + turns]), variant
    )


@pytest.mark.parametrize("n", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_endgame_analysis_agrees_with_enumeration(strategy_files, monkeypatch, n):
    monkeypatch.setattr(world_sampling, "_load_hand_weights", lambda: np.zeros(N_HAND_WEIGHTS))
    plain, _ = strategy_files
    n_decided = 0
    for i, pair in enumerate(find_late_positions("gin-only", "standard", [ACTION_DISCARD], n)):
        position = reveal_opponent(*pair, forget_discard=i % 2 == 1)
        n_decided += assert_analysis_is_exact(
            position, analyse_position(position, plain, plain, AnalysisBudget(max_worlds=2_000))
        )
    assert n_decided >= n // 4


@pytest.mark.parametrize("n", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_endgame_analysis_with_a_die_agrees_with_enumeration(strategy_files, monkeypatch, n):
    monkeypatch.setattr(world_sampling, "_load_hand_weights", lambda: np.zeros(N_HAND_WEIGHTS))
    plain, late = strategy_files
    for pair in find_late_positions(late, DIE_VARIANT, [ACTION_OFFER, ACTION_ACCEPT], n):
        position = reveal_opponent(*pair)
        analysis = analyse_position(position, plain, plain, AnalysisBudget(max_worlds=1_000))
        assert_analysis_is_exact(position, analysis)
        assert len(analysis.best_indices) < len(position.actions)


@pytest.mark.parametrize("variant", SOLO_VARIANTS)
def test_solitaire_endgame_analysis_agrees_with_enumeration(strategy_files, variant):
    rng = np.random.default_rng(8)
    for _ in range(2):
        position = make_solo_endgame(variant, rng)
        assert_analysis_is_exact(
            position,
            analyse_position(position, strategy_files[0], None, AnalysisBudget(max_worlds=2_000)),
        )
