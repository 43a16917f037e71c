"""From templates to translated sentences: plan, write, deduplicate, translate."""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache
from itertools import chain, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import msgspec
import regex

from epicene.core.data_files import read_toml_or_json
from epicene.core.errors import InputError, RunError, unknown
from epicene.core.records import Decoding, Generate, Message, Positive, Record, Texts, Translate
from epicene.languages.normalisers import normalise
from epicene.suites.construction import BuildSettings, kept_rows
from epicene.suites.genform.checks import SentenceText, near_duplicates
from epicene.suites.genform.paper_wording import (
    CONTEXTS,
    COUNT,
    GENERATION_FILE,
    TEMPLATE,
    check_writer,
)
from epicene.suites.paper_material import read_material

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.suites.construction import ModelReply, StepOutputs, StepRow

SHIPPED_TEMPLATES = Path(__file__).parent.parent / "templates.toml"

GAP = "…"
_PARTS = regex.compile(r"<([^<>]+)>|…")
_ARTICLE = regex.compile(r"\b(a)\s+$", regex.IGNORECASE)
# The end of a sentence, with a quotation mark before or after it.
_END = r"(?:[.!?][\"']?|[\"'][.!?])"


class Argument(Record, frozen=True, kw_only=True):
    """What fills a slot, and the list that it was drawn from."""

    slot: str
    words: str
    kind: str


class WriterPrompt(Record, frozen=True, kw_only=True):
    """The prompt for a chat model, with placeholders in square brackets."""

    system: str
    user: str
    filling: str


class Templates(Record, frozen=True, kw_only=True):
    """The content of templates.toml, or of a user's file like it."""

    writer: WriterPrompt
    contexts: dict[str, str]
    arguments: dict[str, dict[str, tuple[str, ...]]]  # by slot and list
    templates: dict[str, dict[str, tuple[str, ...]]]  # by language and rule

    def of(self, language: str) -> Mapping[str, tuple[str, ...]]:
        """The templates of a language by rule."""
        if language not in self.templates:
            raise unknown("templates for the language", language, self.templates)
        return self.templates[language]

    def draw_arguments(self, slot: str, seed: str) -> Iterator[Argument]:
        """Endless arguments from the slot's lists in turn, each list in random order."""
        # Of Python's generator only `random` is guaranteed to stay the same in later versions.
        draw = random.Random(f"{seed} {slot}").random
        lists = []
        for kind, words in self.arguments[slot].items():
            drawn = sorted(words, key=lambda _: draw())
            lists.append([Argument(slot=slot, words=each, kind=kind) for each in drawn])
        return chain.from_iterable(zip(*map(cycle, lists), strict=True))


class FilledTemplate(NamedTuple):
    """A template with the arguments of one sentence."""

    template: str
    arguments: tuple[Argument, ...]

    @property
    def pattern(self) -> regex.Pattern[str]:
        """The expression that matches a sentence which follows the template."""
        return _pattern(self.template, tuple((each.slot, each.words) for each in self.arguments))

    def is_followed_by(self, sentence: str) -> bool:
        """Whether the sentence has the template's words and arguments, and fills every gap."""
        return bool(self.pattern.fullmatch(normalise(sentence, ("nfc", "quotes"))))


def slots(template: str) -> list[str]:
    """The names of a template's slots, in order."""
    return [found[1] for found in _PARTS.finditer(template) if found[1]]


def fill_template(
    arguments: Mapping[str, Iterator[Argument]], template: str, count: int
) -> list[FilledTemplate]:
    """The template `count` times, each time with the next arguments of its slots."""
    drawn = [list(islice(arguments[slot], count)) for slot in slots(template)]
    return [FilledTemplate(template, each) for each in zip(*drawn, strict=True)] or [
        FilledTemplate(template, ())
    ] * count


@lru_cache(maxsize=1024)
def _pattern(template: str, words: tuple[tuple[str, str], ...]) -> regex.Pattern[str]:
    """The template as an expression that ignores case and the width of spaces."""
    arguments = dict(words)
    template = template.rstrip(' .!?"')
    pieces, reached = [], 0
    for found in _PARTS.finditer(template):
        literal = template[reached : found.start()]
        if found[1]:
            pieces += [_before_slot(literal), _spaced(arguments[found[1]])]
        else:
            pieces += [_before_gap(literal), r"\S.*?"]
        reached = found.end()
    pieces.append(_spaced(template[reached:]))
    return regex.compile("".join(pieces) + _END, regex.IGNORECASE)


def _before_slot(text: str) -> str:
    """The words before a slot; a final article may be `a` or `an`."""
    article = _ARTICLE.search(text)
    return _spaced(text) if article is None else _spaced(text[: article.start()]) + r"an?\s+"


def _before_gap(text: str) -> str:
    """The words before a gap, optionally with a comma or the like."""
    return _spaced(text) if text == text.rstrip() else _spaced(text.rstrip()) + r"[,;:]?\s+"


