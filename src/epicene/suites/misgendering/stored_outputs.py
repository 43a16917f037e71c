"""Read what the authors' scripts store: a table per model and pronoun, `out/MODEL/PRONOUN.csv`.

The columns tell the dataset. A table holds each instance with five continuations of every
context, which begin with the context, and what probability made of it: for MISGENDERED and RUFF
the form that was likeliest (`pred`); for TANGO only whether each template was right. The samples
for people are read too: 25 continuations of a model and pronoun, five of each of five instances.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.core.data_files import FileRow, read_rows
from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.core.records import Choice, Text, Texts, digest
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.misgendering.ask import CONVERTED, OPEN, POST, PRE
from epicene.suites.misgendering.items import (
    PUBLISHED_CASES,
    PUBLISHED_SETS,
    Instance,
    candidate_forms,
)
from epicene.suites.misgendering.protocol import PROBABILITY
from epicene.suites.misgendering.sources import required_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from epicene.core.records import Answer
    from epicene.suites.misgendering.items import PronounForms

_GAP = "{mask_token}"
_FORMS = ("nom", "acc", "pos_dep", "pos_ind", "ref")
_SLOT = re.compile(r"\$(?:NOM|ACC|POSS)_PRONOUN")
_SAMPLED = {f"random_{setting}_gen": setting for setting in (PRE, POST)}
_GENERATED = re.compile(r"(?:greedy_(pre|post)|olg)_(\d+)")

Answered: TypeAlias = tuple[Instance, Answers]


class SampledText(NamedTuple):
    """A continuation that was sampled for people: its row, model, instance, setting and number."""

    line: FileRow
    model: str
    instance: Instance
    setting: str
    number: int
    text: str


def tables_below(path: Path) -> list[Path]:
    """A table, or all of those in a folder, sorted."""
    found = sorted(path.rglob("*.csv")) if path.is_dir() else [path]
    if not found:
        raise InputError(f"{path} has no tables (PRONOUN.csv in one folder per model).")
    return found


def read_stored_outputs(path: Path) -> Iterator[Answered]:
    """Every instance in the tables, with its stored answers; of samples, those without a table."""
    kinds = {table: _kind(table) for table in tables_below(path)}
    outputs = [table for table, kind in kinds.items() if kind == "outputs"]
    if outputs:
        for table in outputs:
            yield from _read_table(table)
    else:
        yield from _instances_of_samples(read_samples(path))


def is_stored_output(path: Path) -> bool:
    """Whether it is a folder, or a table that the authors' scripts write."""
    return path.is_dir() or (path.suffix.lower() == ".csv" and _kind(path) != "")


def _kind(table: Path) -> str:
    """What a table holds, by its columns: outputs, samples, or nothing that is known here."""
    first = next(iter(read_rows(table)), None)
    columns = set() if first is None else set(first.values)
    if "template" not in columns and "sentence" not in columns:
        return ""
    if columns & _SAMPLED.keys():
        return "samples"
    return "outputs" if any(map(_GENERATED.fullmatch, columns)) else ""


# --- outputs -----------------------------------------------------------------------------------


def _read_table(table: Path) -> Iterator[Answered]:
    for number, line in enumerate(read_rows(table)):
        values, model = line.values, table.parent.name
        if "olg_1" in values:
            yield _tango_row(line, table.stem, model)
            continue
        text = required_text(line, "sentence" if "sentence" in values else "template")
        instance = _template(line, text, table.stem, str(number), values.get("form", ""))
        answers: dict[str, Answer] = {PROBABILITY: _predicted(line, instance)}
        for setting, context in ((PRE, instance.before), (POST, instance.filled(instance.gold))):
            texts = _continuations(line, f"greedy_{setting}", context)
            if texts.texts:
                answers[setting] = texts
        yield instance, _answers(model, answers)


def _tango_row(line: FileRow, pronoun: str, model: str) -> Answered:
    values = line.values
    instance = Instance(
        id=f"tango/{pronoun}/{values.get('template_idx', '')}/{values.get('ante', '')}",
        group=f"tango/{values.get('template_idx', '')}/{values.get('ante', '')}",
        dataset="tango",
        pronoun=known_pronoun(line, pronoun, PUBLISHED_SETS["tango"]),
        before=required_text(line, "template"),
        sets=PUBLISHED_SETS["tango"],
        template=values.get("template_idx", ""),
        name=values.get("ante", ""),
        antecedent=values.get("ante_type", ""),
    )
    texts = _continuations(line, "olg", instance.before)
    answers: dict[str, Answer] = {OPEN: texts}
    for number in range(1, len(texts.texts) + 1):
        right = _flag(line, f"olg_template_{number}_correct")
        if right is not None:  # which pronoun a wrong one was is not stored
            answers[f"{CONVERTED} {number}"] = Choice(choice=pronoun if right else None)
    return instance, _answers(model, answers)


