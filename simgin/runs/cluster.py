"""Worker pool on a dask.distributed cluster (`--scheduler`).

Workers can join and leave at any time. If a worker is lost, dask plays the blocks of this worker on
another worker. Before a worker plays a block, it checks that its engine and strategies have the
same digests as on the local machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import json
import logging
import math
import os
import queue
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simgin.play import kernel, watchdog
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs import manifest
from simgin.runs.block import Block, BlockResult, play_block
from simgin.strategy import Strategy, loader
from simgin.text import amounts
from simgin.text.messages import SimginError, describe_error, ensure_printable_error, quote_text

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_TIMEOUT_SECONDS = 10.0
NO_WORKER_NOTICE_SECONDS = 15.0  # seconds without a worker until simgin prints a notice
LOCAL_ADDRESS_PATTERN = re.compile(r"local(?::(\d{1,9}))?")
SCHEDULER_ADDRESS_PATTERN = re.compile(
    r"(?:tcp://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})", re.ASCII
)
N_TCP_PORTS = 2**16
# environment variable that keeps the working directory out of sys.path
SAFE_PATH_VARIABLE = "PYTHONSAFEPATH"
# loggers of dask that are silenced, because they print tracebacks of errors that simgin reports
DASK_LOGGERS = ("distributed", "distributed.client", "distributed.core", "tornado.application")


class ClusterError(SimginError):
    """Exception for a cluster that cannot be used, with a message that suggests a fix."""


@dataclass(frozen=True)
class _BlockSpec:
    """Serialisable description of a block, which is sent to a worker.

    The worker loads the strategies by their specs and checks their digests.
    """

    variant: variants.Variant
    strategies: tuple[tuple[str, str], ...]  # spec and digest of each strategy
    seed: int
    unit: Any
    first_batch: int
    units: int
    record_deals: bool
    versions: dict[str, str]
    policy_timeout: float

    def load_matchup(self) -> Matchup:
        """Load the matchup from the files on the worker's machine.

        Raises:
            ClusterError: If a file differs from the file on the machine that started the run.
        """
        _require_equal(self.versions, _collect_required_versions())
        strategy_a, strategy_b = ([_find_strategy(*player) for player in self.strategies] + [None])[
            :2
        ]
        assert strategy_a is not None
        return Matchup(self.variant, strategy_a, strategy_b, self.seed, self.unit)


# The digest is cached, because computing it takes 1 ms, and a block can take only 10 ms.
@functools.lru_cache(maxsize=256)
def _find_strategy(spec: str, digest: str) -> Strategy:
    """Load the strategy for a spec, or raise ClusterError if its digest differs."""
    strategy = loader.find_strategy(spec)
    _require_equal({spec: digest}, {spec: _compute_strategy_digest(strategy)})
    return strategy


def _require_equal(expected: dict[str, str], actual: dict[str, str]) -> None:
    """Raise ClusterError if a digest or a version differs from the expected value."""
    mismatches = [
        f"{name} {actual[name]} instead of {value}"
        for name, value in expected.items()
        if actual[name] != value
    ]
    if mismatches:
        raise ClusterError(
            f"the worker and this machine have different versions ({', '.join(mismatches)}). "
            "Install the same versions of simgin and the strategies on all machines."
        )


def _compute_strategy_digest(strategy: Strategy) -> str:
    """Return the digest of a strategy's files and of the parameter values of its policies."""
    description = json.dumps(manifest.describe_strategy(strategy))
    return hashlib.sha256(description.encode()).hexdigest()[:16]


# address of the worker, playing time in seconds, packed batch rows and packed recorded deals
_WorkerResult = tuple[str, float, bytes, tuple[bytes, ...]]


def _play_on_worker(spec: _BlockSpec) -> _WorkerResult:
    """Play a block on a worker, and return its address, duration, rows and recorded deals."""
    from distributed import get_worker

    worker_address = str(get_worker().address)
    watchdog.ABORT_AFTER_SECONDS = spec.policy_timeout
    try:
        block = Block(0, spec.load_matchup(), spec.first_batch, spec.units, spec.record_deals)
        result = play_block(block, worker_address)
    except ValueError as error:
        raise ClusterError(f"worker {worker_address}: {error}") from None
    if result.error is not None:
        raise result.error
    return worker_address, result.seconds, result.packed_rows, result.packed_deals


