"""The studies of the five suites, in small, for tests of whatever handles studies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from epicene.studies.design.schema import (
    Access,
    AnswerValue,
    ChoiceQuestion,
    ChoiceScreener,
    DiffPanel,
    ImagePanel,
    LocalisedText,
    MarksQuestion,
    NoteQuestion,
    NumberScreener,
    Option,
    Panel,
    Question,
    Response,
    Study,
    StudyItem,
    TagsQuestion,
    TextPanel,
    TextQuestion,
)


def en(text: str) -> LocalisedText:
    return {"en": text}


def options(*ids: str) -> tuple[Option, ...]:
    return tuple(Option(id=name, key=str(place)) for place, name in enumerate(ids, start=1))


def study(
    show: tuple[Panel, ...],
    questions: tuple[Question, ...],
    items: tuple[StudyItem, ...],
    **settings: Any,
) -> Study:
    settings = {"name": "a-study", "suite": "none", "title": en("A study")} | settings
    return Study(show=show, questions=questions, items=items, **settings)


def response(
    who: str,
    item: str,
    seconds: float | None = None,
    at: float | None = None,
    **answers: AnswerValue,
) -> Response:
    """A response to an item of `study`; `at` is in hours from a fixed time."""
    when = None if at is None else datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=at)
    return Response(
        study="a-study", participant=who, item=item, answers=answers, seconds=seconds, at=when
    )


# --- the studies of the five suites, in small --------------------------------------------------

GENDERED = ("BF", "BM", "FB", "MB", "FF", "FM", "MF", "MM")


def label_and_rewrite() -> Study:
    """Whose gender a sentence shows, and the sentence for the other gender."""
    return study(
        (TextPanel(field="english", language="en"), TextPanel(field="text")),
        (
            ChoiceQuestion(
                id="label", ask=en("Speaker and listener?"), options=options("BB", *GENDERED)
            ),
            TagsQuestion(
                id="flags", ask=en("Anything wrong?"), options=options("hard", "malformed")
            ),
            TextQuestion(
                id="other",
                ask=en("The same for the other gender"),
                draft="draft",
                source="text",
                same_words=True,
                when={"label": GENDERED},
            ),
            NoteQuestion(id="note", ask=en("Remarks")),
        ),
        (
            StudyItem(
                id="s1",
                language="ar",
                fields={
                    "english": "I am tired",
                    "text": "أنا متعب",
                    "draft": "أنا متعبة",
                    "model": "rules",
                },
            ),
        ),
        hidden=("model",),
        judgements=2,
    )


def translation_review() -> Study:
    return study(
        (
            TextPanel(field="english", language="en"),
            DiffPanel(before="masculine", after="feminine"),
        ),
        (
            ChoiceQuestion(id="faithful", ask=en("Is it faithful?"), options=options("yes", "no")),
            TextQuestion(id="masculine", ask=en("He says"), draft="masculine"),
            TextQuestion(id="feminine", ask=en("She says"), draft="feminine", source="masculine"),
        ),
        (
            StudyItem(
                id="t1",
                language="fr",
                fields={
                    "english": "I am ready",
                    "masculine": "Je suis prêt",
                    "feminine": "Je suis prête",
                },
            ),
        ),
    )


def misgendering() -> Study:
    return study(
        (TextPanel(field="text", title=en("What was written")),),
        (
            ChoiceQuestion(
                id="label",
                ask=en("The person's pronouns are"),
                options=options("correct", "misgendering", "no-pronoun", "plural-they"),
            ),
            MarksQuestion(
                id="extraneous",
                ask=en("Mark gendered words"),
                field="text",
                labels=(Option(id="noun"), Option(id="adjective")),
            ),
            TagsQuestion(
                id="tags", ask=en("Anything else?"), options=options("repetition", "wrong-case")
            ),
            NoteQuestion(id="note", ask=en("Remarks")),
        ),
        (
            StudyItem(
                id="g1",
                language="en",
                fields={"text": "Kim sat down. The old man slept.", "model": "m", "automatic": "1"},
                judgements=2,
            ),
            StudyItem(
                id="g2", language="en", fields={"text": "He ran.", "model": "m", "automatic": "0"}
            ),
        ),
        hidden=("model", "automatic"),
    )


def forced_choice() -> Study:
    def pair(name: str, good: str, bad: str, **more: Any) -> StudyItem:
        return StudyItem(id=name, language="hi", fields={"good": good, "bad": bad}, **more)

    return study(
        (TextPanel(field="good"), TextPanel(field="bad")),
        (
            ChoiceQuestion(
                id="better", ask={"hi": "कौन सा?", "en": "Which?"}, between=("good", "bad")
            ),
        ),
        (
            pair("p1a", "राम गया", "राम गई", group="p1"),
            pair("p1b", "सीता गई", "सीता गया", group="p1"),
        ),
        title={"hi": "वाक्य", "en": "Sentences"},
        instructions={"hi": "बेहतर वाक्य चुनिए।", "en": "Choose\nthe better one."},
        consent={"hi": "मैं सहमत हूँ।", "en": "I agree."},
        screening=(
            ChoiceScreener(
                id="native",
                ask={"hi": "मातृभाषा?", "en": "Native language?"},
                options=options("hindi", "other"),
                accept=("hindi",),
            ),
            NumberScreener(id="age", ask={"hi": "आयु?", "en": "Age?"}, at_least=18),
        ),
        access=Access(
            entry="open",
            participant_parameter="PROLIFIC_PID",
            completion_code="C0DE",
            completion_url="https://example.org/done?cc={code}",
        ),
        practice=(
            pair(
                "x",
                "मैं आया",
                "मैं आना",
                expected={"better": "good"},
                feedback={"hi": "ठीक", "en": "Right"},
            ),
        ),
        checks=(pair("c", "यह चुनिए", "यह नहीं", expected={"better": "good"}),),
        fillers=(pair("f", "पानी गिरा", "पानी गिरी"),),
        lists="rotated",
        judgements=20,
        per_person=1,
    )


def three_way_choice() -> Study:
    return study(
        (TextPanel(field="gold"), TextPanel(field="first"), TextPanel(field="second")),
        (ChoiceQuestion(id="best", ask=en("Which is best?"), between=("gold", "first", "second")),),
        (
            StudyItem(
                id="z", language="hi", list="A", fields={"gold": "क", "first": "ख", "second": "ग"}
            ),
        ),
        lists="given",
    )


def completion() -> Study:
    return study(
        (TextPanel(field="sentence", direction="ltr"),),
        (
            ChoiceQuestion(id="grammatical", ask=en("Grammatical?"), options=options("yes", "no")),
            TagsQuestion(
                id="error",
                ask=en("What is wrong?"),
                options=options("valency", "case", "agreement", "meaning"),
                required=True,
                when={"grammatical": ("no",)},
            ),
            ChoiceQuestion(id="plausible", ask=en("Plausible?"), options=options("yes", "no")),
        ),
        (StudyItem(id="k", language="hi", fields={"sentence": "राम ने आग बुझाई"}),),
    )


def stereotype() -> Study:
    return study(
        (TextPanel(field="gloss", language="en"),),
        (
            ChoiceQuestion(
                id="gender", ask=en("It suggests"), options=options("male", "female", "neither")
            ),
            ChoiceQuestion(
                id="category", ask=en("It is about"), options=options("power", "traits", "status")
            ),
        ),
        (StudyItem(id="w", language="es", fields={"gloss": "guard", "grammar": "F"}),),
        hidden=("grammar",),
        judgements=5,
    )


def image() -> Study:
    return study(
        (ImagePanel(field="picture", description=en("A generated picture")),),
        (
            ChoiceQuestion(
                id="gender", ask=en("The person is"), options=options("man", "woman", "neither")
            ),
        ),
        (StudyItem(id="i", fields={"picture": "ab" * 32, "votes": "man,man,woman"}),),
        hidden=("votes",),
    )


STUDIES = [
    label_and_rewrite,
    translation_review,
    misgendering,
    forced_choice,
    three_way_choice,
    completion,
    stereotype,
    image,
]
