"""Tests that a deal written by `simgin show --json` is read back unchanged."""

import json
from pathlib import Path

import numpy as np
import pytest

from simgin.analysis.deal_file import read_deal_file
from simgin.analysis.position import PositionError, find_decisions
from simgin.play.replay import make_replay, trace_numbered_deal
from simgin.play.replay_json import replay_to_json
from simgin.play.traced_deal import DealNotFoundError
from simgin.rules import variants
from support.command_line import run_simgin

pytestmark = pytest.mark.usefixtures("few_metropolis_steps")
SOLO_VARIANTS = [name for name in variants.variant_names() if variants.find_variant(name).is_solo]
TWO_PLAYER_VARIANTS = [name for name in variants.variant_names() if name not in SOLO_VARIANTS]
VARIANT_AND_PLAYERS_CASES = [
    (name, ("gold", "simple")) for name in TWO_PLAYER_VARIANTS if "dice" not in name
]
VARIANT_AND_PLAYERS_CASES += [
    (name, ("dice-player", "random")) for name in TWO_PLAYER_VARIANTS if "dice" in name
]
VARIANT_AND_PLAYERS_CASES += [("standard", ("champion", "champion"))]
VARIANT_AND_PLAYERS_CASES += [
    (name, ("solo-two-draws+knock=at:k=4", None)) for name in SOLO_VARIANTS
]


def assert_equal_position(position, expected):
    assert (position.label, position.actions, position.is_in_match) == (
        expected.label,
        expected.actions,
        expected.is_in_match,
    )
    view, expected_view = position.view.copy(), expected.view.copy()
    view.noise = expected_view.noise = 0  # players without a decision draw no number
    if view.tobytes() != expected_view.tobytes():  # comparing field by field is slow
        for name in view.dtype.names:
            assert np.array_equal(view[name], expected_view[name]), name


@pytest.fixture
def write_deal(tmp_path):
    """Return a function that plays a deal, writes a deal file and returns both."""

    def write(a, b, variant, unit, half=0, deal=None):
        traced = trace_numbered_deal(a, b, variant, 5, unit, half, deal)
        content = {"seed": 5, "rows": replay_to_json(make_replay(traced))}
        path = tmp_path / "deal.json"
        path.write_text(json.dumps(content))
        return path, content, traced

    return write


def assert_file_gives_positions(path, deal):
    """Check that a deal file contains the positions of a deal, and return their number."""
    pairs = list(zip(find_decisions(deal), find_decisions(read_deal_file(path).deal), strict=True))
    for expected, position in pairs:
        assert expected.recorded_action == position.recorded_action
        assert_equal_position(expected, position)
    return len(pairs)


@pytest.mark.parametrize("units", [(1,), pytest.param((0, 2, 3), marks=pytest.mark.slow)])
@pytest.mark.parametrize(("variant", "players"), VARIANT_AND_PLAYERS_CASES)
def test_deal_file_gives_the_positions_of_the_deal(variant, players, units, write_deal):
    n_positions = 0
    for unit in units:
        half = unit % 2 if players[1] not in (None, players[0]) else 0
        path, content, deal = write_deal(*players, variant, unit, half)
        assert replay_to_json(make_replay(read_deal_file(path).deal))[1:] == content["rows"][1:]
        n_positions += assert_file_gives_positions(path, deal)
    assert n_positions > 5


# Unit, half and deal
MATCH_DEALS = ((0, 0, 0), (1, 1, 1), (2, 0, 2), (3, 1, 4), (4, 0, 3))


