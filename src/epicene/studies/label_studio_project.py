"""A study as a project for Label Studio: its labelling configuration and its tasks.

The configuration has a control per question, hidden while the question is not asked, and the tasks
what is shown of an item and nothing that is hidden. Options go out with their id as alias, which is
what Label Studio then writes into its results. `label_studio` reads those.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from epicene.errors import InputError
from epicene.records import digest
from epicene.studies import Choose, DiffPanel, ImagePanel, Mark, Option, Tag, Write
from epicene.studies.label_studio import (
    ITEM,
    MARKED,
    STUDY,
    control_names,
    literal,
    safe_names,
    said,
)
from epicene.studies.lists import lists_of
from epicene.studies.prose import prose
from epicene.studies.responses import choices, options_of
from epicene.studies.showing import shown, shown_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.studies import Panel, Question, Study, StudyItem

CONFIG, TASKS, INSTRUCTIONS = "config.xml", "tasks.json", "instructions.html"

# Blanks count in the places of marks, so none may be lost. A text runs the way its letters do,
# unless its panel says how, and the key shown after an option takes no part in that. Label Studio
# renames its classes, so that rules go by parts of their names, and leaves a `>` escaped.
_OURS, _BY_LETTERS = "epicene", "epicene-by-letters"
_STYLE = f"""
.{_OURS} [class*="richtext"] {{ white-space: pre-wrap; text-align: start; }}
.{_OURS} [class*="richtext__line"] {{ width: 100%; }}
.{_OURS} textarea, .{_OURS} [class*="textarea__region"] p {{ text-align: start; }}
.{_OURS} textarea, .{_OURS} [class*="textarea__region"] p {{ white-space: pre-wrap; }}
.{_OURS} textarea, .{_OURS} [class*="textarea__region"] p {{ unicode-bidi: plaintext; }}
.{_OURS} [class*="choice"] label span {{ unicode-bidi: plaintext; }}
.{_OURS} sup {{ unicode-bidi: isolate; }}
.{_BY_LETTERS} [class*="richtext"] {{ unicode-bidi: plaintext; }}
  """
# Where Label Studio serves files from a folder of its own machine.
_LOCAL = "/data/local-files/?d="


def project(study: Study) -> dict[str, str]:
    """The files of the project by name; of a study with lists, a file of tasks for each list."""
    return {CONFIG: configuration(study), **_tasks(study), INSTRUCTIONS: _instructions(study)}


def _instructions(study: Study) -> str:
    """To be pasted into the project's settings, which take HTML."""
    whole = ET.Element("div")
    for code, title in study.title.items():
        place = ET.SubElement(whole, "div", lang=code, dir="auto")
        ET.SubElement(place, "h3").text = title
        for words in (study.consent, study.instructions):
            for kind, lines in prose(words.get(code, "")):
                for line in lines:
                    # Label Studio shows a list without its points.
                    ET.SubElement(place, "p").text = f"• {line}" if kind == "li" else line
    ET.indent(whole)
    return ET.tostring(whole, encoding="unicode", method="html") + "\n"


# --- configuration ---------------------------------------------------------------------------


def configuration(study: Study) -> str:
    """The labelling configuration, as XML."""
    view = ET.Element("View", className=_OURS)
    ET.SubElement(view, "Style").text = _STYLE
    keys, offered = _keys(study), _offered(study)
    for panel in study.show:
        _show(view, panel, keys, offered)
    seen = {element.get("name") for element in view.iter()}
    for question in study.questions:
        if (
            isinstance(question, Write)
            and question.source
            and _object(keys[question.source]) not in seen
        ):
            _text(view, keys[question.source])
    about = next((each.get("name", "") for each in view.iter() if each.get("name")), "")
    if not about:
        # Every control is about something that is shown, and here the choices show it all.
        about = _object(ITEM)
        _text(ET.SubElement(view, "View", style="display: none"), ITEM)
    names, with_keys = control_names(study), _with_keys(study)
    for question in study.questions:
        place = _where_asked(view, question, study, names)
        _header(place, said(question.ask), "4")
        _header(place, said(question.hint), "6")
        control = _control(question, names[question.id], about, keys)
        kind = "Label" if isinstance(question, Mark) else "Choice"
        for option in options_of(question) or ([Option(id=MARKED)] if kind == "Label" else ()):
            control.append(_option(kind, option, with_key=question.id in with_keys))
        place.append(control)
    ET.indent(view)
    return ET.tostring(view, encoding="unicode") + "\n"


def _keys(study: Study) -> dict[str, str]:
    """How the shown fields are called in a task's data."""
    return safe_names(list(shown_fields(study)), "field")


def _offered(study: Study) -> set[str]:
    """The fields whose texts are themselves what is chosen between."""
    pictures = {panel.field for panel in study.show if isinstance(panel, ImagePanel)}
    offered = {
        name
        for question in study.questions
        if isinstance(question, Choose)
        for name in question.between
    }
    if offered & pictures:
        raise InputError(
            f"The study {study.name} lets people choose between pictures, which a project for "
            "Label Studio cannot; serve it with `epicene annotate serve`."
        )
    return offered


def _object(key: str) -> str:
    """The name of what shows a field, which no control has."""
    return f"show-{key}"


def _choices_key(control: str) -> str:
    """How the texts to choose between are called in a task's data."""
    return f"{control}__choices"


