"""Clauses: the subject of a verb, what agrees with it, and what it makes the clause expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.arabic import nouns
from epicene.rewriting.arabic.analysis import analyse_noun, analyse_thing
from epicene.rewriting.arabic.context import Referent
from epicene.rewriting.arabic.lexicon import verb_list
from epicene.rewriting.arabic.sites import VerbTarget
from epicene.rewriting.arabic.spelling import SUFFIXES
from epicene.rewriting.arabic.subjects import acting_thing, explicit_subject, next_noun
from epicene.rewriting.arabic.verbs import (
    cell_in_context,
    choose_verb_readings,
    object_as_subject,
)

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.arabic.analysis import VerbParse
    from epicene.rewriting.arabic.conjugation import Cell
    from epicene.rewriting.arabic.context import Context
    from epicene.rewriting.arabic.spelling import Suffix


def read_verb(context: Context, at: int, parses: tuple[VerbParse, ...]) -> int:
    """Read a verb; return the index after it."""
    clause = context.clause
    _close_clauses(context, at, parses)
    picked = choose_verb_readings(context, at, parses)
    parse = picked[0]
    cell = cell_in_context(context, at, parse, parses)
    perfects = {one.verb.perfect for one in picked if one.suffix == parse.suffix}
    index, subject = _find_subject(context, at, parse, perfects)
    clause.subject, clause.subject_at, clause.verbal = subject, index, True
    if index >= 0:
        context.note_subject(index, subject)
    clause.follows_command = cell.tense == "imperative"
    certain = cell.person == 2 and (cell.gender == "feminine" or cell.number == "plural")
    sure: Confidence = "certain" if certain else "likely"
    context.add(at, subject, VerbTarget(parse, cell), _verb_rule(cell), sure)
    _read_object(context, at, parse, subject)
    _expect_predicate(context, at, parse, perfects, subject)
    return at + 1


def _close_clauses(context: Context, at: int, parses: tuple[VerbParse, ...]) -> None:
    """End the inserted clause or the topic that a new clause, begun by the verb, closes."""
    clause = context.clause
    if not (parses[0].prefix[:1] in {"و", "ف"} or context.words.opens_clause(at)):
        return
    first = any(parse.cell.person == 1 for parse in parses)
    after_mark = context.words.opens_clause(at)
    if clause.third is not None and ((first and after_mark) or clause.third.who is None):
        clause.third = None
        clause.subject = None
    if clause.suspended is not None and clause.suspended.subject is not None and first:
        clause.subject = clause.suspended.subject


def _verb_rule(cell: Cell) -> str:
    return f"{cell.tense} of the {'second' if cell.person == 2 else 'third'} person"


def _find_subject(
    context: Context, at: int, parse: VerbParse, perfects: set[str]
) -> tuple[int, Referent]:
    """The index of the verb's subject (-1: not expressed) and its referent."""
    cell = parse.cell
    if cell.person != 3:
        return -1, context.person(cell.person, cell.number)
    if perfects & verb_list("impersonal") or _is_impersonal(context, at, perfects):
        return -1, Referent(None)
    if _is_about_what(context, at, parse):
        return -1, Referent(None, "singular", "masculine")
    acting = object_as_subject(context, at, (parse,))
    if acting is not None:
        return -1, suffix_referent(context, acting)
    stated = _stated_subject(context, at, cell)
    if stated is not None:
        return -1, stated
    index = explicit_subject(context, at, parse)
    if index >= 0:
        return index, nouns.noun_referent(context, index)
    for known in (context.clause.subject, context.clause.third):
        if known is None or known.gender is None or not _referent_fits(known, cell):
            continue
        if not _resumes_topic(parse.suffix, known):
            return -1, known
    if context.topic is not None:
        return -1, context.topic
    return _likely_subject(context, at, parse)


def _likely_subject(context: Context, at: int, parse: VerbParse) -> tuple[int, Referent]:
    """The subject where the grammar shows none: a thing that follows, a name, or who was named."""
    cell = parse.cell
    index = acting_thing(context, at, parse)
    if index >= 0:
        return index, nouns.noun_referent(context, index)
    if context.words.is_unlisted_name(at + 1) or _is_rather_a_persons(context, at, parse):
        return -1, context.person(3, cell.number, cell.gender)
    return -1, context.third_person(cell.number, cell.gender)


