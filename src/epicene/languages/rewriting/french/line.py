"""A text's words as the rules walk over them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from epicene.languages import segment
from epicene.languages.rewriting.french.dictionary import dictionary
from epicene.languages.rewriting.french.inflection import adjectives, inflect, people, singular
from epicene.languages.rewriting.french.lexicon import Words, read, rows, verbs, words

STOPS = frozenset({".", "!", "?", "…", "...", ";"})
OPENING = frozenset({"«", "“", "„", "‹"})
CLOSING = frozenset({"»", "”", "›"})
QUOTES = OPENING | CLOSING | {'"'}
# Written after a verb with one of these before them, pronouns are its subject or object.
LINKS = frozenset({"-", "-t-", "\u2010", "\u2011"})


class Token(NamedTuple):
    """A word or a mark, and the characters it takes."""

    start: int
    end: int
    text: str
    is_word: bool


class Closed(NamedTuple):
    """The lists of `function_words.toml` that are asked for everywhere."""

    articles: dict[str, str]  # every form of le, un, ce, mon, ton, son: its masculine
    agreeing: dict[str, str]  # every form of quel, aucun …: its masculine
    determiners: Words
    adverbs: Words
    phrases: dict[str, list[tuple[str, ...]]]  # adverbs of several words by their first
    prepositions: Words
    coordinators: Words
    subordinators: Words
    subjects: Words
    clitics: Words
    pronouns: Words
    everything: Words


@cache
def closed() -> Closed:
    """Read once."""
    lists = read("function_words")
    articles = {form: row[0] for row in rows(lists["determiners"]) for form in row}
    articles |= {"cet": "ce"}
    agreeing = {form: row[0] for row in rows(lists["agreeing_determiners"]) for form in row}
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for line in lists["adverb_phrases"].strip().splitlines():
        cut = tuple(line[span.start : span.end] for span in segment.words(line, "fr"))
        phrases.setdefault(cut[0], []).append(cut)
    for found in phrases.values():
        found.sort(key=len, reverse=True)
    determiners = frozenset({*articles, *agreeing}) | words(lists["unchanging_determiners"])
    named = {
        name: words(lists[name])
        for name in ("adverbs", "prepositions", "coordinators", "subordinators", "pronouns")
    }
    subjects = words(lists["subject_pronouns"])
    clitics = words(lists["object_clitics"]) | words(lists["negations"])
    return Closed(
        articles=articles,
        agreeing=agreeing,
        determiners=determiners,
        phrases=phrases,
        subjects=subjects,
        clitics=clitics,
        everything=frozenset().union(determiners, subjects, clitics, *named.values()),
        **named,
    )


class Line:
    """Tokens that can be asked for out of range, where there is the word ""."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            Token(span.start, span.end, text[span.start : span.end], span.kind == "word")
            for span in segment.tokens(text, "fr")
        ]
        self.words = [
            unicodedata.normalize("NFC", token.text.lower()).replace("’", "'").replace("ʼ", "'")
            for token in self.tokens
        ]
        self.closed = closed()

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> str:
        """The lower-case word at an index, "" outside the text."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def is_word(self, index: int) -> bool:
        """Whether a word stands there."""
        return 0 <= index < len(self.tokens) and self.tokens[index].is_word

    def is_capital(self, index: int) -> bool:
        """Whether a word with a capital stands there that its place does not explain."""
        return (
            self.is_word(index) and self.tokens[index].text[:1].isupper() and not self.begins(index)
        )

    def begins(self, index: int) -> bool:
        """Whether a sentence begins there."""
        before = index - 1
        while self[before] in QUOTES or self[before] in {"(", "-", "–", "—"}:
            before -= 1
        if self[before] == "." and self[before - 1] in {"m", "mm", "dr", "st"}:  # M. Dupont
            return False
        return before < 0 or self[before] in STOPS or self[before] == ":"

    def is_enclitic(self, index: int) -> bool:
        """Whether the word is written after a verb with a link: suis-je, dis-moi."""
        return self[index - 1] in LINKS

    # --- adverbs -----------------------------------------------------------------------------

    def adverb_end(self, index: int) -> int:
        """Where the adverb there ends, the index itself if there is none."""
        word = self[index]
        for phrase in self.closed.phrases.get(word, ()):
            if tuple(self.words[index : index + len(phrase)]) == phrase:
                return index + len(phrase)
        if word in self.closed.adverbs or is_adverb_by_shape(word):
            return index + 1
        if word == "fort" and is_adjective(self[index + 1]):  # fort content
            return index + 1
        return index

    def ends_phrase(self, index: int) -> bool:
        """Whether an adverb of several words ends just before."""
        return any(
            self.adverb_end(start) == index and index - start > 1
            for start in range(max(0, index - 5), index - 1)
        )

    def after_adverbs(self, index: int) -> int:
        """The first token from there on that belongs to no adverb."""
        while (end := self.adverb_end(index)) > index:
            index = end
        return index

    # --- what a word can be ------------------------------------------------------------------

    def is_open(self, index: int) -> bool:
        """Whether a word stands there that is in no closed class and is no adverb."""
        return (
            self.is_word(index)
            and len(self[index]) > 1
            and self[index] not in self.closed.everything
            and not is_adverb_by_shape(self[index])
            and self[index].replace("-", "").replace("'", "").isalpha()  # not étudiant(e)
        )

    def is_infinitive(self, index: int) -> bool:
        """Whether an infinitive or a present participle stands there, and no noun like le dîner."""
        if not verbs().infinitive_of(self[index]):
            return False
        before = self[index - 1]
        if before in {"le", "la", "les", "l'"}:
            return self[index] not in _INFINITIVE_NOUNS
        return before not in self.closed.determiners or before == "tout"

    def is_determiner(self, index: int) -> bool:
        """Whether a determiner may stand there."""
        return self[index] in self.closed.determiners


_INFINITIVE_NOUNS = words(
    """
    pouvoir devoir savoir être avoir dîner déjeuner souper souvenir rire sourire coucher lever
    toucher aller repentir parler manger boire vivre avenir loisir plaisir désir soupir étranger
    rôtir
    """
)


def is_adverb_by_shape(word: str) -> bool:
    """Adverbs in -ment, not the nouns that end so after a vowel of their own."""
    return (
        len(word) > 6
        and word.endswith(("ément", "ument", "amment", "emment", "iment", "ement"))
        and word not in _MENT_NOUNS
    )


_MENT_NOUNS = words(
    """
    gouvernement appartement sentiment mouvement moment événement changement traitement jugement
    bâtiment vêtement instrument document argument monument élément médicament compliment aliment
    logement paiement équipement règlement département développement engagement enseignement
    comportement commencement département établissement entraînement fonctionnement financement
    renseignement remerciement déménagement licenciement recrutement soulagement tournoiement
    testament tempérament firmament sacrement ligament fondement parlement régiment ciment piment
    dément véhément clément inclément
    """
)


def participle_of(word: str) -> list[str]:
    """The infinitives whose participle it is, in any gender and number; a guess for one in -é."""
    known = verbs().participles
    for form in dict.fromkeys((word, singular(word))):
        found = known.get(inflect(form, "masculine"))
        if found:
            return found
    stem = inflect(singular(word), "masculine")
    if (
        stem.endswith("é")
        and len(stem) > 4
        and not _E_NOUN.fullmatch(stem)
        and word not in _E_NOUNS
    ):
        return [stem[:-1] + "er"]
    return []


# Nouns that end like a participle.
_E_NOUN = re.compile(r".*(?:ité|eté|erté|auté|tié)")
_E_NOUNS = words(
    """
    santé bonté volonté parenté café marché côté degré congé clergé supermarché bébé canapé
    fossé péché procédé traité comité résumé communiqué cliché été musée lycée trophée
    journée journées année années soirée soirées matinée matinées idée idées armée entrée arrivée
    durée pensée pensées poupée épée vallée fumée bouée allée cheminée dictée rentrée tournée
    traversée randonnée randonnées donnée données fée fées marée portée veillée poignée
    """
)


# Endings that few words but adjectives and nouns for people have.
_ADJECTIVE_ENDING = re.compile(
    r".{3,}(?:eux|euse|[^i]if|ive|elle?|ienne?|éenne?|able|ible|ante?|aise?|oise?|ière?|iste|ique|"
    r"trice|teur|ale?|aine?|arde?)"
)


def looks_like_adjective(word: str) -> bool:
    """Whether a word in no list ends like an adjective."""
    return bool(_ADJECTIVE_ENDING.fullmatch(singular(word)))


def is_adjective(word: str) -> bool:
    """Whether our lists know it for an adjective or a participle."""
    known = adjectives().known
    if word in known or singular(word) in known or participle_of(word):
        return True
    listed = dictionary()
    return listed is not None and listed.is_adjective(word)


def is_person(word: str) -> bool:
    """Whether our lists know it for a noun for people that has two genders."""
    known = people().known
    if "-" in word and word not in known:
        word = word.rpartition("-")[2]
    if word in known or singular(word) in known:
        return True
    listed = dictionary()
    return listed is not None and not is_adjective(word) and listed.is_person(word)
