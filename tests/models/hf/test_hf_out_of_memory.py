"""Memory that runs out anywhere, once, changes no answer; a request that never fits fails alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from epicene.core.files import ImageFolder
from epicene.core.records import (
    Answer,
    Decoding,
    Draw,
    Failed,
    Fill,
    Generate,
    Look,
    Request,
    Score,
    Translate,
)
from epicene.models import ModelOptions
from epicene.models.diffusion import open as open_pipeline
from epicene.models.hf import batching
from epicene.models.hf import open as open_hf
from epicene.models.hf.generation import continuous_batching
from epicene.models.hf.masked import HfMasked
from epicene.models.hf.scoring.logprobs import ModelRunner
from epicene.models.hf.seq2seq import HfSeq2Seq
from models.hf import tiny_masked, tiny_seq2seq
from models.hf.tiny_causal import causal, gpt2_like, llama
from models.hf.tiny_vision import save_llava
from models.model_answers import assert_alike, batch_answers
from models.sample_images import picture
from models.tiny_diffusion import save_pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from epicene.models import Model

ERRORS: tuple[Callable[[], Exception], ...] = (
    lambda: torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB"),
    lambda: RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"),
    MemoryError,
)
POINTS = 24  # operations at which memory runs out, spread over all of them


class OutOfMemoryAt(TorchDispatchMode):  # type: ignore[misc]
    """Counts torch's operations, and runs out of memory at the n-th, or at each from there on."""

    def __init__(self, at: float = math.inf, *, onwards: bool = False) -> None:
        super().__init__()
        self.count, self._at, self._onwards = 0, at, onwards

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += 1
        if self.count == self._at or (self._onwards and self.count > self._at):
            error = ERRORS[self.count % len(ERRORS)]()
            raise error
        return func(*args, **(kwargs or {}))


@pytest.fixture(autouse=True)
def fast_collection() -> Iterator[None]:
    """Collecting garbage takes a tenth of a second each time."""
    with (
        mock.patch.object(batching, "free_memory"),
        mock.patch.object(continuous_batching, "free_memory"),
    ):
        yield


def scoring() -> list[Request]:
    texts = (" she was tired", " he was late", " they", " she")
    context = "the nurse said that the doctor said that he was late and she was tired"
    return [
        *(Score(item=text, texts=(text, " he"), context=context) for text in texts),
        Score(item="drawn", texts=texts, decoding=Decoding(temperature=1.0, top_k=9)),
    ]


def filling() -> list[Request]:
    return [
        Fill(item="1", before="the nurse said ", after=" was late", top=3, max_tokens=2),
        Fill(item="2", before="the doctor", choices=(" she", " he was")),
    ]


def generating() -> list[Request]:
    sampled = Decoding(max_new_tokens=5, temperature=1.0)
    return [
        Generate(item="1", prompt="the nurse said", samples=2, decoding=sampled),
        Generate(item="2", prompt="a b", decoding=Decoding(max_new_tokens=4)),
        Generate(item="3", prompt="la maîtresse est", decoding=Decoding(max_new_tokens=3)),
    ]


def masked() -> list[Request]:
    return [
        Score(item="1", texts=("she is happy", "he")),
        Score(item="2", texts=("the teacher",), masking="original"),
        Fill(item="3", before="she ", after=" happy", top=2, max_tokens=2),
    ]


def padded_causal() -> Model:
    model = causal(llama(), gpt2_like())
    model._generator.__dict__["_continuous"] = None
    return model


def translating(beams: int) -> Callable[[], Model]:
    def opened() -> Model:
        pair = tiny_seq2seq.loaded(*tiny_seq2seq.t5())
        pair.model.generation_config.num_beams = beams
        return HfSeq2Seq(pair)

    return opened


def translations() -> list[Request]:
    how = Decoding(max_new_tokens=4)
    return [
        Translate(item=text, text=text, language="en", into="fr", decoding=how)
        for text in ("she is late", "he", "they are here")
    ]


