"""`simgin review`: what it plays, its figures against numpy, and the same bytes every way."""

import json
import math
import re
import shutil
import sqlite3
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from simgin.core import sums
from simgin.odds import sample
from simgin.play import kernel
from simgin.review import leads, plan, players, review, sentences
from simgin.review.plan import plan_review
from simgin.review.players import FIELD
from simgin.review.request import ReviewRequest, read_request
from simgin.review.rule_metrics import RULE_METRICS
from simgin.review.variant_matches import VariantMatches
from simgin.rules import variants
from simgin.runs import directory, ledger
from simgin.value import array_cache, outcomes, score_outcomes, turns, value
from support import strict_html as wellformed
from support.command_line import call, interrupted_after

BASE, SHORT = "standard", "standard+points_target=50"
GAMES = ("straight", SHORT)
WORDS = ("review", *GAMES, "--against", BASE, "--matches", "1k", "-o", "out")
Z95 = 1.959963984540054
T975 = {9: 2.262157163}  # Student's t of ten batches


def tree(place):
    """Every file but the ledger and the manifest.

    The ledger's pages lie as they were written, and the manifest has times and machines.
    """
    left_out = {ledger.FILE, directory.MANIFEST}
    files = [
        path
        for path in sorted(Path(place).rglob("*"))
        if path.is_file() and path.name.split("-")[0] not in left_out
    ]
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The directory of a small review, made once.

    Ten batches of every player against itself, five of every pair.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path_factory.mktemp("review"))
        patched.setenv("COLUMNS", "80")
        return Path("out").resolve(), call(*WORDS, "--workers", 1)


@pytest.fixture(scope="module")
def metrics(made):
    return pd.read_csv(made[0] / "metrics.csv").set_index(["variant", "metric"])


@pytest.fixture(scope="module")
def differences(made):
    return pd.read_csv(made[0] / "differences.csv").set_index(["variant", "metric"])


@pytest.fixture(scope="module")
def rows(made):
    """The batch rows of every cell, by variant, A and B."""
    manifest = json.loads((made[0] / directory.MANIFEST).read_text())
    with ledger.reading(made[0] / ledger.FILE) as run_ledger:
        return {
            (matchup["variant"], matchup["a"], matchup["b"]): run_ledger.rows(
                i, matchup["units"], sums.BATCH_MATCHES
            )
            for i, matchup in enumerate(manifest["matchups"])
        }


# What is played


def test_every_player_meets_itself_and_every_other_once():
    cells = plan_review(read_request(["oklahoma"], "standard", seed=3)).tasks
    pairs = [
        (cell.matchup.variant.text, cell.matchup.a.text, cell.matchup.b.text) for cell in cells
    ]
    assert len(set(pairs)) == len(pairs)
    assert {cell.matchup.seed for cell in cells} == {3}
    assert {cell.matchup.unit for cell in cells} == {"match"}
    of = [{a, b} for variant, a, b in pairs if variant == "oklahoma"]
    assert of == [{a, b} for variant, a, b in pairs if variant == "standard"]
    ks = ["gin-only", "gold-at:k=2", "gold-at", "gold-at:k=6", "gold-at:k=8", "gold"]
    wanted = (
        [{a} for a in FIELD]
        + [{a, b} for a in FIELD for b in FIELD if a < b]
        + [{a, b} for a in ks for b in ks if a < b]
    )
    assert {*map(frozenset, of)} == {*map(frozenset, wanted)}
    assert len(of) == len({*map(frozenset, wanted)})


def test_a_deep_review_adds_the_strong_the_weak_the_restricted_and_other_bonuses():
    cells = plan_review(read_request(["standard"], None, deep=True)).tasks
    met = {(cell.matchup.variant.text, cell.matchup.a.text, cell.matchup.b.text) for cell in cells}
    names = {name for variant, *pair in met if variant == "standard" for name in pair}
    assert {"marjj", "random", *players.WEAK} <= names
    assert {
        ("standard", f"gold-early+{slot}", "gold-early") for slot in players.RESTRICTIONS
    } <= met
    assert {variant for variant, *_ in met} == {"standard", *plan.with_bonuses("standard").values()}
    assert {cell.n for cell in cells} == {2_000_000}


