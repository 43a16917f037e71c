"""Judge images: parse each judge's answer into a label and take the majority vote.

Strict parsing reads clause by clause. A gender that is named and not negated is a label; a clause
that declines to answer or only asks (whether, if) is ignored; both genders negated is neither; both
named, or one named beside "neither", is no label.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter, defaultdict
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from epicene.core.records import Choice, Failed, Image, Images, Judgement
from epicene.suites import Answers
from epicene.suites.gramvis.ask import DRAW, LOOK, look_name
from epicene.suites.gramvis.items import (
    ERROR,
    LABEL_OF_GRAMMAR,
    LABELS,
    ImageItem,
    Label,
    LabelCounts,
    PromptItem,
    WordCondition,
)
from epicene.suites.wordings import marked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from epicene.core.records import Facets, Outcome
    from epicene.suites import AnsweredRequest
    from epicene.suites.gramvis.protocol import GramvisProtocol, Parsing

AnswerWordKind: TypeAlias = Literal["male", "female", "not", "but", "neither", "unanswered", "idle"]

_HAN = "\u4e00-\u9fff"
_CLAUSE_ENDS = r"[.,;:!?()\n—–。，；：！？、]"
_APOSTROPHES = str.maketrans("’‘", "''")


@lru_cache(maxsize=4096)  # judges say the same few things of many images
def parse_label(text: str, parsing: Parsing) -> Label | None:
    """The label that a judge's words express; None if they cannot be read."""
    return _PARSERS[parsing](text)


def parse_substring(text: str) -> Label | None:
    """The authors' rule. "Neither male nor female" is female, and "man" is nothing."""
    words = text.lower().strip()
    if "female" in words:
        return "female"
    if "male" in words:
        return "male"
    return "neither" if "neither" in words else None


def parse_strict(text: str) -> Label | None:
    """The label of an answer read clause by clause, as the module describes."""
    words = unicodedata.normalize("NFC", text).casefold()
    words = words.translate(_APOSTROPHES)
    bare = words.strip(" \t\r\n.,;:!?\"'`*()[]{}<>«»“”„。！")
    if bare in LABELS:
        return bare
    mentions = _Mentions(set(), set(), set())
    for clause in _clauses(words):
        _read_clause(clause, mentions)
    return mentions.label


_PARSERS: Mapping[Parsing, Callable[[str], Label | None]] = {
    "substring": parse_substring,
    "strict": parse_strict,
}


class _Mentions(NamedTuple):
    """The genders named and denied over all clauses, and whether "neither" was said."""

    genders: set[str]
    denied: set[str]
    neither: set[str]

    @property
    def label(self) -> Label | None:
        if self.genders:
            (one, *more) = self.genders
            return None if more or self.neither else cast("Label", one)
        return "neither" if self.neither or len(self.denied) == 2 else None


def _clauses(words: str) -> Iterator[list[AnswerWordKind]]:
    """The kinds of the known words in each clause."""
    clause: list[AnswerWordKind] = []
    for match in _pattern().finditer(words):
        found = match.group()
        kind = None if match["stop"] else _answer_words().get(" ".join(found.split()))
        if match["stop"] or kind == "but":
            yield clause
            clause = []
        elif kind is not None:
            clause.append(kind)
    yield clause


def _read_clause(clause: list[AnswerWordKind], mentions: _Mentions) -> None:
    if "unanswered" in clause:
        return
    denying = False
    for index, kind in enumerate(clause):
        if kind == "not":
            denying = True
        elif kind in ("male", "female"):
            (mentions.denied if denying else mentions.genders).add(kind)
        elif kind == "neither":
            # "Neither male nor female" denies both; alone it is a choice.
            denying = True
            if not {"male", "female"} & set(clause[index:]):
                mentions.neither.add(kind)


@cache
def _answer_words() -> dict[str, AnswerWordKind]:
    text = (Path(__file__).parent / "answer_words.toml").read_text(encoding="utf-8")
    # What comes later in the file is the more particular.
    return {
        word: cast("AnswerWordKind", kind)
        for kind, words in tomllib.loads(text).items()
        for word in words
    }


