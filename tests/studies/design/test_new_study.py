"""Studies of one's own from a file, checks, and the reference of study.toml."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import epicene
from epicene.core.errors import InputError
from epicene.studies.design import schema
from studies.annotate_command import command
from website.record_reference import SECTIONS, reference_markdown, reference_texts

DOCS = Path(__file__).parents[3] / "docs"

ROWS = """kind,text,other,model,group,expected,feedback
item,She left.,He left.,m1,g1,,
item,They left.,It left.,m2,g1,,
practice,He came.,She came.,,,yes,It is natural.
check,Came he the.,The he came.,,,no,
"""


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "items.csv"
    path.write_text(ROWS, "utf-8")
    return path


def test_a_study_from_a_file(rows: Path, tmp_path: Path) -> None:
    made = epicene.annotate.new(rows, tmp_path / "My Study", ask="Natural?", options=["yes", "no"])
    study = epicene.Study(made.path).folder.study
    assert (study.name, study.suite, study.hidden) == ("my-study", "", ("other", "model"))
    assert [len(getattr(study, part)) for part in schema.ITEM_PARTS] == [1, 1, 0, 2]
    assert study.checks[0].expected == {"answer": "no"}
    assert study.practice[0].feedback == {"en": "It is natural."}
    assert made.progress().wanted == 4
    assert epicene.annotate.check(made.path).problems == []


def test_a_choice_between_columns_and_a_text_from_a_draft(rows: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.csv"
    plain.write_text("text,other\nShe left.,He left.\n", "utf-8")
    chosen = epicene.annotate.new(plain, tmp_path / "a", ask="Which?", between=["text", "other"])
    (question,) = chosen.folder.study.questions
    assert isinstance(question, schema.ChoiceQuestion)
    assert question.between == ("text", "other")
    written = epicene.annotate.new(plain, tmp_path / "b", ask="Better?", draft="other")
    (question,) = written.folder.study.questions
    assert isinstance(question, schema.TextQuestion)
    assert question.draft == "other"
    with pytest.raises(InputError, match="shown_text"):
        epicene.annotate.new(
            rows, tmp_path / "c", ask="Natural?", options=["yes"], show="shown_text"
        )
    with pytest.raises(InputError, match="Use exactly one of"):
        epicene.annotate.new(plain, tmp_path / "d", ask="?", options=["a", "b"], draft="text")


def test_the_commands(rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "study"
    assert command("new", rows, "--ask", "Natural?", "--options", "yes,no", "-o", made) == 0
    assert command("check", made) == 0
    told = capsys.readouterr().err
    assert "participants are not asked for consent" in told.lower()
    assert "can start" in told


def test_everything_that_is_wrong_is_listed_at_once(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = epicene.annotate.new(rows, tmp_path / "s", ask="Natural?", options=["yes", "no"])
    file = made.path / "study.toml"
    text = file.read_text("utf-8").replace("judgements = 2", "judgements = 0")
    for option in ("yes", "no"):
        text = text.replace(f'id = "{option}"', f'id = "{option}"\nkey = "1"')
    file.write_text(text, "utf-8")
    assert command("check", made.path) == 2
    told = capsys.readouterr().err
    assert "judgements is 0" in told
    assert "the key '1' 2 times" in told
    assert "has 2 problems" in told


def test_a_study_with_one_key_twice_does_not_start(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = epicene.annotate.new(rows, tmp_path / "s", ask="Natural?", options=["yes", "no"])
    file = made.path / "study.toml"
    text = file.read_text("utf-8")
    for option in ("yes", "no"):
        text = text.replace(f'id = "{option}"', f'id = "{option}"\nkey = "1"')
    file.write_text(text, "utf-8")
    assert command("serve", made.path) == 2
    assert "the key '1' 2 times" in capsys.readouterr().err


def test_every_field_is_described_and_the_page_is_up_to_date() -> None:
    texts = reference_texts()
    for record, _ in SECTIONS:
        assert list(texts[record.__name__]) == list(record.__struct_fields__)
    parts = {
        value
        for value in vars(schema).values()
        if isinstance(value, type) and issubclass(value, msgspec.Struct)
    }
    unlisted = {each.__name__ for each in parts} - {record.__name__ for record, _ in SECTIONS}
    assert unlisted == {
        *("Record", "_StudyRecord", "_Panel", "_Question"),
        *("SampledCell", "SamplingRecord", "Response", "Adjudication"),
    }
    assert (DOCS / "reference" / "study_toml.md").read_text("utf-8") == reference_markdown()
