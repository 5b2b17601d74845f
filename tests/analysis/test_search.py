"""Compare `simgin find` with traces of all deals."""

import json
import shlex

import pytest

import simgin
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from support.command_line import call

DEALS = 600


def trace_deals(a, b, variant, units):
    """Yield each deal of some pairs, as ((unit, half), deal)."""
    matchup = parse_matchup(a, b, variant, 1, "deal")
    for unit in range(units):
        for half in range(2 if matchup.is_mirrored else 1):
            yield (unit, half), trace_deal(matchup, unit, half)


def points_difference(deal):
    """Return the points of A minus those of the opponent."""
    half = int(deal.state.half)
    return int(deal.state.score[half] - deal.state.score[1 - half])


def list_addresses(frame):
    return list(zip(frame["unit"], frame["half"], strict=True)) if len(frame) else []


def run_show(command):
    """Return the first and last row that a command shows: the deal and its result."""
    program, *words = shlex.split(command)
    assert program == "simgin"
    first, *_, last = json.loads(call(*words, "--json").stdout)["rows"]
    return first, last


@pytest.mark.parametrize("variant", ["standard", "dice", "shot"])
def test_endings_and_points_agree_with_single_deals(variant):
    where = "gin, undercut, points < -20"
    found = simgin.find("gold", "simple", variant, where=where, deals=DEALS, limit=1000).frame
    deals = trace_deals("gold", "simple", variant, DEALS // 2)
    wanted = [
        place
        for place, deal in deals
        if deal.kind in ("gin", "undercut") and points_difference(deal) < -20
    ]
    assert wanted and list_addresses(found) == wanted


def test_the_longest_deals_come_first_and_equal_ones_keep_their_order():
    found = simgin.find("gold", "simple", where="lost, longest", deals=DEALS, limit=7).frame
    lost = []
    for place, deal in trace_deals("gold", "simple", "standard", DEALS // 2):
        if deal.state.winner >= 0 and deal.state.winner != deal.state.half:
            lost.append((-int(deal.state.turns), place))
    lost.sort()
    assert list_addresses(found) == [place for _, place in lost[:7]]


def test_differing_deals_are_those_in_which_two_players_act_differently():
    words = {"where": "differ", "against": "simple", "deals": 200, "limit": 1000}
    found = simgin.find("gold", "gold-early", **words).frame
    expected = {}
    deals = (trace_deals(player, "simple", "standard", 100) for player in ("gold", "gold-early"))
    for (place, own), (_, other) in zip(*deals, strict=True):
        mine = [(q.seat, q.slot, q.action) for q in own.decisions]
        yours = [(q.seat, q.slot, q.action) for q in other.decisions]
        if mine != yours:
            expected[place] = points_difference(own) - points_difference(other)
    assert list_addresses(found) == list(expected)
    assert list(found["gain"]) == list(expected.values())
    assert set(found["other"]) == {"plays on"}  # gold-early differs from gold only in its knocks
    assert found["own"].str.startswith("knocks with ").all()
    halves = simgin.find("gold", "gold-early", where="differ", deals=50, limit=100).frame
    assert (
        set(halves["half"]) == {0} and halves["unit"].is_unique
    )  # a strategy plays against itself


def test_costly_decisions_are_analysed_in_new_worlds():
    found = simgin.find("gold", "simple", where="lost, costly", deals=6, limit=2).frame
    assert len(found)
    assert (found["cost"] > 0).all()
    row = found.iloc[0]
    _, _, *words = shlex.split(row["analyze"])
    anew = call("analyze", *words, "--seed", 1, "--worlds", 400).stdout
    assert f"{row['own']} <" in anew


@pytest.mark.parametrize(
    ("players", "variant", "amount"),
    [
        (("gold", "simple"), "dice", {"deals": 500}),
        (("gold", "simple"), "standard", {"matches": 20}),
        (("solo-greedy",), "solitary-gin", {"deals": 500}),
    ],
)
def test_the_command_of_a_row_shows_that_deal(players, variant, amount):
    found = simgin.find(*players, variant=variant, where="longest", limit=3, **amount).frame
    assert "deals" in amount or found["deal"].max() > 0
    for row in found.to_dict("records"):
        first, last = run_show(row["command"])
        assert first["unit"] == row["unit"]
        assert "deals" in amount or first["deal"] == row["deal"]
        assert (last["kind"], last["turns"]) == (row["ending"], row["turns"])
        assert last["score"][row["half"]] - last["score"][1 - row["half"]] == row["points"]


def test_the_commands_of_two_compared_show_both_deals():
    words = {"where": "differ, gain < -40", "deals": 500, "limit": 2}
    found = simgin.find("gold", "champion", **words).frame
    assert len(found)
    for row in found.to_dict("records"):
        own, other = (run_show(row[name])[1]["score"] for name in ("command", "rival_command"))
        assert [own[0] - own[1], other[0] - other[1]] == [row["points"], row["rival_points"]]
        assert row["gain"] == row["points"] - row["rival_points"] < -40


def test_the_screen_has_the_rows_of_the_frame_and_repeats_itself():
    words = ["find", "gold", "simple", "--where", "undercut, lost", "--deals", 2000, "--limit", 2]
    done = call(*words).stdout
    assert "undercuts with" in done
    assert done.count("simgin show gold simple -v standard --seed 1 --unit ") == 2
    again = shlex.split(done.splitlines()[-1].removeprefix("Command: simgin "))
    assert call(*again).stdout == done
    asked = {"where": "undercut, lost", "deals": 2000, "limit": 2}
    for workers in (1, 3):
        frame = simgin.find("gold", "simple", workers=workers, **asked).frame
        assert json.loads(call(*words, "--json").stdout)["rows"] == frame.to_dict("records")
    none = ["gold", "--where", "points > 5000", "--deals", 100]
    assert "0 of 100 deals meet the condition." in call("find", *none).stdout
