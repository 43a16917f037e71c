"""The contents of the owner's pages, read from the study's folder."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.show.layout import lay_out
from epicene.studies.analysis import quality
from epicene.studies.analysis.export_frames import ExportUnit, export_frame, trial_names
from epicene.studies.analysis.quality_tables import growth_chart, growth_table
from epicene.studies.collection import progress
from epicene.studies.collection.activity import OWNER, read_activity
from epicene.studies.collection.adjudication import disagreements, why_no_adjudication
from epicene.studies.collection.links import User
from epicene.studies.collection.participants import RejectedSubmissionError
from epicene.studies.design.schema import (
    ImagePanel,
    MarksQuestion,
    TagsQuestion,
    TextQuestion,
    all_items,
    visible_values,
)
from epicene.studies.exchange.response_files import ExportFormat, export_responses
from epicene.studies.exchange.table_files import UTF8_BOM, TableFormat, table_bytes
from epicene.studies.web.item_form import ItemViewBuilder, read_answer
from epicene.studies.web.participant_routes import ANSWER_PREFIX
from epicene.studies.web.study_app import first_value
from epicene.studies.web.translations import page_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.studies.collection.activity import Activity
    from epicene.studies.collection.adjudication import Disagreement
    from epicene.studies.design.schema import StudyItem
    from epicene.studies.web.study_app import StudyApp

NONE_FIELD = "none"  # the field for "no tags" or "no marks"
_LANGUAGE = "en"  # of these pages; texts of the study may be in others
_DISAGREEMENTS_PER_PAGE = 20
_PEOPLE_PER_PAGE = 100
_STATES = ("opened the study", "paused the study", "closed the study")

PersonRow: TypeAlias = "tuple[progress.ParticipantProgress, quality.ParticipantQuality | None]"


class Page:
    """A page of a list, with the starts of the pages beside it."""

    def __init__(self, found: Sequence[Any], start: int, size: int) -> None:
        self.all = len(found)
        self.start = min(max(start, 0), max(0, (self.all - 1) // size * size))
        self.rows = found[self.start : self.start + size]
        self.before = max(0, self.start - size) if self.start else None
        after = self.start + size
        self.after = after if after < self.all else None


def totals(lists: list[progress.ListProgress]) -> dict[str, int]:
    """Judgements wanted, given and under way in all."""
    return {name: sum(getattr(each, name) for each in lists) for name in ("wanted", "given", "out")}


def _imported(name: str, state: str) -> progress.ParticipantProgress:
    """Somebody whose answers were imported and who never entered."""
    return progress.ParticipantProgress(
        participant=name, entry="imported", list=None, answered=0, state=state, seen=None
    )


class OwnerData:
    """The contents of the owner's pages."""

    def __init__(self, site: StudyApp) -> None:
        self._folder = site.folder
        self._study = site.study
        self._path = site.task_queue.path
        self._participants = site.task_queue.participants
        self._owners = site.task_queue.owners
        self._signer = site.sessions.signer
        self._viewer = ItemViewBuilder(
            site.study,
            page_language(site.study, _LANGUAGE),
            OWNER,
            site.images.addresses("/owner/image"),
        )

    def progress(self, text: str = "", state: str = "", start: int = 0) -> dict[str, Any]:
        """The study's progress, and the people whose names have the text and who are in a state."""
        valid = self._folder.valid_responses()
        everybody = self._folder.valid_responses(with_excluded=True).responses
        done = {
            each.participant: each for each in quality.participant_quality(self._study, everybody)
        }
        everyone = progress.participant_progress(self._path)
        known = {each.participant for each in everyone}
        excluded = self._folder.exclusions()
        rows: list[PersonRow] = [(each, done.get(each.participant)) for each in everyone]
        for name in sorted(done.keys() - known):
            where = "excluded" if name in excluded else "finished"
            rows.append((_imported(name, where), done[name]))
        wanted = text.casefold().strip()
        found = [
            row
            for row in rows
            if wanted in row[0].participant.casefold() and state in ("", row[0].state)
        ]
        lists = progress.list_progress(self._path)
        return {
            "drift_note": valid.note,
            "lists": lists,
            "page": Page(found, start, _PEOPLE_PER_PAGE),
            "q": text,
            "only": state,
            "state": self._participants.state(),
            "state_set": next((each for each in self.activity() if each.action in _STATES), None),
            **totals(lists),
        }

    def activity(self) -> list[Activity]:
        """What owners did, the latest first."""
        return read_activity(self._path)

    def links(self, new_owner: str = "") -> dict[str, Any]:
        """Participants' links and the owners; of owners' links only that of a new one.

        On the server's own connection, so to be called in its thread.
        """
        address, access = self._folder.address(), self._study.access
        states = {each.participant: each for each in progress.participant_progress(self._path)}
        logins = {
            each.by: each.at for each in reversed(self.activity()) if each.action == "logged in"
        }
        owners = self._owners.active()
        new = next((each for each in owners if each.name == new_owner), None)
        return {
            "people": [
                (states[name], address + self._signer.path(User("person", name, issue)))
                for name in self._participants.invited()
                for issue in (self._participants.issue(name),)
            ],
            "open_link": address + self._signer.open_path(access.participant_parameter)
            if access.entry == "open"
            else "",
            "owners": [(each, logins.get(each.name)) for each in owners],
            "new_owner": new_owner,
            "new_link": address + self._signer.path(new.user) if new else "",
        }

    def agreement(self) -> dict[str, Any]:
        valid = self._folder.valid_responses()
        growth = quality.agreement_over_time(self._study, valid.responses)
        table = growth_table(quality.question_agreement(self._study, valid.responses), growth)
        return {
            "drift_note": valid.note,
            "table": lay_out(table),
            "charts": {each.question: growth_chart(each) for each in growth},
        }

    def items(self, text: str, state: str) -> list[dict[str, Any]]:
        """The items whose texts or id contain the text, and which lack judgements or do not."""
        items = {item.id: item for item in self._study.items}
        wanted = text.casefold().strip()
        found = []
        for each in progress.item_progress(self._path):
            texts = self._texts(items[each.item])
            done = each.given >= each.wanted
            matches = any(wanted in text.casefold() for text in (each.item, *texts))
            if state in ("", "done" if done else "open") and matches:
                found.append({"progress": each, "texts": texts})
        return found

    def _texts(self, item: StudyItem) -> list[str]:
        """The texts that people see of an item, each in one line."""
        images = {panel.field for panel in self._study.show if isinstance(panel, ImagePanel)}
        shown = visible_values(self._study, item)
        texts = dict.fromkeys(text for name, text in shown.items() if name not in images)
        return [" ".join(text.split()) for text in texts] or [item.id]

    def person(self, name: str) -> dict[str, Any] | None:
        """What is known of a participant, and all their answers."""
        made = export_frame(self._folder, "participant")
        facts = next((row for row in made.rows if row["participant"] == name), None)
        if facts is None:
            return None
        judged = export_frame(self._folder, "judgement")
        own = trial_names(self._study)
        items = {item.id: item for item in all_items(self._study)}
        rows = sorted(
            (row for row in judged.rows if row["participant"] == name),
            key=lambda row: row[own["position"]] or 0,
        )
        answers = [
            {
                "position": row[own["position"]],
                "kind": row[own["kind"]],
                "texts": self._texts(items[row["item"]]),
                "answers": [
                    (question.id, row[question.id])
                    for question in self._study.questions
                    if row.get(question.id)
                ],
                "right": row[own["right"]],
                "seconds": row["seconds"],
                "flags": row[own["flags"]],
            }
            for row in rows
        ]
        counted = self._folder.valid_responses(with_excluded=True).responses
        elsewhere = {"excluded", "excluded by"}  # said above the facts
        if not self._study.checks:
            elsewhere |= {"checks seen", "checks right", "passed"}
        return {
            "name": name,
            "facts": [
                (column.name, facts.get(column.name))
                for column in made.columns[1:]
                if column.name not in elsewhere
            ],
            "excluded": self._folder.exclusions().get(name),
            "answers": answers,
            "agreement": quality.agreement_with_others(self._study, counted, name),
        }

    def table(self, per: ExportUnit, form: TableFormat, *, hidden: bool) -> bytes:
        made = export_frame(self._folder, per, hidden=hidden)
        start = UTF8_BOM if form == "csv" else b""
        return start + table_bytes(made.frame(), made.codebook(), form)

    def disagreements(
        self, notice: str = "", *, start: int = 0, question: str = ""
    ) -> dict[str, Any]:
        valid = self._folder.valid_responses()
        left = disagreements(self._study, valid.responses, valid.adjudications)
        asked = [each.id for each in self._study.questions]
        chosen = [each for each in left if question in ("", each.question)]
        items = {item.id: item for item in self._study.items}
        page = Page(chosen, start, _DISAGREEMENTS_PER_PAGE)
        return {
            "notice": notice,
            "drift_note": valid.note,
            "left": len(left),
            "page": page,
            "only": question if question in asked else "",
            "asked": [name for name in asked if any(each.question == name for each in left)],
            "why_none": why_no_adjudication(self._study),
            "entries": [self._entry(each) for each in page.rows],
            "adjudicated": [
                (
                    each,
                    self._viewer.answer_text(
                        self._study.question(each.question), items[each.item], each.value
                    ),
                )
                for each in valid.adjudications.values()
                if each.item in items
            ],
        }

    def _entry(self, each: Disagreement) -> dict[str, Any]:
        question = self._study.question(each.question)
        view = self._viewer.item(each.item, {})
        # A text is easier to edit than to write; of choices none is preselected.
        texts = list(each.answers.values()) if isinstance(question, TextQuestion) else []
        answers = {each.question: texts[0]} if texts else {}
        return {
            "item": each.item.id,
            "view": view,
            # Asked by itself here, whatever it depends on.
            "question": replace(
                self._viewer.question(question, each.item, answers), when="", condition=""
            ),
            "may_be_none": isinstance(question, TagsQuestion | MarksQuestion)
            and not question.required,
            # Without names, in no order of people: who said it must not sway who decides.
            "answers": Counter(
                self._viewer.answer_text(question, each.item, answer)
                for answer in each.answers.values()
            ).most_common(),
        }

    def adjudicate(self, fields: dict[str, list[str]], by: str) -> None:
        items = {item.id: item for item in self._study.items}
        item = items.get(first_value(fields, "item"))
        if item is None:
            raise RejectedSubmissionError("There is no such item.")
        question = self._study.question(first_value(fields, "question"))
        values = fields.get(ANSWER_PREFIX + question.id, [])
        about = f"{question.id} of {item.id}"
        if isinstance(question, TagsQuestion | MarksQuestion):
            given, none = any(map(str.strip, values)), first_value(fields, NONE_FIELD) == "yes"
            if given and none:
                raise RejectedSubmissionError(
                    f"You chose both an answer and “none” for {about}; keep one of them."
                )
            if not (given or none):  # untouched
                raise RejectedSubmissionError(
                    f"You did not decide {about}: choose an answer, or tick “none”."
                )
        value = read_answer(self._study, question, item, OWNER, values)
        if value is None:
            raise RejectedSubmissionError(f"You did not decide {about}.")
        self._folder.adjudications().adjudicate(item.id, question.id, value, by)

    def export(self, form: ExportFormat, *, hidden: bool) -> str:
        valid = self._folder.valid_responses()
        adjudications = valid.adjudications.values()
        return export_responses(
            self._study, valid.responses, adjudications, form, with_hidden=hidden
        )
