"""The tokens of a French text, and what each word can be: adverb, adjective, noun for a person,
predicate.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.languages import tokenisation
from epicene.rewriting import text
from epicene.rewriting.french.dictionary import dictionary
from epicene.rewriting.french.inflection import adjective_pairs, inflect, person_pairs, singular_of
from epicene.rewriting.french.lexicon import read_lists, verb_table, word_list
from epicene.rewriting.word_lists import WordSet, word_rows, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.rewriting.french.sites import Agreement

SENTENCE_ENDS = frozenset({".", "!", "?", "…", "...", ";"})
OPENING_QUOTES = frozenset({"«", "“", "„", "‹"})
CLOSING_QUOTES = frozenset({"»", "”", "›"})
QUOTES = OPENING_QUOTES | CLOSING_QUOTES | {'"'}
ABBREVIATION = "._"  # the full stop of a title, which ends no sentence
# Written after a verb with one of these before them, pronouns are its subject or object.
HYPHENS = frozenset({"-", "-t-", "\u2010", "\u2011"})


class ClosedClasses(NamedTuple):
    """The lists of `function_words.toml` that most rules use."""

    articles: dict[str, str]  # every form of le, un, ce, mon, ton, son: its masculine
    agreeing: dict[str, str]  # every form of quel, aucun …: its masculine
    determiners: WordSet
    adverbs: WordSet
    phrases: dict[str, list[tuple[str, ...]]]  # adverbs of several words by their first
    prepositions: WordSet
    coordinators: WordSet
    subordinators: WordSet
    subjects: WordSet
    clitics: WordSet
    pronouns: WordSet
    everything: WordSet


@cache
def closed_classes() -> ClosedClasses:
    """The closed classes, read once."""
    lists = read_lists("function_words")
    articles = {form: row[0] for row in word_rows(lists["determiners"]) for form in row}
    articles |= {"cet": "ce"}
    agreeing = {form: row[0] for row in word_rows(lists["agreeing_determiners"]) for form in row}
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for line in lists["adverb_phrases"].strip().splitlines():
        cut = tuple(line[span.start : span.end] for span in tokenisation.words(line, "fr"))
        phrases.setdefault(cut[0], []).append(cut)
    for found in phrases.values():
        found.sort(key=len, reverse=True)
    determiners = frozenset({*articles, *agreeing}) | word_set(lists["unchanging_determiners"])
    named = {
        name: word_set(lists[name])
        for name in ("adverbs", "prepositions", "coordinators", "subordinators", "pronouns")
    }
    subjects = word_set(lists["subject_pronouns"])
    clitics = word_set(lists["object_clitics"]) | word_set(lists["negations"])
    return ClosedClasses(
        articles=articles,
        agreeing=agreeing,
        determiners=determiners,
        phrases=phrases,
        subjects=subjects,
        clitics=clitics,
        everything=frozenset().union(determiners, subjects, clitics, *named.values()),
        **named,
    )


class Line(text.Line[text.Token]):
    """The tokens of a French text, and what each word can be."""

    sentence_ends = SENTENCE_ENDS

    def __init__(self, written: str, tokens: Sequence[text.Token]) -> None:
        super().__init__(written, tokens)
        self.closed = closed_classes()

    def is_capital(self, index: int) -> bool:
        """Whether the word is capitalised other than at the beginning of a sentence."""
        return (
            self.is_word(index) and self.tokens[index].text[:1].isupper() and not self.begins(index)
        )

    def begins(self, index: int) -> bool:
        """Whether a sentence begins at the index."""
        before = index - 1
        while self[before] in QUOTES or self[before] in {"(", "-", "–", "—"}:
            before -= 1
        return before < 0 or self.ends_sentence(before) or self[before] == ":"

    def is_first_name(self, index: int) -> bool:
        """Whether the word is a first name of one gender."""
        return self[index] in MEN | WOMEN and self.tokens[index].text[:1].isupper()

    @cached_property
    def is_technical(self) -> bool:
        """Whether the text is about machines or programs, or has code in it."""
        return (
            not _TECHNICAL.isdisjoint(self.keys)
            or any(inflect(singular_of(key), "masculine") in _SAID_OF_THINGS for key in self.keys)
            or not _CODE_MARKS.isdisjoint(self.text)
            or any(
                len(token.text) > 2
                and token.text[1:].isupper()
                and token.key not in _EVERYDAY_ACRONYMS
                for token in self.tokens
            )
        )

    def is_enclitic(self, index: int) -> bool:
        """Whether the word is an enclitic, joined to a verb by a hyphen: suis-je, dis-moi."""
        return self[index - 1] in HYPHENS

    # --- adverbs -----------------------------------------------------------------------------

    def adverb_end(self, index: int) -> int:
        """The index after the adverb at `index`, or `index` itself if there is none."""
        word = self[index]
        for phrase in self.closed.phrases.get(word, ()):
            if tuple(self.keys[index : index + len(phrase)]) == phrase:
                return index + len(phrase)
        if word in self.closed.adverbs or is_adverb_by_shape(word):
            return index + 1
        if word == "fort" and is_adjective(self[index + 1]):  # fort content
            return index + 1
        if word == "juste" and self[index + 1] in self.closed.articles:  # juste un curieux
            return index + 1
        return index

    def ends_phrase(self, index: int) -> bool:
        """Whether an adverbial phrase of several words ends just before."""
        return any(
            self.adverb_end(start) == index and index - start > 1
            for start in range(max(0, index - 5), index - 1)
        )

    def after_adverbs(self, index: int) -> int:
        """The first token from `index` on that belongs to no adverb."""
        while (end := self.adverb_end(index)) > index:
            index = end
        return index

    # --- what a word can be ------------------------------------------------------------------

    def is_open(self, index: int) -> bool:
        """Whether the word is in no closed class and is not an adverb."""
        return (
            self.is_word(index)
            and len(self[index]) > 1
            and (
                self[index] not in self.closed.everything
                or (self[index] == "face" and self.is_determiner(index - 1))  # la face nord
            )
            and not is_adverb_by_shape(self[index])
            and self[index].replace("-", "").replace("'", "").isalpha()  # not étudiant(e)
        )

    def is_infinitive(self, index: int) -> bool:
        """Whether the word is an infinitive or a present participle, not a noun like le dîner."""
        if not verb_table().infinitive_of(self[index]):
            return False
        before = self[index - 1]
        if self.is_enclitic(index - 1):  # laissez-le être heureux
            return True
        if before in {"le", "la", "les", "l'"} and self[index] in verb_table().gerunds:
            return self[index - 2] in {"en", ","}  # en le voyant, but le composant
        if before in {"le", "la", "les", "l'"}:
            compound = self[index] == "avoir" and self[self.after_adverbs(index + 1)]  # l'avoir vu
            return self[index] not in _INFINITIVE_NOUNS or bool(
                compound and participle_infinitives(compound)
            )
        return before not in self.closed.determiners or before == "tout"

    def is_determiner(self, index: int) -> bool:
        """Whether the word may be a determiner."""
        return self[index] in self.closed.determiners


# First names of one gender.
MEN = word_list("function_words", "men")
WOMEN = word_list("function_words", "women")
_TECHNICAL = word_list("people", "technical")
_SAID_OF_THINGS = word_list("adjectives", "said_of_things") - {
    "vide",
    "manquant",
    "valable",
    "effacé",
}
_EVERYDAY_ACRONYMS = word_list("people", "everyday_acronyms")
_CODE_MARKS = frozenset("_{}=\ufffc")


def read_line(written: str) -> Line:
    """The words and marks of a text."""
    tokens = [_read_dash(written, each) for each in text.tokenise(written, "fr", _key)]
    tokens = text.read_joined(tokens, joiners=("et", "ou", "mais", "ni"), sign="et")
    return Line(written, list(_with_line_ends(written, tokens)))


def _with_line_ends(written: str, tokens: Sequence[text.Token]) -> Iterator[text.Token]:
    """The tokens, with an empty full stop where a line ends a sentence: Chère amie,⏎Je …"""
    before: text.Token | None = None
    for number, token in enumerate(tokens):
        if before is not None and _is_abbreviation(tokens[number - 1 : number + 2]):
            token = msgspec.structs.replace(token, key=ABBREVIATION)
        if before is not None and _ends_line(written, before, token):
            yield text.Token(before.end, before.end, "", ".", is_word=False)
        yield token
        before = token


def _is_abbreviation(tokens: Sequence[text.Token]) -> bool:
    """Whether the full stop in the middle belongs to a title or an initial: M. Dupont, C. Morel."""
    initial = len(tokens[0].text) == 1 and tokens[0].text.isupper()
    return (
        tokens[1].key == "."
        and (initial or tokens[0].key in {"mm", "mr", "dr", "pr", "st", "mgr"})
        and tokens[-1].text[:1].isupper()
        and tokens[-1].key not in closed_classes().everything
    )


def _ends_line(written: str, before: text.Token, after: text.Token) -> bool:
    """Whether a new sentence begins on a new line, which was not broken for its length alone."""
    if "\n" not in written[before.end : after.start] or before.key in SENTENCE_ENDS:
        return False
    if not (after.text[:1].isupper() or after.key == "–"):
        return False
    length = before.end - written.rfind("\n", 0, before.end)
    return not before.is_word or length < _WRAPPED


_WRAPPED = 60  # characters: lines that are shorter end where their author wanted


def _read_dash(written: str, token: text.Token) -> text.Token:
    """The token; a hyphen that joins nothing to the word before it as a dash: - Tu viens ?"""
    if token.key not in HYPHENS:
        return token
    before = written[: token.start]
    if written[token.end :].lstrip(" ")[:1].islower():  # viens -tu, viens - tu
        before = before.rstrip(" ")
    return token if before[-1:].isalnum() else msgspec.structs.replace(token, key="–")


def _key(word: str) -> str:
    if _REPEATED_MARKS.fullmatch(word):  # !!, ?!
        return "?" if "?" in word else word[0]
    if _EMOJI.match(word):
        return "!"
    return unicodedata.normalize("NFC", word.lower()).replace("’", "'").replace("ʼ", "'")


_REPEATED_MARKS = re.compile("[!?]{2,}")
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")
_INFINITIVE_NOUNS = word_list("function_words", "infinitive_nouns")


def is_adverb_by_shape(word: str) -> bool:
    """Whether the word is an adverb by its ending in -ment, not a listed noun."""
    return (
        len(word) > 6
        and word.endswith(("ément", "ument", "amment", "emment", "iment", "ement"))
        and word not in _MENT_NOUNS
    )


_MENT_NOUNS = word_list("function_words", "nouns_in_ment")


@lru_cache(maxsize=20_000)
def participle_infinitives(word: str) -> list[str]:
    """The infinitives whose past participle the word is, in any form; a guess for one in -é."""
    known = verb_table().participles
    for form in dict.fromkeys((word, singular_of(word))):
        found = known.get(inflect(form, "masculine"))
        if found:
            return found
    stem = inflect(singular_of(word), "masculine")
    if stem == "fié":
        return ["fier"]
    if (
        stem.endswith("é")
        and len(stem) > 4
        and not _E_NOUN_ENDING.fullmatch(stem)
        and _E_NOUNS.isdisjoint({word, singular_of(word)})
    ):
        return [stem[:-1] + "er"]
    return []


# Nouns that end like a participle.
_E_NOUN_ENDING = re.compile(r".*(?:ité|eté|iété|ulté|erté|auté|tié)")
_E_NOUNS = word_list("function_words", "nouns_in_e")


# Endings that few words but adjectives and nouns for people have.
_ADJECTIVE_ENDING = re.compile(
    r".{3,}(?:eux|euse|[^i]if|ive|elle?|ien(?:ne)?|éen(?:ne)?|able|ible|ante?|aise?|oise?|ier|ière|iste|ique|"
    r"trice|teur|ale?|aine?|arde?)"
)


def looks_like_adjective(word: str) -> bool:
    """Whether an unlisted word ends like an adjective."""
    return bool(_ADJECTIVE_ENDING.fullmatch(singular_of(word)))


@lru_cache(maxsize=20_000)
def is_adjective(word: str) -> bool:
    """Whether the word is listed as an adjective or a participle."""
    known = adjective_pairs().known
    if word in known or singular_of(word) in known or participle_infinitives(word):
        return True
    if word in {"bel", "nouvel", "vieil"}:
        return True
    listed = dictionary()
    return listed is not None and listed.is_adjective(word)


@lru_cache(maxsize=20_000)
def is_person(word: str) -> bool:
    """Whether the word is listed as a noun for people that has two genders."""
    known = person_pairs().known
    if "-" in word and word not in known:
        word = word.rpartition("-")[2]
    if word in known or singular_of(word) in known:
        return True
    if word.endswith(("iste", "istes")) and len(word) > 8:  # un adventiste
        return True
    listed = dictionary()
    return listed is not None and not is_adjective(word) and listed.is_person(word)


# Nouns for people that are verbs wherever nothing says otherwise.
_VERBS_RATHER_THAN_NOUNS = frozenset(
    {"garde", "guide", "juge", "pilote", "critique", "aide", "cadre", "arbitre"}
)
# What follows a present participle and no adjective in -ant.
_OBJECT_STARTERS = word_list("function_words", "object_starters")


_AFTER_PARTICIPLES = word_list("function_words", "after_participles")


# Adjectives whose masculine may be an adverb.
ADVERBIAL_ADJECTIVES = word_list("adjectives", "as_adverbs")
# What people are for a while.
TEMPORARY_STATES = word_list("adjectives", "states")


def can_be_predicate(line: Line, at: int, agreement: Agreement) -> bool:
    """Whether the word is a known adjective, participle or noun in the agreement's number."""
    word = line[at]
    if not line.is_open(at) or not is_adjective_or_person(word):
        return False
    if line[at + 1] in HYPHENS and line[at + 2] in line.closed.subjects:  # dit-on
        return False
    if word in verb_table().gerunds and _has_complement(line, at):
        return False
    if not agreement.plural and word.endswith(("s", "x")) and not _is_singular(word):
        return False
    return (
        is_adjective(word)
        or not verb_table().forms(word)
        or line[at] not in _VERBS_RATHER_THAN_NOUNS
    )


def _has_complement(line: Line, at: int) -> bool:
    """Whether a word in -ant is a present participle: voyant la mer, travaillant beaucoup."""
    if is_person(line[at]) and line[at + 1] in {"de", "d'"} and line.is_open(at + 2):
        return False  # gérant d'hôtel
    if line[at + 1] in _OBJECT_STARTERS or line[at - 1] == "en":
        return True
    if inflect(line[at], "masculine") in TEMPORARY_STATES or line[at - 1] != ",":
        return False
    return line.adverb_end(at + 1) > at + 1 or line[at + 1] in _AFTER_PARTICIPLES


def is_adjective_or_person(word: str) -> bool:
    """Whether the word is listed as an adjective, a participle or a noun for people."""
    return is_adjective(word) or is_person(word)


def _is_singular(word: str) -> bool:
    """Whether a word in -s or -x is a singular: français, heureux, fils."""
    if word in person_pairs().feminine or word in adjective_pairs().feminine:
        return True
    feminine = inflect(word, "feminine")
    return inflect(feminine, "masculine") == word and not feminine.endswith(("s", "x"))
