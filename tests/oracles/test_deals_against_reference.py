"""Compare every decision in deals of the engine with the reference implementation.

Some decks are shuffled. Stacked decks have many melds, so that rare events are frequent.
"""

import random
from collections import Counter
from itertools import product

import pytest

from simgin.play.matchup import Matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.rules.parameters import load_rule_parameters
from support import hands, variant_lists
from support.reference_replay import replay_deal, start_match
from support.variant_lists import (
    ONE_PLAYER_VARIANTS,
    find_test_strategy,
    list_parameter_values,
    list_parameters,
)

MAX_STACKED_DEALS = 40  # stacked decks per pair in which an outcome must have occurred
PLAYER_PAIRS = (
    ("stray", "stray-same"),
    ("late", "simple"),
    ("random:p=0.3", "gold"),
    ("simple+take=random+discard=low:tie=random+knock=random:p_end=0.3", "late"),
    ("shooter", "shooter-same"),
    ("random:p=0.8,p_end=1", "gold-early"),
)
SOLO_PLAYERS = ("stray", "late:least=3", "gold", "random:p_end=0.3", "gin-only")  # alone
# Parts of a variant spec, and outcomes that must have occurred in its deals
RARE_OUTCOMES = {
    "straight": "void",
    "shot": "shot",
    "big": "big_gin",
    "tournament": "last taken",
    "max_turns=7": "stalled",
    "at_draw": "void",
    "opponent_may_take": "last taken",
    "layoff_on_gin=yes": "cancelled",
}
OPTION_VARIANTS = (
    "big-gin+first_turn=discard_first",
    "standard+first_turn=upcard_stock_or_pass_dead",
    "standard+take_discard=no+first_turn=free",
    "standard+stock_end=at_draw",
    "standard+stock_end=opponent_may_take+stock_reserve=8+knock_limit=99",
    "standard+stock_reserve=0",
    "standard-50th+take_to_knock=melded+knock_limit=30",
    "oklahoma+upcard_ace_limit=1",
    "standard+knock_limit=99+undercut_on_tie=no",
    "rush+knock_limit=99+undercut_on_tie=knocker",
    "standard+layoff=no",
    "standard+layoff_on_gin=yes",
    "shot+take_to_knock=melded+discard_ban=none+knock_limit=40",
    "shot+shot_deducts=yes",
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
MELDING_CHOICE_VARIANTS = tuple(
    f"{text}+melding=choice"
    for text in (
        "standard",
        "standard+knock_limit=99+undercut_on_tie=no",
        "shot",
        "shot+tedesco+big_gin=yes",
        "rainbow+big-gin+layoff_on_gin=yes+ace_runs=corner",
        "standard+layoff_on_gin=yes+knock_limit=20",
        "standard-50th+take_to_knock=melded+knock_limit=30",
    )
)
# The die: offers and responses are random. At least one side of every pair offers.
DIE_PLAYER_PAIRS = (
    ("stray", "stray-same"),
    ("gambler", "stray"),
    ("gambler", "gambler"),
    ("simple", "gambler"),
)
DIE_VARIANTS = (
    "dice",
    "dice-pro",
    "dice+die_cap=2+die_centre_in_play=yes",
    "dice+die_centre_in_play=yes",
    "dice-pro+die_refusal_pays=new+die_centre_in_play=yes",
    "dice+first_turn=discard_first+big_gin=yes+die_cap=4",
    "dice-pro+tedesco+melding=choice",
    "dice+stock_end=at_draw+max_turns=20",
)


# One player
REQUIRED_SOLO_OUTCOMES = {
    "solitaire-gin": ("gin", "joker"),
    "solitaire-gin-scored": ("gin", "joker"),
    "solitaire-gin-knock": ("knock", "gin", "undercut", "joker"),
    "gin-solitaire": ("knock", "gin", "big_gin", "undercut", "joker"),
    "solitary-gin": ("gin", "limit"),
}
SOLO_VARIANTS = (
    "solitaire-gin+joker_in_hand=lose+discard_ban=drawn",
    "solitaire-gin-scored+joker_in_hand=lose+stop_before_draw=no+gin_bonus=1000",
    "solitaire-gin-scored+big_gin=yes+big_gin_bonus=0+joker=after_deal+ace_runs=corner+rainbow=yes",
    "solitaire-gin-knock+joker_in_hand=lose+count_joker=yes+undercut_on_tie=yes+knock_limit=40",
    "solitaire-gin-knock+undercut_on_tie=knocker+knock_limit=99",
    "solitaire-gin-knock+stop_before_draw=no+discard_ban=drawn+undercut_bonus=0+knock_limit=30",
    "solitaire-gin-knock+rainbow=yes+ace_runs=corner+knock_limit=99",
    "solitaire-gin-knock+max_turns=3+ace_runs=high_or_low+goal=single",
    "solitaire-gin-knock+big_gin=yes+big_gin_bonus=1000+ace_value=99+discard_view=top",
    "gin-solitaire+discard_ban=taken+count_joker=yes+knock_limit=0",
    "gin-solitaire+stop_before_draw=no+undercut_on_tie=yes+undercut_bonus=1000+"
    "ace_runs=corner+knock_limit=60",
    "gin-solitaire+rainbow=yes+discard_ban=drawn+max_turns=1+gin_bonus=0+melding=choice",
    "gin-solitaire+first_turn=stock+pip_values=five_ten+ace_value=15+knock_limit=25",
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
)


def compare_deals(spec, seed, n_shuffled, n_stacked, required_outcomes=()):
    """Compare deals with the reference until all required outcomes have occurred."""
    variant, counts, rng = variants.find_variant(spec), Counter(), random.Random(f"{spec} {seed}")
    pairs = PLAYER_PAIRS if variant.params["die"] == "off" else DIE_PLAYER_PAIRS
    if variant.is_solo:
        pairs = [(player, None) for player in SOLO_PLAYERS]
    matchups = [
        Matchup(variant, find_test_strategy(a), b and find_test_strategy(b), seed, "deal")
        for a, b in pairs
    ]
    for unit, matchup in product(range(n_shuffled), matchups):
        count_outcomes(counts, trace_deal(matchup, unit, unit % 2 if matchup.is_mirrored else 0))
    for i in range(max(MAX_STACKED_DEALS, n_stacked)):
        if i >= n_stacked and all(counts[kind] for kind in required_outcomes):
            break
        for number, matchup in enumerate(matchups):
            count_outcomes(counts, *play_stacked_deal(rng, matchup, i, (i + number) % 2))
    missing = [kind for kind in required_outcomes if not counts[kind]]
    assert not missing, (missing, counts)
    return counts


def play_stacked_deal(rng, matchup, unit, dealer):
    """Return a traced deal with a stacked deck, and the match of the reference."""
    params = matchup.variant.params
    if params["players"] == 1:
        pack = hands.stack_solo_pack(rng, params)
        return trace_deal(matchup, unit, pack=pack, joker=draw_joker_position(rng, params)), None
    points = hands.choose_random_scores(rng, params) if unit % 3 < 2 else (0, 0)
    pack = hands.stack_pack(rng, params, points[1 - dealer])
    played = trace_deal(matchup, unit, pack=pack, dealer=dealer, points=points)
    return played, start_match(played, start_points=points)


def draw_joker_position(rng, params):
    """Return a random position of the joker among the 53 cards, or -1 without a joker."""
    if params["joker"] == "none":
        return -1
    in_hand = params["joker"] == "before_deal" and params["joker_in_hand"] == "lose"
    return rng.randrange(0 if in_hand else 10 + (params["first_turn"] == "discard_first"), 53)


def count_outcomes(counts, traced_deal, match=None):
    """Replay a deal with the reference, and count its outcome and its rare events."""
    result = replay_deal(traced_deal, match)
    counts[result.outcome] += 1
    counts["stopped at once"] += result.knocker is not None and result.draws == [0, 0]
    counts["no hand"] += len(hands.list_cards(int(traced_deal.state.hand[0]))) == 9
    counts["cancelled"] += result.outcome in ("gin", "big_gin") and result.winner is None
    asked = Counter(
        (one.slot, int(one.view.phase), int(one.action)) for one in traced_deal.decisions
    )
    counts["last taken"] += asked["knock", 2, 1]
    shows = [one.action for one in traced_deal.decisions if one.slot == "show"]
    counts["shown"] += len(shows)
    counts["shown dearer"] += any(shows)
    answered = {True: 0, False: 0}
    for (slot, phase, _), times in asked.items():
        answered[phase == 4] += times * (slot == "answer")
    counts["answered blind"] += answered[True]
    counts["answered in play"] += answered[False]
    counts["raised again"] += sum(answered.values()) > 1
    counts["declined"] += any(
        one.slot == "knock" and one.action == 0 for one in traced_deal.decisions
    )


DISTINCT_VARIANTS = variant_lists.select_distinct_deals(variant_lists.TWO_PLAYER_VARIANTS)


def find_rare_outcomes(spec):
    """Return the outcomes that must occur in deals of a variant."""
    return [kind for part, kind in RARE_OUTCOMES.items() if part in spec]


@pytest.mark.parametrize("spec", DISTINCT_VARIANTS)
def test_deals_of_built_in_variant_agree_with_reference(spec):
    usual = ("gin",) if spec.startswith("straight") else ("knock", "gin", "undercut", "declined")
    compare_deals(spec, 2024, 0, 1, required_outcomes=(*usual, *find_rare_outcomes(spec)))


@pytest.mark.parametrize("spec", OPTION_VARIANTS)
def test_deals_with_option_agree_with_reference(spec):
    compare_deals(spec, 2025, 0, 1, required_outcomes=find_rare_outcomes(spec))


@pytest.mark.parametrize("spec", MELDING_CHOICE_VARIANTS)
def test_deals_with_melding_choice_agree_with_reference(spec):
    compare_deals(spec, 2030, 0, 1, required_outcomes=("shown", "shown dearer"))


@pytest.mark.parametrize("spec", DIE_VARIANTS)
def test_deals_with_die_agree_with_reference(spec):
    wanted = ("refused", "answered blind", "answered in play")
    if spec == "dice+die_centre_in_play=yes":
        wanted += ("raised again",)
    compare_deals(spec, 2100 + DIE_VARIANTS.index(spec), 1, 1, wanted)


@pytest.mark.parametrize("spec", ONE_PLAYER_VARIANTS)
def test_deals_of_solitaire_variant_agree_with_reference(spec):
    compare_deals(spec, 2040, 1, 1, (*REQUIRED_SOLO_OUTCOMES[spec], "stopped at once"))


@pytest.mark.parametrize("spec", SOLO_VARIANTS)
def test_solitaire_deals_with_option_agree_with_reference(spec):
    wanted = {
        "joker_in_hand=lose": "no hand",
        "max_turns=": "stalled",
        "big_gin=yes": "big_gin",
        "knock_limit=99": "knock",
        "max_draws=1": "limit",
        "max_draws=5": "limit",
    }
    some = [kind for part, kind in wanted.items() if part in spec and "max_draws=3" not in spec]
    counts = compare_deals(spec, 2041, 1, 1, some)
    if "stop_before_draw=no" in spec and "big_gin=yes" not in spec and "gin-solitaire" not in spec:
        assert not counts["stopped at once"], counts


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        *DISTINCT_VARIANTS,
        *OPTION_VARIANTS,
        *MELDING_CHOICE_VARIANTS,
        *DIE_VARIANTS,
        *ONE_PLAYER_VARIANTS,
        *SOLO_VARIANTS,
    ],
)
def test_many_deals_agree_with_reference(spec):
    compare_deals(spec, 2026, n_shuffled=100, n_stacked=100)


