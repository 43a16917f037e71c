"""Export a study as a Label Studio project: its labelling configuration and its tasks.

The configuration has a control per question, hidden while the question is not asked; the tasks hold
only the visible fields of items. Options have their id as alias, which Label Studio writes into its
results and `label_studio` reads.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from epicene.core.control_characters import escape_controls
from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.studies.design.answers import choice_ids, options_of
from epicene.studies.design.lists import items_by_list
from epicene.studies.design.schema import (
    ChoiceQuestion,
    DiffPanel,
    ImagePanel,
    MarksQuestion,
    Option,
    TagsQuestion,
    TextQuestion,
    text_blocks,
    visible_fields,
    visible_values,
)
from epicene.studies.exchange.label_studio import (
    ITEM_KEY,
    STUDY_KEY,
    UNLABELLED_MARK,
    control_names,
    escape_dollars,
    in_all_languages,
    safe_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.studies.design.schema import Panel, Question, Study, StudyItem

CONFIG_FILE, TASKS_FILE, INSTRUCTIONS_FILE = "config.xml", "tasks.json", "instructions.html"

# Marks count characters, so blanks must be kept. A text has the direction of its letters, unless
# its panel sets one; the key after an option does not count. Label Studio renames its classes, so
# rules match parts of their names, and leaves a `>` escaped.
_CSS_CLASS, _AUTO_DIRECTION_CLASS = "epicene", "epicene-by-letters"
_STYLE = f"""
.{_CSS_CLASS} [class*="richtext"] {{ white-space: pre-wrap; text-align: start; }}
.{_CSS_CLASS} [class*="richtext__line"] {{ width: 100%; }}
.{_CSS_CLASS} textarea, .{_CSS_CLASS} [class*="textarea__region"] p {{ text-align: start; }}
.{_CSS_CLASS} textarea, .{_CSS_CLASS} [class*="textarea__region"] p {{ white-space: pre-wrap; }}
.{_CSS_CLASS} textarea, .{_CSS_CLASS} [class*="textarea__region"] p {{ unicode-bidi: plaintext; }}
.{_CSS_CLASS} [class*="choice"] label span {{ unicode-bidi: plaintext; }}
.{_CSS_CLASS} sup {{ unicode-bidi: isolate; }}
.{_AUTO_DIRECTION_CLASS} [class*="richtext"] {{ unicode-bidi: plaintext; }}
  """
# Where Label Studio serves files from a local folder
_LOCAL_FILES_URL = "/data/local-files/?d="


def project_files(study: Study) -> dict[str, str]:
    """The files of the project by name; a study with lists has a file of tasks for each."""
    return {
        CONFIG_FILE: labelling_config(study),
        **_tasks(study),
        INSTRUCTIONS_FILE: _instructions(study),
    }


def _instructions(study: Study) -> str:
    """Instructions as HTML, for the project's settings."""
    whole = ET.Element("div")
    for code, title in study.title.items():
        parent = ET.SubElement(whole, "div", lang=code, dir="auto")
        ET.SubElement(parent, "h3").text = title
        for words in (study.consent, study.instructions):
            for kind, lines in text_blocks(words.get(code, "")):
                for line in lines:
                    # Label Studio shows a list without its points.
                    ET.SubElement(parent, "p").text = f"• {line}" if kind == "li" else line
    ET.indent(whole)
    return escape_controls(ET.tostring(whole, encoding="unicode", method="html")) + "\n"


# --- configuration ---------------------------------------------------------------------------


def labelling_config(study: Study) -> str:
    """The labelling configuration, as XML."""
    view = ET.Element("View", className=_CSS_CLASS)
    ET.SubElement(view, "Style").text = _STYLE
    keys, offered = _field_keys(study), _choice_fields(study)
    for panel in study.show:
        _show(view, panel, keys, offered)
    seen = {element.get("name") for element in view.iter()}
    for question in study.questions:
        if (
            isinstance(question, TextQuestion)
            and question.source
            and _object_name(keys[question.source]) not in seen
        ):
            _text(view, keys[question.source])
    about = next((each.get("name", "") for each in view.iter() if each.get("name")), "")
    if not about:
        # A control needs an object; here only the choices show anything.
        about = _object_name(ITEM_KEY)
        _text(ET.SubElement(view, "View", style="display: none"), ITEM_KEY)
    names, with_keys = control_names(study), _questions_with_hotkeys(study)
    for question in study.questions:
        parent = _conditional_view(view, question, study, names)
        _header(parent, in_all_languages(question.ask), "4")
        _header(parent, in_all_languages(question.hint), "6")
        control = _control(question, names[question.id], about, keys)
        kind = "Label" if isinstance(question, MarksQuestion) else "Choice"
        for option in options_of(question) or (
            [Option(id=UNLABELLED_MARK)] if kind == "Label" else ()
        ):
            control.append(_option(kind, option, with_key=question.id in with_keys))
        parent.append(control)
    ET.indent(view)
    # XML must not hold control characters, and ElementTree writes them.
    return escape_controls(ET.tostring(view, encoding="unicode")) + "\n"


def _field_keys(study: Study) -> dict[str, str]:
    """The keys of the visible fields in a task's data."""
    return safe_names(list(visible_fields(study)), "field")


def _choice_fields(study: Study) -> set[str]:
    """The fields whose texts are offered as choices."""
    images = {panel.field for panel in study.show if isinstance(panel, ImagePanel)}
    offered = {
        name
        for question in study.questions
        if isinstance(question, ChoiceQuestion)
        for name in question.between
    }
    if offered & images:
        raise InputError(
            f"The study {study.name} lets people choose between images, which a Label Studio "
            "project cannot do; serve it with `epicene annotate serve`."
        )
    return offered


