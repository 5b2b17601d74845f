"""Tests that specialised kernels give the results of the generic kernel."""

import gc
import itertools
import random
import subprocess
import sys
import threading
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest

from simgin.core import jit
from simgin.play import kernel, specialized_kernel
from simgin.play.matchup import parse_matchup
from simgin.rules.build import build_rules
from simgin.strategy import loader
from support.variant_lists import ONE_PLAYER_VARIANTS, TWO_PLAYER_VARIANTS, UNUSUAL_VARIANTS

pytestmark = pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")
original_run_linker = specialized_kernel.run_linker
thread_locals = threading.local()
SUBPROCESS_RUN_NAME = "simgin.play.specialized_kernel.subprocess.run"


def make_matchup(a, b="simple", variant="standard", unit="deal"):
    return parse_matchup(a, b, variant, 7, unit)


def make_kernel_parts(matchup):
    """Return the generic kernel, the compiled policies and the rules of a matchup."""
    generic = kernel.compile_batch_kernel(len(matchup.players))
    rules = build_rules(matchup.variant).tobytes()
    return generic, tuple(kernel.compile_policies(matchup)), rules


@cache
def compile_matchup_code(*names):
    """Return the machine code of a specialised kernel for a matchup."""
    request = specialized_kernel.make_linker_arguments(*make_kernel_parts(make_matchup(*names)))
    return original_run_linker(request)


@pytest.fixture
def use_thread_kernel(monkeypatch):
    """Let each thread play with the kernel that the thread stored in `thread_locals`."""
    find = lambda *_: SimpleNamespace(entry_point=thread_locals.loop)  # noqa: E731
    monkeypatch.setattr(kernel, "find_kernel", find)


def play_with_kernel(matchup, entry_point, n_units=40):
    """Play deals with a given kernel, and return the batch rows and deal records as bytes."""
    thread_locals.loop = entry_point
    rows, records = kernel.play_with_records(matchup, 0, n_units)
    return rows.tobytes(), records.tobytes()


def assert_same_results(*names):
    matchup = make_matchup(*names)
    generic, *_ = make_kernel_parts(matchup)
    loop = specialized_kernel.load_kernel(generic, compile_matchup_code(*names))
    assert play_with_kernel(matchup, loop) == play_with_kernel(matchup, generic.entry_point), names


@pytest.fixture
def specialize_immediately(tmp_path, monkeypatch):
    """Use specialised kernels without delay, and start each test with an empty cache."""
    compile_matchup_code("gold-early")  # with the usual cache
    monkeypatch.setattr(specialized_kernel, "LOAD_AFTER_SECONDS", 0)
    monkeypatch.setattr(specialized_kernel, "COMPILE_AFTER_SECONDS", 0)
    monkeypatch.setattr(jit, "get_cache_directory", lambda: tmp_path)
    monkeypatch.setattr(
        specialized_kernel, "run_linker", lambda _: compile_matchup_code("gold-early")
    )
    specialized_kernel.find_kernel.cache_clear()
    yield tmp_path
    specialized_kernel.find_kernel.cache_clear()


def find_current_kernel(matchup):
    return specialized_kernel.find_kernel(*make_kernel_parts(matchup))


def wait_for_compilation():
    for running_thread in threading.enumerate():
        if "_compile" in running_thread.name:
            running_thread.join()


def play_until_specialized(matchup):
    """Return the batch rows of the generic kernel and then of the specialised kernel."""
    generic_rows = kernel.play_batches(matchup, 0, 50)
    wait_for_compilation()
    kernel.play_batches(matchup, 0, 50)
    assert find_current_kernel(matchup)._specialized is not None
    return generic_rows, kernel.play_batches(matchup, 0, 50)


