"""Copies the pages to the folder that the site is built from, with links that work there."""

from __future__ import annotations

import re
import shutil
from os.path import normpath, relpath
from pathlib import Path
from typing import TYPE_CHECKING

from website.notebooks import notebook_markdown

if TYPE_CHECKING:
    from collections.abc import Callable

# Pages outside docs, and where the site has them.
ROOT_PAGES = {
    "ARCHITECTURE.md": "background/architecture.md",
    "CONTRIBUTING.md": "background/contributing.md",
    "CHANGELOG.md": "background/changes.md",
    "README.md": "index.md",  # for links to it; the site's first page is docs/index.md
}
COPIED = ("*.md", "*.png", "*.svg", "*.json", "*.toml", "*.csv", "*.po", "*.css")

_CODE = re.compile(
    r"^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)[ \t]*$|(?P<tick>`+).+?(?P=tick)", re.M | re.S
)
_LINK = re.compile(r"\]\((?![a-z+]+:|#|<)([^)\s#]+)(#[^)\s]*)?\)")
_ARABIC = re.compile(r"[\u0600-\u06ff]+(?:[\s/،؛]+[\u0600-\u06ff]+)*")


def stage_pages(root: Path, staged: Path) -> None:
    """Fill the folder `staged` with the pages that are written by hand."""
    pages = {path: path.relative_to(root / "docs") for path in _files(root / "docs")}
    pages |= {
        root / name: Path(place)
        for name, place in ROOT_PAGES.items()
        if (root / name).exists() and name != "README.md"
    }
    for page, place in pages.items():
        target = staged / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".ipynb":
            shutil.copy(page, target)
            text = notebook_markdown(page, target.with_suffix(""))
            target.with_suffix(".md").write_text(text, "utf-8")
        elif page.suffix == ".md":
            links = _relinked(page, place, root, staged)
            target.write_text(_outside_code(page.read_text("utf-8"), links), "utf-8")
        else:
            shutil.copy(page, target)


def _files(docs: Path) -> list[Path]:
    found = {path for pattern in (*COPIED, "*.ipynb") for path in docs.rglob(pattern)}
    return sorted(path for path in found if path.relative_to(docs).parts[0] != "website")


def _relinked(page: Path, place: Path, root: Path, staged: Path) -> Callable[[str], str]:
    """How prose of a page is changed: links lead to where the site has their targets."""

    def link(match: re.Match[str]) -> str:
        target = Path(normpath(page.parent / match[1]))
        anchor = match[2] or ""
        if not target.exists() or not target.is_relative_to(root):
            return match[0]  # the check of links reports it
        there = _staged_place(target, root, staged)
        return f"]({relpath(there, place.parent)}{anchor})"

    def change(prose: str) -> str:
        return _ARABIC.sub(r'<span dir="rtl" lang="ar">\g<0></span>', _LINK.sub(link, prose))

    return change


def _staged_place(target: Path, root: Path, staged: Path) -> Path:
    """Where the site has a file or a folder of the repository, which is copied there if need be."""
    inside = target.relative_to(root)
    if str(inside) in ROOT_PAGES:
        return Path(ROOT_PAGES[str(inside)])
    in_docs = inside.relative_to("docs") if inside.parts[0] == "docs" else None
    if target.is_dir():  # can be downloaded
        place = (in_docs or Path("files") / inside).with_suffix(".zip")
        (staged / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.make_archive(str(staged / place.with_suffix("")), "zip", target)
        return place
    if in_docs is not None:
        return in_docs.with_suffix(".md") if target.suffix == ".ipynb" else in_docs
    place = Path("files") / inside
    (staged / place).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(target, staged / place)
    return place


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with its prose changed, and code as it is."""
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [change(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, change(text[end:])])
