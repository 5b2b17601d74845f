"""One-player deals of the engine, replayed question by question through the twin.

Every variant, every option, and the joker in every place. Some packs are the engine's shuffles;
stacked packs deal a hand full of melds, so that gin, big gin and knocks come in time.
"""

import random
from collections import Counter
from itertools import product

import pytest

from simgin.play.matchup import Matchup
from simgin.play.watch import watch_deal
from simgin.rules import variants
from simgin.rules.parameters import parameters
from support import hands
from support.twin_replay import replayed
from support.variant_lists import ONE_PLAYER, acting, any_variant, in_sections, possible, strategy

MOST = 40  # stacked packs of each player until an outcome must have occurred
PLAYERS = ("stray", "late:least=3", "gold", "random:p_end=0.3", "gin-only")
KINDS = {
    "solitaire-gin": ("gin", "joker"),
    "solitaire-gin-scored": ("gin", "joker"),
    "solitaire-gin-knock": ("knock", "gin", "undercut", "joker"),
    "gin-solitaire": ("knock", "gin", "big_gin", "undercut", "joker"),
    "solitary-gin": ("gin", "limit"),
}
OPTIONS = (
    "solitaire-gin+joker_in_hand=lose+discard_ban=drawn",
    "solitaire-gin-scored+joker_in_hand=lose+stop_before_draw=no+gin_bonus=1000",
    "solitaire-gin-scored+big_gin=yes+big_gin_bonus=0+joker=after_deal+ace_runs=corner+rainbow=yes",
    "solitaire-gin-knock+joker_in_hand=lose+count_joker=yes+undercut_on_tie=yes+knock_limit=40",
    "solitaire-gin-knock+stop_before_draw=no+discard_ban=drawn+undercut_bonus=0+knock_limit=30",
    "solitaire-gin-knock+rainbow=yes+ace_runs=corner+knock_limit=99",
    "solitaire-gin-knock+max_turns=3+ace_runs=high_or_low+goal=single",
    "solitaire-gin-knock+big_gin=yes+big_gin_bonus=1000+ace_value=99+discard_view=top",
    "gin-solitaire+discard_ban=taken+count_joker=yes+knock_limit=0",
    "gin-solitaire+stop_before_draw=no+undercut_on_tie=yes+undercut_bonus=1000+"
    "ace_runs=corner+knock_limit=60",
    "gin-solitaire+rainbow=yes+discard_ban=drawn+max_turns=1+gin_bonus=0+melding=choice",
    "gin-solitaire+first_turn=stock+pip_values=five_ten+ace_value=15+knock_limit=25",
    "gin-solitaire+deal_scoring=winloss+knock_limit=0+goal=single+discard_view=bottom",
    "gin-solitaire+deal_scoring=penalty+penalty_gin=1000+goal=single",
    "gin-solitaire+deal_scoring=penalty+max_draws=5+penalty_gin=-20+goal=single+"
    "stop_before_draw=no",
    "solitary-gin+max_draws=1+stop_before_draw=no",
    "solitary-gin+max_draws=1+penalty_gin=-1000",
    "solitary-gin+max_draws=42+big_gin=yes+discard_ban=drawn",
    "solitary-gin+max_draws=41+first_turn=discard_first+big_gin=yes+stop_before_draw=no",
    "solitary-gin+max_draws=3+max_turns=3",
    "solitary-gin+max_draws=4+max_turns=3+first_turn=discard_first",
    "solitary-gin+joker=before_deal+joker_in_hand=lose+max_draws=99",
    "solitary-gin+joker=after_deal+max_draws=none+pip_values=face+ace_value=1",
)


def compare(text, seed, own, from_stacked, wanted=()):
    """Replay deals of each strategy.

    As many from stacked packs as are asked for, and more until each outcome wanted has occurred.
    Returns how often each outcome occurred, with the counts of `book`.
    """
    seen = Counter()
    rng = random.Random(f"{text} {seed}")
    row = variants.find(text).row
    games = [Matchup(variants.find(text), strategy(name), None, seed, "deal") for name in PLAYERS]
    for unit, game in product(range(own), games):
        book(seen, watch_deal(game, unit))
    for unit in range(max(MOST, from_stacked)):
        if unit >= from_stacked and all(seen[kind] for kind in wanted):
            break
        for game in games:
            pack, joker = stacked(rng, row), any_place(rng, row)
            book(seen, watch_deal(game, unit, pack=pack, joker=joker))
    missing = [kind for kind in wanted if not seen[kind]]
    assert not missing, (missing, seen)
    return seen


def book(seen, played):
    result = replayed(played)
    seen[result.kind] += 1
    seen["stopped at once"] += result.stopper is not None and result.draws == [0, 0]
    seen["declined"] += any(
        question.slot == "knock" and question.answer == 0 for question in played.questions
    )
    seen["no hand"] += len(hands.members(int(played.state.hand[0]))) == 9


def stacked(rng, row):
    """A pack that begins with eleven cards full of melds: those dealt, and the first drawn."""
    hand = hands.members(hands.meld_rich(rng, 11, row["ace_runs"]))
    rest = [card for card in range(52) if card not in hand]
    rng.shuffle(hand)
    rng.shuffle(rest)
    return hand + rest


