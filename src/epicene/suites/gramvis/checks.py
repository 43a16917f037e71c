"""Data checks for a word list: wrong forms are errors, doubtful words are warnings."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from epicene.core.records import Record
from epicene.suites import DataIssue
from epicene.suites.gramvis.articles import definite_article
from epicene.suites.gramvis.items import CATEGORIES, GRAMMARS, LANGUAGES, PromptItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.suites.gramvis.items import Grammar, LabelCounts, Word
    from epicene.suites.gramvis.protocol import GramvisProtocol

# With fewer words of a gender an effect is hardly to be told from chance.
MIN_DIVERGENT = 16
MIN_CONTROLS = 10
MIN_DIVERGENT_PER_LANGUAGE = 40

_NEEDED_FORMS = {"DE": ("genitive",), "RU": ("genitive", "accusative")}


class Counterparts(Record, frozen=True, kw_only=True):
    """The nouns for people that one language has in both genders: endings and a list."""

    pairs: tuple[tuple[str, str], ...]
    both_endings: tuple[str, ...]
    both: frozenset[str]
    neither: frozenset[str]


def check(
    items: Sequence[LabelCounts | PromptItem], _protocol: GramvisProtocol
) -> Iterator[DataIssue]:
    """Problems of the words in a list; counts are not checked."""
    # Each word is there once for each template.
    words = [item.entry for item in items if isinstance(item, PromptItem) and item.template == 1]
    yield from check_words(words)


def check_words(words: Sequence[Word]) -> Iterator[DataIssue]:
    """Errors that make a prompt wrong, and warnings about words that do not measure grammar."""
    for word in words:
        for severity, problems in _CHECKS:
            for message in problems(word):
                yield DataIssue(severity, word.id, message)
    yield from _repeated(words)
    yield from _too_few(words)


def counterpart(language: str, grammar: Grammar, noun: str) -> str:
    """A noun's form in the other gender, according to endings and a list; empty if none."""
    known = _counterparts().get(language)
    if known is None or noun in known.neither:
        return ""
    if noun in known.both or noun.endswith(known.both_endings):
        return noun
    own, other = (0, 1) if grammar == "M" else (1, 0)
    for pair in known.pairs:
        if noun.endswith(pair[own]):
            return noun.removesuffix(pair[own]) + pair[other]
    return ""


def _counterpart_problem(word: Word) -> Iterator[str]:
    other = counterpart(word.language, word.grammar, word.word)
    if other == word.word:
        yield "it is used in both genders, so its article shows who is meant."
    elif other:
        yield (
            f"it seems to have a counterpart in the other gender ({other}), so its gender "
            "shows who is meant."
        )


def _wrong_article(word: Word) -> Iterator[str]:
    if word.language not in LANGUAGES:
        return
    right = definite_article(word.language, word.grammar, word.word)
    if word.article != right:
        yield f"its article is {word.article!r} and should be {right!r}."


def _several_words(word: Word) -> Iterator[str]:
    if " " in word.word:
        yield "it is more than one word; only its head would agree."


def _missing_glosses(word: Word) -> Iterator[str]:
    for language in ("english", "chinese"):
        if not getattr(word, language):
            name = language.capitalize()
            yield f"it has no {name} gloss, so it has no {name} control."


def _wrong_forms(word: Word) -> Iterator[str]:
    missing = [form for form in _NEEDED_FORMS.get(word.language, ()) if not getattr(word, form)]
    for form in missing:
        yield f"it has no {form}, which its prompts need."
    if word.language == "DE" and not missing:
        yield from _wrong_german_forms(word)
    if word.language == "RU" and not missing:
        yield from _wrong_russian_forms(word)


def _wrong_german_forms(word: Word) -> Iterator[str]:
    """A feminine noun is its own genitive; a masculine one takes an ending, (e)s or (e)n."""
    article, _, noun = word.genitive.partition(" ")
    expected = "des" if word.grammar == "M" else "der"
    if article != expected:
        yield f"its genitive {word.genitive!r} should begin with {expected!r}."
    elif word.grammar == "F" and noun != word.word:
        yield f"its genitive is {noun!r}; a feminine noun does not change."
    elif word.grammar == "M" and not noun.endswith(("s", "n")):
        yield f"its genitive is {noun!r}; a masculine noun takes -s, -es, -n or -en."


def _wrong_russian_forms(word: Word) -> Iterator[str]:
    """-а becomes -у and -я becomes -ю; any other accusative is the nominative, or the genitive of
    an animate masculine noun.
    """
    stem, last = word.word[:-1], word.word[-1:]
    regular = [word.word, word.genitive] if word.grammar == "M" else [word.word]
    if last in "ая":
        regular = [stem + {"а": "у", "я": "ю"}[last]]
    if word.accusative not in regular:
        expected = " or ".join(regular)
        yield f"its accusative is {word.accusative!r} and should be {expected}."


_CHECKS: tuple[tuple[Literal["error", "warning"], Callable[[Word], Iterator[str]]], ...] = (
    ("warning", _counterpart_problem),
    ("error", _wrong_article),
    ("warning", _several_words),
    ("error", _missing_glosses),
    ("error", _wrong_forms),
)


def _repeated(words: Sequence[Word]) -> Iterator[DataIssue]:
    times = Counter((word.language, word.word.casefold()) for word in words)
    for (language, word), count in times.items():
        if count > 1:
            yield DataIssue("error", f"{language}/{word}", f"it is in the list {count} times.")


def _too_few(words: Sequence[Word]) -> Iterator[DataIssue]:
    times = Counter((word.language, word.grammar, word.control) for word in words)
    kinds = ((False, MIN_DIVERGENT, "divergent"), (True, MIN_CONTROLS, "control"))
    for language in dict.fromkeys(word.language for word in words):
        divergent = [word for word in words if word.language == language and not word.control]
        yield from _unbalanced(divergent, language)
        for grammar in GRAMMARS:
            for control, enough, name in kinds:
                count = times[language, grammar, control]
                if count < enough:
                    message = f"it has {count} {name} words; {enough} are needed."
                    yield DataIssue("warning", f"{language}, {grammar}", message)


def _unbalanced(divergent: Sequence[Word], language: str) -> Iterator[DataIssue]:
    if len(divergent) < MIN_DIVERGENT_PER_LANGUAGE:
        message = (
            f"it has {len(divergent)} divergent words; {MIN_DIVERGENT_PER_LANGUAGE} are needed."
        )
        yield DataIssue("warning", language, message)
    present = {word.category for word in divergent}
    if missing := [category for category in CATEGORIES if category not in present]:
        message = f"it has no divergent word in {', '.join(missing)}; all categories are needed."
        yield DataIssue("warning", language, message)


@cache
def _counterparts() -> dict[str, Counterparts]:
    text = (Path(__file__).parent / "counterparts.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Counterparts])
