"""Tests of `simgin review`: its matches, its numbers, and reproducibility."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from simgin.core import batch_columns
from simgin.learn import strongest
from simgin.report.numbers import EN_DASH
from simgin.report.report_table import Table
from simgin.review import live_scorecard, match_course, review_request
from simgin.review.review import plan_review, run_review
from simgin.review.review_report import build_scorecard_table
from simgin.review.review_request import ReviewRequest, resolve_players
from simgin.rules import variants
from simgin.runs import directory, ledger
from simgin.runs.stopping import elo_to_score
from simgin.stats.paired_estimate import PairedEstimate
from simgin.strategy.cast import STRONG
from support import hostile
from support.command_line import call, interrupted_after
from support.html_checks import find_errors

BASE, LONGER = "standard", "standard+points_target=200"
GAMES = ("straight", LONGER)
WORDS = ("review", *GAMES, "--against", BASE, "--matches", "1k", "-o", "out")
WORDS += ("--players", "simple,gin-only,gold-early", "--goals", "turns per match 60..120")
T975 = {9: 2.262157163}  # Student's t of ten batches


def read_files(place):
    """Return every file except the manifest and the ledger, whose page order can vary."""
    left_out = {ledger.LEDGER_FILE, directory.MANIFEST_FILE}
    files = hostile.read_tree(place).items()
    return {name: content for name, content in files if name.split("-")[0] not in left_out}


@pytest.fixture(scope="module")
def small_review(tmp_path_factory):
    """Run a small review once: ten batches of every player against itself."""
    with pytest.MonkeyPatch.context() as patched:
        place = tmp_path_factory.mktemp("review")
        patched.chdir(place)
        patched.setenv("COLUMNS", "80")
        return place / "out", call(*WORDS, "--workers", 1)


@pytest.fixture(scope="module")
def rows(small_review):
    """Return the batch rows of every matchup by variant, A and B."""
    manifest = json.loads((small_review[0] / directory.MANIFEST_FILE).read_text())
    with ledger.open_existing_ledger(small_review[0] / ledger.LEDGER_FILE) as run_ledger:
        return {
            (matchup["variant"], matchup["a"], matchup["b"]): run_ledger.read_rows(
                i, matchup["units"], batch_columns.MATCH_BATCH_SIZE
            )
            for i, matchup in enumerate(manifest["matchups"])
        }


def test_the_live_scorecard_contains_only_final_results(monkeypatch):
    monkeypatch.setattr(live_scorecard, "MAX_TIME_PROPORTION", math.inf)
    pilot, tables = [], []
    request = resolve_players(
        ReviewRequest.read(
            ["straight"], BASE, players=["simple", "gin-only", "gold"], matches=1000
        ),
        progress=lambda *done: pilot.append(done),
    )
    assert [done / total for done, total in pilot] == [0.5, 1]

    def on_progress(done, total, render_result):
        tables.append(render_result())

    review = run_review(request, 1, on_progress)
    headings, *final = _cells_by_row(build_scorecard_table(review))
    scorecards = [each for each in tables if isinstance(each, Table)]
    n_missing = []
    for card in scorecards:
        shown, *rows = _cells_by_row(card)
        assert shown == headings and len(rows) >= len(final)
        n_missing.append(sum(cell == EN_DASH for row in rows for cell in row))
        for row in final:
            (own,) = (each for each in rows if each[0] == row[0])
            assert all(a in (b, EN_DASH) for a, b in zip(own, row, strict=True))
    assert n_missing == sorted(n_missing, reverse=True) and len(set(n_missing)) > 3
    assert [row for row in rows if {*row[1:]} != {EN_DASH}] == final
    monkeypatch.setattr(type(review), "select_effects_by_type", lambda *_: {})
    *_, skill_row = _cells_by_row(build_scorecard_table(review))
    assert skill_row[0] == final[-1][0] and EN_DASH in skill_row


def _cells_by_row(table):
    """Return the headings and the values, effect sizes and differences of a scorecard."""
    cells = [
        [f"{cell['text']} {cell['verdict']}".strip() for cell in row]
        for row in table.to_json()["rows"]
    ]
    return [[*table.headings], *cells]


# Matches of a review


def test_every_player_type_plays_itself_and_the_strong_player_plays_all_types():
    strong = ((BASE, "champion"), ("oklahoma", "gold"))
    request = ReviewRequest((BASE, "oklahoma"), BASE, strong=strong)
    plan = plan_review(request)
    games = [task.matchup for task in plan.tasks]
    cells = {(game.variant.spec, game.a.spec, game.b.spec) for game in games}
    for variant, player in strong:
        weaker = [kind.strategy for kind in request.kinds]
        wanted = {(variant, name, name) for name in [*weaker, player]}
        wanted |= {(variant, player, name) for name in weaker} | {(variant, "gin-only", "simple")}
        assert {cell for cell in cells if cell[0] == variant} == wanted
    steps = [step.name for step in plan.extra_passes]
    assert steps == ["course of champion standard", "course of gold oklahoma"]


def test_a_solitaire_review_has_a_naive_a_careful_and_a_strong_player():
    request = resolve_players(ReviewRequest.read(["solitary-gin"]))
    names = [task.matchup.a.spec for task in plan_review(request).tasks]
    assert names[:2] == [kind.strategy for kind in request.kinds] and len(names) == 3
    assert ReviewRequest.read(["standard"], deep=True).matches == 2_000_000


def test_a_strategy_that_significantly_beats_champion_is_the_strong_player(monkeypatch):
    """Choose the best significant winner of a trial with separate deals."""
    win_rates = {"marjj-early": 0.6, "mishra-uniform": 0.62, "gold-early": 0.51}

    def pilot_matches(variant, seed, workers):
        return {a: PairedEstimate.from_known_se(p, 0.01, 2000) for a, p in win_rates.items()}

    monkeypatch.setattr(strongest, "play_pilot_matches", pilot_matches)
    assert strongest.find_strongest_player("standard", 1, None) == "mishra-uniform"
    win_rates |= {"marjj-early": 0.52, "mishra-uniform": 0.45}
    assert strongest.find_strongest_player("standard", 1, None) == "champion"


def eliminated_after(win_rate, rng):
    """Return the number of pairs after which a simulated challenger is eliminated, or None."""
    rule = strongest.EliminationTest(0, strongest.STRONGER_ELO)
    totals = np.zeros(batch_columns.N_COLUMNS, np.int64)
    size = batch_columns.MATCH_BATCH_SIZE
    for _ in range(strongest.PILOT_MATCHES // (2 * size)):
        wins = rng.binomial(2, win_rate, size)
        totals[batch_columns.COL_UNITS] += size
        for n_wins, bin_index in enumerate((0, 2, 4)):
            totals[batch_columns.COL_WIN_RATE_HISTOGRAM + bin_index] += (wins == n_wins).sum()
        if rule.check_totals(totals):
            return int(totals[batch_columns.COL_UNITS])
    return None


def test_a_stronger_challenger_is_rarely_eliminated_and_a_weaker_one_soon():
    """The error rate is 5 % at a lead of 20 Elo points; the tolerance is three standard errors."""
    rng = np.random.default_rng(20)
    stronger = elo_to_score(strongest.STRONGER_ELO)
    eliminated = [eliminated_after(stronger, rng) is not None for _ in range(400)]
    assert np.mean(eliminated) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    weaker = [eliminated_after(0.4, rng) for _ in range(100)]
    assert None not in weaker and np.mean(weaker) < 250


@pytest.mark.parametrize("deal", [7.3, 24, 40, 95, 400])
@pytest.mark.parametrize("turns", [3.0, 81.9, 230.0])
@pytest.mark.parametrize("guess", [1, 100, 900, 10**7])
def test_the_nearest_target_is_found_on_any_staircase(deal, turns, guess):
    """A match ends with a whole deal, so its length increases in steps."""

    def length(points):
        return 5 * -(-points // deal) + 0.4 * points

    found = review_request.find_nearest_target(turns, length, guess)
    distances = {points: abs(length(points) - turns) for points in range(5, 2_000, 5)}
    assert found in distances and distances[found] == min(distances.values())


def test_a_length_that_no_target_reaches_gets_the_highest():
    assert review_request.find_nearest_target(10.0, lambda points: 9 - 1 / points, 50) == 100_000


def near_targets(variant, player, seed):
    """Return the chosen target and the length errors of nearby targets."""
    request = ReviewRequest(("standard", variant), "standard", seed=seed, matches=1_000)

    def length(text):
        return review_request.measure_turns_per_match(player, text, request, None)

    wanted = length("standard")
    text = review_request._find_variant_of_length(wanted, variant, player, request, None)
    target = variants.find_variant(text).params["points_target"]
    near = {
        points: abs(length(f"{variant}+points_target={points}") - wanted)
        for points in range(max(5, target - 15), target + 20, 5)
    }
    return target, near


@pytest.mark.parametrize("seed", [1, 718])
@pytest.mark.parametrize(
    "variant", ["tedesco", "standard+gin_bonus=100", "standard+points_target=260"]
)
def test_the_target_of_the_same_length_is_the_nearest_five(variant, seed):
    """The lengths are those of the review's own matches."""
    target, near = near_targets(variant, "gold-early", seed)
    assert near[target] == min(near.values())


