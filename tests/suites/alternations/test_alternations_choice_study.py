"""The study `choice`: what is drawn and hidden, and what is made of people's choices."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.core.records import Estimate
from epicene.show.layout import PUBLISHED, lay_out
from epicene.stats.intervals import wilson
from epicene.studies.analysis.study_builder import study_from_data
from epicene.studies.analysis.study_summary import StudySummary, summarise_study
from epicene.studies.collection.folder import create_study_folder, open_study_folder
from epicene.studies.collection.sheets import write_sheets
from epicene.studies.design.checks import study_problems
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import (
    ChoiceQuestion,
    ChoiceScreener,
    NumberScreener,
    Response,
    Study,
    visible_values,
)
from epicene.studies.exchange.response_files import responses_sheet
from epicene.suites import DataSource
from epicene.suites.alternations import suite
from epicene.suites.alternations.data import read
from epicene.suites.alternations.items import VARIANTS, Pair
from epicene.suites.alternations.protocol import PROTOCOLS
from epicene.suites.alternations.published import JUDGEMENTS, PAIRS_JUDGED
from epicene.suites.alternations.studies import choice
from epicene.suites.studies import Material
from suites.table_cells import study_cells


@pytest.fixture(scope="module")
def pairs() -> dict[str, Pair]:
    return {pair.id: pair for pair in read(DataSource(), PROTOCOLS["epicene"]).items}


def drawn(protocol: str = "epicene", languages: tuple[str, ...] = (), **wanted: Any) -> Study:
    return study_from_data(
        suite,
        DataSource(),
        SamplingOptions(**wanted),
        study="choice",
        protocol=protocol,
        languages=languages,
    )


# --- the definition ---------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["paper", "epicene"])
def test_the_definition_is_sound(protocol: str) -> None:
    study = drawn(protocol)
    assert not list(study_problems(study))
    assert set(study.title) == {"en", "hi"}
    assert study.consent.keys() == study.instructions.keys() == {"en", "hi"}
    native, age = study.screening
    assert isinstance(native, ChoiceScreener)
    assert native.accept == ("yes",)
    assert isinstance(age, NumberScreener)
    assert age.at_least == 18
    (question,) = study.questions
    assert isinstance(question, ChoiceQuestion)
    assert question.between == ("a", "b")
    assert study.shuffle


def test_practice_fillers_and_checks_have_the_right_answer_on_either_side() -> None:
    study = drawn(per_cell=1)
    assert (len(study.practice), len(study.checks), len(study.fillers)) == (3, 3, 12)
    for part in (study.practice, study.checks, study.fillers):
        assert {item.expected["better"] for item in part} == {"a", "b"}
    sides = Counter(str(item.expected["better"]) for item in study.fillers)
    assert sides == {"a": 6, "b": 6}
    for filler in study.fillers:  # they differ in one word, as the instructions say
        words = [filler.fields[side].split() for side in ("a", "b")]
        assert sum(one != other for one, other in zip(*words, strict=True)) == 1


# --- drawing ----------------------------------------------------------------------------------


def test_a_person_sees_one_variant_of_each_verb() -> None:
    study = drawn()
    assert study.lists == "rotated"
    assert len(study.items) == 224
    groups = Counter(item.group for item in study.items)
    assert len(groups) == 56
    assert set(groups.values()) == {4}  # so the lists are four, each with one item of every verb
    assert study.judgements == 20
    assert all(item.judgements is None for item in study.items)


def test_some_verbs_come_with_all_their_variants() -> None:
    for items in (drawn(total=20, seed=7).items, drawn(per_cell=5, seed=7).items):
        assert len(items) == 20
        assert set(Counter(item.group for item in items).values()) == {4}
        assert set(Counter(item.fields["variant"] for item in items).values()) == {5}
    assert drawn(per_cell=5, seed=7).items == items
    others = drawn(per_cell=5, seed=8).items
    assert {item.group for item in others} != {item.group for item in items}


def test_the_papers_draw() -> None:
    study = drawn("paper")
    assert study.lists == "given"
    assert Counter(item.fields["variant"] for item in study.items) == PAIRS_JUDGED
    for item in study.items:
        assert item.list == item.fields["variant"]
        assert item.judgements == JUDGEMENTS[item.fields["variant"]]
    assert sum(item.judgements or 0 for item in study.items) == 56 * 15 + 3 * 28 * 20
    with pytest.raises(InputError, match="56 pairs of DV and 28 of each other variant"):
        drawn("paper", per_cell=3)


def test_nothing_shown_says_which_sentence_is_which(pairs: dict[str, Pair]) -> None:
    study = drawn()
    sides: Counter[str] = Counter()
    by_id: Counter[bool] = Counter()
    for item in study.items:
        seen = visible_values(study, item)
        assert set(seen) == {"a", "b"}
        assert set(item.fields) - set(seen) == set(study.hidden)
        pair = pairs[item.fields["pair"]]
        assert seen[item.fields["good"]] == pair.good
        assert set(seen.values()) == {pair.good, pair.bad}
        assert pair.id not in item.id
        by_id[int(item.id[2], 16) % 2 == (item.fields["good"] == "a")] += 1
        sides[item.fields["good"]] += 1
    # A toss of a coin: five standard deviations of 224 tosses.
    assert abs(sides["a"] - 112) < 5 * 7.5
    assert abs(by_id[True] - 112) < 5 * 7.5  # nor is the coin the id's own


def test_a_sheet_does_not_tell_checks_and_fillers_from_items(tmp_path: Path) -> None:
    study = msgspec.structs.replace(drawn(per_cell=2), judgements=1)
    people = [f"p{number}" for number in range(4)]
    for path in write_sheets(study, people, tmp_path)[:-1]:
        with path.open(encoding="utf-8-sig", newline="") as file:
            ids = [row["item"] for row in csv.DictReader(file)]
        assert len(ids) == 2 + len(study.checks) + len(study.fillers)
        assert [name for name in ids if not re.fullmatch("i[0-9a-f]{12}", name)] == []


def test_a_folder_of_an_earlier_version_goes_on_working(tmp_path: Path) -> None:
    """Its ids told checks from items, some were numbers, and no question was a preference."""
    now = drawn(per_cell=10)
    (better,) = now.questions
    before = msgspec.structs.replace(
        now,
        questions=(msgspec.structs.replace(better, preference=False),),
        items=tuple(
            msgspec.structs.replace(item, id=f"{place:012}") for place, item in enumerate(now.items)
        ),
        **{
            part: tuple(
                msgspec.structs.replace(item, id=f"{part}-{place}")
                for place, item in enumerate(getattr(now, part))
            )
            for part in ("practice", "checks", "fillers")
        },
    )
    create_study_folder(tmp_path / "study", before)
    folder = open_study_folder(tmp_path / "study")
    verbs = sorted({item.group for item in now.items})
    wrong = {"ann": set(), "bob": set(verbs[:1]), "cyd": set(verbs[:3])}
    given = responses(folder.study, wrong)
    (tmp_path / "all.csv").write_text(responses_sheet(folder.study, given), "utf-8", newline="")
    assert folder.import_file(tmp_path / "all.csv").new == len(given)
    old, new = (
        summarise_study(folder.study, folder.responses()),
        summarise_study(now, responses(now, wrong)),
    )
    assert old.metrics == new.metrics
    assert old.tables == new.tables


def test_only_hindi_and_without_the_frames_all_pairs() -> None:
    with pytest.raises(InputError, match="no items to sample"):
        drawn(languages=("fr",))
    agreement = read(
        DataSource(),
        msgspec.structs.replace(PROTOCOLS["epicene"], phenomena=("hi subject agreement",)),
    )
    found = [
        candidate
        for pair in agreement.items
        for candidate in choice.candidates(Material(item=pair, protocol=PROTOCOLS["epicene"]))
    ]
    assert len(choice.draw(found, PROTOCOLS["epicene"], SamplingOptions())) == len(found) > 10


# --- what comes of it -------------------------------------------------------------------------


def responses(study: Study, wrong: dict[str, set[str]]) -> list[Response]:
    """Everybody answers everything, and chooses the bad sentence of the verbs named for them."""
    given = []
    for person, verbs in wrong.items():
        for item in study.items:
            other = {"a": "b", "b": "a"}[item.fields["good"]]
            side = other if item.group in verbs else item.fields["good"]
            given.append(
                Response(
                    study=study.name,
                    participant=person,
                    item=item.id,
                    answers={"better": side},
                    seconds=2.0 if person == "ann" else None,
                )
            )
        for check in (*study.checks, *study.fillers):
            right = str(check.expected["better"])
            wrong_one = {"a": "b", "b": "a"}[right]
            careless = person == "cyd" and check is study.checks[0]
            given.append(
                Response(
                    study=study.name,
                    participant=person,
                    item=check.id,
                    answers={"better": wrong_one if careless else right},
                )
            )
    return given


@pytest.fixture(scope="module")
def summary() -> StudySummary:
    study = drawn(per_cell=10)
    verbs = sorted({item.group for item in study.items})
    wrong = {"ann": set(), "bob": set(verbs[:1]), "cyd": set(verbs[:3])}
    return summarise_study(study, responses(study, wrong))


def test_accuracy_by_variant_person_and_item(summary: StudySummary) -> None:
    # Ten verbs in four variants by three people: bob fails on one verb, cyd on three.
    for variant in VARIANTS:
        found = study_cells(summary, "models", "people")[variant]
        assert found.value == pytest.approx(1 - 4 / 30)
        assert found.n == 30
    assert summary.metrics["accuracy"].value == pytest.approx(1 - 4 / 30)
    ann, bob, cyd = (study_cells(summary, "participants", name) for name in ("ann", "bob", "cyd"))
    assert (ann["right"].value, bob["right"].value, cyd["right"].value) == (1, 0.9, 0.7)
    assert ann["items"].value == 40
    assert ann["seconds (median)"].value == 2.0
    assert bob["seconds (median)"].value is None
    assert ann["attention checks right"] == wilson(3, 3)
    assert cyd["attention checks right"] == wilson(2, 3)
    assert cyd["fillers right"] == wilson(12, 12)
    (items,) = [table for table in summary.tables if table.name == "items"]
    assert len(items.rows) == 40
    shares = Counter(
        round(row.cells[1].value or 0, 3)
        for row in items.rows
        if isinstance(row.cells[1], Estimate)
    )
    assert shares == {1.0: 28, 0.667: 8, 0.333: 4}


def test_agreement_of_people(summary: StudySummary) -> None:
    # Per verb: one on which only ann is right, two on which only cyd is wrong, seven unanimous.
    same = (7 * 3 + 1 * 1 + 2 * 1) / 30
    found = study_cells(summary, "agreement", "all", "all")
    assert found["agreement"].value == pytest.approx(same)
    variant = study_cells(summary, "agreement", "variant", "SV")
    assert variant["agreement"].value == pytest.approx(same)
    # Krippendorff's α by hand over one variant's 30 judgements: 4 bad, 26 good.
    expected_disagreement = 2 * 4 * 26 / (30 * 29)
    alpha = 1 - (1 - same) / expected_disagreement
    assert variant["α"].value == pytest.approx(alpha)


def test_the_papers_numbers_stand_beside(summary: StudySummary) -> None:
    assert study_cells(summary, "models", "the paper's people")["SV"].value == pytest.approx(0.909)
    (models,) = (table for table in summary.tables if table.name == "models")
    printed = [line.keys[0] for line in lay_out(models).lines]
    assert "the paper's people (published)" in printed
    assert not [name for name in printed if name.count(PUBLISHED) > 1]
    assert study_cells(summary, "models", "BLOOM 1.1b")["No Case(E)"].value == pytest.approx(0.232)
