"""Whom a text addresses, and how its writer signs: प्रिय बेटे, … आपका आज्ञाकारी शिष्य."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from epicene.rewriting.hindi import inflection, lexicon
from epicene.rewriting.hindi.conjugation import RARELY_VERBS, analyse_verb
from epicene.rewriting.hindi.inflection import citation_form, is_agreeing_adjective
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.phrases import Phrase, may_be_name, read_phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.hindi.line import Line

# They agree with a vocative only; elsewhere they stay: आदरणीया महोदया.
HONORIFICS = {
    "आदरणीय": "आदरणीया",
    "माननीय": "माननीया",
    "पूज्य": "पूज्या",
    "पूजनीय": "पूजनीया",
    "श्रद्धेय": "श्रद्धेया",
}
_HONORIFIC_FORMS = HONORIFICS.keys() | HONORIFICS.values()
# They call somebody.
CALLS = frozenset("ए ऐ ओ ओए ओय अरे अरी अबे अजी हे".split())
# They address whoever they are said to, with no other word of the second person.
_ADDRESSES = frozenset("भैया दीदी सर मैडम महोदय महोदया साहब साहिबा बाबा".split())
# Before a name; and after a name or a role: श्री बंसल, वकील साहब.
_TITLES = frozenset(
    "श्री श्रीमान श्रीमती सुश्री मिस्टर मिसेज मिस राजा रानी राजकुमार राजकुमारी प्रिंस प्रिंसेस भैया दीदी".split()
)
_FINAL_TITLES = frozenset(
    "साहब साहिबा साहिब महोदय महोदया सर मैडम मैम जी भाई दीदी भैया आंटी अंकल".split()
)
# Adjectives that people are called by: रो मत, पगले.
_CALLED = frozenset("पगला कमीना निकम्मा लाडला दुलारा प्यारा बेचारा अभागा बावला निठल्ला".split())
_OPENING_A_LETTER = frozenset("प्रिय प्यारा आदरणीय आदरणीया पूज्य पूज्या पूजनीय".split())
_MAX_NAMES = 3


def find_vocatives(line: Line) -> Iterator[int]:
    """The indices of the words that address the listener."""
    addresses = _addresses_somebody(line)
    for at in range(len(line)):
        if inflection.person_noun(line[at]) is None and not _is_called(line[at]):
            continue
        if not _is_set_off(line, _end(line, at)):
            continue
        first = _start(line, at)
        if line[at] in _CLOSINGS or line[first] in lexicon.SECOND_POSSESSIVES:  # आपका छात्र
            continue
        called = line[at] in _ADDRESSES or (line[at], line[at + 1]) == ("बहन", "जी")
        if line[at] in {"बेटा", "बेटी", "बेटे"}:  # but बेटा, बेटी और पत्नी
            called = at == 0 and inflection.person_noun(line[at + 2]) is None
        if not (addresses or called or _opens_letter(line, first)):
            continue
        before = first - 1
        while _is_interjection(line[before]):
            before -= 1
        if line.is_mark(before) and line[before] not in {"-", "/"}:
            yield from _people(line, first, at)


def _people(line: Line, first: int, head: int) -> Iterator[int]:
    """The head, and the roles before it: प्राचार्य महोदय."""
    yield head
    if line[head] in _FINAL_TITLES:
        yield from (at for at in range(first, head) if inflection.person_noun(line[at]))


def _end(line: Line, at: int) -> int:
    """The index after the noun, after जी, and after a name that follows a title."""
    end = at + 1
    if line[at] in _TITLES:
        while end <= at + _MAX_NAMES and not line.is_mark(end) and may_be_name(line[end]):
            end += 1
    return end + (line[end] == "जी")


def _start(line: Line, at: int) -> int:
    """Where the phrase begins, with a name or a role before a title: शर्मा सर, वकील साहब."""
    first = read_phrase(line, at, 0).first
    if line[at] in _FINAL_TITLES:
        while first > max(0, at - _MAX_NAMES) and not line.is_mark(first - 1):
            word = line[first - 1]
            compound = first < at and inflection.thing_gender(word)  # थाना प्रभारी महोदय
            named = inflection.person_noun(word) or may_be_name(word) or compound
            if _is_interjection(word) or not named:
                break
            first -= 1
    return first


def _is_interjection(word: str) -> bool:
    return word in _HONORIFIC_FORMS or word in function_words().interjections | {"हां", "नहीं"}


def _opens_letter(line: Line, first: int) -> bool:
    """Whether the text begins as a letter does: प्यारे बेटे, …"""
    opening = 0 if first <= 1 else first
    word = line[opening]
    return opening == 0 and (word in _OPENING_A_LETTER or citation_form(word) in _OPENING_A_LETTER)


def _is_called(word: str) -> bool:
    return citation_form(word) in _CALLED and not word.endswith("ा")


def _is_set_off(line: Line, at: int) -> bool:
    return at < 0 or at >= len(line) or line[at] == "," or line.ends_sentence(at)


def _addresses_somebody(line: Line) -> bool:
    said = lexicon.SECOND_PRONOUNS | lexicon.SECOND_OBLIQUE_PRONOUNS | CALLS | {"मत"}
    return any(
        word in said or _is_second_person(word) for word in line.keys if word not in RARELY_VERBS
    )


@lru_cache(maxsize=65536)
def _is_second_person(word: str) -> bool:
    return any(form.person == "second" or form.shape == "imperative" for form in analyse_verb(word))


# --- at the end of a letter -----------------------------------------------------------------

# They are written before the signature, and nowhere else; विनीत is a name too.
_CLOSINGS = frozenset("भवदीय भवदीया प्रार्थी प्रार्थिनी निवेदक निवेदिका विनीत विनीता आवेदक आवेदिका".split())
CLOSING_ADJECTIVES = {"विनीत": "विनीता"}
_MAX_CLOSING_WORDS = 6


def find_closing(line: Line) -> Phrase | None:
    """The words before a signature that agree with the writer: भवदीय; आपका आज्ञाकारी शिष्य."""
    for first in reversed(range(len(line))):
        if not _begins_chunk(line, first) or _is_initial(line, first):
            continue
        end = first
        while line.is_word(end) and (end == first or not _begins_line(line, end)):
            end += 1
        if line[end] in {"?", "!"} or end - first > _MAX_CLOSING_WORDS:
            return None
        if line[first] in _CLOSINGS:
            return Phrase(first, first, ())
        signed = end < len(line) and not line.is_mark(len(line) - 1)
        if line[first] in lexicon.SECOND_POSSESSIVES and (first > 0 or signed):
            return _possessive_closing(line, first, end)
        if not _is_signature(line, first, end):
            return None
    return None


def _is_initial(line: Line, at: int) -> bool:
    """Whether the word is an initial of a signature: एस. के. सिन्हा."""
    return line[at + 1] == "." and len(line[at]) <= 3 and not _ends_line(line, at + 1)


def _ends_line(line: Line, at: int) -> bool:
    return at + 1 >= len(line) or _begins_line(line, at + 1)


def _possessive_closing(line: Line, first: int, end: int) -> Phrase | None:
    """आपका, then a name; आपका अपना; तुम्हारा छोटा भाई."""
    agreeing = [first]
    for at in range(first + 1, end):
        if inflection.person_noun(line[at]) and at == end - 1:
            return Phrase(first, at, tuple(agreeing))
        if is_agreeing_adjective(line[at]):
            agreeing.append(at)
        elif line[at] not in function_words().invariable_adjectives | {"ही", "आज्ञाकारी"}:
            return None
    return Phrase(first, first, tuple(agreeing)) if _begins_line(line, first) else None


def _begins_chunk(line: Line, at: int) -> bool:
    return line.is_word(at) and (line.is_mark(at - 1) or _begins_line(line, at))


def _begins_line(line: Line, at: int) -> bool:
    if not 0 < at < len(line):
        return at == 0
    return "\n" in line.text[line.tokens[at - 1].end : line.tokens[at].start]


def _is_signature(line: Line, first: int, end: int) -> bool:
    """Whether the words may be a name, a place or a date below the closing."""
    return all(may_be_name(line[at]) or not line[at][:1].isalpha() for at in range(first, end))
