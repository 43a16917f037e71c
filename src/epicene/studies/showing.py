"""What of an item reaches a person: the fields that the study shows, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.studies import DiffPanel, Study, Write

if TYPE_CHECKING:
    from epicene.studies import StudyItem


def shown_fields(study: Study) -> dict[str, str]:
    """The fields of an item that reach a person, with the place that shows them."""
    shown: dict[str, str] = {}
    for number, panel in enumerate(study.show):
        names = [panel.before, panel.after] if isinstance(panel, DiffPanel) else [panel.field]
        shown |= dict.fromkeys(names, f"show[{number}]")
    for number, question in enumerate(study.questions):
        if isinstance(question, Write):
            names = [name for name in (question.draft, question.source) if name]
            shown |= {
                name: f"questions[{number}] ({question.id})" for name in names if name not in shown
            }
    return shown


def shown(study: Study, item: StudyItem) -> dict[str, str]:
    """What a person gets to see of an item, by field."""
    return {name: item.fields[name] for name in shown_fields(study)}
