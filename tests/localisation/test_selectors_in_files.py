"""Selectors in files: what a file cannot hold, and what it says about its people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fluent.syntax import FluentParser, ast

import epicene
from epicene.core.errors import InputError
from epicene.localisation.select_files import SelectedFile

_LE = "{g, select, male {le} female {la} other {le}}"
_CLIENT = "{g, select, male {seul client} female {seule cliente} other {seul client}}"
_PRET = "{g, select, male {prêt} female {prête} other {prêt}}"
_SPLIT = f"Tu es {_LE}\n{_CLIENT}."


def _select(
    path: Path, content: str, *, speaker: str | None = None, **options: Any
) -> tuple[SelectedFile, str]:
    """What is done with a French file, and what the new one has."""
    path.write_text(content, "utf-8")
    out = path.parent / "new" / path.name
    (done,) = epicene.select(path, "fr", out=out, listener="g", speaker=speaker, **options)
    return done, out.read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.yaml", "fr:\n  a: >-\n    ", "\n"),
        ("a.yaml", "fr:\n  a: |\n    ", "\n"),
        ("a.yaml", "fr:\n  a: ", "\n"),
        ("a.yaml", 'fr:\n  a: "', '"\n'),
        ("a.md", "", "\n"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "\n"),
    ],
)
def test_words_on_two_lines_have_a_selector_on_each(
    tmp_path: Path, name: str, before: str, after: str
) -> None:
    indent = "    " if name == "a.yaml" else ""
    content = "Tu es le\nseul client.".replace("\n", f"\n{indent}")
    done, text = _select(tmp_path / name, f"{before}{content}{after}")
    assert text == before + _SPLIT.replace("\n", f"\n{indent}") + after
    assert (done.strings, done.left_out) == (1, ())


def test_words_in_two_cues_have_a_selector_in_each(tmp_path: Path) -> None:
    content = "1\n00:00:01,000 --> 00:00:02,000\n{}\n\n2\n00:00:03,000 --> 00:00:04,000\n{}\n"
    _, text = _select(tmp_path / "a.srt", content.format("Tu es le", "seul client."))
    assert text == content.format(f"Tu es {_LE}", f"{_CLIENT}.")


def test_fluent_words_on_two_lines_have_a_selector_on_each(tmp_path: Path) -> None:
    _, text = _select(tmp_path / "a.ftl", "a = Tu es le\n    seul client.\n")
    assert not [each for each in FluentParser().parse(text).body if isinstance(each, ast.Junk)]
    assert (text.count("[female] la"), text.count("[female] seule cliente")) == (1, 1)


def test_strings_that_an_inline_code_cuts_are_left_out(tmp_path: Path) -> None:
    units = ['Tu es pr<g id="1">êt</g>.', 'Tu es le nouve<x id="9"/>au client.', "Tu es prêt."]
    content = (
        '<xliff version="1.2"><file source-language="en" target-language="fr"><body>\n'
        + "\n".join(
            f'<trans-unit id="{at}"><source>a</source><target>{unit}</target></trans-unit>'
            for at, unit in enumerate(units)
        )
        + "\n</body></file></xliff>\n"
    )
    done, text = _select(tmp_path / "a.xlf", content)
    assert (done.strings, [each.line for each in done.left_out]) == (1, [2, 3])
    assert units[0] in text
    assert units[1] in text
    assert "female {prête}" in text


def test_a_word_that_shows_two_people_leaves_its_string_out(tmp_path: Path) -> None:
    content = '{"a": "Tu es p<b>rêt</b>, et je suis prêt.", "b": "Tu es prêt."}'
    done, text = _select(tmp_path / "a.json", content, speaker="h")
    assert (done.strings, [each.key for each in done.left_out]) == (1, ["a"])
    assert '"a": "Tu es p<b>rêt</b>, et je suis prêt."' in text


def test_a_text_that_could_not_be_read_back_is_left_out(tmp_path: Path) -> None:
    """YAML without quotes cannot begin with a brace."""
    source, out = tmp_path / "en.yaml", tmp_path / "new.yaml"
    source.write_text("en:\n  a: She left.\n  b: And she left.\n", "utf-8")
    (done,) = epicene.select(source, others="g", out=out)
    assert (done.strings, [each.key for each in done.left_out]) == (1, ["a"])
    assert out.read_text("utf-8").startswith("en:\n  a: She left.\n  b: And {g, select")


def test_a_cell_without_quotes_is_left_out(tmp_path: Path) -> None:
    done, text = _select(tmp_path / "a.csv", 'key,text\na,Tu es prêt\nb,"Tu es prêt"\n')
    assert [(each.key, each.why[-6:]) for each in done.left_out] == [("a", "quotes")]
    assert text == f'key,text\na,Tu es prêt\nb,"Tu es {_PRET}"\n'


# --- who is who --------------------------------------------------------------------------------

_JE_PRET = _PRET.replace("{g,", "{h,")


@pytest.mark.parametrize(
    ("comment", "made"),
    [
        ("", f"Je suis {_JE_PRET}, tu es {_PRET}."),
        ("nobody", "Je suis prêt, tu es prêt."),
        ("you=f", f"Je suis {_JE_PRET}, tu es prêt."),
        ("I=keep", f"Je suis prêt, tu es {_PRET}."),
        ("I=user, you=other", f"Je suis {_JE_PRET}, tu es {_PRET}."),
    ],
)
def test_comments_say_who_gets_no_selector(tmp_path: Path, comment: str, made: str) -> None:
    note = f"#. epicene: {comment}\n" if comment else ""
    content = f'{note}msgid "a"\nmsgstr "Je suis prêt, tu es prêt."\n'
    _, text = _select(tmp_path / "a.po", content, speaker="h")
    assert text == content.replace("Je suis prêt, tu es prêt.", made)


def test_a_column_says_who_gets_no_selector(tmp_path: Path) -> None:
    content = "Mot;Qui;fr\na;you=m;Tu es prêt.\nb;;Tu es prêt.\n"
    columns = {"text": "fr", "people": "Qui"}
    _, text = _select(tmp_path / "a.csv", content, columns=columns)
    assert text == f"Mot;Qui;fr\na;you=m;Tu es prêt.\nb;;Tu es {_PRET}.\n"


def test_a_file_of_people_says_who_gets_no_selector(tmp_path: Path) -> None:
    people = tmp_path / "people.toml"
    people.write_text('[keys]\n"legal*" = "nobody"\n', "utf-8")
    content = '{"legal.a": "Tu es prêt.", "b": "Tu es prêt."}'
    done, text = _select(tmp_path / "a.data", content, people=people, format="json")
    assert text == '{"legal.a": "Tu es prêt.", "b": "Tu es ' + _PRET + '."}'
    assert done.strings == 1
    with pytest.raises(InputError, match="is an input file"):
        epicene.select(
            tmp_path / "a.data", "fr", listener="g", out=people, people=people, format="json"
        )


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("a.po", '#, c-format\nmsgid "a"\nmsgstr "Tu es prêt, %s."\n', "c-format strings of PO"),
        ("a.po", 'msgid "a"\nmsgstr "Tu es prêt."\n', ""),
        ("a.xml", '<resources><string name="a">Tu es prêt</string></resources>', "Android"),
        ("a.strings", '"a" = "Tu es prêt";\n', "Apple strings"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nTu es prêt.\n", "subtitles"),
        ("a.html", "<p>Tu es prêt.</p>\n", "HTML"),
        ("a.md", "Tu es prêt.\n", "Markdown"),
        ("a.md", "Rien.\n", ""),
        ("a.arb", '{"a": "Tu es prêt."}', ""),
    ],
)
def test_formats_that_are_no_messages_are_warned_of(
    tmp_path: Path, name: str, content: str, named: str
) -> None:
    done, _ = _select(tmp_path / name, content)
    assert bool(done.warning) == bool(named)
    assert named in done.warning


def test_a_table_in_several_languages_names_them(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_text("key,en,es,fr\na,Ready,Listo,Prêt\n", "utf-8")
    with pytest.raises(InputError, match="has strings in en, es, fr; name one with --language"):
        epicene.select(source, listener="g", out=tmp_path / "o.csv")


def test_columns_are_for_tables(tmp_path: Path) -> None:
    path = tmp_path / "fr.json"
    path.write_text('{"a": "Tu es prêt."}', "utf-8")
    for call in (
        lambda: epicene.check_selectors(path, columns={"text": "b"}),
        lambda: epicene.select(path, listener="g", out=tmp_path / "o.json", columns={"text": "b"}),
    ):
        with pytest.raises(InputError, match="applies to tables"):
            call()
