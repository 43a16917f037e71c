"""Tables as LaTeX for a paper: booktabs, special characters escaped, no wider than a page.

A table that fits on a page is one float, with columns in several panels if they are too many; a
longer one is a longtable for each panel.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.report.latex_layout import (
    BETWEEN,
    BREAKS,
    GAP,
    begins_group,
    fit_table,
    number_and_interval,
)
from epicene.report.layout import format_number, lay_out, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.core.records import Column, Estimate, Table
    from epicene.report.latex_layout import TableFit
    from epicene.report.layout import Layout, LayoutCell, LayoutRow
    from epicene.report.provenance import Provenance

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
    # Signs that text fonts lack.
    "–": "--",
    "—": "---",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "↔": r"$\leftrightarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∅": r"$\emptyset$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "δ": r"$\delta$",
    "Δ": r"$\Delta$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "χ": r"$\chi$",
    "…": r"\ldots{}",
    "\N{REPLACEMENT CHARACTER}": "?",
}
# And signs that LaTeX would join with the same sign after them: --json is not –json.
_SPECIAL = re.compile("|".join((*map(re.escape, _ESCAPES), "-(?=-)", ",(?=,)")))

# What pdfLaTeX prints beside ASCII and the above, by its tables for T1 and TS1.
_PDFLATEX = {chr(code) for code in range(0xA0, 0x17F)} - set("ĦħĸĿŀŉŦŧ") | set(
    "ḍḥḷṃṅṇṛṣṭ‐‑‒–—‘’‚“”„†‡•…‰‹›€™"
)


def escape_latex(text: str) -> str:
    """Text as LaTeX prints it, on one line; letters of any script are left as they are."""
    return _SPECIAL.sub(_escaped, " ".join(printable(text).split()))


def _escaped(found: re.Match[str]) -> str:
    sign = found.group()
    return _ESCAPES.get(sign, f"{sign}{{}}")


def breakable_latex(text: str) -> str:
    """A text that may be broken within long names, too; a space at its ends is kept."""
    words = re.sub(r"\s+", " ", printable(text)).split(" ")
    return " ".join(r"\allowbreak{}".join(map(escape_latex, BREAKS.split(word))) for word in words)


def latex_prose(text: str) -> str:
    """A text in which what stands between two backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return breakable_latex(text)
    return "".join(
        rf"\texttt{{{breakable_latex(part)}}}" if n % 2 else breakable_latex(part)
        for n, part in enumerate(parts)
    )


def number_text(text: str) -> str:
    """A shown number with true minus signs; a hyphen before a digit is nothing else here."""
    return re.sub(r"-(?=[\d.])", "$-$", escape_latex(text))


def ascii_slug(name: str) -> str:
    """A name in ASCII; of a letter that is none, what it is called (κ: kappa)."""
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


Intervals: TypeAlias = Literal["brackets", "plus-minus"]

_SCRIPTS_NEED = (
    "% It holds {what}: compile with LuaLaTeX and, in the preamble,\n"
    "% \\usepackage[bidi=basic,english]{{babel}}, and for each such language (arabic, hindi, …)\n"
    "% \\babelprovide[import,onchar=ids fonts]{{LANGUAGE}} and\n"
    "% \\babelfont[LANGUAGE]{{rm}}[Renderer=HarfBuzz]{{FONT}} with a font that has its script."
)
_SIGNS_NEED = "% It holds {what}: compile with LuaLaTeX or XeLaTeX and a font that has them."
_TALL = "% It is higher than a page: longtable wants one column (\\onecolumn in an appendix)."


def as_latex(
    table: Table,
    source: Provenance | None = None,
    intervals: Intervals = "brackets",
    label: str = "",
) -> str:
    """One table. `plus-minus` gives ± where an interval is symmetric as printed.

    `source` is what its numbers are qualified by, which stands below it and in its label, unless
    that is given.
    """
    layout = lay_out(table if source is None else source.noted(table))
    written = _LatexTable(layout, fit_table(layout), intervals)
    label = label or _label(table, source)
    set_as = _longtables if written.fit.tall else _float
    return "\n".join((*_preamble(written), *set_as(written, table.title, label), ""))


def tables_latex(
    tables: Iterable[Table],
    source: Provenance | None = None,
    intervals: Intervals = "brackets",
) -> str:
    """Several tables, one under the other, each under a label of its own."""
    taken: set[str] = set()
    texts = []
    for table in tables:
        start = label = _label(table, source)
        number = 1
        while label in taken:
            number += 1
            label = f"{start}-{number}"
        taken.add(label)
        texts.append(as_latex(table, source, intervals, label))
    return "\n".join(texts)


