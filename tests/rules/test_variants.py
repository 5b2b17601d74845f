"""Parameters, named variants, their composition and what is refused (rules.md 10.17 and 11)."""

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simgin.rules import variants
from simgin.rules.parameters import parameters
from simgin.rules.validation import CLAUSES
from simgin.rules.variants import VariantError, difference, find, names, validate, value_text

BOOK = json.loads(
    (Path(__file__).parents[1] / "data" / "rules_vectors.json").read_text(encoding="utf-8")
)
STANDARD = BOOK["variants"]["standard"]


def sentences(text):
    """What is wrong with a text."""
    with pytest.raises(VariantError) as error:
        find(text)
    assert str(error.value) == "\n".join(error.value.sentences)
    return error.value.sentences


# --- the variants against the table of rules ---


@pytest.mark.parametrize("name", BOOK["variants"])
def test_every_variant_agrees_with_the_table_of_rules(name):
    assert json.dumps(find(name).row) == json.dumps(
        BOOK["variants"][name]
    )  # as text: order counts, and true is not 1


def test_the_named_variants_are_those_of_the_rules_and_eaai():
    assert set(names()) == {*BOOK["variants"], "eaai"}
    assert names()[0] == "standard"


def test_eaai_is_standard_with_alternating_dealers():
    assert difference(find("standard"), find("eaai")) == [("next_dealer", "winner", "alternate")]


def test_every_variant_has_a_title_a_description_and_a_source():
    for name in names():
        variant = find(name)
        assert (
            variant.text == name
            and variant.title
            and variant.about.endswith(".")
            and variant.source
        )


def test_parameters_agree_with_the_table_of_rules():
    mine = [(p.name, p.section, p.meaning, p.status) for p in parameters().values()]
    assert mine == [
        (p["name"], p["section"], p["meaning"], p["status"]) for p in BOOK["parameters"]
    ]
    assert list(STANDARD) == list(parameters())


def test_descriptions_do_not_cite_clause_numbers():
    for parameter in parameters().values():
        assert not re.search(r"section|\d\.\d", parameter.words)
        assert (parameter.plain == "") == (parameter.words == parameter.meaning)


def test_parameters_have_the_types_of_the_table_of_rules():
    words = {"bool": "bool", "pair": "two ints", "table": "list of (up to, games)"}
    for entry in BOOK["parameters"]:
        parameter = parameters()[entry["name"]]
        if parameter.kind == "choice":
            assert ", ".join(map(str, parameter.choices)) == entry["type"]
        elif parameter.kind == "int":
            assert entry["type"] in ("int", f"int {parameter.low}..{parameter.high}", "int or none")
            assert parameter.optional == (entry["type"] == "int or none")
        else:
            assert words[parameter.kind] == entry["type"]


def test_defaults_are_the_variant_standard():
    for name, parameter in parameters().items():
        assert parameter.default == STANDARD[name]
        assert parameter.read(parameter.write(parameter.default)) == parameter.default
        assert parameter.fault(parameter.default) == "" and parameter.fault(parameter.example) == ""


def test_every_dash_of_a_variant_is_justified():
    for parameter in parameters().values():
        for name, values in {**parameter.acts_with, **parameter.idle_with}.items():
            assert all(parameters()[name].fault(value) == "" for value in values)
        assert all(parameter.dash(row) == "" for row in BOOK["variants"].values())


def test_every_variant_of_the_worked_examples_can_be_composed():
    for vector in BOOK["vectors"]:
        if vector["kind"] in ("solo_script", "play_script"):
            name = vector["variant"] if vector["variant"] in names() else "standard"
            changes = vector["input"].get("overrides") or {}
            find(
                "+".join([name, *(f"{key}={value_text(value)}" for key, value in changes.items())])
            )


