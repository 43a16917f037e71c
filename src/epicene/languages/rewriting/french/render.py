"""From the words that agree to the changes in the text: forms, elision, capitals."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from epicene.languages.rewriting import Change
from epicene.languages.rewriting.french.inflection import inflect
from epicene.languages.rewriting.french.lexicon import Words, read, rows, words
from epicene.languages.rewriting.french.line import Line
from epicene.languages.rewriting.french.phrases import SHORT_FORMS
from epicene.languages.rewriting.french.sites import Site, Sites
from epicene.languages.rewriting.people import Gender, Wanted, cased_like

_VOWELS = frozenset("aeiouyâêîôûàéèëïöœæhAEIOUYÂÊÎÔÛÀÉÈËÏÖŒÆH")
_BEFORE_VOWEL = {masculine: short for short, masculine in SHORT_FORMS.items()}
_PRONOUNS = {
    "celui": "celle",
    "ceux": "celles",
    "celui-ci": "celle-ci",
    "celui-là": "celle-là",
    "ceux-ci": "celles-ci",
    "ceux-là": "celles-là",
    "il": "elle",
    "ils": "elles",
    "lui": "elle",
    "eux": "elles",
    "lui-même": "elle-même",
    "eux-mêmes": "elles-mêmes",
    "chacun": "chacune",
    "aucun": "aucune",
    "le": "la",
}


# What a noun becomes where it says whose somebody is.
_RELATIVES = {"fille": "fils", "filles": "fils", "femme": "mari", "femmes": "maris"}
_POSSESSIVES = frozenset(
    "mon ma ton ta son sa notre votre leur mes tes ses nos vos leurs".split()
)


@cache
def _aspirated() -> Words:
    return words(read("function_words")["aspirated"])


@cache
def _determiners() -> dict[str, tuple[str, str, str]]:
    """By every form: masculine, feminine, feminine before a vowel."""
    lists = read("function_words")
    found = {}
    for masculine, feminine, short in rows(lists["determiners"]):
        for form in (masculine, feminine, short):
            found[form] = (masculine, feminine, short)
    found["cet"] = found["ce"]
    found["au"] = ("au", "à la", "à l'")
    found["du"] = ("du", "de la", "de l'")
    found["auquel"] = ("auquel", "à laquelle", "à laquelle")
    found["duquel"] = ("duquel", "de laquelle", "de laquelle")
    for masculine, feminine in rows(lists["agreeing_determiners"]):
        found[masculine] = found[feminine] = (masculine, feminine, feminine)
    return found


def starts_with_vowel(word: str) -> bool:
    """Whether words before it are elided: l'homme, but le héros."""
    return word[:1] in _VOWELS and word.lower() not in _aspirated()


class Renderer:
    """The forms of one text's sites."""

    def __init__(self, line: Line, sites: Sites, wanted: Wanted) -> None:
        self.line = line
        self.sites = {site.index: site for site in sites if site.who in wanted}
        self.wanted = wanted

    def changes(self) -> Iterator[Change]:
        """A change for every site whose form is another."""
        for index, site in sorted(self.sites.items()):
            gender = self.wanted[site.who]
            token = self.line.tokens[index]
            before, after = token.text, self.form(index)
            end = token.end
            start = token.start
            if site.kind == "determiner":
                start, before, after, end = self._joined(index, after)
            if before.replace("’", "'") != after.replace("’", "'"):
                yield Change(
                    start=start,
                    end=end,
                    before=before,
                    after=after,
                    rule=f"{site.who} {gender}: {site.rule}",
                    sure=site.sure,
                )

    def form(self, index: int) -> str:
        """The word as it will stand there."""
        text = self.line.tokens[index].text if 0 <= index < len(self.line) else ""
        site = self.sites.get(index)
        if site is None:
            return text
        word = self.line[index]
        return cased_like(text, self._form(site, word, self.wanted[site.who]))

    def _form(self, site: Site, word: str, gender: Gender) -> str:
        if site.kind == "determiner":
            return self._determiner(site.index, word, gender)
        if site.kind == "pronoun":
            return _pronoun(word, gender)
        if gender == "masculine" and word in _RELATIVES and self._is_somebodys(site.index):
            return _RELATIVES[word]
        word = SHORT_FORMS.get(word, word)
        kind = "noun" if site.kind == "noun" else "adjective"
        form = inflect(word, gender, kind, plural=site.plural)  # type: ignore[arg-type]
        if gender == "masculine" and not site.plural and form in _BEFORE_VOWEL:
            following = self.sites.get(site.index + 1)
            if following is not None and starts_with_vowel(self.form(site.index + 1)):
                return _BEFORE_VOWEL[form]
        return form

    def _is_somebodys(self, index: int) -> bool:
        """sa fille, la fille de Paul: no girl but a daughter."""
        before = index - 1
        while before in self.sites and self.sites[before].kind == "adjective":
            before -= 1
        if self.line[before] in _POSSESSIVES:
            return True
        return self.line[index] == "fille" and self.line[index + 1] in {"de", "d'", "du"}

    def _determiner(self, index: int, word: str, gender: Gender) -> str:
        masculine, feminine, short = _determiners()[word]
        vowel = starts_with_vowel(self.form(index + 1))
        if masculine == "tout" and index + 1 in self.sites and self._is_adverb(index):
            # tout ému, tout émue, toute petite
            return feminine if gender == "feminine" and not vowel else masculine
        if gender == "feminine":
            return short if vowel else feminine
        if masculine == "le" and vowel:
            return "l'"
        return "cet" if masculine == "ce" and vowel else masculine

    def _is_adverb(self, index: int) -> bool:
        return self.sites[index + 1].kind != "determiner"

    def _joined(self, index: int, after: str) -> tuple[int, str, str, int]:
        """An article with what it grows together with: à le, de le, le before a vowel."""
        token = self.line.tokens[index]
        following = self.line.tokens[index + 1] if index + 1 < len(self.line) else token
        start, end = token.start, token.end
        if after.lower() in {"le", "lequel"} and self.line[index - 1] in {"à", "de"}:
            previous = self.line.tokens[index - 1]
            start = previous.start
            contracted = ("au" if self.line[index - 1] == "à" else "du") + after.lower()[2:]
            after = cased_like(previous.text, contracted)
        if after.endswith("'"):
            end = following.start
        elif token.text.endswith(("'", "’")):
            after += " "
        return start, self.line.text[start:end], after, end


def _pronoun(word: str, gender: Gender) -> str:
    for masculine, feminine in _PRONOUNS.items():
        if word in {masculine, feminine}:
            return feminine if gender == "feminine" else masculine
    return word