def test_every_value_of_a_deal_rule_is_replayed():
    """Each value must have an effect in one of the tested variants."""
    rules = list_parameters("deal", "meld", "score", "stake")
    wanted = {
        (name, str(value))
        for name in rules
        for value in list_parameter_values(load_rule_parameters()[name])
    }
    texts = (
        *DISTINCT_VARIANTS,
        *OPTION_VARIANTS,
        *MELDING_CHOICE_VARIANTS,
        *DIE_VARIANTS,
        *ONE_PLAYER_VARIANTS,
        *SOLO_VARIANTS,
    )
    assert wanted <= variant_lists.find_values_in_effect(
        rules, [variants.find_variant(text).params for text in texts]
    )


# Random variants


TWO_PLAYER_RULE_VALUES = {
    "knock_limit": (0, 5, 9, 10, 25, 99),
    "upcard_ace_limit": (0, 1),
    "stock_reserve": (0, 2, 2, 10),
    "max_turns": (5, 500, 500, 500),
    "ace_value": (1, 15),
    "defender_ace_value": (1, 15),
    "gin_bonus": (0, 25),
    "big_gin_bonus": (31, 50),
    "undercut_bonus": (0, 10, 25),
    "spade_multiplier": (1, 2),
    "goal": ("points", "single", "deals", "games"),
    "die": ("off", "off", "deal", "game"),
    "die_cap": (2, 6),
    "points_target": (100, 121),
}
SOLO_RULE_VALUES = {
    "joker": ("none", "before_deal", "after_deal"),
    "knock_limit": (0, 5, 10, 30, 99),
    "max_draws": ("none", 1, 4, 15, 41),
    "max_turns": (1, 5, 15, 500, 500),
    "ace_value": (1, 15),
    "deal_scoring": ("joker", "joker", "joker", "winloss", "penalty"),
    "gin_bonus": (0, 25),
    "undercut_bonus": (0, 25),
    "penalty_gin": (-20, 7),
    "goal": ("single", "points"),
    "points_target": (100,),
    "deals_in_match": (5,),
    "total_goal": (30,),
}


