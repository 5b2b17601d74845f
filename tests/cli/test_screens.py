"""Tests of screens at 80 columns: the result, a table, and the command to repeat it."""

import re
import shlex
from pathlib import Path

import pytest

from support.command_line import run_simgin

MAX_OUTPUT_LINES = 48  # two terminals of 24 lines
DEEP_FOLDER = Path("a/folder/far/below/the/one/in/which/the/author/of/a/strategy/works")
PATIENT_STRATEGY_CODE = """
from simgin.strategy import Strategy, knock, param
@knock(k=param(5, 0, 20, "own turns"))
def early(view, rules, params):
    return view.own_turn <= params[0] or view.ending_count == 0
STRATEGY = Strategy("patient-gold", knock=early)
"""
EXPERIMENT_TOML_BY_NAME = {
    "twenty": """
        question = "Does waiting pay under any of these four sets of rules, and for whom does it?"
        hypothesis = "It pays wherever an undercut is worth more than a gin, and nowhere else."
        deals = 4000
        variants = ["standard", "eaai", "oklahoma", "straight"]
        [panel]
        strategies = ["FILE:k=3", "FILE", "FILE:k=7", "gold", "stubborn"]
        against = "simple"
    """,
    "league": """
        question = "Who leads?"
        matches = 400
        round_robin = ["FILE", "FILE:k=9", "gold", "simple", "stubborn"]
    """,
    "fields": """
        question = "Everywhere?"
        matches = 600
        changes = ["knock=early", "knock=at:k=3"]
        [[fields]]
        strategy = "FILE"
        [[fields]]
        strategy = "gold"
        against = "simple"
    """,
    "alone": """
        question = "Alone?"
        matches = 400
        variants = ["solitary-gin", "solitaire-gin"]
        solo = ["gold", "FILE", "solo-greedy"]
    """,
}
COMMAND_BY_NAME = {
    "deals": "match gold --deals 4000",
    "matches": "match FILE marjj --matches 400",
    "policies": "match FILE+knock=FILE:k=2+discard=high-first simple --deals 400",
    "until": "match FILE --until 3% --deals 20k",
    "sprt": "match FILE --sprt 0,100 --deals 20k",
    "few": "match gold --deals 20",
    "alone": "match gold -v solitary-gin --matches 200",
    "league": "run league.toml",
    "fields": "run fields.toml",
    "solo": "run alone.toml",
}


@pytest.fixture(scope="module")
def experiments_directory(tmp_path_factory):
    """Create a directory with a strategy deep inside it, and experiments that name it."""
    folder = tmp_path_factory.mktemp("screens")
    (folder / DEEP_FOLDER).mkdir(parents=True)
    (folder / DEEP_FOLDER / "patient.py").write_text(PATIENT_STRATEGY_CODE)
    for name, text in EXPERIMENT_TOML_BY_NAME.items():
        (folder / f"{name}.toml").write_text(text.replace("FILE", str(DEEP_FOLDER / "patient.py")))
    return folder


@pytest.fixture(autouse=True)
def working_directory(experiments_directory, few_mix_samples, monkeypatch):
    monkeypatch.chdir(experiments_directory)
    monkeypatch.setenv("COLUMNS", "80")


def run_command_line(command):
    """Run a command, with FILE replaced by the path of the strategy; return its output."""
    return run_simgin(*command.replace("FILE", str(DEEP_FOLDER / "patient.py")).split()).stdout


@pytest.mark.parametrize("name", COMMAND_BY_NAME)
def test_output_fits_two_screens(name):
    assert_fits_two_screens(run_command_line(COMMAND_BY_NAME[name]))


@pytest.mark.parametrize(
    ("bounds", "result"),
    [
        ("0,10", "Sequential test: gold-early is stronger (log likelihood ratio "),
        ("-3,0", "Sequential test: no decision after 500 pairs. gold-early "),
    ],
)
def test_result_of_a_sequential_test_comes_before_the_estimate(bounds, result):
    output = run_command_line(f"match gold-early gin-only --sprt {bounds} --matches 1000")
    _, sentences = " ".join(output.split()).split("Does gold-early beat gin-only? ")
    assert sentences.startswith(result) and "gold-early wins " in sentences
    for words in ("beats", "loses to", "too close to call", "not reached", " A is "):
        assert words not in sentences


@pytest.mark.parametrize(("options", "is_odd"), [("--deals 1", True), ("--deals 2", False)])
def test_odd_number_of_deals_is_reported(options, is_odd):
    errors = run_simgin("match", "gold", "simple", *options.split()).stderr
    assert ("playing 2 deals instead of 1, because every shuffle" in errors) == is_odd


