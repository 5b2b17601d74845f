"""Compare the results of `simgin find` with traces of all deals."""

import json
import shlex

import pytest

import simgin
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from support.command_line import run_simgin

N_DEALS = 600


def trace_deals(a, b, variant, n_units):
    """Trace the deals of some mirrored pairs, and yield each with its pair number and half."""
    matchup = parse_matchup(a, b, variant, 1, "deal")
    for unit in range(n_units):
        for half in range(2 if matchup.is_mirrored else 1):
            yield (unit, half), trace_deal(matchup, unit, half)


def compute_margin(deal):
    """Return the points of A minus the points of the opponent."""
    half = int(deal.state.half)
    return int(deal.state.score[half] - deal.state.score[1 - half])


def list_deal_addresses(frame):
    """Return the pair number and the half of each deal in a DataFrame."""
    return list(zip(frame["unit"], frame["half"], strict=True)) if len(frame) else []


def run_show(command):
    """Run a `simgin show` command, and return the first and the last row."""
    program, *arguments = shlex.split(command)
    assert program == "simgin"
    first, *_, last = json.loads(run_simgin(*arguments, "--json").stdout)["rows"]
    return first, last


@pytest.mark.parametrize("variant", ["standard", "dice", "shot"])
def test_found_deals_meet_the_condition(variant):
    where = "gin, undercut, points < -20"
    frame = simgin.find("gold", "simple", variant, where=where, deals=N_DEALS, limit=1000).frame
    deals = trace_deals("gold", "simple", variant, N_DEALS // 2)
    expected = [
        address
        for address, deal in deals
        if deal.ending in ("gin", "undercut") and compute_margin(deal) < -20
    ]
    assert expected and list_deal_addresses(frame) == expected


def test_longest_deals_come_first_with_ties_in_order():
    frame = simgin.find("gold", "simple", where="lost, longest", deals=N_DEALS, limit=7).frame
    lost = []
    for address, deal in trace_deals("gold", "simple", "standard", N_DEALS // 2):
        if deal.state.winner >= 0 and deal.state.winner != deal.state.half:
            lost.append((-int(deal.state.turns), address))
    lost.sort()
    assert list_deal_addresses(frame) == [address for _, address in lost[:7]]


def test_differ_keyword_finds_deals_with_different_actions():
    options = {"where": "differ", "against": "simple", "deals": 200, "limit": 1000}
    frame = simgin.find("gold", "gold-early", **options).frame
    expected = {}
    deals = (trace_deals(player, "simple", "standard", 100) for player in ("gold", "gold-early"))
    for (address, deal), (_, rival_deal) in zip(*deals, strict=True):
        actions = [(decision.seat, decision.slot, decision.action) for decision in deal.decisions]
        rival_actions = [
            (decision.seat, decision.slot, decision.action) for decision in rival_deal.decisions
        ]
        if actions != rival_actions:
            expected[address] = compute_margin(deal) - compute_margin(rival_deal)
    assert list_deal_addresses(frame) == list(expected)
    assert list(frame["gain"]) == list(expected.values())
    assert set(frame["other"]) == {"plays on"}  # gold-early differs from gold only in its knocks
    assert frame["own"].str.startswith("knocks with ").all()
    self_play = simgin.find("gold", "gold-early", where="differ", deals=50, limit=100).frame
    assert (
        set(self_play["half"]) == {0} and self_play["unit"].is_unique
    )  # a strategy plays against itself


def test_costly_decision_is_confirmed_by_analyze():
    frame = simgin.find("gold", "simple", where="lost, costly", deals=6, limit=2).frame
    assert len(frame)
    assert (frame["cost"] > 0).all()
    row = frame.iloc[0]
    _, _, *arguments = shlex.split(row["analyze"])
    output = run_simgin("analyze", *arguments, "--seed", 1, "--worlds", 400).stdout
    assert f"{row['own']} <" in output


@pytest.mark.parametrize(
    ("players", "variant", "amount"),
    [
        (("gold", "simple"), "dice", {"deals": 500}),
        (("gold", "simple"), "standard", {"matches": 20}),
        (("solo-greedy",), "solitary-gin", {"deals": 500}),
    ],
)
def test_command_of_a_row_shows_the_deal(players, variant, amount):
    frame = simgin.find(*players, variant=variant, where="longest", limit=3, **amount).frame
    assert "deals" in amount or frame["deal"].max() > 0
    for row in frame.to_dict("records"):
        first, last = run_show(row["command"])
        assert first["unit"] == row["unit"]
        assert "deals" in amount or first["deal"] == row["deal"]
        assert (last["kind"], last["turns"]) == (row["ending"], row["turns"])
        assert last["score"][row["half"]] - last["score"][1 - row["half"]] == row["points"]


def test_commands_of_a_comparison_show_both_deals():
    options = {"where": "differ, gain < -40", "deals": 500, "limit": 2}
    frame = simgin.find("gold", "champion", **options).frame
    assert len(frame)
    for row in frame.to_dict("records"):
        score, rival_score = (
            run_show(row[name])[1]["score"] for name in ("command", "rival_command")
        )
        assert [score[0] - score[1], rival_score[0] - rival_score[1]] == [
            row["points"],
            row["rival_points"],
        ]
        assert row["gain"] == row["points"] - row["rival_points"] < -40


def test_printed_command_repeats_the_search():
    arguments = [
        "find",
        "gold",
        "simple",
        "--where",
        "undercut, lost",
        "--deals",
        2000,
        "--limit",
        2,
    ]
    screen = run_simgin(*arguments).stdout
    assert "undercuts with" in screen
    assert screen.count("simgin show gold simple -v standard --seed 1 --unit ") == 2
    repeated_arguments = shlex.split(screen.splitlines()[-1].removeprefix("Command: simgin "))
    assert run_simgin(*repeated_arguments).stdout == screen
    options = {"where": "undercut, lost", "deals": 2000, "limit": 2}
    for workers in (1, 3):
        frame = simgin.find("gold", "simple", workers=workers, **options).frame
        assert json.loads(run_simgin(*arguments, "--json").stdout)["rows"] == frame.to_dict(
            "records"
        )
    arguments_without_result = ["gold", "--where", "points > 5000", "--deals", 100]
    assert (
        "0 of 100 deals meet the condition." in run_simgin("find", *arguments_without_result).stdout
    )
