"""Clusters of real schedulers and workers: same rows as threads, audits, versions, lost workers."""

import gc
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from click.testing import CliRunner

from support.dask_cluster import ROOT, dask

pytest.importorskip("distributed")

from simgin.cli.main import cli
from simgin.play.matchup import parse_matchup
from simgin.runs import cluster, ledger, runner
from simgin.runs.block import Task
from simgin.runs.cluster import Cluster, ClusterError
from simgin.runs.ledger import pack
from simgin.runs.threads import Threads
from simgin.text.amounts import AmountError

MINE = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return view.own_turn > 3
MINE = Strategy('mine', knock=mine)
"""


@pytest.fixture(autouse=True)
def in_time():
    """Fail a test that waits for workers that never come."""

    def late(*_):
        raise TimeoutError("a test of clusters took more than three minutes")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(180)
    yield
    # A client that never connected must not be finalized by the thread that starts the next one:
    # both take the same lock.
    gc.collect()
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A scheduler with two permanent workers, started in a folder with a strategy file."""
    place = tmp_path_factory.mktemp("two")
    (place / "mine.py").write_text(MINE)
    with dask(place, workers=2) as one:
        yield one


@pytest.fixture
def of_two(two):
    """Make teams of the two workers once both are there, and close them afterwards."""
    teams = []

    def team(kind=Cluster):
        teams.append(kind(two.address))
        teams[-1].client.wait_for_workers(2, timeout=60)
        return teams[-1]

    yield team
    for one in teams:
        one.close()


def played(cells, team, **more):
    """Rows and recorded deals of cells, and who played them."""
    with ledger.opened(None, {}) as run_ledger:
        team.prepare([cell.matchup for cell in cells])
        runner.run(cells, run_ledger, team, **more)
        sizes = [
            (i, cell.matchup.units(cell.n), cell.matchup.batch) for i, cell in enumerate(cells)
        ]
        deals = (
            [b"".join(record.tobytes() for record in run_ledger.deals(*size)) for size in sizes]
            if more.get("recorded")
            else []
        )
        return (
            [run_ledger.rows(*size).tobytes() for size in sizes],
            deals,
            {name for size in sizes for name in run_ledger.workers(*size)},
        )


CELLS = [
    Task(parse_matchup("gold", "simple", "eaai", 5, "deal"), 30_001),
    Task(parse_matchup("gold-early:k=7", "random", "shot", 2**64 - 1, "match"), 501),
    Task(parse_matchup("gold", None, "gin-solitaire", 5, "deal"), 5_500),
    Task(parse_matchup("gold", "gold", "standard+start_points=40/60", 5, "match"), 250),
]


# The same rows


def test_a_cluster_plays_what_threads_play(of_two, monkeypatch):
    monkeypatch.setattr(cluster, "AUDIT_EVERY", 5)
    team = of_two()
    theirs, ours = played(CELLS, team), played(CELLS, Threads(2))
    assert theirs[0] == ours[0]
    assert len(theirs[2]) == 2 and all(name.startswith("tcp://127.0.0.1:") for name in theirs[2])
    assert team.audited >= 2


def test_a_worker_does_what_its_scheduler_passes_on(of_two, tmp_path):
    """Whoever reaches the scheduler runs code on the workers."""
    mark = tmp_path / "it-ran"
    of_two().client.submit(mark.touch).result(timeout=60)
    assert mark.exists()


def listening():
    """(process, address, port) of all that this process and its children listen to."""
    psutil = pytest.importorskip("psutil")  # comes with dask
    found = set()
    this = psutil.Process()
    for process in (this, *this.children(recursive=True)):
        for connection in process.net_connections(kind="inet"):
            if connection.status == psutil.CONN_LISTEN:
                found.add((process.pid, connection.laddr.ip, connection.laddr.port))
    return found


def test_a_local_cluster_listens_to_this_machine_alone():
    before = listening()
    team = Cluster("local:2")
    try:
        team.client.wait_for_workers(2, timeout=60)
        own = listening() - before
    finally:
        team.close()
    assert len({process for process, _, _ in own}) == 3  # the scheduler and two workers
    assert {address for _, address, _ in own} == {"127.0.0.1"}


def test_deals_are_recorded_alike(of_two):
    some = [Task(CELLS[0].matchup, 2500), Task(CELLS[1].matchup, 120)]
    theirs, ours = played(some, of_two(), recorded=True), played(some, Threads(2), recorded=True)
    assert theirs[:2] == ours[:2] and all(ours[1])


