"""From the tables of verbs and nouns to minimal pairs: 56 verbs in four variants.

A seed chooses, for every verb, who and what takes part and which other verb is put in its place.
"""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from epicene.suites.alternations.iast import transliterate
from epicene.suites.alternations.pairs import Pair
from epicene.suites.alternations.paradigm import AUXILIARIES, habitual, perfective
from epicene.suites.alternations.table import Noun, Verb, nouns, verbs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.alternations.table import Gender, Number

GENDERS = {"m": "masculine", "f": "feminine"}
NUMBERS = {"sg": "singular", "pl": "plural"}

# A variant's short name, for ids: the paper's names hold spaces and brackets.
IDS = {"DV": "dv", "SV": "sv", "No Case(E)": "e", "No Case(I)": "i"}


class Frame(NamedTuple):
    """A verb with all that takes part, and the verb of another valency in its place."""

    verb: Verb
    partner: Verb
    causer: Noun
    causee: Noun
    instrument: Noun
    patient: Noun
    recipient: Noun | None

    @property
    def object_cell(self) -> tuple[Gender, Number]:
        """What a perfective agrees with; को stops it from agreeing."""
        return ("m", "sg") if self.verb.ko else (self.patient.gender, self.patient.number)

    @property
    def subject_cell(self) -> tuple[Gender, Number]:
        """What a habitual agrees with."""
        return self.causer.gender, self.causer.number


# --- choosing ----------------------------------------------------------------------------------


def frames(seed: int) -> list[Frame]:
    """One frame per verb; as many feminine as masculine causers, and patients."""
    draw = random.Random(seed)
    for _ in count():
        drawn = [_frame(verb, draw) for verb in verbs().values()]
        if _balanced([frame.causer for frame in drawn]) and _balanced(
            [frame.patient for frame in drawn]
        ):
            return drawn
    raise AssertionError("unreachable")


def _balanced(drawn: Sequence[Noun]) -> bool:
    return 2 * sum(noun.gender == "f" for noun in drawn) == len(drawn)


def _frame(verb: Verb, draw: random.Random) -> Frame:
    known = nouns()
    patient = known[draw.choice(verb.patients)]
    causers = [known[name] for name in verb.causers]
    if verb.valency == "intransitive" and not verb.ko:
        # Else the bad habitual could agree with the patient as its subject, and a reader could
        # take the causer for someone called: माँ, … लकड़ी कटती थी.
        causers = [causer for causer in causers if causer.gender != patient.gender]
    return Frame(
        verb=verb,
        partner=verbs()[draw.choice(verb.partners)],
        causer=draw.choice(causers),
        causee=known[draw.choice(verb.causees)],
        instrument=known[draw.choice(verb.instruments)],
        patient=patient,
        recipient=known[draw.choice(verb.recipients)] if verb.recipients else None,
    )


# --- writing -----------------------------------------------------------------------------------


def build(seed: int) -> Iterator[Pair]:
    """All pairs of a seed, variant by variant."""
    drawn = frames(seed)
    for variant in IDS:
        for frame in drawn:
            yield _pair(frame, variant)


def _pair(frame: Frame, variant: str) -> Pair:
    aspect: Literal["perfective", "habitual"] = (
        "habitual" if variant == "No Case(E)" else "perfective"
    )
    other = frame.partner if variant == "DV" else frame.verb
    if aspect == "habitual":
        cell = frame.subject_cell
        gold, bad = habitual(frame.verb.indirect, *cell), habitual(other.base, *cell)
    else:
        cell = frame.object_cell
        gold = perfective(frame.verb.indirect, *cell)
        bad = perfective(other.base, *cell, other.perfective)
    with_instrument = variant != "No Case(I)"
    prefix = " ".join(_arguments(frame, ergative=aspect == "perfective", tool=with_instrument))
    after = AUXILIARIES[cell]
    good = f"{prefix} {gold} {after}"
    return Pair(
        id=f"{IDS[variant]}-{frame.verb.id}",
        group=frame.verb.id,
        language="hi",
        phenomenon=variant,
        good=good,
        bad=f"{prefix} {bad} {after}",
        prefix=prefix,
        gold=gold,
        after=after,
        columns={
            "class": frame.verb.verb_class,
            "valency": frame.verb.valency,
            "verb": frame.verb.iast,
            "patient gender": GENDERS[frame.patient.gender],
            "patient number": NUMBERS[frame.patient.number],
            "patient ko": "yes" if frame.verb.ko else "no",
            "causer gender": GENDERS[frame.causer.gender],
        },
        transliteration=transliterate(good),
        gloss=_gloss(frame, aspect, tool=with_instrument),
    )


def _arguments(frame: Frame, *, ergative: bool, tool: bool) -> Iterator[str]:
    """All that stands before the verb."""
    if ergative:
        yield f"{frame.causer.before_postposition} ने"
    else:
        yield frame.causer.form
    yield f"{frame.causee.before_postposition} से"
    if tool:
        yield f"{frame.instrument.before_postposition} से"
    if frame.recipient is not None:
        yield f"{frame.recipient.before_postposition} को"
    yield f"{frame.patient.before_postposition} को" if frame.verb.ko else frame.patient.form


def _gloss(frame: Frame, aspect: str, *, tool: bool) -> str:
    recipient = frame.recipient.en if frame.recipient is not None else ""
    event = frame.verb.english.format(patient=frame.patient.en, recipient=recipient)
    had = "used to have" if aspect == "habitual" else "had"
    by = f" {frame.verb.by} {frame.instrument.en}" if tool else ""
    text = f"{frame.causer.en} {had} {frame.causee.en} {event}{by}."
    return text[0].upper() + text[1:]


def row_of(pair: Pair) -> dict[str, Any]:
    """A pair as a line of a file: its columns stand beside its other fields."""
    fields = ("id", "group", "language", "phenomenon", "good", "bad", "prefix", "gold", "after")
    return {
        **{field: getattr(pair, field) for field in fields},
        **pair.columns,
        "transliteration": pair.transliteration,
        "gloss": pair.gloss,
    }
