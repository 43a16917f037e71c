"""Sites of French words, and the changes made from them: forms, elision, capitals."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting import Change, sites
from epicene.rewriting.french.inflection import inflect, is_plural, shown_noun_gender
from epicene.rewriting.french.lexicon import read_lists, word_list
from epicene.rewriting.french.line import is_person
from epicene.rewriting.french.mentions import is_one_gender
from epicene.rewriting.french.phrases import SHORT_FORMS
from epicene.rewriting.persons import PERSONS
from epicene.rewriting.text import match_case
from epicene.rewriting.word_lists import word_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.rewriting import Confidence
    from epicene.rewriting.french.line import Line
    from epicene.rewriting.persons import Gender, Person, TargetGenders

# determiner: also a pronoun with a determiner's forms; pronoun: celui, il, le; tonic: lui, elle.
SiteKind: TypeAlias = Literal["adjective", "noun", "determiner", "pronoun", "tonic"]


class Target(NamedTuple):
    """What decides the form of a word."""

    kind: SiteKind
    plural: bool = False


Site: TypeAlias = sites.Site[Target]
Sites: TypeAlias = sites.Sites[Target]


class Agreement(NamedTuple):
    """A person that words agree with, and the sites that they are added to."""

    sites: Sites
    who: Person
    rule: str
    plural: bool = False
    sure: Confidence = "certain"

    def add(self, index: int, kind: SiteKind, sure: Confidence | None = None) -> None:
        """Add the site of a word that agrees."""
        weaker = sites.less_sure(sure or self.sure, self.sure)
        self.sites.add(Site(index, self.who, Target(kind, self.plural), self.rule, weaker))

    def by(self, rule: str, sure: Confidence | None = None) -> Agreement:
        """An agreement with the same person by another rule."""
        return self._replace(rule=rule, sure=sure or self.sure)


def _pairs(title: str) -> dict[str, str]:
    return {row[0]: row[1] for row in word_rows(read_lists("function_words")[title])}


_VOWELS = frozenset("aeiouyâêîôûàéèëïöœæhAEIOUYÂÊÎÔÛÀÉÈËÏÖŒÆH")
_BEFORE_VOWEL = {masculine: short for short, masculine in SHORT_FORMS.items()}
_PRONOUN_PAIRS = _pairs("pronoun_pairs")
_TONIC_PAIRS = _pairs("tonic_pairs")
_ELIDING = _pairs("eliding")
_ELIDED = {short: full for full, short in _ELIDING.items()}


# What a noun becomes where it says whose somebody is.
_KINSHIP_MASCULINES = {"fille": "fils", "filles": "fils", "femme": "mari", "femmes": "maris"}
_POSSESSIVE_DETERMINERS = word_list("function_words", "possessive_determiners")


_FORMS_OF_AVOIR = frozenset({"a", "ai", "as", "avait", "avais", "ont", "avaient", "eut", "aura"})


_ASPIRATED = word_list("function_words", "aspirated")


@cache
def _determiner_forms() -> dict[str, tuple[str, str, str]]:
    """The masculine, feminine and feminine before a vowel of a determiner, by each of its forms."""
    lists = read_lists("function_words")
    found = {}
    for masculine, feminine, short in word_rows(lists["determiners"]):
        for form in (masculine, feminine, short):
            found[form] = (masculine, feminine, short)
    found["cet"] = found["ce"]
    found["au"] = ("au", "à la", "à l'")
    found["du"] = ("du", "de la", "de l'")
    found["lequel"] = found["laquelle"] = ("lequel", "laquelle", "laquelle")
    found["auquel"] = ("auquel", "à laquelle", "à laquelle")
    found["duquel"] = ("duquel", "de laquelle", "de laquelle")
    for masculine, feminine in word_rows(lists["agreeing_determiners"]):
        found[masculine] = found[feminine] = (masculine, feminine, feminine)
    return found


def starts_with_vowel(word: str) -> bool:
    """Whether words before it are elided: l'homme, but le héros."""
    return word[:1] in _VOWELS and word.lower() not in _ASPIRATED


def make_changes(line: Line, found: Sites, wanted: TargetGenders) -> Iterator[Change]:
    """The changes of the sites whose form differs in the gender wanted for their person.

    Groups that may name women and men stay: le comte et les paysans.
    """
    generic = _generic_plurals(line, found, wanted)
    return _Renderer(line, [site for site in found if site.at not in generic], wanted).changes()


