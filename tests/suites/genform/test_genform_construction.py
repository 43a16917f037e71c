"""From templates to a set of pairs, by scripted models and people, and killed on the way."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

import scripted_models
from epicene.app.commands import run_command, run_with_exit_code
from epicene.core.errors import InputError, RunError
from epicene.core.records import Identity, Text, Texts, to_json
from epicene.models import ModelSpec, open_model, parse_spec
from epicene.models.simple_model import SimpleModel
from epicene.runs.dataset_builder import BuildConfig, WaitingForPeopleError, build_dataset
from epicene.studies.collection.folder import STUDY_FILE, open_study_folder
from epicene.studies.design.schema import AnswerValue, Response, StudyItem
from epicene.studies.exchange.study_files import study_toml
from epicene.suites import DataSource, find_suite
from epicene.suites.genform.construction import check_pairs
from epicene.suites.genform.construction.annotation import draft
from epicene.suites.genform.construction.generation import GenformBuild
from epicene.suites.genform.items import TARGETS, Pair
from runs.conftest import Silent
from scripted_people import answer
from suites.genform import scripted_construction as scripted

SETTINGS = {"language": "fr", "sentences": "2", "templates": "templates.toml"}
MODELS = {"writer": "scripted-writer", "translator": "scripted-translator"}


@pytest.fixture(autouse=True)
def _known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted.register()
    monkeypatch.setenv("SCRIPTED_LOG", str(tmp_path / "asked.log"))
    monkeypatch.chdir(tmp_path)
    Path("templates.toml").write_text(scripted.TEMPLATES, encoding="utf-8")


def killed_while_hanging(folder: Path, at: str) -> None:
    settings = [f"--set={name}={value}" for name, value in SETTINGS.items()]
    models = [f"--model={role}={spec}" for role, spec in MODELS.items()]
    command = ["data", "build", "genform", f"--out={folder}", *settings, *models]
    scripted_models.killed_while_hanging(scripted.__file__, command, at)


def nobody(spec: ModelSpec) -> Any:
    raise AssertionError(f"{spec.kind} is asked again")


def build(folder: Path, executor: Any = nobody, **settings: str) -> list[str]:
    models = {role: [parse_spec(spec)] for role, spec in MODELS.items()}
    order = BuildConfig(find_suite("genform"), folder, {**SETTINGS, **settings}, models)
    return list(build_dataset(order, Silent(), executor))


def waits(folder: Path, step: str, answers: int, executor: Any = nobody) -> None:
    told = rf"The step {step} .*: {answers} of {answers} answers are missing"
    with pytest.raises(WaitingForPeopleError, match=told):
        build(folder, executor)


def review(folder: Path) -> None:
    """Both reviewers answer."""
    study = open_study_folder(folder / "05-review")
    answer(study, "ann", scripted.careful_reviewer)
    answer(study, "bob", scripted.hasty_reviewer)


def people_answer(folder: Path, executor: Any = nobody) -> list[str]:
    """The whole way from the first study to the files."""
    waits(folder, "review", 2 * 9, executor)
    review(folder)
    waits(folder, "settle-review", 3)
    answer(open_study_folder(folder / "06-settle-review"), "cleo", scripted.third_reviewer)
    waits(folder, "forms", 2 * 8)
    study = open_study_folder(folder / "08-forms")
    answer(study, "bob", scripted.careful_writer)
    answer(study, "dora", scripted.hasty_writer)
    waits(folder, "settle-forms", 2)
    answer(open_study_folder(folder / "09-settle-forms"), "ann", scripted.third_writer)
    return build(folder)


def rows(folder: Path, step: str) -> list[dict[str, Any]]:
    text = (folder / f"{step}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def pairs(folder: Path) -> list[Pair]:
    suite = find_suite("genform")
    source = DataSource(path=folder / "pairs.jsonl")
    return list(suite.read(source, suite.protocols["epicene"]).items)


def epicene(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command prints as JSON."""
    capsys.readouterr()
    assert run_with_exit_code(lambda: run_command([*arguments, "--json"])) == 0
    return json.loads(capsys.readouterr().out)


# --- the whole way -----------------------------------------------------------------------------


