"""Tests that Parquet files contain the recorded deals in compact data types."""

import sys

import pandas as pd
import pytest

from simgin.core import batch_columns
from simgin.core.deal_record import DEAL_RECORD_DTYPE
from simgin.play.kernel import play_with_records
from simgin.play.matchup import parse_matchup
from simgin.runs import parquet as records
from simgin.runs.parquet import RecordsError

pytest.importorskip("pyarrow", reason="simgin[parquet] is not installed")

import pyarrow
import pyarrow.parquet as parquet

SOLO_MATCHUP = parse_matchup("gold", None, "solitaire-gin-knock", 3, "deal")
MATCHUPS = {
    "deals": parse_matchup("gold", "simple", "standard", 3, "deal"),
    "itself": parse_matchup("simple", "simple", "eaai", 3, "deal"),
    "matches": parse_matchup("gold-early", "simple", "oklahoma-spades", 3, "match"),
    "the die": parse_matchup("gold+offer=strong+answer=brave", "gold", "dice", 3, "match"),
    "columns": parse_matchup("gold", "simple", "hollywood", 3, "match"),
    "one player": SOLO_MATCHUP,
    "penalties": parse_matchup("gold", None, "solitary-gin", 3, "match"),
}


def write_and_read_deals(path, matchup, units):
    """Play and write deals; return their sums, their records and the DataFrame of the file."""
    rows, deals = play_with_records(matchup, 0, units)
    names = (matchup.variant.spec, matchup.a.spec, matchup.opponent)
    assert records.write_deals(path, [(*names, deals)]) == len(deals)
    return rows.sum(axis=0), deals, pd.read_parquet(path)


@pytest.mark.parametrize("matchup", MATCHUPS.values(), ids=MATCHUPS)
def test_recorded_deals_sum_to_the_batch_rows(tmp_path, matchup):
    row, deals, frame = write_and_read_deals(tmp_path / "deals.parquet", matchup, 150)
    assert list(frame.columns) == ["variant", "a", "b", *DEAL_RECORD_DTYPE.names]
    names = (matchup.variant.spec, matchup.a.spec, matchup.opponent)
    assert set(zip(frame["variant"], frame["a"], frame["b"], strict=True)) == {names}
    sides = ["A", "B", ""]  # values 0, 1, -1; index -1 is the last item of a list
    codes = dict.fromkeys(("dealer", "winner", "knocker", "owner"), sides)
    codes["kind"] = list(batch_columns.DEAL_RESULTS)
    codes["upcard_to"] = ["nondealer", "dealer", "neither", ""]
    codes["outcome"] = ["A", "B", "unfinished", "drawn", ""]
    for name in DEAL_RECORD_DTYPE.names:
        numbers = deals[name].tolist()
        expected = [codes[name][number] for number in numbers] if name in codes else numbers
        assert frame[name].tolist() == expected, name
    sums = sum_statistics(frame, matchup.unit)
    assert len(frame) > 100
    assert sums == {
        name: row[batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX[name]] for name in sums
    }


def sum_statistics(frame, unit):
    """Compute the sums that a batch row contains from recorded deals."""
    decided = frame[frame["winner"] != ""]
    knocks = frame["kind"].isin(["knock", "undercut", "even"])
    sums = {kind: (frame["kind"] == kind).sum() for kind in batch_columns.DEAL_RESULTS}
    sums |= {"deals": len(frame), "decided": len(decided), "turns": frame["turns"].sum()}
    sums["showdowns"] = knocks.sum()
    for name in ("knock_count", "defender_count", "defender_before", "laid_off"):
        sums[name] = frame[name][knocks].sum()
    for side in "ab":
        won = frame[frame["winner"] == side.upper()]
        sums |= {
            f"{side}_won_{kind}": (won["kind"] == kind).sum()
            for kind in batch_columns.WINNING_RESULTS
        }
        sums |= {f"{side}_deal_win": len(won), f"{side}_points": frame[f"points_{side}"].sum()}
        sums |= {
            f"{side}_{action}": frame[f"{action}_{side}"].sum() for action in ("takes", "draws")
        }
    sums["first_player_win"] = (decided["winner"].to_numpy() != decided["dealer"].to_numpy()).sum()
    takers = {"upcard_first": "nondealer", "upcard_second": "dealer", "upcard_none": "neither"}
    sums |= {name: (frame["upcard_to"] == side).sum() for name, side in takers.items()}
    if unit == "match":
        ended = frame["outcome"].value_counts()
        drawn, unfinished = ended["drawn"], ended["unfinished"]
        sums |= {"match_drawn": drawn, "unfinished": unfinished}
        sums["matches"] = ended.drop("").sum()
        sums |= {f"{side}_match_win": 2 * ended[side.upper()] + drawn + unfinished for side in "ab"}
    return sums