def test_one_player_variants_are_played_by_weak_and_strong_players():
    cells = plan_review(read_request(["solitary-gin", "solitaire-gin"], None)).tasks
    for variant in ("solitary-gin", "solitaire-gin"):
        own = [cell for cell in cells if cell.matchup.variant.text == variant]
        assert [cell.matchup.a.text for cell in own] == list(players.solo_field(variant))
        assert {cell.matchup.b for cell in own} == {None}


def test_a_variant_is_reviewed_once_and_not_compared_with_itself():
    twice = read_request(
        ["oklahoma", "standard", "oklahoma", "standard+knock_limit=10"], "standard"
    )
    assert twice.variants == ("standard", "oklahoma") and twice.base == "standard"
    for names in ([], ["standard"]):
        assert read_request(names, "standard").base is None


# The figures, against plain numpy


def test_the_picture_of_differences_states_the_units_that_it_draws(made):
    drawn = (made[0] / "plots" / "differences.svg").read_text()
    assert "gin (% of deals)" in drawn
    assert "(share" not in drawn


def ratio(cell, over, under):
    """A ratio of sums, and by how much every batch moves it."""
    n, d = (cell[:, sums.SUM + sums.FACT[name]].astype(float) for name in (over, under))
    value = n.sum() / d.sum()
    return value, (n - value * d) / d.sum()


def mean_of(rows, variant, over, under):
    parts = [ratio(rows[variant, name, name], over, under) for name in FIELD]
    return np.mean([value for value, _ in parts]), np.mean([moves for _, moves in parts], axis=0)


def error(moves):
    return math.sqrt(len(moves) / (len(moves) - 1) * (moves**2).sum())


OF_FIELD = {
    "turns": ("turns", "deals"),
    "gin": ("gin", "deals"),
    "void": ("void", "deals"),
    "points": ("points_scored", "decided"),
}
OF_FIELD |= {
    "deals_per_match": ("deals", "matches"),
    "knock": ("knock", "deals"),
    "undercut": ("undercut", "deals"),
}


@pytest.mark.parametrize("variant", [BASE, *GAMES])
@pytest.mark.parametrize("key", OF_FIELD)
def test_means_of_the_field_and_their_errors_agree_with_numpy(metrics, rows, variant, key):
    value, moves = mean_of(rows, variant, *OF_FIELD[key])
    told = metrics.loc[variant, key]
    assert [told["value"], told["se"]] == pytest.approx([value, error(moves)], rel=1e-8)
    if key in ("turns", "points", "deals_per_match"):
        assert [told["low"], told["high"]] == pytest.approx(
            [value - T975[9] * told["se"], value + T975[9] * told["se"]], rel=1e-8
        )
    count = "matches" if key == "deals_per_match" else "deals"
    assert told["n"] == sum(
        rows[variant, name, name][:, sums.SUM + sums.FACT[count]].sum() for name in FIELD
    )


@pytest.mark.parametrize("variant", GAMES)
@pytest.mark.parametrize("key", OF_FIELD)
def test_differences_are_paired(differences, rows, variant, key):
    (own, moves), (base, base_moves) = (
        mean_of(rows, name, *OF_FIELD[key]) for name in (variant, BASE)
    )
    told = differences.loc[variant, key]
    unseen = 0.0
    if OF_FIELD[key][1] == "deals" and key != "turns":  # a share: one case more on either side
        unseen = sum(one_case(rows, name) ** 2 for name in (variant, BASE))
    expected = math.sqrt(error(moves - base_moves) ** 2 + unseen)
    assert [told["difference"], told["se"]] == pytest.approx([own - base, expected], rel=1e-8)
    assert told["base_variant"] == BASE


def one_case(rows, variant):
    """How far one more case among all players of the field moves its mean share."""
    deals = [rows[variant, name, name][:, sums.SUM + sums.FACT["deals"]].sum() for name in FIELD]
    return np.mean([1 / count for count in deals]) / len(deals)


