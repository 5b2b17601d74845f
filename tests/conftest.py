"""Settings for all tests.

Property tests draw the same examples in every run and have no deadline.
"""

import os

# Several threads of OpenBLAS would wait for each other in busy loops. numpy reads the variable.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import fcntl
import gc
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from simgin import plots  # noqa: F401  before a test replaces the functions that draw
from simgin.play import kernel
from simgin.report import figures
from simgin.strategy import compiler, loader

pytest.register_assert_rewrite("oracles", "support")

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")
# The tests do not read the settings of the user. Child processes inherit the variable.
os.environ["SIMGIN_CONFIG"] = os.devnull
gc.set_threshold(50_000, 10, 10)  # see freeze_garbage_collection
EMPTY_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'

# Files with the slowest single tests, child processes included. They start first so that no worker
# runs alone at the end. The other files keep their order.
SLOWEST_FILES = """checks/test_contract fuzz/test_inputs analysis/test_error_rates
integration/test_killed_runs integration/test_killed_commands runs/test_cluster
core/test_jit play/test_watchdog strategies/test_gin strategies/test_champion
play/test_rollouts documents/test_notebooks cli/test_tune_and_train
cli/test_live_progress stats/test_differences""".split()


def pytest_collection_modifyitems(items):
    """Start the slowest files first, and keep the order of the other files."""
    tests_directory = Path(__file__).parent
    rank = {tests_directory / f"{name}.py": i for i, name in enumerate(SLOWEST_FILES)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.fixture(scope="session", autouse=True)
def compile_in_parallel(tmp_path_factory):
    """Compile the slowest functions once when several pytest workers start with an empty cache.

    Each worker compiles functions that no other worker compiles, then loads the others.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    shared = tmp_path_factory.getbasetemp().parent
    compile_functions = {
        f"loop-{players}": partial(kernel.compile_batch_kernel, players) for players in (2, 1)
    }
    compile_functions["marjj"] = partial(compile_strategy, "marjj")
    for wait in (fcntl.LOCK_NB, 0):
        for name, compile_function in compile_functions.items():
            with open(shared / f"{name}.lock", "w") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | wait)
                except BlockingIOError:
                    continue
                compile_function()


def compile_strategy(name):
    """Compile the policies of a built-in strategy."""
    strategy = loader.find_strategy(name)
    for slot in ("take", "discard", "knock"):
        compiler.compile_policy(strategy.policy(slot))


@pytest.fixture(scope="module", autouse=True)
def freeze_garbage_collection():
    """Exclude objects created before a test file from garbage collection.

    A session has millions of objects, mostly compiled code, so collecting garbage takes seconds.
    Frozen garbage would stay in memory.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def empty_plots():
    """Save empty files instead of the plots of reports, because rendering takes time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(figures, "png", lambda _: b"PNG")
        patched.setattr(figures, "svg", lambda *_: EMPTY_SVG)
        yield


@pytest.fixture
def drawn_plots(monkeypatch):
    """Draw the plots of reports (see empty_plots)."""
    from support.sample_plots import draw_plots_of_reports

    draw_plots_of_reports(monkeypatch)


@pytest.fixture
def empty_directory(tmp_path, monkeypatch):
    """Create an empty working directory and set the terminal to 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture(scope="session")
def chromium():
    """Start the system's Chromium once."""
    from support import browser

    with browser.start_browser() as running:
        yield running


@pytest.fixture
def few_mix_samples(monkeypatch):
    """Estimate the mix of a league from few bootstrap samples, because a sample takes 2 ms."""
    monkeypatch.setattr("simgin.stats.league.N_MIX_SAMPLES", 20)


@pytest.fixture
def few_decks(monkeypatch):
    """Estimate the odds of a player who sees the deck from few decks (0.1 ms each)."""
    monkeypatch.setattr("simgin.odds.solo_odds.N_HINDSIGHT_DECKS", 100)


@pytest.fixture(scope="module")
def few_metropolis_steps(request):
    """Sample hidden hands with few Metropolis steps, which take half of the time of an analysis.

    The hands then follow the model of the opponent less closely. The slow suite takes all steps.
    """
    with pytest.MonkeyPatch.context() as patched:
        if request.config.option.markexpr == "not slow":
            patched.setattr("simgin.analysis.world_sampling.METROPOLIS_STEPS", 20)
        yield


@pytest.fixture(scope="module")
def few_evaluated_deals():
    """Allow error rates of 20 instead of 100 deals, because evaluating a deal takes 50 ms."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("simgin.analysis.error_rates.MIN_DEALS", 20)
        yield


@pytest.fixture
def wide_terminal(empty_directory, monkeypatch):
    """Create an empty working directory and set the terminal to 200 columns."""
    monkeypatch.setenv("COLUMNS", "200")
    return empty_directory
