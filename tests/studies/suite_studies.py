"""Studies of every kind as the suites make them, each with ten items for one person."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from PIL import Image, ImageDraw

from epicene.core.data_files import read_records
from epicene.core.files import IMAGES_FOLDER, ImageFolder
from epicene.core.records import Completion, Completions, Text, Texts
from epicene.studies.analysis.study_builder import study_from_data
from epicene.studies.analysis.study_summary import summarise_study
from epicene.studies.design.sampling import Candidate, SamplingOptions
from epicene.studies.design.schema import Access, Response, SamplingRecord, Study, StudyItem
from epicene.suites import AnsweredRequest, Answers, DataSource, alternations, find_suite
from epicene.suites.alternations.data import read as read_frames
from epicene.suites.alternations.protocol import PROTOCOLS as ALTERNATIONS
from epicene.suites.alternations.studies import cloze_choice, completions
from epicene.suites.apgc.construction.annotation import identify as ask_labels
from epicene.suites.apgc.construction.annotation import read_forms
from epicene.suites.apgc.construction.annotation import read_labels as labels_of
from epicene.suites.apgc.construction.annotation import rewrite as ask_forms
from epicene.suites.apgc.construction.selection import ApgcBuild
from epicene.suites.apgc.data import STARTER as ARABIC
from epicene.suites.apgc.items import Sentence
from epicene.suites.apgc.protocol import PROTOCOLS as APGC
from epicene.suites.apgc.studies import rewritings
from epicene.suites.genform.construction import annotation
from epicene.suites.genform.construction.generation import GenformBuild
from epicene.suites.genform.data import STARTER as PAIRS
from epicene.suites.genform.items import Pair
from epicene.suites.gramvis.studies import image
from epicene.suites.misgendering.data import read as read_instances
from epicene.suites.misgendering.protocol import PROTOCOLS as MISGENDERING
from epicene.suites.misgendering.studies import labels
from epicene.suites.studies import Material

ITEMS = 10
OPEN = Access(entry="open", participant_parameter="PROLIFIC_PID", completion_code="C0DE-9")


class Kind(NamedTuple):
    """A kind of study, and how its suite reads what people answered."""

    study: Callable[[Path], Study]  # given the folder that it will be served from
    read: Callable[[Study, list[Response]], int]  # how many rows or tables come of it


def tabulated(study: Study, responses: list[Response]) -> int:
    return len(summarise_study(study, responses).tables)


def drawn(study: Study, items: Iterable[StudyItem], kind: str) -> Study:
    return msgspec.structs.replace(
        study, items=tuple(items), drawn=SamplingRecord(kind=kind, protocol="epicene")
    )


# --- sentences to label and to rewrite -----------------------------------------------------------

BUILD = ApgcBuild()


def _sentences() -> list[dict[str, Any]]:
    """One sentence of each group that shows one person's gender."""
    found: dict[str, dict[str, Any]] = {}
    for each in read_records(ARABIC, Sentence):
        if len(each.who.versions) == 2:
            row = {name: getattr(each, name) for name in ("text", "english", "label", "origin")}
            found.setdefault(each.group, {"id": each.id, **row})
    return list(found.values())[:ITEMS]


def identify(_folder: Path) -> Study:
    return ask_labels({"select": _sentences()}, BUILD)


def read_labels(study: Study, responses: list[Response]) -> int:
    return len(list(labels_of({}, BUILD, study, responses)))


def rewrite(_folder: Path) -> Study:
    return ask_forms({"decide": _sentences()}, BUILD)


def read_rewritten(study: Study, responses: list[Response]) -> int:
    return len(list(read_forms({}, BUILD, study, responses)))


def rewritten(_folder: Path) -> Study:
    """Sentences that a model left as they were, for two women."""
    protocol = APGC["epicene"]
    items = []
    for sentence in list(read_records(ARABIC, Sentence))[:ITEMS]:
        text = Texts(texts=(Text(text=sentence.text),))
        given = Answers([AnsweredRequest("rewriting", "model", "m", "rewriting FF", text)])
        material = Material(item=sentence, protocol=protocol, model="m", answers=given)
        items += [candidate.make() for candidate in rewritings.candidates(material)]
    return drawn(rewritings.study(protocol), items, "rewritings")


# --- both forms of a sentence, translations ------------------------------------------------------


def _rows(language: str) -> list[dict[str, Any]]:
    rows = []
    for pair in list(read_records(PAIRS / f"{language}.jsonl", Pair))[:ITEMS]:
        drafts = {"draft_masculine": pair.masculine, "draft_feminine": pair.feminine}
        texts = {"text": pair.masculine, "translation": pair.feminine, **drafts}
        row = {"id": pair.id, "rule": pair.rule, "english": pair.english, "dropped": ""}
        rows.append(row | texts)
    return rows


def forms_in(language: str) -> Kind:
    build, made = GenformBuild(language=language), {"draft": _rows(language)}

    def read(study: Study, responses: list[Response]) -> int:
        return len(list(annotation.read_forms(made, build, study, responses)))

    return Kind(lambda _folder: annotation.forms(made, build), read)


def review_in(language: str) -> Kind:
    build, made = GenformBuild(language=language), {"translate": _rows(language)}

    def read(study: Study, responses: list[Response]) -> int:
        return len(list(annotation.read_reviews(made, build, study, responses)))

    return Kind(lambda _folder: annotation.review(made, build), read)


# --- continuations -------------------------------------------------------------------------------

_CONTINUED = (
    "He met the old man there, and his sister came along.",
    "She sang. Later he slept, like the good lad that he is.",
    "There was rain, and the shop stayed shut.",
    "They waited for xem until the last train had gone.",
    "The nurse told a friend about it, and both had to laugh.",
)


