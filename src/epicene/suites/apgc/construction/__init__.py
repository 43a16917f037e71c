"""Build a gender corpus from a parallel text: select, label, rewrite, group, split, export."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.suites.apgc.construction.annotation import (
    adjudicate,
    identify,
    labels_by_item,
    read_adjudicated,
    read_forms,
    read_labels,
    rewrite,
)
from epicene.suites.apgc.construction.selection import ApgcBuild, select
from epicene.suites.apgc.corpus_files import write_folder, write_jsonl
from epicene.suites.apgc.english import english_gender
from epicene.suites.apgc.items import Sentence, check_forms, forms_of_group, parse_label
from epicene.suites.construction import AskPeople, Compute, Construction
from epicene.suites.data_cards import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.construction import StepOutputs, StepRow

SPLITS = ("train", "dev", "test")


def decide(outputs: StepOutputs, _settings: ApgcBuild) -> Iterator[StepRow]:
    """Each sentence with its final label."""
    first, last = labels_by_item(outputs["identify"]), labels_by_item(outputs["adjudicate"])
    for row in outputs["select"]:
        label = last[row["id"]][-1] if last[row["id"]] else first[row["id"]][0]
        yield {**row, "label": label}


def group(outputs: StepOutputs, _settings: ApgcBuild) -> Iterator[StepRow]:
    """Each sentence with its forms, or the reason why it is dropped."""
    written: dict[str, dict[str, StepRow]] = defaultdict(dict)
    for row in outputs["rewrite"]:
        written[row["id"]][row["label"]] = row
    for row in outputs["decide"]:
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
    forms = {str(version): texts[str(version)] for version in label.versions}
    return {
        "texts": forms,
        "targets": forms_of_group(list(forms.values()), label.versions),
        "english": row["english"],
        "origin": row["origin"],
    }


def split(outputs: StepOutputs, settings: ApgcBuild) -> Iterator[StepRow]:
    """Assign whole groups to train, dev and test, each label in the same proportions."""
    if len(settings.splits) != len(SPLITS) or min(settings.splits) < 0 or not sum(settings.splits):
        raise InputError("The splits must be three numbers: for train, dev and test.")
    kept = [row for row in outputs["group"] if "dropped" not in row]
    by_label: dict[str, list[StepRow]] = defaultdict(list)
    for row in kept:
        by_label[parse_label(next(iter(row["texts"])), row["id"]).condensed].append(row)
    draw = random.Random(settings.seed)
    split_of: dict[str, str] = {}
    total = sum(settings.splits)
    for _, rows in sorted(by_label.items()):
        draw.shuffle(rows)
        ends = [round(len(rows) * sum(settings.splits[: n + 1]) / total) for n in range(3)]
        for name, start, end in zip(SPLITS, [0, *ends], ends, strict=False):
            split_of.update((row["id"], name) for row in rows[start:end])
    for row in kept:
        yield {**row, "split": split_of[row["id"]]}


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


def export(outputs: StepOutputs, settings: ApgcBuild, folder: Path) -> list[Path]:
    """Write the corpus in our layout and in the published one, with a card."""
    corpus = [sentence for row in outputs["split"] for sentence in sentences_in(row)]
    written = [folder / "corpus.jsonl"]
    write_jsonl(written[0], corpus)
    for name in SPLITS:
        part = [
            msgspec.structs.replace(sentence, english_gender=english_gender(sentence.english))
            for sentence in corpus
            if sentence.split == name
        ]
        if part:
            written += write_folder(folder / "corpus", name, part)
    about = folder / "card.md"
    write_atomically(about, data_card(outputs, settings, corpus).encode())
    return [*written, about]


def data_card(outputs: StepOutputs, settings: ApgcBuild, corpus: Sequence[Sentence]) -> str:
    """The card of the corpus, in Markdown."""
    labels = labels_by_item(outputs["identify"])
    several = [each for each in labels.values() if len(each) > 1]
    agreed = sum(len(set(each)) == 1 for each in several)
    dropped = Counter(row["dropped"] for row in outputs["group"] if "dropped" in row)
    labelled = Counter(sentence.label for sentence in corpus if sentence.original)
    lines = [
        "# An Arabic parallel gender corpus",
        "",
        f"Built by Epicene from {len(outputs['select'])} sentence pairs of "
        f"`{Path(settings.bitext).name}` (seed {settings.seed}).",
        "",
        f"- Original sentences: {sum(labelled.values())}; with rewritten forms: {len(corpus)}.",
        f"- Left out: {sum(dropped.values())}"
        + "".join(f"; {reason}: {number}" for reason, number in sorted(dropped.items()))
        + ".",
        f"- Labelled by {settings.people} people each; they agreed on {agreed} of "
        f"{len(several)} sentences, somebody else decided on the rest.",
        "",
        *markdown_table(("label", "original sentences"), sorted(labelled.items())),
        "",
        *markdown_table(
            ("split", "sentences"),
            ((name, sum(sentence.split == name for sentence in corpus)) for name in SPLITS),
        ),
    ]
    return "\n".join(lines) + "\n"


construction = Construction(
    about="A parallel gender corpus from any English–Arabic text.",
    settings=ApgcBuild,
    steps=(
        Compute(name="select", about="pairs that mention I or you", make=select),
        AskPeople(
            name="identify",
            about="people label whose gender shows",
            study=identify,
            read=read_labels,
        ),
        AskPeople(
            name="adjudicate",
            about="people decide disagreements",
            study=adjudicate,
            read=read_adjudicated,
        ),
        Compute(name="decide", about="one label per sentence", make=decide),
        AskPeople(
            name="rewrite", about="people write the other forms", study=rewrite, read=read_forms
        ),
        Compute(name="group", about="groups of forms, or why left out", make=group),
        Compute(name="split", about="train, dev and test", make=split),
    ),
    export=export,
)