def _spaced(text: str) -> str:
    return r"\s+".join(map(regex.escape, regex.split(r"\s+", text)))


def read_templates(path: str) -> Templates:
    """The templates of the user's file, or ours; raise if they are inconsistent."""
    file = Path(path) if path else SHIPPED_TEMPLATES
    try:
        found = msgspec.convert(read_toml_or_json(file), Templates)
    except msgspec.ValidationError as error:
        raise InputError(f"{file} is invalid: {error}.") from None
    for slot, lists in found.arguments.items():
        if not lists or not all(lists.values()):
            raise InputError(f"{file}: the slot <{slot}> has a list without words.")
    for language, rules in found.templates.items():
        for rule, templates in rules.items():
            for template in templates:
                _check_template(
                    template, found, f"{file}, {language}, {rule}: the template {template!r}"
                )
    return found


def _check_template(template: str, found: Templates, location: str) -> None:
    for slot, count in Counter(slots(template)).items():
        if slot not in found.arguments:
            raise InputError(f"{location}: {unknown('slot', slot, found.arguments)}")
        if count > 1:
            raise InputError(
                f"{location} has the slot <{slot}> {count} times; it can have it only once."
            )
    if GAP not in template:
        raise InputError(f"{location} has no {GAP}, so all its sentences would be the same.")


# A sentence has some twenty tokens, so this is ample.
_TOKENS_EACH = 64


class GenformBuild(BuildSettings, frozen=True, kw_only=True):
    """The settings of the construction."""

    files: ClassVar[tuple[str, ...]] = ("templates",)

    language: str = ""
    rules: tuple[str, ...] = ()  # by default all that have templates
    contexts: tuple[str, ...] = ()  # by default all
    sentences: Positive = 5  # of each template in each context
    temperature: float = 0.8
    templates: str = ""  # a file like templates.toml, instead of ours
    # Whose prompt asks for sentences: ours, or the paper's (F.1) from the user's copy.
    wording: Literal["epicene", "paper"] = "epicene"


# --- plan ----------------------------------------------------------------------------------


def plan(_outputs: StepOutputs, settings: GenformBuild) -> Iterator[StepRow]:
    """A row for each prompt: a template, a context, and the arguments of each sentence."""
    found = read_templates(settings.templates)
    if settings.wording == "paper":
        found = msgspec.structs.replace(found, writer=_paper_writer(found.writer))
    if not settings.language:
        known = " or ".join(found.templates)
        raise InputError(f"A set is in one language; set it with --set language={known}.")
    rules = found.of(settings.language)
    contexts = _choose("context", settings.contexts, found.contexts)
    for rule in _choose("rule with templates", settings.rules, rules):
        seed = f"{settings.seed} {settings.language} {rule}"
        arguments = {slot: found.draw_arguments(slot, seed) for slot in found.arguments}
        for number, template in enumerate(rules[rule], start=1):
            for context in contexts:
                filled = fill_template(arguments, template, settings.sentences)
                yield {
                    "id": f"{settings.language}-{_slug(rule)}-{number}-{context}",
                    "rule": rule,
                    "template": template,
                    "context": context,
                    "arguments": [
                        [_argument_row(each) for each in one.arguments] for one in filled
                    ],
                    "system": found.writer.system.strip(),
                    "user": _user_message(found, found.contexts[context], filled),
                }


def _paper_writer(ours: WriterPrompt) -> WriterPrompt:
    """The paper's prompt with our placeholders. It has none for the words of a sentence's slots, so
    our lines for them are added at its end."""
    source, content = read_material("genform", GENERATION_FILE)
    check_writer(content, str(source))
    user = content["user"]
    for slot, placeholder in (
        (COUNT, "[count]"),
        (TEMPLATE, "[template]"),
        (CONTEXTS, "[context]"),
    ):
        user = user.replace(slot, placeholder)
    return WriterPrompt(system=content["system"], user=f"{user}\n[fillings]", filling=ours.filling)


def _choose(what: str, wanted: Sequence[str], known: Iterable[str]) -> list[str]:
    names = list(known)
    for name in wanted:
        if name not in names:
            raise unknown(what, name, names)
    return list(wanted) or names


def _slug(rule: str) -> str:
    return regex.sub(r"[^\p{L}\p{M}\p{N}]+", "-", rule.casefold()).strip("-")


def _argument_row(argument: Argument) -> StepRow:
    return {"slot": argument.slot, "words": argument.words, "kind": argument.kind}


def _user_message(found: Templates, context: str, filled: Sequence[FilledTemplate]) -> str:
    """The request to the writer: the template, the arguments of each sentence, the context."""
    lines = []
    for number, one in enumerate(filled, start=1):
        words = " and ".join(f"<{each.slot}> is {each.words}" for each in one.arguments)
        if words:
            line = found.writer.filling.replace("[number]", str(number))
            lines.append(line.replace("[words]", words))
    parts = {
        "[count]": str(len(filled)),
        "[template]": filled[0].template,
        "[context]": context,
        "[fillings]": "\n".join(lines),
    }
    message = found.writer.user.strip()
    for name, text in parts.items():
        message = message.replace(name, text)
    return message.strip()


