"""The steps that ask: chat models for words and categories, people for stereotypes."""

from __future__ import annotations

import json
import tomllib
import unicodedata
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import regex

from epicene.core.errors import InputError, RunError
from epicene.core.records import Decoding, Generate, Message, Positive, Record, Texts, digest
from epicene.suites.construction import BuildSettings, kept_rows
from epicene.suites.gramvis.articles import bare_noun
from epicene.suites.gramvis.items import (
    CATEGORIES,
    GRAMMAR_NAMES,
    GRAMMARS,
    LABEL_OF_GRAMMAR,
    LANGUAGES,
    language_of,
)
from epicene.suites.gramvis.studies.word_meanings import (
    QUESTIONS,
    STEREOTYPE,
    agreed_label,
    meaning_item,
    meaning_key,
    read_study,
)
from epicene.suites.gramvis.word_lists import read_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.studies.design.schema import Response, Study
    from epicene.suites.construction import ModelReply, StepOutputs, StepRow
    from epicene.suites.gramvis.items import Grammar, Word

# An object with its three glosses and forms has about fifty tokens, so this is enough.
_TOKENS_EACH = 120

_PEOPLE = {"male": "man", "female": "woman"}


class GramvisBuild(BuildSettings, frozen=True, kw_only=True):
    """The settings of a build."""

    files: ClassVar[tuple[str, ...]] = ("seeds", "dictionaries")

    languages: tuple[str, ...] = ()  # all five by default
    seeds: str = ""  # a file of words, instead of ours
    examples: Positive = 6  # seeds shown for each kind of word
    number: Positive = 30  # words that each model is asked for, per kind
    dictionaries: tuple[str, ...] = ()  # files, in addition to installed dictionaries
    people: Positive = 5  # asked about each meaning
    agree: Positive = 3  # people who must give the same answer
    temperature: float = 0.8


class PromptTemplate(Record, frozen=True, kw_only=True):
    """A prompt with slots."""

    system: str
    user: str
    examples: str = ""

    def messages(self, **slots: str) -> tuple[Message, ...]:
        """The prompt, filled in."""
        turns = []
        for role, text in (("system", self.system), ("user", self.user)):
            for name, value in slots.items():
                text = text.replace(f"[{name}]", value)
            turns.append(msgspec.convert({"role": role, "content": text.strip()}, Message))
        return tuple(turns)


class Prompts(Record, frozen=True, kw_only=True):
    """The prompts for models, from prompts.toml."""

    propose: PromptTemplate
    sort: PromptTemplate
    fields: dict[str, str]
    forms: dict[str, dict[str, str]]


@cache
def prompts() -> Prompts:
    """The prompts as prompts.toml has them."""
    text = Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Prompts)


# --- seeds ---------------------------------------------------------------------------------


def seed_prompts(_made: StepOutputs, settings: GramvisBuild) -> Iterator[StepRow]:
    """A row for each prompt: a language, a gender, the stereotype to suggest, and seeds.

    Words whose stereotype equals their grammar are asked for as well: they are the controls.
    """
    words = read_words(Path(settings.seeds) if settings.seeds else None)
    asked = [language_of(name, "--set languages:") for name in settings.languages]
    for language in dict.fromkeys(asked or LANGUAGES):
        own = [word for word in words if word.language == language]
        for grammar in GRAMMARS:
            for suggested in LABEL_OF_GRAMMAR.values():
                chosen = [w for w in own if (w.grammar, w.stereotype) == (grammar, suggested)]
                shown = _spread_over_categories(chosen, settings.examples)
                yield {
                    "id": f"{language.lower()}-{GRAMMAR_NAMES[grammar]}-{suggested}",
                    "language": language,
                    "grammar": grammar,
                    "suggested": suggested,
                    "seeds": [word.word for word in shown],
                    "messages": msgspec.to_builtins(
                        _proposal_messages(language, grammar, suggested, shown, settings.number)
                    ),
                }


