"""`simgin review`: what it plays, its figures against numpy, and the same bytes every way."""

import itertools
import json
import math
import re
import shutil
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from simgin.core import sums
from simgin.odds import sample
from simgin.play import kernel
from simgin.report import figures
from simgin.review import leads, players, review, review_plan, review_sentences
from simgin.review.players import FIELD
from simgin.review.review_plan import plan_review
from simgin.review.review_request import ReviewRequest, read_request
from simgin.review.rule_metrics import RULE_METRICS
from simgin.review.variant_matches import VariantMatches
from simgin.rules import variants
from simgin.runs import directory, ledger
from simgin.value import array_cache, outcomes, score_outcomes, turns, value
from support import hostile
from support import strict_html as wellformed
from support.command_line import call, interrupted_after

BASE, SHORT = "standard", "standard+points_target=50"
GAMES = ("straight", SHORT)
WORDS = ("review", *GAMES, "--against", BASE, "--matches", "1k", "-o", "out")
T975 = {9: 2.262157163}  # Student's t of ten batches


def tree(place):
    """Every file but the ledger, whose pages lie as they were written, and the manifest."""
    left_out = {ledger.FILE, directory.MANIFEST}
    files = hostile.tree(place).items()
    return {name: content for name, content in files if name.split("-")[0] not in left_out}


