"""A suite without Python: `epicene run probe.toml` fills templates with word lists and asks them.

A probe is data: its text is stored in the run folder, and nothing else is needed to read a run.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import regex

from epicene.core.data_files import parse_toml, read_rows, read_text
from epicene.core.errors import InputError, unknown
from epicene.core.records import (
    Completions,
    Decoding,
    Fill,
    Generate,
    Judgement,
    Message,
    Positive,
    Record,
    Scores,
    Texts,
)
from epicene.languages.tokenisation import words as words_of
from epicene.suites import FRAME_COLUMNS
from epicene.suites.definition import SuiteDefinition, choose
from epicene.suites.definition_functions import MEASURE
from epicene.suites.definition_items import RowItem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.core.records import Answer, Completion, Request
    from epicene.suites import Suite

PROBE_FILE = "probe.toml"  # the probe's copy in a run folder

_SLOT = regex.compile(r"\{([^{}]*)\}")
_GAP = "gap"
_NOTHING_FOUND = "none of them"
_RESERVED = frozenset({*FRAME_COLUMNS, MEASURE, "template", _GAP})
_SETTINGS: Mapping[str, tuple[str, ...]] = {  # what `--set` can change
    "choose": (),
    "fill": ("top",),
    "continue": ("samples", "temperature", "max_new_tokens"),
}


class Probe(Record, frozen=True, kw_only=True):
    """The content of a probe file."""

    name: str
    ask: Literal["choose", "fill", "continue"]
    templates: tuple[str, ...]
    about: str = ""
    language: str = ""
    version: str = "1"
    licence: str = ""
    source: str = ""
    words: dict[str, str | tuple[str | dict[str, str], ...]] = {}
    choices: tuple[str, ...] = ()  # what the gap is filled with
    labels: dict[str, tuple[str, ...]] = {}  # of what a model writes, by the words that give it
    right: str = ""  # the right choice or label; may have slots
    group: str = ""  # the word list whose words intervals are over; the first slot's, by default
    chat: bool = False  # the prompt is a user's message
    samples: Positive = 1
    temperature: float = 0.0
    max_new_tokens: Positive = 30
    top: Positive = 10


def read_probe(path: Path) -> Probe:
    """Read and check a probe file."""
    content = parse_toml(read_text(path), path)
    for key in content:
        if key not in Probe.__struct_fields__:
            raise InputError(f"{path}: {unknown('key', key, Probe.__struct_fields__)}")
    try:
        probe = msgspec.convert(content, Probe)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}.") from None
    for problem in _problems(probe):
        raise InputError(f"{path}: {problem}")
    return probe


def _problems(probe: Probe) -> Iterator[str]:
    """What is wrong with a probe, in sentences."""
    if not probe.templates:
        yield "it needs at least one template."
    if probe.ask == "choose" and len(set(probe.choices)) < 2:
        yield "`choices` must have two or more different choices."
    if clash := sorted(_RESERVED & probe.words.keys()):
        yield (
            f"a word list cannot be named {clash[0]!r}, because results have a column with that "
            "name."
        )
    if probe.group and probe.group not in probe.words:
        yield str(unknown("word list", probe.group, probe.words))
    yield from _label_problems(probe)
    yield from _slot_problems(probe)


def _label_problems(probe: Probe) -> Iterator[str]:
    if probe.ask != "continue":
        if probe.labels or probe.chat:
            yield 'only `ask = "continue"` can have labels or be a chat.'
        return
    if not probe.labels:
        yield '`[labels]` must list the words of each label, as in he = ["he", "him"].'
    if probe.choices:
        yield '`ask = "continue"` has labels, not choices.'
    labels: dict[str, str] = {}
    for label, words in probe.labels.items():
        if not words:
            yield f"the label {label!r} has no words."
        for word in words:
            if [word] != [word[span.start : span.end] for span in words_of(word, probe.language)]:
                yield f"{word!r} is not a single word, so it would never give the label {label!r}."
            if labels.setdefault(word.casefold(), label) != label:
                yield f"{word!r} is in the words of two labels."


def _slot_problems(probe: Probe) -> Iterator[str]:
    for number, template in enumerate(probe.templates, start=1):
        gaps = _SLOT.findall(template).count(_GAP)
        if gaps != (0 if probe.ask == "continue" else 1):
            wanted = "no {gap}" if probe.ask == "continue" else "{gap} once"
            yield f"template {number} must have {wanted}: {template!r}"
    for text in (*probe.templates, probe.right):
        for slot in _SLOT.findall(text):
            name = slot.partition(".")[0]
            if slot != _GAP and name not in probe.words:
                yield f"{unknown('word list', name, [*probe.words, _GAP])} (in {text!r})"


def load_probe(path: Path) -> Suite[Any, Any]:
    """The suite that a probe file defines."""
    probe = read_probe(path)
    definition = SuiteDefinition(
        probe.name,
        items=lambda: list(_items(probe, path.parent)),
        languages=[probe.language] if probe.language else [],
        facets=(),
        settings={name: getattr(probe, name) for name in _SETTINGS[probe.ask]},
        protocols={},
        item=RowItem,
        columns={},
        version=probe.version,
        card={
            "title": probe.name,
            "about": probe.about,
            "chance": f"1 in {len(probe.choices)}" if probe.choices else "",
            "source": probe.source,
            "data_licence": probe.licence,
        },
        file=path,
        parts={},
    )

    @definition.ask
    def ask(item: RowItem, settings: Any) -> Request:
        return _request(probe, item, settings)

    @definition.judge
    def judge(item: RowItem, answer: Answer) -> list[Judgement]:
        return [_judgement(item, found) for found in _found(probe, answer)]

    return definition.suite


# --- items: templates × words ----------------------------------------------------------------


def _items(probe: Probe, folder: Path) -> Iterator[dict[str, Any]]:
    """One row per template and combination of words; only the lists that a template names are
    used."""
    lists = {name: _word_list(name, given, folder) for name, given in probe.words.items()}
    for number, template in enumerate(probe.templates, start=1):
        used = f"{template} {probe.right}"
        names = [
            name
            for name in dict.fromkeys(slot.partition(".")[0] for slot in _SLOT.findall(used))
            if name != _GAP
        ]
        for chosen in product(*(lists[name] for name in names)):
            values = dict(zip(names, chosen, strict=True))
            right = _filled(probe.right, values)
            if right and right not in (probe.choices or probe.labels or (right,)):
                known = probe.choices or tuple(probe.labels)
                raise InputError(f"{unknown('choice', right, known, every=True)} (as `right`)")
            group = probe.group or (names[0] if names else "")
            texts = {name: words["text"] for name, words in values.items()}
            yield {
                "id": "-".join([str(number), *texts.values()]),
                "group": texts.get(group, str(number)),
                "text": _filled(template, values),
                "right": right,
                "facets": {
                    "template": str(number),
                    **texts,
                    **{
                        f"{name} {column}": value
                        for name, words in values.items()
                        for column, value in words.items()
                        if column != "text"
                    },
                },
            }


def _word_list(
    name: str, given: str | tuple[str | dict[str, str], ...], folder: Path
) -> list[dict[str, str]]:
    """The words of a list, each with its columns: written in the probe, or in a file."""
    if isinstance(given, str):
        rows = [
            {key: str(value) for key, value in row.values.items()}
            for row in read_rows(folder / given)
        ]
    else:
        rows = [{"text": word} if isinstance(word, str) else word for word in given]
    if not rows:
        raise InputError(f"The word list {name} is empty.")
    for row in rows:
        if not row.get("text"):
            raise InputError(f"A word of the list {name} has no `text`: {row}.")
    return rows


def _filled(template: str, values: Mapping[str, Mapping[str, str]]) -> str:
    """The template with its slots filled, except the gap."""

    def word(slot: regex.Match[str]) -> str:
        name, _, column = slot[1].partition(".")
        if name == _GAP:
            return slot[0]
        words = values[name]
        if (column or "text") not in words:
            raise InputError(f"{unknown(f'column in the word list {name}', column, words)}")
        return words[column or "text"]

    return str(_SLOT.sub(word, template))


# --- requests and judgements -----------------------------------------------------------------


def _request(probe: Probe, item: RowItem, settings: Any) -> Request:
    before, _, after = item.text.partition(f"{{{_GAP}}}")
    match probe.ask:
        case "choose":
            return choose(before, probe.choices, after)
        case "fill":
            return Fill(before=before, after=after, choices=probe.choices, top=settings.top)
        case "continue":
            prompt = (Message(role="user", content=item.text),) if probe.chat else item.text
            decoding = Decoding(
                max_new_tokens=settings.max_new_tokens,
                temperature=settings.temperature,
                seed=settings.seed,
            )
            return Generate(
                prompt=prompt,
                samples=settings.samples,
                decoding=decoding,
                source=item.text,
                choices=tuple(words[0] for words in probe.labels.values()),
            )


def _found(probe: Probe, answer: Answer) -> list[str | None]:
    """What was chosen, filled in or written; None if it is none of the choices."""
    match answer:
        case Scores(best=best):
            return [None if best is None else probe.choices[best]]
        case Completions(completions=completions):
            return [_likeliest(completions)]
        case Texts(texts=texts):
            return [_first_label(probe, text.text) for text in texts]
    raise AssertionError(answer)


def _likeliest(completions: tuple[Completion, ...]) -> str | None:
    """The most likely completion of any length; None if two are tied."""
    best = max((each.logprob for each in completions), default=0.0)
    found = [each.text.strip() for each in completions if each.logprob == best]
    return found[0] if len(found) == 1 else None


def _first_label(probe: Probe, text: str) -> str | None:
    """The label of the first word that gives one."""
    labels = {word.casefold(): label for label, words in probe.labels.items() for word in words}
    for span in words_of(text, probe.language):
        if label := labels.get(text[span.start : span.end].casefold()):
            return label
    return None


def _judgement(item: RowItem, found: str | None) -> Judgement:
    """Right, wrong or undetected if the right answer is known; otherwise only a label."""
    facets = dict(item.facets)
    if not item.right:
        return Judgement(label=found or _NOTHING_FOUND, facets=facets)
    if found is None:
        return Judgement(outcome="undetected", facets=facets)
    return Judgement(
        outcome="right" if found == item.right else "wrong", label=found, facets=facets
    )