class ClusterPool:
    """Pool of all workers of a dask scheduler.

    Args:
        address: `tcp://host:port` of the scheduler, or `local:N` for N processes on this machine.
        on_wait: Function that is called with a message if no worker is available.

    Raises:
        ClusterError: If the scheduler cannot be reached.
    """

    def __init__(self, address: str, on_wait: Callable[[str], None] = lambda _: None) -> None:
        self.client, self._processes = _connect(address)
        self._on_wait, self._address = on_wait, address
        self._finished: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._pending: dict[str, tuple[Block, Future]] = {}  # blocks by the keys of their futures
        self._counted_at, self._n_threads = -1e9, 1
        self._digests: dict[str, str] = {}

    @property
    def workers(self) -> int:
        """Number of worker threads, or 1 if no worker has joined yet."""
        if time.monotonic() - self._counted_at > 1:
            self._counted_at = time.monotonic()
            self._n_threads = max(1, sum(self._count_threads_by_worker().values()))
        return self._n_threads

    @property
    def max_pending(self) -> int:
        """Maximum number of blocks that are submitted but not finished."""
        return 2 * self.workers

    def prepare(self, matchups: Iterable[Matchup]) -> None:
        """Raise an error if a strategy does not compile or a worker cannot load simgin.

        If a worker is lost during this check, no error is raised.
        """
        from distributed.comm import CommClosedError

        for matchup in matchups:
            kernel.compile_policies(matchup)
        with self._convert_errors():
            error_by_worker = self.client.run(_collect_required_versions, on_error="return")
        for worker, error in error_by_worker.items():
            if isinstance(error, BaseException) and not isinstance(error, CommClosedError):
                raise ClusterError(
                    f"worker {worker} cannot load simgin "
                    f"({describe_error(ensure_printable_error(error))}). Install the same versions "
                    "of simgin and the strategies on all machines."
                )

    def submit(self, block: Block) -> None:
        """Submit a block to the workers."""
        matchup = block.matchup
        spec = _BlockSpec(
            matchup.variant,
            tuple((player.spec, self._get_digest(player)) for player in matchup.players),
            matchup.seed,
            matchup.unit,
            block.first_batch,
            block.units,
            block.record_deals,
            _collect_required_versions(),
            watchdog.ABORT_AFTER_SECONDS,
        )
        with self._convert_errors():
            future = self.client.submit(_play_on_worker, spec, pure=False)
        self._pending[future.key] = block, future
        future.add_done_callback(self._finished.put)

    def _get_digest(self, player: Strategy) -> str:
        """Return the digest that a strategy had when its first block was submitted."""
        if player.spec not in self._digests:
            self._digests[player.spec] = _compute_strategy_digest(player)
        return self._digests[player.spec]

    def next_result(self, timeout: float | None = None) -> BlockResult | None:
        """Wait for the next finished block, and return its result, or None after a timeout."""
        deadline = time.monotonic() + (math.inf if timeout is None else timeout)
        while True:
            remaining_seconds = max(0.0, deadline - time.monotonic())
            try:
                seconds = min(NO_WORKER_NOTICE_SECONDS, remaining_seconds)
                future = self._finished.get(timeout=seconds)
            except queue.Empty:
                if remaining_seconds <= NO_WORKER_NOTICE_SECONDS:
                    return None
                if not self._count_threads_by_worker():
                    self._on_wait(
                        f"the scheduler {self._address} has no workers. Waiting for workers to "
                        "join."
                    )
                continue
            if future.key in self._pending:
                block, _ = self._pending.pop(future.key)
                return self._to_result(block, future)

    def cancel(self, after_block: Block | None = None) -> int:
        """Cancel all blocks, or the blocks after `after_block`, and return their number."""
        last_position = (
            (after_block.matchup_index, after_block.first_batch) if after_block else (-1, -1)
        )
        blocks = [(key, block) for key, (block, _) in self._pending.items()]
        keys = [
            key for key, block in blocks if (block.matchup_index, block.first_batch) > last_position
        ]
        futures = [self._pending.pop(key)[1] for key in keys]
        # A lost scheduler has no blocks to cancel.
        with contextlib.suppress(ClusterError), self._convert_errors():
            self.client.cancel(futures)
        return len(futures)

    def close(self) -> None:
        """Disconnect from the cluster."""
        self.client.close()
        if self._processes is not None:
            self._processes.close()

    def _count_threads_by_worker(self) -> dict[str, int]:
        """Return the number of threads of each worker, or {} if the scheduler does not respond.

        If the scheduler is lost, the submitted blocks are returned with an error.
        """
        with contextlib.suppress(ClusterError), self._convert_errors():
            if self.client.status == "running":
                return dict(self.client.nthreads())
        return {}

    @contextlib.contextmanager
    def _convert_errors(self) -> Iterator[None]:
        """Convert exceptions caused by a lost scheduler to ClusterError."""
        try:
            yield
        except (Exception, asyncio.CancelledError):
            raise self._make_lost_error() from None

    def _make_lost_error(self) -> ClusterError:
        """Return the error for a lost connection to the scheduler."""
        return ClusterError(
            f"the connection to the scheduler {self._address} was lost. Finished batches are "
            "saved. Restart the scheduler and repeat the command to continue."
        )

    def _to_result(self, block: Block, future: Future) -> BlockResult:
        """Convert a worker's return value to a block result.

        If a future was cancelled or cannot be fetched, the scheduler was lost. If a worker dies
        before its result is fetched, this method waits until dask has recomputed the result.
        """
        error: BaseException = self._make_lost_error()
        with contextlib.suppress(OSError, CancelledError, asyncio.CancelledError):
            if future.status == "error":
                error = _as_cluster_error(future.exception())
            elif future.status != "cancelled":
                return BlockResult(block, *future.result())
        return BlockResult(block, "cluster", 0.0, error=error)


