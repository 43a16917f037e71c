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

from epicene.core.records import Choice, Image, Images, Judgement
from epicene.suites import Answers
from epicene.suites.gramvis.ask import DRAW, LOOK, look_name
from epicene.suites.gramvis.external_answers import ImageItem
from epicene.suites.gramvis.items import (
    ERROR,
    LABEL_OF_GRAMMAR,
    LABELS,
    Label,
    LabelCounts,
    PromptItem,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from epicene.core.records import Facets, Outcome
    from epicene.suites import AnsweredRequest
    from epicene.suites.gramvis.protocol import GramvisProtocol, Parsing

AnswerWordKind: TypeAlias = Literal["male", "female", "not", "but", "neither", "unanswered", "idle"]

_HAN = "\u4e00-\u9fff"
_CLAUSE_ENDS = r"[.,;:!?()\n—–。，；：！？、]"
_APOSTROPHES = (("’", "'"), ("‘", "'"))


@lru_cache(maxsize=4096)  # judges say the same few things of many images
def parse_label(text: str, how: Parsing) -> Label | None:
    """The label that these words say."""
    return _PARSERS[how](text)


def parse_substring(text: str) -> Label | None:
    """The authors' rule. "Neither male nor female" is female, and "man" is nothing."""
    words = text.lower().strip()
    if "female" in words:
        return "female"
    if "male" in words:
        return "male"
    return "neither" if "neither" in words else None


def parse_strict(text: str) -> Label | None:
    """Only what was said, and said of what is seen."""
    words = unicodedata.normalize("NFC", text).casefold()
    for odd, plain in _APOSTROPHES:
        words = words.replace(odd, plain)
    bare = words.strip(" \t\r\n.,;:!?\"'`*()[]{}<>«»“”„。！")
    if bare in LABELS:
        return bare
    said = _Mentions(set(), set(), set())
    for clause in _clauses(words):
        _read_clause(clause, said)
    return said.label


_PARSERS: Mapping[Parsing, Callable[[str], Label | None]] = {
    "substring": parse_substring,
    "strict": parse_strict,
}


class _Mentions(NamedTuple):
    """Which genders were said and denied, and whether neither was said, over all clauses."""

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
    """The kinds of words in each clause, those that matter."""
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


def _read_clause(clause: list[AnswerWordKind], said: _Mentions) -> None:
    if "unanswered" in clause:
        return
    denying = False
    for place, kind in enumerate(clause):
        if kind == "not":
            denying = True
        elif kind in ("male", "female"):
            (said.denied if denying else said.genders).add(kind)
        elif kind == "neither":
            # "Neither male nor female" denies both; alone it is a choice.
            denying = True
            if not {"male", "female"} & set(clause[place:]):
                said.neither.add(kind)


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
    """Known words and phrases, the longest first, and stops; other words are passed over whole."""
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
    """An image's label (None: no judge said anything) and how many stand behind it.

    `two of three` is at least two, but not all: of three judges exactly two.
    """

    label: Label | None
    agreement: Agreement


def majority_vote(labels: Sequence[Label | None]) -> VoteResult:
    """What at least two say and no two others; else neither. A judge without a label is no vote.

    Where one judge was asked at all, there is nobody to agree with and its word stands.
    """
    return _count_votes(tuple(labels))


@cache  # of three judges there are 64 ways to vote
def _count_votes(labels: tuple[Label | None, ...]) -> VoteResult:
    said = Counter(label for label in labels if label is not None)
    if not said:
        return VoteResult(None, "none")
    (first, most), *rest = said.most_common()
    if most < min(2, len(labels)) or (rest and rest[0][1] == most):
        return VoteResult("neither", "none")
    return VoteResult(first, "unanimous" if most == len(labels) else "two of three")


_MISSING_IMAGE = Image(refused="the model gave fewer images than were asked for")


class ImageSample(NamedTuple):
    """An image that was asked for, what the judges said of it, and why there is none, if so."""

    picture: ImageItem
    votes: Answers
    missing: str
    image: Image


def image_samples(
    item: PromptItem, answers: Answers, protocol: GramvisProtocol
) -> Iterator[ImageSample]:
    """Every image that was asked for, whether it came or not."""
    votes: dict[str, list[AnsweredRequest]] = defaultdict(list)
    for given in answers.where(stage=LOOK):
        votes[given.name].append(given)
    for drawn in answers.where(stage=DRAW):
        if isinstance(drawn.answer, Images):
            images = drawn.answer.images
            for number in range(1, protocol.shots + 1):
                image = images[number - 1] if number <= len(images) else _MISSING_IMAGE
                yield ImageSample(
                    _image_item(item, drawn, number),
                    Answers(votes[look_name(drawn.name, number)]),
                    "" if image.sha256 else image.refused or "no image came, and no reason",
                    image,
                )


def _image_item(item: PromptItem, drawn: AnsweredRequest, shot: int) -> ImageItem:
    word = item.entry
    return ImageItem(
        id=f"{item.id}/{drawn.name}/{shot}",
        group=item.cluster,
        language=item.language,
        drawer=drawn.model,
        grammar=word.grammar,
        category=word.category,
        word=word.word,
        condition=drawn.name,
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
    """The counts as they are; of an image each vote, and what they come to."""
    match item:
        case LabelCounts():
            yield _judge_counts(item)
        case ImageItem():
            yield from _judge_votes(item, answers, protocol)
        case PromptItem():
            for shot in image_samples(item, answers, protocol):
                if shot.missing:
                    yield _judge_missing_image(shot.picture, shot.missing)
                else:
                    yield from _judge_votes(shot.picture, shot.votes, protocol)


def _judge_counts(item: LabelCounts) -> Judgement:
    numbers = (item.male, item.female, item.neither, item.error)
    counts = dict(zip((*LABELS, ERROR), map(float, numbers), strict=True))
    return _judgement(item, COUNTS, _facets(item), counts=counts)


def _judge_missing_image(item: ImageItem, why: str) -> Judgement:
    """An image that was refused or never came shows nobody, and no judge is to blame for it."""
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
    for given in answers:
        if isinstance(given.answer, Choice):
            label = _label(given.answer, protocol)
            labels.append(label)
            # The image's own judgement says all else of it.
            voted = {"drawer": item.drawer, "judge": given.model} | _likeliest_choice(given.answer)
            said = {"said": given.answer.text} if given.answer.text else {}
            yield _judgement(item, f"{VOTE_PREFIX}{given.model}", voted, label, evidence=said)
    verdict = majority_vote(labels)
    yield _judgement(
        item,
        MAJORITY,
        {**_facets(item), "agreement": verdict.agreement},
        verdict.label,
        outcome=outcome_of(verdict.label, item.grammar),
        counts={name: float(name == (verdict.label or ERROR)) for name in (*LABELS, ERROR)},
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
    """Right is an image that shows the grammar's gender."""
    if label not in LABEL_OF_GRAMMAR.values():
        return "undetected"
    return "right" if label == LABEL_OF_GRAMMAR[grammar] else "wrong"


def _likeliest_choice(answer: Choice) -> Facets:
    """The choice by log-probability, of judges that tell it; votes are by what was said."""
    if len(answer.logprobs) != len(LABELS):
        return {}
    likely = dict(zip(LABELS, answer.logprobs, strict=True))
    return {"likeliest": max(LABELS, key=likely.__getitem__)}


def _label(answer: Choice, protocol: GramvisProtocol) -> Label | None:
    """A choice that was made as such (by log-probability) stands; words are read."""
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
