"""Making data step by step, by computing, models and people; stopped, and gone on with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from epicene.core.errors import InputError, RunError
from epicene.core.records import Generate, Identity, Text, Texts
from epicene.models import ModelSpec, UnanswerableError, parse_spec
from epicene.models.simple_model import SimpleModel
from epicene.runs.dataset_builder import BuildConfig, WaitingForPeopleError, build_dataset
from epicene.studies.collection.database import ResponseStore
from epicene.studies.collection.folder import RESPONSES_FILE, open_study_folder
from epicene.studies.design.schema import (
    ChoiceQuestion,
    Option,
    Response,
    Study,
    StudyItem,
    TextPanel,
)
from epicene.studies.exchange.response_files import LocatedResponse
from epicene.suites import Suite, find_suite
from epicene.suites.construction import (
    AskModels,
    AskPeople,
    BuildSettings,
    Compute,
    Construction,
    ModelReply,
    StepOutputs,
    StepRow,
)
from runs.conftest import Silent


class Words(BuildSettings, frozen=True, kw_only=True):
    words: tuple[str, ...] = ("ant", "bee", "cat")


def plan(_made: StepOutputs, settings: Words) -> Iterator[StepRow]:
    for word in settings.words:
        yield {"word": word}


def ask(made: StepOutputs, _settings: Words) -> Iterator[Generate]:
    for row in made["plan"]:
        yield Generate(item=row["word"], prompt=row["word"])


def read(_made: StepOutputs, _settings: Words, replies: Iterable[ModelReply]) -> Iterator[StepRow]:
    for reply in replies:
        assert isinstance(reply.answer, Texts)
        yield {"word": reply.request.item, "text": reply.answer.only, "model": reply.model}


def study(made: StepOutputs, _settings: Words) -> Study:
    return Study(
        name="good",
        suite="misgendering",
        title={"en": "Good?"},
        show=(TextPanel(field="text"),),
        questions=(
            ChoiceQuestion(id="good", ask={"en": "?"}, options=(Option(id="yes"), Option(id="no"))),
        ),
        judgements=2,
        items=tuple(StudyItem(id=row["word"], fields={"text": row["text"]}) for row in made["ask"]),
    )


def decide(
    made: StepOutputs, _settings: Words, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    for row in made["ask"]:
        votes = [each.answers["good"] for each in responses if each.item == row["word"]]
        if votes.count("yes") == len(votes):
            yield row


def export(made: StepOutputs, _settings: Words, folder: Path) -> list[Path]:
    path = folder / "data.jsonl"
    lines = [json.dumps(row) for row in made["people"]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [path]


CONSTRUCTION = Construction(
    about="",
    settings=Words,
    steps=(
        Compute(name="plan", about="words", make=plan),
        AskModels(name="ask", about="a text", role="writer", verbs=(Generate,), ask=ask, read=read),
        AskPeople(name="people", about="votes", study=study, read=decide),
    ),
    export=export,
)


class Writer:
    """A scripted model that counts what it is asked, and fails when it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.broken: set[str] = set()

    def __call__(self, _spec: ModelSpec) -> Any:
        return SimpleModel(Identity(kind="scripted", label="w", key={}), {"generate": self.write})

    def write(self, request: Generate) -> Texts:
        self.asked.append(request.item)
        if request.item in self.broken:
            raise UnanswerableError("it is broken")
        return Texts(texts=(Text(text=f"The {request.item}."),))


@pytest.fixture
def suite(tmp_path: Path) -> Suite[Any, Any]:
    from epicene.suites import Dataset

    return replace(
        find_suite("misgendering"),
        construction=CONSTRUCTION,
        read=lambda source, _protocol: Dataset(
            name="x", files=(), items=(source.path or tmp_path).read_text().splitlines()
        ),
        check=None,
    )


