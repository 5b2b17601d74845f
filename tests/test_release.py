"""Tests of the release files: the wheel, the source archive and the package page.

The slow test installs the wheel from the network into a separate environment, and runs
the commands of the README and the tutorial.
"""

import email
import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from simgin.cli.main import COMMANDS
from simgin.version import AUTHORS, LICENSE, RELEASE_YEAR, TITLE, format_bibtex, get_version
from support import command_line
from support.installation import install_wheel, list_tracked_files, run_python_in_copy

ROOT = Path(__file__).resolve().parents[1]
PROJECT_METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BUILD_CODE = "from setuptools import build_meta as b; b.build_wheel('out'); b.build_sdist('out')"
IMPORTED_EXTRAS = ("cluster", "parquet", "tune", "rl", "anki")  # that simgin imports
GENERATED_FILES = ("PKG-INFO", "setup.cfg")


def render_package_page(repository):
    """Return the README as setup.py writes it for the package page."""
    spec = importlib.util.spec_from_file_location("setup", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build_package_page((ROOT / "README.md").read_text(), repository)


@pytest.fixture(scope="module")
def built_packages(tmp_path_factory):
    """Build the wheel and the source archive of a fresh checkout."""
    major = int(metadata.version("setuptools").partition(".")[0])
    if major < 77:
        pytest.skip("needs setuptools 77, which `make setup` installs")
    checkout = tmp_path_factory.mktemp("checkout")
    run_python_in_copy(checkout, "-c", BUILD_CODE)
    return checkout / "out"


def list_wheel_files(built_packages):
    (wheel,) = built_packages.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_has_every_module_and_every_data_file(built_packages):
    expected = set()
    for name in list_tracked_files():
        top, _, rest = name.partition("/")
        if top == "simgin":
            expected.add(name)
        elif top == "strategies" and name.endswith((".py", ".npy")):
            expected.add(f"simgin_strategies/{rest}")
        elif top in ("experiments", "notebooks"):
            expected.add(f"simgin_examples/{name}")
    found = {name for name in list_wheel_files(built_packages) if ".dist-info/" not in name}
    assert found == expected
    assert "simgin/py.typed" in found and "simgin_examples/experiments/demo.toml" in found


@pytest.mark.slow
def test_every_command_of_an_installed_wheel_shows_its_help(built_packages, tmp_path):
    """Install only the wheel, without network, next to the packages of this environment."""
    environment = tmp_path / "venv"
    (wheel,) = built_packages.glob("*.whl")
    library = install_wheel(wheel, environment)
    location = run_as_user(
        "python -c 'import simgin; print(simgin.__file__)'",
        user_environment=environment,
        cwd=tmp_path,
    )
    assert location.startswith(str(library))
    for name in COMMANDS:
        printed = run_as_user(f"simgin {name} --help", user_environment=environment, cwd=tmp_path)
        assert printed.startswith(f"Usage: simgin {name} ")


def test_source_archive_has_every_file_of_the_checkout(built_packages):
    (path,) = built_packages.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = [member.name for member in archive.getmembers() if member.isfile()]
    found = {name.partition("/")[2] for name in names}
    assert {name for name in found if ".egg-info/" not in name} - set(GENERATED_FILES) == set(
        list_tracked_files()
    )


def test_wheel_has_the_expected_metadata(built_packages):
    (wheel,) = built_packages.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        wheel_metadata = email.message_from_bytes(archive.read(name))
    assert wheel_metadata["Version"] == PROJECT_METADATA["version"]
    assert wheel_metadata["Description-Content-Type"] == "text/markdown"
    assert (
        wheel_metadata.get_payload(decode=True).decode().strip()
        == render_package_page(None).strip()
    )


def test_links_of_the_package_page_resolve_to_files():
    page = render_package_page(None)
    assert "](" not in page and "<!--" not in page
    assert "pip install simgin" in page and "git clone" not in page
    address = "https://github.com/someone/simgin"
    targets = re.findall(r"\]\(([^)]+)\)", render_package_page(address))
    assert len(targets) > 20
    for target in targets:
        link = re.fullmatch(rf"{address}/(?:blob|raw)/main/([^#]+)(?:#.*)?", target)
        assert link and (ROOT / link[1]).exists(), target


def test_citation_matches_the_project_metadata():
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {PROJECT_METADATA['version']}\n" in citation
    for line in (f'title: "{TITLE}"', f"  - name: {AUTHORS}", f"license: {LICENSE}"):
        assert f"\n{line}\n" in citation
    entry = command_line.run_simgin("cite").stdout
    assert entry == f"{format_bibtex()}\n" and entry.count("{") == entry.count("}")
    assert all(
        text in entry for text in ("@software{simgin,", TITLE, get_version(), str(RELEASE_YEAR))
    )
    assert f"Copyright (c) {RELEASE_YEAR} {AUTHORS}" in (ROOT / "LICENSE").read_text()
    address = PROJECT_METADATA.get("urls", {}).get("Repository")
    assert (f"\nrepository-code: {address}\n" in citation) == (address is not None)
    assert ("repository-code:" in citation) == (address is not None)


# Commands of the documentation, run in a user's environment

SMALL_SIZE_BY_COMMAND = {"match": "--deals 2k", "review": "--matches 1k", "odds": "--deals 2k"}
SIZE_OPTION_PATTERN = re.compile(r" --(?:deals|matches) \S+")


def read_code_blocks(page, language="sh"):
    """Return the code blocks of a page in a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)
    return [text for name, text in found if name == language]


def read_page_commands(page):
    """Return the simgin commands of a page with small sizes and without training."""
    lines = [re.split(r"\s+#", line)[0] for line in "".join(read_code_blocks(page)).splitlines()]
    commands = [line for line in lines if line.startswith("simgin ")]
    commands = [line.replace(" --adapt", "") if "--sweep" in line else line for line in commands]
    return [
        f"{SIZE_OPTION_PATTERN.sub('', line)} "
        f"{SMALL_SIZE_BY_COMMAND.get(line.split()[1], '')}".strip()
        for line in commands
    ]


@pytest.fixture(scope="module")
def user_environment(built_packages, tmp_path_factory):
    """Return an environment with the wheel, the extra for tuning, and pandas-stubs."""
    environment = tmp_path_factory.mktemp("user_environment") / "venv"
    venv.create(environment, with_pip=True)
    (wheel,) = built_packages.glob("*.whl")
    requirements = f"'{wheel}[tune]' pandas-stubs"
    run_as_user(
        "pip install -q -c",
        ROOT / "constraints.txt",
        requirements,
        user_environment=environment,
        cwd=environment,
    )
    return environment


def run_as_user(*arguments, user_environment, cwd):
    """Run a shell command in an environment, and return its output."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PY")}
    environment["PATH"] = f"{user_environment / 'bin'}{os.pathsep}{environment['PATH']}"
    command = " ".join(map(str, arguments))
    process = subprocess.run(
        command, shell=True, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, f"{command}\n{process.stdout}\n{process.stderr}"
    return process.stdout


def test_every_pinned_package_supports_the_oldest_python():
    """Check only packages that are installed in the pinned version."""
    oldest = PROJECT_METADATA["requires-python"].removeprefix(">=")
    unsupported = []
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        name, version = line.split("==")
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        required_python = distribution.metadata.get("Requires-Python", "")
        if distribution.version == version and f"{oldest}.0" not in SpecifierSet(required_python):
            unsupported.append(line)
    assert not unsupported


def read_oldest_versions():
    """Return the oldest version of each package that pyproject.toml allows."""
    extras = PROJECT_METADATA["optional-dependencies"]
    used = [extras[name] for name in IMPORTED_EXTRAS]
    requirements = map(Requirement, chain(PROJECT_METADATA["dependencies"], *used))
    return {
        requirement.name: Version(
            next(spec.version for spec in requirement.specifier if spec.operator == ">=")
        )
        for requirement in requirements
    }


def read_minimum_versions():
    """Return the versions in constraints-minimum.txt."""
    lines = (ROOT / "constraints-minimum.txt").read_text().splitlines()
    return {name: Version(version) for name, version in (line.split("==") for line in lines)}


def test_minimum_constraints_equal_the_oldest_allowed_versions():
    assert read_minimum_versions() == read_oldest_versions()


# Uses each library at least once; the last lines are errors of click
SMOKE_TEST_COMMANDS = """
simgin doctor
simgin match gold simple --deals 2k
simgin match gold simple --matches 1k --record -o match
simgin match gold simple --deals 2k --scheduler local:1
simgin run demo -o demo
simgin report demo --details
simgin compare demo demo
simgin review eaai --against standard --matches 1k -o review
simgin odds solitaire-gin --deals 2k -o odds
simgin chart knock --player simple --deals 8k -o chart
simgin tune gold-early -v eaai --generations 1 --confirm 1k --run tune
simgin train champion -v eaai --rounds 1 --deals 200 --confirm 1k -o mine.npy --run train
simgin drill --positions 1 -o drill.html --anki drill.apkg
simgin variants oklahoma
simgin strategies gold
simgin show gold simple
simgin hand "5S 6S 7S 9H 9D 9C KS QD 2C AH"
python environment.py
! simgin match nobody
! simgin match gold --deals many
! simgin match gold --nothing
! simgin
"""
CHECK_ENVIRONMENT_CODE = """
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test
from simgin.envs import gin_rummy

check_env(gin_rummy.gym_env(opponent="simple"), skip_render_check=True)
api_test(gin_rummy.env(), num_cycles=50)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="numpy 2.0.0 has no wheel for Python 3.13")
def test_oldest_allowed_versions_work(built_packages, tmp_path):
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    (wheel,) = built_packages.glob("*.whl")
    requirements = f"'{wheel}[{','.join(IMPORTED_EXTRAS)}]'"
    constraints = ROOT / "constraints-minimum.txt"
    run_as_user(
        "pip install -q -c",
        constraints,
        requirements,
        user_environment=environment,
        cwd=environment,
    )
    listed = run_as_user("pip list --format=freeze", user_environment=environment, cwd=environment)
    installed = dict(line.lower().split("==") for line in listed.splitlines())
    assert {
        name: Version(installed[name]) for name in read_minimum_versions()
    } == read_minimum_versions()
    (tmp_path / "environment.py").write_text(CHECK_ENVIRONMENT_CODE)
    for command in SMOKE_TEST_COMMANDS.strip().splitlines():
        run_as_user(command, user_environment=environment, cwd=tmp_path)
    for folder, min_plots in (("demo", 2), ("review", 2), ("odds", 2), ("chart", 1)):
        drawn = list((tmp_path / folder).rglob("*.png"))
        assert len(drawn) >= min_plots and all(path.stat().st_size > 5000 for path in drawn)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/tutorial/first-hour.md"])
def test_installed_wheel_runs_the_commands_of_a_page(user_environment, page, tmp_path):
    (strategy,) = read_code_blocks(page, "python")
    (tmp_path / "patient.py").write_text(strategy)
    for experiment in read_code_blocks(page, "toml"):
        (tmp_path / "patience.toml").write_text(experiment)
    commands = read_page_commands(page)
    assert len(commands) >= 6
    for command in commands:
        run_as_user(command, user_environment=user_environment, cwd=tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.name == "simgin"]


@pytest.mark.slow
def test_installed_wheel_contains_the_examples(user_environment, tmp_path):
    show = "python -c 'import simgin; print(simgin.__file__)'"
    assert run_as_user(show, user_environment=user_environment, cwd=tmp_path).startswith(
        str(user_environment)
    )
    assert "simgin run demo" in run_as_user(
        "simgin --help", user_environment=user_environment, cwd=tmp_path
    )
    run_as_user("simgin run demo", user_environment=user_environment, cwd=tmp_path)
    reference = ROOT / "results/reference/demo/table.csv"
    assert (tmp_path / "results/demo/table.csv").read_text() == reference.read_text()
    run_as_user("simgin examples mine", user_environment=user_environment, cwd=tmp_path)
    for command in (
        "simgin match experiments/patient.py --deals 2k",
        "simgin strategies new own.py",
        "simgin strategies check own.py -v standard",
        "simgin variants new own.toml",
        "simgin variants check own.toml",
        "simgin doctor",
        "python notebooks/first_tour.py",
    ):
        run_as_user(command, user_environment=user_environment, cwd=tmp_path / "mine")


TYPE_CHECKED_CODE = """
import simgin
from simgin import plots

result = simgin.match("gold", deals="2k", seed=7)
result.frame["value"].mean()
figure = plots.win_and_points(result.frame)
reveal_type(result)
reveal_type(result.frame)
reveal_type(figure)
reveal_type(simgin.find_variant("oklahoma"))
simgin.match("gold", deal=3)
"""


@pytest.mark.slow
def test_type_checker_knows_the_types_of_the_api(user_environment, tmp_path):
    (tmp_path / "script.py").write_text(TYPE_CHECKED_CODE)
    python = user_environment / "bin" / "python"  # mypy does not find editable installs
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "script.py"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    for message in (
        "RunResults",
        "DataFrame",
        "Figure",
        "Variant",
        'Unexpected keyword argument "deal"',
    ):
        assert message in process.stdout, process.stdout
    assert "Found 1 error in 1 file" in process.stdout
