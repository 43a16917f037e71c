"""From a text to its frame: find mentions, read the text, make slots of what depends on them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.languages.rewriting.english.frame import Frame, Slot
from epicene.languages.rewriting.english.line import Line
from epicene.languages.rewriting.english.mentions import Forms, Mention, forms_of, mentions
from epicene.languages.rewriting.english.number import PLURAL, SINGULAR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.languages.pronouns import PronounSet
    from epicene.languages.rewriting.english.joined import Agreeing
    from epicene.languages.rewriting.english.reading import Reading, Route

# How many texts are read at a time: enough for a pipeline's batches, few enough to stream.
_CHUNK = 256

# What the clitics are with the other number, for "is" and for "has"; those without an apostrophe
# are of people who leave it out.
_PLURAL_CLITICS = {"'s": ("'re", "'ve"), "s": ("re", "ve")}
_SINGULAR_CLITICS = {"'re": "'s", "'ve": "'s", "re": "s", "ve": "s"}


class Finder:
    """Finds the mentions of the person by the forms of some sets."""

    def __init__(self, sought: Iterable[PronounSet], joined: Iterable[PronounSet]) -> None:
        """`joined` are further sets that may stand beside one of them, as in "he/they"."""
        sets = list(sought)
        self.sought: Forms = forms_of(sets)
        self.joined: Forms = forms_of([*sets, *joined])
        forms = "|".join(map(regex.escape, self.sought))
        # Cheap, and never misses: most lines of most texts have no pronoun that is sought.
        self._hint = regex.compile(rf"(?<!\p{{L}})(?:{forms})(?:s|re|ve)?(?!\p{{L}})", regex.I)

    def find(self, text: str) -> Found | None:
        """The text's tokens and mentions, if there is a mention."""
        if not self.sought or not self._hint.search(text):
            return None
        line = Line(text)
        found = mentions(line.tokens, self.sought, self.joined)
        return Found(line, found) if found else None


class Found(NamedTuple):
    """A text with mentions."""

    line: Line
    mentions: Sequence[Mention]


def frames(texts: Iterable[str], finders: Sequence[Finder], route: Route) -> Iterator[Frame]:
    """The frame of each text, in order, by the first finder that finds anything in it."""
    remaining = iter(texts)
    while chunk := list(islice(remaining, _CHUNK)):
        found = [_first(text, finders) for text in chunk]
        readings = route.read([each for each in found if each is not None])
        for text, each in zip(chunk, found, strict=True):
            slots = () if each is None else _slots(each, next(readings))
            yield Frame(text=text, slots=slots)


def _first(text: str, finders: Sequence[Finder]) -> Found | None:
    return next((found for finder in finders if (found := finder.find(text))), None)


def _slots(found: Found, reading: Reading) -> tuple[Slot, ...]:
    line, slots = found.line, dict[int, Slot]()
    for mention in found.mentions:
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
    token = line.tokens[verb.token]
    rule, sure = verb.rule, verb.sure
    if token.lower in _PLURAL_CLITICS and not mention.plural_verbs:
        has, sure = reading.has(verb.token)
        singular, plural = token.lower, _PLURAL_CLITICS[token.lower][has]
        if verb.token < mention.first:  # "What's she": few people write "What're they"
            plural = " have" if has else " are"
        rule = f"{rule} ('s for {'has' if has else 'is'})"
    elif token.lower in _SINGULAR_CLITICS:
        singular, plural = _SINGULAR_CLITICS[token.lower], token.lower
    else:
        singular, plural = (PLURAL if mention.plural_verbs else SINGULAR).forms(token.lower)
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
