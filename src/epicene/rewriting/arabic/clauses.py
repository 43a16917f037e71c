"""Clauses: the subject of a verb, the words that agree with it, and whether a noun or an adjective
is the predicate that the clause expects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.arabic import inflection, nouns
from epicene.rewriting.arabic.analysis import analyse_noun, analyse_thing, analyse_verb
from epicene.rewriting.arabic.context import Referent
from epicene.rewriting.arabic.lexicon import function_words, verb_list
from epicene.rewriting.arabic.sites import VerbTarget
from epicene.rewriting.arabic.spelling import SUFFIXES, TANWIN_FATH, fold_letters
from epicene.rewriting.arabic.verbs import (
    cell_in_context,
    choose_verb_readings,
    explicit_subject,
    next_noun,
)

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.arabic.analysis import NounParse, VerbParse
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
    return -1, context.person(3, cell.number, cell.gender)


def _is_impersonal(context: Context, at: int, perfects: set[str]) -> bool:
    """Whether the verb is used impersonally: يبدو أن, كان عليه أن, كان من الواضح, أدى إلى."""
    words = context.words
    after = words.function(at + 1)
    if after is None:
        return False
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
    """Whether an unlisted word has the article, so that it ends in no pronoun: الانتباه."""
    if analyse_thing(letters) or any(parse.lemma.known for parse in analyse_noun(letters)):
        return False
    return letters.startswith(("ال", "وال", "بال", "لل"))


def suffix_referent(context: Context, suffix: Suffix) -> Referent:
    """The referent of a suffixed pronoun."""
    if suffix.person != 3:
        return context.person(suffix.person, suffix.number)
    if context.means_thing(suffix):
        return Referent(None, suffix.number, suffix.gender)
    third = context.clause.third or context.topic
    same = third is not None and third.number == suffix.number
    if third is not None and same and third.gender in {None, suffix.gender}:
        return third
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
    if suffix is not None and (suffix.person != 3 or finds):
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
    if len(stem) > 3 and stem.endswith(("اء", "ات", "ائ", "اؤ")):
        return True
    wholes = (stem, stem[:-1] + "ة") if stem.endswith("ت") else (stem,)
    return any(
        analyse_thing(whole) is not None or any(p.lemma.known for p in analyse_noun(whole))
        for whole in wholes
    )


def is_expected_predicate(context: Context, at: int) -> bool:
    """Whether the word is the predicate, role or state that the clause expects."""
    clause = context.clause
    if clause.expects is None or clause.controller is None:
        return False
    if nouns.read_numeral(context.words, at) is not None:
        return clause.expects == "predicate" and not clause.found
    if nouns.elative_target(context.words, at) is not None:
        return clause.expects == "predicate" and clause.controller.number == "singular"
    if analyse_thing(context.words.line.letters(at)) is not None:
        return False
    parse = nouns.choose_noun(context.words, at, clause.controller)
    if parse is None or not _preposition_fits(context, parse) or _is_measure(context, at, parse):
        return False
    if clause.found and not parse.prefix.letters and _is_unlisted_object(context, at - 1):
        return False  # حاملة أكياسًا كثيرة
    if not parse.lemma.known and analyse_verb(context.words.line.letters(at)):
        return False  # اريد for أريد
    if parse.lemma.masculine in {"آسف", "متأسف"} and context.words.line.after_mark(at):
        return False
    if parse.definite:
        return _definite_fits(context, at, parse)
    if clause.expects == "predicate":
        return parse.lemma.known or _guess_fits(context, at, parse)
    return _is_accusative(context, at, parse) and _circumstance_fits(context, at, parse)


def _is_unlisted_object(context: Context, at: int) -> bool:
    words = context.words
    nominal = words.function(at) is None and not words.known_nouns(at)
    return nominal and TANWIN_FATH in words.line.token(at).text


def _is_measure(context: Context, at: int, parse: NounParse) -> bool:
    """Whether the word is the accusative of specification after an elative: أقل غرورًا."""
    before = context.words.function(at - 1)
    if before is None or before.kind != "transparent":
        return False
    if before.base in {"اكثر", "اقل", "اشد"}:
        return True
    return parse.form.nunated and before.base not in {"غير", "سوي", "مجرد", "شبه", "الا"}


def _circumstance_fits(context: Context, at: int, parse: NounParse) -> bool:
    lemma = parse.lemma
    if _belongs_to_object(context, at, parse):
        return False
    if not lemma.known:
        shaped = inflection.is_adjective_shape(lemma.masculine)
        role = shaped and context.clause.expects == "role"
        active = len(lemma.masculine) == 4 and lemma.masculine[1] == "ا"
        if active and nouns.is_bound(context.words, at, parse):  # خائب الأمل
            return True
        return role or inflection.is_participle(lemma.masculine)
    if lemma.adjective or context.clause.expects == "role" or parse.prefix.preposition == "ك":
        return True
    if context.words.line[at - 1].startswith(("عملي", "عملك", "عمله")):  # بحكم عملي طبيبًا
        return True
    return parse.form.number == "plural" and not context.words.verbs(at - 1)


def _belongs_to_object(context: Context, at: int, parse: NounParse) -> bool:
    """Whether an accusative is not a state of the subject.

    It is an attribute (وقتًا ممتعًا), an adverb (عسكريًا) or the object (حاولت مخالفة).
    """
    form, word = parse.form, parse.lemma.masculine
    if form.nunated and not parse.prefix.letters and _is_accusative_thing(context, at - 1):
        return True
    if form.nunated and word == "فرح":  # بكيت فرحًا: for joy
        return True
    if context.clause.expects != "state":
        return False
    if form.nunated and parse.lemma.ending == "regular" and word.endswith("ي"):
        return not parse.lemma.person
    noun = len(word) == 5 and word[0] == "م" and word[2] == "ا"
    feminine = form.gender == "feminine" and form.number == "singular"
    return noun and feminine and bool(context.words.verbs(at - 1))


def _is_accusative_thing(context: Context, at: int) -> bool:
    """Whether the word is a masculine thing in the accusative that an adjective may modify."""
    word = context.words.line.token(at)
    if word.key == "يوما":
        return True
    thing = analyse_thing(word.letters)
    masculine = thing is not None and thing.gender == "masculine" and not thing.suffixed
    return masculine and nouns.is_nunated(context.words, at)


def _preposition_fits(context: Context, parse: NounParse) -> bool:
    """Whether a predicate may have its preposition: كطفل ضائع, لست بقادر, but not بطبيب."""
    preposition = parse.prefix.preposition
    if not preposition:
        return True
    if preposition == "ك":
        return parse.lemma.known
    return preposition == "ب" and context.clause.rule == "predicate of ليس" and parse.lemma.known


def _definite_fits(context: Context, at: int, parse: NounParse) -> bool:
    """Whether a definite noun is the predicate: أنا المحاسب, أنا صاحبه."""
    clause = context.clause
    if parse.prefix.preposition == "ك":
        return True
    if clause.expects != "predicate":
        return False
    if clause.found:
        joined = parse.prefix.letters == "و" and parse.suffix is not None
        joined = joined or (parse.prefix.letters == "وال" and parse.lemma.adjective)
        if not clause.found_definite or not (joined or context.words.line.after_mark(at)):
            return False
    if (
        clause.controller is not None
        and clause.controller.who in {"others", None}
        and clause.verbal
    ):
        return False
    before = context.words.function(at - 1)
    dated = before is not None and before.kind == "adverbs" and before.written.startswith("ال")
    if dated and parse.prefix.article and not parse.lemma.person:
        return False  # الليلة الماضية
    if parse.lemma.known:
        return True
    named = inflection.is_adjective_shape(parse.lemma.masculine) and _follows_subject_directly(
        context, at
    )
    return parse.prefix.article and (inflection.is_participle(parse.stem) or named)


def _guess_fits(context: Context, at: int, parse: NounParse) -> bool:
    """Whether an unlisted word is the predicate: right after the subject, or a clear participle."""
    verb = any(verb.exact for verb in context.words.verbs(at))
    if verb or (context.clause.controller and context.clause.controller.who == "others"):
        return False
    if inflection.is_participle(parse.lemma.masculine):
        return True
    shaped = inflection.is_adjective_shape(parse.lemma.masculine)
    ends = parse.form.gender == "feminine" or parse.form.nunated or shaped
    return not context.clause.found and ends and _follows_subject_directly(context, at)


def _follows_subject_directly(context: Context, at: int) -> bool:
    """Whether a function word (a pronoun, a particle) or a verb comes right before the word."""
    function = context.words.function(at - 1)
    return function is not None or bool(context.words.verbs(at - 1))


def _is_accusative(context: Context, at: int, parse: NounParse) -> bool:
    form = parse.form
    if parse.prefix.preposition == "ك" or context.clause.next_case == "genitive":
        return True
    if "accusative" not in form.cases:
        return False
    if form.nunated or form.gender == "feminine" or form.number != "singular":
        return True
    if parse.lemma.ending in {"diptote", "maqsura"} or parse.lemma.is_invariable:
        return True
    return nouns.is_bound(context.words, at, parse)


def inverted_subject(context: Context, at: int) -> Referent | None:
    """The referent of the pronoun right after its predicate: أمتأخر أنا؟"""
    words = context.words
    after = words.function(at + 1)
    if after is not None and after.base == "من":
        after = words.function(at + 2)
    if after is None or after.prefix or after.kind not in {"I", "we", "you"}:
        return None
    known = words.known_nouns(at)
    if not known or known[0].definite:
        return None
    asked = known[0].prefix.letters == "أ"
    if not (asked or words.line.after_mark(at) or words.function(at - 1)):
        return None
    return context.person(2 if after.kind == "you" else 1, known[0].form.number)


def implied_subject(context: Context, at: int) -> Referent | None:
    """The unexpressed subject of a predicate: the speaker, in a question the listener.

    آسف جدا, سعيد بلقائك.
    """
    words = context.words
    sorry = words.line[at] in {"اسف", "اسفة", "متاسف", "متاسفة"}
    if not words.line.after_mark(at) or (
        context.clause.subject is not None and context.clause.verbal and not sorry
    ):
        return None
    for parse in words.known_nouns(at):
        key = fold_letters(parse.lemma.masculine)
        asked = words.evidence.asks(at) and key in function_words()["asked"]
        listed = asked or key in function_words()["subjectless"]
        if listed and not parse.definite and parse.prefix.letters in {"", "و", "ف"}:
            after = words.line.token(at + 1)
            if nouns.is_bound(words, at, parse) or (words.known_nouns(at + 1) and after.letters):
                return None
            return context.person(2 if words.evidence.asks(at) else 1, parse.form.number)
    return None


def compared_person(context: Context, at: int) -> Referent | None:
    """The person that a noun after ك describes, named by a pronoun before: احترامي كامرأة."""
    known = context.words.known_nouns(at)
    if not known or known[0].prefix.preposition != "ك" or not known[0].lemma.person:
        return None
    if known[0].suffix is not None or known[0].form.number != "singular":
        return None
    for index in range(at - 1, max(at - 4, -1), -1):
        letters = context.words.line.letters(index)
        thing = analyse_thing(letters)
        if letters.endswith("ني") or (thing and thing.suffixed and letters.endswith("ي")):
            return context.person(1, known[0].form.number)
        if letters.endswith(("ه", "ها")) and context.words.function(index) is None:
            return context.person(3, "singular", known[0].form.gender)
    return None
