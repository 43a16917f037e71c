"""From seeds to a list of words, by scripted models and people, and killed on the way."""

from __future__ import annotations

import csv
import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import scripted_models
from epicene.app.commands import run_command, run_with_exit_code
from epicene.core.errors import InputError, RunError
from epicene.core.records import Identity
from epicene.models import ModelSpec, open_model, parse_spec
from epicene.models.simple_model import SimpleModel
from epicene.rewriting.french.dictionary import Dictionary
from epicene.runs.dataset_builder import BuildConfig, WaitingForPeopleError, build_dataset
from epicene.studies.collection.folder import open_study_folder
from epicene.studies.design.schema import visible_values
from epicene.suites import find_suite
from epicene.suites.gramvis.construction.dictionaries import look_up
from epicene.suites.gramvis.construction.elicitation import category_in, json_objects_in
from epicene.suites.gramvis.items import CATEGORIES
from epicene.suites.gramvis.word_lists import read_words
from runs.conftest import Silent
from scripted_people import answer
from suites.gramvis import scripted_words as scripted

DELA = "epicene.rewriting.french.dictionary.dictionary"
SETTINGS = {"languages": "fr,german", "number": "5", "dictionaries": "kaikki.jsonl"}
MODELS = {"proposers": ",".join(scripted.PROPOSERS), "sorters": ",".join(scripted.SORTERS)}


@pytest.fixture(autouse=True)
def _known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted.register()
    monkeypatch.setenv(scripted_models.LOG, str(tmp_path / "asked.log"))
    monkeypatch.setattr(DELA, lambda: None)
    monkeypatch.chdir(tmp_path)
    Path("kaikki.jsonl").write_text(scripted.DICTIONARY, encoding="utf-8")


def killed_while_hanging(folder: Path, at: str) -> None:
    settings = [f"--set={name}={value}" for name, value in SETTINGS.items()]
    models = [f"--model={role}={spec}" for role, spec in MODELS.items()]
    command = ["data", "build", "gramvis", f"--out={folder}", *settings, *models]
    scripted_models.killed_while_hanging(scripted.__file__, command, at)


def nobody(spec: ModelSpec) -> Any:
    raise AssertionError(f"{spec.kind} is asked again")


def build(
    folder: Path, executor: Any = nobody, models: dict[str, str] | None = None, **settings: str
) -> list[str]:
    given = {
        role: [parse_spec(spec) for spec in specs.split(",")]
        for role, specs in (models or MODELS).items()
    }
    order = BuildConfig(find_suite("gramvis"), folder, {**SETTINGS, **settings}, given)
    return list(build_dataset(order, Silent(), executor))


def people_answer(folder: Path) -> None:
    study = open_study_folder(folder / "04-suggest")
    for place, name in enumerate(scripted.PEOPLE):
        answer(study, name, partial(scripted.suggests, place))


def waits(folder: Path, executor: Any = nobody) -> None:
    with pytest.raises(WaitingForPeopleError, match=r"step suggest .*: 40 of 40 answers are miss"):
        build(folder, executor)


def built(folder: Path) -> list[str]:
    """The whole way."""
    waits(folder, open_model)
    people_answer(folder)
    return build(folder, open_model)


