"""From a platform's link to the completion code, in three languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from PIL import Image
from playwright.sync_api import expect

from epicene.studies.collection.folder import create_study_folder
from epicene.studies.design.schema import (
    ChoiceScreener,
    NumberScreener,
    Option,
    Study,
    StudyItem,
    restrict_languages,
)
from screenshots.camera import Camera, save, side_by_side, taken
from studies import suite_studies
from studies.web.browser_participant import KeyboardParticipant, served

CONSENT = {
    "en": "Taking part is voluntary, and you may stop at any time. We keep your answers, and "
    "nothing that tells who you are.",
    "hi": "भाग लेना आपकी इच्छा पर निर्भर है, और इसे कभी भी छोड़ा जा सकता है। हम केवल "
    "आपके उत्तर रखते हैं, ऐसा कुछ नहीं जिससे पता चले कि आप कौन हैं।",
    "ar": "المشاركة طوعية، ويمكن التوقف عنها في أي وقت. نحتفظ بالإجابات وحدها، ولا نحتفظ بأي "
    "شيء يدل على هوية صاحبها.",
}
NATIVE = {
    "hi": {
        "en": "Have you spoken Hindi since childhood?",
        "hi": "क्या बचपन से हिंदी आपकी भाषा रही है?",
    },
    "ar": {"en": "Have you spoken Arabic since childhood?", "ar": "هل العربية لغتك منذ الطفولة؟"},
}
AGE = {"en": "How old are you?", "hi": "आपकी उम्र कितने वर्ष है?", "ar": "كم عمرك بالسنوات؟"}
YES = {"en": "Yes", "hi": "हाँ", "ar": "نعم"}
NO = {"en": "No", "hi": "नहीं", "ar": "لا"}
PRACTICE = {
    "hi": StudyItem(
        id="practice",
        language="hi",
        fields={"english": "I am coming home.", "translation": "मैं घर आ रहा हूँ।"},
        expected={"verdict": "good"},
        feedback={
            "en": "It says what the English says; a woman would say रही, and both are good.",
            "hi": "इसमें वही कहा गया है जो अंग्रेज़ी में है; महिला ‘रही’ बोलेगी, और दोनों ठीक हैं।",
        },
    ),
    "ar": StudyItem(
        id="practice",
        language="ar",
        fields={"english": "I am ready.", "translation": "أنا جاهز."},
        expected={"verdict": "good"},
        feedback={
            "en": "It says what the English says; a woman would say جاهزة, and both are good.",
            "ar": "تقول ما تقوله الجملة الإنجليزية؛ والمرأة تقول «جاهزة»، وكلتا الصيغتين مقبولة.",
        },
    ),
}


def recruited(language: str) -> Study:
    """The review of translations as people come to it from a platform."""
    study = suite_studies.review_in(language).study(Path())
    options = (Option(id="yes", label=YES), Option(id="no", label=NO))
    screens = (
        ChoiceScreener(id="native", ask=NATIVE[language], options=options, accept=("yes",)),
        NumberScreener(id="age", ask=AGE, at_least=18),
    )
    whole = msgspec.structs.replace(
        study,
        consent=CONSENT,
        screening=screens,
        practice=(PRACTICE[language],),
        access=suite_studies.OPEN,
        items=study.items[:2],
    )
    return restrict_languages(whole, tuple(study.title))


def take_the_way_through(camera: Camera, folder: Path) -> None:
    """Consent, screening, instructions, an item, feedback and the end, side by side."""
    for page_language, language in (("en", "hi"), ("hi", "hi"), ("ar", "ar")):
        name = f"annotate-way-{page_language}"
        if not camera.wants(name):
            continue
        with (
            served(create_study_folder(folder / name, recruited(language))) as house,
            camera.page(page_language, width=520, scale=1) as page,
        ):
            pages = list(_pages(house.person(page, "5f2b")))
        save(name, side_by_side(pages, from_right=page_language == "ar"))


def _pages(person: KeyboardParticipant) -> Iterator[Image.Image]:
    """Each kind of page, filled in, when it is there for the first time."""
    page, taken_before = person.page, set()
    expect(page.locator("#main")).to_have_attribute("data-stage", "consent")
    while (stage := person.stage) != "done":
        if stage == "screening":
            person.answer_screening()
        elif stage == "item":
            person.fill_in(person.item(), {"verdict": "good"})
        if stage not in taken_before:
            yield taken(page)
        taken_before.add(stage)
        before = person.look()
        if stage == "consent":  # neither button is preselected
            page.locator("#agree").focus()
        page.keyboard.press("Enter")
        if stage == "item":
            person.gone(before)
        else:
            expect(page.locator("#main")).not_to_have_attribute("data-stage", stage)
    yield taken(page)