def continuations(_folder: Path) -> Study:
    protocol = msgspec.structs.replace(MISGENDERING["epicene"], pronouns=("she", "xe"))
    instances = list(read_instances(DataSource(), protocol).items)
    texts = Texts(texts=tuple(Text(text=text) for text in _CONTINUED))
    found: dict[str, Candidate] = {}
    for place, instance in enumerate(instances[:: len(instances) // ITEMS][:ITEMS]):
        settings = ("pre", "post") if instance.is_template else ("open",)
        given = Answers(AnsweredRequest("ask", "model", "m", name, texts) for name in settings)
        material = Material(item=instance, protocol=protocol, model="m", answers=given)
        written = list(labels.candidates(material))
        found[instance.id] = written[place % len(written)]
    items = [candidate.make() for candidate in found.values()]
    return drawn(labels.study(protocol), items, "labels")


# --- sentences and words to choose, completions --------------------------------------------------

OURS = ALTERNATIONS["epicene"]


def choice(_folder: Path) -> Study:
    """The whole experiment: consent, screening, practice, fillers and checks among the items."""
    study = study_from_data(
        alternations.suite, DataSource(), SamplingOptions(total=4 * ITEMS), study="choice"
    )
    return msgspec.structs.replace(study, access=OPEN, per_person=ITEMS)


def _filled(texts: Mapping[str, str], kind: Any) -> list[Candidate]:
    """Gaps of many verbs, filled by each model with its own word."""
    pairs = [pair for pair in read_frames(DataSource(), OURS).items if pair.gold and pair.has_gap]
    verbs = list(dict.fromkeys(pair.group for pair in pairs))[:ITEMS]
    return [
        candidate
        for model, text in texts.items()
        for pair in pairs
        if pair.group in verbs
        for candidate in kind.candidates(
            Material(item=pair, protocol=OURS, model=model, answers=_completed(model, text))
        )
    ]


def _completed(model: str, text: str) -> Answers:
    completion = Completion(text=text, logprob=-1.0, tokens=1)
    answer = Completions(completions=(completion,), method="masked")
    return Answers([AnsweredRequest("cloze", "model", model, "cloze", answer)])


def choice_of_three(_folder: Path) -> Study:
    kind = cloze_choice.kind
    candidates = _filled({"x": "खरीदी", "y": "निकाली"}, kind)
    study = drawn(
        kind.study(OURS), kind.sample(candidates, OURS, SamplingOptions()), "cloze-choice"
    )
    return msgspec.structs.replace(study, access=OPEN, per_person=ITEMS)


def completed(_folder: Path) -> Study:
    kind = completions.kind
    candidates = _filled({"x": "करवाया"}, kind)
    one_each = {candidate.unit: candidate for candidate in candidates}
    items = [candidate.make() for candidate in one_each.values()]
    return drawn(kind.study(OURS), items, "completions")


# --- words and pictures --------------------------------------------------------------------------


def words(name: str) -> Callable[[Path], Study]:
    def study(_folder: Path) -> Study:
        return study_from_data(
            find_suite("gramvis"), DataSource(), SamplingOptions(total=ITEMS), study=name
        )

    return study


def picture(place: int) -> bytes:
    """Somebody, drawn simply; each of a width of their own."""
    width, height = 300 + place, 320
    sheet = Image.new("RGB", (width, height), (222, 214 + place, 200))
    pen = ImageDraw.Draw(sheet)
    middle = width // 2
    pen.ellipse((middle - 95, 200, middle + 95, 420), fill=(70, 96, 120 + 8 * place))
    pen.ellipse((middle - 55, 75, middle + 55, 215), fill=(196 - 8 * place, 150, 120))
    pen.chord((middle - 60, 60, middle + 60, 190), 180, 360, fill=(60, 44, 36))
    for eye in (middle - 22, middle + 22):
        pen.ellipse((eye - 5, 138, eye + 5, 148), fill=(30, 30, 30))
    pen.arc((middle - 22, 150, middle + 22, 185), 20, 160, fill=(110, 40, 40), width=4)
    data = io.BytesIO()
    sheet.save(data, "PNG")
    return data.getvalue()


def pictures(folder: Path) -> Study:
    kept = ImageFolder(folder / IMAGES_FOLDER)
    hidden = {
        "model": "m", "picture": "p", "word": "Wache", "language": "de", "grammar": "F",
        "condition": "gendered", "template": "1", "shot": "1", "label": "male", "agreement": "3",
        "votes": json.dumps({"j": "male"}), "weight": "1.0",
    }  # fmt: skip
    items = [
        StudyItem(
            id=f"picture-{place}",
            fields={**hidden, "image": kept.put(picture(place)), "cluster": f"c{place}"},
        )
        for place in range(ITEMS)
    ]
    assert image.kind.pictures is not None
    for file in image.kind.pictures.iterdir():
        kept.put(file.read_bytes())
    return drawn(image.study(find_suite("gramvis").protocols["epicene"]), items, "image")


KINDS: dict[str, Kind] = {
    "label a sentence": Kind(identify, read_labels),
    "rewrite a sentence": Kind(rewrite, read_rewritten),
    "judge a rewriting": Kind(rewritten, tabulated),
    "write both forms": forms_in("ar"),
    "review a translation": review_in("hi"),
    "pronouns": Kind(continuations, tabulated),
    "choose of two": Kind(choice, tabulated),
    "choose of three": Kind(choice_of_three, tabulated),
    "label a completion": Kind(completed, tabulated),
    "stereotype": Kind(words("stereotype"), tabulated),
    "category": Kind(words("category"), tabulated),
    "picture": Kind(pictures, tabulated),
}
