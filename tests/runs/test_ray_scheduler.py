"""Workers at work: what is handed out, what comes back, and what becomes of the ones that fail."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from threading import Event

import pytest

import two_stage
from epicene.core import registry
from epicene.core.errors import InputError, RunError
from epicene.core.files import ImageFolder
from epicene.core.records import (
    Answer,
    Choice,
    Draw,
    Failed,
    Identity,
    Images,
    Look,
    Request,
    Score,
    to_json,
)
from epicene.core.records import Image as Drawn
from epicene.models import (
    Batch,
    BatchLimit,
    ImageStore,
    Learner,
    Model,
    ModelOptions,
    NumberedAnswers,
    open_model,
    parse_spec,
)
from epicene.runs.ray import messages, scheduler, worker_pool
from epicene.runs.ray.model import RayExecutor, RayModel
from epicene.runs.ray.scheduler import Shard
from epicene.runs.ray.settings import RaySettings
from models.hf.tiny_causal import llama, save, smollm2_like
from models.http.local_server import Reply, Server
from runs.ray_fake_cluster import FakeCluster
from runs.ray_models import Double, answers, expected, opened, plan, wait_until


class Draughtsman:
    """Draws the prompt, and looks at a picture by its first byte."""

    identity = Identity(kind="draughtsman", label="draughtsman", key={})
    verbs = frozenset({"draw", "look"})
    batch_limit = BatchLimit(requests=2)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        for batch in batches:
            yield [(place, self._one(request, files)) for place, request in batch]

    def _one(self, request: Request, files: ImageStore) -> Answer:
        if isinstance(request, Draw):
            return Images(images=(Drawn(sha256=files.put(request.prompt.encode())),))
        assert isinstance(request, Look)
        return Choice(choice=files.path(request.image).read_bytes().decode()[0])

    def notes(self) -> Mapping[str, object]:
        return {}

    def close(self) -> None:
        """Nothing to close."""


def test_answers_are_those_of_one_machine(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    double.before = staticmethod(lambda _: wait_until(lambda: fake_cluster.ready_workers == 2))
    model = opened(fake_cluster)
    assert model.identity == two_stage.Scripted("d", ModelOptions()).identity
    assert answers(model, plan(203), tmp_path) == expected(203)
    notes = model.notes()
    assert notes["workers"] == [{"path": "straight"}]
    spread = notes["ray"]
    assert isinstance(spread, dict)
    assert (spread["workers"], spread["replaced"], spread["retried"]) == (2, 0, 0)


def test_the_plan_is_read_no_faster_than_answers_are_taken(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    read = 0

    def endless() -> Iterator[Batch]:
        nonlocal read
        for batch in plan(10**9):
            read += 1
            yield batch

    taken = 0
    answering = opened(fake_cluster).answer(endless(), ImageFolder(tmp_path))
    for part, answered in enumerate(answering):
        taken += len(answered)
        time.sleep(0.005)  # a slow writer
        # One window is cut ahead, and what is in the workers' hands was cut before it.
        held = read * 4 - taken
        assert held <= 4 * (
            64 + scheduler._MAX_BATCHES * scheduler.SHARDS_PER_WORKER * fake_cluster.room
        )
        assert fake_cluster.most_in_flight <= scheduler.SHARDS_PER_WORKER * fake_cluster.room
        if part == 60:
            break
    answering.close()  # type: ignore[attr-defined]


def test_a_deadly_request_is_isolated(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    def deadly(request: Request) -> None:
        if request.item == "item-37":
            raise MemoryError("too much")

    double.before = staticmethod(deadly)
    said: list[str] = []
    model = opened(fake_cluster, said)
    found = answers(model, plan(100, batch=16), tmp_path)
    assert found.pop(37) == Failed(reason="this request killed two workers: it raised too much")
    wanted = expected(100)
    del wanted[37]
    assert found == wanted
    spread = model.notes()["ray"]
    assert isinstance(spread, dict)
    assert spread["isolated"] == 1
    assert spread["replaced"] == sum("was lost" in sentence for sentence in said)
    # Twice as a shard, then once for each halving of it and of its batch.
    assert spread["replaced"] <= 2 + 5 + 4


def test_two_deadly_requests_of_one_batch_are_both_isolated(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    def deadly(request: Request) -> None:
        if request.item in {"item-5", "item-6"}:
            raise MemoryError("too much")

    double.before = staticmethod(deadly)
    found = answers(opened(fake_cluster), plan(40, batch=8), tmp_path)
    assert {place for place, answer in found.items() if isinstance(answer, Failed)} == {5, 6}
    assert len(found) == 40


def test_a_worker_that_died_by_chance_costs_nothing(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    chances = iter(range(1000))

    def unlucky(request: Request) -> None:
        if next(chances) in {10, 30, 31, 90}:
            raise OSError("power cut")

    double.before = staticmethod(unlucky)
    model = opened(fake_cluster)
    assert answers(model, plan(120), tmp_path) == expected(120)
    spread = model.notes()["ray"]
    assert isinstance(spread, dict)
    assert spread["isolated"] == 0
    assert spread["retried"] >= spread["replaced"]
    # The two that follow each other may be of one worker, which has two shards in hand.
    assert spread["replaced"] in (3, 4)


def test_all_requests_deadly_ends_the_run(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(request: Request) -> None:
        raise RuntimeError("device-side assert")

    double.before = staticmethod(broken)
    with pytest.raises(RunError, match=r"10 requests in a row killed their workers.*device-side"):
        answers(opened(fake_cluster), plan(100), tmp_path)


def test_a_hung_worker_is_replaced(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    hung, released = Event(), Event()

    def forgetful(request: Request) -> None:
        if request.item == "item-9" and not hung.is_set():
            hung.set()
            released.wait(30)

    double.before = staticmethod(forgetful)
    said: list[str] = []
    model = opened(fake_cluster, said, worker_timeout=2.0)
    try:
        assert answers(model, plan(60), tmp_path) == expected(60)
    finally:
        released.set()
    assert any("it did not answer within 2 seconds" in sentence for sentence in said)


def test_the_limit_of_a_shard_grows_with_what_batches_took(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    model = opened(fake_cluster)
    shards = model._scheduler  # type: ignore[attr-defined]
    shard = Shard((next(plan(4)), next(plan(4))))
    assert shards._limit(shard) == scheduler._FIRST_SHARD_TIMEOUT
    shards._slowest = 1.0
    assert shards._limit(shard) == scheduler._MIN_SHARD_TIMEOUT
    shards._slowest = 60.0
    assert shards._limit(shard) == 60 * 2 * scheduler._SLOWDOWN_FACTOR


def test_a_lost_cluster_is_waited_for(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    said: list[str] = []
    found: dict[int, Answer] = {}
    model = opened(fake_cluster, said)
    for part, answered in enumerate(model.answer(plan(1500), ImageFolder(tmp_path))):
        found |= dict(answered)
        while part == 0 and fake_cluster.ready_workers < 2:
            time.sleep(0.01)  # the second worker; the scheduler hears of it before the third part
        if part in {2, 5}:
            fake_cluster.cut()
    assert found == expected(1500)
    assert sum(sentence.startswith("2 workers are ready, on ") for sentence in said) == 1
    about_cluster = [sentence for sentence in said if sentence.startswith("The Ray cluster")]
    assert [sentence.split(" (")[0] for sentence in about_cluster] == [
        "The Ray cluster was lost",
        "The Ray cluster is back.",
    ] * 2
    spread = model.notes()["ray"]
    assert isinstance(spread, dict)
    assert (spread["cut_off"], spread["isolated"]) == (2, 0)


def test_a_cluster_lost_while_notes_are_asked_for_is_reached_anew(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(fake_cluster, [])
    assert isinstance(model, RayModel)
    send = fake_cluster.send

    def cutting(what: messages.Command) -> None:
        send(what)
        if isinstance(what, messages.Call) and what.method == "notes":
            fake_cluster.cut()

    monkeypatch.setattr(model._executor._cluster, "send", cutting)
    for _ in range(2):
        found: dict[int, Answer] = {}
        for answered in model.answer(plan(40), ImageFolder(tmp_path)):
            found |= dict(answered)
        assert found == expected(40)
    assert sum(isinstance(each, messages.Connect) for each in fake_cluster.commands) == 2


def test_a_cluster_that_does_not_come_back_ends_the_run(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    model = opened(fake_cluster, patience=0.1)
    answering = model.answer(plan(200), ImageFolder(tmp_path))
    next(answering)
    fake_cluster.cut()
    fake_cluster.reachable = False
    with pytest.raises(RunError, match=r"has not answered for 0.1 seconds .no route.. All answers"):
        list(answering)


def test_a_cluster_that_never_was_is_the_users_mistake(
    double: type[Double], fake_cluster: FakeCluster
) -> None:
    fake_cluster.reachable = False
    with pytest.raises(InputError, match=r"Could not reach the Ray cluster at h:1 .no route."):
        opened(fake_cluster, address="h:1")


def test_another_model_is_refused(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = count()

    class Drifting(Double):
        def __init__(self, name: str, options: ModelOptions) -> None:
            super().__init__(name, options)
            key = {"weights": str(next(weights)), "dtype": "float32"}
            self.identity = Identity(kind="double", label="drift", key=key)

    registry.add("models", "double", Drifting)
    model = opened(fake_cluster)
    with pytest.raises(
        RunError, match=r"loaded different versions of drift: they differ in weights;"
    ):
        list(model.answer(plan(10**6), ImageFolder(tmp_path)))


def test_a_model_that_cannot_be_opened_is_reported_as_on_one_machine(
    double: type[Double], fake_cluster: FakeCluster
) -> None:
    def closed(name: str, options: ModelOptions) -> Model:
        raise InputError("There is no folder d.")

    registry.add("models", "double", closed)
    with pytest.raises(InputError, match=r"On .*: There is no folder d\."):
        opened(fake_cluster)


def test_workers_that_end_before_they_are_ready_end_the_run(
    double: type[Double], fake_cluster: FakeCluster
) -> None:
    fake_cluster.room = 1

    def bursting(name: str, options: ModelOptions) -> Model:
        raise MemoryError("140 GiB wanted")

    registry.add("models", "double", bursting)
    with pytest.raises(RunError, match=r"3 workers in a row ended before they were ready.*140 GiB"):
        opened(fake_cluster)


def test_a_cluster_without_room_is_reported_and_waited_for(
    double: type[Double], fake_cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_cluster.places = 0
    monkeypatch.setattr(worker_pool, "_REPORT_AFTER", 0.05)
    monkeypatch.setattr(worker_pool, "_PLACEMENT_TIMEOUT", 0.3)
    said: list[str] = []
    with pytest.raises(RunError, match=r"within 0.3 seconds: .* has no free room for 1 proc"):
        opened(fake_cluster, said)
    assert said == [
        "No worker is ready yet: the Ray cluster has no free room for 1 processor and 0 GPUs."
    ]


def test_an_error_of_the_model_ends_the_run_as_here(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    def strict(request: Request) -> None:
        if request.item == "item-50":
            raise RunError("The server gave up.")

    double.before = staticmethod(strict)
    with pytest.raises(RunError, match=r"The server gave up"):
        answers(opened(fake_cluster), plan(100), tmp_path)


def test_a_model_behind_a_server_is_asked_from_here(
    fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    said: list[str] = []
    executor = RayExecutor(RaySettings(), said.append, fake_cluster)
    with Server(lambda _: Reply({"choices": [{"index": 0, "text": " so"}]})) as server:
        spec = parse_spec(f"openai:far?base_url={server.url}")
        for _ in range(2):  # once to learn who it is, say, and once to ask it
            model = executor(spec)
        found = answers(model, plan(3), tmp_path)
        model.close()
        assert len(server.asked) == len(found) == 3
    assert not any(isinstance(answer, Failed) for answer in found.values())
    assert fake_cluster.commands == [], "no worker has a part in it"
    assert said == ["openai:far is called from this machine because it is behind a server."]


def test_workers_are_held_for_one_model_at_a_time(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    said: list[str] = []
    executor = RayExecutor(RaySettings(), said.append, fake_cluster)
    one, other = executor(parse_spec("double:d")), executor(parse_spec("double:e"))
    assert len(fake_cluster.workers) == 1
    assert answers(one, plan(30), tmp_path) == expected(30)
    assert len(fake_cluster.workers) == 2
    assert len(answers(other, plan(30), tmp_path)) == 30
    assert len(fake_cluster.workers) == 2
    other.close()
    assert fake_cluster.workers == {}


def test_a_learner_learns_on_every_worker(fake_cluster: FakeCluster, tmp_path: Path) -> None:
    texts = [(f"group-{n}", f"the nurse {n % 7} said that she was late") for n in range(40)]
    here = open_model(parse_spec("ngram"))
    there = opened(fake_cluster, spec="ngram")
    for model in (here, there):
        assert isinstance(model, Learner)
        model.learn(iter(texts))
    assert here.identity == there.identity

    def batches() -> Iterator[Batch]:
        for n in range(30):
            yield [(n, Score(item=f"group-{n}", texts=(f"the nurse {n % 3} said", "she said")))]

    assert answers(there, batches(), tmp_path) == answers(here, batches(), tmp_path)


def test_a_language_model_gives_the_same_bytes(fake_cluster: FakeCluster, tmp_path: Path) -> None:
    save(tmp_path / "tiny", llama(seed=1), smollm2_like())
    spec = f"hf:{tmp_path / 'tiny'}?batch_size=4"
    words = ("she", "he", "they")

    def batches() -> Iterator[Batch]:
        for first in range(0, 48, 4):
            yield [
                (n, Score(item=str(n), texts=tuple(f"the nurse {n} said {w} was" for w in words)))
                for n in range(first, first + 4)
            ]

    here = open_model(parse_spec(spec))
    there = opened(fake_cluster, spec=spec)
    assert there.identity == here.identity
    assert to_json(sorted(answers(there, batches(), tmp_path).items())) == to_json(
        sorted(answers(here, batches(), tmp_path).items())
    )


def test_pictures_travel_both_ways(fake_cluster: FakeCluster, tmp_path: Path) -> None:
    registry.add("models", "draughtsman", lambda _name, _options: Draughtsman())
    files = ImageFolder(tmp_path)
    model = opened(fake_cluster, spec="draughtsman")
    # The same picture twice, in different shards: it is sent once.
    prompts = ["ape", "bee", "ape", "cat", "ape", "dog", "eel", "fox"]

    def drawing() -> Iterator[Batch]:
        for n, prompt in enumerate(prompts):
            yield [(n, Draw(item=str(n), prompt=prompt))]

    pictures = answers(model, drawing(), tmp_path)
    kept = []
    for n, prompt in enumerate(prompts):
        answer = pictures[n]
        assert isinstance(answer, Images)
        assert files.path(answer.images[0].sha256).read_bytes() == prompt.encode()
        kept.append(answer.images[0].sha256)

    def looking() -> Iterator[Batch]:
        for n, sha256 in enumerate(kept):
            yield [(n, Look(item=str(n), image=sha256, question="Which?", choices=("a", "b")))]

    seen = answers(model, looking(), tmp_path)
    assert seen == {n: Choice(choice=prompt[0]) for n, prompt in enumerate(prompts)}
    for worker in fake_cluster.workers.values():
        assert worker._images._folder is None
        assert worker._images._drawn == {}
