"""Tests of a dask cluster: equal results, rejected versions and lost workers."""

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

from support.command_runs import STRATEGY_SOURCE as MINE
from support.dask_cluster import REPOSITORY, start_dask_cluster
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

FAILING_STRATEGY_CODE = MINE.replace("return view.own_turn > 3", "return 1 // (view.own_turn - 2)")


@pytest.fixture(autouse=True)
def limit_test_time():
    """Fail a test that waits for workers that never start."""
    with time_limit(180):
        yield
        # A client that never connected must not be finalized by the thread that starts the next
        # one: both take the same lock.
        gc.collect()


@pytest.fixture(scope="module")
def worker_directory(tmp_path_factory):
    """Create a directory of strategy files, some of which differ from the client's."""
    worker_directory = tmp_path_factory.mktemp("two_workers")
    for name, text in (
        ("mine", MINE),
        ("fails", FAILING_STRATEGY_CODE),
        ("other", MINE.replace("> 3", "> 4")),
    ):
        (worker_directory / f"{name}.py").write_text(text)
    (worker_directory / "alike.py").write_text(MINE.replace("knock=mine)", "ending='same')"))
    return worker_directory


@pytest.fixture(scope="module")
def two_worker_cluster(worker_directory):
    """Start a scheduler with two permanent workers."""
    with start_dask_cluster(worker_directory, n_workers=2) as running_cluster:
        yield running_cluster


@pytest.fixture
def worker_pool(two_worker_cluster):
    """Connect to a cluster with two workers."""
    worker_pool = ClusterPool(two_worker_cluster.address)
    worker_pool.client.wait_for_workers(2, timeout=60)
    yield worker_pool
    worker_pool.close()


def play_tasks(tasks, worker_pool, **options):
    """Return rows and recorded deals of tasks, and the workers that played them."""
    with ledger.open_ledger(None, {}) as run_ledger:
        worker_pool.prepare([task.matchup for task in tasks])
        runner.run_tasks(tasks, run_ledger, worker_pool, **options)
        sizes = [(i, task.units, task.matchup.batch_size) for i, task in enumerate(tasks)]
        results = [run_ledger.read_rows(*size).tobytes() for size in sizes]
        if options.get("record_deals"):
            results += [
                record.tobytes() for size in sizes for record in run_ledger.iter_deals(*size)
            ]
        return results, {name for size in sizes for name in run_ledger.list_workers(*size)}


TASKS = [
    Task(parse_matchup("gold", "simple", "eaai", 5, "deal"), 30_001),
    Task(parse_matchup("gold-early:k=7", "random", "shot", 2**64 - 1, "match"), 501),
    Task(parse_matchup("gold", None, "gin-solitaire", 5, "deal"), 5_500),
    Task(parse_matchup("gold", "gold", "standard+start_points=40/60", 5, "match"), 250),
]


def make_strategy_file_task(file_name):
    """Return a task whose first player is the strategy in a file."""
    return Task(parse_matchup(file_name, "gold", "standard", 1, "deal"), 3000)


def test_cluster_and_threads_give_identical_rows(worker_pool, worker_directory, monkeypatch):
    monkeypatch.chdir(worker_directory)
    tasks = [*TASKS, make_strategy_file_task("mine.py")]
    (cluster_rows, worker_names), (thread_rows, _) = (
        play_tasks(tasks, worker_pool),
        play_tasks(tasks, ThreadPool(2)),
    )
    assert cluster_rows == thread_rows
    assert len(worker_names) == 2 and all(
        name.startswith("tcp://127.0.0.1:") for name in worker_names
    )


def test_cluster_and_threads_record_identical_deals(worker_pool):
    tasks = [Task(TASKS[0].matchup, 2500), Task(TASKS[1].matchup, 120)]
    cluster_results, thread_results = (
        play_tasks(tasks, pool, record_deals=True)[0] for pool in (worker_pool, ThreadPool(2))
    )
    assert cluster_results == thread_results and len(thread_results) > 2


def list_open_ports():
    """Return (process, address, port) of all open ports of this process and its children."""
    psutil = pytest.importorskip("psutil")  # comes with dask
    ports = set()
    this_process = psutil.Process()
    for process in (this_process, *this_process.children(recursive=True)):
        for connection in process.net_connections(kind="inet"):
            if connection.status == psutil.CONN_LISTEN:
                ports.add((process.pid, connection.laddr.ip, connection.laddr.port))
    return ports


@pytest.mark.slow
def test_local_cluster_listens_only_on_localhost():
    before = list_open_ports()
    with contextlib.closing(ClusterPool("local:1")) as worker_pool:
        worker_pool.client.wait_for_workers(1, timeout=60)
        opened = list_open_ports() - before
    assert len({process for process, _, _ in opened}) == 2  # the scheduler and its worker
    assert {address for _, address, _ in opened} == {"127.0.0.1"}


