"""Commands that begin a clause and could be something else: أدخل الرمز, راجع طلبك, غير كلمة المرور.

By their letters they may also be nouns (راجع, حدث), function words (غير), first persons (أدخل) or
perfects (شاهد); what follows decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.arabic.analysis import analyse_noun, analyse_thing, analyse_verb
from epicene.rewriting.arabic.lexicon import function_words, verb_list
from epicene.rewriting.arabic.spelling import SHADDA, TANWIN_FATH, fold_letters

if TYPE_CHECKING:
    from epicene.rewriting.arabic.analysis import VerbParse
    from epicene.rewriting.arabic.evidence import PassageEvidence
    from epicene.rewriting.arabic.line import Line

# After these سجل is a command, otherwise a list: سجل المكالمات.
_SIGNED = ("الدخول", "الخروج", "دخول", "خروج", "اسم", "إعجاب", "رقم", "الآن", "حضور")


_PLEASE = frozenset("رجاء لطفا فضلك هيا".split())
_WITH_PREPOSITION = {"حافظ": "علي", "شارك": "في", "علق": "علي"}


def read_command(line: Line, at: int, evidence: PassageEvidence) -> tuple[VerbParse, ...]:
    """The imperative readings of a word that is a command here and elsewhere something else."""
    word = line.token(at)
    begins = line.after_mark(at) or line[at - 1] in _PLEASE
    parses = analyse_verb(word.letters) if begins and TANWIN_FATH not in word.text else ()
    found = tuple(
        parse
        for parse in parses
        if parse.exact and not parse.prefix and parse.cell.tense == "imperative"
    )
    if not found or _is_somebody_elses(line, at, found[0], evidence):
        return ()
    if found[0].suffix is not None:
        return found if _addresses_us(line, at, found[0]) else ()
    listed = tuple(parse for parse in found if parse.verb.perfect in verb_list("commands"))
    if word.letters[0] == "أ":
        rather = listed or (() if _is_first_person(parses) else found)
        yours = line.letters(at + 1).endswith("ك")
        return () if evidence.says_i_beside(at) and not yours else rather
    if SHADDA in word.text and not found[0].verb.simple:
        return found
    return listed if listed and _governs(line, at) else ()


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
    return after.startswith("ال") or key in lists["demonstratives"] or key in lists["transparent"]
