"""Render one self-contained HTML page: headline metrics, tables, figures and judged items."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from epicene import __version__
from epicene.core.control_characters import escape_controls
from epicene.core.records import Column, ContactSheet, Estimate, Figure, Record, Table
from epicene.report.contact_sheets import Thumbnails, pack_sheets
from epicene.report.figures import inline_svg
from epicene.report.item_viewer import PackedItems
from epicene.report.layout import (
    FEW_GROUPS,
    FEW_GROUPS_NOTE,
    caption,
    format_cell,
    format_interval,
    lay_out,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jinja2 import Environment
    from markupsafe import Markup

# In this order: each uses those before it.
_SCRIPTS = (
    "word_diff.js",  # and colours.css: shared with the pages where people judge
    "alignment.js",
    "packed.js",
    "chosen.js",
    "changes.js",
    "item_viewer.js",
    "contact_sheets.js",
    "scrolling.js",
)


class HeadlineCard(Record, frozen=True, kw_only=True):
    """A headline number, e.g. a suite's accuracy, with what is needed to read it."""

    label: str
    estimate: Estimate
    column: Column
    note: str = ""


class NotMeasured(Record, frozen=True, kw_only=True):
    """Something that was not measured, why, and the command that would do it."""

    what: str
    why: str
    command: str


class PageSection(Record, frozen=True, kw_only=True):
    """One part of the page.

    `method` is one line on how its numbers were computed, shown with every table and figure;
    `methods_by_table`, by a table's title, replaces it for that table.
    """

    heading: str
    paragraphs: tuple[str, ...] = ()
    method: str = ""
    methods_by_table: dict[str, str] = {}
    cards: tuple[HeadlineCard, ...] = ()
    faults: tuple[str, ...] = ()  # of the published version of what was measured
    pointers: tuple[tuple[str, str], ...] = ()  # a question, and the name of the table it is in
    missing: tuple[NotMeasured, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    sheets: tuple[ContactSheet, ...] = ()
    thumbnails: Thumbnails = Thumbnails({}, {})
    judged_items: PackedItems | None = None


def render_page(
    title: str,
    sections: Sequence[PageSection],
    *,
    lead: str = "",
    facts: Iterable[tuple[str, str]] = (),
) -> str:
    """The page. `lead` says in a sentence what was measured, `facts` on what and how."""
    script = "".join(map(_asset, _SCRIPTS))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    page = (
        _templates()
        .get_template("page.html")
        .render(
            title=title,
            lead=lead,
            facts=list(facts),
            sections=sections,
            style=_asset("colours.css") + _asset("page.css"),
            script=script,
            script_digest=digest,
            version=__version__,
        )
    )
    return printable(page)


def table_html(table: Table) -> str:
    """One table as HTML, with its caption, the reasons for dashes and its notes."""
    template = _templates().get_template("table.html")
    return template.render(table=lay_out(table), method="", faults=0, here="", id="")


def _asset(name: str) -> str:
    return (files("epicene.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("epicene.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        caption=caption,
        few_groups=FEW_GROUPS,
        few_groups_note=FEW_GROUPS_NOTE,
        interval=format_interval,
        lay_out=lay_out,
        pack_sheets=pack_sheets,
        show=format_cell,
        # Our own SVG, escaped when it was drawn.
        drawing=lambda figure, prefix: Markup(inline_svg(figure, prefix)),  # noqa: S704
        verbatim=Markup,
    )
    environment.filters.update(prose=_prose, breakable=_breakable)
    return environment


def _visible(value: object) -> object:
    """A text with its control characters visible; what is HTML already is left as it is."""
    return escape_controls(value) if type(value) is str else value


def _breakable(name: str) -> Markup:
    """A name that may be broken after each underscore and slash."""
    from markupsafe import Markup, escape

    return (
        escape(escape_controls(name)).replace("_", Markup("_<wbr>")).replace("/", Markup("/<wbr>"))
    )


def _prose(text: str) -> Markup:
    """The text, escaped; what is between two backticks is code."""
    from markupsafe import Markup, escape

    text = escape_controls(text)
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    code = Markup("<code>{}</code>").format
    return Markup("").join(code(part) if n % 2 else escape(part) for n, part in enumerate(parts))
