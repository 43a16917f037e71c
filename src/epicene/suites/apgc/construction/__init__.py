"""Build a gender corpus from a parallel text: select, label, rewrite, group, split, export."""

from __future__ import annotations

import random
import tomllib
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Positive
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
from epicene.suites.apgc.construction.selection import read_pairs, sample_pairs
from epicene.suites.apgc.corpus_files import write_folder, write_jsonl
from epicene.suites.apgc.items import (
    Sentence,
    SentenceLabel,
    check_forms,
    forms_of_group,
    parse_label,
)
from epicene.suites.construction import AskPeople, BuildSettings, Compute, Construction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.studies.design.schema import Response
    from epicene.suites.construction import StepOutputs, StepRow

SPLITS = ("train", "dev", "test")


def labels_by_item(rows: Iterable[StepRow]) -> dict[str, list[str]]:
    said: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        said[row["id"]].append(row["label"])
    return said


def data_card(made: StepOutputs, settings: ApgcBuild, corpus: Sequence[Sentence]) -> str:
    """What a person should know of the corpus."""
    said = labels_by_item(made["identify"])
    several = [each for each in said.values() if len(each) > 1]
    agreed = sum(len(set(each)) == 1 for each in several)
    dropped = Counter(row["dropped"] for row in made["group"] if "dropped" in row)
    labelled = Counter(sentence.label for sentence in corpus if sentence.original)
    lines = [
        "# An Arabic parallel gender corpus",
        "",
        f"Built by Epicene from {len(made['select'])} sentence pairs of "
        f"`{Path(settings.bitext).name}` (seed {settings.seed}).",
        "",
        f"- Original sentences: {sum(labelled.values())}; with rewritten forms: {len(corpus)}.",
        f"- Left out: {sum(dropped.values())}"
        + "".join(f"; {reason}: {number}" for reason, number in sorted(dropped.items()))
        + ".",
        f"- Labelled by {settings.people} people each; they agreed on {agreed} of "
        f"{len(several)} sentences, somebody else decided on the rest.",
        "",
        "| label | original sentences |",
        "|---|---|",
        *(f"| {label} | {number} |" for label, number in sorted(labelled.items())),
        "",
        "| split | sentences |",
        "|---|---|",
        *(f"| {name} | {sum(sentence.split == name for sentence in corpus)} |" for name in SPLITS),
    ]
    return "\n".join(lines) + "\n"


# As in the paper's selection: pronouns of both persons, of the first only, of the second only.
_SHARES = (0.211, 0.425, 0.364)


class ApgcBuild(BuildSettings, frozen=True, kw_only=True):
    """What may be chosen."""

    files: ClassVar[tuple[str, ...]] = ("bitext",)

    bitext: str = ""  # a file with the columns english and arabic
    size: Positive = 1000
    shares: tuple[float, ...] = _SHARES
    people: Positive = 2  # who judge each sentence
    splits: tuple[float, ...] = (0.7, 0.1, 0.2)


# --- select --------------------------------------------------------------------------------


def select(_made: StepOutputs, settings: ApgcBuild) -> Iterator[StepRow]:
    """Pairs with pronouns of the two persons, in the proportions wanted."""
    if not settings.bitext:
        raise InputError("A corpus is built from a parallel file; name one: --set bitext=FILE.")
    pairs = list(read_pairs(Path(settings.bitext)))
    yield from sample_pairs(pairs, settings.size, settings.shares, settings.seed)


# --- identify ------------------------------------------------------------------------------

_LETTERS = (
    Option(id="M", label={"en": "masculine", "ar": "مذكر"}, key="m"),
    Option(id="F", label={"en": "feminine", "ar": "مؤنث"}, key="f"),
    Option(id="B", label={"en": "ambiguous", "ar": "ملتبس"}, key="b"),
    Option(id="N", label={"en": "absent", "ar": "غير موجود"}, key="n"),
)
_USABLE: dict[str, tuple[str, ...]] = {"usable": ("yes",)}


@cache
def _guidelines() -> Any:
    path = Path(__file__).parent / "guidelines.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _identification_study(name: str, rows: Iterable[StepRow], judgements: int) -> Study:
    told = _guidelines()["identify"]
    return Study(
        name=name,
        suite="apgc",
        title=told["title"],
        instructions=told["instructions"],
        show=(
            TextPanel(field="text", title={"en": "Arabic", "ar": "العربية"}, language="ar"),
            TextPanel(field="english", title={"en": "English", "ar": "الإنجليزية"}, language="en"),
        ),
        questions=(
            ChoiceQuestion(
                id="usable",
                ask={"en": "Is the sentence well formed?", "ar": "هل الجملة سليمة؟"},
                options=(
                    Option(id="yes", label={"en": "yes", "ar": "نعم"}, key="y"),
                    Option(id="malformed", label={"en": "malformed", "ar": "معيبة"}, key="x"),
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
                    Option(id="first", label={"en": "speakers", "ar": "المتكلمون"}),
                    Option(id="second", label={"en": "people spoken to", "ar": "المخاطبون"}),
                ),
                when=_USABLE,
            ),
            NoteQuestion(id="note", ask={"en": "Remark", "ar": "ملاحظة"}),
        ),
        judgements=judgements,
        items=tuple(
            StudyItem(
                id=row["id"],
                language="ar",
                fields={"text": row["text"], "english": row["english"]},
            )
            for row in rows
        ),
    )  # fmt: skip


