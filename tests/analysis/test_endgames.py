"""Compare analyses of small endgames with exact values of the reference implementation."""

from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest

from oracles import reference
from oracles.reference.solo import JOKER, SoloDeal
from simgin.analysis import world_sampling
from simgin.analysis.analysis import Budget, analyse_position
from simgin.analysis.decision_evaluator import _find_hidden_hand
from simgin.analysis.position import Position, find_decisions
from simgin.analysis.position_text import parse_position
from simgin.core.position_rollouts import ACTION_ACCEPT, ACTION_DISCARD, ACTION_OFFER, ACTION_REFUSE
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.text.notation import cards_to_mask, format_card, mask_to_cards, parse_card
from simgin.toolkit.hand_sampling import N_HAND_WEIGHTS
from support.hands import game, names

SOLO_VARIANTS = [name for name in variants.variant_names() if variants.find_variant(name).is_solo]
WITH_DIE = "dice+die_centre_in_play=yes"
N_KNOWN_CARDS = 8  # cards of the opponent that the player knows
N_STOCK_CARDS = 3  # cards left: one of them may still be drawn
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
def players(tmp_path_factory):
    """Write the files of `plain` and `late`."""
    folder = tmp_path_factory.mktemp("players")
    for name, text in (("plain", PLAIN_STRATEGY_CODE), ("late", LATE_OFFERS_CODE)):
        (folder / f"{name}.py").write_text(text)
    return str(folder / "plain.py"), str(folder / "late.py")


@cache
def count_deadwood(hand, name):
    return reference.compute_deadwood(sorted(hand), game(name)[1])


def play_as_plain(name, deal):
    """Play like `plain`: take cards that lower deadwood, minimise deadwood, and end deals early."""
    cap = game(name)[1]["die_cap"]
    while deal.result is None:
        hand = deal.hands[deal.to_move]
        options = deal.options()
        held = count_deadwood(frozenset(hand), name)
        ends = [option for option in options if option[0] == "end"]
        if ("no offer",) in options:
            number = min(cap or 0, deal.die.stake + 2)
            deal.act(("offer", number) if held <= 30 else ("no offer",))
        elif ("accept",) in options:
            deal.act(("accept",) if held <= 45 else ("refuse",))
        elif ("take",) in options:
            eleven = {*hand, deal.pile[-1]}
            after = min(count_deadwood(frozenset(eleven - {away}), name) for away in hand)
            deal.act(("take",) if after < held else ("stock",))
        elif isinstance(deal, SoloDeal) and ends:
            deal.act(ends[0])
        elif ("stock",) in options:
            deal.act(("stock",))
        else:
            thrown = [option[1] for option in options if option[0] == "throw"]
            deadwood_left = {
                card: count_deadwood(frozenset(hand) - {card}, name) for card in thrown
            }
            card = min(deadwood_left, key=lambda card: (deadwood_left[card], parse_card(card)))
            own = [option for option in ends if option[1] == card]
            deal.act(own[0] if own else ("throw", card))
    return deal.result


def reference_deal(position, hidden, stock):
    """Return the reference deal at a two-player position, with the given hidden cards."""
    view = position.view
    seat = int(view.seat)
    deal = reference.Deal(game(position.variant.spec)[1], reference.PACK, dealer=int(view.dealer))
    deal.hands[seat] = names(int(view.hand))
    deal.hands[1 - seat] = [*names(int(view.known)), *hidden]
    deal.stock = list(stock)
    last = format_card(int(view.history[view.turns - 1, 3]))
    deal.pile = sorted(names(int(view.pile)), key=lambda card: card == last)  # on top if it exists
    deal.turns = int(view.turns)
    deal._mover, deal._phase = seat, "discard"
    deal._drawn = format_card(int(view.drawn)) if view.drawn >= 0 else None
    deal._taken = format_card(int(view.taken)) if view.taken >= 0 else None
    if position.is_about_die:
        deal._blind, deal._seen, deal._after_offer, deal._phase = [], True, "draw", "offer"
        deal.die.stake = int(view.stake)
        deal.die.owner = None if view.owner < 0 else int(view.owner)
        if view.offered:
            deal.die.offered, deal._phase = (1 - seat, int(view.offered)), "answer"
    return deal


