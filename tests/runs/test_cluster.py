"""Tests of a cluster of real processes: equal rows, versions, and lost workers."""

import contextlib
import gc
import re
import shutil
import socket
import sys
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner

from support.command_runs import OWN as MINE
from support.dask_cluster import ROOT, dask
from support.hostile import time_limit

pytest.importorskip("distributed")

from distributed.comm import CommClosedError

from simgin.cli.main import cli
from simgin.play.matchup import parse_matchup
from simgin.runs import cluster, ledger, runner
from simgin.runs.block import Block, Task
from simgin.runs.cluster import ClusterError, ClusterPool
from simgin.runs.runner import ThreadPool
from simgin.text.amounts import AmountError

FAILS = MINE.replace("return view.own_turn > 3", "return 1 // (view.own_turn - 2)")


@pytest.fixture(autouse=True)
def limit_test_time():
    """Fail a test that waits for workers that never come."""
    with time_limit(180):
        yield
        # A client that never connected must not be finalized by the thread that starts the next
        # one: both take the same lock.
        gc.collect()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Create the workers' folder with strategy files, some of which differ from the client's."""
    place = tmp_path_factory.mktemp("two_workers")
    for name, text in (("mine", MINE), ("fails", FAILS), ("other", MINE.replace("> 3", "> 4"))):
        (place / f"{name}.py").write_text(text)
    (place / "alike.py").write_text(MINE.replace("knock=mine)", "ending='same')"))
    return place


@pytest.fixture(scope="module")
def two_workers(place):
    """Start a scheduler with two permanent workers."""
    with dask(place, workers=2) as one:
        yield one


@pytest.fixture
def worker_pool(two_workers):
    """Connect to a cluster with two workers."""
    worker_pool = ClusterPool(two_workers.address)
    worker_pool.client.wait_for_workers(2, timeout=60)
    yield worker_pool
    worker_pool.close()


def play_tasks(cells, worker_pool, **more):
    """Return rows and recorded deals of cells, and the workers that played them."""
    with ledger.open_ledger(None, {}) as run_ledger:
        worker_pool.prepare([cell.matchup for cell in cells])
        runner.run_tasks(cells, run_ledger, worker_pool, **more)
        sizes = [(i, cell.units, cell.matchup.batch_size) for i, cell in enumerate(cells)]
        found = [run_ledger.rows(*size).tobytes() for size in sizes]
        if more.get("record_deals"):
            found += [record.tobytes() for size in sizes for record in run_ledger.iter_deals(*size)]
        return found, {name for size in sizes for name in run_ledger.workers(*size)}


CELLS = [
    Task(parse_matchup("gold", "simple", "eaai", 5, "deal"), 30_001),
    Task(parse_matchup("gold-early:k=7", "random", "shot", 2**64 - 1, "match"), 501),
    Task(parse_matchup("gold", None, "gin-solitaire", 5, "deal"), 5_500),
    Task(parse_matchup("gold", "gold", "standard+start_points=40/60", 5, "match"), 250),
]


def file_task(name):
    return Task(parse_matchup(name, "gold", "standard", 1, "deal"), 3000)


def test_a_cluster_plays_what_threads_play(worker_pool, place, monkeypatch):
    monkeypatch.chdir(place)
    cells = [*CELLS, file_task("mine.py")]
    (theirs, who), (ours, _) = play_tasks(cells, worker_pool), play_tasks(cells, ThreadPool(2))
    assert theirs == ours
    assert len(who) == 2 and all(name.startswith("tcp://127.0.0.1:") for name in who)


def test_deals_are_recorded_alike(worker_pool):
    some = [Task(CELLS[0].matchup, 2500), Task(CELLS[1].matchup, 120)]
    theirs, ours = (
        play_tasks(some, one, record_deals=True)[0] for one in (worker_pool, ThreadPool(2))
    )
    assert theirs == ours and len(ours) > 2


def list_open_ports():
    """Return (process, address, port) of all open ports of this process and its children."""
    psutil = pytest.importorskip("psutil")  # comes with dask
    found = set()
    this = psutil.Process()
    for process in (this, *this.children(recursive=True)):
        for connection in process.net_connections(kind="inet"):
            if connection.status == psutil.CONN_LISTEN:
                found.add((process.pid, connection.laddr.ip, connection.laddr.port))
    return found


@pytest.mark.slow
def test_a_local_cluster_listens_to_this_machine_alone():
    before = list_open_ports()
    with contextlib.closing(ClusterPool("local:1")) as worker_pool:
        worker_pool.client.wait_for_workers(1, timeout=60)
        own = list_open_ports() - before
    assert len({process for process, _, _ in own}) == 2  # the scheduler and its worker
    assert {address for _, address, _ in own} == {"127.0.0.1"}


# Other versions


def run_error(worker_pool, cell):
    """Return the error of a run on this cluster."""
    with pytest.raises(ClusterError) as error, ledger.open_ledger(None, {}) as run_ledger:
        worker_pool.prepare([cell.matchup])
        runner.run_tasks([cell], run_ledger, worker_pool)
    return str(error.value)


SAME_VERSIONS = r"Install the same versions of simgin and the strategies on all machines\."


@pytest.mark.parametrize("changed", ["other.py", "alike.py", "elsewhere.py"])
def test_another_strategy_of_the_same_name_is_rejected(worker_pool, tmp_path, monkeypatch, changed):
    """Its file is missing, or the file or its combination of policies differs."""
    monkeypatch.chdir(tmp_path)
    text = MINE.replace("knock=mine)", ")") if changed == "alike.py" else MINE
    (tmp_path / changed).write_text(text)
    told = rf"\({changed} \w{{16}} instead of \w{{16}}\)\. {SAME_VERSIONS}$"
    if changed == "elsewhere.py":
        told = rf"^worker tcp://[\d.:]+: the strategy file {changed} cannot be read"
    assert re.search(told, run_error(worker_pool, file_task(changed)))


OTHER_ENGINE = rf"\(engine \w{{16}} instead of \w{{16}}\)\. {SAME_VERSIONS}$"


def test_another_engine_is_rejected(worker_pool, monkeypatch):
    ours = {**cluster._required_versions(), "engine": "0" * 16}
    monkeypatch.setattr(cluster, "_required_versions", lambda: ours)
    assert re.search(OTHER_ENGINE, run_error(worker_pool, CELLS[0]))


def test_a_worker_that_is_lost_during_a_request_does_not_stop_the_run(worker_pool, monkeypatch):
    found = {"tcp://127.0.0.1:9": CommClosedError("killed")}
    monkeypatch.setattr(worker_pool.client, "run", lambda *_, **__: found)
    worker_pool.prepare([])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ("# another version\n", OTHER_ENGINE),
        ("raise ImportError('half')", rf"cannot load simgin \(.*half.*\)\. {SAME_VERSIONS}$"),
    ],
)
def test_another_simgin_on_the_workers_is_rejected(tmp_path, changed, told):
    copy, ignored = tmp_path / "other", shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "simgin", copy / "simgin", ignore=ignored)
    shutil.copytree(ROOT / "strategies", copy / "simgin_strategies", ignore=ignored)
    with (copy / "simgin/core/batch_columns.py").open("a") as file:
        file.write(changed)
    with dask(tmp_path / "dask", workers=1, path=copy) as one:
        worker_pool = ClusterPool(one.address)
        worker_pool.client.wait_for_workers(1, timeout=60)
        assert re.search(told, run_error(worker_pool, CELLS[0]))


# Failures


def test_a_strategy_fails_on_a_worker_with_the_same_message_as_locally(
    worker_pool, place, monkeypatch
):
    monkeypatch.chdir(place)
    told = []
    for one in (ThreadPool(1), worker_pool):
        with pytest.raises(ValueError, match="the knock policy 'mine' raised") as error:
            play_tasks([file_task("fails.py")], one)
        told.append((type(error.value), str(error.value)))
    assert told[0] == told[1]


def test_an_interruption_returns_immediately_and_keeps_finished_blocks(worker_pool):
    def interrupt(done, every):
        if done:
            raise KeyboardInterrupt

    with ledger.open_ledger(None, {}) as run_ledger:
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            runner.run_tasks([Task(CELLS[0].matchup, 10**8)], run_ledger, worker_pool, interrupt)
        assert time.monotonic() - started < 20
        assert run_ledger.finished_batches(0, 1000)


def match(address):
    words = ["match", "gold", "--deals", "10", "--scheduler", address]
    found = CliRunner().invoke(cli, words, prog_name="simgin")
    assert (found.exit_code, found.stdout) == (2, "")
    return found.stderr


def serve_web_page(port):
    """Start a web server, which answers any line with an HTTP error."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    server.RequestHandlerClass.log_message = lambda *_: None
    port.append(server.server_address[1])
    server.serve_forever()


