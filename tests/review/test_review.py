"""Tests of `simgin review`: matches, metrics, sentences and reproducibility."""

import json
import math
import shutil

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
from simgin.strategy.cast import GIN_PLAYER, IMMEDIATE_KNOCKER, STRONG_PLAYER
from support import hostile
from support.command_line import interrupt_after_blocks, run_simgin
from support.html_checks import find_html_errors

BASELINE, LONGER_VARIANT = "standard", "standard+points_target=200"
REVIEWED_VARIANTS = ("straight", LONGER_VARIANT)
REVIEW_ARGUMENTS = (
    "review",
    *REVIEWED_VARIANTS,
    "--against",
    BASELINE,
    "--matches",
    "1k",
    "-o",
    "out",
)
REVIEW_ARGUMENTS += (
    "--players",
    "simple,gin-only,gold-early",
    "--goals",
    "turns per match 60..120",
)
T_QUANTILE_BY_DF = {9: 2.262157163}  # Student's t of ten batches


def read_reproducible_files(directory_path):
    """Read every file of a run except the manifest and the ledger, which can vary."""
    omitted = {ledger.LEDGER_FILE, directory.MANIFEST_FILE}
    files = hostile.read_directory(directory_path).items()
    return {name: content for name, content in files if name.split("-")[0] not in omitted}