def test_killed_twice_it_makes_the_same_set(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    killed_while_hanging(folder, "write 4")
    assert (folder / "01-plan.jsonl").exists()
    assert not (folder / "02-write.jsonl").exists()
    killed_while_hanging(folder, "translate 6")
    assert (folder / "03-sift.jsonl").exists()
    assert not (folder / "04-translate.jsonl").exists()
    assert people_answer(folder, open_model)[-1] == "8 items, 0 findings."

    # Six prompts and nine sentences; asked twice are only the two that it was killed at.
    times = Counter(line for line in scripted_models.asked() if line != "hangs")
    assert Counter(line.split()[0] for line in times) == {"write": 6, "translate": 9}
    assert sorted(times.values()) == [1] * 13 + [2, 2]

    whole = tmp_path / "whole"
    people_answer(whole, open_model)
    for name in ("pairs.jsonl", "card.md", "02-write.jsonl", "04-translate.jsonl"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()


def test_the_owner_may_word_a_study_anew_and_add_a_check(tmp_path: Path) -> None:
    waits(tmp_path, "review", 2 * 9, open_model)
    place = tmp_path / "05-review"
    study = open_study_folder(place).study
    check = msgspec.structs.replace(
        study.items[0], id="look", group="", expected={"verdict": "good"}
    )
    edited = msgspec.structs.replace(study, consent=study.title, checks=(check,))
    (place / STUDY_FILE).write_text(study_toml(edited), "utf-8")
    sheet = tmp_path / "looked.jsonl"
    seen = Response(study=study.name, participant="ann", item="look", answers={"verdict": "good"})
    sheet.write_bytes(to_json(seen))
    open_study_folder(place).import_file(sheet)
    waits(tmp_path, "review", 2 * 9)  # a check is no judgement of an item
    review(tmp_path)
    waits(tmp_path, "settle-review", 3)


def test_the_set_loads_passes_the_check_and_is_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people_answer(tmp_path / "set", open_model)
    made = pairs(tmp_path / "set")
    for pair in made:
        assert (pair.masculine, pair.feminine) == scripted.gold(pair.english)
    assert Counter(pair.rule for pair in made) == {
        "Active": 3,
        "Gender Neutral Actions": 2,
        "Occupations": 3,
    }
    assert {pair.id for pair in made} >= {"fr-active-1-office-02", "fr-occupations-1-journey-02"}
    data = "set/pairs.jsonl"
    checked = epicene(capsys, "data", "check", "genform", "-d", data)
    assert checked == {"items": 8, "remarks": [], "findings": []}
    answers = [
        {"id": pair.id, "target": target, "text": pair.masculine}
        for pair in made
        for target in TARGETS
    ]
    lines = [json.dumps(answer) + "\n" for answer in answers]
    Path("answers.jsonl").write_text("".join(lines), encoding="utf-8")
    found = epicene(capsys, "score", "genform", "-d", data, "-a", "answers.jsonl")["metrics"]
    assert {name: found[name]["value"] for name in ("SGA", "SGA_masculine", "left_alone")} == {
        "SGA": 0.5,
        "SGA_masculine": 1,
        "left_alone": 1,
    }


def test_every_step_can_be_read(tmp_path: Path) -> None:
    people_answer(tmp_path, open_model)
    written = Counter(row["dropped"] for row in rows(tmp_path, "02-write"))
    assert written == {"": 12, "does not follow its template": 18}
    repeating = [row["dropped"] for row in rows(tmp_path, "03-sift") if row["dropped"]]
    assert len(repeating) == 3
    assert repeating[0] == "repeats fr-active-1-office-03 but for one word"
    reviewed = {row["id"]: row for row in rows(tmp_path, "05-review")}
    left_out, mended = reviewed["fr-active-1-office-02"], reviewed["fr-active-1-journey-02"]
    assert [(each["person"], each["choice"]) for each in left_out["given"]] == [
        ("ann", "good"),
        ("bob", "drop"),
    ]
    assert left_out["agreed"] is mended["agreed"] is None
    settled = {row["id"]: row for row in rows(tmp_path, "06-settle-review")}
    assert settled["fr-gender-neutral-actions-1-journey-02"]["dropped"] == "left out by people"
    assert "joli vieux port" in settled["fr-active-1-journey-02"]["text"]
    assert [row["decided"] for row in settled.values()].count("third") == 3
    assert len(rows(tmp_path, "07-draft")) == 8


@pytest.mark.parametrize(("language", "feminine"), [("hi", "मैं घर जाती हूँ।"), ("de", "मैं घर जाता हूँ।")])
def test_drafts_are_the_rewriter_s_where_there_is_one(language: str, feminine: str) -> None:
    row = {"id": "1", "rule": "Present", "english": "I go home.", "text": "मैं घर जाता हूँ।"}
    left_out = {**row, "id": "2", "dropped": "left out by people"}
    made = {"settle-review": [{**row, "dropped": ""}, left_out]}
    assert list(draft(made, GenformBuild(language=language))) == [
        {**row, "draft_masculine": row["text"], "draft_feminine": feminine}
    ]


def test_the_card_says_how_it_was_made(tmp_path: Path) -> None:
    people_answer(tmp_path, open_model)
    card = (tmp_path / "card.md").read_text(encoding="utf-8")
    for line in (
        "# First-person sentences in French, as a man and as a woman would say them",
        "- Pairs: 8",
        "- Rules: 3",
        "- Neutral pairs, whose forms are equal: 2",
        "3 templates × 2 contexts × 2 sentences: 12 English sentences were requested (seed 0, "
        "temperature 0.8).",
        "| lines written | 30 | 18 (does not follow its template) |",
        "| follow their template | 12 | 3 (repeats another) |",
        "| translated | 9 | none |",
        "| reviewed by two people each | 9 | 1 (left out by people) |",
        "| both forms written by two people each | 8 | none |",
        "- The English was written by write (scripted: version 7).",
        "- Translated by translate (scripted: version 7).",
        "- 4 of 8 translations were kept unchanged.",
        "| Active | 3 | 0 | 1.00 |",
        "| Gender Neutral Actions | 2 | 2 | 0.00 |",
        "| Occupations | 3 | 0 | 2.00 |",
        "| occupation | men 2; women 1 |",
        "Nothing.",
    ):
        assert line in card.splitlines(), line
    # Of 8 pairs of choices 1 differs, of the 16 choices 11 are `shows`: 1 − 15 · 1 / (11 · 5).
    assert "| both forms | 2 | 8 | 75.0 % [40.9, 92.9] (few groups) | 0.73 [" in card
    assert "| translation | 2 | 9 | 66.7 % [" in card
    assert "ann" not in card.split()


# --- people ------------------------------------------------------------------------------------


def test_who_disagrees_cannot_decide(tmp_path: Path) -> None:
    waits(tmp_path, "review", 18, open_model)
    review(tmp_path)
    waits(tmp_path, "settle-review", 3)
    study = open_study_folder(tmp_path / "06-settle-review")
    answer(study, "bob", scripted.third_reviewer)
    with pytest.raises(
        InputError,
        match="ann and bob disagree on fr-active-1-office-02, and one of them also decided",
    ):
        build(tmp_path)
    answer(study, "cleo", scripted.third_reviewer)
    waits(tmp_path, "forms", 16)


def test_a_third_reader_outvotes_one_of_two(tmp_path: Path) -> None:
    waits(tmp_path, "review", 18, open_model)
    review(tmp_path)
    study = open_study_folder(tmp_path / "05-review")
    answer(study, "eve", scripted.careful_reviewer)
    waits(tmp_path, "forms", 16)
    assert not (tmp_path / "06-settle-review").exists()


def test_people_read_english_and_the_language_of_the_set(tmp_path: Path) -> None:
    waits(tmp_path, "review", 18, open_model)
    study = open_study_folder(tmp_path / "05-review").study
    assert set(study.title) == {"en", "fr"}
    assert study.judgements == 2
    assert {item.language for item in study.items} == {"fr"}


def test_translations_that_repeat_another_are_not_put_before_people(tmp_path: Path) -> None:
    said = Texts(texts=(Text(text="Je  suis très\ncontent d'être là."),))

    def one_sentence(spec: ModelSpec) -> Any:
        if spec.kind == "scripted-writer":
            return open_model(spec)
        identity = Identity(kind="scripted", label="x", key={})
        return SimpleModel(identity, {"translate": lambda _request: said})

    waits(tmp_path, "review", 2, one_sentence)
    translated = rows(tmp_path, "04-translate")
    assert translated[0]["translation"] == "Je suis très content d'être là."
    assert {row["dropped"] for row in translated[1:]} == {"repeats fr-active-1-office-02"}


def test_of_two_translators_people_keep_one_translation_of_each_sentence(tmp_path: Path) -> None:
    def say(request: Any) -> Texts:
        text = scripted.french(request.text).masculine
        text = text.replace("vieux port de", "port tout bleu de la ville de")
        return Texts(texts=(Text(text=text),))

    def opened(spec: ModelSpec) -> Any:
        if spec.kind != "copy":  # in its place, a second one that makes no mistakes
            return open_model(spec)
        identity = Identity(kind="scripted", label="second", key={})
        return SimpleModel(identity, {"translate": say})

    models = {
        "writer": [parse_spec("scripted-writer")],
        "translator": [parse_spec("scripted-translator"), parse_spec("copy")],
    }
    order = BuildConfig(find_suite("genform"), tmp_path, SETTINGS, models)
    # Nine sentences; of the second's, three repeat the first's (the meeting) and three differ in
    # more than one word from what is mistaken (the printer) or in blue (the harbour) each.
    with pytest.raises(WaitingForPeopleError, match="30 of 30 answers are missing"):
        list(build_dataset(order, Silent(), opened))
    translated = rows(tmp_path, "04-translate")
    assert len(translated) == 18
    second = [row for row in translated if "sentence" in row]
    assert all(row["id"] == f"{row['sentence']}-2" for row in second)
    assert {row["model"] for row in second} == {"second (scripted)"}
    assert [row["english"] for row in second if row["dropped"]] == [
        row["english"] for row in second if scripted.MEETING[0] in row["english"]
    ]
    study = open_study_folder(tmp_path / "05-review")
    for person in ("ann", "bob"):
        answer(study, person, _mends_the_printer)
    with pytest.raises(WaitingForPeopleError, match="The step forms"):
        list(build_dataset(order, Silent(), opened))
    settled = rows(tmp_path, "06-settle-review")
    kept = [row for row in settled if not row["dropped"]]
    assert len(kept) == 9
    for row in kept:
        # The printer was mended in the first one's and is right in the second's.
        assert row["id"].endswith("-2") == (scripted.PRINTER[0] in row["english"])
    assert Counter(row["dropped"] for row in settled) == {"": 9, "another translation was kept": 6}


def _mends_the_printer(item: StudyItem) -> dict[str, AnswerValue]:
    """Both people mend a mistake, and find all else good."""
    wanted = item.fields["translation"].replace("l'imprimeur étaient", "l'imprimante était")
    if wanted == item.fields["translation"]:
        return {"verdict": "good"}
    return {"verdict": "mend", "text": wanted}


def test_the_paper_s_prompt_asks_for_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EPICENE_PUBLISHED_DATA", raising=False)
    with pytest.raises(InputError, match=r"morphogen/generation\.json"):
        build(tmp_path / "set", wording="paper")
    material = tmp_path / "published/morphogen/generation.json"
    material.parent.mkdir(parents=True)
    user = "<Num_Sentences> times <Template>, about [<Contexts>]."
    material.write_text(json.dumps({"system": "Be a writer.", "user": user}))
    monkeypatch.setenv("EPICENE_PUBLISHED_DATA", str(tmp_path / "published"))
    with pytest.raises(AssertionError, match="scripted-writer is asked"):
        build(tmp_path / "set", wording="paper")
    first = rows(tmp_path / "set", "01-plan")[0]
    assert first["system"] == "Be a writer."
    assert first["user"].splitlines()[0] == "2 times I <moved> …, about [work]."
    assert first["user"].splitlines()[1].startswith("Sentence 1: <moved> is ")


def test_pairs_with_an_error_or_a_repetition_are_left_out() -> None:
    forms = {
        "good": ("Je suis allé au vieux marché.", "Je suis allée au vieux marché."),
        "near": ("Je suis allé au grand marché.", "Je suis allée au grand marché."),
        "mixed": ("Je suis né à Lуon en mai.", "Je suis née à Lуon en mai."),  # with a Cyrillic у
        "odd": ("Je suis un loup.", "Je suis une amie."),
    }
    settled = [
        {"id": name, "language": "fr", "rule": "Active", "english": name, **_forms(*both)}
        for name, both in forms.items()
    ]
    made = list(check_pairs({"settle-forms": settled}, GenformBuild(language="fr")))
    assert [row["dropped"] for row in made] == [
        "",
        "repeats good but for one word",
        "Lуon mixes two scripts (у).",
        "",
    ]
    assert made[3]["warnings"] == ["loup / amie do not look like forms of the same word."]


def _forms(masculine: str, feminine: str) -> dict[str, str]:
    return {"masculine": masculine, "feminine": feminine}


# --- what goes wrong ---------------------------------------------------------------------------


def test_a_writer_that_keeps_to_no_template(tmp_path: Path) -> None:
    def babble(_spec: ModelSpec) -> SimpleModel:
        said = Texts(texts=(Text(text="I would rather not.\nSorry"),))
        return SimpleModel(
            Identity(kind="scripted", label="x", key={}), {"generate": lambda _request: said}
        )

    with pytest.raises(RunError, match="None of the 12 lines"):
        build(tmp_path, babble)
    assert rows(tmp_path, "02-write")[1]["english"] == "Sorry"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"language": ""}, "--set language=fr"),
        ({"language": "de"}, "no templates for the language 'de'"),
        ({"rules": "Aktive"}, "did you mean 'Active'"),
        ({"contexts": "offices"}, "did you mean 'office'"),
        ({"templates": "none.toml"}, "no file none.toml"),
        ({"sentences": "0"}, "must be a whole number of at least 1"),
    ],
)
def test_settings_that_do_not_fit(tmp_path: Path, settings: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        build(tmp_path / "set", open_model, **settings)


def test_some_rules_in_some_contexts(tmp_path: Path) -> None:
    with pytest.raises(WaitingForPeopleError, match="4 of 4"):
        build(tmp_path, open_model, rules="Occupations", contexts="office")
    assert [row["id"] for row in rows(tmp_path, "01-plan")] == ["fr-occupations-1-office"]
