"""Read external answers: one line per sentence and target gender."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError, unknown
from epicene.core.records import Failed, Text, Texts
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.genform.ask import GENERATION, NEUTRAL, request_name
from epicene.suites.genform.gendered_terms import SPELLING_IGNORED, TermCounts
from epicene.suites.genform.items import TARGETS
from epicene.suites.genform.words import TOKENISATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.core.data_files import FileRow
    from epicene.core.records import Answer, Judgement
    from epicene.suites import Dataset
    from epicene.suites.genform.items import Pair
    from epicene.suites.genform.protocol import GenformProtocol


def read_answers(
    path: Path, dataset: Dataset, _protocol: GenformProtocol
) -> Iterator[tuple[Pair, Answers]]:
    """Lines of `id`, `target` (masculine, feminine or neutral) and `text`, in any order.

    With the target neutral, `source` is the form that was given (default: masculine). A pair may be
    answered in one direction only.
    """
    pairs: dict[str, Pair] = {pair.id: pair for pair in dataset.items}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for line in read_rows(path):
        name, target, text = _read(line)
        if name not in pairs:
            raise InputError(
                f"{line.location} answers the pair {name!r}, which is not in the data."
            )
        if target in found[name]:
            raise InputError(
                f"{line.location} answers {name!r} for the target "
                f"{line.values['target']} a second time."
            )
        found[name][target] = text
    for name, texts in found.items():
        names = dict.fromkeys((*(request_name(GENERATION, each) for each in TARGETS), *texts))
        if not any(each.startswith(GENERATION) for each in texts):
            names = dict.fromkeys(texts)
        yield (
            pairs[name],
            Answers(
                AnsweredRequest(
                    each.partition(" ")[0], "model", "given", each, _answer(texts.get(each), path)
                )
                for each in names
            ),
        )


def _answer(text: str | None, path: Path) -> Answer:
    return Failed(reason=f"not in {path}") if text is None else Texts(texts=(Text(text=text),))


def _read(line: FileRow) -> tuple[str, str, str]:
    """The pair's id, the name of the request and the text."""
    values = line.values
    for field in ("id", "target", "text"):
        if field not in values:
            raise InputError(f"{line.location} lacks the field {field!r}.")
    if not isinstance(values["text"], str):
        raise InputError(f"{line.location} has a `text` that is not a string.")
    target, form = str(values["target"]), GENERATION
    if target == NEUTRAL:
        target, form = str(values.get("source") or TARGETS[0]), NEUTRAL
    for each in TARGETS:
        if each == target:
            return str(values["id"]), request_name(form, each), values["text"]
    kind, known = ("source", TARGETS) if form == NEUTRAL else ("target", (*TARGETS, NEUTRAL))
    raise InputError(f"{line.location} {unknown(kind, target, known)}")


def item_details(judgement: Judgement) -> dict[str, Any]:
    """What `--items` adds to a judgement: its scores, and the counts they are computed from."""
    if judgement.facets.get("format") != GENERATION:
        return {}
    names = {"scores": False, f"scores, {SPELLING_IGNORED}": True}
    return {
        name: {
            tokenisation: {**each._asdict(), "SGA": each.sga, "GIoU": each.giou}
            for tokenisation in TOKENISATIONS
            for each in (TermCounts.of(judgement.counts, tokenisation, ignored=ignored),)
        }
        for name, ignored in names.items()
    }
