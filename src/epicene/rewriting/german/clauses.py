"""Clauses: where they begin and end, who their subject is, and whether they say what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.german.inflection import is_one_woman
from epicene.rewriting.german.lexicon import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.german.line import Line
    from epicene.rewriting.persons import Person
    from epicene.rewriting.quotations import Interlocutors

_MARKS = frozenset({",", ";", ":", "–", "—", "(", ")", "-", "[", "]", "/"})
_RELATIVES = frozenset("der die das den dem dessen deren denen welcher welche welches".split())
_ALWAYS_OPEN = frozenset(
    "dass daß weil ob obwohl nachdem bevor damit sodass falls sobald indem".split()
)
_PLURAL_VERBS = frozenset("sind haben waren werden können müssen wurden sollten bleiben".split())
_OTHER_VERBS = frozenset("ist wird bist hat sind bleibt".split())
_OWN_VERBS = frozenset("bin war wäre sei werde wurde würde bleibe blieb habe hatte hätte".split())
_SEVERAL = frozenset("sind waren wurden wir seid".split())
_NOMINATIVES = frozenset("ich du er wir man".split())
_RANKS = ("einzig", "erst", "letzt", "jüngst", "ältest", "best")
_THIRD = frozenset("er sie man wer niemand jemand".split())


class Clause(NamedTuple):
    """The indices [start, end) of a clause; `subject` is None if it is plural or unknown."""

    start: int
    end: int
    subject: Person | None
    subject_at: int | None
    copular: bool
    subordinate: bool

    def has(self, at: int) -> bool:
        """Whether the token is in the clause."""
        return self.start <= at < self.end


def find_clauses(line: Line, interlocutors: Interlocutors) -> list[Clause]:
    """The clauses of a text, in order."""
    found: list[Clause] = []
    at = 0
    while at < len(line):
        start, end = line.sentence(at)
        if end > start:
            previous: Clause | None = None
            main: Clause | None = None
            for first, last in _segments(line, start, end):
                own = _opens(line, first) or _is_complete(line, (first, last))
                if previous is None or own:
                    previous = _read_clause(line, first, last, previous, interlocutors)
                elif main is not None and main.copular and main.subject_at is not None:
                    previous = main._replace(start=first, end=last)
                else:
                    previous = found.pop()._replace(end=last)
                main = main if previous.subordinate else previous
                found.append(previous)
        at = end + 1
    return found


def _segments(line: Line, start: int, end: int) -> list[tuple[int, int]]:
    """The parts of a sentence with a finite verb each; others belong to the one before them."""
    joints = _MARKS | words().coordinators
    parts: list[tuple[int, int]] = []
    if (greeted := _salutation(line, start, end)) is not None:
        parts.append((start, greeted))
        start = greeted + 1
    cuts = [start, *(at for at in range(start + 1, end) if line[at] in joints)]
    for first, last in zip(cuts, [*cuts[1:], end], strict=True):
        if first == last:
            continue
        own = any(line.is_finite(at) for at in range(first, last))
        after_greeting = greeted is not None and len(parts) == 1
        if after_greeting or (not own and parts and _is_inserted(line, parts[-1], first)):
            parts.append((first, last))
        elif parts and (not own or not _is_complete(line, parts[-1])) and not _opens(line, first):
            parts[-1] = (parts[-1][0], last)
        else:
            parts.append((first, last))
    return parts


def _salutation(line: Line, start: int, end: int) -> int | None:
    """Where the comma after a salutation is: Sehr geehrte Frau Kranz, …"""
    dear = line[start].removesuffix("r").removesuffix("e") in words().dear or line[start] == "sehr"
    comma = next((at for at in range(start, min(end, start + 8)) if line[at] == ","), None)
    if not dear or comma is None or any(line.is_finite(at) for at in range(start, comma)):
        return None
    return comma if comma + 1 < end else None


def _is_inserted(line: Line, part: tuple[int, int], first: int) -> bool:
    """Whether the main clause continues after the part: ich bin, wie du weißt, kein Koch."""
    start, end = part
    verb = end - 1
    while verb > start and line.is_mark(verb):
        verb -= 1
    return line[first] == "," and _opens(line, start) and line.is_finite(verb) and start > 0


def _is_complete(line: Line, part: tuple[int, int]) -> bool:
    start, end = part
    ends = line[end] == "," and _opens(line, start) and _has_final_verb(line, start + 1)
    return ends or any(line.is_finite(at) for at in range(start, end))


def _opens(line: Line, first: int) -> bool:
    """Whether a subordinate clause begins after the mark."""
    following = first + 1 if line.is_mark(first) or line[first] in words().coordinators else first
    if line[following] in {"seit", "bis", "während"} and _has_final_verb(line, following):
        return line[first] == ","
    if line[following] in words().prepositions:
        following += 1
    word = line[following]
    if line[first] == "," and word in _ALWAYS_OPEN:
        return True
    if word == "als":
        return _has_final_verb(line, following)
    if word in _RELATIVES:
        return line[first] == "," and _has_final_verb(line, following)
    return word in words().subordinators and _has_final_verb(line, following)


def _has_final_verb(line: Line, at: int) -> bool:
    last = at
    while (
        last + 1 < len(line) and line[last + 1] not in _MARKS and not line.ends_sentence(last + 1)
    ):
        last += 1
    return line.is_finite(last) or (
        last > at + 1 and not line.is_noun(last) and line[last].endswith(("t", "st", "en", "e"))
    )


def _read_clause(
    line: Line, start: int, end: int, previous: Clause | None, interlocutors: Interlocutors
) -> Clause:
    first = start
    while first < end and (line.is_mark(first) or line[first] in words().coordinators):
        first += 1
    subject, at = _subject(line, first, end, interlocutors)
    if at is None and previous is not None and _inherits(line, start, first, previous):
        subject, at = previous.subject, previous.subject_at
    subordinate = _opens(line, start)
    return Clause(start, end, subject, at, _is_copular(line, start, end), subordinate)


def _inherits(line: Line, start: int, first: int, previous: Clause) -> bool:
    """Whether the subject of the clause before is meant: und bin Lehrerin."""
    if line[start] == "," and line.is_finite(first) and not previous.subordinate:
        return line[first] not in _OTHER_VERBS  # …, arbeite aber als Fahrer
    if line[start] not in words().coordinators:
        return False
    while line[first] in words().adverbs or line[first] in words().coordinators:
        first += 1
    return line.is_finite(first)


def _subject(
    line: Line, start: int, end: int, interlocutors: Interlocutors
) -> tuple[Person | None, int | None]:
    """Who the subject is, and the pronoun or verb that says so."""
    keys = line.keys[start:end]
    if line.starts_sentence(start) and (elliptic := _left_out_subject(line, start, end)):
        return getattr(interlocutors, elliptic), start
    # Not those of a comparison: älter als ich.
    nominatives = [
        at for at in range(start, end) if at <= start + 1 or line[at - 1] not in {"als", "wie"}
    ]
    for at in nominatives:
        if _is_left_out(line, at, start):
            continue
        if line[at] in {"ich", "du"} and not (line[at] == "ich" and _is_third_person(keys)):
            joined = line[at - 1] == "und" and line.is_capital(at - 2)
            if (joined or line[at + 1] == "und") and _SEVERAL & set(keys):
                return None, at
            return interlocutors.speaker if line[at] == "ich" else interlocutors.listener, at
        if line[at] == "sie" and is_polite(line, at) and _agrees_with_sie(line, at, start, end):
            return interlocutors.listener, at
    for at in nominatives:
        if line[at] in _THIRD and not (line[at] == "sie" and is_polite(line, at)):
            return "others", at
    if "bin" in keys:
        return interlocutors.speaker, start + keys.index("bin")
    if "bist" in keys:
        return interlocutors.listener, start + keys.index("bist")
    named = any(
        line.is_noun(at) or (at == start and line.is_capital(at)) for at in range(start, end)
    )
    return ("others" if named else None), None


def _left_out_subject(line: Line, start: int, end: int) -> str:
    """Whom a verb without a subject means, as a field: sei brav, hab als Kellner gejobbt."""
    keys = set(line.keys[start:end])
    if line[start] in {"sei", "seien"}:
        return "listener"
    if keys & _NOMINATIVES or (line.is_capital(start) and line[start + 1] in {"sie", "ihr"}):
        return ""
    if line[start] in words().imperatives:
        return "listener"
    if line[start] in {"hab", "habe"}:
        return "speaker"
    following = range(start + 1, end)
    ranked = any(line[at - 1] in {"der", "die"} and line[at].startswith(_RANKS) for at in following)
    return "speaker" if line[start] == "war" and ranked and line[end] != "?" else ""


def _agrees_with_sie(line: Line, at: int, start: int, end: int) -> bool:
    """Whether polite Sie can be the subject: no preposition, no other subject, a plural verb."""
    if line[at - 1] in words().accusative | words().two_way:
        return False
    if _NOMINATIVES & set(line.keys[start:end]):
        return False
    finite = (index for index in range(start, end) if line.is_finite(index))
    verbs = [line[index] for index in finite if line[index - 1] != "zu"]
    if not verbs and "zu" in line.keys[at:end]:  # Sie als Kunden begrüßen zu dürfen
        return False
    beside = line[at - 1].endswith("en") or line[at + 1].endswith("en")
    return beside or not verbs or any(verb in _PLURAL_VERBS or verb.endswith("n") for verb in verbs)


def _is_left_out(line: Line, at: int, start: int) -> bool:
    """Whether the pronoun has no verb of its own: mein Bruder will Pilot werden, ich nicht."""
    after = at + 1 if line[at + 1] not in {"nicht", "auch"} else at + 2
    return at > start and line[at - 1] == "," and not line.is_word(after)


def _is_third_person(keys: Sequence[str]) -> bool:
    """Whether the verb is not the one of ich: sie ist Ärztin, ich Lehrer."""
    return bool(_OTHER_VERBS & set(keys)) and not _OWN_VERBS & set(keys)


def is_polite(line: Line, at: int) -> bool:
    """Whether Sie is the polite pronoun, at the beginning of a sentence only if one person is."""
    if not line.is_capital(at):
        return False
    if not line.starts_sentence(at):
        return True
    if line[at + 1] == "als":
        return "sie" not in line.keys[at + 1 :]
    if line[at + 1].endswith("en") or line[at + 1] == "sind":
        polite = ("sie", "ihnen", "ihre", "ihren", "ihrem", "ihrer")
        if any(
            line[index] in polite and line.is_capital(index) and not line.starts_sentence(index)
            for index in range(len(line))
        ):
            return True
    if line[at + 1] not in _PLURAL_VERBS:
        return False
    if any(_begins_singular(line, index) for index in range(at + 2, at + 6)):
        return True
    _, end = line.sentence(at)  # Sie wurden … zum Schöffen gewählt
    made = line[end - 1] in words().making | words().regarding
    return made and not {"zum", "zur"}.isdisjoint(line.keys[at:end])


def _begins_singular(line: Line, at: int) -> bool:
    """Whether a phrase for one person begins there: ein, unser, die Erste."""
    if line[at] in {"ein", "mein", "unser", "kein", "der", "eine", "keine"}:
        return True
    if line.is_noun(at) and line[at].endswith("in"):
        return True
    if line.is_noun(at + 1) and line[at].endswith("er") and line[at] not in words().not_adjectives:
        return True  # gelernter Bäcker
    if line.is_noun(at + 1) and line[at].endswith("e") and is_one_woman(line.tokens[at + 1].text):
        return True  # examinierte Krankenschwester
    if line[at] not in {"die", "meine", "unsere", "seine", "ihre"}:
        return False
    noun = next((index for index in range(at + 1, at + 4) if line.is_noun(index)), at)
    return line[noun].endswith("in") or (line.is_noun(noun) and line[noun].endswith("te"))


def _is_copular(line: Line, start: int, end: int) -> bool:
    """Whether the clause says what its subject is, becomes or remains."""
    lists = words()
    keys = [line[at] for at in range(start, end) if line.is_word(at)]
    if not keys:
        return False
    last = next((line[at] for at in range(end - 1, start - 1, -1) if line.is_word(at)), "")
    closing = lists.copula_infinitives & {
        *keys[-3:],
        *(line[at] for at in range(start, end) if line[at + 1] in lists.coordinators),
    }
    if closing:
        return closing != {"worden"}
    if lists.be & set(keys):
        return True
    if not lists.become & set(keys):
        return False
    at = next(at for at in range(end - 1, start - 1, -1) if line.is_word(at))
    verbal = (
        not line.is_noun(at)
        and last not in lists.become
        and (
            last.endswith(("en", "ern", "eln", "iert"))
            or (last.startswith(("ge", "be", "ver", "er", "zer", "ent")) and last.endswith("t"))
        )
    )
    return not verbal or last in lists.not_adjectives or last in lists.adverbs
