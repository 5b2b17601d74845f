"""Compare bots with slow references, constructed positions and OpenSpiel's bot."""

import math
import random

import pytest

from oracles import reference
from simgin.core import batch_columns
from simgin.play.matchup import parse_matchup
from simgin.runs import runner
from simgin.text import notation
from support.hands import PACK, members
from support.policy_queries import (
    ROW,
    TRIPLES,
    cards,
    count_deadwood,
    mask,
    query_policy,
    random_view,
    view,
)

BOTS = (
    *("stock-greedy", "rlcard-novice", "openspiel-simple", "jdh8-heuristic", "hitscore"),
    *("ga-conv", "hein", "mishra-uniform"),
)
VALUE = reference.get_card_values(ROW)


def value(card: int) -> int:
    return VALUE[notation.format_card(card)]


def views(seed: int, n: int, size: int = 11) -> list:
    rng = random.Random(seed)
    return [random_view(rng, size, rich=i % 3 == 0, known=i % 4) for i in range(n)]


def left(seen) -> dict[int, int]:
    return {card: count_deadwood(seen.hand & ~(1 << card)) for card in members(seen.legal)}


def best(scores: dict[int, float]) -> set[int]:
    least = min(scores.values())
    return {card for card, score in scores.items() if score <= least + 1e-9}


def unmatched_sets(hand: int) -> set[frozenset[str]]:
    """Return the unmatched cards of each best melding."""
    held = frozenset(cards(hand))
    return {
        held.difference(*melding) for melding in reference.find_optimal_meldings(cards(hand), ROW)
    }


# rlcard-novice, openspiel-simple


def loose_in_some(seen) -> set[int]:
    loose = {notation.parse_card(c) for one in unmatched_sets(seen.hand) for c in one}
    return loose & set(members(seen.legal))


def test_novice_ends_the_deal_when_it_can_and_else_keeps_least_deadwood():
    kinds = {"gin": 0, "knock": 0, "none": 0}
    for seen in views(3, 160):
        deadwood = left(seen)
        least = min(deadwood.values())
        kind = "gin" if least == 0 else "knock" if least <= 10 else "none"
        kinds[kind] += 1
        most = 10 if kind == "knock" else least
        expected = {card for card, d in deadwood.items() if d <= most}
        found = set()
        for seen.noise in random.Random(4).sample(range(2**53), 60):
            found.add(query_policy("discard", "novice", seen))
        assert found == expected if len(expected) < 5 else found <= expected
    assert kinds["knock"] >= 10 and kinds["none"] > 60


def test_novice_discards_the_costliest_unmatched_card_as_its_source_states():
    """Return True if a card is unmatched in some best melding of all eleven cards."""
    for seen in views(5, 120):
        if min(left(seen).values()) <= 10:
            continue
        loose = loose_in_some(seen)
        dearest = max((value(card) for card in loose), default=0)
        thrown = query_policy("discard", "novice", seen, reading="dearest")
        assert thrown in {card for card in loose if value(card) == dearest}


def test_openspiel_discards_the_highest_unmatched_card_of_eleven():
    for seen in views(6, 150):
        loose = loose_in_some(seen)
        thrown = query_policy("discard", "loose-rank", seen)
        if loose:
            assert thrown in loose and thrown % 13 == max(card % 13 for card in loose)
        else:
            assert thrown in best(left(seen))


def test_openspiel_simple_decides_as_openspiels_bot():
    """If several meldings are best, the bot uses the first one and may differ."""
    spiel = pytest.importorskip("pyspiel", reason="pip install 'simgin[oracle]'")
    from oracles import openspiel

    table = spiel.load_game("gin_rummy")
    alike, different, rng = 0, 0, random.Random(7)
    for _ in range(40):
        bots = [spiel.make_simple_gin_rummy_bot(table.get_parameters(), seat) for seat in (0, 1)]
        state = table.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
                continue
            seat, phase = state.current_player(), str(state.current_phase()).rpartition(".")[2]
            hand = openspiel.to_mask(state.hands()[seat])
            upcard = state.upcard()
            action = bots[seat].step(state)
            if phase == "DISCARD" and action < 52:
                options = len(unmatched_sets(hand)) == 1
                thrown = query_policy("discard", "loose-rank", view(hand=hand, legal=hand))
                same = thrown % 13 == openspiel.convert_card(action) % 13  # the suit is random
            elif phase in ("FIRST_UPCARD", "SECOND_UPCARD", "DRAW"):
                offered = openspiel.convert_card(upcard)
                options = len(unmatched_sets(hand | 1 << offered)) == 1
                seen = view(hand=hand, taken_offer=offered, legal=3, count=count_deadwood(hand))
                takes = action == spiel.gin_rummy.DRAW_UPCARD_ACTION
                same = query_policy("take", "knock-or-meld", seen) == takes
            else:
                state.apply_action(action)
                continue
            alike, different = alike + same, different + (not same)
            assert same or not options, (phase, cards(hand), action)
            state.apply_action(action)
    assert alike > 500 and different < alike / 50


