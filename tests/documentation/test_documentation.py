"""The code in tutorials, guides and notebooks runs as it is written; see doc_blocks.py."""

from __future__ import annotations

import doctest
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cyclopts import CycloptsError

from called_commands import parse
from documentation.doc_blocks import DOCS, RUN, SHOWN, Block, blocks, commands, pages, sessions
from documentation.doc_shell import EpiceneServer, Shell
from documentation.notebooks import NOTEBOOKS, code_cells, run_cells
from models.hf.tiny_causal import llama, save, smollm2_like

README = DOCS.parent / "README.md"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EpiceneServer]:
    checkpoint = tmp_path_factory.mktemp("checkpoint")
    save(checkpoint, llama(), smollm2_like())
    server = EpiceneServer(tmp_path_factory.mktemp("programs"), CHECKPOINT=str(checkpoint))
    yield server
    server.close()


def _cases() -> Iterator[Any]:
    for page in (README, *pages()):
        embedded = any("smollm2" in each.code for each in blocks(page) if not each.mark)
        marks = [pytest.mark.embedded] if embedded else []
        yield pytest.param(page, id=page.stem, marks=marks)


@pytest.mark.parametrize("page", _cases())
@pytest.mark.filterwarnings("ignore::epicene.EpiceneWarning")
def test_the_code_of_a_page_runs(
    page: Path, server: EpiceneServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(tmp_path, server)
    names: dict[str, Any] = {}
    for block in blocks(page):
        if block.mark == "not run":
            assert block.reason, block.place
        elif block.file:
            file = shell.folder / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.code, encoding="utf-8")
        elif block.mark == "parsed":
            _parse(block)
        elif block.language == "shell":
            code, printed = shell.run(block.code)
            assert code == block.exits, f"{block.place}:\n{block.code}\n{printed}"
        elif block.language == "console":
            _compare(block, shell)
        elif block.language in ("python", "pycon"):
            monkeypatch.chdir(shell.folder)
            _run_python(block, names)
        else:
            assert block.language in SHOWN, (
                f"{block.place}: name the language of the block; {', '.join(RUN)} are run, "
                f"{', '.join(SHOWN)} are not."
            )


def _compare(block: Block, shell: Shell) -> None:
    """Run the commands of a session, and find what it shows in what they print."""
    shown = sessions(block.code)
    for number, (command, lines) in enumerate(shown, 1):
        code, printed = shell.run(command)
        expected = block.exits if number == len(shown) else 0
        assert code == expected, f"{block.place}:\n{command}\n{printed}"
        found = iter([" ".join(line.split()) for line in printed.splitlines()])
        for line in lines:
            if (wanted := " ".join(line.split())) not in ("", "…"):
                assert wanted in found, f"{block.place}: not printed: {line}\n{printed}"


def _parse(block: Block) -> None:
    """Whether the commands of a block have the options that it gives them."""
    found = list(commands(block.code))
    assert found, f"{block.place}: there is no epicene command to parse"
    for words in found:
        words = [each for each in words if not (each.startswith("[") or each.endswith("]"))]
        try:
            if words:  # pip install epicene
                parse(words)
        except (CycloptsError, KeyError) as error:
            pytest.fail(f"{block.place}: {words}: {error}")


def _run_python(block: Block, names: dict[str, Any]) -> None:
    if block.language == "python":
        code = compile("\n" * block.line + block.code, block.page, "exec")
        exec(code, names)
        return
    test = doctest.DocTestParser().get_doctest(block.code, names, block.place, block.page, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
    names.update(test.globs)


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_has_stored(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text("utf-8"))
    stored = _texts(notebook)
    run_cells(notebook, path.name)
    assert _texts(notebook) == stored, "run tests/documentation/notebooks.py"


def _texts(notebook: dict[str, Any]) -> list[str]:
    """What the cells show, as text."""
    outputs = [output for cell in code_cells(notebook) for output in cell["outputs"]]
    return ["".join(each.get("text") or each["data"]["text/plain"]) for each in outputs]


@pytest.mark.parametrize("command", ["epicene run genform --modle x", "epicene tabels RUN"])
def test_a_wrong_option_or_command_is_found(command: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"modle|tabels"):
        _parse(Block("page", 1, "shell", command))


def test_every_page_names_its_measured_time() -> None:
    for page in (DOCS / "tutorials").glob("*.md"):
        assert "**Time:**" in page.read_text("utf-8"), page.name