def _as_cluster_error(error: BaseException) -> BaseException:
    """Return an error of simgin unchanged, or any other error as a ClusterError."""
    error = ensure_printable_error(error)
    if type(error).__module__.startswith("simgin."):
        return error
    return ClusterError(
        f"a block failed on the cluster ({describe_error(error)}). Finished batches are saved. Fix "
        "the problem and repeat the command to continue."
    )


@functools.cache
def _collect_required_versions() -> dict[str, str]:
    """Return the versions and digests that must be equal on all workers."""
    libraries = manifest.collect_versions()
    return {"engine": manifest.compute_engine_digest()} | {
        n: libraries[n] for n in ("numba", "numpy")
    }


def _connect(address: str) -> tuple[Client, Any]:
    """Connect to a scheduler, and return the client and the processes started for `local:N`."""
    check_address(address)
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ClusterError(
            "--scheduler requires the package dask. To install dask, run: pip install "
            "'simgin[cluster]'"
        ) from None
    for name in DASK_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    cluster = None
    if local_match := LOCAL_ADDRESS_PATTERN.fullmatch(address):
        n_workers = amounts.parse_workers(int(local_match[1])) if local_match[1] else None
        try:
            with _ignore_interrupts(), _set_safe_path():
                cluster = LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    processes=True,
                    silence_logs=logging.CRITICAL,
                    dashboard_address=None,
                    # Without an address, the web server of the scheduler would still use port 8787.
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                )
        except Exception as error:
            raise ClusterError(
                f"the worker processes of {address} cannot be started ({describe_error(error)}). "
                "Omit --scheduler to use threads."
            ) from error
    try:
        if cluster is None:
            _require_scheduler(address)
        client = Client(cluster or address, timeout=CONNECT_TIMEOUT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no scheduler was found at {address} ({error}). Start one with `dask scheduler`, and "
            f"workers with `dask worker {address}`."
        ) from None
    return client, cluster


def _require_scheduler(address: str) -> None:
    """Raise ConnectionError if no scheduler responds at an address."""
    # A new thread is needed because the thread of the caller can already have an event loop.
    with ThreadPoolExecutor(1) as executor:
        identity = executor.submit(asyncio.run, _request_identity(address))
    try:
        is_scheduler = "workers" in identity.result()
    except TimeoutError:
        raise ConnectionError(f"no response within {CONNECT_TIMEOUT_SECONDS:g} s") from None
    # If another program responds, dask can raise any exception, even MemoryError.
    except Exception:
        is_scheduler = False
    if not is_scheduler:
        raise ConnectionError("the server is not a dask scheduler")


async def _request_identity(address: str) -> dict[str, Any]:
    """Request the identity of a dask server, such as its type and its workers."""
    from distributed.core import rpc

    async with asyncio.timeout(CONNECT_TIMEOUT_SECONDS), rpc(address) as server:
        identity: dict[str, Any] = await server.identity()
        return identity


def check_address(address: str) -> None:
    """Raise ClusterError if the address of a cluster is not valid."""
    address_match = SCHEDULER_ADDRESS_PATTERN.fullmatch(address)
    if address_match is not None and 0 < int(address_match[1]) < N_TCP_PORTS:
        return
    if not LOCAL_ADDRESS_PATTERN.fullmatch(address):
        raise ClusterError(
            f"{quote_text(address)} is not a valid scheduler address. Use an address such as "
            "tcp://host:8786, or local:4 for processes on this machine."
        )


@contextlib.contextmanager
def _set_safe_path() -> Iterator[None]:
    """Prevent processes started in the `with` block from importing local modules.

    The dask setting applies to workers that dask restarts. The environment variable also applies to
    the process that monitors the workers.
    """
    import dask

    old_value = os.environ.get(SAFE_PATH_VARIABLE)
    os.environ[SAFE_PATH_VARIABLE] = "1"
    try:
        with dask.config.set({f"distributed.nanny.pre-spawn-environ.{SAFE_PATH_VARIABLE}": "1"}):
            yield
    finally:
        del os.environ[SAFE_PATH_VARIABLE]
        if old_value is not None:
            os.environ[SAFE_PATH_VARIABLE] = old_value


@contextlib.contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """Make processes started in the `with` block ignore Ctrl-C.

    A terminal sends Ctrl-C to all processes, but only the cluster should stop these workers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old_handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, old_handler)
