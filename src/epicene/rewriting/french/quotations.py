"""Quotations of a French text, and who is speaker and listener at each word.

Outside quotation marks the speaker addresses the listener. In a quotation of somebody else, that
person is the speaker: « Je suis né », m'a-t-il dit. If it is addressed to the speaker of the text,
that is its listener: « Tu es né », m'a-t-il dit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.inflection import inflect
from epicene.rewriting.french.lexicon import verb_table
from epicene.rewriting.french.line import (
    CLOSING_QUOTES,
    HYPHENS,
    OPENING_QUOTES,
    QUOTES,
    SENTENCE_ENDS,
    Line,
)
from epicene.rewriting.quotations import UNQUOTED, Interlocutors, Passage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.persons import Person, TargetGenders


_AUXILIARIES = frozenset("a avait ai ont as avez avais est était sont étaient".split())
_FIRST_PERSON_WORDS = frozenset("je j' me m' moi mon ma mes".split())
_FIRST_PERSON_SUBJECTS = frozenset({"je", "j'"})
_SECOND_PERSON_SUBJECTS = frozenset({"tu", "vous"})
_ADDRESSEE_PRONOUNS: dict[str, Person] = {
    "me": "speaker",
    "m'": "speaker",
    "te": "listener",
    "t'": "listener",
    "vous": "listener",
}


def split_quotations(line: Line) -> list[Passage[Line]]:
    """One passage with the interlocutors of each word, as rules read across quotation marks."""
    quoted: dict[int, Interlocutors] = {}
    for first, last in _find_quotations(line):
        interlocutors = _quotation_interlocutors(line, first, last)
        if interlocutors is None:
            continue
        quoted.update(dict.fromkeys(range(first, last), interlocutors))
        for start, end in _find_insertions(line, first, last):
            quoted.update(dict.fromkeys(range(start, end), UNQUOTED))
    for dash in range(len(line)):
        if line[dash] in {"–", "—"} and line.begins(dash):
            for first, last in _spoken_after_dash(line, dash):
                said = _quotation_interlocutors(line, first, last) or UNQUOTED
                quoted.update(dict.fromkeys(range(first, last), said._replace(listener="listener")))
    return [Passage(line, quoted=quoted)]


def _find_quotations(line: Line) -> Iterator[tuple[int, int]]:
    """The spans between quotation marks, and after a colon without them."""
    opened: int | None = None
    for index in range(len(line)):
        word = line[index]
        if opened is None and (word in OPENING_QUOTES or word == '"'):
            opened = index + 1
        elif opened is not None and (word in CLOSING_QUOTES or word == '"'):
            yield opened, index
            opened = None
        elif opened is None and word == ":" and _introduces_speech(line, index):
            yield index + 1, line.sentence(index + 1)[1]
    if opened is not None:
        yield opened, len(line)


def _spoken_after_dash(line: Line, dash: int) -> Iterator[tuple[int, int]]:
    """What is said between a dash and the words that tell who says it: – Je suis prêt, dit Luc."""
    for at in range(dash + 1, len(line)):
        if (line[at] in {"–", "—"} and line.begins(at)) or line[at] in QUOTES:
            return
        if line[at] in {",", "!", "?", "…"}:
            verb = _verb_ahead(line, at + 1)
            if verb is not None and _inverted(line, verb, len(line)):
                yield dash + 1, at
                return


def _introduces_speech(line: Line, colon: int) -> bool:
    """Whether direct speech without quotation marks follows the colon: il m'a dit : tu es fou."""
    if not line.is_word(colon + 1):
        return False
    return any(
        _is_verb_of_saying(line[at], "plain_speech")
        for at in range(colon - 1, max(colon - 4, -1), -1)
    )


