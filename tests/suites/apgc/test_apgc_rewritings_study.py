"""The study of rewritten sentences: what is sampled and shown, and what comes of the answers."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from msgspec.structs import replace

from epicene.core.records import Text, Texts
from epicene.studies.analysis.study_summary import summarise_study
from epicene.studies.design.checks import study_problems
from epicene.studies.design.sampling import Candidate, SamplingOptions
from epicene.studies.design.schema import (
    AnswerValue,
    Response,
    SamplingRecord,
    Study,
    StudyItem,
    visible_values,
)
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.apgc.ask import ask_rewriting
from epicene.suites.apgc.items import Sentence
from epicene.suites.apgc.protocol import PROTOCOLS
from epicene.suites.apgc.studies.rewritings import kind
from epicene.suites.studies import Material
from suites.apgc.corpus_folder import sentences
from suites.table_cells import study_values

PROTOCOL = PROTOCOLS["epicene"]
FINE: dict[str, AnswerValue] = {
    "grammatical": "yes", "speaker": "yes", "listener": "none", "meaning": "yes", "changes": (),
}  # fmt: skip


def candidates(sentence: Sentence, model: str, **texts: str) -> list[Candidate]:
    """The rewritings of a sentence: the references, but for the targets with other texts."""
    answers = Answers(
        AnsweredRequest(
            "rewriting",
            "model",
            model,
            request.name,
            Texts(texts=(Text(text=({**sentence.targets, **texts})[request.name[-2:]]),)),
        )
        for request in ask_rewriting(sentence, Answers(), PROTOCOL)
    )
    return list(
        kind.candidates(Material(item=sentence, protocol=PROTOCOL, model=model, answers=answers))
    )


def whole(items: tuple[StudyItem, ...]) -> Study:
    drawn = SamplingRecord(kind="rewritings", protocol="epicene")
    return replace(kind.study(PROTOCOL), items=items, drawn=drawn)


def every_candidate(model: str = "model-x") -> list[Candidate]:
    return [each for sentence in sentences() for each in candidates(sentence, model)]


def test_what_is_sampled_and_shown() -> None:
    items = kind.sample(every_candidate(), PROTOCOL, SamplingOptions())
    study = whole(items)
    assert not list(study_problems(study))
    # Of each group one sentence per cell: the one that shows nobody's gender is never to change.
    assert Counter(item.fields["change"] for item in items) == {"to leave": 16, "to change": 12}
    assert Counter(item.fields["target"] for item in items) == dict.fromkeys(
        ("MM", "FM", "MF", "FF"), 7
    )
    for item in items:
        seen = visible_values(study, item)
        assert set(seen) == {"people", "text", "rewriting"}
        assert set(item.fields) - set(seen) == set(study.hidden)
        assert item.fields["automatic"] == "yes"
        assert "model-" not in f"{item.id} {seen}"
        assert not re.search("[a-z]", seen["people"])  # the page may be in Arabic
        woman = "المتكلم: امرأة" in seen["people"]
        assert woman == item.fields["target"].startswith("F")


def test_an_empty_rewriting_is_not_shown() -> None:
    assert len(candidates(sentences()[1], "x", MM="", FF="```\n```")) == 2


def test_every_practice_item_is_answered_by_its_own_questions() -> None:
    study = kind.study(PROTOCOL)
    assert len(study.practice) == 6
    for item in study.practice:
        assert set(item.expected) == {"grammatical", "speaker", "listener", "meaning", "changes"}
        assert set(item.feedback) == {"en", "ar"}


@pytest.mark.parametrize(
    ("changed", "right"),
    [
        ({}, "yes"),
        ({"speaker": "none"}, "yes"),
        ({"grammatical": "no"}, "no"),
        ({"listener": "no"}, "no"),
        ({"meaning": "no"}, "no"),
        ({"changes": ("spelling",)}, "no"),
    ],
)
def test_a_rewriting_is_right_if_all_of_it_is(changed: dict[str, AnswerValue], right: str) -> None:
    (item, *_) = kind.sample(every_candidate(), PROTOCOL, SamplingOptions(total=1))
    response = Response(study="x", participant="ann", item=item.id, answers={**FINE, **changed})
    labels = {each.name: each.label for each in kind.judge(item, response)}
    assert labels["right"] == right
    assert labels["nothing else changed"] == ("no" if "changes" in changed else "yes")


def test_tables_of_people_and_of_the_automatic_judgement() -> None:
    """Four rewritings of one sentence: two are the reference, two are not, one of these is fine."""
    sentence = sentences()[1]
    texts = {"MF": "أنا مرهق اليوم .", "FF": "أنا متعب اليوم ."}
    found = candidates(sentence, "model-x", **texts)
    items = tuple(each.make() for each in found)
    by_target = {item.fields["target"]: item for item in items}
    verdicts = {"MM": FINE, "FM": FINE, "MF": FINE, "FF": {**FINE, "speaker": "no"}}
    study = whole(items)
    responses = [
        Response(study=study.name, participant=person, item=by_target[target].id, answers=answers)
        for person in ("ann", "bob")
        for target, answers in verdicts.items()
    ]
    summary = summarise_study(study, responses, ())
    labels = study_values(summary, "labels", "model-x", "all")
    assert labels == {
        "n": 4, "grammatical": 1, "speaker": 0.75, "listener": 1, "meaning": 1,
        "nothing else changed": 1, "right": 0.75, "right automatically": 0.5,
        "right though not the reference": 0.5,
    }  # fmt: skip
    assert study_values(summary, "labels", "model-x", "FF")["right"] == 0
    assert study_values(summary, "agreement", "right")["agreement"] == 1
    assert study_values(summary, "automatic", "all", "all")["agreement"] == 0.75
    assert summary.metrics["right"].value == 0.75
    assert summary.metrics["right_automatic"].value == 0.5


def test_what_two_people_disagree_on_is_left_out_and_counted() -> None:
    """By lot for each question, more could be right than have nothing else changed."""
    items = tuple(each.make() for each in every_candidate())
    study = whole(items)
    respelt: dict[str, AnswerValue] = {**FINE, "changes": ("spelling",)}
    responses = [
        Response(study=study.name, participant=person, item=item.id, answers=answers)
        for number, item in enumerate(items)
        for person, answers in (("ann", FINE), ("bob", respelt if number % 2 else FINE))
    ]
    summary = summarise_study(study, responses, ())
    agreed = (len(items) + 1) // 2
    tables = {table.name: table for table in summary.tables}
    tied = len(items) - agreed
    assert f"; {tied}, which as many judged right as not" in tables["labels"].notes[0]
    models = {row.keys[0] for row in tables["labels"].rows}
    found = [study_values(summary, "labels", *row.keys) for row in tables["labels"].rows]
    totals = [study_values(summary, "labels", model, "all") for model in models]
    assert sum(each["n"] or 0 for each in totals) == agreed
    assert {(row["right"], row["nothing else changed"]) for row in found} == {(1, 1)}
    assert study_values(summary, "automatic", "all", "all")["agreement"] == 1


def test_human_and_automatic_labels_side_by_side() -> None:
    """Of a woman's “I am tired” for two women: another word for tired, and one that was left."""
    sentence = sentences()[1]
    found = candidates(sentence, "model-x", MF="أنا مرهق اليوم .", FF="أنا متعب اليوم .")
    items = {item.fields["target"]: item for item in (each.make() for each in found)}
    fields = ("automatic", "automatic speaker", "automatic listener")
    labels = {target: tuple(item.fields[name] for name in fields) for target, item in items.items()}
    assert labels == {
        "MM": ("yes", "yes", "none"), "FM": ("yes", "yes", "none"), "MF": ("no", "no", "none"),
        "FF": ("no", "no", "none"),
    }  # fmt: skip
    longer = candidates(sentence, "model-x", MM=f"{sentence.targets['MM']} جدا")[0].make()
    assert longer.fields["automatic nothing else changed"] == "no"
    assert longer.fields["automatic speaker"] == "yes"
    study = whole(tuple(items.values()))
    verdicts = {"MM": FINE, "FM": FINE, "MF": FINE, "FF": {**FINE, "speaker": "no"}}
    responses = [
        Response(study=study.name, participant="ann", item=items[target].id, answers=answers)
        for target, answers in verdicts.items()
    ]
    summary = summarise_study(study, responses, ())

    def confusion(*keys: str) -> tuple[float | None, ...]:
        return tuple(study_values(summary, "confusion", *keys).values())

    assert confusion("right", "yes") == (2, 1, 0)
    assert confusion("speaker", "yes") == (2, 1, 0)
    assert confusion("speaker", "no") == (0, 1, 0)
    assert confusion("listener", "none") == (0, 0, 4)
    assert confusion("nothing else changed", "yes") == (4, 0, 0)
