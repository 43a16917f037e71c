"""The same run on a cluster of two nodes: same tables, whatever is killed meanwhile."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import two_stage
from epicene.core import registry
from epicene.core.errors import RunError
from epicene.core.records import Failed
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.manifest import read_manifest
from epicene.runs.ray import worker_pool
from epicene.runs.ray.model import RayExecutor
from epicene.runs.ray.settings import RaySettings
from epicene.runs.run import run
from epicene.runs.store import AnswerStore
from epicene.suites import choose_protocol
from run_folders import tables
from runs.conftest import Silent
from runs.killable_runs import stored
from runs.ray_cluster import TOKEN, Nodes, nodes
from runs.ray_faulty_models import HANG, PIDS, POISON, living, open_faulty

KILLS, DRIVER_KILLS = 10, 2
ITEMS = 120


# One cluster for all of them: another test process would begin another.
pytestmark = pytest.mark.xdist_group("ray")


@pytest.fixture(scope="module")
def two() -> Iterator[Nodes]:
    with nodes(2, asks_for_token=True) as cluster:
        yield cluster


def spread(folder: Path, label: str) -> dict[str, Any]:
    """What the last session's manifest says of a model's workers."""
    noted = read_manifest(folder).sessions[-1].notes[label]["ray"]
    assert isinstance(noted, dict)
    return noted


def test_tables_are_the_same_bytes(two: Nodes, tmp_path: Path) -> None:
    for place, writer, workers in (("here", "w", 0), ("ray", "w-pair", 2)):
        code, said = two.run(
            "run",
            "two-stage",
            f"--model=writer=faulty:{writer}",
            "--model=reader=ngram",
            f"--out={tmp_path / place}",
            workers=workers,
        )
        assert code == 0, said
    assert tables(tmp_path / "ray") == tables(tmp_path / "here")
    assert spread(tmp_path / "ray", "scripted-w")["workers"] == 2
    assert spread(tmp_path / "ray", "ngram")["shards"] > 0


@pytest.mark.parametrize(
    ("token", "why"),
    [("", "this machine has none"), (TOKEN[::-1], "requires a different token from")],
    ids=["none", "another"],
)
def test_a_missing_or_wrong_token_is_reported(
    token: str, why: str, two: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if token:
        monkeypatch.setenv("RAY_AUTH_TOKEN", token)
    command = ["run", "two-stage", "--model=writer=random", "--model=reader=random"]
    code, said = two.run(*command, f"--out={tmp_path / 'ray'}")
    assert code == 2, said
    assert f"Could not reach the Ray cluster at {two.address} (it requires " in said
    assert why in said


def test_pictures_are_the_same_bytes(two: Nodes, tmp_path: Path) -> None:
    command = ["run", "gramvis", "--model=drawer=random", "--model=judges=random:1", "--limit=2"]
    for place, workers in (("here", 0), ("ray", 1)):
        code, said = two.run(*command, f"--out={tmp_path / place}", workers=workers)
        assert code == 0, said
    assert tables(tmp_path / "ray") == tables(tmp_path / "here")
    images = [sorted(p.name for p in (tmp_path / x / "images").rglob("*")) for x in ("here", "ray")]
    assert images[0] == images[1] != []


class Killer:
    """Kills workers and drivers, and sees that nothing that was stored is computed again."""

    def __init__(self, two: Nodes, folder: Path) -> None:
        self._two = two
        self._folder = folder
        self._rng = random.Random(10)
        self._killed: set[int] = set()
        self._stored: set[str] = set()
        self._noted = 0

    def kill_a_worker(self, driver: subprocess.Popen[str]) -> bool:
        """Kill one that is at work, at some moment; False if the run is done before."""
        time.sleep(self._rng.uniform(0.05, 0.3))
        while driver.poll() is None:
            alive = [pid for pid in living() if pid not in self._killed]
            if alive and len(stored(self._folder)) > len(self._stored):
                self.check()
                victim = self._rng.choice(alive)
                with suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    self._killed.add(victim)
                    return True
            time.sleep(0.02)
        return False

    def check(self) -> None:
        """Nothing that was stored by the last look was computed since."""
        again = self._stored & set(self._two.computed[self._noted :])
        assert not again, f"answered before, computed again: {sorted(again)[:3]}"
        self._stored = {line.replace("scripted-", "") for line in stored(self._folder)}
        self._noted = len(self._two.computed)


def test_kills_of_workers_and_drivers_change_nothing(two: Nodes, tmp_path: Path) -> None:
    command = ["run", "two-stage", f"--set=items={ITEMS}", "--model=writer=faulty:w-slow"]
    command += ["--model=reader=faulty:r-slow", "--out"]
    code, said = two.run(*command, str(tmp_path / "here"), workers=0)
    assert code == 0, said

    folder = tmp_path / "ray"
    killer = Killer(two, folder)
    kills = 0
    for session in range(DRIVER_KILLS + 1):
        driver = two.start(*command, str(folder))
        due = KILLS * (session + 1) // (DRIVER_KILLS + 1)
        while kills < due:
            assert killer.kill_a_worker(driver), driver.communicate()[0]
            kills += 1
        if session < DRIVER_KILLS:
            driver.kill()
        said, _ = driver.communicate(timeout=400)
        killer.check()
    assert driver.returncode == 0, said
    assert tables(folder) == tables(tmp_path / "here")
    with sqlite3.connect(folder / "answers.sqlite") as db:
        rows, keys = db.execute("SELECT count(*), count(DISTINCT key) FROM answers").fetchone()
    assert rows == keys == ITEMS + ITEMS * 3


def test_a_deadly_request_is_isolated_and_a_hung_worker_replaced(
    two: Nodes, tmp_path: Path
) -> None:
    command = ["run", "two-stage", "--set=items=20", "--model=writer=faulty:p-poison-hang"]
    command += ["--model=reader=random", "--worker-timeout=6", f"--out={tmp_path / 'ray'}"]
    code, said = two.run(*command)
    assert code == 1, said
    assert "did not answer within 6 seconds" in said
    store = AnswerStore(tmp_path / "ray" / "answers.sqlite")
    (written, _) = store.sections()
    found = {s.request_id >> 16 & 0xFFFF: s.answer for s in store.answers(written, 0, 20)}
    store.close()
    failed = {f"opening-{n}": a.reason for n, a in found.items() if isinstance(a, Failed)}
    assert list(failed) == [POISON]
    assert failed[POISON].startswith("this request killed two workers: its worker process has died")
    assert len(found) == 20
    assert int(HANG.split("-")[1]) in found
    assert spread(tmp_path / "ray", "scripted-p")["isolated"] == 1


def test_a_worker_that_hangs_while_it_loads_is_replaced(
    two: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(os.environ[PIDS]).with_suffix(".asked").unlink(missing_ok=True)
    monkeypatch.setattr(worker_pool, "_LOAD_TIMEOUT", 20.0)
    said: list[str] = []
    executor = RayExecutor(RaySettings(address=two.address, workers=1), said.append)
    try:
        run(two_stage_config("faulty:w-stuck", tmp_path / "ray"), Silent(), executor)
    finally:
        executor.close()
    assert sum("it had not loaded the model within 20 seconds" in each for each in said) == 1
    assert read_manifest(tmp_path / "ray").state == "complete"


def two_stage_config(writer: str, out: Path) -> RunConfig:
    """A writer, and a reader that answers at random."""
    two_stage.register()
    registry.add("models", "faulty", open_faulty)
    suite = two_stage.suite
    return RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", {}, None),
        models={"writer": [parse_spec(writer)], "reader": [parse_spec("random")]},
        out=out,
    )


def test_a_cluster_that_is_gone_is_waited_for_and_then_ends_the_run(tmp_path: Path) -> None:
    said: list[str] = []
    with nodes(1, RAY_gcs_rpc_server_reconnect_timeout_s="2") as one:
        executor = RayExecutor(RaySettings(address=one.address, patience=1.0), said.append)

        class Watching(Silent):
            def advance(self, answered: int, failed: int) -> None:
                one.cluster.head_node.kill_gcs_server()

        config = two_stage_config("faulty:w-slow", tmp_path / "ray")
        try:
            with pytest.raises(
                RunError, match=r"has not answered for 1 seconds.*run the same comm"
            ):
                run(config, Watching(), executor)
        finally:
            executor.close()
    assert [sentence for sentence in said if "was lost" in sentence] == [said[-1]]
    assert len(stored(tmp_path / "ray")) > 0
    assert read_manifest(tmp_path / "ray").state == "failed"