def _show(view: ET.Element, panel: Panel, keys: dict[str, str], offered: set[str]) -> None:
    fields = [panel.before, panel.after] if isinstance(panel, DiffPanel) else [panel.field]
    fields = [name for name in fields if name not in offered]
    if not fields:
        return
    by_letters = panel.direction == "auto"
    runs = {"className": _BY_LETTERS} if by_letters else {"style": f"direction: {panel.direction}"}
    place = ET.SubElement(view, "View", runs)
    _header(place, said(panel.title), "5")
    for name in fields:
        if isinstance(panel, ImagePanel):
            # Not so high that what is asked about it is out of sight.
            about = {"name": _object(keys[name]), "value": f"${keys[name]}", "maxHeight": "60vh"}
            ET.SubElement(place, "Image", about)
        else:
            _text(place, keys[name])


def _text(place: ET.Element, key: str) -> None:
    ET.SubElement(place, "Text", name=_object(key), value=f"${key}", saveTextResult="yes")


def _header(place: ET.Element, text: str, size: str) -> None:
    if text:
        ET.SubElement(place, "Header", value=literal(text), size=size)


def _where_asked(
    view: ET.Element, question: Question, study: Study, names: dict[str, str]
) -> ET.Element:
    """A view that is there when the question is asked: one inside the other for each condition."""
    place = ET.SubElement(view, "View")
    for name, wanted in question.when.items():
        earlier = study.question(name)
        if (isinstance(earlier, Choose) and earlier.between) or any("," in each for each in wanted):
            raise InputError(
                f"The question {question.id} of {study.name} depends on {name}, whose choices are "
                "shown texts or have commas in their ids; Label Studio cannot ask it so."
            )
        place = ET.SubElement(
            place,
            "View",
            visibleWhen="choice-selected",
            whenTagName=names[name],
            whenChoiceValue=",".join(wanted),
        )
    return place


def _control(question: Question, name: str, about: str, keys: dict[str, str]) -> ET.Element:
    """What a question is answered with, its options still to come."""
    if isinstance(question, Mark):
        return ET.Element("Labels", name=name, toName=_object(keys[question.field]))
    message = literal(said(question.ask))
    required = {"required": "true", "requiredMessage": message} if question.required else {}
    control = ET.Element("TextArea", {"name": name, "toName": about, **required})
    if isinstance(question, Choose | Tag):
        control.tag = "Choices"
        control.set("choice", "multiple" if isinstance(question, Tag) else "single")
        if isinstance(question, Choose) and question.between:
            control.set("value", f"${_choices_key(name)}")
        return control
    control.attrib |= {"rows": "3", "editable": "true", "maxSubmissions": "1"}
    if isinstance(question, Write) and question.draft:
        control.set("value", f"${keys[question.draft]}")
    return control


def _option(kind: str, option: Option, *, with_key: bool) -> ET.Element:
    shown_as = literal(said(option.label) or option.id)
    element = ET.Element(kind, value=shown_as, alias=option.id)
    if with_key and option.key:
        element.set("hotkey", option.key)
    return element


def _with_keys(study: Study) -> set[str]:
    """The questions whose options keep their keys: a key stands for one option of the page."""
    taken: set[str] = set()
    kept = set()
    for question in study.questions:
        keys = {option.key for option in options_of(question) if option.key}
        if keys.isdisjoint(taken):
            taken |= keys
            kept.add(question.id)
    return kept


# --- tasks -----------------------------------------------------------------------------------


def _tasks(study: Study) -> dict[str, str]:
    """Checks and fillers are among the items of every list; practice is for the instructions."""
    lists = lists_of(study)
    besides = (*study.fillers, *study.checks)
    files = {}
    for number, items in enumerate(lists.values(), start=1):
        mixed = _shuffled(study, [*items, *besides]) if besides else items
        name = TASKS if study.lists == "none" else TASKS.replace(".", f"-{number}.")
        tasks = [{"data": _data(study, item)} for item in mixed]
        files[name] = json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"
    return files


def _shuffled(study: Study, items: Sequence[StudyItem]) -> list[StudyItem]:
    return sorted(items, key=lambda item: digest(study.name, item.id, "place"))


def _data(study: Study, item: StudyItem) -> dict[str, Any]:
    keys, offered = _keys(study), _offered(study)
    pictures = {panel.field for panel in study.show if isinstance(panel, ImagePanel)}
    return {
        STUDY: study.name,
        ITEM: item.id,
        **{
            keys[name]: _address(text) if name in pictures else text
            for name, text in shown(study, item).items()
            if name not in offered
        },
        **dict(_texts_to_choose(study, item)),
    }


def _texts_to_choose(study: Study, item: StudyItem) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The texts of a choice between texts, in an order that tells nothing."""
    for question in study.questions:
        if not isinstance(question, Choose) or not question.between:
            continue
        fields = sorted(
            choices(question), key=lambda name: digest(study.name, item.id, question.id, name)
        )
        texts = [item.fields[name] for name in fields]
        if len(set(texts)) < len(texts):
            raise InputError(
                f"The item {item.id} of {study.name} offers the same text twice, which Label "
                "Studio could not tell apart."
            )
        key = _choices_key(control_names(study)[question.id])
        yield key, [{"value": literal(text)} for text in texts]


def _address(picture: str) -> str:
    """Where Label Studio finds a picture that is a file beside the tasks."""
    return picture if "://" in picture else f"{_LOCAL}{quote(picture)}"