# --- write ---------------------------------------------------------------------------------


def ask_to_write(outputs: StepOutputs, settings: GenformBuild) -> Iterator[Generate]:
    """A request for each row of the plan."""
    for row in outputs["plan"]:
        yield Generate(
            item=row["id"],
            language="en",
            prompt=(
                Message(role="system", content=row["system"]),
                Message(role="user", content=row["user"]),
            ),
            decoding=Decoding(
                max_new_tokens=_TOKENS_EACH * len(row["arguments"]),
                temperature=settings.temperature,
                seed=settings.seed,
            ),
        )


def read_written(
    outputs: StepOutputs, _settings: GenformBuild, replies: Iterable[ModelReply]
) -> Iterator[StepRow]:
    """Every line of every answer; those that do not follow the template are dropped."""
    planned = {row["id"]: row for row in outputs["plan"]}
    for reply in replies:
        row = planned[reply.request.item]
        wanted = [
            FilledTemplate(row["template"], tuple(Argument(**each) for each in one))
            for one in row["arguments"]
        ]
        assert isinstance(reply.answer, Texts)
        for number, line in enumerate(lines_of(reply.answer.only), start=1):
            found = next((one for one in wanted if one.is_followed_by(line)), None)
            if found is not None:
                wanted.remove(found)
            yield {
                "id": f"{row['id']}-{number:02}",
                "rule": row["rule"],
                "context": row["context"],
                "english": line,
                "arguments": [_argument_row(each) for each in found.arguments] if found else [],
                "model": reply.described,
                "dropped": "" if found else "does not follow its template",
            }


# A list's number or mark at the beginning of a line.
_MARK = regex.compile(r"^(?:\d{1,3}[.):]|[-*•–])\s+")
_QUOTED = regex.compile(r'^(["“])([^"“”]*)(["”])$')


def lines_of(answer: str) -> list[str]:
    """The lines of an answer, without the marks of a list and quotation marks around a line."""
    lines = (_MARK.sub("", line.strip()) for line in answer.split("\n"))
    return [" ".join(_QUOTED.sub(r"\2", line).split()) for line in lines if line]


# --- sift ----------------------------------------------------------------------------------


def deduplicate(outputs: StepOutputs, _settings: GenformBuild) -> Iterator[StepRow]:
    """The sentences that follow their templates, those that repeat another marked as dropped."""
    rows = kept_rows(outputs["write"])
    if not rows:
        raise RunError(
            f"None of the {len(outputs['write'])} lines from the writer follows its template "
            "(the file of the step write has all of them); build into another folder with "
            "another --model writer=SPEC."
        )
    repeated = duplicate_reasons(rows, "en", "english")
    for row in rows:
        fields = {name: row[name] for name in ("id", "rule", "context", "english", "arguments")}
        yield {**fields, "dropped": repeated.get(row["id"], "")}


# --- translate -----------------------------------------------------------------------------


def ask_to_translate(outputs: StepOutputs, settings: GenformBuild) -> Iterator[Translate]:
    """A request for every sentence that was kept."""
    for row in kept_rows(outputs["sift"]):
        yield Translate(item=row["id"], text=row["english"], language="en", into=settings.language)


def read_translated(
    outputs: StepOutputs, settings: GenformBuild, replies: Iterable[ModelReply]
) -> Iterator[StepRow]:
    """Each sentence with its translation; those that repeat another translation are dropped
    before people are asked about them.

    Translations by further models are separate rows that name the sentence.
    """
    sentences = {row["id"]: row for row in outputs["sift"]}
    translators: Counter[str] = Counter()
    rows = []
    for reply in replies:
        row = sentences[reply.request.item]
        translators[row["id"]] += 1
        number = translators[row["id"]]
        assert isinstance(reply.answer, Texts)
        rows.append(
            {
                "id": row["id"] if number == 1 else f"{row['id']}-{number}",
                **({} if number == 1 else {"sentence": row["id"]}),
                "rule": row["rule"],
                "english": row["english"],
                "translation": " ".join(reply.answer.only.split()),
                "model": reply.described,
            }
        )
    repeated = duplicate_reasons(rows, settings.language, "translation")
    return ({**row, "dropped": repeated.get(row["id"], "")} for row in rows)


def sentence_of(row: StepRow) -> str:
    """The id of the sentence that a row has a translation of."""
    return str(row.get("sentence", row["id"]))


def duplicate_reasons(rows: Iterable[StepRow], language: str, field: str) -> dict[str, str]:
    """By id, why a row is dropped if its text repeats an earlier one."""
    texts = (SentenceText(row["id"], language, row[field]) for row in rows)
    return {each.id: str(each) for each in near_duplicates(texts)}