def _is_rather_a_persons(context: Context, at: int, parse: VerbParse) -> bool:
    """Whether a verb says what people do, or that somebody was something: لعبت, كانت مغنية.

    Not where the noun that follows may be its subject: أدركت العائلة.
    """
    words, gender = context.words, parse.cell.gender
    if parse.verb.perfect in verb_list("copular"):
        return not words.is_thing(at + 1) and any(
            noun.lemma.person and noun.form.gender == gender and not noun.prefix.preposition
            for noun in words.known_nouns(at + 1)
        )
    if parse.verb.perfect not in verb_list("acts") or gender in context.names:
        return False
    follows = nouns.noun_gender(words, at + 1) == gender
    return not words.is_passive(at) and not (follows and not nouns.has_preposition(words, at + 1))


def _stated_subject(context: Context, at: int, cell: Cell) -> Referent | None:
    """The subject that a pronoun right before the verb states: لأنه يشجع الجميع, هي لا تحب أحدًا."""
    words = context.words
    before = words.function(at - 1)
    if before is not None and before.kind == "negations":
        before = words.function(at - 2)
    if before is None or not (before.kind == "he" or (before.kind == "inna" and before.suffix)):
        return None
    subject = context.clause.subject
    return subject if subject is not None and _referent_fits(subject, cell) else None


def _is_impersonal(context: Context, at: int, perfects: set[str]) -> bool:
    """Whether the verb is used impersonally: يبدو أن, كان عليه أن, كان من الواضح, أدى إلى."""
    words = context.words
    after = words.function(at + 1)
    if perfects & _SHOWN and _that_follows(context, at):  # تبين للطبيب أن
        return True
    if after is None:
        return False
    if after.base == "ان" and perfects & _FELT_OF_THAT:  # يسرني أن
        return True
    if perfects & _DONE_TO and after.base in {"علي", "عن"} and words.is_passive(at):
        return True  # عُثر عليها
    if perfects & _DONE_TO and after.base in {"علي", "عن"} and after.suffix is None:
        return not any(site.who == "others" for site in context.sites)  # حكم على الوزير
    if after.kind == "demonstratives" and perfects & verb_list("of_things"):  # حدث ذلك
        return not nouns.is_definite(words, at + 2)
    if after.base == "ان" and not perfects.isdisjoint({"بدا", "قيل", "تبين", "اتضح", "ثبت"}):
        return True
    if "أدى" in perfects:
        return after.base == "الي"
    if perfects.isdisjoint({"كان", "ليس"}):
        return False
    if after.base in {"هناك", "ثمة", "فقط"}:
        return True
    if after.base == "علي" and after.suffix is not None:
        return words.key(at + 2) == "ان"
    return after.base == "من" and after.suffix is None and is_impersonal_phrase(context, at + 2)


# That it is so pleases somebody, or shows.
_FELT_OF_THAT = frozenset("سر أسعد شرف أحزن أقلق أدهش أزعج آلم ضايق طاب تقرر".split())
_SHOWN = frozenset("تبين اتضح بدا ثبت".split())
# In the passive of nobody: حكم على, عثر على, أفرج عن.
_DONE_TO = frozenset("حكم قبض عثر أفرج أغمي".split())


def _that_follows(context: Context, at: int) -> bool:
    """Whether a clause with أن follows, before any mark or verb."""
    words = context.words
    for index in range(at + 1, at + 6):
        if words.line.is_mark(index) or words.verbs(index):
            return False
        if words.key(index) == "ان":
            return True
    return False


# What a happening does: ما سمح بذلك, ما دفع الناس إلى.
_OF_EVENTS = frozenset("حدث جرى حصل سمح شجع أدى دفع جعل أثار أسفر ساهم تسبب مضى سبق".split())


