"""Tests that specialised kernels give the results of the generic kernel, even after errors."""

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
from support.variant_lists import ONE_PLAYER, TWO_PLAYER, UNUSUAL

pytestmark = pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")
compile_in_process = specialized_kernel.run_linker
thread = threading.local()
PROCESS = "simgin.play.specialized_kernel.subprocess.run"


def matchup_of(a, b="simple", variant="standard", unit="deal"):
    return parse_matchup(a, b, variant, 7, unit)


def kernel_parts(matchup):
    generic = kernel.compile_kernel(len(matchup.players))
    rules = build_rules(matchup.variant).tobytes()
    return generic, tuple(kernel.compile_policies(matchup)), rules


@cache
def compiled_code(*names):
    request = specialized_kernel.build_request(*kernel_parts(matchup_of(*names)))
    return compile_in_process(request)


@pytest.fixture
def chosen_loop(monkeypatch):
    """Let each thread choose the loop that plays its deals."""
    find = lambda *_: SimpleNamespace(entry_point=thread.loop)  # noqa: E731
    monkeypatch.setattr(kernel, "find_kernel", find)


def play(matchup, loop, units=40):
    """Return the batch rows and the deal records that a compiled loop plays, as bytes."""
    thread.loop = loop
    rows, records = kernel.play_with_records(matchup, 0, units)
    return rows.tobytes(), records.tobytes()


def assert_same_play(*names):
    matchup = matchup_of(*names)
    generic, *_ = kernel_parts(matchup)
    loop = specialized_kernel.load_kernel(generic, compiled_code(*names))
    assert play(matchup, loop) == play(matchup, generic.entry_point), names


@pytest.fixture
def specialize_immediately(tmp_path, monkeypatch):
    """Use an empty cache, specialise every kernel at once, and compile only the first time."""
    compiled_code("gold-early")  # with the usual cache
    monkeypatch.setattr(specialized_kernel, "LOAD_AFTER_SECONDS", 0)
    monkeypatch.setattr(specialized_kernel, "COMPILE_AFTER_SECONDS", 0)
    monkeypatch.setattr(jit, "get_cache_directory", lambda: tmp_path)
    monkeypatch.setattr(specialized_kernel, "run_linker", lambda _: compiled_code("gold-early"))
    specialized_kernel.find_kernel.cache_clear()
    yield tmp_path
    specialized_kernel.find_kernel.cache_clear()


def current_kernel(matchup):
    return specialized_kernel.find_kernel(*kernel_parts(matchup))


def wait_for_compilation():
    for thread in threading.enumerate():
        if "_compile" in thread.name:
            thread.join()


def play_until_specialized(matchup):
    """Play blocks, and return the rows before and after the specialised kernel takes over."""
    first = kernel.play_batches(matchup, 0, 50)
    wait_for_compilation()
    kernel.play_batches(matchup, 0, 50)
    assert current_kernel(matchup)._specialized is not None
    return first, kernel.play_batches(matchup, 0, 50)


def test_a_specialised_kernel_takes_over_and_is_kept_on_disk(specialize_immediately, monkeypatch):
    matchup = matchup_of("gold-early")
    before, after = play_until_specialized(matchup)
    assert np.array_equal(before, after)
    assert "Specialised kernels used" in specialized_kernel.describe_specialized_kernel_use()
    specialized_kernel.find_kernel.cache_clear()
    monkeypatch.setattr(specialized_kernel, "run_linker", pytest.fail)
    kernel.play_batches(matchup, 0, 50)
    assert current_kernel(matchup)._specialized is not None
    assert np.array_equal(kernel.play_batches(matchup, 0, 50), before)


def test_measurements_use_only_generic_kernels(specialize_immediately):
    matchup = matchup_of("gold-early")
    play_until_specialized(matchup)
    generic, specialized = specialized_kernel._cpu_seconds.values()
    with specialized_kernel.disable_specialized_kernels():
        kernel.play_batches(matchup, 0, 50)
    assert specialized_kernel._cpu_seconds[True] == specialized
    assert specialized_kernel._cpu_seconds[False] > generic


def corrupt_cache(directory, _):
    for path in directory.rglob("*.bin"):
        path.write_bytes(path.read_bytes()[:-1])


def fail_to_compile(_, monkeypatch):
    monkeypatch.setattr(specialized_kernel, "run_linker", compile_in_process)
    monkeypatch.setattr(sys, "executable", "/missing/python")


def fail_to_load(_, monkeypatch):
    monkeypatch.setattr(specialized_kernel, "MIN_FREE_MEMORY", 1 << 60)


def fail_to_write(_, monkeypatch):
    monkeypatch.setattr(jit, "get_cache_directory", lambda: None)


@pytest.mark.parametrize("fault", [fail_to_compile, fail_to_load])
def test_the_generic_kernel_continues_after_an_error(fault, specialize_immediately, monkeypatch):
    matchup = matchup_of("gold-early")
    fault(specialize_immediately, monkeypatch)
    first = kernel.play_batches(matchup, 0, 50)
    wait_for_compilation()
    for _ in range(2):
        assert np.array_equal(kernel.play_batches(matchup, 0, 50), first)
    assert current_kernel(matchup)._specialized is None


