"""One of several: أحدنا, أول الواصلين, واحد من آلاف المتظاهرين."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import fixed, nouns, numerals, phrases
from epicene.languages.rewriting.arabic.findings import Fixed
from epicene.languages.rewriting.arabic.scope import Referent

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.particles import FunctionParse
    from epicene.languages.rewriting.arabic.state import Walk


def member(walk: Walk, at: int) -> int:
    """أحدنا, كلانا, أحد الناجين."""
    found = fixed.member(walk.reading.line[at].letters)
    assert found is not None
    referent = nouns.referent_of(walk, at)
    scope = walk.scope
    expected = scope.target if scope.expects == "predicate" and not scope.found else None
    if expected is not None and referent.who in {"others", None}:
        group = nouns.referent_of(walk, at + 1)
        if found[1] in {"أحد", "إحدى"} and group.number == "plural":
            walk.add(at, expected, Fixed(found[0], "members", found[1]), "one of a group")
            scope.found = scope.found_definite = True
            group = group._replace(who=expected.who)
            return phrases.phrase(walk, at + 1, group, "genitive", "one of a group")
        referent = expected if referent.who == "others" else referent
    walk.add(at, referent, Fixed(found[0], "members", found[1]), "one of a group", "likely")
    if at != walk.scope.subject_at:
        walk.scope.state(referent)
    return at + 1


def first_of(walk: Walk, at: int, function: FunctionParse) -> int:
    """أول الواصلين, آخر المغادرات: the place after people of whom one is the first, 0 if not so."""
    scope = walk.scope
    if function.base not in {"اول", "اولي", "اخر"} or scope.target is None:
        return 0
    for parse in walk.reading.known_nouns(at + 1):
        if not parse.prefix.article or parse.form.number != "plural":
            continue
        if function.base != "اخر" and scope.target.number == "singular":
            first = Fixed(function.prefix, "elatives", function.written)
            walk.add(at, scope.target, first, "one of a group", "likely")
        group = Referent(scope.target.who, "plural", parse.form.gender)
        scope.found = scope.found_definite = True
        return phrases.phrase(walk, at + 1, group, "genitive", "one of a group", "likely")
    return 0


def among(walk: Walk, at: int, function: FunctionParse) -> Referent:
    """أنا من المترجمين, كنت واحدًا من المنشدين: people of whom the speaker is one."""
    referent = nouns.referent_of(walk, at)
    scope = walk.scope
    if numerals.counted(walk.reading, at) is not None:
        referent = nouns.referent_of(walk, at + 1)
    if function.base != "من" or scope.expects != "predicate" or scope.target is None:
        return referent
    one_of = any(walk.reading.line[place].key.startswith("واحد") for place in (at - 2, at - 3))
    if referent.number != "plural" or (scope.found and not one_of):
        return referent
    if not one_of and not _follows_subject(walk, at - 1):  # أذكى من زملائي
        return referent
    scope.found = True
    return Referent(scope.target.who, "plural", referent.gender)


def _follows_subject(walk: Walk, at: int) -> bool:
    """Whether a pronoun, a particle with one, or a verb stands right before the place."""
    before = walk.reading.function(at - 1)
    if before is None:
        return bool(walk.reading.verbs(at - 1))
    return before.sort in {"I", "we", "you", "you all", "he", "they"} or before.suffix is not None