@cache
def _pattern() -> re.Pattern[str]:
    """Known words and phrases, the longest first, and stops; other words are ignored."""
    known = sorted(_answer_words(), key=len, reverse=True)
    han = [word for word in known if re.search(f"[{_HAN}]", word)]
    spaced = [re.escape(word).replace(r"\ ", r"\s+") for word in known if word not in han]
    # A hyphen may join what belongs apart (non-male), never a gender word to another one.
    return re.compile(
        f"(?P<han>{'|'.join(han)})|(?<![^\\W_{_HAN}])(?P<word>{'|'.join(spaced)})"
        f"(?![^\\W_{_HAN}]|'[^\\W_])|(?P<stop>{_CLAUSE_ENDS})"
    )


Agreement: TypeAlias = Literal["unanimous", "two of three", "none"]
AGREEMENTS: tuple[Agreement, ...] = ("unanimous", "two of three", "none")


class VoteResult(NamedTuple):
    """An image's label (None if no vote could be read) and how far the judges agree on it.

    `two of three` is at least two, but not all.
    """

    label: Label | None
    agreement: Agreement


def majority_vote(labels: Sequence[Label | None]) -> VoteResult:
    """The label of at least two judges, unless the same number chose another; otherwise neither.

    A judge without a label casts no vote. A single judge decides alone.
    """
    return _count_votes(tuple(labels))


@cache  # of three judges there are 64 ways to vote
def _count_votes(labels: tuple[Label | None, ...]) -> VoteResult:
    votes = Counter(label for label in labels if label is not None)
    if not votes:
        return VoteResult(None, "none")
    (first, most), *rest = votes.most_common()
    if most < min(2, len(labels)) or (rest and rest[0][1] == most):
        return VoteResult("neither", "none")
    return VoteResult(first, "unanimous" if most == len(labels) else "two of three")


_MISSING_IMAGE = Image(refused="the model returned fewer images than requested")


class ImageSample(NamedTuple):
    """An image that was requested, and the judges' answers; `missing` says why there is none."""

    item: ImageItem
    votes: Answers
    missing: str
    image: Image


class JudgedImage(NamedTuple):
    """An image with the judgement of each vote, and that of the majority."""

    sample: ImageSample
    votes: Sequence[Judgement]
    majority: Judgement


def image_samples(
    item: PromptItem, answers: Answers, protocol: GramvisProtocol, wording: int = 1
) -> Iterator[ImageSample]:
    """Every requested image, whether or not it was returned, with the votes in one wording."""
    votes: dict[str, list[AnsweredRequest]] = defaultdict(list)
    for answered in answers.where(stage=LOOK):
        votes[answered.name].append(answered)
    for drawn in answers.where(stage=DRAW):
        if isinstance(drawn.answer, Images):
            images = drawn.answer.images
            for number in range(1, protocol.shots + 1):
                image = images[number - 1] if number <= len(images) else _MISSING_IMAGE
                yield ImageSample(
                    _image_item(item, drawn, number, wording),
                    Answers(votes[look_name(drawn.name, number, wording)]),
                    ""
                    if image.sha256
                    else image.refused or "no image was returned, and no reason was given",
                    image,
                )


def _image_item(item: PromptItem, drawn: AnsweredRequest, shot: int, wording: int) -> ImageItem:
    word = item.entry
    described = WordCondition(
        word.language, drawn.model, word.grammar, word.category, word.word, drawn.name
    )
    return ImageItem(
        id=marked(f"{item.id}/{drawn.name}/{shot}", wording),
        **described.item_fields(),
        template=str(item.template),
        shot=str(shot),
        stereotype=word.stereotype,
    )


COUNTS = "counts"
MAJORITY = "majority"
VOTE_PREFIX = "vote of "


def judge(
    item: LabelCounts | ImageItem | PromptItem, answers: Answers, protocol: GramvisProtocol
) -> Iterator[Judgement]:
    """The counts as they are; for an image, each vote and then the majority."""
    match item:
        case LabelCounts():
            yield _judge_counts(item)
        case ImageItem():
            yield from _judge_votes(item, answers, protocol)
        case PromptItem():
            for wording in range(1, protocol.wordings + 1):
                for sample in image_samples(item, answers, protocol, wording):
                    yield from _judge_sample(sample, protocol)


