"""The study of sentences that should not show a gender: items, practice, judgements and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from epicene.core.errors import InputError
from epicene.core.records import Estimate, Text, Texts
from epicene.studies.analysis.study_builder import study_kind_of_runs
from epicene.studies.analysis.study_summary import StudySummary, summarise_study
from epicene.studies.design.checks import launch_problems, study_problems
from epicene.studies.design.schema import (
    AnswerValue,
    ChoiceQuestion,
    Response,
    SamplingRecord,
    Study,
    StudyItem,
    visible_values,
)
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.genform import suite
from epicene.suites.genform.items import TARGETS, Gender, Pair
from epicene.suites.genform.judge_neutral import score_neutral
from epicene.suites.genform.neutral_words import neutral_languages
from epicene.suites.genform.protocol import PROTOCOLS
from epicene.suites.genform.studies.naturalness import kind
from epicene.suites.studies import Material

if TYPE_CHECKING:
    from epicene.studies.design.sampling import Candidate

PROTOCOL = replace(PROTOCOLS["epicene"], targets=("neutral",))
TEACHER = Pair(
    id="teacher",
    language="de",
    masculine="Ich bin Lehrer in Bremen.",
    feminine="Ich bin Lehrerin in Bremen.",
)
TIRED = Pair(id="tired", language="de", masculine="Ich bin müde.", feminine="Ich bin müde.")
FINE: dict[str, AnswerValue] = {
    "grammatical": "yes", "speaker": "yes", "meaning": "yes", "changes": (),
}  # fmt: skip


def candidates(pair: Pair, text: str, sources: tuple[Gender, ...] = TARGETS) -> list[Candidate]:
    answers = Answers(
        AnsweredRequest(
            "neutral", "model", "m", f"neutral {source}", Texts(texts=(Text(text=text),))
        )
        for source in sources
    )
    material = Material(item=pair, protocol=PROTOCOL, model="model-x", answers=answers)
    return list(kind.candidates(material))


def item(pair: Pair, text: str) -> StudyItem:
    return candidates(pair, text)[0].make()


def whole(*items: StudyItem) -> Study:
    drawn = SamplingRecord(kind="naturalness", protocol="epicene")
    return kind.for_items(replace(kind.study(PROTOCOL), items=items, drawn=drawn))


@pytest.mark.parametrize("language", neutral_languages())
def test_the_page_is_complete_in_every_language(language: str) -> None:
    study = whole(item(replace(TEACHER, language=language), "Ich bin Lehrkraft in Bremen."))
    assert not list(study_problems(study))
    assert not list(launch_problems(study))
    assert set(study.title) == {"en", language}
    for question in study.questions:
        assert set(question.ask) == {"en", language}
    rating = study.questions[4]
    assert isinstance(rating, ChoiceQuestion)
    assert [option.id for option in rating.options] == ["1", "2", "3", "4", "5"]
    assert rating.preference, "there is no right answer"
    (shown,) = study.items
    assert set(visible_values(study, shown)) == {"text", "rewriting"}
    assert set(shown.fields) - {"text", "rewriting"} == set(study.hidden)


@pytest.mark.parametrize("language", neutral_languages())
def test_practice_items_cover_every_answer_but_the_rating(language: str) -> None:
    study = whole(item(replace(TEACHER, language=language), "Ich bin Lehrkraft in Bremen."))
    answers = [each.expected for each in study.practice]
    assert all(set(expected) == set(FINE) for expected in answers)
    assert {expected["speaker"] for expected in answers} == {"yes", "no"}
    assert any(expected["changes"] for expected in answers)
    assert answers[0] == FINE
    assert all(set(each.feedback) == {"en", language} for each in study.practice)


@pytest.mark.parametrize(
    ("pair", "text", "labels", "form"),
    [
        (TEACHER, "Ich bin Lehrkraft in Bremen.", ("yes", "yes", "yes"), "reworded"),
        (TEACHER, "Ich bin Lehrer*in in Bremen.", ("yes", "yes", "yes"), "star"),
        (TEACHER, "Ich bin Lehrer in Bremen.", ("no", "no", "yes"), "masculine"),
        (TEACHER, "Ich bin Lehrkraft in Berlin.", ("no", "yes", "no"), "reworded"),
        (TEACHER, "Das geht leider nicht.", ("no", "no", "no"), "no form"),
        (TIRED, "Ich bin müde.", ("yes", "yes", "yes"), "no form"),
    ],
)
def test_automatic_labels(pair: Pair, text: str, labels: tuple[str, ...], form: str) -> None:
    made = item(pair, text)
    names = ("automatic", "automatic speaker", "automatic nothing else changed")
    assert tuple(made.fields[name] for name in names) == labels
    assert made.fields["form"] == form
    assert [each.label for each in kind.automatic(made)] == list(labels)
    assert (score_neutral(pair, "masculine", text).outcome == "right") == (labels[0] == "yes")


def test_empty_rewritings_are_not_shown_and_sentences_are_in_one_language() -> None:
    assert candidates(TEACHER, "") == []
    french = replace(TEACHER, language="fr", masculine="Je suis prêt.", feminine="Je suis prête.")
    with pytest.raises(InputError, match="sentences in de, fr"):
        whole(item(TEACHER, "Ich bin Lehrkraft in Bremen."), item(french, "Je suis prêt·e."))


def rated(shown: StudyItem, person: str, rating: str, **changed: str) -> Response:
    answers = {**FINE, "natural": rating, **changed}
    return Response(study="x", participant=person, item=shown.id, answers=answers)


def summary(study: Study, responses: list[Response]) -> StudySummary:
    return summarise_study(study, responses, ())


def cells(found: StudySummary, name: str, *keys: str) -> dict[str, Estimate | str | None]:
    (table,) = [each for each in found.tables if each.name == name]
    (row,) = [each for each in table.rows if each.keys == keys]
    return dict(zip([column.name for column in table.columns], row.cells, strict=True))


def test_ratings_are_averaged_by_hand() -> None:
    reworded, star = (
        item(TEACHER, "Ich bin Lehrkraft in Bremen."),
        item(replace(TEACHER, id="star"), "Ich bin Lehrer*in in Bremen."),
    )
    study = whole(reworded, star)
    found = summary(
        study,
        [
            rated(reworded, "ann", "5"),
            rated(reworded, "bob", "4"),
            rated(star, "ann", "2"),
            rated(star, "bob", "1", grammatical="no"),
        ],
    )
    everything = cells(found, "ratings", "model-x", "all")
    values = {name: each.value for name, each in everything.items() if isinstance(each, Estimate)}
    assert values["n"] == 2
    assert values["mean"] == pytest.approx(3.0)
    assert values["4 or 5"] == pytest.approx(0.5)
    assert values["1 or 2"] == pytest.approx(0.5)
    one = cells(found, "ratings", "model-x", "reworded")["mean"]
    assert isinstance(one, Estimate)
    assert one.value == pytest.approx(4.5)
    assert found.metrics["natural"].value == pytest.approx(3.0)
    assert found.metrics["natural_4_or_5"].value == pytest.approx(0.5)


def test_ordinal_agreement_is_krippendorffs() -> None:
    """Ratings 5, 4 and 2, 1: each rating once, so that n_c = 1 for four of five labels.

    By hand: δ²(a, b) = (sum of counts from a to b − (n_a + n_b) / 2)², here (rank distance)² with
    ranks 1, 2, 4, 5 → 0, 1, 2, 3: D_o = (1 + 1 + 1 + 1) / 4 = 1, D_e = mean over ordered pairs
    of (1, 4, 9, 1, 4, 1) = 20 / 6; α = 1 − 1 / (20 / 6) = 0.7.
    """
    first, second = (
        item(TEACHER, "Ich bin Lehrkraft in Bremen."),
        item(replace(TEACHER, id="2"), "Ich bin Lehrer*in in Bremen."),
    )
    responses = [
        rated(first, "ann", "5"),
        rated(first, "bob", "4"),
        rated(second, "ann", "2"),
        rated(second, "bob", "1"),
    ]
    alpha = cells(summary(whole(first, second), responses), "ratings", "model-x", "all")["α"]
    assert isinstance(alpha, Estimate)
    assert alpha.value == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("targets", "expected"),
    [(("neutral",), "naturalness"), (("masculine", "feminine"), "rewritings")],
)
def test_the_study_follows_from_the_targets(targets: tuple[str, ...], expected: str) -> None:
    protocol = replace(PROTOCOLS["epicene"], targets=targets)
    assert study_kind_of_runs(suite, "", protocol) == expected


def test_a_run_with_all_targets_must_name_the_study() -> None:
    protocol = replace(PROTOCOLS["epicene"], targets=("masculine", "feminine", "neutral"))
    with pytest.raises(InputError, match="naturalness, rewritings; choose one with --study"):
        study_kind_of_runs(suite, "", protocol)
    assert study_kind_of_runs(suite, "naturalness", protocol) == "naturalness"
