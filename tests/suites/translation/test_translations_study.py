"""The study of translations: what is sampled and shown, what comes of the answers."""

from __future__ import annotations

import pytest

import epicene
from epicene.core.errors import InputError
from epicene.core.records import Estimate, Text, Texts
from epicene.runs.stored_run import StoredRun
from epicene.studies.analysis.corrections import NOT_RIGHT, RIGHT
from epicene.studies.analysis.study_builder import study_from_runs
from epicene.studies.analysis.study_summary import AnsweredStudy, summarise_study
from epicene.studies.design.checks import study_problems
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import Response, Study, StudyItem, visible_values
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.studies import Material
from epicene.suites.translation.entities import LANGUAGES
from epicene.suites.translation.items import FEMININE, MASCULINE, Sentence
from epicene.suites.translation.protocol import PROTOCOLS
from epicene.suites.translation.studies.translations import kind

PROTOCOL = PROTOCOLS["epicene"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """Every starter sentence into Spanish and French, four of five right."""
    out = tmp_path_factory.mktemp("run") / "a"
    made = epicene.run(
        "translation", "planted?rate=0.8", out=out, settings={"languages": "es,fr"}, progress=False
    )
    return made.stored[0]


@pytest.fixture(scope="module")
def study(run: StoredRun) -> Study:
    return study_from_runs([run], SamplingOptions(), languages=("es",))


def answered(study: Study, *people: dict[str, str]) -> AnsweredStudy:
    """Each person says what the suite says, but for some items."""
    responses = [
        Response(
            study=study.name,
            participant=f"person {number}",
            item=item.id,
            answers={"gender": others.get(item.id, item.fields["automatic"])},
        )
        for number, others in enumerate(people)
        for item in study.items
    ]
    return AnsweredStudy(study, responses)


def test_what_is_sampled_and_shown(study: Study) -> None:
    assert not list(study_problems(study))
    assert len(study.items) == 32  # sentences without a pronoun are open, so nothing is wrong
    assert {each.language for each in study.practice} == {"es"}
    for item in study.items:
        assert set(visible_values(study, item)) == {"english", "person", "translation"}
        assert set(item.fields) - set(visible_values(study, item)) == set(study.hidden)


def test_a_study_is_in_one_language(run: StoredRun) -> None:
    with pytest.raises(InputError, match="es, fr, but people judge those into one"):
        study_from_runs([run], SamplingOptions())


def test_every_language_has_practice() -> None:
    practice = kind.study(PROTOCOL).practice
    for language in LANGUAGES:
        mine = [each for each in practice if each.language == language]
        assert [each.expected["gender"] for each in mine] == ["same", "other", "none"]
        assert all(each.feedback["en"] for each in mine)


def _candidates(sentence: Sentence, text: str) -> list[str]:
    answer = Texts(texts=(Text(text=text),))
    answers = Answers([AnsweredRequest("translation", "model", "m", "translation", answer)])
    material = Material(item=sentence, protocol=PROTOCOL, model="m", answers=answers)
    return [each.make().fields["automatic"] for each in kind.candidates(material)]


def test_what_can_be_judged() -> None:
    sentence = Sentence(
        id="1", language="es", source="The nurse said that he was tired.", entity="nurse",
        position=1, gender="masculine",
    )  # fmt: skip
    assert _candidates(sentence, "El enfermero dijo que estaba cansado.") == ["same"]
    assert _candidates(sentence, "La enfermera dijo que estaba cansada.") == ["other"]
    assert _candidates(sentence, "Alguien abrió la ventana.") == ["none"]
    assert _candidates(sentence, "  ") == []
    open_ = Sentence(id="2", language="es", source="The nurse slept.", entity="nurse", position=1)
    assert _candidates(open_, "La enfermera durmió.") == []


def _of(items: tuple[StudyItem, ...], label: str) -> list[str]:
    return [item.id for item in items if item.fields["automatic"] == label]


def test_labels_confusion_and_ties(study: Study) -> None:
    same, other = (_of(study.items, label) for label in ("same", "other"))
    first = {same[0]: "other", same[1]: "none", other[0]: "same", same[2]: "unclear"}
    second = {**first, same[3]: "other"}  # a tie
    found = answered(study, first, second)
    summary = summarise_study(found.study, found.responses)
    tables = {table.name: table for table in summary.tables}
    counts = {
        row.keys: [cell.value for cell in row.cells if isinstance(cell, Estimate)]
        for row in tables["confusion"].rows
    }
    assert counts == {
        ("same",): [len(same) - 4, 1, 0],
        ("other",): [1, len(other) - 1, 0],
        ("none",): [1, 0, 0],
    }
    assert "ties: 1 label;" in tables["confusion"].notes[0]
    n, share = (cell for cell in tables["labels"].rows[0].cells[:2] if isinstance(cell, Estimate))
    assert n.value == 30
    assert share.value == pytest.approx((len(same) - 3) / 30)
    assert summary.metrics["right"].value == share.value


def test_people_correct_the_headline(run: StoredRun, study: Study) -> None:
    """Everything is labelled, so that people alone are the truth of the Spanish part."""
    same = _of(study.items, "same")
    found = answered(study, {same[0]: "other", same[1]: "none", same[2]: "unclear"})
    (headline,) = found.corrections([run]).headlines
    assert headline.headline == "right gender"
    assert headline.estimates.automatic.value == pytest.approx(len(same) / 32)
    assert headline.estimates.human.n == 31
    assert headline.confusion == {
        (RIGHT, RIGHT): len(same) - 3,
        (NOT_RIGHT, RIGHT): 2,
        (NOT_RIGHT, NOT_RIGHT): 32 - len(same),
    }
    assert (headline.left_out.open, headline.left_out.elsewhere) == (1, 32)


def test_the_practice_texts_read_as_expected() -> None:
    """What the suite's own scoring says of the practice items agrees with what people should."""
    roles = {"the librarian": "librarian", "the teacher": "teacher", "the nurse": "nurse"}
    for item in kind.study(PROTOCOL).practice:
        gender = MASCULINE if " he " in item.fields["english"] else FEMININE
        sentence = Sentence(
            id=item.id, language=item.language, source=item.fields["english"],
            entity=roles[item.fields["person"]], position=1, gender=gender,
        )  # fmt: skip
        assert _candidates(sentence, item.fields["translation"]) == [item.expected["gender"]]