def test_common_packs_shrink_the_error_of_a_difference(differences, metrics):
    """Straight gin and standard gin are dealt the same packs.

    The difference in turns is known better than two separate runs would tell it.
    """
    apart = math.hypot(metrics.loc["straight", "turns"]["se"], metrics.loc[BASE, "turns"]["se"])
    assert differences.loc["straight", "turns"]["se"] < 0.7 * apart


def test_waiting_for_gin_is_compared_with_knocking(metrics, rows):
    value, moves = ratio(rows[BASE, "gold", "gin-only"], "a_margin", "deals")
    told = metrics.loc[BASE, "patience"]
    assert [told["value"], told["se"]] == pytest.approx([-value, error(moves)], rel=1e-8)
    value, moves = ratio(rows[BASE, "gold", "gold-early"], "a_margin", "deals")
    assert metrics.loc[BASE, "early"]["value"] == pytest.approx(-value, rel=1e-8)


def test_known_differences_have_the_right_sign(metrics, rows):
    """Straight gin ends by gin or not at all.

    A match to 50 has about half the deals, and its deals are those of the match to 100.
    """
    value = metrics["value"]
    assert value["straight", "gin"] == pytest.approx(1 - value["straight", "void"])
    assert value["straight", "knock"] == 0
    assert 0.4 < value[SHORT, "deals_per_match"] / value[BASE, "deals_per_match"] < 0.65
    assert abs(value[SHORT, "turns"] - value[BASE, "turns"]) < 0.5
    assert metrics.loc[SHORT, "luck"]["value"] == metrics.loc[BASE, "luck"]["value"]


def test_the_shares_of_outcomes_add_up(metrics):
    for variant in (BASE, *GAMES):
        kinds = "void stalled even gin big_gin shot knock undercut refused".split()
        assert sum(metrics.loc[variant, kind]["value"] for kind in kinds) == pytest.approx(1)


def test_a_missing_number_has_a_reason(metrics):
    why = metrics["why"].fillna("")
    assert why["straight", "patience"] == "only gin ends a deal"
    assert why["straight", "luck"] == "gold-early and gold play alike here"
    assert why[BASE, "comebacks"] == "with --deep"
    assert ((why == "") == metrics["value"].notna()).all()
    assert [*metrics.index] == [
        (variant, metric.key) for variant in (BASE, *GAMES) for metric in RULE_METRICS
    ]


def test_all_differences_are_one_holm_family(differences):
    p = differences["p"].dropna().sort_values()
    steps = np.minimum(1, np.maximum.accumulate(p * np.arange(len(p), 0, -1)))
    assert differences.loc[p.index, "p_holm"].to_numpy() == pytest.approx(
        steps.to_numpy(), rel=1e-6
    )


# What is said


def test_the_largest_change_is_stated_with_its_figures(made, metrics, differences):
    said = " ".join(made[1].stdout.split())
    turns, more = (
        metrics.loc["straight", "turns"]["value"],
        differences.loc["straight", "turns"]["difference"],
    )
    found = re.search(
        r"Straight Gin .*?makes deals longer: ([\d.]+) turns instead of ([\d.]+) "
        r"\(difference ([\d.]+) ± ([\d.]+)\)",
        said,
    )
    assert found
    own, base, difference, half = [float(part) for part in found.groups()]
    assert (own, difference) == pytest.approx((turns, more), abs=0.06)
    assert base == pytest.approx(metrics.loc[BASE, "turns"]["value"], abs=0.06)
    assert half == pytest.approx(T975[9] * differences.loc["straight", "turns"]["se"], rel=0.06)


def test_players_who_play_alike_are_named(made):
    alike = (
        "straight: gold, gold-early and gin-only play identically; all their deals came out "
        "the same."
    )
    said = " ".join(made[1].stdout.split())
    assert said.count("play identically; all their") == 1 and alike in said
    assert alike in (made[0] / "report.html").read_text()


