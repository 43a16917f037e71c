"""With whom each verb agrees: who is the subject of its clause, said or left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.hindi import nouns
from epicene.languages.rewriting.hindi.candidates import Candidate, candidates
from epicene.languages.rewriting.hindi.clauses import Clause, clauses
from epicene.languages.rewriting.hindi.inflection import gender_of, inflected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.hindi.voices import Voice
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Person

_FIRST = frozenset({"मैं", "मै"})
_SECOND = frozenset({"तू", "तुम", "आप"})
_FIRST_OBLIQUE = frozenset("मैंने मुझे मुझको मुझसे मुझपर मुझमें मुझ मेरा मेरे मेरी".split())
_FIRST_ACTING = frozenset("मैंने मुझे मुझको".split())
_SECOND_ACTING = frozenset("तूने तुमने आपने तुझे तुम्हें आपको तुमको तुझको".split())
_THIRD_ACTING = frozenset("उसने इसने उन्होंने इन्होंने जिसने जिन्होंने किसने उसे इसे उन्हें इन्हें".split())
_ERGATIVE = frozenset(
    "मैंने तूने तुमने आपने हमने उसने इसने उन्होंने इन्होंने जिसने जिन्होंने किसने ने".split()
)
_GROUP = frozenset("लोग सब दोनों सभी".split())
# After them the subject of the clause before goes on.
_CONTINUES = frozenset("और तथा एवं या लेकिन मगर परंतु किंतु पर बल्कि तो फिर इसलिए अतः ताकि तब क्योंकि कि जब अगर यदि".split()) | {""}


class Subject(NamedTuple):
    """Who a clause is about; `who` None is a thing, a group, or nobody we know."""

    who: Person | None
    at: int | None = None  # the word that says so
    plural: bool = False
    sure: Sureness = "likely"
    rule: str = ""


class Reading(NamedTuple):
    """A clause, whom its verb agrees with, and who acts in it (मैंने is no subject)."""

    clause: Clause
    agrees: Subject | None
    actor: Subject | None


NOBODY = Subject(None)


def read(stretch: Stretch, voice: Voice) -> list[Reading]:
    """Every clause with its subject, in order."""
    reader = _Reader(stretch, voice)
    return [reader.next(clause) for clause in clauses(stretch)]


class _Reader:
    """Goes from clause to clause and remembers who the last one was about."""

    def __init__(self, stretch: Stretch, voice: Voice) -> None:
        self.stretch = stretch
        self.voice = voice
        self.last: Reading | None = None
        self.pending: Subject | None = None  # of a clause that is still without its verb

    def next(self, clause: Clause) -> Reading:
        if self.last is not None and clause.sentence != self.last.clause.sentence:
            self.pending = None
        agrees = self._agrees(clause)
        actor = agrees if agrees and agrees.who else self._actor(clause) or agrees
        reading = Reading(clause, agrees, actor)
        if clause.verb is None:
            self.pending = actor if actor and actor.at is not None else self.pending
        elif clause.opener != "जो" and self.pending is not None and agrees is self.pending:
            self.pending = None
        if clause.opener != "जो" or self.last is None:
            self.last = reading
        return reading

    # --- whom the verb agrees with ----------------------------------------------------------

    def _agrees(self, clause: Clause) -> Subject | None:
        said = self._pronoun(clause)
        if said is not None:
            return said
        verb = clause.verb
        if verb is None:
            return self._third(clause)
        if verb.person == "first":
            return Subject(self.voice.speaker, sure="certain", rule="the verb says मैं")
        if verb.obligation or self._ergative(clause):
            return None
        if clause.opener == "जो":
            return self._antecedent(clause)
        third = self._third(clause)
        if third is not None:
            return third
        if verb.person == "second":
            return Subject(self.voice.listener, plural=True, sure="likely", rule="the verb says तुम")
        return self._carried(clause)

    def _pronoun(self, clause: Clause) -> Subject | None:
        """मैं, तू, तुम, आप in the direct case."""
        stretch = self.stretch
        for at in range(clause.first, clause.last + 1):
            word = stretch[at]
            if word not in _FIRST | _SECOND or stretch[at + 1] == "ने":
                continue
            if word == "आप" and stretch[at - 1] in {"अपने", "अपना", "अपनी"}:
                continue
            if stretch[at + 1] in _GROUP:
                return NOBODY
            joined = self._joined(at)
            if joined is not None:
                return joined
            if word in _FIRST:
                return Subject(self.voice.speaker, at, sure="certain", rule="said with मैं")
            plural = word != "तू"
            return Subject(self.voice.listener, at, plural, "certain", f"said with {word}")
        if any(stretch[at] == "हम" for at in clause.field):
            return NOBODY
        return None

    def _joined(self, at: int) -> Subject | None:
        """मैं और मेरी बहन: the verb is feminine if all are women."""
        stretch = self.stretch
        after = at + 2 if stretch[at + 1] in {"और", "तथा", "एवं"} else 0
        before = at - 2 if stretch[at - 1] in {"और", "तथा", "एवं"} else -1
        if after:
            while stretch[after] in {"मेरा", "मेरी", "मेरे", "उसकी", "हमारी"}:
                after += 1
            other = nouns.person(stretch[after])
        elif before >= 0 and nouns.person(stretch[before]):
            other = nouns.person(stretch[before])
        else:
            return None
        if other is None and not after:
            return None
        if other is None or other.gender != "feminine":
            return NOBODY
        who = self.voice.speaker if stretch[at] in _FIRST else self.voice.listener
        return Subject(who, at, plural=True, rule="said with a woman beside")

    def _ergative(self, clause: Clause) -> bool:
        verb = clause.verb
        assert verb is not None
        marked = any(self.stretch[at] in _ERGATIVE for at in clause.field)
        if not marked:
            return verb.ergative
        aspect = self.stretch[verb.agreeing[0]] if verb.agreeing else ""
        return not aspect.endswith(("ता", "ती", "ते")) or verb.valency == "passive"

    # --- who is not said by a pronoun of the first or second person -------------------------

    def _third(self, clause: Clause) -> Subject | None:
        """The subject of the third person that is said in the clause."""
        found = candidates(self.stretch, clause)
        verb = clause.verb
        plural = bool(verb and verb.plural)
        for each in found:
            if each.sort == "pronoun" and not (each.at == clause.first and clause.opener == "जो"):
                if self.stretch[each.at] in {"यह", "ये"} and self._is_object(clause, each):
                    continue
                many = plural or self.stretch[each.at] in {"वे", "ये"}
                return Subject("others", each.at, many, "likely", "said with a pronoun")
        people = [each for each in found if each.sort == "person"]
        if people and not self._is_predicate(clause, people[0]):
            return Subject("others", people[0].at, plural, "likely", "said with a noun")
        if verb is None:
            return None
        for each in found:
            if each.sort == "thing" and self._controls(clause, each):
                return Subject(None, each.at)
        unknown = [each for each in found if each.sort == "unknown"]
        if unknown and self._is_name(clause, unknown[0]):
            return Subject("others", unknown[0].at, plural, "guess", "said with a name")
        return None

    def _is_object(self, clause: Clause, each: Candidate) -> bool:
        return clause.verb is not None and clause.verb.valency == "transitive"

    def _is_predicate(self, clause: Clause, each: Candidate) -> bool:
        """Whether a noun of people says what someone is, whom the clause does not name."""
        verb = clause.verb
        if verb is None or verb.valency != "copular" or self._previous() is None:
            return False
        return self.stretch.before(verb.first) == each.at

    def _controls(self, clause: Clause, each: Candidate) -> bool:
        """Whether the verb agrees with a thing."""
        verb = clause.verb
        assert verb is not None
        if verb.valency == "transitive" or self.stretch[each.at] in nouns.places():
            return False
        genders = {
            gender_of(parts.cell)
            for at in verb.agreeing
            if (parts := inflected(self.stretch.words[at].text, verb=True))
        }
        return not genders or genders == {each.gender}

    def _is_name(self, clause: Clause, each: Candidate) -> bool:
        """Whether a word that is in no list is where a subject stands and a name may."""
        verb = clause.verb
        assert verb is not None
        if self.stretch.before(verb.first) == each.at:
            return False
        opening = [at for at in range(clause.first, each.at) if not self.stretch.is_mark(at)]
        return len(opening) <= 1 or self.stretch.is_mark(each.at - 1)

    def _antecedent(self, clause: Clause) -> Subject | None:
        """Whom जो takes up."""
        said = self._third(clause)
        if said is not None and said.at is not None and said.at != clause.first:
            return said
        before = clause.first - 1
        while before >= 0 and self.stretch.is_mark(before):
            before -= 1
        if self.pending is not None and self.pending.at is not None:
            return self._again(self.pending, clause)
        last = self.last
        if last is None or last.clause.verb is None:
            return None
        if before == last.clause.last and last.clause.verb.valency == "copular":
            if last.actor is not None and self._has_predicate_noun(last.clause):
                return self._again(last.actor, clause)
        reading = nouns.person(self.stretch[before])
        return Subject("others", before, rule="जो after a noun") if reading else None

    def _has_predicate_noun(self, clause: Clause) -> bool:
        verb = clause.verb
        assert verb is not None
        at = self.stretch.before(verb.first)
        return at >= clause.first and nouns.person(self.stretch[at]) is not None

    def _again(self, subject: Subject, clause: Clause) -> Subject:
        plural = bool(clause.verb and clause.verb.plural)
        return subject._replace(plural=plural, sure="likely", rule="जो takes the person up")

    def _previous(self) -> Subject | None:
        if self.pending is not None:
            return self.pending
        return self.last.actor if self.last is not None else None

    def _carried(self, clause: Clause) -> Subject | None:
        """The subject of the clause before, where this one has none."""
        previous = self._previous()
        if previous is None or previous.who is None or clause.opener not in _CONTINUES:
            return None
        verb = clause.verb
        assert verb is not None
        if self.last is not None and clause.sentence != self.last.clause.sentence:
            return None
        if previous.who == self.voice.speaker and not self._may_be_first(clause):
            return None
        if previous.who == self.voice.listener and verb.person == "third":
            return None
        plural = previous.plural if previous.who != "others" else verb.plural or previous.plural
        return previous._replace(plural=plural, sure="guess", rule="subject of the clause before")

    def _may_be_first(self, clause: Clause) -> bool:
        """Whether nothing in the clause says that मैं is not its subject."""
        verb = clause.verb
        assert verb is not None
        if verb.person is not None or any(
            self.stretch[at] in _FIRST_OBLIQUE for at in clause.field
        ):
            return False
        cells = [inflected(self.stretch.words[at].text, verb=True) for at in verb.agreeing]
        return all(parts is None or parts.cell in {"ms", "fs"} for parts in cells)

    # --- who acts, whatever the verb agrees with --------------------------------------------

    def _actor(self, clause: Clause) -> Subject | None:
        for at in clause.field:
            word = self.stretch[at]
            if word in _FIRST_ACTING:
                return Subject(self.voice.speaker, at)
            if word in _SECOND_ACTING:
                return Subject(self.voice.listener, at, plural=word not in {"तूने", "तुझे"})
            if word in _THIRD_ACTING or word == "ने":
                return Subject("others", at, plural=word in {"उन्होंने", "उन्हें", "जिन्होंने"})
        verb = clause.verb
        if verb is not None and (verb.ergative or verb.obligation) and clause.opener in _CONTINUES:
            return self._previous()
        return None


def field_words(stretch: Stretch, clause: Clause) -> Iterator[tuple[int, str]]:
    """The words before the verb with their places."""
    return ((at, stretch[at]) for at in clause.field)
