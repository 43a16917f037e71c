"""What the site is checked for: every page in the navigation, every link, nothing from outside."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Classes for which the theme would load a script from another server.
LOADS_SCRIPTS = {"mermaid", "glightbox", "arithmatex"}


def nav_pages(nav: list[Any], section: str = "") -> Iterator[tuple[str, str, str]]:
    """The section, title and path of each page of the navigation, in its order."""
    for entry in nav:
        for title, content in entry.items():
            if isinstance(content, str):
                yield section, title, content
            else:
                yield from nav_pages(content, section or title)


def nav_problems(nav: list[Any], staged: Path) -> list[str]:
    """Pages that the navigation lacks, names twice, or names though they do not exist."""
    named = [page for _, _, page in nav_pages(nav)]
    there = {str(page.relative_to(staged)) for page in staged.rglob("*.md")}
    return [
        *(f"{page} is not in the nav of zensical.toml." for page in sorted(there - set(named))),
        *(f"{page} is in the nav and does not exist." for page in sorted(set(named) - there)),
        *(f"{page} is twice in the nav." for page in sorted(set(named)) if named.count(page) > 1),
    ]


def site_problems(site: Path) -> list[str]:
    """Links that lead nowhere, and scripts, styles, pictures and fonts of other servers."""
    pages = {page.resolve(): _Page(page) for page in sorted(site.rglob("*.html"))}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        problems += [f"{name} loads {address}." for address in page.loaded]
        if name.name == "404.html":
            continue  # its addresses begin at the root of the server
        for address in page.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                problems.append(f"{name} links to {address}, which does not exist.")
            elif parts.fragment and target in pages:
                anchor = unquote(parts.fragment).partition("?")[0]  # after it: a report's filters
                if anchor not in pages[target].anchors:
                    problems.append(f"{name} links to {address}, an anchor that does not exist.")
    styles = [path for path in site.rglob("*.css") if "url(http" in path.read_text("utf-8")]
    return [*problems, *(f"{path.relative_to(site)} loads from elsewhere." for path in styles)]


class _Page(HTMLParser):
    """The links and anchors of a page, and what it loads from other servers."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = {"__skip"}
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        self.loaded += sorted(LOADS_SCRIPTS & set(values.get("class", "").split()))
        source = values.get("src", "") if tag != "a" else ""
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            source = values.get("href", "")
        if urlsplit(source).netloc:
            self.loaded.append(source)
        elif source and not source.startswith("data:"):
            self.links.append(source)