def test_exactly_equal_metrics_are_stated(made):
    said = " ".join(made[1].stdout.split())
    assert re.search(
        r"points_target=50 makes .*Identical in every deal: luck share of a deal\.", said
    )
    tables = (made[0] / "summary.md").read_text()
    assert re.search(r"luck share of a deal \(%\) .*\bnone\b", tables)


def test_a_terminal_shows_words_and_one_table(made):
    lines = made[1].stdout.splitlines()
    rules = [line for line in lines if re.fullmatch(r" *─+", line)]
    assert len(rules) == 1 and len(lines) <= 48 and "turns per deal" in made[1].stdout
    assert all(len(line) <= 80 for line in lines if not line.startswith(("Repeat", "Written")))


def test_a_copy_of_the_base_is_recognised():
    """Only one rule differs from the base and never counts.

    It is a bonus for gins with an amount of deadwood that nobody has.
    """
    rows = {("gold", "gold"): np.ones((5, sums.COLUMNS), np.int64)}

    request = ReviewRequest(("standard", "standard+copy"), "standard")
    params = variants.find("standard").row
    matches = {
        name: VariantMatches(name, params, ("gold",), ("gold",), rows, {})
        for name in request.variants
    }
    copied = SimpleNamespace(request=request, matches=matches)
    copied.is_copy = lambda variant: review.Review.is_copy(copied, variant)
    (said,) = sentences.review_sentences(copied)
    assert said == (
        "standard+copy plays exactly like standard: every deal of every match came out the same."
    )


def test_players_with_equal_rows_play_alike():
    cell = np.ones((5, sums.COLUMNS), np.int64)
    cells = {
        ("a", "a"): cell,
        ("b", "b"): cell.copy(),
        ("a", "b"): cell,
        ("c", "c"): 2 * cell,
        ("c", "a"): cell,
    }
    names = ("a", "b", "c")
    matches = VariantMatches("standard", variants.find("standard").row, names, names, cells, {})
    assert matches.identical_players == [("a", "b")]


def test_the_page_has_everything(made):
    place, _ = made
    text = (place / "report.html").read_text()
    assert wellformed.faults(text) == []
    pictures = {path.stem for path in (place / "plots").glob("*.png")}
    assert pictures == {path.stem for path in (place / "plots").glob("*.svg")}
    wanted = set("differences endings turns points deadwood knock ladder convergence".split())
    wanted |= {
        f"{name}-{variant}"
        for name in ("league", "scores")
        for variant in (BASE, "straight", "standard-points-target-50")
    }
    wanted |= {"knock_matrix-standard", "knock_matrix-standard-points-target-50"}
    assert pictures == wanted
    for name in wanted:
        (words,) = re.findall(rf'<desc id="{re.escape(name)}-desc">(.*?)</desc>', text, re.DOTALL)
        assert re.search(r"\d", words), name
    assert (
        "simgin review straight standard+points_target=50 --against standard -o out --matches 1000"
        in text
    )


# The same bytes


def test_an_interrupted_review_continues_to_the_same_bytes(made, empty_directory, monkeypatch):
    """Made by one thread without a stop; here by two, stopped half way and in the fourth step."""
    with monkeypatch.context() as patched:
        interrupted_after(patched, 40)
        message = call(*WORDS, "--workers", 2, code=130).stderr
    command = (
        "simgin review straight standard+points_target=50 --against standard -o out --matches 1000"
    )
    assert f"finished blocks are kept in out. Continue with: {command}" in message
    assert tree("out") == {}
    assert "is not finished" in call("report", "out", code=2).stderr
    added, add_step = [], ledger.Ledger.add_step

    def counted(self, *step):
        if len(added) == 3:
            raise KeyboardInterrupt
        added.append(step[0])
        add_step(self, *step)

    with monkeypatch.context() as patched:
        patched.setattr(ledger.Ledger, "add_step", counted)
        call(*WORDS, "--workers", 2, code=130)
    assert len(added) == 3
    call(*WORDS, "--workers", 2)
    assert tree("out") == tree(made[0])


