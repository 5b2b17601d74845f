"""The team on other machines: the workers of a dask.distributed cluster (`--scheduler`).

Workers may come and go: dask plays the blocks of a lost one again elsewhere. A block is played only
by a worker whose engine and strategies have our digests.
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

from simgin.play import kernel, overdue
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs import manifest
from simgin.runs.block import Block, Done, play_block
from simgin.strategy import Strategy, loader
from simgin.text import amounts
from simgin.text.messages import described, quoted, sound

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_SECONDS = 10.0
WAITING_SECONDS = 15.0  # without a worker until it is said that there is none
LOCAL = re.compile(r"local(?::(\d{1,9}))?")
SCHEDULER = re.compile(r"(?:tcp://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})", re.ASCII)
MOST_PORTS = 2**16
SAFE_PATH = "PYTHONSAFEPATH"  # has Python leave the working directory out of sys.path
# Of dask; they print tracebacks of what is told in a sentence
LOGGERS = ("distributed", "distributed.client", "distributed.core", "tornado.application")


class ClusterError(ValueError):
    """A cluster that cannot be used; the message names the remedy."""


@dataclass(frozen=True)
class _Order:
    """A block in texts, so that it can travel.

    A worker finds the strategies by their texts and checks their digests.
    """

    variant: variants.Variant
    players: tuple[tuple[str, str], ...]  # text and digest of each
    seed: int
    unit: Any
    first: int
    units: int
    recorded: bool
    versions: dict[str, str]
    patience: float

    def matchup(self) -> Matchup:
        """The matchup, from this machine's files.

        Raises ClusterError if they differ from those of the machine that ordered it.
        """
        _require(self.versions, _versions())
        a, b = ([_find_alike(*player) for player in self.players] + [None])[:2]
        assert a is not None
        return Matchup(self.variant, a, b, self.seed, self.unit)


# A block takes as little as a hundredth of a second, and to find and digest a strategy a tenth of
# that.
@functools.lru_cache(maxsize=256)
def _find_alike(text: str, digest: str) -> Strategy:
    """The strategy of this text on this machine. Raises ClusterError if it has another digest."""
    strategy = loader.find(text)
    _require({text: digest}, {text: _digest(strategy)})
    return strategy


def _require(wanted: dict[str, str], found: dict[str, str]) -> None:
    """Raise ClusterError unless all is as wanted."""
    told = [
        f"{name} {found[name]} instead of {value}"
        for name, value in wanted.items()
        if found[name] != value
    ]
    if told:
        raise ClusterError(
            f"another version than where the run was started: {'; '.join(told)}. "
            "Install the same simgin and strategies."
        )


def _digest(strategy: Strategy) -> str:
    """Digest of all that a manifest says of a strategy: its files, and its policies' values."""
    text = json.dumps(manifest.describe_strategy(strategy))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


_Answer = tuple[str, float, bytes, tuple[bytes, ...]]


def _play(order: _Order) -> _Answer:
    """On a worker: who played a block, seconds, and its packed batch rows and deals.

    Raises whatever went wrong.
    """
    from distributed import get_worker

    name = str(get_worker().address)
    overdue.PATIENCE = order.patience
    try:
        done = play_block(Block(0, order.matchup(), order.first, order.units, order.recorded), name)
    except ValueError as error:
        raise ClusterError(f"worker {name}: {error}") from None
    if done.error is not None:
        raise done.error
    return name, done.seconds, done.blob, done.deals


