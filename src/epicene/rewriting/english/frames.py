"""Frames: texts with slots for the words that depend on a pronoun set. Find the mentions, analyse
the text, make slots.

A frame filled with one set and the same frame filled with another are a minimal pair. Filled with
the set it was read from, it is the text itself.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.core.records import Record
from epicene.languages.pronouns import CASES, Case, PronounSet
from epicene.rewriting import Change, Confidence, Rewriting, TextSpan
from epicene.rewriting.english.line import Line, read_line
from epicene.rewriting.english.number import PLURAL, SINGULAR
from epicene.rewriting.persons import apply_changes
from epicene.rewriting.protected import VisibleText, visible_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from epicene.rewriting.english.agreement import AgreeingVerb
    from epicene.rewriting.english.line import Token
    from epicene.rewriting.english.routes import PronounAnalysis, Route

# What joins two sets that mean one person: he/she, him or her.
_FORM_SEPARATORS = frozenset({"/", "or", "and/or"})
_JOINT_FORMS = {"s/he": ("he", "she"), "(s)he": ("he", "she")}
# Said of one person too, although the set has a form of its own for that.
_SECOND_REFLEXIVES = {"themself": "themselves"}


class Mention(NamedTuple):
    """Tokens `first` to `last` for the person: one form, or two sets joined ("he or she")."""

    first: int
    last: int
    cases: tuple[Case, ...]
    sets: tuple[str, ...]
    plural_verbs: bool


class PronounForm(NamedTuple):
    """A lower-case form: the sets it belongs to, and its cases."""

    cases: tuple[Case, ...]
    sets: tuple[str, ...]
    plural_verbs: bool


PronounForms = dict[str, PronounForm]


def forms_of(sets: Iterable[PronounSet]) -> PronounForms:
    """The forms of some sets; a form shared by two sets belongs to the first."""
    found: PronounForms = {}
    names = set()
    for each in sets:
        names.add(each.name)
        for case in CASES:
            form = each.form(case)
            found.setdefault(form, PronounForm(each.cases(form), (each.name,), each.plural_verbs))
        if second := _SECOND_REFLEXIVES.get(each.reflexive):
            found.setdefault(second, PronounForm(("reflexive",), (each.name,), each.plural_verbs))
    for form, both in _JOINT_FORMS.items():
        if names.intersection(both):
            found[form] = PronounForm(("nominative",), both, plural_verbs=False)
    return found


def find_mentions(
    tokens: Sequence[Token], sought: PronounForms, joined: Mapping[str, PronounForm]
) -> list[Mention]:
    """The mentions of the person by one of the forms sought, in order.

    `joined` are the forms that may be combined with one of them for the same person: with "he"
    sought and "they" not, "he/they" is one mention.
    """
    found: list[Mention] = []
    done = -1
    for index, token in enumerate(tokens):
        if index <= done or token.key not in joined:
            continue
        chain = _chain(tokens, index, joined)
        done = chain.last
        if any(tokens[at].key in sought for at in range(index, done + 1)):
            found.append(chain)
    return found


def _chain(tokens: Sequence[Token], first: int, joined: Mapping[str, PronounForm]) -> Mention:
    """The longest run of forms from `first` on that are one person in one case."""
    form = joined[tokens[first].key]
    cases, sets, plural_verbs, last = form.cases, form.sets, form.plural_verbs, first
    while last + 2 < len(tokens) and tokens[last + 1].key in _FORM_SEPARATORS:
        other = joined.get(tokens[last + 2].key)
        if other is None or set(other.sets) <= set(sets):
            break
        shared = tuple(case for case in cases if case in other.cases) or _of_halves(cases, other)
        if not shared:
            break
        cases, sets, last = shared, (*sets, *other.sets), last + 2
        plural_verbs &= other.plural_verbs  # "he/they is"
    return Mention(first, last, cases, sets, plural_verbs)


def _of_halves(cases: tuple[Case, ...], other: PronounForm) -> tuple[Case, ...]:
    """The case that two halves share: "him/herself" is one reflexive."""
    if other.cases == ("reflexive",) and {"accusative", "dependent"} & set(cases):
        return other.cases
    return ()


class Slot(TextSpan, frozen=True, kw_only=True):
    """Characters of a text that depend on the set: a pronoun in some case, or a verb.

    A verb has a singular and a plural form; its `case` is None.
    """

    text: str
    sets: tuple[str, ...]  # whose form it is; two names for "he or she"
    rule: str
    sure: Confidence
    case: Case | None = None
    singular: str = ""
    plural: str = ""

    def fill(self, to: PronounSet) -> str:
        """The form for that set, with the capitals of the original text."""
        if self.sets == (to.name,):
            return self.text
        if self.case is not None:
            return match_case(self.text, to.form(self.case))
        form = self.plural if to.plural_verbs else self.singular
        return form.upper() if self.text.isupper() else match_case(self.text, form)

    def change(self, to: PronounSet) -> Change:
        """The change that replaces the slot with that set's form, which may be the same."""
        return Change(
            start=self.start,
            end=self.end,
            before=self.text,
            after=self.fill(to),
            rule=self.rule,
            sure=self.sure,
            whose=" or ".join(self.sets),
        )


