"""Tables as LaTeX, ready for a paper: booktabs, special characters escaped."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.report.layout import lay_out, printable
from epicene.report.numbers import DASH, digits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.records import Column, Estimate, Table
    from epicene.report.layout import Cell, Layout, Line

Intervals: TypeAlias = Literal["brackets", "plus-minus"]

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
_SPECIAL = re.compile("|".join(map(re.escape, _ESCAPES)))

_NEEDS = (
    r"% Needs \usepackage{booktabs}; under pdfLaTeX also \usepackage[T1]{fontenc} and textcomp."
)
_SCRIPTS_NEED = (
    "% It holds text in {scripts}: compile with XeLaTeX or LuaLaTeX and, in the preamble,\n"
    "% \\usepackage[bidi=default]{{babel}}, \\babelprovide{{}} for each such language and\n"
    "% \\babelfont{{rm}}{{…}} with a font that has the script (the Noto fonts do)."
)


def as_latex(table: Table, intervals: Intervals = "brackets") -> str:
    """One `table` environment. `plus-minus` gives ± where an interval is symmetric as printed."""
    layout = lay_out(table)
    align = "l" * len(layout.levels) + "".join(map(_alignment, layout.columns))
    heads = " & ".join(map(escape, (*layout.levels, *layout.headings)))
    lines = [
        *_preamble(layout),
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape(table.title)}}}",
        rf"  \label{{tab:{_slug(table.name)}}}",
        rf"  \begin{{tabular}}{{{align}}}",
        r"    \toprule",
        rf"    {heads} \\",
        r"    \midrule",
        *_body(layout, intervals),
        r"    \bottomrule",
        r"  \end{tabular}",
        *_below(layout),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def tables_latex(tables: Iterable[Table], intervals: Intervals = "brackets") -> str:
    """Several tables, one under the other."""
    return "\n".join(as_latex(table, intervals) for table in tables)


def escape(text: str) -> str:
    """Text as LaTeX prints it, on one line; letters of any script are left as they are."""
    return _SPECIAL.sub(lambda found: _ESCAPES[found.group()], " ".join(printable(text).split()))


def _preamble(layout: Layout) -> Iterator[str]:
    # A comment ends with its line, so a caption of several lines must not start another.
    yield f"% {' '.join(layout.caption.split())}"
    yield _NEEDS
    if scripts := _foreign_scripts(layout):
        yield _SCRIPTS_NEED.format(scripts=" and ".join(scripts))


def _alignment(column: Column) -> str:
    return "l" if column.unit == "text" else "r"


def _body(layout: Layout, intervals: Intervals) -> Iterator[str]:
    for place, line in enumerate(layout.lines):
        if place and len(line.keys) > 1 and line.keys[0].span:
            yield r"    \addlinespace"
        yield rf"    {' & '.join(_fields(line, intervals))} \\"


def _fields(line: Line, intervals: Intervals) -> Iterator[str]:
    first, *others = (escape(key.text) if key.span else "" for key in line.keys)
    # A row that starts with one of these would be read as an option of the row before it.
    yield f"{{}}{first}" if first.startswith(("[", "*")) else first
    yield from others
    for cell in line.cells:
        yield _cell(cell, intervals)


def _cell(cell: Cell, intervals: Intervals) -> str:
    estimate = cell.estimate
    if cell.letter:
        return rf"{escape(DASH)}\textsuperscript{{{cell.letter}}}"
    if estimate is None:
        return escape(cell.text)
    half = _half_width(estimate, cell.column) if intervals == "plus-minus" else None
    if half is not None and estimate.value is not None:
        value = _number(digits(estimate.value, cell.column) + estimate.mark)
        return rf"{value} $\pm$ {_number(half)}"
    return _number(cell.text)


def _number(text: str) -> str:
    """A shown number with true minus signs; a hyphen before a digit is nothing else here."""
    return re.sub(r"-(?=[\d.])", "$-$", escape(text))


def _half_width(estimate: Estimate, column: Column) -> str | None:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    below = digits(estimate.value - estimate.low, column)
    above = digits(estimate.high - estimate.value, column)
    return below if below == above and column.unit != "p" else None


def _below(layout: Layout) -> Iterator[str]:
    notes = [rf"\textsuperscript{{{mark}}} {escape(reason)}" for mark, reason in layout.reasons]
    notes += map(escape, layout.notes)
    if notes:
        yield r"  \par\smallskip"
        yield r"  \begin{minipage}{\linewidth}\footnotesize"
        yield from (rf"    {note}\par" for note in notes)
        yield r"  \end{minipage}"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _foreign_scripts(layout: Layout) -> list[str]:
    """The scripts that pdfLaTeX has no letters for, by their Unicode names."""
    texts = [layout.caption, *layout.levels, *layout.headings, *layout.notes]
    texts += [reason for _, reason in layout.reasons]
    for line in layout.lines:
        texts += [key.text for key in line.keys] + [cell.text for cell in line.cells]
    letters = {letter for text in texts for letter in text if letter.isalpha()}
    names = {unicodedata.name(letter, "UNKNOWN").split()[0] for letter in letters - _ESCAPES.keys()}
    return sorted(name.capitalize() for name in names - {"LATIN", "FEMININE", "MASCULINE", "MICRO"})
