"""Tests that a deal printed by `simgin show --json` is the same deal when it is read."""

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
from support.command_line import call

SOLO_VARIANTS = [name for name in variants.variant_names() if variants.find_variant(name).is_solo]
TWO_PLAYER_VARIANTS = [name for name in variants.variant_names() if name not in SOLO_VARIANTS]
CASES = [(name, ("gold", "simple")) for name in TWO_PLAYER_VARIANTS if "dice" not in name]
CASES += [(name, ("dice-player", "random")) for name in TWO_PLAYER_VARIANTS if "dice" in name]
CASES += [("standard", ("champion", "champion"))]
CASES += [(name, ("solo-two-draws+knock=at:k=4", None)) for name in SOLO_VARIANTS]
IGNORED_FIELDS = ("noise",)  # of players without a decision


def assert_same_position(one, two):
    assert (one.label, one.actions, one.in_match) == (two.label, two.actions, two.in_match)
    for name in one.view.dtype.names:
        assert name in IGNORED_FIELDS or np.array_equal(one.view[name], two.view[name]), name


@pytest.fixture
def write_deal(tmp_path):
    """Return a function that writes a deal and returns its path, its content and the deal."""

    def write(a, b, variant, unit, half=0, deal=None):
        played = trace_numbered_deal(a, b, variant, 5, unit, half, deal)
        content = {"seed": 5, "rows": replay_to_json(make_replay(played))}
        path = tmp_path / "deal.json"
        path.write_text(json.dumps(content))
        return path, content, played

    return write


def count_equal_positions(path, deal):
    """Compare each position of a deal with that of its file, and return the number of positions."""
    pairs = list(zip(find_decisions(deal), find_decisions(read_deal_file(path).deal), strict=True))
    for one, two in pairs:
        assert one.chosen == two.chosen
        assert_same_position(one, two)
    return len(pairs)


@pytest.mark.parametrize(("variant", "players"), CASES)
def test_positions_and_descriptions_agree_with_the_deal(variant, players, write_deal):
    positions = 0
    for unit in range(2):
        half = unit % 2 if players[1] not in (None, players[0]) else 0
        path, content, deal = write_deal(*players, variant, unit, half)
        assert replay_to_json(make_replay(read_deal_file(path).deal))[1:] == content["rows"][1:]
        positions += count_equal_positions(path, deal)
    assert positions > 5


@pytest.mark.parametrize("variant", variants.variant_names())
def test_a_deal_of_a_match_has_the_reported_score(variant, write_deal):
    players = ("solo-greedy", None) if variant in SOLO_VARIANTS else ("gold", "simple")
    read = 0
    for unit, half, number in ((0, 0, 0), (1, 1, 1), (2, 0, 2), (3, 1, 4), (4, 0, 3)):
        half = half * (players[1] is not None)
        try:
            path, content, deal = write_deal(*players, variant, unit, half, number)
        except DealNotFoundError:
            continue
        if variant == "dice-pro" and content["rows"][1]["stake"] > 1:
            with pytest.raises(
                PositionError, match="the value of the die was changed in an earlier"
            ):
                read_deal_file(path)
        else:
            read += count_equal_positions(path, deal) > 0
    assert read >= (1 if variants.find_variant(variant).goal.one_deal else 3)


@pytest.mark.parametrize("variant", ["standard", "dice", "solitaire-gin-knock"])
def test_an_unfinished_deal_ends_with_the_next_decision(variant, write_deal):
    players = ("solo-greedy", None) if variant in SOLO_VARIANTS else ("gold", "simple")
    path, content, deal = write_deal(*players, variant, 1)
    every = {position.query_index: position for position in find_decisions(deal)}
    for end in range(1, len(content["rows"]) - 1):
        path.write_text(json.dumps({**content, "rows": content["rows"][:end]}))
        read = read_deal_file(path).deal
        assert read.is_truncated
        found = find_decisions(read)
        if end - 1 in every:  # the decision after the actions
            assert_same_position(every[end - 1], found[0])
            assert found[0].chosen is None


@pytest.mark.parametrize(
    "address", ["gold simple --unit 1 --deal 2", "solo-greedy -v solitary-gin --unit 2"]
)
def test_an_analysis_of_a_file_agrees_with_the_analysis_of_the_deal(address, tmp_path):
    path = tmp_path / "deal.json"
    path.write_text(call("show", *address.split(), "--json").stdout)
    turn = ["--turn", 3, "--worlds", 200]
    read = call("analyze", path, *turn).stdout.splitlines()
    command = next(line for line in read if line.startswith("Command: "))
    played = call("analyze", *address.split(), *turn).stdout.splitlines()
    assert [line for line in played if not line.startswith("Command: ")] == [
        line for line in read if line != command
    ]
    assert call(*command.removeprefix("Command: simgin ").split()).stdout.splitlines() == read


def test_a_missing_player_is_replaced(write_deal, tmp_path):
    path, _, deal = write_deal("gold", "simple", "standard", 1)
    (tmp_path / "evil.py").write_text("raise SystemExit('run')")
    evil = str(tmp_path / "evil.py")
    path.write_text(path.read_text().replace("gold", "nobody").replace("simple", evil))
    read = read_deal_file(path).deal
    assert [player.spec for player in read.matchup.players] == ["champion", "champion"]
    assert [q.action for q in read.decisions] == [q.action for q in deal.decisions]


def test_the_error_names_a_decision_that_is_impossible(write_deal):
    path, content, _ = write_deal("gold", "simple", "standard", 2, 1)
    numbers = [i for i, row in enumerate(content["rows"]) if row.get("slot") == "discard"]
    number = numbers[len(numbers) // 2]
    row = content["rows"][number]
    other = next(card for card in content["rows"][0]["pack"].split() if card not in row["hand"])
    wrong = {"answer": other, "drawn": "2S", "hand": row["hand"][3:], "seat": 1 - row["seat"]}
    for key, value in wrong.items():
        changed = [*content["rows"]]
        changed[number] = {**row, key: value}
        path.write_text(json.dumps({**content, "rows": changed}))
        with pytest.raises(PositionError, match=rf"decision {number} .* is inconsistent"):
            read_deal_file(path)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("no.json", "No such file"),
        ("{} simple", "the file specifies both players"),
        ("{} --unit 3", "--unit cannot be used with a file"),
        ("{} --score 3-4", "--score requires cards"),
        ("{} --turn 99", "the deal contains no decision in turn 99"),
        ("printed.txt", "the output of `simgin show --json` nor a Gin Rummy log"),
    ],
)
def test_an_option_that_conflicts_with_a_file_is_rejected(
    words, sentence, write_deal, empty_directory
):
    path, _, deal = write_deal("gold", "simple", "standard", 2, 1)
    Path("printed.txt").write_text("\n".join(make_replay(deal).iter_lines()))
    done = call("analyze", *words.format(path).split(), code=2)
    assert sentence in " ".join(done.stderr.split())