# --- composition ---


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("oklahoma+rainbow", "oklahoma+rainbow"),
        (" oklahoma + rainbow + knock_limit = 5 ", "oklahoma+rainbow+knock_limit=5"),
        ("standard+goal=deals+knock_limit=5", "standard+knock_limit=5+goal=deals"),
        ("standard+knock_limit=10", "standard"),
        ("basic+knock_limit=9", "basic"),
        ("standard+knock_limit=5+knock_limit=7", "standard+knock_limit=7"),
        ("oklahoma+knock_limit=5+basic", "oklahoma+basic"),
        ("oklahoma+rainbow+oklahoma", "rainbow+oklahoma"),
        ("dice+pro", "dice-pro"),
        ("pro+dice", "dice-pro"),
        ("dice+rainbow+pro", "rainbow+dice-pro"),
        ("basic+start_points=40/60", "basic+start_points=40/60"),
        ("pro+game_table=60:2/120:1", "pro+game_table=60:2/120:1"),
        ("standard+big_gin=TRUE", "standard+big_gin=yes"),
        ("standard+layoff=0", "standard+layoff=no"),
        ("standard+first_dealer=1", "standard+first_dealer=1"),
        ("oklahoma+knock_limit=none", "oklahoma+knock_limit=-"),
        (
            "solitary-gin+joker=after_deal+max_draws=-",
            "solitary-gin+joker=after_deal+max_draws=none",
        ),
        ("straight+shutout=double_points+shutout=none", "straight"),
    ],
)
def test_a_variant_has_a_canonical_text(text, canonical):
    assert find(text).text == canonical
    assert find(canonical) == find(text)


@pytest.mark.parametrize("text", ["dice+pro", "pro+dice"])
def test_dice_with_pro_is_dice_pro(text):
    assert find(text) == find("dice-pro")


def test_named_variants_combine_by_their_differences_from_standard():
    both = find("tedesco+rush").row
    assert both == {**BOOK["variants"]["tedesco"], "rush_premium": True}


def test_the_last_variant_to_set_a_parameter_wins():
    assert find("basic+straight").row["knock_limit"] == 0
    assert find("straight+basic").row["knock_limit"] == 9


def test_a_one_player_variant_stays_one_under_an_unrelated_variant():
    assert find("rainbow+solitaire-gin-knock").row == find("solitaire-gin-knock+rainbow").row
    assert find("solitaire-gin+standard").row == find("solitaire-gin").row


def test_a_one_player_variant_with_rules_for_two_is_refused():
    sentence = "goal = games needs two players: set goal to single, points or total for one."
    assert sentence in sentences("gin-solitaire+pro")


def test_the_caller_may_change_a_row():
    find("standard").row["start_points"].append(3)
    find("pro").row["game_table"][0][0] = 99
    assert find("standard").row == STANDARD and find("pro").row == BOOK["variants"]["pro"]


def test_titles_and_descriptions_name_the_parts():
    variant = find("oklahoma+rainbow+gin_bonus=20")
    assert variant.title == "Oklahoma Gin + Gin Rainbow, gin_bonus = 20"
    assert variant.about.endswith("Changed: gin_bonus = 20.")


def test_the_difference_of_two_variants_lists_their_parameters():
    expected = [("knock_limit", 10, 0), ("start_points", [0, 0], [1, 2])]
    assert difference(find("standard"), find("straight+start_points=1/2")) == expected


def test_variants_can_be_hashed_and_pickled():
    variant = find("oklahoma+rainbow")
    assert pickle.loads(pickle.dumps(variant)) == variant and hash(variant) == hash(
        find("oklahoma+rainbow")
    )
    error = VariantError(["one.", "two."])
    assert pickle.loads(pickle.dumps(error)).sentences == error.sentences


def test_the_table_of_parameters_is_read_lazily():
    assert variants.PARAMETERS is parameters()
    with pytest.raises(AttributeError, match="PARAMETER_TABLE"):
        _ = variants.PARAMETER_TABLE


