"""`simgin show` with a die, with columns of a match, and with a choice of melding."""

import json
import re

import pytest
from click.testing import CliRunner

from simgin.cli.main import cli
from simgin.play import replay, replay_rows

LOT = "gold+stake=random"


def simgin(*words):
    return CliRunner().invoke(cli, ["show", *map(str, words)], prog_name="simgin")


def replays(variant, units, a=LOT, b="simple+stake=random", deal=None):
    return [
        replay.make_replay(
            replay.find_deal(a, b, variant, 1, unit, unit % 2 if a != b else 0, deal)
        )
        for unit in units
    ]


@pytest.mark.parametrize(
    "variant",
    [
        "dice",
        "dice-pro",
        "dice+first_turn=free",
        "dice+first_turn=discard_first+die_centre_in_play=yes",
    ],
)
def test_every_offer_and_answer_is_shown_and_the_stake_follows(variant):
    seen = set()
    for replayed in replays(variant, range(60)):
        lines, (first, *decisions, last) = list(replayed.lines()), replay_rows.rows(replayed)
        assert all(len(line) <= 80 for line in lines)
        told = [
            line.split(") ", 1)[1]
            for line in lines
            if re.search(r"\) (offers|leaves the die|accepts|refuses) ", line)
        ]
        wanted = []
        for row in decisions:
            if row["slot"] == "offer":
                wanted.append(
                    f"offers {row['answer']}"
                    if row["answer"]
                    else f"leaves the die at {row['stake']}"
                )
            if row["slot"] == "answer":
                wanted.append(
                    f"{'accepts' if row['answer'] else 'refuses'} "
                    f"{row['stake_offered']}{' and owns the die' * row['answer']}"
                )
        assert told == wanted
        accepted = [
            row["stake_offered"] for row in decisions if row["slot"] == "answer" and row["answer"]
        ]
        assert last["stake"] == max([1, *accepted])
        blind = (
            not any(row["slot"] in ("take", "discard") for row in decisions)
            and last["kind"] == "refused"
            and not first["hands"]
        )
        if blind:
            assert not any(
                "dealt" in line or "holds" in line or "Knock limit" in line for line in lines
            )
        seen.add((last["kind"] == "refused", blind))
        if last["kind"] == "refused":
            assert (
                last["paid_for_refusal"] == last["stake"]
                and "Refused" in lines
                and last["score"] == [0, 0]
            )
    assert seen == {(False, False), (True, False), (True, True)}


def test_blind_offers_are_shown_before_the_cards():
    one = next(
        replayed
        for replayed in replays("dice", range(20))
        if replay_rows.rows(replayed)[-1]["stake"] > 1
    )
    lines = list(one.lines())
    seen = next(i for i, line in enumerate(lines) if line.startswith("  is dealt"))
    assert (
        any("accepts" in line for line in lines[:seen])
        and lines[2] == "Before the cards are seen, the die shows 1"
    )


@pytest.mark.parametrize(
    ("variant", "standing"),
    [
        ("hollywood", r"columns \d+, \d+, \d+"),
        ("pro", r"\d of 7 games, score \d+"),
        ("twofold", r"score \d+ of 121, \d of 7 won deals"),
        ("dice", r"\d of 7 won deals"),
        ("standard", r"score \d+"),
    ],
)
def test_the_score_of_a_match_is_shown_before_and_after(variant, standing):
    before, after = (replays(variant, [0], "gold", "simple", deal)[0] for deal in (3, 4))
    (line,) = (" ".join(text.split()) for text in ["\n".join(before.lines()).split("Match: ")[1]])
    told = dict(part.split(", ", 1) for part in line.split("; "))
    for name in before.names:
        assert re.fullmatch(standing, told[name])
        assert any(text.startswith(name) and text.endswith(told[name]) for text in after.lines())


def test_a_race_has_two_goals():
    lines = list(replays("race", [0], "gold", "simple", 2)[0].lines())
    assert any(re.search(r"gold \(seat 0\).*score \d+ of 121$", line) for line in lines)
    assert any(re.search(r"simple \(seat 1\).*\d of 7 won deals$", line) for line in lines)


def test_columns_show_how_they_ended():
    deal = 0
    while True:
        replayed = replays("hollywood", [0], "gold", "simple", deal)[0]
        match = replay_rows.rows(replayed)[-1]["match"]
        text = " ".join("\n".join(replayed.lines()).split())
        closed = [c for c in range(3) if max(match["columns"][0][c], match["columns"][1][c]) >= 100]
        assert len(re.findall(r"\d+ \(won\)", text.split("Match: ")[1])) == len(closed)
        if match["over"]:
            break
        deal += 1
    assert len(closed) == 3 and "wins the match" in text


def test_the_chosen_melding_is_shown():
    told = [
        line
        for replayed in replays("standard+melding=choice", range(20), "gold+show=random", "simple")
        for line in replayed.lines()
        if "shows melding" in line
    ]
    assert told and all(re.match(r"  shows melding \d+ of 0\.\.\d+: ", line) for line in told)


def test_blind_offers_are_in_the_json_output():
    rows = json.loads(simgin("gold+offer=strong:blind=yes", "gold", "-v", "dice", "--json").stdout)[
        "rows"
    ]
    assert [row["event"] for row in rows] == ["deal", *["decision"] * (len(rows) - 2), "result"]
    assert rows[0]["hands"] == [] and rows[0]["limit"] is None and rows[-1]["kind"] == "refused"


BAD = """
from simgin.strategy import Strategy, offer

@offer
def bad(view, rules, params):
    return 1

BAD = Strategy("bad", offer=bad)
"""


def test_an_illegal_offer_is_reported_in_a_sentence(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(BAD)
    result = simgin(path, "simple", "-v", "dice", "--unit", 1)
    assert result.exit_code == 2
    assert (
        "the offer policy 'bad' answered 1, but only 0 or 2 or 3 or 4 or 5 or 6 is legal"
        in result.stderr
    )
    assert (
        "may offer more than 1: gives no legal answer" in result.stdout
        and "dealt" not in result.stdout
    )
