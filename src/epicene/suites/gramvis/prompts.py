"""The prompts for a word in its own language, in English and in Chinese.

Our templates have slots for inflected forms, so that articles, cases and elisions are right. A file
in the authors' format has the single slot [NOUN], which takes the dictionary form as it is.
"""

from __future__ import annotations

import string
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regex

from epicene.core.data_files import read_toml_or_json
from epicene.core.errors import InputError
from epicene.core.records import Record
from epicene.suites.gramvis.articles import contracted_article, with_article
from epicene.suites.gramvis.items import CONDITIONS, condition_of, grammar_of, language_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.suites.gramvis.items import Word
    from epicene.suites.gramvis.own_languages import OwnLanguage
    from epicene.suites.gramvis.protocol import GramvisProtocol

TEMPLATE_FILE = Path(__file__).with_name("templates.toml")
ANY = "any"  # for languages without grammatical gender
NOUN = "[NOUN]"

_CONTROL_LANGUAGES = {"english": "EN", "en": "EN", "chinese": "ZH", "zh": "ZH"}
_ARTICLE = regex.compile(r"^an? ")
_SLOTS = {
    **dict.fromkeys(("FR", "ES", "IT"), frozenset({"noun", "the", "The", "of_the"})),
    "DE": frozenset({"noun", "the", "The", "genitive_article", "genitive_noun"}),
    "RU": frozenset({"noun", "the", "The", "genitive", "accusative"}),
    "EN": frozenset({"noun", "the", "The"}),
    "ZH": frozenset({"noun"}),
}


class Templates(Record, frozen=True, kw_only=True):
    """The templates of a file, by language and grammatical gender (`any` where there is none)."""

    source: str
    sets: dict[str, dict[str, tuple[str, ...]]]

    def of(self, language: str, grammar: str) -> tuple[str, ...]:
        """The templates for words of one gender; an error if there are none."""
        found = self.sets.get(language, {}).get(grammar, ())
        if not found:
            raise InputError(
                f"{self.source} has no templates for {language} ({grammar}); add them to the file."
            )
        return found

    def count(self, word: Word) -> int:
        """The number of templates for a word; each condition must have the same number."""
        languages = [prompt_language(word, condition) for condition in CONDITIONS]
        numbers = {each: len(self.of(each, _gender_of(word, each))) for each in languages}
        if len(set(numbers.values())) > 1:
            counted = ", ".join(f"{number} for {name}" for name, number in numbers.items())
            raise InputError(
                f"{self.source} has {counted}; each template needs a counterpart in every "
                "language for comparison."
            )
        return numbers[word.language]


def templates_of(protocol: GramvisProtocol) -> Templates:
    """The protocol's templates, with ours for the languages it lacks."""
    found = default_templates()
    if protocol.templates:
        given = templates_from(protocol.templates, "The file of templates", protocol.languages)
        found = with_default_languages(given)
    own = {
        code: {"M": each.templates.M, "F": each.templates.F}
        for code, each in protocol.languages.items()
    }
    if not own:
        return found
    added = templates_from(own, "The file of languages", protocol.languages)
    return Templates(
        source=f"{found.source} with {added.source}", sets={**added.sets, **found.sets}
    )


def prompt_language(word: Word, condition: str) -> str:
    """The code of the language in which a word is prompted under a condition."""
    return _CONTROL_LANGUAGES.get(condition, word.language)


def prompts_for(
    word: Word,
    condition: str,
    templates: Templates | None = None,
    own: Mapping[str, OwnLanguage] | None = None,
) -> tuple[str, ...]:
    """The prompts of a word under english, chinese or gendered (native), one per template."""
    condition = condition_of(condition, f"{word.id}:")
    language = prompt_language(word, condition)
    found = (templates or default_templates()).of(language, _gender_of(word, language))
    forms = slot_forms(word, language, own)
    try:
        return tuple(_fill_template(template, forms) for template in found)
    except KeyError as error:
        raise InputError(
            f"{word.id} has no {error.args[0]}; add it to the list of words."
        ) from None


def slot_forms(
    word: Word, language: str, own: Mapping[str, OwnLanguage] | None = None
) -> dict[str, str]:
    """The forms that fill the slots of a template in the word's own language, EN or ZH."""
    if own and language in own:
        return _forms_of_own_language(word, own[language])
    match language:
        case "ZH":
            return {"noun": _required_form(word, "chinese")}
        case "EN":
            gloss = _required_form(word, "english")
            noun = _ARTICLE.sub("", gloss.removeprefix("the "))
            return {"noun": noun, **_with_the(_ARTICLE.sub("the ", gloss))}
        case "DE":
            article, noun = _german_genitive(word)
            forms = {"genitive_article": article, "genitive_noun": noun}
        case "RU":
            forms = {case: _required_form(word, case) for case in ("genitive", "accusative")}
        case _:
            forms = {"of_the": with_article(_article_after_of(word), word.word)}
    return {"noun": word.word, **_with_the(with_article(word.article, word.word)), **forms}