def test_importing_reads_no_file_and_no_heavy_library():
    code = (
        "import sys; import simgin.rules.variants, simgin.text.notation; from "
        "simgin.rules.parameters import variants_file; "
        "assert variants_file.cache_info().currsize == 0; assert not {'numba', 'numpy', 'pandas'} "
        "& set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(variants.__file__).parents[1])


# --- bad texts and bad rows ---


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("oklahma", "there is no variant 'oklahma'; did you mean 'oklahoma'?"),
        ("Oklahoma", "there is no variant 'Oklahoma'; did you mean 'oklahoma'?"),
        ("zzzz", "there is no variant 'zzzz'. `simgin variants` lists them."),
        (
            "standard+knok_limit=3",
            "there is no parameter 'knok_limit'; did you mean 'knock_limit'?",
        ),
        (
            "standard+zzzz=3",
            "there is no parameter 'zzzz'. `simgin variants standard` shows them all.",
        ),
        ("standard+knock_limit=abc", "knock_limit must be a whole number 0..99, not 'abc'."),
        ("standard+knock_limit=100", "knock_limit must be a whole number 0..99, not 100."),
        ("standard+knock_limit=", "knock_limit must be a whole number 0..99, not ''."),
        ("standard+max_draws=0", "max_draws must be a whole number 1..99 or none, not 0."),
        ("standard+layoff=maybe", "layoff must be yes or no, not 'maybe'."),
        (
            "standard+melding=autos",
            "melding must be one of auto, choice, not 'autos'; did you mean 'auto'?",
        ),
        (
            "standard+start_points=40",
            "start_points must be two whole numbers 0..100000, like 40/60, not '40'.",
        ),
        (
            "standard+start_points=a/b",
            "start_points must be two whole numbers 0..100000, like 40/60, not 'a/b'.",
        ),
        (
            "standard+shutout=-",
            "shutout is a dash here, but goal = points makes it count: give it a value, "
            "like shutout=none.",
        ),
        ("standard+goal=-", "goal always needs a value: give it one, like goal=points."),
        ("standard+big_gin", "big_gin is a parameter and needs a value, like big_gin=no."),
        (
            "knock_limit=5",
            "a variant begins with a name, and 'knock_limit=5' is a setting: put "
            "standard+ before it.",
        ),
        (
            "standard++rush",
            "'standard++rush' has an empty part: join names and settings by plus signs, "
            "like oklahoma+gin_bonus=20.",
        ),
    ],
)
def test_a_bad_text_is_refused_in_a_sentence(text, sentence):
    assert sentences(text) == [sentence]


@pytest.mark.parametrize(
    "rows", ["x", "30", "60:3/30:4", "30:4/120:0", "30:4:1", "/".join(f"{i}:1" for i in range(9))]
)
def test_a_bad_table_of_variants_is_refused(rows):
    (sentence,) = sentences(f"pro+game_table={rows}")
    assert sentence.startswith("game_table must be at most 8 rows up-to:games")
    assert "like 30:4/60:3/90:2/120:1" in sentence


