"""`llms.txt`: the pages of the site with a sentence about each, for programs that read Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from website.checks import nav_pages

if TYPE_CHECKING:
    from pathlib import Path


def llms_text(project: dict[str, Any], staged: Path) -> str:
    """The text, in the order of the navigation (https://llmstxt.org)."""
    lines = [f"# {project['site_name']}", "", f"> {project['site_description']}", ""]
    section = ""
    for group, title, page in nav_pages(project["nav"]):
        if group != section:
            lines += ["", f"## {group}", ""]
            section = group
        about = _first_sentence((staged / page).read_text("utf-8"))
        lines.append(
            f"- [{title}]({page.removesuffix('.md')}.html)" + (f": {about}" if about else "")
        )
    return "\n".join(lines) + "\n"


def _first_sentence(page: str) -> str:
    """The first sentence of prose, without mark-up; "" if a page begins with none."""
    prose = re.sub(r"^(```+).*?^\1\s*$", "", page, flags=re.M | re.S)
    for paragraph in filter(None, prose.split("\n\n")[1:]):
        if paragraph.lstrip()[:1] in "#|<:![-*>=":
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
        text = re.sub(r"<[^>]+>|\*\*", "", text)
        return re.split(r"(?<=[.!?:])\s", text)[0].rstrip(":")
    return ""
