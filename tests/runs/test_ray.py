"""Runs on a Ray cluster of two places: the answers of one machine, whatever happens to workers."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from epicene import load
from epicene.core import registry
from epicene.core.errors import EpiceneError, InputError, RunError
from epicene.core.records import Generate
from epicene.models import open_model, parse_spec
from epicene.runs import ray as on_ray
from epicene.runs.config import RunConfig
from epicene.runs.executors import open_executor
from epicene.runs.manifest import Manifest
from epicene.runs.ray import RayExecutor, Task
from epicene.runs.ray_cluster import RaySettings, count_places, parse_address
from epicene.runs.run import run
from epicene.suites import choose_protocol, find_suite
from run_folders import tables
from runs.conftest import Silent
from runs.ray_doubles import DRIVER, NOTED, POISON, noted, open_faulty, processes

TESTS = Path(__file__).resolve().parents[1]
ENTRY_POINTS = """
[epicene.suites]
two-stage = two_stage:suite
[epicene.models]
faulty = runs.ray_doubles:open_faulty
"""

pytestmark = pytest.mark.xdist_group("ray")  # another test process would begin another cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Ray on this machine, whose workers find the doubles as of an installed package."""
    ray: Any = pytest.importorskip("ray")
    with (
        tempfile.TemporaryDirectory(prefix="er", dir="/tmp") as name,  # sockets have short paths
        pytest.MonkeyPatch.context() as patch,
    ):
        folder = Path(name)
        info = folder / "site" / "ray_doubles-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ray-doubles\nVersion: 1\n")
        (info / "entry_points.txt").write_text(ENTRY_POINTS)
        paths = [str(TESTS), str(folder / "site"), os.environ.get("PYTHONPATH", "")]
        for variable, value in {
            "HOME": name,
            "RAY_TMPDIR": name,
            "RAY_USAGE_STATS_ENABLED": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            NOTED: str(folder / "processes"),
            DRIVER: str(os.getpid()),
        }.items():
            patch.setenv(variable, value)
        ray.init(
            "local",
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=80 * 2**20,
            log_to_driver=False,
            logging_level="ERROR",
        )
        yield
        ray.shutdown()


@pytest.fixture
def said(cluster: None) -> list[str]:
    """What the next executor says; nobody has been asked before."""
    registry.add("models", "faulty", open_faulty)
    for path in (noted(), noted().with_suffix(".asked")):
        path.unlink(missing_ok=True)
    return []


def do_run(
    out: Path,
    said: list[str] | None = None,
    suite: str = "two-stage",
    items: int = 40,
    limit: int | None = None,
    settings: RaySettings | None = None,
    **models: str,
) -> tuple[Path, Manifest]:
    """A run on Ray, or here if nobody listens."""
    found = find_suite(suite)
    size = {"items": str(items), "samples": "1"} if suite == "two-stage" else {}
    config = RunConfig(
        suite=found,
        protocol=choose_protocol(found, "epicene", size, None),
        models={role: [parse_spec(spec)] for role, spec in models.items()},
        out=out,
        limit=limit,
    )
    if said is None:
        return run(config, Silent(), open_model)
    executor = RayExecutor(settings or RaySettings(workers=2), said.append)
    try:
        return run(config, Silent(), executor)
    finally:
        executor.close()


def spread(manifest: Manifest, label: str) -> dict[str, Any]:
    """What the manifest says of a model's workers."""
    found = manifest.sessions[-1].notes[label]["ray"]
    assert isinstance(found, dict)
    return found


def test_one_of_two_workers_is_killed(said: list[str], tmp_path: Path) -> None:
    """The reader learns, on each worker."""
    do_run(tmp_path / "here", items=600, writer="scripted:w", reader="ngram")

    def kill_one() -> None:
        while len(processes()) < 2:
            time.sleep(0.01)
        os.kill(min(processes()), signal.SIGKILL)

    Thread(target=kill_one, daemon=True).start()
    folder, manifest = do_run(
        tmp_path / "ray",
        said,
        items=600,
        writer="faulty:w-pair-slow?label=scripted-w",
        reader="ngram",
    )
    assert manifest.state == "complete"
    assert tables(folder) == tables(tmp_path / "here")
    writers = spread(manifest, "scripted-w")
    assert (writers["workers"], writers["lost"]) == (2, 1)
    assert spread(manifest, "ngram")["lost"] == 0
    (lost,) = said
    assert lost.startswith("A worker on ")


