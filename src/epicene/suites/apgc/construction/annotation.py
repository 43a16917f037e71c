"""The annotation studies: label the gender that each person shows, adjudicate, and write the other
forms."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError
from epicene.rewriting import find_rewriter, rewritable_languages
from epicene.studies.design.schema import (
    ChoiceQuestion,
    NoteQuestion,
    Option,
    Study,
    StudyItem,
    TagsQuestion,
    TextPanel,
    TextQuestion,
)
from epicene.suites.apgc.items import SentenceLabel, parse_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.studies.design.schema import AnswerValue, LocalisedText, Response
    from epicene.suites.apgc.construction.selection import ApgcBuild
    from epicene.suites.construction import StepOutputs, StepRow

_LETTERS = (
    Option(id="M", label={"en": "masculine", "ar": "مذكر"}, key="m"),
    Option(id="F", label={"en": "feminine", "ar": "مؤنث"}, key="f"),
    Option(id="B", label={"en": "ambiguous", "ar": "ملتبس"}, key="b"),
    Option(id="N", label={"en": "absent", "ar": "غير موجود"}, key="n"),
)
_SENTENCE_PANELS = (
    TextPanel(field="text", title={"en": "Arabic", "ar": "العربية"}, language="ar"),
    TextPanel(field="english", title={"en": "English", "ar": "الإنجليزية"}, language="en"),
)
_SPEAKER, _SPEAKERS = ({"en": "speaker", "ar": "المتكلم"}, {"en": "speakers", "ar": "المتكلمون"})
_LISTENER = {"en": "person spoken to", "ar": "المخاطب"}
_LISTENERS = {"en": "people spoken to", "ar": "المخاطبون"}
_MALFORMED = "malformed"
_YES = Option(id="yes", label={"en": "yes", "ar": "نعم"}, key="y")
_REMARK = NoteQuestion(id="note", ask={"en": "Comments", "ar": "ملاحظة"})
_USABLE: dict[str, tuple[str, ...]] = {"usable": ("yes",)}


@cache
def _guidelines() -> Any:
    path = Path(__file__).parent / "guidelines.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _identification_study(name: str, rows: Iterable[StepRow], judgements: int) -> Study:
    guidelines = _guidelines()["identify"]
    return Study(
        name=name,
        suite="apgc",
        title=guidelines["title"],
        instructions=_with_examples(guidelines),
        show=_SENTENCE_PANELS,
        questions=(
            ChoiceQuestion(
                id="usable",
                ask={"en": "Is the sentence well formed?", "ar": "هل الجملة سليمة؟"},
                options=(
                    _YES,
                    Option(
                        id=_MALFORMED,
                        label={"en": "no, malformed", "ar": "لا، فيها خلل"},
                        key="x",
                    ),
                ),
            ),
            ChoiceQuestion(
                id="first", ask={"en": "The speaker is", "ar": "المتكلم"}, options=_LETTERS,
                when=_USABLE,
            ),
            ChoiceQuestion(
                id="second", ask={"en": "The person spoken to is", "ar": "المخاطب"},
                options=_LETTERS, when=_USABLE,
            ),
            TagsQuestion(
                id="several",
                ask={"en": "More than one person", "ar": "أكثر من شخص واحد"},
                options=(
                    Option(id="first", label=_SPEAKERS),
                    Option(id="second", label=_LISTENERS),
                ),
                when=_USABLE,
            ),
            _REMARK,
        ),
        judgements=judgements,
        practice=tuple(
            StudyItem(
                id=f"practice-{number}",
                language="ar",
                fields={"text": each["text"], "english": each["english"]},
                expected=_expected_labels(each["label"]),
                feedback=each["feedback"],
            )
            for number, each in enumerate(guidelines["practice"], start=1)
        ),
        items=tuple(
            StudyItem(
                id=row["id"],
                language="ar",
                fields={"text": row["text"], "english": row["english"]},
            )
            for row in rows
        ),
    )  # fmt: skip


def _with_examples(guidelines: Any) -> LocalisedText:
    """The instructions, then a sentence for each code."""
    return {
        language: "\n".join(
            [
                f"{text}\n{guidelines['examples'][language]}",
                *(
                    f"- {_code_in_words(code, language)}: {sentence}"
                    for code, sentence in guidelines["codes"].items()
                ),
            ]
        )
        for language, text in guidelines["instructions"].items()
    }


def _code_in_words(code: str, language: str) -> str:
    """What a code says, and the code, kept from left to right in Arabic, where BM! would be !BM."""
    label = parse_label(code, "An example")
    letters = {option.id: option.label[language] for option in _LETTERS}
    first = (_SPEAKERS if label.first_many else _SPEAKER)[language]
    second = (_LISTENERS if label.second_many else _LISTENER)[language]
    stop = "؛" if language == "ar" else ";"
    words = f"{first}: {letters[label.first]}{stop} {second}: {letters[label.second]}"
    return f"{words} \N{LEFT-TO-RIGHT ISOLATE}({code})\N{POP DIRECTIONAL ISOLATE}"


def _expected_labels(label: str) -> dict[str, AnswerValue]:
    """The answers that make up a label."""
    if label == _MALFORMED:
        return {"usable": _MALFORMED}
    who = parse_label(label, "A practice item")
    several = {"first": who.first_many, "second": who.second_many}
    return {
        "usable": "yes",
        "first": who.first,
        "second": who.second,
        "several": tuple(name for name, many in several.items() if many),
    }


def _label_of(response: Response) -> str:
    """The label that a person gave, or `malformed`."""
    answers = response.answers
    if answers["usable"] != "yes":
        return _MALFORMED
    several = answers.get("several", ())
    return str(
        SentenceLabel(
            str(answers["first"]), str(answers["second"]), "first" in several, "second" in several
        )
    )


def labels_by_item(rows: Iterable[StepRow]) -> dict[str, list[str]]:
    """The labels that people gave each sentence, by its id."""
    labels: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        labels[row["id"]].append(row["label"])
    return labels


def identify(outputs: StepOutputs, settings: ApgcBuild) -> Study:
    """The study in which several people label every sentence."""
    return _identification_study("identify", outputs["select"], settings.people)


def read_labels(
    _outputs: StepOutputs, _settings: ApgcBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """Each person's label of each sentence."""
    for response in responses:
        yield {
            "id": response.item,
            "person": response.participant,
            "label": _label_of(response),
        }