def compare_random_variants(base, seed, n_variants, n_stacked):
    """Compare deals of random variants with the reference, and count the outcomes."""
    rng, counts, params = random.Random(seed), Counter(), variants.find_variant(base).params
    values = {}
    for name in list_parameters("deal", "meld", "score", "stake"):
        rule = load_rule_parameters()[name]
        if rule.value_type in ("bool", "choice"):
            some = [
                one
                for one in list_parameter_values(rule)
                if not variants.validate_params({**params, name: one})
            ]
            values[name] = [rule.to_text(value) for value in some]
    values |= TWO_PLAYER_RULE_VALUES if base == "standard" else SOLO_RULE_VALUES
    for _ in range(n_variants):
        text = variant_lists.draw_variant(rng, base, values)
        counts += compare_deals(text, seed, n_shuffled=0, n_stacked=n_stacked)
    return counts


@pytest.mark.parametrize("is_long", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("base", "n_variants", "n_long", "required_outcomes"),
    [
        ("standard", 20, 2100, "knock gin big_gin shot undercut even void stalled shown refused"),
        ("gin-solitaire", 15, 1050, "knock gin big_gin undercut stalled joker limit declined"),
    ],
)
def test_deals_of_random_variants_agree_with_reference(
    base, n_variants, n_long, required_outcomes, is_long
):
    seed, n = (2097, n_long) if is_long else (2028, n_variants)
    counts = compare_random_variants(base, seed, n, 1 if base == "standard" else 2)
    assert all(counts[kind] for kind in required_outcomes.split()), counts


@pytest.mark.parametrize("max_turns, last_taking_turn", [(29, 0), (500, 472)])
def test_50th_card_rule_can_add_a_turn(max_turns, last_taking_turn):
    """The deal ends one turn after `max_turns`, and the history has enough space."""
    pair = (
        f"last:turn={last_taking_turn}+discard=low",
        f"last:turn={last_taking_turn}+discard=low:tie=random",
    )
    variant = variants.find_variant(f"standard-50th+max_turns={max_turns}+knock_limit=99")
    played = trace_deal(Matchup(variant, *map(find_test_strategy, pair), 3, "deal"), 0)
    replay_deal(played)
    assert played.ending != "stalled"
    assert played.state.turns == max_turns + 1
