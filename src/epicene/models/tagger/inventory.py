"""What the network chooses between for each word: a label, and how the word would change.

Changes are edit scripts, so that a word never seen is changed as those like it. A script that is
too rare to be learnt is `None`; there the word's own counterpart in the lessons is looked up.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from epicene.lessons import Shown
from epicene.models.tagger.scripts import Script, script_between
from epicene.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.lessons import Lesson, Lessons

# How often a script must be seen to be an outcome of its own.
_OFTEN_ENOUGH = 3


class Outcome(NamedTuple):
    """A label, and the script that makes the other form."""

    label: str
    script: Script | None


class Inventory(Record, frozen=True, kw_only=True):
    """All outcomes, and the counterparts of words whose script is none of them.

    The first outcome is that of words that show nobody's gender. `pairs` holds, for a label and a
    word, the commonest of those counterparts.
    """

    outcomes: tuple[Outcome, ...]
    shown: dict[str, Shown]
    pairs: dict[str, dict[str, str]]

    @property
    def plain(self) -> str:
        """The label of words that show nobody's gender."""
        return self.outcomes[0].label

    @property
    def labels(self) -> tuple[str, ...]:
        """The plain label first."""
        return (self.plain, *self.shown)

    def form(self, outcome: Outcome, word: str) -> str | None:
        """The word's other form, or None where it has none by this outcome."""
        if outcome.script is None:
            return self.pairs.get(outcome.label, {}).get(word)
        return outcome.script.apply(word)


def take_inventory(lessons: Lessons) -> Inventory:
    """The outcomes that the lessons show often enough to be learnt."""
    seen = Counter(change for lesson in lessons.sentences for change in _changes(lesson, lessons))
    scripts: Counter[Outcome] = Counter()
    for change, count in seen.items():
        scripts[change.outcome] += count
    common = sorted(outcome for outcome, count in scripts.items() if count >= _OFTEN_ENOUGH)
    # The commonest last, so that it stays.
    pairs: dict[str, dict[str, str]] = {label: {} for label in lessons.shown}
    for change in sorted(seen, key=lambda each: (seen[each], each)):
        if scripts[change.outcome] < _OFTEN_ENOUGH:
            pairs[change.outcome.label][change.word] = change.counterpart
    return Inventory(
        outcomes=(
            Outcome(lessons.plain, None),
            *(Outcome(label, None) for label in lessons.shown),
            *common,
        ),
        shown=lessons.shown,
        pairs=pairs,
    )


class _Change(NamedTuple):
    word: str
    counterpart: str
    outcome: Outcome


def _changes(lesson: Lesson, lessons: Lessons) -> Iterator[_Change]:
    for word, label, counterpart in zip(*lesson, strict=True):
        if label != lessons.plain:
            yield _Change(word, counterpart, Outcome(label, script_between(word, counterpart)))


def outcome_numbers(lesson: Lesson, places: Mapping[Outcome, int]) -> list[int]:
    """For each word the number of its outcome; of the label's own where the script is rare."""
    numbers = []
    for word, label, counterpart in zip(*lesson, strict=True):
        number = places[Outcome(label, None)]
        if word != counterpart:
            number = places.get(Outcome(label, script_between(word, counterpart)), number)
        numbers.append(number)
    return numbers
