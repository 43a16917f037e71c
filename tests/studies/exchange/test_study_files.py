"""Studies as files: there and back, and what is refused."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.errors import InputError
from epicene.core.records import to_json
from epicene.studies.design.checks import study_problems
from epicene.studies.design.sampling import item_id
from epicene.studies.design.schema import AnswerValue, Span, Study, StudyItem
from epicene.studies.exchange.study_files import read_study, read_study_definition, study_toml
from study_examples import STUDIES, forced_choice, image


@pytest.mark.parametrize("make", STUDIES)
@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_the_suites_studies_are_sound_and_come_back_from_files(
    make: Callable[[], Study], suffix: str, tmp_path: Path
) -> None:
    whole = make()
    assert list(study_problems(whole)) == []
    path = tmp_path / f"study{suffix}"
    path.write_bytes(study_toml(whole).encode() if suffix == ".toml" else to_json(whole))
    assert read_study(path) == whole


def test_a_file_says_only_what_need_be_said() -> None:
    assert study_toml(image()) == (
        'name = "a-study"\nsuite = "none"\nhidden = ["votes"]\n\n'
        '[title]\nen = "A study"\n\n'
        '[[show]]\nshow = "image"\nfield = "picture"\n\n'
        '[show.description]\nen = "A generated picture"\n\n'
        '[[questions]]\nkind = "choice"\nid = "gender"\n\n'
        '[questions.ask]\nen = "The person is"\n\n'
        '[[questions.options]]\nid = "man"\nkey = "1"\n\n'
        '[[questions.options]]\nid = "woman"\nkey = "2"\n\n'
        '[[questions.options]]\nid = "neither"\nkey = "3"\n\n'
        f'[[items]]\nid = "i"\n\n[items.fields]\npicture = "{"ab" * 32}"\nvotes = "man,man,woman"\n'
    )


# Any text that can stand in a UTF-8 file.
texts = st.text(st.characters(codec="utf-8"), max_size=12)
answers: st.SearchStrategy[AnswerValue] = st.one_of(
    texts,
    st.lists(
        texts | st.builds(Span, start=st.integers(0), end=st.integers(0), label=texts), max_size=3
    ).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        StudyItem,
        id=texts,
        fields=st.dictionaries(texts, texts, max_size=3),
        judgements=st.none() | st.integers(0, 9),
        expected=st.dictionaries(texts, answers, max_size=3),
        feedback=st.dictionaries(texts, texts, max_size=2),
    )
)
def test_any_text_survives_both_kinds_of_file(item: StudyItem) -> None:
    whole = msgspec.structs.replace(image(), items=(item,))
    assert msgspec.convert(tomllib.loads(study_toml(whole)), Study) == whole
    assert msgspec.json.decode(to_json(whole), type=Study) == whole


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("study.toml", "name = ", r"study\.toml is not TOML: Invalid value"),
        ("study.json", "{", r"study\.json is not JSON: .* at column 2"),
        ("study.json", '{"name": "x"}', r"study\.json does not fit: .*required field `title`"),
        ("study.json", "[]", r"study\.json does not fit: Expected `object`"),
        ("study.yaml", "name: x", r"a study is a \.toml or \.json file"),
    ],
)
def test_a_file_that_is_no_study_is_refused(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        read_study(path)
    with pytest.raises(InputError, match="There is no file"):
        read_study(tmp_path / "missing.toml")


def test_a_misspelt_field_is_refused_with_its_place(tmp_path: Path) -> None:
    values = msgspec.to_builtins(image())
    values["questions"][0]["option"] = []
    path = tmp_path / "study.json"
    path.write_text(json.dumps(values), "utf-8")
    with pytest.raises(InputError, match=r"unknown field `option` - at `\$\.questions\[0\]`"):
        read_study(path)
    values = msgspec.to_builtins(msgspec.structs.replace(image(), judgements=0))
    path.write_text(json.dumps(values), "utf-8")
    with pytest.raises(InputError, match=r"study\.json: judgements is 0"):
        read_study(path)


def test_a_definitions_own_names_do_not_reach_people(tmp_path: Path) -> None:
    study = forced_choice()
    (tmp_path / "choice.toml").write_text(study_toml(study), "utf-8")
    found = read_study_definition(tmp_path / "choice.toml")
    for part in ("practice", "checks", "fillers"):
        (before,), (after,) = getattr(study, part), getattr(found, part)
        assert after.id == item_id(study.name, before.id)
        assert after.fields == before.fields
        assert after.expected == before.expected
    assert read_study(tmp_path / "choice.toml").checks == study.checks
