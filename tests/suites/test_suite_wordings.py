"""Wordings: what is asked in each, of which items, and under which settings."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from epicene.core.errors import InputError
from epicene.core.records import Generate, Image, Images, Look, Score, Translate
from epicene.models import parse_spec
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.frames import check_unique_judgements, judgement_frame
from epicene.runs.items import select_items
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.suites import AnsweredRequest, Answers, DataSource, choose_protocol, find_suite
from epicene.suites import wordings as wordings_module
from epicene.suites.genform.prompts import other_wordings
from epicene.suites.wordings import MOST, in_wordings, marked, unmarked, wording_of
from runs.conftest import Silent

SUITES = Path(wordings_module.__file__).parent
SETTINGS: dict[str, dict[str, Any]] = {
    "genform": {},
    "apgc": {"tasks": "identification,rewriting", "labels": "words,sentence"},
    "alternations": {"formats": "prompt"},
    "misgendering": {"pronouns": "she,xe"},
    "gramvis": {},
}


def config(name: str, wordings: int, limit: int | None = 3, **settings: Any) -> RunConfig:
    suite = find_suite(name)
    given = {**SETTINGS[name], **settings, "wordings": str(wordings)}
    return RunConfig(
        suite=suite, protocol=choose_protocol(suite, "epicene", given, None), models={}, limit=limit
    )


def items_of(order: RunConfig) -> list[Any]:
    return list(select_items(order, order.suite.read(DataSource(), order.protocol)))


def asked(order: RunConfig, item: Any) -> list[Any]:
    """The requests of the first stages."""
    return [
        request
        for stage in order.suite.for_protocol(order.protocol, ["model"]).stages
        if not stage.needs
        for request in stage.ask(item, Answers(), order.protocol)
    ]


def texts(requests: list[Any]) -> list[str]:
    """What a model reads."""
    return [
        str(request.prompt if isinstance(request, Generate) else (request.context, request.texts))
        for request in requests
        if isinstance(request, Generate | Score)
    ]


def test_marks_of_wordings() -> None:
    assert [marked("fr-1", number) for number in (1, 2)] == ["fr-1", "fr-1/wording-2"]
    assert [wording_of(each) for each in ("fr-1", "fr-1/wording-5")] == [1, 5]
    assert unmarked("a/wording-2") == unmarked("a") == "a"


@pytest.mark.parametrize("name", ["genform", "apgc", "alternations", "misgendering"])
def test_every_wording_asks_the_same_in_other_words(name: str) -> None:
    one, several = config(name, 1, limit=30), config(name, MOST, limit=30)
    plain, reworded = items_of(one), items_of(several)
    first = [item for item in reworded if wording_of(item.id) == 1]
    assert first == plain  # the first wording is what is asked by default, and of the same items
    by_base: dict[str, list[Any]] = {}
    for item in reworded:
        by_base.setdefault(unmarked(item.id), []).append(item)
    assert {len(found) for found in by_base.values()} <= {1, MOST}
    whole = [found for found in by_base.values() if len(found) == MOST]
    assert whole
    for found in whole:
        assert len({item.cluster for item in found}) == 1
        requests = [asked(several, item) for item in found]
        assert [each.name for each in requests[0]] == [each.name for each in asked(one, found[0])]
        for versions in zip(*map(texts, requests), strict=True):
            assert len(set(versions)) == MOST
    for item in plain:
        assert asked(one, item) == asked(several, item)


@pytest.mark.parametrize("code", sorted(other_wordings()))
def test_prompts_of_genform_have_their_parts(code: str) -> None:
    found = other_wordings()[code]
    assert len(found) == MOST - 1
    for each in found:
        assert each.then.count("[sentence]") == 1
        assert each.user.masculine != each.user.feminine
        assert ("[language]" in each.system) == (code == "en")


def slots(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def read_toml(*parts: str) -> Any:
    return tomllib.loads(SUITES.joinpath(*parts).read_text(encoding="utf-8"))


def test_prompts_of_apgc_and_alternations_have_their_slots() -> None:
    first, others = read_toml("apgc", "prompts.toml"), read_toml("apgc", "wordings.toml")
    for code in ("ar", "en"):
        assert set(others[code]) == {"rewriting", "identification", "label"}
        for task, found in others[code].items():
            assert len(found) == MOST - 1
            for each in found:
                assert slots(each["user"]) == slots(first[code][task]["user"]), each
    first, others = (
        read_toml("alternations", "prompts.toml"),
        read_toml("alternations", "wordings.toml"),
    )
    assert set(first) == set(others)
    assert all(len(found) == MOST - 1 for found in others.values())
    assert all(slots(each["user"]) == {"sentence"} for found in others.values() for each in found)


def test_declarations_of_pronouns() -> None:
    declared = read_toml("misgendering", "starter", "declarations.toml")["wordings"]
    assert len(set(declared)) == MOST
    assert all(slots(each) == {"name", "pronouns"} for each in declared)
    order = config("misgendering", 2, limit=None, pronouns="they")
    items = {item.id: item for item in items_of(order)}
    second = items["templates/they/nom-bridge-call/0/wording-2"]
    name = second.name
    assert second.before == (
        f"{name} uses the pronouns they/them/theirs. {name} promised to call as soon as "
    )
    assert second.candidates == items["templates/they/nom-bridge-call/0"].candidates
    # What declares nothing comes once.
    assert all(wording_of(item) == 1 for item in items if not item.startswith("templates/"))


def test_judges_of_images_are_asked_in_every_wording() -> None:
    order = config("gramvis", MOST)
    item = items_of(order)[0]
    images = Images(images=(Image(sha256="a" * 64),))
    drawn = Answers([AnsweredRequest("draw", "drawer", "m", "english", images)])
    (_, look) = order.suite.stages
    found = list(look.ask(item, drawn, order.protocol))
    asked_in = {request.question for request in found if isinstance(request, Look)}
    assert len(asked_in) == len(found) == MOST
    assert [request.name for request in found[:2]] == ["english 1", "english 1/wording-2"]
    (plain,) = look.ask(item, drawn, config("gramvis", 1).protocol)
    assert found[0] == plain


@pytest.mark.parametrize(
    ("name", "protocol", "settings", "message"),
    [
        ("genform", "paper", {}, "protocol paper has one wording"),
        ("gramvis", "paper", {}, "protocol paper has one wording"),
        ("misgendering", "paper", {}, "protocol paper has one wording"),
        ("apgc", "paper", {}, "protocol paper has one wording"),
        ("alternations", "paper", {"formats": "prompt"}, "protocol paper has one wording"),
        ("alternations", "epicene", {}, "applies only to the format prompt"),
        ("apgc", "epicene", {"tasks": "translation"}, "tasks identification and rewriting"),
        ("genform", "epicene", {"formats": "translation"}, "has no prompt"),
        ("gramvis", "epicene", {"question": "Who?"}, "--set question gives a single wording"),
        ("genform", "epicene", {"wordings": "6"}, "a whole number from 1 to 5, not '6'"),
    ],
)
def test_where_there_are_no_wordings(
    name: str, protocol: str, settings: dict[str, str], message: str
) -> None:
    given = {"wordings": "2", **settings}
    with pytest.raises(InputError, match=re.escape(message)):
        choose_protocol(find_suite(name), protocol, given, None)


def test_the_users_own_texts_have_the_users_wording(tmp_path: Path) -> None:
    file = tmp_path / "templates.csv"
    file.write_text("template,case\n{name} says {mask} left.,nominative\n", "utf-8")
    order = config("misgendering", 2)
    with pytest.raises(InputError, match="no templates that declare pronouns"):
        order.suite.read(DataSource(path=file), order.protocol)


def test_translations_are_asked_once() -> None:
    order = config("genform", 3, formats="generation,translation")
    pair = items_of(order)[0]
    for each in in_wordings(pair, 3):
        requests = asked(order, each)
        assert any(isinstance(found, Translate) for found in requests) == (each == pair)


@pytest.mark.parametrize("name", ["genform", "gramvis"])
def test_a_run_in_several_wordings(name: str, tmp_path: Path) -> None:
    """Every judgement says its wording, none shares its name, and each table its note."""
    suite = find_suite(name)
    order = config(name, 3, limit=2, **({"shots": "2"} if name == "gramvis" else {}))
    roles = [role.name for role in suite.roles]
    order = RunConfig(
        suite=suite,
        protocol=order.protocol,
        models={role: [parse_spec("random:1")] for role in roles},
        limit=2,
        under=tmp_path,
    )
    folder, manifest = run(order, Silent())
    assert manifest.state == "complete"
    assert manifest.settings.protocol["wordings"] == 3
    stored = read_run(folder)
    summary = summarise([stored])
    frame = judgement_frame(RunJudgements(stored), stored.info)
    check_unique_judgements(frame, name)
    assert set(frame["wording"].cast(str)) == {"1", "2", "3"}
    tables = {table.name: table for table in summary.tables}
    assert tables["wordings"].rows
    assert all(
        suite.wordings_note in table.notes for table in tables.values() if table.name != "wordings"
    )