def test_matches_to_the_target_of_the_same_length_are_as_long(small_review):
    frame = pd.read_csv(small_review[0] / "metrics.csv").query("metric == 'turns_per_match'")
    strong = frame[frame["players"] == STRONG].set_index("variant")["value"]
    (same,) = (variant for variant in strong.index if variant not in (BASE, *GAMES))
    assert same.startswith("straight+points_target=") and strong["straight"] > 1.05 * strong[BASE]
    request = ReviewRequest((BASE,), BASE, matches=1_000)
    for variant in (BASE, same):
        length = review_request.measure_turns_per_match("gold-early", variant, request, None)
        assert strong[variant] == pytest.approx(length, rel=1e-9)
    target = variants.find_variant(same).params["points_target"]
    for other in (target - 5, target + 5):
        text = f"straight+points_target={other}"
        length = review_request.measure_turns_per_match("gold-early", text, request, None)
        assert abs(strong[same] - strong[BASE]) <= abs(length - strong[BASE])


# Numbers compared with plain numpy


def select_column(cell, fact):
    return cell[:, batch_columns.COL_SUM + batch_columns.STATISTIC_INDEX[fact]].astype(float)


FIGURES = {
    "turns_per_match": ("turns", "matches"),
    "turns": ("turns", "deals"),
    "deals_per_match": ("deals", "matches"),
    "dead": ("void", "deals"),
}


