"""Noun phrases: a head, its possessor, its adjectives, and the relative clause it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import fixed
from epicene.languages.rewriting.arabic.findings import Fixed, Noun
from epicene.languages.rewriting.arabic.parsing import thing_of
from epicene.languages.rewriting.arabic.scope import Referent

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.arabic.declension import Case
    from epicene.languages.rewriting.arabic.parsing import NounParse
    from epicene.languages.rewriting.arabic.state import Walk
    from epicene.languages.rewriting.people import Gender


def choose(
    walk: Walk, at: int, referent: Referent | None, case: Case | None = None
) -> NounParse | None:
    """The reading of a noun that fits whom it should agree with, None if there is none."""
    best = None
    for parse in walk.reading.nouns(at):
        if referent is not None and parse.form.number != referent.number:
            continue
        if referent is not None and referent.gender not in {None, parse.form.gender}:
            continue
        if case is not None and case not in parse.form.cases:
            continue
        if parse.form.bound and parse.suffix is None and not _noun_follows(walk, at):
            continue
        best = best or parse
    return best


def _noun_follows(walk: Walk, at: int) -> bool:
    reading = walk.reading
    function = reading.function(at + 1)
    if function is not None:
        return function.sort == "demonstratives"
    return reading.is_nominal(at + 1) and not reading.line[at + 1].letters.startswith("وال")


def is_definite(walk: Walk, at: int) -> bool:
    """Whether a noun has the article, a possessive suffix, or a definite possessor."""
    letters = walk.reading.line[at].letters
    if any(letters.startswith(start) for start in ("ال", "وال", "بال", "كال", "فال", "لل", "ولل")):
        return True
    thing = thing_of(letters)
    if thing is not None:
        return thing.suffixed
    nouns = walk.reading.nouns(at)
    return bool(nouns) and nouns[0].suffix is not None


def is_bound(walk: Walk, at: int, parse: NounParse) -> bool:
    """Whether what follows the noun is its possessor."""
    if parse.definite or parse.form.nunated or parse.form.bound is False:
        return parse.prefix.article and parse.lemma.adjective and _is_articled_noun(walk, at + 1, parse)
    reading = walk.reading
    function = reading.function(at + 1)
    if function is not None:
        return function.sort == "demonstratives" and not function.prefix
    following = reading.line[at + 1]
    if not reading.is_nominal(at + 1) or following.letters[:1] in {"و", "ف"} and not thing_of(following.letters) and reading.known_nouns(at + 1):
        return False
    if not following.letters[:1].isalpha():
        return False
    nouns = reading.nouns(at + 1)
    if nouns and nouns[0].prefix.preposition:
        return False
    if following.letters.startswith("ال") or (nouns and nouns[0].suffix):
        return True
    if following.letters.startswith(("وال", "فال", "بال", "كال", "لل")):
        return False
    if thing_of(following.letters):
        return not _is_nunated(walk, at + 1)
    return _is_indefinite_possessor(walk, at, parse)


def _is_articled_noun(walk: Walk, at: int, parse: NounParse) -> bool:
    """القليل الخبرة: an adjective with the article, and a thing it is limited to."""
    letters = walk.reading.line[at].letters
    return letters.startswith("ال") and bool(thing_of(letters)) and parse.form.number == "singular"


def _is_nunated(walk: Walk, at: int) -> bool:
    return walk.reading.line[at].letters.endswith("ا") and len(walk.reading.line[at].letters) > 3


def _is_indefinite_possessor(walk: Walk, at: int, parse: NounParse) -> bool:
    """مدير فرع, سائق شاحنة: a noun, not an adjective that agrees with the first one."""
    nouns = walk.reading.nouns(at + 1)
    if _is_nunated(walk, at + 1):
        return False
    agreeing = [
        one
        for one in nouns
        if one.form.gender == parse.form.gender
        and one.form.number == parse.form.number
        and not one.prefix.letters
        and (one.lemma.adjective or parse.lemma.adjective)
    ]
    return not agreeing and not any(one.prefix.letters and one.lemma.known for one in nouns)


def phrase(
    walk: Walk,
    at: int,
    referent: Referent | None,
    case: Case,
    rule: str,
    sure: Sureness = "certain",
) -> int:
    """Read a phrase that means the referent from its head on; the place after it."""
    function = walk.reading.function(at)
    if function is not None and function.sort == "demonstratives":
        if is_definite(walk, at + 1) or walk.reading.function(at + 1) is None:
            walk.add(at, referent, Fixed(function.prefix, "demonstratives", function.base), rule, sure)
            return phrase(walk, at + 1, referent, case, rule, sure)
        return at + 1
    numeral = _numeral(walk, at, referent, rule)
    if numeral:
        return phrase(walk, numeral, referent, "genitive", rule, sure) if _counts_noun(walk, numeral) else numeral
    parse = choose(walk, at, referent) or choose(walk, at, None)
    if parse is None or thing_of(walk.reading.line[at].letters):
        return thing_phrase(walk, at)
    if parse.prefix.preposition:
        case = "genitive"
    if not parse.lemma.known and sure == "certain":
        sure = "guess"
    bound = is_bound(walk, at, parse)
    walk.add(at, referent, Noun(parse, case, bound), rule, sure)
    end = at + 1
    definite = parse.definite
    head = parse.form.gender
    other: Gender | None = None
    if bound:
        definite = definite or is_definite(walk, end)
        other = _gender(walk, end)
        end = _skip_noun(walk, end)
    held = Referent(referent.who, parse.form.number, head) if referent else Referent(None, "singular", head)
    end = _attributes(walk, end, held, case, definite=definite, other=other)
    return _clause_after(walk, end, held, definite=definite)


def _numeral(walk: Walk, at: int, referent: Referent | None, rule: str) -> int:
    """The place after a numeral that goes with the people counted, 0 if none stands here."""
    letters = walk.reading.line[at].letters
    for prefix in ("", "و"):
        word = letters.removeprefix(prefix) if prefix else letters
        if letters.startswith(prefix) and fixed.pair("numerals", word) and _counts_noun(walk, at + 1):
            walk.add(at, referent, Fixed(prefix, "numerals", word), rule)
            if fixed.pair("tens", walk.reading.line[at + 1].letters):
                walk.add(at + 1, referent, Fixed("", "tens", walk.reading.line[at + 1].letters), rule)
                return at + 2
            return at + 1
    return 0


def _counts_noun(walk: Walk, at: int) -> bool:
    if fixed.pair("tens", walk.reading.line[at].letters):
        return True
    return any(parse.lemma.known for parse in walk.reading.nouns(at))


def thing_phrase(walk: Walk, at: int) -> int:
    """Skip a phrase about a thing, with what belongs to it."""
    gender = _gender(walk, at)
    walk.last_thing = gender or ""
    definite = is_definite(walk, at)
    letters = walk.reading.line[at].letters
    end = at + 1
    if not definite and not _is_nunated(walk, at) and _possessor_follows(walk, end, letters):
        definite = is_definite(walk, end)
        end = _skip_noun(walk, end)
    held = Referent(None, "singular", gender)
    return _attributes(walk, end, held, "nominative", definite=definite, other=None)


def _possessor_follows(walk: Walk, at: int, letters: str) -> bool:
    reading = walk.reading
    word = reading.line[at]
    if not reading.is_nominal(at) or not word.letters[:1].isalpha():
        return False
    if is_definite(walk, at):
        return not word.letters.startswith(("وال", "بال", "كال", "فال", "لل"))
    nouns = reading.nouns(at)
    return not nouns and not _is_nunated(walk, at) and not letters.endswith("ة")


def _skip_noun(walk: Walk, at: int) -> int:
    """Skip a possessor, and its own."""
    reading = walk.reading
    function = reading.function(at)
    if function is not None:  # a demonstrative
        return _skip_noun(walk, at + 1)
    end = at + 1
    while not is_definite(walk, end - 1) and _possessor_follows(walk, end, reading.line[end - 1].letters):
        end += 1
    return end


def _gender(walk: Walk, at: int) -> Gender | None:
    """The gender of a noun, by the lists or by its ending."""
    word = walk.reading.line[at]
    function = walk.reading.function(at)
    if function is not None:
        return _gender(walk, at + 1) if function.sort == "demonstratives" else None
    thing = thing_of(word.letters)
    if thing:
        return thing.gender
    nouns = walk.reading.nouns(at)
    if nouns and nouns[0].lemma.known:
        return nouns[0].form.gender
    return "feminine" if word.letters.endswith(("ة", "ات", "اء")) else "masculine"


def _attributes(
    walk: Walk, at: int, head: Referent, case: Case, *, definite: bool, other: Gender | None
) -> int:
    """Read the adjectives of a head; `other` is the gender of its possessor, if it has one."""
    reading = walk.reading
    end = at
    while True:
        function = reading.function(end)
        if function is not None and function.sort == "demonstratives" and definite and end == at:
            gender = fixed.gender_of("demonstratives", function.base)
            if gender == head.gender and not is_definite(walk, end + 1):
                walk.add(end, head, Fixed(function.prefix, "demonstratives", function.base), "attribute")
                end += 1
                continue
        parse = _attribute(walk, end, head, case, definite=definite)
        if parse is None:
            return end
        sure: Sureness = "guess" if other == head.gender or not parse.lemma.known else "certain"
        bound = is_bound(walk, end, parse)
        walk.add(end, head, Noun(parse, case, bound), "attribute", sure)
        end = _skip_noun(walk, end + 1) if bound else end + 1


def _attribute(
    walk: Walk, at: int, head: Referent, case: Case, *, definite: bool
) -> NounParse | None:
    """The adjective that goes with a head, if one stands there."""
    reading = walk.reading
    if reading.verbs(at):
        return None
    for parse in reading.nouns(at):
        fits = (
            parse.form.number == head.number
            and parse.form.gender == head.gender
            and parse.prefix.article == definite
            and not parse.suffix
            and not parse.prefix.preposition
        )
        if not fits or (parse.prefix.letters and not parse.prefix.article):
            continue
        if parse.prefix.letters not in {"", "ال"}:
            continue
        if parse.lemma.adjective or (parse.lemma.person and definite):
            return parse
    return None


def _clause_after(walk: Walk, at: int, head: Referent, *, definite: bool) -> int:
    """Open the relative clause of a head."""
    reading = walk.reading
    function = reading.function(at)
    if function is not None and function.sort == "relatives":
        gender = fixed.gender_of("relatives", function.base)
        if gender == head.gender:
            walk.add(at, head, Fixed(function.prefix, "relatives", function.base), "relative")
            open_clause(walk, head)
            return at + 1
        return at
    if definite:
        return at
    place = at + 1 if function is not None and function.sort == "negations" else at
    for parse in reading.verbs(place):
        cell = parse.cell
        if cell.person == 3 and cell.gender == head.gender and cell.number == head.number and not parse.prefix:
            open_clause(walk, head)
            break
    return at


def open_clause(walk: Walk, head: Referent) -> None:
    """The third person is the head from here on."""
    walk.scope.third = head
    walk.scope.subject = head
    walk.scope.expects = None
    walk.scope.verbal = True


def referent_of(walk: Walk, at: int) -> Referent:
    """Whom a noun means that nothing asked for: somebody else, or a thing."""
    reading = walk.reading
    word = reading.line[at]
    member = fixed.pair("members", word.letters)
    if member and member[0] in {"كلانا", "كلينا", "أحدنا"}:
        return walk.person(1, "singular", fixed.gender_of("members", word.letters))
    if member and member[0] in {"أحدكم", "كلاكما", "كليكما", "أحدكما"}:
        return walk.person(2, "singular", fixed.gender_of("members", word.letters))
    nouns = reading.known_nouns(at)
    if not nouns or thing_of(word.letters):
        return Referent(None, "singular", _gender(walk, at))
    form = nouns[0].form
    who = _of_a_group(walk, at) or "others"
    return Referent(who, form.number, form.gender)


def _of_a_group(walk: Walk, at: int):  # type: ignore[no-untyped-def]
    """واحد منا, رجل مثلي: one of us, one like me."""
    for place in range(at + 1, at + 4):
        function = walk.reading.function(place)
        if function is not None and function.suffix is not None and function.base in {"من", "مثل"}:
            return {1: walk.voice.speaker, 2: walk.voice.listener}.get(function.suffix.person)
        if function is not None or walk.reading.line[place].is_mark:
            return None
    return None