@pytest.mark.parametrize("matchup", MATCHUPS.values(), ids=MATCHUPS)
def test_columns_have_the_documented_meaning(tmp_path, matchup):
    _, _, frame = write_and_read_deals(tmp_path / "deals.parquet", matchup, 150)
    is_drawn = frame["kind"].isin(["even", "void", "stalled", "limit"])
    assert ((frame["winner"] == "") == is_drawn).all()
    ends_without_showdown = ["void", "stalled", "joker", "limit", "refused"]
    assert ((frame["knocker"] == "") == frame["kind"].isin(ends_without_showdown)).all()
    assert (frame["defender_count"][frame["knocker"] == ""] == 0).all()
    has_player_deadwood = (frame["knocker"] != "") | frame["kind"].isin(["joker", "limit"])
    assert (frame["knock_count"][~has_player_deadwood] == 0).all()
    assert (frame["pays"][frame["kind"] != "refused"] == 0).all()
    for side in "ab":
        assert (frame[f"takes_{side}"] <= frame[f"draws_{side}"]).all()
    drawn_jokers = (frame["kind"] == "joker") & (frame["defender_count"] == 0)
    draws = frame["draws_a"] + frame["draws_b"]
    assert (draws[~drawn_jokers] == frame["turns"][~drawn_jokers]).all()
    knocks = frame[frame["kind"] == "knock"]
    points = (knocks["defender_count"] - knocks["knock_count"]) * knocks["multiplier"]
    assert (knocks["points_a"] + knocks["points_b"] == points).all()
    if matchup.unit == "match":
        is_last = frame["deal"].shift(-1, fill_value=0) == 0
        assert ((frame["outcome"] != "") == is_last).all()


def test_several_matchups_share_a_file(tmp_path):
    matchups = [MATCHUPS["deals"], MATCHUPS["matches"], SOLO_MATCHUP, MATCHUPS["deals"]]
    names = [(matchup.variant.spec, matchup.a.spec, matchup.opponent) for matchup in matchups]
    deals = (play_with_records(matchup, 0, 20)[1] for matchup in matchups)
    batches = [(*who, some) for who, some in zip(names, deals, strict=True)]
    records.write_deals(tmp_path / "deals.parquet", iter(batches))
    frame = pd.read_parquet(tmp_path / "deals.parquet")
    expected = [(variant, a, b, unit) for variant, a, b, rows in batches for unit in rows["unit"]]
    found = zip(frame["variant"], frame["a"], frame["b"], frame["unit"], strict=True)
    assert list(found) == expected
    assert parquet.read_metadata(tmp_path / "deals.parquet").num_row_groups == 1


def test_columns_have_compact_types_and_descriptions(tmp_path):
    write_and_read_deals(tmp_path / "deals.parquet", SOLO_MATCHUP, 10)
    schema = parquet.read_schema(tmp_path / "deals.parquet")
    for field in schema:
        description = field.metadata[b"description"].decode()
        assert description[0].isupper() and description.endswith("."), field.name
    dictionary_columns = [field.name for field in schema if pyarrow.types.is_dictionary(field.type)]
    assert (
        " ".join(dictionary_columns)
        == "variant a b dealer kind winner knocker upcard_to owner outcome"
    )
    assert sum(field.type.bit_width // 8 for field in schema) < 100 < DEAL_RECORD_DTYPE.itemsize


def test_number_outside_the_range_of_its_column_is_an_error(tmp_path):
    valid_rows = play_with_records(SOLO_MATCHUP, 0, 10)[1]
    for name, number in {"turns": 40_000, "points_a": 2**40, "kind": 11, "winner": -2}.items():
        rows = valid_rows.copy()
        rows[name][3] = number
        with pytest.raises(ValueError, match=str(number)):
            records.write_deals(tmp_path / "deals.parquet", [("v", "a", "", rows)])


def test_interrupted_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "deals.parquet"
    write_and_read_deals(path, SOLO_MATCHUP, 10)
    before = path.read_bytes()

    def yield_interrupted_rows():
        yield ("v", "a", "", play_with_records(SOLO_MATCHUP, 0, 10)[1])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        records.write_deals(path, yield_interrupted_rows())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_unwritable_path_is_rejected(tmp_path):
    for path in (tmp_path / "none/deals.parquet", tmp_path):
        with pytest.raises(
            RecordsError, match=r"cannot be written \(.*\)\. Choose another file\.$"
        ):
            records.write_deals(path, [])
    assert list(tmp_path.iterdir()) == []


def test_missing_pyarrow_is_reported_with_an_install_command(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        RecordsError, match=r"requires the package pyarrow\. .* 'simgin\[parquet\]'$"
    ):
        records.write_deals(tmp_path / "deals.parquet", [])
    assert list(tmp_path.iterdir()) == []
