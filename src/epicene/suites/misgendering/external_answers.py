"""Read external answers: lines of continuations and of choices by probability, or the tables that
the authors' scripts store."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.core.records import Choice, Text, Texts
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.misgendering.ask import CONVERTED, OPEN, POST, PRE
from epicene.suites.misgendering.items import PUBLISHED_SETS, Candidate, Instance
from epicene.suites.misgendering.protocol import PROBABILITY
from epicene.suites.misgendering.stored_outputs import (
    is_stored_output,
    known_pronoun,
    read_stored_outputs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.core.data_files import FileRow
    from epicene.core.records import Answer, Judgement
    from epicene.suites import Dataset
    from epicene.suites.misgendering.items import PronounForms
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

_OUTCOME_NAMES = {"right": "correct", "wrong": "misgendering", "undetected": "none"}
_SETTINGS = (PRE, POST, OPEN)
_OPEN_CONTEXTS = "tango"
# Numbers of each pronoun: the greatest log-probability or the least loss is chosen.
_LOG_PROBABILITY, _LOSS = "logprob_", "loss_"


def read_answers(
    path: Path, _dataset: Dataset, _protocol: MisgenderingProtocol
) -> Iterator[tuple[Instance, Answers]]:
    """Lines of `dataset`, `pronoun` and what was answered, or the authors' stored tables."""
    if is_stored_output(path):
        yield from read_stored_outputs(path)
        return
    found: dict[tuple[str, ...], _GivenInstance] = {}
    for number, line in enumerate(read_rows(path), start=1):
        sets = _pronoun_sets(line)
        # Without an id every line is an instance of its own.
        own = str(line.values.get("id", "")) or str(number)
        model = str(line.values.get("model", "")) or "given"
        key = (model, line.values["dataset"], line.values["pronoun"], own)
        found.setdefault(key, _GivenInstance(model, own, sets)).add(line)
    for given in found.values():
        yield given.instance, given.answers


def _pronoun_sets(line: FileRow) -> tuple[PronounForms, ...]:
    """The sets of a line's dataset; raises if the line lacks what it must say."""
    values = line.values
    for field in ("dataset", "pronoun"):
        if not isinstance(values.get(field), str):
            raise InputError(f"{line.location} lacks the field {field!r}.")
    dataset, pronoun = values["dataset"], values["pronoun"]
    if dataset not in PUBLISHED_SETS:
        raise InputError(
            f"In {line.location} {as_sentence(unknown_name('dataset', dataset, PUBLISHED_SETS))}"
        )
    sets = PUBLISHED_SETS[dataset]
    known_pronoun(line, pronoun, sets)
    return sets


class _GivenInstance:
    """An instance that one or more lines of a model are about."""

    def __init__(self, model: str, own_id: str, sets: tuple[PronounForms, ...]) -> None:
        self._model, self._id, self._sets = model, own_id, sets
        self._line: FileRow | None = None
        self._contexts: dict[str, str] = {}
        self._texts: dict[str, list[Text]] = {}
        self._choices: dict[str, Choice] = {}

    def add(self, line: FileRow) -> None:
        """Add a line's text, its choice by probability, or both."""
        values = line.values
        text, chosen = values.get("text"), _choice(line, self._sets)
        if not isinstance(text, str) and chosen is None:
            raise InputError(
                f"{line.location} needs the field 'text', or the choice by probability "
                "('chosen', or a number per pronoun: 'loss_he', … or 'logprob_he', …)."
            )
        setting = str(values.get("setting", "") or OPEN)
        if setting not in _SETTINGS:
            raise InputError(
                f"In {line.location} {as_sentence(unknown_name('setting', setting, _SETTINGS))}"
            )
        if isinstance(text, str):
            self._texts.setdefault(setting, []).append(Text(text=text))
            self._contexts.setdefault(setting, str(values.get("context", "")))
        if chosen is not None:
            name: str = PROBABILITY
            if values["dataset"] == _OPEN_CONTEXTS:
                if not isinstance(text, str):
                    raise InputError(
                        f"{line.location} has the choice by probability of an open context; it "
                        "belongs in the line of the 'text' from which the template was made."
                    )
                name = f"{CONVERTED} {len(self._texts[setting])}"
            if name in self._choices:
                raise InputError(f"{line.location} has the choice by probability a second time.")
            self._choices[name] = chosen
        self._line = self._line or line

    @property
    def instance(self) -> Instance:
        """The instance, with only what the lines say: if a text is continued after its gap, the
        pronoun and what follows are one piece."""
        assert self._line is not None
        values = self._line.values
        before = self._contexts.get(PRE) or self._contexts.get(OPEN, "")
        after_gap = self._contexts.get(POST, "")
        if after_gap and not after_gap.startswith(before):
            raise InputError(
                f"{self._line.location} is about {self._id!r}, whose context in the setting post "
                f"does not begin with that in pre: {after_gap[:60]!r}."
            )
        filled = Candidate(pronoun=values["pronoun"], form=after_gap[len(before) :])
        return Instance(
            id=self._id,
            group=str(values.get("group", "")),
            dataset=values["dataset"],
            pronoun=values["pronoun"],
            before=before,
            candidates=(filled,) if POST in self._contexts else (),
            sets=self._sets,
        )

    @property
    def answers(self) -> Answers:
        """The continuations of each context, and what probability chose."""
        answers: dict[str, Answer] = {
            setting: Texts(texts=tuple(texts)) for setting, texts in self._texts.items()
        }
        return Answers(
            AnsweredRequest("ask", "model", self._model, name, answer)
            for name, answer in {**answers, **self._choices}.items()
        )


def _choice(line: FileRow, sets: tuple[PronounForms, ...]) -> Choice | None:
    """The pronoun that a line names as chosen, or the likeliest by its numbers; ties go to the
    first, in the order of the dataset's sets."""
    chosen = line.values.get("chosen")
    if chosen:
        return Choice(choice=known_pronoun(line, str(chosen), sets))
    for prefix, sign in ((_LOG_PROBABILITY, 1.0), (_LOSS, -1.0)):
        columns = {each.pronoun: line.values.get(prefix + each.pronoun) for each in sets}
        if all(value in (None, "") for value in columns.values()):
            continue
        numbers = [sign * _number(line, prefix + name, value) for name, value in columns.items()]
        likeliest = list(columns)[numbers.index(max(numbers))]
        return Choice(choice=likeliest, logprobs=tuple(numbers))
    return None


def _number(line: FileRow, column: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{line.location} has {value!r} in {column!r}; it must be a number.")
    return number


def item_details(judgement: Judgement) -> dict[str, Any]:
    """What `--items` adds to a judgement of a continuation, in the paper's terms."""
    if judgement.facets.get("format") != "generation" or judgement.outcome is None:
        return {}
    return {
        "first_pronoun": judgement.evidence.get("first pronoun") or None,
        "set": judgement.label,
        "outcome": _OUTCOME_NAMES[judgement.outcome],
        "paper_correct": int(judgement.outcome != "wrong"),
    }