def accept_connections(port, then):
    """Open a port that accepts connections, and call `then` with each."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port.append(listener.getsockname()[1])
        kept = []
        while True:
            kept.append(listener.accept()[0])
            then(kept[-1])


PORTS = {
    "a web server": (serve_web_page, "scheduler|no response within"),
    "silent": (partial(accept_connections, then=lambda _: None), "no response within"),
    "closes": (
        partial(accept_connections, then=lambda connection: connection.close()),
        "not a dask sche",
    ),
    "talks": (
        partial(
            accept_connections,
            then=lambda connection: connection.sendall(b"HTTP/1.0 400 No\r\n" * 9),
        ),
        "not a dask scheduler",
    ),
    "closed": (lambda port: port.append(9), "no response within"),
}


@pytest.mark.parametrize("what", PORTS)
def test_an_invalid_scheduler_is_reported_within_ten_seconds(monkeypatch, what):
    assert cluster.CONNECT_TIMEOUT <= 10
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT", 1.0)
    serve, reason = PORTS[what]
    port = []
    threading.Thread(target=serve, args=(port,), daemon=True).start()
    with time_limit(30):
        while not port:
            time.sleep(0.01)
        address = f"tcp://127.0.0.1:{port[0]}"
        told = match(address)
    assert re.fullmatch(
        rf"simgin: error: no scheduler was found at {address} "
        rf"\([^()]*({reason})[^()]*\)\. Start one with "
        rf"`dask scheduler`, and workers with `dask worker {address}`\.\n",
        told,
    )


def test_a_worker_is_not_a_valid_scheduler(two_workers):
    """Another program can use the same protocol."""
    log = (two_workers.place / "worker.log").read_text()
    address = re.search(r"Start worker at: +(tcp://\S+)", log)[1]
    assert f"no scheduler was found at {address} (the server is not" in match(address)


@pytest.mark.parametrize("address", ["nonsense", "local:two", "tls://127.0.0.1:9", "127.0.0.1:0"])
def test_a_bad_address_is_rejected_with_a_message(address):
    assert match(address).startswith(
        f"simgin: error: {address!r} is not a valid scheduler address. Use"
    )


@pytest.mark.parametrize("address", ["local:0", "local:1025"])
def test_too_many_processes_are_rejected(address):
    with pytest.raises(AmountError, match=r"is not a valid number of workers\. Use 1 to 1024"):
        ClusterPool(address)


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    fix = "To install dask, run: pip install 'simgin[cluster]'"
    told = f"simgin: error: --scheduler requires the package dask. {fix}\n"
    assert match("local:2") == told


# Workers and schedulers that are lost


def test_processes_that_do_not_start_are_reported(monkeypatch):
    async def exit_process(_):
        raise RuntimeError("the worker died")

    monkeypatch.setattr("distributed.nanny.WorkerProcess.start", exit_process)
    with pytest.raises(ClusterError, match="the worker processes of local:1 cannot be started"):
        ClusterPool("local:1")


@pytest.mark.parametrize(
    "asked",
    ["put", *(pytest.param(name, marks=pytest.mark.slow) for name in ("prepare", "cancel"))],
)
def test_a_scheduler_that_is_lost_before_the_first_block(place, asked):
    with (
        dask(place / asked, workers=1) as one,
        contextlib.closing(ClusterPool(one.address)) as worker_pool,
    ):
        worker_pool.client.wait_for_workers(1, timeout=60)
        if asked == "cancel":
            worker_pool.submit(Block(0, CELLS[0].matchup, 0, 1000))
        worker_pool.client._timeout = 1.0  # dask tries for so long to reach a lost scheduler
        one.scheduler.kill()
        until = time.monotonic() + 60
        while worker_pool.client.status == "running" and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(2)  # dask gives up its connection
        if asked == "cancel":
            assert worker_pool.cancel() == 1
            return
        with pytest.raises(ClusterError, match=r"was lost\. Finished batches are saved"):
            play_tasks([CELLS[0]], worker_pool)