def test_a_cluster_plays_a_strategy_from_a_file(of_two, two, monkeypatch):
    monkeypatch.chdir(two.place)
    some = [Task(parse_matchup("mine.py", "gold", "standard", 1, "deal"), 3000)]
    assert played(some, of_two())[0] == played(some, Threads(1))[0]


# Audits


class Watched(Cluster):
    """A cluster that records which workers were compared and what was ordered from whom."""

    def __init__(self, address):
        super().__init__(address)
        self.compared, self.ordered = [], []

    def _submit(self, out):
        self.ordered.append(out)
        super()._submit(out)

    def _audit(self, first, second):
        self.compared.append((first.worker, second.worker))
        return super()._audit(first, second)


def test_some_blocks_are_played_by_a_second_worker(of_two, monkeypatch):
    monkeypatch.setattr(cluster, "AUDIT_EVERY", 4)
    team = of_two(Watched)
    played([Task(CELLS[0].matchup, 60_000)], team)
    blocks = [out for out in team.ordered if out.first_answer is None]
    assert team.audited == len(team.compared) == -(-len(blocks) // 4) >= 3
    assert all(
        out.order.avoid == out.first_answer.worker
        for out in team.ordered
        if out.first_answer is not None
    )
    assert any(first != second for first, second in team.compared)


class Lying(Watched):
    """A worker whose result has one number changed so that only a second playing shows it."""

    def _audit(self, first, second):
        rows = second.rows()
        rows[0, -1] += 1
        return super()._audit(first, replace(second, blob=pack(rows)))


class Forging(Watched):
    """The same change in a recorded deal."""

    def _audit(self, first, second):
        object.__setattr__(second, "deals", (second.deals[0][:-1] + b"?", *second.deals[1:]))
        return super()._audit(first, second)


@pytest.mark.parametrize(("kind", "recorded"), [(Lying, False), (Forging, True)])
def test_a_wrong_worker_ends_the_run_and_its_block_is_not_kept(of_two, kind, recorded):
    team = of_two(kind)
    with ledger.opened(None, {}) as run_ledger:
        with pytest.raises(ClusterError) as error:
            runner.run([Task(CELLS[0].matchup, 60_000)], run_ledger, team, recorded=recorded)
        first, second = team.compared[0]
        told = (
            rf"^{first} and {second} disagree about gold v simple \(eaai\), 1000 units from "
            rf"(\d+) on\. One of them computes wrongly: "
        )
        found = re.match(told, str(error.value))
        assert found and (int(found[1]) // 1000, 1000) not in run_ledger.finished(0, 1000)
    assert team.audited == 1


# Other versions


@pytest.fixture(scope="module")
def strangers(tmp_path_factory):
    """Two lone workers: one with another engine, one with another file of the strategy's name."""
    place = tmp_path_factory.mktemp("strangers")
    copy = place / "other"
    shutil.copytree(ROOT / "simgin", copy / "simgin", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        ROOT / "strategies",
        copy / "simgin_strategies",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    with (copy / "simgin" / "core" / "sums.py").open("a") as file:
        file.write("# another version\n")
    (place / "here").mkdir()
    (place / "here" / "mine.py").write_text(MINE.replace("> 3", "> 4"))
    (place / "here" / "alike.py").write_text(MINE.replace("knock=mine)", "ending='same')"))
    with (
        dask(place / "engine", workers=1, path=copy) as engine,
        dask(place / "file", workers=1, cwd=place / "here") as file,
    ):
        yield engine, file


def refused(address, cell, *, prepared):
    """The error that a run on this cluster ends with."""
    team = Cluster(address)
    try:
        team.client.wait_for_workers(1, timeout=60)
        with pytest.raises(ClusterError) as error, ledger.opened(None, {}) as run_ledger:
            if prepared:
                team.prepare([cell.matchup])
            runner.run([cell], run_ledger, team)
    finally:
        team.close()
    return str(error.value)


def test_another_engine_is_refused_before_and_while_playing(strangers):
    """A worker may also join after the start."""
    told = r"engine [0-9a-f]{16} instead of [0-9a-f]{16}"
    address = r"worker tcp://127\.0\.0\.1:\d+"
    before = refused(strangers[0].address, CELLS[0], prepared=True)
    assert re.fullmatch(
        rf"{address} is another version: {told}\. Install the same everywhere\.", before
    )
    during = refused(strangers[0].address, CELLS[0], prepared=False)
    assert re.fullmatch(
        rf"{address}: another version than where the run was started: {told}\. Install "
        rf"the same simgin and strategies\.",
        during,
    )


@pytest.mark.parametrize("changed", ["mine.py", "alike.py"])
def test_another_strategy_under_the_same_name_is_refused(strangers, tmp_path, monkeypatch, changed):
    """Its file differs, or, with shipped policies only, what it makes of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / changed).write_text(
        MINE if changed == "mine.py" else MINE.replace("knock=mine)", ")")
    )
    said = refused(
        strangers[1].address,
        Task(parse_matchup(changed, "gold", "standard", 1, "deal"), 3000),
        prepared=True,
    )
    assert re.search(
        rf"{changed} [0-9a-f]{{16}} instead of [0-9a-f]{{16}}\. Install the same simgin "
        rf"and strategies\.$",
        said,
    )


def test_a_strategy_missing_on_a_worker_is_reported(strangers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere.py").write_text(MINE)
    said = refused(
        strangers[1].address,
        Task(parse_matchup("elsewhere.py", "gold", "standard", 1, "deal"), 3000),
        prepared=True,
    )
    assert re.match(
        r"worker tcp://127\.0\.0\.1:\d+: the strategy file elsewhere\.py cannot be read", said
    )


def test_a_worker_that_cannot_import_simgin_is_reported(tmp_path):
    broken = tmp_path / "broken" / "simgin"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('half installed')\n")
    with dask(tmp_path / "dask", workers=1, path=broken.parent) as one:
        said = refused(one.address, CELLS[0], prepared=True)
        assert re.fullmatch(
            r"worker tcp://127\.0\.0\.1:\d+ cannot play \(.*half installed.*\)\. Install "
            r"the same everywhere\.",
            said,
        )


# What goes wrong elsewhere


def test_a_strategy_fails_on_a_worker_with_the_same_message_as_locally(of_two, two, monkeypatch):
    monkeypatch.chdir(two.place)
    (two.place / "fails.py").write_text(
        MINE.replace("return view.own_turn > 3", "return 1 // (view.own_turn - 2)")
    )
    cell = Task(parse_matchup("fails.py", "gold", "standard", 1, "deal"), 3000)
    with pytest.raises(ValueError, match="the knock policy 'mine' raised") as at_home:
        played([cell], Threads(1))
    with pytest.raises(ValueError, match="the knock policy 'mine' raised") as away:
        played([cell], of_two())
    assert (type(away.value), str(away.value)) == (type(at_home.value), str(at_home.value))


def test_an_interruption_returns_at_once_and_keeps_finished_blocks(of_two):
    def interrupt(done, every):
        if done:
            raise KeyboardInterrupt

    team = of_two()
    with ledger.opened(None, {}) as run_ledger:
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            runner.run([Task(CELLS[0].matchup, 10**8)], run_ledger, team, interrupt)
        assert time.monotonic() - started < 20
        assert run_ledger.finished(0, 1000)


def test_a_missing_scheduler_is_reported_within_ten_seconds(monkeypatch, tmp_path):
    assert cluster.CONNECT_SECONDS <= 10
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    started = time.monotonic()
    found = CliRunner().invoke(
        cli,
        ["match", "gold", "--deals", "10", "--scheduler", "tcp://127.0.0.1:9"],
        prog_name="simgin",
    )
    assert time.monotonic() - started < 8
    assert (found.exit_code, found.stdout) == (2, "")
    assert "simgin: there is no scheduler at tcp://127.0.0.1:9 (" in found.stderr
    assert found.stderr.endswith(
        "; start one with `dask scheduler`, and workers with `dask worker tcp://127.0.0.1:9`.\n"
    )


BAD_ADDRESSES = [
    *("nonsense", "foo://somewhere:1", "local:two", "tls://127.0.0.1:9", "tcp://", ""),
    *("tcp://127.0.0.1:99999", "127.0.0.1:0"),
]


@pytest.mark.parametrize("address", BAD_ADDRESSES)
def test_a_bad_address_is_refused(address):
    with pytest.raises(ClusterError, match=f"^{address!r} is no address of a scheduler; write"):
        Cluster(address)


def test_a_bad_address_gets_one_sentence():
    """In a process of its own: dask prints tracebacks when objects of it are collected."""
    words = [sys.executable, "-m", "simgin", "match", "gold", "--deals", "10"]
    found = subprocess.run(
        [*words, "--scheduler", "foo"], capture_output=True, text=True, timeout=120
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == (
        "simgin: 'foo' is no address of a scheduler; write one like tcp://host:8786, or local:4 "
        "for processes on this machine.\n"
    )


@pytest.mark.parametrize("address", ["local:0", "local:1025"])
def test_too_many_processes_are_refused(address):
    with pytest.raises(AmountError, match="workers cannot be had: write a number from 1 to 1024"):
        Cluster(address)


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = CliRunner().invoke(
        cli, ["match", "gold", "--deals", "10", "--scheduler", "local:2"], prog_name="simgin"
    )
    assert (found.exit_code, found.stderr) == (
        2,
        "simgin: playing on a cluster takes dask: install simgin[cluster].\n",
    )


# Workers and schedulers that are lost


def in_background(cells, team, path):
    """Run a cluster in a thread; the thread and its outcome."""
    told, ended = [], []
    team._tell = told.append

    def work():
        with ledger.opened(path, {}) as run_ledger:
            try:
                team.prepare([cell.matchup for cell in cells])
                ended.append(runner.run(cells, run_ledger, team))
            except ValueError as error:
                ended.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread, told, ended


def wait_for(what, seconds=60):
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.01)


@pytest.mark.slow
def test_workers_that_come_and_go_do_not_change_results(tmp_path, monkeypatch):
    """No worker at first, then one, then two, and the first is killed while it plays."""
    monkeypatch.setattr(cluster, "WAITING_SECONDS", 0.5)
    cell, path = Task(CELLS[0].matchup, 600_000), tmp_path / ledger.FILE
    with dask(tmp_path / "dask", workers=0) as one:
        thread, told, ended = in_background([cell], Cluster(one.address), path)
        wait_for(lambda: told)
        assert told[0] == f"the scheduler {one.address} has no workers; waiting for some."
        first = one.worker()
        wait_for((log := path.with_name(f"{ledger.FILE}-wal")).exists)
        size = log.stat().st_size
        wait_for(lambda: log.stat().st_size > size)
        one.worker()
        first.kill()
        thread.join(120)
    assert [found.units for found in ended[0]] == [300_000]
    with ledger.reading(path) as run_ledger:
        rows, who = run_ledger.rows(0, 300_000, 1000), set(run_ledger.workers(0, 300_000, 1000))
    assert len(who) == 2 and (rows == runner.run_matchup(cell.matchup, cell.n)).all()


@pytest.mark.slow
def test_an_audit_whose_workers_are_gone_is_played_by_others(tmp_path, monkeypatch):
    """dask keeps a task for ever if its workers left while there were no others."""
    monkeypatch.setattr(cluster, "WAITING_SECONDS", 1.0)
    with dask(tmp_path / "dask", workers=2) as one:

        class Deserted(Watched):
            def _submit(self, out):
                super()._submit(out)
                if out.first_answer is not None and len(one.workers) == 2:
                    one.workers[0].kill()
                    one.workers[1].kill()
                    wait_for(lambda: not self.client.nthreads())
                    one.worker()

        team = Deserted(one.address)
        team.client.wait_for_workers(2, timeout=60)
        cell = Task(CELLS[0].matchup, 4000)
        rows, _, who = played([cell], team)
    assert rows == played([cell], Threads(1))[0]
    assert team.audited == 1 and len(who) == 2


@pytest.mark.slow
def test_a_lost_scheduler_is_reported_and_the_run_can_continue_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2.0)
    cell, path = Task(CELLS[0].matchup, 3_000_000), tmp_path / ledger.FILE
    with dask(tmp_path / "dask", workers=1) as one:
        team = Cluster(one.address)
        team.client.wait_for_workers(1, timeout=60)
        thread, _, ended = in_background([cell], team, path)
        wait_for((log := path.with_name(f"{ledger.FILE}-wal")).exists)
        size = log.stat().st_size
        wait_for(lambda: log.stat().st_size > size)
        one.scheduler.kill()
        thread.join(60)
    assert isinstance(ended[0], ClusterError)
    assert (
        str(ended[0])
        == f"the scheduler {one.address} was lost; what is finished is kept: start it, and "
        f"the same command goes on."
    )
    with ledger.opened(path, {}) as run_ledger:
        there = run_ledger.finished(0, 1000)
        assert there
        runner.run([cell], run_ledger, Threads(2))
        assert there < run_ledger.finished(0, 1000) and len(run_ledger.finished(0, 1000)) == 1500
        assert (
            run_ledger.rows(0, 100_000, 1000) == runner.run_matchup(cell.matchup, 200_000)
        ).all()