@pytest.mark.parametrize("variant", [BASE, *GAMES])
@pytest.mark.parametrize("kind", ["simple", "gin-only", STRONG])
def test_numbers_and_paired_differences_agree_with_numpy(small_review, rows, variant, kind):
    name = "gold-early" if kind == STRONG else kind
    names = ["variant", "metric", "players"]
    metrics = pd.read_csv(small_review[0] / "metrics.csv").set_index(names)
    differences = pd.read_csv(small_review[0] / "differences.csv").set_index(names)
    for key, (over, under) in FIGURES.items():
        moves = {}
        for text in {variant, BASE}:
            n, d = (select_column(rows[text, name, name], fact) for fact in (over, under))
            moves[text] = (n.sum() / d.sum(), (n - n.sum() / d.sum() * d) / d.sum(), d.sum())
        value, own, _ = moves[variant]
        told = metrics.loc[variant, key, kind]
        error = math.sqrt(10 / 9 * (own**2).sum())
        assert [told["value"], told["se"]] == pytest.approx([value, error], rel=1e-8)
        if key != "dead":
            limits = [value - T975[9] * error, value + T975[9] * error]
            assert [told["low"], told["high"]] == pytest.approx(limits, rel=1e-8)
        if variant == BASE:
            continue
        told = differences.loc[variant, key, kind]
        error = math.sqrt(10 / 9 * ((own - moves[BASE][1]) ** 2).sum())
        if key == "dead" and error:  # a proportion: one more case on either side
            error = math.hypot(error, 1 / moves[variant][2], 1 / moves[BASE][2])
        expected = [value - moves[BASE][0], error]
        assert [told["value"], told["se"]] == pytest.approx(expected, rel=1e-8)
        assert told["base_variant"] == BASE


