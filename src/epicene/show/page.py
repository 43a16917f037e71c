"""Render one self-contained HTML page: findings, figures, tables and scored items."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from epicene import __version__
from epicene.core.control_characters import escape_controls
from epicene.core.records import ContactSheet, Figure, Record, Table
from epicene.show.contact_sheets import Thumbnails, pack_sheets
from epicene.show.figures import inline_svg
from epicene.show.findings import Finding
from epicene.show.item_viewer import PackedItems
from epicene.show.layout import lay_out, printable
from epicene.show.page_figures import ModelStyle, PageFigure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from jinja2 import Environment
    from markupsafe import Markup

# In this order: each uses those before it.
_SCRIPTS = (
    "word_diff.js",  # and colours.css: shared with the pages where people judge
    "alignment.js",
    "packed.js",
    "clipboard.js",
    "item_details.js",
    "item_viewer.js",
    "contact_sheets.js",
    "figure_files.js",
    "navigation.js",
)


# Before anything is drawn: with scripts, one page at a time is shown.
_FIRST_SCRIPT = 'document.documentElement.classList.add("js")'


class NotMeasured(Record, frozen=True, kw_only=True):
    """Something that was not measured, the reason, and the command that would measure it."""

    what: str
    why: str
    command: str


class TableGroup(Record, frozen=True, kw_only=True):
    """Tables under one heading; a `folded` group is collapsed to one line until it is opened.

    Those whose names are in `printed` are on paper too.
    """

    heading: str
    tables: tuple[Table, ...]
    folded: bool = False
    printed: tuple[str, ...] = ()

    @property
    def on_paper(self) -> bool:
        """Whether any of its tables is printed."""
        return any(table.name in self.printed for table in self.tables)


class PageSection(Record, frozen=True, kw_only=True):
    """One page of the report: a suite under one protocol, or something about the runs."""

    heading: str
    question: str = ""
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()
    figures: tuple[PageFigure, ...] = ()
    drawings: tuple[Figure, ...] = ()  # of the paper, or against size
    groups: tuple[TableGroup, ...] = ()
    method: tuple[str, ...] = ()  # how the numbers were computed
    faults: tuple[str, ...] = ()  # of the published version of what was measured
    missing: tuple[NotMeasured, ...] = ()
    sheets: tuple[ContactSheet, ...] = ()
    thumbnails: Thumbnails = Thumbnails({}, {})
    judged_items: PackedItems | None = None
    suite: bool = True  # whether it is listed among the suites
    # What the overview shows of it.
    plots: tuple[PageFigure, ...] = ()

    @property
    def slug(self) -> str:
        """Its address in the page."""
        return slug_of(self.heading)


class Overview(Record, frozen=True, kw_only=True):
    """What the first screen shows besides the suites' findings."""

    data: str = ""  # what was measured, when
    facts: tuple[str, ...] = ()
    notes: str = ""  # the author's own text, as HTML
    models: tuple[ModelStyle, ...] = ()
    tables: tuple[Table, ...] = ()
    lettered: bool = False  # whether some figure has letters of significance


def render_page(
    title: str, sections: Sequence[PageSection], overview: Overview | None = None
) -> str:
    """The page: an overview, then one section at a time."""
    page = (
        _templates()
        .get_template("page.html")
        .render(
            title=title,
            overview=overview or Overview(),
            sections=sections,
            style=_asset("colours.css") + _asset("page.css") + _asset("items.css"),
            scripts=(_FIRST_SCRIPT, "".join(map(_asset, _SCRIPTS))),
            version=__version__,
        )
    )
    return printable(page)


def table_html(table: Table) -> str:
    """One table as HTML, with its caption, the reasons for dashes and its notes."""
    template = _templates().get_template("table.html")
    return template.render(table=lay_out(table), captioned=True)


def slug_of(name: str) -> str:
    """A name as part of an address: `GenForm · epicene` is `genform-epicene`."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[^\w]+", "-", plain).strip("-") or "part"


def anchors(prefix: str, names: Iterable[str]) -> Iterator[str]:
    """A distinct address for each name; a repeated one gets a number."""
    seen: dict[str, int] = {}
    for name in names:
        made = f"{prefix}-{slug_of(name)}"
        seen[made] = seen.get(made, 0) + 1
        yield made if seen[made] == 1 else f"{made}-{seen[made]}"


def _targets(section: PageSection) -> dict[str, str]:
    """The addresses of a section's figures and tables, by their names; the first of a name."""
    made: dict[str, str] = {}
    tables = [table.name for group in section.groups for table in group.tables]
    figures = [figure.name for figure in section.figures]
    for names, kind in ((tables, "table"), (figures, "figure")):
        for name, anchor in zip(names, anchors(f"{section.slug}-{kind}", names), strict=True):
            made.setdefault(name, anchor)
    return made


def _numbered(section: PageSection) -> list[tuple[TableGroup, list[tuple[Table, str]]]]:
    """The groups of a section, each table with its address."""
    names = [table.name for group in section.groups for table in group.tables]
    made = anchors(f"{section.slug}-table", names)
    return [(group, [(table, next(made)) for table in group.tables]) for group in section.groups]


def _asset(name: str) -> str:
    return (files("epicene.show") / "templates" / name).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("epicene.show", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        digest=lambda text: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode(),
        anchors=lambda prefix, names: list(anchors(prefix, names)),
        lay_out=lay_out,
        numbered=_numbered,
        pack_sheets=pack_sheets,
        targets=_targets,
        # Our own SVG, escaped when it was drawn.
        drawing=lambda figure, prefix: Markup(inline_svg(figure, prefix)),  # noqa: S704
        verbatim=Markup,
    )
    environment.filters.update(prose=_prose, breakable=_breakable)
    return environment


def _visible(value: object) -> object:
    """A text with its control characters made visible; text that is already HTML is left as it
    is."""
    return escape_controls(value) if type(value) is str else value


def _breakable(name: str) -> Markup:
    """A name that may be wrapped after each underscore and slash."""
    from markupsafe import Markup, escape

    return (
        escape(escape_controls(name)).replace("_", Markup("_<wbr>")).replace("/", Markup("/<wbr>"))
    )


def _prose(text: str) -> Markup:
    """The text, escaped; text between backticks is code."""
    from markupsafe import Markup, escape

    text = escape_controls(text)
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    code = Markup("<code>{}</code>").format
    return Markup("").join(code(part) if n % 2 else escape(part) for n, part in enumerate(parts))
