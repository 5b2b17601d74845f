"""Settings for all tests.

Property tests draw the same examples in every run and have no deadline.
"""

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("oracles", "support")

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")


@pytest.fixture
def empty_directory(tmp_path, monkeypatch):
    """An empty working directory, and a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def wide_terminal(empty_directory, monkeypatch):
    """An empty working directory, and a terminal of 200 columns."""
    monkeypatch.setenv("COLUMNS", "200")
    return empty_directory
