"""Judges one by one: what each saw, and images that cannot be shown to any."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from epicene.core.records import Choice, Draw, Image, Images, Judgement
from epicene.models import (
    Batch,
    ImageStore,
    Model,
    ModelSpec,
    NumberedAnswers,
    open_model,
    parse_spec,
)
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.show.table_formats import as_json
from epicene.suites import AnsweredRequest, Answers, DataSource, choose_protocol
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.ask import DRAW, DRAWER, JUDGES, LOOK, look_name
from epicene.suites.gramvis.data import read
from epicene.suites.gramvis.items import CONDITIONS
from epicene.suites.gramvis.tables import tables
from models.hf.tiny_vision import save_llava
from models.sample_images import claiming, picture
from runs.conftest import Silent
from runs.frames import results_of

ONE_SHOT: Any = choose_protocol(suite, "epicene", {"shots": "1", "mixed": "false"}, None)

# For the three conditions of a word: the judge's words, and its log-probabilities by label.
SEEN: dict[str, list[tuple[str, tuple[float, ...]]]] = {
    "agreeing": [("male", (-0.1, -2, -3)), ("a woman", (-2, -0.1, -3)), ("Neither.", (-2, -3, -1))],
    "torn": [("male", (-2, -0.1, -3)), ("hm", (-0.5, -1, -3)), ("female", (-3, -0.2, -4))],
    "wordy": [("male", ()), ("male", ()), ("female", ())],
}


def votes() -> dict[str, Any]:
    item = next(iter(read(DataSource(), ONE_SHOT).items))
    given = [
        AnsweredRequest(DRAW, DRAWER, "d", name, Images(images=(Image(sha256="0" * 64),)))
        for name in CONDITIONS
    ]
    for judge, answers in SEEN.items():
        for name, (text, logprobs) in zip(CONDITIONS, answers, strict=True):
            choice = Choice(choice=None, text=text, logprobs=logprobs)
            given.append(AnsweredRequest(LOOK, JUDGES, judge, look_name(name, 1), choice))
    judgements: list[Judgement] = list(suite.judge(item, Answers(given), ONE_SHOT))
    found = {table.name: table for table in tables(results_of(judgements, ONE_SHOT))}
    shown: dict[str, Any] = as_json(found["votes"])
    return shown


def test_each_judges_words_and_probabilities_are_told_apart() -> None:
    shown = votes()
    third, two = pytest.approx(1 / 3), pytest.approx(2 / 3)

    def row(judge: str) -> list[float | None]:
        return [cell["value"] for cell in shown[judge].values()]

    assert list(shown["torn"]) == [
        "votes",
        *("male", "female", "neither", "unreadable"),
        *("likeliest male", "likeliest female", "likeliest neither", "said the likeliest"),
    ]
    assert row("agreeing") == [3, third, third, third, 0, third, third, third, 1]
    # Of its two words that can be read, one is the likeliest choice.
    assert row("torn") == [3, third, third, 0, third, third, two, 0, pytest.approx(1 / 2)]
    assert row("wordy") == [3, two, third, 0, 0, None, None, None, None]
    assert "no probabilities" in shown["wordy"]["likeliest male"]["why"]


# --- images that cannot be shown -------------------------------------------------------------

UNSHOWABLE = {"english": b"#!/bin/sh", "chinese": claiming(60_000, 60_000)}


class Tampering:
    """A drawer among whose files are two that are no pictures."""

    def __init__(self, model: Model) -> None:
        self.identity, self.verbs, self.batch_limit = model.identity, model.verbs, model.batch_limit
        self.notes, self.close = model.notes, model.close

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        for batch in batches:
            for place, request in batch:
                assert isinstance(request, Draw)
                data = UNSHOWABLE.get(request.name, picture(40, 30))
                yield [(place, Images(images=(Image(sha256=files.put(data)),)))]


def test_a_bomb_and_a_file_that_is_no_image_are_refused_and_recorded(tmp_path: Path) -> None:
    def executor(spec: ModelSpec) -> Model:
        model = open_model(spec)
        return Tampering(model) if spec.kind == "random" else model

    judge = parse_spec(f"hf:{save_llava(tmp_path / 'llava')}")
    order = RunConfig(
        suite=suite,
        protocol=ONE_SHOT,
        models={DRAWER: [parse_spec("random")], JUDGES: [judge]},
        under=tmp_path,
        limit=2,
    )
    _, manifest = run(order, Silent(), executor)
    assert manifest.state == "incomplete"
    (looks,) = (count for count in manifest.counts if count.stage == LOOK)
    assert (looks.total, looks.answered, looks.failed) == (6, 2, 4)
    no_picture, bomb = sorted(looks.reasons, key=lambda reason: "pixels" in reason)
    assert no_picture.endswith("cannot be used: the bytes are not a PNG, JPEG or WebP image")
    assert bomb.endswith("cannot be used: the image has far too many pixels when it is unpacked")