# hitscore, ga-conv's take


def test_hitscore_keeps_hits_among_discards_of_least_deadwood():
    ties = 0
    for seen in views(12, 100):
        hits = {}
        for card in best(left(seen)):
            ten, unseen = cards(seen.hand & ~(1 << card)), cards(seen.unseen)
            melds = {c: reference.find_melds([*ten, c], ROW) for c in unseen}
            hits[card] = -sum(any(c in meld for meld in melds[c]) for c in unseen)
        ties += len(set(hits.values())) > 1
        assert query_policy("discard", "low-hits", seen) in best(hits)
    assert ties > 10


def test_ga_conv_does_not_take_back_its_own_discard():
    """The 7C lowers the deadwood, no matter who discarded it."""
    hand, seven = mask("AS 2S 3S 5H 5D 5C 8C 9C KD 2H"), notation.parse_card("7C")
    for thrower, taken in ((0, 0), (1, 1)):
        seen = view(
            hand=hand, taken_offer=seven, legal=3, count=count_deadwood(hand), turns=1, seat=0
        )
        seen.history[0] = (thrower, 0, 3, seven)
        assert query_policy("take", "lower-new", seen) == taken
        seen.turns = 0
        assert query_policy("take", "lower-new", seen) == 1


def holding_probability(seen, card: int) -> float:
    """Return the probability that the opponent holds a card, uniform over unseen cards."""
    if seen.unseen >> card & 1:
        return (10 - int(seen.known).bit_count()) / int(seen.unseen).bit_count()
    return float(seen.known >> card & 1)


def meld_probabilities(seen) -> tuple[set[str], dict[str, float]]:
    """Return the remaining cards and the probabilities of the opponent's melds with each."""
    here = {card: holding_probability(seen, card) for card in range(52)}
    held = dict.fromkeys(cards(seen.unseen | seen.known), 0.0)
    for triple in TRIPLES:
        if triple <= held.keys():
            for card in triple:
                held[card] += math.prod(here[notation.parse_card(c)] for c in triple)
    return set(held), held


def card_utility(card, loose, there, held, hurry):
    """Return the value that mishra's source gives an unmatched card."""

    def hope(missing):
        return max(0.0, 1 - sum(held[c] for c in missing))

    worth = hurry * (5 - VALUE[card]) + {"A": 0.2, "2": 0.1}.get(card[0], 0)
    for triple in TRIPLES:
        others = triple - {card}
        if len(others) == 3 or not others <= loose | there:
            continue
        ranks = sorted(reference.RANKS.index(c[0]) for c in triple)
        if ranks[0] == ranks[2]:
            continue
        if ranks[0] > 0 and reference.RANKS[ranks[0] - 1] + card[1] in loose:
            continue
        worth += hope(others & there) * (0.8 + 1.5 * len(others & loose))
    coming, mine = {c for c in there if c[0] == card[0]}, {c for c in loose if c[0] == card[0]}
    if len(coming) + len(mine) >= 3:
        worth += hope(coming) * len(coming) * (2.3 if len(mine) > 1 else 0.8)
    return worth


def utility(n, loose, there, held, hurry):
    """Return the utility of n cards, some of them unmatched."""
    if not loose:
        return n + 20
    mean = sum(card_utility(c, loose, there, held, hurry) for c in loose) / len(loose)
    return n - len(loose) + mean + (10 if sum(VALUE[c] for c in loose) <= 10 else 0)


def hurry(loose: set[str]) -> float:
    return 2.5 if sum(sorted(VALUE[c] for c in loose)[:-2]) <= 10 else 1