def _object_name(key: str) -> str:
    """The name of the object that shows a field, distinct from those of controls."""
    return f"show-{key}"


def _choices_key(control: str) -> str:
    """The key of the texts to choose between in a task's data."""
    return f"{control}__choices"


def _show(view: ET.Element, panel: Panel, keys: dict[str, str], offered: set[str]) -> None:
    fields = [panel.before, panel.after] if isinstance(panel, DiffPanel) else [panel.field]
    fields = [name for name in fields if name not in offered]
    if not fields:
        return
    by_letters = panel.direction == "auto"
    runs = (
        {"className": _AUTO_DIRECTION_CLASS}
        if by_letters
        else {"style": f"direction: {panel.direction}"}
    )
    parent = ET.SubElement(view, "View", runs)
    _header(parent, in_all_languages(panel.title), "5")
    for name in fields:
        if isinstance(panel, ImagePanel):
            # Low enough to keep the questions in view.
            about = {
                "name": _object_name(keys[name]),
                "value": f"${keys[name]}",
                "maxHeight": "60vh",
            }
            ET.SubElement(parent, "Image", about)
        else:
            _text(parent, keys[name])


def _text(parent: ET.Element, key: str) -> None:
    ET.SubElement(parent, "Text", name=_object_name(key), value=f"${key}", saveTextResult="yes")


def _header(parent: ET.Element, text: str, size: str) -> None:
    if text:
        ET.SubElement(parent, "Header", value=escape_dollars(text), size=size)


def _conditional_view(
    view: ET.Element, question: Question, study: Study, names: dict[str, str]
) -> ET.Element:
    """A view shown while the question is asked: nested views, one per condition."""
    parent = ET.SubElement(view, "View")
    for name, wanted in question.when.items():
        earlier = study.question(name)
        if (isinstance(earlier, ChoiceQuestion) and earlier.between) or any(
            "," in each for each in wanted
        ):
            raise InputError(
                f"The question {question.id} of {study.name} depends on {name}, whose choices are "
                "shown texts or have commas in their ids; Label Studio cannot ask such a question."
            )
        parent = ET.SubElement(
            parent,
            "View",
            visibleWhen="choice-selected",
            whenTagName=names[name],
            whenChoiceValue=",".join(wanted),
        )
    return parent


def _control(question: Question, name: str, about: str, keys: dict[str, str]) -> ET.Element:
    """The control of a question, without its options."""
    if isinstance(question, MarksQuestion):
        return ET.Element("Labels", name=name, toName=_object_name(keys[question.field]))
    message = escape_dollars(in_all_languages(question.ask))
    required = {"required": "true", "requiredMessage": message} if question.required else {}
    control = ET.Element("TextArea", {"name": name, "toName": about, **required})
    if isinstance(question, ChoiceQuestion | TagsQuestion):
        control.tag = "Choices"
        control.set("choice", "multiple" if isinstance(question, TagsQuestion) else "single")
        if isinstance(question, ChoiceQuestion) and question.between:
            control.set("value", f"${_choices_key(name)}")
        return control
    control.attrib |= {"rows": "3", "editable": "true", "maxSubmissions": "1"}
    if isinstance(question, TextQuestion) and question.draft:
        control.set("value", f"${keys[question.draft]}")
    return control


def _option(kind: str, option: Option, *, with_key: bool) -> ET.Element:
    shown_as = escape_dollars(in_all_languages(option.label) or option.id)
    element = ET.Element(kind, value=shown_as, alias=option.id)
    if with_key and option.key:
        element.set("hotkey", option.key)
    return element


def _questions_with_hotkeys(study: Study) -> set[str]:
    """The questions whose options keep their keys, as a key must be unique on the page."""
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
    """The files of tasks by name; checks and fillers are in every list, practice is in none."""
    lists = items_by_list(study)
    besides = (*study.fillers, *study.checks)
    files = {}
    for number, items in enumerate(lists.values(), start=1):
        mixed = _shuffled(study, [*items, *besides]) if besides else items
        name = TASKS_FILE if study.lists == "none" else TASKS_FILE.replace(".", f"-{number}.")
        tasks = [{"data": _task_data(study, item)} for item in mixed]
        files[name] = json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"
    return files


def _shuffled(study: Study, items: Sequence[StudyItem]) -> list[StudyItem]:
    return sorted(items, key=lambda item: digest(study.name, item.id, "place"))


def _task_data(study: Study, item: StudyItem) -> dict[str, Any]:
    keys, offered = _field_keys(study), _choice_fields(study)
    images = {panel.field for panel in study.show if isinstance(panel, ImagePanel)}
    return {
        STUDY_KEY: study.name,
        ITEM_KEY: item.id,
        **{
            keys[name]: _image_url(text) if name in images else text
            for name, text in visible_values(study, item).items()
            if name not in offered
        },
        **dict(_shuffled_choices(study, item)),
    }


def _shuffled_choices(study: Study, item: StudyItem) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The texts of each choice between texts, in an order that reveals nothing."""
    for question in study.questions:
        if not isinstance(question, ChoiceQuestion) or not question.between:
            continue
        fields = sorted(
            choice_ids(question), key=lambda name: digest(study.name, item.id, question.id, name)
        )
        texts = [item.fields[name] for name in fields]
        if len(set(texts)) < len(texts):
            raise InputError(
                f"The item {item.id} of {study.name} offers the same text twice, and Label Studio "
                "cannot distinguish the two."
            )
        key = _choices_key(control_names(study)[question.id])
        yield key, [{"value": escape_dollars(text)} for text in texts]


def _image_url(image: str) -> str:
    """The address at which Label Studio finds an image."""
    return image if "://" in image else f"{_LOCAL_FILES_URL}{quote(image)}"
