"""The subject that follows a verb: a person, or a thing that nothing else agrees with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.arabic import lexicon, nouns
from epicene.rewriting.arabic.analysis import analyse_thing
from epicene.rewriting.arabic.lexicon import things, verb_list
from epicene.rewriting.arabic.spelling import fold_letters

if TYPE_CHECKING:
    from epicene.rewriting.arabic.analysis import NounParse, VerbParse
    from epicene.rewriting.arabic.context import Context
    from epicene.rewriting.arabic.disambiguation import PassageAnalysis
    from epicene.rewriting.persons import Gender

_QUANTIFIERS = frozenset("بعض كل معظم".split())


def next_noun(words: PassageAnalysis, at: int) -> int:
    """The first noun after a verb, past adverbs and prepositions with a pronoun; -1 if none."""
    for index in range(at + 1, at + 5):
        function = words.function(index)
        if function is not None and function.base in _QUANTIFIERS and not function.prefix:
            continue
        if function is None:
            letters = words.line.letters(index)
            joined = letters.startswith(("وال", "فال", "بال", "كال", "لل")) or letters == "ذات"
            return index if words.is_nominal(index) and not joined else -1
        if not (
            function.kind == "adverbs" or (function.kind == "prepositions" and function.suffix)
        ):
            return -1
    return -1


def explicit_subject(context: Context, at: int, parse: VerbParse) -> int:
    """The index of the subject after a third-person verb, -1 if none follows."""
    words = context.words
    index = next_noun(words, at)
    gender = parse.cell.gender
    if index < 0:
        return _demonstrative_subject(words, at + 1, parse)
    if nouns.has_preposition(words, index) or _is_begun(words, index, parse):
        return -1
    if (named := words.name_gender(index)) is not None:
        return index if named == gender else -1
    letters = words.line.letters(index)
    if letters == "الله":
        return index if gender == "masculine" else -1
    if letters == "أحدا":  # لا يحب أحدًا
        return -1
    if lexicon.is_anybody(letters) and not nouns.is_one_of_many(words, index):
        return index if gender == "masculine" else -1
    member = lexicon.group_member(letters)
    if member is not None:
        return index if lexicon.fixed_gender("members", member[1]) == gender else -1
    if lexicon.fixed_gender("numerals", letters) is not None:
        people = nouns.noun_referent(context, index).who is not None
        return index if people and lexicon.fixed_gender("numerals", letters) == gender else -1
    known = [one for one in words.known_nouns(index) if not one.prefix.preposition]
    if known and analyse_thing(letters) is None:
        return index if _can_be_subject(words, index, known[0], parse) else -1
    return _thing_as_subject(context, at, index, parse)


def acting_thing(context: Context, at: int, parse: VerbParse) -> int:
    """The index of a thing after a verb of which nobody before can be the subject, else -1.

    It is the object if the verb says what people do: فتح الباب, but ظهر الباب.
    """
    words, gender, index = context.words, parse.cell.gender, at + 1
    if nouns.has_preposition(words, index) or nouns.is_nunated(words, index):
        return -1
    if parse.suffix is not None:  # تخطفه شركة, but سلمه الرسالة
        gives = parse.verb.perfect in verb_list("ditransitive")
        done = words.is_nominal(index) and _noun_gender(words, index) == gender
        return index if done and words.is_thing(index) and not gives else -1
    if parse.verb.perfect in verb_list("acts"):
        return -1
    thing = words.is_thing(index) or words.line.letters(index).startswith("ال")
    thing = thing and words.is_nominal(index) and not words.known_nouns(index)
    return index if thing and _noun_gender(words, index) == gender else -1


def _thing_as_subject(context: Context, at: int, index: int, parse: VerbParse) -> int:
    """The index of a thing or a name after a verb if that is its subject, else -1."""
    words = context.words
    if _noun_gender(words, index) != parse.cell.gender or nouns.is_nunated(words, index):
        return -1
    copular = parse.verb.perfect in verb_list("copular")
    definite = nouns.is_definite(words, index) or nouns.is_definite(words, index + 1)
    if copular and not (definite or _is_nominative(words, index)):
        return -1
    stem = fold_letters(words.line.letters(index).removeprefix("ال"))
    organisation = stem in things().organisations and index == at + 1
    organisation = organisation and context.clause.third is None
    if (
        parse.verb.perfect in verb_list("intransitive")
        or (organisation and (definite or parse.verb.perfect not in verb_list("acts")))
        or (definite and words.is_passive(at))
        or (definite and _is_passive(parse) and words.opens_clause(at))
        or _is_habit(context, at, index, parse)
        or (
            parse.cell.tense == "perfect"
            and words.opens_clause(at)
            and stem in things().plural
            and _has_object(words, index)
        )
    ):
        return index
    return index if _is_resumed_by_pronoun(context, at, index) else -1


def _is_begun(words: PassageAnalysis, at: int, parse: VerbParse) -> bool:
    """Whether somebody begins what is theirs: بدأ مسيرته, بدأت رحلتها."""
    ending = "ها" if parse.cell.gender == "feminine" else "ه"
    return parse.verb.perfect == "بدأ" and words.line.letters(at).endswith(ending)


def _demonstrative_subject(words: PassageAnalysis, at: int, parse: VerbParse) -> int:
    """The index of a demonstrative that begins the subject, -1 if none does: سقط هذا الجدار."""
    function = words.function(at)
    if function is None or function.kind != "demonstratives" or function.prefix:
        return -1
    same = lexicon.fixed_gender("demonstratives", function.base) == parse.cell.gender
    subject = same and nouns.is_definite(words, at + 1)
    done = parse.verb.perfect in verb_list("intransitive") or _is_passive(parse)
    return at if subject and done else -1


def _has_object(words: PassageAnalysis, at: int) -> bool:
    """Whether an object follows what may be the subject: غطت الثلوج قمم الجبال."""
    definite = words.line.letters(at).startswith("ال")
    after = words.line.letters(at + 1)
    plain = not after.startswith("ال") and not nouns.has_preposition(words, at + 1)
    return definite and plain and words.is_nominal(at + 1)


def _is_habit(context: Context, at: int, index: int, parse: VerbParse) -> bool:
    """Whether a sentence begins with what a thing does: تشرق الشمس, يعرض الموقع."""
    words = context.words
    start, _ = words.line.sentence(at)
    if parse.cell.tense != "imperfect" or at != start or index != at + 1 or parse.suffix:
        return False
    nobody = words.evidence.third_gender != parse.cell.gender and not any(context.sites)
    return nobody and words.is_thing(index) and nouns.is_definite(words, index)


def _is_passive(parse: VerbParse) -> bool:
    """Whether the verb is rather passive: تعتبر هذه الجزيرة, تستخدم المادة."""
    return parse.cell.tense == "imperfect" and parse.verb.perfect in {"اعتبر", "عد", "استخدم"}


def _noun_gender(words: PassageAnalysis, at: int) -> Gender | None:
    """The gender of a noun; an unlisted word with the article is masculine: كان الظهور الأول."""
    letters = words.line.letters(at)
    definite = letters.startswith("ال") or (
        letters.endswith("ك") and not letters.endswith("تك") and len(letters) > 4
    )
    return nouns.noun_gender(words, at) or ("masculine" if definite else None)


def _is_nominative(words: PassageAnalysis, at: int) -> bool:
    """Whether a thing is nominative, as its accusative would end in an alif: كان كتاب الطفل."""
    letters = words.line.letters(at)
    thing = analyse_thing(letters)
    shows = thing is not None and thing.gender == "masculine" and not thing.prefix
    return shows and not letters.endswith(("ة", "اء", "ى", "ا"))


def _is_resumed_by_pronoun(context: Context, at: int, index: int) -> bool:
    """Whether a pronoun between verb and noun resumes the relative's head: الذي كتبت عنه الصحف."""
    third = context.clause.third
    if third is None or index == at + 1 or not nouns.is_definite(context.words, index):
        return False
    function = context.words.function(index - 1)
    suffix = function.suffix if function is not None else None
    return suffix is not None and suffix.person == 3 and suffix.gender == third.gender


def _can_be_subject(words: PassageAnalysis, at: int, noun: NounParse, parse: VerbParse) -> bool:
    """Whether a person after the verb can be its subject."""
    form = noun.form
    if form.gender != parse.cell.gender and form.number != "plural":
        return False
    if form.nunated or "nominative" not in form.cases or noun.prefix.letters[:1] in {"و", "ف"}:
        return False
    if noun.definite or nouns.is_bound(words, at, noun):
        return True
    if parse.verb.perfect in verb_list("role_verbs") and noun.lemma.names_men:
        return not noun.lemma.adjective  # دخلت امرأة
    if parse.verb.perfect in verb_list("copular") | verb_list("role_verbs"):
        return False
    return noun.lemma.person
