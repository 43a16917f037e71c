"""Which words a protocol takes: ours, the paper's 200, those of a file; and which it leaves out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import epicene
from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.suites import DataSource, choose_protocol
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.data import read
from epicene.suites.gramvis.items import CATEGORIES, GRAMMARS, LANGUAGES
from epicene.suites.gramvis.word_lists import WordList, word_list


def listed(name: str, path: Path | None = None, **settings: Any) -> WordList:
    """The words under a protocol."""
    protocol: Any = choose_protocol(suite, name, settings, None)
    return word_list(DataSource(path=path), protocol)


def test_the_paper_draws_its_200_words_and_no_controls() -> None:
    found = listed("paper")
    assert len(found.words) == len({(word.language, word.published) for word in found.words}) == 200
    assert all(word.published and word.english and word.chinese for word in found.words)
    assert not any(word.control for word in found.words)
    assert Counter(word.language for word in found.words) == dict.fromkeys(LANGUAGES, 40)
    assert Counter(word.grammar for word in found.words) == {"F": 111, "M": 89}


@pytest.mark.published(
    "the counts per word in gramvis/", "the repository on the card of the suite gramvis"
)
def test_they_are_the_counted_ones(published_data: Path) -> None:
    rows = read_rows(published_data / "gramvis" / "ClassifiedData_rows.csv")
    theirs = {
        (row.values["Language"], row.values["Native_Word"], row.values["Bias_Type"]) for row in rows
    }
    ours = {(LANGUAGES[w.language], w.published, w.category) for w in listed("paper").words}
    assert ours == theirs


def test_ours_leave_out_what_is_a_sex_by_definition() -> None:
    everything, left = listed("epicene", leave_out=""), listed("epicene")
    gone = {word.word for word in everything.words} - {word.word for word in left.words}
    assert {"Vamp", "paternità", "мужественность", "maternité"} <= gone
    assert {word.word for word in everything.words} > {"sensibilité", "Streife", "grembiule"}
    fewer = listed("epicene", leave_out="sex,collective,object")
    assert not {"Streife", "grembiule", "Vamp"} & {word.word for word in fewer.words}


@pytest.mark.parametrize("left_out", ["sex", "sex,object,collective"])
def test_enough_words_are_left(left_out: str) -> None:
    words = listed("epicene", leave_out=left_out).words
    least = Counter((w.language, w.grammar) for w in words if not w.control)
    assert min(least[language, grammar] for language in LANGUAGES for grammar in GRAMMARS) >= 16
    if left_out == "sex":
        for language in LANGUAGES:
            present = {w.category for w in words if w.language == language and not w.control}
            assert present == {*CATEGORIES}


def test_the_check_finds_nothing_in_what_a_run_takes_by_default() -> None:
    protocol: Any = choose_protocol(suite, "epicene", {}, None)
    assert suite.check is not None
    assert not list(suite.check(list(read(DataSource(), protocol).items), protocol))


def test_no_neutral_gloss_of_a_word_that_is_drawn_names_a_sex() -> None:
    """女 a woman, 男 a man, 父 a father, 母 a mother, 妇 a wife, 兄弟 brothers, 姐妹 sisters."""
    for word in listed("epicene").words:
        assert not set(word.chinese) & set("女男父母妇姐妹兄弟"), word


WORDS = """language,word,grammar,stereotype,category,english,chinese,genitive,remark
DE,Wache,F,male,Social Status,a guard,警卫,der Wache,
DE,Amme,F,female,occupation,a wet nurse,奶妈,der Amme,sex
DE,Anmut,F,female,personal_traits,grace,优雅,der Anmut,
"""


@pytest.mark.parametrize(
    ("protocol", "settings", "taken", "notes"),
    [
        ("epicene", {}, "Wache Anmut", ["1 word marked sex"]),
        ("epicene", {"leave_out": ""}, "Wache Amme Anmut", []),
        ("epicene", {"controls": "false"}, "Wache", ["1 word marked sex", "1 control word"]),
        ("paper", {}, "Wache", ["2 control words"]),
        ("paper", {"controls": "true"}, "Wache Amme Anmut", []),
    ],
)
def test_a_file_of_words(
    tmp_path: Path, protocol: str, settings: dict[str, str], taken: str, notes: list[str]
) -> None:
    path = tmp_path / "words.csv"
    path.write_text(WORDS, encoding="utf-8")
    found = listed(protocol, path, **settings)
    assert [word.word for word in found.words] == taken.split()
    assert len(found.notes) == len(notes)
    for note, said in zip(notes, found.notes, strict=True):
        assert note in said
    assert found.words[0].category == "social_status"


def test_an_unknown_remark_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text(WORDS.replace(",sex", ",odd"), encoding="utf-8")
    with pytest.raises(InputError, match="line 3, There is no remark 'odd'"):
        listed("epicene", path)


def test_the_papers_table_10_from_its_words() -> None:
    """199 entries are printed, with meanings; ours has the 200 that were counted."""
    table = epicene.read_data("gramvis", protocol="paper").table("10")
    assert table["language"].to_list() == list(LANGUAGES)
    assert table["F controls"].to_list() == table["M controls"].to_list() == [""] * 5
    french = table.row(by_predicate=pl.col("language") == "FR", named=True)
    assert french["F"].startswith("sentinelle (a sentry), ")
    assert sum(cell.count(" (") for row in table.rows() for cell in row[2:]) == 200
