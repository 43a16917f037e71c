"""Files that were read wrongly once."""

from __future__ import annotations

from pathlib import Path

import pytest

import epicene


def rewritten(tmp_path: Path, name: str, text: str, **options: str) -> str:
    path, out = tmp_path / name, tmp_path / "out" / name
    path.write_bytes(text.encode())
    epicene.rewrite(path, out=out, **({"listener": "f"} | options))  # type: ignore[call-overload]
    return out.read_bytes().decode()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "en:\n  a: Tu es prêt\nfr:\n  a: Tu es prêt\n"),
        ("a.json", '{"it": {"a": "Tu es prêt"}, "fr": {"a": "Tu es prêt"}}'),
    ],
)
def test_of_several_languages_only_one_is_rewritten(tmp_path: Path, name: str, text: str) -> None:
    before, _, last = text.rpartition("prêt")
    assert rewritten(tmp_path, name, text, language="fr") == f"{before}prête{last}"


@pytest.mark.parametrize("blank", ["\u00a0", "\u2028", "\u3000", "\f"])
def test_a_line_of_other_blanks_above_a_paragraph(tmp_path: Path, blank: str) -> None:
    text = f"{blank}\nTu es prêt\net content.\n"
    wanted = f"{blank}\nTu es prête\net contente.\n"
    assert rewritten(tmp_path, "fr.md", text) == wanted


def test_a_comment_is_of_the_next_string_only(tmp_path: Path) -> None:
    text = f"# epicene: nobody\na: {'x' * 6_000}\nb: Tu es prêt\n"
    assert rewritten(tmp_path, "fr.yaml", text).endswith("b: Tu es prête\n")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("C'est le héros du film.", "C'est l'héroïne du film."),
        ("C''est le héros du film.", "C''est l''héroïne du film."),
    ],
)
def test_apostrophes_are_doubled_where_the_string_does(
    tmp_path: Path, text: str, wanted: str
) -> None:
    found = rewritten(tmp_path, "app_fr.arb", f'{{"a": "{text}"}}', others="f", listener="f")
    assert found == f'{{"a": "{wanted}"}}'


def test_an_apostrophe_does_not_end_an_attribute(tmp_path: Path) -> None:
    page = "<html lang='fr'><p title='Voici le héros.'>Voici le héros.</p></html>"
    found = rewritten(tmp_path, "a.html", page, others="f", listener="f")
    assert "<p title='Voici l&#39;héroïne.'>Voici l'héroïne.</p>" in found


def test_a_file_without_changes_is_not_written_in_place(tmp_path: Path) -> None:
    path = tmp_path / "fr.json"
    path.write_text('{"a": "Bonjour."}', "utf-8")
    before = path.stat()
    epicene.rewrite(path, listener="f", in_place=True)
    assert path.stat().st_ino == before.st_ino


def test_nothing_is_reported_of_somebody_to_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "fr.csv"
    path.write_text("text,people\nTu es prêt et contente.,you=keep\n", "utf-8")
    assert list(epicene.audit(path).findings) == []