# Other versions


def find_run_error(worker_pool, task):
    """Return the message of the error that a task raises on a cluster."""
    with pytest.raises(ClusterError) as error, ledger.open_ledger(None, {}) as run_ledger:
        worker_pool.prepare([task.matchup])
        runner.run_tasks([task], run_ledger, worker_pool)
    return str(error.value)


INSTALL_ADVICE_PATTERN = r"Install the same versions of simgin and the strategies on all machines\."


@pytest.mark.parametrize("file_name", ["other.py", "alike.py", "elsewhere.py"])
def test_strategy_that_differs_on_the_worker_is_rejected(
    worker_pool, tmp_path, monkeypatch, file_name
):
    """Use a missing file, and files with other code or another combination of policies."""
    monkeypatch.chdir(tmp_path)
    text = MINE.replace("knock=mine)", ")") if file_name == "alike.py" else MINE
    (tmp_path / file_name).write_text(text)
    message = rf"\({file_name} \w{{16}} instead of \w{{16}}\)\. {INSTALL_ADVICE_PATTERN}$"
    if file_name == "elsewhere.py":
        message = rf"^worker tcp://[\d.:]+: the strategy file {file_name} cannot be read"
    assert re.search(message, find_run_error(worker_pool, make_strategy_file_task(file_name)))


ENGINE_ERROR_PATTERN = rf"\(engine \w{{16}} instead of \w{{16}}\)\. {INSTALL_ADVICE_PATTERN}$"


def test_worker_with_another_engine_is_rejected(worker_pool, monkeypatch):
    required_versions = {**cluster._collect_required_versions(), "engine": "0" * 16}
    monkeypatch.setattr(cluster, "_collect_required_versions", lambda: required_versions)
    assert re.search(ENGINE_ERROR_PATTERN, find_run_error(worker_pool, TASKS[0]))


def test_worker_lost_during_preparation_does_not_stop_the_run(worker_pool, monkeypatch):
    answers = {"tcp://127.0.0.1:9": CommClosedError("killed")}
    monkeypatch.setattr(worker_pool.client, "run", lambda *_, **__: answers)
    worker_pool.prepare([])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("appended_code", "message"),
    [
        ("# another version\n", ENGINE_ERROR_PATTERN),
        (
            "raise ImportError('half')",
            rf"cannot load simgin \(.*half.*\)\. {INSTALL_ADVICE_PATTERN}$",
        ),
    ],
)
def test_worker_with_another_simgin_version_is_rejected(tmp_path, appended_code, message):
    copy, ignored = tmp_path / "other", shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "simgin", copy / "simgin", ignore=ignored)
    shutil.copytree(REPOSITORY / "strategies", copy / "simgin_strategies", ignore=ignored)
    with (copy / "simgin/core/batch_columns.py").open("a") as file:
        file.write(appended_code)
    with start_dask_cluster(tmp_path / "dask", n_workers=1, import_path=copy) as running_cluster:
        worker_pool = ClusterPool(running_cluster.address)
        worker_pool.client.wait_for_workers(1, timeout=60)
        assert re.search(message, find_run_error(worker_pool, TASKS[0]))


# Failures


def test_strategy_error_on_a_worker_equals_the_local_error(
    worker_pool, worker_directory, monkeypatch
):
    monkeypatch.chdir(worker_directory)
    errors = []
    for pool in (ThreadPool(1), worker_pool):
        with pytest.raises(ValueError, match="the knock policy 'mine' raised") as error:
            play_tasks([make_strategy_file_task("fails.py")], pool)
        errors.append((type(error.value), str(error.value)))
    assert errors[0] == errors[1]


def test_interrupted_run_returns_quickly_and_keeps_finished_blocks(worker_pool):
    def interrupt(done, total):
        if done:
            raise KeyboardInterrupt

    with ledger.open_ledger(None, {}) as run_ledger:
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            runner.run_tasks([Task(TASKS[0].matchup, 10**8)], run_ledger, worker_pool, interrupt)
        assert time.monotonic() - started < 20
        assert run_ledger.find_finished_batches(0, 1000)


def find_match_error(address):
    """Return the error message of `simgin match` with a scheduler address."""
    arguments = ["match", "gold", "--deals", "10", "--scheduler", address]
    result = CliRunner().invoke(cli, arguments, prog_name="simgin")
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def serve_web_page(ports):
    """Start a server that answers every line with an HTTP error, and append its port to `ports`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    server.RequestHandlerClass.log_message = lambda *_: None
    ports.append(server.server_address[1])
    server.serve_forever()


def accept_connections(ports, on_connection):
    """Open a port, append it to `ports`, and call `on_connection` with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ports.append(listener.getsockname()[1])
        connections = []
        while True:
            connections.append(listener.accept()[0])
            on_connection(connections[-1])


