"""Deals and matches of the engine, replayed question by question through the twin, which was written from the rules alone.

Own packs are the engine's shuffles, played by strategies that range from chance to sense. Stacked packs give both seats hands full of
melds, so that what is rare in play (big gin, shots, undercuts, lay-offs, a choice of meldings) happens in every few deals.
"""

import random
from collections import Counter

import hands
import numpy as np
import pytest
import twin
from replay import Match, replayed
from rows import FOR_ONE, TWO_PLAYER, deals_of, possible, strategy

from simgin import matchup, single, variants
from simgin.core import sums
from simgin.matchup import Matchup
from simgin.parameters import parameters
from simgin.variants import VariantError

PAIRS = (
    ("stray", "stray-same"),
    ("late", "simple"),
    ("random:p=0.3", "gold"),
    ("simple+take=random+discard=low:tie=random+knock=random:p_end=0.3", "late"),
    ("shooter", "shooter-same"),
    ("random:p=0.8,p_end=1", "gold-early"),
)
# Every two-player row whose deals are a game of their own, and the kinds it must have been seen to end with.
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
# Those whose deals are the deals of standard: they differ in the match only.
STANDARD_DEALS = ("eaai", "hollywood", "pro", "race", "twofold", "dice", "dice-pro")
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
    "standard+ace_runs=high_or_low+pip_values=five_ten+ace_value=15+defender_ace_value=15+knock_limit=20",
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


def game(text, pair, seed):
    return Matchup(variants.find(text), *map(strategy, pair), seed, "deal")


def compare(text, seed, own, from_stacked):
    """Replay so many deals of each pair of strategies; how often each kind of result was seen, and `took_last` and `asked` more."""
    seen = Counter()
    rng = random.Random(f"{text} {seed}")
    for pair in PAIRS:
        matchup = game(deals_of(text), pair, seed)
        row = dict(matchup.variant.row)
        for unit in range(own):
            played = single.play(matchup, unit, unit % 2)
            seen[replayed(played, row, Match(tuple(row["start_points"]))).kind] += 1
            count_rare(seen, played)
        for i in range(from_stacked):
            points = hands.scores(rng, row) if i % 3 < 2 else (0, 0)
            played = single.play(matchup, i, pack=hands.stacked(rng, row, points[1 - i % 2]), dealer=i % 2, points=points)
            seen[replayed(played, row, Match(points)).kind] += 1
            count_rare(seen, played)
    return seen


def count_rare(seen, played):
    seen["laid_off"] += played.state.laid_off > 0
    seen["last asked"] += any(question.slot == "knock" and question.view.phase == 2 for question in played.questions)
    seen["last taken"] += any(
        question.slot == "knock" and question.view.phase == 2 and question.answer == 1 for question in played.questions
    )
    seen["shown"] += any(question.slot == "show" for question in played.questions)
    seen["shown dearer"] += any(question.slot == "show" and question.answer > 0 for question in played.questions)
    seen["declined"] += any(question.slot == "knock" and question.answer == 0 for question in played.questions)


@pytest.mark.parametrize("text", ROWS)
def test_every_row(text):
    seen = compare(text, 2024, own=10, from_stacked=18)
    wanted = ("knock", "gin", "undercut", "void", "declined", *ROWS[text])
    if text == "straight":
        wanted = ("gin", "void")
    if "tournament" in text or "50th" in text:
        wanted += ("last asked", "last taken")
    missing = [kind for kind in wanted if seen[kind] < 2]
    assert not missing, (missing, seen)


@pytest.mark.parametrize("text", OPTIONS)
def test_every_option(text):
    seen = compare(text, 2025, own=2, from_stacked=8)
    assert sum(seen[kind] for kind in sums.KINDS) == 10 * len(PAIRS)
    most = 8 if "max_turns=1+" in text else 7  # few deals end on their first turn
    assert seen["void"] + seen["stalled"] < most * len(PAIRS)
    wanted = {"max_turns=7": "stalled", "opponent_may_take": "last taken", "shot": "shot", "big": "big_gin"}
    missing = [kind for part, kind in wanted.items() if part in text and not seen[kind]]
    assert not missing, (missing, seen)


@pytest.mark.parametrize("text", STANDARD_DEALS)
def test_rows_that_differ_in_the_match_only(text):
    seen = compare(text, 2029, own=2, from_stacked=2)
    assert seen["knock"] and seen["gin"], seen


@pytest.mark.parametrize("text", CHOICES)
def test_every_choice(text):
    seen = compare(text, 2030, own=1, from_stacked=6)
    assert seen["shown"] > 2 and seen["shown dearer"], seen


@pytest.mark.slow
@pytest.mark.parametrize("text", [*ROWS, *STANDARD_DEALS, *OPTIONS, *CHOICES])
def test_every_row_and_option_at_length(text):
    compare(text, 2026, own=170, from_stacked=170)


