"""Whether a noun or an adjective is what the clause waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import guessing, nouns, numerals
from epicene.languages.rewriting.arabic.letters import folded
from epicene.languages.rewriting.arabic.lexicon import function_words
from epicene.languages.rewriting.arabic.noun_parsing import thing_of
from epicene.languages.rewriting.arabic.verb_parsing import verb_parses

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.noun_parsing import NounParse
    from epicene.languages.rewriting.arabic.scope import Referent
    from epicene.languages.rewriting.arabic.state import Walk


def is_expected(walk: Walk, at: int) -> bool:
    """Whether the word is what is expected."""
    scope = walk.scope
    if scope.expects is None or scope.target is None:
        return False
    if numerals.counted(walk.reading, at) is not None:
        return scope.expects == "predicate" and not scope.found
    if nouns.elative(walk.reading, at) is not None:
        return scope.expects == "predicate" and scope.target.number == "singular"
    if thing_of(walk.reading.line[at].letters) is not None:
        return False
    parse = nouns.choose(walk.reading, at, scope.target)
    if parse is None or not _preposition_fits(walk, parse) or _is_measure(walk, at, parse):
        return False
    if not parse.lemma.known and verb_parses(walk.reading.line[at].letters):
        return False  # اريد for أريد
    if parse.definite:
        return _definite_fits(walk, at, parse)
    if scope.expects == "predicate":
        return parse.lemma.known or _guess_fits(walk, at, parse)
    return _is_accusative(walk, at, parse) and _circumstance_fits(walk, at, parse)


def _is_measure(walk: Walk, at: int, parse: NounParse) -> bool:
    """أقل غرورًا: in what, after an elative."""
    before = walk.reading.function(at - 1)
    if before is None or before.sort != "transparent":
        return False
    if before.base in {"اكثر", "اقل", "اشد"}:
        return True
    return parse.form.nunated and before.base not in {"غير", "سوي", "مجرد", "شبه", "الا"}


def _circumstance_fits(walk: Walk, at: int, parse: NounParse) -> bool:
    lemma = parse.lemma
    if _belongs_to_object(walk, at, parse):
        return False
    if not lemma.known:
        shaped = guessing.is_adjective_shape(lemma.masculine)
        role = shaped and walk.scope.expects == "role"
        active = len(lemma.masculine) == 4 and lemma.masculine[1] == "ا"
        if active and nouns.is_bound(walk.reading, at, parse):  # خائب الأمل
            return True
        return role or guessing.is_participle(lemma.masculine)
    if lemma.adjective or walk.scope.expects == "role" or parse.prefix.preposition == "ك":
        return True
    if walk.reading.line[at - 1].key.startswith(("عملي", "عملك", "عمله")):  # بحكم عملي طبيبًا
        return True
    return parse.form.number == "plural" and not walk.reading.verbs(at - 1)


def _belongs_to_object(walk: Walk, at: int, parse: NounParse) -> bool:
    """وقتًا ممتعًا, عسكريًا, حاولت مخالفة: an attribute, an adverb, or what the verb is about."""
    form, word = parse.form, parse.lemma.masculine
    if form.nunated and not parse.prefix.letters and _is_object(walk, at - 1):
        return True
    if form.nunated and word == "فرح":  # بكيت فرحًا: for joy
        return True
    if walk.scope.expects != "state":
        return False
    if form.nunated and parse.lemma.ending == "regular" and word.endswith("ي"):
        return not parse.lemma.person
    noun = len(word) == 5 and word[0] == "م" and word[2] == "ا"
    feminine = form.gender == "feminine" and form.number == "singular"
    return noun and feminine and bool(walk.reading.verbs(at - 1))


def _is_object(walk: Walk, at: int) -> bool:
    """Whether a masculine thing in the accusative stands there, which an adjective may go with."""
    word = walk.reading.line[at]
    if word.key == "يوما":
        return True
    thing = thing_of(word.letters)
    masculine = thing is not None and thing.gender == "masculine" and not thing.suffixed
    return masculine and nouns.is_nunated(walk.reading, at)


def _preposition_fits(walk: Walk, parse: NounParse) -> bool:
    """كطفل ضائع, لست بقادر: but not له, not بطبيب."""
    preposition = parse.prefix.preposition
    if not preposition:
        return True
    if preposition == "ك":
        return parse.lemma.known
    return preposition == "ب" and walk.scope.rule == "predicate of ليس" and parse.lemma.known


def _definite_fits(walk: Walk, at: int, parse: NounParse) -> bool:
    """أنا المحاسب, أنا صاحبه: somebody who is known, not somebody else."""
    scope = walk.scope
    if parse.prefix.preposition == "ك":
        return True
    if scope.expects != "predicate":
        return False
    if scope.found:
        joined = parse.prefix.letters == "و" and parse.suffix is not None
        joined = joined or (parse.prefix.letters == "وال" and parse.lemma.adjective)
        if not scope.found_definite or not (joined or walk.reading.line.begins(at)):
            return False
    if scope.target is not None and scope.target.who in {"others", None} and scope.verbal:
        return False
    before = walk.reading.function(at - 1)
    dated = before is not None and before.sort == "adverbs" and before.written.startswith("ال")
    if dated and parse.prefix.article and not parse.lemma.person:
        return False  # الليلة الماضية
    if parse.lemma.known:
        return True
    named = guessing.is_adjective_shape(parse.lemma.masculine) and _is_next(walk, at)
    return parse.prefix.article and (guessing.is_participle(parse.stem) or named)


def _guess_fits(walk: Walk, at: int, parse: NounParse) -> bool:
    """A word of no list: right after the subject, or built as only participles are."""
    verb = any(verb.exact for verb in walk.reading.verbs(at))
    if verb or (walk.scope.target and walk.scope.target.who == "others"):
        return False
    if guessing.is_participle(parse.lemma.masculine):
        return True
    shaped = guessing.is_adjective_shape(parse.lemma.masculine)
    ends = parse.form.gender == "feminine" or parse.form.nunated or shaped
    return not walk.scope.found and ends and _is_next(walk, at)


def _is_next(walk: Walk, at: int) -> bool:
    """Whether the word follows its subject or its copula at once, or after an adverb."""
    function = walk.reading.function(at - 1)
    return function is not None or bool(walk.reading.verbs(at - 1))


def _is_accusative(walk: Walk, at: int, parse: NounParse) -> bool:
    form = parse.form
    if parse.prefix.preposition == "ك" or walk.scope.next_case == "genitive":
        return True
    if "accusative" not in form.cases:
        return False
    if form.nunated or form.gender == "feminine" or form.number != "singular":
        return True
    if parse.lemma.ending in {"diptote", "maqsura"} or parse.lemma.is_invariable:
        return True
    return nouns.is_bound(walk.reading, at, parse)


def inverted(walk: Walk, at: int) -> Referent | None:
    """أمتأخر أنا؟: the person right after the word that is said of them."""
    reading = walk.reading
    after = reading.function(at + 1)
    if after is not None and after.base == "من":
        after = reading.function(at + 2)
    if after is None or after.prefix or after.sort not in {"I", "we", "you"}:
        return None
    known = reading.known_nouns(at)
    if not known or known[0].definite:
        return None
    asked = known[0].prefix.letters == "أ"
    if not (asked or reading.line.begins(at) or reading.function(at - 1)):
        return None
    return walk.person(2 if after.sort == "you" else 1, known[0].form.number)


def subjectless(walk: Walk, at: int) -> Referent | None:
    """آسف جدا, سعيد بلقائك: of the speaker, or in a question of the listener."""
    reading = walk.reading
    if not reading.line.begins(at) or (walk.scope.subject is not None and walk.scope.verbal):
        return None
    for parse in reading.known_nouns(at):
        listed = folded(parse.lemma.masculine) in function_words()["subjectless"]
        if listed and not parse.definite and parse.prefix.letters in {"", "و", "ف"}:
            after = reading.line[at + 1]
            if nouns.is_bound(reading, at, parse) or (
                reading.known_nouns(at + 1) and after.letters
            ):
                return None
            return walk.person(2 if reading.evidence.asks(at) else 1, parse.form.number)
    return None


def likened(walk: Walk, at: int) -> Referent | None:
    """احترامي كامرأة: like whom somebody is treated who was named by a pronoun before."""
    known = walk.reading.known_nouns(at)
    if not known or known[0].prefix.preposition != "ك" or not known[0].lemma.person:
        return None
    if known[0].suffix is not None or known[0].form.number != "singular":
        return None
    for place in range(at - 1, max(at - 4, -1), -1):
        letters = walk.reading.line[place].letters
        thing = thing_of(letters)
        if letters.endswith("ني") or (thing and thing.suffixed and letters.endswith("ي")):
            return walk.person(1, known[0].form.number)
        if letters.endswith(("ه", "ها")) and walk.reading.function(place) is None:
            return walk.person(3, "singular", known[0].form.gender)
    return None
