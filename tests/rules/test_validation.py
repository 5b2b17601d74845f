"""What is refused as a variant, clause by clause (rules.md 10.17)."""

import re

import pytest

from simgin.rules.validation import CLAUSES
from simgin.rules.variants import find, validate
from support.variant_files import sentences
from support.worked_examples import STANDARD


def test_the_types_of_a_row_are_validated():
    row = {**STANDARD, "knock_limit": True, "layoff": 1, "goal": 3, "start_points": [0], "wings": 2}
    del row["die"]
    assert validate(row) == [
        "there is no parameter 'wings'. `simgin variants standard` shows them all.",
        "knock_limit must be a whole number 0..99, not True.",
        "layoff must be yes or no, not 1.",
        "goal must be one of single, points, columns, games, race, twofold, deals, total, not 3.",
        "start_points must be two whole numbers 0..100000, like 40/60, not '0'.",
        "die is missing: in `standard` it is off.",
    ]


# --- the refusal list of rules.md 10.17, one clause after another ---

SOLO = "solitaire-gin-knock"
DEAD = "first_turn = upcard_stock_or_pass_dead"
NO_UPCARD = "needs an upcard, and first_turn ="
TOO_MANY = "one player without a joker can draw no more cards than are left"
REACHED = "has already reached points_target ="
REFUSED = [
    ("shot+hollywood", "shot = yes cannot be played with goal = columns"),
    ("oklahoma+first_turn=discard_first", f"knock_by_upcard = yes {NO_UPCARD} discard_first"),
    (f"{SOLO}+knock_by_upcard=yes", f"knock_by_upcard = yes {NO_UPCARD} stock has none"),
    ("standard+spade_multiplier=2+first_turn=discard_first", f"spade_multiplier = 2 {NO_UPCARD}"),
    (
        "standard+take_to_knock=melded+take_discard=no+first_turn=free",
        "take_to_knock = melded applies to cards taken",
    ),
    ("standard+take_discard=no", "first_turn = upcard_pass offers the upcard, which take_discard"),
    ("basic+take_discard=no", "first_turn = upcard_stock_or_pass offers the upcard"),
    (f"standard+{DEAD.replace(' ', '')}+take_discard=no", f"{DEAD} offers"),
    ("standard-50th+take_discard=no+first_turn=free", "stock_end = opponent_may_take offers the"),
    ("standard+joker=after_deal", "joker = after_deal is for one player"),
    ("solitaire-gin+joker=none", "deal_scoring = winloss needs a joker in the deck"),
    (f"{SOLO}+joker_in_hand=-", "joker_in_hand needs a value with joker = before_deal"),
    (f"{SOLO}+first_turn=discard_first", "joker = before_deal cannot be combined with first_turn"),
    ("standard+first_turn=stock", "first_turn = stock is for one player"),
    ("standard+stock_end=none", "stock_end = none is for one player"),
    ("standard+deal_scoring=penalty+penalty_gin=-20+goal=single", "deal_scoring = penalty is for"),
    (f"{SOLO}+deal_scoring=versus", "deal_scoring = versus needs two players"),
    (f"{SOLO}+take_discard=yes", "take_discard = yes needs two players"),
    (f"{SOLO}+first_turn=upcard_pass", "first_turn = upcard_pass needs two players"),
    (f"{SOLO}+first_turn=free", "first_turn = free needs two players"),
    (f"{SOLO}+stock_end=at_draw", "stock_end = at_draw needs two players"),
    ("solitary-gin+max_draws=none", TOO_MANY),
    ("solitary-gin+max_draws=42+first_turn=discard_first", TOO_MANY),
    ("standard+max_draws=15", "max_draws = 15 is for one player"),
    (f"{SOLO}+max_draws=15", "max_draws = 15 needs deal_scoring = penalty, not joker"),
    ("solitaire-gin+knock_limit=10", "deal_scoring = winloss allows only gin, but knock_limit ="),
    (f"{SOLO}+rush", "rush_premium = yes needs two players"),
    (f"{SOLO}+layoff=yes", "layoff = yes needs two players"),
    (f"{SOLO}+shot", "shot = yes needs two players"),
    ("standard+layoff_on_gin=yes+layoff=no", "layoff_on_gin = yes needs layoff = yes"),
    *((f"{SOLO}+goal={goal}", f"goal = {goal} needs two") for goal in ("columns", "deals")),
    ("standard+goal=total", "goal = total adds up penalties, but deal_scoring = versus"),
    ("solitary-gin+goal=points+points_target=100", "goal = points cannot be reached with"),
    ("pro+game_table=30:4/119:1", "game_table = 30:4/119:1 ends below points_target - 1"),
    ("standard+start_points=0/100", f"start_points = 0/100 {REACHED} 100"),
    ("race+start_points=0/121+race_points_seat=1", f"start_points = 0/121 {REACHED} 121"),
    ("standard+die=game", "die = game needs goal = games, not points"),
    ("standard+die=deal", "die = deal needs goal = deals, not points"),
    ("dice+deals_target=22", "deals_target must be 3..21 with die = deal, not 22"),
    ("solitaire-gin-scored+big_gin=yes", "big_gin_bonus needs a value with deal_scoring = joker"),
    ("solitaire-gin-scored+knock_limit=10+undercut_on_tie=no", "undercut_bonus needs a value with"),
]


@pytest.mark.parametrize(("text", "start"), REFUSED)
def test_a_contradictory_variant_is_refused_with_a_remedy(text, start):
    (sentence,) = [said for said in sentences(text) if said.startswith(start)]
    assert ": " in sentence and sentence.endswith(".")  # a remedy


def test_every_clause_of_the_refusals_is_tested():
    said = [sentence for text, _ in REFUSED for sentence in sentences(text)]
    for clause in CLAUSES:
        pattern = re.sub(r"\\{\w+\\}", ".+", re.escape(clause.sentence))
        assert any(re.fullmatch(pattern, sentence) for sentence in said), clause.sentence


ALLOWED = [
    *("shot+tedesco", "dice+rainbow", "shot+race", "shot+dice", "pro+game_table=30:4/120:1"),
    *("solitary-gin+max_draws=42", "solitary-gin+first_turn=discard_first+max_draws=41"),
    *("race+start_points=0/121", "twofold+start_points=121/0", "hollywood+start_points=100/100"),
    *("twofold+deals_target=2", "dice+deals_target=3+die_cap=2", "solitaire-gin+big_gin=yes"),
    "solitaire-gin-scored+knock_limit=10+undercut_bonus=25+undercut_on_tie=no",
    "standard+first_turn=free+take_discard=no",
]


@pytest.mark.parametrize("text", ALLOWED)
def test_everything_else_is_a_variant(text):
    assert find(text).text == text
