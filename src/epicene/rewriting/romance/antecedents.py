"""Object pronouns that mean somebody named before them: *mio cognato …, lo vedo spesso*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.romance.clauses import Referent
from epicene.rewriting.romance.predicates import Predicates
from epicene.rewriting.romance.readings import Target

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender
    from epicene.rewriting.romance.clauses import Verb
    from epicene.rewriting.romance.lexicon import Form
    from epicene.rewriting.romance.phrases import Phrase

_REACH = 45  # words between a pronoun and whom it means


class Antecedents(Predicates):
    """Finds the object pronouns that mean a person by what was named before."""

    def _object_means_person(self, verb: Verb, infinitive: str, form: Form) -> bool:
        """Whether the direct object of a verb is the person named last in that gender.

        A verb that takes people rather than things passes over what stands after a preposition.
        """
        lexicon, line = self.lexicon, self.line
        if not infinitive or infinitive in lexicon["copulas"] or not lexicon["often_people"]:
            return False
        start = verb.at - len(verb.clitics)
        if len({*verb.clitics} - lexicon["negations"]) != 1:
            return False
        if line[start - 1] in lexicon["before_pronouns"]:  # me la cavo
            return False
        gender = form.gender or self._participle_gender(verb)
        if gender is None or (gender == "masculine" and infinitive in lexicon["clausal_objects"]):
            return False
        often = infinitive in lexicon["often_people"]
        if self._says_state(verb, gender):
            return True
        return self._is_person_last(start, gender, verb, often=often)

    def _is_article(self, verb: Verb) -> bool:
        """*Começou a trabalhar*, *fez o trabalho*: no pronoun before that word."""
        line, lexicon = self.line, self.lexicon
        if line[verb.at - 1] != verb.clitics[-1] or lexicon["participles_agree"]:
            return False
        before = line[verb.at - 2]
        if verb.form.mood == "infinitive":
            return before not in lexicon["prepositions"]
        if before in lexicon["adverbs"] or self.clauses.pronoun(before) is not None:
            return False
        left = lexicon.verb(before)
        if left is not None and left.infinitive in lexicon["semi_auxiliaries"]:
            return verb.form.mood != "gerund"
        governed = before in lexicon["prepositions"] or line[verb.at] in lexicon["often_nouns"]
        return governed or (left is not None and left.mood != "participle")

    def _says_state(self, verb: Verb, gender: Gender) -> bool:
        """*Prendetelo vivo*: what is said of the object is said of living beings only."""
        at = self._after_adverbs(verb.at + 1)
        form = self.lexicon.adjective(self.line[at])
        if form is None or form.gender != gender or not self.lexicon.is_state(self.line[at]):
            return False
        taken = verb.form.infinitive in self.lexicon["object_predicates"]
        return taken and not form.plural and self._is_alone(at, form)

    def _dative_means_person(self, verb: Verb, form: Form) -> bool:
        """Whether somebody of that gender was named before to whom it may be said or given."""
        if form.gender is None or not self.lexicon["often_people"]:
            return False
        if form.gender == "feminine" and not self._has_thing_after(verb):  # le compro
            return False
        start = verb.at - len(verb.clitics)
        return self._is_person_last(start, form.gender, verb, often=True, dative=True)

    def _has_thing_after(self, verb: Verb) -> bool:
        """Whether the verb has an object after it, so that *le* is to her, not them."""
        at = self._after_adverbs(verb.at + 1)
        if verb.form.infinitive in self.lexicon["perfect_auxiliaries"]:
            if self.line[at].endswith("e"):  # le ho viste
                return False
            at = self._after_adverbs(at + 1)
        phrase = self.starts.get(at)
        return phrase is not None and phrase.kind == "thing" and self._is_object_like(phrase)

    def _is_object_like(self, phrase: Phrase) -> bool:
        return phrase.determined and self.line[phrase.start] not in self.lexicon["contractions"]

    def _participle_gender(self, verb: Verb) -> Gender | None:
        """The gender that the participle after *l'* shows: *l'ho vista*."""
        if verb.form.infinitive not in self.lexicon["perfect_auxiliaries"]:
            return None
        form = self.lexicon.predicate(self.line[self._after_adverbs(verb.at + 1)])
        return form.gender if form is not None and not form.plural else None

    def _is_person_last(
        self, before: int, gender: Gender, verb: Verb, *, often: bool, dative: bool = False
    ) -> bool:
        """Whether the last thing or person named in that gender is a person.

        A thing gets nothing (`dative`), but *gli* may mean several people.
        """
        line, lexicon, clauses = self.line, self.lexicon, self.clauses
        subject = clauses.subject(verb).phrase if verb.finite else None
        at = before - 1
        while at >= max(0, before - _REACH):
            phrase = clauses.inside.get(at)
            if phrase is None:
                pronoun = lexicon.pronoun_pairs.get(line[at])
                if pronoun is not None and pronoun.gender == gender and line.is_word(at):
                    return True
                if often and line.is_name(at) and not clauses._is_place(at):
                    return True
                at -= 1
                continue
            at = phrase.start - 1
            if phrase == subject or phrase.gender not in {None, gender}:
                continue
            if phrase.kind == "person":
                if phrase.plural and dative:
                    return False
                if not phrase.plural:
                    return phrase.gender == gender or (often and phrase.gender is None)
                continue
            if dative or phrase.plural or line[phrase.head] in lexicon["times"]:
                continue
            if often and (phrase.gender is None or self._is_aside(phrase)):
                continue
            if phrase.kind == "thing" and not phrase.determined and often:
                continue
            return False
        return False

    def _is_aside(self, phrase: Phrase) -> bool:
        """Whether a thing stands after a preposition."""
        return (
            self.line[phrase.start - 1] in self.lexicon["prepositions"]
            or self.line[phrase.start] in self.lexicon["contractions"]
        )

    def _said_of_object(self, verb: Verb, gender: Gender | None) -> None:
        """*Lasciarla tranquilla*, *la vedemmo riemergere, paonazza*."""
        at = self._after_adverbs(verb.at + 1)
        following = self.lexicon.verb(self.line[at])
        if following is not None and following.mood == "infinitive":
            at += 1
        at += self.line[at] == ","
        at = self._after_adverbs(at)
        form = self.lexicon.adjective(self.line[at])
        if form is None or form.plural or form.gender != gender:
            return
        if at in self.claimed or at in self.perfects:
            return
        listed = self.lexicon.is_listed(self.line[at]) and at not in self.starts
        if listed and self._is_alone(at, form):
            self._add([(at, Target(form))], Referent("others"), "said of the object", "likely")