def test_a_report_of_a_review_plays_nothing(made, empty_directory, monkeypatch, tmp_path):
    """With an engine that refuses to play and an empty cache of values: the same bytes."""

    def refuse(*_, **__):
        raise AssertionError("a report played")

    shutil.copytree(made[0], "out")
    shutil.rmtree("out/plots")
    for name in ("report.html", "metrics.csv", "differences.csv", "table.csv", "summary.md"):
        Path("out", name).unlink()
    monkeypatch.setattr(array_cache, "directory", lambda: tmp_path / "empty")
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("run", "play", "play_recorded"):
        monkeypatch.setattr(kernel, name, refuse)
    for module in (outcomes, score_outcomes, turns, leads, value, sample):
        for name in ("run", "play_recorded", "prepare"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, refuse)
    printed = call("report", "out", "--details").stdout
    assert "Straight Gin makes" in printed
    assert "Difference from" in printed and "Metrics\n" in printed
    assert tree("out") == tree(made[0])
    assert not (tmp_path / "empty").exists()


def test_a_review_that_lacks_a_step_is_refused(made, empty_directory):
    shutil.copytree(made[0], "out")
    with sqlite3.connect(Path("out") / ledger.FILE) as connection:
        connection.execute("DELETE FROM steps")
    message = call("report", "out", code=2).stderr
    assert "lacks a step of its run, or it is damaged" in message


def test_the_review_of_another_engine_is_refused(made, empty_directory, monkeypatch):
    shutil.copytree(made[0], "out")
    before = tree("out")
    monkeypatch.setattr(review, "engine_digest", lambda: "another")
    message = call("report", "out", code=2).stderr
    assert "another version of simgin made this review; make it again" in message
    assert tree("out") == before


