"""Reading words, ours and a user's, and counts in the authors' layout."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import msgspec
import polars as pl
import pytest

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.suites import DataSource
from epicene.suites.gramvis.data import PUBLISHED_COLUMNS, read, read_counts
from epicene.suites.gramvis.items import CONDITIONS, LANGUAGES
from epicene.suites.gramvis.protocol import PROTOCOLS
from epicene.suites.gramvis.word_lists import read_words, starter_file

COLUMNS = "language,word,article,grammar,stereotype,category,english,chinese,genitive,accusative"


def a_list(folder: Path, *rows: str) -> Path:
    path = folder / "words.csv"
    path.write_text("\n".join([COLUMNS, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_word_is_a_control_where_its_stereotype_equals_its_grammar() -> None:
    kinds = {word.id: word.control for word in read_words()}
    assert not kinds["FR/paternité/F"]
    assert kinds["FR/maternité/F"]
    assert not kinds["DE/Charme/M"]
    assert kinds["RU/палач/M"]


def test_a_users_list_is_read_and_its_article_found(tmp_path: Path) -> None:
    path = a_list(tmp_path, "french,autorité,,feminine,male,power_dynamic,authority,权威,,")
    (word,) = read_words(path)
    assert (word.language, word.grammar, word.article) == ("FR", "F", "l'")
    assert word.id == "FR/autorité/F"


def test_a_users_columns_may_have_other_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("language,noun,grammar,stereotype,category\nde,Wache,f,male,occupation\n")
    (word,) = read_words(path, {"word": "noun"})
    assert (word.word, word.article) == ("Wache", "die")


@pytest.mark.parametrize("name", ["../etc", "..", "a/b", "a\\b", "C:dir", "wo\x00rd", ".hidden"])
def test_a_word_that_could_lead_out_of_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "words.jsonl"
    row = {"language": "fr", "word": name, "grammar": "f", "stereotype": "male"}
    path.write_bytes(msgspec.json.encode(row | {"category": "occupation"}))
    with pytest.raises(InputError, match=r"line 1, has the word .* letters, hyphens"):
        read_words(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("fr,,la,f,male,occupation,a sentry,哨兵,,", "has no word"),
        ("fr,vigie,la,neuter,male,occupation,a sentry,哨兵,,", "no grammatical gender 'neuter'"),
        ("fr,vigie,la,f,both,occupation,a sentry,哨兵,,", "is invalid"),
        ("fr,vigie,la,f,male,jobs,a sentry,哨兵,,", "no category 'jobs'"),
        ("nl,wacht,de,f,male,occupation,a sentry,哨兵,,", "no language 'nl'"),
    ],
)
def test_a_wrong_row_is_refused_with_its_place(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        read_words(a_list(tmp_path, row))
    assert "line 2" in str(refused.value)


@pytest.mark.published(
    "the counts per word in gramvis/", "the repository on the card of the suite gramvis"
)
def test_published_spellings_are_the_authors(published_data: Path) -> None:
    with (published_data / "gramvis" / "ClassifiedData_rows.csv").open(encoding="utf-8") as file:
        theirs = {
            (row["Language"], row["Native_Word"]): row["Grammar_Gender"]
            for row in csv.DictReader(file)
        }
    ours = [word for word in read_words() if word.published]
    for word in ours:
        gender = theirs[LANGUAGES[word.language], word.published]
        assert gender == ("male" if word.grammar == "M" else "female"), word.id
        assert not word.control
    left_out = {
        (LANGUAGES[row.values["language"]], row.values["published"])
        for language in LANGUAGES
        for row in read_rows(starter_file(language))
        if row.values["left_out"]
    }
    taken = {(LANGUAGES[word.language], word.published) for word in ours}
    assert not taken & left_out
    assert taken | left_out == theirs.keys()
    assert len(taken) == len(ours)
    assert min(Counter(language for language, _ in taken).values()) >= 25


# --- counts ----------------------------------------------------------------------------------


def published_row(**changed: object) -> dict[str, object]:
    row: dict[str, object] = {
        PUBLISHED_COLUMNS.language: "german",
        PUBLISHED_COLUMNS.drawer: "flux",
        PUBLISHED_COLUMNS.grammar: "male",
        PUBLISHED_COLUMNS.category: "occupation",
        PUBLISHED_COLUMNS.word: "der_star",
    }
    for condition in CONDITIONS:
        for outcome in ("male", "female", "neither", "error"):
            row[PUBLISHED_COLUMNS.counted(condition, outcome)] = 4
    return {**row, **changed}


def write_counts(path: Path, rows: list[dict[str, object]]) -> Path:
    pl.DataFrame([{name: str(value) for name, value in row.items()} for row in rows]).write_csv(
        path
    )
    return path


def test_the_authors_layout(tmp_path: Path) -> None:
    row = published_row(Overall_Native_Male=7)
    path = write_counts(tmp_path / "counts.csv", [row])
    english, chinese, gendered = read_counts(path)
    assert (english.condition, chinese.condition, gendered.condition) == CONDITIONS
    assert (english.male, gendered.male, gendered.female) == (4, 7, 4)
    assert (gendered.language, gendered.grammar, gendered.group) == ("de", "M", "DE/der_star")
    dataset = read(DataSource(path=path), PROTOCOLS["paper"])
    assert dataset.name == "counts.csv"  # not the published one


def test_counts_as_pandas_writes_them(tmp_path: Path) -> None:
    """Whole numbers with a point, categories in words, no columns of errors."""
    row = {
        name: f"{value:.1f}" if isinstance(value, int) else value
        for name, value in published_row(Bias_Type="Social Status").items()
        if "Error" not in name
    }
    english, *_ = read_counts(write_counts(tmp_path / "counts.csv", [row]))
    assert (english.male, english.error, english.category) == (4, 0, "social_status")
    row["Overall_English_Male"] = "4.5"
    with pytest.raises(InputError, match=r"'4\.5' in 'Overall_English_Male'; it must be a count"):
        read_counts(write_counts(tmp_path / "counts.csv", [row]))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"Overall_Native_Male": "-1"}, "it must be a count"),
        ({"Overall_Native_Male": "many"}, "it must be a count"),
        ({"Overall_Native_Male": ""}, "it must be a count"),
        ({"Language": "latin"}, "no language 'latin'"),
        ({"Native_Word": ""}, "an empty column 'Native_Word'"),
    ],
)
def test_wrong_counts_are_refused(tmp_path: Path, changed: dict[str, object], message: str) -> None:
    path = write_counts(tmp_path / "counts.csv", [published_row(**changed)])
    with pytest.raises(InputError, match=message):
        read_counts(path)


def test_a_word_counted_twice_and_a_missing_column_are_refused(tmp_path: Path) -> None:
    twice = write_counts(tmp_path / "twice.csv", [published_row(), published_row()])
    with pytest.raises(InputError, match=r"line 3, repeats the counts of .*"):
        read_counts(twice)
    row = published_row()
    del row["Overall_Chinese_Neither"]
    with pytest.raises(InputError, match="lacks the column 'Overall_Chinese_Neither'"):
        read_counts(write_counts(tmp_path / "lacks.csv", [row]))
    empty = tmp_path / "empty.csv"
    empty.write_text(",".join(published_row()) + "\n", "utf-8")
    with pytest.raises(InputError, match="has no counts"):
        read_counts(empty)