def _template(line: FileRow, text: str, pronoun: str, number: str, form: str) -> Instance:
    """An instance of MISGENDERED, whose gap has the case `form`, or of RUFF, whose gap names it."""
    values = line.values
    slot = _SLOT.search(text)
    dataset = "ruff" if slot else "misgendered"
    before, found, after = text.partition(slot[0] if slot else _GAP)
    if not found:
        raise InputError(f"{line.location} has no gap ({_GAP} or $NOM_PRONOUN): {text!r}.")
    sets = PUBLISHED_SETS[dataset]
    form = slot[0] if slot else form
    if form not in PUBLISHED_CASES:
        raise InputError(f"In {line.location} {as_sentence(unknown_name('form', form, _FORMS))}")
    case = PUBLISHED_CASES[form]
    group = values.get("occupation") or values.get("template_id") or digest(text).hex()
    return Instance(
        id=f"{dataset}/{pronoun}/{number}",
        group=f"{dataset}/{group}",
        dataset=dataset,
        pronoun=known_pronoun(line, pronoun, sets),
        before=before,
        after=after,
        case=case,
        # The authors capitalise after a full stop and a blank.
        candidates=candidate_forms(sets, case, capital=not slot and before[-2:-1] == "."),
        sets=sets,
        occupation=values.get("occupation", ""),
    )


def known_pronoun(line: FileRow, pronoun: str, sets: Iterable[PronounForms]) -> str:
    """The pronoun of a line, which must be one of the sets."""
    names = [each.pronoun for each in sets]
    if pronoun not in names:
        raise InputError(
            f"In {line.location} {as_sentence(unknown_name('pronoun', pronoun, names))}"
        )
    return pronoun


def _predicted(line: FileRow, instance: Instance) -> Choice:
    form = required_text(line, "pred")
    for candidate in instance.candidates:
        if candidate.form.lower() == form.lower():
            return Choice(choice=candidate.pronoun)
    forms = [candidate.form for candidate in instance.candidates]
    raise InputError(
        f"In {line.location} {as_sentence(unknown_name('form in the column pred', form, forms))}"
    )


def _continuations(line: FileRow, column: str, context: str) -> Texts:
    """The texts in the numbered columns, without the context that they begin with."""
    texts: list[Text] = []
    while f"{column}_{len(texts) + 1}" in line.values:
        whole = line.values[f"{column}_{len(texts) + 1}"]
        texts.append(Text(text=_after(line, whole, context)))
    return Texts(texts=tuple(texts))


def _after(line: FileRow, whole: str, context: str) -> str:
    if not whole.startswith(context):
        raise InputError(
            f"{line.location} has a text that does not begin with its context: {whole[:60]!r} "
            f"instead of {context[:60]!r}."
        )
    return whole[len(context) :]


def _flag(line: FileRow, column: str) -> bool | None:
    """A number 0 or 1, or nothing."""
    value = str(line.values.get(column, "")).strip()
    if value in ("", "nan"):
        return None
    if value not in ("0", "1", "0.0", "1.0"):
        raise InputError(
            f"{line.location} has {value!r} in the column {column}; it must be 0 or 1."
        )
    return float(value) == 1


def _answers(model: str, answers: dict[str, Answer]) -> Answers:
    return Answers(
        AnsweredRequest(
            "convert" if name.startswith(CONVERTED) else "ask", "model", model, name, answer
        )
        for name, answer in answers.items()
    )


# --- samples -----------------------------------------------------------------------------------


def read_samples(path: Path) -> list[SampledText]:
    """The sampled continuations in all tables; a collated table repeats those of its model."""
    found: dict[tuple[str, str, str, int], SampledText] = {}
    for table in tables_below(path):
        if _kind(table) != "samples":
            continue
        seen: dict[tuple[str, str, str], int] = {}
        for line in read_rows(table):
            sample = _sample(line, table, seen)
            key = (sample.model, sample.instance.id, sample.setting, sample.number)
            # Labels are in some copies only.
            if key not in found or len(line.values) > len(found[key].line.values):
                found[key] = sample
    return list(found.values())


def _sample(line: FileRow, table: Path, seen: dict[tuple[str, str, str], int]) -> SampledText:
    values = line.values
    (column,) = (name for name in _SAMPLED if name in values)
    setting, text = _SAMPLED[column], required_text(line, "template")
    pronoun = values.get("pronoun") or table.stem.partition("_")[0]
    model = values.get("model") or table.parent.name
    form = _form(text, pronoun, values[column])
    instance = _template(line, text, pronoun, digest(text).hex(), form)
    context = instance.before if setting == PRE else instance.filled(instance.gold)
    key = (model, instance.id, setting)
    seen[key] = seen.get(key, 0) + 1
    return SampledText(
        line, model, instance, setting, seen[key], _after(line, values[column], context)
    )


def _form(text: str, pronoun: str, whole: str) -> str:
    """The case of a gap of MISGENDERED, which samples do not name: that of the form which fills it.

    Before the gap nothing fills it, and nothing depends on its case.
    """
    before, _, after = text.partition(_GAP)
    forms = {each.pronoun: each.forms for each in PUBLISHED_SETS["misgendered"]}.get(pronoun, {})
    for name in _FORMS:
        filled = f"{before}{forms.get(PUBLISHED_CASES[name], '')}{after}"
        if whole.lower().startswith(filled.lower()):
            return name
    return _FORMS[0]


def _instances_of_samples(samples: list[SampledText]) -> Iterator[Answered]:
    """Each model's instances with the sampled continuations of both contexts."""
    found: dict[tuple[str, str], tuple[Instance, dict[str, list[Text]]]] = {}
    for sample in samples:
        _, texts = found.setdefault((sample.model, sample.instance.id), (sample.instance, {}))
        texts.setdefault(sample.setting, []).append(Text(text=sample.text))
    for (model, _), (instance, texts) in found.items():
        given: dict[str, Answer] = {
            setting: Texts(texts=tuple(mine)) for setting, mine in texts.items()
        }
        yield instance, _answers(model, given)