def _spread_over_categories(words: Sequence[Word], number: int) -> list[Word]:
    """A number of words, taken in turn from all categories."""
    by_category: dict[str, list[Word]] = {}
    for word in words:
        by_category.setdefault(word.category, []).append(word)
    ranked = [
        (index, category, word)
        for category, members in by_category.items()
        for index, word in enumerate(members)
    ]
    return [word for _, _, word in sorted(ranked, key=lambda each: each[:2])[:number]]


def _proposal_messages(
    language: str, grammar: Grammar, suggested: str, shown: Sequence[Word], number: int
) -> tuple[Message, ...]:
    asking = prompts().propose
    fields = prompts().fields | prompts().forms.get(language, {})
    words = ", ".join(f"{word.word} ({word.english})" for word in shown)
    return asking.messages(
        language=LANGUAGES[language].capitalize(),
        grammar=GRAMMAR_NAMES[grammar],
        suggested=_PEOPLE[suggested],
        number=str(number),
        examples=asking.examples.replace("[words]", words) + "\n" if words else "",
        fields="\n".join(f'- "{name}": {about}' for name, about in fields.items()),
    )


# --- propose -------------------------------------------------------------------------------


def ask_for_words(made: StepOutputs, settings: GramvisBuild) -> Iterator[Generate]:
    """One prompt for each row of seeds."""
    for row in made["seeds"]:
        yield Generate(
            item=row["id"],
            language=row["language"].lower(),
            prompt=msgspec.convert(row["messages"], tuple[Message, ...]),
            decoding=Decoding(
                max_new_tokens=_TOKENS_EACH * settings.number,
                temperature=settings.temperature,
                seed=settings.seed,
            ),
        )


def read_words_proposed(
    made: StepOutputs, _settings: GramvisBuild, replies: Iterable[ModelReply]
) -> Iterator[StepRow]:
    """Every word of every answer; one that lacks something is dropped."""
    asked = {row["id"]: row for row in made["seeds"]}
    found = 0
    for reply in replies:
        assert isinstance(reply.answer, Texts)
        row = asked[reply.request.item]
        needed = prompts().fields | prompts().forms.get(row["language"], {})
        for number, proposal in enumerate(json_objects_in(reply.answer.only), start=1):
            fields = {name: _text(proposal.get(name)) for name in needed}
            fields["word"] = bare_noun(row["language"], fields["word"])
            missing = [name for name, text in fields.items() if not text]
            found += not missing
            yield {
                "id": f"{row['id']} {reply.model} {number:02}",
                "language": row["language"],
                "grammar": row["grammar"],
                **fields,
                "model": reply.described,
                "dropped": f"has no {missing[0]}" if missing else "",
            }
    if not found:
        raise RunError(
            "No model answered with a complete word; build into another folder with other "
            "models (--model proposers=SPEC,SPEC)."
        )


