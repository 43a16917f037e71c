"""Whether a noun or an adjective is the predicate, role or state that the clause expects, and whom
a predicate without a subject describes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.arabic import inflection, nouns
from epicene.rewriting.arabic.analysis import analyse_thing, analyse_verb, is_listed_thing
from epicene.rewriting.arabic.lexicon import function_words
from epicene.rewriting.arabic.spelling import TANWIN_FATH, fold_letters

if TYPE_CHECKING:
    from epicene.rewriting.arabic.analysis import NounParse
    from epicene.rewriting.arabic.context import Context, Referent
    from epicene.rewriting.arabic.disambiguation import PassageAnalysis


_SORRY = frozenset("اسف اسفة متاسف متاسفة".split())


def is_expected_predicate(context: Context, at: int) -> bool:
    """Whether the word is the predicate, role or state that the clause expects."""
    clause = context.clause
    if clause.expects is None or clause.controller is None:
        return False
    if context.words.possesses(at):
        return clause.expects == "predicate" and not clause.found
    if nouns.read_numeral(context.words, at) is not None:
        return clause.expects == "predicate" and not clause.found
    if nouns.elative_target(context.words, at) is not None:
        return clause.expects == "predicate" and clause.controller.number == "singular"
    if analyse_thing(context.words.line.letters(at)) is not None:
        return False
    parse = nouns.choose_noun(context.words, at, clause.controller)
    if parse is None or not _preposition_fits(context, parse) or _is_measure(context, at, parse):
        return False
    if _is_called(context, at, parse) or _describes_object(context, at, parse):
        return False
    if not parse.lemma.known and analyse_verb(context.words.line.letters(at)):
        return False  # اريد for أريد
    if parse.lemma.masculine in {"آسف", "متأسف"} and context.words.line.after_mark(at):
        return False
    if parse.definite:
        return _definite_fits(context, at, parse)
    if clause.expects == "predicate":
        return parse.lemma.known or _guess_fits(context, at, parse)
    return _is_accusative(context, at, parse) and _circumstance_fits(context, at, parse)


def _is_called(context: Context, at: int, parse: NounParse) -> bool:
    """Whether somebody is addressed: أخدمك سيدتي, أنا هنا، سيدي, but also لست أنت سيدي."""
    clause = context.clause
    addressed = clause.controller is not None and clause.controller.who == "listener"
    said = clause.expects == "predicate" and addressed and not context.words.line.after_mark(at)
    return parse.lemma.masculine == "سيدي" and not said


def _describes_object(context: Context, at: int, parse: NounParse) -> bool:
    """Whether an accusative is said of an object: الثمن كاملًا, حاملة أكياسًا كثيرة."""
    words = context.words
    state = context.clause.expects == "state" and not parse.prefix.preposition
    if state and parse.lemma.masculine == "كامل" and nouns.is_bound(words, at, parse):
        return True  # أتحمل كامل المسؤولية, but أنا كامل الأهلية
    if state and parse.lemma.masculine == "واحد":  # أعطيك واحدة
        return True
    whole = parse.form.nunated and parse.lemma.masculine == "كامل"
    if whole and nouns.is_definite(words, at - 1):
        return True
    again = context.clause.found and not parse.prefix.letters
    return again and _is_unlisted_object(context, at - 1)


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
    places = {verb.verb.perfect for verb in context.words.verbs(at - 2)}
    if nouns.is_definite(context.words, at - 1) and places & {"زار", "غادر", "ترك", "سكن"}:
        return True  # زرت المدينة سائحًا
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
    if form.gender == "feminine" and not parse.lemma.person and is_listed_thing(parse.stem):
        return bool(context.words.verbs(at - 1))  # أعد قائمة
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
    if preposition == "ك" or (preposition == "ب" and context.clause.rule == "name"):
        return parse.lemma.known
    return preposition == "ب" and context.clause.rule == "predicate of ليس" and parse.lemma.known


def _definite_fits(context: Context, at: int, parse: NounParse) -> bool:
    """Whether a definite noun is the predicate: أنا المحاسب, أنا صاحبه."""
    clause = context.clause
    if parse.prefix.preposition == "ك" or (parse.prefix.preposition and clause.rule == "name"):
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
    if parse.prefix.preposition or context.clause.next_case == "genitive":
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
    sorry = words.line[at] in _SORRY
    between_us = sorry and words.evidence.third_gender is None  # لا أصدق هذا آسف
    if not (words.line.after_mark(at) or between_us) or (
        context.clause.subject is not None and context.clause.verbal and not sorry
    ):
        return None
    for parse in words.known_nouns(at):
        key = fold_letters(parse.lemma.masculine)
        asked = words.evidence.asks(at) and key in function_words()["asked"]
        listed = asked or key in function_words()["subjectless"]
        if listed and not parse.definite and parse.prefix.letters in {"", "و", "ف"}:
            noun_follows = bool(words.known_nouns(at + 1) and words.line.letters(at + 1))
            if not is_apology_to(words, at) and (noun_follows or nouns.is_bound(words, at, parse)):
                return None
            later = words.line[at + 1] in {"،", ","} or "هل" in _rest(words, at)
            asks = words.evidence.asks(at) and not (sorry or later)  # آسف، هل تسمعني؟
            return context.person(2 if asks else 1, parse.form.number)
    return None


def _rest(words: PassageAnalysis, at: int) -> set[str]:
    """The words after one in its sentence."""
    _, end = words.line.sentence(at)
    return {words.line[index] for index in range(at + 1, end)}


def is_apology_to(words: PassageAnalysis, at: int) -> bool:
    """Whether somebody is sorry, and then names who is addressed: آسف سيدي, not آسف وحزين."""
    named = words.is_nominal(at + 1) and not words.line.letters(at + 1).startswith("و")
    return words.line[at] in _SORRY and named


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
