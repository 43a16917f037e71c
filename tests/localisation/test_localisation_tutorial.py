"""The tutorial: its commands run, print what it shows, and leave the files that it describes."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from epicene.cli import run_app, run_with_exit_code

DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL = (DOCS / "tutorials" / "localisation.md").read_text(encoding="utf-8")


def sessions() -> list[tuple[str, list[str]]]:
    """Each command of the page, and the lines that it shows below it."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```\n(\$ .*?)^```", TUTORIAL, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line != "…":
                found[-1][1].append(" ".join(line.split()))
    return found


def arguments(command: str) -> list[str]:
    """The words of a command as a shell would give them, without the program."""
    words: list[str] = []
    for word in shlex.split(command)[1:]:
        words += sorted(map(str, Path().glob(word))) if "*" in word else [word]
    return words


def test_the_commands_of_the_tutorial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(DOCS / "tutorials" / "localisation", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    commands = sessions()
    assert len(commands) == 11
    for command, shown in commands:
        given = arguments(command)
        code = run_with_exit_code(lambda given=given: run_app(given))  # type: ignore[misc]
        printed = capfd.readouterr()
        lines = [" ".join(line.split()) for line in (printed.out + printed.err).splitlines()]
        assert code == 0, (command, printed.err)
        assert [line for line in shown if line not in lines] == [], (command, lines)
    assert "Je suis prête et contente de vous répondre." in (tmp_path / "locale/fr.po").read_text(
        encoding="utf-8"
    )
    assert "أنت <b>مشتركة</b> في النشرة." in (tmp_path / "feminine/ar.po").read_text(
        encoding="utf-8"
    )


def test_people_are_as_the_page_says() -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```", TUTORIAL, re.DOTALL | re.MULTILINE)
    assert (
        (DOCS / "tutorials" / "localisation" / "people.toml")
        .read_text(encoding="utf-8")
        .endswith(shown)
    )
