"""The gender that a translation gives a person: the noun for the role, its article, its pronoun.

The nouns are those of `roles/`, written for Epicene; related grammar is in `grammar.toml`. A noun
that is not found gives no gender, and one that shows none gives `neutral`: nothing is guessed.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import regex

from epicene.languages.tokenisation import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.suites.translation.items import Gender

HERE = Path(__file__).parent
LANGUAGES = ("ar", "de", "es", "fr", "hi", "it", "pt", "ru")
# Of these, the languages in which the pronoun, or the verb that agrees with it, is read.
PRONOUN_LANGUAGES = ("de", "fr", "hi", "ru")
_ROMANCE = ("es", "fr", "it", "pt")

_REACH = 2  # the words before a noun among which its determiner is looked for
_APOSTROPHES = regex.compile(r"[’ʼ＇]")

# Particles that Arabic writes together with the noun, and the article.
_ARABIC_PREFIX = regex.compile(r"^[وف]?(?:[بك]?ال|لل|[بلك])?")
_ARABIC_MARKS = regex.compile(r"[\u064b-\u0652\u0670\u0640]")
# Nouns that lose their last letter without an article: محام. Without theirs, other nouns are
# other words (صحفي, a journalist, and صحف, newspapers).
_ARABIC_DEFECTIVE = frozenset("ساقي طاهي قاضي ماشي محامي مربي مشتري مغني".split())

_GERMAN_ENDINGS = ("", "s", "es", "n", "en", "ns", "e")
_GERMAN_ADJECTIVE = ("", "r", "n", "m", "s")  # Angestellte, Angestellter, Angestellten
_LEAST_COMPOUND = 5  # letters of a noun that may be the last part of another
_GERMAN_DATIVE = frozenset("aus bei mit nach seit von zu gegenüber".split())
# The verb, which is no pronoun: zu sein; müde sein; sein wird.
_GERMAN_BE = regex.compile(
    r"(?<=\bzu )sein\b|\bsein(?=\s*(?:$|[^\s\w]|(?:und|oder|wird|würde|werden|würden|kann|könnte"
    r"|muss|musste|müsste|soll|sollte|will|wollte|möchte|darf|durfte|dürfte)\b))"
)

# Verbs of Hindi agree with their subject: वह आएगी, वह थी.
_HINDI_FEMININE = regex.compile(r"थीं?|.+गी|.+ती|रही|चुकी|ग(?:ई|यी)|.*हुई")
_HINDI_MASCULINE = regex.compile(r"था|.+गा|.+ता|रहा|चुका|गया|.*हुआ")
# Nouns look like verbs in -ता and -ती (सहायता, गलती), which an auxiliary or a new clause follows.
_HINDI_AFTER_VERB = frozenset(
    "है हैं हूँ हूं हो था थी थे थीं रहा रही और या कि तो जब अगर ताकि पर मगर लेकिन क्योंकि इसलिए".split()
)
_HINDI_NOUNS = frozenset(
    "अभिनेता धागा ज़िंदगी जिंदगी ज़िन्दगी जिन्दगी नाराज़गी नाराजगी नेता पिता माता विक्रेता सादगी".split()
)

# The past tense of a woman, after a subject: сказала, смеялась; or хирург, которая.
_RUSSIAN_PAST = regex.compile(r".+ла(?:сь)?|которая")
_RUSSIAN_BETWEEN = frozenset("еще не никогда сразу так также тоже уже".split())
_RUSSIAN_ADJECTIVE = regex.compile(r".+(?:ая|ую|[щч]ей|ой)")

# A participle after l'a, which agrees with a woman: l'a invitée.
_AGREES = regex.compile(r".+(?:ée|ie|ue|ise|ite)")
_FRENCH_HAVE = frozenset("a avait ait aurait".split())
# Before one, lui is him or her: pour lui parler.
_FRENCH_INFINITIVE = regex.compile(r".+(?:er|ir|re)")


class RoleNoun(NamedTuple):
    """A word for a role as a text may have it, and the gender it shows; "" if its article does."""

    word: str
    gender: Gender | Literal[""]


class EntityReading(NamedTuple):
    """The gender of a person in a translation (None if the person was not found), and what shows
    it."""

    gender: Gender | None
    word: str = ""
    by: str = ""  # noun, article, verb, pronoun

    @property
    def found(self) -> str:
        """What decided, in a few words."""
        return f"{self.word} ({self.by})" if self.word else ""


NOT_FOUND = EntityReading(None)

# Verbs that show the gender of a man and of a woman.
_VERBS = {"hi": ("वह था", "वह थी"), "ru": ("был", "была")}


@cache
def _grammar(language: str) -> Any:
    return tomllib.loads((HERE / "grammar.toml").read_text(encoding="utf-8"))[language]


@cache
def _determiners(language: str) -> Mapping[str, Gender]:
    rules = _grammar(language)
    return {
        **dict.fromkeys(rules["masculine"].split(), "masculine"),
        **dict.fromkeys(rules["feminine"].split(), "feminine"),
    }


def role_key(entity: str) -> str:
    """The name of a role in the lists: without an article, in lower case."""
    return regex.sub(r"^(?:the|an?)\s+", "", entity.strip().lower()).replace(" ", "_")


@cache
def known_roles(language: str) -> Mapping[str, tuple[RoleNoun, ...]]:
    """The nouns for each role in a language, in lower case, in every form that a text may have."""
    path = HERE / "roles" / f"{language}.toml"
    entries: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    return {role: tuple(_role_nouns(words, language)) for role, words in entries.items()}


def _role_nouns(entry: str, language: str) -> Iterator[RoleNoun]:
    for word in entry.lower().split():
        if word.startswith("="):
            yield from (RoleNoun(form, "neutral") for form in _forms(word[1:], language))
            continue
        masculine, _, feminine = word.partition("/")
        if not feminine:
            shown: Gender | Literal[""] = "masculine" if language in ("ar", "ru") else ""
            yield from (RoleNoun(form, shown) for form in _forms(masculine, language, both=True))
            continue
        women = dict.fromkeys(_forms(feminine, language))
        yield from (RoleNoun(form, "feminine") for form in women)
        for form in _forms(masculine, language) if masculine else ():
            if form not in women:
                yield RoleNoun(form, "masculine")


def _forms(word: str, language: str, *, both: bool = False) -> list[str]:
    """The forms of a noun in the singular; `both` if it names men and women alike."""
    match language:
        case "de" if both and word.endswith("e"):
            return [word + ending for ending in _GERMAN_ADJECTIVE]
        case "de" if not word.endswith("in"):
            return [word + ending for ending in _GERMAN_ENDINGS]
        case "ru":
            return [form.replace("ё", "е") for form in _russian_forms(word)]
        case "ar":
            return [word, word[:-1]] if word in _ARABIC_DEFECTIVE else [word]
    return [word]


def _russian_forms(word: str) -> list[str]:
    from epicene.rewriting.russian.declension import noun_forms

    if "-" in word:
        return [word]
    if word.endswith(("ый", "ий", "ой")):  # служащий, портной
        stem, soft = word[:-2], word.endswith("ий") and word[-3] != "к"
        instrumental = "им" if word.endswith("ий") else "ым"
        endings = ("его", "ему", "ем") if soft else ("ого", "ому", "ом")
        women = ("ая", "ую", "ей" if soft else "ой")
        return [word, *(stem + ending for ending in (*endings, instrumental, *women))]
    return list(dict.fromkeys(noun_forms(word)[0]))


def _tokens(text: str, language: str) -> list[str]:
    lower = text.lower()
    if language == "de":
        lower = _GERMAN_BE.sub("ist", lower)
    found = [lower[span.start : span.end] for span in words(lower, language)]
    if language == "ru":
        return [word.replace("ё", "е") for word in found]
    if language == "ar":
        return [_ARABIC_MARKS.sub("", word) for word in found]
    return [_APOSTROPHES.sub("'", word) for word in found]


def entity_gender(
    text: str, language: str, entity: str, *, where: float = 0.0, with_pronoun: bool = False
) -> EntityReading:
    """The gender of the person that `entity` names, in a translation.

    `where` is the relative position of the entity in the source, 0 to 1, for a text that has
    several such nouns. `with_pronoun` if the source has a gendered pronoun that refers to the
    entity: its translation is then read too, as `grammar.toml` says for the language.
    """
    nouns = known_roles(language).get(role_key(entity)) if language in LANGUAGES else None
    if nouns is None:
        return NOT_FOUND
    tokens = _tokens(text, language)
    # A whole word comes before a word that ends like it: Malerin, normaler.
    found = [
        (
            language == "de" and tokens[at] != noun.word,
            abs(at / max(len(tokens) - 1, 1) - where),
            not noun.gender,
            at,
            noun,
        )
        for at in range(len(tokens))
        for noun in nouns
        if _is_form(tokens[at], noun.word, language)
    ]
    if not found:
        return NOT_FOUND
    *_, at, noun = min(found, key=lambda each: each[:3])
    by_noun = _by_noun(tokens, at, noun, language)
    read = _grammar(language).get("pronouns") if with_pronoun else None
    if read is None or (read == "neutral" and by_noun.gender != "neutral"):
        return by_noun
    by_pronoun = _by_pronoun(tokens, at, language)
    return by_pronoun if by_pronoun.gender else by_noun


def _is_form(token: str, word: str, language: str) -> bool:
    if language == "de" and len(word) >= _LEAST_COMPOUND:
        # Chefredakteur, Rechtsberaterin; but Begleiter is no compound of Leiter
        return token.endswith(word) and not token.endswith("beg" + word)
    if language != "ar":
        return token == word or (word == "quelqu" and token.startswith("quelqu'"))
    bare = _ARABIC_PREFIX.sub("", token)
    return any(each in (word, word + "ا") for each in (token, bare))  # طبيبا, the accusative


def _by_noun(tokens: list[str], at: int, noun: RoleNoun, language: str) -> EntityReading:
    """The gender that the noun shows, or the determiner before it."""
    if language == "ru" and (found := _by_russian_agreement(tokens, at, noun)):
        return found
    article = tokens[at - 1] if at and language in _ROMANCE else ""
    if noun.gender == "masculine" and _determiners(language).get(article) == "feminine":
        return EntityReading("feminine", f"{article} {tokens[at]}", "article")  # la médecin
    if noun.gender:
        return EntityReading(noun.gender, tokens[at], "noun")
    for back in range(1, min(_REACH, at) + 1):
        gender = _by_determiner(tokens, at - back, tokens[at], language)
        if gender:
            return EntityReading(gender, f"{tokens[at - back]} {tokens[at]}", "article")
    if language == "de" and noun.word == tokens[at] and tokens[at].endswith("er"):
        return EntityReading("masculine", tokens[at], "noun")
    return EntityReading("neutral", tokens[at], "noun")


def _by_russian_agreement(tokens: list[str], at: int, noun: RoleNoun) -> EntityReading | None:
    """A woman under a masculine title: служащая; эта врач; хирург не сказала."""
    word = tokens[at]
    if noun.gender != "masculine":
        return None
    if _RUSSIAN_ADJECTIVE.fullmatch(word) and word not in ("больной", "портной"):
        return EntityReading("feminine", word, "noun")
    if at and _determiners("ru").get(tokens[at - 1]) == "feminine":
        return EntityReading("feminine", f"{tokens[at - 1]} {word}", "article")
    after = at + 1
    while after < len(tokens) and tokens[after] in _RUSSIAN_BETWEEN:
        after += 1
    is_subject = word == "судья" or word[-1] not in "аяуюеми"
    if is_subject and after < len(tokens) and _RUSSIAN_PAST.fullmatch(tokens[after]):
        return EntityReading("feminine", f"{word} {tokens[after]}", "verb")
    return None


def _by_determiner(tokens: list[str], at: int, word: str, language: str) -> Gender | None:
    determiner = tokens[at]
    if language != "de" or determiner != "der":
        if language == "de" and determiner == "die" and word.endswith("en"):
            return None  # a plural
        return _determiners(language).get(determiner)
    # der is a man in the nominative and a woman in the dative and genitive.
    if word.endswith(("te", "ten", "de", "den")):
        return "feminine" if word.endswith("en") else "masculine"
    return "feminine" if at and tokens[at - 1] in _GERMAN_DATIVE else "masculine"


def _by_pronoun(tokens: list[str], noun: int, language: str) -> EntityReading:
    """The gender of the pronoun that renders the English one."""
    if language == "hi":
        return _by_hindi_verb(tokens)
    rules = _grammar(language)
    if language == "fr":
        return _by_french_pronoun(tokens, noun, rules)
    for he, she in zip(rules["he"], rules["she"], strict=True):
        men = [token for token in tokens if token in he.split()]
        women = [token for token in tokens if token in she.replace("ё", "е").split()]
        if men and women:
            return NOT_FOUND  # one of them is somebody else
        if men or women:
            return EntityReading("masculine" if men else "feminine", (men or women)[0], "pronoun")
    return NOT_FOUND


def _by_french_pronoun(tokens: list[str], noun: int, rules: Any) -> EntityReading:
    before = ["", *tokens[:-1]]
    prepositions = rules["after_prepositions"].split()
    men = [
        token
        for at, (token, previous) in enumerate(zip(tokens, before, strict=True))
        if (token == "il" and not _is_impersonal(tokens[at + 1 : at + 3], rules))
        or (
            token == rules["he_stressed"]
            and previous in prepositions
            and not _FRENCH_INFINITIVE.fullmatch("".join(tokens[at + 1 : at + 2]))
        )
    ]
    women = [token for token in tokens if token in rules["she"]]
    if men and women:
        return NOT_FOUND
    if men or women:
        return EntityReading("masculine" if men else "feminine", (men or women)[0], "pronoun")
    for at in range(len(tokens) - 2):
        pronoun, have, participle = tokens[at : at + 3]
        if pronoun == "l'" and have in _FRENCH_HAVE and _AGREES.fullmatch(participle):
            return EntityReading("feminine", participle, "pronoun")
    # After l' the noun phrase shows no article, and an object pronoun says more than the noun.
    if noun and tokens[noun - 1] == "l'":
        for at in range(noun + 1, len(tokens) - 1):
            if tokens[at] == "la" and tokens[at - 1] in ("et", "puis", "mais"):
                return EntityReading("feminine", "la", "pronoun")
    return NOT_FOUND


def _is_impersonal(after: list[str], rules: Any) -> bool:
    """Whether `il` before these words is nobody: il faut, il le fallait, il était tard."""
    impersonal = rules["impersonal"].split()
    verb, following = [*after, "", ""][:2]
    if verb in ("le", "lui", "leur", "en", "ne"):
        return following in impersonal
    return verb in impersonal or following in rules["impersonal_with"].get(verb, "").split()


def _by_hindi_verb(tokens: list[str]) -> EntityReading:
    """The gender of the last verb after वह, which agrees with it."""
    if "वह" not in tokens:
        return NOT_FOUND
    for at in range(len(tokens) - 1, tokens.index("वह"), -1):
        token, after = tokens[at], "".join(tokens[at + 1 : at + 2])
        if token in _HINDI_NOUNS:
            continue
        if token.endswith(("ता", "ती")) and after and after not in _HINDI_AFTER_VERB:
            continue
        if _HINDI_FEMININE.fullmatch(token):
            return EntityReading("feminine", token, "pronoun")
        if _HINDI_MASCULINE.fullmatch(token):
            return EntityReading("masculine", token, "pronoun")
    return NOT_FOUND


def example_text(language: str, entity: str, gender: Gender) -> str:
    """The fewest words that show a person of that gender; "" if our lists have none."""
    nouns = known_roles(language).get(role_key(entity), ()) if language in LANGUAGES else ()
    rules = _grammar(language) if nouns else {}
    for noun in sorted(nouns, key=lambda each: each.gender != gender):
        article = rules[gender].split()[:1] if not noun.gender else []
        after = rules["he" if gender == "masculine" else "she"][:1] if "he" in rules else []
        if language in _VERBS:
            after = _VERBS[language][gender == "feminine"].split()
        text = " ".join([*article, noun.word, *after])
        if entity_gender(text, language, entity, with_pronoun=True).gender == gender:
            return text
    return ""


@cache
def _stereotypes() -> Mapping[str, Gender]:
    rules = tomllib.loads((HERE / "stereotypes.toml").read_text(encoding="utf-8"))
    return {
        **dict.fromkeys(rules["masculine"].split(), "masculine"),
        **dict.fromkeys(rules["feminine"].split(), "feminine"),
    }


def stereotype_of(entity: str, gender: str) -> Literal["pro", "anti", ""]:
    """Whether a gender is the one that most people in a role have; "" if that is not known."""
    usual = _stereotypes().get(role_key(entity))
    if usual is None or gender == "neutral":
        return ""
    return "pro" if gender == usual else "anti"
