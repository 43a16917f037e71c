"""Noun phrases: a head, its possessor, its adjectives, and its relative clause."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.arabic import inflection, lexicon, nouns
from epicene.rewriting.arabic.analysis import analyse_noun, analyse_thing
from epicene.rewriting.arabic.clauses import read_possessive
from epicene.rewriting.arabic.context import Referent
from epicene.rewriting.arabic.disambiguation import ADJECTIVAL_ADVERBS
from epicene.rewriting.arabic.predicates import is_expected_predicate
from epicene.rewriting.arabic.sites import FixedTarget, NounTarget

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.arabic.analysis import FunctionParse, NounParse
    from epicene.rewriting.arabic.context import Context
    from epicene.rewriting.arabic.inflection import Case
    from epicene.rewriting.persons import Gender

# Of a person and their thing, rather the thing: طاهية وجبات سريعة.
_ADJECTIVES_OF_THINGS = frozenset(
    "سريع خفيف لذيذ مختلف متنوع ثقيل متوقف مجاور ساحلي جبلي صحراوي ريفي مدني حكومي خاص أهلي تجاري "
    "سياحي صناعي".split()
)


_WHEN = frozenset("عندما لما حين حينما بعد بعدما منذ اذا لو كلما وعندما ولما يوم".split())


def read_phrase(
    context: Context,
    at: int,
    referent: Referent | None,
    case: Case,
    rule: str,
    sure: Confidence = "certain",
) -> int:
    """Read a phrase that denotes the referent, from its head on; return the index after it."""
    words = context.words
    function = words.function(at)
    if function is not None and function.kind == "demonstratives":
        parse = nouns.choose_noun(words, at + 1, None)
        if parse is None or not nouns.has_own_gender(parse):
            context.add(at, referent, FixedTarget.of(function, "demonstratives"), rule, sure)
        return read_phrase(context, at + 1, referent, case, rule, sure)
    if words.possesses(at):
        return _read_possessing(context, at, referent, case, rule, sure)
    read_possessive(context, at)
    counted = nouns.read_numeral(words, at)
    if counted is not None:
        for index, target in counted.numerals:
            context.add(index, referent, target, rule, sure)
        if counted.noun < 0:
            return counted.end
        at, case = counted.noun, counted.case
        referent = referent and referent._replace(number=counted.number)
    elative = nouns.elative_target(words, at)
    if elative is not None:
        context.add(at, referent, elative, rule, sure)
        ten = words.line.letters(at + 1)
        if lexicon.fixed_pair("tens", ten):  # الحادي عشر
            context.add(at + 1, referent, FixedTarget("", "tens", ten), rule, sure)
        return at + 1
    parse = nouns.choose_noun(words, at, referent) or nouns.choose_noun(words, at, None)
    nobody = referent is None or referent.who is None
    if parse is not None and nobody and parse not in words.known_nouns(at):
        return skip_thing_phrase(context, at)
    if parse is None or analyse_thing(words.line.letters(at)) is not None:
        return skip_thing_phrase(context, at)
    return _read_person_phrase(context, at, parse, referent, case, rule, sure)


def _read_possessing(
    context: Context,
    at: int,
    referent: Referent | None,
    case: Case,
    rule: str,
    sure: Confidence = "certain",
) -> int:
    """Read what says that somebody has something, and the thing: ذو خبرة واسعة."""
    target = FixedTarget("", f"possessing_{case}", context.words.line.letters(at))
    context.add(at, referent, target, rule, sure)
    return skip_thing_phrase(context, at + 1)


def read_adjective(
    context: Context,
    at: int,
    referent: Referent | None,
    case: Case,
    rule: str,
    sure: Confidence = "certain",
) -> int:
    """Read an adjective that neither possesses nor is described by what follows: آسف سيدي."""
    parse = nouns.choose_noun(context.words, at, referent)
    if parse is not None:
        context.add(at, referent, NounTarget(parse, case, bound=False), rule, sure)
    return at + 1


def _read_person_phrase(
    context: Context,
    at: int,
    parse: NounParse,
    referent: Referent | None,
    case: Case,
    rule: str,
    sure: Confidence,
) -> int:
    words = context.words
    if parse.prefix.preposition:
        case = "genitive"
    if not parse.lemma.known:
        sure = "guess"
    takes_object = parse.lemma.governing and rule == "state"  # جلست منتظرًا النتائج
    bound = nouns.is_bound(words, at, parse) and not takes_object
    context.add(at, referent, NounTarget(parse, case, bound), rule, sure)
    end = at + 1
    definite = parse.definite or parse.lemma.masculine == "سيدي"
    possessor: Gender | None = None
    if bound:
        definite = definite or nouns.is_definite(words, end) or bool(words.function(end))
        possessor = nouns.noun_gender(words, end)
        end = _read_possessor(context, end)
    if nouns.has_own_gender(parse):
        head = Referent(None, parse.form.number, nouns.own_gender(parse))
        end = _skip_joined_adjectives(context, end, head, definite=definite)
    else:
        head = Referent(referent and referent.who, parse.form.number, parse.form.gender)
    end = _read_attributes(context, end, head, case, definite=definite, possessor=possessor)
    return _read_relative_clause(context, end, head, definite=definite, person=parse.lemma.person)


def _skip_joined_adjectives(context: Context, at: int, head: Referent, *, definite: bool) -> int:
    """The index after adjectives that agree with the word and not the person: شخص كتوم ومرتب."""
    words = context.words
    end = at
    while True:
        function = words.function(end)
        joined = function is not None and function.base in {"او", "لكن", "بل"}
        comma = words.line[end] in {"،", ","}
        after = end + 1 if (joined or comma) and end > at else end
        parses = [
            parse._replace(prefix=parse.prefix._replace(letters=parse.prefix.letters.lstrip("و")))
            for parse in words.nouns(after)
        ]
        if not any(_describes(parse, head, definite=definite) for parse in parses):
            return end
        end = after + 1


def skip_thing_phrase(context: Context, at: int) -> int:
    """The index after a phrase about a thing: noun, possessor, adjectives, relative clause."""
    words = context.words
    definite = nouns.is_definite(words, at) or nouns.ends_in_pronoun(words, at)
    context.note_thing(nouns.noun_gender(words, at))
    context.all_things.add(nouns.noun_gender(words, at))
    if not (words.is_preposition(at - 1) or nouns.has_preposition(words, at)):
        context.named_things.add(nouns.noun_gender(words, at))
    end = at + 1
    possessor: Gender | None = None
    free = definite or nouns.is_nunated(words, at) or words.possesses(end)
    if not free and nouns.possessor_follows(words, end):
        possessor = nouns.noun_gender(words, end)
        start, end = end, _read_possessor(context, end)
        definite = any(nouns.is_definite(words, index) for index in range(start, end))
    head = Referent(None, "singular", nouns.noun_gender(words, at))
    place = head.gender is None and possessor is None and words.key(at - 1) == "الي"
    arrives = any(parse.suffix is None for parse in words.verbs(at - 2))
    expects_state = arrives and context.clause.expects == "state"
    if place and expects_state and is_expected_predicate(context, end):
        return end  # وصلت إلى مونتريال سالمًا
    if possessor or not nouns.is_nunated(words, end) or _may_be_nunated(context, at):
        end = _read_attributes(
            context, end, head, "nominative", definite=definite, possessor=possessor
        )
    while definite and _is_unlisted_attribute(context, end):  # الحياة العامة
        end += 1
    return _read_relative_clause(context, end, head, definite=definite)


def _is_unlisted_attribute(context: Context, at: int) -> bool:
    """Whether a word with the article after a definite thing describes it: البلد الأم."""
    words = context.words
    if words.line[at] == "الام":
        return True
    person = any(parse.lemma.person for parse in words.known_nouns(at))
    return words.line.letters(at).startswith("ال") and words.function(at) is None and not person


def _read_possessor(context: Context, at: int) -> int:
    """Read a possessor, which may be a person too, and its own: باب بيت الجارة; return the end."""
    words = context.words
    function = words.function(at)
    index = at + 1 if function is not None and function.kind == "demonstratives" else at
    known = words.known_nouns(index)
    if known and known[0].lemma.person and not words.is_thing(index):
        read_possessive(context, index)
        form = known[0].form
        thing = Referent(None, form.number, form.gender)
        device = nouns.is_device(words, index, known[0])
        rather = device or nouns.is_rather_thing(known[0])
        referent = thing if rather else context.introduce_referent(known[0])
        return read_phrase(context, at, referent, "genitive", "noun", "likely")
    read_possessive(context, index)
    end = index + 1
    if not nouns.is_definite(words, index) and nouns.possessor_follows(words, end):
        return _read_possessor(context, end)
    return end


def _may_be_nunated(context: Context, at: int) -> bool:
    """Whether an adjective with nunation can modify the thing: not in غياب طويل محملًا."""
    return context.words.line.letters(at).endswith(("ا", "ة", "اء", "ى"))


class _Head(NamedTuple):
    """What adjectives may modify: a noun, its case, definite or not, and its possessor's gender."""

    referent: Referent
    case: Case
    definite: bool
    possessor: Gender | None


