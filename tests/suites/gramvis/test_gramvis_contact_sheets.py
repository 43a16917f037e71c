"""Contact sheets of a run: every word under every condition, with the votes on each image."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.records import Choice, ContactSheet, Image, Images
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.show.run_report import write_report
from epicene.suites import AnsweredRequest, Answers, DataSource, choose_protocol
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.ask import DRAW, DRAWER, JUDGES, LOOK, look_name
from epicene.suites.gramvis.data import read
from epicene.suites.gramvis.figures import contact_sheets
from epicene.suites.gramvis.items import PromptItem
from epicene.suites.gramvis.protocol import PROTOCOLS, GramvisProtocol
from runs.conftest import Silent


def protocol(shots: int) -> GramvisProtocol:
    made = choose_protocol(suite, "epicene", {"shots": str(shots)}, None)
    assert isinstance(made, GramvisProtocol)
    return made


def answers(item: PromptItem, votes: dict[str, list[str]]) -> Answers:
    """Of each condition so many images, on each of which the judges vote by these letters."""
    names = {"m": "male", "f": "female", "n": "neither"}
    given = []
    for condition, shots in votes.items():
        images = tuple(
            Image(sha256=f"{place:064x}") if letters else Image(refused="a safety block")
            for place, letters in enumerate(shots)
        )
        given.append(AnsweredRequest(DRAW, DRAWER, "painter", condition, Images(images=images)))
        for number, letters in enumerate(shots, start=1):
            given += [
                AnsweredRequest(
                    LOOK, JUDGES, f"judge-{place}", look_name(condition, number),
                    Choice(choice=names.get(letter), text="" if letter in names else "hm"),
                )
                for place, letter in enumerate(letters, start=1)
            ]  # fmt: skip
    return Answers(given)


def words(name: str) -> list[PromptItem]:
    items = read(DataSource(), PROTOCOLS["epicene"]).items
    return [item for item in items if item.entry.id == name]


def sheet_of(name: str, votes: dict[str, list[str]], templates: int = 1) -> ContactSheet:
    items = words(name)[:templates]
    (made,) = contact_sheets(((item, answers(item, votes)) for item in items), protocol(2))
    return made


def test_votes_stand_under_each_image() -> None:
    sheet = sheet_of(
        "FR/sentinelle/F",
        {"english": ["mmm", "mmf"], "chinese": ["mfn", ""], "gendered": ["fff", "fm?"]},
    )
    assert (sheet.name, sheet.language) == ("la sentinelle", "fr")
    assert sheet.facets == {
        "language": "fr", "grammar": "F", "stereotype": "male", "category": "occupation",
        "kind": "divergent",
    }  # fmt: skip
    english, chinese, gendered = sheet.strips
    assert (english.heading, english.language) == ("English prompts", "en")
    assert english.summary == "2 male, 0 female, 0 neither"
    assert [picture.caption for picture in english.images] == [
        "1.1 male (M M M)",
        "1.2 male (M M F)",
    ]
    assert english.images[1].alt == (
        "Image of English prompt 1 for sentinelle, shot 2: labelled male; judge-1 says male, "
        "judge-2 says male, judge-3 says female."
    )
    assert chinese.summary == "0 male, 0 female, 1 neither, 1 not drawn"
    refused = chinese.images[1]
    assert (refused.sha256, refused.missing) == ("", "a safety block")
    assert refused.alt == "No image of Chinese prompt 1 for sentinelle, shot 2: a safety block."
    assert gendered.images[1].caption == "1.2 neither (F M –)"
    assert len(gendered.prompts) == 4
    assert gendered.prompts[0].startswith("Photo du visage de la sentinelle")


@pytest.mark.parametrize(
    ("word", "english", "gendered", "effect"),
    [
        ("FR/sentinelle/F", ["mmm", "mmm"], ["fff", "mmm"], 0.5),
        ("FR/sentinelle/F", ["fff", "mmm"], ["mmm", "nnn"], -0.5),
        ("FR/charme/M", ["fff", "fff"], ["mmm", "mmm"], 1.0),
        ("FR/charme/M", ["nnn", "nnn"], ["mmm", "mmm"], None),
    ],
)
def test_the_effect_is_that_of_the_figures(
    word: str, english: list[str], gendered: list[str], effect: float | None
) -> None:
    sheet = sheet_of(word, {"english": english, "gendered": gendered})
    assert sheet.value == effect
    told = "" if effect is None else f"effect on English {100 * effect:+.0f} points"
    assert told in sheet.about


def test_the_first_shot_of_every_template_comes_first() -> None:
    sheet = sheet_of("DE/Wache/F", {"english": ["mmm", "fff"]}, templates=4)
    (strip,) = sheet.strips
    assert [picture.caption.split()[0] for picture in strip.images] == [
        "1.1", "2.1", "3.1", "4.1", "1.2", "2.2", "3.2", "4.2",
    ]  # fmt: skip


def test_a_report_carries_the_pictures_of_a_run(tmp_path: Path) -> None:
    order = RunConfig(
        suite=suite,
        protocol=protocol(1),
        models={
            DRAWER: [parse_spec("random?label=painter")],
            JUDGES: [parse_spec(f"random:{seed}") for seed in (1, 2, 3)],
        },
        limit=20,
        under=tmp_path,
    )
    folder, _ = run(order, Silent())
    finished = read_run(folder)
    made = list(contact_sheets(RunJudgements(finished).answered(), protocol(1)))  # type: ignore[arg-type]
    pictures = [picture for sheet in made for strip in sheet.strips for picture in strip.images]
    assert len(pictures) == 60
    write_report([finished], tmp_path / "whole.html")
    text = (tmp_path / "whole.html").read_text(encoding="utf-8")
    assert "60 of 60 images are in this file" in text
    write_report([finished], tmp_path / "none.html", 0)
    text = (tmp_path / "none.html").read_text(encoding="utf-8")
    assert "0 of 60 images are in this file" in text
