"""Whole matches of the engine, deal after deal through the twin.

The twin says who deals, the score at every question, and who has won when. The sums over deals and
matches are formed again from its results.
"""

import random
from collections import Counter

import pytest

from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.watch import NoSuchDeal, watch_deal
from simgin.rules import variants
from simgin.rules.parameters import parameters
from support.twin_replay import match_of, replayed
from support.twin_sums import batch_row, book_deal, book_match, named, new_unit
from support.variant_lists import acting, any_variant, in_sections, possible, strategy

PAIRS = (
    ("gambler", "stray"),
    ("simple", "gambler"),
    ("gold", "stray-same"),
    ("gambler", "gambler"),
    ("shooter", "gold-early"),
)
PLAYERS = ("gambler", "gold", "stray", "gin-only")
OPTIONS = (
    "standard+max_deals=3",
    "standard+next_dealer=loser+void_dealer=other+first_dealer=1",
    "standard+next_dealer=alternate+first_dealer=0+undercut_on_tie=no+knock_limit=99",
    "standard+start_points=90/75+shutout=double_all+game_bonus=20",
    "shot+next_dealer=loser+void_dealer=other+start_points=40/60",
    "rush+goal=single",
    "straight+goal=single+stock_reserve=10+void_dealer=other",
    "standard+layoff_on_gin=yes+points_target=1+box_bonus=100",
    "tournament+shutout=double_all+points_target=30+next_dealer=alternate",
    "hollywood+points_target=40+column_entry=absolute+box_bonus=20+game_bonus=100",
    "hollywood+points_target=30+shutout=double_points+start_points=29/7+first_dealer=0",
    "hollywood+points_target=25+shutout=double_all+columns=5+box_bonus=25",
    "hollywood+columns=1+points_target=60+max_deals=3",
    "hollywood+columns=10+points_target=10+column_entry=absolute",
    "hollywood+points_target=1+columns=2",
    "pro+games_target=2+start_points=100/20",
    "pro+points_target=40+games_target=3+game_table=0:9/20:2/39:1+max_deals=6",
    "pro+games_target=1+points_target=30+shot=yes",
    "race+race_points_seat=1+deals_target=3+points_target=60",
    "race+deal_count_gin=1+deals_target=4+points_target=50+start_points=20/49",
    "race+max_deals=2+deal_count_undercut=1+next_dealer=loser",
    "twofold+points_target=40+deals_target=4+start_points=39/99",
    "twofold+points_target=200+deals_target=2+big_gin=yes+max_deals=4",
    "twofold+shot+points_target=60+deals_target=6+deal_count_gin=1",
    "dice+deals_target=21+deal_count_gin=2+deal_count_undercut=2",
    "dice+deals_target=3+die_refusal_pays=new+die_centre_in_play=yes",
    "dice+die_cap=2+max_deals=3+next_dealer=loser",
    "dice-pro+points_target=60+games_target=10+die_refusal_pays=new+die_centre_in_play=yes",
    "dice-pro+points_target=50+die_cap=3+start_points=45/30+next_dealer=alternate",
    "dice-pro+points_target=40+games_target=20+max_deals=10+oklahoma-spades",
)
ALONE = (
    "solitaire-gin-scored+max_deals=4",
    "solitaire-gin-scored+joker_in_hand=lose+points_target=60+start_points=0/30+"
    "shutout=double_points",
    "solitaire-gin-knock+points_target=30+box_bonus=20+game_bonus=100+shutout=double_all",
    "solitaire-gin-knock+goal=single+knock_limit=30",
    "gin-solitaire+max_turns=2+max_deals=20",
    "gin-solitaire+deal_scoring=winloss+knock_limit=0+points_target=3",
    "solitary-gin+total_goal=200+start_points=100/100",
    "solitary-gin+deals_in_match=3+max_deals=3+total_goal=-20",
    "solitary-gin+deals_in_match=4+max_deals=3",
    "solitary-gin+goal=single+stop_before_draw=no",
)


def game(text, i, seed):
    """A match of a variant between the i-th pair of strategies."""
    variant = variants.find(text)
    players = PLAYERS if variant.row["players"] == 1 else PAIRS
    names = players[i % len(players)]
    a, b = (names, None) if isinstance(names, str) else names
    return Matchup(variant, strategy(a), b and strategy(b), seed, "match")


def played_match(game, unit, half, booked):
    """Replay and record a match deal by deal; the twin's match at its end."""
    match = None
    while match is None or not match.over:
        played = watch_deal(game, unit, half, match.deals if match else 0)
        match = match or match_of(played)
        result = replayed(played, match)
        book_deal(booked, result, played, half)
        match.enter(result)
    with pytest.raises(NoSuchDeal, match=f"over after {match.deals} deals"):
        watch_deal(game, unit, half, match.deals)
    book_match(booked, match, half)
    return match


