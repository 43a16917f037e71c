"""Plans: work that asks a masked model something, waits, and perhaps asks again.

A plan is a generator that yields asks and is sent what was found. The plans of many requests
run side by side, so that their rows fill the same batches and equal rows are computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from epicene.models.hf.memory import TooLargeError
from epicene.models.hf.reading import Ask, Found, Result

if TYPE_CHECKING:
    from epicene.models.hf.reading import MaskedReader

T = TypeVar("T")

Plan: TypeAlias = Generator[list[Ask], Sequence[Found], T]


def together(plans: Sequence[Plan[T]]) -> Generator[list[Ask], Sequence[Result], list[T]]:
    """Run plans side by side; what each returns, in their order."""
    done: dict[int, T] = {}
    found: dict[int, Sequence[Result] | None] = dict.fromkeys(range(len(plans)))
    while found:
        asked: dict[int, list[Ask]] = {}
        for number, results in found.items():
            try:
                asked[number] = _resume(plans[number], results)
            except StopIteration as end:
                done[number] = end.value
        if not asked:
            break
        everything = iter((yield [ask for asks in asked.values() for ask in asks]))
        found = {number: list(islice(everything, len(asks))) for number, asks in asked.items()}
    return [done[number] for number in range(len(plans))]


def _resume(plan: Plan[T], results: Sequence[Result] | None) -> list[Ask]:
    """Start a plan or send it what was found; rows too large for memory are thrown into it."""
    if results is None:
        return next(plan)
    for result in results:
        if isinstance(result, TooLargeError):
            return plan.throw(result)
    return plan.send([result for result in results if isinstance(result, Found)])


def carry_out(plans: Sequence[Plan[T]], reader: MaskedReader) -> Callable[[], list[T]]:
    """Run plans; what is returned waits for their ends and gives what each returns, in order.

    What they ask first is on its way when this returns.
    """
    work = together(plans)
    try:
        read = reader.begin(next(work))
    except StopIteration as end:
        nothing: list[T] = end.value
        return lambda: nothing

    def finish() -> list[T]:
        results = read()
        try:
            while True:
                results = reader.begin(work.send(results))()
        except StopIteration as end:
            answers: list[T] = end.value
            return answers

    return finish
