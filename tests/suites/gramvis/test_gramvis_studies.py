"""What people are asked about words and pictures, and what comes of their answers."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from epicene.app.commands import run_command, run_with_exit_code
from epicene.core.errors import InputError
from epicene.core.files import ImageFolder
from epicene.core.records import Estimate
from epicene.models import parse_spec
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import StoredRun, read_run
from epicene.show.table_formats import as_json
from epicene.studies.analysis.quality import question_agreement
from epicene.studies.analysis.study_builder import study_from_data, study_from_runs
from epicene.studies.analysis.study_summary import StudySummary, summarise_study
from epicene.studies.collection.folder import open_study_folder
from epicene.studies.collection.images import copy_images
from epicene.studies.design.answers import choice_ids
from epicene.studies.design.checks import study_problems
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import Response, SamplingRecord, Study, StudyItem, visible_values
from epicene.suites import DataSource, choose_protocol
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.items import CATEGORIES, LABELS
from epicene.suites.gramvis.judge import AGREEMENTS
from epicene.suites.gramvis.protocol import PROTOCOLS
from epicene.suites.gramvis.studies.word_meanings import (
    agreed_label,
    divergent_ids,
    meaning_item,
    read_study,
)
from epicene.suites.gramvis.word_lists import read_words, word_list
from runs.conftest import Silent
from scripted_people import respond


def table(summary: StudySummary, name: str) -> dict[str, Any]:
    (found,) = (table for table in summary.tables if table.name == name)
    made: dict[str, Any] = as_json(found)
    return made


def values(cells: dict[str, Any]) -> dict[str, Any]:
    return {name: cell["value"] for name, cell in cells.items()}


# --- words -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stereotype", "category"])
def test_every_meaning_is_asked_about_once(name: str) -> None:
    study = study_from_data(suite, DataSource(), SamplingOptions(), study=name)
    assert not list(study_problems(study))
    words = word_list(DataSource(), PROTOCOLS["epicene"]).words
    meanings = {word.english for word in words}
    assert {item.fields["meaning"] for item in study.items} == meanings
    assert len(study.items) == len(meanings) < len(words)
    named = [word for item in study.items for word in item.fields["words"].split("; ")]
    assert sorted(named) == sorted(word.id for word in words)
    for item in study.items:
        assert visible_values(study, item) == {"meaning": item.fields["meaning"]}
        assert {"words", "listed"} == set(study.hidden)
    assert choice_ids(read_study("stereotype").question("suggests")) == LABELS
    assert choice_ids(read_study("category").question("category")) == CATEGORIES


def test_our_words_of_one_meaning_have_one_stereotype() -> None:
    """It is the meaning's, whatever the language."""
    said: dict[str, set[str]] = {}
    for word in read_words():
        said.setdefault(word.english, set()).add(word.stereotype)
    assert {meaning for meaning, each in said.items() if len(each) > 1} == set()


def words_study() -> Study:
    items = (
        meaning_item("a sentry", ("DE/Wache/F", "FR/sentinelle/F"), "male"),
        meaning_item("charm", ("FR/charme/M",), "female"),
        meaning_item("courage", ("DE/Courage/F", "DE/Mut/M"), "male"),
        meaning_item("a chair", ("FR/chaise/F",), "male"),
    )
    study = read_study("stereotype")
    drawn = SamplingRecord(kind="stereotype", protocol="epicene")
    return Study(
        **{name: getattr(study, name) for name in study.__struct_fields__}
        | {"items": items, "drawn": drawn}
    )


VOTES = {"a sentry": "mmmmm", "charm": "fffnn", "courage": "mmmff", "a chair": "mmffn"}