def adjudicate(outputs: StepOutputs, _settings: ApgcBuild) -> Study:
    """The study in which somebody else decides when people disagree."""
    labels = labels_by_item(outputs["identify"])
    rows = [row for row in outputs["select"] if len(set(labels[row["id"]])) > 1]
    return _identification_study("adjudicate", rows, 1)


def read_adjudicated(
    outputs: StepOutputs, settings: ApgcBuild, study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """The labels of the adjudicator, who must not have labelled the sentence before."""
    before = {(row["id"], row["person"]) for row in outputs["identify"]}
    for response in responses:
        if (response.item, response.participant) in before:
            raise InputError(
                f"{response.participant} labelled the sentence {response.item} and cannot also "
                "adjudicate it; have somebody else answer the step adjudicate."
            )
    yield from read_labels(outputs, settings, study, responses)


_WHO = {"M": "رجل", "F": "امرأة", "M!": "رجال", "F!": "نساء"}


def describe_people(label: SentenceLabel) -> str:
    """The people that a form is for, in Arabic, like the sentence itself."""
    letters = (
        f"{label.first}{'!' * label.first_many}",
        f"{label.second}{'!' * label.second_many}",
    )
    return "؛ ".join(
        f"{person['ar']}: {_WHO[letter]}"
        for person, letter in zip((_SPEAKER, _LISTENER), letters, strict=True)
        if letter in _WHO
    )


def _draft(text: str, label: SentenceLabel) -> str:
    """The rewriter's proposal; the text itself if there is none with as many words."""
    if "ar" not in rewritable_languages():
        return text
    wanted = {
        name: letter.lower()
        for name, letter in (("speaker", label.first), ("listener", label.second))
        if letter in "MF"
    }
    rewritten = next(find_rewriter("ar").open(wanted)(iter([text]))).text
    return rewritten if len(rewritten.split()) == len(text.split()) else text


def _form_to_write(row: StepRow, version: SentenceLabel) -> StudyItem:
    return StudyItem(
        id=f"{row['id']} {version}",
        language="ar",
        group=row["id"],
        fields={
            "people": describe_people(version),
            "text": row["text"],
            "english": row["english"],
            "draft": _draft(row["text"], version),
        },
    )


def _practice_form(practice: Iterable[Any]) -> Iterator[StudyItem]:
    """Forms to write for practice; those without one are hard."""
    for number, each in enumerate(practice, start=1):
        expected: dict[str, AnswerValue] = {"possible": "hard"}
        if each["form"]:
            expected = {"possible": "yes", "form": each["form"]}
        yield StudyItem(
            id=f"practice-{number}",
            language="ar",
            fields={
                "people": describe_people(parse_label(each["label"], "A practice item")),
                "text": each["text"],
                "english": each["english"],
                "draft": each["text"],
            },
            expected=expected,
            feedback=each["feedback"],
        )


def rewrite(outputs: StepOutputs, _settings: ApgcBuild) -> Study:
    """The study in which people write the other forms of every sentence that shows gender."""
    guidelines = _guidelines()["rewrite"]
    items = [
        _form_to_write(row, version)
        for row in outputs["decide"]
        if row["label"] != _MALFORMED
        for version in parse_label(row["label"], row["id"]).versions[1:]
    ]
    return Study(
        name="rewrite",
        suite="apgc",
        title=guidelines["title"],
        instructions=guidelines["instructions"],
        show=(
            TextPanel(
                field="people", title={"en": "Write it for", "ar": "لمن تُكتب"}, language="ar"
            ),
            *_SENTENCE_PANELS,
        ),
        questions=(
            ChoiceQuestion(
                id="possible",
                ask={"en": "Can it be done?", "ar": "هل يمكن ذلك؟"},
                options=(
                    _YES,
                    Option(id="hard", label={"en": "no, too hard", "ar": "لا، يتعذر ذلك"}, key="x"),
                ),
            ),
            TextQuestion(
                id="form",
                ask={"en": "The sentence", "ar": "الجملة"},
                draft="draft",
                source="text",
                same_words=True,
                language="ar",
                when={"possible": ("yes",)},
            ),
            _REMARK,
        ),
        practice=tuple(_practice_form(guidelines["practice"])),
        items=tuple(items),
    )


def read_forms(
    _outputs: StepOutputs, _settings: ApgcBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """The forms that were written."""
    for response in responses:
        name, label = response.item.rsplit(" ", 1)
        hard = response.answers["possible"] != "yes"
        text = "" if hard else " ".join(str(response.answers["form"]).split())
        yield {"id": name, "label": label, "text": text, "hard": hard}
