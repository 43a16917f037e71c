"""The code blocks of a Markdown page, and what is to be done with each in the tests.

A block of shell commands (`shell`), of commands with what they print (`console`), of Python
(`python`) or of a Python session (`pycon`) is run, in the order of the page. A block below a line
that ends with a file's name in backquotes and a colon is written to that file instead. Comments
of HTML before a block, which readers do not see, change this:

    <!-- not run: REASON -->          the next block is not run
    <!-- parsed: REASON -->           only the options of its epicene commands are checked
    <!-- exits: 1 -->                 its last command ends with this code
    <!-- setup: COMMANDS -->          shell commands that are run here
    <!-- replace: OLD => NEW; … -->   in all blocks from here on, for small sizes
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
RUN = ("shell", "console", "python", "pycon")
SHOWN = ("text", "toml", "csv", "json", "yaml", "html", "bibtex")  # never run
_COMMENT = re.compile(r"<!-- (not run|parsed|exits|setup|replace): (.*?)\s*-->", re.DOTALL)
_FENCE = re.compile(r"^( *)(`{3,})(\w*)\n(.*?)^\1\2$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"`([\w./-]+\.\w+)`:\s*\Z")


@dataclass(frozen=True)
class Block:
    """One block of code, or the commands of a `setup` comment."""

    page: str
    line: int
    language: str
    code: str
    file: str = ""
    mark: str = ""  # "not run" or "parsed"
    reason: str = ""
    exits: int = 0

    @property
    def place(self) -> str:
        """Where it is, as in an error message."""
        return f"{self.page}, line {self.line}"


def pages() -> list[Path]:
    """Every page whose code is run."""
    return sorted([*(DOCS / "tutorials").glob("*.md"), *(DOCS / "guides").glob("*.md")])


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page, with replacements done."""
    text = page.read_text(encoding="utf-8")
    name = str(page.relative_to(DOCS.parent))
    replaced: list[tuple[str, str]] = []
    before = 0
    for fence in _FENCE.finditer(text):
        between = text[before : fence.start()]
        line = text.count("\n", 0, fence.start()) + 1
        mark, reason, exits = "", "", 0
        for kind, content in _COMMENT.findall(between):
            if kind == "replace":
                pairs = [pair.partition("=>") for pair in content.split(";")]
                replaced[:0] = [(old.strip(), new.strip()) for old, _, new in pairs]
            elif kind == "setup":
                yield Block(name, line, "shell", content)
            elif kind == "exits":
                exits = int(content)
            else:
                mark, reason = kind, content
        indent, _, language, code = fence.groups()
        code = re.sub(f"^{indent}", "", code, flags=re.MULTILINE)
        for old, new in replaced:
            code = code.replace(old, new)
        named = _NAMED.search(_COMMENT.sub("", between))
        file = named[1] if named else ""
        yield Block(
            str(page.relative_to(DOCS.parent)), line, language, code, file, mark, reason, exits
        )
        before = fence.end()


def sessions(code: str) -> list[tuple[str, list[str]]]:
    """Each command of a `console` block, with the lines that are shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in code.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif re.match(" [^ ─]", line):  # one space: a long line, continued
            found[-1][1][-1] += line[1:]
        else:
            found[-1][1].append(line)
    return found


def commands(code: str) -> Iterator[list[str]]:
    """The words of each epicene command in shell code."""
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line.removeprefix("$ "), comments=True)
        while words and "=" in words[0] and not words[0].startswith("-"):  # NAME=value epicene …
            words = words[1:]
        if "epicene" in words:
            words = words[words.index("epicene") + 1 :]
            ends = [n for n, word in enumerate(words) if word in ("<", ">", "|", "&", "||", "&&")]
            yield words[: min(ends, default=len(words))]
