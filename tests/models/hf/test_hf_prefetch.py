"""Working ahead of the device: the same answers, the next batch begun before this one is given."""

from __future__ import annotations

import gc
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from epicene.core.records import Failed, Score
from epicene.models.hf.batching import prefetch
from epicene.models.hf.masked import HfMasked
from epicene.models.hf.scoring.masked_forward import MaskedForward
from epicene.models.hf.tokenisation import TextInContext
from models.hf.tiny_causal import causal, llama, metaspace
from models.hf.tiny_masked import loaded
from models.model_answers import NoFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.models import Batch, NumberedAnswers

BATCHES: list[list[tuple[int, Any]]] = [
    [(0, Score(item="a", texts=("she was tired", "he was tired")))],
    [(1, Score(item="b", texts=("a b c",))), (2, Score(item="c", texts=("",)))],
    [(3, Score(item="d", texts=("the doctor said that he was late",)))],
]


def answers(model: Any) -> dict[int, Any]:
    return {
        number: answer for part in model.answer(iter(BATCHES), NoFiles()) for number, answer in part
    }


def test_a_batch_begins_before_the_one_before_it_is_given() -> None:
    events: list[str] = []

    def prepare(batch: Batch) -> Callable[[], Iterator[NumberedAnswers]]:
        events.append(f"prepare {batch[0][0]}")

        def given() -> Iterator[NumberedAnswers]:
            events.append(f"give {batch[0][0]}")
            yield []

        def begin() -> Iterator[NumberedAnswers]:
            events.append(f"begin {batch[0][0]}")
            return given()

        return begin

    frozen, threshold = gc.get_freeze_count(), gc.get_threshold()
    list(prefetch(prepare, iter(BATCHES)))
    assert events == [
        *("prepare 0", "begin 0", "prepare 1", "begin 1", "prepare 3", "give 0", "begin 3"),
        *("give 1", "give 3"),
    ]
    assert gc.get_freeze_count() <= frozen
    assert gc.get_threshold() == threshold


@pytest.mark.parametrize("fails", ["prepare", "begin"])
def test_what_was_begun_is_given_though_the_next_fails(fails: str) -> None:
    def prepare(batch: Batch) -> Callable[[], Iterator[NumberedAnswers]]:
        if batch[0][0] and fails == "prepare":
            raise RuntimeError("the device is gone")

        def begin() -> Iterator[NumberedAnswers]:
            if batch[0][0]:
                raise RuntimeError("the device is gone")
            return iter([[(0, Failed(reason="given"))]])

        return begin

    work = prefetch(prepare, iter(BATCHES))
    assert next(work) == [(0, Failed(reason="given"))]
    with pytest.raises(RuntimeError, match="gone"):
        next(work)


def test_the_first_of_two_errors_is_raised() -> None:
    def prepare(batch: Batch) -> Callable[[], Iterator[NumberedAnswers]]:
        def given() -> Iterator[NumberedAnswers]:
            if batch:
                raise RuntimeError(f"batch {batch[0][0]}")
            yield []

        return given

    with pytest.raises(RuntimeError, match="batch 0"):
        list(prefetch(prepare, iter(BATCHES)))


def test_a_forked_process_tokenises_too() -> None:
    """A thread that is kept for it would not exist there, and be waited for for ever."""
    encoder = causal(llama(), metaspace())._encoder
    texts = [TextInContext("", "she was tired", "bos")]
    here = encoder.begin(texts)()
    child = os.fork()
    if not child:
        signal.alarm(60)
        os._exit(encoder.begin(texts)() != here)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_causal_model_answers_the_same_ahead() -> None:
    prefetching, plain = causal(llama(), metaspace()), causal(llama(), metaspace())
    prefetching._forward.can_prefetch = True
    assert answers(prefetching) == answers(plain)


def test_a_masked_model_answers_the_same_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = answers(HfMasked(loaded("bert")))
    monkeypatch.setattr(MaskedForward, "can_prefetch", True)
    assert answers(HfMasked(loaded("bert"))) == plain
