"""Files with columns named as the paper prints them, and folders as a release may have them."""

from __future__ import annotations

from pathlib import Path

import pytest

import epicene
from epicene.core.errors import InputError
from epicene.suites import Dataset, DataSource, find_suite
from epicene.suites.genform.items import Pair, rules_of
from epicene.suites.genform.protocol import PROTOCOLS

SUITE = find_suite("genform")


def test_the_rules_are_printed_with_an_example_each() -> None:
    data = epicene.read_data("genform")
    numbers = {"3–4": ("fr", 15), "5": ("ar", 14), "6–7": ("hi", 21)}
    for name, (language, count) in numbers.items():
        table = data.table(name)
        assert table["rule"].to_list() == list(rules_of(language))
        assert len(table) == count
        assert (table["sentences"] >= 10).all()
        assert (table["masculine"] != table["feminine"]).sum() > count / 2
    cells = data.table("2")
    listed = [
        rule
        for column in ("Arabic", "French", "Hindi")
        for text in cells[column]
        for rule in text.split("; ")
        if rule != "–"
    ]
    assert sorted(listed) == sorted(rule for code in ("ar", "fr", "hi") for rule in rules_of(code))


def read(path: Path, **columns: str) -> Dataset:
    return SUITE.read(DataSource(path=path, columns=columns), PROTOCOLS["epicene"])


def table(path: Path, head: str, *rows: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join((head, *rows)), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("pairs.tsv", "EN\tFR (M)\tFR (F)\tRule Type"),
        ("french.tsv", "English\t(M)\t(F)\tRule"),
        ("morphogen_fr.tsv", "english_sentence\tMasculine Sentence\tFeminine Sentence\trule_type"),
        ("data.tsv", "English\tFrench Male\tFrench Female\tcategory"),
        ("Fr-test.tsv", "EN\tMaleSentence\tFemaleSentence\tType"),
    ],
)
def test_columns_like_the_papers_are_found(tmp_path: Path, name: str, head: str) -> None:
    file = table(tmp_path / name, head, "I left.\tJe suis parti.\tJe suis partie.\tActive")
    found = read(file)
    assert list(found.items) == [
        Pair(
            id=f"{file.stem}-1",
            language="fr",
            rule="Active",
            english="I left.",
            masculine="Je suis parti.",
            feminine="Je suis partie.",
        )
    ]
    (remark,) = found.remarks
    assert remark.startswith(f"{name}: masculine from ")
    assert "language fr" in remark


def test_a_folder_for_each_language_with_a_file_for_each_rule(tmp_path: Path) -> None:
    for place in ("hindi/Past.csv", "Arabic/Occupation.csv", "Arabic/Other.csv"):
        table(tmp_path / place, "EN,M,F", "x,a b,a c")
    pairs = list(read(tmp_path).items)
    assert [(pair.id, pair.language, pair.rule) for pair in pairs] == [
        ("Arabic-Occupation-1", "ar", "Occupation"),
        ("Arabic-Other-1", "ar", ""),
        ("hindi-Past-1", "hi", "Past"),
    ]


def test_our_names_and_the_users_go_first(tmp_path: Path) -> None:
    file = table(tmp_path / "x.csv", "language,masculine,feminine,M,F", "fr,a,b,c,d")
    (pair,) = read(file).items
    assert (pair.masculine, pair.feminine) == ("a", "b")
    assert read(file).remarks == ()
    (pair,) = read(file, masculine="M", feminine="F").items
    assert (pair.masculine, pair.feminine) == ("c", "d")


def test_what_is_not_found_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing required field `feminine`"):
        read(table(tmp_path / "fr.csv", "M,other", "a,b"))
    with pytest.raises(InputError, match="missing required field `language`"):
        read(table(tmp_path / "x.csv", "M,F", "a,b"))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="has no file of pairs"):
        read(empty)