def make_all_changes(line: Line, found: Sites, wanted: TargetGenders) -> Iterator[Change]:
    """The changes of all sites, groups too."""
    return _Renderer(line, found, wanted).changes()


def _generic_plurals(line: Line, found: Sites, wanted: TargetGenders) -> set[int]:
    """The words for groups in the masculine, in a text that speaks of one person too.

    They do not stay if the text names men (les frères) or one of the group (l'un des experts), or
    if everybody gets one gender.
    """
    everybody = len(wanted) == len(PERSONS) and len(set(wanted.values())) == 1
    if wanted.get("others") != "feminine" or everybody:
        return set()
    others = {site.at: site for site in found if site.who == "others"}
    if not any(_names_one(line, others, site) for site in others.values()):
        return set()
    groups = [
        site.at
        for site in others.values()
        if site.target.plural and site.target.kind in {"noun", "pronoun", "tonic"}
    ]
    if any(is_one_gender(line[at]) or _is_partitive(line, at) for at in groups):
        return set()
    spans = {line.sentence(at) for at in groups}  # not: le père et la mère sont absents
    return {
        site.at
        for site in others.values()
        if site.target.plural and line.sentence(site.at) in spans
    }


def _names_one(line: Line, others: dict[int, Site], site: Site) -> bool:
    """Whether the word names one person, and shows their gender."""
    if site.target.plural:
        return False
    if site.target.kind == "noun":
        return shown_noun_gender(line[site.at]) is not None or site.at - 1 in others
    return site.target.kind in {"pronoun", "tonic"} and line[site.at] not in _ONE_OF_SEVERAL


_ONE_OF_SEVERAL = frozenset("celui celle celui-ci celle-ci celui-là celle-là chacun aucun".split())


def _is_partitive(line: Line, at: int) -> bool:
    """Whether one of the group is meant: un de ces experts, le meilleur des joueurs."""
    for before in range(at - 1, max(at - 5, 0), -1):
        if line[before] in {"des", "de", "d'"}:
            one = inflect(line[before - 1], "masculine")
            return one in {"un", "chacun", "aucun", "meilleur", "pire", "premier", "dernier"}
    return False


