"""From a text to its frame: find the mentions, read the text, make a slot of what depends on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.english.frame import Frame, Slot
from epicene.languages.rewriting.english.line import Line
from epicene.languages.rewriting.english.mentions import Forms, Mention, mentions
from epicene.languages.rewriting.english.number import PLURAL, SINGULAR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.languages.rewriting.english.agreement import Agreeing
    from epicene.languages.rewriting.english.reading import Reading, Route

# What the clitics are with the other number; "re" and "ve" are those of people who leave out
# the apostrophe.
_PLURAL_CLITICS = {
    ("'s", False): "'re",
    ("'s", True): "'ve",
    ("s", False): "re",
    ("s", True): "ve",
}
_SINGULAR_CLITICS = {"'re": "'s", "'ve": "'s", "re": "s", "ve": "s"}


def frames(
    texts: Iterable[str], sought: Forms, joined: Forms, route: Route
) -> Iterator[Frame]:
    """The frame of each text, in order."""
    lines: list[tuple[Line, Sequence[Mention]]] = []
    for text in texts:
        line = Line(text)
        lines.append((line, mentions(line.tokens, sought, joined)))
    readings = route.read(each for each in lines if each[1])
    for line, found in lines:
        slots = _slots(line, found, next(readings)) if found else ()
        yield Frame(text=line.text, slots=slots)


def _slots(line: Line, found: Sequence[Mention], reading: Reading) -> tuple[Slot, ...]:
    slots: dict[int, Slot] = {}
    for mention in found:
        decision = reading.case(mention)
        start, end = line.tokens[mention.first].start, line.tokens[mention.last].end
        slots[start] = Slot(
            start=start,
            end=end,
            text=line.text[start:end],
            sets=mention.sets,
            case=decision.case,
            rule=decision.rule,
            sure=decision.sure,
        )
        if decision.case == "nominative":
            for verb in reading.verbs(mention):
                slot = _verb(line, mention, verb, reading)
                slots.setdefault(slot.start, slot)
    return tuple(slots[start] for start in sorted(slots))


def _verb(line: Line, mention: Mention, verb: Agreeing, reading: Reading) -> Slot:
    token = line.tokens[verb.index]
    rule, sure = verb.rule, verb.sure
    if token.lower in SINGULAR.clitics and not mention.plural_verbs:
        has, sure = reading.has(verb.index)
        singular, plural = token.lower, _PLURAL_CLITICS[token.lower, has]
        if verb.index < mention.first:  # "What's she": no one writes "What're they"
            plural = " have" if has else " are"
        rule = f"{rule}, 's is {'has' if has else 'is'}"
    elif token.lower in _SINGULAR_CLITICS:
        singular, plural = _SINGULAR_CLITICS[token.lower], token.lower
    else:
        number = PLURAL if mention.plural_verbs else SINGULAR
        singular, plural = number.forms(token.lower)
    return Slot(
        start=token.start,
        end=token.end,
        text=token.text,
        sets=mention.sets,
        rule=rule,
        sure=sure,
        singular=singular,
        plural=plural,
    )
