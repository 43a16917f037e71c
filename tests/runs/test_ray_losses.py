"""A cluster that is lost: how often, when, and what is kept of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.errors import RunError
from epicene.core.files import ImageFolder
from epicene.core.records import Answer
from epicene.runs.ray import cluster, messages
from runs.ray_asking import Double, answers, expected, opened, plan
from runs.ray_hall import Hall

ENOUGH = 20  # times that a test loses its cluster, so that one that never gives up ends too


def lose_at(
    kind: type[messages.Command], hall: Hall, monkeypatch: pytest.MonkeyPatch, times: int = ENOUGH
) -> None:
    """Lose the cluster whenever such an order is given."""
    order, left = hall.order, times

    def losing(what: messages.Command) -> None:
        nonlocal left
        order(what)
        if isinstance(what, kind) and left and hall.connected:
            left -= 1
            hall.cut()

    monkeypatch.setattr(hall, "order", losing)


@pytest.mark.parametrize("when", [messages.StartWorker, messages.SendShard])
def test_a_cluster_lost_again_and_again_ends_the_run(
    when: type[messages.Command],
    double: type[Double],
    hall: Hall,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lose_at(when, hall, monkeypatch)
    with pytest.raises(
        RunError,
        match=r"The Ray cluster was lost 5 times in a row.*cable.*run the same command again",
    ):
        answers(opened(hall), plan(40), tmp_path)


@pytest.mark.parametrize("when", [messages.StartWorker, messages.SendShard, messages.RequestNotes])
def test_every_loss_is_noted_whenever_it_was(
    when: type[messages.Command],
    double: type[Double],
    hall: Hall,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lose_at(when, hall, monkeypatch, times=1)
    model = opened(hall)
    assert answers(model, plan(40), tmp_path) == expected(40)
    spread = model.notes()["ray"]
    assert isinstance(spread, dict)
    assert spread["cut_off"] == 1


def test_losses_with_work_between_them_are_not_in_a_row(
    double: type[Double], hall: Hall, tmp_path: Path
) -> None:
    found: dict[int, Answer] = {}
    model = opened(hall)
    losses = 0
    for answered in model.answer(plan(3000), ImageFolder(tmp_path)):
        found |= dict(answered)
        if losses < 2 * cluster.MAX_LOSSES:
            losses += 1
            hall.cut()
    assert found == expected(3000)
    assert losses == 2 * cluster.MAX_LOSSES


def test_a_cluster_lost_after_the_work_is_waited_for_at_the_next(
    double: type[Double], hall: Hall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(cluster, "_RETRY_INTERVAL", 0.05)
    lose_at(messages.RequestNotes, hall, monkeypatch, times=1)
    model = opened(hall, said)
    assert answers(model, plan(40), tmp_path) == expected(40)
    hall.reachable = False

    def back(sentence: str) -> None:
        said.append(sentence)
        hall.reachable = True

    monkeypatch.setattr(model._executor._cluster, "say", back)  # type: ignore[attr-defined]
    assert answers(model, plan(40), tmp_path) == expected(40)
    assert sum("is there again" in sentence for sentence in said) == 1