@pytest.fixture(scope="module")
def small_review(tmp_path_factory):
    """Run a small review once, with ten batches of every player against itself."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        directory_path = tmp_path_factory.mktemp("review")
        monkeypatch.chdir(directory_path)
        monkeypatch.setenv("COLUMNS", "80")
        return directory_path / "out", run_simgin(*REVIEW_ARGUMENTS, "--workers", 1)


@pytest.fixture(scope="module")
def batch_rows(small_review):
    """Return the batch rows of every matchup, keyed by variant and players."""
    manifest = json.loads((small_review[0] / directory.MANIFEST_FILE).read_text())
    with ledger.open_existing_ledger(small_review[0] / ledger.LEDGER_FILE) as run_ledger:
        return {
            (matchup["variant"], matchup["a"], matchup["b"]): run_ledger.read_rows(
                i, matchup["units"], batch_columns.MATCH_BATCH_SIZE
            )
            for i, matchup in enumerate(manifest["matchups"])
        }


def test_live_scorecard_contains_only_final_results(monkeypatch):
    monkeypatch.setattr(live_scorecard, "MAX_RENDER_TIME_PROPORTION", math.inf)
    pilot, tables = [], []
    request = resolve_players(
        ReviewRequest.read(
            ["straight"], BASELINE, players=["simple", "gin-only", "gold"], matches=1000
        ),
        progress=lambda *counts: pilot.append(counts),
    )
    assert [counts / total for counts, total in pilot] == [0.5, 1]

    def on_progress(counts, total, render_result):
        tables.append(render_result())

    review = run_review(request, 1, on_progress)
    headings, *final = list_scorecard_cells(build_scorecard_table(review))
    scorecards = [table for table in tables if isinstance(table, Table)]
    n_missing = []
    for scorecard in scorecards:
        shown_headings, *rows = list_scorecard_cells(scorecard)
        assert shown_headings == headings and len(rows) >= len(final)
        n_missing.append(sum(cell == EN_DASH for row in rows for cell in row))
        for row in final:
            (shown_row,) = (table for table in rows if table[0] == row[0])
            assert all(
                cell in (final_cell, EN_DASH)
                for cell, final_cell in zip(shown_row, row, strict=True)
            )
    assert n_missing == sorted(n_missing, reverse=True) and len(set(n_missing)) > 3
    assert [row for row in rows if {*row[1:]} != {EN_DASH}] == final
    monkeypatch.setattr(type(review), "select_effects_by_type", lambda *_: {})
    *_, skill_row = list_scorecard_cells(build_scorecard_table(review))
    assert skill_row[0] == final[-1][0] and EN_DASH in skill_row


def list_scorecard_cells(table):
    """Return the headings and the values, effect sizes and differences of a scorecard."""
    cells = [
        [f"{cell['text']} {cell['verdict']}".strip() for cell in row]
        for row in table.to_json()["rows"]
    ]
    return [[*table.headings], *cells]


# Matches of a review


def test_review_plan_has_all_matchups_of_the_player_types():
    strong = ((BASELINE, "champion"), ("oklahoma", "gold"))
    request = ReviewRequest((BASELINE, "oklahoma"), BASELINE, strong=strong)
    plan = plan_review(request)
    matchups = [task.matchup for task in plan.tasks]
    cells = {(matchup.variant.spec, matchup.a.spec, matchup.b.spec) for matchup in matchups}
    for variant, player in strong:
        weaker = [player_type.strategy for player_type in request.kinds]
        expected = {(variant, name, name) for name in [*weaker, player]}
        expected |= {(variant, player, name) for name in weaker} | {(variant, "gin-only", "simple")}
        assert {cell for cell in cells if cell[0] == variant} == expected
    steps = [step.name for step in plan.extra_passes]
    assert steps == ["course of champion standard", "course of gold oklahoma"]


def test_solitaire_review_has_three_player_types():
    request = resolve_players(ReviewRequest.read(["solitary-gin"]))
    names = [task.matchup.a.spec for task in plan_review(request).tasks]
    assert names[:2] == [player_type.strategy for player_type in request.kinds] and len(names) == 3
    assert ReviewRequest.read(["standard"], deep=True).matches == 2_000_000


def test_strategy_that_beats_champion_is_the_strong_player(monkeypatch):
    """Expect the strategy with the best significant result in pilot matches."""
    win_rates = {"marjj-early": 0.6, "mishra-uniform": 0.62, "gold-early": 0.51}

    def make_pilot_results(variant, seed, workers):
        return {
            strategy: PairedEstimate.from_known_se(win_rate, 0.01, 2000)
            for strategy, win_rate in win_rates.items()
        }

    monkeypatch.setattr(strongest, "play_pilot_matches", make_pilot_results)
    assert strongest.find_strongest_player("oklahoma", 1, None) == "mishra-uniform"
    assert strongest.find_strongest_player("standard", 1, None) == "champion"  # no pilot matches
    win_rates |= {"marjj-early": 0.52, "mishra-uniform": 0.45}
    assert strongest.find_strongest_player("oklahoma", 1, None) == "champion"


def simulate_elimination(win_rate, rng):
    """Return the number of pairs after which a simulated challenger is eliminated, or None."""
    rule = strongest.EliminationTest(0, strongest.CLEAR_ELO_LEAD)
    totals = np.zeros(batch_columns.N_COLUMNS, np.int64)
    size = batch_columns.MATCH_BATCH_SIZE
    for _ in range(strongest.PILOT_MATCHES // (2 * size)):
        wins = rng.binomial(2, win_rate, size)
        totals[batch_columns.UNITS_COLUMN] += size
        for n_wins, bin_index in enumerate((0, 2, 4)):
            totals[batch_columns.WIN_RATE_HISTOGRAM_START + bin_index] += (wins == n_wins).sum()
        if rule.check_totals(totals):
            return int(totals[batch_columns.UNITS_COLUMN])
    return None


def test_pilot_matches_eliminate_weaker_challengers():
    """Allow an error rate of 5 % plus three standard errors at a lead of 20 Elo points."""
    rng = np.random.default_rng(20)
    win_rate = elo_to_score(strongest.CLEAR_ELO_LEAD)
    is_eliminated = [simulate_elimination(win_rate, rng) is not None for _ in range(400)]
    assert np.mean(is_eliminated) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    n_pairs = [simulate_elimination(0.4, rng) for _ in range(100)]
    assert None not in n_pairs and np.mean(n_pairs) < 250


@pytest.mark.parametrize("deal_length", [7.3, 24, 40, 95, 400])
@pytest.mark.parametrize("wanted_length", [3.0, 81.9, 230.0])
@pytest.mark.parametrize("guess", [1, 100, 900, 10**7])
def test_nearest_target_is_found_if_length_increases_in_steps(deal_length, wanted_length, guess):
    """Use lengths of whole deals, which increase in steps."""

    def compute_length(points):
        return 5 * -(-points // deal_length) + 0.4 * points

    target = review_request.find_nearest_target(wanted_length, compute_length, guess)
    distances = {
        points: abs(compute_length(points) - wanted_length) for points in range(5, 2_000, 5)
    }
    assert target in distances and distances[target] == min(distances.values())


def test_unreachable_length_gives_the_highest_target():
    assert review_request.find_nearest_target(10.0, lambda points: 9 - 1 / points, 50) == 100_000


def compare_nearby_targets(variant, player, seed):
    """Return the chosen target and the length errors of nearby targets."""
    request = ReviewRequest(("standard", variant), "standard", seed=seed, matches=1_000)

    def find_length(spec):
        return review_request.measure_turns_per_match(player, spec, request, None)

    wanted_length = find_length("standard")
    spec = review_request._find_variant_with_match_length(
        wanted_length, variant, player, request, None
    )
    target = variants.find_variant(spec).params["points_target"]
    length_errors = {
        points: abs(find_length(f"{variant}+points_target={points}") - wanted_length)
        for points in range(max(5, target - 15), target + 20, 5)
    }
    return target, length_errors


@pytest.mark.parametrize("seed", [1, pytest.param(718, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "variant", ["tedesco", "standard+gin_bonus=100", "standard+points_target=260"]
)
def test_adjusted_target_is_the_nearest_multiple_of_five(variant, seed):
    target, length_errors = compare_nearby_targets(variant, "gold-early", seed)
    assert length_errors[target] == min(length_errors.values())


def test_adjusted_target_makes_matches_equally_long(small_review, monkeypatch):
    frame = pd.read_csv(small_review[0] / "metrics.csv").query("metric == 'turns_per_match'")
    strong = frame[frame["players"] == STRONG_PLAYER].set_index("variant")["value"]
    (equal_length_variant,) = (
        variant for variant in strong.index if variant not in (BASELINE, *REVIEWED_VARIANTS)
    )
    assert (
        equal_length_variant.startswith("straight+points_target=")
        and strong["straight"] > 1.05 * strong[BASELINE]
    )
    request = ReviewRequest((BASELINE,), BASELINE, matches=1_000)

    def find_length(spec):
        return review_request.measure_turns_per_match("gold-early", spec, request, None)

    target = variants.find_variant(equal_length_variant).params["points_target"]
    length_errors = {
        points: abs(find_length(f"straight+points_target={points}") - find_length(BASELINE))
        for points in (target - 5, target, target + 5)
    }
    assert length_errors[target] == min(length_errors.values())
    monkeypatch.setattr(review_request, "PILOT_MATCHES", request.matches)
    for variant in (BASELINE, equal_length_variant):
        assert strong[variant] == pytest.approx(find_length(variant), rel=1e-9)


def test_match_length_does_not_depend_on_the_size_of_the_review():
    lengths = {
        review_request.measure_turns_per_match(
            "gold-early", BASELINE, ReviewRequest((BASELINE,), BASELINE, matches=n_matches), None
        )
        for n_matches in (1_000, 3_000)
    }
    assert len(lengths) == 1


# Numbers compared with plain numpy


def select_statistic(batch_rows, statistic):
    return batch_rows[
        :, batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX[statistic]
    ].astype(float)


STATISTICS_BY_METRIC = {
    "turns_per_match": ("turns", "matches"),
    "turns": ("turns", "deals"),
    "deals_per_match": ("deals", "matches"),
    "dead": ("void", "deals"),
}


@pytest.mark.parametrize("variant", [BASELINE, *REVIEWED_VARIANTS])
@pytest.mark.parametrize(
    ("player_type", "name"),
    [(IMMEDIATE_KNOCKER, "simple"), (GIN_PLAYER, "gin-only"), (STRONG_PLAYER, "gold-early")],
)
def test_metrics_and_differences_agree_with_numpy(
    small_review, batch_rows, variant, player_type, name
):
    names = ["variant", "metric", "players"]
    metrics = pd.read_csv(small_review[0] / "metrics.csv").set_index(names)
    differences = pd.read_csv(small_review[0] / "differences.csv").set_index(names)
    for key, (numerator, denominator) in STATISTICS_BY_METRIC.items():
        parts_by_variant = {}
        for spec in {variant, BASELINE}:
            n, d = (
                select_statistic(batch_rows[spec, name, name], fact)
                for fact in (numerator, denominator)
            )
            parts_by_variant[spec] = (
                n.sum() / d.sum(),
                (n - n.sum() / d.sum() * d) / d.sum(),
                d.sum(),
            )
        value, influences, _ = parts_by_variant[variant]
        row = metrics.loc[variant, key, player_type]
        error = math.sqrt(10 / 9 * (influences**2).sum())
        assert [row["value"], row["se"]] == pytest.approx([value, error], rel=1e-8)
        if key != "dead":
            interval = [value - T_QUANTILE_BY_DF[9] * error, value + T_QUANTILE_BY_DF[9] * error]
            assert [row["low"], row["high"]] == pytest.approx(interval, rel=1e-8)
        if variant == BASELINE:
            continue
        row = differences.loc[variant, key, player_type]
        error = math.sqrt(10 / 9 * ((influences - parts_by_variant[BASELINE][1]) ** 2).sum())
        if key == "dead" and error:  # a proportion: one more case on either side
            error = math.hypot(
                error, 1 / parts_by_variant[variant][2], 1 / parts_by_variant[BASELINE][2]
            )
        expected = [value - parts_by_variant[BASELINE][0], error]
        assert [row["value"], row["se"]] == pytest.approx(expected, rel=1e-8)
        assert row["base_variant"] == BASELINE


def test_skill_is_the_win_rate_against_each_weaker_type(small_review):
    metrics = pd.read_csv(small_review[0] / "metrics.csv").query("metric == 'skill'")
    table = pd.read_csv(small_review[0] / "table.csv").query("metric == 'match_win'")
    pairs = table.set_index(["variant", "strategy", "opponent"])
    for row in metrics.to_dict("records"):
        pair_row = pairs.loc[row["variant"], row["strategy"], row["opponent"]]
        assert [row["value"], row["n"]] == [pytest.approx(pair_row["value"]), 1000]


def test_missing_metric_has_a_reason(small_review):
    metrics = pd.read_csv(small_review[0] / "metrics.csv", keep_default_na=False, na_values=[""])
    reasons = metrics.set_index(["variant", "metric", "players"])["why"].fillna("")
    assert reasons["straight", "knock_turn", STRONG_PLAYER] == "only gin ends a deal"
    assert ((metrics["why"].isna()) == metrics["value"].notna()).all()


# Sentences


def test_terminal_output_fits_26_lines(small_review):
    lines = small_review[1].stdout.splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith("Skill"))
    assert lines[0] == "Straight or Points target 200?" and end < 26
    assert lines[1].startswith('The goal "turns per match 60..120" is ')
    verdict = " ".join(" ".join(lines[1:9]).split())
    assert "Straight: Matches " in verdict and "nearly every deal ends in gin" in verdict
    assert "Points target 200: Matches " in verdict and "longer" in verdict
    assert 'also contains the table "Scorecard at equal match length".' in small_review[1].stdout


def test_report_is_valid_and_has_every_part(small_review):
    text = (small_review[0] / "report.html").read_text()
    assert find_html_errors(text) == []
    for part in ("Scorecard", "at equal match length", "Limitations", "All metrics"):
        assert part in text
    summary = (small_review[0] / "summary.md").read_text()
    assert 'the table "All differences from the baseline" shows the effect' in summary
    for wrong_elsewhere in ("purple", "increase --matches"):
        assert wrong_elsewhere not in summary and wrong_elsewhere not in text
    scorecard_note = text.partition("at equal match length")[0]
    assert scorecard_note.count('<p class="note">') >= 6
    effects_table = summary.partition("## All differences from the baseline\n")[2]
    assert "| effect size |" in effects_table and "| Skill" in effects_table
    plots = {path.stem for path in (small_review[0] / "plots").glob("*.svg")}
    assert plots == {"match_length", "outcomes", "kinds", "knock_chart", "scores"}


def test_plot_of_scores_requires_significant_cells(empty_directory):
    options = ("--players", "simple,gold", "--matches", "1k", "-o", "out")
    run_simgin("review", "standard+undercut_bonus=24", "--against", "standard", *options)
    plots = {path.stem for path in (empty_directory / "out" / "plots").glob("*.svg")}
    assert "outcomes" in plots and "scores" not in plots


def test_json_has_every_metric(small_review, empty_directory):
    shutil.copytree(small_review[0], "out")  # the finished matches are not played again
    rows = json.loads(run_simgin(*REVIEW_ARGUMENTS, "--json").stdout)["rows"]
    frame = pd.read_csv(small_review[0] / "metrics.csv")
    assert [row["metric"] for row in rows] == [*frame["metric"]]
    assert {"variant", "metric", "title", "value", "se", "low", "high", "n", "why"} <= {*rows[0]}


def test_review_file_is_equivalent_to_options(small_review, empty_directory):
    """Check also that an error message names the invalid key of a file."""
    (empty_directory / "club.toml").write_text(
        f'title = "Which?"\nnote = "In May."\nrule_sets = ["straight", "{LONGER_VARIANT}"]\n'
        f'against = "{BASELINE}"\nplayers = ["simple", "gin-only", "gold-early"]\nmatches = "1k"\n'
        'goals = ["turns per match 60..120"]\n'
    )
    run_simgin("review", "--file", "club.toml", "-o", "out")
    for name in ("metrics.csv", "differences.csv", "table.csv"):
        assert (empty_directory / "out" / name).read_bytes() == (
            small_review[0] / name
        ).read_bytes()
    text = (empty_directory / "out" / "report.html").read_text()
    assert "<h1>Which?</h1>\n<p>In May.</p>" in text
    (empty_directory / "bad.toml").write_text('rule_set = ["straight"]\nseconds_per_turn = 0\n')
    error = run_simgin("review", "--file", "bad.toml", exit_code=2).stderr
    assert "rule_set" in error and "seconds_per_turn must be greater than 0." in error


@pytest.mark.parametrize("value", ["true", '"x"'])
def test_review_file_requires_a_number_of_seconds(empty_directory, value):
    (empty_directory / "bad.toml").write_text(
        f'rule_sets = ["straight"]\nseconds_per_turn = {value}\n'
    )
    error = run_simgin("review", "--file", "bad.toml", exit_code=2).stderr
    assert "seconds_per_turn must be a number, not" in error


def test_strongest_player_is_found_for_a_target_outside_the_training_range():
    """Without a gin bonus, matches are twice as long, so equally long matches have low targets."""
    rule_set = "standard+gin_bonus=0"
    request = resolve_players(ReviewRequest.read([rule_set], BASELINE))
    adjusted_variant = dict(request.same_length)[rule_set]
    assert variants.find_variant(adjusted_variant).params["points_target"] < 50
    assert request.find_strong_player(rule_set) == "champion"
    assert request.find_strong_player(adjusted_variant) == "gold-early"
    assert adjusted_variant in request.untrained_variants


def test_title_and_note_are_shown_in_every_output(small_review, empty_directory):
    shutil.copytree(small_review[0], "out")  # the finished matches are not played again
    hostile_note = "In <b>May</b>."
    arguments = (*REVIEW_ARGUMENTS, "--title", "Longer?", "--note", hostile_note)
    screen = run_simgin(*arguments).stdout
    assert screen.startswith(f"Longer?\n{hostile_note}\n") and "--title 'Longer?'" in screen
    output = empty_directory / "out"
    assert (
        "<h1>Longer?</h1>\n<p>In &lt;b&gt;May&lt;/b&gt;.</p>"
        in (output / "report.html").read_text()
    )
    assert (output / "summary.md").read_text().startswith("# Longer?\n\nIn &lt;b>May&lt;/b>.\n")
    assert (output / "metrics.csv").read_bytes() == (small_review[0] / "metrics.csv").read_bytes()


def test_extended_review_keeps_its_title_and_note(empty_directory):
    arguments = ("review", "straight", "--against", "standard", *TWO_PLAYERS)
    run_simgin(
        *arguments, "--matches", "1k", "-o", "out", "--title", "Longer?", "--note", "In May."
    )
    screen = run_simgin(*arguments, "--matches", "1.2k", "-o", "out").stdout
    assert screen.startswith("Longer?\nIn May.\n") and "--title 'Longer?'" in screen
    screen = run_simgin(
        *arguments, "--matches", "1.2k", "-o", "out", "--title", "", "--note", "New."
    ).stdout
    assert screen.startswith("Straight or Standard?\nNew.\n")


def test_review_of_targets_reports_the_match_length(empty_directory):
    screen = run_simgin(
        *("review", "standard", "--targets", "250", "--matches", "1k", "-o", "out"),
        *("--players", "simple,gin-only,gold-early"),
    ).stdout
    lines = " ".join(screen.split())
    assert "Which points target is best? The length of a match rises sharply, from " in lines
    assert " turns with points target 250. A match is about " in lines
    assert " minutes longer (" in lines and ", at 8 s per turn)." in lines
    assert " The percentage of matches with a shut-out falls" in lines


TWO_PLAYERS = ("--players", "simple,gin-only")


def test_sweep_reports_trends_and_plots_all_values(empty_directory):
    screen = run_simgin(
        *("review", "standard", "--sweep", "undercut_bonus=0,10,40", "--matches", "1k"),
        *("-o", "out", "--players", "simple,gin-only,gold-early"),
    ).stdout
    lines = " ".join(screen.split())
    assert (
        "Which undercut bonus is best? The length of a match " in lines
        and "by undercut bonus" in lines
    )
    text = (empty_directory / "out" / "report.html").read_text()
    assert "Best undercut bonus" not in text and find_html_errors(text) == []
    assert "The best values are not shown, because at least 2,000 matches are required." in lines
    assert "(▲ ▼: at least a little above or below Standard)" in lines
    frame = pd.read_csv(empty_directory / "out" / "plots" / "sweep.csv")
    assert sorted(set(frame["x"])) == [0, 10, 40] and set(frame["n"]) == {1000}  # matches


@pytest.mark.parametrize(
    ("sweep", "values"),
    [
        (["undercut_on_tie=0,knocker"], [("no",), ("knocker",)]),
        (
            ["rainbow=yes,no", "gin_bonus=20,25"],
            [(word, number) for word in ("yes", "no") for number in (20.0, 25.0)],
        ),
        pytest.param(["rainbow=yes,no"], [("yes",), ("no",)], marks=pytest.mark.slow),
        pytest.param(
            ["next_dealer=winner,loser", "gin_bonus=20,25"],
            [(word, number) for word in ("winner", "loser") for number in (20.0, 25.0)],
            marks=pytest.mark.slow,
        ),
    ],
)
def test_sweep_over_words_has_plots(empty_directory, sweep, values):
    """Expect also that `report` draws the plots again."""
    options = [word for text in sweep for word in ("--sweep", text)]
    run_simgin("review", "standard", *options, "--matches", "1k", "-o", "out", *TWO_PLAYERS)
    run_simgin("report", "out")
    paths = sorted((empty_directory / "out" / "plots").glob("sweep*.csv"))
    frame = pd.read_csv(paths[0])
    points = zip(*(frame[column] for column in ("x", "y")[: len(sweep)]), strict=True)
    assert list(dict.fromkeys(points)) == values


# The same bytes


def test_interrupted_review_gives_the_same_files(small_review, empty_directory, monkeypatch):
    """Compare one uninterrupted worker with two workers that are interrupted twice."""
    count_matches, calls = match_course.count_match_events, []

    def interrupt_second_call(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return count_matches(*arguments)

    with monkeypatch.context() as patch_context:
        patch_context.setattr(match_course, "count_match_events", interrupt_second_call)
        run_simgin(*REVIEW_ARGUMENTS, "--workers", 2, exit_code=130)
    with monkeypatch.context() as patch_context:
        interrupt_after_blocks(patch_context, 20, only_on_disk=True)
        message = run_simgin(*REVIEW_ARGUMENTS, "--workers", 2, exit_code=130).stderr
    assert "Finished batches are saved" in message
    run_simgin(*REVIEW_ARGUMENTS, "--workers", 2)
    assert read_reproducible_files(empty_directory / "out") == read_reproducible_files(
        small_review[0]
    )
    before = read_reproducible_files(small_review[0])
    run_simgin("report", small_review[0])
    assert read_reproducible_files(small_review[0]) == before
