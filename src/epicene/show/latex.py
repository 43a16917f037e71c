"""Tables as LaTeX for a paper: booktabs, special characters escaped, no wider than a page.

A table that fits on a page is a float, which adjustbox shrinks if necessary; a longer one is a
longtable. If there are too many columns, they are split into several panels.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import count, pairwise
from math import ceil
from typing import TYPE_CHECKING, Literal, NamedTuple

from epicene.show.layout import (
    format_interval,
    lay_out,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.core.records import Table
    from epicene.show.layout import Layout, LayoutCell
    from epicene.show.provenance import Provenance

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "\N{REPLACEMENT CHARACTER}": "?",
}
# Characters that text fonts lack.
_MATHEMATICS = r"""
− -  ± \pm  × \times  → \rightarrow  ← \leftarrow  ↔ \leftrightarrow  ≤ \leq  ≥ \geq  ≠ \neq
≈ \approx  ∅ \emptyset  α \alpha  β \beta  δ \delta  Δ \Delta  κ \kappa  ρ \rho  σ \sigma  χ \chi
""".split()
_ESCAPES |= {
    sign: f"${name}$" for sign, name in zip(_MATHEMATICS[::2], _MATHEMATICS[1::2], strict=True)
}
# And characters that LaTeX joins with an equal one after them: --json is not –json.
_SPECIAL = re.compile("|".join((*map(re.escape, _ESCAPES), "-(?=-)", ",(?=,)")))

# A word may be broken after these, at spaces, and deep inside a very long one.
_BREAKS = re.compile(r"(?<=[\s/_:])(?=\S)|(?<=[!-.0-9;-^`-~]{12})(?=[!-.0-9;-^`-~]{12})")

# What pdfLaTeX prints besides ASCII and the above, by its tables for T1 and TS1.
_PDFLATEX = {chr(code) for code in range(0xA0, 0x17F)} - set("ĦħĸĿŀŉŦŧ") | set(
    "ḍḥḷṃṅṇṛṣṭ‐‑‒–—‘’‚“”„†‡•…‰‹›€™"
)


def escape_latex(text: str) -> str:
    """Text escaped for LaTeX, on one line; letters of any script are left as they are."""
    return _SPECIAL.sub(_escaped, " ".join(printable(text).split()))


def _escaped(found: re.Match[str]) -> str:
    sign = found.group()
    return _ESCAPES.get(sign, f"{sign}{{}}")


def breakable_latex(text: str) -> str:
    """A text that may also be broken within long names; a space at either end is kept."""
    words = re.sub(r"\s+", " ", printable(text)).split(" ")
    return " ".join(r"\allowbreak{}".join(map(escape_latex, _BREAKS.split(word))) for word in words)


def latex_prose(text: str) -> str:
    """The text as LaTeX; text between backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return breakable_latex(text)
    return "".join(
        rf"\texttt{{{breakable_latex(part)}}}" if n % 2 else breakable_latex(part)
        for n, part in enumerate(parts)
    )


def number_text(text: str) -> str:
    """A formatted number with true minus signs; a hyphen before a digit is always a minus sign
    here."""
    return re.sub(r"-(?=[\d.])", "$-$", escape_latex(text))


def ascii_slug(name: str) -> str:
    """A name in ASCII; other letters are spelt out (κ: kappa)."""
    spelt = (
        letter if letter.isascii() or not letter.isalpha() else _letter_name(letter)
        for letter in name.lower()
    )
    return re.sub(r"[^a-z0-9]+", "-", "".join(spelt)).strip("-")


def _letter_name(letter: str) -> str:
    return f"-{unicodedata.name(letter, '').lower().rpartition(' ')[2]}-"


def unprintable(texts: Iterable[str]) -> tuple[list[str], list[str]]:
    """What pdfLaTeX cannot print: scripts by their Unicode names; and signs, marks to be set on
    letters, and Latin letters."""
    beyond = {
        sign
        for text in texts
        for sign in printable(text)
        if not sign.isascii() and sign not in _ESCAPES and sign not in _PDFLATEX
    }
    names = {sign: unicodedata.name(sign, "UNKNOWN").split()[0].capitalize() for sign in beyond}
    scripts = {names[sign] for sign in beyond if sign.isalpha()} - {"Latin"}
    signs = sorted(sign for sign in beyond if names[sign] not in scripts)
    return sorted(scripts), [_visible(sign) for sign in signs]


