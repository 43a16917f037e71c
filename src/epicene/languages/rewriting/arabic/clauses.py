"""Verbs: whose they are, what agrees in them, and what may follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import nouns
from epicene.languages.rewriting.arabic.choosing import cell_here, pick
from epicene.languages.rewriting.arabic.clitics import SUFFIXES
from epicene.languages.rewriting.arabic.findings import VerbForm
from epicene.languages.rewriting.arabic.lexicon import verb_list
from epicene.languages.rewriting.arabic.noun_parsing import noun_parses, thing_of
from epicene.languages.rewriting.arabic.scope import Referent
from epicene.languages.rewriting.arabic.subjects import explicit_subject

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.arabic.clitics import Suffix
    from epicene.languages.rewriting.arabic.conjugation import Cell
    from epicene.languages.rewriting.arabic.state import Walk
    from epicene.languages.rewriting.arabic.verb_parsing import VerbParse


def read_verb(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> int:
    """Read a verb; the place after it."""
    scope = walk.scope
    _leave_clauses(walk, at, parses)
    picked = pick(walk, at, parses)
    parse = picked[0]
    cell = cell_here(walk, at, parse, parses)
    perfects = {one.verb.perfect for one in picked if one.suffix == parse.suffix}
    place, subject = _subject(walk, at, parse, perfects)
    scope.subject, scope.subject_at, scope.verbal = subject, place, True
    scope.commands = cell.tense == "imperative"
    certain = cell.person == 2 and (cell.gender == "feminine" or cell.number == "plural")
    sure: Sureness = "certain" if certain else "likely"
    walk.add(at, subject, VerbForm(parse, cell), _rule(cell), sure)
    _object(walk, at, parse, subject)
    _expect(walk, at, parse, perfects, subject)
    return at + 1


def _leave_clauses(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> None:
    """Where the verb begins a clause: what was set in between, and what was told of, is over."""
    scope = walk.scope
    if not (parses[0].prefix[:1] in {"و", "ف"} or walk.reading.opens_clause(at)):
        return
    first = any(parse.cell.person == 1 for parse in parses)
    after_mark = walk.reading.opens_clause(at)
    if scope.third is not None and ((first and after_mark) or scope.third.who is None):
        scope.third = None
        scope.subject = None
    if scope.suspended is not None and scope.suspended.subject is not None and first:
        scope.subject = scope.suspended.subject


def _rule(cell: Cell) -> str:
    return f"{cell.tense} of the {'second' if cell.person == 2 else 'third'} person"


def _subject(walk: Walk, at: int, parse: VerbParse, perfects: set[str]) -> tuple[int, Referent]:
    """Where the verb's subject stands (-1: nowhere), and who it is."""
    cell = parse.cell
    if cell.person != 3:
        return -1, walk.person(cell.person, cell.number)
    if perfects & verb_list("impersonal") or _is_nobodys(walk, at, perfects):
        return -1, Referent(None)
    place = explicit_subject(walk, at, parse)
    if place >= 0:
        return place, nouns.referent_of(walk, place)
    for held in (walk.scope.subject, walk.scope.third):
        if held is None or held.gender is None or not _agree(held, cell):
            continue
        if not _takes_up(parse.suffix, held):
            return -1, held
    if walk.topic is not None:
        return -1, walk.topic
    return -1, walk.person(3, cell.number, cell.gender)


def _is_nobodys(walk: Walk, at: int, perfects: set[str]) -> bool:
    """يبدو أن, كان عليه أن, كان من الواضح, ليس فقط, أدى إلى: of nobody, where that follows."""
    reading = walk.reading
    after = reading.function(at + 1)
    if after is None:
        return False
    if after.base == "ان" and after.suffix is None and not perfects.isdisjoint({"بدا", "قيل"}):
        return True
    if "أدى" in perfects:
        return after.base == "الي"
    if perfects.isdisjoint({"كان", "ليس"}):
        return False
    if after.base in {"هناك", "ثمة", "فقط"}:
        return True
    if after.base == "علي" and after.suffix is not None:
        return reading.key(at + 2) == "ان"
    return after.base == "من" and after.suffix is None and says_of_it(walk, at + 2)


def says_of_it(walk: Walk, at: int) -> bool:
    """من الواضح, من غير المعروف, من المعتاد: how it is that something follows."""
    if walk.reading.key(at) == "غير":
        return True
    letters = walk.reading.line[at].letters
    _, end = walk.reading.line.sentence(at)
    clauses = {"ان", "ما", "اذا"}
    follows = any(walk.reading.key(place) in clauses for place in range(at + 1, min(at + 4, end)))
    return letters.startswith("ال") and follows


def _takes_up(suffix: Suffix | None, held: Referent) -> bool:
    """السنوات التي قضتها: the object is the thing told of, so that somebody else is the subject."""
    if suffix is None or suffix.person != 3 or held.who is not None:
        return False
    return (suffix.gender, suffix.number) == (held.gender, held.number)


def _agree(referent: Referent, cell: Cell) -> bool:
    return referent.gender == cell.gender and referent.number == cell.number