def test_divergence_is_computed_from_what_most_people_say() -> None:
    study = words_study()
    labels = {"m": "male", "f": "female", "n": "neither"}
    summary = summarise_study(
        study,
        [
            Response(
                study=study.name, participant=f"p{place}", item=item.id,
                answers={"suggests": labels[letter]},
            )
            for item in study.items
            for place, letter in enumerate(VOTES[item.fields["meaning"]])
        ],
    )  # fmt: skip
    meanings = table(summary, "meanings")
    assert values(meanings["charm"]) == {
        "male": 0, "female": 3, "neither": 2, "people": "female", "list": "female",
        "words that diverge": "FR/charme/M",
    }  # fmt: skip
    assert {name: cells["people"]["value"] for name, cells in meanings.items()} == {
        "a chair": "no agreement", "a sentry": "male", "charm": "female", "courage": "male",
    }  # fmt: skip
    assert {name: cells["words that diverge"]["value"] for name, cells in meanings.items()} == {
        "a chair": "",
        "a sentry": "DE/Wache/F; FR/sentinelle/F",
        "charm": "FR/charme/M",
        "courage": "DE/Courage/F",
    }
    # Pairs of five: 10 of 10, 3 + 1, 3 + 1, 1 + 1.
    together = table(summary, "agreement")["people with each other"]
    assert together["agreement"]["value"] == pytest.approx((10 + 4 + 4 + 2) / 40)
    # Fleiss: observed 0.5; 10 male, 7 female, 3 neither of 20.
    chance = (10**2 + 7**2 + 3**2) / 20**2
    assert together["κ"]["value"] == pytest.approx((0.5 - chance) / (1 - chance))
    # Krippendorff corrects chance for the finite number of ratings.
    alpha = 1 - (1 - 0.5) / (1 - (10 * 9 + 7 * 6 + 3 * 2) / (20 * 19))
    assert together["α"]["value"] == pytest.approx(alpha)
    assert summary.metrics["alpha_people"].value == pytest.approx(alpha)
    # Of the chair two labels are as frequent, so it has none.
    assert table(summary, "agreement")["people with the list"]["agreement"]["n"] == 3


def test_a_label_needs_so_many() -> None:
    assert agreed_label("mmf", 2) == "m"
    assert agreed_label("mmf", 3) == ""
    assert agreed_label("", 1) == ""
    assert divergent_ids(["DE/Mut/M", "DE/Courage/F"], "male") == ["DE/Courage/F"]
    assert divergent_ids(["DE/Mut/M"], "neither") == []


# --- pictures --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    order = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", {"shots": "2"}, None),
        models={
            "drawer": [parse_spec("random?label=painter")],
            "judges": [parse_spec(f"random:{seed}?label=judge-{seed}") for seed in (1, 2, 3)],
        },
        limit=60,
        under=tmp_path_factory.mktemp("runs"),
    )
    folder, _ = run(order, Silent())
    return read_run(folder)


def test_a_sample_is_spread_over_the_strata(done: StoredRun) -> None:
    study = study_from_runs([done], SamplingOptions(total=90), study="image")
    assert not list(study_problems(study))
    fields = [item.fields for item in study.items]
    assert len(fields) == 90
    agreement = Counter(each["agreement"] for each in fields)
    assert set(agreement) == set(AGREEMENTS)
    there = Counter(summarise([done]).results.frame["agreement"].cast(str).drop_nulls().to_list())
    # Three guesses among three agree on one image in nine; the sample has more of these.
    assert agreement["unanimous"] / 90 > 1.5 * there["unanimous"] / there.total()
    assert {each["condition"] for each in fields} == {"english", "chinese", "gendered"}
    # The weights add up to all images of the strata that were drawn from.
    weights = sum(float(each["weight"]) for each in fields)
    assert weights <= there.total() + 1e-9
    whole = study_from_runs([done], SamplingOptions(total=5000), study="image")
    assert sum(float(each.fields["weight"]) for each in whole.items) == pytest.approx(360)


def test_five_hundred_unless_said(done: StoredRun) -> None:
    """Of one prompt at most one image is drawn in each stratum, of 360 images fewer than 500."""
    study = study_from_runs([done], SamplingOptions(), study="image")
    whole = study_from_runs([done], SamplingOptions(total=500), study="image")
    assert study.items == whole.items
    assert study.drawn is not None
    assert study.drawn.total is None