def _forms_of_own_language(word: Word, own: OwnLanguage) -> dict[str, str]:
    """All known forms; the templates determine which are needed."""
    forms = {"noun": word.word, **_with_the(with_article(word.article, word.word))}
    if (contracted := own.of.get(word.article)) is not None:
        forms["of_the"] = with_article(contracted, word.word)
    cases = {"genitive": word.genitive, "accusative": word.accusative}
    return forms | {case: form for case, form in cases.items() if form}


@cache
def default_templates() -> Templates:
    """Epicene's own templates."""
    return read_templates(TEMPLATE_FILE)


def read_templates(path: Path) -> Templates:
    """A TOML or JSON file of templates by language (name or code), then m, f or any."""
    return templates_from(read_toml_or_json(path), str(path))


def templates_from(
    table: Mapping[str, Any], source: str, own: Mapping[str, OwnLanguage] | None = None
) -> Templates:
    """Templates from the table of such a file; `source` names it in messages."""
    sets: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, genders in table.items():
        language = _language(name, source, own or {})
        slots = own[language].slots if own and language in own else _SLOTS[language]
        if not isinstance(genders, dict):
            raise InputError(f"{source}, {name}, is not a table of m and f, or of any.")
        sets[language] = {
            _gender(gender, language, source): _check_templates(
                texts, language, slots, f"{source}, {name}, {gender},"
            )
            for gender, texts in genders.items()
        }
    for language, found in sets.items():
        if len({len(texts) for texts in found.values()}) > 1:
            raise InputError(f"{source}, {language}, has more templates for one gender.")
    return Templates(source=source, sets=sets)


def with_default_languages(templates: Templates) -> Templates:
    """Add our templates for languages that a file lacks, as the authors' file lacks Chinese."""
    given = {name: found for name, found in templates.sets.items() if any(found.values())}
    return Templates(source=templates.source, sets={**default_templates().sets, **given})


def _fill_template(template: str, forms: dict[str, str]) -> str:
    if NOUN in template:
        return template.replace(NOUN, forms["noun"])
    return template.format_map(forms)


def _with_the(phrase: str) -> dict[str, str]:
    return {"the": phrase, "The": phrase[:1].upper() + phrase[1:]}


def _required_form(word: Word, form: str) -> str:
    found = getattr(word, form)
    if not found:
        raise InputError(f"{word.id} has no {form}; add it to the list of words.")
    return str(found)


def _article_after_of(word: Word) -> str:
    article = contracted_article(word.language, word.article)
    if article is None:
        raise InputError(
            f"{word.id} has the article {word.article!r}; give the definite article, or none "
            "to have it found."
        )
    return article


def _german_genitive(word: Word) -> tuple[str, str]:
    article, space, noun = _required_form(word, "genitive").partition(" ")
    if not space:
        raise InputError(
            f"{word.id} has the genitive {article!r}; include its article, as in des Schatzes."
        )
    return article, noun


def _gender_of(word: Word, language: str) -> str:
    return ANY if language in _CONTROL_LANGUAGES.values() else word.grammar


def _language(name: str, source: str, own: Mapping[str, OwnLanguage]) -> str:
    control = _CONTROL_LANGUAGES.get(name.lower())
    return control or language_of(name, f"{source}:", own)


def _gender(name: str, language: str, source: str) -> str:
    if language in _CONTROL_LANGUAGES.values():
        if name != ANY:
            raise InputError(
                f"{source}, {language}, has templates for {name!r}; it must be {ANY!r}."
            )
        return ANY
    return grammar_of(name, f"{source}, {language}:")


def _check_templates(
    texts: Any, language: str, allowed: frozenset[str], location: str
) -> tuple[str, ...]:
    """Templates, each with a slot for the word and no unknown slots."""
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{location} is not a list of templates.")
    for text in texts:
        if NOUN in text:
            continue
        slots = _slots(text, location)
        if not slots:
            raise InputError(f"{location} has a template without a slot for the word: {text!r}.")
        if unknown := sorted(slots - allowed):
            known = ", ".join(sorted(allowed))
            raise InputError(f"{location} has the slot {unknown[0]!r}; {language} has {known}.")
    return tuple(texts)


def _slots(text: str, location: str) -> set[str]:
    try:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    except ValueError as error:
        raise InputError(
            f"{location} has a template with an unmatched brace ({error}): {text!r}."
        ) from None