def _label_of(response: Response) -> str:
    """The label that one person gave, or why there is none."""
    answers = response.answers
    if answers["usable"] != "yes":
        return "malformed"
    several = answers.get("several", ())
    return str(
        SentenceLabel(
            str(answers["first"]), str(answers["second"]), "first" in several, "second" in several
        )
    )


def identify(made: StepOutputs, settings: ApgcBuild) -> Study:
    """Everybody labels every sentence."""
    return _identification_study("identify", made["select"], settings.people)


def read_labels(
    _made: StepOutputs, _settings: ApgcBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """What each person said of each sentence."""
    for response in responses:
        yield {
            "id": response.item,
            "person": response.participant,
            "label": _label_of(response),
        }


def adjudicate(made: StepOutputs, _settings: ApgcBuild) -> Study:
    """Somebody else decides where two people disagree."""
    said = labels_by_item(made["identify"])
    rows = [row for row in made["select"] if len(set(said[row["id"]])) > 1]
    return _identification_study("adjudicate", rows, 1)


def read_adjudicated(
    made: StepOutputs, settings: ApgcBuild, study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """What the third person said, who must be a third one."""
    before = {(row["id"], row["person"]) for row in made["identify"]}
    for response in responses:
        if (response.item, response.participant) in before:
            raise InputError(
                f"{response.participant} labelled the sentence {response.item} and cannot also "
                "decide on it; let somebody else answer the step adjudicate."
            )
    yield from read_labels(made, settings, study, responses)


def decide(made: StepOutputs, _settings: ApgcBuild) -> Iterator[StepRow]:
    """Each sentence with the label it has in the end."""
    said, last = labels_by_item(made["identify"]), labels_by_item(made["adjudicate"])
    for row in made["select"]:
        label = last[row["id"]][-1] if last[row["id"]] else said[row["id"]][0]
        yield {**row, "label": label}


# --- rewrite -------------------------------------------------------------------------------

_WHO = {
    "M": {"en": "a man", "ar": "رجل"},
    "F": {"en": "a woman", "ar": "امرأة"},
    "M!": {"en": "men", "ar": "رجال"},
    "F!": {"en": "women", "ar": "نساء"},
}
_PERSONS = ({"en": "speaker", "ar": "المتكلم"}, {"en": "listener", "ar": "المخاطب"})


def _describe_people(label: SentenceLabel) -> str:
    """For whom a form is, in words: a line of Arabic, which its writer reads, then English."""
    letters = (
        f"{label.first}{'!' * label.first_many}",
        f"{label.second}{'!' * label.second_many}",
    )
    who = [
        (person, _WHO[letter])
        for person, letter in zip(_PERSONS, letters, strict=True)
        if letter in _WHO
    ]
    return "\n".join(
        stop.join(f"{person[language]}: {is_[language]}" for person, is_ in who)
        for language, stop in (("ar", "؛ "), ("en", "; "))
    )


def _draft(text: str, label: SentenceLabel) -> str:
    """The rewriter's proposal, where Arabic has one."""
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
            "people": _describe_people(version),
            "text": row["text"],
            "english": row["english"],
            "draft": _draft(row["text"], version),
        },
    )


