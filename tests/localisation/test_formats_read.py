"""Each format: what is read, what is left alone, and that a change touches nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from localisation.format_cases import ANDROID, ARB, CASES, CSV, FLUENT, PO, XCSTRINGS, XLIFF, YAML
from localisation.localised_samples import change, read, replaced

BY_NAME = {case.name: case for case in CASES}
LANGUAGE = {"app2.xliff": "ar"}


@pytest.fixture(params=["LF", "CRLF", "mark"])
def written(request: pytest.FixtureRequest) -> str:
    """How the file is written: line ends, and a byte-order mark."""
    return str(request.param)


def rendered(text: str, written: str) -> str:
    """The text as it is written in the file."""
    return {"CRLF": text.replace("\n", "\r\n"), "mark": f"\ufeff{text}"}.get(written, text)


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_strings(name: str, written: str, tmp_path: Path) -> None:
    case = BY_NAME[name]
    language = LANGUAGE.get(name, "fr")
    file = read(tmp_path, name, rendered(case.content, written), language)
    found = [(string.key, string.text.replace("\r\n", "\n")) for string in file.strings]
    assert found == case.strings
    assert {string.language for string in file.strings} == {language}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_only_changed_words_differ(name: str, written: str, tmp_path: Path) -> None:
    case = BY_NAME[name]
    content, expected = case.content, case.content
    for before, after in case.edits:
        assert expected.count(before) == 1, before
        expected = expected.replace(before, after)
    file = read(tmp_path, name, rendered(content, written), LANGUAGE.get(name, "fr"))
    assert replaced(file, *case.changes) == rendered(expected, written)
    assert file.replace({}) == file.path.read_bytes()


def test_details_of_a_string(tmp_path: Path) -> None:
    po = read(tmp_path, "app.po", PO).strings
    assert (po[0].source, po[0].state, po[0].syntax) == ('You are "%s"', "fuzzy", "printf")
    assert po[0].comment == "epicene: listener\nFrom the login page"
    assert (po[2].source, po[0].line, po[1].line) == ("%d friends", 12, 18)
    xliff = read(tmp_path, "app.xlf", XLIFF).strings
    assert (xliff[0].source, xliff[0].comment) == ("Ready", "epicene: listener")
    assert xliff[0].state == "needs-review-translation"
    arb = read(tmp_path, "app_fr.arb", ARB).strings
    assert (arb[0].comment, arb[0].syntax) == ("Prêt", "icu")
    assert read(tmp_path, "fr.yml", YAML).strings[0].comment == "epicene: listener"
    assert read(tmp_path, "fr/app.ftl", FLUENT).strings[0].comment == "epicene: listener"
    assert read(tmp_path, "values-fr/strings.xml", ANDROID).strings[0].comment == "epicene: speaker"


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("Localizable.strings", "utf-16-le"),
        ("Localizable.strings", "utf-16-be"),
        ("fr.json", "utf-16-le"),
    ],
)
def test_utf16_stays_utf16(name: str, encoding: str, tmp_path: Path) -> None:
    content = {"fr.json": '{"a": "Prêt 😀"}', "Localizable.strings": '"a" = "Prêt 😀";'}[name]
    file = read(tmp_path, name, f"\ufeff{content}".encode(encoding))
    new = file.replace({0: [change(file.strings[0].text, "Prêt", "Prête")]})
    assert new == f"\ufeff{content.replace('Prêt', 'Prête')}".encode(encoding)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "fr.po",
            'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n\n'
            'msgid "a"\nmsgstr "Prêt"\n',
        ),
        (
            "values-fr/strings.xml",
            '<?xml version="1.0" encoding="ISO-8859-1"?><resources><string name="a">Prêt</string>'
            "</resources>",
        ),
    ],
)
def test_the_encoding_that_a_file_names_stays(name: str, content: str, tmp_path: Path) -> None:
    file = read(tmp_path, name, content.encode("latin-1"))
    new = file.replace({0: [change(file.strings[0].text, "Prêt", "Prête")]})
    assert new == content.replace("Prêt", "Prête").encode("latin-1")


def test_ascii_json_stays_ascii(tmp_path: Path) -> None:
    file = read(tmp_path, "fr.json", '{"a": "Le Qu\\u00e9b\\u00e9cois", "b": "pret"}')
    new = replaced(file, (0, "Québécois", "😀é"), (1, "pret", "prête"))
    assert new == '{"a": "Le \\ud83d\\ude00\\u00e9", "b": "pr\\u00eate"}'


def test_an_inline_code_is_never_changed(tmp_path: Path) -> None:
    file = read(tmp_path, "app.xlf", XLIFF)
    text = file.strings[1].text
    assert file.possible_changes(1, [change(text, "prêt", "prête")]) == []
    assert len(file.possible_changes(1, [change(text, "mot", "mots")])) == 1


def test_several_languages_in_one_file(tmp_path: Path) -> None:
    every = read(tmp_path, "app.xcstrings", XCSTRINGS)
    assert (every.language, [each.language for each in every.strings]) == ("", ["fr", "de", "fr"])
    assert [each.text for each in read(tmp_path, "app.xcstrings", XCSTRINGS, "de").strings] == [
        "Bereit"
    ]
    assert [each.text for each in read(tmp_path, "app.csv", CSV, "en").strings] == [
        "Ready",
        "Happy",
    ]


def test_each_variant_of_a_memory_is_read(tmp_path: Path) -> None:
    content = (
        '<tmx version="1.4"><header srclang="en"/><body><tu>'
        '<tuv xml:lang="en"><seg>Ready</seg></tuv><tuv xml:lang="fr-FR"><seg>Prêt</seg></tuv>'
        '<tuv xml:lang="fr-CA"><seg>Paré</seg></tuv></tu></body></tmx>'
    )
    found = read(tmp_path, "a.tmx", content).strings
    assert [(each.text, each.language, each.source) for each in found] == [
        ("Prêt", "fr", "Ready"),
        ("Paré", "fr", "Ready"),
    ]
    assert [each.text for each in read(tmp_path, "a.tmx", content, "en").strings] == ["Ready"]


def test_who_is_who_is_read_from_comments(tmp_path: Path) -> None:
    arb = '{"a": "Prêt", "@a": {"x-epicene": "speaker"}}'
    assert read(tmp_path, "app_fr.arb", arb).strings[0].people == "speaker"
    android = "<!-- A button.\n     epicene: speaker -->"
    content = f'<resources>{android}<string name="a">Prêt</string></resources>'
    found = read(tmp_path, "values-fr/strings.xml", content).strings[0]
    assert found.comment == "A button.\nepicene: speaker"


def test_a_line_that_becomes_long_is_no_error(tmp_path: Path) -> None:
    """It would be read as continued on the next line, if the new file were read."""
    first = "Aujourd'hui, je me sens vraiment très prêt"
    file = read(tmp_path, "a.txt", f"{first}\net puis voilà\n", "fr")
    assert [string.text for string in file.strings] == [first, "et puis voilà"]
    new = replaced(file, (0, "prêt", "préparée"))
    assert new == f"{first.replace('prêt', 'préparée')}\net puis voilà\n"
    assert len(read(tmp_path, "b.txt", new).strings) == 1