class Frame(Record, frozen=True, kw_only=True):
    """A text and its slots, in order; `parts` are what was read of it, with their own slots."""

    text: str
    slots: tuple[Slot, ...]
    parts: tuple[tuple[VisibleText, tuple[Slot, ...]], ...] = ()

    def fill(self, to: PronounSet) -> str:
        """The text with every slot filled for that set."""
        return self.rewriting(to).text

    def rewriting(self, to: PronounSet) -> Rewriting:
        """The text with every slot filled for that set, and the changes made."""
        found = (seen.restore(slot.change(to) for slot in slots) for seen, slots in self.parts)
        return apply_changes(self.text, chain.from_iterable(found))


def match_case(pattern: str, form: str) -> str:
    """The form in upper case, capitalised or unchanged, as the pattern is; ’ stays ’."""
    for apostrophe in "’ʼ":
        if apostrophe in pattern:
            form = form.replace("'", apostrophe)
    if pattern.isupper() and len(pattern) > 1:
        return form.upper()
    if pattern[:1].isupper():
        return form[:1].upper() + form[1:]
    return form


# How many texts are read at a time: enough for a pipeline's batches, few enough to stream.
_CHUNK = 256

# What the clitics are with the other number, for "is" and for "has"; those without an apostrophe
# are of people who leave it out.
_PLURAL_CLITICS = {"'s": ("'re", "'ve"), "s": ("re", "ve")}
_SINGULAR_CLITICS = {"'re": "'s", "'ve": "'s", "re": "s", "ve": "s"}


class MentionFinder:
    """Finds the mentions of the person by the forms of some sets."""

    def __init__(
        self,
        sought: Iterable[PronounSet],
        joined: Iterable[PronounSet],
        *,
        keep: Callable[[Line, Sequence[Mention]], Sequence[Mention]] | None = None,
    ) -> None:
        """Look for the sets `sought`; those in `joined` may be combined with them ("he/they").

        `keep` leaves out mentions that are not the person.
        """
        self._keep = keep
        sets = list(sought)
        self.sought: PronounForms = forms_of(sets)
        self.joined: PronounForms = forms_of([*sets, *joined])
        forms = "|".join(map(regex.escape, self.sought))
        # Cheap, and never misses: most lines of most texts have no pronoun that is sought.
        self._hint = regex.compile(rf"(?<!\p{{L}})(?:{forms})(?:s|re|ve)?(?!\p{{L}})", regex.I)

    def find(self, text: str) -> LineWithMentions | None:
        """The text's tokens and mentions, if there is a mention."""
        if not self.sought or not self._hint.search(text):
            return None
        line = read_line(text)
        found: Sequence[Mention] = find_mentions(line.tokens, self.sought, self.joined)
        if self._keep is not None:
            found = self._keep(line, found)
        return LineWithMentions(line, found) if found else None


class LineWithMentions(NamedTuple):
    """A text with mentions."""

    line: Line
    mentions: Sequence[Mention]


def read_frames(
    texts: Iterable[str], finders: Sequence[MentionFinder], route: Route, *, syntax: str = ""
) -> Iterator[Frame]:
    """The frame of each text, in order; each part by the first finder that finds anything in it."""
    remaining = iter(texts)
    while chunk := list(islice(remaining, _CHUNK)):
        visible = [visible_texts(text, syntax=syntax, composed=False) for text in chunk]
        found = [[(seen, _first_found(seen.text, finders)) for seen in each] for each in visible]
        readings = route.read([line for each in found for _, line in each if line is not None])
        for text, each in zip(chunk, found, strict=True):
            parts = tuple(
                (seen, _make_slots(line, next(readings))) for seen, line in each if line is not None
            )
            slots = chain.from_iterable(seen.restore(slots) for seen, slots in parts)
            yield Frame(text=text, slots=tuple(slots), parts=parts)


def _first_found(text: str, finders: Sequence[MentionFinder]) -> LineWithMentions | None:
    return next((found for finder in finders if (found := finder.find(text))), None)


def _make_slots(found: LineWithMentions, reading: PronounAnalysis) -> tuple[Slot, ...]:
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
                slot = _verb_slot(line, mention, verb, reading)
                slots.setdefault(slot.start, slot)
    return tuple(slots[start] for start in sorted(slots))


def _verb_slot(line: Line, mention: Mention, verb: AgreeingVerb, reading: PronounAnalysis) -> Slot:
    token = line.tokens[verb.token]
    rule, sure = verb.rule, verb.sure
    if verb.plural:
        singular, plural = token.key, verb.plural
    elif token.key in _PLURAL_CLITICS and not mention.plural_verbs:
        has, sure = reading.has(verb.token)
        singular, plural = token.key, _PLURAL_CLITICS[token.key][has]
        if verb.token < mention.first:  # "What's she": few people write "What're they"
            plural = " have" if has else " are"
        rule = f"{rule} ('s for {'has' if has else 'is'})"
    elif token.key in _SINGULAR_CLITICS:
        singular, plural = _SINGULAR_CLITICS[token.key], token.key
    else:
        singular, plural = (PLURAL if mention.plural_verbs else SINGULAR).forms(token.key)
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