def attribute_to_interlocutors(passage: Passage[Line], wanted: TargetGenders) -> Passage[Line]:
    """The passage with the only one quoted as its speaker, if nobody else says I or tells of you.

    « Je suis né ici », raconte Claude M.: for --speaker and --listener, unless --others is given,
    which changes the quotation too. Whoever says it must show no gender: not dit-il, dit ma mère.
    """
    line = passage.line
    spans = list(_find_quotations(line)) if passage.quoted else []
    if "others" in wanted or len(spans) != 1:
        return passage
    first, last = spans[0]
    said = passage.interlocutors_at(first)
    start, end = _introduction(line, first, last)
    outside = {line[at] for at in range(len(line)) if passage.interlocutors_at(at) != said}
    speaker, listener = said
    own = _FIRST_PERSON_WORDS if speaker == "speaker" else frozenset()  # murmurai-je
    if not outside.isdisjoint((_FIRST_PERSON_WORDS | _SECOND_PERSON_WORDS) - own):
        return passage
    if speaker == "others" and _is_said_by_name(line, start, end):
        speaker = "speaker"
    if listener == "others" and not _names_hearer(line, range(start, end), start, end):
        listener = "listener"
    meant = Interlocutors(speaker, listener)
    return passage._replace(
        quoted={at: meant if each == said else each for at, each in passage.quoted.items()}
    )


def _is_said_by_name(line: Line, start: int, end: int) -> bool:
    """Whether a name alone tells who speaks: raconte Claude M.; not dit-il, dit M. Morel."""
    verb = next((at for at in range(start, end) if _is_verb_of_saying(line[at])), None)
    if verb is None or line[verb + 1] in HYPHENS:
        return False
    return line.is_capital(verb + 1) and line[verb + 1] not in _TITLES


_TITLES = frozenset("m mm mme mmes mlle dr pr me monsieur madame maître docteur sir lady".split())
_SECOND_PERSON_WORDS = frozenset("tu te t' toi ton ta tes vous votre vos".split())


def _quotation_interlocutors(line: Line, first: int, last: int) -> Interlocutors | None:
    """The interlocutors of a quotation; None where no verb of saying introduces it."""
    return _introduced_interlocutors(line, *_introduction(line, first, last))


def _introduction(line: Line, first: int, last: int) -> tuple[int, int]:
    """The span of the words that introduce a quotation: in it, after it or before it."""
    inserted = next(_find_insertions(line, first, last), None)
    if inserted is not None:
        return inserted
    if last < len(line) and (after := _clause_after(line, last)) is not None:
        return after
    start = first
    while (
        start > 0 and line[start - 1] not in SENTENCE_ENDS and line[start - 1] not in CLOSING_QUOTES
    ):
        start -= 1
    return start, first


def _clause_after(line: Line, last: int) -> tuple[int, int] | None:
    """The span of an inverted clause after the quotation: « … », m'a dit ma mère."""
    start = last + 1
    while line[start] in {",", "!", "?"}:
        start += 1
    verb = _verb_ahead(line, start)
    if verb is None:
        return None
    return start, min(line.sentence(start)[1], verb + 4)


