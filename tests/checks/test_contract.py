"""The contract test rejects every bad strategy in a sentence and accepts good ones.

Each file of tests/data/bad_strategies does one thing that it must not do. Its first line says which
check must reject it and quotes words of the sentence.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from simgin.checks import contract
from simgin.rules import variants
from simgin.strategy import loader, template
from simgin.text.files import create_file

ZOO = Path(__file__).parents[1] / "data" / "bad_strategies"
ANIMALS = {path.stem: path for path in sorted(ZOO.glob("*.py"))}
# A bad strategy of each kind for every run; the others take minutes.
# Strategies that end their process are tested separately.
COMMON = (
    "illegal_card hanging out_of_bounds whole_history writing_view own_chance clock counting "
    "unknown_field"
).split()
ENDING = ["hanging_in_python", "hanging_when_read", "ending_the_process"]
REST = [name for name in ANIMALS if name not in (*COMMON, *ENDING)]
STANDARD = [variants.find("standard")]
PYTHON = """
from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard

ASKED = {}


@discard
def remembering(view, rules, params):
    if int(view.hand) not in ASKED:
        ASKED[int(view.hand)] = best_discard(view.hand, view.legal, rules)
        print("a new hand")
    card = ASKED[int(view.hand)]
    return card if view.legal >> card & 1 else best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("remembering", discard=remembering)
"""

TWO_FAULTS = """
from simgin.strategy import Strategy, discard, take


@take
def raising(view, rules, params):
    if view.stock < 25:
        raise ValueError("out of ideas")
    return 0


@discard
def illegal(view, rules, params):
    return 60


STRATEGY = Strategy("two-faults", take=raising, discard=illegal)
"""
HANGING_AND_ILLEGAL = TWO_FAULTS.replace('raise ValueError("out of ideas")', "while True: pass")


def expected_check(path: Path) -> tuple[str, str]:
    """The check that must reject a bad strategy, and words of its sentence."""
    name, words = path.read_text().split('"""')[1].split(": ", maxsplit=1)
    return name, words


def assert_caught(path: Path, findings: list[contract.Finding]) -> None:
    name, words = expected_check(path)
    failed = {finding.check: finding.sentence for finding in findings if finding.passed is False}
    assert list(failed) == [name], f"{path.name}: {failed}"
    assert (
        words in failed[name] and "\n" not in failed[name] and failed[name].endswith((".", "?"))
    ), failed[name]


def asked(files: list[Path], seconds: float = 2.0) -> dict[str, list[contract.Finding]]:
    """The findings on strategies asked only a few questions, in as few processes as possible."""
    with pytest.MonkeyPatch.context() as few:
        few.setattr(contract, "QUESTIONS", 80)
        few.setattr(contract, "AT_LEAST", 80)
        found = contract.check([str(file) for file in files], STANDARD, seconds)
    return {file.stem: [one for one in found if one.strategy == str(file)] for file in files}


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[contract.Finding]]:
    folder = tmp_path_factory.mktemp("good")
    create_file(folder / "begun.py", template.strategy_file(folder / "begun.py"))
    (folder / "remembering.py").write_text(PYTHON)
    (folder / "two_faults.py").write_text(TWO_FAULTS)
    own = [folder / f"{name}.py" for name in ("begun", "remembering", "two_faults")]
    return asked([*own, *(ANIMALS[name] for name in COMMON)])


@pytest.fixture(scope="module")
def rest() -> dict[str, list[contract.Finding]]:
    return asked([ANIMALS[name] for name in REST])


@pytest.mark.parametrize("name", COMMON)
def test_the_common_bad_strategies_are_rejected(
    name: str, common: dict[str, list[contract.Finding]]
) -> None:
    assert [finding.check for finding in common[name]] == list(contract.CHECKS)
    assert_caught(ANIMALS[name], common[name])


@pytest.mark.parametrize("name", ["begun", "remembering"])
def test_good_strategies_are_accepted(name: str, common: dict[str, list[contract.Finding]]) -> None:
    """The template, and a pure function that runs in Python, caches what it knows and prints."""
    assert [finding for finding in common[name] if finding.passed is not True] == []
    said = {finding.check: finding.sentence for finding in common[name]}
    assert said["plays"] == "200 deals of standard." and (
        "discard runs in Python" in said["compiles"]
    ) == (name == "remembering")


def test_the_check_goes_on_after_a_failure(common: dict[str, list[contract.Finding]]) -> None:
    """Both faults are found; all that can be checked is; deals are not played."""
    results = {finding.check: finding for finding in common["two_faults"]}
    assert "60" in results["legal"].sentence and "out of ideas" in results["raises"].sentence
    failed = {check for check, finding in results.items() if finding.passed is False}
    untested = {check for check, finding in results.items() if finding.passed is None}
    assert (failed, untested) == ({"legal", "raises"}, {"plays"})
    assert "failure above" in results["plays"].sentence


@pytest.mark.slow
def test_the_check_goes_on_without_a_policy_that_hangs(tmp_path: Path) -> None:
    file = tmp_path / "both.py"
    file.write_text(HANGING_AND_ILLEGAL)
    failed = {one.check: one.sentence for one in asked([file])["both"] if one.passed is False}
    assert list(failed) == ["legal", "time"] and "take policy 'raising'" in failed["time"]


@pytest.mark.slow
@pytest.mark.parametrize("name", REST)
def test_the_other_bad_strategies_are_rejected(
    name: str, rest: dict[str, list[contract.Finding]]
) -> None:
    assert_caught(ANIMALS[name], rest[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDING)
def test_strategies_that_end_or_hang_their_process_are_rejected(name: str) -> None:
    assert_caught(ANIMALS[name], asked([ANIMALS[name]])[name])


def shell(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "simgin", "strategies", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"x = 1\0\n", "null bytes"),
        (b"def f(:\n", "SyntaxError"),
        (b"\xff\xfe", "SyntaxError"),
        (b"x = 1\n", "has no strategy; it needs a line like"),
        (b"import nowhere_at_all\n", "ModuleNotFoundError"),
        (None, "cannot be read: No such file"),
    ],
)
def test_a_text_that_is_no_strategy_is_bad_input(
    content: bytes | None, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    if content is not None:
        file.write_bytes(content)
    done = shell("check", file, "-v", "standard")
    said = [line for line in done.stderr.splitlines() if "checking" not in line]
    assert done.returncode == 2 and len(said) == 1 and sentence in said[0], done.stderr


@pytest.mark.slow
def test_the_command_exits_with_1_for_a_failure_and_reports_it_in_json() -> None:
    done = shell("check", ANIMALS["illegal_card"], "-v", "standard", "-v", "oklahoma", "--json")
    rows = json.loads(done.stdout)["rows"]
    assert done.returncode == 1 and [row["check"] for row in rows] == list(contract.CHECKS)
    assert [row["check"] for row in rows if row["passed"] is False] == ["legal"]


@pytest.mark.slow
def test_every_shipped_strategy_and_policy_passes_in_every_variant() -> None:
    """Strategies by themselves, and every policy in gold's place of its slot.

    mc has few worlds, to save time.
    """
    alone = [name for name in loader.names() if name != "mc"]
    mixed = [
        f"gold+{policy.slot}={policy.name}" for policy in loader.policies() if policy.name != "mc"
    ]
    found = contract.check([*alone, "mc:n=4", *mixed, "gold+stake=dead"], contract.all_variants())
    assert [one for one in found if one.passed is not True] == []