def test_every_mistake_is_reported_at_once():
    said = sentences("oklahma+tedsco+knok_limit=1+layoff=x+die=deel")
    assert len(said) == 5
    said = sentences("standard+knock_limit=x+knock_limit=5+goal=total+die=deal")
    assert [sentence.split()[0] for sentence in said] == ["knock_limit", "goal", "die"]


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
REFUSED = [
    ("shot+hollywood", "shot = yes cannot be played with goal = columns"),
    (
        "oklahoma+first_turn=discard_first",
        "knock_by_upcard = yes needs an upcard, and first_turn = discard_first",
    ),
    (
        f"{SOLO}+knock_by_upcard=yes",
        "knock_by_upcard = yes needs an upcard, and first_turn = stock has none",
    ),
    (
        "standard+spade_multiplier=2+first_turn=discard_first",
        "spade_multiplier = 2 needs an upcard",
    ),
    (
        f"{SOLO}+spade_multiplier=2",
        "spade_multiplier = 2 needs an upcard, and first_turn = stock has none",
    ),
    (
        "standard+take_to_knock=melded+take_discard=no+first_turn=free",
        "take_to_knock = melded is about cards taken",
    ),
    (
        "standard+take_discard=no",
        "first_turn = upcard_pass offers the upcard, which take_discard = no forbids",
    ),
    ("basic+take_discard=no", "first_turn = upcard_stock_or_pass offers the upcard"),
    (
        "standard+first_turn=upcard_stock_or_pass_dead+take_discard=no",
        "first_turn = upcard_stock_or_pass_dead offers",
    ),
    (
        "standard-50th+take_discard=no+first_turn=free",
        "stock_end = opponent_may_take offers the last discard",
    ),
    ("standard+joker=after_deal", "joker = after_deal is for one player"),
    (f"{SOLO}+joker=none+max_draws=15", "deal_scoring = joker needs a joker in the deck"),
    ("solitaire-gin+joker=none", "deal_scoring = winloss needs a joker in the deck"),
    (
        f"{SOLO}+joker_in_hand=-",
        "joker_in_hand is a dash here, but joker = before_deal makes it count",
    ),
    (
        f"{SOLO}+first_turn=discard_first",
        "joker = before_deal cannot be combined with first_turn = discard_first",
    ),
    ("standard+first_turn=stock", "first_turn = stock is for one player"),
    ("standard+stock_end=none", "stock_end = none is for one player"),
    (
        "standard+deal_scoring=penalty+penalty_gin=-20+goal=single",
        "deal_scoring = penalty is for one player",
    ),
    (f"{SOLO}+deal_scoring=versus", "deal_scoring = versus needs two players"),
    (f"{SOLO}+take_discard=yes", "take_discard = yes needs two players"),
    (f"{SOLO}+first_turn=upcard_pass", "first_turn = upcard_pass needs two players"),
    (f"{SOLO}+first_turn=free", "first_turn = free needs two players"),
    (f"{SOLO}+stock_end=at_draw", "stock_end = at_draw needs two players"),
    (
        "solitary-gin+max_draws=none",
        "one player without a joker can draw no more cards than are left",
    ),
    (
        "solitary-gin+max_draws=43",
        "one player without a joker can draw no more cards than are left",
    ),
    (
        "solitary-gin+max_draws=42+first_turn=discard_first",
        "one player without a joker can draw no more cards",
    ),
    ("standard+max_draws=15", "max_draws = 15 is for one player"),
    (f"{SOLO}+max_draws=15", "max_draws = 15 needs deal_scoring = penalty, not joker"),
    ("solitaire-gin+knock_limit=10", "deal_scoring = winloss knows gin only, and knock_limit = 10"),
    (f"{SOLO}+rush", "rush_premium = yes needs two players"),
    (f"{SOLO}+layoff=yes", "layoff = yes needs two players"),
    (f"{SOLO}+shot", "shot = yes needs two players"),
    ("standard+layoff_on_gin=yes+layoff=no", "layoff_on_gin = yes needs layoff = yes"),
    *(
        (f"{SOLO}+goal={goal}", f"goal = {goal} needs two")
        for goal in ("columns", "games", "race", "twofold", "deals")
    ),
    ("standard+goal=total", "goal = total adds up penalties, and deal_scoring = versus"),
    (
        "solitary-gin+goal=points+points_target=100",
        "goal = points cannot be reached with deal_scoring = penalty",
    ),
    (
        "pro+game_table=30:4/119:1",
        "game_table = 30:4/119:1 ends below points_target - 1 (points_target = 121)",
    ),
    ("standard+start_points=0/100", "start_points = 0/100 has reached points_target = 100 already"),
    ("pro+start_points=121/0", "start_points = 121/0 has reached points_target = 121 already"),
    ("race+start_points=121/0", "start_points = 121/0 has reached points_target = 121 already"),
    (
        "race+start_points=0/121+race_points_seat=1",
        "start_points = 0/121 has reached points_target = 121 already",
    ),
    ("standard+die=deal", "die = deal needs goal = deals, not points"),
    ("standard+die=game", "die = game needs goal = games, not points"),
    ("dice+deals_target=2", "deals_target must be 3..21 with die = deal, and it is 2"),
    ("dice+deals_target=22", "deals_target must be 3..21 with die = deal, and it is 22"),
    (
        "solitaire-gin-scored+big_gin=yes",
        "big_gin_bonus is a dash here, but deal_scoring = joker and big_gin = yes",
    ),
    (
        "solitaire-gin-scored+knock_limit=10+undercut_on_tie=no",
        "undercut_bonus is a dash here, but deal_scoring = joker and knock_limit = 10 "
        "make it count",
    ),
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


@pytest.mark.parametrize(
    "text",
    [
        "shot+tedesco",
        "dice+rainbow",
        "shot+race",
        "shot+dice",
        "solitary-gin+max_draws=42",
        "solitary-gin+first_turn=discard_first+max_draws=41",
        "pro+game_table=30:4/120:1",
        "race+start_points=0/121",
        "twofold+start_points=121/0",
        "twofold+deals_target=2",
        "dice+deals_target=3+die_cap=2",
        "hollywood+start_points=100/100",
        "solitaire-gin-scored+knock_limit=10+undercut_bonus=25+undercut_on_tie=no",
        "solitaire-gin+big_gin=yes",
        "standard+first_turn=free+take_discard=no",
    ],
)
def test_everything_else_is_a_variant(text):
    assert find(text).text == text


# --- random texts ---


def settings_of(parameter):
    """Valid values of a parameter, as text."""
    numbers = st.integers(parameter.low, parameter.high)
    tables = st.lists(st.integers(0, 200), min_size=1, max_size=8, unique=True)
    values = {
        "bool": st.booleans(),
        "choice": st.sampled_from(parameter.choices or (0,)),
        "int": numbers,
        "pair": st.lists(numbers, min_size=2, max_size=2),
        "table": tables.map(lambda ups: [[up, 1] for up in sorted(ups)]),
    }[parameter.kind]
    return st.one_of(values, st.none()).map(
        lambda value: f"{parameter.name}={parameter.write(value)}"
    )


SETTINGS = st.one_of([settings_of(parameter) for parameter in parameters().values()])
NAMED = st.lists(st.sampled_from(names()), min_size=1, max_size=3)
WORDS = [*names(), *parameters(), "+", "=", "-", "/", ":", "none", "yes", "7"]
FRAGMENTS = st.one_of(st.sampled_from(WORDS), st.text(max_size=4))


@given(NAMED, st.lists(SETTINGS, max_size=4), st.randoms(use_true_random=False))
def test_a_composition_round_trips_or_is_refused_in_a_sentence(named, settings, order):
    rest = named[1:] + settings
    order.shuffle(rest)
    try:
        variant = find("+".join([named[0], *rest]))
    except VariantError as error:
        assert error.sentences and all(sentence[-1] in ".?" for sentence in error.sentences)
    else:
        again = find(variant.text)
        assert (
            again.text == variant.text
            and again.row == variant.row
            and list(again.row) == list(parameters())
        )
        assert validate(variant.row) == []


@given(st.lists(FRAGMENTS, max_size=8).map("".join))
def test_any_text_is_either_a_variant_or_refused(text):
    try:
        variant = find(text)
    except VariantError as error:
        assert error.sentences and len(set(error.sentences)) == len(error.sentences)
    else:
        assert find(variant.text) == variant


NUMBERS = st.lists(st.lists(st.integers()), max_size=3)
ANYTHING = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), NUMBERS)


@given(
    st.dictionaries(
        st.one_of(st.sampled_from(list(parameters())), st.text(max_size=3)), ANYTHING, max_size=6
    )
)
def test_any_row_is_validated_without_a_traceback(changes):
    assert all(isinstance(sentence, str) for sentence in validate({**STANDARD, **changes}))
    assert all(isinstance(sentence, str) for sentence in validate(changes))
