"""The results as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scoring_speed.measure import ComparisonResult, Point, Results


def everything(results: Results) -> str:
    """All tables; how far everybody is from the floor comes last."""
    parts = [", ".join(f"{name} {version}" for name, version in results.versions.items())]
    parts += [race(each) for each in results.races]
    if results.curve:
        parts.append(curve(results.curve))
    if results.races:
        parts.append(floors(results.races))
    return "\n\n".join(parts)


def race(race: ComparisonResult) -> str:
    """Who did how many texts a second, and how many times as many Epicene did."""
    ours, work = race.ours, race.work
    on_cpu = race.device == "cpu"  # there the clock also counts what others do
    rows = [("", "batch", "sequences/s", "epicene ×", *(["by processor ×"] * on_cpu), "apart")]
    for line in race.lines:
        share = ours.sequences / line.sequences
        rows.append(
            (
                line.contender,
                "own" if line is ours else str(line.batch),
                f"{line.sequences / line.seconds:.1f}",
                f"{share * line.seconds / ours.seconds:.2f}",
                *([f"{share * line.processor / ours.processor:.2f}"] * on_cpu),
                f"{line.apart:.0e}",
            )
        )
    return (
        f"{race.name} with {race.model} in {race.dtype}: {race.sequences} sequences, "
        f"{work.tokens} tokens, {work.distinct} distinct\n{_table(rows)}"
    )


def curve(points: Sequence[Point]) -> str:
    """Cost against distinct tokens; on a CPU in seconds of all cores."""
    heading = ("candidates", "sequences", "tokens", "distinct", "epicene s", "µs/distinct")
    rows = [(*heading, "sorted batches s", "µs/token")]
    rows += [
        (
            str(point.candidates),
            str(point.sequences),
            str(point.work.tokens),
            str(point.work.distinct),
            f"{point.ours:.3f}",
            f"{1e6 * point.ours / point.work.distinct:.1f}",
            f"{point.batches:.3f}",
            f"{1e6 * point.batches / point.work.tokens:.1f}",
        )
        for point in points
    ]
    return f"more candidates per item\n{_table(rows)}"


def floors(races: Iterable[ComparisonResult]) -> str:
    """How far everybody is from the least there is to do; on a CPU in seconds of all cores."""
    heading = ("", "TFLOP", "TFLOP/s", "floor s", "", "s", "× floor")
    return (
        "the floor: every distinct token once, at the rate of a large matrix product\n"
        f"{_table([heading, *_floors(races)])}"
    )


def _floors(races: Iterable[ComparisonResult]) -> Iterator[tuple[str, ...]]:
    for race in races:
        start: tuple[str, ...] = (
            race.name,
            f"{race.work.flops / 1e12:.3f}",
            f"{race.rate / 1e12:.3f}",
            f"{race.floor:.3f}",
        )
        for line in race.lines:
            cost = race.cost(line)
            yield (*start, line.contender, f"{cost:.3f}", f"{cost / race.floor:.1f}")
            start = ("",) * len(start)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Rows under a heading, the first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])
