"""Solo champion: its numbers against their plain meanings, its choices, its learning."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import solo_champion as training
from simgin_strategies import solo_champion as player
from simgin_strategies.solo_two_draws import searched

from oracles import twin
from simgin.play.matchup import parse_matchup
from simgin.play.watch import watch_deal
from simgin.rules import variants
from support.hands import game, members, names, names_in_order
from support.shapes import in_melds, is_meld, ways

ROOT = Path(__file__).resolve().parents[2]
ALONE = ["solitaire-gin", "solitaire-gin-scored", "solitaire-gin-knock", "gin-solitaire"]
ALONE.append("solitary-gin")


def questions(variant, deals=2):
    """Discards that the strategy was asked for in some deals."""
    matchup = parse_matchup("solo-champion", None, variant, 11, "deal")
    watched = [watch_deal(matchup, unit).questions for unit in range(deals)]
    return [question for asked in watched for question in asked if question.slot == "discard"]


def loose_cards(hand, row):
    """Least number of cards left out of disjoint melds."""
    text = names_in_order(hand)
    families = twin.melds.families(twin.melds_in(text, row))
    return min(len(twin.melds.left_over(text, family)) for family in families)


def live_pairs(some, unseen):
    """Melds of three of each card and two unseen ones."""
    return sum(is_meld((card, *pair)) for card in some for pair in combinations(unseen, 2))


def meaning(hand, unseen, row):
    """The numbers of ten cards, by their descriptions."""
    now = loose_cards(hand, row)
    saved = [now - max(0, loose_cards([*hand, card], row) - 1) for card in unseen]
    one, two = saved.count(1), saved.count(2)
    three = sum(s >= 3 for s in saved)
    outside = sorted(set(hand) - in_melds(hand))
    lone = [card for card, found in ways(outside).items() if not found]
    count = twin.deadwood(names_in_order(hand), row)
    return {
        "one": 1,
        "save_one": one / 10,
        "save_two": two / 10,
        "save_three": three / 10,
        "live_pairs": live_pairs(outside, unseen) / 20,
        "lone": 0.3 * len(lone),
        "count": count / 50,
        "one_one": one * one / 50,
        "one_three": one * three / 50,
        "three_three": three * three / 50,
        "one_two": one * two / 50,
        "lone_pairs": live_pairs(lone, unseen) / 50,
        "count_count": 0.0003 * count * count,
        "both_ways": 0.3 * sum(len(found) == 2 for found in ways(outside).values()),
    }


def test_every_number_means_what_its_name_says():
    rules, row = game("solitaire-gin-scored")
    used = set()
    for question in questions("solitaire-gin-scored")[::10]:
        view = question.view
        left = int(view.deck_left)
        hand = [card for card in members(view.hand) if card != question.answer]
        ten = sum(1 << card for card in hand)
        x = np.full(player.SIZE, 9.0)
        player.describe(ten, int(view.unseen), left, 1.5, rules, x)
        want = meaning(hand, members(view.unseen), row)
        at = min(loose_cards(hand, row), 7) * player.N
        here = x[at : at + player.N]
        found = dict(zip((key for key, _ in player.NUMBERS), here, strict=True))
        assert found == pytest.approx(want)
        assert x[player.FALLING :][at : at + player.N] == pytest.approx(here * left / 43)
        assert x[-1] == 1.5
        assert np.count_nonzero(x) == 2 * np.count_nonzero(here) + 1  # and nothing elsewhere
        used |= {key for key, number in want.items() if number}
    assert len(used) >= player.N - 2  # few hands have cards that save three


@pytest.mark.parametrize("variant", ALONE)
def test_the_discard_of_most_value_with_its_correction_is_made(variant):
    rules, _ = game(variant)
    params = np.load(player.champion_alone.weights).astype(float)
    first = player.learned_under(rules)
    weights = params[first : first + player.SIZE]
    changed = 0
    for question in questions(variant):
        view = question.view
        left = int(view.deck_left) if rules.max_draws < 0 else 15 - int(view.own_turn)
        if left == (1 if rules.max_draws < 0 else 0):
            continue
        tried, values = searched(view, 4, rules, params[: player.TABLE])
        corrected = values.copy()
        for k, card in enumerate(tried):
            x = np.zeros(player.SIZE)
            ten = int(view.hand) & ~(1 << int(card))
            player.describe(ten, int(view.unseen), left, values[k], rules, x)
            corrected[k] += x @ weights
        best = dict(zip(tried.tolist(), corrected, strict=True))
        assert best[question.answer] == pytest.approx(max(corrected), abs=1e-9)
        changed += corrected.argmax() != values.argmax()
    assert (changed > 0) == bool(weights.any())


def test_every_game_has_weights_of_its_own():
    firsts = [player.learned_under(game(variant)[0]) for variant in ALONE]
    assert firsts == [player.TABLE + i * player.SIZE for i in range(5)]
    assert list(training.UNITS) == ALONE
    one_player = {name for name in variants.names() if variants.find(name).row["players"] == 1}
    assert one_player == set(ALONE)


def test_the_file_begins_with_the_table_that_the_search_reads():
    params = np.load(player.champion_alone.weights)
    assert params.size == player.TABLE + 5 * player.SIZE
    table = np.load(ROOT / "strategies" / "solo_dp.npy")
    assert params[: player.TABLE].tobytes() == table.tobytes()


@pytest.mark.parametrize("variant", ALONE)
def test_what_a_deal_was_worth_is_the_mean_over_the_places_of_the_joker(variant):
    rules, _ = game(variant)
    last = 12
    lots = np.random.default_rng(5)
    hands = np.zeros(60, np.int64)
    for t in range(last):
        hands[t] = sum(1 << int(card) for card in lots.choice(52, 10, replace=False))
    hands[last] = 0b1111 | 0b111 << 13 | 0b111 << 26  # gin
    found = training.worth(hands, 3, last, rules)
    if variant == "solitary-gin":
        assert found == -rules.penalty_gin
        return
    outcomes = []
    for place in range(43 - 3):  # cards drawn before the joker comes
        if 3 + place >= last:
            above = place - (last - 3)
            won = above + rules.gin_bonus
            outcomes.append(1.0 if variant == "solitaire-gin" else float(won))
        else:
            kept = names(int(hands[3 + place]))
            count = twin.deadwood(kept, game(variant)[1])
            outcomes.append(0.0 if variant == "solitaire-gin" else -float(count))
    assert found == pytest.approx(np.mean(outcomes))


def test_known_weights_are_recovered():
    """By the least-squares sums of rows without noise."""
    lots = np.random.default_rng(2)
    true = lots.normal(size=player.SIZE)
    squares, products = np.zeros((player.SIZE, player.SIZE)), np.zeros(player.SIZE)
    for _ in range(1000):
        row = lots.normal(size=player.SIZE)
        training.add(row, row[-1] + row @ true, squares, products)
    assert np.linalg.solve(squares, products) == pytest.approx(true)


def test_learning_in_miniature_repeats_to_the_byte(capsys):
    games = ["solitaire-gin-scored", "solitary-gin"]
    made = training.learned(games, 30, 20, 5)
    assert made.size == player.TABLE + 5 * player.SIZE
    assert capsys.readouterr().out.count("±") == len(games)
    learning, _ = training.kernels()
    one, again, other = (training.correction(games[0], 30, seed, learning) for seed in (5, 5, 6))
    assert one.any()
    assert one.tobytes() == again.tobytes() != other.tobytes()


@pytest.mark.slow
def test_the_training_script_reproduces_the_committed_file():
    made = training.learned(ALONE, training.QUESTIONS, training.DEALS, training.SEED)
    assert np.load(player.champion_alone.weights).tobytes() == made.tobytes()
