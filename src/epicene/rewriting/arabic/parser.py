"""Read a passage from its first word to its last and collect the sites: function words, vocatives,
nouns and verbs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from epicene.rewriting.arabic import lexicon, nouns, phrases, pronouns
from epicene.rewriting.arabic.analysis import FunctionParse, analyse_thing
from epicene.rewriting.arabic.clauses import (
    is_impersonal_phrase,
    read_possessive,
    read_third_person_suffix,
    read_verb,
    suffix_referent,
)
from epicene.rewriting.arabic.context import Context, Referent
from epicene.rewriting.arabic.disambiguation import PassageAnalysis
from epicene.rewriting.arabic.inflection import is_participle
from epicene.rewriting.arabic.predicates import (
    compared_person,
    implied_subject,
    inverted_subject,
    is_apology_to,
    is_expected_predicate,
)
from epicene.rewriting.arabic.sites import FixedTarget, NounTarget
from epicene.rewriting.arabic.spelling import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.rewriting import Confidence
    from epicene.rewriting.arabic.inflection import Case
    from epicene.rewriting.arabic.line import Line
    from epicene.rewriting.arabic.sites import Sites
    from epicene.rewriting.arabic.spelling import Suffix
    from epicene.rewriting.persons import TargetGenders
    from epicene.rewriting.quotations import Passage

_TERMS_OF_ADDRESS = frozenset("عزيز حبيب سيد بني".split())
_TITLES_OF_ADDRESS = frozenset("سيد دكتور أستاذ معلم".split())


def read_vocative(context: Context, at: int, function: FunctionParse) -> int:
    """Read a vocative particle (يا, أيها) and the noun phrase after it; return the end."""
    referent = context.person(2)
    if function.base != "يا":
        context.add(at, referent, FixedTarget.of(function, "vocatives"), "vocative")
    after = context.words.function(at + 1)
    if after is not None and after.kind == "vocatives":
        return at + 1
    known = context.words.known_nouns(at + 1)
    if function.base != "يا":
        known = known or context.words.nouns(at + 1)
    if not known:
        return at + 2
    called = referent._replace(number=known[0].form.number)
    return _read_addressed(context, at + 1, called, "certain")


def is_addressed(context: Context, at: int) -> bool:
    """Whether a noun is a form of address without a particle.

    It is possessed by the speaker and is alone between marks (صديقي، …), or is a title before a
    name in brackets.
    """
    words = context.words
    begins = words.line.after_mark(at)
    if _is_honoured(words, at):
        return True
    for parse in words.known_nouns(at):
        if parse.prefix.letters:
            continue
        mine = parse.suffix is not None and parse.suffix.letters in {"ي", "نا"}
        if mine and begins and _is_mark_after_adjectives(words, at + 1):
            return True
        if (
            mine
            and parse.lemma.masculine in _TERMS_OF_ADDRESS
            and (begins or words.line.is_mark(at + 1))
        ):
            return not words.is_preposition(at - 1) and words.key(at - 1) != "ليس"
        if (
            begins
            and parse.lemma.masculine in _TITLES_OF_ADDRESS
            and words.line.token(at + 1).text == "("
        ):
            return True
    return False


def _is_mark_after_adjectives(words: PassageAnalysis, at: int) -> bool:
    """Whether a mark follows, or adjectives and a comma: صديقي، صديقي الغالي،."""
    end = at
    while any(p.prefix.article and p.lemma.can_describe for p in words.nouns(end)):
        end += 1
    if end == at and at == 1 and words.line.is_mark(at + 1) and words.is_nominal(at):
        end += 1  # صديقي ضياء،
    return words.line.is_mark(end) if end == at else words.line[end] in {"،", ","}


_HONOURS = frozenset("حضرة سعادة معالي فضيلة جناب سيادة".split())
_HONOURED = frozenset("المحترم المحترمة الفاضل الفاضلة الموقر الموقرة".split())


def _is_honoured(words: PassageAnalysis, at: int) -> bool:
    """Whether a letter begins here with whom it is for: حضرة السيد, السيدة المديرة المحترمة."""
    if not words.line.letters(at).startswith("ال") or not words.known_nouns(at):
        return False
    if words.line[at - 1] in _HONOURS and words.line.after_mark(at - 1):
        return True
    if not words.line.after_mark(at):
        return False
    for index in range(at + 1, at + 6):
        if words.line.is_mark(index):
            return False
        if words.line[index] in _HONOURED:
            return True
    return False


def _read_addressed(context: Context, at: int, listener: Referent, sure: Confidence) -> int:
    """Read a phrase that addresses the listener, then restore the clause around it."""
    around = replace(context.clause)
    end = phrases.read_phrase(context, at, listener, "nominative", "vocative", sure)
    for parse in context.words.known_nouns(end)[:1]:  # عزيزي ولي الأمر
        titled = parse.lemma.person and not parse.prefix.letters and not parse.suffix
        if titled and nouns.is_bound(context.words, end, parse):
            end = phrases.read_phrase(context, end, listener, "nominative", "vocative", sure)
    context.clause.restore(around)
    return end


_Handler: TypeAlias = Callable[[Context, int, FunctionParse], int]

_WHOEVER = Referent(None, "singular", "masculine")
_PREPOSITIONS_OF_HAVING = frozenset("ل لدي عند".split())
_WELCOMES = frozenset("اهلا مرحبا سهلا وسهلا نرحب".split())
_QUANTITY_NOUNS = frozenset("الاف مئات عشرات ملايين مجموعه كبار صغار اوائل اواخر".split())


def read_function_word(context: Context, at: int, function: FunctionParse) -> int:
    """Read a function word; return the index after it and what belongs to it."""
    if function.suffix is not None and function.kind in {"inna", "role_markers"}:
        return _read_suffixed_particle(context, at, function)
    read = _HANDLERS.get(function.kind)
    return read(context, at, function) if read is not None else at + 1


def _read_suffixed_particle(context: Context, at: int, function: FunctionParse) -> int:
    """Read a particle with a suffixed pronoun whose predicate follows: إنني, بصفتي."""
    suffix = function.suffix
    assert suffix is not None
    if function.kind == "inna":
        return pronouns.read_suffixed_subject(context, at, suffix)
    read_third_person_suffix(context, at)
    context.clause.expect(suffix_referent(context, suffix), "predicate", "accusative", "role")
    if function.base == "كون" and suffix.person != 3:  # كوني أمًا يجعلني
        context.clause.subject = Referent(None, "singular", "masculine")
    return at + 1


def _read_transparent(context: Context, at: int, function: FunctionParse) -> int:
    """Read a word that passes agreement on to the next word: غير قادر, سوى ممرض, أول محام."""
    clause = context.clause
    if clause.expects is None:
        return at + 1
    if function.base == "سوي" and clause.expects == "state":
        clause.end_clause()  # لم يودعني سوى كلب
        return at + 1
    thing = clause.third is not None and clause.third.who is None
    if function.base == "غير" and clause.expects == "state" and thing:
        clause.end_clause()  # العنصر الذي تبحث عنه غير موجود
        return at + 1
    end = pronouns.read_first_of(context, at, function)
    if end:
        return end
    if function.base in {"كل", "بعض", "اي"}:
        return at + 1
    if function.base != "الا":
        clause.next_case = "genitive"
    clause.expects = "predicate" if clause.expects != "state" else "role"
    return at + 1


def _read_subordinator(context: Context, at: int, function: FunctionParse) -> int:
    if function.base == "عمن":
        context.clause.end_clause()
        context.clause.third = context.clause.subject = _WHOEVER
    elif not pronouns.opens_relative_with_who(context, at, function):
        context.clause.suspend_clause()
        context.clause.end_clause()
    return at + 1


def _read_clause_particle(context: Context, at: int, function: FunctionParse) -> int:
    """Read a particle whose subject follows it: أن السماء, لكن الطبيب.

    Before an expected predicate, لكن may only join adjectives.
    """
    clause = context.clause
    joins = function.base == "لكن" and is_expected_predicate(context, at + 1)
    if joins and not nouns.is_definite(context.words, at + 1):
        parse = nouns.choose_noun(context.words, at + 1, clause.controller)
        if parse is not None and not nouns.is_bound(context.words, at + 1, parse):
            return at + 1
    clause.suspend_clause()
    clause.end_clause()
    if context.words.is_nominal(at + 1):
        clause.subject = None
    return at + 1


def _read_preposition(context: Context, at: int, function: FunctionParse) -> int:
    if function.suffix is not None:
        return _read_prepositional_object(context, at, function, function.suffix)
    if pronouns.opens_relative_with_who(context, at, function):
        return at + 1
    words = context.words
    index = at + 1
    awaits = context.clause.controller_awaiting_predicate is not None
    if function.base == "حتي" and awaits and is_expected_predicate(context, index):
        return index  # لم أكن حتى موجودًا
    if function.base == "من" and is_impersonal_phrase(context, index):
        return index + 1
    following = words.function(index)
    if following is not None and following.kind == "transparent":
        index += 1
        following = words.function(index)
    if following is not None and following.kind == "demonstratives":
        if not nouns.is_definite(words, index + 1):
            return index + 1
    elif following is not None or words.line.is_mark(index):
        return index
    elif words.verbs(index):
        return _read_whoever(context, index, function)
    if words.line[index] in _QUANTITY_NOUNS and words.known_nouns(index + 1):
        index += 1  # واحد من آلاف المتظاهرين
    read_possessive(context, index)
    referent = pronouns.member_referent(context, index, function)
    return phrases.read_phrase(context, index, referent, "genitive", "noun", "likely")


def _read_prepositional_object(
    context: Context, at: int, function: FunctionParse, suffix: Suffix
) -> int:
    """Read a preposition with a suffixed pronoun: لكم, إليه, عنك.

    In ولي ولد it expresses possession, and what is possessed follows.
    """
    after = context.words.nouns(at + 1)
    if (
        function.base in _PREPOSITIONS_OF_HAVING
        and after
        and not (after[0].definite or after[0].form.nunated)
    ):
        context.clause.end_clause()
    if suffix.person == 2 and context.words.line[at - 1] in _WELCOMES:  # أهلًا بك ضيفًا
        welcomed = context.person(2, suffix.number)
        context.clause.expect(welcomed, "role", "accusative", "role")
    if suffix.person == 2 and suffix.gender is not None:
        context.add(at, context.person(2, "plural"), suffix, "object pronoun")
    elif suffix.person == 2:
        context.add_vowel(at)
    elif suffix.person == 3 and not (function.base == "في" and suffix.gender in context.all_things):
        read_third_person_suffix(context, at)
    return at + 1


def _read_whoever(context: Context, at: int, function: FunctionParse) -> int:
    """Set the subject after من to an indefinite person: إلى من يخبرني."""
    if function.base == "من":
        context.clause.third = context.clause.subject = _WHOEVER
    return at


def _read_coordinator(context: Context, at: int, function: FunctionParse) -> int:
    """Read بل, after which the predicate of ليس is nominative: لست غاضبًا، بل حزين."""
    if function.base == "بل" and context.clause.rule == "predicate of ليس":
        context.clause.next_case = "nominative"
    return at + 1


_ALONE = ("وحد", "بمفرد", "لتو")


def _read_adverb(context: Context, at: int, function: FunctionParse) -> int:
    """Read an adverb; a pronoun at its end means the subject or the person before it: وحده."""
    suffix = next((one for one in SUFFIXES if function.base.endswith(one.letters)), None)
    if suffix is None or suffix.person != 3 or not function.base.lstrip("ل").startswith(_ALONE):
        return at + 1
    subject = context.clause.controller or context.clause.subject
    alike = subject is not None and (subject.gender, subject.number) == (
        suffix.gender,
        suffix.number,
    )
    before = analyse_thing(context.words.line.letters(at - 1))
    if alike:
        context.add(at, subject, suffix, "pronoun", "likely")
    elif before is None or before.gender != suffix.gender:  # تركت البيت وحده
        context.add(at, suffix_referent(context, suffix), suffix, "pronoun", "likely")
    return at + 1


_HANDLERS: Mapping[str, _Handler] = {
    **dict.fromkeys(("I", "we", "you", "you all", "you two"), pronouns.read_first_or_second),
    **dict.fromkeys(("he", "they", "they two"), pronouns.read_third),
    "prepositions": _read_preposition,
    "demonstratives": pronouns.read_demonstrative,
    "relatives": pronouns.read_relative,
    "transparent": _read_transparent,
    "vocatives": read_vocative,
    "inna": _read_clause_particle,
    "adverbs": _read_adverb,
    "subordinators": _read_subordinator,
    "coordinators": _read_coordinator,
}

# After these it is said who or how I am: اسمي نور، مهندسة; حالتي: مشغول.
_ABOUT_ME = frozenset("اسمي حالتي وضعي مهنتي وظيفتي صفتي".split())
# Who signs a letter, beside those who are somebody of yours: مقدم الطلب, ابنكم المخلص.
_SIGNATORIES = frozenset("مقدم ملتمس طالب مستدعي موقع مخلص محب صاحب".split())
_LONGEST_SIGNATURE = 5
_SHORTEST_LETTER = 4
_ALL_OF_US = frozenset({"كلنا", "جميعنا", "فكلنا", "وكلنا"})


def find_sites(passage: Passage[Line], wanted: TargetGenders) -> Sites:
    """All words of a passage that agree with somebody."""
    line, interlocutors = passage.line, passage.interlocutors
    context = Context(PassageAnalysis(line, interlocutors, wanted), interlocutors)
    at = 0
    context.topic = pronouns.speaker_as_topic(context, at)
    while at < len(line):
        if line.is_word(at):
            at = max(_read_word(context, at), at + 1)
            continue
        at += 1
        if line.ends_sentence(at - 1):
            context.end_sentence()
            context.topic = pronouns.speaker_as_topic(context, at)
        else:
            _read_pause(context, at, resumes=line[at - 1] == ":")
    context.end_sentence()
    return context.sites


def _read_pause(context: Context, at: int, *, resumes: bool) -> None:
    """After a comma or colon, end a clause about a thing, and perhaps resume a suspended clause."""
    clause = context.clause
    start, _ = context.words.line.sentence(at - 1)
    first = context.words.line[start]
    named = first in _ABOUT_ME or (first == "انا" and not clause.found)  # not أنا آسف، أبي
    named = named and not context.words.line.letters(at).startswith("و")
    if named and at - start <= 4 and not clause.verbal:
        clause.open_verbless_clause(context.person(1))  # اسمي نور، مهندسة
    if clause.third is not None and clause.third.who is None:
        clause.third = None
    if resumes and clause.subject is not None and clause.subject.who is None:
        clause.subject = None
    if clause.suspended is None:
        return
    while (function := context.words.function(at)) and function.kind in {
        "negations",
        "coordinators",
    }:
        at += 1
    resumed = replace(context, clause=replace(clause.suspended))
    if context.words.function(at) is not None or not is_expected_predicate(resumed, at):
        return
    accusative = clause.case == "nominative" and nouns.is_nunated(context.words, at)
    if resumes or accusative or not is_expected_predicate(context, at):
        clause.resume_clause()


def _read_word(context: Context, at: int) -> int:
    function = context.words.function(at)
    if function is not None:
        return read_function_word(context, at, function)
    parses = context.words.verbs(at)
    if parses and not (
        context.clause.expects == "predicate" and is_expected_predicate(context, at)
    ):
        return read_verb(context, at, parses)
    end = _read_nominal(context, at)
    context.clause.next_case = None  # غير means the next word alone
    return end


def _read_nominal(context: Context, at: int) -> int:
    clause = context.clause
    if lexicon.group_member(context.words.line.letters(at)) is not None:
        return pronouns.read_member(context, at)
    if context.words.line[at] in _HONOURS and _is_honoured(context.words, at + 1):
        return at + 1
    if _is_signature(context.words, at):
        return phrases.read_phrase(context, at, context.person(1), "nominative", "signature")
    if context.words.line.letters(at + 1) in {"أدناه", "أعلاه"}:
        signed = lexicon.fixed_pair("signed", context.words.line.letters(at))
        if signed is not None:
            return _read_undersigned(context, at)
    read_possessive(context, at)
    if at == clause.subject_at:
        return phrases.read_phrase(context, at, clause.subject, "nominative", "subject", "likely")
    if context.words.line[at] in _ALL_OF_US:
        if context.words.line.after_mark(at):
            clause.open_verbless_clause(context.person(1, "plural"))
        return at + 1
    asked = inverted_subject(context, at)
    if asked is None and is_expected_predicate(context, at):
        end = phrases.read_phrase(context, at, clause.controller, clause.take_case(), clause.rule)
        clause.found = True
        clause.found_definite = nouns.is_definite(context.words, end - 1)
        return end
    if is_addressed(context, at):
        return _read_addressed(context, at, context.person(2), "likely")
    return _read_unasked(context, at, asked)


def _read_unasked(context: Context, at: int, asked: Referent | None) -> int:
    """Read a word that the clause did not call for: said of somebody all the same, or a phrase."""
    again = _described_again(context, at)
    if asked is None and again is not None:
        return phrases.read_phrase(context, at, again, "accusative", "state", "likely")
    asked = asked or implied_subject(context, at) or compared_person(context, at)
    if asked is not None:
        alone = is_apology_to(context.words, at)
        read = phrases.read_adjective if alone else phrases.read_phrase
        return read(context, at, asked, "nominative", "predicate", "likely")
    return _read_unexpected_phrase(context, at)


def _described_again(context: Context, at: int) -> Referent | None:
    """Who is described by one more accusative: عدت منهكًا، متظاهرًا بالمرح, معتزًا … ومؤمنًا."""
    words, before = context.words, context.described
    if before is None or not isinstance(before.target, NounTarget):
        return None
    form = before.target.parse.form
    joins = words.line[at - 1] in {"،", ",", "ثم", "بل", "لا", "او", "ولا"}
    for parse in () if words.is_thing(at) else words.nouns(at):
        if not (joins or parse.prefix.letters == "و") or parse.definite:
            continue
        same = (parse.form.gender, parse.form.number) == (form.gender, form.number)
        accusative = parse.form.nunated or parse.form.gender == "feminine"
        accusative |= nouns.is_bound(words, at, parse)
        sorry = parse.lemma.masculine in {"آسف", "متأسف"}
        fits = same and accusative and parse.prefix.letters in {"", "و"}
        lemma = parse.lemma
        active = len(lemma.masculine) == 4 and lemma.masculine[1] == "ا"
        described = lemma.adjective if lemma.known else active or is_participle(lemma.masculine)
        if fits and described and not sorry:
            return Referent(before.who, form.number, form.gender)
    return None


def _read_undersigned(context: Context, at: int) -> int:
    """Read who signs or was named, which is no site here: أنا الموقع أدناه، المقيم في."""
    clause = context.clause
    gender = lexicon.fixed_gender("signed", context.words.line.letters(at))
    meant = clause.controller_awaiting_predicate or context.person(3, "singular", gender)
    target = FixedTarget("", "signed", context.words.line.letters(at))
    context.add(at, meant, target, "predicate", "likely")
    clause.found = clause.found_definite = True
    return at + 2


def _is_signature(words: PassageAnalysis, at: int) -> bool:
    """Whether a letter ends here with who writes it: ابنتك المشتاقة, مقدم الطلب."""
    line = words.line
    if at == 0 or not line.after_mark(at) or len(line) - at > _LONGEST_SIGNATURE:
        return False
    if not all(line.is_word(index) for index in range(at, len(line))):
        return False
    ends_letter = at >= _SHORTEST_LETTER and line.is_word(at - 2)  # not لكن... أختك الصغيرة
    rest = range(at + 1, len(line))
    if not all(
        line.letters(index).startswith("ال") or _is_unlisted(words, index) for index in rest
    ):
        return False
    return any(
        parse.prefix.letters in {"", "ال"}
        and (len(rest) > 0 or line.ends_sentence(at - 1))
        and (
            (ends_letter and parse.suffix is not None and parse.suffix.person == 2)
            or (parse.lemma.masculine in _SIGNATORIES and line.letters(at + 1).startswith("ال"))
        )
        for parse in words.known_nouns(at)
    )


def _is_unlisted(words: PassageAnalysis, at: int) -> bool:
    """Whether a word is in no list, as names are."""
    return words.is_nominal(at) and not words.known_nouns(at) and not words.is_thing(at)


def _read_unexpected_phrase(context: Context, at: int) -> int:
    """Read a noun phrase that fills no expectation: a new subject, or an object."""
    clause = context.clause
    referent = nouns.noun_referent(context, at)
    if context.topic is not None and clause.subject is None:
        referent = context.topic
    opens = clause.subject is None or _opens_clause(context, at)
    opens = opens and not nouns.has_preposition(context.words, at)
    expected = (clause.controller, clause.expects, clause.case, clause.rule, clause.found)
    third = clause.third
    case: Case = "accusative" if clause.verbal and not opens else "nominative"
    end = phrases.read_phrase(context, at, referent, case, "noun", "likely")
    if opens:
        context.note_subject(at, referent)
    if clause.third is not third:  # the phrase opened a clause about itself
        return end
    if opens:
        clause.open_verbless_clause(referent)
        context.opened_at = at
    elif referent.who in {"speaker", "listener"}:  # واحد منا ينتظر
        clause.third = clause.subject = referent
    else:
        clause.controller, clause.expects, clause.case, clause.rule, clause.found = expected
        myself = context.words.line[at].startswith(("نفس", "انفس"))
        if clause.takes_object_complement and not myself and nouns.is_definite(context.words, at):
            clause.controller, clause.takes_object_complement = referent, False
    return end


def _says_what_thing_is(words: PassageAnalysis, at: int) -> bool:
    """Whether an adjective or a verb after a thing belongs to it: والتذكرة غالية, والشوربة وصلت."""
    gender = nouns.noun_gender(words, at)
    if gender is None or not words.is_thing(at):
        return False
    verb = any(
        (parse.cell.person, parse.cell.gender) == (3, gender) and not parse.prefix
        for parse in words.verbs(at + 1)
    )
    return verb or any(
        parse.form.gender == gender
        and parse.lemma.adjective
        and not (parse.prefix.letters or parse.suffix or parse.form.nunated)
        for parse in words.known_nouns(at + 1)
    )


def _opens_clause(context: Context, at: int) -> bool:
    """Whether a definite noun begins a new clause: ، وأبي ممرض."""
    if not nouns.is_definite(context.words, at):
        return False
    letters = context.words.line.letters(at)
    joined = letters.startswith("و") and not context.words.is_thing(at)
    if letters.startswith("و") and _says_what_thing_is(context.words, at):
        return True
    return context.words.line.after_mark(at) or (joined and not context.clause.verbal)
