"""A project for Label Studio, what a person can do in it, and its export read back."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import InputError
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.design.lists import items_by_list
from epicene.studies.design.schema import (
    AnswerValue,
    ChoiceQuestion,
    ImagePanel,
    MarksQuestion,
    Option,
    Response,
    Span,
    Study,
    StudyItem,
    TextPanel,
    TextQuestion,
    all_items,
)
from epicene.studies.exchange.label_studio import is_export
from epicene.studies.exchange.label_studio_project import labelling_config, project_files
from epicene.studies.exchange.response_files import LocatedResponse, read_responses
from study_examples import (
    STUDIES,
    completion,
    en,
    forced_choice,
    image,
    label_and_rewrite,
    misgendering,
    options,
    study,
)

# --- a person at Label Studio ------------------------------------------------------------------
#
# It knows the configuration and the tasks alone: what a control's results look like, and that one
# in a view whose condition does not hold is not there (docs of the tags; Visibility.js).


class Person:
    def __init__(self, name: str, config: str) -> None:
        self.name = name
        self.view = ET.fromstring(config)
        self.about = {
            element.get("name", ""): element.get("value", "").removeprefix("$")
            for element in self.view.iter()
            if element.tag in ("Text", "Image")
        }

    def annotate(self, task: dict[str, Any]) -> dict[str, Any]:
        self.coin = random.Random(f"{self.name} {task['data']['epicene__item']}")
        self.chosen: dict[str, set[str]] = {}
        self.answers: dict[str, AnswerValue] = {}
        results = [*self._view(self.view, task["data"])]
        return {
            "id": 7,
            "completed_by": {"id": 3, "email": f"{self.name}@example.org"},
            "result": results,
            "was_cancelled": False,
            "ground_truth": False,
            "created_at": "2026-03-09T22:16:08.728353Z",
            "updated_at": "2026-03-10T22:16:08.728378Z",
            "lead_time": 4.288,
        }

    def _view(self, view: ET.Element, data: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if view.get("visibleWhen"):
            assert view.get("visibleWhen") == "choice-selected"
            wanted = view.get("whenChoiceValue", "").split(",")
            if self.chosen.get(view.get("whenTagName", ""), set()).isdisjoint(wanted):
                return
        for element in view:
            if element.tag == "View":
                yield from self._view(element, data)
            elif element.tag in ("Choices", "Labels", "TextArea"):
                assert element.get("toName") in self.about
                for value in getattr(self, f"_{element.tag.lower()}")(element, data):
                    yield {
                        "id": "Dx_aB91ISN",
                        "from_name": element.get("name"),
                        "to_name": element.get("toName"),
                        "type": element.tag.lower(),
                        "origin": "manual",
                        "value": value,
                    }

    def _choices(self, element: ET.Element, data: dict[str, Any]) -> Iterator[dict[str, Any]]:
        name = element.get("name", "")
        offered = [choice.get("alias", "") for choice in element]
        if dynamic := element.get("value", "").removeprefix("$"):
            offered = [each["value"] for each in data[dynamic]]
        if element.get("choice") == "multiple":
            chosen = [each for each in offered if self.coin.random() < 0.4]
            chosen = chosen or (offered[:1] if element.get("required") else [])
            self.answers[name] = tuple(chosen)
        else:
            chosen = [self.coin.choice(offered)]
            self.answers[name] = chosen[0]
        self.chosen[name] = set(chosen)
        if chosen:
            yield {"choices": chosen}

    def _labels(self, element: ET.Element, data: dict[str, Any]) -> Iterator[dict[str, Any]]:
        text = data[self.about[element.get("toName", "")]]
        aliases = [label.get("alias", "") for label in element]
        spans = []
        for start in range(0, len(text) - 3, 5):
            if self.coin.random() < 0.5:
                label = self.coin.choice(aliases)
                spans.append(Span(start=start, end=start + 3, label=label))
                yield {
                    "start": start,
                    "end": start + 3,
                    "text": text[start : start + 3],
                    "labels": [label],
                }
        self.answers[element.get("name", "")] = tuple(spans)

    def _textarea(self, element: ET.Element, data: dict[str, Any]) -> Iterator[dict[str, Any]]:
        draft = data.get(element.get("value", "").removeprefix("$"), "")
        text = draft or self.coin.choice(["", "a remark\nof two lines"])
        if text or element.get("required"):
            self.answers[element.get("name", "")] = text or "something"
            yield {"text": [text or "something"]}


def taken(study: Study, path: Path, tasks: list[dict[str, Any]]) -> list[LocatedResponse]:
    path.write_text(json.dumps(tasks, ensure_ascii=False), "utf-8")
    assert is_export(path)
    return read_responses(path, study)


@pytest.mark.parametrize("make", STUDIES)
def test_what_people_do_in_the_project_comes_back(
    make: Callable[[], Study], tmp_path: Path
) -> None:
    study = make()
    files = project_files(study)
    seen: dict[tuple[str, str], dict[str, AnswerValue]] = {}
    tasks: dict[str, dict[str, Any]] = {}
    for name, text in files.items():
        for task in json.loads(text) if name.startswith("tasks") else ():
            kept = tasks.setdefault(task["data"]["epicene__item"], task | {"annotations": []})
            if kept["annotations"]:  # a check that is on every list
                continue
            for person in (Person("ann", files["config.xml"]), Person("bob", files["config.xml"])):
                kept["annotations"].append(person.annotate(task))
                seen[f"{person.name}@example.org", task["data"]["epicene__item"]] = person.answers
    found = taken(study, tmp_path / "export.json", list(tasks.values()))
    assert {(each.participant, each.item) for _, each in found} == set(seen)
    assert len(found) == 2 * len([*study.items, *study.fillers, *study.checks])
    items = {item.id: item for item in all_items(study)}
    for _, response in found:
        wanted = seen[response.participant, response.item]
        for question in study.questions:
            if isinstance(question, ChoiceQuestion) and question.between:
                chosen = response.answers[question.id]
                assert isinstance(chosen, str)
                assert items[response.item].fields[chosen] == wanted[question.id]
            else:
                # No result is written where nothing was chosen or marked.
                assert response.answers.get(question.id, ()) == wanted.get(question.id, ())
        assert response.at == datetime(2026, 3, 9, 22, 16, 8, 728353, tzinfo=UTC)
        assert response.seconds == 4.288


# --- the project -------------------------------------------------------------------------------


def test_only_what_is_shown_leaves() -> None:
    whole = misgendering()
    files = project_files(whole)
    for text in files.values():
        assert "automatic" not in text
        assert "model" not in text
    assert json.loads(files["tasks.json"])[1]["data"] == {
        "epicene__study": "a-study", "epicene__item": "g2", "text": "He ran.",
    }  # fmt: skip


def test_the_configuration_of_each_question_by_hand() -> None:
    view = ET.fromstring(labelling_config(misgendering()))
    (text,) = view.iter("Text")
    assert text.attrib == {"name": "show-text", "value": "$text", "saveTextResult": "yes"}
    first, tags = view.iter("Choices")
    assert first.attrib == {
        "name": "label", "toName": "show-text", "choice": "single",
        "required": "true", "requiredMessage": "The person's pronouns are",
    }  # fmt: skip
    assert first[1].attrib == {"value": "misgendering", "alias": "misgendering", "hotkey": "2"}
    assert (tags.get("choice"), tags.get("required")) == ("multiple", None)
    assert "hotkey" not in tags[0].attrib  # the keys 1 and 2 are taken
    (labels,) = view.iter("Labels")
    assert (labels.get("toName"), [each.get("alias") for each in labels]) == (
        "show-text",
        ["noun", "adjective"],
    )
    rewrite = ET.fromstring(labelling_config(label_and_rewrite()))
    area = next(rewrite.iter("TextArea"))
    assert (area.get("value"), area.get("required")) == ("$draft", "true")
    (picture,) = ET.fromstring(labelling_config(image())).iter("Image")
    assert picture.attrib == {
        "name": "show-picture", "value": "$picture", "maxHeight": "60vh",
    }  # fmt: skip


def test_a_question_hangs_on_all_its_conditions() -> None:
    whole = completion()
    third = msgspec.structs.replace(
        whole.questions[2], when={"grammatical": ("no",), "error": ("case", "valency")}
    )
    whole = msgspec.structs.replace(whole, questions=(*whole.questions[:2], third))
    view = ET.fromstring(labelling_config(whole))
    parents = {child: parent for parent in view.iter() for child in parent}
    (control,) = (each for each in view.iter("Choices") if each.get("name") == "plausible")
    inner, outer = parents[control], parents[parents[control]]
    assert (inner.get("whenTagName"), inner.get("whenChoiceValue")) == ("error", "case,valency")
    assert (outer.get("whenTagName"), outer.get("whenChoiceValue")) == ("grammatical", "no")
    assert {inner.get("visibleWhen"), outer.get("visibleWhen")} == {"choice-selected"}


def test_texts_to_choose_between_are_choices_in_no_telling_order() -> None:
    like = forced_choice()
    items = tuple(
        StudyItem(id=f"p{n}", group=f"g{n}", fields={"good": f"गया {n}", "bad": f"गई {n}"})
        for n in range(40)
    )
    files = project_files(msgspec.structs.replace(like, items=items, lists="none"))
    tasks = json.loads(files["tasks.json"])
    assert {task["data"]["epicene__item"] for task in tasks} == {item.id for item in items} | {
        "f",
        "c",
    }
    offered = [[each["value"] for each in task["data"]["better__choices"]] for task in tasks]
    first_is_good = sum("गया" in texts[0] for texts in offered)
    assert 10 < first_is_good < 30
    assert all("good" not in task["data"] for task in tasks)


def test_a_list_is_a_file_of_tasks() -> None:
    whole = forced_choice()
    files = project_files(whole)
    for number, items in enumerate(items_by_list(whole).values(), start=1):
        tasks = json.loads(files[f"tasks-{number}.json"])
        named = {task["data"]["epicene__item"] for task in tasks}
        assert named == {item.id for item in items} | {"f", "c"}


def test_names_that_label_studio_could_not_take_are_numbered(tmp_path: Path) -> None:
    whole = study(
        (TextPanel(field="the text"), TextPanel(field="gloss")),
        (
            ChoiceQuestion(id="is it?", ask=en("Is it?"), options=options("yes", "no")),
            MarksQuestion(id="words", ask=en("Mark"), field="the text", when={"is it?": ("yes",)}),
        ),
        (StudyItem(id="1", fields={"the text": "राम गया", "gloss": "Ram went"}),),
    )
    files = project_files(whole)
    view = ET.fromstring(files["config.xml"])
    assert [each.get("value") for each in view.iter("Text")] == ["$field__1", "$gloss"]
    assert json.loads(files["tasks.json"])[0]["data"]["field__1"] == "राम गया"
    conditions = [each.get("whenTagName") for each in view.iter("View") if each.get("visibleWhen")]
    assert conditions == ["question__1"]
    (label,) = view.iter("Label")
    results = [
        result("question__1", {"choices": ["yes"]}),
        result("words", {"start": 0, "end": 3, "text": "राम", "labels": [label.get("alias")]}),
    ]
    ((_, response),) = taken(whole, tmp_path / "e.json", [task("1", annotation(*results))])
    assert response.answers == {"is it?": "yes", "words": (Span(start=0, end=3),)}


def test_labels_are_shown_in_every_language_and_kept_by_id(tmp_path: Path) -> None:
    both = {"en": "She", "ar": "هي"}
    whole = study(
        (TextPanel(field="text", direction="rtl", title={"en": "Text", "ar": "نص"}),),
        (
            ChoiceQuestion(
                id="who",
                ask={"en": "Who?", "ar": "من؟"},
                options=(
                    Option(id="f", label=both),
                    Option(id="m", label={"en": "He: $5", "ar": "هو"}),
                ),
            ),
        ),
        (StudyItem(id="1", language="ar", fields={"text": "أنا متعبة"}),),
        title={"en": "A study", "ar": "دراسة"},
    )
    config = labelling_config(whole)
    assert '<Choice value="She / هي" alias="f" />' in config
    assert 'style="direction: rtl"' in config
    (_, he) = [each.get("value") for each in ET.fromstring(config).iter("Choice")]
    # By its alias, as documented, or else as it is shown.
    for named, meant in (("f", "f"), ("She / هي", "f"), ("m", "m"), (he, "m")):
        done = annotation(result("who", {"choices": [named]}))
        ((_, response),) = taken(whole, tmp_path / "e.json", [task("1", done)])
        assert response.answers == {"who": meant}


def test_pictures_are_files_that_label_studio_serves() -> None:
    files = {"picture": "pictures/a b.png", "votes": ""}
    whole = msgspec.structs.replace(image(), items=(StudyItem(id="i", fields=files),))
    (only,) = json.loads(project_files(whole)["tasks.json"])
    assert only["data"]["picture"] == "/data/local-files/?d=pictures/a%20b.png"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"show": (ImagePanel(field="good"), ImagePanel(field="bad"))},
            "choose between images",
        ),
        (
            {"items": (StudyItem(id="q", group="q", fields={"good": "x", "bad": "x"}),)},
            "offers the same text twice",
        ),
        (
            {
                "questions": (
                    *forced_choice().questions,
                    TextQuestion(id="why", ask={"hi": "?", "en": "?"}, when={"better": ("bad",)}),
                )
            },
            "The question why of a-study depends on better",
        ),
    ],
)
def test_what_label_studio_cannot_ask_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        project_files(msgspec.structs.replace(forced_choice(), **change))
    assert message in str(caught.value)


# --- the export --------------------------------------------------------------------------------


def result(name: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "show-text", "type": "x", "id": "1", "value": value}


def annotation(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"result": list(results), "completed_by": 1, "was_cancelled": False} | more


def task(item: str, *annotations: dict[str, Any], study: str = "a-study") -> dict[str, Any]:
    data = {"epicene__item": item, "epicene__study": study}
    return {"id": 1, "data": data, "annotations": list(annotations)}


CORRECT = result("label", {"choices": ["correct"]})


def test_people_are_known_by_address_or_number_and_who_skipped_says_nothing(
    tmp_path: Path,
) -> None:
    tasks = [
        task(
            "g1",
            annotation(CORRECT, completed_by=12, lead_time=3, created_at="2026-01-02T03:04:05Z"),
            annotation(CORRECT, completed_by={"id": 5, "email": "bob@example.org"}),
            annotation(completed_by=4, was_cancelled=True),
        ),
        task("g2"),
    ]
    first, second = (each.response for each in taken(misgendering(), tmp_path / "e.json", tasks))
    assert first == Response(
        study="a-study",
        participant="12",
        item="g1",
        answers={"label": "correct"},
        at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        seconds=3,
    )
    assert (second.participant, second.at, second.seconds) == ("bob@example.org", None, None)


SMILES = "😀 She and the queen 👩🏽‍🚀 sat."


@pytest.mark.parametrize("utf16", [False, True])
def test_marks_stand_where_they_were_made_however_signs_are_counted(
    utf16: bool, tmp_path: Path
) -> None:
    items = (StudyItem(id="g1", language="en", fields={"text": SMILES}),)
    whole = msgspec.structs.replace(misgendering(), items=items)
    marks, wanted = [], []
    for word, label in (("She", "adjective"), ("queen", "noun"), ("sat", "noun")):
        start = SMILES.index(word)
        wanted.append(Span(start=start, end=start + len(word), label=label))
        counted = len(SMILES[:start].encode("utf-16-le")) // 2 if utf16 else start
        places = {"start": counted, "end": counted + len(word)}
        marks.append(result("extraneous", {**places, "text": word, "labels": [label]}))
    done = annotation(CORRECT, *reversed(marks))
    ((_, response),) = taken(whole, tmp_path / "e.json", [task("g1", done)])
    assert response.answers["extraneous"] == tuple(wanted)


def test_marks_of_another_text_are_refused(tmp_path: Path) -> None:
    mark = result("extraneous", {"start": 0, "end": 3, "text": "Sam", "labels": ["noun"]})
    path = tmp_path / "e.json"
    with pytest.raises(InputError) as caught:
        taken(misgendering(), path, [task("g1", annotation(CORRECT, mark))])
    assert str(caught.value) == (
        f"{path}, record 1, extraneous marks 'Sam' at characters 0 to 3, where the study has "
        "'Kim'; check whether the text of the task was changed."
    )


def test_what_a_hidden_control_still_held_is_no_answer(tmp_path: Path) -> None:
    done = annotation(
        result("grammatical", {"choices": ["yes"]}),
        result("error", {"choices": ["case"]}),
        result("plausible", {"choices": ["no"]}),
        {"type": "relation", "from_id": "a", "to_id": "b"},
    )
    ((_, response),) = taken(completion(), tmp_path / "e.json", [task("k", done)])
    assert response.answers == {"grammatical": "yes", "plausible": "no"}


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([task("g9", annotation(CORRECT))], "record 1, does not belong to the study 'a-study'"),
        ([task("g1", annotation())], "record 1, label has no answer."),
        (
            [task("g1", annotation(result("lable", {"choices": ["correct"]})))],
            "record 1, there is no control 'lable'; did you mean 'label'?",
        ),
        (
            [task("g1", annotation(result("label", {"choices": ["wrong"]})))],
            "record 1, label has no choice 'wrong'.",
        ),
        ([task("g1", annotation(CORRECT), study="b")], "record 1, belongs to the study 'b', but"),
        (
            [task("g1", annotation(CORRECT, completed_by=None))],
            "record 1, does not name the participant",
        ),
        (
            [task("g1", annotation(CORRECT, result("extraneous", {"labels": ["noun"]})))],
            "record 1, extraneous does not give the characters it marks.",
        ),
        (
            [task("g1", annotation(CORRECT, result("extraneous", {"start": "x"})))],
            "record 1, does not fit",
        ),
        ([task("g1") | {"annotations": [17]}], "record 1, does not fit"),
        (
            [
                task(
                    "g1",
                    annotation(CORRECT),
                    annotation(result("label", {"choices": ["misgendering"]})),
                )
            ],
            "answers the item g1 for 1 differently from",
        ),
    ],
)
def test_a_bad_export_is_refused_with_its_place(
    tasks: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        taken(misgendering(), tmp_path / "e.json", tasks)
    assert message in str(caught.value)


def test_an_export_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "min.json"
    path.write_text(json.dumps([{"id": 1, "text": "x", "label": "correct"}]), "utf-8")
    assert not is_export(path)
    with pytest.raises(InputError, match="export the project in the format JSON"):
        read_responses(path, misgendering(), layout="label-studio")


def test_a_folder_takes_an_export_once(tmp_path: Path) -> None:
    folder = create_study_folder(tmp_path / "study", misgendering())
    path = tmp_path / "e.json"
    path.write_text(json.dumps([task("g1", annotation(CORRECT))]), "utf-8")
    assert folder.import_file(path) == (1, 0, 0, 0)
    assert folder.import_file(path, layout="label-studio") == (0, 1, 0, 0)


@given(
    text=st.text(
        st.sampled_from("\0\x1b\x7f\u2028\ufffe\uffff<>&\"'$") | st.characters(), min_size=1
    )
)
def test_a_project_is_valid_whatever_a_study_says(text: str) -> None:
    made = misgendering()
    first, *others = made.questions
    questions = (msgspec.structs.replace(first, ask={"en": text}, hint={"en": text}), *others)
    said = msgspec.structs.replace(
        made, title={"en": text}, instructions={"en": text}, questions=questions
    )
    files = project_files(said)
    assert ET.fromstring(files["config.xml"].encode()).tag == "View"
    assert not re.search(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]", files["instructions.html"]
    )