def test_specialised_kernel_is_loaded_from_the_cache(specialize_immediately, monkeypatch):
    matchup = make_matchup("gold-early")
    before, after = play_until_specialized(matchup)
    assert np.array_equal(before, after)
    assert "Specialised kernels used" in specialized_kernel.describe_specialized_kernel_use()
    specialized_kernel.find_kernel.cache_clear()
    monkeypatch.setattr(specialized_kernel, "run_linker", pytest.fail)
    kernel.play_batches(matchup, 0, 50)
    assert find_current_kernel(matchup)._specialized is not None
    assert np.array_equal(kernel.play_batches(matchup, 0, 50), before)


def test_timing_uses_only_generic_kernels(specialize_immediately):
    matchup = make_matchup("gold-early")
    play_until_specialized(matchup)
    generic, specialized = specialized_kernel._cpu_seconds_by_kernel_type.values()
    with specialized_kernel.disable_specialized_kernels():
        kernel.play_batches(matchup, 0, 50)
    assert specialized_kernel._cpu_seconds_by_kernel_type[True] == specialized
    assert specialized_kernel._cpu_seconds_by_kernel_type[False] > generic


def corrupt_cache(directory, _):
    """Truncate every cached kernel."""
    for path in directory.rglob("*.bin"):
        path.write_bytes(path.read_bytes()[:-1])


def prevent_compilation(_, monkeypatch):
    monkeypatch.setattr(specialized_kernel, "run_linker", original_run_linker)
    monkeypatch.setattr(sys, "executable", "/missing/python")


def prevent_loading(_, monkeypatch):
    monkeypatch.setattr(specialized_kernel, "MIN_FREE_BYTES", 1 << 60)


def disable_cache(_, monkeypatch):
    monkeypatch.setattr(jit, "get_cache_directory", lambda: None)


@pytest.mark.parametrize("cause_error", [prevent_compilation, prevent_loading])
def test_generic_kernel_continues_after_an_error(cause_error, specialize_immediately, monkeypatch):
    matchup = make_matchup("gold-early")
    cause_error(specialize_immediately, monkeypatch)
    first = kernel.play_batches(matchup, 0, 50)
    wait_for_compilation()
    for _ in range(2):
        assert np.array_equal(kernel.play_batches(matchup, 0, 50), first)
    assert find_current_kernel(matchup)._specialized is None


@pytest.mark.parametrize("cause_error", [corrupt_cache, disable_cache])
def test_kernel_is_compiled_if_the_cache_is_unusable(
    cause_error, specialize_immediately, monkeypatch
):
    matchup = make_matchup("gold-early")
    first, _ = play_until_specialized(matchup)
    cause_error(specialize_immediately, monkeypatch)
    specialized_kernel.find_kernel.cache_clear()
    assert np.array_equal(play_until_specialized(matchup)[1], first)


RULE_CHANGING_STRATEGY_CODE = """
from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard
@discard
def modifies(view, rules, params):
    if view.turn > 400:
        rules.goal = 1
    return best_discard(view.hand, view.legal, rules)
STRATEGY = Strategy("modifies", discard=modifies)
"""
FAILING_STRATEGY_CODE = """
from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard
@discard
def fails(view, rules, params):
    if view.turn > 12:
        raise ValueError("too late")
    return best_discard(view.hand, view.legal, rules)
STRATEGY = Strategy("fails", discard=fails)
"""


def test_policy_that_might_modify_the_rules_is_not_specialised(tmp_path):
    file = tmp_path / "modifies.py"
    file.write_text(RULE_CHANGING_STRATEGY_CODE)
    with pytest.raises(ValueError, match="modifies might modify the rules"):
        specialized_kernel.make_linker_arguments(*make_kernel_parts(make_matchup(str(file))))


def test_specialised_kernel_raises_the_same_policy_error(use_thread_kernel, tmp_path):
    file = tmp_path / "fails.py"
    file.write_text(FAILING_STRATEGY_CODE)
    matchup = make_matchup(str(file))
    generic, policies, rules = make_kernel_parts(matchup)
    code = original_run_linker(specialized_kernel.make_linker_arguments(generic, policies, rules))
    messages = set()
    for loop in (generic.entry_point, specialized_kernel.load_kernel(generic, code)):
        with pytest.raises(kernel.PolicyCallError, match="raised ValueError: too late") as error:
            play_with_kernel(matchup, loop)
        messages.add(str(error.value))
    assert len(messages) == 1


