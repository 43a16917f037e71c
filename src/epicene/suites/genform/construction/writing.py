"""From rules to English sentences in another language: plan, write, sift, translate."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import regex

from epicene.errors import InputError, RunError, unknown
from epicene.records import Decoding, Generate, Message, Positive, Texts, Translate
from epicene.suites.construction import BuildSettings, kept
from epicene.suites.genform.construction.templates import Argument, Filled, fill, read_templates
from epicene.suites.genform.repetition import Sentence, repetitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.suites.construction import Made, Reply, Row
    from epicene.suites.genform.construction.templates import Templates

# A sentence of a chat model has some twenty tokens; so many are room enough.
_TOKENS_EACH = 64


class GenformBuild(BuildSettings, frozen=True, kw_only=True):
    """What may be chosen."""

    files: ClassVar[tuple[str, ...]] = ("templates",)

    language: str = ""
    rules: tuple[str, ...] = ()  # all that there are templates for, unless said
    contexts: tuple[str, ...] = ()  # all, unless said
    sentences: Positive = 5  # of each template in each context
    temperature: float = 0.8
    templates: str = ""  # a file like templates.toml, instead of ours


# --- plan ----------------------------------------------------------------------------------


def plan(_made: Made, settings: GenformBuild) -> Iterator[Row]:
    """A row for each prompt: a template, a context, and the arguments of each sentence."""
    found = read_templates(settings.templates)
    if not settings.language:
        known = " or ".join(found.templates)
        raise InputError(f"A set is in one language; name it: --set language={known}.")
    rules = found.of(settings.language)
    contexts = _chosen("context", settings.contexts, found.contexts)
    for rule in _chosen("rule with templates", settings.rules, rules):
        seed = f"{settings.seed} {settings.language} {rule}"
        decks = {slot: found.deal(slot, seed) for slot in found.arguments}
        for number, template in enumerate(rules[rule], start=1):
            for context in contexts:
                filled = fill(decks, template, settings.sentences)
                yield {
                    "id": f"{settings.language}-{_slug(rule)}-{number}-{context}",
                    "rule": rule,
                    "template": template,
                    "context": context,
                    "arguments": [[_plain(each) for each in one.arguments] for one in filled],
                    "system": found.writer.system.strip(),
                    "user": _user(found, found.contexts[context], filled),
                }


def _chosen(what: str, wanted: Sequence[str], known: Iterable[str]) -> list[str]:
    names = list(known)
    for name in wanted:
        if name not in names:
            raise unknown(what, name, names)
    return list(wanted) or names


def _slug(rule: str) -> str:
    return regex.sub(r"[^\p{L}\p{M}\p{N}]+", "-", rule.casefold()).strip("-")


def _plain(argument: Argument) -> Row:
    return {"slot": argument.slot, "words": argument.words, "kind": argument.kind}


def _user(found: Templates, context: str, filled: Sequence[Filled]) -> str:
    """What the writer is asked: the template, what fills it in each sentence, and the context."""
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
    asked = found.writer.user.strip()
    for name, text in parts.items():
        asked = asked.replace(name, text)
    return asked


# --- write ---------------------------------------------------------------------------------


def ask_to_write(made: Made, settings: GenformBuild) -> Iterator[Generate]:
    """One prompt for each row of the plan."""
    for row in made["plan"]:
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


def read_written(made: Made, _settings: GenformBuild, replies: Iterable[Reply]) -> Iterator[Row]:
    """Every line of every answer; those that do not follow the template are dropped."""
    planned = {row["id"]: row for row in made["plan"]}
    for reply in replies:
        row = planned[reply.request.item]
        wanted = [
            Filled(row["template"], tuple(Argument(**each) for each in one))
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
                "arguments": [_plain(each) for each in found.arguments] if found else [],
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


def sift(made: Made, _settings: GenformBuild) -> Iterator[Row]:
    """The sentences that follow their templates, those that repeat another marked as dropped."""
    rows = kept(made["write"])
    if not rows:
        raise RunError(
            f"None of the {len(made['write'])} lines that the writer wrote follows its template "
            "(the file of the step write has them all); build into another folder with another "
            "--model writer=SPEC."
        )
    repeated = repeats(rows, "en", "english")
    for row in rows:
        fields = {name: row[name] for name in ("id", "rule", "context", "english", "arguments")}
        yield {**fields, "dropped": repeated.get(row["id"], "")}


# --- translate -----------------------------------------------------------------------------


def ask_to_translate(made: Made, settings: GenformBuild) -> Iterator[Translate]:
    """Every sentence that is left."""
    for row in kept(made["sift"]):
        yield Translate(item=row["id"], text=row["english"], language="en", into=settings.language)


def read_translated(made: Made, settings: GenformBuild, replies: Iterable[Reply]) -> Iterator[Row]:
    """Each sentence with its translation, on one line; translations that repeat another are
    dropped before people are asked about them."""
    sentences = {row["id"]: row for row in made["sift"]}
    rows = []
    for reply in replies:
        row = sentences[reply.request.item]
        assert isinstance(reply.answer, Texts)
        rows.append(
            {
                "id": row["id"],
                "rule": row["rule"],
                "english": row["english"],
                "translation": " ".join(reply.answer.only.split()),
                "model": reply.described,
            }
        )
    repeated = repeats(rows, settings.language, "translation")
    return ({**row, "dropped": repeated.get(row["id"], "")} for row in rows)


def repeats(rows: Iterable[Row], language: str, field: str) -> dict[str, str]:
    """Why rows are dropped whose text repeats that of an earlier one, by id."""
    texts = (Sentence(row["id"], language, row[field]) for row in rows)
    return {each.id: str(each) for each in repetitions(texts)}