def _read_attributes(
    context: Context,
    at: int,
    referent: Referent,
    case: Case,
    *,
    definite: bool,
    possessor: Gender | None,
) -> int:
    """Read the adjectives of a head; return the index after them."""
    head = _Head(referent, case, definite, possessor)
    end = at
    while True:
        function = context.words.function(end)
        if context.words.possesses(end):
            after = _read_possessing(context, end, referent, case, "attribute")
        elif function is not None:
            after = _read_function_attribute(context, end, function, head, first=end == at)
        else:
            after = _read_adjective(context, end, head)
        if after == end:
            return end
        end = after


def _read_function_attribute(
    context: Context, at: int, function: FunctionParse, head: _Head, *, first: bool
) -> int:
    """Read an attribute that is, or begins with, a function word: صديقكم هذا, رجل غير سعيد."""
    if function.kind == "adverbs" and first and not head.definite:
        adjective = _adverb_as_adjective(context, at, head.referent)
        if adjective is not None:
            context.add(at, head.referent, NounTarget(adjective, head.case), "attribute", "likely")
            return at + 1
    if function.base == "غير" and not function.prefix:
        parse = _attribute_parse(context, at + 1, head.referent, definite=head.definite)
        if parse is not None:
            context.add(at + 1, head.referent, NounTarget(parse, "genitive"), "attribute")
            return at + 2
    if head.definite and _read_demonstrative_after(context, at, function, head.referent):
        return at + 1
    return at


