"""The words: how many there are, their articles, and what is found wrong with a list."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.suites.gramvis.articles import definite_article
from epicene.suites.gramvis.checks import check_words, counterpart
from epicene.suites.gramvis.data import STARTER, read_words, starter_words
from epicene.suites.gramvis.items import CATEGORIES, GRAMMARS, LANGUAGES, Word

if TYPE_CHECKING:
    from epicene.suites.gramvis.items import Grammar

COLUMNS = "language,word,article,grammar,stereotype,category,english,chinese,genitive,accusative"


def a_word(language: str, word: str, grammar: Grammar, **fields: str) -> Word:
    """A word in which nothing is wrong but what the fields make so."""
    right = {
        "article": definite_article(language, grammar, word),
        "stereotype": "male" if grammar == "F" else "female",
        "category": "occupation",
        "english": "a sentry",
        "chinese": "哨兵",
        "genitive": f"des {word}s" if grammar == "M" else f"der {word}",
        "accusative": f"{word[:-1]}у" if word.endswith("а") else word,
    }
    given = {"id": f"{language}/{word}", "language": language, "word": word, "grammar": grammar}
    return msgspec.convert(right | given | fields, Word)


def a_list(folder: Path, *rows: str) -> Path:
    path = folder / "words.csv"
    path.write_text("\n".join([COLUMNS, *rows]) + "\n", encoding="utf-8")
    return path


def messages(*words: Word) -> list[str]:
    """What is found, but for the words that are wanting."""
    return [found.message for found in check_words(words) if "are wanted" not in found.message]


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_words_of_each_gender_and_category(language: str) -> None:
    words = starter_words(language)
    divergent = [word for word in words if not word.control]
    assert len(divergent) >= 40
    for grammar in GRAMMARS:
        assert sum(word.grammar == grammar for word in divergent) >= 16
        assert sum(word.grammar == grammar and word.control for word in words) >= 10
        for control in (False, True):
            kind = {w.category for w in words if w.grammar == grammar and w.control == control}
            assert kind == set(CATEGORIES)


def test_nothing_is_wrong_with_our_words() -> None:
    assert list(check_words(read_words())) == []


def test_a_word_is_a_control_where_its_stereotype_equals_its_grammar() -> None:
    kinds = {word.id: word.control for word in read_words()}
    assert not kinds["FR/paternité/F"]
    assert kinds["FR/maternité/F"]
    assert not kinds["DE/Charme/M"]
    assert kinds["RU/палач/M"]


@pytest.mark.parametrize(
    ("language", "grammar", "noun", "article"),
    [
        ("FR", "F", "sentinelle", "la"),
        ("FR", "M", "charme", "le"),
        ("FR", "F", "élite", "l'"),
        ("FR", "M", "héroïsme", "l'"),
        ("FR", "M", "héros", "le"),
        ("FR", "M", "héraut", "le"),
        ("FR", "M", "hidalgo", "l'"),
        ("FR", "M", "hooligan", "le"),
        ("FR", "F", "huître", "l'"),
        ("FR", "F", "honte", "la"),
        ("FR", "F", "hallucination", "l'"),
        ("FR", "F", "œuvre", "l'"),
        ("FR", "M", "yacht", "le"),
        ("ES", "M", "amor", "el"),
        ("ES", "F", "autoridad", "la"),
        ("ES", "F", "águila", "el"),
        ("ES", "F", "alma", "el"),
        ("ES", "F", "hampa", "el"),
        ("ES", "F", "actriz", "la"),
        ("ES", "F", "almohada", "la"),
        ("IT", "M", "idolo", "l'"),
        ("IT", "F", "autorità", "l'"),
        ("IT", "M", "stiro", "lo"),
        ("IT", "M", "zelo", "lo"),
        ("IT", "M", "sostegno", "il"),
        ("IT", "F", "scorta", "la"),
        ("IT", "F", "iena", "la"),
        ("IT", "M", "gnomo", "lo"),
        ("DE", "F", "Wache", "die"),
        ("DE", "M", "Engel", "der"),
        ("RU", "F", "власть", ""),
    ],
)
def test_the_article_follows_gender_and_first_sound(
    language: str, grammar: Grammar, noun: str, article: str
) -> None:
    assert definite_article(language, grammar, noun) == article


@pytest.mark.parametrize(
    ("word", "other"),
    [
        (a_word("ES", "boxeadora", "F"), "boxeador"),
        (a_word("FR", "coiffeur", "M"), "coiffeuse"),
        (a_word("FR", "actrice", "F"), "acteur"),
        (a_word("DE", "Lehrerin", "F"), "Lehrer"),
        (a_word("DE", "Lehrer", "M"), "Lehrerin"),
        (a_word("IT", "meccanica", "F"), "meccanico"),
        (a_word("FR", "laideron", "M"), "laideronne"),
        (a_word("DE", "Kollege", "M"), "Kollegin"),
        (a_word("ES", "secretaria", "F"), "secretario"),
        (a_word("RU", "болтун", "M"), "болтунья"),
        (a_word("RU", "учительница", "F"), "учитель"),
        (a_word("RU", "учитель", "M"), "учительница"),
    ],
)
def test_a_counterpart_is_found(word: Word, other: str) -> None:
    assert counterpart(word.language, word.grammar, word.word) == other
    assert messages(word) == [
        f"it seems to have a counterpart in the other gender ({other}), "
        "so its gender says whom it means."
    ]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (a_word("ES", "policía", "F"), "it is used in both genders"),
        (a_word("IT", "pianista", "M"), "it is used in both genders"),
        (a_word("IT", "melodramma", "M", article="la"), "its article is 'la' and should be 'il'"),
        (a_word("IT", "idolo", "M", article="il"), "its article is 'il' and should be \"l'\""),
        (a_word("ES", "amor", "M", article="la"), "its article is 'la' and should be 'el'"),
        (a_word("FR", "vigie", "F", english=""), "it has no English gloss"),
        (a_word("FR", "vigie", "F", chinese=""), "it has no Chinese gloss"),
        (a_word("IT", "guardia del corpo", "F"), "it is more than one word"),
        (a_word("DE", "Wache", "F", genitive=""), "it has no genitive"),
        (a_word("DE", "Schatz", "M", genitive="Schatzes"), "should begin with 'des'"),
        (a_word("DE", "Schatz", "M", genitive="des Schatz"), "takes -s, -es, -n or -en"),
        (a_word("DE", "Macht", "F", genitive="der Mächte"), "a feminine noun does not change"),
        (a_word("RU", "власть", "F", accusative=""), "it has no accusative"),
        (a_word("RU", "власть", "F", accusative="власти"), "'власти' and should be власть"),
        (a_word("RU", "охрана", "F", accusative="охраны"), "'охраны' and should be охрану"),
        (
            a_word("RU", "кумир", "M", genitive="кумира", accusative="кумиру"),
            "should be кумир or кумира",
        ),
    ],
)
def test_each_fault_of_a_word_is_found_once(word: Word, message: str) -> None:
    (found,) = messages(word)
    assert message in found


def test_words_that_only_look_like_one_of_a_pair_are_left_alone() -> None:
    assert messages(a_word("DE", "Kummer", "M"), a_word("FR", "soutien", "M")) == []


def test_a_word_that_comes_twice_is_found() -> None:
    twice = a_word("FR", "vigie", "F")
    assert messages(twice, twice) == ["it stands 2 times in the list."]


def test_too_few_words_of_a_gender_are_found() -> None:
    found = {(where, what) for _, where, what in check_words(starter_words("FR")[:20])}
    assert ("FR, M", "it has 0 divergent words; 16 are wanted.") in found
    assert ("FR, F", "it has 0 control words; 10 are wanted.") in found
    assert ("FR", "it has 20 divergent words; 40 are wanted.") in found
    assert ("FR, F", "it has 20 divergent words; 16 are wanted.") not in found
    missing = "it has no divergent word of social_status; all are wanted."
    assert ("FR", missing) in found


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
        ("fr,vigie,la,f,both,occupation,a sentry,哨兵,,", "does not fit"),
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
    with (STARTER / "left_out.csv").open(encoding="utf-8") as file:
        left_out = {(LANGUAGES[row["language"]], row["published"]) for row in csv.DictReader(file)}
    taken = {(LANGUAGES[word.language], word.published) for word in ours}
    assert not taken & left_out
    assert taken | left_out == theirs.keys()
    assert len(taken) == len(ours)
    assert min(Counter(language for language, _ in taken).values()) >= 25
