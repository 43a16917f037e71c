"""A study as an experiment for PCIbex: its script, and its items as a table by list.

The script is `pcibex_main.js` with the study's words put before it. What it logs is what `pcibex`
reads. The table has an item's id, its list and what is shown of it, and nothing that is hidden.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.errors import InputError
from epicene.studies import ChoiceScreen, Choose, TextPanel
from epicene.studies.lists import lists_of
from epicene.studies.showing import shown, shown_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.studies import Screen, Study, StudyItem, Words

SCRIPT, TABLE = "main.js", "items.csv"

# Words of the experiment that are no study's own; a language that is not here reads English.
_INTERFACE: dict[str, Words] = {
    "next": {"en": "Go on", "hi": "आगे बढ़िए"},
    "agree": {"en": "I agree to take part", "hi": "मैं भाग लेने के लिए सहमत हूँ"},
    "refused": {
        "en": "According to these answers you cannot take part in this study. Thank you.",
        "hi": "इन उत्तरों के अनुसार आप इस अध्ययन में भाग नहीं ले सकते। धन्यवाद।",
    },
    "thanks": {
        "en": "That was all, and your answers have been sent. Thank you.",
        "hi": "अध्ययन पूरा हुआ और आपके उत्तर भेज दिए गए हैं। धन्यवाद।",
    },
}
_MOST = 999  # that a person can write where a number is asked for


def experiment(study: Study) -> dict[str, str]:
    """The files of the experiment, by name."""
    question = _question(study)
    code = study.access.completion_code
    content = {
        "title": study.title,
        "question": question.id,
        "ask": question.ask,
        "between": question.between,
        "options": [{"id": each.id, "label": each.label} for each in question.options],
        "above": [name for name in shown_fields(study) if name not in question.between],
        "consent": [study.consent] if study.consent else [],
        "screening": [_screen(screen) for screen in study.screening],
        "instructions": [study.instructions] if study.instructions else [],
        "practice": [{**_row(study, item), "feedback": item.feedback} for item in study.practice],
        "filler": [_row(study, item) for item in study.fillers],
        "check": [_row(study, item) for item in study.checks],
        "shuffle": study.shuffle,
        "parameter": study.access.participant_parameter,
        "code": code,
        "url": study.access.completion_url.replace("{code}", code),
        "interface": {
            name: {code: words.get(code, words["en"]) for code in study.title}
            for name, words in _INTERFACE.items()
        },
    }
    text = json.dumps(msgspec.to_builtins(content), ensure_ascii=False, indent=1)
    script = Path(__file__).with_name("pcibex_main.js").read_text(encoding="utf-8")
    return {SCRIPT: f"const STUDY = {text};\n\n{script}", TABLE: _table(study)}


def _question(study: Study) -> Choose:
    """The one choice that is asked; anything else the script cannot ask."""
    (*others, question) = study.questions
    if others or not isinstance(question, Choose):
        raise InputError(
            f"The study {study.name} asks for something else than one choice, which is all that an "
            "experiment for PCIbex is written for; give people sheets instead (--people)."
        )
    if not all(isinstance(panel, TextPanel) for panel in study.show):
        raise InputError(
            f"The study {study.name} shows more than texts; an experiment for PCIbex has only them."
        )
    return question


def _screen(screen: Screen) -> dict[str, Any]:
    if isinstance(screen, ChoiceScreen):
        labels = {each.id: " / ".join(each.label.values()) or each.id for each in screen.options}
        accept = [labels[name] for name in screen.accept]
        return {"id": screen.id, "ask": screen.ask, "options": [*labels.values()], "accept": accept}
    least, most = screen.at_least or 0, _MOST if screen.at_most is None else screen.at_most
    numbers = "|".join(map(str, range(least, min(most, _MOST) + 1)))
    return {"id": screen.id, "ask": screen.ask, "pattern": f"^(?:{numbers})$"}


def _row(study: Study, item: StudyItem) -> dict[str, str]:
    return {"item": item.id, **shown(study, item)}


def _table(study: Study) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("list", "item", *shown_fields(study)))
    writer.writerows(_listed(study))
    return text.getvalue()


def _listed(study: Study) -> Iterator[tuple[str, ...]]:
    """List by list, under numbers: the name of a given list may say what is in it."""
    for number, items in enumerate(lists_of(study).values(), start=1):
        for item in items:
            yield (str(number), *_row(study, item).values())