# --- the whole of a table ------------------------------------------------------------------


class _LatexTable:
    """A table's rows and heads as LaTeX, panel by panel."""

    def __init__(self, layout: Layout, how: TableFit, intervals: Intervals) -> None:
        self.layout, self.fit, self.intervals = layout, how, intervals

    def alignment(self, panel: range) -> str:
        """The letters that say how each column is set."""
        keys = "".join(_aligned("l", width) for width in self.fit.keys)
        cells = "".join(_aligned(_side(self.layout.columns[n]), self.fit.columns[n]) for n in panel)
        return f"@{{}}{keys}{cells}@{{}}"

    def heads(self, panel: range) -> Iterator[str]:
        """The names of levels and columns."""
        if self.fit.folded:
            yield self._above(self.layout.levels[: self.fit.folded], panel)
        names = [_head(lines, "l") for lines in self.fit.levels]
        names += [_head(self.fit.headings[n], _side(self.layout.columns[n])) for n in panel]
        yield rf"{' & '.join(names)} \\"

    def rows(self, panel: range, *, every_key: bool) -> Iterator[str]:
        """The lines of the body; where it may go on on another page each has all its keys."""
        for place, line in enumerate(self.layout.lines):
            if place and len(line.keys) > 1 and line.keys[0].span:
                yield r"\addlinespace"
            if begins_group(line, self.fit.folded):
                yield self._above([key.text for key in line.keys[: self.fit.folded]], panel)
            yield from self._row(line, panel, every_key=every_key)

    def _above(self, keys: Sequence[str], panel: range) -> str:
        """Keys in a row of their own, which no page ends with."""
        columns = len(self.fit.keys) + len(panel)
        text = r"\textit{" + escape_latex(BETWEEN.join(keys)) + "}"
        return rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{{text}}} \\*"

    def _row(self, line: LayoutRow, panel: range, *, every_key: bool) -> Iterator[str]:
        keys = [
            _text(key.text, width) if key.span or every_key else ""
            for key, width in zip(line.keys[self.fit.folded :], self.fit.keys, strict=True)
        ]
        keys[0] = _unoptional(keys[0])
        cells = [self._cell(line.cells[n], self.fit.columns[n]) for n in panel]
        if self.fit.stacked and any(told for _, told in cells):
            yield rf"{' & '.join((*keys, *(number for number, _ in cells)))} \\*[-2pt]"
            yield rf"{' & '.join((*('' for _ in keys), *(told for _, told in cells)))} \\"
        else:
            shown = (f"{number} {told}".rstrip() for number, told in cells)
            yield rf"{' & '.join((*keys, *shown))} \\"

    def _cell(self, cell: LayoutCell, width: float) -> tuple[str, str]:
        """A cell's number, or text, and its interval."""
        if cell.estimate is None:
            return _text(cell.text, width), ""
        number, told = map(number_text, number_and_interval(cell))
        mark = rf"\textsuperscript{{{cell.letter}}}" if cell.letter else ""
        if half := self._half_width(cell.estimate, cell.column):
            told = rf"$\pm$ {number_text(half)}"
        return f"{number}{mark}", rf"{{\scriptsize {told}}}" if told else ""

    def _half_width(self, estimate: Estimate, column: Column) -> str:
        if self.intervals == "brackets" or column.unit == "p":
            return ""
        if estimate.value is None or estimate.low is None or estimate.high is None:
            return ""
        below = format_number(estimate.value - estimate.low, column)
        above = format_number(estimate.high - estimate.value, column)
        return below if below == above else ""

    def notes(self) -> list[str]:
        """What stands below."""
        reasons = [
            rf"\textsuperscript{{{mark}}} {breakable_latex(reason)}"
            for mark, reason in self.layout.reasons
        ]
        return reasons + [latex_prose(note) for note in self.layout.notes]


def _preamble(written: _LatexTable) -> Iterator[str]:
    # A comment ends with its line, so a caption of several lines must not start another.
    yield f"% {' '.join(written.layout.caption.split())}"
    packages = ["booktabs", "longtable" if written.fit.tall else "adjustbox"]
    if any((*written.fit.keys, *written.fit.columns)):
        packages.append("array")
    yield (
        rf"% Needs \usepackage{{{','.join(packages)}}}; under pdfLaTeX also "
        r"\usepackage[T1]{fontenc} and textcomp."
    )
    if written.fit.tall:
        yield _TALL
    scripts, signs = unprintable(_texts(written.layout))
    if scripts:
        yield _SCRIPTS_NEED.format(what=f"text in {' and '.join(scripts)}")
    if signs:
        yield _SIGNS_NEED.format(what=f"signs such as {signs[0]}")


