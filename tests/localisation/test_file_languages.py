"""The language of a file: what it says, what its path says, and what the user says."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.localisation.file_languages import (
    base_language,
    foreign_language_of_path,
    language_of_path,
)
from epicene.localisation.formats import format_of, read_localised_file
from localisation.localised_samples import write


@pytest.mark.parametrize(
    ("code", "base"),
    [("fr", "fr"), ("fr-CA", "fr"), ("pt_BR", "pt"), ("zh-Hans-CN", "zh"), ("", ""), ("12", "")],
)
def test_a_region_is_dropped(code: str, base: str) -> None:
    assert base_language(code) == base


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("values-fr/strings.xml", "fr"),
        ("values-fr-rCA/strings.xml", "fr"),
        ("values-b+fr+CA/strings.xml", "fr"),
        ("res/values/strings.xml", ""),
        ("fr.lproj/Localizable.strings", "fr"),
        ("locales/fr.json", "fr"),
        ("locales/fr-CA.json", "fr"),
        ("locales/ar/app.json", "ar"),
        ("locales/ar/LC_MESSAGES/app.po", "ar"),
        ("app_fr.arb", "fr"),
        ("app_pt_BR.arb", "pt"),
        ("messages.hi.xlf", "hi"),
        ("film.fr.srt", "fr"),
        ("ui.json", ""),
        ("app.json", ""),
    ],
)
def test_language_of_path(path: str, language: str) -> None:
    assert language_of_path(Path("/project") / path) == language


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("locales/nl/app.json", "nl"),
        ("locales/sv-SE/LC_MESSAGES/app.po", "sv"),
        ("values-b+fil/strings.xml", "fil"),
        ("film.ja.srt", "ja"),
        ("in/app.json", ""),
        ("ui.json", ""),
        ("web/src/app.json", ""),
    ],
)
def test_a_path_names_a_language_that_is_not_known(path: str, language: str) -> None:
    path = f"/project/{path}"
    assert (language_of_path(Path(path)), foreign_language_of_path(Path(path))) == ("", language)


def test_the_file_is_believed_before_its_path(tmp_path: Path) -> None:
    path = write(tmp_path, "de/app_fr.arb", '{"@@locale": "ar", "a": "b"}')
    assert read_localised_file(path).language == "ar"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("app.arb", '{"@@locale": "ar", "a": "b"}', "is in ar, not in fr; use --force-language"),
        (
            "ar.json",
            '{"a": "b"}',
            "is in ar according to its path, not in fr; use --force-language",
        ),
        ("app.csv", "key,ar,de\na,b,c\n", "does not say which column contains the texts"),
        (
            "app.xcstrings",
            '{"strings": {"a": {"localizations": {"ar": {"stringUnit": {"value": "b"}}, '
            '"de": {"stringUnit": {"value": "c"}}}}}}',
            "is in ar, de, not in fr.",
        ),
    ],
)
def test_another_language_is_refused(name: str, content: str, says: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(InputError) as error:
        read_localised_file(path, language="fr-CA", force_language=False)
    assert says in str(error.value)


def test_another_language_is_read_if_forced(tmp_path: Path) -> None:
    path = write(tmp_path, "app.arb", '{"@@locale": "ar", "a": "b"}')
    file = read_localised_file(path, language="fr", force_language=True)
    assert [string.language for string in file.strings] == ["fr"]


def test_the_format_is_known_by_the_ending() -> None:
    assert format_of(Path("a/Fr.PO")) == "po"
    with pytest.raises(InputError, match="is unknown; use --format"):
        format_of(Path("a.docx"))
