"""Clauses of a Russian sentence, and whose each of them is.

A clause ends at a mark or before a conjunction. Without a subject of its own it has that of the
clause before it; a noun that could be its subject, and is no person, keeps it from having one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.conjugation import past_form, short_form
from epicene.rewriting.russian.declension import adjective_readings, noun_readings
from epicene.rewriting.russian.lexicon import function_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.persons import Gender
    from epicene.rewriting.russian.line import Line

_BOUNDARIES = frozenset(', : ; ( ) — – - « » " “ ” „'.split())
SUBJECT_PRONOUNS = frozenset("я ты он она".split())
OTHER_SUBJECTS = frozenset(
    "мы вы они кто никто некто кто-то кто-нибудь кто-либо кое-кто каждый всякий любой оно "
    "это".split()
)
_NOT_FIRST_VERBS = frozenset("всю одну мою твою свою эту ту мою чью третью большую другую семью "
    "ночью осенью статью скамью судью дочерью матерью".split())  # fmt: skip
_PLAIN_NOUNS_IN_OM = frozenset("дом гром альбом том диплом ком лом перелом закон климат".split())
_OBLIQUE_ENDINGS = tuple(
    "ом ем ым им ов ев ей ах ях ам ям их ых ами ями ого его ому ему ой".split()
)
_VOWELS = "аеиоуыэюяё"
_INFINITIVES = tuple(
    "ть тся ться лись вши вшись нести везти вести расти йти идти лечь мочь беречь".split()
)
_NOMINATIVE_MARKS = frozenset("мой твой наш ваш этот тот".split())
_VERB_ENDINGS = (
    *_INFINITIVES, "ли", "ло", "лось", "ает", "яет", "ует", "еет", "дет", "жет", "чет", "ит",
    "ют", "ут", "ят", "аем", "уем",
)  # fmt: skip
_GERUNDS = ("ая", "яя", "ав", "ив", "ув", "ыв", "ев")
_WITH_ROLE = frozenset("мне меня тебе тебя ему ей его ее вам вас".split())
_SPANS = frozenset("весь всю вся целый целую каждый каждую".split())


class Clause:
    """Words [start, end) of a line, the mark or conjunction they begin with, and their subject."""

    def __init__(self, line: Line, start: int, end: int) -> None:
        """Hold the words of a clause."""
        self.line, self.start, self.end = line, start, end

    def __iter__(self) -> Iterator[int]:
        return (at for at in range(self.start, self.end) if self.line.is_word(at))

    @property
    def words(self) -> list[int]:
        """The indices of its words."""
        return list(self)

    def has(self, *words: str) -> bool:
        """Whether one of the words is in it."""
        return any(self.line[at] in words for at in self)


def split_clauses(line: Line, start: int, end: int) -> list[Clause]:
    """The clauses of a sentence."""
    edges = [start]
    for at in range(start, end):
        if line.is_mark(at):
            if line[at] in _BOUNDARIES and not (
                _joins_predicate(line, at) or _is_beside_aside(line, at)
            ):
                edges.append(at + 1)
        elif line[at] in function_words().conjunctions and _opens_clause(line, at):
            edges.append(at)
    edges.append(end)
    clauses = [Clause(line, *edge) for edge in pairwise(edges)]
    return [clause for clause in clauses if clause.words]


def _joins_predicate(line: Line, at: int) -> bool:
    """Whether the dash stands between a pronoun and what is said of it: я — учитель."""
    return line[at] in {"—", "–", "-"} and line[at - 1] in SUBJECT_PRONOUNS | {"это"}


def _is_beside_aside(line: Line, at: int) -> bool:
    """Whether the comma belongs to a word between two commas: завтрак, правда, был вкусный."""
    asides = function_words().asides
    opens = line[at + 1] in asides and line[at + 2] == ","
    return opens or (line[at - 1] in asides and line[at - 2] == ",")


def _opens_clause(line: Line, at: int) -> bool:
    word = line[at]
    if word in {"так", "чем", "раз", "да", "также", "тоже", "ли", "лишь", "едва"}:
        return False
    if word == "и" and (line[at + 1] in {"сам", "сама"} or line[at - 1] == "так"):
        return False
    if word == "как" and line[at - 1] in _WITH_ROLE:
        return False  # вам как матери
    return not (word == "как" and line[at + 1] in {"раз", "только", "бы", "можно", "будто"})


def is_first_verb(word: str) -> bool:
    """Whether the key is a verb that says I: работаю, чувствую."""
    if word in lexicon.keys_of("verbs", "first_person"):
        return True
    if word in _NOT_FIRST_VERBS or noun_readings(word) or _is_accusative(word):
        return False
    return (
        len(word) > 3 and word.endswith(("аю", "яю", "ею", "аюсь", "яюсь", "уюсь", "ьюсь"))
    ) or (
        len(word) > 5
        and word.endswith(("ирую", "вую", "кую", "дую", "жусь", "чусь", "люсь", "рюсь"))
    )


def _is_accusative(word: str) -> bool:
    return word.endswith("ую") and not word.endswith(("ирую", "вую", "дую"))


def is_second_verb(word: str) -> bool:
    """Whether the key is a verb that says thou: знаешь, будь."""
    return word in {"будь", "стань", "оставайся"} or (
        len(word) > 4 and word.endswith(("ешь", "ишь", "ешься", "ишься"))
    )


def is_third_verb(word: str) -> bool:
    """Whether the key is a verb of the third person: пишет, молчит."""
    return len(word) > 3 and word.endswith(("ет", "ит", "ется", "ится")) and not noun_readings(word)


def is_verb(word: str) -> bool:
    """Whether the key looks like a verb, in whatever form."""
    return (
        past_form(word) is not None
        or is_first_verb(word)
        or is_second_verb(word)
        or (
            len(word) > 3
            and (
                word.endswith(_VERB_ENDINGS)
                or (word.endswith(_GERUNDS) and not adjective_readings(word))
            )
            and not word.endswith(
                ("ость", "есть", "тет", "асть", "роли", "доли", "мать", "ерть", "земли")
            )
        )
    )


def is_function_word(word: str) -> bool:
    """Whether the key is no noun, adjective or verb."""
    words = function_words()
    return (
        word in words.governs
        or word in words.adverbs
        or word in words.conjunctions
        or (word.endswith(("о", "ски")) and len(word) > 3 and not word.endswith("енко"))
    )


def is_noun_like(line: Line, at: int) -> bool:
    """Whether the word may be a noun: no other class is known for it."""
    word = line[at]
    if not line.is_word(at) or is_function_word(word) or word in SUBJECT_PRONOUNS | OTHER_SUBJECTS:
        return False
    if word[0].isdigit():
        return False
    if noun_readings(word):
        return True
    if past_form(word) or is_first_verb(word) or is_second_verb(word) or word == "друг":
        return False
    if word.endswith(_INFINITIVES) and word not in {"часть", "смерть"}:
        return False
    short = short_form(word)
    return not (short and short.listed) and not adjective_readings(word)


def ends_phrase(line: Line, at: int, end: int) -> bool:
    """Whether no noun follows that the adjective before `at` could belong to."""
    while at < end:
        word = line[at]
        if not line.is_word(at):
            return not (word in {",", "и"} and _goes_on(line, at + 1, end))
        if word in {"и", "или", "но", "а"}:
            return not _goes_on(line, at + 1, end)
        if word in function_words().governs or word in function_words().conjunctions:
            return True
        if word in {"бы", "же", "ли", "не", "ни"}:
            at += 1
            continue
        if word in function_words().times:
            return False
        if (
            is_function_word(word)
            or past_form(word)
            or is_first_verb(word)
            or word in SUBJECT_PRONOUNS
        ):
            return True
        if adjective_readings(word):
            at += 1
            continue
        return _is_plural_past(word) or not is_noun_like(line, at)
    return not (line[end] in {"и", "или"} and _goes_on(line, end + 1, line.sentence(end)[1]))


def _is_plural_past(word: str) -> bool:
    """Whether the key is a past tense in the plural: не выпускали."""
    nouns = ("медали", "детали", "модели", "недели", "постели", "печали", "картели", "отели")
    return (
        len(word) > 5
        and word.endswith(("али", "яли", "или", "ели", "лись"))
        and not word.endswith(nouns)
    )


def _goes_on(line: Line, at: int, end: int) -> bool:
    """Whether adjectives follow, and then a noun: чёрный и зелёный чай."""
    if not adjective_readings(line[at]):
        return False
    while at < end and adjective_readings(line[at]):
        at += 1
    return at < end and is_noun_like(line, at) and line[at] not in function_words().conjunctions


def governed(line: Line, at: int, start: int) -> str | None:
    """The preposition before a noun and its adjectives, if there is one."""
    at -= 1
    while (
        at >= start
        and line.is_word(at)
        and (
            adjective_readings(line[at])
            or line[at] in {"его", "ее", "их", "очень", "самых", "двух", "трех"}
        )
        and line[at] not in function_words().governs
    ):
        at -= 1
    if at >= start and line[at] in function_words().governs:
        return line[at]
    return None


def is_first_verb_at(line: Line, at: int) -> bool:
    """Whether the word says I, by its ending or after я: я пью."""
    if is_first_verb(line[at]):
        return True
    before = at - 1
    skipped = {"не", "бы", "уже", "еще", "всегда", "часто", "очень", "сам", "сама", "весь", "вся"}
    while line[before] in skipped:
        before -= 1
    return line[before] == "я" and line[at].endswith(("у", "ю", "усь", "юсь"))


def is_name(line: Line, at: int, gender: Gender) -> bool:
    """Whether the word is a name that may be in the nominative, of somebody of that gender."""
    if not line.is_capital(at) or not is_noun_like(line, at):
        return False
    start = line.sentence(at)[0]
    if at == start or not line[at].isalpha() or governed(line, at, start) is not None:
        return False
    word = line[at]
    if gender == "feminine":
        return word.endswith(("а", "я", "ь")) or word[-1] not in _VOWELS
    if word in lexicon.keys_of("people", "first_names"):
        return True
    return word[-1] not in _VOWELS and not word.endswith(("ом", "ем", "ым", "ой", "ей"))


def could_be_subject(
    line: Line, at: int, start: int, gender: Gender, *, times: bool = False
) -> bool:
    """Whether the word may be a noun in the nominative, of that gender; `times`: or a time."""
    word = line[at]
    if not is_noun_like(line, at) or noun_readings(word) or governed(line, at, start) is not None:
        return False
    if line.is_word(at - 1) and at > start and is_noun_like(line, at - 1):
        return False  # города in центре города
    if len(word) < 2 or line[at - 1] in _SPANS:
        return False
    if word in function_words().times and not (times or line[at - 1] in _NOMINATIVE_MARKS):
        return False
    if word in function_words().times and gender == "feminine" and word != "ночь":
        return False  # 2012 года
    if line[at + 1] in {"назад", "спустя", "подряд"}:
        return False
    if gender == "feminine":
        return word.endswith(("а", "я", "ь")) and not _is_neuter_plural(word)
    if word in _PLAIN_NOUNS_IN_OM or line[at - 1] in _NOMINATIVE_MARKS:
        return True
    return word[-1] not in _VOWELS and not word.endswith(_OBLIQUE_ENDINGS)


def _is_neuter_plural(word: str) -> bool:
    """Whether a word in -я is no feminine: замечания, решения."""
    return word.endswith(("ания", "ения")) and word not in lexicon.keys_of("verbs", "in_ania")


def is_existential(word: str) -> bool:
    """Whether a noun after that verb is its subject: зазвонил телефон."""
    return word.endswith(("лся", "лась")) or word in lexicon.keys_of("verbs", "existential")
