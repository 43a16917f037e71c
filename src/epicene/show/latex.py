"""Tables as LaTeX for a paper: booktabs, special characters escaped, shrunk to fit the page."""

from __future__ import annotations

import re
import unicodedata
from itertools import count
from typing import TYPE_CHECKING

from epicene.show.layout import lay_out, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.core.records import Table
    from epicene.show.layout import Cell, Layout, Line
    from epicene.show.provenance import Provenance

_ESCAPES = {
    "\\": r"\textbackslash{}",
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
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
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

_NEEDS = r"% Needs \usepackage{booktabs,adjustbox}; under pdfLaTeX also \usepackage[T1]{fontenc}."
_SCRIPTS = (
    "% It has text in other scripts ({}): compile with LuaLaTeX or XeLaTeX and fonts for them."
)


def as_latex(table: Table, source: Provenance | None = None, label: str = "") -> str:
    """One table as a float; how its numbers were computed is in comments above it."""
    layout = lay_out(table)
    comments = (*_needs(layout), *(source.notes if source is not None else ()))
    columns = "l" * len(layout.levels) + "".join("lr"[each] for each in layout.numeric)
    heads = map(escape_latex, (*layout.levels, *layout.headings))
    notes = [rf"\textsuperscript{{{mark}}} {escape_latex(why)}" for mark, why in layout.reasons]
    notes += map(latex_prose, layout.notes)
    lines = (
        f"% {' '.join(layout.caption.split())}",
        *(f"% {' '.join(printable(each).split()).removeprefix('% ')}" for each in comments),
        r"\begin{table}",
        r"\centering\footnotesize",
        rf"\caption{{{escape_latex(table.title)}}}",
        rf"\label{{{label or _label(table, source)}}}",
        r"\begin{adjustbox}{max width=\linewidth,max totalheight=0.8\textheight}",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        _row(heads),
        r"\midrule",
        *map(_line, layout.lines),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{adjustbox}",
        *(rf"\par\smallskip\raggedright {note}" for note in notes),
        r"\end{table}",
    )
    return "\n".join((*lines, ""))


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


def escape_latex(text: str) -> str:
    """Text escaped for LaTeX, on one line; letters of any script are left as they are."""
    return _SPECIAL.sub(_escaped, " ".join(printable(text).split()))


def _escaped(found: re.Match[str]) -> str:
    sign = found.group()
    return _ESCAPES.get(sign, f"{sign}{{}}")


def latex_prose(text: str) -> str:
    """The text as LaTeX; text between backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape_latex(text)
    return "".join(map(_part, parts, count()))


def _part(part: str, number: int) -> str:
    """Prose or, every second time, code; a space at either end is kept."""
    shown = escape_latex(part)
    if number % 2:
        shown = rf"\texttt{{{shown}}}"
    before, after = part != part.lstrip(), part != part.rstrip()
    return f"{' ' * before}{shown}{' ' * after}"


def ascii_slug(name: str) -> str:
    """A name in ASCII; other letters are spelt out (κ: kappa)."""
    spelt = (
        letter if letter.isascii() or not letter.isalpha() else _letter_name(letter)
        for letter in name.lower()
    )
    return re.sub(r"[^a-z0-9]+", "-", "".join(spelt)).strip("-")


def _letter_name(letter: str) -> str:
    return f"-{unicodedata.name(letter, '').lower().rpartition(' ')[2]}-"


def _label(table: Table, source: Provenance | None) -> str:
    """`tab:SUITE-PROTOCOL-NAME`, unique across suites."""
    names = (table.name,) if source is None else (source.suite, source.protocol, table.name)
    return f"tab:{'-'.join(filter(None, map(ascii_slug, names)))}"


def _line(line: Line) -> str:
    return _row((*map(escape_latex, line.shown_keys), *map(_cell, line.cells)))


def _cell(cell: Cell) -> str:
    """A text, or a number with true minus signs, the letter of its reason and its interval."""
    letter = rf"\textsuperscript{{{cell.letter}}}" if cell.letter else ""
    interval = rf" {{\scriptsize {_minus(cell.interval)}}}" if cell.interval else ""
    return f"{_minus(cell.text)}{letter}{interval}"


def _minus(text: str) -> str:
    return re.sub(r"(?<![^\s\[])-(?=[\d.])", "$-$", escape_latex(text))


def _row(fields: Iterable[str]) -> str:
    row = " & ".join(fields)
    # LaTeX would read a row that begins with this as an option of the row before it.
    return rf"{'{}' if row.lstrip().startswith(('[', '*')) else ''}{row} \\"


def _needs(layout: Layout) -> Iterator[str]:
    yield _NEEDS
    letters = {sign for sign in str(layout) if sign.isalpha() and sign not in _ESCAPES}
    scripts = {unicodedata.name(sign, "UNKNOWN").split()[0].capitalize() for sign in letters}
    if other := sorted(scripts - {"Latin", "Feminine", "Masculine", "Micro"}):
        yield _SCRIPTS.format(", ".join(other))