def _visible(sign: str) -> str:
    alone = unicodedata.category(sign)[0] in "LSPN"
    return sign if alone else f"U+{ord(sign):04X}"


_PACKAGES = (
    "% Needs \\usepackage{booktabs,array,longtable,adjustbox}; under pdfLaTeX also\n"
    "% \\usepackage[T1]{fontenc} and textcomp."
)
_SCRIPTS_NEED = (
    "% It contains {what}: compile with LuaLaTeX and, in the preamble,\n% "
    "\\usepackage[bidi=basic,english]{{babel}}, and for each such language (arabic, hindi, "
    "…)\n% \\babelprovide[import,onchar=ids fonts]{{LANGUAGE}} and\n% "
    "\\babelfont[LANGUAGE]{{rm}}[Renderer=HarfBuzz]{{FONT}} with a font that has its script."
)
_SIGNS_NEED = "% It contains {what}: compile with LuaLaTeX or XeLaTeX and a font that has them."
_TALL = (
    "% It is longer than one page: longtable needs a one-column layout (\\onecolumn in an "
    "appendix)."
)


def as_latex(table: Table, source: Provenance | None = None, label: str = "") -> str:
    """One table. `source` is printed below it and is part of its label, unless a label is given."""
    layout = lay_out(table if source is None else source.noted(table))
    written = _LatexTable(layout)
    set_as = _longtables if written.tall else _float
    lines = set_as(written, escape_latex(table.title), label or _label(table, source))
    return "\n".join((*_preamble(written), *lines, ""))


def tables_latex(tables: Iterable[Table], source: Provenance | None = None) -> str:
    """Several tables, one below the other, each with its own label."""
    texts: dict[str, str] = {}
    for table in tables:
        first = label = _label(table, source)
        numbers = count(2)
        while label in texts:
            label = f"{first}-{next(numbers)}"
        texts[label] = as_latex(table, source, label)
    return "\n".join(texts.values())


def _label(table: Table, source: Provenance | None) -> str:
    """`tab:SUITE-PROTOCOL-NAME`, unique across suites."""
    names = (table.name,) if source is None else (source.suite, source.protocol, table.name)
    return f"tab:{'-'.join(filter(None, map(ascii_slug, names)))}"


# --- columns -------------------------------------------------------------------------------

# Widths are in lower-case letters; this is about a line of \footnotesize in `article` at 10 pt, the
# narrowest page of the usual classes. TeX itself breaks what is wider.
_ROOM = 80
_GAP = 1.5  # between two columns
_PAGE = 45  # lines that a float may have


class _Column(NamedTuple):
    """A column, the least width for its words, and the width for each of its texts in one line."""

    side: Literal["l", "r"]
    least: float
    most: float

    @classmethod
    def holding(cls, side: Literal["l", "r"], *texts: str) -> _Column:
        words = (word for text in texts for word in _BREAKS.split(text))
        least = 0.5 + max(map(_letters, words))
        return cls(side, least, max(least, *map(_letters, texts)))


def _letters(text: str) -> float:
    return len(text) + 0.4 * sum(map(str.isupper, text))


def _number_and_interval(cell: LayoutCell) -> tuple[str, str]:
    if cell.estimate is None:
        return cell.text, ""
    interval = format_interval(cell.estimate, cell.column)
    return cell.text.removesuffix(interval).rstrip(), interval


def _measured(cell: LayoutCell) -> str:
    """A text as long as the cell is wide: an interval is set smaller, and as one word."""
    number, interval = _number_and_interval(cell)
    return f"{number} {round(0.8 * len(interval)) * 'n'}"


def _total(widths: Sequence[float]) -> float:
    return sum(widths) + _GAP * (len(widths) - 1)


def _widths(columns: Sequence[_Column]) -> list[float]:
    """Each column's full width, up to the largest common limit for which there is room."""
    widths = [column.least for column in columns]
    for limit in range(1, _ROOM + 1):
        wider = [max(column.least, min(column.most, limit)) for column in columns]
        if _total(wider) <= _ROOM:
            widths = wider
    return widths