def _object(walk: Walk, at: int, parse: VerbParse, subject: Referent) -> None:
    suffix = parse.suffix
    if suffix is None:
        if parse.cell.person == 2 and parse.cell.gender is None:
            walk.add_vowel(at)
        return
    if suffix.letters == "ك":
        walk.add_vowel(at)
    elif suffix.person == 2 and suffix.gender is not None:
        walk.add(at, walk.person(2, suffix.number), suffix, "object pronoun")
    elif suffix.person == 3 and suffix.gender is not None:
        meant = meant_by(walk, suffix)
        if meant == subject and subject == walk.scope.third:  # it would be نفسه
            meant = Referent("others" if subject.who != "others" else None)
        walk.add(at, meant, suffix, "pronoun", "likely")


def third_person_suffix(walk: Walk, at: int) -> None:
    """The pronoun of the third person at the end of a word, if it means somebody."""
    letters = walk.reading.line[at].letters
    suffix = next((one for one in SUFFIXES if _ends_with(letters, one)), None)
    if suffix is not None:
        walk.add(at, meant_by(walk, suffix), suffix, "pronoun", "likely")


def _ends_with(letters: str, suffix: Suffix) -> bool:
    shows = suffix.person == 3 and suffix.gender is not None
    return shows and letters.endswith(suffix.letters) and len(letters) > len(suffix.letters)


def _has_article(letters: str) -> bool:
    """الانتباه, والدكتوراه: a word of no list that cannot have a pronoun at its end."""
    if thing_of(letters) or any(parse.lemma.known for parse in noun_parses(letters)):
        return False
    return letters.startswith(("ال", "وال", "بال", "لل"))


def meant_by(walk: Walk, suffix: Suffix) -> Referent:
    """Whom a suffixed pronoun means."""
    if suffix.person != 3:
        return walk.person(suffix.person, suffix.number)
    third = walk.scope.third or walk.topic
    same = third is not None and third.number == suffix.number
    if third is not None and same and third.gender in {None, suffix.gender}:
        return third
    return walk.person(3, suffix.number, suffix.gender)


def _expect(walk: Walk, at: int, parse: VerbParse, perfects: set[str], subject: Referent) -> None:
    scope = walk.scope
    suffix = parse.suffix
    done_to = _done_to(walk, at + 1) if perfects & verb_list("done") else None
    if done_to is not None:
        scope.expect(done_to, "role", "accusative", "role")
        return
    scope.finds = suffix is None and bool(perfects & verb_list("object_complement"))
    passive = walk.reading.is_passive(at)
    role = bool(perfects & verb_list("role_verbs"))
    oneself = walk.reading.line[at + 1].key.startswith(("نفس", "انفس"))
    finds = perfects & (verb_list("object_roles") | verb_list("object_complement"))
    if suffix is not None or passive or oneself:
        role = role or bool(perfects & verb_list("object_roles"))
    if suffix is not None and (suffix.person != 3 or finds):
        target = meant_by(walk, suffix)
        scope.expect(target, "role" if role else "state", "accusative", "state")
    elif perfects & verb_list("copular"):
        rule = "predicate of ليس" if "ليس" in perfects else "predicate"
        scope.expect(subject, "predicate", "accusative", rule)
    else:
        scope.expect(
            subject, "role" if role else "state", "accusative", "role" if role else "state"
        )


def _done_to(walk: Walk, at: int) -> Referent | None:
    """تم تعييني قاضيًا: whom the noun after the verb means by the pronoun at its end, if any."""
    reading = walk.reading
    letters = reading.line[at].letters
    if reading.function(at) is not None or nouns.is_definite(reading, at + 1):  # تم تنبيه الطلاب
        return None
    for suffix in SUFFIXES:
        if letters.endswith(suffix.letters) and len(letters) - len(suffix.letters) > 3:
            return meant_by(walk, suffix)
    return None


def possessive(walk: Walk, at: int) -> None:
    """كتابكم, كتابه: the pronoun at the end of a noun."""
    letters = walk.reading.line[at].letters
    if walk.reading.function(at) is not None:  # كل هذه الكتب
        return
    if letters.startswith("نفس") and nouns.is_definite(walk.reading, at - 1):
        return  # الباب نفسه
    parses = noun_parses(letters)
    if parses and parses[0].lemma.known and parses[0].suffix is None:
        return
    if letters.endswith("ك") and thing_of(letters) is not None:
        walk.add_vowel(at)
        return
    for suffix in SUFFIXES:
        if suffix.letters not in {"كم", "كن"} or not letters.endswith(suffix.letters):
            continue
        stem = letters[: -len(suffix.letters)]
        if len(stem) > 2 and (suffix.letters == "كم" or _is_noun(stem)):
            walk.add(at, walk.person(2, "plural"), suffix, "possessive pronoun", "likely")
            return
    if not _has_article(letters):
        third_person_suffix(walk, at)


def _is_noun(stem: str) -> bool:
    """Whether a stem before a suffix is known as a noun."""
    if len(stem) > 3 and stem.endswith(("اء", "ات", "ائ", "اؤ")):
        return True
    wholes = (stem, stem[:-1] + "ة") if stem.endswith("ت") else (stem,)
    return any(
        thing_of(whole) is not None or any(p.lemma.known for p in noun_parses(whole))
        for whole in wholes
    )