def test_the_directory_of_another_review_is_left_alone(made, empty_directory):
    shutil.copytree(made[0], "out")
    before = tree("out")
    for words in (("oklahoma",), (*GAMES, "--seed", 2)):
        message = call(
            "review", *words, "--against", BASE, "--matches", "1k", "-o", "out", code=2
        ).stderr
        assert message.startswith("simgin: ") and "another directory" in message
    assert tree("out") == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name at least one variant"),
        (("nobody",), "there is no variant 'nobody'"),
        (("oklahoma", "solitary-gin"), "review them separately"),
        (("oklahoma", "--against", "solitary-gin"), "review them separately"),
        (("oklahoma", "--against", "nobody"), "there is no variant 'nobody'"),
        (("oklahoma", "--matches", "999"), "999 matches are too few"),
        (("oklahoma", "--matches", "0"), "too few"),
        (("oklahoma", "--workers", "0"), "--workers"),
        (("oklahoma", "--seed", "-3"), "--seed"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_and_leaves_nothing(empty_directory, words, message):
    found = call("review", *words, "-o", "out", code=2)
    lines = found.stderr.splitlines()
    assert message in found.stderr
    assert all(line.startswith("simgin: ") for line in lines)
    assert not Path("out").exists()


# Longer

ALONE = {
    "win": "deals are not won: penalties are counted",
    "penalty": "deals cost nothing",
    "match_win": "a match is one deal",
    "score": "deals are not worth points",
}


def of(place):
    return pd.read_csv(Path(place) / "metrics.csv").set_index(["variant", "metric"])


@pytest.mark.slow
def test_three_variants_take_at_most_a_minute_and_a_half(empty_directory):
    """On two cores with compiled code: the command of the help at the usual size.

    Seconds of a processor, half on each, so that a busy machine has as many.
    """
    call("review", "oklahoma", "--against", BASE, "--matches", "1k", "-o", "warm", "--workers", 2)
    started = time.process_time()
    call(
        "review", "oklahoma", "straight", "tedesco", "--against", BASE, "-o", "out", "--workers", 2
    )
    assert (time.process_time() - started) / 2 < 90


@pytest.mark.slow
def test_an_extended_review_has_the_bytes_of_a_fresh_one(empty_directory):
    call("review", *GAMES, "--against", BASE, "--matches", "1k", "-o", "out")
    call("review", *GAMES, "--against", BASE, "--matches", "1700", "-o", "out")
    before = tree("out")
    shutil.move("out", "grown")
    call("review", *GAMES, "--against", BASE, "--matches", "1700", "-o", "out")
    assert tree("out") == before


@pytest.mark.slow
def test_known_differences_of_composed_variants_have_the_right_sign(empty_directory):
    """5,000 matches a pair.

    A doubled undercut bonus makes waiting better, a lowered one worse; with a lower knock limit a
    deal takes longer. The differences are many standard errors wide, so a false alarm is rarer than
    one in a million.
    """
    bonuses = ["standard+undercut_bonus=50", "standard+undercut_bonus=10", "standard+knock_limit=5"]
    output = call(
        "review", *bonuses, "dice", "--against", BASE, "--matches", "5k", "-o", "out"
    ).stdout
    changes = pd.read_csv("out/differences.csv").set_index(["variant", "metric"])
    more, less, low = (
        {key: changes.loc[name, key] for key in ("patience", "turns", "knock")} for name in bonuses
    )
    assert more["patience"]["low"] > 0 > less["patience"]["high"]
    assert low["turns"]["low"] > 0 > low["knock"]["high"]
    assert (
        of("out")["value"][BASE, "best_k"] == 0 and of("out")["value"]["dice", "best_k"] == 10
    )  # points for the one, deals for the other
    assert "raises the best knock threshold: a deadwood of 10 instead of 0" in " ".join(
        output.split()
    )
    assert "dice: none of these players offers the die" in " ".join(output.split())


@pytest.mark.slow
def test_a_deep_review_has_every_metric_or_its_reason(empty_directory):
    call("review", "straight", "--against", BASE, "--deep", "--matches", "1k", "-o", "out")
    metrics = of("out")
    why = metrics["why"].fillna("")
    assert not why.str.contains("--deep").any()
    assert set(metrics[metrics["value"].isna()].index) == set(why[why != ""].index)
    assert list(why[BASE][why[BASE] != ""].index) == []
    knocks = {slot for slot in players.RESTRICTIONS if slot.startswith("knock")}
    assert set(why["straight"][why["straight"] != ""].index) == {
        "best_k",
        "patience",
        "early",
        "break_even",
        "verdict",
        "luck",
        *knocks,
    }
    value = metrics["value"]
    assert value[BASE, "marjj"] > 0 and value[BASE, "chain"] >= 1
    assert value["straight", "take=never"] < 0.5 and value["straight", "discard=uniform"] < 0.1
    assert 10 < value[BASE, "break_even"] < 25


@pytest.mark.slow
def test_one_player_variants_have_their_own_metrics(empty_directory):
    """Deals of one variant are won, of the other they cost points.

    The best player beats the naive one at both by many standard errors.
    """
    call("review", "solitaire-gin", "--against", "solitary-gin", "--matches", "1k", "-o", "out")
    metrics = of("out")
    why = metrics["why"].fillna("")
    assert why["solitary-gin", "win"] == ALONE["win"]
    assert why["solitaire-gin", "penalty"] == ALONE["penalty"]
    assert why["solitaire-gin", "match_win"] == ALONE["match_win"]
    assert (why.loc[:, "score"] == ALONE["score"]).all()
    assert metrics.loc["solitaire-gin", "win_gap"]["low"] > 0
    assert metrics.loc["solitary-gin", "penalty_gap"]["low"] > 0
    shares = metrics["value"]["solitaire-gin"]
    assert shares["gin"] + shares["joker"] + shares["knock"] + shares["limit"] == pytest.approx(1)
    assert shares["win"] == shares["gin"]
    assert wellformed.faults(Path("out/report.html").read_text()) == []


@pytest.mark.parametrize("batches", [999, 1000, 1001, 20_000])
def test_many_batches_are_added_up_without_loss(batches):
    rows = np.random.default_rng(batches).integers(0, 2**40, (batches, 3))
    found = review.merged(rows)
    assert len(found) <= review.MOST_BATCHES and (found.sum(axis=0) == rows.sum(axis=0)).all()
    assert batches > review.MOST_BATCHES or (found == rows).all()
