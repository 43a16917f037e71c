"""Commands that begin a clause and could be something else: أدخل الرمز, راجع طلبك, غير كلمة المرور.

By their letters they may also be nouns (راجع, حدث), function words (غير), first persons (أدخل) or
perfects (شاهد); what follows decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.arabic.analysis import (
    analyse_function_word,
    analyse_noun,
    analyse_thing,
    analyse_verb,
)
from epicene.rewriting.arabic.lexicon import function_words, verb_list
from epicene.rewriting.arabic.spelling import SHADDA, TANWIN_FATH, fold_letters

if TYPE_CHECKING:
    from epicene.rewriting.arabic.analysis import VerbParse
    from epicene.rewriting.arabic.evidence import PassageEvidence
    from epicene.rewriting.arabic.line import Line

# After these سجل is a command, otherwise a list: سجل المكالمات.
_SIGNED = ("الدخول", "الخروج", "دخول", "خروج", "اسم", "إعجاب", "رقم", "الآن", "حضور")


_PLEASE = frozenset("رجاء لطفا فضلك هيا".split())
_DONE_FOR_US = frozenset("ساعد سامح شارك راسل زود انتظر كلم تابع زار حدث".split())
# Before what is to be done then: إذا تأخر الطرد، فراجع المكتب.
_CONDITIONS = frozenset("اذا ان كلما لو عندما متي".split())
_WITH_PREPOSITION = {"حافظ": "علي", "شارك": "في", "علق": "علي", "رد": "علي"}
# Of أكل, and otherwise all.
_EAT = frozenset({"كل", "كلي", "كلوا"})
_EATEN = frozenset("من مما معنا جيدا قليلا كثيرا ببطء".split())


def read_command(line: Line, at: int, evidence: PassageEvidence) -> tuple[VerbParse, ...]:
    """The imperative readings of a word that is a command here and elsewhere something else."""
    word = line.token(at)
    comma = line[at - 1] in {"،", ","}
    joined = word.letters[:1] in {"و", "ف"} and (comma or not line.after_mark(at))
    answers = word.letters[:1] == "ف" and line[line.sentence(at)[0]] in _CONDITIONS
    joined = joined or line[at - 1] == "ثم"
    joined = joined and (answers or _follows_command(line, at, evidence))
    eats = word.letters.removeprefix("ف") in _EAT and line[at + 1] in _EATEN
    eats = eats and (line[at + 1] != "من" or line.letters(at + 2).startswith(("ال", "هذ", "طعام")))
    begins = joined or eats or line.after_mark(at) or line[at - 1] in _PLEASE
    prefixes = {"و", "ف"} if joined and line[at - 1] != "ثم" else {"ف", ""} if eats else {""}
    parses = analyse_verb(word.letters) if begins and TANWIN_FATH not in word.text else ()
    found = tuple(
        parse
        for parse in parses
        if parse.exact and parse.prefix in prefixes and parse.cell.tense == "imperative"
    )
    if not found or _is_somebody_elses(line, at, found[0], evidence):
        return ()
    whole = analyse_verb(word.letters.removesuffix("ي")) if found[0].prefix else ()
    if any(parse.exact and not parse.prefix for parse in whole):  # فهمي, not ف + همي
        return ()
    if eats or word.letters.lstrip("وف") in _EAT:
        return found if eats else ()
    listed = tuple(parse for parse in found if parse.verb.perfect in verb_list("commands"))
    ours = found[0].suffix is not None and found[0].suffix.letters == "نا"
    if ours and found[0].verb.perfect not in verb_list("told") | _DONE_FOR_US:
        return ()  # استلمنا طلبك
    if found[0].suffix is not None:
        if found[0].suffix.person == 3 and word.letters[0] == "أ":
            return () if evidence.says_i_beside(at) else listed
        return found if _addresses_us(line, at, found[0]) else ()
    if joined and not listed and word.letters[0] != "أ":
        if analyse_function_word(word.letters) is not None:
            return ()
        return found if _has_adjunct(line, at) and _is_no_noun_of_action(found[0]) else ()
    if word.letters[0] == "أ":
        rather = listed or (() if _is_first_person(parses) else found)
        told = found[0].verb.perfect in verb_list("told") and line.letters(at + 1).startswith("ال")
        yours = told or line.letters(at + 1).endswith("ك")
        return () if evidence.says_i_beside(at) and not yours else rather
    if SHADDA in word.text and not found[0].verb.simple:
        return found
    return listed if listed and _governs(line, at) else ()


def _follows_command(line: Line, at: int, evidence: PassageEvidence) -> bool:
    """Whether a word before in the sentence can only be a command, or is read as one."""
    start, _ = line.sentence(at)
    return any(
        line.is_word(index)
        and analyse_function_word(line.letters(index)) is None
        and (
            all(parse.cell.tense == "imperative" for parse in parses)
            or bool(read_command(line, index, evidence))
        )
        for index in range(start, at)
        if (parses := [one for one in analyse_verb(line.letters(index)) if one.exact])
    )


def _has_adjunct(line: Line, at: int) -> bool:
    """Whether what follows belongs to a verb and not to a noun: وفكر جيدًا, وفكر في الأمر."""
    key = line[at + 1]
    lists = function_words()
    return line.is_mark(at + 1) or any(key in lists[kind] for kind in ("adverbs", "prepositions"))


def _is_no_noun_of_action(parse: VerbParse) -> bool:
    return parse.verb.perfect not in verb_list("verbal_nouns")


def _is_first_person(parses: tuple[VerbParse, ...]) -> bool:
    """Whether the word is rather a first person: أعمل, أحب."""
    return any(
        parse.exact
        and parse.cell.person == 1
        and parse.cell.mood == "full"
        and (parse.verb.simple or parse.verb.perfect in verb_list("stative"))
        for parse in parses
    )


def is_seldom_command(line: Line, at: int) -> bool:
    """Whether the word is no command unless `read_command` says so: حدث, صدر, حفظ."""
    word = line.token(at)
    seldom = verb_list("seldom_commands")
    listed = word.letters in seldom or word.letters in verb_list("verbal_nouns")
    return listed and SHADDA not in word.text


def _is_somebody_elses(line: Line, at: int, parse: VerbParse, evidence: PassageEvidence) -> bool:
    """Whether somebody else is the subject: راجع المدير الطلب, شاهد الفيلم مع زوجته."""
    if evidence.third_gender is not None and evidence.asks_for("others"):
        return True
    after = line.letters(at + 1)
    if (
        parse.verb.perfect in verb_list("told")
        or after.endswith("ى")
        or analyse_thing(after) is not None
    ):
        return False
    return any(
        noun.lemma.known
        and noun.lemma.person
        and not noun.prefix.preposition
        and not (noun.suffix and noun.suffix.person == 2)
        for noun in analyse_noun(after)
    )


def _addresses_us(line: Line, at: int, parse: VerbParse) -> bool:
    """Whether نا is the object, as no other follows: أخبرنا عن نفسك, أعطينا رأيك."""
    if parse.suffix is None or parse.suffix.letters != "نا":
        return False
    after = line.letters(at + 1)
    return (
        line.is_mark(at + 1)
        or fold_letters(after) in function_words()["prepositions"]
        or (after.endswith("ك") and len(after) > 3)
    )


def _governs(line: Line, at: int) -> bool:
    """Whether what follows can be the object of a command and not part of a phrase."""
    word, after = line.letters(at), line.letters(at + 1)
    lists = function_words()
    key = fold_letters(after)
    if line.is_mark(at + 1):
        return False
    if word == "رد" and line.is_word(len(line) - 1):  # a label
        return False
    if key in lists["prepositions"] or word == "حافظ":
        return _WITH_PREPOSITION.get(word) == key
    if after.endswith("ك") and len(after) > 3 and key not in lists["demonstratives"]:
        return True
    if word == "سجل":
        return after.startswith(_SIGNED)
    if word in verb_list("seldom_commands"):
        return after.removeprefix("ال") in verb_list("objects_of_commands")
    thing = analyse_thing(after)
    if thing is not None and not thing.prefix.strip("ال"):
        return thing.gender == "feminine" or "ال" in thing.prefix
    if word == "غير":
        return False
    if word == "ظل":
        return TANWIN_FATH in line.token(at + 1).text
    return after.startswith("ال") or key in lists["demonstratives"] or key in lists["transparent"]