def rewrite(made: StepOutputs, _settings: ApgcBuild) -> Study:
    """Every other form of every sentence that shows gender."""
    told = _guidelines()["rewrite"]
    items = [
        _form_to_write(row, version)
        for row in made["decide"]
        if row["label"] != "malformed"
        for version in parse_label(row["label"], row["id"]).versions[1:]
    ]
    return Study(
        name="rewrite",
        suite="apgc",
        title=told["title"],
        instructions=told["instructions"],
        show=(
            TextPanel(
                field="people", title={"en": "Write it for", "ar": "لمن تُكتب"}, language="ar"
            ),
            TextPanel(field="text", title={"en": "Arabic", "ar": "العربية"}, language="ar"),
            TextPanel(field="english", title={"en": "English", "ar": "الإنجليزية"}, language="en"),
        ),
        questions=(
            ChoiceQuestion(
                id="possible",
                ask={"en": "Can it be done?", "ar": "هل يمكن ذلك؟"},
                options=(
                    Option(id="yes", label={"en": "yes", "ar": "نعم"}, key="y"),
                    Option(id="hard", label={"en": "hard", "ar": "صعبة"}, key="x"),
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
            NoteQuestion(id="note", ask={"en": "Remark", "ar": "ملاحظة"}),
        ),
        items=tuple(items),
    )


def read_forms(
    _made: StepOutputs, _settings: ApgcBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """The forms that were written."""
    for response in responses:
        name, label = response.item.rsplit(" ", 1)
        hard = response.answers["possible"] != "yes"
        text = "" if hard else " ".join(str(response.answers["form"]).split())
        yield {"id": name, "label": label, "text": text, "hard": hard}


# --- groups and splits ---------------------------------------------------------------------


def group(made: StepOutputs, _settings: ApgcBuild) -> Iterator[StepRow]:
    """Each sentence with its forms, or the reason why it is left out."""
    written: dict[str, dict[str, StepRow]] = defaultdict(dict)
    for row in made["rewrite"]:
        written[row["id"]][row["label"]] = row
    for row in made["decide"]:
        yield {"id": row["id"], **_group_row(row, written[row["id"]])}


def _group_row(row: StepRow, written: dict[str, StepRow]) -> StepRow:
    if row["label"] == "malformed":
        return {"dropped": "malformed"}
    if any(each["hard"] for each in written.values()):
        return {"dropped": "hard"}
    label = parse_label(row["label"], row["id"])
    texts = {row["label"]: row["text"], **{name: each["text"] for name, each in written.items()}}
    if len(set(texts.values())) < len(texts):
        return {"dropped": "a form equals another"}
    made = forms_of_group([texts[str(v)] for v in label.versions], label.versions)
    return {
        "texts": {str(version): texts[str(version)] for version in label.versions},
        "targets": made,
        "english": row["english"],
        "origin": row["origin"],
    }


def split(made: StepOutputs, settings: ApgcBuild) -> Iterator[StepRow]:
    """Whole groups to train, dev and test, each label in the same proportions."""
    if len(settings.splits) != len(SPLITS) or min(settings.splits) < 0 or not sum(settings.splits):
        raise InputError("The splits are three numbers: of train, dev and test.")
    kept = [row for row in made["group"] if "dropped" not in row]
    by_label: dict[str, list[StepRow]] = defaultdict(list)
    for row in kept:
        by_label[parse_label(next(iter(row["texts"])), row["id"]).condensed].append(row)
    draw = random.Random(settings.seed)
    places: dict[str, str] = {}
    total = sum(settings.splits)
    for _, rows in sorted(by_label.items()):
        draw.shuffle(rows)
        ends = [round(len(rows) * sum(settings.splits[: n + 1]) / total) for n in range(3)]
        for name, start, end in zip(SPLITS, [0, *ends], ends, strict=False):
            places.update((row["id"], name) for row in rows[start:end])
    for row in kept:
        yield {**row, "split": places[row["id"]]}


def sentences_in(row: StepRow) -> Iterator[Sentence]:
    """The sentences of one group, the original first."""
    for number, (label, text) in enumerate(row["texts"].items()):
        sentence = Sentence(
            id=f"{row['id']}.{number + 1}",
            group=row["id"],
            language="ar",
            text=text,
            label=label,
            targets=row["targets"],
            english=row["english"],
            origin=row["origin"],
            original=number == 0,
            split=row["split"],
        )
        sentence = msgspec.structs.replace(
            sentence, words=tuple(str(each) for each in sentence.word_labels)
        )
        check_forms(sentence, f"The sentence {sentence.id}")
        yield sentence


def export(made: StepOutputs, settings: ApgcBuild, folder: Path) -> list[Path]:
    """The corpus in our layout and in the published one, with a card."""
    corpus = [sentence for row in made["split"] for sentence in sentences_in(row)]
    written = [folder / "corpus.jsonl"]
    write_jsonl(written[0], corpus)
    for name in SPLITS:
        part = [sentence for sentence in corpus if sentence.split == name]
        if part:
            written += write_folder(folder / "corpus", name, part)
    about = folder / "card.md"
    about.write_text(data_card(made, settings, corpus), encoding="utf-8")
    return [*written, about]


construction = Construction(
    about="A parallel gender corpus from any English–Arabic text.",
    settings=ApgcBuild,
    steps=(
        Compute(name="select", about="pairs that speak of I or you", make=select),
        AskPeople(
            name="identify", about="who shows which gender", study=identify, read=read_labels
        ),
        AskPeople(
            name="adjudicate", about="where two disagree", study=adjudicate, read=read_adjudicated
        ),
        Compute(name="decide", about="one label each", make=decide),
        AskPeople(name="rewrite", about="the other forms", study=rewrite, read=read_forms),
        Compute(name="group", about="forms together, or why not", make=group),
        Compute(name="split", about="train, dev and test", make=split),
    ),
    export=export,
)