CASES: dict[str, tuple[Callable[[], Model], Callable[[], list[Request]]]] = {
    "score": (lambda: causal(llama(), gpt2_like()), scoring),
    "fill": (lambda: causal(llama(), gpt2_like()), filling),
    "generate": (lambda: causal(llama(), gpt2_like()), generating),
    "generate padded": (padded_causal, generating),
    "masked": (lambda: HfMasked(tiny_masked.loaded("bert")), masked),
    "translate": (translating(1), translations),
    "translate with beams": (translating(3), translations),
}


def interrupted(
    open_model: Callable[[], Model], requests: list[Request], files: ImageFolder | None = None
) -> Iterator[tuple[int, list[Answer]]]:
    """The answers where memory runs out nowhere, then at points spread over all operations."""
    with OutOfMemoryAt() as counted:
        yield 0, batch_answers(open_model(), *requests, files=files)
    step = max(1, counted.count // POINTS)
    for point in range(1, counted.count + 1, step):
        model = open_model()
        with OutOfMemoryAt(point):
            yield point, batch_answers(model, *requests, files=files)


@pytest.mark.parametrize("case", CASES)
def test_memory_that_runs_out_once_changes_no_answer(case: str) -> None:
    open_model, requests = CASES[case]
    runs = interrupted(open_model, requests())
    _, expected = next(runs)
    assert not any(isinstance(answer, Failed) for answer in expected)
    for _, found in runs:
        assert_alike(found, expected)


def test_an_image_is_looked_at_again(tmp_path: Path) -> None:
    files = ImageFolder(tmp_path / "files")
    image = files.put(picture())
    folder = save_llava(tmp_path / "llava")
    requests: list[Request] = [
        Look(item=question, image=image, question=question, choices=("male", "female"))
        for question in ("who is this?", "who was this?")
    ]
    model = open_hf(str(folder), ModelOptions())
    runs = interrupted(lambda: model, requests, files)
    _, expected = next(runs)
    for point, found in runs:
        assert found == expected, f"memory ran out at operation {point}"


def test_an_image_is_drawn_again(tmp_path: Path) -> None:
    files = ImageFolder(tmp_path / "files")
    pipeline = open_pipeline(str(save_pipeline(tmp_path / "tiny")), ModelOptions())
    requests: list[Request] = [Draw(item="i", prompt="a nurse", width=16, height=16)]
    with OutOfMemoryAt() as counted:
        expected = batch_answers(pipeline, *requests, files=files)
    for point in (1, counted.count // 2, counted.count):
        with OutOfMemoryAt(point):
            assert batch_answers(pipeline, *requests, files=files) == expected
    with OutOfMemoryAt(9, onwards=True):
        (failed,) = batch_answers(pipeline, *requests, files=files)
    assert failed == Failed(reason="16 × 16 does not fit in memory")


@pytest.mark.parametrize("case", [name for name in CASES if name != "fill"])
def test_where_nothing_fits_every_request_fails_with_the_reason(case: str) -> None:
    open_model, requests = CASES[case]
    model = open_model()
    batch_answers(model, *requests()[:1])  # which ways the model can go is known by now
    with OutOfMemoryAt(0, onwards=True):
        found = batch_answers(model, *requests())
    for answer in found:
        assert isinstance(answer, Failed)
        assert "a single text needs more memory than is available" in answer.reason


def test_rows_as_long_as_one_that_does_not_fit_are_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = HfMasked(tiny_masked.loaded("bert", batch_size=1))
    tried = []
    states = ModelRunner.states

    def limited(self: ModelRunner, inputs: dict[str, Any], where: Any) -> Any:
        length = inputs["input_ids"].shape[1]
        if length > 6:
            tried.append(length)
            raise MemoryError
        return states(self, inputs, where)

    monkeypatch.setattr(ModelRunner, "states", limited)
    long, short = batch_answers(
        model, Score(item="1", texts=("she is happy is she",)), Score(item="2", texts=("he is",))
    )
    assert isinstance(long, Failed)
    assert not isinstance(short, Failed)
    assert len(tried) == 2  # the first row, once more with all memory
