"""The team on other machines: the workers of a dask.distributed cluster (`--scheduler`).

Workers may come and go: the blocks of a lost one are played again by another. A block is played
only by a worker whose engine and strategies have our digests, and one block in a hundred is played
a second time elsewhere: the two must agree to the last bit.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import hashlib
import json
import logging
import queue
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs import manifest
from simgin.runs.block import Block, Done, play_block
from simgin.strategy import Strategy, loader
from simgin.text import amounts
from simgin.text.messages import quoted

if TYPE_CHECKING:
    from distributed import Client, Future

AUDIT_EVERY = 100  # blocks; the first of a run is audited, too
CONNECT_SECONDS = 10.0
WAITING_SECONDS = 15.0  # without a worker until it is said that there is none
# Times that a block is played again because its worker was lost: after that it is the block that
# kills them
LOST_MOST = 10
LOCAL = re.compile(r"local(?::(\d{1,9}))?")
SCHEDULER = re.compile(r"(?:tcp://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})", re.ASCII)
MOST_PORTS = 2**16


class ClusterError(ValueError):
    """A cluster that cannot be used, or whose workers disagree; the message names the remedy."""


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
    engine: str
    avoid: str = ""  # an audit: the worker that has played it already

    def matchup(self) -> Matchup:
        """The matchup, from this machine's files.

        Raises ClusterError if they differ from those of the machine that ordered it.
        """
        _require(differing({"engine": self.engine}, {"engine": manifest.engine_digest()}))
        strategies = [_find_alike(text, digest) for text, digest in self.players]
        return Matchup(
            self.variant,
            strategies[0],
            strategies[1] if len(strategies) > 1 else None,
            self.seed,
            self.unit,
        )


# A block takes as little as a hundredth of a second, and to find and digest a strategy a tenth of
# that.
@functools.lru_cache(maxsize=256)
def _find_alike(text: str, digest: str) -> Strategy:
    """The strategy of this text on this machine. Raises ClusterError if it has another digest."""
    strategy = loader.find(text)
    _require(differing({text: digest}, {text: _digest(strategy)}))
    return strategy


def _require(differences: list[str]) -> None:
    """Raise ClusterError if there are differences."""
    if differences:
        raise ClusterError(
            f"another version than where the run was started: {'; '.join(differences)}. "
            "Install the same simgin and strategies."
        )


def _digest(strategy: Strategy) -> str:
    """Digest of all that a manifest says of a strategy: its files, and its policies' values."""
    return hashlib.sha256(json.dumps(manifest.describe_strategy(strategy)).encode()).hexdigest()[
        :16
    ]


def differing(wanted: dict[str, str], found: dict[str, str]) -> list[str]:
    """What is not as wanted, a few words each."""
    return [
        f"{name} {found.get(name, 'missing')} instead of {value}"
        for name, value in wanted.items()
        if found.get(name) != value
    ]


_Answer = tuple[str, float, bytes, tuple[bytes, ...]]


def _play(order: _Order) -> _Answer:
    """On a worker: who played a block, seconds, and its packed batch rows and deals.

    Raises whatever went wrong.
    """
    from distributed import get_worker

    name = str(get_worker().address)
    try:
        done = play_block(Block(0, order.matchup(), order.first, order.units, order.recorded), name)
    except ValueError as error:
        raise ClusterError(f"worker {name}: {error}") from None
    if done.error is not None:
        raise done.error
    return name, done.seconds, done.blob, done.deals


@dataclass(frozen=True)
class _Out:
    """A block that is out, its order, and what an audit is compared with.

    meant_for: workers that are preferred. lost: how often its worker was lost.
    """

    block: Block
    order: _Order
    lost: int = 0
    first_answer: Done | None = None
    meant_for: tuple[str, ...] = ()