class _Renderer:
    """Renders the sites of one text in the genders wanted."""

    def __init__(self, line: Line, found: Iterable[Site], wanted: TargetGenders) -> None:
        self.line = line
        self.sites = {site.at: site for site in found if site.who in wanted}
        self.wanted = wanted
        self.apostrophe = "’" if "’" in line.text and "'" not in line.text else "'"

    def changes(self) -> Iterator[Change]:
        """The changes of all sites whose form differs."""
        for index, site in sorted(self.sites.items()):
            gender = self.wanted[site.who]
            start, end, after = self._replaced(index, site, gender)
            before = self.line.text[start:end]
            if before.replace("’", "'") != after.replace("’", "'"):
                after = after.replace("'", self.apostrophe)
                yield Change(
                    start=start,
                    end=end,
                    before=before,
                    after=after,
                    rule=f"{site.who} {gender}: {site.rule}",
                    sure=site.sure,
                    whose=site.who,
                )

    def _replaced(self, index: int, site: Site, gender: Gender) -> tuple[int, int, str]:
        """The span that is replaced, and its replacement."""
        token = self.line.tokens[index]
        after = self.form(index)
        if self.line[index] in {"m", "mme"}:
            return self._title(index, gender)
        if site.target.kind == "determiner":
            return self._contracted(index, after)
        if after == token.text or index - 1 in self.sites:
            return token.start, token.end, after
        return self._elided(index, after)

    def _title(self, index: int, gender: Gender) -> tuple[int, int, str]:
        """The span and replacement of M. or Mme; only one of them has a full stop."""
        token = self.line.tokens[index]
        if gender == "feminine":
            pointed = self.line.text[token.end : token.end + 1] == "." and self.line[index] == "m"
            return token.start, token.end + pointed, "Mme"
        return token.start, token.end, token.text if self.line[index] == "m" else "M."

    def _elided(self, index: int, after: str) -> tuple[int, int, str]:
        """The span and form of a word and the one before it, elided or not: de lui, d'elle."""
        token = self.line.tokens[index]
        before = self.line.tokens[index - 1] if index else token
        word, vowel = self.line[index - 1], starts_with_vowel(after)
        if (word, after.lower()) in {("s'", "elle"), ("s'", "elles")}:
            return before.start, token.end, f"{match_case(before.text, 'si')} {after}"
        if (word, after.lower()) in {("si", "il"), ("si", "ils")}:
            return before.start, token.end, match_case(before.text, "s'") + after
        if word in _ELIDING and vowel:
            return before.start, token.end, match_case(before.text, _ELIDING[word]) + after
        if word in _ELIDED and not vowel:
            return before.start, token.end, f"{match_case(before.text, _ELIDED[word])} {after}"
        return token.start, token.end, after

    def form(self, index: int) -> str:
        """The word in its final form."""
        text = self.line.tokens[index].text if 0 <= index < len(self.line) else ""
        site = self.sites.get(index)
        if site is None:
            return text
        word = self.line[index]
        return match_case(text, self._form(site, word, self.wanted[site.who]))

    def _form(self, site: Site, word: str, gender: Gender) -> str:
        if site.target.kind == "determiner":
            return self._determiner(site.at, word, gender)
        if site.target.kind == "pronoun":
            return _pair_member(_PRONOUN_PAIRS, word, gender)
        if site.target.kind == "tonic":
            return _pair_member(_TONIC_PAIRS, word, gender)
        if gender == "masculine" and word in _KINSHIP_MASCULINES and self._is_kinship_noun(site.at):
            return _KINSHIP_MASCULINES[word]
        if site.target.plural and not word.endswith(("s", "x", "z")):
            return word  # the words around it were misread
        if not site.target.plural and word.endswith("es") and not is_plural(word):
            return word
        word = SHORT_FORMS.get(word, word)
        kind = "noun" if site.target.kind == "noun" else "adjective"
        form = inflect(word, gender, kind, plural=site.target.plural or is_plural(word))
        if gender == "masculine" and not site.target.plural and form in _BEFORE_VOWEL:
            following = self.sites.get(site.at + 1)
            if following is not None and starts_with_vowel(self.form(site.at + 1)):
                return _BEFORE_VOWEL[form]
        return form

    def _is_kinship_noun(self, index: int) -> bool:
        """Whether the noun means a relative: sa fille, la fille de Paul, elle a trois filles."""
        before = index - 1
        while before in self.sites and self.sites[before].target.kind == "adjective":
            before -= 1
        if self.line[before] in _POSSESSIVE_DETERMINERS:
            return True
        if self.line[index] not in {"fille", "filles"}:
            return False
        free = not self.line.is_determiner(before)
        if free and self.line[before] not in self.line.closed.prepositions:
            return True  # je suis fille unique, but une école pour filles
        end = index + 1
        while end in self.sites and self.sites[end].target.kind == "adjective":
            end += 1
        bare = self.line[before] in self.line.closed.prepositions  # une école pour filles de …
        related = self.line[end] in {"de", "d'", "du", "des"} and not (
            self._names_a_place(end) and self.line[before] not in {"la", "l'"}
        )
        if related and not bare:
            return True
        return self.line[before - 1] in _FORMS_OF_AVOIR or self.line[before - 2] in {"père", "mère"}

    def _names_a_place(self, at: int) -> bool:
        """Whether what follows "de" is no parent: une fille de la campagne, de 12 ans."""
        first = at + (self.line[at] in {"de", "d'"})
        if self.line[first].isdigit():
            return True
        articled = self.line[first] in {"la", "l'", "du"}
        return articled and not (
            self.line.is_capital(first + 1)
            or is_person(self.line[first + 1])
            or is_person(self.line[first + 2])
        )

    def _determiner(self, index: int, word: str, gender: Gender) -> str:
        masculine, feminine, short = _determiner_forms()[word]
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
        return self.sites[index + 1].target.kind != "determiner"

    def _contracted(self, index: int, after: str) -> tuple[int, int, str]:
        """The span and form of an article, contracted or elided: à le, le before a vowel."""
        token = self.line.tokens[index]
        following = self.line.tokens[index + 1] if index + 1 < len(self.line) else token
        start, end = token.start, token.end
        if after.lower() in {"le", "lequel"} and self.line[index - 1] in {"à", "de"}:
            previous = self.line.tokens[index - 1]
            start = previous.start
            contracted = ("au" if self.line[index - 1] == "à" else "du") + after.lower()[2:]
            after = match_case(previous.text, contracted)
        if after.endswith("'"):
            end = following.start
        elif token.text.endswith(("'", "’")):
            after += " "
        return start, end, after


def _pair_member(pairs: dict[str, str], word: str, gender: Gender) -> str:
    for masculine, feminine in pairs.items():
        if word in {masculine, feminine}:
            return feminine if gender == "feminine" else masculine
    return word