def _find_insertions(line: Line, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The parentheticals inside a quotation: , m'a dit Farid,"""
    for index in range(first, last):
        if line[index] == "," and (verb := _verb_ahead(line, index + 1)) is not None:
            end = next((at for at in range(verb, last) if line[at] == ","), last)
            if end - index <= 9 and _inverted(line, verb, end):
                yield index, end


def _inverted(line: Line, verb: int, end: int) -> bool:
    """Whether the subject follows the verb: dit-il, m'a dit Farid."""
    if line[verb + 1] in HYPHENS:
        return line[verb + 2] in line.closed.subjects
    return verb + 1 < end and (line.is_capital(verb + 1) or line.is_determiner(verb + 1))


def _verb_ahead(line: Line, at: int) -> int | None:
    """The index of a verb of saying after clitics and an auxiliary."""
    while line[at] in line.closed.clitics:
        at += 1
    if line[at] in _AUXILIARIES:
        at = line.after_adverbs(at + 1 if line[at + 1] not in HYPHENS else at + 3)
    return at if _is_verb_of_saying(line[at]) else None


def _is_verb_of_saying(word: str, kind: str = "speech") -> bool:
    known = verb_table()
    infinitives = [form.infinitive for form in known.forms(word)]
    infinitives += known.participles.get(inflect(word, "masculine"), [])
    return known.is_kind(kind, [*infinitives, word])


def _introduced_interlocutors(line: Line, start: int, end: int) -> Interlocutors | None:
    """The interlocutors by the words that introduce a quotation."""
    verb = next((at for at in range(end - 1, start - 1, -1) if _is_verb_of_saying(line[at])), None)
    if verb is None:
        return _interlocutors_by_gesture(line, start, end)
    if line[verb] in verb_table().infinitives and _is_heard(line, start, verb):
        return Interlocutors("others", "others")
    says = _find_speaker(line, start, verb, end)
    return Interlocutors(says, _find_listener(line, start, verb, end, says))


def _interlocutors_by_gesture(line: Line, start: int, end: int) -> Interlocutors | None:
    """The interlocutors by an action towards the speaker before a colon: Elle m'a souri : « … »"""
    if line[end - 1] not in OPENING_QUOTES and line[end - 1] != '"':
        return None
    if line[end - 2] != ":" or not any(line[at] in {"me", "m'"} for at in range(start, end)):
        return None
    return Interlocutors("others", "speaker")


def _is_heard(line: Line, start: int, verb: int) -> bool:
    """Whether the infinitive has the speaker of the quotation as its subject.

    j'ai entendu mon fils dire.
    """
    hearing = ("entend", "écout", "laiss", "voi", "vu")
    return any(line[at].startswith(hearing) for at in range(start, verb))


def _find_speaker(line: Line, start: int, verb: int, end: int) -> Person:
    around = [*range(verb - 1, start - 1, -1), *range(verb + 1, min(end, verb + 3))]
    for at in around:
        if line[at] in _FIRST_PERSON_SUBJECTS:
            return "speaker"
        if line[at] in _SECOND_PERSON_SUBJECTS and _is_subject(line, at):
            return "listener"
        if line[at] in {"il", "elle", "on", "ils", "elles", "qui"}:
            return "others"
    return "others"


def _is_subject(line: Line, at: int) -> bool:
    """Whether "tu" or "vous" is a subject, not an object clitic."""
    after = at + 1
    while line[after] in line.closed.clitics:
        after += 1
    return line[at] == "tu" or line[after].endswith("ez") or line[at - 1] in HYPHENS


def _find_listener(line: Line, start: int, verb: int, end: int, says: Person) -> Person:
    near = range(max(start, verb - 6), verb)
    for at in near:
        if line[at] in _ADDRESSEE_PRONOUNS and not (line[at] == "vous" and _is_subject(line, at)):
            return _ADDRESSEE_PRONOUNS[line[at]]
    for at in range(verb, end - 1):
        if line[at] == "à" and line[at + 1] in {"moi", "toi", "vous"}:
            return "speaker" if line[at + 1] == "moi" else "listener"
    if says == "others" and not _names_hearer(line, near, verb, end) and _tells_of_self(line):
        return "speaker"
    return "others"


def _names_hearer(line: Line, near: range, verb: int, end: int) -> bool:
    """Whether the addressee is expressed: lui a-t-il dit, dit-il à Paul."""
    if any(line[at] in {"lui", "leur", "nous"} for at in near):
        return True
    return any(line[at] in {"à", "au", "aux"} for at in range(verb, end))


def _tells_of_self(line: Line) -> bool:
    """Whether the text outside quotations is in the first person."""
    quoted = False
    for word in line.keys:
        if word in OPENING_QUOTES or word in CLOSING_QUOTES or word == '"':
            quoted = word in OPENING_QUOTES or (word == '"' and not quoted)
        elif not quoted and word in _FIRST_PERSON_WORDS:
            return True
    return False