class Cluster:
    """Every worker of a dask scheduler.

    address: tcp://host:port, or local:N for N processes on this machine. tell: called with a
    sentence while there is nothing to do but wait. client: speaks to the scheduler. Raises
    ClusterError if there is none.
    """

    def __init__(self, address: str, tell: Callable[[str], None] = lambda _: None) -> None:
        self.client, self._processes = _connected(address)
        self._tell, self._address = tell, address
        self._done = queue.SimpleQueue[tuple[int, Any]]()
        self._out: dict[int, tuple[_Out, Future]] = {}
        self._number = self._ordered = 0
        self._counted, self._threads = -1e9, 1
        self._digests: dict[str, str] = {}
        self.audited = 0

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
        """Find the mistakes that show without playing.

        They are a worker of another version, or a strategy that cannot be compiled.
        """
        for one in matchups:
            kernel.compiled_hooks(one)
        here = _versions()
        for worker, there in self.client.run(_versions, on_error="return").items():
            if isinstance(there, BaseException):
                raise ClusterError(
                    f"worker {worker} cannot play ({type(there).__name__}: {there}). "
                    "Install the same everywhere."
                )
            if told := differing(here, there):
                raise ClusterError(
                    f"worker {worker} is another version: {'; '.join(told)}. "
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
            manifest.engine_digest(),
        )
        self._submit(_Out(block, order))

    def _digest_once(self, player: Strategy) -> str:
        """The digest of a strategy, as it was when its first block was put."""
        if player.text not in self._digests:
            self._digests[player.text] = _digest(player)
        return self._digests[player.text]

    def get(self, timeout: float | None = None) -> Done | None:
        """The next block that was played, in any order, and audited if it was its turn.

        None if there is none within `timeout` seconds.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = (
                WAITING_SECONDS
                if deadline is None
                else max(0.0, min(WAITING_SECONDS, deadline - time.monotonic()))
            )
            try:
                number, future = self._done.get(timeout=left)
            except queue.Empty:
                if deadline is not None and time.monotonic() >= deadline:
                    return None
                self._explain()
                continue
            out, _ = self._out.pop(number, (None, None))
            if out is not None and (done := self._answer(out, future)) is not None:
                return done

    def cancel(self, beyond: Block | None = None) -> int:
        """Forget everything that is out, or of that the blocks beyond one; how many blocks."""
        place = (beyond.cell, beyond.first) if beyond else (-1, -1)
        dropped = [
            number
            for number, (out, _) in self._out.items()
            if (out.block.cell, out.block.first) > place
        ]
        futures = [self._out.pop(number)[1] for number in dropped]
        with contextlib.suppress(OSError):  # a scheduler that was lost has forgotten them
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
        with contextlib.suppress(OSError):
            if self.client.status == "running":
                return dict(self.client.nthreads())
        return {}

    def _submit(self, out: _Out) -> None:
        others = (
            tuple(address for address in self._nthreads() if address != out.order.avoid)
            if out.order.avoid
            else ()
        )
        self._number += 1
        number = self._number
        future = self.client.submit(
            _play,
            out.order,
            key=f"simgin-{self.client.id}-{number}",
            pure=False,
            workers=list(others) or None,
            allow_other_workers=bool(others),
        )
        self._out[number] = dataclasses.replace(out, meant_for=others), future
        future.add_done_callback(lambda finished: self._done.put((number, finished)))

    def _answer(self, out: _Out, future: Future) -> Done | None:
        """What came of a block; None if it has to be played once more.

        Its worker was lost, or its audit is due.
        """
        answer, error = self._received(future)
        if type(error).__name__ == "KilledWorker" and out.lost < LOST_MOST:
            self._tell("a worker was lost; its blocks are played again.")
            self._submit(_Out(out.block, out.order, out.lost + 1, out.first_answer))
            return None
        if error is not None:
            return Done(out.block, "cluster", 0.0, error=_told(error))
        assert answer is not None
        worker, seconds, blob, deals = answer
        done = Done(out.block, worker, seconds, blob, deals)
        if out.first_answer is not None:
            return self._audit(out.first_answer, done)
        self._ordered += 1
        if (self._ordered - 1) % AUDIT_EVERY:
            return done
        again = _Order(**{**vars(out.order), "avoid": worker})
        self._submit(_Out(out.block, again, first_answer=done))
        return None

    def _received(self, future: Future) -> tuple[_Answer | None, BaseException | None]:
        """The answer or the error of a future.

        One that was cancelled, or cannot be fetched, was lost with its scheduler.
        An answer whose worker dies before it was fetched is waited for: it is computed again.
        """
        with contextlib.suppress(OSError, CancelledError, asyncio.CancelledError):
            if future.status == "error":
                return None, future.exception()
            if future.status != "cancelled":
                return future.result(), None
        sentence = (
            f"the scheduler {self._address} was lost; what is finished is kept: start it, and the "
            "same command goes on."
        )
        return None, ClusterError(sentence)

    def _audit(self, first: Done, second: Done) -> Done:
        self.audited += 1
        if first.blob == second.blob and first.deals == second.deals:
            return first
        block = first.block
        error = ClusterError(
            f"{first.worker} and {second.worker} disagree about {block.matchup.title} "
            f"({block.matchup.variant.text}), {block.units} units from {block.first_unit} on. One "
            "of them computes wrongly: run `simgin doctor` on both. Nothing of the block was kept."
        )
        return Done(block, second.worker, 0.0, error=error)

    def _explain(self) -> None:
        self._counted = -1e9
        there = self._nthreads()
        if not there:
            self._tell(f"the scheduler {self._address} has no workers; waiting for some.")
            return
        for number, (out, future) in list(self._out.items()):
            if out.meant_for and not there.keys() & set(out.meant_for):
                # dask never plays what waited while there was no worker, and is meant for some that
                # have left, whether others are allowed or not.
                del self._out[number]
                self.client.cancel([future])
                self._submit(out)


def _told(error: BaseException) -> BaseException:
    """The error as it is if it is one of ours, else in a sentence."""
    if type(error).__module__.startswith("simgin."):
        return error
    return ClusterError(
        f"a block failed on the cluster: {type(error).__name__}: {error}".rstrip(": ")
        + ". What is finished is kept."
    )


def _versions() -> dict[str, str]:
    """What must be the same on every worker."""
    return {
        "engine": manifest.engine_digest(),
        **{name: manifest.versions()[name] for name in ("numba", "numpy")},
    }


def _connected(address: str) -> tuple[Client, Any]:
    """A client and, for local:N, the processes that it started."""
    check_address(address)
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ClusterError("playing on a cluster takes dask: install simgin[cluster].") from None
    processes = None
    if local := LOCAL.fullmatch(address):
        n = amounts.parse_workers(int(local[1])) if local[1] else None
        with _uninterrupted():
            processes = LocalCluster(
                n_workers=n,
                threads_per_worker=1,
                processes=True,
                silence_logs=logging.ERROR,
                dashboard_address=None,
                scheduler_kwargs={
                    "dashboard_address": "127.0.0.1:0"
                },  # without one, its web server still takes port 8787 for itself
            )
    try:
        return Client(
            processes or address, timeout=CONNECT_SECONDS, set_as_default=False
        ), processes
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"there is no scheduler at {address} ({error}); start one with `dask scheduler`, and "
            f"workers with `dask worker {address}`."
        ) from None


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