def build(
    suite: Suite[Any, Any], folder: Path, writer: Writer, settings: Mapping[str, str] | None = None
) -> list[str]:
    config = BuildConfig(suite, folder, settings or {}, {"writer": [parse_spec("copy")]})
    return list(build_dataset(config, Silent(), writer))


def answer(folder: Path, person: str, votes: Mapping[str, str]) -> None:
    path = folder / "03-people"
    assert open_study_folder(path)
    store = ResponseStore(path / RESPONSES_FILE)
    responses = [
        Response(
            study="good",
            participant=person,
            item=item,
            answers={"good": vote},
            at=datetime(2026, 1, 1, tzinfo=UTC),
            seconds=1.0,
        )
        for item, vote in votes.items()
    ]
    with store.writing():
        store.put([LocatedResponse("here", response) for response in responses])
    store.close()


def test_from_a_plan_to_data(suite: Suite[Any, Any], tmp_path: Path) -> None:
    writer = Writer()
    with pytest.raises(WaitingForPeopleError, match="6 of 6 answers are missing"):
        build(suite, tmp_path, writer)
    answer(tmp_path, "p1", {"ant": "yes", "bee": "no", "cat": "yes"})
    with pytest.raises(WaitingForPeopleError, match="3 of 6 answers are missing"):
        build(suite, tmp_path, writer)
    answer(tmp_path, "p2", {"ant": "yes", "bee": "yes", "cat": "yes"})
    lines = build(suite, tmp_path, writer)
    assert writer.asked == ["ant", "bee", "cat"]  # once each, in three calls
    rows = [json.loads(line) for line in (tmp_path / "data.jsonl").read_text().splitlines()]
    assert [row["word"] for row in rows] == ["ant", "cat"]
    assert lines[-1] == "2 items, 0 findings."
    assert "1/3 plan (words): 3 rows, done before." in lines


def test_a_request_that_failed_is_asked_again(suite: Suite[Any, Any], tmp_path: Path) -> None:
    writer = Writer()
    writer.broken = {"bee"}
    with pytest.raises(RunError, match=r"1 requests of the step ask failed .*it is broken"):
        build(suite, tmp_path, writer)
    assert not (tmp_path / "02-ask.jsonl").exists()
    writer.broken = set()
    with pytest.raises(WaitingForPeopleError):
        build(suite, tmp_path, writer)
    assert sorted(writer.asked) == ["ant", "bee", "bee", "cat"]


def test_rows_between_steps_can_be_corrected_by_hand(
    suite: Suite[Any, Any], tmp_path: Path
) -> None:
    writer = Writer()
    (tmp_path / "01-plan.jsonl").write_text('{"word": "dog"}\n', encoding="utf-8")
    with pytest.raises(WaitingForPeopleError):
        build(suite, tmp_path, writer)
    assert writer.asked == ["dog"]


def test_a_text_may_hold_a_line_separator(suite: Suite[Any, Any], tmp_path: Path) -> None:
    writer = Writer()
    with pytest.raises(WaitingForPeopleError):
        build(suite, tmp_path, writer, {"words": "a\u2028b,c\x85d"})
    assert writer.asked == ["a\u2028b", "c\x85d"]


def test_other_settings_in_the_same_folder_are_refused(
    suite: Suite[Any, Any], tmp_path: Path
) -> None:
    with pytest.raises(WaitingForPeopleError):
        build(suite, tmp_path, Writer())
    with pytest.raises(InputError, match="started with another words"):
        build(suite, tmp_path, Writer(), {"words": "dog,emu"})


def test_an_unknown_setting_and_a_missing_model(suite: Suite[Any, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="wordz"):
        build(suite, tmp_path, Writer(), {"wordz": "dog"})
    config = BuildConfig(suite, tmp_path, {}, {})
    with pytest.raises(InputError, match="--model writer=SPEC"):
        list(build_dataset(config, Silent(), Writer()))


def test_a_suite_without_a_construction(suite: Suite[Any, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot build data"):
        build(replace(suite, construction=None), tmp_path, Writer())
