"""Reject the phrases of CONTRIBUTING.md's glossary in docs, help texts and messages.

`make check` runs this file. It reads the documentation and every string in `src`, docstrings
included. A line with `words: allow` in a comment is not checked, nor is a string that starts there.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOT = Path(__file__).parents[1]
ALLOW = "words: allow"

# Records of readings, which quote earlier wordings.
NOT_CHECKED = "docs/background/data/"


class Hit(NamedTuple):
    """A rejected phrase in a file."""

    path: Path
    line: int
    phrase: str
    instead: str


def glossary(text: str) -> dict[str, str]:
    """What to write for each phrase: the rows of the table under "Glossary"."""
    section = text.split("\n### Glossary\n", 1)[1].split("\n#", 1)[0]
    rows = re.findall(r"^\| (`.+`) \| (.+) \|$", section, re.MULTILINE)
    return {phrase: instead for left, instead in rows for phrase in re.findall(r"`(.+?)`", left)}


def any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    """A pattern for these phrases as whole words, in any case, also over a line break."""
    each = (r"\s+".join(map(re.escape, phrase.split())) for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{'|'.join(each)})(?<!\w(?=\w))", re.IGNORECASE)


def find_hits(path: Path, instead: Mapping[str, str], pattern: re.Pattern[str]) -> Iterator[Hit]:
    """The rejected phrases of a Markdown or Python file."""
    text = path.read_text("utf-8")
    lines = text.splitlines()
    python = path.suffix == ".py"
    for first, string in _strings(text) if python else [(1, text)]:
        for match in pattern.finditer(string):
            line = first + string.count("\n", 0, match.start())
            if ALLOW not in lines[line - 1] and not (python and ALLOW in lines[first - 1]):
                phrase = " ".join(match[0].split())
                yield Hit(path, line, phrase, instead[phrase.lower()])


def _strings(source: str) -> Iterator[tuple[int, str]]:
    """Every string of a module with its line; an f-string without its values."""
    tree = ast.parse(source)
    parts = set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts.update(node.values)
            yield (
                node.lineno,
                "".join(
                    str(each.value) if isinstance(each, ast.Constant) else "{}"
                    for each in node.values
                ),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            yield node.lineno, node.value


def checked_files(root: Path = ROOT) -> Iterator[Path]:
    """The documentation and the source, without what is pending."""
    pages = (root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md")))
    for path in (*pages, *sorted((root / "src").rglob("*.py"))):
        if path.is_file() and not path.relative_to(root).as_posix().startswith(NOT_CHECKED):
            yield path


def main() -> int:
    """Print every hit; 1 if there are any."""
    instead = glossary((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    pattern = any_of(instead)
    hits = [hit for path in checked_files() for hit in find_hits(path, instead, pattern)]
    for hit in hits:
        place = f"{hit.path.relative_to(ROOT)}:{hit.line}"
        sys.stdout.write(f"{place}: {hit.phrase!r}; write: {hit.instead}\n")
    return int(bool(hits))


if __name__ == "__main__":
    sys.exit(main())