def test_a_request_that_ends_its_workers_fails_alone(said: list[str], tmp_path: Path) -> None:
    folder, manifest = do_run(
        tmp_path / "run", said, items=640, writer="faulty:w-poison", reader="random"
    )
    assert manifest.state == "incomplete"
    (written, _) = manifest.counts
    assert (written.answered, written.failed) == (639, 1)
    assert "this request ended two workers" in written.reasons[0]
    failed = [answer for answer in load(folder).answers().to_dicts() if answer["kind"] == "failed"]
    assert [answer["item"] for answer in failed] == [POISON]


def test_a_worker_that_hangs_is_replaced(said: list[str], tmp_path: Path) -> None:
    settings = RaySettings(workers=1, worker_timeout=3)
    _, manifest = do_run(tmp_path, said, settings=settings, writer="faulty:w-hang", reader="random")
    assert manifest.state == "complete"
    assert [each.rpartition("(")[2] for each in said] == ["it did not answer within 3 seconds)."]


def test_images_travel(said: list[str], tmp_path: Path) -> None:
    one = RaySettings(workers=1)
    for place, heard in (("here", None), ("ray", said)):
        do_run(
            tmp_path / place,
            heard,
            suite="gramvis",
            limit=2,
            settings=one,
            drawer="random",
            judges="random:1",
        )
    assert tables(tmp_path / "ray") == tables(tmp_path / "here")
    drawn = [sorted(p.name for p in (tmp_path / x / "images").rglob("*")) for x in ("here", "ray")]
    assert drawn[0] == drawn[1] != []


@pytest.mark.parametrize(
    ("fault", "kind", "sentence"),
    [
        ("odd", RunError, r"loaded different versions of scripted-w: they differ in process; put"),
        ("absent", InputError, r"^On \S+: There are no weights\.$"),
        (
            "crash",
            RunError,
            r"^3 workers in a row ended before .* it raised ValueError: half a file",
        ),
    ],
)
def test_a_model_that_workers_cannot_share(
    said: list[str], tmp_path: Path, fault: str, kind: type[EpiceneError], sentence: str
) -> None:
    with pytest.raises(kind, match=sentence):
        do_run(tmp_path, said, writer=f"faulty:w-pair-{fault}", reader="random")


