"""The die in analyses: described, played out by the slow twin, and what a standing is worth."""

from itertools import combinations, permutations, product

import numpy as np
import pytest

from oracles import twin
from simgin.analysis import worlds as drawing
from simgin.analysis.analysis import Effort, analyse
from simgin.analysis.equity import find_equity
from simgin.analysis.kernels import fill_deals, fill_game
from simgin.analysis.position import Position, PositionError, positions_in
from simgin.analysis.worlds import Drawing, draw_worlds
from simgin.analysis.written import Die, read_position
from simgin.core.cards import PACK
from simgin.core.position import ACCEPT, OFFER, REFUSE
from simgin.core.rules import UPCARD_STOCK_OR_PASS
from simgin.core.view import FIELDS
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import compiler, loader
from simgin.text.notation import card_text, cards_in, hand_mask, hand_text, parse_card
from simgin.toolkit.worlds import ALL
from support.hands import game

# As a player describes it

ASKED = ("legal", "least", "best", "noise", "ending", "ending_card", "ending_count")
SEEN = [name for name, _ in FIELDS if name not in (*ASKED, "seat", "dealer", "owner", "deal")]
BOLD = "gold+offer=strong:count=50,turn=20,blind=yes+answer=brave:count=60"
GAMES = (
    "dice",
    "dice-pro",
    "dice+die_centre_in_play=yes",
    "dice+die_centre_in_play=yes+first_turn=free",
    "dice+die_centre_in_play=yes+first_turn=discard_first",
    "dice+die_centre_in_play=yes+first_turn=upcard_stock_or_pass",
)


def told(position):
    """What a player would tell of a position: cards, pile, and the options."""
    view = position.view
    words = [] if view.upcard < 0 else [card_text(int(view.upcard))]
    for _, source, _, thrown in view.history[: view.turns]:
        words[-1:] = [words[-1] + "*"] if source == 1 else words[-1:]
        words.append(card_text(int(thrown)))
    words[-1:] = [words[-1] + "*"] if view.taken >= 0 else words[-1:]
    last = [int(card) for card in (view.drawn, view.taken) if card >= 0]
    hand = int(view.hand) & ~hand_mask(last)
    cards = f"{hand_text(hand)} {' '.join(map(card_text, last))}"
    owner = "nobody"
    if view.owner >= 0:
        owner = "me" if view.owner == view.seat else "other"
    offer = position.is_about_die and not view.offered
    die = Die(int(view.stake), owner, offer, int(view.offered))
    dealer = "me" if view.dealer == view.seat else "other"
    return cards if view.hand else "blind", " ".join(words), die, dealer


@pytest.mark.parametrize("name", GAMES)
def test_a_position_with_a_die_written_down_is_the_one_that_was_seen(name):
    matchup = parse_matchup(BOLD, BOLD.replace("50", "30"), name, 11, "deal")
    first_turn = build_rules(matchup.variant).first_turn
    about_die = 0
    for unit in range(12):
        for position in positions_in(watch_deal(matchup, unit, unit % 2)):
            view = position.view
            after_passes = view.turns == 0 and view.taken_offer >= 0 and view.phase == 1
            if after_passes and "free" not in name:
                continue  # the pile does not show the passes
            cards, pile, die, dealer = told(position)
            mine = read_position(cards, pile, matchup.variant, dealer=dealer, die=die)
            expected = {n: int(view[n]) for n in SEEN}
            found = {n: int(mine.view[n]) for n in SEEN}
            if first_turn == UPCARD_STOCK_OR_PASS and view.upcard >= 0:
                expected["shed"] |= found["shed"] & 1 << int(view.upcard)
            assert found == expected, (cards, pile, die)
            assert mine.actions == position.actions
            assert mine.place == position.place
            about_die += position.is_about_die
    assert about_die > 20


