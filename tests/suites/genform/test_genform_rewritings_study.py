"""The study of rewritten sentences: what is sampled and shown, and what comes of the answers."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from epicene.core.data_files import read_records
from epicene.core.errors import InputError
from epicene.core.records import Text, Texts
from epicene.studies.analysis.study_summary import summarise_study
from epicene.studies.design.checks import launch_problems, study_problems
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
from epicene.suites.genform import suite
from epicene.suites.genform.data import STARTER
from epicene.suites.genform.items import TARGETS, Pair
from epicene.suites.genform.judge import score_answer
from epicene.suites.genform.protocol import PROTOCOLS
from epicene.suites.genform.studies.rewritings import kind
from epicene.suites.studies import Material
from suites.table_cells import study_values

PROTOCOL = PROTOCOLS["epicene"]
LANGUAGES = ("fr", "ar", "hi", "es", "it", "pt", "de", "ru")
FINE: dict[str, AnswerValue] = {
    "grammatical": "yes", "speaker": "yes", "meaning": "yes", "changes": (),
}  # fmt: skip
WORN_OUT = Pair(
    id="worn-out",
    language="fr",
    masculine="Je suis épuisé ce soir.",
    feminine="Je suis épuisée ce soir.",
)
NEUTRAL = Pair(id="tea", language="fr", masculine="J'aime le thé.", feminine="J'aime le thé.")


def candidates(pair: Pair, model: str = "model-x", **texts: str) -> list[Candidate]:
    """The rewritings of a pair: the references, but for the targets with other texts."""
    answers = Answers(
        AnsweredRequest(
            "generation",
            "model",
            model,
            f"generation {target}",
            Texts(texts=(Text(text=texts.get(target, pair.form(target))),)),
        )
        for target in TARGETS
    )
    return list(
        kind.candidates(Material(item=pair, protocol=PROTOCOL, model=model, answers=answers))
    )


def whole(items: tuple[StudyItem, ...]) -> Study:
    drawn = SamplingRecord(kind="rewritings", protocol="epicene")
    return kind.for_items(replace(kind.study(PROTOCOL), items=items, drawn=drawn))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_sampled_and_shown(language: str) -> None:
    pairs = list(read_records(STARTER / f"{language}.jsonl", Pair))[:20]
    items = kind.sample(
        [each for pair in pairs for each in candidates(pair)], PROTOCOL, SamplingOptions()
    )
    study = whole(items)
    assert not list(study_problems(study))
    assert not list(launch_problems(study))
    assert set(study.title) == {"en", language}
    assert len({question.id for question in study.questions}) == 5
    for item in items:
        seen = visible_values(study, item)
        assert set(seen) == {"people", "text", "rewriting"}
        assert set(item.fields) - set(seen) == set(study.hidden)
        assert item.fields["automatic"] == "yes"
        assert "model-" not in f"{item.id} {seen}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_practice_items_are_what_their_answers_say(language: str) -> None:
    """What was changed, and whether it fits, is checked against the texts themselves."""
    pair = replace(WORN_OUT, language=language)
    study = whole(tuple(each.make() for each in candidates(pair)))
    assert len(study.practice) == 6
    assert not list(study_problems(study))
    answers = [item.expected for item in study.practice]
    assert all(set(expected) == set(FINE) for expected in answers)
    assert {expected["speaker"] for expected in answers} == {"yes", "no", "none"}
    assert sum(bool(expected["changes"]) for expected in answers) == 2
    for item in study.practice:
        same = item.fields["text"] == item.fields["rewriting"]
        unchanged = item.expected["speaker"] == "none" or item.expected == {**FINE, "speaker": "no"}
        assert same == unchanged
        assert set(item.feedback) == {"en", language}


def test_a_study_is_in_one_language() -> None:
    items = tuple(
        each.make()
        for code in ("fr", "ar")
        for each in candidates(replace(WORN_OUT, language=code))
    )
    with pytest.raises(InputError, match=r"sentences in ar, fr, .* --language ar"):
        whole(items)


def test_no_study_without_texts_in_the_language() -> None:
    with pytest.raises(InputError, match="no study of rewritings in Chinese; there is one for ar"):
        candidates(replace(WORN_OUT, language="zh"))[0].make()


def test_an_empty_rewriting_is_not_shown() -> None:
    assert len(candidates(WORN_OUT, masculine="", feminine="```\n```")) == 0


AUTOMATIC = ("automatic", "automatic speaker", "automatic nothing else changed")


@pytest.mark.parametrize(
    ("pair", "text", "labels"),
    [
        (WORN_OUT, "Je suis épuisée ce soir.", ("yes", "yes", "yes")),
        (WORN_OUT, "Je suis épuisé ce soir.", ("no", "no", "yes")),
        (WORN_OUT, "Je suis épuisée ce matin.", ("no", "yes", "no")),
        (WORN_OUT, "Je suis fatiguée ce soir.", ("no", "no", "yes")),
        (NEUTRAL, "J'aime le thé.", ("yes", "none", "yes")),
        (NEUTRAL, "J'aime le thé vert.", ("no", "none", "no")),
    ],
)
def test_automatic_labels(pair: Pair, text: str, labels: tuple[str, str, str]) -> None:
    item = candidates(pair, feminine=text)[1].make()
    assert tuple(item.fields[name] for name in AUTOMATIC) == labels
    assert [each.label for each in kind.automatic(item)] == list(labels)
    score = score_answer(pair, "feminine", text, PROTOCOL.words, PROTOCOL.spelling)
    assert (score.outcome == "right") == (labels[0] == "yes")


@pytest.mark.parametrize(
    ("changed", "right"),
    [
        ({}, "yes"),
        ({"speaker": "none"}, "yes"),
        ({"grammatical": "no"}, "no"),
        ({"speaker": "no"}, "no"),
        ({"meaning": "no"}, "no"),
        ({"changes": ("others",)}, "no"),
    ],
)
def test_a_rewriting_is_right_if_all_of_it_is(changed: dict[str, AnswerValue], right: str) -> None:
    item = candidates(WORN_OUT)[0].make()
    response = Response(study="x", participant="ann", item=item.id, answers={**FINE, **changed})
    labels = {each.name: each.label for each in kind.judge(item, response)}
    assert labels["right"] == right
    assert labels["nothing else changed"] == ("no" if "changes" in changed else "yes")


def test_tables_of_people_and_of_the_automatic_judgement() -> None:
    """Four rewritings, two of them the reference. People find one of the others fine, where the
    model chose another word for worn out; and one reference is not, by one of three people."""
    texts = {"feminine": "Je suis fatiguée ce soir.", "masculine": "Je suis épuisée ce soir."}
    items = tuple(each.make() for each in (*candidates(WORN_OUT, **texts), *candidates(NEUTRAL)))
    man, woman, *neutral = items
    neither = {**FINE, "speaker": "none"}
    verdicts: dict[str, list[dict[str, AnswerValue]]] = {
        man.id: [{**FINE, "speaker": "no"}] * 3,
        woman.id: [FINE, FINE, {**FINE, "meaning": "no"}],
        neutral[0].id: [neither] * 3,
        neutral[1].id: [neither, neither, {**neither, "changes": ("words",)}],
    }
    study = whole(items)
    responses = [
        Response(study=study.name, participant=person, item=item, answers=answers)
        for item, given in verdicts.items()
        for person, answers in zip(("ann", "bob", "eve"), given, strict=True)
    ]
    summary = summarise_study(study, responses, ())
    assert study_values(summary, "labels", "model-x", "all") == {
        "n": 4, "grammatical": 1, "speaker": 0.75, "meaning": 1, "nothing else changed": 1,
        "right": 0.75, "right automatically": 0.5, "right though not the reference": 0.5,
    }  # fmt: skip

    def confusion(*keys: str) -> tuple[float | None, ...]:
        return tuple(study_values(summary, "confusion", *keys).values())

    assert confusion("right", "yes") == (2, 1, 0)
    assert confusion("right", "no") == (0, 1, 0)
    assert confusion("speaker", "yes") == (0, 1, 0)
    assert confusion("speaker", "no") == (0, 1, 0)
    assert confusion("speaker", "none") == (0, 0, 2)
    assert confusion("nothing else changed", "yes") == (4, 0, 0)
    assert study_values(summary, "automatic", "all", "all")["agreement"] == 0.75
    assert summary.metrics["right"].value == 0.75
    assert summary.metrics["agreement_automatic"].value == 0.75


def test_ties_are_left_out_and_counted() -> None:
    """Ann and Bob differ in whether one of two rewritings is right; and, of the other, which both
    find wrong, in the reason."""
    items = tuple(each.make() for each in candidates(WORN_OUT))
    first, second = items
    study = whole(items)
    given: list[tuple[str, str, dict[str, AnswerValue]]] = [
        ("ann", first.id, FINE),
        ("bob", first.id, {**FINE, "grammatical": "no"}),
        ("ann", second.id, {**FINE, "grammatical": "no"}),
        ("bob", second.id, {**FINE, "meaning": "no"}),
    ]
    responses = [
        Response(study=study.name, participant=person, item=item, answers=answers)
        for person, item, answers in given
    ]
    summary = summarise_study(study, responses, ())
    tables = {table.name: table for table in summary.tables}
    assert "; 1, which as many judged right as not, are left out" in tables["labels"].notes[0]
    assert study_values(summary, "labels", "model-x", "all")["n"] == 1
    assert study_values(summary, "labels", "model-x", "all")["grammatical"] is None
    assert "nothing else changed 1, right 1, speaker 1" in tables["confusion"].notes[0]
    assert study_values(summary, "confusion", "right", "no")["automatically yes"] == 1


def test_the_card_names_the_tables() -> None:
    assert suite.card.studies["rewritings"].tables == (
        "labels", "agreement", "automatic", "confusion",
    )  # fmt: skip