# While a server closes each connection, dask tries to connect again until the timeout. If the
# connection is closed after dask has connected, dask fails at once.
FAKE_SCHEDULERS = {
    "a web server": (serve_web_page, "scheduler|no response within"),
    "silent": (partial(accept_connections, on_connection=lambda _: None), "no response within"),
    "closes": (
        partial(accept_connections, on_connection=lambda connection: connection.close()),
        "not a dask scheduler|no response within",
    ),
    "talks": (
        partial(
            accept_connections,
            on_connection=lambda connection: connection.sendall(b"HTTP/1.0 400 No\r\n" * 9),
        ),
        "not a dask scheduler",
    ),
    "closed": (lambda port: port.append(9), "no response within"),
}


@pytest.mark.parametrize("name", FAKE_SCHEDULERS)
def test_invalid_scheduler_is_reported_within_ten_seconds(monkeypatch, name):
    assert cluster.CONNECT_TIMEOUT_SECONDS <= 10
    serve, reason = FAKE_SCHEDULERS[name]
    if "no response" in reason:  # The test waits until the timeout.
        monkeypatch.setattr(cluster, "CONNECT_TIMEOUT_SECONDS", 1.0)
    ports = []
    threading.Thread(target=serve, args=(ports,), daemon=True).start()
    with time_limit(30):
        while not ports:
            time.sleep(0.01)
        address = f"tcp://127.0.0.1:{ports[0]}"
        error = find_match_error(address)
    assert re.fullmatch(
        rf"simgin: error: no scheduler was found at {address} "
        rf"\([^()]*({reason})[^()]*\)\. Start one with "
        rf"`dask scheduler`, and workers with `dask worker {address}`\.\n",
        error,
    )


def test_address_of_a_worker_is_rejected_as_scheduler(two_worker_cluster):
    """Use a worker, which has the same protocol as a scheduler."""
    log = (two_worker_cluster.directory / "worker.log").read_text()
    address = re.search(r"Start worker at: +(tcp://\S+)", log)[1]
    assert f"no scheduler was found at {address} (the server is not" in find_match_error(address)


@pytest.mark.parametrize("address", ["nonsense", "local:two", "tls://127.0.0.1:9", "127.0.0.1:0"])
def test_invalid_scheduler_address_is_rejected(address):
    assert find_match_error(address).startswith(
        f"simgin: error: {address!r} is not a valid scheduler address. Use"
    )


@pytest.mark.parametrize("address", ["local:0", "local:1025"])
def test_invalid_number_of_workers_is_rejected(address):
    with pytest.raises(AmountError, match=r"is not a valid number of workers\. Use 1 to 1024"):
        ClusterPool(address)


def test_missing_dask_is_reported_with_an_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    suggestion = "To install dask, run: pip install 'simgin[cluster]'"
    message = f"simgin: error: --scheduler requires the package dask. {suggestion}\n"
    assert find_match_error("local:2") == message


# Workers and schedulers that are lost


def test_worker_that_does_not_start_is_reported(monkeypatch):
    async def fail_to_start(_):
        raise RuntimeError("the worker died")

    monkeypatch.setattr("distributed.nanny.WorkerProcess.start", fail_to_start)
    with pytest.raises(ClusterError, match="the worker processes of local:1 cannot be started"):
        ClusterPool("local:1")


@pytest.mark.parametrize(
    "operation",
    ["put", *(pytest.param(name, marks=pytest.mark.slow) for name in ("prepare", "cancel"))],
)
def test_scheduler_lost_before_the_first_block_is_reported(worker_directory, operation):
    with (
        start_dask_cluster(worker_directory / operation, n_workers=1) as running_cluster,
        contextlib.closing(ClusterPool(running_cluster.address)) as worker_pool,
    ):
        worker_pool.client.wait_for_workers(1, timeout=60)
        if operation == "cancel":
            worker_pool.submit(Block(0, TASKS[0].matchup, 0, 1000))
        worker_pool.client._timeout = 1.0  # dask tries for so long to reach a lost scheduler
        running_cluster.scheduler.kill()
        deadline = time.monotonic() + 60
        while worker_pool.client.status == "running" and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(2)  # dask gives up its connection
        if operation == "cancel":
            assert worker_pool.cancel() == 1
            return
        with pytest.raises(ClusterError, match=r"was lost\. Finished batches are saved"):
            play_tasks([TASKS[0]], worker_pool)
