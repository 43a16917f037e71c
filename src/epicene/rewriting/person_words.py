"""Rewording in Romance languages: a noun for people as a description of *person*.

*El candidato está preparado* becomes *la persona candidata está preparada*: what agrees with
*persona* is feminine whoever is meant. Some adjectives have a synonym without gender, and some
plurals a collective noun, which is used after a preposition, where no verb agrees with it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.neutral import GenderedWord, Replacement
from epicene.rewriting.text import match_case
from epicene.rewriting.word_lists import WordSet, read_toml, word_rows, word_set

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LAST_WORD = re.compile(r"([^\W\d_]+['’]?)\s*$")


class PersonWords(NamedTuple):
    """The words that a language has for people of any gender."""

    persons: tuple[str, str]  # person, in the singular and the plural
    described: WordSet  # masculine forms of nouns that can describe it
    left: tuple[re.Pattern[str], ...]  # where such a noun, or one of a group, is left
    groups: Mapping[str, str]  # masculine plurals by a feminine plural for the same people
    collectives: Mapping[str, tuple[str, str]]  # by masculine plurals: its article, the noun
    synonyms: Mapping[str, str]  # by masculine forms of adjectives
    determiners: WordSet
    pronouns: WordSet
    full: Mapping[str, str]  # feminine articles as they are before *person*, by elided ones
    fused: Mapping[str, str]  # a preposition and an article written together

    def reword(self, text: str, words: Sequence[GenderedWord]) -> list[Replacement]:
        """What stands for the words; nothing where one of them has no such form."""
        if any(self._is_left(text, word) for word in words):
            return []
        nouns = [word for word in words if self._describes(text, word, words)]
        if nouns:
            return self._described_words(text, words, nouns)
        if len(words) == 2 and (found := self._collective(text, *words)) is not None:
            return [found]
        synonyms = [self.synonyms.get(word.masculine.lower(), "") for word in words]
        if not all(synonyms):
            return []
        return [
            Replacement(word.start, word.end, match_case(word.text, synonym.replace("_", " ")))
            for word, synonym in zip(words, synonyms, strict=True)
        ]

    def _described_words(
        self, text: str, words: Sequence[GenderedWord], nouns: Sequence[GenderedWord]
    ) -> list[Replacement]:
        found: list[Replacement] = []
        for word in words:
            before = self._determiner(text, word)
            if before is not None and word in nouns:
                while found and found[-1].start >= before.start(1):
                    found.pop()
                article = self._article(words, before)
                start = word.start if article is None else before.start(1)
                form = self._person(word) if article is None else f"{article} {self._person(word)}"
                found.append(Replacement(start, word.end, form))
                continue
            pronoun = word.text.lower() in self.pronouns
            named = any(noun.end <= word.start for noun in nouns)
            other_noun = before is not None or (pronoun and not named)
            if other_noun and not self._leads(text, word, nouns):
                return []  # su empleador, él
            found.append(Replacement(word.start, word.end, word.feminine))
        return found

    def _is_left(self, text: str, word: GenderedWord) -> bool:
        return any(
            found.start() <= word.start < found.end()
            for pattern in self.left
            for found in pattern.finditer(text)
        )

    def _describes(self, text: str, word: GenderedWord, words: Sequence[GenderedWord]) -> bool:
        """Whether the word is a noun with a determiner that can describe *person*, or a group."""
        before = self._determiner(text, word)
        if before is None or word.masculine.lower() not in self.groups:
            return before is not None and word.masculine.lower() in self.described
        adjective = any(text[word.end : each.start] == " " for each in words if each != word)
        return before[1].lower() == "les" and not adjective

    def _determiner(self, text: str, word: GenderedWord) -> re.Match[str] | None:
        """The determiner right before a word."""
        found = _LAST_WORD.search(text[: word.start])
        known = found is not None and found[1].lower().replace("’", "'") in self.determiners
        return found if known else None

    def _person(self, word: GenderedWord) -> str:
        group = self.groups.get(word.masculine.lower())
        plural = word.feminine.endswith("s") or word.masculine.endswith("i")
        return group or f"{self.persons[plural]} {word.feminine[:1].lower()}{word.feminine[1:]}"

    def _article(self, words: Sequence[GenderedWord], before: re.Match[str]) -> str | None:
        """The article as it is before *person*; None if the one there stays."""
        own = next((word for word in words if word.start == before.start(1)), None)
        form = own.feminine.strip() if own is not None else before[1]
        full = self.full.get(form.lower().replace("’", "'"))
        if full is None and own is None:
            return None
        return match_case(before[1], full or form)

    def _leads(self, text: str, word: GenderedWord, nouns: Sequence[GenderedWord]) -> bool:
        """Whether the noun follows with nothing but words between: *la nueva persona …*"""
        return any(
            word.end <= noun.start and re.fullmatch(r"(?:\s\w+)?\s*", text[word.end : noun.start])
            for noun in nouns
        )

    def _collective(
        self, text: str, article: GenderedWord, noun: GenderedWord
    ) -> Replacement | None:
        """*Con los profesores*, *dei cittadini*: a collective noun after a preposition."""
        known = self.collectives.get(noun.masculine.lower())
        if known is None or text[article.end : noun.start].strip():
            return None
        definite, collective = known
        written = article.masculine.lower().strip()
        preposition, start = self.fused.get(written, ""), article.start
        if not preposition:
            before = _LAST_WORD.search(text[: article.start])
            if before is None or before[1].lower() not in _PREPOSITIONS:
                return None
            preposition, start = before[1].lower(), before.start(1)
        form = self.fused.get(f"{preposition} {definite}", f"{preposition} {definite}")
        form += collective if form.endswith("'") else f" {collective}"
        return Replacement(start, noun.end, match_case(text[start : start + 2], form))


_PREPOSITIONS = word_set("de a con para por sin sobre contra hacia según per tra fra su di da")


def read_person_words(package: str) -> PersonWords:
    """The words of a language, from `neutral.toml` in its package."""
    lists = read_toml(package, "neutral")
    person, persons = lists["persons"].split()
    return PersonWords(
        persons=(person, persons),
        described=word_set(lists["described"]),
        left=tuple(re.compile(rf"\b{each}") for each in lists.get("left", ())),
        groups=lists.get("groups", {}),
        collectives={
            plural: (article, noun.replace("_", " "))
            for plural, article, noun in word_rows(lists["collectives"])
        },
        synonyms={row[0]: row[1] for row in word_rows(lists["synonyms"])},
        determiners=word_set(lists["determiners"]),
        pronouns=word_set(lists["pronouns"]),
        full=lists["full"],
        fused=lists.get("fused", {}),
    )
