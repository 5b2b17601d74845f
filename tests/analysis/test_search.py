"""`simgin find`: it lists what a look at every single deal finds, and each can be shown."""

import json
import shlex

import pytest

import simgin
from simgin.analysis.where import WhereError, read_where
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from support.command_line import call

DEALS = 600
TWO = ("standard", "oklahoma", "dice", "straight", "standard-50th", "shot", "rush")


def watched(a, b, variant, units):
    """Every deal of some pairs, played one at a time: ((unit, half), deal)."""
    matchup = parse_matchup(a, b, variant, 1, "deal")
    for unit in range(units):
        for half in range(2 if matchup.mirrored else 1):
            yield (unit, half), watch_deal(matchup, unit, half)


def points(deal):
    """The points of A less the opponent's, by seats."""
    half = int(deal.state.half)
    return int(deal.state.score[half] - deal.state.score[1 - half])


def places(frame):
    return list(zip(frame["unit"], frame["half"], strict=True)) if len(frame) else []


def shown(command):
    """The deal and the result that a command shows."""
    program, *words = shlex.split(command)
    assert program == "simgin"
    first, *_, last = json.loads(call(*words, "--json").stdout)["rows"]
    return first, last


@pytest.mark.parametrize("variant", TWO)
def test_endings_and_points_are_those_of_deals_looked_at_one_by_one(variant):
    found = simgin.find(
        "gold", "simple", variant, where="gin, undercut, points < -20", deals=DEALS, limit=1000
    )
    expected = []
    for place, deal in watched("gold", "simple", variant, DEALS // 2):
        if deal.kind in ("gin", "undercut") and points(deal) < -20:
            expected.append(place)
    assert expected
    assert places(found) == expected


def test_the_longest_come_first_and_those_that_are_level_as_played():
    found = simgin.find("gold", "simple", where="lost, longest", deals=DEALS, limit=7)
    lost = []
    for place, deal in watched("gold", "simple", "standard", DEALS // 2):
        if deal.state.winner >= 0 and deal.state.winner != deal.state.half:
            lost.append((-int(deal.state.turns), place))
    lost.sort()
    assert places(found) == [place for _, place in lost[:7]]


def test_what_differs_is_what_two_players_of_the_same_cards_do_otherwise():
    found = simgin.find(
        "gold", "gold-early", where="differ", against="simple", deals=200, limit=1000
    )
    expected = {}
    pairs = zip(
        watched("gold", "simple", "standard", 100),
        watched("gold-early", "simple", "standard", 100),
        strict=True,
    )
    for (place, own), (_, other) in pairs:
        mine = [(q.seat, q.slot, q.answer) for q in own.questions]
        yours = [(q.seat, q.slot, q.answer) for q in other.questions]
        if mine != yours:
            expected[place] = points(own) - points(other)
    assert places(found) == list(expected)
    assert list(found["gain"]) == list(expected.values())
    assert set(found["other"]) == {"plays on"}  # gold-early is gold but for its knocks
    assert found["own"].str.startswith("knocks with ").all()


def test_first_halves_alone_are_compared_where_one_of_the_two_plays_itself():
    found = simgin.find("gold", "gold-early", where="differ", deals=50, limit=100)
    assert set(found["half"]) == {0}
    assert found["unit"].is_unique


@pytest.mark.parametrize("variant", ["standard", "dice", "solitaire-gin-knock", "solitary-gin"])
def test_the_command_of_a_row_shows_that_deal(variant):
    players = ["gold", "simple"] if variant in TWO else ["solo-greedy"]
    found = simgin.find(*players, variant=variant, where="longest", deals=500, limit=3)
    for row in found.to_dict("records"):
        first, last = shown(row["command"])
        assert first["unit"] == row["unit"]
        assert last["kind"] == row["ending"]
        assert last["turns"] == row["turns"]
        own, other = last["score"][row["half"]], last["score"][1 - row["half"]]
        assert own - other == row["points"]


def test_the_commands_of_two_compared_show_both_deals():
    found = simgin.find("gold", "champion", where="differ, gain < -40", deals=500, limit=3)
    assert len(found)
    for row in found.to_dict("records"):
        _, own = shown(row["command"])
        _, other = shown(row["rival_command"])
        assert own["score"][0] - own["score"][1] == row["points"]
        assert other["score"][0] - other["score"][1] == row["rival_points"]
        assert row["gain"] == row["points"] - row["rival_points"] < -40


def test_deals_of_matches_are_shown_by_their_number():
    found = simgin.find("gold", "simple", where="undercut", matches=20, limit=5)
    assert found["deal"].max() > 0
    for row in found.to_dict("records"):
        first, last = shown(row["command"])
        assert (first["deal"], last["kind"]) == (row["deal"], "undercut")


def test_solo_players_are_compared_alone():
    found = simgin.find(
        "solo-greedy", "solo-two-draws", "solitary-gin", where="differ", deals=20, limit=2
    )
    assert list(found["opponent"]) == ["", ""]
    _, last = shown(found["rival_command"][0])
    assert last["score"][0] - last["score"][1] == found["rival_points"][0]


def test_costly_decisions_are_analysed_in_worlds_that_did_not_choose_them():
    found = simgin.find("gold", "simple", where="lost, costly", deals=6, limit=2)
    assert len(found)
    assert (found["cost"] > 0).all()
    row = found.iloc[0]
    _, _, *words = shlex.split(row["analyze"])
    anew = call("analyze", *words, "--seed", 1, "--worlds", 400).stdout
    assert f"{row['own']} <" in anew


def test_workers_do_not_change_what_is_found():
    one, three = (
        simgin.find("gold", "simple", where="longest", deals="50k", limit=5, workers=n)
        for n in (1, 3)
    )
    assert one.equals(three)


def test_the_screen_and_the_command_that_repeats_it():
    words = ["find", "gold", "simple", "--where", "undercut, lost", "--deals", 2000, "--limit", 2]
    done = call(*words)
    assert "undercuts with" in done.stdout
    assert done.stdout.count("simgin show gold simple -v standard --seed 1 --unit ") == 2
    again = shlex.split(done.stdout.splitlines()[-1].removeprefix("Repeat:  simgin "))
    assert call(*again).stdout == done.stdout


def test_json_has_the_rows_of_the_frame():
    words = ["find", "gold", "gold-early", "--where", "differ", "--deals", 100, "--json"]
    answer = json.loads(call(*words).stdout)
    frame = simgin.find("gold", "gold-early", where="differ", deals=100)
    assert answer["rows"] == frame.to_dict("records")


def test_nothing_found_is_said():
    assert (
        "0 of 100 deals fit."
        in call("find", "gold", "--where", "points > 5000", "--deals", 100).stdout
    )
    assert simgin.find("gold", where="points > 5000", deals=100).empty


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("", "'' is nothing to look for"),
        ("undercuts", "did you mean 'undercut'?"),
        ("undercut,", "'' is nothing to look for"),
        ("point < 3", "'point' is no number of a deal; did you mean 'points'?"),
        ("points", "compare it, as in `points > 20`"),
        ("points << 3", "is nothing to look for"),
        ("points < 1e5", "is nothing to look for"),
        ("longest, lowest", "longest and lowest do not go together"),
        ("won, lost", "won and lost do not go together"),
        ("gain > 3", "write `differ, gain < -20`"),
        ("differ, costly", "two searches"),
    ],
)
def test_what_cannot_be_looked_for_is_refused_in_a_sentence(where, sentence):
    with pytest.raises(WhereError) as refused:
        read_where(where)
    assert sentence in str(refused.value)
    assert sentence in call("find", "gold", "--where", where, code=2).stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gold", "--where", "differ"], "name both"),
        (["gold", "gold", "--where", "differ"], "does not differ from itself"),
        (["gold", "simple", "--where", "won", "--against", "gold"], "--against goes with"),
        (["gold", "simple", "--where", "differ", "--matches", "5"], "count deals, not matches"),
        (["gold", "--where", "won", "--matches", "5", "--deals", "5"], "both given"),
        (["gold", "--where", "won", "--limit", "0"], "write a limit of 1 to 1000"),
        (["gold", "--where", "costly", "--deals", "2k"], "ask for fewer with --deals"),
        (["solo-greedy", "-v", "solitary-gin", "--where", "differ"], "name both"),
        (
            "solo-greedy solo-dp -v solitary-gin --where differ --against solo-dp".split(),
            "leave --against out",
        ),
        (["nobody", "--where", "won"], "nobody"),
    ],
)
def test_a_search_that_cannot_be_made_is_refused_in_a_sentence(words, sentence):
    done = call("find", *words, code=2)
    assert sentence in done.stderr
    assert done.stdout == ""
