"""The check for words that `make check` runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import words

if TYPE_CHECKING:
    from pathlib import Path

GLOSSARY = words.glossary((words.ROOT / "CONTRIBUTING.md").read_text("utf-8"))


def found(path: Path) -> list[tuple[int, str]]:
    pattern = words.any_of(GLOSSARY)
    return [(hit.line, hit.phrase) for hit in words.find_hits(path, GLOSSARY, pattern)]


def test_the_glossary_is_read_whole() -> None:
    assert GLOSSARY["goes on"] == "resumes, continues"
    assert GLOSSARY["say --"] == "use --"
    assert all(phrase == phrase.lower() and advice for phrase, advice in GLOSSARY.items())


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("The run resumes.\n", []),
        ("The run goes on.\n", [(1, "goes on")]),
        ("First line.\nThe run goes\non. Mend it\n", [(2, "goes on"), (3, "Mend")]),
        ("It foregoes one.\nA lament.\n", []),
        ("The run goes on. <!-- words: allow -->\nMend it.\n", [(2, "Mend")]),
        ("Use --out; say --out.\n", [(1, "say --")]),
    ],
)
def test_pages(text: str, hits: list[tuple[int, str]], tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(text, "utf-8")
    assert found(path) == hits


def test_strings_and_docstrings_of_a_module(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""It goes on."""\n'
        "# A comment that goes on.\n"
        "def goes_on(path):\n"
        '    """Fine.\n\n    It is there twice.\n    """\n'
        '    print("It goes on", path)  # words: allow\n'
        '    raise ValueError(f"{path} wants "\n        f"a folder")\n',
        "utf-8",
    )
    assert sorted(found(path)) == [(1, "goes on"), (6, "is there twice"), (9, "wants a")]


def test_everything_but_the_pending_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    assert words.main() == 0, capsys.readouterr().out
    checked = [path.relative_to(words.ROOT).as_posix() for path in words.checked_files()]
    assert "src/epicene/app/run.py" in checked
    assert "README.md" in checked
