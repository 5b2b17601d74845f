"""Tests that `simgin doctor` reports every planted problem and no other."""

import itertools
import json
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from simgin.checks import doctor
from simgin.cli import session
from simgin.core import jit
from simgin.play import specialized_kernel
from simgin.runs import runner
from simgin.strategy import loader
from support.command_line import run_simgin

ROOT = Path(__file__).resolve().parents[2]
PROJECT_METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_passed_checks_fit_on_one_screen(monkeypatch):
    lines = run_simgin("doctor").stdout.splitlines()
    assert "All checks passed." in lines
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert "state: ok" in lines
    rows = itertools.takewhile(str.strip, lines[lines.index("state: ok") + 4 :])
    assert [line.split()[0] for line in rows if line[0] != " "] == list(doctor.HEALTH_CHECKS)
    monkeypatch.setitem(doctor.HEALTH_CHECKS, "play", doctor.check_versions)
    output = json.loads(run_simgin("doctor", "--json").stdout)
    assert output["command"] == "simgin doctor" and len(output["rows"]) == len(doctor.HEALTH_CHECKS)
    assert all(
        row["well"] is True and row["fault"] == "" and row["found"] for row in output["rows"]
    )


def test_known_sums_agree_with_the_random_stream():
    """Update known_answers.toml after changes to random numbers, standard rules, gold or simple."""
    assert (
        doctor.compute_known_sums(
            runner.run_matchup(doctor._make_known_matchup(), doctor.N_KNOWN_MATCH_DEALS, 1)
        )
        == doctor.KNOWN_SUMS
    )


def test_required_packages_are_those_of_the_project():
    dependencies = {requirement.split(">")[0] for requirement in PROJECT_METADATA["dependencies"]}
    assert dependencies | {"llvmlite"} == set(doctor.REQUIRED_LIBRARIES)
    assert f"numba>={doctor.NUMBA_VERSION},<" in " ".join(PROJECT_METADATA["dependencies"])


@pytest.mark.parametrize(
    ("constant", "value", "check"),
    [
        (
            "PHILOX_TEST_VECTORS",
            (((0, 0, 0, 0), (0, 0), (1, 2, 3, 4)), *doctor.PHILOX_TEST_VECTORS[1:]),
            "generator",
        ),
        (
            "KNOWN_HANDS",
            (("standard", doctor.KNOWN_HANDS[0][1], 49), *doctor.KNOWN_HANDS[1:]),
            "hands",
        ),
        ("KNOWN_SUMS", {**doctor.KNOWN_SUMS, "turns": doctor.KNOWN_SUMS["turns"] + 1}, "play"),
    ],
)
def test_unexpected_result_is_reported(monkeypatch, constant, value, check):
    monkeypatch.setattr(doctor, constant, value)
    result = run_simgin("doctor", "--json", exit_code=1)
    (failed,) = [row for row in json.loads(result.stdout)["rows"] if not row["well"]]
    assert failed["check"] == check
    message = result.stderr.replace(
        f"simgin: {session.COMPILING_NOTICE}\n", ""
    )  # on a busy machine
    assert (
        message == f"simgin: error: {failed['fault']}\n" and "Reinstall simgin" in failed["fault"]
    )


def test_different_results_of_threads_are_reported(monkeypatch):
    run_matchup = runner.run_matchup

    def run_matchup_reversed(matchup, n, workers):
        return run_matchup(matchup, n, 1)[:: 1 if workers == 1 else -1]

    monkeypatch.setattr(runner, "run_matchup", run_matchup_reversed)
    assert "depend on threads" in doctor.check_play().problem


@pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")
def test_failed_specialisation_of_kernels_is_reported(monkeypatch, tmp_path):
    monkeypatch.setattr(jit, "get_cache_directory", lambda: tmp_path)
    broken_linker = tmp_path / "linker.py"
    broken_linker.write_text("raise SystemExit('no module llvmlite')")
    monkeypatch.setattr(specialized_kernel.kernel_linker, "__file__", str(broken_linker))
    specialized_kernel.find_kernel.cache_clear()
    problem = doctor.check_specialized_kernel().problem
    assert "slower than usual" in problem and "(no module llvmlite)" in problem
    specialized_kernel.find_kernel.cache_clear()


@pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")
def test_different_results_of_kernels_are_reported(monkeypatch):
    monkeypatch.setattr(doctor, "_play_known_match", lambda _, is_specialized: [is_specialized])
    assert "computed incorrectly" in doctor.check_specialized_kernel().problem


def test_exception_in_a_check_does_not_stop_the_others(monkeypatch):
    monkeypatch.setattr(
        doctor, "HEALTH_CHECKS", {"play": lambda: 1 / 0, "machine": doctor.check_machine}
    )
    first, second = doctor.run_checks()
    assert "ZeroDivisionError" in first.problem and not second.problem


def test_unwritable_cache_is_reported(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no directory")  # also blocks the superuser
    monkeypatch.setenv("SIMGIN_CACHE_DIR", str(tmp_path / "file"))
    result = run_simgin("doctor", exit_code=1)
    assert "Not a directory" in result.stderr and "Set SIMGIN_CACHE_DIR" in result.stderr
    assert "1 of 10 checks failed." in result.stdout


def test_unsupported_version_of_a_package_is_reported(monkeypatch):
    installed_version = doctor._find_installed_version
    for package, version, messages in (
        ("numba", "0.69.2", ("numba 0.69.2 is not 0.68", "pip install 'numba==0.68.*'")),
        ("scipy", None, ("scipy cannot be found",)),
    ):
        versions = {package: version}
        monkeypatch.setattr(
            doctor,
            "_find_installed_version",
            lambda name, o=versions: o.get(name, installed_version(name)),
        )
        assert all(text in doctor.check_libraries().problem for text in messages)


def test_missing_extra_is_reported_with_its_install_command(monkeypatch):
    requirement = "no-such-thing>=3; extra == 'cluster'"
    requirements = [
        "numpy>=2",
        requirement,
        'numpy>=2; extra == "cluster"',
        'numpy; extra == "small"',
    ]
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: requirements)
    check = doctor.check_extras()
    missing = "missing no-such-thing: pip install 'simgin[cluster]'"
    assert (check.problem, check.details) == ("", f"complete: small; {missing}")


def test_broken_plug_ins_are_reported(monkeypatch, tmp_path):
    (tmp_path / "broken_plug_in.py").write_text("import nowhere_to_be_found\n")
    monkeypatch.syspath_prepend(tmp_path)
    modules = {"bad": "broken_plug_in", "gold": "simgin_strategies.gold"}
    entry_points = [EntryPoint(*module, "simgin.strategies") for module in modules.items()]
    monkeypatch.setattr(loader, "find_plug_ins", lambda: entry_points)
    check = doctor.check_plug_ins()
    assert check.details == "bad, gold"
    for message in ("plug-in 'bad'", "No module named 'nowhere_to_be_found'", "pip uninstall"):
        assert message in check.problem
