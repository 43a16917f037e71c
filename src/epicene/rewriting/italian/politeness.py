"""The polite *Lei*, which is written as *she* is, but with a capital: *Spero che Lei stia bene*."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from epicene.rewriting.romance.lexicon import Lexicon
    from epicene.rewriting.romance.line import Line

_PRONOUNS = frozenset({"Lei", "La", "Le"})
_POSSESSIVES = frozenset({"Suo", "Sua", "Suoi", "Sue"})


def mark_polite(line: Line, lexicon: Lexicon) -> Line:
    """The line with the polite pronouns looked up with their capital: *Lei*, *La*, *Le*."""
    capitals = [at for at, token in enumerate(line.tokens) if token.text in _PRONOUNS]
    if not capitals:
        return line
    sure = {at for at in capitals if _is_polite(line, at, lexicon)}
    if sure or line[0] in lexicon["polite_greetings"] or _has_polite_possessive(line):
        sure |= {at for at in capitals if line.begins(at) and _may_be_pronoun(line, at, lexicon)}
    tokens = [
        msgspec.structs.replace(token, key=token.text) if at in sure else token
        for at, token in enumerate(line.tokens)
    ]
    return line.part(tokens)


def _has_polite_possessive(line: Line) -> bool:
    return any(
        token.text in _POSSESSIVES and line.is_capital(at) and _is_small(line, at + 1)
        for at, token in enumerate(line.tokens)
    )


def _is_polite(line: Line, at: int, lexicon: Lexicon) -> bool:
    """Whether the word can mean nothing else than the listener."""
    if not line.begins(at):
        return line[at] == "lei" or (_is_small(line, at + 1) and _may_be_pronoun(line, at, lexicon))
    if line[at] != "lei":
        verb = lexicon.verb(line[at + 1])
        return verb is not None and verb.infinitive in lexicon["polite_verbs"]
    called = line[at + 1] == "," and lexicon.noun(line[at + 2]) is not None  # Lei, signora, è …
    return called or _is_said_of_man(line, at + 1, lexicon)


def _is_said_of_man(line: Line, at: int, lexicon: Lexicon) -> bool:
    """*Lei è stato*: masculine after *Lei*."""
    while line[at] in lexicon["clitics"] or line[at] in lexicon["negations"]:
        at += 1
    verb = lexicon.verb(line[at])
    if verb is None or verb.infinitive not in lexicon["copulas"]:
        return False
    at += 1
    while line[at] in lexicon["adverbs"]:
        at += 1
    form = lexicon.adjective(line[at])
    return form is not None and form.gender == "masculine" and not form.plural


def _may_be_pronoun(line: Line, at: int, lexicon: Lexicon) -> bool:
    """Whether *La* and *Le* stand before a verb."""
    if line[at] == "lei":
        return True
    verb = lexicon.verb(line[at + 1])
    return verb is not None and verb.mood == "finite" and lexicon.noun(line[at + 1]) is None


def _is_small(line: Line, at: int) -> bool:
    return line.is_word(at) and line.tokens[at].text[:1].islower()