def json_objects_in(text: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects in an answer, whatever text surrounds them."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except ValueError:
            end = start + 1
        else:
            if isinstance(found, dict):
                yield found
        start = text.find("{", end)


def _text(value: Any) -> str:
    """A field as text on one line, composed; anything but a text is nothing."""
    return " ".join(unicodedata.normalize("NFC", value).split()) if isinstance(value, str) else ""


NEITHER = "neither"


def rows_by_meaning(rows: Iterable[StepRow]) -> dict[str, list[StepRow]]:
    """The words of each English meaning, whatever their languages."""
    together: dict[str, list[StepRow]] = defaultdict(list)
    for row in rows:
        together[meaning_key(row["english"])].append(row)
    return dict(together)


def stereotype_study(made: StepOutputs, settings: GramvisBuild) -> Study:
    """Every meaning once; neither the words nor their grammar are shown."""
    if 2 * settings.agree <= settings.people or settings.agree > settings.people:
        raise InputError(
            f"{settings.agree} of {settings.people} people cannot decide; --set agree= must be "
            "more than half of them and at most their number."
        )
    items = tuple(
        meaning_item(rows[0]["english"], (row["id"] for row in rows))
        for rows in rows_by_meaning(kept_rows(made["look-up"])).values()
    )
    return msgspec.structs.replace(read_study(STEREOTYPE), items=items, judgements=settings.people)


def read_stereotypes(
    _made: StepOutputs, settings: GramvisBuild, study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """People's answers on each meaning, and the one that enough of them gave."""
    answers: dict[str, list[StepRow]] = defaultdict(list)
    for response in responses:
        label = str(response.answers[QUESTIONS[STEREOTYPE]])
        answers[response.item].append({"person": response.participant, "said": label})
    for item in study.items:
        labels = [each["said"] for each in answers[item.id]]
        yield {
            "id": item.id,
            "english": item.fields["meaning"],
            "given": answers[item.id],
            "votes": dict(Counter(labels)),
            # More people than were asked for make a majority no smaller.
            "suggests": agreed_label(labels, max(settings.agree, len(labels) // 2 + 1)),
        }


def mark_divergent(made: StepOutputs, _settings: GramvisBuild) -> Iterator[StepRow]:
    """Each word with its stereotype, and whether its grammar says otherwise."""
    suggested = {meaning_key(row["english"]): row["suggests"] for row in made["suggest"]}
    for row in kept_rows(made["look-up"]):
        stereotype = suggested[meaning_key(row["english"])]
        yield {
            **row,
            "stereotype": stereotype,
            "diverges": stereotype in LABEL_OF_GRAMMAR.values()
            and stereotype != LABEL_OF_GRAMMAR[row["grammar"]],
            "dropped": _why_not(stereotype),
        }


def _why_not(stereotype: str) -> str:
    if not stereotype:
        return "people do not agree on whom it suggests"
    return "suggests neither gender" if stereotype == NEITHER else ""


# A name may come with a space or a hyphen, and a plural or singular s more or less.
def _category_pattern(category: str) -> regex.Pattern[str]:
    parts = (f"{part.removesuffix('s')}s?" for part in category.split("_"))
    return regex.compile(rf"\b{'[_ -]'.join(parts)}\b", regex.IGNORECASE)


_CATEGORY_PATTERNS = {category: _category_pattern(category) for category in CATEGORIES}


def ask_for_categories(made: StepOutputs, settings: GramvisBuild) -> Iterator[Generate]:
    """Every meaning that is left, once."""
    for rows in rows_by_meaning(kept_rows(made["diverge"])).values():
        meaning = rows[0]["english"]
        yield Generate(
            item=_request_id(meaning),
            language="en",
            prompt=prompts().sort.messages(meaning=meaning),
            decoding=Decoding(max_new_tokens=256, seed=settings.seed),
            choices=CATEGORIES,
        )


def _request_id(meaning: str) -> str:
    """The id of a meaning's request; stored answers depend on it."""
    return digest("meaning", meaning_key(meaning)).hex()[:12]


def read_categories(
    made: StepOutputs, _settings: GramvisBuild, replies: Iterable[ModelReply]
) -> Iterator[StepRow]:
    """Each model's category of each meaning, and the one that more than half of them gave."""
    by_request: dict[str, dict[str, str]] = {}
    for reply in replies:
        assert isinstance(reply.answer, Texts)
        categories = by_request.setdefault(reply.request.item, {})
        categories[reply.described] = category_in(reply.answer.only)
    for rows in rows_by_meaning(kept_rows(made["diverge"])).values():
        meaning = rows[0]["english"]
        categories = by_request[_request_id(meaning)]
        category = agreed_label(filter(None, categories.values()), len(categories) // 2 + 1)
        yield {
            "english": meaning,
            "said": categories,
            "category": category,
            "dropped": "" if category else "models do not agree on a category",
        }


def category_in(answer: str) -> str:
    """The one category that an answer names; empty if none or several."""
    named = [category for category, pattern in _CATEGORY_PATTERNS.items() if pattern.search(answer)]
    return named[0] if len(named) == 1 else ""


def category_rows(made: StepOutputs) -> dict[str, StepRow]:
    """The sorted row of each meaning."""
    return {meaning_key(row["english"]): row for row in made["sort"]}
