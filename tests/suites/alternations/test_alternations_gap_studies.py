"""The studies of gaps: the choice of three verbs, and what is wrong with a completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.core.records import Completion, Completions, Text, Texts
from epicene.stats.intervals import wilson
from epicene.studies.analysis.study_summary import summarise_study
from epicene.studies.design.checks import study_problems
from epicene.studies.design.sampling import Candidate, SamplingOptions, stratified_sample
from epicene.studies.design.schema import (
    AnswerValue,
    Response,
    SamplingRecord,
    Study,
    StudyItem,
    visible_values,
)
from epicene.suites import AnsweredRequest, Answers, DataSource
from epicene.suites.alternations.data import read
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.protocol import PROTOCOLS, AlternationsProtocol
from epicene.suites.alternations.studies import cloze_choice, completions
from epicene.suites.alternations.studies.completions import ERRORS
from epicene.suites.studies import Material, StudyKind
from suites.table_cells import study_cells

OURS = PROTOCOLS["epicene"]
Filled: TypeAlias = Material[Pair, AlternationsProtocol]
Kind: TypeAlias = StudyKind[Pair, AlternationsProtocol]


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    """Five verbs in their four variants."""
    every = [pair for pair in read(DataSource(), OURS).items if pair.gold]
    verbs = list(dict.fromkeys(pair.group for pair in every))[:5]
    return [pair for pair in every if pair.group in verbs]


def filled(pair: Pair, model: str, text: str) -> Filled:
    completion = Completion(text=text, logprob=-1.0, tokens=1)
    other = Completion(text="और", logprob=-2.0, tokens=1)
    answer = Completions(completions=(other, completion), method="masked")
    answers = Answers(
        [AnsweredRequest("cloze", "model", model, "cloze", answer)] if pair.has_gap else []
    )
    return Material(item=pair, protocol=OURS, model=model, answers=answers)


def candidates(kind: Kind, pairs: Iterable[Pair], texts: Mapping[str, str]) -> list[Candidate]:
    """Every gap, filled by each model with the same word everywhere; GOLD is the expected one."""
    return [
        candidate
        for model, text in texts.items()
        for pair in pairs
        for candidate in kind.candidates(filled(pair, model, pair.gold if text == "GOLD" else text))
    ]


def whole(kind: Kind, name: str, items: tuple[StudyItem, ...]) -> Study:
    return msgspec.structs.replace(
        kind.study(OURS), items=items, drawn=SamplingRecord(kind=name, protocol="epicene")
    )


# --- three verbs ------------------------------------------------------------------------------

CLOZE: Kind = cloze_choice.kind
TEXTS = {"model-x": "खरीदी", "model-y": "निकाली"}


def test_the_expected_verb_and_two_models(pairs: list[Pair]) -> None:
    items = CLOZE.sample(candidates(CLOZE, pairs, TEXTS), OURS, SamplingOptions())
    assert len(items) == 5 * 3  # DV has no gap of its own
    study = whole(CLOZE, "cloze-choice", items)
    assert not list(study_problems(study))
    assert study.lists == "rotated"
    known = {pair.id: pair for pair in pairs}
    orders: Counter[str] = Counter()
    for item in items:
        pair = known[item.fields["pair"]]
        seen = visible_values(study, item)
        assert set(seen) == {"sentence", "one", "two", "three"}
        assert set(item.fields) - set(seen) == set(study.hidden)
        assert seen["sentence"] == f"{pair.prefix} ____ {pair.after}"
        assert seen[item.fields["gold"]] == pair.gold
        assert seen[item.fields["first"]] == TEXTS[item.fields["first_model"]]
        assert seen[item.fields["second"]] == TEXTS[item.fields["second_model"]]
        assert "model-" not in f"{item.id} {seen}"
        orders[item.fields["gold"]] += 1
    assert set(orders) == {"one", "two", "three"}


def test_equal_verbs_give_no_choice_of_three(pairs: list[Pair]) -> None:
    for texts in ({"x": "GOLD", "y": "निकाली"}, {"x": "निकाली", "y": "निकाली"}):
        with pytest.raises(InputError, match="no items to sample"):
            CLOZE.sample(candidates(CLOZE, pairs, texts), OURS, SamplingOptions())


def test_one_model_or_three_are_not_two(pairs: list[Pair]) -> None:
    for texts in ({"x": "खरीदी"}, {"x": "खरीदी", "y": "निकाली", "z": "बेची"}):
        with pytest.raises(InputError, match="completions of two models"):
            CLOZE.sample(candidates(CLOZE, pairs, texts), OURS, SamplingOptions())


def test_the_papers_study_has_every_verbs_full_frame(pairs: list[Pair]) -> None:
    paper = PROTOCOLS["paper"]
    items = CLOZE.sample(candidates(CLOZE, pairs, TEXTS), paper, SamplingOptions())
    assert {item.fields["variant"] for item in items} == {"SV"}
    assert len(items) == 5
    assert CLOZE.study(paper).judgements == 14
    with pytest.raises(InputError, match="all 56 verbs"):
        CLOZE.sample(candidates(CLOZE, pairs, TEXTS), paper, SamplingOptions(total=3))


def test_preference_for_the_expected_verb(pairs: list[Pair]) -> None:
    items = CLOZE.sample(candidates(CLOZE, pairs, TEXTS), OURS, SamplingOptions())
    study = whole(CLOZE, "cloze-choice", items)
    verbs = sorted({item.group for item in items})

    def choose(item: StudyItem, person: str) -> str:
        if item.group == verbs[0]:
            return item.fields["first"]
        if person == "bob" and item.group == verbs[1]:
            return item.fields["second"]
        return item.fields["gold"]

    given = [
        Response(
            study=study.name,
            participant=person,
            item=item.id,
            answers={"best": choose(item, person)},
        )
        for person in ("ann", "bob")
        for item in items
    ]
    summary = summarise_study(study, given)
    row = study_cells(summary, "preference", "all")
    assert row["choices"].value == 30
    assert row["gold"].value == pytest.approx((3 * 5 * 2 - 3 * 2 - 3) / 30)
    assert row["model-x"].value == pytest.approx(6 / 30)
    assert row["model-y"].value == pytest.approx(3 / 30)
    assert row["gold"].low is not None
    assert study_cells(summary, "preference", "No Case(E)")["choices"].value == 10
    assert study_cells(summary, "preference", "the paper")["gold"].value == 0.859
    assert summary.metrics["preference for gold"] == row["gold"]
    assert study_cells(summary, "participants", "bob")["right"].value == pytest.approx(9 / 15)
    agreed = study_cells(summary, "agreement", "all", "all")["agreement"]
    assert agreed.value == pytest.approx(12 / 15)


# --- what is wrong ----------------------------------------------------------------------------

LABELS: Kind = completions.kind


def test_every_completion_in_its_sentence(pairs: list[Pair]) -> None:
    found = candidates(LABELS, pairs, {"model-x": "GOLD", "model-y": "पेड़"})
    items = stratified_sample(found, SamplingOptions(twice=0))
    assert len(items) == 2 * 5 * 3
    study = whole(LABELS, "completions", items)
    assert not list(study_problems(study))
    known = {pair.id: pair for pair in pairs}
    for item in items:
        pair = known[item.fields["pair"]]
        seen = visible_values(study, item)
        assert set(seen) == {"sentence", "completion"}
        assert set(item.fields) - set(seen) == set(study.hidden)
        assert "model-" not in f"{item.id} {seen}"
        if item.fields["model"] == "model-x":
            assert seen["sentence"] == pair.good
            assert (item.fields["kind"], item.fields["agrees"]) == ("indirect causative", "yes")
        else:
            assert seen["sentence"] == f"{pair.prefix} पेड़ {pair.after}"
            assert (item.fields["kind"], item.fields["agrees"]) == ("not a verb", "")


def test_a_chat_models_answers_are_labelled_too(pairs: list[Pair]) -> None:
    pair = next(each for each in pairs if each.has_gap)
    answer = Texts(texts=(Text(text="**दिलवाई**।"),))
    answers = Answers([AnsweredRequest("prompt", "model", "m", "prompt", answer)])
    (candidate,) = LABELS.candidates(Material(item=pair, protocol=OURS, model="m", answers=answers))
    assert candidate.make().fields["completion"] == "दिलवाई"
    empty = Answers(
        [AnsweredRequest("prompt", "model", "m", "prompt", Texts(texts=(Text(text="…"),)))]
    )
    material = Material(item=pair, protocol=OURS, model="m", answers=empty)
    assert not list(LABELS.candidates(material))


def test_what_people_found_and_how_far_the_analyser_agrees(pairs: list[Pair]) -> None:
    found = candidates(LABELS, pairs, {"model-x": "GOLD", "model-y": "पेड़"})
    items = stratified_sample(found, SamplingOptions(twice=0))
    study = whole(LABELS, "completions", items)
    first = sorted({item.group for item in items})[0]

    def said(item: StudyItem) -> dict[str, AnswerValue]:
        if item.fields["model"] == "model-y":
            return {"grammatical": "no", "plausible": "no", "errors": ("meaning", "case")}
        if item.group == first:
            return {"grammatical": "no", "plausible": "yes", "errors": ("agreement",)}
        return {"grammatical": "yes", "plausible": "yes", "errors": ()}

    given = [
        Response(study=study.name, participant=person, item=item.id, answers=said(item))
        for person in ("ann", "bob")
        for item in items
    ]
    summary = summarise_study(study, given)
    mine = study_cells(summary, "labels", "model-x", "all")
    assert mine["completions"].value == 15
    assert mine["ungrammatical"].value == pytest.approx(3 / 15)
    assert mine["agreement"].value == pytest.approx(3 / 15)
    assert mine["implausible"].value == mine["meaning"].value == 0
    other = study_cells(summary, "labels", "model-y", "not a verb")
    assert [other[error].value for error in ERRORS] == [0, 1, 0, 1]
    assert study_cells(summary, "labels", "the paper", "all")["ungrammatical"].value == 0.28
    agreed = study_cells(summary, "agreement", "grammatical", "all", "all")["agreement"]
    assert agreed.value == 1
    # The analyser takes all of model-x for grammatical, none of model-y.
    beside = study_cells(summary, "automatic", "grammatical", "all", "all")["agreement"]
    assert beside.value == pytest.approx(27 / 30)
    errors = study_cells(summary, "automatic", "agreement", "all", "all")["agreement"]
    assert errors.value == pytest.approx(12 / 15)
    assert summary.metrics["ungrammatical"].value == pytest.approx(18 / 30)
    assert wilson(18, 30).value == summary.metrics["ungrammatical"].value
