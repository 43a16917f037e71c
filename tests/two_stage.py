"""A suite and a model kind for tests of runs: two stages, a writer, and readers that may grow.

The writer continues a text; the readers score what it wrote. `scripted` models answer by a rule,
note every request they compute in a file, and can be told to be slow or to fail.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from epicene.core import registry
from epicene.core.records import (
    Answer,
    Column,
    Decoding,
    Estimate,
    Failed,
    Figure,
    Generate,
    Identity,
    Item,
    Judgement,
    Request,
    Row,
    Score,
    Scores,
    Table,
    Text,
    Texts,
    TextScore,
    digest,
)
from epicene.languages.tokenisation import words
from epicene.models import Batch, BatchLimit, ImageStore, Model, ModelOptions, NumberedAnswers
from epicene.stats.tabulate import accuracy, accuracy_table, mean
from epicene.suites import (
    Answers,
    Dataset,
    DataSource,
    Protocol,
    Results,
    Role,
    Stage,
    Suite,
    SuiteCard,
)


class Opening(Item, frozen=True, kw_only=True):
    """A text to be continued."""

    text: str
    kind: str


class TwoStages(Protocol, frozen=True, kw_only=True):
    """How many continuations are read, and how long they are."""

    samples: int = 2
    new_tokens: int = 4
    items: int = 60


def read(source: DataSource, protocol: TwoStages) -> Dataset:
    """So many openings as the protocol says; the file, if any, is only hashed."""
    files = (source.path,) if source.path else ()
    subjects = ("the old king", "a young nurse", "my neighbour", "la voisine", "नर्स ने")
    items = tuple(
        Opening(
            id=f"opening-{n}",
            group=f"group-{n // 2}",
            language="en",
            text=f"{subjects[n % len(subjects)]} number {n} said",
            kind="even" if n % 2 == 0 else "odd",
        )
        for n in range(protocol.items)
    )
    return Dataset("openings", files, items)


def write(item: Opening, _answers: Answers, protocol: TwoStages) -> Iterator[Request]:
    """Continue the text."""
    yield Generate(
        item=item.id,
        name="write",
        group=item.cluster,
        prompt=item.text,
        samples=protocol.samples,
        decoding=Decoding(
            max_new_tokens=protocol.new_tokens,
            temperature=1.0,
            exact_length=True,
            seed=protocol.seed,
        ),
        source=item.text,
    )


def reread(item: Opening, answers: Answers, _protocol: TwoStages) -> Iterator[Request]:
    """Score each continuation against the opening alone."""
    for number, text in enumerate(answers.where(stage="write").only(Texts).texts):
        yield Score(
            item=item.id,
            name=f"read {number}",
            group=item.cluster,
            texts=(f"{item.text} {text.text}.", f"{item.text} nothing."),
        )


def judge(item: Opening, answers: Answers, _protocol: TwoStages) -> Iterator[Judgement]:
    """A reader is right if it finds the continuation likelier per token than silence."""
    for given in answers.where(stage="reread"):
        assert isinstance(given.answer, Scores)
        said, silent = (text.sum / max(text.tokens, 1) for text in given.answer.texts)
        yield Judgement(
            item=item.id,
            group=item.cluster,
            language=item.language,
            name=f"{given.name} by {given.model}",
            outcome="right" if said > silent else "wrong",
            value=said,
            facets={"reader": given.model, "kind": item.kind},
        )


def metrics(results: Results[TwoStages]) -> Mapping[str, Estimate]:
    """Accuracy and mean score."""
    return {"accuracy": accuracy(results.frame), "score": mean(results.frame)}


def tables(results: Results[TwoStages]) -> Iterator[Table]:
    """By reader and kind, and the mean score."""
    yield accuracy_table(
        results.frame, name="1", title="Readers", rows=("model", "reader"), columns="kind"
    )
    yield Table(
        name="2",
        title="Score",
        levels=("what",),
        columns=(Column(name="score", unit="number", decimals=5),),
        rows=(Row(keys=("all",), cells=(mean(results.frame),)),),
    )


def figures(_results: Results[TwoStages]) -> Iterator[Figure]:
    """None."""
    yield from ()


suite = Suite(
    name="two-stage",
    version="1",
    card=SuiteCard(
        title="Two stages",
        about="For tests.",
        languages=("en",),
        source="tests",
        data_licence="Apache-2.0",
        chance="none",
        tables=("1", "2"),
    ),
    item=Opening,
    protocols={
        "paper": TwoStages(name="paper", about="as it is"),
        "epicene": TwoStages(name="epicene", about="as it is", samples=3),
    },
    roles=(
        Role(name="writer", about="continues"),
        Role(name="reader", about="scores", many=True),
    ),
    stages=(
        Stage(name="write", role="writer", verbs=(Generate,), ask=write),
        Stage(name="reread", role="reader", verbs=(Score,), ask=reread, needs=("write",)),
    ),
    read=read,
    judge=judge,
    metrics=metrics,
    tables=tables,
    figures=figures,
    stratum=lambda item: ("", item.kind),
    corpus=lambda item: (item.text,),
)


class Scripted:
    """A model that answers by a rule and notes what it computes.

    Its name is `NAME[-slow][-failing]`. Notes go to the file named by SCRIPTED_LOG.
    """

    verbs = frozenset({"generate", "score"})
    batch_limit = BatchLimit(requests=7)

    def __init__(self, name: str, options: ModelOptions) -> None:
        self._slow = "slow" in name
        self._failing = "failing" in name
        self._name = name.split("-")[0]
        label = options.label or f"scripted-{self._name}"
        self.identity = Identity(kind="scripted", label=label, key={"name": self._name})

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer a batch at a time."""
        for batch in batches:
            answered = []
            for place, request in batch:
                log(f"{self._name} {request.item} {request.name}")
                answered.append((place, self._one(request)))
            if self._slow:
                time.sleep(0.02)
            yield answered

    def _one(self, request: Request) -> Answer:
        noise = digest(request, self._name)
        if self._failing and noise[0] < 64:
            return Failed(reason="told to fail")
        if isinstance(request, Generate):
            texts = tuple(
                Text(text=f"word{noise[n % 16]} and {noise[(n + 1) % 16]}")
                for n in range(request.samples)
            )
            return Texts(texts=texts, temperature=1.0)
        assert isinstance(request, Score)
        return Scores(
            texts=tuple(_scored(text, noise[n]) for n, text in enumerate(request.texts)),
            method="scripted",
        )

    def notes(self) -> Mapping[str, object]:
        """Nothing to say."""
        return {}

    def close(self) -> None:
        """Nothing to close."""


def _scored(text: str, noise: int) -> TextScore:
    spans = words(text, "en")
    return TextScore(
        logprobs=tuple(-0.1 * (noise + n) for n in range(len(spans))),
        starts=tuple(span.start for span in spans),
        ends=tuple(span.end for span in spans),
        words=len(spans),
        characters=len(text),
    )


def log(line: str) -> None:
    """Note a line in the file named by SCRIPTED_LOG."""
    path = os.environ.get("SCRIPTED_LOG")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def open_scripted(name: str, options: ModelOptions) -> Model:
    """The entry point of the kind."""
    return Scripted(name, options)


def register() -> None:
    """Make the suite and the model known in this process."""
    registry.add("suites", suite.name, suite)
    registry.add("models", "scripted", open_scripted)