@pytest.mark.parametrize(
    "match_deals", [MATCH_DEALS[:3], pytest.param(MATCH_DEALS, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("variant", variants.variant_names())
def test_deal_of_a_match_can_be_read(variant, match_deals, write_deal):
    players = ("solo-greedy", None) if variant in SOLO_VARIANTS else ("gold", "simple")
    n_read = 0
    for unit, half, deal_index in match_deals:
        half = half * (players[1] is not None)
        try:
            path, content, deal = write_deal(*players, variant, unit, half, deal_index)
        except DealNotFoundError:
            continue
        if variant == "dice-pro" and content["rows"][1]["stake"] > 1:
            with pytest.raises(
                PositionError, match="the value of the die was changed in an earlier"
            ):
                read_deal_file(path)
        else:
            n_read += assert_file_gives_positions(path, deal) > 0
    is_one_deal = variants.find_variant(variant).goal.is_one_deal
    assert n_read >= (1 if is_one_deal else (len(match_deals) + 1) // 2)


@pytest.mark.parametrize("variant", ["standard", "dice", "solitaire-gin-knock"])
def test_unfinished_deal_ends_with_the_next_decision(variant, write_deal):
    players = ("solo-greedy", None) if variant in SOLO_VARIANTS else ("gold", "simple")
    path, content, deal = write_deal(*players, variant, 1)
    position_by_query = {position.policy_call_index: position for position in find_decisions(deal)}
    for n_rows in range(1, len(content["rows"]) - 1):
        path.write_text(json.dumps({**content, "rows": content["rows"][:n_rows]}))
        truncated = read_deal_file(path).deal
        assert truncated.is_truncated
        positions = find_decisions(truncated)
        if n_rows - 1 in position_by_query:  # the decision after the actions
            assert_equal_position(position_by_query[n_rows - 1], positions[0])
            assert positions[0].recorded_action is None


@pytest.mark.parametrize(
    "address", ["gold simple --unit 1 --deal 2", "solo-greedy -v solitary-gin --unit 2"]
)
def test_analysis_of_a_file_equals_the_analysis_of_the_deal(address, tmp_path):
    path = tmp_path / "deal.json"
    path.write_text(run_simgin("show", *address.split(), "--json").stdout)
    options = ["--turn", 3, "--worlds", 200]
    file_lines = run_simgin("analyze", path, *options).stdout.splitlines()
    command = next(line for line in file_lines if line.startswith("Command: "))
    deal_lines = run_simgin("analyze", *address.split(), *options).stdout.splitlines()
    assert [line for line in deal_lines if not line.startswith("Command: ")] == [
        line for line in file_lines if line != command
    ]
    assert (
        run_simgin(*command.removeprefix("Command: simgin ").split()).stdout.splitlines()
        == file_lines
    )


def test_unknown_players_are_replaced_by_champion(write_deal, tmp_path):
    path, _, deal = write_deal("gold", "simple", "standard", 1)
    (tmp_path / "evil.py").write_text("raise SystemExit('run')")
    hostile_file = str(tmp_path / "evil.py")
    path.write_text(path.read_text().replace("gold", "nobody").replace("simple", hostile_file))
    reread = read_deal_file(path).deal
    assert [player.spec for player in reread.matchup.players] == ["champion", "champion"]
    assert [decision.action for decision in reread.decisions] == [
        decision.action for decision in deal.decisions
    ]


def test_replaced_strategy_file_is_reported(write_deal):
    path, _, _ = write_deal("gold", "simple", "standard", 1)
    assert "warning" not in run_simgin("analyze", path, "--turn", 1, "--worlds", 100).stderr
    path.write_text(path.read_text().replace("simple", "mine.py:k=5"))
    process = run_simgin("analyze", path, "--turn", 1, "--worlds", 100)
    assert "warning: champion continues the deal instead of 'mine.py:k=5'" in process.stderr
    assert "add --against FILE" in process.stderr
    process = run_simgin("analyze", path, "--turn", 1, "--worlds", 100, "--against", "simple")
    assert "warning" not in process.stderr


def test_replaced_unknown_strategy_is_reported(write_deal):
    path, _, _ = write_deal("gold", "simple", "standard", 1)
    text = path.read_text()
    path.write_text(text.replace('"gold"', '"golf"'))
    process = run_simgin("analyze", path, "--turn", 1, "--worlds", 100)
    assert "warning: champion continues the deal instead of 'golf'" in process.stderr
    assert "add --as STRATEGY" in process.stderr
    process = run_simgin("analyze", path, "--turn", 1, "--worlds", 100, "--as", "gold")
    assert "warning" not in process.stderr
    path.write_text(text.replace('"gold"', '"you"'))
    assert "warning" not in run_simgin("analyze", path, "--turn", 1, "--worlds", 100).stderr


def test_inconsistent_decision_is_reported_by_number(write_deal):
    path, content, _ = write_deal("gold", "simple", "standard", 2, 1)
    discard_rows = [i for i, row in enumerate(content["rows"]) if row.get("slot") == "discard"]
    number = discard_rows[len(discard_rows) // 2]
    row = content["rows"][number]
    unheld_card = next(
        card for card in content["rows"][0]["pack"].split() if card not in row["hand"]
    )
    wrong_values = {
        "answer": unheld_card,
        "drawn": "2S",
        "hand": row["hand"][3:],
        "seat": 1 - row["seat"],
    }
    for key, value in wrong_values.items():
        changed_rows = [*content["rows"]]
        changed_rows[number] = {**row, key: value}
        path.write_text(json.dumps({**content, "rows": changed_rows}))
        with pytest.raises(PositionError, match=rf"decision {number} .* is inconsistent"):
            read_deal_file(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("no.json", "No such file"),
        ("{} simple", "the file specifies both players"),
        ("{} --unit 3", "--unit cannot be used with a file"),
        ("{} --score 3-4", "--score requires cards"),
        ("{} --turn 99", "the deal contains no decision in turn 99"),
        ("printed.txt", "the output of `simgin show --json` nor a Gin Rummy log"),
    ],
)
def test_option_that_conflicts_with_a_deal_file_is_rejected(
    arguments, message, write_deal, empty_directory
):
    path, _, deal = write_deal("gold", "simple", "standard", 2, 1)
    Path("printed.txt").write_text("\n".join(make_replay(deal).iter_lines()))
    result = run_simgin("analyze", *arguments.format(path).split(), exit_code=2)
    assert message in " ".join(result.stderr.split())
