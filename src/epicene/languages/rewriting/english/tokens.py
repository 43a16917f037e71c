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
_WORD_ENDS = r"(?![\p{L}\p{M}\p{N}])"
# Contractions without their apostrophe, which are two tokens all the same.
_FUSED = r"(?i:hes|shes|theyre|theyve)"
# Most words: ASCII letters before white space or a comma. The rest of the pattern would find
# them too, more slowly.
_PLAIN = rf"(?!{_FUSED}\b)[A-Za-z]++(?=[\s,]|$)"
# What no rule may look into: addresses, handles, tags, and names with an underscore.
_SEALED = (
    r"(?i:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]+\.[\w.-]+"
    r"|[@#][\p{L}\p{M}\p{N}_]+|/?\b[ru]/\w+"
    r"|\b\w{1,63}(?:\.\w{1,63}){0,3}\.(?:com|org|net|edu|gov|io|co|uk|tv|txt|pdf|html?)\b(?:/\S*)?"
    rf"|{_LETTERS}(?:_+[\p{{L}}\p{{N}}]+)+"
)
_ABBREVIATIONS = r"(?i:mr|mrs|ms|dr|st|jr|sr|prof|gen|sen|rep|gov|capt|lt|col|vs|etc|e\.g|i\.e)\."
_INITIALS = r"\p{L}(?:\.\p{L})++\.?+"
_NOT = rf"(?i:n{_APOSTROPHE}t){_WORD_ENDS}"
_CLITIC = rf"{_APOSTROPHE}(?i:s|re|ve|ll|d|m){_WORD_ENDS}"
_WORD = rf"{_LETTERS}(?:[-‐‑]{_LETTERS}|(?!{_CLITIC}){_APOSTROPHE}{_LETTERS})*+"

_TOKEN = regex.compile(
    rf"(?P<word>{_PLAIN})"
    rf"|(?P<sealed>{_SEALED})"
    # "(s)he" and "s/he" are one pronoun; "'em" is not the pronoun "em".
    rf"|(?P<word>(?i:\(s\)he|\bs/he|(?<!\w){_APOSTROPHE}em){_WORD_ENDS}"
    rf"|\p{{L}}+(?={_NOT})|{_NOT}"
    r"|\b(?i:s?he(?=s\b)|they(?=(?:re|ve)\b))"
    r"|(?i:(?<=\bs?he)s|(?<=\bthey)(?:re|ve))\b"
    rf"|\b{_ABBREVIATIONS}|{_INITIALS}|{_CLITIC}|{_WORD})"
    r"|(?P<number>\p{N}[\p{N}.,:\-]*(?<=\p{N})[\p{L}\-]*)"
    r"|(?P<mark>\.{2,}|…+|-{2,}|[!?]+|\S)"
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
