"""Worlds drawn for a position: what they hold, and that they belong to their numbers."""

from collections import Counter

import numpy as np

from simgin.analysis.position import positions_in
from simgin.analysis.worlds import draw_worlds, hastiness
from simgin.core.cards import PACK
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.rules.record import build_rules
from simgin.strategy import loader
from simgin.text.notation import cards_in


def views(deals):
    matchup = parse_matchup("champion", "gold-early", "standard", 4, "deal")
    for unit in range(deals):
        for position in positions_in(watch_deal(matchup, unit)):
            yield position.view, build_rules(position.variant)


def test_a_world_deals_every_unseen_card_once_and_leaves_known_cards_where_they_are():
    for view, rules in views(6):
        worlds = draw_worlds(view, rules, 5, seed=2)
        for hand, stock in zip(worlds.hands, worlds.stocks, strict=True):
            assert int(hand).bit_count() == 10
            assert int(hand) & int(view.known) == int(view.known)
            hidden = sum(1 << int(card) for card in stock)
            assert len(stock) == view.stock
            assert int(hand) & hidden == 0
            assert int(view.hand) | int(view.pile) | int(hand) | hidden == PACK


def test_a_world_depends_on_its_number_alone():
    view, rules = list(views(1))[-1]
    whole = draw_worlds(view, rules, 10, seed=2)
    part = draw_worlds(view, rules, 4, seed=2, first=6)
    assert (whole.hands[6:] == part.hands).all()
    assert (whole.stocks[6:] == part.stocks).all()
    assert len(set(whole.hands.tolist())) > 1
    other = draw_worlds(view, rules, 10, seed=3)
    assert (whole.hands != other.hands).any()


def test_before_the_opponent_has_played_all_hands_are_as_likely():
    view, rules = next(iter(views(1)))
    worlds = draw_worlds(view, rules, 4_000, seed=5)
    held = Counter(card for hand in worlds.hands for card in cards_in(int(hand)))
    n = len(cards_in(int(view.unseen)))
    p = (10 - int(view.known).bit_count()) / n
    error = np.sqrt(4_000 * p * (1 - p))
    assert len(held) == n
    assert max(abs(count - 4_000 * p) for count in held.values()) < 4.5 * error


def test_hands_are_the_likelier_the_less_deadwood_they_have():
    from simgin.core.deadwood import deadwood

    late = [(view, rules) for view, rules in views(6) if view.turns > 8]
    likely, alike = [], []
    for view, rules in late:
        drawn = draw_worlds(view, rules, 50, seed=1)
        likely += [deadwood(int(hand), rules) for hand in drawn.hands]
        unseen = np.array(cards_in(int(view.unseen)))
        lots = np.random.default_rng(1)
        for _ in range(50):
            some = lots.permutation(unseen)[: 10 - int(view.known).bit_count()]
            hand = sum(1 << int(card) for card in some) | int(view.known)
            alike.append(deadwood(hand, rules))
    assert np.mean(likely) < np.mean(alike) - 15


def test_who_knocks_at_once_is_told_by_the_policy():
    assert hastiness(loader.find("simple")) == 1
    assert hastiness(loader.find("champion")) == 0
