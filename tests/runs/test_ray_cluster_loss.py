"""A cluster that is lost: how often, when, and what is kept of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.errors import RunError
from epicene.core.files import ImageFolder
from epicene.core.records import Answer
from epicene.runs.ray import cluster, messages
from runs.ray_fake_cluster import FakeCluster
from runs.ray_models import Double, answers, expected, opened, plan

ENOUGH = 20  # times that a test loses its cluster, so that one that never gives up ends too


def lose_at(
    method: messages.Method,
    fake_cluster: FakeCluster,
    monkeypatch: pytest.MonkeyPatch,
    times: int = ENOUGH,
) -> None:
    """Lose the cluster whenever a worker's method is called."""
    send, left = fake_cluster.send, times

    def losing(what: messages.Command) -> None:
        nonlocal left
        send(what)
        called = isinstance(what, messages.Call) and what.method == method
        if called and left and fake_cluster.connected:
            left -= 1
            fake_cluster.cut()

    monkeypatch.setattr(fake_cluster, "send", losing)


@pytest.mark.parametrize("when", ["open", "answer"])
def test_a_cluster_lost_again_and_again_ends_the_run(
    when: messages.Method,
    double: type[Double],
    fake_cluster: FakeCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lose_at(when, fake_cluster, monkeypatch)
    with pytest.raises(
        RunError,
        match=r"The Ray cluster was lost 5 times in a row.*cable.*run the same command again",
    ):
        answers(opened(fake_cluster), plan(40), tmp_path)


@pytest.mark.parametrize("when", ["open", "answer", "notes"])
def test_every_loss_is_noted_whenever_it_was(
    when: messages.Method,
    double: type[Double],
    fake_cluster: FakeCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lose_at(when, fake_cluster, monkeypatch, times=1)
    model = opened(fake_cluster)
    assert answers(model, plan(40), tmp_path) == expected(40)
    spread = model.notes()["ray"]
    assert isinstance(spread, dict)
    assert spread["cut_off"] == 1


def test_losses_with_work_between_them_are_not_in_a_row(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path
) -> None:
    found: dict[int, Answer] = {}
    model = opened(fake_cluster)
    losses = 0
    for answered in model.answer(plan(3000), ImageFolder(tmp_path)):
        found |= dict(answered)
        if losses < 2 * cluster.MAX_LOSSES:
            losses += 1
            fake_cluster.cut()
    assert found == expected(3000)
    assert losses == 2 * cluster.MAX_LOSSES


def test_a_cluster_lost_after_the_work_is_waited_for_at_the_next(
    double: type[Double], fake_cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(cluster, "_RETRY_INTERVAL", 0.05)
    lose_at("notes", fake_cluster, monkeypatch, times=1)
    model = opened(fake_cluster, said)
    assert answers(model, plan(40), tmp_path) == expected(40)
    fake_cluster.reachable = False

    def back(sentence: str) -> None:
        said.append(sentence)
        fake_cluster.reachable = True

    monkeypatch.setattr(model._executor._cluster, "show_message", back)  # type: ignore[attr-defined]
    assert answers(model, plan(40), tmp_path) == expected(40)
    assert sum("is back" in sentence for sentence in said) == 1