def _is_about_what(context: Context, at: int, parse: VerbParse) -> bool:
    """Whether the subject is what: عما يحدث, ما يقلقني, مما أزعج الركاب; not ما يريد."""
    before = context.words.key(at - 1)
    cell, suffix = parse.cell, parse.suffix
    if before not in {"ما", "عما", "مما", "بما"} or cell.gender != "masculine":
        return False
    if cell.number != "singular" or parse.verb.perfect in verb_list("copular"):
        return False
    if before == "ما" and cell.tense == "perfect":
        return parse.verb.perfect in _OF_EVENTS and suffix is None
    if parse.verb.perfect in verb_list("intransitive"):
        return True
    if suffix is not None:
        return suffix.person != 3 or parse.verb.perfect in {"جعل", "دفع", "أجبر", "مكن", "منح"}
    return before == "مما" and next_noun(context.words, at) >= 0


def is_impersonal_phrase(context: Context, at: int) -> bool:
    """Whether the words after من form an impersonal expression: من الواضح أن, من غير المعروف."""
    if context.words.key(at) == "غير":
        return True
    letters = context.words.line.letters(at)
    if any(parse.lemma.person for parse in context.words.known_nouns(at)):  # من النادل أن
        return False
    _, end = context.words.line.sentence(at)
    clauses = {"ان", "ما", "اذا"}
    follows = any(context.words.key(index) in clauses for index in range(at + 1, min(at + 4, end)))
    return letters.startswith("ال") and follows


def _resumes_topic(suffix: Suffix | None, topic: Referent) -> bool:
    """Whether the object pronoun resumes the topic, which is then not the subject.

    In السنوات التي قضتها the pronoun means the years, and somebody else is the subject.
    """
    if suffix is None or suffix.person != 3 or topic.who is not None:
        return False
    return (suffix.gender, suffix.number) == (topic.gender, topic.number)


def _referent_fits(referent: Referent, cell: Cell) -> bool:
    return referent.gender == cell.gender and referent.number == cell.number


def _read_object(context: Context, at: int, parse: VerbParse, subject: Referent) -> None:
    suffix = parse.suffix
    if suffix is None:
        if parse.cell.person == 2 and parse.cell.gender is None:
            context.add_vowel(at)
        return
    if suffix.letters == "ك":
        context.add_vowel(at)
    elif suffix.person == 2 and suffix.gender is not None:
        context.add(at, context.person(2, suffix.number), suffix, "object pronoun")
    elif suffix.person == 3 and suffix.gender is not None:
        meant = suffix_referent(context, suffix)
        if meant == subject and subject == context.clause.third:  # it would be نفسه
            meant = Referent("others" if subject.who != "others" else None)
        context.add(at, meant, suffix, "pronoun", "likely")


def read_third_person_suffix(context: Context, at: int) -> None:
    """Add the suffixed third-person pronoun of a word, if it has one that shows gender."""
    letters = context.words.line.letters(at)
    suffix = next((one for one in SUFFIXES if _ends_with(letters, one)), None)
    if suffix is not None:
        context.add(at, suffix_referent(context, suffix), suffix, "pronoun", "likely")


def _ends_with(letters: str, suffix: Suffix) -> bool:
    shows = suffix.person == 3 and suffix.gender is not None
    return shows and letters.endswith(suffix.letters) and len(letters) > len(suffix.letters)


def _has_article(letters: str) -> bool:
    """Whether the word has the article, so that it ends in no pronoun: الانتباه."""
    if any(parse.lemma.known for parse in analyse_noun(letters)):
        return False
    return letters.startswith(("ال", "وال", "بال", "لل"))


def suffix_referent(context: Context, suffix: Suffix) -> Referent:
    """The referent of a suffixed pronoun."""
    if suffix.person != 3:
        return context.person(suffix.person, suffix.number)
    third = context.clause.third or context.topic
    same = third is not None and third.number == suffix.number
    if third is not None and same and third.gender in {None, suffix.gender}:
        return third
    if context.means_thing(suffix):
        return Referent(None, suffix.number, suffix.gender)
    if suffix.gender in context.names - context.people or context.is_only_of_things(suffix):
        return Referent(None, suffix.number, suffix.gender)
    return context.person(3, suffix.number, suffix.gender)