def test_command_for_details_is_on_one_line(tmp_path):
    """Use a directory with a long name, so that a wrapped command would break its path."""
    directory = tmp_path / ("long-" * 20)
    file = tmp_path / "e.toml"
    file.write_text('question = "?"\ndeals = 200\n[[matchups]]\na = "gold"\n')
    lines = run_command_line(f"run {file} -o {directory}").splitlines()
    assert f"Details: simgin report {directory} --details" in lines


def test_unreached_precision_is_explained():
    output = " ".join(run_command_line("match gold simple --deals 400 --until 1%").split())
    assert (
        "Stopped: the run reached its maximum size before the percentage of deals won was known to "
        "within ± 1 percentage points (95 % confidence sequence for at most 400 deals). The "
        "intervals are wider than in a run of this size without `until`."
    ) in output


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        ("gold-early gin-only --matches 2000", "beats"),
        ("gold simple --deals 2000", "is too close to call"),
        ("gold -v solitary-gin --deals 2000", None),
    ],
)
def test_verdict_term_is_explained_once(arguments, outcome):
    output = " ".join(run_command_line(f"match {arguments}").split())
    assert output.count("is significant at the 95 % confidence level") == (outcome is not None)
    assert outcome is None or f" {outcome}" in output


def assert_fits_two_screens(output):
    """Check that an output has a verdict, one table and a command on two screens."""
    lines = output.splitlines()
    assert lines[-1].startswith("Command: simgin ")
    answer = [line for line in lines if not line.startswith(("Command:", "Output:", "Details:"))]
    assert all(len(line) <= 80 for line in answer)
    assert len(lines) <= MAX_OUTPUT_LINES
    rules = [i for i, line in enumerate(lines) if re.fullmatch("─+", line)]
    assert len(rules) == 1
    words = "\n".join(lines[: rules[0]])
    verdict = re.search(r"(?i)\b(beats|loses|wins|gains?|leads|too few|meets|best of)\b", words)
    assert verdict is not None, words
    assert str(DEEP_FOLDER) not in "\n".join(answer)
    for diagnosis in ("luck share", "Homogeneity", "Mirror", "would be detected"):
        assert diagnosis not in output


def test_report_shows_the_details_of_a_finished_run():
    assert_fits_two_screens(run_command_line("run twenty.toml -o twenty"))
    output = run_simgin("report", "twenty", "--details").stdout
    answer = [line for line in output.splitlines() if not line.startswith(("Command", "Output"))]
    assert all(len(line) <= 80 for line in answer) and str(DEEP_FOLDER) not in "\n".join(answer)
    for words in ("Differences", "Homogeneity", "Mirrored"):
        assert words in output
    short = run_simgin("report", "twenty").stdout.splitlines()
    assert short[-1] == "Command: simgin report twenty" and len(short) <= MAX_OUTPUT_LINES


def test_strategies_of_the_same_name_are_distinguished():
    for folder_name in ("one", "two"):
        Path(folder_name).mkdir()
        Path(folder_name, "mine.py").write_text(PATIENT_STRATEGY_CODE)
    Path("other.py").write_text(PATIENT_STRATEGY_CODE)
    Path("namesake.py").write_text(PATIENT_STRATEGY_CODE.replace("patient-gold", "gold"))
    for players, expected in [
        ("one/mine.py two/mine.py:k=7", "patient-gold against patient-gold:k=7"),
        ("one/mine.py two/mine.py", "patient-gold (one/mine.py) and patient-gold (two/mine.py) pl"),
        ("one/mine.py other.py", "patient-gold (mine.py) and patient-gold (other.py) play"),
        ("namesake.py gold", "gold (namesake.py) against gold, standard"),
        ("namesake.py simple", "gold (namesake.py) against simple, standard"),
        ("namesake.py:k=7 simple", "gold:k=7 (namesake.py) against simple, standard"),
    ]:
        assert expected in " ".join(run_command_line(f"match {players} --deals 400").split())