class Cluster:
    """Every worker of a dask scheduler.

    address: tcp://host:port, or local:N for N processes on this machine. tell: called with a
    sentence while there is nothing to do but wait. client: speaks to the scheduler. Raises
    ClusterError if there is none.
    """

    def __init__(self, address: str, tell: Callable[[str], None] = lambda _: None) -> None:
        self.client, self._processes = _connected(address)
        self._tell, self._address = tell, address
        self._done: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._out: dict[str, tuple[Block, Future]] = {}  # by the key of the future
        self._counted, self._threads = -1e9, 1
        self._digests: dict[str, str] = {}

    @property
    def workers(self) -> int:
        """Threads of all workers at the moment, at least one: who has none may get some."""
        if time.monotonic() - self._counted > 1:
            self._counted, self._threads = time.monotonic(), max(1, sum(self._nthreads().values()))
        return self._threads

    @property
    def room(self) -> int:
        """How many blocks should be out at a time."""
        return 2 * self.workers

    def prepare(self, matchups: Iterable[Matchup]) -> None:
        """Find a strategy that cannot be compiled here, and a worker that cannot load simgin.

        A worker that is lost while it is asked is none of these.
        """
        from distributed.comm import CommClosedError

        for one in matchups:
            kernel.compiled_hooks(one)
        with self._asking():
            found = self.client.run(_versions, on_error="return")
        for worker, error in found.items():
            if isinstance(error, BaseException) and not isinstance(error, CommClosedError):
                raise ClusterError(
                    f"worker {worker} cannot play ({described(sound(error))}). "
                    "Install the same everywhere."
                )

    def put(self, block: Block) -> None:
        """Have a block played."""
        matchup = block.matchup
        order = _Order(
            matchup.variant,
            tuple((player.text, self._digest_once(player)) for player in matchup.players),
            matchup.seed,
            matchup.unit,
            block.first,
            block.units,
            block.recorded,
            _versions(),
            overdue.PATIENCE,
        )
        with self._asking():
            future = self.client.submit(_play, order, pure=False)
        self._out[future.key] = block, future
        future.add_done_callback(self._done.put)

    def _digest_once(self, player: Strategy) -> str:
        """The digest of a strategy, as it was when its first block was put."""
        if player.text not in self._digests:
            self._digests[player.text] = _digest(player)
        return self._digests[player.text]

    def get(self, timeout: float | None = None) -> Done | None:
        """The next block that was played; None if none was within `timeout` seconds."""
        deadline = time.monotonic() + (math.inf if timeout is None else timeout)
        while True:
            left = max(0.0, deadline - time.monotonic())
            try:
                future = self._done.get(timeout=min(WAITING_SECONDS, left))
            except queue.Empty:
                if left <= WAITING_SECONDS:
                    return None
                if not self._nthreads():
                    self._tell(f"the scheduler {self._address} has no workers; waiting for some.")
                continue
            if future.key in self._out:
                block, _ = self._out.pop(future.key)
                return self._answer(block, future)

    def cancel(self, beyond: Block | None = None) -> int:
        """Forget everything that is out, or of that the blocks beyond one; how many blocks."""
        place = (beyond.cell, beyond.first) if beyond else (-1, -1)
        blocks = [(key, block) for key, (block, _) in self._out.items()]
        dropped = [key for key, block in blocks if (block.cell, block.first) > place]
        futures = [self._out.pop(key)[1] for key in dropped]
        with contextlib.suppress(ClusterError), self._asking():  # if lost, it has forgotten them
            self.client.cancel(futures)
        return len(futures)

    def close(self) -> None:
        """Leave the cluster."""
        self.client.close()
        if self._processes is not None:
            self._processes.close()

    def _nthreads(self) -> dict[str, int]:
        """Threads of every worker; none while the scheduler does not answer.

        What is out comes back as lost then.
        """
        with contextlib.suppress(ClusterError), self._asking():
            if self.client.status == "running":
                return dict(self.client.nthreads())
        return {}

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        """Around what the scheduler is asked: ClusterError, whatever dask raises if it is lost."""
        try:
            yield
        except (Exception, asyncio.CancelledError):
            raise self._lost() from None

    def _lost(self) -> ClusterError:
        return ClusterError(
            f"the scheduler {self._address} was lost; what is finished is kept: start it, and the "
            "same command goes on."
        )

    def _answer(self, block: Block, future: Future) -> Done:
        """What came of a block.

        A future that was cancelled, or cannot be fetched, was lost with its scheduler. An answer
        whose worker dies before it was fetched is waited for: it is computed again.
        """
        error: BaseException = self._lost()
        with contextlib.suppress(OSError, CancelledError, asyncio.CancelledError):
            if future.status == "error":
                error = _told(future.exception())
            elif future.status != "cancelled":
                return Done(block, *future.result())
        return Done(block, "cluster", 0.0, error=error)