def any_place(rng, row):
    """A place for the joker among the 53 cards, as the row allows; -1 if it has none."""
    if row["joker"] == "none":
        return -1
    dealt = 10 + (row["first_turn"] == "discard_first")
    return rng.randrange(
        0 if row["joker"] == "before_deal" and row["joker_in_hand"] == "lose" else dealt, 53
    )


@pytest.mark.parametrize("text", ONE_PLAYER)
def test_every_variant_agrees_with_the_twin(text):
    compare(text, 2040, 1, 2, (*KINDS[text], "stopped at once"))


@pytest.mark.parametrize("text", OPTIONS)
def test_every_option_agrees_with_the_twin(text):
    wanted = {
        "joker_in_hand=lose": "no hand",
        "max_turns=": "stalled",
        "big_gin=yes": "big_gin",
        "knock_limit=99": "knock",
        "max_draws=1": "limit",
        "max_draws=5": "limit",
    }
    some = [kind for part, kind in wanted.items() if part in text and "max_draws=3" not in text]
    seen = compare(text, 2041, 1, 1, some)
    if "stop_before_draw=no" in text and "big_gin=yes" not in text and "gin-solitaire" not in text:
        assert not seen["stopped at once"], seen


@pytest.mark.parametrize(
    "text", ("solitaire-gin-knock", "gin-solitaire", "solitaire-gin-scored+joker_in_hand=lose")
)
def test_the_joker_in_every_place_agrees_with_the_twin(text):
    """The deeper it lies, the longer the deal, until the player ends it.

    Then its place decides what is scored.
    """
    row = variants.find(text).row
    pack = random.Random(text).sample(range(52), 52)
    game = Matchup(variants.find(text), strategy("gold"), None, 3, "deal")
    first = 0 if row["joker_in_hand"] == "lose" else 10 + (row["first_turn"] == "discard_first")
    results = [replayed(watch_deal(game, pack=pack, joker=place)) for place in range(first, 53)]
    turns = [result.turns for result in results]
    assert turns == sorted(turns) and turns[0] <= 1 and turns[-1] > 3
    ended = [result.kind for result in results if result.kind != "joker"]
    scored = [result.points[0] for result in results if result.kind in ("knock", "gin")]
    if text == "solitaire-gin-knock":
        assert ended.count("even") == 1 and ended[0] == "undercut" and ended[-1] == "knock"
    assert scored == [*range(scored[0], scored[-1] + 1)] and len(scored) > 3


@pytest.mark.slow
@pytest.mark.parametrize("text", [*ONE_PLAYER, *OPTIONS])
def test_every_variant_and_option_agrees_with_the_twin_in_many_deals(text):
    compare(text, 2042, own=200, from_stacked=200)


def test_every_variant_and_every_value_of_a_rule_is_replayed():
    """Every one-player variant, and every value of a deal's rules in a variant where it counts."""
    assert {*ONE_PLAYER} == {*KINDS}
    rows = [variants.find(text).row for text in (*ONE_PLAYER, *OPTIONS)]
    covered = acting(in_sections("deal", "meld", "score"), rows)
    for name in {name for name, _ in covered}:
        for value in possible(parameters()[name]):
            assert (name, str(value)) in covered or not sound(name, value), (name, value)


def sound(name, value):
    """Whether some one-player variant can have this value of a rule, with an effect."""
    return any(
        not variants.validate(row) and parameters()[name].acts(row)
        for row in ({**base.row, name: value} for base in map(variants.find, OPTIONS))
    )


# Random variants


VALUES = {
    "joker": ("none", "before_deal", "after_deal"),
    "joker_in_hand": ("redeal", "lose"),
    "first_turn": ("stock", "discard_first"),
    "discard_ban": ("taken", "drawn", "none"),
    "knock_limit": (0, 5, 10, 30, 99),
    "stop_before_draw": ("yes", "no"),
    "big_gin": ("yes", "no"),
    "max_draws": ("none", 1, 4, 15, 41),
    "max_turns": (1, 5, 15, 500, 500),
    "ace_runs": hands.ACE_RUNS,
    "rainbow": ("no", "yes"),
    "pip_values": ("face", "five_ten"),
    "ace_value": (1, 15),
    "deal_scoring": ("joker", "joker", "joker", "winloss", "penalty"),
    "gin_bonus": (0, 25),
    "undercut_bonus": (0, 25),
    "undercut_on_tie": ("yes", "no"),
    "count_joker": ("yes", "no"),
    "penalty_gin": (-20, 7),
    "goal": ("single", "points"),
    "points_target": (100,),
    "deals_in_match": (5,),
    "total_goal": (30,),
}


def compare_any_rows(seed, rows):
    rng = random.Random(seed)
    seen = Counter()
    for _ in range(rows):
        seen += compare(any_variant(rng, "gin-solitaire", VALUES), seed, own=0, from_stacked=2)
    return seen


def test_random_variants_agree_with_the_twin():
    seen = compare_any_rows(2043, 15)
    wanted = ("knock", "gin", "big_gin", "undercut", "stalled", "joker", "limit", "stopped at once")
    assert all(seen[kind] for kind in wanted), seen


@pytest.mark.slow
def test_many_random_variants_agree_with_the_twin():
    compare_any_rows(2044, 2_000)
