"""Adjectives that name a person: больной, пострадавшая, мой бывший.

Whether such a word is a noun depends on its neighbours, so it is decided once per line: its key
gets a mark, under which the nouns of people have its forms.
"""

from __future__ import annotations

from functools import cache

import msgspec

from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.clauses import is_noun_like, is_verb
from epicene.rewriting.russian.conjugation import short_form
from epicene.rewriting.russian.declension import MARK, adjective_readings, noun_readings
from epicene.rewriting.russian.lexicon import function_words
from epicene.rewriting.russian.line import Line, key, read_line

_OWN = frozenset("мой моя моего моей моему мою моим твой твоя твоего твоей твою твоим".split())


def read_marked_line(text: str) -> Line:
    """The words and marks of a text, the adjectives that name a person marked."""
    line = read_line(text)
    named = [at for at in range(len(line)) if line[at] in _forms() and _names(line, at)]
    if not named:
        return line
    tokens = list(line.tokens)
    for at in named:
        tokens[at] = msgspec.structs.replace(tokens[at], key=tokens[at].key + MARK)
    return Line(text, tokens)


@cache
def _forms() -> frozenset[str]:
    """All forms in the singular, without the mark."""
    return frozenset(
        key(form)
        for word in lexicon.keys_of("people", "substantives") | lexicon.keys_of("people", "own")
        for reading in adjective_readings(word, strict=False)[:1]
        for forms in reading.table
        for form in forms
    )


@cache
def _own_forms() -> frozenset[str]:
    return frozenset(
        key(form)
        for word in lexicon.keys_of("people", "own")
        for reading in adjective_readings(word, strict=False)[:1]
        for forms in reading.table
        for form in forms
    )


def _is_complement(line: Line, at: int) -> bool:
    """Whether the noun after it is in another case: ведущий программы, заведующая кафедрой."""
    governs = line[at].startswith(("ведущ", "телеведущ", "радиоведущ", "завед", "управл", "команд"))
    return governs and line[at + 1].endswith(("ы", "и", "ом", "ем", "ой", "ей", "ью", "ами", "а"))


def _names(line: Line, at: int) -> bool:
    """Whether the adjective has no noun: it begins a phrase, and what follows is none."""
    if line[at] in _own_forms() and line[at - 1] not in _OWN:
        return False
    after = at + 1
    while line[after] in function_words().adverbs:
        after += 1
    form = short_form(line[after])
    said = is_verb(line[after]) or (form is not None and not noun_readings(line[after]))
    follows = is_noun_like(line, after) or adjective_readings(line[after])
    if line.is_word(after) and follows and not said and not _is_complement(line, at):
        return False
    before = line[at - 1]
    if is_verb(before) and line[at].endswith(("ого", "его", "ому", "ему", "ую", "юю")):
        return True
    if not line.is_word(at - 1):
        named = said or line.is_mark(at + 1) or _is_complement(line, at)
        return line[at - 1] != "," and named
    agrees = adjective_readings(before) and before not in {"сам", "сама", "один", "одна"}
    return (
        bool(agrees)
        or before in function_words().governs
        or (before in function_words().conjunctions and said)
    )