def compare(game, n):
    """The twin's matches of n units, after checking that the engine has the same sums."""
    matches, units = [], []
    for unit in range(n):
        booked, dealers = new_unit(), set()
        for half in range(1 + game.mirrored):
            dealers.add(int(watch_deal(game, unit, half).state.dealer))
            matches.append(played_match(game, unit, half, booked))
        assert len(dealers) == 1  # both halves begin with the same dealer
        assert game.b is None or game.variant.row["first_dealer"] in ("lot", *dealers)
        units.append(booked)
    rows = kernel.play(game, 0, n)
    assert rows.shape == (1, sums.COLUMNS)
    assert named(rows[0]) == named(batch_row(units))
    return matches


@pytest.mark.parametrize("i, text", [*enumerate(variants.names())])
def test_matches_of_every_variant_agree_with_the_twin(i, text):
    assert compare(game(text, i, 77), 1)


@pytest.mark.parametrize("i, text", [*enumerate([*OPTIONS, *ALONE])])
def test_matches_with_every_option_agree_with_the_twin(i, text):
    matches = compare(game(text, i, 78), 1)
    if "max_deals" not in text:
        assert not any(match.unfinished for match in matches)


@pytest.mark.slow
@pytest.mark.parametrize("i", range(len(PAIRS)))
@pytest.mark.parametrize("text", variants.names())
def test_many_matches_of_every_variant_agree_with_the_twin(text, i):
    compare(game(text, i, 79), 25)


@pytest.mark.slow
@pytest.mark.parametrize("i", range(len(PAIRS)))
@pytest.mark.parametrize("text", [*OPTIONS, *ALONE])
def test_many_matches_with_every_option_agree_with_the_twin(text, i):
    compare(game(text, i, 82), 8)


def test_every_value_of_a_match_rule_is_played():
    """Every value of every match rule is in a variant that is played, where it counts."""
    rows = [variants.find(text).row for text in (*variants.names(), *OPTIONS, *ALONE)]
    rules = in_sections("match", "stake")
    told = [name for name in rules if parameters()[name].kind in ("choice", "bool")]
    words = {(name, str(value)) for name in told for value in possible(parameters()[name])}
    covered = acting(rules, rows)
    assert words <= covered, words - covered
    assert {name for name, _ in covered} == {*rules}


# How matches end, and random variants


VALUES = {
    "goal": ("points", "columns", "games", "race", "twofold", "deals", "single"),
    "points_target": (1, 25, 60),
    "deals_target": (1, 3, 5),
    "games_target": (1, 4),
    "columns": (1, 2, 3, 10),
    "column_entry": ("next_open", "absolute"),
    "deal_count_gin": (1, 2),
    "deal_count_undercut": (1, 2),
    "race_points_seat": (0, 1),
    "game_bonus": (0, 100),
    "box_bonus": (0, 25, 90),
    "shutout": ("none", "double_points", "double_all"),
    "start_points": ("0/0", "0/0", "24/9"),
    "max_deals": (1, 3, 1000, 1000),
    "first_dealer": ("lot", "0", "1"),
    "next_dealer": ("winner", "loser", "alternate"),
    "void_dealer": ("same", "other"),
    "die": ("off", "deal", "game"),
    "die_cap": (2, 4, 6),
    "die_refusal_pays": ("old", "new"),
    "die_centre_in_play": ("no", "yes"),
    "knock_limit": (0, 10, 50, 99),
    "stock_reserve": (2, 10),
    "undercut_on_tie": ("yes", "no"),
    "layoff_on_gin": ("yes", "no"),
    "gin_bonus": (0, 25),
}


def compare_any_rows(seed, rows):
    """How the matches of random variants ended, by goal."""
    rng, seen = random.Random(seed), Counter()
    for i in range(rows):
        text = any_variant(rng, "standard", VALUES)
        for match in compare(game(text, i, seed + i), 1):
            how = "unfinished" if match.unfinished else "drawn" if match.winner is None else "won"
            seen[match.row["goal"], how] += 1
    return seen


def test_matches_of_random_variants_agree_with_the_twin():
    seen = compare_any_rows(80, 25)
    assert {goal for goal, _ in seen} == {*VALUES["goal"]} and {"won", "unfinished"} <= {
        how for _, how in seen
    }, seen


@pytest.mark.slow
def test_matches_of_many_random_variants_agree_with_the_twin():
    seen = compare_any_rows(81, 600)
    assert seen["columns", "drawn"] and seen["single", "drawn"], seen
    assert all(
        seen[goal, "unfinished"] and seen[goal, "won"]
        for goal in VALUES["goal"]
        if goal != "single"
    ), seen


# Single deals


@pytest.mark.parametrize(
    "text, a, b, n",
    [
        ("standard-50th", "gold", "late", 25),
        ("dice-pro+shot", "stray", "stray", 30),
        ("solitaire-gin-knock", "gambler", None, 40),
    ],
)
def test_single_deals_and_their_sums_agree_with_the_twin(text, a, b, n):
    """The dealer of a single deal is the parity of its unit."""
    game = Matchup(variants.find(text), strategy(a), b and strategy(b), 78, "deal")
    units = []
    for unit in range(n):
        booked = new_unit()
        for half in range(1 + game.mirrored):
            played = watch_deal(game, unit, half)
            assert b is None or played.state.dealer == unit % 2
            book_deal(booked, replayed(played), played, half)
        units.append(booked)
    assert named(kernel.play(game, 0, n)[0]) == named(batch_row(units))