TEN = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
NO_DIE = "has no die: leave out its stake"
IMPOSSIBLE = {
    "no die": ("standard", TEN, "QD TS", Die(2, "me"), NO_DIE),
    "no die, alone": ("solitary-gin", TEN, "QD", Die(offer=True), NO_DIE),
    "above the cap": ("dice", TEN, "QD TS", Die(7, "me"), "the die shows 1 to 6, not 7"),
    "another cap": ("dice+die_cap=4", TEN, "QD TS", Die(5, "me"), "the die shows 1 to 4, not 5"),
    "an owner of 1": ("dice", TEN, "QD TS", Die(1, "me"), "a die that shows 1 belongs to nobody"),
    "no owner of 2": ("dice", TEN, "QD TS", Die(2), "name its owner"),
    "no such owner": ("dice", TEN, "QD TS", Die(2, "us"), "'us' owns no die"),
    "not mine": ("dice", TEN, "QD TS", Die(2, "other", offer=True), "the opponent owns the die"),
    "not theirs": ("dice", TEN, "QD", Die(2, "me", offered=4), "you own the die"),
    "too little": ("dice", TEN, "QD", Die(4, "other", offered=3), "3 cannot be offered"),
    "too much": ("dice", TEN, "QD", Die(4, "other", offered=7), "7 cannot be offered"),
    "no higher": ("dice", TEN, "QD TS", Die(6, "me", offer=True), "cannot be raised"),
    "both": ("dice", TEN, "QD", Die(2, "me", True, 3), "decide about one"),
    "in the centre": ("dice", TEN, "QD TS", Die(offer=True), "only before the cards are seen"),
    "eleven": ("dice", f"{TEN} 2C", "QD TS", Die(2, "me", offer=True), "before the draw"),
    "nothing": ("dice", "blind", "", Die(), "only the die is decided about"),
    "blind pile": ("dice", "blind", "QD", Die(offer=True), "there is no pile"),
    "blind stake": ("dice", "blind", "", Die(2, "me", offer=True), "shows 1 when a deal begins"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_die_that_cannot_be_is_refused_in_a_sentence(name):
    variant, cards, pile, die, words = IMPOSSIBLE[name]
    with pytest.raises(PositionError, match=words) as caught:
        read_position(cards, pile, variants.find(variant), die=die)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("pays", "won"), [("old", 2), ("new", 5)])
def test_refusing_has_an_exact_worth(pays, won):
    variant = variants.find(f"dice+die_refusal_pays={pays}")
    die = Die(2, "other", offered=5)
    position = read_position(TEN, "QD", variant, score=(3, 1), die=die)
    found = analyse(position, "dice-player", "dice-player", Effort(worlds=400))
    row = found.frame().set_index("action").loc["refuse 5"]
    assert row["deals"] == -won
    assert row["deals_se"] == row["match_se"] == row["win"] == 0
    after = find_equity(variant).table[3, 1 + won, 1]  # the winner deals
    assert row["match"] == pytest.approx(100 * after)


@pytest.mark.parametrize("pile", ["QD TS 9D", "QD ? 9D"])
@pytest.mark.parametrize("count", [15, 30])
def test_only_hands_with_which_the_opponent_would_offer_count(count, pile):
    variant = variants.find("dice")
    die = Die(2, "other", offered=3)
    view = read_position(TEN, pile, variant, die=die).view
    rules, row = game("dice")
    against = f"gold+offer=strong:count={count},turn=9"
    matchup = parse_matchup("gold", against, "dice", 4, "deal")
    drawing = Drawing(matchup, view)
    every = draw_worlds(view, rules, 400, 9)
    share = np.mean([twin.deadwood(names(hand), row) <= count for hand in every.hands])
    assert drawing.numbers == (3,)
    assert abs(drawing.share - share) < 5 * np.sqrt(share * (1 - share) * (1 / 400 + 1 / 500))
    worlds = drawing.worlds(60, 0)
    held = [twin.deadwood(names(hand), row) for hand in worlds.hands]
    assert max(held) <= count
    views = worlds.views_of(view)
    for i, (hand, stock) in enumerate(zip(worlds.hands, worlds.stocks, strict=True)):
        seen = views[i % len(views)]
        hidden = sum(1 << int(card) for card in stock)
        assert int(seen.hand) | int(seen.pile) | int(hand) | hidden == PACK


def test_an_offer_that_was_not_to_be_expected_tells_nothing():
    die = Die(2, "other", offered=3)
    view = read_position(TEN, "QD TS 9D", variants.find("dice"), die=die).view
    silent = parse_matchup("gold", "gold", "dice", 4, "deal")
    other = parse_matchup("gold", "gold+offer=strong:count=99,turn=1", "dice", 4, "deal")
    higher = read_position(TEN, "QD", variants.find("dice"), die=Die(2, "other", offered=5)).view
    assert Drawing(silent, view).numbers == ()
    assert Drawing(other, higher).numbers == (1, 2, 3, 4, 5, 6)


# Played out by the twin

LATE = '''
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
PLAIN = '''
from simgin.strategy import Strategy, answer, discard, knock, offer, take
from simgin.toolkit import count_after, lowest, take_if

@take
def lower(view, rules, params):
    return take_if(count_after(view.hand, view.taken_offer, rules) < view.count, view.legal)

@discard
def first_of_the_best(view, rules, params):
    return lowest(view.best)

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
VARIANT = "dice+die_centre_in_play=yes"
HELD = 8  # cards of the opponent that the player is told of


@pytest.fixture(scope="module")
def players(tmp_path_factory):
    folder = tmp_path_factory.mktemp("players")
    paths = []
    for name, text in (("late", LATE), ("plain", PLAIN)):
        path = folder / f"{name}.py"
        path.write_text(text)
        paths.append(str(path))
    return paths


def late_positions(late, n):
    """Offers and answers with three cards in the stock, most of the opponent's hand told."""
    matchup = parse_matchup(late, late, VARIANT, 21, "deal")
    found = {OFFER: [], ACCEPT: []}
    for unit in range(300):
        deal = watch_deal(matchup, unit)
        for position in positions_in(deal):
            kind = position.actions[0].kind
            if kind in found and position.view.stock == 3 and len(found[kind]) < n:
                found[kind].append(with_known(position, deal))
                break
    assert all(len(positions) == n for positions in found.values())
    return found[OFFER] + found[ACCEPT]


def with_known(position, deal):
    """The position, with most cards that the opponent holds told to the player."""
    view = position.view.copy()
    opponent = 1 - int(view.seat)
    hand = deal.hands[opponent]
    for seat, _, card, thrown in deal.turns[: int(view.turns)]:
        if seat == opponent:
            hand = (hand | 1 << card) & ~(1 << thrown)
    free = cards_in(hand)
    view.known = hand_mask(free[:HELD])
    view.unseen = int(view.unseen | position.view.known) & ~int(view.known)
    return Position(position.variant, view, position.actions, False)


def names(mask):
    return [card_text(card) for card in cards_in(int(mask))]


def begun(row, view, hidden, stock):
    """The twin's deal at a question about the die, with the hidden cards as given."""
    deal = twin.Deal(row, twin.PACK, dealer=int(view.dealer))
    seat = int(view.seat)
    deal.hands[seat] = names(view.hand)
    deal.hands[1 - seat] = [*names(view.known), *hidden]
    deal.stock = list(stock)
    last = card_text(int(view.history[view.turns - 1, 3]))
    deal.pile = [*(card for card in names(view.pile) if card != last), last]
    deal.turns = int(view.turns)
    deal._blind, deal._seen, deal._after_offer = [], True, "draw"
    deal.die.stake = int(view.stake)
    deal.die.owner = None if view.owner < 0 else int(view.owner)
    deal._mover, deal._phase = seat, "offer"
    if view.offered:
        deal.die.offered = (1 - seat, int(view.offered))
        deal._phase = "answer"
    return deal


def do(deal, action):
    words = {ACCEPT: ("accept",), REFUSE: ("refuse",), OFFER: ("offer", action.card)}
    deal.act(words[action.kind] if action.card else ("no offer",))


def play_on(row, deal):
    """Play on as `plain` does."""
    while deal.result is None:
        hand = deal.hands[deal.to_move]
        options = deal.options()
        count = twin.deadwood(hand, row)
        if ("no offer",) in options:
            number = min(row["die_cap"], deal.die.stake + 2)
            deal.act(("offer", number) if count <= 30 else ("no offer",))
        elif ("accept",) in options:
            deal.act(("accept",) if count <= 45 else ("refuse",))
        elif ("stock",) in options:
            offered = deal.pile[-1]
            after = [
                twin.deadwood([*(c for c in hand if c != away), offered], row) for away in hand
            ]
            deal.act(("take",) if min(after) < count else ("stock",))
        else:
            left = {}
            for option in options:
                if option[0] == "throw":
                    left[option[1]] = twin.deadwood([c for c in hand if c != option[1]], row)
            card = next(c for c in sorted(left, key=parse_card) if left[c] == min(left.values()))
            ends = [option for option in options if option[:2] == ("end", card)]
            deal.act(ends[0] if ends else ("throw", card))
    return deal.result


def exact(position, row):
    """The mean of won deals of every action over all hands and orders of the stock.

    For an answer: over hands with which `plain` offers.
    """
    view = position.view
    unseen = names(view.unseen)
    totals = np.zeros(len(position.actions))
    worlds = 0
    for hidden in combinations(unseen, 10 - len(names(view.known))):
        rest = [card for card in unseen if card not in hidden]
        if view.offered and twin.deadwood([*names(view.known), *hidden], row) > 30:
            continue  # `plain` would not have offered anything
        for stock in permutations(rest):
            worlds += 1
            for i, action in enumerate(position.actions):
                deal = begun(row, view, hidden, stock)
                do(deal, action)
                result = play_on(row, deal)
                won = result.stake if result.kind == "refused" else deal.die.stake
                sign = 0 if result.winner is None else 1 - 2 * (result.winner != view.seat)
                totals[i] += sign * won
    return totals / worlds


def test_the_analysis_of_an_endgame_with_a_die_is_exact_within_its_error(players, monkeypatch):
    monkeypatch.setattr(drawing, "_numbers", lambda: np.zeros(ALL))
    late, plain = players
    row = game(VARIANT)[1]
    decided = 0
    for position in late_positions(late, 2):
        found = analyse(position, plain, plain, Effort(worlds=1_000))
        deals = exact(position, row)
        for place, (_, line) in zip(found.order, found.frame().iterrows(), strict=True):
            action = position.text(position.actions[place])
            cost = deals[found.order[0]] - deals[place]
            assert abs(line["deals"] - deals[place]) <= 4 * line["deals_se"] + 1e-9, action
            assert line["low"] - 1e-9 <= cost <= line["high"] + 1e-9, action
        assert deals[found.best].max() == pytest.approx(deals.max())
        decided += len(found.best) < len(position.actions)
    assert decided >= 2


# What a standing is worth

LOSER_NEXT, WINNER_NEXT = np.array([[1, 0, 0], [1, 0, 1]]), np.array([[0, 1, 0], [0, 1, 1]])


def test_v_with_the_die_is_that_of_the_stake_policies_where_players_are_equal():
    policy = loader.find("dice-player").policy("offer")
    numbers = compiler.vector(policy)[-2 * 21 * 21 :].reshape(2, 21, 21)
    share = np.zeros((2, 3, 2))
    share[:, :2, 1] = 0.5
    goal = 7
    table = np.zeros((goal + 1, goal + 1, 2))
    table[goal] = 1
    fill_deals(table, share, WINNER_NEXT, 6, False)
    for a, b in product(range(goal), repeat=2):
        needed = goal - 1 - a, goal - 1 - b
        assert table[a, b, 0] == pytest.approx(numbers[1][needed], abs=1e-5)
        assert table[a, b, 1] == pytest.approx(numbers[0][needed], abs=1e-5)


def offered_blind(worth, refused, dealer, stake, owner, cap):
    """What is best before the cards are seen: worth(number, owner), refused(seat) to seat 0."""
    value = worth(stake, owner)
    for seat in (dealer, 1 - dealer):
        if owner in (None, seat):
            pick = max if seat == 0 else min
            reply = min if seat == 0 else max
            for number in range(stake + 1, cap + 1):
                answered = reply(worth(number, 1 - seat), refused(seat))
                value = pick(value, answered)
    return value


@pytest.mark.parametrize("after", [LOSER_NEXT, WINNER_NEXT])
def test_what_a_game_is_worth_against_plain_iteration_over_all_standings(after):
    goal, cap, games = 5, 3, np.array([4, 3, 2, 1, 1])
    lots = np.random.default_rng(3)
    share = lots.random((2, 3, 4))
    share[:, 2, 1:] = 0
    share /= share.sum(axis=(1, 2), keepdims=True)
    owners = (None, 0, 1)
    states = list(product(range(goal), range(goal), (0, 1), range(1, cap + 1), owners))
    value = dict.fromkeys(states, 0.0)

    def played(a, b, dealer, stake, owner):
        total = 0.0
        for winner, points in product(range(3), range(4)):
            x = a + points * (winner == 0)
            y = b + points * (winner == 1)
            if x >= goal:
                worth = stake * games[b]
            elif y >= goal:
                worth = -stake * games[a]
            else:
                worth = value[x, y, after[dealer, winner], stake, owner]
            total += share[dealer, winner, points] * worth
        return total

    for _ in range(60):
        for a, b, dealer, stake, owner in states:
            value[a, b, dealer, stake, owner] = offered_blind(
                lambda n, o, at=(a, b, dealer): played(*at, n, o),
                lambda seat, n=stake: n if seat == 0 else -n,
                dealer,
                stake,
                owner,
                cap,
            )
    table = np.zeros((goal, goal, 2, cap + 1, 3))
    fill_game(table, share, games, after, cap, False)
    for a, b, dealer, stake, owner in states:
        place = 0 if owner is None else owner + 1
        assert table[a, b, dealer, stake, place] == pytest.approx(
            value[a, b, dealer, stake, owner], abs=1e-9
        )