def _read_adjective(context: Context, at: int, head: _Head) -> int:
    """Read an adjective, of the head or of a possessor; return the index after it."""
    words, referent = context.words, head.referent
    elative = _elative_attribute(context, at, referent)
    if elative is not None and head.definite:
        context.add(at, referent, elative, "attribute")
        return at + 1
    parse = _attribute_parse(context, at, referent, definite=head.definite)
    if parse is None:
        return at + 1 if _describes_possessor(context, at, head) else at
    free = referent.who is None and head.possessor is None
    if free and parse.form.nunated and not words.line.letters(at - 1).endswith("ا"):
        return at
    shared = head.possessor == referent.gender
    if shared and _describes_thing(parse, definite=head.definite):
        end = at + 1
        thing = Referent(None, "singular", head.possessor)
        while _attribute_parse(context, end, thing, definite=head.definite) is not None:
            end += 1
        return end
    bound = nouns.is_bound(words, at, parse)
    sure: Confidence = "guess" if shared or not parse.lemma.known else "certain"
    context.add(at, referent, NounTarget(parse, head.case, bound), "attribute", sure)
    return _read_possessor(context, at + 1) if bound else at + 1


def _describes_thing(parse: NounParse, *, definite: bool) -> bool:
    """Whether an adjective means a thing rather than its owner: its colour, its speed, its size."""
    lemma = parse.lemma
    if parse.form.number != "singular":  # سيدات الأعمال المحليات
        return False
    if lemma.ending == "diptote" or lemma.masculine in _ADJECTIVES_OF_THINGS:
        return True
    origin = lemma.ending == "regular" and lemma.masculine.endswith("ي")
    return definite and (origin or lemma.masculine in {"كبير", "صغير", "واسع"})


def _describes_possessor(context: Context, at: int, head: _Head) -> bool:
    """Whether an adjective modifies the possessor, not the head: سبعينات القرن السابع."""
    if head.possessor in {None, head.referent.gender}:
        return False
    thing = Referent(None, "singular", head.possessor)
    return _attribute_parse(context, at, thing, definite=head.definite) is not None


def _adverb_as_adjective(context: Context, at: int, head: Referent) -> NounParse | None:
    """The adjective reading of an adverb right after an accusative noun: طباخًا جيدًا."""
    word = context.words.line[at]
    always = word == "دائما" and not any(
        p.lemma.adjective for p in context.words.known_nouns(at - 1)
    )
    if not always and word not in ADJECTIVAL_ADVERBS - {"جدا"}:
        return None
    if not nouns.is_nunated(context.words, at - 1) or not context.words.known_nouns(at - 1):
        return None
    for parse in analyse_noun(context.words.line.letters(at)):
        if parse.lemma.known and parse.form.nunated and parse.form.number == head.number:
            return parse if parse.lemma.adjective else None
    return None


def _read_demonstrative_after(
    context: Context, at: int, function: FunctionParse, head: Referent
) -> bool:
    """Read a demonstrative after its noun: صديقكم هذا."""
    if function.kind != "demonstratives" or function.prefix:
        return False
    if lexicon.fixed_gender("demonstratives", function.base) != head.gender:
        return False
    after = context.words.function(at + 1)
    if nouns.is_definite(context.words, at + 1) or (after is not None and after.kind == "he"):
        return False  # يا صديقي هذا هو عملي
    context.add(at, head, FixedTarget("", "demonstratives", function.written), "attribute")
    return True


