"""Personal, demonstrative and relative pronouns, and members of groups (أحدنا, أول الواصلين): their
referents, and the clauses they open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epicene.rewriting.arabic import lexicon, nouns, phrases
from epicene.rewriting.arabic.analysis import analyse_thing
from epicene.rewriting.arabic.clauses import read_third_person_suffix, suffix_referent
from epicene.rewriting.arabic.context import Referent
from epicene.rewriting.arabic.sites import FixedTarget, NounTarget, Site

if TYPE_CHECKING:
    from epicene.rewriting.arabic.analysis import FunctionParse, NounParse
    from epicene.rewriting.arabic.conjugation import Number
    from epicene.rewriting.arabic.context import Context
    from epicene.rewriting.arabic.disambiguation import PassageAnalysis
    from epicene.rewriting.arabic.inflection import Case
    from epicene.rewriting.arabic.spelling import Suffix
    from epicene.rewriting.persons import Gender, Person

_PRONOUN_NUMBERS: dict[str, Number] = {
    "we": "plural",
    "you all": "plural",
    "you two": "dual",
    "they": "plural",
    "they two": "dual",
}
_MYSELF = frozenset({"نفسي", "ذاتي"})
_I_MEAN = frozenset({"اعني", "واعني", "اقصد", "واقصد"})


def read_first_or_second(context: Context, at: int, function: FunctionParse) -> int:
    """Read a pronoun of the first or second person: أنا, نحن, أنت."""
    clause = context.clause
    person = 1 if function.kind in {"I", "we"} else 2
    referent = context.person(person, _PRONOUN_NUMBERS.get(function.kind, "singular"))
    if function.base == "انتي":
        context.add(at, referent, FixedTarget.of(function, "you"), "pronoun")
    elif person == 2 and function.kind != "you":
        context.add(at, referent, FixedTarget.of(function, "pronouns"), "pronoun")
    if function.kind == "you":
        context.add_vowel(at)
    if context.topic is not None:
        return at + 1
    clause.third = None
    if clause.subject != referent or function.prefix or not _follows_own_verb(context, at):
        clause.open_verbless_clause(referent)
    if function.kind == "we":
        return _read_specification(context, at + 1, referent)
    return _read_companion(context, at + 1) if function.kind == "I" else at + 1


def _follows_own_verb(context: Context, at: int) -> bool:
    """Whether the pronoun only emphasises the subject of the verb before it: كنت أنا, عدت أنا."""
    parses = context.words.verbs(at - 1)
    copular = context.clause.expects == "predicate" and not context.clause.found
    return any(parse.cell.tense == "perfect" for parse in parses) or (bool(parses) and copular)


def _read_specification(context: Context, at: int, referent: Referent) -> int:
    """Read the accusative of specification after نحن: نحن المعلمين نعرف."""
    words, clause = context.words, context.clause
    parse = nouns.choose_noun(words, at, referent)
    if parse is None or not parse.lemma.known:
        return at
    bound = nouns.is_bound(words, at, parse)
    possessed = bound and (nouns.is_definite(words, at + 1) or words.function(at + 1))
    if not parse.prefix.article and not possessed:
        return at
    expected = replace(clause)
    end = phrases.read_phrase(context, at, referent, "accusative", "apposition", "likely")
    if words.line.ends_sentence(end) or end >= len(words.line):
        for index in range(at, end):
            context.sites.drop(index)
        return at
    if clause.third is None:
        clause.restore(expected)
    return end


def _read_companion(context: Context, at: int) -> int:
    """Read a noun conjoined with أنا; the subject becomes dual or plural: أنا وزميلتي."""
    parse = _companion_parse(context, at)
    if parse is None:
        return at
    bound = nouns.is_bound(context.words, at, parse)
    number: Number = "dual" if parse.form.number == "singular" else "plural"
    several = parse.form.number == "plural"
    if parse.form.gender == "masculine" and not several:
        context.mixed = True
    referent = context.person(1, number)
    if several and referent.who is not None:
        context.many = referent
        noun = NounTarget(parse, "nominative", bound)
        context.of_many.append(Site(at, referent.who, noun, "companions", "guess"))
    context.clause.subject = context.clause.controller = referent
    return nouns.skip_noun(context.words, at + 1) if bound else at + 1


def _companion_parse(context: Context, at: int) -> NounParse | None:
    words = context.words
    if not words.line.letters(at).startswith("و") or words.function(at):
        return None
    for parse in words.known_nouns(at):
        if not parse.prefix.letters.startswith("و") or not parse.lemma.person:
            continue
        if parse.definite or nouns.is_bound(words, at, parse):
            return parse
    return None


def read_third(context: Context, at: int, function: FunctionParse) -> int:
    """Read a pronoun of the third person: هو, هي."""
    clause = context.clause
    if context.words.key(at + 1) == "ما" and function.prefix == "و":  # وهو ما حدث
        return at + 1
    gender = lexicon.fixed_gender("pronouns", function.written)
    known = clause.third or clause.subject
    if context.topic is not None:
        referent = context.topic
    elif context.words.line[at + 1].startswith("نفسه") and any(context.sites):  # وهي نفسها طبيبة
        referent = context.person(3, "singular", gender)
    elif _means_thing(context, at, gender):
        referent = Referent(None, "singular", gender)
    elif known is not None and known.gender == gender:
        referent = known
    else:
        number = _PRONOUN_NUMBERS.get(function.kind, "singular")
        referent = context.third_person(number, gender)
    context.add(at, referent, FixedTarget.of(function, "pronouns"), "pronoun", "likely")
    relative = clause.third
    clause.suspend_clause()
    clause.open_verbless_clause(referent)
    clause.third = relative
    return at + 1


def _means_thing(context: Context, at: int, gender: Gender | None) -> bool:
    """Whether the predicate shows that the pronoun means a thing: وهي شركة كبيرة."""
    words = context.words
    if words.function(at + 1) is not None:
        return False
    thing = analyse_thing(words.line.letters(at + 1))
    if thing is None:  # وهي مدرسة عريقة, but هي مدرسة ماهرة
        known = words.known_nouns(at + 1)
        joined = words.line.letters(at).startswith("و")
        return joined and bool(known) and nouns.is_rather_thing(known[0])
    return not thing.prefix.strip("ال") and not thing.suffixed and thing.gender == gender


def read_suffixed_subject(context: Context, at: int, suffix: Suffix) -> int:
    """Read the subject suffixed to a particle: إنني, لكنك, أنها."""
    referent = suffix_referent(context, suffix)
    if suffix.letters == "ه" and _is_about_nobody(context.words, at + 1):
        referent = Referent(None, "singular", "masculine")
    elif suffix.person == 3:
        read_third_person_suffix(context, at)
    else:
        context.clause.third = None
        if suffix.gender is not None:
            context.add(at, referent, suffix, "subject pronoun")
        elif suffix.person == 2:
            context.add_vowel(at)
    context.clause.open_verbless_clause(referent)
    return at + 1


def _is_about_nobody(words: PassageAnalysis, at: int) -> bool:
    """Whether a pronoun stands for what follows: إنه لا داعي للقلق, لأنه لا بد من, أنه من المهم."""
    if words.key(at) == "لا":
        return words.line[at + 1] in {"داعي", "بد", "شك", "باس", "يوجد", "توجد", "يمكن", "يجب"}
    return words.line[at] in {"يجب", "يمكن", "لابد", "يوجد", "ينبغي"} and not words.line[
        at + 1
    ].endswith("ه")


def read_demonstrative(context: Context, at: int, function: FunctionParse) -> int:
    """Read a demonstrative: هذا أنا, هذا الغريب, ها أنا ذا."""
    words, clause = context.words, context.clause
    target = FixedTarget.of(function, "demonstratives")
    after = words.function(at + 1)
    points = after is not None and after.kind in {"I", "we"} and not after.prefix
    points = points and function.base not in {"ذا", "ذي"}
    if points or (words.key(at + 1) == "كنت" and words.key(at + 2) == "انا"):
        context.add(at, context.person(1), target, "demonstrative")
        return at + 1
    if function.base in {"ذا", "ذي"}:
        before = words.function(at - 1)
        if before is not None and before.kind in {"I", "we"} and clause.subject is not None:
            context.add(at, clause.subject, target, "demonstrative")
            case: Case = "nominative" if words.known_nouns(at + 1) else "accusative"
            clause.expect(clause.subject, "predicate", case, "state")
        return at + 1
    if context.topic is not None and clause.subject is None and after is not None:
        context.add(at, context.topic, target, "demonstrative")
        return at + 1
    if after is not None or not nouns.is_definite(words, at + 1):
        if words.verbs(at + 1) and clause.third is None:  # وهذا سمح له
            gender = lexicon.fixed_gender("demonstratives", function.base)
            clause.subject = Referent(None, "singular", gender)
        return at + 1
    controller = clause.controller_awaiting_predicate
    others_act = clause.verbal and controller is not None and controller.who == "others"
    if controller is not None and not others_act and words.known_nouns(at + 1):
        end = phrases.read_phrase(context, at, controller, clause.take_case(), clause.rule)
        clause.found = True
        return end
    referent = nouns.noun_referent(context, at + 1)
    if referent.who is None and referent.gender is None:
        gender = lexicon.fixed_gender("demonstratives", function.base)
        referent = referent._replace(gender=gender)
    if context.topic is not None and clause.subject is None:
        referent = context.topic
    opens = clause.subject is None or context.words.line.after_mark(at) or function.prefix == "و"
    end = phrases.read_phrase(context, at, referent, "nominative", "noun", "likely")
    if opens and clause.third is None:
        clause.open_verbless_clause(referent)
        context.opened_at = at + 1
        context.note_subject(at + 1, referent)
    return end


def read_relative(context: Context, at: int, function: FunctionParse) -> int:
    """Read a relative pronoun without an antecedent: أنا الذي, الذي … هو أنا."""
    clause = context.clause
    gender = lexicon.fixed_gender("relatives", function.base)
    plural = function.base in {"الذين", "اللواتي", "اللاتي", "اللائي"}
    starts = context.topic is not None and clause.subject is None
    meant = context.topic if starts else clause.controller_awaiting_predicate
    who = meant.who if meant is not None else None
    if meant is None and not plural:
        who = _antecedent(context, at, gender)
    head = Referent(who, "plural" if plural else "singular", gender)
    if plural and context.words.is_preposition(at - 1):  # أنا من الذين يعملون
        context.many = head
    context.add(at, head, FixedTarget.of(function, "relatives"), "relative pronoun")
    phrases.open_relative_clause(context, head)
    return at + 1


def _antecedent(context: Context, at: int, gender: Gender | None) -> Person | None:
    """Whom a relative pronoun after a comma means: ابن أختها، الذي قاد الحافلة."""
    words = context.words
    if not words.line.after_mark(at) or words.line.ends_sentence(at - 1):
        return None
    start, _ = words.line.sentence(at)
    for index in range(at - 2, max(start, at - 7) - 1, -1):
        if words.line.is_mark(index) or words.verbs(index):
            return None
        known = words.known_nouns(index)
        person = bool(known) and known[0].lemma.person and not words.is_thing(index)
        if known and known[0].prefix.article and not person:  # زميلتنا الجديدة، التي
            continue
        if person and known[0].form.gender == gender and not nouns.is_rather_thing(known[0]):
            return nouns.noun_referent(context, index).who
        if (
            not person
            and nouns.noun_gender(words, index) in {gender, None}
            and (words.function(index) is None)
        ):
            return None
    return None


def opens_relative_with_who(context: Context, at: int, function: FunctionParse) -> bool:
    """Open the relative clause of من before a verb, if it is one; return whether it is.

    أنا من كتب, آخر من بقي, ممن يعملون.
    """
    clause = context.clause
    again = clause.third is not None and clause.third.who is not None and function.prefix == "و"
    if function.base == "من" and again and context.words.verbs(at + 1):
        return True
    if (
        function.base not in {"من", "ممن"}
        or clause.controller is None
        or clause.expects != "predicate"
    ):
        return False
    before = context.words.key(at - 1)
    known = context.words.line[at + 1] in {"يعلم", "يعرف"}
    if before == "اول" or (before == "اخر" and known):  # أول من قفز is said of anybody
        return False
    index = at + 1
    after = context.words.function(index)
    if after is not None and after.kind == "negations":
        index += 1
    for parse in context.words.verbs(index):
        cell = parse.cell
        if cell.person == 3 and cell.gender is not None:
            head = Referent(clause.controller.who, cell.number, cell.gender)
            if cell.number == "plural":
                context.many = head
            phrases.open_relative_clause(context, head)
            return True
    return False


def speaker_as_topic(context: Context, at: int) -> Referent | None:
    """The speaker, if the sentence identifies its subject with them: هذا الواقف هناك هو أنا."""
    words = context.words
    function = words.function(at)
    if function is not None and function.kind not in {"demonstratives", "relatives"}:
        return None
    after = words.function(at + 1)
    if after is not None and after.kind == "I":
        return None
    if function is None and not nouns.is_definite(words, at):
        return None
    _, end = words.line.sentence(at)
    for index in range(at + 1, end):
        word, following = words.line[index], words.function(index + 1)
        is_me = following is not None and following.kind == "I" and not following.prefix
        if is_me and word in {"هو", "هي", "وهو", "وهي", "اي"}:
            return context.person(1)
        if word in _I_MEAN and words.line[index + 1] in _MYSELF:
            return context.person(1)
    return None


def read_member(context: Context, at: int) -> int:
    """Read a word for a member of a group: أحدنا, كلانا, أحد الناجين."""
    found = lexicon.group_member(context.words.line.letters(at))
    assert found is not None
    referent = nouns.noun_referent(context, at)
    clause = context.clause
    expected = clause.controller_awaiting_predicate
    if expected is not None and referent.who in {"others", None}:
        group = nouns.noun_referent(context, at + 1)
        if found[1] in {"أحد", "إحدى"} and group.number == "plural":
            context.add(at, expected, FixedTarget(found[0], "members", found[1]), "one of a group")
            clause.found = clause.found_definite = True
            group = group._replace(who=expected.who)
            return phrases.read_phrase(context, at + 1, group, "genitive", "one of a group")
        referent = expected if referent.who == "others" else referent
    context.add(
        at, referent, FixedTarget(found[0], "members", found[1]), "one of a group", "likely"
    )
    if at != context.clause.subject_at:
        context.clause.open_verbless_clause(referent)
    if referent.who is not None and nouns.is_one_of_many(context.words, at):
        group = nouns.noun_referent(context, at + 1)._replace(who=referent.who)
        return phrases.read_phrase(context, at + 1, group, "genitive", "one of a group", "likely")
    return at + 1


def read_first_of(context: Context, at: int, function: FunctionParse) -> int:
    """Read the group of which the controller is the first or last; return the index after it.

    أول الواصلين, آخر المغادرات; 0 if there is no such group.
    """
    clause = context.clause
    if function.base not in {"اول", "اولي", "اخر"} or clause.controller is None:
        return 0
    for parse in context.words.known_nouns(at + 1):
        if not parse.prefix.article or parse.form.number != "plural":
            continue
        if function.base != "اخر" and clause.controller.number == "singular":
            first = FixedTarget.of(function, "elatives")
            context.add(at, clause.controller, first, "one of a group", "likely")
        group = Referent(clause.controller.who, "plural", parse.form.gender)
        clause.found = clause.found_definite = True
        return phrases.read_phrase(context, at + 1, group, "genitive", "one of a group", "likely")
    return 0


def member_referent(context: Context, at: int, function: FunctionParse) -> Referent:
    """The referent of a plural noun after من, which may include the subject.

    أنا من المترجمين, كنت واحدًا من المنشدين.
    """
    referent = nouns.noun_referent(context, at)
    clause = context.clause
    if nouns.read_numeral(context.words, at) is not None:
        referent = nouns.noun_referent(context, at + 1)
    if function.base != "من" or clause.expects != "predicate" or clause.controller is None:
        return referent
    one_of = any(context.words.line[index].startswith("واحد") for index in (at - 2, at - 3))
    if referent.number != "plural" or (clause.found and not one_of):
        return referent
    if not one_of and not nouns.is_definite(context.words, at):  # أنا من هواة القراءة
        return Referent(None, "plural", referent.gender)
    if not one_of and not _follows_subject(context, at - 1):  # أذكى من زملائي
        return referent
    clause.found = True
    return Referent(clause.controller.who, "plural", referent.gender)


def _follows_subject(context: Context, at: int) -> bool:
    """Whether a pronoun, a particle with one, or a verb comes right before."""
    before = context.words.function(at - 1)
    if before is None:
        return bool(context.words.verbs(at - 1))
    return before.kind in {"I", "we", "you", "you all", "he", "they"} or before.suffix is not None