def reference_deal_solo(position, deck):
    """Return the reference deal at a solitaire position, with the given deck."""
    view = position.view
    row = game(position.variant.spec)[1]
    deal = SoloDeal(row, reference.PACK, None if row["joker"] == "none" else 20)
    deal.result = None
    deal.hands = [names(int(view.hand))]
    deal.deck = list(deck)
    deal.discards = names(int(view.pile))
    deal.turns = int(view.turns)
    deal.draws = int(view.own_turn) - (row["first_turn"] == "discard_first")
    deal._drawn = format_card(int(view.drawn))
    return deal


def apply_action(deal, action):
    """Carry out an action in a deal of the reference implementation."""
    words = {
        ACTION_ACCEPT: ("accept",),
        ACTION_REFUSE: ("refuse",),
        ACTION_OFFER: ("offer", action.card),
    }
    card = format_card(action.card) if action.card >= 0 else None
    if action.kind in words:
        deal.act(words[action.kind] if action.card else ("no offer",))
    elif action.kind == ACTION_DISCARD:
        deal.act(("throw", card))
    elif not isinstance(deal, SoloDeal):
        deal.act(next(option for option in deal.options() if option[:2] == ("end", card)))
    elif card is None:
        deal.act(("end", None, "big_gin"))
    else:
        deal.act(("throw", card))
        if deal.result is None:
            deal.act(("end", None, "gin"))


def reference_worlds(position):
    """Yield the reference deal of every world; only the next card of the stock is drawn."""
    view = position.view
    name = position.variant.spec
    unseen = names(int(view.unseen))
    if view.deck_left >= 0:
        row = game(name)[1]
        to_come = [*unseen, JOKER]
        length = None
        if row["joker"] == "none":
            to_come, length = unseen, row["max_draws"] - int(view.own_turn)
        for deck in permutations(to_come, length):
            yield lambda deck=deck: reference_deal_solo(position, deck)
        return
    for hidden in combinations(unseen, 10 - int(view.known).bit_count()):
        offers = count_deadwood(frozenset([*names(int(view.known)), *hidden]), name) <= 30
        if view.offered and not offers:
            continue  # `plain` never makes an offer
        rest = [card for card in unseen if card not in hidden]
        for card in rest:
            stock = [card, *(other for other in rest if other != card)][: int(view.stock)]
            yield lambda hidden=hidden, stock=stock: reference_deal(position, hidden, stock)


def exact_values(position):
    """Return the mean value and the win rate of every action over all worlds."""
    row = position.variant.params
    seat = int(position.view.seat)
    worth, wins = np.zeros((2, len(position.actions)))
    worlds = list(reference_worlds(position))
    for begun in worlds:
        for i, action in enumerate(position.actions):
            deal = begun()
            apply_action(deal, action)
            result = deal.result or play_as_plain(position.variant.spec, deal)
            own, other = result.points[seat], result.points[1 - seat]
            wins[i] += result.winner == seat
            if row["die"] == "off":
                worth[i] += -own if row["deal_scoring"] == "penalty" else own - other
            elif result.winner is not None:
                stake = result.stake if result.kind == "refused" else deal.die.stake
                worth[i] += stake if result.winner == seat else -stake
    return worth / len(worlds), wins / len(worlds)


def check_analysis(position, found):
    """Compare an analysis with exact values, and return True if it found one action best."""
    worth, wins = exact_values(position)
    counted = 100 * wins if found.measure == "win" else worth
    name = "deals" if found.measure == "deals" else "points"
    for place, (_, line) in zip(found.ranking, found.frame().iterrows(), strict=True):
        action = position.format_action(position.actions[place])
        assert line["action"] == action
        cost = counted[found.ranking[0]] - counted[place]
        assert abs(line[name] - worth[place]) <= 4 * line[f"{name}_se"] + 1e-9, action
        assert abs(line["win"] - wins[place]) <= 4 * line["win_se"] + 1e-9, action
        assert line["low"] - 1e-9 <= cost <= line["high"] + 1e-9, action
    assert counted[found.best_indices].max() == pytest.approx(counted.max())
    return len(found.best_indices) == 1