def test_mishra_compares_its_own_value_with_the_opponents():
    asked = 0
    for seen in views(9, 60):
        sets = unmatched_sets(seen.hand)
        options = {c for one in sets for c in one} & set(cards(seen.legal))
        if len(sets) > 1 or not options:
            continue
        asked += 1
        (loose,) = sets
        dearest = max(VALUE[c] for c in options)
        if sum(VALUE[c] for c in loose) - dearest <= 10:
            expected = {c for c in options if VALUE[c] == dearest}
        else:
            there, held = meld_probabilities(seen)
            scores = {}
            for card in options:
                his = 1.0
                for triple in TRIPLES:
                    if card in triple:
                        a, b = (
                            holding_probability(seen, notation.parse_card(c))
                            for c in triple - {card}
                        )
                        his *= 1 - a * b
                own = utility(10, set(loose) - {card}, there, held, hurry(loose))
                scores[card] = 0.77 * 1.45 * (1 - his) - own
            expected = best(scores)
        thrown = notation.format_card(query_policy("discard", "mishra", seen))
        assert thrown in expected, (cards(seen.hand), expected)
    assert asked > 20


def utility_after_discard(hand: int, legal: int, there: set[str], held: dict[str, float]) -> float:
    """Return the utility after the best discard, as the source does; prefers a knock."""
    loose = set(min(unmatched_sets(hand), key=sorted))
    options = loose & set(cards(legal))
    if not options:
        return 30
    dearest = max(options, key=VALUE.get)
    if sum(VALUE[c] for c in loose) - VALUE[dearest] <= 10:
        options = {dearest}
    return max(utility(10, loose - {c}, there, held, hurry(loose)) for c in options)


def test_mishra_takes_a_card_that_is_worth_more_than_a_draw():
    """It discards the card with the lowest value, so one action may differ."""
    alike = taken = asked = 0
    for seen in views(10, 24, size=10):
        seen.known &= 0 if asked % 2 else PACK
        offer = random.Random(asked).choice(members(seen.pile))
        seen.pile &= ~(1 << offer)
        seen.taken_offer, seen.legal, seen.count, seen.taken = (
            offer,
            3,
            count_deadwood(seen.hand),
            -1,
        )
        eleven = seen.hand | 1 << offer
        there, held = meld_probabilities(seen)
        wanted = count_deadwood(eleven) < seen.count + value(offer)
        if not wanted:
            drawn = []
            for u in members(seen.unseen):
                rest = there - {notation.format_card(u)}
                drawn.append(
                    utility_after_discard(seen.hand | 1 << u, seen.hand | 1 << u, rest, held)
                )
            wanted = utility_after_discard(eleven, seen.hand, there, held) >= sum(drawn) / len(
                drawn
            )
            taken += wanted
        asked += 1
        alike += query_policy("take", "mishra", seen) == wanted
    assert alike >= asked - 1 and taken >= 2


def test_belief_holds_back_against_a_low_opponent():
    """The opponent took seven cards of melds and has about 18 points in three unseen cards."""
    hand = mask("AS 2S 3S 5H 5D 5C 8D 9D TD 9H")
    known = mask("6C 7C 8C KS KH KD KC")
    seen = view(hand=hand, known=known, unseen=PACK & ~(hand | known), ending=1, ending_count=9)
    for seen.noise in random.Random(11).sample(range(2**53), 20):
        assert query_policy("knock", "belief", seen, opp=26) == 0
        assert query_policy("knock", "belief", seen, opp=12) == 1
        assert query_policy("knock", "belief", seen, opp=26, own=9) == 1
    seen.known, seen.unseen = 0, PACK & ~hand
    assert query_policy("knock", "belief", seen) == 1


# Play of whole matches


def sums_of_facts(a: str, b: str, unit: str, n: int, game: str = "eaai"):
    total = runner.run_matchup(parse_matchup(a, b, game, 2026, unit), n).sum(axis=0)
    return lambda name: int(total[batch_columns.COL_SUM + batch_columns.STATISTIC_INDEX[name]])


@pytest.mark.parametrize("bot", BOTS)
def test_no_bot_plays_forever(bot):
    """A bot that stalls in one of 1,000 deals passes once in e^8 runs."""
    fact = sums_of_facts(bot, bot, "deal", 8_000 if bot != "mishra-uniform" else 3_000)
    assert fact("stalled") == 0
    assert fact("decided") > 0.9 * fact("deals")


def won(fact) -> float:
    """Return the percentage of matches won, from a sum in which each win counts two."""
    return 50 * fact("a_match_win") / fact("matches")


@pytest.mark.parametrize(("other", "told", "error"), [("gold", 62.2, 0.38), ("simple", 59.5, 0.5)])
def test_jdh8_agrees_with_its_readme(other, told, error):
    """The tolerance of 3 SE gives one false alarm in 370 runs."""
    found = won(sums_of_facts("jdh8-heuristic", other, "match", 20_000))
    assert abs(found - told) < 3 * math.hypot(error, 0.3)
