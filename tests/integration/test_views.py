"""A policy's view depends on nothing its seat may not know (rules.md 9.2).

Two strategies play a deal. The opponent's answers become a script; hidden cards and the undrawn
stock change places so that every card the opponent shows is still there when needed; the deal is
played again. Every view of the other seat must be the same, byte for byte. What a view holds is
compared with the twin in oracles/test_deals_against_twin.py.
"""

import random

import numpy as np
import pytest

from simgin.core.view import VIEW
from simgin.play.matchup import Matchup
from simgin.play.watch import watch_deal
from simgin.rules import variants
from simgin.strategy import loader
from support.variant_lists import ONE_PLAYER, strategy

ROWS = (
    "standard-50th",
    "tedesco",
    "shot+start_points=34/12",
    "standard+first_turn=discard_first",
    "eaai+discard_ban=none",
)
DICE = ("dice", "dice-pro+first_turn=free+die_centre_in_play=yes+die_cap=4")
WATCHERS = ("gold", "simple", "random:p_end=0.1", "gold-early")
GAMBLERS = ("gambler", "stray")
NATURAL = "random:p=0.3+discard=low:tie=random+knock=never"  # the opponent who is scripted
PLACES = {"take": 0, "discard": 1, "offer": 2, "answer": 3}
READ = """
@{slot}(weights="script.npy")
def read_{slot}(view, rules, params):
    return int(params[(view.turns * 5 + view.phase) * 4 + {place}])
"""
SCRIPT = "from simgin.strategy import Strategy, answer, discard, knock, offer, take\n"
SCRIPT += "".join(READ.format(slot=slot, place=place) for slot, place in PLACES.items())
SCRIPT += """
@knock
def never(view, rules, params):
    return False
SLOTS = {"offer": read_offer, "answer": read_answer}
S = Strategy("scripted", take=read_take, discard=read_discard, knock=never, **SLOTS)
"""
LENGTH = 4 * 5 * 520


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """A strategy that answers from a script by turn and phase, without an end, and its path."""
    folder = tmp_path_factory.mktemp("scripted")
    (folder / "deal_script.py").write_text(SCRIPT)
    np.save(folder / "script.npy", np.zeros(LENGTH))
    return loader.find(str(folder / "deal_script.py")), folder / "script.npy"


def write_script(file, questions, seat):
    answers = np.zeros(LENGTH)
    for question in questions:
        if question.seat == seat and question.slot != "knock":
            view = question.view
            answers[(view.turns * 5 + view.phase) * 4 + PLACES[question.slot]] = question.answer
    np.save(file, answers)


def permuted(rng, pack, played, hidden_seat):
    """The pack with the cards moved that the other seat never sees; the rest are in time."""
    held, top = places_dealt(played, hidden_seat), 21
    free, kept = list(held), {}  # places with no card yet, and those whose card will be thrown
    not_the_drawn = played.matchup.variant.row["discard_ban"] == "drawn"
    for seat, source, _, thrown in played.turns:
        drawn = top if source == 0 else -1
        top += source == 0
        if seat == hidden_seat:
            if drawn >= 0:
                held.append(drawn)
                free.append(drawn)
            if thrown in [pack[place] for place in held] and thrown not in kept.values():
                place = rng.choice([x for x in free if not (not_the_drawn and x == drawn)])
                free.remove(place)
                kept[place] = thrown
    places = [*free, *range(top, 52)]
    cards = [pack[x] for x in (*held, *range(top, 52)) if pack[x] not in kept.values()]
    rng.shuffle(cards)
    new = list(pack)
    for place, card in [*kept.items(), *zip(places, cards, strict=True)]:
        new[place] = card
    assert sorted(new) == list(range(52))
    return new


def places_dealt(played, seat):
    """The places in the pack of a seat's first cards: dealt singly, nondealer first."""
    first = 1 - int(played.state.dealer)
    eleventh = [20] if seat == first and played.state.upcard < 0 else []
    return [*range(int(seat != first), 20, 2), *eleventh]


def seen_by(played, seat):
    """Everything a seat was shown and what it answered, field by field."""
    return [
        (question.slot, question.answer, *(question.view[name].tobytes() for name in VIEW.names))
        for question in played.questions
        if question.seat == seat
    ]


@pytest.mark.parametrize("text", [*ROWS, *DICE])
def test_hidden_cards_change_no_view(text, script):
    scripted, file = script
    watchers, natural = (GAMBLERS, "gambler+knock=never") if text in DICE else (WATCHERS, NATURAL)
    variant = variants.find(text)
    rng = random.Random(text)
    moved = compared = 0
    for i in range(8):
        watcher, seat = strategy(watchers[i // 2 % len(watchers)]), i % 2
        pack = rng.sample(range(52), 52)

        def play(other, pack, seat=seat, watcher=watcher, i=i):
            pair = (watcher, other) if seat == 0 else (other, watcher)
            game = Matchup(variant, *pair, 100 + i, "deal")
            played = watch_deal(game, i, pack=pack, dealer=i // 2 % 2)
            assert not played.fault
            return played

        before = play(strategy(natural), pack)
        write_script(file, before.questions, 1 - seat)
        assert seen_by(play(scripted, pack), seat) == seen_by(before, seat)
        for _ in range(3):
            other = permuted(rng, pack, before, 1 - seat)
            after = play(scripted, other)
            assert seen_by(after, seat) == seen_by(before, seat)
            moved += other != pack and after.hands[1 - seat] != before.hands[1 - seat]
            compared += len(seen_by(before, seat))
    assert moved > 14 and compared > 70


@pytest.mark.parametrize("text", [*DICE, "dice-pro+tedesco", "dice+first_turn=discard_first"])
def test_blind_questions_look_the_same_for_every_pack(text):
    rng = random.Random(text)
    game = Matchup(variants.find(text), strategy("gambler"), strategy("stray"), 9, "deal")
    asked = 0
    for unit in range(20):
        packs = (rng.sample(range(52), 52) for _ in range(3))
        deals = [watch_deal(game, unit, pack=pack, dealer=unit % 2) for pack in packs]
        blind = [question for question in deals[0].questions if question.view.phase == 4]
        for seat in range(2):
            n = sum(question.seat == seat for question in blind)
            first, *others = (seen_by(deal, seat)[:n] for deal in deals)
            assert others == [first, first]
            asked += n
        hidden = ("hand", "count", "pile", "known", "shed")
        assert blind and not any(int(one.view[name]) for one in blind for name in hidden)
    assert asked > 40


@pytest.mark.parametrize(
    "text", [name for name in ONE_PLAYER if variants.find(name).row["joker"] != "none"]
)
def test_the_place_of_the_joker_changes_no_view(text):
    """Until the joker is drawn a deal looks the same wherever it lies."""
    rng = random.Random(text)
    cut = 0
    for i, name in enumerate(("late", "gold", "random:p_end=0.1", "stray") * 2):
        game = Matchup(variants.find(text), strategy(name), None, 60, "deal")
        pack = rng.sample(range(52), 52)
        whole = watch_deal(game, i, pack=pack, joker=52)
        first = 53 - int(whole.state.stock) - int(whole.state.draws[0])
        for place in rng.sample(range(first, 53), 12):
            rest = pack[place:]
            rng.shuffle(rest)
            deal = watch_deal(game, i, pack=pack[:place] + rest, joker=place)
            seen = seen_by(deal, 0)
            assert seen == seen_by(whole, 0)[: len(seen)]
            assert deal.kind == "joker" or len(seen) == len(whole.questions)
            cut += deal.kind == "joker"
    assert cut > 25