def test_skill_is_the_win_rate_of_the_strong_player_against_each_weaker_type(small_review):
    metrics = pd.read_csv(small_review[0] / "metrics.csv").query("metric == 'skill'")
    table = pd.read_csv(small_review[0] / "table.csv").query("metric == 'match_win'")
    pairs = table.set_index(["variant", "strategy", "opponent"])
    for row in metrics.to_dict("records"):
        told = pairs.loc[row["variant"], row["strategy"], row["opponent"]]
        assert [row["value"], row["n"]] == [pytest.approx(told["value"]), 1000]


def test_a_missing_number_has_a_reason(small_review):
    metrics = pd.read_csv(small_review[0] / "metrics.csv", keep_default_na=False, na_values=[""])
    why = metrics.set_index(["variant", "metric", "players"])["why"].fillna("")
    assert why["straight", "knock_turn", STRONG] == "only gin ends a deal"
    assert ((metrics["why"].isna()) == metrics["value"].notna()).all()


# Sentences


def test_question_verdict_and_scorecard_take_24_lines(small_review):
    lines = small_review[1].stdout.splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith("Skill"))
    assert lines[0] == "Straight or Points target 200?" and end < 24
    assert lines[1].startswith('The goal "turns per match 60..120" is ')
    said = " ".join(" ".join(lines[1:9]).split())
    assert "Straight: Matches " in said and "nearly every deal ends in gin" in said
    assert "Points target 200: Matches " in said and "longer" in said


def test_the_report_is_complete_and_valid(small_review):
    text = (small_review[0] / "report.html").read_text()
    assert find_errors(text) == []
    for part in ("Scorecard", "at equal match length", "Limitations", "All metrics"):
        assert part in text
    summary = (small_review[0] / "summary.md").read_text()
    assert 'the table "All differences from the baseline" shows the effect' in summary
    effects_table = summary.partition("## All differences from the baseline\n")[2]
    assert "| effect size |" in effects_table and "| Skill" in effects_table
    pictures = {path.stem for path in (small_review[0] / "plots").glob("*.svg")}
    assert pictures == {"match_length", "outcomes", "kinds", "knock_chart", "scores"}


def test_a_plot_of_scores_requires_significant_cells(empty_directory):
    options = ("--players", "simple,gold", "--matches", "1k", "-o", "out")
    call("review", "standard+undercut_bonus=24", "--against", "standard", *options)
    plots = {path.stem for path in (empty_directory / "out" / "plots").glob("*.svg")}
    assert "outcomes" in plots and "scores" not in plots


def test_json_has_every_figure(small_review, empty_directory):
    rows = json.loads(call(*WORDS, "--json").stdout)["rows"]
    frame = pd.read_csv(small_review[0] / "metrics.csv")
    assert [row["metric"] for row in rows] == [*frame["metric"]]
    assert {"variant", "metric", "title", "value", "se", "low", "high", "n", "why"} <= {*rows[0]}


def test_a_file_is_equivalent_to_options(small_review, empty_directory):
    """Errors in a file name the key."""
    (empty_directory / "club.toml").write_text(
        f'title = "Which?"\nnote = "In May."\nrule_sets = ["straight", "{LONGER}"]\n'
        f'against = "{BASE}"\nplayers = ["simple", "gin-only", "gold-early"]\nmatches = "1k"\n'
        'goals = ["turns per match 60..120"]\n'
    )
    call("review", "--file", "club.toml", "-o", "out")
    for name in ("metrics.csv", "differences.csv", "table.csv"):
        assert (empty_directory / "out" / name).read_bytes() == (
            small_review[0] / name
        ).read_bytes()
    text = (empty_directory / "out" / "report.html").read_text()
    assert "<h1>Which?</h1>\n<p>In May.</p>" in text
    (empty_directory / "bad.toml").write_text('rule_set = ["straight"]\nseconds_per_turn = 0\n')
    told = call("review", "--file", "bad.toml", code=2).stderr
    assert "rule_set" in told and "seconds_per_turn" in told