def test_comparison_begins_with_the_names_of_the_runs():
    for k in (3, 9):
        run_command_line(f"match FILE:k={k} simple --deals 24k -o k{k}")
    lines = run_simgin("compare", "k9", "k3").stdout.splitlines()
    assert lines[0] == "How does k9 differ from k3?"
    assert lines[1].startswith("patient-gold:k=9 compared with patient-gold:k=3 (standard, against")
    shown_lines = [line for line in lines if not line.startswith(("Command", "  strategies"))]
    assert all(len(line) <= 80 for line in shown_lines)
    written = run_simgin("compare", "k9", "k3", "-o", "apart").stdout.splitlines()
    assert written[:-2] == lines[:-1] and written[-2].startswith("Output:  apart/report.html")
    assert lines[0] in Path("apart/report.html").read_text()
    assert "deal_win" in Path("apart/differences.csv").read_text()
    run_simgin("compare", "k9", "k3", "-o", "k3", exit_code=2)  # a run is not overwritten


def test_comparison_reports_identical_results_and_deals_of_only_one_run():
    for name, players, n in [
        ("small", "gold simple", 2000),
        ("copy", "gold simple", 2000),
        ("large", "gold simple", 4200),
        ("other", "gold gin-only", 4200),
        ("league", "gold simple --against gin-only", 2000),
        ("pair", "gold hazard --against gin-only", 2000),
        ("longer-league", "gold simple --against gin-only", 2300),
    ]:
        run_command_line(f"match {players} --deals {n} -o {name}")
    for names, expected_lines in [
        ("copy small", ["The results of both runs are identical."]),
        (
            "large small",
            [
                "The first 2,000 deals are identical in both runs.",
                "large has 2,200 more deals, which are not compared.",
            ],
        ),
        (
            "league longer-league",
            [
                "The first 2,000 deals of each matchup are identical in both runs.",
                "longer-league has 600 more deals, which are not compared.",
            ],
        ),
        (
            "league other",
            [
                "The first 2,000 deals of each common matchup are identical in both runs.",
                "other has 2,200 more deals, which are not compared.",
                "league contains 1 matchup that other does not contain.",
            ],
        ),
        (
            "league pair",
            [
                "The results of the common matchups are identical.",
                "league contains 1 matchup that pair does not contain.",
                "pair contains 1 matchup that league does not contain.",
            ],
        ),
    ]:
        lines = run_command_line(f"compare {names}").splitlines()
        assert lines[1:-1] == [*expected_lines, ""]
    lines = run_command_line("compare other small").splitlines()
    assert lines[1:3] == [
        "The first 2,000 deals are compared.",
        "other has 2,200 more deals, which are not compared.",
    ]
    assert "Differences" in lines


def test_comparison_lists_changed_settings_with_the_names_of_the_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, knock_limit in [("early", 3), ("late", 9)]:
        code = PATIENT_STRATEGY_CODE.replace("param(5,", f"param({knock_limit},")
        Path("mine.py").write_text(code)
        run_command_line(f"match mine.py simple --deals 2000 -o {name}")
    lines = run_command_line("compare late early").splitlines()
    start = lines.index("The runs differ in the following settings:")
    assert re.fullmatch(
        r'strategies, mine\.py, digest: "[0-9a-f]{16}" in late, "[0-9a-f]{16}" in early\.',
        " ".join(lines[start + 1 : start + 3]),
    )
    assert lines[start + 3 : start + 5] == [
        'strategies, mine.py, policies, knock: "early:k=9" in late, "early:k=3" in early.',
        "strategies, mine.py, parameters, knock, k: 9 in late, 3 in early.",
    ]


# Commands, each followed by its output; "= " marks a complete line
RECORDED_SCREENS_TEXT = (Path(__file__).parents[1] / "data" / "screens.txt").read_text()


@pytest.mark.parametrize(
    "recorded_screen", RECORDED_SCREENS_TEXT.removeprefix("=== ").split("\n=== ")
)
def test_recorded_screen_is_reproduced(recorded_screen):
    command_line, *expected_lines = recorded_screen.strip().splitlines()
    screen = run_simgin(*shlex.split(command_line)).stdout
    lines = [line.rstrip() for line in screen.splitlines()]
    assert all(len(line) <= 80 or "simgin " in line for line in lines)
    joined = " ".join(screen.split())
    for message in expected_lines:
        assert message[2:] in lines if message.startswith("= ") else message in joined, message
    (command,) = [line for line in lines if line.startswith("Command: ")]
    assert command == lines[-1] or command_line.startswith(
        "analyze"
    )  # which repeats its answer last
    repeat_arguments = shlex.split(command.removeprefix("Command: simgin "))
    details = ["--details"] * ("--details" in command_line)
    assert run_simgin(*repeat_arguments, *details).stdout == screen or command_line.startswith(
        "hand"
    )
