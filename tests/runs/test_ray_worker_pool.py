"""Workers that are never ready, speak too late, or are not what the others are."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from epicene.core import registry
from epicene.core.errors import InputError, RunError
from epicene.core.records import Request
from epicene.models import Model, ModelOptions, parse_spec
from epicene.runs.ray import messages, worker, worker_pool
from epicene.runs.ray.model import RayExecutor
from epicene.runs.ray.settings import RaySettings
from runs.ray_fake_cluster import FakeCluster
from runs.ray_models import Double, answers, expected, opened, plan, wait_until

OnStart = Callable[[int], None]


def start_workers_with(double: type[Double], on_start: OnStart) -> Callable[[], int]:
    """Have something done when a worker opens its model, by its number; how many did so far."""
    numbers = count()
    started = 0

    def open_double(name: str, options: ModelOptions) -> Model:
        nonlocal started
        started = next(numbers) + 1
        on_start(started - 1)
        return double(name, options)

    registry.add("models", "double", open_double)
    return lambda: started


def spread(model: Model) -> dict[str, Any]:
    """What the notes say of the workers."""
    noted = model.notes()["ray"]
    assert isinstance(noted, dict)
    return noted


# --- workers that end before they are ready --------------------------------------------------


def test_a_bad_machine_leaves_the_work_to_the_others(double: type[Double], tmp_path: Path) -> None:
    fake_cluster = FakeCluster(room=3)

    def on_start(number: int) -> None:
        if number >= 2:
            raise MemoryError("driver too old")

    started = start_workers_with(double, on_start)
    said: list[str] = []

    def with_fewer() -> bool:
        return fake_cluster.ready_workers == 2 and any(
            "continues with" in sentence for sentence in said
        )

    double.before = staticmethod(lambda _: wait_until(with_fewer))
    model = opened(fake_cluster, said)
    assert answers(model, plan(60), tmp_path) == expected(60)
    fewer = [sentence for sentence in said if "continues with" in sentence]
    assert len(fewer) == 1
    assert "driver too old" in fewer[0]
    assert "3 workers in a row" in fewer[0]
    assert fewer[0].endswith("continues with 2 workers.")
    assert any(sentence.startswith("2 workers are ready") for sentence in said)
    assert spread(model)["given_up"] == 1
    # Those that end before the second is there are not in a row with those after it.
    tried = started()
    assert 2 + worker_pool.MAX_FAILED_STARTS <= tried <= 2 + 2 * worker_pool.MAX_FAILED_STARTS
    # The next questions are a new chance for the place that was given up; the two that are ready
    # must not answer all of them before it is tried.
    double.before = staticmethod(lambda _: wait_until(lambda: started() > tried))
    assert answers(model, plan(60), tmp_path) == expected(60)
    assert started() > tried
    fake_cluster.close()


def test_a_bad_machine_that_is_asked_first_is_not_the_only_one_asked(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    def on_start(number: int) -> None:
        if number < worker_pool.MAX_FAILED_STARTS:
            raise MemoryError("driver too old")

    start_workers_with(double, on_start)
    said: list[str] = []
    assert answers(opened(fake_cluster, said), plan(60), tmp_path) == expected(60)
    (tried,) = [sentence for sentence in said if "driver too old" in sentence]
    assert tried.startswith("3 workers in a row ended before they were ready")
    assert tried.endswith("trying all 2 places.")


def test_with_nobody_ready_workers_that_end_at_start_end_the_run(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    def on_start(number: int) -> None:
        if number:
            raise MemoryError("driver too old")

    def deadly(_request: Request) -> None:
        raise OSError("power cut")

    started = start_workers_with(double, on_start)
    double.before = staticmethod(deadly)
    with pytest.raises(
        RunError, match=r"\d workers in a row ended before they were ready.*too old"
    ):
        answers(opened(fake_cluster), plan(60), tmp_path)
    # The first one, and for each place as many as there may be; more if the first lives so long
    # that its neighbour's place is given up, and one that is about to end beside the last.
    most = worker_pool.MAX_FAILED_STARTS
    assert 1 + 2 * most <= started() <= 1 + most + 2 * most + 1


def test_a_worker_whose_reply_cannot_be_read_is_replaced(
    double: type[Double],
    fake_cluster: FakeCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_model, unreadable = worker.Worker.open, iter([b"\xc1"])

    def reply(self: worker.Worker, *arguments: bytes) -> bytes:
        return next(unreadable, None) or open_model(self, *arguments)

    monkeypatch.setattr(worker.Worker, "open", reply)
    model = opened(fake_cluster)
    assert answers(model, plan(40), tmp_path) == expected(40)
    assert spread(model)["replaced"] == 1


def test_notes_that_cannot_be_read_do_not_end_a_run(
    double: type[Double],
    fake_cluster: FakeCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker.Worker, "notes", lambda _self: b"{")
    model = opened(fake_cluster)
    assert answers(model, plan(40), tmp_path) == expected(40)
    assert model.notes()["workers"] == []


# --- workers that are never ready ------------------------------------------------------------


def test_a_worker_that_hangs_while_it_loads_is_replaced(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = Event()
    monkeypatch.setattr(worker_pool, "_LOAD_TIMEOUT", 3.0)

    def on_start(number: int) -> None:
        if number == 1:
            released.wait(30)

    started = start_workers_with(double, on_start)
    double.before = staticmethod(lambda _: wait_until(lambda: started() >= 3))
    said: list[str] = []
    model = opened(fake_cluster, said)
    try:
        assert answers(model, plan(60), tmp_path) == expected(60)
    finally:
        released.set()
    assert any("it had not loaded the model within 3 seconds" in each for each in said)
    assert spread(model)["replaced"] == 1


def test_the_first_worker_that_hangs_while_it_loads_is_replaced(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = Event()
    monkeypatch.setattr(worker_pool, "_LOAD_TIMEOUT", 1.0)

    def on_start(number: int) -> None:
        if number == 0:
            released.wait(30)

    start_workers_with(double, on_start)
    try:
        assert answers(opened(fake_cluster), plan(60), tmp_path) == expected(60)
    finally:
        released.set()


def test_a_long_worker_timeout_is_for_loading_too(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "_LOAD_TIMEOUT", 0.1)
    monkeypatch.setattr(worker_pool, "_REPORT_AFTER", 0.2)
    said: list[str] = []

    def on_start(_number: int) -> None:
        wait_until(lambda: bool(said))
        time.sleep(0.4)

    start_workers_with(double, on_start)
    model = opened(fake_cluster, said, worker_timeout=60.0)
    assert said == ["No worker is ready yet: the model is being loaded."]
    assert answers(model, plan(60), tmp_path) == expected(60)
    assert spread(model)["replaced"] == 0


def test_a_worker_that_waits_for_a_place_is_not_loading(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_cluster.places = 1
    monkeypatch.setattr(worker_pool, "_LOAD_TIMEOUT", 2.0)
    double.before = staticmethod(lambda _: time.sleep(0.05))
    model = opened(fake_cluster)
    assert answers(model, plan(60), tmp_path) == expected(60)
    assert spread(model)["replaced"] == 0


def test_a_cluster_without_a_large_enough_machine_is_reported_at_once_and_waited_for(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    fake_cluster.gpus, fake_cluster.places = 1.0, 0
    said: list[str] = []

    class Listening(list[str]):
        def append(self, sentence: str) -> None:
            said.append(sentence)
            fake_cluster.grow()

    model = opened(fake_cluster, Listening(), gpus_per_worker=1.0)
    assert said == [
        "No worker can start: the Ray cluster has no machine with 1 processor and 1 GPU; waiting "
        "up to 30 minutes for one."
    ]
    assert answers(model, plan(40), tmp_path) == expected(40)


def test_time_between_questions_is_not_time_without_workers(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "_PLACEMENT_TIMEOUT", 3.0)
    model = opened(fake_cluster)
    time.sleep(3.2)
    (first,) = fake_cluster.workers
    fake_cluster.tell(messages.WorkerLost(worker=first, reason="the machine was taken away"))
    start_workers_with(double, lambda _number: time.sleep(0.1))
    assert answers(model, plan(60), tmp_path) == expected(60)


# --- who speaks too late ---------------------------------------------------------------------


def test_late_notes_of_another_models_workers_are_dropped(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    executor = RayExecutor(RaySettings(), lambda _sentence: None, fake_cluster)
    executor(parse_spec("double:e"))
    (former,) = fake_cluster.workers
    model = executor(parse_spec("double:d"))
    late = b'{"path": "of the former"}'
    fake_cluster.tell(messages.Reply(worker=former, method="notes", shard=0, data=late))
    assert answers(model, plan(60), tmp_path) == expected(60)
    assert model.notes()["workers"] == [{"path": "straight"}]


def test_notes_are_the_last_of_each_worker(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = count(1)

    def counting(_self: Double) -> Mapping[str, object]:
        return {"asked": next(asked)}

    monkeypatch.setattr(double, "notes", counting)
    model = opened(fake_cluster)
    for _ in range(3):
        double.before = staticmethod(lambda _: wait_until(lambda: len(fake_cluster.workers) == 2))
        assert answers(model, plan(60), tmp_path) == expected(60)
    workers = model.notes()["workers"]
    assert isinstance(workers, list)
    assert 1 <= len(workers) <= 2


def test_a_late_answer_is_not_taken_twice(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    asked = count()
    again = Event()

    def late(request: Request) -> None:
        if request.item == "item-9" and next(asked) == 0:
            again.wait(30)
        elif request.item == "item-9":
            again.set()
            time.sleep(0.1)

    double.before = staticmethod(late)
    model = opened(fake_cluster, worker_timeout=2.0)
    assert answers(model, plan(60), tmp_path) == expected(60)
    assert spread(model)["replaced"] == 1


def test_a_worker_that_cannot_say_its_notes_is_let_go(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = fake_cluster.send

    def failing(what: messages.Command) -> None:
        if isinstance(what, messages.Call) and what.method == "notes":
            fake_cluster.tell(messages.WorkerLost(worker=what.worker, reason="it raised KeyError"))
        else:
            send(what)

    double.before = staticmethod(lambda _: wait_until(lambda: fake_cluster.ready_workers == 2))
    monkeypatch.setattr(fake_cluster, "send", failing)
    assert answers(opened(fake_cluster), plan(60), tmp_path) == expected(60)
    assert fake_cluster.workers == {}


# --- who is not what the others are ----------------------------------------------------------


def test_another_version_of_epicene_is_refused(
    double: type[Double], fake_cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "__version__", "0.0.1")
    with pytest.raises(
        InputError, match=r"Epicene 0\.0\.1 is installed there, but .* same version on ev"
    ):
        opened(fake_cluster)


def test_other_versions_of_libraries_are_noted(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = iter(["2.0", "3.0"])
    both = Event()

    def there() -> dict[str, str]:
        version = next(torch)
        if version == "3.0":
            both.set()
        return {"python": "3.11.9", "torch": version, "transformers": "5.0"}

    here = {"python": "3.11.9", "torch": "2.0", "numpy": "1.0"}
    monkeypatch.setattr(worker_pool, "local_versions", lambda: here)
    monkeypatch.setattr(worker, "local_versions", there)
    double.before = staticmethod(lambda _: wait_until(both.is_set))
    said: list[str] = []
    model = opened(fake_cluster, said)
    assert answers(model, plan(60), tmp_path) == expected(60)
    about_torch = [sentence for sentence in said if "torch" in sentence]
    assert len(about_torch) == 1
    assert about_torch[0].startswith("torch is 3.0 on ")
    assert "and 2.0 on " in about_torch[0]
    noted = spread(model)["versions"]
    assert list(noted) == ["torch"]
    assert set(noted["torch"]) == {"2.0", "3.0"}
    assert "the machine of the run" in noted["torch"]["2.0"]


def test_alike_versions_are_not_noted(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    said: list[str] = []
    model = opened(fake_cluster, said)
    assert answers(model, plan(60), tmp_path) == expected(60)
    assert "versions" not in spread(model)
    assert not [sentence for sentence in said if "ersion" in sentence]