def _expect_predicate(
    context: Context, at: int, parse: VerbParse, perfects: set[str], subject: Referent
) -> None:
    clause = context.clause
    suffix = parse.suffix
    done_to = _affected_person(context, at + 1) if perfects & verb_list("done") else None
    if done_to is not None:
        clause.expect(done_to, "role", "accusative", "role")
        return
    clause.takes_object_complement = suffix is None and bool(
        perfects & verb_list("object_complement")
    )
    passive = context.words.is_passive(at)
    role = bool(perfects & verb_list("role_verbs"))
    oneself = context.words.line[at + 1].startswith(("نفس", "انفس"))
    finds = perfects & (verb_list("object_roles") | verb_list("object_complement"))
    if suffix is not None or passive or oneself:
        role = role or bool(perfects & verb_list("object_roles"))
    if suffix is not None and perfects & {"نادى", "لقب", "وصف", "سمى"}:  # لقبوني بالعنيد
        clause.expect(suffix_referent(context, suffix), "role", "accusative", "name")
    elif suffix is not None and (
        finds
        or suffix.person == 1
        or (suffix.person == 2 and (parse.cell.person == 3 or perfects & verb_list("copular")))
    ):  # أعدتني كبيرًا, but أنتظرك متشوقًا
        controller = suffix_referent(context, suffix)
        clause.expect(controller, "role" if role else "state", "accusative", "state")
    elif perfects & verb_list("copular"):
        rule = "predicate of ليس" if "ليس" in perfects else "predicate"
        clause.expect(subject, "predicate", "accusative", rule)
    else:
        clause.expect(
            subject, "role" if role else "state", "accusative", "role" if role else "state"
        )


def _affected_person(context: Context, at: int) -> Referent | None:
    """The possessor of the verbal noun after the verb, who undergoes it: تم تعييني قاضيًا."""
    words = context.words
    letters = words.line.letters(at)
    if words.function(at) is not None or nouns.is_definite(words, at + 1):  # تم تنبيه الطلاب
        return None
    for suffix in SUFFIXES:
        if letters.endswith(suffix.letters) and len(letters) - len(suffix.letters) > 3:
            return suffix_referent(context, suffix)
    return None


# A, K and J: تي دي كيه.
_LETTERS_OF_NAMES = frozenset({"إيه", "كيه", "جيه"})


def read_possessive(context: Context, at: int) -> None:
    """Add the possessive pronoun suffixed to a noun: كتابكم, كتابه."""
    letters = context.words.line.letters(at)
    if context.words.function(at) is not None:  # كل هذه الكتب
        return
    if letters.startswith("نفس") and nouns.is_definite(context.words, at - 1):
        return  # الباب نفسه
    parses = analyse_noun(letters)
    if parses and parses[0].lemma.known and parses[0].suffix is None:
        return
    if letters.endswith("ك") and analyse_thing(letters) is not None:
        context.add_vowel(at)
        return
    for suffix in SUFFIXES:
        if suffix.letters not in {"كم", "كن"} or not letters.endswith(suffix.letters):
            continue
        stem = letters[: -len(suffix.letters)]
        if len(stem) > 2 and (suffix.letters == "كم" or _is_noun_stem(stem)):
            context.add(at, context.person(2, "plural"), suffix, "possessive pronoun", "likely")
            return
    if letters not in _LETTERS_OF_NAMES and not _has_article(letters):
        read_third_person_suffix(context, at)


def _is_noun_stem(stem: str) -> bool:
    """Whether a stem before a suffix is a known noun."""
    if stem in {"جميع", "أنفس"}:
        return True
    if len(stem) > 3 and stem.endswith(("اء", "ات", "ائ", "اؤ")):
        return True
    if len(stem) > 5 and stem.startswith("ا") and stem[-2] == "ا":  # انتظاركن
        return True
    wholes = (stem, stem[:-1] + "ة") if stem.endswith("ت") else (stem,)
    return any(
        analyse_thing(whole) is not None or any(p.lemma.known for p in analyse_noun(whole))
        for whole in wholes
    )
