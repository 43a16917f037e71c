"""What only the real server showed: how its page treats a project, and how it writes an export.

The exports have the shape that Label Studio 1.23.2 gave; texts and answers are our own.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from epicene.studies.design.schema import (
    ChoiceQuestion,
    MarksQuestion,
    Option,
    Response,
    Span,
    Study,
    StudyItem,
    TextPanel,
)
from epicene.studies.exchange.label_studio import is_export
from epicene.studies.exchange.label_studio_project import labelling_config, project_files
from epicene.studies.exchange.response_files import read_responses
from study_examples import en, forced_choice, label_and_rewrite, misgendering, options, study

# --- the export ----------------------------------------------------------------------------------


def result(kind: str, name: str, about: str, value: dict[str, Any]) -> dict[str, Any]:
    return {
        "value": value, "id": f"{name}-1", "from_name": name, "to_name": f"show-{about}",
        "type": kind, "origin": "manual",
    }  # fmt: skip


def annotation(results: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "id": 2, "completed_by": 1, "result": results, "was_cancelled": False,
        "ground_truth": False, "created_at": "2026-11-15T15:53:14.254990Z",
        "updated_at": "2026-11-15T15:58:52.236593Z", "draft_created_at": None,
        "lead_time": 12.780000000000001, "prediction": {}, "result_count": len(results),
        "unique_id": "00000000-0000-0000-0000-000000000000", "import_id": None,
        "last_action": None, "bulk_created": False, "task": 132, "project": 14, "updated_by": 1,
        "parent_prediction": None, "parent_annotation": None, "last_created_by": None,
    } | more  # fmt: skip


def task(data: dict[str, Any], *annotations: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": 132, "annotations": list(annotations), "file_upload": "0000-tasks.json",
        "drafts": [], "predictions": [], "data": data, "meta": {},
        "created_at": "2026-11-15T15:52:58.620874Z", "updated_at": "2026-11-15T15:53:14.375773Z",
        "allow_skip": True, "inner_id": 1, "total_annotations": len(annotations),
        "cancelled_annotations": 0, "total_predictions": 0, "comment_count": 0,
        "unresolved_comment_count": 0, "last_comment_updated_at": None, "project": 14,
        "updated_by": 1, "comment_authors": [],
    }  # fmt: skip


def answered(study: Study, tasks: list[dict[str, Any]], path: Path) -> list[Response]:
    path.write_text(json.dumps(tasks), "utf-8")
    assert is_export(path)
    return [response for _, response in read_responses(path, study)]


def test_an_export_as_the_server_writes_it(tmp_path: Path) -> None:
    """Two tasks of which one was skipped; a draft is sent as it stands when it is not changed."""
    whole = label_and_rewrite()
    (only,) = json.loads(project_files(whole)["tasks.json"])
    done = [
        result("choices", "label", "english", {"choices": ["FM"]}),
        result("choices", "flags", "english", {"choices": ["hard", "malformed"]}),
        result("textarea", "other", "english", {"text": ["أنا متعبة"]}),
        result("textarea", "note", "english", {"text": ["two\nlines"]}),
    ]
    tasks = [
        task(only["data"], annotation(done)),
        task(only["data"], annotation([], was_cancelled=True, completed_by=2)),
        task(only["data"]),  # with download_all_tasks=true
    ]
    (response,) = answered(whole, tasks, tmp_path / "export.json")
    assert response == Response(
        study="a-study",
        participant="1",
        item="s1",
        answers={
            "label": "FM",
            "flags": ("hard", "malformed"),
            "other": "أنا متعبة",
            "note": "two\nlines",
        },
        at=datetime(2026, 11, 15, 15, 53, 14, 254990, tzinfo=UTC),
        seconds=12.780000000000001,
    )


@pytest.mark.parametrize(
    ("text", "first", "last", "written"),
    [
        ("She sat.\nThe queen\nslept.", "sat", "queen", "sat.\\nThe queen"),
        ("She sat.\r\nThe queen slept.", "sat", "queen", "sat.\\n\\nThe queen"),
        (r"She wrote \n for the queen.", "wrote", "queen", r"wrote \n for the queen"),
        (
            "😀 She  sat.\n\n  The 👩🏽‍🚀 slept.",
            "She",
            "slept",
            "She  sat.\\n\\n  The 👩🏽‍🚀 slept",
        ),
    ],
)
def test_a_mark_over_several_lines(
    text: str, first: str, last: str, written: str, tmp_path: Path
) -> None:
    """Each break of a line is written as a backslash and an n, and so is that itself."""
    items = (StudyItem(id="g1", language="en", fields={"text": text}),)
    whole = msgspec.structs.replace(misgendering(), items=items)
    start, end = text.index(first), text.index(last) + len(last)
    mark = {"start": start, "end": end, "text": written, "labels": ["noun"]}
    done = [
        result("choices", "label", "text", {"choices": ["correct"]}),
        result("labels", "extraneous", "text", mark),
    ]
    (only,) = json.loads(project_files(whole)["tasks.json"])
    (response,) = answered(whole, [task(only["data"], annotation(done))], tmp_path / "e.json")
    assert response.answers["extraneous"] == (Span(start=start, end=end, label="noun"),)


# --- a dollar begins the name of a field ---------------------------------------------------------


def as_label_studio_reads(text: str, data: dict[str, Any]) -> str:
    """A value of the configuration, or of an option in the data, as the page puts fields in."""
    return re.sub(r"\$(\w+)", lambda found: str(data.get(found[1], "undefined")), text)


def test_a_dollar_that_is_only_a_dollar(tmp_path: Path) -> None:
    whole = study(
        (TextPanel(field="text"), TextPanel(field="a"), TextPanel(field="b")),
        (
            MarksQuestion(id="m", ask=en("Who has $5 of $text?"), field="text"),
            ChoiceQuestion(id="cost", ask=en("$a?"), options=(Option(id="x", label=en("$5")),)),
            ChoiceQuestion(id="better", ask=en("Which?"), between=("a", "b")),
        ),
        (StudyItem(id="1", fields={"text": "t", "a": "He paid $5.", "b": "She paid $text."}),),
    )
    files = project_files(whole)
    (only,) = json.loads(files["tasks.json"])
    view = ET.fromstring(files["config.xml"])
    seen = [
        as_label_studio_reads(element.get("value", ""), only["data"]).replace("\u2060", "")
        for element in view.iter()
        if element.tag in ("Header", "Choice")
    ]
    assert seen == ["Who has $5 of $text?", "$a?", "$5", "Which?"]
    offered = [
        as_label_studio_reads(each["value"], only["data"])
        for each in only["data"]["better__choices"]
    ]
    assert {each.replace("\u2060", "") for each in offered} == {"He paid $5.", "She paid $text."}
    for chosen in offered:
        done = [
            result("choices", "cost", "text", {"choices": ["x"]}),
            result("choices", "better", "text", {"choices": [chosen]}),
        ]
        (response,) = answered(whole, [task(only["data"], annotation(done))], tmp_path / "e.json")
        assert response.answers["better"] == ("a" if "He" in chosen else "b")


# --- how texts run -------------------------------------------------------------------------------


def test_the_style_survives_and_names_no_class_that_may_change() -> None:
    """The page leaves escaped signs as they are, and one rule with `&gt;` is dropped whole."""
    config = labelling_config(label_and_rewrite())
    style = config.partition("<Style>")[2].partition("</Style>")[0]
    assert "unicode-bidi: plaintext" in style
    assert not set("&<>") & set(style)
    named = set(re.findall(r"\.([\w-]+)", re.sub(r'"[^"]*"', "", style)))
    assert named == {"epicene", "epicene-by-letters"}


def test_a_text_runs_by_its_letters_unless_its_panel_says_how() -> None:
    whole = study(
        (TextPanel(field="one"), TextPanel(field="two", direction="rtl")),
        (ChoiceQuestion(id="c", ask=en("?"), options=options("yes", "no")),),
        (StudyItem(id="1", fields={"one": "أنا متعبة .", "two": "أنا متعبة ."}),),
    )
    view = ET.fromstring(labelling_config(whole))
    first, second, *_ = view.findall("View")
    assert view.get("className") == "epicene"
    assert first.attrib == {"className": "epicene-by-letters"}
    assert second.attrib == {"style": "direction: rtl"}


# --- instructions --------------------------------------------------------------------------------


def test_instructions_are_html_without_a_list() -> None:
    """Markdown would be shown as one paragraph, and the points of a list not at all."""
    told = {"hi": "पहले\nपढ़िए।\n\n- <एक>\n- दो", "en": "Read this.\n\n- <one> & two\n- three"}
    whole = msgspec.structs.replace(forced_choice(), instructions=told)
    hindi, english = ET.fromstring(project_files(whole)["instructions.html"])
    assert [(each.tag, each.text) for each in english] == [
        ("h3", "Sentences"), ("p", "I agree."), ("p", "Read this."),
        ("p", "• <one> & two"), ("p", "• three"),
    ]  # fmt: skip
    assert [each.text for each in hindi] == [
        "वाक्य", "मैं सहमत हूँ।", "पहले पढ़िए।", "• <एक>", "• दो",
    ]  # fmt: skip
    assert hindi.attrib == {"lang": "hi", "dir": "auto"}