def test_nothing_is_left_out():
    """Every two-player row is replayed, and every value of every rule of a deal in a row where it counts."""
    assert {*TWO_PLAYER} == {*ROWS, *STANDARD_DEALS}
    rows = [variants.find(text).row for text in (*ROWS, *OPTIONS, *CHOICES)]
    rules = {name: parameter for name, parameter in parameters().items() if parameter.section in ("deal", "meld", "score")}
    wanted = {(name, value) for name, parameter in rules.items() for value in possible(parameter)}
    covered = {(name, row[name]) for name, parameter in rules.items() for row in rows if parameter.acts(row)}
    kept = {(name, value) for name, values in FOR_ONE.items() for value in values}
    assert kept <= wanted and wanted - covered == kept


@pytest.mark.parametrize("name", FOR_ONE)
def test_what_is_kept_for_one_player(name):
    for value in FOR_ONE[name]:
        row = {**variants.find("standard").row, name: value}
        assert variants.validate(row) or not parameters()[name].acts(row)


@pytest.mark.parametrize("text", STANDARD_DEALS)
def test_rows_with_the_deals_of_standard(text):
    differences = variants.difference(variants.find("standard"), variants.find(text))
    assert {parameters()[name].section for name, *_ in differences} <= {"match", "stake"}


# Rows that nobody thought of


VALUES = {
    "first_turn": ("upcard_pass", "upcard_stock_or_pass", "upcard_stock_or_pass_dead", "free", "discard_first"),
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
    "goal": ("points", "single"),
}


def any_row(rng, melding):
    """A row of values drawn at random that is a game."""
    while True:
        drawn = [f"{name}={rng.choice(values)}" for name, values in VALUES.items()]
        text = "+".join(["standard", *drawn, f"melding={melding}"])
        try:
            return variants.find(text).text
        except VariantError:
            continue


def compare_any_rows(seed, rows, melding="auto"):
    rng = random.Random(seed)
    seen = Counter()
    for _ in range(rows):
        seen += compare(any_row(rng, melding), seed, own=0, from_stacked=2)
    return seen


def test_rows_drawn_at_random():
    seen = compare_any_rows(2027, 100)
    assert min(seen[kind] for kind in ("knock", "gin", "big_gin", "shot", "undercut", "even", "void", "stalled")) >= 2, seen


def test_rows_with_a_choice_drawn_at_random():
    assert compare_any_rows(2031, 10, "choice")["shown dearer"] > 5


@pytest.mark.slow
@pytest.mark.parametrize("melding", ["auto", "choice"])
def test_many_rows_drawn_at_random(melding):
    compare_any_rows(2028, 1_000, melding)


@pytest.mark.parametrize("most, takes", [(29, 0), (500, 472)])
def test_the_turn_after_the_last(most, takes):
    """The 50th-card rule can add a turn to those that `max_turns` allows: no stall, and the history has room for it."""
    text = f"standard-50th+max_turns={most}+knock_limit=99"
    pair = (f"last:turn={takes}+discard=low", f"last:turn={takes}+discard=low:tie=random")
    matchup = game(text, pair, 3)
    for unit in range(3):
        played = single.play(matchup, unit)
        replayed(played, dict(matchup.variant.row))
        assert played.kind != "stalled"
        assert played.state.turns == most + 1


# Matches, and the sums over them


def batch_row(units):
    """The batch row of the facts of some units, by the definitions of `simgin.core.sums`."""
    row = np.zeros(sums.COLUMNS, np.int64)
    for facts, turns, counts in units:
        vector = np.array([facts[name] for name in sums.FACTS], np.int64)
        row[sums.UNITS] += 1
        row[sums.SUM : sums.SQUARE] += vector
        row[sums.SQUARE : sums.CROSS] += vector**2
        row[sums.CROSS : sums.TURNS_HISTOGRAM] += vector * vector[list(sums.DENOMINATOR)]
        for n in turns:
            row[sums.TURNS_HISTOGRAM + min(n, sums.TURNS_BINS - 1)] += 1
        for n in counts:
            row[sums.COUNT_HISTOGRAM + min(n, sums.COUNT_BINS - 1)] += 1
    return row


def deal_facts(facts, result, played, a):
    """Add one deal, as the twin has it, to the facts of its unit; a: seat of strategy A."""
    facts["deals"] += 1
    facts[result.kind] += 1
    facts["turns"] += result.turns
    if played.state.upcard_to >= 0:  # the replay has compared it
        facts["upcard_" + ("first", "second", "none")[played.state.upcard_to]] += 1
    if result.winner is not None:
        facts["decided"] += 1
        facts["points_scored"] += sum(result.points)
        facts["first_player_win"] += result.winner != played.state.dealer
    facts[f"points_{result.kind}"] += sum(result.points)
    if result.kind in ("knock", "undercut", "even"):
        facts["showdowns"] += 1
        facts["knock_count"] += result.stopper_count
        facts["defender_count"] += result.other_count
        facts["defender_before"] += result.other_before
        facts["laid_off"] += int(played.state.laid_off)
        facts["laid_off_any"] += any(result.laid_off)
        facts["tie"] += result.stopper_count == result.other_count
    for side, seat in (("a", a), ("b", 1 - a)):
        facts[f"{side}_points"] += result.points[seat]
        facts[f"{side}_takes"] += result.takes[seat]
        facts[f"{side}_draws"] += result.takes[seat] + result.draws[seat]
        if result.winner == seat:
            facts[f"{side}_deal_win"] += 1
            facts[f"{side}_won_{result.kind}"] += 1
    facts["a_margin"] += result.points[a] - result.points[1 - a]


