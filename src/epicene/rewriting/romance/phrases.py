"""Noun phrases: a noun with its determiners and adjectives, of a person or of a thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.persons import Gender
    from epicene.rewriting.romance.lexicon import Form, Lexicon
    from epicene.rewriting.romance.line import Line

# nominal: an adjective without a noun, which may be said of a person or a thing: *el único*.
PhraseKind: TypeAlias = Literal["person", "thing", "nominal"]


class Phrase(NamedTuple):
    """The words [start, end) of a noun phrase; `agreeing` are those that show its gender."""

    kind: PhraseKind
    start: int
    head: int
    end: int
    gender: Gender | None
    plural: bool
    agreeing: tuple[tuple[int, Form], ...]
    determined: bool
    generic: bool = True

    def changes_to(self, gender: Gender) -> bool:
        """Whether it may be put into that gender: a masculine plural may include women."""
        return not (self.plural and gender == "feminine" and self.generic)


def find_phrases(line: Line, lexicon: Lexicon) -> list[Phrase]:
    """The noun phrases of a line, in order."""
    return list(_Reader(line, lexicon).phrases())


def is_perfect(line: Line, at: int, lexicon: Lexicon) -> bool:
    """Whether the word is the participle of a perfect: *he estado*."""
    before = at - 1
    while (
        line[before] in lexicon["adverbs"]
        or lexicon.pronoun_pairs.get(line[before])
        or line[before] in lexicon["third_clitics"]  # tem se mostrado
    ):
        before -= 1
    verb = lexicon.verb(line[before])
    if verb is None or verb.infinitive not in lexicon["perfect_auxiliaries"]:
        return False
    form = lexicon.verb(line[at])
    if form is None and before == at - 1:
        return line[at].endswith(PARTICIPLES) and line[at].endswith("o")
    return form is not None and form.mood == "participle"


class _Reader:
    def __init__(self, line: Line, lexicon: Lexicon) -> None:
        self.line = line
        self.lexicon = lexicon

    def phrases(self) -> Iterator[Phrase]:
        """The phrases, from left to right."""
        at = 0
        while at < len(self.line):
            found = None if self.lexicon.adverbs_at(self.line, at) else self.read(at)
            if found is None:
                at += self.lexicon.adverbs_at(self.line, at) or 1
            else:
                yield found
                at = found.end

    def read(self, start: int) -> Phrase | None:
        """The phrase that starts with that word."""
        line, lexicon = self.line, self.lexicon
        if is_perfect(line, start, lexicon):
            return None
        agreeing: list[tuple[int, Form]] = []
        determined = False
        at = start
        while line.is_word(at):
            word = line[at]
            form = lexicon.determiners.get(word)
            if form is not None and self._is_determiner(at):
                if at > start and word in lexicon["contractions"]:  # el primero de la clase
                    break
                agreeing.append((at, form))
                determined = True
            elif word in lexicon["invariable_determiners"]:
                determined = True
            elif determined and word in lexicon["degree"]:
                pass
            elif self._is_prenominal(at, determined=determined):
                adjective = lexicon.adjective(word)
                assert adjective is not None
                agreeing.append((at, adjective))
            else:
                break
            at += 1
        return self._with_head(start, at, agreeing, determined=determined)

    def _is_determiner(self, at: int) -> bool:
        """Whether it stands before a noun: not *la veo*, and not *uno* alone."""
        if not self.line.is_word(at + 1):
            return False
        following = self.line[at + 1]
        if self.line[at] in self.lexicon["adverbs"] and following in self.lexicon["articles"]:
            return False  # prima il preventivo
        if self.line[at] in self.lexicon["even"] and self.line.begins(at):  # mesmo cansado
            return not self.lexicon.is_listed(following)
        if self.line[at] in self.lexicon["half"] and self.lexicon.is_state(following):
            return False  # medio dormido
        half = self.lexicon.noun(following) if self.line[at] in self.lexicon["half"] else None
        if half is not None and half.gender == "feminine":
            return False  # medio bruja
        if self.line[at] in self.lexicon["degree"]:  # muito amiga
            noun = self.lexicon.noun(following)
            form = self.lexicon.determiners[self.line[at]]
            if noun is not None and noun.gender is None and self.lexicon.is_listed(following):
                return False  # demasiado perfeccionista
            return noun is None or noun.gender in {None, form.gender}
        if self.line[at] not in self.lexicon["clitics"]:
            return True
        if following in self.lexicon["one"] or following in self.lexicon["pointing"]:
            return False  # a um muro
        if self.line[at - 1] in self.lexicon["prepositions"]:  # com a demora, but de o ver
            known = self.lexicon.verb(following)
            return known is None or known.mood != "infinitive"
        verb = self.lexicon.verb(following)
        return (
            verb is None
            or verb.mood == "participle"
            or self.lexicon.noun(following) is not None
            or self.lexicon.adjective(following) is not None
            or self.line[at - 1] in self.lexicon["prepositions"]
        ) and following not in self.lexicon["clitics"]

    def _is_prenominal(self, at: int, *, determined: bool) -> bool:
        line, lexicon = self.line, self.lexicon
        following = at + 1
        while determined and line[following] in lexicon["degree"]:  # il terzo più grande aviatore
            following += 1
        listed = lexicon.is_listed(line[at])
        if determined and not listed and lexicon.noun(line[following]) is not None:
            listed = lexicon.adjective(line[at]) is not None and lexicon.noun(line[at]) is None
        if not listed or not line.is_word(following):
            return False
        if line[at] in lexicon["greeting_adjectives"] and not determined:
            return True
        if line[at] in lexicon["never_before_nouns"]:
            return False
        if line[following] in lexicon["kinds"] and not determined:  # soy diabética tipo 1
            return False
        if line[at] in lexicon["things"] and lexicon.noun(line[following]) is None:
            return False  # um cara simples
        if line.is_name(at) and not determined:
            return False
        if not determined and (lexicon.is_state(line[at]) or line[at].endswith(PARTICIPLES)):
            return False
        if lexicon.noun(line[following]) is None and (
            line.is_name(following)
            or (
                lexicon.noun(line[at]) is not None
                and lexicon.adjective(line[following]) is not None
            )
        ):
            return False  # un amico seduto
        determined = determined or lexicon.noun(line[at]) is None
        return self._may_head(following, determined=determined)

    def _may_head(self, at: int, *, determined: bool) -> bool:
        line, lexicon = self.line, self.lexicon
        word = line[at]
        if not line.is_word(at) or lexicon.is_function_word(word) or word[0].isdigit():
            return False
        if lexicon.noun(word) is not None:
            return True
        verb = lexicon.verb(lexicon.split_enclitic(word)[0])
        if verb is not None and verb.mood != "participle" and word not in lexicon["things"]:
            return False
        return determined or lexicon.adjective(word) is None

    def _with_head(
        self, start: int, at: int, agreeing: list[tuple[int, Form]], *, determined: bool
    ) -> Phrase | None:
        line, lexicon = self.line, self.lexicon
        word = line[at]
        noun = lexicon.noun(word)
        if noun is not None and not determined:
            adjective_rather = lexicon.is_listed(word) and not agreeing and not self._is_free(at)
            title = word in lexicon["titles"] and line.is_name(at + 1)  # Lady Digby
            greeted = bool(agreeing) and line[at - 1] in lexicon["greeting_adjectives"]
            greeted = greeted or (  # Sr. Director
                line[at - 1] == "."
                and lexicon.noun(line[at - 2]) is not None
                and word in lexicon["forms_of_address"]
            )
            if (line.is_name(at) and not title and not greeted) or adjective_rather:
                noun = None
        abroad = word in lexicon["places"] and line[start] in lexicon["definite"]
        if word in lexicon["things"] and not determined and not agreeing and self._is_said(at):
            return None
        if word in lexicon["institutions"] and self._is_the_feminine(agreeing):
            return self._complete("thing", start, at, agreeing, determined)
        if word in lexicon["things"] or abroad:
            return self._complete("thing", start, at, agreeing, determined)
        if noun is not None and self._agrees(noun, agreeing):
            return self._complete("person", start, at, [*agreeing, (at, noun)], determined)
        adjective = lexicon.adjective(word) if line.is_word(at) else None
        if adjective is not None:
            return self._nominal(start, at, adjective, agreeing, determined=determined)
        return self._unknown_head(start, at, agreeing, determined=determined)

    def _is_the_feminine(self, agreeing: list[tuple[int, Form]]) -> bool:
        """Whether a feminine definite article is all that comes before: *la policía*."""
        if len(agreeing) != 1 or agreeing[0][1].gender != "feminine":
            return False
        form = agreeing[0][1]
        return form.masculine in self.lexicon["definite"]

    def _is_said(self, at: int) -> bool:
        """Whether the name of a thing is a participle there: *soy oída*, *recién llegada*."""
        if self.lexicon.participle(self.line[at]) is None:
            return False
        before = at - 1
        while self.line[before] in self.lexicon["adverbs"]:
            if self.line[before] in self.lexicon["just"]:
                return True
            before -= 1
        if self.line[before] in self.lexicon["copular_participles"]:
            return True
        verb = self.lexicon.verb(self.line[before])
        return verb is not None and verb.infinitive in self.lexicon["passives"]

    def _nominal(
        self, start: int, at: int, form: Form, agreeing: list[tuple[int, Form]], *, determined: bool
    ) -> Phrase | None:
        """An adjective as a noun: *el único*."""
        word = self.line[at]
        if not determined or not self._agrees(form, agreeing):
            return None
        if not self.lexicon.is_listed(word) and not word.endswith(PARTICIPLES):
            return self._complete("thing", start, at, agreeing, determined)
        return self._complete("nominal", start, at, [*agreeing, (at, form)], determined)

    def _unknown_head(
        self, start: int, at: int, agreeing: list[tuple[int, Form]], *, determined: bool
    ) -> Phrase | None:
        """A word in no list as a noun, a name with a determiner, or no noun at all."""
        line, lexicon = self.line, self.lexicon
        is_name = line.is_name(at)
        may_head = self._may_head(at, determined=True) or self._is_nominalised(at, agreeing)
        if may_head and not is_name and not self._begins(start, at):
            if not determined and line[at - 1] in lexicon["clitics"]:
                return None
            return self._complete("thing", start, at, agreeing, determined)
        if determined and is_name and agreeing and line[at - 1] in lexicon["own"]:
            return self._complete("person", start, at, agreeing, determined)
        if determined and is_name:
            return self._complete("thing", start, at, agreeing, determined)
        if agreeing and at - 1 > start and agreeing[-1][0] == at - 1:
            return self._complete("nominal", start, at - 1, agreeing, determined)
        return None

    def _is_nominalised(self, at: int, agreeing: list[tuple[int, Form]]) -> bool:
        """Whether a verb's form is a noun after a determiner that is no pronoun: *il suo uso*."""
        if not agreeing or self.line[at - 1] not in self.lexicon["before_nouns"]:
            return False
        form = self.lexicon.verb(self.line[at])
        return form is not None and form.mood == "finite"

    def _is_free(self, at: int) -> bool:
        """Whether a noun that may be an adjective stands where nouns do: *—gracias, extranjero*."""
        after = at + 1 + (self.line[at + 1] in self.lexicon["possessives"])  # amica mia
        return self.line.is_mark(at - 1) and self.line.is_mark(after)

    def _begins(self, start: int, at: int) -> bool:
        """Whether a single word begins the sentence, so that it may be a name."""
        token = self.line.tokens[at]
        return start == at and self.line.begins(at) and token.text[:1].isupper()

    @staticmethod
    def _agrees(form: Form, agreeing: list[tuple[int, Form]]) -> bool:
        return all(
            each.plural == form.plural
            and (form.gender is None or each.gender is None or each.gender == form.gender)
            for _, each in agreeing
        )

    def _complete(
        self,
        kind: PhraseKind,
        start: int,
        head: int,
        agreeing: list[tuple[int, Form]],
        determined: bool,
    ) -> Phrase:
        """The phrase with the adjectives that follow its head."""
        line, lexicon = self.line, self.lexicon
        if kind == "person" and self._is_spouse(start, head):
            agreeing = [*agreeing[:-1], (head, lexicon.spouses[line[head]])]
        own = dict(agreeing).get(head)
        gender = next((form.gender for _, form in agreeing if form.gender), None)
        if own is not None:
            plural = own.plural
        elif agreeing:
            plural = agreeing[0][1].plural
        else:
            plural = line[head].endswith("s") or line[head] in lexicon["counted"]
        if kind == "thing" and gender is None:
            gender = self._thing_gender(line[head])
        end = head + 1
        at = end
        while True:
            after = at
            if line[after] in lexicon["joiners"] and end > head + 1:
                after += 1
            while line[after] in lexicon["degree"] or line[after] in {"no", "não", "non"}:
                after += 1
            form = self._following_adjective(after, kind)
            if form is None or form.plural != plural:
                break
            if form.gender is not None and gender is not None and form.gender != gender:
                break
            if kind == "person" and form.gender and gender is None:
                gender = form.gender
            agreeing.append((after, form))
            end = at = after + 1
        generic = own.generic if own is not None else True
        return Phrase(kind, start, head, end, gender, plural, tuple(agreeing), determined, generic)

    def _is_spouse(self, start: int, head: int) -> bool:
        """*mi mujer*, *o meu marido*; not *una mujer*."""
        possessives = self.lexicon["possessives"] | self.lexicon["whose"]
        owned = bool(possessives & {*self.line.keys[start:head]})
        return owned and self.line[head] in self.lexicon.spouses

    def _following_adjective(self, at: int, kind: PhraseKind) -> Form | None:
        line, lexicon = self.line, self.lexicon
        if kind == "person" and line[at] in lexicon["possessives"] and line.is_mark(at + 1):
            return lexicon.determiners.get(line[at])  # amica mia
        if not line.is_word(at) or line[at] in lexicon.determiners:
            return None
        titled = kind == "person" and line[at - 1] in lexicon["titles"]  # Señora Directora
        if line.is_name(at) and not (titled and line[at] in lexicon["forms_of_address"]):
            return None
        if line[at] in lexicon["not_attributes"]:
            return None
        form = lexicon.adjective(line[at]) if not line[at].endswith(("trice", "trici")) else None
        if form is None and kind == "person" and line[at - 1] not in lexicon["joiners"]:
            form = lexicon.noun(line[at])
        return form

    def _thing_gender(self, word: str) -> Gender | None:
        if word in self.lexicon["feminine_things"] or word.endswith(FEMININE_ENDINGS):
            return "feminine"
        if word in self.lexicon["masculine_things"]:
            return "masculine"
        if word.endswith(("o", "os")):
            return "masculine"
        if word.endswith(("a", "as")):
            return "feminine"
        return None


# The endings of regular participles, in either number.
PARTICIPLES = tuple(
    stem + vowel
    for stems, vowels in (("ad id", "o a os as"), ("at it ut", "o a i e"))
    for stem in stems.split()
    for vowel in vowels.split()
)
FEMININE_ENDINGS = (
    "ción",
    "sión",
    "dad",
    "tad",
    "tud",
    "ção",
    "são",
    "dade",
    "gem",
    "zione",
    "tà",
    "tù",
)