def _elative_attribute(context: Context, at: int, head: Referent) -> FixedTarget | None:
    found = nouns.elative_target(context.words, at)
    if found is None or found.prefix != "ال" or head.number != "singular":
        return None
    return found if lexicon.fixed_gender("elatives", found.word) == head.gender else None


def _attribute_parse(
    context: Context, at: int, head: Referent, *, definite: bool
) -> NounParse | None:
    """The reading of a word as an adjective of the head, if it has one."""
    if context.words.verbs(at):
        return None
    return next(
        (one for one in context.words.nouns(at) if _describes(one, head, definite=definite)), None
    )


def _describes(parse: NounParse, head: Referent, *, definite: bool) -> bool:
    """Whether a reading agrees with the head and can be its adjective."""
    if parse.prefix.letters != ("ال" if definite else "") or parse.suffix:
        return False
    if parse.form.number != head.number or head.gender not in {None, parse.form.gender}:
        return False
    return _can_describe(parse, head) or (parse.lemma.person and definite and head.who is not None)


def _can_describe(parse: NounParse, head: Referent) -> bool:
    """Whether a word can be an adjective of the head; of a person, also by its shape."""
    lemma = parse.lemma
    if head.who is None:
        # الهاتف المقلد, هاتفًا مقلدًا
        return lemma.adjective or (
            (parse.prefix.article or parse.form.nunated) and lemma.can_describe
        )
    if lemma.known:
        return lemma.can_describe
    nisba = parse.prefix.article and lemma.masculine.endswith("ي")
    return nisba or inflection.is_adjective_shape(lemma.masculine)


def _read_relative_clause(
    context: Context, at: int, head: Referent, *, definite: bool, person: bool = False
) -> int:
    """Read the relative pronoun of a head, if any, and open the relative clause."""
    words = context.words
    function = words.function(at)
    if function is not None and function.kind == "relatives":
        if lexicon.fixed_gender("relatives", function.base) != head.gender:
            return at
        context.add(at, head, FixedTarget.of(function, "relatives"), "relative pronoun")
        open_relative_clause(context, head)
        if words.is_preposition(at + 1):  # البائع الذي في المحل مهذب
            context.clause.open_verbless_clause(head)
        return at + 1
    if not definite and _opens_bare_relative(context, at, head, person=person):
        open_relative_clause(context, head)
    return at


def _opens_bare_relative(context: Context, at: int, head: Referent, *, person: bool) -> bool:
    """Whether an asyndetic relative clause of an indefinite head begins: خياط لا يعرف."""
    function = context.words.function(at)
    if function is not None and function.kind == "prepositions":
        return _says_what_head_possesses(context, at, function, head)
    index = at
    if function is not None and function.kind == "negations":
        index += 1
    if head.who is None and index == at:
        return False
    subject = context.clause.subject
    if context.clause.rule == "role" and subject is not None and subject.gender == "masculine":
        return False  # كوني معلمة يجعلني
    first = [parse.cell for parse in context.words.verbs(index) if parse.cell.person == 1]
    if first and (not person or any(cell.tense == "imperfect" for cell in first)):
        return False  # مهندس أعمل
    start, _ = context.words.line.sentence(at)
    if first and context.words.line[start] in _WHEN:  # عندما صرت أمًا فهمت
        return False
    return any(
        parse.cell.person == 3
        and parse.cell.gender == head.gender
        and parse.cell.number == head.number
        and not parse.prefix
        for parse in context.words.verbs(index)
    )


def _says_what_head_possesses(
    context: Context, at: int, function: FunctionParse, head: Referent
) -> bool:
    """Whether a preposition with a resumptive pronoun begins the clause: عمال لهم حق."""
    if function.suffix:
        suffix = function.suffix
        same = suffix.gender == head.gender and suffix.number == head.number
        return same and function.base == "ل" and context.words.is_nominal(at + 1)
    letters = context.words.line.letters(at + 1)
    ending = {"masculine": "ه", "feminine": "ها"}.get(head.gender or "", "")
    thing = analyse_thing(letters)
    has = thing is not None and thing.suffixed and bool(ending) and letters.endswith(ending)
    after = context.words.line.letters(at + 2)
    possessed = context.words.is_nominal(at + 2) and not after.startswith(("ال", "و"))
    return has and head.number == "singular" and possessed  # not تأثير على استقراره النفسي


def open_relative_clause(context: Context, head: Referent) -> None:
    """Begin a relative clause, in which the third person is the head."""
    clause = context.clause
    clause.end_clause()
    clause.third = clause.subject = head
    clause.verbal = True