def _float(written: _LatexTable, title: str, label: str) -> Iterator[str]:
    yield r"\begin{table}"
    yield r"  \centering"
    yield rf"  \caption{{{escape_latex(title)}}}"
    yield rf"  \label{{{label}}}"
    yield r"  \par\smallskip"
    yield rf"  \{written.fit.size}"
    yield rf"  \setlength{{\tabcolsep}}{{{GAP:.0f}pt}}"
    for place, panel in enumerate(written.fit.panels):
        if place:
            yield r"  \par\medskip"
        yield r"  \begin{adjustbox}{max width=\linewidth}"
        yield rf"  \begin{{tabular}}{{{written.alignment(panel)}}}"
        yield r"    \toprule"
        yield from (f"    {head}" for head in written.heads(panel))
        yield r"    \midrule"
        yield from (f"    {row}" for row in written.rows(panel, every_key=False))
        yield r"    \bottomrule"
        yield r"  \end{tabular}"
        yield r"  \end{adjustbox}"
    if notes := written.notes():
        yield r"  \par\smallskip"
        yield r"  \begin{minipage}{\linewidth}\footnotesize\raggedright"
        yield from (rf"    {note}\par" for note in notes)
        yield r"  \end{minipage}"
    yield r"\end{table}"


def _longtables(written: _LatexTable, title: str, label: str) -> Iterator[str]:
    """A longtable for each panel, all under one number, and the notes after them."""
    yield r"\begingroup"
    yield rf"\{written.fit.size}"
    yield rf"\setlength{{\tabcolsep}}{{{GAP:.0f}pt}}"
    yield r"\setlength{\LTcapwidth}{\linewidth}"
    for place, panel in enumerate(written.fit.panels):
        yield from _long_panel(written, panel, title, "" if place else label)
    yield r"\footnotesize\raggedright"
    yield from (rf"\noindent {note}\par" for note in written.notes())
    yield r"\endgroup"


def _long_panel(written: _LatexTable, panel: range, title: str, label: str) -> Iterator[str]:
    heads = [f"  {each}" for each in (r"\toprule", *written.heads(panel), r"\midrule")]
    columns = len(written.fit.keys) + len(panel)
    if not label:
        yield r"\addtocounter{table}{-1}"
    yield rf"\begin{{longtable}}{{{written.alignment(panel)}}}"
    if label:
        yield rf"  \caption{{{escape_latex(title)}}}\label{{{label}}} \\"
    else:
        yield rf"  \caption[]{{{escape_latex(title)} (further columns)}} \\"
    yield from heads
    yield r"  \endfirsthead"
    yield from heads
    yield r"  \endhead"
    yield r"  \midrule"
    yield rf"  \multicolumn{{{columns}}}{{r@{{}}}}{{continued}} \\"
    yield r"  \endfoot"
    yield r"  \bottomrule"
    yield r"  \endlastfoot"
    yield from (f"  {row}" for row in written.rows(panel, every_key=True))
    yield r"\end{longtable}"


# --- its parts -----------------------------------------------------------------------------


def _aligned(side: str, width: float) -> str:
    return rf">{{\raggedright\arraybackslash}}p{{{width:.0f}pt}}" if width else side


def _side(column: Column) -> str:
    return "l" if column.unit == "text" else "r"


def _head(lines: Sequence[str], side: str) -> str:
    if len(lines) == 1:
        return escape_latex(lines[0])
    return (
        rf"\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}"
        + r" \\ ".join(map(_unoptional, map(escape_latex, lines)))
        + r"\end{tabular}"
    )


def _unoptional(text: str) -> str:
    """A text that is not read as an option of the row before it."""
    return f"{{}}{text}" if text.startswith(("[", "*")) else text


def _text(text: str, width: float) -> str:
    """A text; in a paragraph it may be broken."""
    return breakable_latex(text) if width else escape_latex(text)


def _label(table: Table, source: Provenance | None) -> str:
    """`tab:SUITE-PROTOCOL-NAME`, which no other suite's table has."""
    whose = () if source is None else (source.suite, source.protocol)
    return f"tab:{'-'.join(filter(None, map(ascii_slug, (*whose, table.name))))}"


def _texts(layout: Layout) -> Iterator[str]:
    """All that is printed of a table."""
    yield from (layout.caption, *layout.levels, *layout.headings, *layout.notes)
    yield from (reason for _, reason in layout.reasons)
    for line in layout.lines:
        yield from (key.text for key in line.keys)
        yield from (cell.text for cell in line.cells)
