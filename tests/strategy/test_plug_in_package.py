"""A plug-in as an author publishes it: README's strategy, built and installed as the guide says."""

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
GUIDE = ROOT / "docs" / "how-to" / "writing-a-strategy.md"
OFFLINE = ("--no-index", "--no-deps", "--quiet", "--disable-pip-version-check")

pytestmark = pytest.mark.slow


def block(page: Path, language: str, words: str) -> str:
    """The block of code of a page that holds these words."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.S | re.M)
    (found,) = [text for text in blocks if words in text]
    return found


def pip(*words: object) -> None:
    command = [sys.executable, "-m", "pip", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder in which a sound plug-in and a broken one are installed from their wheels."""
    if int(metadata.version("setuptools").partition(".")[0]) < 77:
        pytest.skip("needs setuptools 77, which `make setup` installs")
    project = block(GUIDE, "toml", "simgin.strategies")
    modules = {
        "patient": block(README, "python", 'Strategy("patient-gold"'),
        "broken": "raise ValueError('out of order')\n",
    }
    for name, text in modules.items():
        source = tmp_path / name
        source.mkdir()
        (source / "pyproject.toml").write_text(project.replace("patient", name))
        (source / f"{name}.py").write_text(text)
        pip("wheel", *OFFLINE, "--no-build-isolation", "--wheel-dir", tmp_path / "wheels", source)
    site = tmp_path / "site"
    pip("install", *OFFLINE, "--target", site, *(tmp_path / "wheels").glob("*.whl"))
    return site


def call(site: Path, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    paths = [str(site), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(
        [sys.executable, "-m", "simgin", *words],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=site,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def warnings(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines of stderr that are not about waiting."""
    waiting = ("simgin: compiling;", "simgin: checking;")
    return [line for line in done.stderr.splitlines() if not line.startswith(waiting)]


def test_a_package_is_listed_plays_and_passes_beside_a_broken_one(installed: Path) -> None:
    done = call(installed, "strategies", "--json")
    names = {(row["kind"], row["name"]) for row in json.loads(done.stdout)["rows"]}
    assert {("strategy", "patient-gold"), ("policy", "patient-pack.lower")} <= names
    (warning,) = warnings(done)
    assert "'broken' of the package broken-pack" in warning and "out of order" in warning
    for pair in (("patient-gold", "simple"), ("gold+take=patient-pack.lower", "patient-gold:k=7")):
        done = call(installed, "match", *pair, "--deals", "2000", "--json")
        assert json.loads(done.stdout)["rows"] and len(warnings(done)) == 1
    done = call(installed, "strategies", "check", "patient-gold", "-v", "standard")
    assert "All checks passed." in done.stdout
    done = call(installed, "match", "broken-pack", "simple", code=2)
    assert "out of order" in warnings(done)[-1] and "pip uninstall" in warnings(done)[-1]