def test_a_title_and_a_note_of_the_command_are_shown_everywhere(small_review, empty_directory):
    hostile_note = "In <b>May</b>."
    words = (*WORDS, "--title", "Longer?", "--note", hostile_note)
    shown = call(*words).stdout
    assert shown.startswith(f"Longer?\n{hostile_note}\n") and "--title 'Longer?'" in shown
    place = empty_directory / "out"
    assert (
        "<h1>Longer?</h1>\n<p>In &lt;b&gt;May&lt;/b&gt;.</p>" in (place / "report.html").read_text()
    )
    assert (place / "summary.md").read_text().startswith("# Longer?\n\nIn &lt;b>May&lt;/b>.\n")
    assert (place / "metrics.csv").read_bytes() == (small_review[0] / "metrics.csv").read_bytes()


def test_an_extended_review_keeps_its_title_and_note(empty_directory):
    words = ("review", "straight", "--against", "standard", "--players", "simple,gin-only,gold")
    call(*words, "--matches", "1k", "-o", "out", "--title", "Longer?", "--note", "In May.")
    shown = call(*words, "--matches", "1.2k", "-o", "out").stdout
    assert shown.startswith("Longer?\nIn May.\n") and "--title 'Longer?'" in shown
    shown = call(*words, "--matches", "1.2k", "-o", "out", "--title", "", "--note", "New.").stdout
    assert shown.startswith("Straight or Standard?\nNew.\n")


def test_targets_report_the_length_of_a_match(empty_directory):
    shown = call(
        *("review", "standard", "--targets", "250", "--matches", "1k", "-o", "out"),
        *("--players", "simple,gin-only,gold-early"),
    ).stdout
    lines = " ".join(shown.split())
    assert "Which points target is best? The length of a match rises sharply, from " in lines
    assert " turns with points target 250. A match is about " in lines
    assert " minutes longer (" in lines and ", at 8 s per turn)." in lines
    assert " The percentage of matches with a shut-out falls" in lines


def test_a_sweep_ends_with_a_conclusion(empty_directory):
    shown = call(
        *("review", "standard", "--sweep", "undercut_bonus=0,10,40", "--matches", "1k"),
        *("-o", "out", "--players", "simple,gin-only,gold-early"),
    ).stdout
    lines = " ".join(shown.split())
    assert (
        "Which undercut bonus is best? The length of a match " in lines
        and "by undercut bonus" in lines
    )
    text = (empty_directory / "out" / "report.html").read_text()
    assert "Best undercut bonus" not in text and find_errors(text) == []
    assert "The best values are not shown, because at least 2,000 matches are required." in lines
    assert "(▲ ▼: at least a little above or below Standard)" in lines
    frame = pd.read_csv(empty_directory / "out" / "plots" / "sweep.csv")
    assert sorted(set(frame["x"])) == [0, 10, 40] and set(frame["n"]) == {1000}  # matches


# The same bytes


def test_an_interrupted_review_continues_to_the_same_bytes(
    small_review, empty_directory, monkeypatch
):
    """One thread without a stop, and two threads that are stopped twice, agree."""
    follow, seen = match_course.count_match_events, []

    def raise_interrupt(*arguments):
        seen.append(arguments)
        if len(seen) == 2:
            raise KeyboardInterrupt
        return follow(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(match_course, "count_match_events", raise_interrupt)
        call(*WORDS, "--workers", 2, code=130)
    with monkeypatch.context() as patched:
        interrupted_after(patched, 20, kept=True)
        message = call(*WORDS, "--workers", 2, code=130).stderr
    assert "Finished batches are saved" in message
    call(*WORDS, "--workers", 2)
    assert read_files(empty_directory / "out") == read_files(small_review[0])
    before = read_files(small_review[0])
    call("report", small_review[0])
    assert read_files(small_review[0]) == before
