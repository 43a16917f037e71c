"""Texts as LaTeX prints them."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from epicene.report.latex_fit import BREAKS
from epicene.report.layout import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def escape(text: str) -> str:
    """Text as LaTeX prints it, on one line; letters of any script are left as they are."""
    return _SPECIAL.sub(_escaped, " ".join(printable(text).split()))


def _escaped(found: re.Match[str]) -> str:
    sign = found.group()
    return _ESCAPES.get(sign, f"{sign}{{}}")


def breakable(text: str) -> str:
    """A text that may be broken within long names, too; a space at its ends is kept."""
    words = re.sub(r"\s+", " ", printable(text)).split(" ")
    return " ".join(r"\allowbreak{}".join(map(escape, BREAKS.split(word))) for word in words)


def prose(text: str) -> str:
    """A text in which what stands between two backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return breakable(text)
    return "".join(
        rf"\texttt{{{breakable(part)}}}" if n % 2 else breakable(part)
        for n, part in enumerate(parts)
    )


def number_text(text: str) -> str:
    """A shown number with true minus signs; a hyphen before a digit is nothing else here."""
    return re.sub(r"-(?=[\d.])", "$-$", escape(text))


def slug(name: str) -> str:
    """A name in ASCII; of a letter that is none, what it is called (κ: kappa)."""
    spelt = (
        letter if letter.isascii() or not letter.isalpha() else _called(letter)
        for letter in name.lower()
    )
    return re.sub(r"[^a-z0-9]+", "-", "".join(spelt)).strip("-")


def _called(letter: str) -> str:
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
