"""Two-player deals of the engine, replayed question by question through the twin.

Some packs are the engine's shuffles, played by strategies from random to sensible. Stacked packs
give both seats hands full of melds, so that rare events (big gin, shots, undercuts, lay-offs, a
choice of meldings) occur in every few deals.
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
from support.twin_replay import match_of, replayed
from support.variant_lists import FOR_ONE, acting, any_variant, in_sections, possible, strategy

MOST = 40  # stacked packs of each pair until an outcome must have occurred
PAIRS = (
    ("stray", "stray-same"),
    ("late", "simple"),
    ("random:p=0.3", "gold"),
    ("simple+take=random+discard=low:tie=random+knock=random:p_end=0.3", "late"),
    ("shooter", "shooter-same"),
    ("random:p=0.8,p_end=1", "gold-early"),
)
# Every two-player variant with its own deals, and the outcomes that must have occurred; those
# whose deals are those of standard are played in whole matches.
ROWS = {
    "standard": (),
    "straight": ("void",),
    "oklahoma": (),
    "oklahoma-spades": (),
    "rush": (),
    "big-gin": ("big_gin",),
    "basic": (),
    "standard-50th": (),
    "shot": ("shot",),
    "rainbow": (),
    "tedesco": (),
    "tournament": ("big_gin",),
    "round-the-corner": (),
}
OPTIONS = (
    "standard+first_turn=free",
    "standard+first_turn=discard_first",
    "big-gin+first_turn=discard_first",
    "standard+first_turn=upcard_stock_or_pass_dead",
    "standard+first_turn=upcard_stock_or_pass",
    "standard+take_discard=no+first_turn=free",
    "standard+stock_end=at_draw",
    "standard+stock_end=opponent_may_take+stock_reserve=8+knock_limit=99",
    "standard+stock_reserve=0",
    "standard+discard_ban=none",
    "standard-50th+discard_ban=drawn",
    "standard-50th+take_to_knock=melded+knock_limit=30",
    "oklahoma+upcard_ace_limit=1",
    "standard+knock_limit=99+undercut_on_tie=no",
    "standard+layoff=no",
    "standard+layoff_on_gin=yes",
    "rainbow+big-gin+layoff_on_gin=yes+ace_runs=corner",
    "shot+take_to_knock=melded+discard_ban=none+knock_limit=40",
    "shot+shot_deducts=yes",
    "shot+take_to_knock=melded",
    "shot+tedesco+big_gin=yes",
    "rush+rush_on_gin=no",
    "rush+shot+big-gin+rush_on_gin=no+spade_multiplier=2",
    "standard+ace_runs=high_or_low+pip_values=five_ten+ace_value=15+"
    "defender_ace_value=15+knock_limit=20",
    "standard+max_turns=7",
    "standard-50th+max_turns=30",
    "standard+gin_bonus=20+undercut_bonus=10+goal=single",
    "standard+max_turns=1+knock_limit=99",
    "standard+discard_view=hidden+stock_reserve=10+gin_bonus=0+undercut_bonus=0",
    "big-gin+discard_view=bottom+gin_bonus=1000+big_gin_bonus=1000+undercut_bonus=1000",
    "big-gin+knock_limit=99+ace_value=99+defender_ace_value=99+big_gin_bonus=0",
)
CHOICES = tuple(
    f"{text}+melding=choice"
    for text in (
        "standard",
        "standard+knock_limit=40",
        "standard+knock_limit=99+undercut_on_tie=no",
        "shot",
        "big-gin",
        "tedesco",
        "shot+tedesco+big_gin=yes",
        "rainbow",
        "rainbow+big-gin+layoff_on_gin=yes+ace_runs=corner",
        "standard+layoff_on_gin=yes+knock_limit=20",
        "standard-50th+take_to_knock=melded+knock_limit=30",
    )
)
# The die: offers and answers are random. In every pair at least one side offers.
GAMBLERS = (
    ("stray", "stray-same"),
    ("gambler", "stray"),
    ("gambler", "gambler"),
    ("simple", "gambler"),
)
DICE = (
    "dice",
    "dice-pro",
    "dice+die_cap=2+die_centre_in_play=yes",
    "dice+die_centre_in_play=yes",
    "dice-pro+die_refusal_pays=new+die_centre_in_play=yes",
    "dice+first_turn=free+die_centre_in_play=yes",
    "dice+first_turn=discard_first+big_gin=yes+die_cap=4",
    "dice+first_turn=upcard_stock_or_pass+discard_ban=drawn+deal_count_gin=2",
    "dice-pro+first_turn=upcard_stock_or_pass_dead+die_centre_in_play=yes",
    "dice-pro+oklahoma-spades+die_refusal_pays=new",
    "dice-pro+tedesco+melding=choice",
    "dice+standard-50th+stock_reserve=8+die_centre_in_play=yes",
    "dice+stock_end=at_draw+max_turns=20",
    "dice-pro+shot+rush+start_points=31/42",
    "dice+take_discard=no+first_turn=free+layoff_on_gin=yes+die_centre_in_play=yes",
)


def game(text, pair, seed):
    return Matchup(variants.find(text), *map(strategy, pair), seed, "deal")


def compare(text, seed, own, from_stacked, pairs=PAIRS, wanted=()):
    """Replay deals of each pair of strategies.

    As many from stacked packs as are asked for, and more until each outcome wanted has occurred.
    Returns how often each outcome occurred, with the counts of `count_rare`.
    """
    seen = Counter()
    rng = random.Random(f"{text} {seed}")
    matchups = [game(text, pair, seed) for pair in pairs]
    for unit, matchup in product(range(own), matchups):
        played = watch_deal(matchup, unit, unit % 2 if matchup.mirrored else 0)
        count_rare(seen, played, replayed(played))
    for i in range(max(MOST, from_stacked)):
        if i >= from_stacked and all(seen[kind] for kind in wanted):
            break
        for number, matchup in enumerate(matchups):
            compare_stacked(seen, rng, matchup, i, (i + number) % 2)
    missing = [kind for kind in wanted if not seen[kind]]
    assert not missing, (missing, seen)
    return seen


def compare_stacked(seen, rng, matchup, i, dealer):
    """Replay a deal from a stacked pack, two in three at any score."""
    row = matchup.variant.row
    points = hands.scores(rng, row) if i % 3 < 2 else (0, 0)
    pack = hands.stacked(rng, row, points[1 - dealer])
    played = watch_deal(matchup, i, pack=pack, dealer=dealer, points=points)
    count_rare(seen, played, replayed(played, match_of(played, start_points=points)))


def count_rare(seen, played, result):
    seen[result.kind] += 1
    seen["cancelled"] += result.kind in ("gin", "big_gin") and result.winner is None
    seen["laid_off"] += played.state.laid_off > 0
    asked = Counter((one.slot, int(one.view.phase), int(one.answer)) for one in played.questions)
    last = [asked["knock", 2, answer] for answer in (0, 1)]
    seen["last asked"] += any(last)
    seen["last taken"] += last[1]
    shows = [one.answer for one in played.questions if one.slot == "show"]
    seen["shown"] += len(shows)
    seen["shown dearer"] += any(shows)
    answered = {True: 0, False: 0}
    for (slot, phase, _), times in asked.items():
        answered[phase == 4] += times * (slot == "answer")
    seen["answered blind"] += answered[True]
    seen["answered in play"] += answered[False]
    seen["raised again"] += sum(answered.values()) > 1
    seen["declined"] += any(one.slot == "knock" and one.answer == 0 for one in played.questions)


@pytest.mark.parametrize("text", ROWS)
def test_every_variant_agrees_with_the_twin(text):
    wanted = ("gin", "void") if text == "straight" else ("knock", "gin", "undercut", "declined")
    if "tournament" in text or "50th" in text:
        wanted += ("last asked", "last taken")
    compare(text, 2024, 1, 2, wanted=(*wanted, *ROWS[text]))


@pytest.mark.parametrize("text", OPTIONS)
def test_every_option_agrees_with_the_twin(text):
    wanted = {
        "max_turns=7": "stalled",
        "at_draw": "void",
        "opponent_may_take": "last taken",
        "layoff_on_gin=yes": "cancelled",
        "shot": "shot",
        "big": "big_gin",
    }
    compare(text, 2025, 0, 1, wanted=[kind for part, kind in wanted.items() if part in text])


@pytest.mark.parametrize("text", CHOICES)
def test_every_choice_of_melding_agrees_with_the_twin(text):
    compare(text, 2030, 0, 1, wanted=("shown", "shown dearer"))


@pytest.mark.parametrize("text", DICE)
def test_the_die_agrees_with_the_twin(text):
    wanted = ("refused", "answered blind", "answered in play")
    if text == "dice+die_centre_in_play=yes":
        wanted += ("raised again",)
    compare(text, 2100 + DICE.index(text), 2, 1, GAMBLERS, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("text", [*ROWS, *OPTIONS, *CHOICES])
def test_every_variant_and_option_agrees_with_the_twin_in_many_deals(text):
    compare(text, 2026, own=170, from_stacked=170)


@pytest.mark.slow
@pytest.mark.parametrize("text", DICE)
def test_the_die_agrees_with_the_twin_in_many_deals(text):
    compare(text, 2033, own=500, from_stacked=250, pairs=GAMBLERS)


def test_every_value_of_a_rule_is_replayed():
    """In a variant where it counts."""
    rows = [variants.find(text).row for text in (*ROWS, *OPTIONS, *CHOICES, *DICE)]
    rules = in_sections("deal", "meld", "score", "stake")
    wanted = {(name, str(value)) for name in rules for value in possible(parameters()[name])}
    kept = {(name, str(value)) for name, values in FOR_ONE.items() for value in values}
    assert kept <= wanted and wanted - acting(rules, rows) == kept


@pytest.mark.parametrize("name", FOR_ONE)
def test_one_player_rules_are_refused_or_idle_for_two(name):
    for value in FOR_ONE[name]:
        row = {**variants.find("standard").row, name: value}
        assert variants.validate(row) or not parameters()[name].acts(row)


# Random variants


VALUES = {
    "first_turn": (
        "upcard_pass",
        "upcard_stock_or_pass",
        "upcard_stock_or_pass_dead",
        "free",
        "discard_first",
    ),
    "discard_ban": ("taken", "drawn", "none"),
    "knock_limit": (0, 5, 9, 10, 25, 99),
    "knock_by_upcard": ("no", "no", "yes"),
    "upcard_ace_limit": (0, 1),
    "take_to_knock": ("any", "any", "melded"),
    "big_gin": ("no", "yes"),
    "shot": ("no", "yes"),
    "stock_end": ("after_discard", "at_draw", "opponent_may_take"),
    "stock_reserve": (0, 2, 2, 10),
    "max_turns": (5, 500, 500, 500),
    "take_discard": ("yes", "yes", "yes", "no"),
    "ace_runs": hands.ACE_RUNS,
    "rainbow": ("no", "yes"),
    "pip_values": ("face", "face", "five_ten"),
    "ace_value": (1, 15),
    "defender_ace_value": (1, 15),
    "gin_bonus": (0, 25),
    "big_gin_bonus": (31, 50),
    "undercut_bonus": (0, 10, 25),
    "undercut_on_tie": ("yes", "no"),
    "layoff": ("yes", "yes", "no"),
    "layoff_on_gin": ("no", "yes"),
    "shot_deducts": ("no", "yes"),
    "rush_premium": ("no", "yes"),
    "rush_on_gin": ("yes", "no"),
    "spade_multiplier": (1, 2),
    "goal": ("points", "single", "deals", "games"),
    "die": ("off", "off", "deal", "game"),
    "die_cap": (2, 6),
    "die_centre_in_play": ("no", "yes"),
    "points_target": (100, 121),
}


def compare_any_rows(seed, rows, melding="auto"):
    rng = random.Random(seed)
    seen = Counter()
    for _ in range(rows):
        text = any_variant(rng, "standard", VALUES | {"melding": (melding,)})
        seen += compare(text, seed, own=0, from_stacked=1)
    return seen


def test_random_variants_agree_with_the_twin():
    seen = compare_any_rows(2027, 40)
    wanted = ("knock", "gin", "big_gin", "shot", "undercut", "even", "void", "stalled")
    assert all(seen[kind] for kind in wanted), seen


def test_random_variants_with_a_choice_of_melding_agree_with_the_twin():
    assert compare_any_rows(2031, 5, "choice")["shown dearer"]


@pytest.mark.slow
@pytest.mark.parametrize("melding", ["auto", "choice"])
def test_many_random_variants_agree_with_the_twin(melding):
    compare_any_rows(2028, 2_000, melding)


@pytest.mark.parametrize("most, takes", [(29, 0), (500, 472)])
def test_the_50th_card_rule_can_add_a_turn(most, takes):
    """It may follow the last turn that `max_turns` allows.

    The deal does not stall, and the history has room for it.
    """
    text = f"standard-50th+max_turns={most}+knock_limit=99"
    pair = (f"last:turn={takes}+discard=low", f"last:turn={takes}+discard=low:tie=random")
    matchup = game(text, pair, 3)
    for unit in range(3):
        played = watch_deal(matchup, unit)
        replayed(played)
        assert played.kind != "stalled"
        assert played.state.turns == most + 1