def _panels(keys: Sequence[_Column], columns: Sequence[_Column]) -> list[range]:
    """As few panels as possible, of about as many columns each."""
    for number in range(1, max(1, len(columns)) + 1):
        ends = [round(len(columns) * part / number) for part in range(number + 1)]
        panels = [range(*pair) for pair in pairwise(ends)]
        shown = ([*keys, *columns[panel.start : panel.stop]] for panel in panels)
        if all(_total([column.least for column in each]) <= _ROOM for each in shown):
            break
    return panels


def _specification(column: _Column, width: float) -> str:
    if width >= column.most:
        return column.side
    ragged = {"l": "right", "r": "left"}[column.side]
    return rf">{{\ragged{ragged}\arraybackslash}}p{{{width / _ROOM:.3f}\linewidth}}"


# --- a table -------------------------------------------------------------------------------


class _LatexTable:
    """A table's rows and heads as LaTeX, panel by panel.

    The first `folded` levels of keys are above their rows, if that gives fewer panels.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        keys = [
            _Column.holding("l", name, *(line.keys[level].text for line in layout.lines))
            for level, name in enumerate(layout.levels)
        ]
        self._columns = [
            _Column.holding("l" if column.unit == "text" else "r", heading, *map(_measured, cells))
            for column, heading, *cells in zip(
                layout.columns, layout.headings, *(line.cells for line in layout.lines), strict=True
            )
        ]
        self.folded = min(
            range(len(keys)), key=lambda folded: len(_panels(keys[folded:], self._columns))
        )
        self._keys = keys[self.folded :]
        self.panels = _panels(self._keys, self._columns)
        below = (*layout.notes, *(reason for _, reason in layout.reasons))
        notes = sum(1 + len(text) // _ROOM for text in below)
        self.tall = notes + sum(map(self._lines, self.panels)) > _PAGE

    def columns(self, panel: range) -> list[_Column]:
        """The columns of a panel, keys first."""
        return [*self._keys, *self._columns[panel.start : panel.stop]]

    def alignment(self, panel: range) -> str:
        """The column specification: paragraphs, where some text does not fit on a line."""
        columns = self.columns(panel)
        return f"@{{}}{''.join(map(_specification, columns, _widths(columns)))}@{{}}"

    def _lines(self, panel: range) -> int:
        """About how many lines a panel takes."""
        widths = _widths(self.columns(panel))
        rows = (
            [*(key.text for key in line.keys[self.folded :]), *(line.cells[n].text for n in panel)]
            for line in self.layout.lines
        )
        return 3 + sum(
            max(ceil(len(text) / width) for text, width in zip(row, widths, strict=True))
            + int(self.folded > 0)
            for row in rows
        )

    def heads(self, panel: range) -> Iterator[str]:
        """The names of levels and columns."""
        yield from self._above(self.layout.levels[: self.folded], panel)
        names = [*self.layout.levels[self.folded :], *(self.layout.headings[n] for n in panel)]
        yield _row(map(breakable_latex, names))

    def rows(self, panel: range) -> Iterator[str]:
        """The lines of the body; if it may continue on another page, each has all its keys."""
        columns = self.columns(panel)
        stacked = any(
            column.side == "r" and width < column.most
            for column, width in zip(columns, _widths(columns), strict=True)
        )
        between = r" \linebreak " if stacked else " "
        for n, line in enumerate(self.layout.lines):
            if n and len(line.keys) > 1 and line.keys[0].span:
                yield r"\addlinespace"
            if any(key.span for key in line.keys[: self.folded]):
                yield from self._above([key.text for key in line.keys[: self.folded]], panel)
            keys = (
                breakable_latex(key.text) if key.span or self.tall else ""
                for key in line.keys[self.folded :]
            )
            yield _row((*keys, *(between.join(self._cell(line.cells[n])) for n in panel)))

    def _above(self, keys: Sequence[str], panel: range) -> Iterator[str]:
        """Keys in a row of their own, after which no page breaks."""
        if keys:
            text = " · ".join(filter(None, keys))
            side = "l" if len(text) <= _ROOM else r"p{\linewidth}"
            shown = r"\textit{" + breakable_latex(text) + "}"
            yield rf"\multicolumn{{{len(self.columns(panel))}}}{{@{{}}{side}}}{{{shown}}} \\*"

    def _cell(self, cell: LayoutCell) -> Iterator[str]:
        """A text, or a number and its interval, if it has one."""
        if cell.estimate is None:
            yield breakable_latex(cell.text)
            return
        number, interval = map(number_text, _number_and_interval(cell))
        yield number + (rf"\textsuperscript{{{cell.letter}}}" if cell.letter else "")
        if interval:
            yield rf"{{\scriptsize {interval.replace(' ', '~')}}}"

    def notes(self) -> Iterator[str]:
        """The reasons for dashes, and the notes."""
        for mark, reason in self.layout.reasons:
            yield rf"\textsuperscript{{{mark}}} {breakable_latex(reason)}\par"
        yield from (rf"{latex_prose(note)}\par" for note in self.layout.notes)


def _row(fields: Iterable[str]) -> str:
    row = " & ".join(fields)
    # LaTeX would read a row that begins with this as an option of the row before it.
    return rf"{'{}' if row.lstrip().startswith(('[', '*')) else ''}{row} \\"


def _preamble(written: _LatexTable) -> Iterator[str]:
    # A comment ends with its line, so a caption of several lines must not start another.
    yield f"% {' '.join(written.layout.caption.split())}"
    yield _PACKAGES
    if written.tall:
        yield _TALL
    scripts, signs = unprintable(_texts(written.layout))
    if scripts:
        yield _SCRIPTS_NEED.format(what=f"text in {' and '.join(scripts)}")
    if signs:
        yield _SIGNS_NEED.format(what=f"signs such as {signs[0]}")


def _float(written: _LatexTable, title: str, label: str) -> Iterator[str]:
    limits = rf"max width=\linewidth,max totalheight={0.8 / len(written.panels):.2f}\textheight"
    yield r"\begin{table}"
    yield r"\centering\footnotesize\setlength{\tabcolsep}{3pt}"
    yield from (rf"\caption{{{title}}}", rf"\label{{{label}}}")
    for panel in written.panels:
        yield r"\par\medskip"
        yield rf"\begin{{adjustbox}}{{{limits}}}"
        yield rf"\begin{{tabular}}{{{written.alignment(panel)}}}"
        yield from (r"\toprule", *written.heads(panel), r"\midrule", *written.rows(panel))
        yield from (r"\bottomrule", r"\end{tabular}", r"\end{adjustbox}")
    yield r"\par\smallskip\begin{minipage}{\linewidth}\raggedright"
    yield from (*written.notes(), r"\end{minipage}", r"\end{table}")


def _longtables(written: _LatexTable, title: str, label: str) -> Iterator[str]:
    """A longtable for each panel, all under one number, and the notes after them."""
    yield r"\begingroup\footnotesize\setlength{\parindent}{0pt}"
    yield r"\setlength{\tabcolsep}{3pt}\setlength{\LTcapwidth}{\linewidth}"
    caption = rf"\caption{{{title}}}\label{{{label}}} \\"
    for panel in written.panels:
        heads = (r"\toprule", *written.heads(panel), r"\midrule")
        yield from (rf"\begin{{longtable}}{{{written.alignment(panel)}}}", caption)
        yield from (*heads, r"\endfirsthead", *heads, r"\endhead", r"\midrule")
        yield rf"\multicolumn{{{len(written.columns(panel))}}}{{r@{{}}}}{{continued}} \\"
        yield from (r"\endfoot", r"\bottomrule", r"\endlastfoot", *written.rows(panel))
        yield r"\end{longtable}"
        caption = rf"\caption[]{{{title} (more columns)}} \\"
        if panel != written.panels[-1]:
            yield r"\addtocounter{table}{-1}"
    yield from (r"\raggedright", *written.notes(), r"\endgroup")


def _texts(layout: Layout) -> Iterator[str]:
    """All texts that are printed of a table."""
    yield from (layout.caption, *layout.levels, *layout.headings, *layout.notes)
    yield from (reason for _, reason in layout.reasons)
    for line in layout.lines:
        yield from (key.text for key in line.keys)
        yield from (cell.text for cell in line.cells)
