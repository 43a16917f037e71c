"""Wordings: the same item asked in several ways, to show how much results depend on the prompt.

`--set wordings=N` asks every item in the first N wordings of a suite. The first is the default; an
item in another wording is a separate item in the same group, whose id ends in `/wording-2`.
Judgements have a facet `wording`, which `results/wordings.py` uses for its tables.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec
import regex

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import polars

    from epicene.core.records import Judgement
    from epicene.suites import Answers, ItemT, Protocol

MOST = 5
Wordings: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MOST)]

FACET = "wording"
MARK = "/wording-"
_MARKED = regex.compile(rf"{MARK}(\d+)$")


def marked(name: str, wording: int) -> str:
    """The id of an item in that wording."""
    return name if wording == 1 else f"{name}{MARK}{wording}"


def unmarked(name: str) -> str:
    """The id of the item in the first wording."""
    return _MARKED.sub("", name)


def wording_of(item: str) -> int:
    """The number of the wording that an item of this id is asked in."""
    found = _MARKED.search(item)
    return int(found[1]) if found else 1


def in_wordings(item: ItemT, wordings: int) -> Iterator[ItemT]:
    """The item, then itself in each of the other wordings."""
    yield item
    for number in range(2, wordings + 1):
        yield msgspec.structs.replace(item, id=marked(item.id, number), group=item.cluster)


def judge_by_wording(
    judge: Callable[[Any, Answers, Any], Iterable[Judgement]],
    prompted: Callable[[Any, Judgement], bool] = lambda _item, _judgement: True,
) -> Callable[[Any, Answers, Any], Iterable[Judgement]]:
    """The judge of a suite, whose judgements have the facet `wording` where several were asked.

    `prompted` says which of an item's judgements a wording can change.
    """

    @wraps(judge)  # judgements are cached under the name of a suite's judge
    def judged(item: Any, answers: Answers, protocol: Any) -> Iterable[Judgement]:
        found = judge(item, answers, protocol)
        if protocol.wordings == 1:
            return found
        return (_with_wording(each) if prompted(item, each) else each for each in found)

    return judged


def _with_wording(judgement: Judgement) -> Judgement:
    facets = {**judgement.facets, FACET: str(wording_of(judgement.item))}
    return msgspec.structs.replace(judgement, facets=facets)


def one_wording(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements in the first wording that a frame has, and those that have none."""
    import polars as pl

    if FACET not in frame.columns:
        return frame
    wording = pl.col(FACET).cast(pl.String)
    return frame.filter(wording.is_null() | (wording == wording.min()))


def refuse_wordings(protocol: Protocol, wordings: int, own: str = "") -> None:
    """Raise if the protocol does not have several wordings, or if the user gave their own.

    `own` names the settings in which the user gave a wording, if any.
    """
    if wordings == 1:
        return
    if protocol.name == "paper":
        raise InputError(
            "The protocol paper has one wording, the paper's; use --set wordings with "
            "--protocol epicene."
        )
    if own:
        raise InputError(
            f"--set {own} gives a single wording; do not combine it with --set wordings."
        )