def match_facts(facts, match, a):
    """Add a finished match of the twin's."""
    facts["matches"] += 1
    facts["a_match_margin"] += match.points[a] - match.points[1 - a]
    facts["match_drawn"] += match.winner is None and not match.unfinished
    facts["unfinished"] += match.unfinished
    if match.settlement is not None:
        facts["settled"] += 1
        facts["a_settlement"] += match.settlement if match.winner == a else -match.settlement
    for side, seat in (("a", a), ("b", 1 - a)):
        facts[f"{side}_match_win"] += 1 if match.winner is None else 2 * (match.winner == seat)
    if match.winner is not None:
        loser = match.points[1 - match.winner]
        facts["matches_decided"] += 1
        facts["winner_score"] += match.points[match.winner]
        facts["loser_score"] += loser
        facts["loser_zero"] += loser == 0


def played_match(game, unit, half, facts, turns, counts):
    """One match, deal after deal: dealer and score as the twin keeps them, every deal replayed."""
    row = dict(game.variant.row)
    match = None
    while match is None or not match.over:
        deal = 0 if match is None else match.deals
        played = single.play(game, unit, half, deal)
        match = match or twin.Match(row, int(played.state.dealer))
        assert int(played.state.dealer) == match.dealer
        result = replayed(played, row, Match(tuple(match.points), tuple(match.won), match.deals))
        deal_facts(facts, result, played, half)
        turns.append(result.turns)
        if result.kind in ("knock", "undercut", "even"):
            counts.append(result.stopper_count)
        match.enter(result)
    with pytest.raises(ValueError, match="over after"):
        single.play(game, unit, half, match.deals)
    match_facts(facts, match, half)
    return match


MATCHES = (
    ("eaai", ("simple", "gold"), 3),
    ("eaai", ("simple", "simple"), 4),
    ("standard", ("gold-early", "stray"), 4),
    ("shot+next_dealer=loser+void_dealer=other+start_points=40/60", ("shooter", "gold"), 4),
    ("oklahoma-spades+max_deals=4+first_dealer=1+undercut_on_tie=no", ("gin-only", "late"), 6),
    ("rush+goal=single", ("stray", "late"), 20),
    ("round-the-corner+box_bonus=0+points_target=50", ("gold", "simple"), 3),
)


@pytest.mark.parametrize("text, pair, n", MATCHES)
def test_matches_and_their_sums(text, pair, n):
    """The same dealers, scores and winners as the twin's matches, and the kernel's row is the one formed from the twin's results."""
    game = Matchup(variants.find(text), *map(strategy, pair), 77, "match")
    units = []
    for unit in range(n):
        facts, turns, counts = Counter(), [], []
        dealers = []
        for half in range(2 if game.mirrored else 1):
            played_match(game, unit, half, facts, turns, counts)
            dealers.append(int(single.play(game, unit, half).state.dealer))
        assert len(set(dealers)) == 1  # both halves begin with the same dealer
        units.append((facts, turns, counts))
    rows = matchup.play(game, 0, n)
    assert rows.shape == (1, sums.COLUMNS)
    assert named(rows[0]) == named(batch_row(units))


def named(row):
    """A row as a dict, so that a difference has a name."""
    blocks = {"sum": sums.SUM, "square": sums.SQUARE, "cross": sums.CROSS}
    found = {(block, name): int(row[start + i]) for block, start in blocks.items() for i, name in enumerate(sums.FACTS)}
    return {**found, "units": int(row[0]), "histograms": row[sums.TURNS_HISTOGRAM :].tolist()}


@pytest.mark.parametrize("text, pair, n", [("standard-50th", ("gold", "late"), 25), ("big-gin+shot", ("stray", "stray"), 30)])
def test_single_deals_and_their_sums(text, pair, n):
    """Single deals go by turns: the dealer is the unit's parity."""
    game = Matchup(variants.find(text), *map(strategy, pair), 78, "deal")
    units = []
    for unit in range(n):
        facts, turns, counts = Counter(), [], []
        for half in range(2 if game.mirrored else 1):
            played = single.play(game, unit, half)
            assert played.state.dealer == unit % 2
            result = replayed(played, dict(game.variant.row))
            deal_facts(facts, result, played, half)
            turns.append(result.turns)
            if result.kind in ("knock", "undercut", "even"):
                counts.append(result.stopper_count)
        units.append((facts, turns, counts))
    assert named(matchup.play(game, 0, n)[0]) == named(batch_row(units))