def test_a_person_sees_the_picture_alone(done: StoredRun) -> None:
    study = study_from_runs([done], SamplingOptions(total=20), study="image")
    assert study.judgements == 3
    for item in study.items:
        assert set(visible_values(study, item)) == {"image"}
        assert set(item.fields) - {"image"} == set(study.hidden)
        assert item.fields["word"] not in item.id
        assert ImageFolder(done.folder / "images").path(item.fields["image"]).exists()
        votes = json.loads(item.fields["votes"])
        assert set(votes) == {"judge-1", "judge-2", "judge-3"}


def test_pictures_come_along_with_study_and_sheets(
    done: StoredRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def epicene(*arguments: str) -> None:
        assert run_with_exit_code(lambda: run_command(list(arguments))) == 0, (
            capsys.readouterr().err
        )

    folder, sheets = tmp_path / "study", tmp_path / "sheets"
    sample = ("annotate", "sample", str(done.folder), "--study=image", "--n=12")
    epicene(*sample, f"--out={folder}")
    epicene(*sample, f"--out={folder}")  # again: nothing changes
    study = open_study_folder(folder).study
    assert [item.expected["shows"] for item in study.practice] == [*LABELS, "neither"]
    for item in (*study.practice, *study.items):
        assert ImageFolder(folder / "images").path(item.fields["image"]).exists()
    epicene("annotate", "sheets", str(folder), "--people=ann,bob,cleo", f"--out={sheets}")
    with (sheets / "ann.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    for row in rows:
        path = sheets / row["shown: image"]
        assert path.parent == sheets / "pictures"
        assert path.read_bytes().startswith(b"\x89PNG")
    for row in rows:
        row["shows"] = "male"
    with (sheets / "ann.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    epicene("annotate", "import", str(folder), str(sheets / "ann.csv"))
    assert len(open_study_folder(folder).responses()) == 12


def test_a_picture_that_is_gone_is_named(done: StoredRun, tmp_path: Path) -> None:
    study = study_from_runs([done], SamplingOptions(total=3), study="image")
    with pytest.raises(InputError, match=r"The image .* is not in any of the runs"):
        copy_images(study, [tmp_path / "elsewhere"], tmp_path / "study")


def test_any_studys_agreement_resamples_words_as_the_suite_does(done: StoredRun) -> None:
    study = study_from_runs([done], SamplingOptions(total=90), study="image")
    assert len({item.group for item in study.items}) < len(study.items)
    given = [respond(study, item, who) for item in study.items for who in ("ann", "bob", "cyd")]
    (found,) = question_agreement(study, given)
    own = table(summarise_study(study, given), "people")["all"]["the sample"]
    for estimate, name in (
        (found.raw, "agreement"), (found.fleiss, "κ"), (found.krippendorff, "α"),
    ):  # fmt: skip
        shown_there = [own[name][part] for part in ("value", "low", "high")]
        assert shown_there == [estimate.value, estimate.low, estimate.high]


def an_image(number: int, label: str, agreement: str, weight: float, votes: str) -> StudyItem:
    names = {"m": "male", "f": "female", "n": "neither", "?": None}
    return StudyItem(
        id=f"i{number}",
        fields={
            "image": "0" * 64, "model": "painter", "picture": f"p{number}", "word": f"w{number}",
            "language": "de", "grammar": "F", "condition": "gendered", "template": "1", "shot": "1",
            "label": label, "agreement": agreement, "cluster": f"w{number}", "weight": str(weight),
            "votes": json.dumps({f"j{n}": names[vote] for n, vote in enumerate(votes, start=1)}),
        },
    )  # fmt: skip


@pytest.fixture(scope="module")
def judged() -> StudySummary:
    """Five images: on three the judges agree, on one two of three do, on one none."""
    items = (
        an_image(1, "male", "unanimous", 100, "mmm"),
        an_image(2, "female", "unanimous", 100, "fff"),
        an_image(3, "female", "unanimous", 100, "fff"),
        an_image(4, "male", "two of three", 10, "mmf"),
        an_image(5, "neither", "none", 2, "mf?"),
    )
    return summary_of(items, {"i1": "mmm", "i2": "fff", "i3": "mmf", "i4": "mmm", "i5": "fff"})


def summary_of(items: tuple[StudyItem, ...], people: dict[str, str]) -> StudySummary:
    """The results of people who gave these labels to images."""
    base = suite.studies["image"].study(PROTOCOLS["epicene"])
    names = {"m": "male", "f": "female", "n": "neither"}
    study = Study(
        **{name: getattr(base, name) for name in base.__struct_fields__}
        | {"items": items, "drawn": SamplingRecord(kind="image", protocol="epicene")}
    )
    return summarise_study(
        study,
        [
            Response(
                study=study.name, participant=f"p{n}", item=item, answers={"shows": names[letter]}
            )
            for item, letters in people.items()
            for n, letter in enumerate(letters)
        ],
    )


def test_people_and_judges_by_how_far_the_judges_agree(judged: StudySummary) -> None:
    found = table(judged, "judges")
    assert found["all"]["the sample"]["agreement"]["value"] == pytest.approx(3 / 5)
    # Images 1, 2 and 4 are right: they stand for 210 of 312.
    assert found["all"]["the run"]["agreement"]["value"] == pytest.approx(210 / 312)
    split = {name: found["judges"][name] for name in AGREEMENTS}
    assert split["unanimous"]["agreement"]["value"] == pytest.approx(2 / 3)
    assert split["two of three"]["agreement"]["value"] == 1
    assert split["none"]["agreement"]["value"] == 0
    # Unanimous: people say m f m, the judges m f f; κ of 2 in 3 with chance (2·1 + 1·2) / 9.
    assert split["unanimous"]["κ"]["value"] == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))
    assert judged.metrics["agreement_judges"].value == pytest.approx(210 / 312)
    assert judged.metrics["agreement_two_of_three"].value == 1


def test_an_image_on_which_people_are_split_has_no_label() -> None:
    """Neither a three-way split nor two against two is decided by lot."""
    items = tuple(an_image(n, "male", "unanimous", 1, "mmm") for n in (1, 2, 3))
    found = summary_of(items, {"i1": "mmm", "i2": "mfn", "i3": "mmff"})
    sample = table(found, "judges")["all"]["the sample"]
    assert (sample["images"]["value"], sample["agreement"]["value"]) == (1, 1)
    (judges,) = [each for each in found.tables if each.name == "judges"]
    assert "Left out: 2 images" in judges.notes[0]
    assert table(found, "people")["all"]["the sample"]["images"]["value"] == 3


def test_people_with_each_other(judged: StudySummary) -> None:
    found = table(judged, "people")["all"]["the sample"]
    assert found["images"]["value"] == 5
    assert found["agreement"]["value"] == pytest.approx((4 * 3 + 1) / 15)
    # Eight of the fifteen ratings are male, seven female.
    chance = (8**2 + 7**2) / 15**2
    observed = (4 + 1 / 3) / 5
    assert found["κ"]["value"] == pytest.approx((observed - chance) / (1 - chance))
    alpha = 1 - (1 - observed) / (1 - (8 * 7 + 7 * 6) / (15 * 14))
    assert found["α"]["value"] == pytest.approx(alpha)
    assert found["α"]["low"] <= alpha <= found["α"]["high"]


def test_each_judge_alone_and_what_was_called_what(judged: StudySummary) -> None:
    each = table(judged, "each judge")
    # The first said m f f m m, people m f m m f; the third left one unread.
    assert each["j1"]["agreement"]["value"] == pytest.approx(3 / 5)
    assert (each["j3"]["images"]["value"], each["j3"]["agreement"]["value"]) == (4, 0.5)
    labels = {row: values(cells) for row, cells in table(judged, "labels").items()}
    assert labels == {
        "male": {"male": 2, "female": 1, "neither": 0},
        "female": {"male": 0, "female": 1, "neither": 1},
        "neither": {"male": 0, "female": 0, "neither": 0},
    }
    assert isinstance(judged.undetected, Estimate)