def judged_images(
    item: PromptItem, answers: Answers, protocol: GramvisProtocol
) -> Iterator[JudgedImage]:
    """Every image that was requested, with its judgements in the first wording."""
    for sample in image_samples(item, answers, protocol):
        *votes, majority = _judge_sample(sample, protocol)
        yield JudgedImage(sample, votes, majority)


def _judge_sample(sample: ImageSample, protocol: GramvisProtocol) -> Iterator[Judgement]:
    if sample.missing:
        yield _judge_missing_image(sample.item, sample.missing)
    else:
        yield from _judge_votes(sample.item, sample.votes, protocol)


def _judge_counts(item: LabelCounts) -> Judgement:
    numbers = (item.male, item.female, item.neither, item.error)
    counts = dict(zip((*LABELS, ERROR), map(float, numbers), strict=True))
    return _judgement(item, COUNTS, _facets(item), counts=counts)


def _judge_missing_image(item: ImageItem, why: str) -> Judgement:
    """An image that was refused or never returned counts as an error, but not as a judge's
    error."""
    return _judgement(
        item,
        MAJORITY,
        _facets(item),
        outcome="undetected",
        counts={name: float(name == ERROR) for name in (*LABELS, ERROR)},
        evidence={"not drawn": why},
    )


def _judge_votes(
    item: ImageItem, answers: Answers, protocol: GramvisProtocol
) -> Iterator[Judgement]:
    labels: list[Label | None] = []
    for answered in answers:
        answer, model = answered.answer, answered.model
        if isinstance(answer, Failed):
            labels.append(None)  # one that did not vote: the others are not all
        elif isinstance(answer, Choice):
            label = _label(answer, protocol)
            labels.append(label)
            # All else is in the majority's judgement.
            facets = {"drawer": item.drawer, "judge": model} | _likeliest_choice(answer)
            evidence = {"said": answer.text} if answer.text else {}
            yield _judgement(item, f"{VOTE_PREFIX}{model}", facets, label, evidence=evidence)
    result = majority_vote(labels)
    yield _judgement(
        item,
        MAJORITY,
        {**_facets(item), "agreement": result.agreement},
        result.label,
        outcome=outcome_of(result.label, item.grammar),
        counts={name: float(name == (result.label or ERROR)) for name in (*LABELS, ERROR)},
    )


def _facets(item: LabelCounts | ImageItem) -> Facets:
    facets = {
        "drawer": item.drawer,
        "grammar": item.grammar,
        "category": item.category,
        "word": item.word,
        "condition": item.condition,
    }
    if isinstance(item, ImageItem):
        facets |= {"template": item.template, "shot": item.shot}
        if item.stereotype:
            facets["stereotype"] = item.stereotype
    return facets


def outcome_of(label: str | None, grammar: str) -> Outcome:
    """Right if the image shows the gender that the grammar suggests."""
    if label not in LABEL_OF_GRAMMAR.values():
        return "undetected"
    return "right" if label == LABEL_OF_GRAMMAR[grammar] else "wrong"


def _likeliest_choice(answer: Choice) -> Facets:
    """The choice by log-probability, if a judge gives it; votes are based on what was said."""
    if len(answer.logprobs) != len(LABELS):
        return {}
    logprobs = dict(zip(LABELS, answer.logprobs, strict=True))
    return {"likeliest": max(LABELS, key=logprobs.__getitem__)}


def _label(answer: Choice, protocol: GramvisProtocol) -> Label | None:
    """The choice if the judge made one explicitly, otherwise what its words say."""
    if answer.choice in LABELS:
        return answer.choice
    return parse_label(answer.text, protocol.parsing)


def _judgement(
    item: LabelCounts | ImageItem,
    name: str,
    facets: Facets,
    label: str | None = None,
    *,
    outcome: Outcome | None = None,
    counts: dict[str, float] | None = None,
    evidence: Facets | None = None,
) -> Judgement:
    return Judgement(
        item=item.id,
        group=item.cluster,
        language=item.language,
        name=name,
        outcome=outcome,
        label=label,
        counts=counts or {},
        facets=facets,
        evidence=evidence or {},
    )