@pytest.mark.parametrize("fault", [corrupt_cache, fail_to_write])
def test_a_kernel_is_compiled_if_the_cache_cannot_be_used(
    fault, specialize_immediately, monkeypatch
):
    matchup = matchup_of("gold-early")
    first, _ = play_until_specialized(matchup)
    fault(specialize_immediately, monkeypatch)
    specialized_kernel.find_kernel.cache_clear()
    assert np.array_equal(play_until_specialized(matchup)[1], first)


MODIFYING_STRATEGY = """
from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard
@discard
def modifies(view, rules, params):
    if view.turn > 400:
        rules.goal = 1
    return best_discard(view.hand, view.legal, rules)
STRATEGY = Strategy("modifies", discard=modifies)
"""
FAILING_STRATEGY = """
from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard
@discard
def fails(view, rules, params):
    if view.turn > 12:
        raise ValueError("too late")
    return best_discard(view.hand, view.legal, rules)
STRATEGY = Strategy("fails", discard=fails)
"""


def test_a_policy_that_might_modify_the_rules_is_not_specialised(tmp_path):
    file = tmp_path / "modifies.py"
    file.write_text(MODIFYING_STRATEGY)
    with pytest.raises(ValueError, match="modifies might modify the rules"):
        specialized_kernel.build_request(*kernel_parts(matchup_of(str(file))))


def test_an_exception_of_a_policy_has_the_same_message(chosen_loop, tmp_path):
    file = tmp_path / "fails.py"
    file.write_text(FAILING_STRATEGY)
    matchup = matchup_of(str(file))
    generic, policies, rules = kernel_parts(matchup)
    code = compile_in_process(specialized_kernel.build_request(generic, policies, rules))
    messages = set()
    for loop in (generic.entry_point, specialized_kernel.load_kernel(generic, code)):
        with pytest.raises(kernel.PolicyCallError, match="raised ValueError: too late") as error:
            play(matchup, loop)
        messages.add(str(error.value))
    assert len(messages) == 1


def test_machine_code_is_freed_with_its_kernel():
    generic, *_ = kernel_parts(matchup_of("gold-early"))
    code = compiled_code("gold-early")

    def measure_memory():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * 4096

    specialized_kernel.load_kernel(generic, code)
    before = measure_memory()
    for _ in range(100):
        specialized_kernel.load_kernel(generic, code)
    assert measure_memory() - before < 50 * len(code)


CASES = [(name, "simple") for name in loader.list_built_in()]
CASES += [(name, None, "solitary-gin") for name in loader.list_built_in()]
CASES += [("gold-early", "simple", variant) for variant in (*TWO_PLAYER, *UNUSUAL)]
CASES += [("champion", "gold-early", variant, "match") for variant in TWO_PLAYER]
CASES += [("gold", None, variant, unit) for variant in ONE_PLAYER for unit in ("deal", "match")]


@pytest.mark.slow
@pytest.mark.parametrize("names", CASES, ids=lambda names: "-".join(map(str, names)))
def test_specialised_and_generic_kernels_play_the_same(chosen_loop, names):
    try:
        matchup_of(*names)
    except ValueError:
        pytest.skip("the variant does not allow this matchup")
    assert_same_play(*names)


MIXED = [("simple",), ("gold", "gold"), ("champion", "simple"), ("gold", None, "solitary-gin")]
MIXED += [("gold-early", "simple", "oklahoma", "match"), ("marjj", "gold-early", "straight")]


def compile_and_kill(request, delay):
    """Start a compilation, and kill its process after some seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PROCESS, partial(subprocess.run, timeout=delay))
        compile_in_process(request)


@pytest.mark.slow
def test_a_thousand_kernels_play_side_by_side(chosen_loop):
    """Load, run, abandon and free kernels in four threads, and compile others meanwhile."""
    matchups = [matchup_of(*names) for names in MIXED]
    generics = [kernel_parts(matchup)[0] for matchup in matchups]
    expected = [
        play(matchup, generic.entry_point)
        for matchup, generic in zip(matchups, generics, strict=True)
    ]
    codes = [compiled_code(*names) for names in MIXED]
    numbers, errors = itertools.count(), []

    def run_kernels():
        rng = random.Random(threading.get_ident())
        while next(numbers) < 1000 and not errors:
            i = rng.randrange(len(MIXED))
            loop = specialized_kernel.load_kernel(generics[i], codes[i])
            if rng.random() < 0.05:  # An interrupted run abandons its kernel in a daemon thread.
                arguments = (matchups[i], loop, 4000)
                threading.Thread(target=play, args=arguments, daemon=True).start()
            if play(matchups[i], loop, 40) != expected[i]:
                errors.append(MIXED[i])

    threads = [threading.Thread(target=run_kernels) for _ in range(4)]
    for thread in threads:
        thread.start()
    request = specialized_kernel.build_request(*kernel_parts(matchups[0]))
    for delay in (0.1, 0.4, 0.8):  # Killed compilations leave no trace.
        with pytest.raises(subprocess.TimeoutExpired):
            compile_and_kill(request, delay)
    for thread in threads:
        thread.join()
    assert not errors