def reveal_opponent(position, deal, forget=False):
    """Return the position with most of the opponent's hand known, and a discard forgotten."""
    view = position.view.copy()
    hidden = mask_to_cards(_find_hidden_hand(deal, view))
    unseen = int(view.unseen | view.known)
    view.known = cards_to_mask(hidden[:N_KNOWN_CARDS])
    view.unseen = unseen & ~int(view.known)
    for turn in range(int(view.turns) - 1 if forget else 0):
        seat, _, _, card = map(int, view.history[turn])
        if seat != view.seat and view.pile >> card & 1:
            view.history[turn, 3] = -1
            view.pile, view.shed = int(view.pile) & ~(1 << card), int(view.shed) & ~(1 << card)
            view.unseen = int(view.unseen) | 1 << card
            break
    return Position(position.variant, view, position.actions)


def find_late_positions(players, variant, kinds, n):
    """Return n positions with few cards in the stock for each type of decision."""
    matchup = parse_matchup(players, players, variant, 21, "deal")
    found = {kind: [] for kind in kinds}
    for unit in range(300):
        deal = trace_deal(matchup, unit)
        for position in find_decisions(deal):
            kind = position.actions[0].kind
            late = position.view.stock == N_STOCK_CARDS and len(position.actions) > 1
            if late and len(found.get(kind, [None] * n)) < n:
                found[kind].append((position, deal))
                break
    assert all(len(positions) == n for positions in found.values())
    return [pair for positions in found.values() for pair in positions]


def make_solo_endgame(name, rng, n_left=3):
    """Return a solitaire position with few cards left, in which gin or a low count is near."""
    variant = variants.find_variant(name)
    melds, fitting = "4S 5S 6S 8H 8D 8C JH QH".split(), "3S 8S KH".split()
    free = [format_card(card) for card in rng.permutation(52)]
    free = [card for card in free if card not in (*melds, *fitting)]
    has_clock = variant.params["max_draws"] is not None
    turns = variant.params["max_draws"] - 2 if has_clock else len(free) - 3 + len(fitting) - n_left
    return parse_position(" ".join([*melds, *free[:3]]), " ".join(free[3 : 3 + turns]), variant)


@pytest.mark.parametrize("n", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_the_analysis_of_an_endgame_is_exact_within_its_error(players, monkeypatch, n):
    monkeypatch.setattr(world_sampling, "_load_hand_weights", lambda: np.zeros(N_HAND_WEIGHTS))
    plain, _ = players
    decided = 0
    for i, pair in enumerate(find_late_positions("gin-only", "standard", [ACTION_DISCARD], n)):
        position = reveal_opponent(*pair, forget=i % 2 == 1)
        decided += check_analysis(
            position, analyse_position(position, plain, plain, Budget(worlds=2_000))
        )
    assert decided >= n // 4


@pytest.mark.parametrize("n", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_the_analysis_of_an_endgame_with_a_die_is_exact_within_its_error(players, monkeypatch, n):
    monkeypatch.setattr(world_sampling, "_load_hand_weights", lambda: np.zeros(N_HAND_WEIGHTS))
    plain, late = players
    for pair in find_late_positions(late, WITH_DIE, [ACTION_OFFER, ACTION_ACCEPT], n):
        position = reveal_opponent(*pair)
        found = analyse_position(position, plain, plain, Budget(worlds=1_000))
        check_analysis(position, found)
        assert len(found.best_indices) < len(position.actions)


@pytest.mark.parametrize("name", SOLO_VARIANTS)
def test_the_analysis_of_a_solitaire_endgame_is_exact_within_its_error(players, name):
    rng = np.random.default_rng(8)
    for _ in range(2):
        position = make_solo_endgame(name, rng)
        check_analysis(position, analyse_position(position, players[0], None, Budget(worlds=2_000)))
