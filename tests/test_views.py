"""What a policy sees depends on nothing that its seat may not know (RULES.md 9.2): two deals that differ in hidden cards only look alike.

The first deal is played by two strategies. Then the opponent's answers are written into a script, his hidden cards and the undrawn stock
change places so that every card he shows is still there when he shows it, and the same deal is played again: every view of the other
seat must be the same, byte for byte. What a view holds is compared with the twin in test_deals_against_twin.
"""

import random

import hands
import numpy as np
import pytest

from simgin import loader, single, variants
from simgin.core.view import FIELDS, VIEW
from simgin.matchup import Matchup

ROWS = ("standard", "basic", "standard-50th", "tedesco", "rainbow", "shot+start_points=34/12", "oklahoma+first_turn=free")
ROWS += ("standard+first_turn=discard_first", "standard+take_discard=no+first_turn=free", "eaai+discard_ban=none")
WATCHERS = ("gold", "simple", "random:p_end=0.1", "gold-early")
SCRIPT = """
from simgin.strategy import Strategy, discard, knock, take

@take(weights="script.npy")
def read(view, rules, params):
    return int(params[view.turns * 4 + (2 if view.phase == 0 else 0)])

@discard(weights="script.npy")
def read_discard(view, rules, params):
    return int(params[view.turns * 4 + 1])

@knock
def never_once(view, rules, params):
    return False

SCRIPTED = Strategy("scripted", take=read, discard=read_discard, knock=never_once)
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """A strategy that answers from a script, and the file of the script: for each number of turns played the draw, the discard, and
    what to do with the first upcard. It never ends a deal."""
    folder = tmp_path_factory.mktemp("scripted")
    (folder / "scripted.py").write_text(SCRIPT)
    np.save(folder / "script.npy", np.zeros(4 * 520))
    return loader.find(str(folder / "scripted.py")), folder / "script.npy"


def write_script(file, questions, seat):
    answers = np.zeros(4 * 520)
    for question in questions:
        if question.seat == seat and question.slot != "knock":
            upcard = question.slot == "take" and question.view.phase == 0
            answers[question.view.turns * 4 + (1 if question.slot == "discard" else 2 if upcard else 0)] = question.answer
    np.save(file, answers)


def permuted(rng, pack, played, hidden_seat):
    """The pack with the cards that the other seat never sees in other places, and those it does see still at hand in time."""
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
                place = rng.choice([place for place in free if not (not_the_drawn and place == drawn)])
                free.remove(place)
                kept[place] = thrown
    places = free + list(range(top, 52))
    cards = [pack[place] for place in held + list(range(top, 52)) if pack[place] not in kept.values()]
    rng.shuffle(cards)
    new = list(pack)
    for place, card in [*kept.items(), *zip(places, cards, strict=True)]:
        new[place] = card
    assert sorted(new) == list(range(52))
    return new


def places_dealt(played, seat):
    """The places in the pack of a seat's first cards: dealt singly, nondealer first, who may get an eleventh card."""
    first = 1 - int(played.state.dealer)
    eleventh = [20] if seat == first and played.state.upcard < 0 else []
    return [*range(int(seat != first), 20, 2), *eleventh]


def seen_by(played, seat, names=VIEW.names):
    """Everything that a seat was shown and what it answered, field by field."""
    return [
        (question.slot, question.answer, *(question.view[name].tobytes() for name in names))
        for question in played.questions
        if question.seat == seat
    ]


@pytest.mark.parametrize("text", ROWS)
def test_hidden_cards_change_no_view(text, script):
    scripted, file = script
    variant = variants.find(text)
    rng = random.Random(text)
    moved = compared = 0
    for i in range(24):
        watcher, seat = loader.find(WATCHERS[i % 4]), i % 2
        natural = loader.find("random:p=0.3+discard=low:tie=random+knock=never")
        pack = rng.sample(range(52), 52)

        def play(other, pack, seat=seat, watcher=watcher, i=i):
            pair = (watcher, other) if seat == 0 else (other, watcher)
            played = single.play(Matchup(variant, *pair, 100 + i, "deal"), i, pack=pack, dealer=i // 2 % 2)
            assert not played.fault
            return played

        before = play(natural, pack)
        write_script(file, before.questions, 1 - seat)
        assert seen_by(play(scripted, pack), seat) == seen_by(before, seat)
        for _ in range(3):
            other = permuted(rng, pack, before, 1 - seat)
            after = play(scripted, other)
            assert seen_by(after, seat) == seen_by(before, seat)
            moved += other != pack and after.hands[1 - seat] != before.hands[1 - seat]
            compared += len(seen_by(before, seat))
    assert moved > 40 and compared > 200


def test_the_first_view_after_another_deal_is_clean():
    """Nothing of the other half's deal, which was played with the same pack, nor of the deal before is left in a view."""
    for unit in ("deal", "match"):
        game = Matchup(variants.find("standard"), loader.find("gold"), loader.find("gin-only"), 5, unit)
        for half, deal in [(1, 0)] + [(0, 1), (1, 1)] * (unit == "match"):
            for question in single.play(game, 3, half, deal).questions:
                assert not question.view.history[question.view.turns :].any()


def test_a_deal_looks_the_same_whatever_was_played_before():
    """A given pack and the same pack as the second half of a unit: the same views but for the noise, which goes with the strategy."""
    names = [name for name in VIEW.names if name != "noise"]
    game = Matchup(variants.find("standard-50th"), loader.find("gold"), loader.find("gin-only"), 6, "deal")
    for unit in range(20):
        second = single.play(game, unit, 1)
        swapped = Matchup(game.variant, game.b, game.a, game.seed, "deal")
        alone = single.play(swapped, unit, pack=second.state.pack[:52].tolist(), dealer=int(second.state.dealer))
        for seat in range(2):
            assert seen_by(alone, seat, names) == seen_by(second, seat, names)


def test_views_are_as_long_as_their_fields():
    """The fields of the documentation are those of the record, history last."""
    assert VIEW.names == (*(name for name, _ in FIELDS), "history")
    assert VIEW["history"].shape[1] == 4 and VIEW["history"].base == np.int8


def test_a_view_counts_every_card_once():
    for i, text in enumerate(ROWS):
        game = Matchup(variants.find(text), loader.find("random:p_end=0.1"), loader.find("gold"), 7, "deal")
        for question in single.play(game, i).questions:
            view = question.view
            parts = [int(view[name]) for name in ("hand", "pile", "known", "unseen")]
            assert sum(part.bit_count() for part in parts) == 52 and parts[0] | parts[1] | parts[2] | parts[3] == hands.PACK