def _told(error: BaseException) -> BaseException:
    """The error as it is if it is one of ours, else in a sentence."""
    error = sound(error)
    if type(error).__module__.startswith("simgin."):
        return error
    return ClusterError(
        f"a block failed on the cluster: {described(error)}. What is finished is kept."
    )


@functools.cache
def _versions() -> dict[str, str]:
    """What must be the same on every worker."""
    libraries = manifest.versions()
    return {"engine": manifest.engine_digest()} | {n: libraries[n] for n in ("numba", "numpy")}


def _connected(address: str) -> tuple[Client, Any]:
    """A client and, for local:N, the processes that it started."""
    check_address(address)
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ClusterError("playing on a cluster takes dask: install simgin[cluster].") from None
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    processes = None
    if local := LOCAL.fullmatch(address):
        n = amounts.parse_workers(int(local[1])) if local[1] else None
        try:
            with _uninterrupted(), _safe_path():
                processes = LocalCluster(
                    n_workers=n,
                    threads_per_worker=1,
                    processes=True,
                    silence_logs=logging.CRITICAL,
                    dashboard_address=None,
                    # Without one, its web server still takes port 8787 for itself.
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                )
        except Exception as error:
            raise ClusterError(
                f"the processes of {address} cannot be started ({described(error)}); leave "
                "--scheduler out to play on threads."
            ) from error
    try:
        if processes is None:
            _require_scheduler(address)
        client = Client(processes or address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"there is no scheduler at {address} ({error}). Start one with `dask scheduler`, and "
            f"workers with `dask worker {address}`."
        ) from None
    return client, processes


def _require_scheduler(address: str) -> None:
    """Raise ConnectionError unless a scheduler answers; dask's client may wait for ever."""
    # In a thread, because the caller's may already have an event loop.
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(asyncio.run, _identity(address))
    try:
        is_scheduler = "workers" in asked.result()
    except TimeoutError:
        raise ConnectionError(f"no answer within {CONNECT_SECONDS:g} s") from None
    # What another program answers makes dask raise any exception, MemoryError included.
    except Exception:
        is_scheduler = False
    if not is_scheduler:
        raise ConnectionError("what answers there is not a dask scheduler")


async def _identity(address: str) -> dict[str, Any]:
    """Return what a dask server reports about itself."""
    from distributed.core import rpc

    async with asyncio.timeout(CONNECT_SECONDS), rpc(address) as server:
        identity: dict[str, Any] = await server.identity()
        return identity


def check_address(address: str) -> None:
    """Raise ClusterError for what is no address; dask would try it and print a traceback."""
    scheduler = SCHEDULER.fullmatch(address)
    if scheduler is not None and 0 < int(scheduler[1]) < MOST_PORTS:
        return
    if not LOCAL.fullmatch(address):
        raise ClusterError(
            f"{quoted(address)} is no address of a scheduler; write one like tcp://host:8786, or "
            "local:4 for processes on this machine."
        )


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """Keep processes that start in here from importing files of the working directory.

    dask's setting covers workers that it starts again later, the variable also the process that
    tracks them.
    """
    import dask

    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        with dask.config.set({f"distributed.nanny.pre-spawn-environ.{SAFE_PATH}": "1"}):
            yield
    finally:
        del os.environ[SAFE_PATH]
        if before is not None:
            os.environ[SAFE_PATH] = before


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Processes started in here ignore Ctrl-C, which a terminal sends to all of them.

    They end when they are asked to.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
