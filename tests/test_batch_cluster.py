"""Batches on a Dask cluster: real processes on this machine, which stop by themselves."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from batch_support import run, start, wait_for, wait_for_rows, write_deals

from evaluator.jit import CACHE_DIR
from solver import batch_cluster
from solver.batch import run_batch
from solver.batch_files import BatchError
from solver.choosing import full_path
from solver.equilibrium import train_pool
from solver.pool import write_pool
from solver.rules import load_rules
from solver.solve import warm_up

ROWS = 3000
FEW = ("--opponents", "greedy", "--samples", "500", "--quiet")


@dataclass
class Cluster:
    """A scheduler and its workers, each a process."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


def dask(program: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{program}", *arguments, "--no-dashboard"],
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(CACHE_DIR or ""),
            "PYTHONPATH": str(Path(batch_cluster.__file__).parents[1]),
        },
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    address = tmp_path / "scheduler.json"
    place = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(address))
    scheduler = dask("dask_scheduler", *place, "--idle-timeout", "60")
    wait_for(lambda: address.exists() and address.read_text().endswith("}"))
    tcp = json.loads(address.read_text())["address"]
    options = ("--nthreads", "1", "--no-nanny", "--death-timeout", "5")
    workers = [dask("dask_worker", tcp, *options) for _ in range(2)]
    yield Cluster(tcp, scheduler, workers)
    for process in (scheduler, *workers):
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    warm_up()
    return write_deals(tmp_path_factory.mktemp("deals") / "in.csv", ROWS)


@pytest.fixture(scope="module")
def expected(source: Path) -> bytes:
    target = source.with_name("expected.csv")
    run_batch(str(source), str(target), opponents="greedy", samples=500, jobs=2)
    return target.read_bytes()


def test_the_same_bytes_with_both_workers_and_with_one(
    cluster: Cluster, source: Path, expected: bytes, tmp_path: Path
) -> None:
    arguments = (source, "--cluster", cluster.address, *FEW)
    assert run(*arguments, "-o", tmp_path / "both.csv")[0] == 3
    assert (tmp_path / "both.csv").read_bytes() == expected
    target = tmp_path / "one.csv"
    with start(*arguments, "-o", target) as process:
        wait_for_rows(process, target)
        cluster.workers[0].send_signal(signal.SIGKILL)
        assert not target.exists(), "in mid-run"
        _, told = process.communicate(timeout=120)
    assert process.returncode == 3, told
    assert cluster.workers[0].wait() == -signal.SIGKILL
    assert target.read_bytes() == expected


def test_workers_are_sent_opponents_that_only_this_machine_has(
    cluster: Cluster, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "house.toml").write_text('extends = "2-4"\nscoop_units = 1\n')
    rules = load_rules(tmp_path / "house.toml")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _name: tmp_path / "cache")
    write_pool(train_pool(rules, rounds=1, records=20_000), full_path(rules))
    written = []
    for name, where in (("here", None), ("there", cluster.address)):
        target = tmp_path / f"{name}.csv"
        run_batch(
            *(str(source), str(target)),
            rules=str(tmp_path / "house.toml"),
            samples=200,
            cluster=where,
        )
        written.append(target.read_bytes())
    assert written[0] == written[1]
    assert b"set," in written[0]


def test_a_lost_scheduler_ends_the_run_which_goes_on_locally(
    cluster: Cluster, source: Path, expected: bytes, tmp_path: Path
) -> None:
    target = tmp_path / "out.csv"
    with start(source, "-o", target, "--cluster", cluster.address, *FEW) as process:
        wait_for_rows(process, target)
        cluster.scheduler.kill()
        _, told = process.communicate(timeout=120)
    assert process.returncode == 1
    assert told.startswith(f"error: {cluster.address}: the Dask scheduler is lost; ")
    assert told.endswith(" rows are safe, go on with --resume\n")
    assert told.count("\n") == 1
    assert not target.exists()
    assert run(source, "-o", target, "--resume", *FEW)[0] == 3
    assert target.read_bytes() == expected
    assert [worker.wait(timeout=30) is None for worker in cluster.workers] == [False, False]


def test_workers_of_another_version(
    cluster: Cluster, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_cluster, "__version__", "9.9")
    with pytest.raises(BatchError) as caught:
        run_batch(
            str(source), str(tmp_path / "out.csv"), opponents="greedy", cluster=cluster.address
        )
    told = str(caught.value)
    assert told.startswith(f"{cluster.address}: the worker tcp://127.0.0.1:")
    assert " has other versions: capsa 0.1.0 there, 9.9 here; " in told


def test_no_scheduler(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_cluster, "_SECONDS", 0.5)
    for address, message in (
        ("tcp://127.0.0.1:9", "tcp://127.0.0.1:9: no Dask scheduler answers: "),
        ("nonsense://x", "nonsense://x: no Dask scheduler answers: "),
    ):
        with pytest.raises(BatchError) as caught:
            run_batch(str(source), str(tmp_path / "out.csv"), opponents="greedy", cluster=address)
        assert str(caught.value).startswith(message)


def test_dask_is_not_installed(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BatchError, match=r"pip install 'capsa-susun\[cluster\]'"):
        run_batch(
            str(source),
            str(tmp_path / "out.csv"),
            opponents="greedy",
            cluster="tcp://127.0.0.1:9",
        )


def test_a_cluster_has_threads_of_its_own() -> None:
    code, told = run("in.csv", "--jobs", "2", "--cluster", "tcp://127.0.0.1:9")
    assert code == 2
    assert "the cluster has its own threads" in told