def rows(folder: Path, step: str) -> list[dict[str, Any]]:
    text = (folder / f"{step}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def reasons(folder: Path, step: str) -> dict[str, str]:
    return {row["id"]: row["dropped"] for row in rows(folder, step)}


# --- the whole way -----------------------------------------------------------------------------


def test_killed_twice_it_makes_the_same_list(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    killed_while_hanging(folder, "scripted-two 5")
    assert (folder / "01-seeds.jsonl").exists()
    assert not (folder / "02-propose.jsonl").exists()
    waits(folder, open_model)
    people_answer(folder)
    killed_while_hanging(folder, "scripted-second 3")
    assert (folder / "05-diverge.jsonl").exists()
    assert not (folder / "06-sort.jsonl").exists()
    build(folder, open_model)

    # Eight prompts to two models, six meanings to three; asked twice are only the two it died at.
    times = Counter(line for line in scripted_models.asked() if line != "hangs")
    assert Counter(line.split()[0] for line in times) == {
        **dict.fromkeys(scripted.PROPOSERS, 8),
        **dict.fromkeys(scripted.SORTERS, 6),
    }
    assert sorted(times.values()) == [1] * (8 * 2 + 6 * 3 - 2) + [2, 2]

    whole = tmp_path / "whole"
    built(whole)
    for name in ("words.csv", "card.md", "02-propose.jsonl", "06-sort.jsonl", "07-check.jsonl"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()


def test_the_list_loads_and_passes_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = built(tmp_path / "list")
    words = {word.id: word for word in read_words(tmp_path / "list" / "words.csv")}
    assert {name: (word.stereotype, word.control) for name, word in words.items()} == {
        "FR/sentinelle/F": ("male", False),
        "FR/vigie/F": ("male", False),
        "FR/couture/F": ("female", True),
        "FR/charme/M": ("female", False),
        "FR/courage/M": ("male", True),
        "DE/Wache/F": ("male", False),
        "DE/Mut/M": ("male", True),
    }
    guard = words["DE/Wache/F"]
    assert (guard.article, guard.genitive, guard.category) == ("die", "der Wache", "occupation")
    assert words["FR/sentinelle/F"].chinese == "哨兵"
    assert told[-1] == "28 items, 12 findings."  # 7 words in 4 templates; too few of every kind
    capsys.readouterr()
    assert (
        run_with_exit_code(
            lambda: run_command(["data", "check", "gramvis", "-d", "list/words.csv"])
        )
        == 0
    )
    assert {line.split(":")[0] for line in capsys.readouterr().out.splitlines()} == {"warning"}


def test_every_step_can_be_read(tmp_path: Path) -> None:
    built(tmp_path)
    assert len(rows(tmp_path, "01-seeds")) == 8
    proposed = reasons(tmp_path, "02-propose")
    assert Counter(proposed.values()) == {"": 23, "has no chinese": 1}
    assert proposed["fr-feminine-male scripted-two 04"] == "has no chinese"
    assert {word: why for word, why in reasons(tmp_path, "03-look-up").items() if why} == {
        "FR/garde": "has the genders F and M",
        "FR/boxeuse": "has the partner boxeur",
        "FR/homme de main": "is more than one word",
        "FR/vigilance-mot": "is in no dictionary",
        "FR/coiffeuse": "has the partner coiffeur",
        "DE/Anmut": "its genitive is 'Anmuten'; a feminine noun does not change",
        "DE/Luder": "is neuter",
        "DE/Lehrer": "has the partner Lehrerin",
    }
    looked_up = {row["id"]: row for row in rows(tmp_path, "03-look-up")}
    assert looked_up["FR/sentinelle"]["models"] == [
        "scripted-one (scripted: version scripted-one)",
        "scripted-two (scripted: version scripted-two)",
    ]
    # Proposed as masculine; the dictionary knows better.
    assert looked_up["FR/cravate"]["grammar"] == "F"
    suggested = {row["english"]: row["suggests"] for row in rows(tmp_path, "04-suggest")}
    assert suggested == {
        "a sentry": "male", "a lookout": "male", "sewing": "female", "a chair": "neither",
        "charm": "female", "a tie": "", "courage": "male", "gossip": "female",
    }  # fmt: skip
    assert {word: why for word, why in reasons(tmp_path, "05-diverge").items() if why} == {
        "FR/chaise": "suggests neither gender",
        "FR/cravate": "people do not agree on whom it suggests",
    }
    assert {row["id"] for row in rows(tmp_path, "05-diverge") if row["diverges"]} == {
        "FR/sentinelle", "FR/vigie", "FR/charme", "DE/Wache", "DE/Klatsch",
    }  # fmt: skip
    assert reasons(tmp_path, "07-check")["DE/Klatsch"] == "models do not agree on a category"


def test_the_card_says_how_it_was_made(tmp_path: Path) -> None:
    built(tmp_path)
    card = (tmp_path / "card.md").read_text(encoding="utf-8")
    for line in (
        "- Words: 7",
        "- Divergent: 4",
        "- Controls, whose stereotype matches their grammar: 3",
        "| French | M | 1 | 1 |",
        "| French | F | 2 | 1 |",
        "| German | F | 1 | 0 |",
        "| occupation | 4 |",
        "| personal_traits | 3 |",
        "8 prompts, 5 words requested in each (seed 0, temperature 0.8).",
        "| words proposed | 24 | 1 (has no chinese) |",
        "| with a category, checked | 8 | 1 (models do not agree on a category) |",
        "Dictionaries: kaikki.jsonl.",
        "- Meanings on which enough agreed: 7.",
        "Nothing.",
    ):
        assert line in card.splitlines(), line
    assert "5 people were asked whom each of 8 English meanings suggests (5 per meaning)" in card
    assert "ann" not in card.split()


# --- people ------------------------------------------------------------------------------------


def test_people_see_the_meaning_alone(tmp_path: Path) -> None:
    waits(tmp_path, open_model)
    study = open_study_folder(tmp_path / "04-suggest").study
    assert study.judgements == 5
    assert len(study.items) == 8  # the sentries of two languages are one meaning
    for item in study.items:
        assert visible_values(study, item) == {"meaning": item.fields["meaning"]}
        assert set(item.fields) - {"meaning"} <= set(study.hidden)
    by_meaning = {item.fields["meaning"]: item.fields["words"] for item in study.items}
    assert by_meaning["a sentry"] == "FR/sentinelle; DE/Wache"


def test_more_people_and_another_majority(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 of 5 people cannot decide"):
        build(tmp_path / "few", open_model, agree="2")
    with pytest.raises(InputError, match="6 of 5 people cannot decide"):
        build(tmp_path / "many", open_model, agree="6")
    folder = tmp_path / "strict"
    with pytest.raises(WaitingForPeopleError):
        build(folder, open_model, agree="5")
    people_answer(folder)
    build(folder, open_model, agree="5")
    suggested = {row["english"]: row["suggests"] for row in rows(folder, "04-suggest")}
    assert {meaning for meaning, said in suggested.items() if said} == {"a sentry", "sewing"}


# --- models ------------------------------------------------------------------------------------


def test_fewer_than_three_sorters_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    two = {**MODELS, "sorters": ",".join(scripted.SORTERS[:2])}
    for folder in (tmp_path / "new", tmp_path / "sorting"):
        if folder.name == "sorting":
            waits(folder, open_model)
            people_answer(folder)
        before = len(scripted_models.asked())
        with pytest.raises(
            InputError, match=r"at least 3 models in the role sorters.*sorters=SPEC,SPEC,SPEC"
        ):
            build(folder, open_model, two)
        assert len(scripted_models.asked()) == before


def test_who_sorts_may_be_said_when_it_is_time_to_sort(tmp_path: Path) -> None:
    proposers = {"proposers": MODELS["proposers"]}
    with pytest.raises(WaitingForPeopleError):
        build(tmp_path, open_model, proposers)
    people_answer(tmp_path)
    with pytest.raises(InputError, match=r"use --model sorters=SPEC,SPEC,SPEC\.$"):
        build(tmp_path, open_model, proposers)
    before = len(scripted_models.asked())
    build(tmp_path, open_model)
    asked = {line.split()[0] for line in scripted_models.asked()[before:]}
    assert asked == set(scripted.SORTERS)
    # Once they have sorted, it does not matter how many are named.
    build(tmp_path, open_model, {**MODELS, "sorters": scripted.SORTERS[0]})


def test_models_that_name_no_word(tmp_path: Path) -> None:
    def mute(_spec: ModelSpec) -> SimpleModel:
        identity = Identity(kind="scripted", label="x", key={})
        return SimpleModel(identity, {"generate": lambda _request: scripted.said("I cannot.")})

    with pytest.raises(RunError, match="No model answered with a complete word"):
        build(tmp_path, mute, {"proposers": "scripted-one"})


def prompts(folder: Path) -> dict[str, str]:
    return {row["id"]: row["messages"][1]["content"] for row in rows(folder, "01-seeds")}


def test_seeds_are_shown_and_may_be_the_users(tmp_path: Path) -> None:
    waits(tmp_path / "ours", open_model)
    asked = prompts(tmp_path / "ours")
    assert "5 French nouns that are grammatically feminine" in asked["fr-feminine-male"]
    assert "think of a man" in asked["fr-feminine-male"]
    assert "sentinelle (a sentry)" in asked["fr-feminine-male"]
    assert '"genitive"' in asked["de-masculine-female"]
    assert '"genitive"' not in asked["fr-feminine-male"]
    with Path("mine.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["language", "word", "grammar", "stereotype", "category", "english"])
        writer.writerow(["fr", "estafette", "f", "male", "occupation", "a dispatch rider"])
    with pytest.raises(WaitingForPeopleError):
        build(tmp_path / "mine", open_model, seeds="mine.csv")
    asked = prompts(tmp_path / "mine")
    assert "estafette (a dispatch rider)" in asked["fr-feminine-male"]
    assert "Nouns of the kind" not in asked["fr-masculine-male"]


@pytest.mark.parametrize(
    ("answered", "words"),
    [
        ('{"word": "a"}\n{"word": "b"}', ["a", "b"]),
        ('[{"word": "a"}, {"word": "b"}]', ["a", "b"]),
        ('```json\n{"word": "a"}\n```', ["a"]),
        ('{broken {"word": "a"}', ["a"]),
        ("none", []),
        ('{"words": {"word": "a"}}', [None]),
    ],
)
def test_objects_are_found_in_what_models_say(answered: str, words: list[str | None]) -> None:
    assert [found.get("word") for found in json_objects_in(answered)] == words


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_is_known_however_it_is_spelled(category: str) -> None:
    spaced = category.replace("_", " ")
    for text in (category, category.upper(), f"**{spaced}**.", f"It is {spaced.removesuffix('s')}"):
        assert category_in(text) == category
    others = [other for other in CATEGORIES if other != category]
    assert category_in(f"{category} or {others[0]}") == ""


# --- dictionaries ------------------------------------------------------------------------------


def test_a_language_without_a_dictionary_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no French dictionary .* --set dictionaries=FILE"):
        build(tmp_path / "a", open_model, dictionaries="")
    german = [line for line in scripted.DICTIONARY.split("\n") if '"lang_code": "de"' in line]
    Path("german.jsonl").write_text("\n".join(german), encoding="utf-8")
    with pytest.raises(InputError, match="no French dictionary"):
        build(tmp_path / "b", open_model, dictionaries="german.jsonl")


def test_a_table_is_a_dictionary_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "language,word,gender,partner\nde,Wache,f,\nde,Lehrer,m,Lehrerin\nde,Star,m / m,\n"
        "german,Wehr,f; n,\n",
        encoding="utf-8",
    )
    found = look_up({"DE": {"Wache", "Lehrer", "Wehr", "Star"}}, [str(path)])
    assert {word: entry.genders for (_, word), entry in found.items()} == {
        "Wache": {"F"}, "Lehrer": {"M"}, "Wehr": {"F", "N"}, "Star": {"M"},
    }  # fmt: skip
    assert found["DE", "Lehrer"].partners == {"Lehrerin"}
    path.write_text("language,word,gender\nde,Wache,common\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2, has the gender 'common'; it must be m, f or n"):
        look_up({"DE": {"Wache"}}, [str(path)])


def test_other_forms_of_a_noun_are_no_partners(tmp_path: Path) -> None:
    path = tmp_path / "kaikki.jsonl"
    line = {
        "word": "Kuss",
        "lang_code": "de",
        "pos": "noun",
        "senses": [
            {"tags": ["masculine", "strong"]},
            {"tags": ["form-of", "plural", "feminine"], "form_of": [{"word": "x"}]},
        ],
        "forms": [
            {"form": "Küsse", "tags": ["plural"]},
            {"form": "Küsschen", "tags": ["diminutive", "neuter"]},
            {"form": "Kusses", "tags": ["genitive"]},
        ],
    }
    path.write_text(json.dumps(line) + "\n\n", encoding="utf-8")
    entry = look_up({"DE": {"Kuss"}}, [str(path)])["DE", "Kuss"]
    assert (entry.genders, entry.partners) == ({"M"}, set())
    path.write_text("no json\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1, is not a dictionary"):
        look_up({"DE": {"Kuss"}}, [str(path)])
    with pytest.raises(InputError, match=r"Could not read .*nowhere\.jsonl"):
        look_up({"DE": {"Kuss"}}, [str(tmp_path / "nowhere.jsonl")])


def test_a_gzipped_dictionary_is_read(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "kaikki.jsonl.gz"
    path.write_bytes(gzip.compress(scripted.DICTIONARY.encode()))
    assert look_up({"DE": {"Wache"}}, [str(path)])["DE", "Wache"].genders == {"F"}


def test_the_french_dictionary_is_asked_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = (
        "sentinelle,.N+z1:fs", "garde,.N+Profession+z1:fs:ms", "brute,.N+z1:fs", "brut,.A+z1:ms",
        "brute,brut.A+z1:fs", "boxeur,.N+z1:ms", "boxeuse,boxeur.N+z1:fs", "boxer,.V3+z1:W",
    )  # fmt: skip
    monkeypatch.setattr(DELA, lambda: Dictionary("\n".join(lines) + "\n"))
    words = {"sentinelle", "garde", "brute", "boxeur", "boxer"}
    found = {word: entry for (_, word), entry in look_up({"FR": words}, ()).items()}
    assert {word: entry.genders for word, entry in found.items()} == {
        "sentinelle": {"F"}, "garde": {"F", "M"}, "brute": {"F"}, "boxeur": {"M"},
    }  # fmt: skip
    assert {word for word, entry in found.items() if entry.partners} == {"boxeur"}
    assert found["boxeur"].partners == {"boxeuse"}


def test_the_russian_dictionary_is_asked_where_it_is_installed() -> None:
    pytest.importorskip("pymorphy3")
    words = {"власть", "танец", "глава", "знать", "любовь", "хрюкозябр"}
    found = look_up({"RU": words}, ())
    assert {word: entry.genders for (_, word), entry in found.items()} == {
        "власть": {"F"}, "танец": {"M"}, "глава": {"M", "F"}, "знать": {"F"}, "любовь": {"F"},
    }  # fmt: skip
