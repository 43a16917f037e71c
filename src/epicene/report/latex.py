"""Tables as LaTeX, ready for a paper: booktabs, special characters escaped, no wider than a page.

A table that fits on a page is one float, its columns in panels one under the other if they are too
many to stand side by side. A higher one is a longtable for each panel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.report.latex_fit import BETWEEN, GAP, begins_group, fit, halves
from epicene.report.latex_text import breakable, escape, number_text, prose, slug, unprintable
from epicene.report.layout import lay_out
from epicene.report.numbers import digits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.records import Column, Estimate, Table
    from epicene.report.latex_fit import Fit
    from epicene.report.layout import Cell, Layout, Line
    from epicene.report.provenance import Provenance

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
    written = _Written(layout, fit(layout), intervals)
    label = label or _label(table, source)
    set_as = _over_pages if written.fit.tall else _float
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


class _Written:
    """A table's rows and heads as LaTeX, panel by panel."""

    def __init__(self, layout: Layout, how: Fit, intervals: Intervals) -> None:
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
        text = r"\textit{" + escape(BETWEEN.join(keys)) + "}"
        return rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{{text}}} \\*"

    def _row(self, line: Line, panel: range, *, every_key: bool) -> Iterator[str]:
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

    def _cell(self, cell: Cell, width: float) -> tuple[str, str]:
        """A cell's number, or text, and its interval."""
        if cell.estimate is None:
            return _text(cell.text, width), ""
        number, told = map(number_text, halves(cell))
        mark = rf"\textsuperscript{{{cell.letter}}}" if cell.letter else ""
        if half := self._half_width(cell.estimate, cell.column):
            told = rf"$\pm$ {number_text(half)}"
        return f"{number}{mark}", rf"{{\scriptsize {told}}}" if told else ""

    def _half_width(self, estimate: Estimate, column: Column) -> str:
        if self.intervals == "brackets" or column.unit == "p":
            return ""
        if estimate.value is None or estimate.low is None or estimate.high is None:
            return ""
        below = digits(estimate.value - estimate.low, column)
        above = digits(estimate.high - estimate.value, column)
        return below if below == above else ""

    def notes(self) -> list[str]:
        """What stands below."""
        reasons = [
            rf"\textsuperscript{{{mark}}} {breakable(reason)}"
            for mark, reason in self.layout.reasons
        ]
        return reasons + [prose(note) for note in self.layout.notes]


def _preamble(written: _Written) -> Iterator[str]:
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


def _float(written: _Written, title: str, label: str) -> Iterator[str]:
    yield r"\begin{table}"
    yield r"  \centering"
    yield rf"  \caption{{{escape(title)}}}"
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


def _over_pages(written: _Written, title: str, label: str) -> Iterator[str]:
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


def _long_panel(written: _Written, panel: range, title: str, label: str) -> Iterator[str]:
    heads = [f"  {each}" for each in (r"\toprule", *written.heads(panel), r"\midrule")]
    columns = len(written.fit.keys) + len(panel)
    if not label:
        yield r"\addtocounter{table}{-1}"
    yield rf"\begin{{longtable}}{{{written.alignment(panel)}}}"
    if label:
        yield rf"  \caption{{{escape(title)}}}\label{{{label}}} \\"
    else:
        yield rf"  \caption[]{{{escape(title)} (further columns)}} \\"
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
        return escape(lines[0])
    return (
        rf"\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}"
        + r" \\ ".join(map(_unoptional, map(escape, lines)))
        + r"\end{tabular}"
    )


def _unoptional(text: str) -> str:
    """A text that is not read as an option of the row before it."""
    return f"{{}}{text}" if text.startswith(("[", "*")) else text


def _text(text: str, width: float) -> str:
    """A text; in a paragraph it may be broken."""
    return breakable(text) if width else escape(text)


def _label(table: Table, source: Provenance | None) -> str:
    """`tab:SUITE-PROTOCOL-NAME`, which no other suite's table has."""
    whose = () if source is None else (source.suite, source.protocol)
    return f"tab:{'-'.join(filter(None, map(slug, (*whose, table.name))))}"


def _texts(layout: Layout) -> Iterator[str]:
    """All that is printed of a table."""
    yield from (layout.caption, *layout.levels, *layout.headings, *layout.notes)
    yield from (reason for _, reason in layout.reasons)
    for line in layout.lines:
        yield from (key.text for key in line.keys)
        yield from (cell.text for cell in line.cells)