@pytest.fixture(scope="module", autouse=True)
def drawn_once():
    """Pictures take most of the time: each is drawn as SVG only."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(figures, "png", lambda _: b"PNG")
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The directory of a small review, made once.

    Ten batches of every player against itself, five of every pair.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path_factory.mktemp("review"))
        patched.setenv("COLUMNS", "80")
        return Path("out").resolve(), call(*WORDS, "--workers", 1)


def of(place, file="metrics.csv"):
    return pd.read_csv(place / file).set_index(["variant", "metric"])


@pytest.fixture(scope="module")
def metrics(made):
    return of(made[0])


@pytest.fixture(scope="module")
def differences(made):
    return of(made[0], "differences.csv")


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
    twice = ["oklahoma", "standard", "oklahoma", "standard+knock_limit=10"]  # each is played once
    tasks = plan_review(read_request(twice, "standard", seed=3)).tasks
    cells = [(one.matchup.variant.text, one.matchup.a.text, one.matchup.b.text) for one in tasks]
    assert {(one.matchup.seed, one.matchup.unit) for one in tasks} == {(3, "match")}
    ks = ["gin-only", "gold-at:k=2", "gold-at", "gold-at:k=6", "gold-at:k=8", "gold"]
    pairs = *itertools.combinations(ks, 2), *itertools.product(FIELD, FIELD)
    wanted = set(map(frozenset, pairs))
    for variant in ("standard", "oklahoma"):
        met = [frozenset(pair) for name, *pair in cells if name == variant]
        assert set(met) == wanted and len(met) == len(wanted)
    assert len(cells) == 2 * len(wanted)
    assert read_request(["standard"], "standard").base is None


def test_a_deep_review_adds_the_strong_the_weak_the_restricted_and_other_bonuses():
    tasks = plan_review(read_request(["standard"], None, deep=True)).tasks
    met = {(one.matchup.variant.text, one.matchup.a.text, one.matchup.b.text) for one in tasks}
    names = {name for variant, *pair in met if variant == "standard" for name in pair}
    assert {"marjj", "random", *players.WEAK} <= names
    restricted = {("standard", f"gold-early+{slot}", "gold-early") for slot in players.RESTRICTIONS}
    assert restricted <= met
    others = review_plan.with_bonuses("standard").values()
    assert {variant for variant, *_ in met} == {"standard", *others}
    assert {task.n for task in tasks} == {2_000_000}


def test_one_player_variants_are_played_by_weak_and_strong_players():
    tasks = plan_review(read_request(["solitary-gin", "solitaire-gin"], None)).tasks
    for variant in ("solitary-gin", "solitaire-gin"):
        own = [task.matchup for task in tasks if task.matchup.variant.text == variant]
        assert [matchup.a.text for matchup in own] == list(players.solo_field(variant))
        assert {matchup.b for matchup in own} == {None}


# The figures, against plain numpy


def ratio(cell, over, under):
    """A ratio of sums, and by how much every batch moves it."""
    n, d = (cell[:, sums.SUM + sums.FACT[name]].astype(float) for name in (over, under))
    value = n.sum() / d.sum()
    return value, (n - value * d) / d.sum()


def mean_of(rows, variant, over, under):
    parts = [ratio(rows[variant, name, name], over, under) for name in FIELD]
    value, moves = zip(*parts, strict=True)
    return np.mean(value), np.mean(moves, axis=0)


def error(moves):
    return math.sqrt(len(moves) / (len(moves) - 1) * (moves**2).sum())


OF_FIELD = {
    "turns": ("turns", "deals"),
    "gin": ("gin", "deals"),
    "points": ("points_scored", "decided"),
    "deals_per_match": ("deals", "matches"),
}


@pytest.mark.parametrize("variant", [BASE, *GAMES])
@pytest.mark.parametrize("key", OF_FIELD)
def test_means_of_the_field_and_paired_differences_agree_with_numpy(
    metrics, differences, rows, variant, key
):
    value, moves = mean_of(rows, variant, *OF_FIELD[key])
    told = metrics.loc[variant, key]
    assert [told["value"], told["se"]] == pytest.approx([value, error(moves)], rel=1e-8)
    if key != "gin":
        limits = [value - T975[9] * told["se"], value + T975[9] * told["se"]]
        assert [told["low"], told["high"]] == pytest.approx(limits, rel=1e-8)
    count = sums.SUM + sums.FACT["matches" if key == "deals_per_match" else "deals"]
    assert told["n"] == sum(rows[variant, name, name][:, count].sum() for name in FIELD)
    if variant == BASE:
        return
    base, base_moves = mean_of(rows, BASE, *OF_FIELD[key])
    unseen = 0.0
    if key == "gin":  # a share: one case more on either side, spread over the players
        deals = [[rows[v, name, name][:, count].sum() for name in FIELD] for v in (variant, BASE)]
        unseen = (np.mean(1 / np.array(deals), axis=1) ** 2).sum() / len(FIELD) ** 2
    expected = [value - base, math.sqrt(error(moves - base_moves) ** 2 + unseen)]
    told = differences.loc[variant, key]
    assert [told["value"], told["se"]] == pytest.approx(expected, rel=1e-8)
    assert told["base_variant"] == BASE


def test_known_values_have_the_right_size_and_sign(metrics):
    """Straight gin ends by gin or not at all, and deals of a match to 50 are those to 100."""
    value = metrics["value"]
    assert value["straight", "gin"] == pytest.approx(1 - value["straight", "void"])
    assert 0.4 < value[SHORT, "deals_per_match"] / value[BASE, "deals_per_match"] < 0.65
    assert abs(value[SHORT, "turns"] - value[BASE, "turns"]) < 0.5
    assert value[SHORT, "luck"] == value[BASE, "luck"]
    kinds = "void stalled even gin big_gin shot knock undercut refused".split()
    for variant in (BASE, *GAMES):
        assert value[variant][kinds].sum() == pytest.approx(1)


def test_a_missing_number_has_a_reason(metrics):
    why = metrics["why"].fillna("")
    assert why["straight", "patience"] == "only gin ends a deal"
    assert why["straight", "luck"] == "gold-early and gold play alike here"
    assert why[BASE, "comebacks"] == "with --deep"
    assert ((why == "") == metrics["value"].notna()).all()
    assert [*metrics.index] == [
        (variant, metric.key) for variant in (BASE, *GAMES) for metric in RULE_METRICS
    ]


# What is said


def test_the_screen_and_the_page_say_what_was_found(made, metrics, differences):
    place, shown = made
    said = " ".join(shown.stdout.split())
    found = re.search(
        r"Straight Gin .*?makes deals longer: ([\d.]+) turns instead of ([\d.]+) "
        r"\(difference ([\d.]+) ± ([\d.]+)\)",
        said,
    )
    turns = differences.loc["straight", "turns"]
    wanted = [metrics["value"][variant, "turns"] for variant in ("straight", BASE)]
    wanted += [turns["value"], T975[9] * turns["se"]]
    assert found and [float(part) for part in found.groups()] == pytest.approx(wanted, abs=0.06)
    assert "straight: gold, gold-early and gin-only play identically; all their deals" in said
    assert "Identical in every deal: luck share of a deal." in said
    assert len(shown.stdout.splitlines()) <= 48 and "turns per deal" in shown.stdout
    text = (place / "report.html").read_text()
    assert wellformed.faults(text) == []
    pictures = {path.stem for path in (place / "plots").glob("*.svg")}
    assert pictures == {path.stem for path in (place / "plots").glob("*.png")}
    wanted = set("differences endings turns points knock".split())
    files = {BASE: BASE, "straight": "straight", SHORT: "standard-points-target-50"}
    wanted |= {f"{name}-{variant}" for name in ("league", "scores") for variant in files.values()}
    assert pictures == wanted


def test_copies_are_recognised():
    """Of the base, though one rule differs that never counts, and of players among each other."""
    one = np.ones((5, sums.COLUMNS), np.int64)
    params = variants.find("standard").row
    request = ReviewRequest(("standard", "standard+copy"), "standard")
    matches = VariantMatches("standard", params, ("gold",), ("gold",), {("gold", "gold"): one}, {})
    copied = SimpleNamespace(request=request, matches=dict.fromkeys(request.variants, matches))
    copied.is_copy = lambda variant: review.Review.is_copy(copied, variant)
    (said,) = review_sentences.review_sentences(copied)
    assert said.startswith("standard+copy plays exactly like standard: every deal")
    cells = dict.fromkeys([("a", "a"), ("b", "b"), ("a", "b")], one)
    cells |= dict.fromkeys([("c", "c"), ("c", "a")], 2 * one)
    names = ("a", "b", "c")
    matches = VariantMatches("standard", params, names, names, cells, {})
    assert matches.identical_players == [("a", "b")]


# The same bytes


def test_an_interrupted_review_continues_to_the_same_bytes(made, empty_directory, monkeypatch):
    """Made by one thread without a stop; here by two, stopped half way and in the fourth step."""
    with monkeypatch.context() as patched:
        interrupted_after(patched, 40)
        message = call(*WORDS, "--workers", 2, code=130).stderr
    command = f"simgin review {' '.join(GAMES)} --against standard -o out --matches 1000"
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
    """With an engine that refuses to play and an empty cache of values: the same bytes.

    Pictures are left blank here: they are drawn from the same frames by the same code.
    """

    def refuse(*_, **__):
        raise AssertionError("a report played")

    shutil.copytree(made[0], "out")
    shutil.rmtree("out/plots")
    for name in ("report.html", "metrics.csv", "differences.csv", "table.csv", "summary.md"):
        Path("out", name).unlink()
    monkeypatch.setattr(figures, "svg", lambda *_: '<svg xmlns="http://www.w3.org/2000/svg"/>')
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
    told, expected = tree("out"), tree(made[0])
    same = {name for name in told if told[name] == expected[name]}
    assert told.keys() == expected.keys()
    assert all(name.endswith((".svg", ".html")) for name in told.keys() - same)
    assert not (tmp_path / "empty").exists()


def lacks_a_step():
    with sqlite3.connect(Path("out") / ledger.FILE) as connection:
        connection.execute("DELETE FROM steps")


OTHER = ("review", "oklahoma", "--against", BASE, "--matches", "1k", "-o", "out")


@pytest.mark.parametrize(
    ("before", "words", "sentence"),
    [
        (lacks_a_step, ("report", "out"), "lacks a step of its run, or it is damaged"),
        (None, ("report", "out"), "another version of simgin made this review; make it again"),
        (int, OTHER, "another directory"),
        (int, (*WORDS, "--seed", 2), "another directory"),
    ],
)
def test_a_directory_that_is_not_this_review_is_refused_and_left_alone(
    made, empty_directory, monkeypatch, before, words, sentence
):
    shutil.copytree(made[0], "out")
    kept = tree("out")
    if before is None:
        monkeypatch.setattr(review, "engine_digest", lambda: "another")
    else:
        before()
    assert sentence in call(*words, code=2).stderr
    assert tree("out") == kept


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name at least one variant"),
        (("oklahoma", "--against", "solitary-gin"), "review them separately"),
        (("oklahoma", "--matches", "999"), "999 matches are too few"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_and_leaves_nothing(empty_directory, words, message):
    said = call("review", *words, "-o", "out", code=2).stderr
    assert message in said and all(line.startswith("simgin: ") for line in said.splitlines())
    assert not Path("out").exists()


# Longer


@pytest.mark.slow
def test_a_deep_review_has_every_metric_or_its_reason(empty_directory):
    call("review", "straight", "--against", BASE, "--deep", "--matches", "1k", "-o", "out")
    metrics = of(empty_directory / "out")
    why = metrics["why"].fillna("")
    assert not why.str.contains("--deep").any()
    assert set(metrics[metrics["value"].isna()].index) == set(why[why != ""].index)
    expected = {slot for slot in players.RESTRICTIONS if slot.startswith("knock")}
    expected |= set("best_k patience early break_even verdict luck".split())
    assert {place for place, said in why.items() if said} == {("straight", one) for one in expected}
    value = metrics["value"]
    assert value[BASE, "marjj"] > 0 and value[BASE, "chain"] >= 1
    assert value["straight", "take=never"] < 0.5 and value["straight", "discard=uniform"] < 0.1
    assert 10 < value[BASE, "break_even"] < 25


@pytest.mark.slow
def test_one_player_variants_have_their_own_metrics(empty_directory):
    """The best player beats the naive one by many standard errors, in wins or in penalties."""
    call("review", "solitaire-gin", "--against", "solitary-gin", "--matches", "1k", "-o", "out")
    metrics = of(empty_directory / "out")
    why = metrics["why"].fillna("")
    assert why["solitary-gin", "win"] == "deals are not won: penalties are counted"
    assert why["solitaire-gin", "penalty"] == "deals cost nothing"
    assert why["solitaire-gin", "match_win"] == "a match is one deal"
    assert (why.loc[:, "score"] == "deals are not worth points").all()
    assert metrics.loc["solitaire-gin", "win_gap"]["low"] > 0
    assert metrics.loc["solitary-gin", "penalty_gap"]["low"] > 0
    shares = metrics["value"]["solitaire-gin"]
    assert shares[["gin", "joker", "knock", "limit"]].sum() == pytest.approx(1)
    assert shares["win"] == shares["gin"]
    assert wellformed.faults(Path("out/report.html").read_text()) == []


@pytest.mark.parametrize("batches", [999, 1000, 1001, 20_000])
def test_many_batches_are_added_up_without_loss(batches):
    rows = np.random.default_rng(batches).integers(0, 2**40, (batches, 3))
    found = review.merged(rows)
    assert len(found) <= review.MOST_BATCHES and (found.sum(axis=0) == rows.sum(axis=0)).all()
    assert batches > review.MOST_BATCHES or (found == rows).all()
