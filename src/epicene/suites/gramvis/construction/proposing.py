"""The first steps: seed words, and what chat models propose on seeing them."""

from __future__ import annotations

import json
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from epicene.errors import RunError
from epicene.records import Decoding, Generate, Message, Positive, Record, Texts
from epicene.suites.construction import BuildSettings
from epicene.suites.gramvis.articles import bare_noun
from epicene.suites.gramvis.names import GRAMMARS, LANGUAGES, OWN, language_of
from epicene.suites.gramvis.words import read_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.suites.construction import Made, Reply, Row
    from epicene.suites.gramvis.names import Grammar
    from epicene.suites.gramvis.words import Word

# An object with its three glosses and forms has some fifty tokens; so many are room enough.
_TOKENS_EACH = 120

_GRAMMARS = {"M": "masculine", "F": "feminine"}
_PEOPLE = {"male": "man", "female": "woman"}


class GramvisBuild(BuildSettings, frozen=True, kw_only=True):
    """What may be chosen."""

    files: ClassVar[tuple[str, ...]] = ("seeds", "dictionaries")

    languages: tuple[str, ...] = ()  # all five, unless said
    seeds: str = ""  # a file of words, instead of ours
    examples: Positive = 6  # seeds shown of each kind
    number: Positive = 30  # words asked for of each kind, of every model
    dictionaries: tuple[str, ...] = ()  # files, beside the dictionaries that are installed
    people: Positive = 5  # who are asked about each meaning
    agree: Positive = 3  # how many of them must say the same
    temperature: float = 0.8


class Asking(Record, frozen=True, kw_only=True):
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
    """All that models are asked, as prompts.toml has it."""

    propose: Asking
    sort: Asking
    fields: dict[str, str]
    forms: dict[str, dict[str, str]]


@cache
def prompts() -> Prompts:
    """Our prompts."""
    text = Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Prompts)


# --- seeds ---------------------------------------------------------------------------------


def seeds(_made: Made, settings: GramvisBuild) -> Iterator[Row]:
    """A row for each prompt: a language, a gender, whom the words shall suggest, and seeds.

    Words whose stereotype equals their grammar are asked for as well: they are the controls.
    """
    words = read_words(Path(settings.seeds) if settings.seeds else None)
    asked = [language_of(name, "--set languages:") for name in settings.languages]
    for language in dict.fromkeys(asked or LANGUAGES):
        mine = [word for word in words if word.language == language]
        for grammar in GRAMMARS:
            for suggested in OWN.values():
                chosen = [w for w in mine if (w.grammar, w.stereotype) == (grammar, suggested)]
                shown = _spread(chosen, settings.examples)
                yield {
                    "id": f"{language.lower()}-{_GRAMMARS[grammar]}-{suggested}",
                    "language": language,
                    "grammar": grammar,
                    "suggested": suggested,
                    "seeds": [word.word for word in shown],
                    "messages": msgspec.to_builtins(
                        _messages(language, grammar, suggested, shown, settings.number)
                    ),
                }


def _spread(words: Sequence[Word], number: int) -> list[Word]:
    """So many words, taken in turn from all categories."""
    by_category: dict[str, list[Word]] = {}
    for word in words:
        by_category.setdefault(word.category, []).append(word)
    taken = [
        (place, category, word)
        for category, mine in by_category.items()
        for place, word in enumerate(mine)
    ]
    return [word for _, _, word in sorted(taken, key=lambda each: each[:2])[:number]]


def _messages(
    language: str, grammar: Grammar, suggested: str, shown: Sequence[Word], number: int
) -> tuple[Message, ...]:
    asking = prompts().propose
    fields = prompts().fields | prompts().forms.get(language, {})
    words = ", ".join(f"{word.word} ({word.english})" for word in shown)
    return asking.messages(
        language=LANGUAGES[language].capitalize(),
        grammar=_GRAMMARS[grammar],
        suggested=_PEOPLE[suggested],
        number=str(number),
        examples=asking.examples.replace("[words]", words) + "\n" if words else "",
        fields="\n".join(f'- "{name}": {about}' for name, about in fields.items()),
    )


# --- propose -------------------------------------------------------------------------------


def ask_to_propose(made: Made, settings: GramvisBuild) -> Iterator[Generate]:
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


def read_proposed(made: Made, _settings: GramvisBuild, replies: Iterable[Reply]) -> Iterator[Row]:
    """Every word of every answer; one that lacks something is dropped."""
    asked = {row["id"]: row for row in made["seeds"]}
    found = 0
    for reply in replies:
        assert isinstance(reply.answer, Texts)
        row = asked[reply.request.item]
        needed = prompts().fields | prompts().forms.get(row["language"], {})
        for number, given in enumerate(objects_in(reply.answer.only), start=1):
            fields = {name: _text(given.get(name)) for name in needed}
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
            "No model answered with a whole word; build into another folder with other models "
            "(--model proposers=SPEC,SPEC)."
        )


def objects_in(text: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects in an answer, whatever stands around them."""
    decoder = json.JSONDecoder()
    place = text.find("{")
    while place >= 0:
        try:
            found, end = decoder.raw_decode(text, place)
        except ValueError:
            end = place + 1
        else:
            if isinstance(found, dict):
                yield found
        place = text.find("{", end)


def _text(value: Any) -> str:
    """A field as text on one line, composed; anything but a text is nothing."""
    return " ".join(unicodedata.normalize("NFC", value).split()) if isinstance(value, str) else ""
