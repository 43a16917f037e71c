"""An English text cut as agreement needs it: clitics apart, addresses and tags sealed.

The tokens cover everything but white space, so a replaced span leaves the rest byte for byte.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import regex

Kind: TypeAlias = Literal["word", "number", "mark", "sealed"]


class Token(NamedTuple):
    """The characters from `start` to `end`; `lower` is what rules look at (' for ’)."""

    text: str
    lower: str
    start: int
    end: int
    kind: Kind


_APOSTROPHE = "['’ʼ]"
_LETTERS = r"\p{L}[\p{L}\p{M}\p{N}]*+"
# What no rule may look into: addresses, handles, tags, and names with an underscore.
_SEALED = (
    r"(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+\.[\w.-]+"
    r"|[@#][\p{L}\p{M}\p{N}_]+|/?\b[ru]/\w+"
    r"|\b\w+(?:\.\w+)*\.(?:com|org|net|edu|gov|io|co|uk|tv|txt|pdf|html?)\b(?:/\S*)?"
    rf"|{_LETTERS}(?:_+[\p{{L}}\p{{N}}]+)+"
)
_ABBREVIATIONS = r"(?:mr|mrs|ms|dr|st|jr|sr|prof|gen|sen|rep|gov|capt|lt|col|vs|etc|e\.g|i\.e)\."
_INITIALS = r"\p{L}(?:\.\p{L})++\.?+"
_CLITIC = rf"{_APOSTROPHE}(?:s|re|ve|ll|d|m)(?![\p{{L}}\p{{M}}\p{{N}}])"
_WORD = rf"{_LETTERS}(?:[-‐‑]{_LETTERS}|(?!{_CLITIC}){_APOSTROPHE}{_LETTERS})*+"

_TOKEN = regex.compile(
    rf"(?P<sealed>{_SEALED})"
    # "(s)he" and "s/he" are one pronoun; "'em" is not the pronoun "em".
    rf"|(?P<word>\(s\)he\b|\bs/he\b|(?<!\w){_APOSTROPHE}em\b"
    # A negated auxiliary, and the contractions that people write without an apostrophe.
    rf"|\p{{L}}+(?=n{_APOSTROPHE}t\b)|n{_APOSTROPHE}t\b|\bs?he(?=s\b)|(?<=\bs?he)s\b"
    rf"|\bthey(?=(?:re|ve)\b)|(?<=\bthey)(?:re|ve)\b"
    rf"|\b{_ABBREVIATIONS}|{_INITIALS}|{_CLITIC}|{_WORD})"
    r"|(?P<number>\p{N}[\p{N}.,:\-]*(?<=\p{N})[\p{L}\-]*)"
    r"|(?P<mark>\.{2,}|…+|-{2,}|[!?]+|\S)",
    regex.IGNORECASE | regex.V1,
)


def tokenise(text: str) -> list[Token]:
    """All tokens of a text, in order."""
    return [
        Token(
            match[0],
            match[0].lower().replace("’", "'").replace("ʼ", "'"),
            match.start(),
            match.end(),
            match.lastgroup,  # type: ignore[arg-type]  # always one of the four
        )
        for match in _TOKEN.finditer(text)
    ]