def test_machine_code_is_freed_with_its_kernel():
    generic, *_ = make_kernel_parts(make_matchup("gold-early"))
    code = compile_matchup_code("gold-early")

    def measure_memory():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * 4096

    specialized_kernel.load_kernel(generic, code)
    size_before = measure_memory()
    for _ in range(100):
        specialized_kernel.load_kernel(generic, code)
    assert measure_memory() - size_before < 50 * len(code)


MATCHUP_CASES = [(name, "simple") for name in loader.list_built_in_strategies()]
MATCHUP_CASES += [(name, None, "solitary-gin") for name in loader.list_built_in_strategies()]
MATCHUP_CASES += [
    ("gold-early", "simple", variant) for variant in (*TWO_PLAYER_VARIANTS, *UNUSUAL_VARIANTS)
]
MATCHUP_CASES += [("champion", "gold-early", variant, "match") for variant in TWO_PLAYER_VARIANTS]
MATCHUP_CASES += [
    ("gold", None, variant, unit) for variant in ONE_PLAYER_VARIANTS for unit in ("deal", "match")
]


@pytest.mark.slow
@pytest.mark.parametrize("names", MATCHUP_CASES, ids=lambda names: "-".join(map(str, names)))
def test_specialised_and_generic_kernels_play_the_same(use_thread_kernel, names):
    try:
        make_matchup(*names)
    except ValueError:
        pytest.skip("the variant does not allow this matchup")
    assert_same_results(*names)


MIXED_MATCHUPS = [
    ("simple",),
    ("gold", "gold"),
    ("champion", "simple"),
    ("gold", None, "solitary-gin"),
]
MIXED_MATCHUPS += [
    ("gold-early", "simple", "oklahoma", "match"),
    ("marjj", "gold-early", "straight"),
]


def compile_and_kill(linker_arguments, seconds):
    """Start a compilation and kill its process after some seconds."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(SUBPROCESS_RUN_NAME, partial(subprocess.run, timeout=seconds))
        original_run_linker(linker_arguments)


@pytest.mark.slow
def test_kernels_in_parallel_threads_are_independent(use_thread_kernel):
    """Load, run, abandon and free a thousand kernels in four threads while others are compiled."""
    matchups = [make_matchup(*names) for names in MIXED_MATCHUPS]
    generic_kernels = [make_kernel_parts(matchup)[0] for matchup in matchups]
    expected = [
        play_with_kernel(matchup, generic_kernel.entry_point)
        for matchup, generic_kernel in zip(matchups, generic_kernels, strict=True)
    ]
    codes = [compile_matchup_code(*names) for names in MIXED_MATCHUPS]
    numbers, errors = itertools.count(), []

    def run_kernels():
        rng = random.Random(threading.get_ident())
        while next(numbers) < 1000 and not errors:
            i = rng.randrange(len(MIXED_MATCHUPS))
            loop = specialized_kernel.load_kernel(generic_kernels[i], codes[i])
            if rng.random() < 0.05:  # An interrupted run abandons its kernel in a daemon thread.
                arguments = (matchups[i], loop, 4000)
                threading.Thread(target=play_with_kernel, args=arguments, daemon=True).start()
            if play_with_kernel(matchups[i], loop, 40) != expected[i]:
                errors.append(MIXED_MATCHUPS[i])

    threads = [threading.Thread(target=run_kernels) for _ in range(4)]
    for worker in threads:
        worker.start()
    request = specialized_kernel.make_linker_arguments(*make_kernel_parts(matchups[0]))
    for delay in (0.1, 0.4, 0.8):  # Killed compilations leave no trace.
        with pytest.raises(subprocess.TimeoutExpired):
            compile_and_kill(request, delay)
    for worker in threads:
        worker.join()
    assert not errors
