"""The words of a Romance language: forms of nouns, adjectives and determiners, verbs, lists."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from epicene.rewriting.romance.conjugation import VerbForm, verb_forms
from epicene.rewriting.word_lists import WordSet, read_toml, word_rows, word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from epicene.rewriting.persons import Gender
    from epicene.rewriting.romance.line import Line

Kind: TypeAlias = Literal["noun", "adjective", "determiner", "pronoun"]


_SUPERLATIVE = re.compile(r"(?:ísim|íssim|issim)([oa]s?|[ie])$")
_SUPERLATIVES = tuple(
    f"{stem}{vowel}" for stem in ("ísim", "íssim", "issim") for vowel in ("o", "a")
)


class Form(NamedTuple):
    """A word in both genders, as it is found in a text: its own gender (None: both), its number."""

    masculine: str
    feminine: str
    gender: Gender | None
    plural: bool
    kind: Kind
    generic: bool = True  # the masculine plural may include women; not so in *hombres*

    def other(self, gender: Gender) -> str:
        """The word in that gender."""
        return self.masculine if gender == "masculine" else self.feminine


class Inflection(NamedTuple):
    """How a language forms feminines and plurals."""

    feminine: Callable[[str], str]
    plural: Callable[[str], str]
    # Endings of words in no list: masculine and feminine, singular and plural, by kind of rule.
    endings: tuple[tuple[str, str, str, str], ...]
    # Endings that only adjectives have, so that a word in no list is one beside a noun.
    adjectival: tuple[str, ...]
    # Endings of adjectives with one form for both genders.
    invariable: tuple[str, ...]
    # Endings of nouns for people by what they do, so that a word in no list may be one.
    agents: tuple[str, ...]
    # Endings of finite verbs in no list: the ending, that of the infinitive, the persons.
    verb_endings: tuple[tuple[str, str, str], ...]
    # An infinitive, gerund or imperative and the pronoun written with it, "" if there is none.
    split_enclitic: Callable[[str], tuple[str, str]]
    # The masculine and feminine plural of a noun with one singular, where they differ.
    epicene_plurals: Callable[[str], tuple[str, str]] | None = None


class Lexicon:
    """The word lists of one language, from the TOML files in its package."""

    def __init__(self, package: str, inflection: Inflection) -> None:
        self._package = package
        self.inflection = inflection
        self.lists: dict[str, WordSet] = {
            title: word_set(text) for title, text in read_toml(package, "function_words").items()
        }

    def __getitem__(self, title: str) -> WordSet:
        """A list of function words."""
        return self.lists[title]

    @cached_property
    def verbs(self) -> dict[str, VerbForm]:
        """All verb forms, without those that are rather something else."""
        found = verb_forms(read_toml(self._package, "verbs"))
        return {word: form for word, form in found.items() if word not in self["not_verbs"]}

    def verb(self, word: str) -> VerbForm | None:
        """The verb form that a word is, by its ending if it is in no list."""
        known = self.verbs.get(word)
        if known is not None or len(word) < 5 or word in self["not_verbs"]:
            return known
        if self._nouns.get(word) or word in self["things"] or word in self._adjectives:
            return None
        for ending, infinitive, persons in self.inflection.verb_endings:
            if word.endswith(ending):
                stem = word.removesuffix(ending)
                return VerbForm(stem + infinitive, "finite", frozenset(persons.split()))
        return None

    @cached_property
    def _nouns(self) -> dict[str, Form]:
        people = read_toml(self._package, "people")
        gendered = word_set(people["gendered"])
        found: dict[str, Form] = {}
        plurals = self.inflection.epicene_plurals
        for word in people["epicene"].split():
            pair = plurals(word) if plurals else (self.inflection.plural(word),) * 2
            for text, form in self._paradigm((word, word, *pair), "noun"):
                found.setdefault(text, form)
        for row in (*word_rows(people["pairs"]), *self._regular(people)):
            for word, form in self._paradigm(row, "noun", generic=row[0] not in gendered):
                found.setdefault(word, form)
        return found

    @cached_property
    def spouses(self) -> dict[str, Form]:
        """The nouns that mean a wife or a husband after a possessive: *mi mujer*."""
        rows = word_rows(read_toml(self._package, "people")["spouses"])
        return {
            word: form
            for row in rows
            for word, form in self._paradigm(row, "noun", generic=False)
            if not form.plural
        }

    def _regular(self, people: dict[str, Any]) -> Iterator[tuple[str, ...]]:
        for word in people["regular"].split():
            yield word, self.inflection.feminine(word)

    @cached_property
    def _adjectives(self) -> dict[str, Form]:
        lists = read_toml(self._package, "adjectives")
        found: dict[str, Form] = {}
        rows: Iterable[tuple[str, ...]] = (
            *word_rows(lists["pairs"]),
            *((word, self.inflection.feminine(word)) for word in lists["regular"].split()),
            *((word, self.inflection.feminine(word)) for word in lists["states"].split()),
        )
        for row in rows:
            for word, form in self._paradigm(row, "adjective"):
                found.setdefault(word, form)
        plurals = self.inflection.epicene_plurals
        for word in lists["invariable"].split():
            pair = plurals(word) if plurals else (self.inflection.plural(word),) * 2
            for text, form in self._paradigm((word, word, *pair), "adjective"):
                found.setdefault(text, form)
        return found

    @cached_property
    def _states(self) -> WordSet:
        words = read_toml(self._package, "adjectives")["states"].split()
        return frozenset(
            spelt
            for word in words
            for spelt, _ in self._paradigm((word, self.inflection.feminine(word)), "adjective")
        )

    @cached_property
    def determiners(self) -> dict[str, Form]:
        """The determiners that agree, by each of their forms."""
        found: dict[str, Form] = {}
        for title, plural in (("singular", False), ("plural", True)):
            for row in word_rows(read_toml(self._package, "determiners")[title]):
                masculine, feminine = (word.replace("_", " ") for word in row[:2])
                for word in row:
                    gender: Gender | None = "feminine" if word == row[1] else "masculine"
                    if word.endswith("'"):  # un'amica, but l'amico and l'amica
                        gender = "feminine" if word.endswith("un'") else None
                    form = Form(masculine, feminine, gender, plural, "determiner")
                    found.setdefault(word, form)
        return found

    def _paradigm(
        self, row: tuple[str, ...], kind: Kind, *, generic: bool = True
    ) -> Iterator[tuple[str, Form]]:
        """The forms of a pair; its plurals may be given as a third and fourth word."""
        masculine, feminine = row[0], row[1]
        plurals = row[2:4] if len(row) >= 4 else tuple(map(self.inflection.plural, row[:2]))
        for plural, (man, woman) in ((False, (masculine, feminine)), (True, plurals)):
            if man == woman:
                yield man, Form(man, woman, None, plural, kind, generic)
                continue
            yield man, Form(man, woman, "masculine", plural, kind, generic)
            yield woman, Form(man, woman, "feminine", plural, kind, generic)

    @cached_property
    def pronoun_pairs(self) -> dict[str, Form]:
        """The pronouns of a third person by both their forms: *él*, *ella*."""
        return self._pronouns("pronouns")

    @cached_property
    def plural_pronouns(self) -> dict[str, Form]:
        """The pronouns of several people by both their forms: *ellos*, *ellas*."""
        return self._pronouns("plural_pronouns", plural=True)

    @cached_property
    def partitives(self) -> dict[str, Form]:
        """The pronouns of one of several people by both their forms: *ninguno*, *ninguna*."""
        return self._pronouns("partitives")

    def _pronouns(self, title: str, *, plural: bool = False) -> dict[str, Form]:
        found: dict[str, Form] = {}
        for masculine, feminine in word_rows(read_toml(self._package, "determiners")[title]):
            found[masculine] = Form(masculine, feminine, "masculine", plural, "pronoun")
            found[feminine] = Form(masculine, feminine, "feminine", plural, "pronoun")
        return found

    @cached_property
    def dative_pairs(self) -> dict[str, Form]:
        """The pronouns of somebody to whom something is given or said, if they show gender."""
        return self._pronouns("datives")

    @cached_property
    def sexed_pairs(self) -> dict[str, Form]:
        """The adjectives that mean men or women: *maschile*, *femminile*."""
        found: dict[str, Form] = {}
        for row in word_rows(read_toml(self._package, "determiners")["sexed"]):
            found |= dict(self._paradigm(row, "adjective"))
        return found

    @cached_property
    def object_pairs(self) -> dict[str, Form]:
        """The pronouns of a direct object, if they show gender."""
        found: dict[str, Form] = {}
        genders: tuple[Gender | None, ...] = ("masculine", "feminine", None)
        for row in word_rows(read_toml(self._package, "determiners")["objects"]):
            form = Form(row[0], row[1], None, False, "pronoun")
            found |= {
                word: form._replace(gender=gender)
                for word, gender in zip(row, genders, strict=False)
            }
        return found

    def split_enclitic(self, word: str) -> tuple[str, str]:
        """A verb form and the pronoun written with it, if the word is no verb form as it is."""
        if word in self.verbs or word in self["things"] or self._is_listed_noun(word):
            return word, ""
        base, clitic = self.inflection.split_enclitic(word)
        unknown = "-" in word and base.endswith(("ar", "er", "ir"))  # entrevistá-lo
        return (base, clitic) if base in self.verbs or unknown else (word, "")

    def _is_listed_noun(self, word: str) -> bool:
        return word in self._nouns or word in self._adjectives

    def is_state(self, word: str) -> bool:
        """Whether the adjective is said of living beings only."""
        word = word.removeprefix("recém-")
        return word in self._states or _SUPERLATIVE.sub(r"\1", word) in self._states

    def noun(self, word: str) -> Form | None:
        """The form of a noun for a person."""
        known = self._nouns.get(word)
        prefix, hyphen, rest = word.partition("-")
        if known is None and hyphen and prefix in {"ex", "vice", "co", "sub"}:
            base = self._nouns.get(rest)
            return base and base._replace(
                masculine=f"{prefix}-{base.masculine}", feminine=f"{prefix}-{base.feminine}"
            )
        for before in ("neo", "vice"):
            if (
                known is None
                and word.startswith(before)
                and (base := self._nouns.get(word.removeprefix(before)))
            ):
                return base._replace(
                    masculine=before + base.masculine, feminine=before + base.feminine
                )
        for woman, man in (("trice", "tore"), ("trici", "tori")):
            if known is None and word.endswith(woman) and word not in self["things"]:
                stem = word.removesuffix(woman)
                return Form(stem + man, word, "feminine", woman == "trici", "noun")
        if known is not None or not word.endswith(("ista", "istas")) or len(word) <= 6:
            return known
        if word in self["things"] or word in self.verbs:
            return None
        return Form(word, word, None, word.endswith("s"), "noun")

    def is_listed(self, word: str) -> bool:
        """Whether the word is a listed adjective."""
        if word in self._adjectives:
            return True
        return word.endswith(_SUPERLATIVES) and self.adjective(word) is not None

    def is_known(self, word: str) -> bool:
        """Whether the word is a listed adjective or noun for a person."""
        return self.is_listed(word) or self.noun(word) is not None

    def adjective(self, word: str) -> Form | None:
        """The form of a listed adjective or participle, or of a word with an adjective's ending."""
        known = self._adjectives.get(word)
        if known is not None or word in self["things"] or word in self["not_adjectives"]:
            return known
        prefix, hyphen, rest = word.partition("-")
        if hyphen and prefix in {"mal", "bem", "recém", "semi", "auto", "ex", "super", "ultra"}:
            base = self.adjective(rest)
            return base and base._replace(
                masculine=f"{prefix}-{base.masculine}", feminine=f"{prefix}-{base.feminine}"
            )
        verb = self.verb(word)
        if verb is not None and verb.mood != "participle":
            return None
        return self._guess(word, adjectival=True)

    def participle(self, word: str) -> Form | None:
        """The form of a singular participle that names a thing elsewhere: *oído*, *llegada*."""
        masculine = word[:-1] + "o" if word.endswith("a") else word
        known = self.verbs.get(masculine)
        if known is None or known.mood != "participle" or not masculine.endswith("o"):
            return None
        gender: Gender = "feminine" if word.endswith("a") else "masculine"
        return Form(masculine, masculine[:-1] + "a", gender, False, "adjective")

    def predicate(self, word: str) -> Form | None:
        """The form of a word in the place of a predicate, by its ending if it is in no list."""
        known = self.adjective(word) or self.noun(word)
        if known is not None or word in self["things"] or word in self["not_adjectives"]:
            return known
        verb = self.verbs.get(word)
        if self.is_function_word(word) or (verb is not None and verb.mood != "participle"):
            return None
        if word.endswith(self.inflection.invariable):
            return Form(word, word, None, False, "adjective")
        return self._guess(word, adjectival=False)

    def agent(self, word: str) -> Form | None:
        """The form of a word in no list with an ending of people who do something: *-dor*."""
        if word in self["things"] or not word.endswith(self.inflection.agents):
            return None
        return self._guess(word, adjectival=False) or Form(word, word, None, False, "noun")

    def adverbs_at(self, line: Line, at: int) -> int:
        """How many words from there are an adverb written apart: *per niente*, *un poco*."""
        if line[at] not in self._adverb_starts:
            return 0
        for length in (4, 3, 2):
            if "_".join(line.keys[at : at + length]) in self["adverb_phrases"]:
                return length
        return 0

    @cached_property
    def role_prepositions(self) -> WordSet:
        """The prepositions before what somebody works as: *de* in *trabajar de*."""
        return frozenset(each.partition("_")[2] for each in self["job_verbs"] | self["capacities"])

    @cached_property
    def _adverb_starts(self) -> WordSet:
        return frozenset(each.partition("_")[0] for each in self["adverb_phrases"])

    def is_function_word(self, word: str) -> bool:
        """Whether the word is a determiner, pronoun, preposition, conjunction or adverb."""
        return word in self._function_words or word.endswith("mente")

    @cached_property
    def _function_words(self) -> WordSet:
        titles = ("prepositions", "conjunctions", "adverbs", "pronouns", "clitics", "invariable")
        return frozenset().union(*(self[each] for each in titles), self.determiners)

    def _guess(self, word: str, *, adjectival: bool) -> Form | None:
        return _guessed(word, self.inflection, adjectival=adjectival)


@lru_cache(maxsize=20_000)
def _guessed(word: str, inflection: Inflection, *, adjectival: bool) -> Form | None:
    """A word in no list, by its ending."""
    if len(word) < 4 or not word.isalpha():
        return None
    for masculine, feminine, masculines, feminines in inflection.endings:
        for own, plural in (
            (masculine, False),
            (feminine, False),
            (masculines, True),
            (feminines, True),
        ):
            if not word.endswith(own):
                continue
            stem = word.removesuffix(own)
            pair = (masculines, feminines) if plural else (masculine, feminine)
            if adjectival and not (stem + masculine).endswith(inflection.adjectival):
                continue
            gender: Gender = "masculine" if own == pair[0] else "feminine"
            return Form(stem + pair[0], stem + pair[1], gender, plural, "adjective")
    return None
