"""Build Hindi minimal pairs from the tables of verbs and nouns: 56 verbs in four variants.

For every verb, the seed chooses the participants and the verb that replaces it.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.files import write_atomically
from epicene.suites.alternations.data import PAIRS_FILE, PARADIGMS_FILE
from epicene.suites.alternations.hindi_verbs import (
    AUXILIARIES,
    GENDER_NAMES,
    MAX_USES_OF_OTHER_VERB,
    MIN_OTHER_VERBS,
    NUMBER_NAMES,
    VALENCIES,
    Noun,
    Verb,
    nouns,
    paradigm,
    participle,
    verbs,
)
from epicene.suites.alternations.items import (
    DIFFERENT_VERB,
    NO_ERGATIVE,
    NO_INSTRUMENT,
    VARIANT_IDS,
    Pair,
)
from epicene.suites.alternations.transliteration import transliterate
from epicene.suites.construction import BuildSettings, Compute, Construction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.suites.alternations.hindi_verbs import Aspect, Gender, Number
    from epicene.suites.construction import StepOutputs, StepRow


class Frame(NamedTuple):
    """A verb with its participants, and the unrelated verb that replaces it in DV."""

    verb: Verb
    partner: Verb
    causer: Noun
    causee: Noun
    instrument: Noun
    patient: Noun
    recipient: Noun | None

    @property
    def object_cell(self) -> tuple[Gender, Number]:
        """The gender and number of the perfective; को blocks agreement."""
        return ("m", "sg") if self.verb.ko else (self.patient.gender, self.patient.number)

    @property
    def subject_cell(self) -> tuple[Gender, Number]:
        """The gender and number of the habitual."""
        return self.causer.gender, self.causer.number


# --- choosing ----------------------------------------------------------------------------------


def draw_frames(seed: int) -> list[Frame]:
    """One frame per verb, with equal numbers of feminine and masculine causers and patients."""
    draw = random.Random(seed)
    # Drawn apart, so that another list of partners leaves the participants as they are.
    partners = _draw_partners(random.Random(f"{seed}, partners"))
    for _ in count():
        drawn = [_draw_frame(verb, partners[verb.id], draw) for verb in verbs().values()]
        if _balanced([frame.causer for frame in drawn]) and _balanced(
            [frame.patient for frame in drawn]
        ):
            return drawn
    raise AssertionError("unreachable")


def _balanced(drawn: Sequence[Noun]) -> bool:
    return 2 * sum(noun.gender == "f" for noun in drawn) == len(drawn)


def _draw_partners(draw: random.Random) -> dict[str, Verb]:
    """For every verb, the one that replaces it in DV: in each class alternately an intransitive and
    a transitive verb; among those allowed, the least used one.
    """
    for _ in count():
        drawn: dict[str, Verb] = {}
        used: Counter[str] = Counter()
        for place, verb in enumerate(_mixed_by_class(draw)):
            wanted = ("intransitive", "transitive")[place % 2]
            known = [verbs()[name] for name in draw.sample(verb.partners, len(verb.partners))]
            possible = (partner for partner in known if partner.valency == wanted)
            drawn[verb.id] = min(possible, key=lambda partner: used[partner.id])
            used[drawn[verb.id].id] += 1
        if len(used) >= MIN_OTHER_VERBS and max(used.values()) <= MAX_USES_OF_OTHER_VERB:
            return drawn
    raise AssertionError("unreachable")


def _mixed_by_class(draw: random.Random) -> list[Verb]:
    """The verbs class by class, as in the table, in random order within each."""
    mixed = draw.sample(list(verbs().values()), len(verbs()))
    return sorted(mixed, key=lambda verb: list(VALENCIES).index(verb.verb_class))


def _draw_frame(verb: Verb, partner: Verb, draw: random.Random) -> Frame:
    known = nouns()
    patient = known[draw.choice(verb.patients)]
    causers = [known[name] for name in verb.causers]
    if verb.valency == "intransitive" and not verb.ko:
        # Otherwise the bad habitual could agree with the patient as its subject, and a reader could
        # take the causer for someone called: माँ, … लकड़ी कटती थी.
        causers = [causer for causer in causers if causer.gender != patient.gender]
    return Frame(
        verb=verb,
        partner=partner,
        causer=draw.choice(causers),
        causee=known[draw.choice(verb.causees)],
        instrument=known[draw.choice(verb.instruments)],
        patient=patient,
        recipient=known[draw.choice(verb.recipients)] if verb.recipients else None,
    )


# --- writing -----------------------------------------------------------------------------------


def build_pairs(seed: int) -> Iterator[Pair]:
    """All pairs of a seed, variant by variant."""
    drawn = draw_frames(seed)
    for variant in VARIANT_IDS:
        for frame in drawn:
            yield _build_pair(frame, variant)


def _build_pair(frame: Frame, variant: str) -> Pair:
    aspect: Aspect = "habitual" if variant == NO_ERGATIVE else "perfective"
    cell = frame.subject_cell if aspect == "habitual" else frame.object_cell
    other = frame.partner if variant == DIFFERENT_VERB else frame.verb
    gold = participle(aspect, frame.verb.indirect, *cell)
    bad = participle(aspect, other.base, *cell, other.perfective)
    with_instrument = variant != NO_INSTRUMENT
    prefix = " ".join(_arguments(frame, ergative=aspect == "perfective", tool=with_instrument))
    after = AUXILIARIES[cell]
    good = f"{prefix} {gold} {after}"
    return Pair(
        id=f"{VARIANT_IDS[variant]}-{frame.verb.id}",
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
            "patient gender": GENDER_NAMES[frame.patient.gender],
            "patient number": NUMBER_NAMES[frame.patient.number],
            "patient ko": "yes" if frame.verb.ko else "no",
            "causer gender": GENDER_NAMES[frame.causer.gender],
            "other verb": other.iast,
            "other valency": other.valency,
        },
        transliteration=transliterate(good),
        gloss=_gloss(frame, aspect, tool=with_instrument),
    )


def _arguments(frame: Frame, *, ergative: bool, tool: bool) -> Iterator[str]:
    """The phrases before the verb."""
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


def pair_row(pair: Pair) -> dict[str, Any]:
    """A pair as a row of a file, with its columns next to its other fields."""
    fields = ("id", "group", "language", "phenomenon", "good", "bad", "prefix", "gold", "after")
    return {
        **{field: getattr(pair, field) for field in fields},
        **pair.columns,
        "transliteration": pair.transliteration,
        "gloss": pair.gloss,
    }


def pair_rows(_made: StepOutputs, settings: BuildSettings) -> Iterator[StepRow]:
    """The pairs of the seed."""
    for pair in build_pairs(settings.seed):
        yield pair_row(pair)


def export(made: StepOutputs, _settings: BuildSettings, folder: Path) -> Sequence[Path]:
    """Write the pairs, and the paradigm of every verb as a readable table."""
    data, forms = folder / PAIRS_FILE, folder / PARADIGMS_FILE
    lines = (json.dumps(row, ensure_ascii=False) for row in made["pairs"])
    write_atomically(data, "".join(f"{line}\n" for line in lines).encode())
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator="\n").writerows(paradigm_rows())
    write_atomically(forms, table.getvalue().encode())
    return data, forms


def paradigm_rows() -> Iterator[tuple[str, ...]]:
    """Every form of every verb, after a header row."""
    yield (
        "verb", "meaning", "class", "stem", "aspect", "gender", "number", "form", "transliteration",
    )  # fmt: skip
    for verb in verbs().values():
        for form in paradigm(verb):
            text = f"{form.text} {AUXILIARIES[form.gender, form.number]}"
            yield (
                verb.iast,
                verb.meaning,
                verb.verb_class,
                form.stem_kind,
                form.aspect,
                GENDER_NAMES[form.gender],
                NUMBER_NAMES[form.number],
                text,
                transliterate(text),
            )


construction = Construction(
    about="Minimal pairs of Hindi verb frames, built from the tables of verbs and nouns.",
    settings=BuildSettings,
    steps=(Compute(name="pairs", about="every verb in four variants", make=pair_rows),),
    export=export,
)