def test_a_learner_without_text(said: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no text to train an n-gram model on"):
        do_run(tmp_path, said, suite="gramvis", drawer="ngram", judges="random:1")


def test_too_many_lost_workers_end_the_run(
    said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_ray, "MAX_LOSSES", 1)
    with pytest.raises(RunError, match="1 workers in a row ended without an answer; the cause"):
        do_run(tmp_path, said, writer="faulty:w-poison", reader="random")


def test_versions_are_compared(
    said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_ray, "library_versions", lambda: {"python": "2.7"})
    _, manifest = do_run(tmp_path / "run", said, items=2, writer="random", reader="ngram")
    assert "other versions: python 3." in said[0]
    assert "(2.7 here)" in said[0]
    assert list(spread(manifest, "random")["versions"]) == spread(manifest, "random")["machines"]
    monkeypatch.setattr(on_ray, "__version__", "9")
    with pytest.raises(InputError, match=r"Epicene \S+ is installed there, but 9 where the run is"):
        do_run(tmp_path / "other", said, writer="random", reader="random")


def test_a_model_behind_a_server_is_called_from_here(said: list[str]) -> None:
    executor = RayExecutor(RaySettings(), said.append)
    spec = parse_spec("openai:far?base_url=http://localhost:1/v1")
    for _ in range(2):
        assert type(executor(spec)) is type(open_model(spec))
    assert said == ["openai:far is called from this machine because it is behind a server."]


# --- without a cluster ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machines", "settings", "places"),
    [
        ([{"CPU": 8}, {"CPU": 4}], RaySettings(), (2, 4, 0)),
        ([{"CPU": 8}, {"CPU": 4}], RaySettings(workers=4), (4, 2, 0)),
        ([{"CPU": 8}, {"CPU": 4}], RaySettings(workers=99), (99, 1, 0)),
        ([{"CPU": 8}, {}], RaySettings(), (1, 8, 0)),
        ([{"CPU": 8, "GPU": 2}, {"CPU": 4}], RaySettings(), (2, 1, 1)),
        ([{"CPU": 8, "GPU": 2}, {"CPU": 4}], RaySettings(gpus_per_worker=0), (2, 4, 0)),
        ([{"CPU": 8, "GPU": 2}], RaySettings(gpus_per_worker=0.1), (20, 1, 0.1)),
        ([{"CPU": 8, "GPU": 2}], RaySettings(gpus_per_worker=0.4), (4, 1, 0.4)),
        ([{"CPU": 8, "GPU": 3}, {"GPU": 3}], RaySettings(gpus_per_worker=2), (2, 1, 2)),
        ([{"CPU": 8}], RaySettings(gpus_per_worker=1), (1, 1, 1)),
    ],
)
def test_places(machines: list[dict[str, float]], settings: RaySettings, places: Any) -> None:
    assert count_places(machines, settings) == places


def test_what_is_sent_again_is_the_batch_then_its_halves() -> None:
    requests = [(n, Generate(item=str(n), prompt="x")) for n in range(3)]
    first, second = requests[:2], requests[2:]
    assert Task([first, second]).parts() == [Task([first], True), Task([second], True)]
    assert Task([first]).parts() == [Task([first], True)]
    assert Task([first], True).parts() == [Task([[each]], True) for each in first]
    assert Task([second], True).parts() == []


@pytest.mark.parametrize("gpus", [1.5, -0.5, float("nan"), float("inf")])
def test_gpus_that_ray_cannot_give(gpus: float) -> None:
    with pytest.raises(InputError, match=r"--gpus-per-worker must be .* not "):
        RaySettings(gpus_per_worker=gpus)


@pytest.mark.parametrize(
    ("address", "parsed"),
    [
        ("host:6379", ("host", 6379)),
        ("10.0.0.1:1", ("10.0.0.1", 1)),
        ("[::1]:6379", ("::1", 6379)),
        *[(wrong, None) for wrong in ("host", "ray://host:1", "a b:1", "host:0", "host:65536")],
        *[(wrong, None) for wrong in ("::1:6379", "[::1]", "[::1", "[host]:1", "[]:1", ":6379")],
    ],
)
def test_addresses(address: str, parsed: tuple[str, int] | None) -> None:
    if parsed:
        assert parse_address(address) == parsed
    else:
        with pytest.raises(InputError, match=r"^RAY_ADDRESS must be HOST:PORT"):
            parse_address(address, "RAY_ADDRESS")


@pytest.mark.parametrize(
    ("on", "settings", "sentence"),
    [
        ("here", RaySettings(workers=2), "require --on ray"),
        ("rays", RaySettings(), "no place to run on 'rays'; did you mean 'ray'"),
        (
            "ray",
            RaySettings(address="localhost:1"),
            r"at localhost:1 \(.*refused\); start one with",
        ),
    ],
)
def test_executors_that_cannot_be_opened(on: str, settings: RaySettings, sentence: str) -> None:
    ray: Any = pytest.importorskip("ray")
    if ray.is_initialized():
        ray.shutdown()
    with pytest.raises(InputError, match=sentence), open_executor(on, settings, print):
        pass


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(InputError, match=r"pip install 'epicene\[ray\]'"),
        open_executor("ray", RaySettings(), print),
    ):
        pass
