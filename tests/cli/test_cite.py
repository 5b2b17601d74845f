"""Tests of `simgin cite DIR`."""

import hashlib
import json
from pathlib import Path

from simgin.runs.directory import encode_manifest
from support.command_line import run_simgin

REFERENCE_RESULTS_DIRECTORY = Path(__file__).resolve().parents[2] / "results" / "reference"


def test_citation_lists_command_seed_and_checksum():
    printed = run_simgin("cite", REFERENCE_RESULTS_DIRECTORY / "demo").stdout
    checksum = hashlib.sha256(
        (REFERENCE_RESULTS_DIRECTORY / "demo" / "table.csv").read_bytes()
    ).hexdigest()
    manifest = json.loads((REFERENCE_RESULTS_DIRECTORY / "demo" / "manifest.json").read_text())
    assert printed.startswith(run_simgin("cite").stdout)
    for line in (
        f"Title:   {manifest['question']}",
        f"Date:    {manifest['ended'][:10]}, simgin {manifest['simgin']}",
        f"Command: {manifest['command']}",
        "Seed:    1",
        f"Source:  {manifest['source']} (digest of the source code)",
        f"SHA-256: {checksum} (table.csv)",
    ):
        assert f"\n{line}\n" in printed


def test_result_without_question_or_table_can_be_cited(tmp_path):
    contents = {
        "simgin": "0.1.0",
        "form": 3,
        "command": "simgin odds \x1b[2J",
        "source": "0123",
        "seed": 7,
        "ended": "2027-01-02T03:04:05+00:00",
        "files": ["summary.md"],
    }
    (tmp_path / "manifest.json").write_bytes(encode_manifest(contents))
    printed = run_simgin("cite", tmp_path).stdout
    assert "\nTitle:   simgin odds \\x1b[2J\nDate:    2027-01-02, simgin 0.1.0\n" in printed
    assert printed.endswith(" (manifest.json)\n")


def test_directory_without_a_result_is_rejected(tmp_path):
    assert "does not contain a simgin run" in run_simgin("cite", tmp_path, exit_code=2).stderr
    (tmp_path / "manifest.json").write_bytes(
        encode_manifest({"simgin": "0", "form": 3, "files": []})
    )
    assert "is corrupt" in run_simgin("cite", tmp_path, exit_code=2).stderr
