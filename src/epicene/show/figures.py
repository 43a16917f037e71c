"""Render figures as SVG and PNG, without network access."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from epicene.show.charts import PALETTE
from epicene.show.layout import caption, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Figure

_LATIN = "Noto Sans, Segoe UI, Helvetica Neue, Liberation Sans, Arial"
_FONTS = {
    "arabic": "Noto Sans Arabic, Noto Naskh Arabic, Segoe UI, Geeza Pro, DejaVu Sans",
    "devanagari": "Noto Sans Devanagari, Nirmala UI, Kohinoor Devanagari, Lohit Devanagari",
}
_FONT = ", ".join((_LATIN, *_FONTS.values(), "sans-serif"))

_PX = {"labels": 12, "titles": 13, "heading": 15}
_NOTE_WIDTH = 80  # characters in a line of notes

# Everything but the data. page.css repaints these, so that figures can be read in dark mode too;
# they are the colours of its light mode.
INK = "#1c1e21"
GRID = "#d5d9de"
AXIS = "#5a6068"

THEME: dict[str, Any] = {
    "background": "white",
    "font": _FONT,
    "padding": 8,
    "title": {
        "anchor": "start",
        "fontSize": _PX["heading"],
        "offset": 12,
        "color": INK,
        "subtitleFontSize": _PX["labels"],
        "subtitleColor": AXIS,
    },
    "view": {"continuousWidth": 460, "continuousHeight": 280, "step": 26, "stroke": None},
    "axis": {
        "labelFontSize": _PX["labels"],
        "titleFontSize": _PX["titles"],
        "titleFontWeight": "normal",
        "titlePadding": 10,
        "labelLimit": 320,
        "maxExtent": 340,  # longer labels would run into the title
        "gridColor": GRID,
        "domainColor": AXIS,
        "tickColor": AXIS,
    },
    "axisXDiscrete": {"labelAngle": 0},
    "header": {"labelFontSize": _PX["titles"], "labelAnchor": "start"},
    "style": {
        "guide-label": {"fill": INK},
        "guide-title": {"fill": INK},
        "reference": {"stroke": AXIS},
    },
    "legend": {
        "labelFontSize": _PX["labels"],
        "titleFontSize": _PX["labels"],
        "titleFontWeight": "normal",
        "labelLimit": 320,
    },
    "mark": {"color": PALETTE[0]},
    "rule": {"color": INK},
    "text": {"fontSize": _PX["labels"], "color": INK},
    "line": {"strokeWidth": 2},
    "range": {"category": list(PALETTE)},
}

# Many fonts lack the true minus sign, and one missing glyph changes the font of a whole label.
_NUMBERS = {"decimal": ".", "thousands": "", "grouping": [3], "currency": ["", ""], "minus": "-"}


def svg(figure: Figure, *, prefix: str = "", titled: bool = True) -> str:
    """The figure as SVG.

    `prefix` is put before every id, so that several figures can be on one page; `titled` draws
    the title and the notes into it, which a page with captions does not need.
    """
    import vl_convert

    _refuse_links(figure)
    title = caption("Figure", figure)
    # A file has no page around it, so the notes are drawn into it; a page has them below.
    told = [line for note in figure.notes for line in textwrap.wrap(note, _NOTE_WIDTH)]
    heading = {"text": title, "subtitle": told}
    spec = {**figure.spec, "title": heading} if titled else figure.spec
    try:
        drawn: str = vl_convert.vegalite_to_svg(
            _printable_texts(spec), config=THEME, allowed_base_urls=[], format_locale=_NUMBERS
        )
    except ValueError as error:
        reason = str(error).splitlines()[1:2] or [str(error)]
        raise ValueError(f"Figure {figure.name!r} cannot be drawn: {reason[0]}") from error
    named = f'<svg role="graphics-document" aria-label="{html.escape(title)}" '
    drawn = drawn.replace("<svg ", named, 1)
    return _TAG.sub(lambda tag: _IDS.sub(rf"\g<0>{prefix}", _without_unnamed(tag.group())), drawn)


def _without_unnamed(tag: str) -> str:
    """The tag without the role of a symbol that has no name, such as a line at chance level."""
    return tag if "aria-label=" in tag else _SYMBOL_ROLE.sub("", tag)


def _printable_texts(spec: Any) -> Any:
    """The specification with control characters made visible: most are not allowed in SVG."""
    if isinstance(spec, str):
        return printable(spec)
    if isinstance(spec, Mapping):
        return {key: _printable_texts(value) for key, value in spec.items()}
    if isinstance(spec, list | tuple):
        return [_printable_texts(value) for value in spec]
    return spec


# Vega makes every link absolute; the page's own lead to a part of it.
_HOME = "https://vega.github.io/vega-datasets/"


def inline_svg(figure: Figure, prefix: str) -> str:
    """The figure as SVG for a page that has its own caption; `prefix` goes before its ids."""
    drawn = svg(figure, prefix=prefix, titled=False).replace(_HOME, "")
    # Once for all texts: a list of fonts for each would make up a third of the SVG.
    fonts = f' font-family="{_FONT}"'
    return drawn.replace(fonts, "").replace("<svg", f"<svg{fonts}", 1)


def png(drawn: str, *, scale: float = 2.0) -> bytes:
    """The SVG of a figure as PNG, `scale` pixels to each of its own."""
    # vl-convert's own rasteriser lets Devanagari syllables overlap; resvg of 2026 does not.
    import resvg_py

    return resvg_py.svg_to_bytes(svg_string=script_fonts(drawn), zoom=scale)


def script_fonts(drawn: str) -> str:
    """SVG with each run of Arabic or Devanagari in a font that has it: resvg looks no further
    than the first family it finds."""
    return _TEXT.sub(_with_script_fonts, drawn)


# In SVG from vl-convert every < and > that is not markup is escaped, and every " inside an
# attribute, so these find tags and attributes and never a text that looks like one.
_TAG = re.compile(r"<[^<>]+>")
_SYMBOL_ROLE = re.compile(r' role="graphics-symbol" aria-roledescription="[^"]*"')
_IDS = re.compile(r'(?:\bid="|="url\(#)')
_TEXT = re.compile(r"(<(?:text|tspan)\b[^<>]*>)([^<>]*)(?=</(?:text|tspan)>)")

# A run of letters of one script, with the spaces and marks between them.
_RUNS = {
    "arabic": r"[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff]",
    "devanagari": r"[\u0900-\u097f\ua8e0-\ua8ff\u200c\u200d]",
}
_RUN = re.compile("|".join(f"(?P<{name}>{cls}(?:[\\s]*{cls})*)" for name, cls in _RUNS.items()))


def _with_script_fonts(text: re.Match[str]) -> str:
    opening, content = text.groups()
    # Vocalised Arabic in a tspan loses its marks, so a text of one script has no tspan.
    # (A line of several is one itself, and has its font from the text around it.)
    if "font-family=" in opening and (whole := _RUN.fullmatch(content)):
        return re.sub(r'font-family="[^"]*"', _family(whole), opening) + content
    return opening + _RUN.sub(lambda run: f"<tspan {_family(run)}>{run.group()}</tspan>", content)


def _family(run: re.Match[str]) -> str:
    return f'font-family="{_FONTS[run.lastgroup or ""]}"'


def _refuse_links(figure: Figure) -> None:
    for key, value in _keys(figure.spec):
        # A link that is a column of the data leads to a part of the page.
        if key == "url" or (key == "href" and not (isinstance(value, dict) and "field" in value)):
            raise ValueError(
                f"Figure {figure.name!r} refers to {value!r}; a figure must contain its own data."
            )


def _keys(spec: Any) -> Iterator[tuple[str, Any]]:
    """Every key and value of a specification except the rows of its data."""
    if isinstance(spec, dict):
        for key, value in spec.items():
            yield key, value
            if key not in ("values", "datasets"):
                yield from _keys(value)
    elif isinstance(spec, list | tuple):
        for part in spec:
            yield from _keys(part)
