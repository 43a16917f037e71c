"""Results of PCIbex: a file in its layout becomes responses, and what is wrong is said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.design.schema import (
    ChoiceQuestion,
    Response,
    Study,
    TagsQuestion,
    TextQuestion,
)
from epicene.studies.exchange.pcibex import is_results
from epicene.studies.exchange.response_files import read_responses
from study_examples import en, forced_choice, options

STANDARD = (
    "Results reception time",
    "MD5 hash of participant's IP address",
    "Controller name",
    "Order number of item",
    "Inner element number",
    "Label",
    "Latin Square Group",
    "PennElementType",
    "PennElementName",
    "Parameter",
    "Value",
    "EventTime",
)
OLDER = (
    "Time results were received",
    *STANDARD[1:3],
    "Item number",
    "Element number",
    "Type",
    "Group",
    *STANDARD[7:],
)
NOON = 1_700_000_000_000  # milliseconds


class Results:
    """A results file, written event by event as the server writes it."""

    def __init__(self, standard: Sequence[str] = STANDARD) -> None:
        self._standard = standard
        self.lines = ["#", "# Results on Tuesday November 14 2023 22:13:20 UTC"]
        self.lines += ["# USER AGENT: Mozilla/5.0", "# Design number was random = 3", "#"]
        self._sender = ""
        self._order = 0
        self._time = NOON

    def sent_by(self, sender: str, at: int) -> Results:
        self._sender = f"{at},{sender},PennController"
        return self

    def columns(self, *logged: str) -> Results:
        """All columns, with those that the trials log before the comments."""
        self.lines.append("# Columns below this comment are as follows:")
        return self.columns_from(1, *self._standard, *logged, "Comments")

    def columns_from(self, first: int, *names: str) -> Results:
        """Only those that are said anew."""
        self.lines += [f"# {number}. {name}." for number, name in enumerate(names, start=first)]
        return self

    def trial(
        self, label: str, *events: tuple[str, str, str, str], logged: Sequence[str] = ()
    ) -> Results:
        """A trial from start to end, an event a second."""
        self._order += 1
        name = str(self._order)
        start, end = (("PennController", name, "_Trial_", which) for which in ("Start", "End"))
        for event in (start, *events, end):
            cells = [self._sender, name, "0", label, "NULL", *event, str(self._time), *logged]
            self.lines.append(",".join([*cells, "NULL"]))
            self._time += 1000
        return self

    def write(self, path: Path) -> Path:
        path.write_text("\n".join(self.lines) + "\n", "utf-8")
        return path


def chosen(value: str, element: str = "better") -> tuple[str, str, str, str]:
    return ("Selector", element, "Selection", value)


def read(path: Path, study: Study, **options: object) -> list[Response]:
    return [placed.response for placed in read_responses(path, study, **options)]  # type: ignore[arg-type]


def two_people() -> Results:
    """From each of two people: instructions, a practice item, an item and an attention check."""
    results = Results()
    for sender, at, first in (("h1", 1700000100, "good"), ("h2", 1700000200, "bad")):
        results.sent_by(sender, at).columns()
        results.trial("instructions", ("Button", "go", "Click", "Click"))
        results.columns_from(13, "item", "Comments")
        results.trial("practice", chosen("good"), logged=["x"])
        results.trial("pairs", chosen(first), logged=["p1a"])
        results.trial("check", chosen("good"), logged=["c"])
        results.columns_from(13, "Comments").trial("end")
    return results


def test_a_file_is_recognised_by_what_it_says(tmp_path: Path) -> None:
    assert is_results(two_people().write(tmp_path / "results.csv"))
    with_mark = tmp_path / "marked.csv"
    with_mark.write_bytes(b"\xef\xbb\xbf" + (tmp_path / "results.csv").read_bytes())
    assert is_results(with_mark)
    (tmp_path / "sheet.csv").write_text("participant,item,better\n", "utf-8")
    assert not is_results(tmp_path / "sheet.csv")
    assert not is_results(tmp_path / "none.csv")


def test_every_answered_item_becomes_a_response(tmp_path: Path) -> None:
    found = read(two_people().write(tmp_path / "results.csv"), forced_choice())
    assert [(each.item, each.answers["better"]) for each in found] == [
        ("x", "good"), ("p1a", "good"), ("c", "good"),
        ("x", "good"), ("p1a", "bad"), ("c", "good"),
    ]  # fmt: skip
    people = [each.participant for each in found]
    assert len(set(people[:3])) == len(set(people[3:])) == 1
    assert people[0] != people[3]
    # The id says neither the address's hash nor the time.
    assert not any(part in people[0] for part in ("h1", "1700000100"))
    # Three events of the instructions come first, then the trial's own start.
    assert found[0].at == datetime.fromtimestamp((NOON + 4000) / 1000, UTC)
    assert found[0].seconds == 1.0


def test_a_clock_that_was_set_back_tells_no_time(tmp_path: Path) -> None:
    path = two_people().write(tmp_path / "results.csv")
    started = f"Start,{NOON + 3000},"
    text = path.read_text("utf-8")
    assert text.count(started) == 1
    path.write_text(text.replace(started, f"Start,{NOON + 9000},"), "utf-8")
    assert [each.seconds for each in read(path, forced_choice())] == [None, *[1.0] * 5]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_an_older_server_and_a_spreadsheets_commas(tmp_path: Path, ending: str) -> None:
    results = Results(OLDER).sent_by("h", 1700000100).columns("item")
    results.trial("pairs", chosen("bad"), logged=["p1b"])
    lines = [f"{line},,," if line.startswith("#") else line for line in results.lines]
    path = tmp_path / "results"  # as it is downloaded: without an ending
    path.write_text(ending.join(lines), "utf-8", newline="")
    (found,) = read(path, forced_choice())
    assert (found.item, found.answers) == ("p1b", {"better": "bad"})


def test_of_several_choices_the_last_counts_and_none_is_none(tmp_path: Path) -> None:
    results = Results().sent_by("h", 1700000100).columns("item")
    results.trial("pairs", chosen("good"), chosen("bad"), logged=["p1a"])
    results.trial("pairs", ("Selector", "better", "Selection", "NA"), logged=["p1b"])
    (found,) = read(results.write(tmp_path / "results.csv"), forced_choice())
    assert (found.item, found.answers["better"], found.seconds) == ("p1a", "bad", 2.0)


def test_a_sentence_may_be_logged_instead_of_its_name(tmp_path: Path) -> None:
    results = Results().sent_by("h", 1700000100).columns("item")
    results.trial("pairs", chosen("राम गई"), logged=["p1a"])
    (found,) = read(results.write(tmp_path / "results.csv"), forced_choice())
    assert found.answers == {"better": "bad"}


def test_people_and_columns_can_be_named(tmp_path: Path) -> None:
    results = Results().sent_by("h", 1700000100).columns("PROLIFIC_PID", "sentence_id")
    results.trial("pairs", chosen("good", "choice"), logged=["ann", "p1a"])
    path = results.write(tmp_path / "results.csv")
    names = {"participant": "PROLIFIC_PID", "item": "sentence_id", "better": "choice"}
    (found,) = read(path, forced_choice(), columns=names)
    assert (found.participant, found.item) == ("ann", "p1a")
    del names["participant"]
    (found,) = read(path, forced_choice(), columns=names, participant="bob")
    assert found.participant == "bob"
    logged = Results().sent_by("h", 1700000100).columns("Item", "Participant")
    logged.trial("pairs", chosen("good"), logged=["p1a", "cyd"])
    (found,) = read(logged.write(path), forced_choice())
    assert (found.participant, found.item) == ("cyd", "p1a")


def questionnaire() -> Study:
    """Options, tags and a text, for other elements than selectors."""
    whole = forced_choice()
    questions = (
        ChoiceQuestion(id="fine", ask=en("Fine?"), options=options("yes", "no")),
        TagsQuestion(id="faults", ask=en("What is wrong?"), options=options("case", "form")),
        TextQuestion(id="why", ask=en("Why?"), required=False),
    )
    items = tuple(msgspec.structs.replace(item, expected={}) for item in whole.items)
    bare = msgspec.structs.replace(whole, practice=(), checks=(), fillers=(), lists="none")
    return msgspec.structs.replace(bare, questions=questions, items=items, title=en("Sentences"))


def test_keys_scales_menus_and_texts(tmp_path: Path) -> None:
    results = Results().sent_by("h", 1700000100).columns("item")
    results.trial(
        "pairs",
        ("Key", "fine", "PressedKey", "2"),
        ("Scale", "faults", "Choice", "form;case"),
        ("TextInput", "why", "First", "N"),
        ("TextInput", "why", "Final", "No%2C it is%2c%0Anot."),
        logged=["p1a"],
    )
    (found,) = read(results.write(tmp_path / "results.csv"), questionnaire())
    assert found.answers == {
        "fine": "no", "faults": ("form", "case"), "why": "No, it is,\nnot.",
    }  # fmt: skip


def test_comments_may_hold_commas(tmp_path: Path) -> None:
    results = Results().sent_by("h", 1700000100).columns("item")
    results.trial("pairs", chosen("good"), logged=["p1a"])
    results.lines = [
        line.replace("NULL", "All saved, see documentation") if line.endswith(",NULL") else line
        for line in results.lines
    ]
    text = "\n".join(results.lines).replace("pairs,All saved, see documentation", "pairs,NULL")
    (tmp_path / "results.csv").write_text(text, "utf-8")
    (found,) = read(tmp_path / "results.csv", forced_choice())
    assert found.answers == {"better": "good"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace("# 13. item.\n# 14. Comments.\n", "# 13. Comments.\n"),
            r'results.csv has no trial that logs its item; .*\.log\("item", row.item\)',
        ),
        (
            lambda text: text.replace(",better,", ",bettr,"),
            "no answers of an element named better; elements with answers: bettr. Name it with "
            "--column better=ELEMENT",
        ),
        (
            lambda text: text.replace("Selection,good", "Selection,left"),
            r"line 2\d, better is answered by 'left', which is not one of its choices",
        ),
        (lambda text: text.replace("p1a", "p9"), "names the item 'p9', which the study"),
        (lambda text: text.replace("# 5. ", "# 9. "), "names column 9 after 4 columns"),
        (lambda text: text.replace("1700000100,h1,", "1700000100,"), "13 values for 14 columns"),
        (
            lambda text: text.replace("# 10. Parameter.", "# 10. Answer."),
            "has no column Parameter: .* was not written by PennController",
        ),
        (
            lambda text: text.replace("# 1. Results reception time.", "# 1. When."),
            "has no column 'Results reception time', which PCIbex always writes",
        ),
    ],
)
def test_what_is_wrong_is_said(change: object, message: str, tmp_path: Path) -> None:
    results = Results().sent_by("h1", 1700000100).columns("item")
    results.trial("pairs", chosen("good"), logged=["p1a"])
    assert callable(change)
    path = tmp_path / "results.csv"
    path.write_text(change("\n".join(results.lines)), "utf-8")
    with pytest.raises(InputError, match=message):
        read(path, forced_choice())


def test_a_file_without_the_comments_is_no_results_file(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("1,2,3\n", "utf-8")
    with pytest.raises(InputError, match="line 1, has no comments before it that name"):
        read(path, forced_choice(), layout="pcibex")


def test_two_answers_of_one_person_are_refused(tmp_path: Path) -> None:
    results = Results().sent_by("h", 1700000100).columns("item")
    results.trial("pairs", chosen("good"), logged=["p1a"])
    results.trial("pairs", chosen("bad"), logged=["p1a"])
    with pytest.raises(InputError, match=r"answers the item p1a for .* differently from"):
        read(results.write(tmp_path / "results.csv"), forced_choice())
