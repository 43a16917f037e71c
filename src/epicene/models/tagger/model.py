"""A trained tagger applied to text, as a model of the kind `tagger`, and as a rewriter.

As a model it rewrites the source for the people that a request names; without any it answers with
the label of each word. The prompt is not read.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from epicene.core.errors import InputError
from epicene.core.records import Generate, Identity, Text, Texts
from epicene.languages.normalisers import normalise
from epicene.languages.tokenisation import tokens
from epicene.models import BatchLimit, UnanswerableError
from epicene.models.simple_model import SimpleModel
from epicene.models.tagger.encoding import WordEncoder
from epicene.models.tagger.network import Network, softmax
from epicene.models.tagger.related import RelatedForms
from epicene.models.tagger.storage import load
from epicene.rewriting import Change
from epicene.rewriting.persons import (
    PERSONS,
    apply_changes,
    person_rewriter,
    read_neutral_persons,
    read_target_genders,
)
from epicene.rewriting.protected import read_syntax, visible_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.languages.tokenisation import Span
    from epicene.models import Batch, ImageStore, ModelOptions, NumberedAnswers
    from epicene.models.tagger.network import FloatArray
    from epicene.models.tagger.storage import TrainedTagger
    from epicene.rewriting import Confidence, Rewrite, Rewriter, Rewriting
    from epicene.rewriting.persons import Person, TargetGenders

# From which probability on a change is called so; below the last it is a guess.
_CONFIDENCE_LEVELS: tuple[tuple[float, Confidence], ...] = ((0.95, "certain"), (0.8, "likely"))

# What is less likely than this makes no difference.
_NEGLIGIBLE = 1e-3

# Cached texts: each is tagged once for several target genders, and for labels.
_CACHE_SIZE = 1 << 14
# Cached words, each of some ten kilobytes.
_WORD_CACHE_SIZE = 1 << 13
# Texts that go through the networks together: more are hardly faster, and need more memory.
_TEXTS_TOGETHER = 64
_LONG_TEXT = 10_000  # characters; no more texts are read with one that is longer


class CandidateForm(NamedTuple):
    """Another form of a word, the label by which the word would take it, and how likely that is."""

    text: str
    label: str
    probability: float


class TaggedWord(NamedTuple):
    """A word or punctuation mark: its span, label and other forms, likeliest first."""

    start: int
    end: int
    label: str
    forms: tuple[CandidateForm, ...]


class Tagger:
    """Label words, and find what must change for other people."""

    def __init__(self, trained: TrainedTagger) -> None:
        self._plan = trained.plan
        self._numbering = WordEncoder(self._plan.vocabulary)
        self._related = (
            RelatedForms(self._plan.related, trained.frequencies) if self._plan.related else None
        )
        self._networks = [Network(weights, self._plan.shape) for weights in trained.members]
        self._tagged: dict[str, tuple[TaggedWord, ...]] = {}
        self._vectors: dict[str, tuple[FloatArray, ...]] = {}
        inventory = self._plan.inventory
        # For each outcome 1 at the label that it belongs to.
        self._of_label = np.array(
            [
                [outcome.label == label for label in inventory.labels]
                for outcome in inventory.outcomes
            ],
            np.float32,
        )

    @property
    def language(self) -> str:
        """The language it was trained on."""
        return self._plan.language

    @property
    def people(self) -> tuple[Person, ...]:
        """Whose gender it knows of."""
        known = {shown.person for shown in self._plan.inventory.shown.values()}
        return tuple(person for person in PERSONS if person in known)

    def labels(self, text: str) -> list[str]:
        """A label for each part between blanks: that of the word, not of its punctuation."""
        plain = self._plan.inventory.plain
        tagged = iter(self._tag(text))
        each = next(tagged, None)
        labels = []
        reached = 0
        for word in text.split():
            reached = text.index(word, reached) + len(word)
            label = plain
            while each is not None and each.start < reached:
                label = each.label if label == plain else label
                each = next(tagged, None)
            labels.append(label)
        return labels

    def changes(self, text: str, wanted: TargetGenders) -> Iterator[Change]:
        """The words that show another gender of a person than the one wanted, and the new forms."""
        shown = self._plan.inventory.shown
        tagged = self._tag(text)
        forms = [self._form_wanted(word, wanted) for word in tagged]
        for index in self._sure(forms):
            word, form = tagged[index], forms[index]
            assert form is not None
            shows = shown[form.label]
            yield Change(
                start=word.start,
                end=word.end,
                before=text[word.start : word.end],
                after=form.text,
                rule=f"shows a {shows.gender} {shows.person}",
                sure=_confidence(form.probability),
                whose=shows.person,
            )

    def _form_wanted(self, word: TaggedWord, wanted: TargetGenders) -> CandidateForm | None:
        """The likeliest form that shows another gender than the one wanted."""
        for form in word.forms:
            shows = self._plan.inventory.shown[form.label]
            if wanted.get(shows.person, shows.gender) != shows.gender:
                return form
        return None

    def _sure(self, forms: list[CandidateForm | None]) -> list[int]:
        """Which forms are likely enough: by themselves, or beside one that shows the same person.

        A phrase of which only a part is changed is wrong as a whole.
        """
        shown = self._plan.inventory.shown
        sure = [
            index
            for index, form in enumerate(forms)
            if form is not None and form.probability >= self._plan.sure
        ]
        for index in sure:  # which grows
            one = forms[index]
            for neighbour in (index - 1, index + 1):
                other = forms[neighbour] if 0 <= neighbour < len(forms) else None
                if (
                    one is not None
                    and other is not None
                    and neighbour not in sure
                    and other.probability >= self._plan.beside
                    and shown[one.label].person == shown[other.label].person
                ):
                    sure.append(neighbour)
        return sorted(sure)

    def read_ahead(self, texts: Iterable[str]) -> None:
        """Tag texts that are about to be asked for. Many together take a third of the time."""
        spans = {
            text: tokens(text, self.language)
            for text in dict.fromkeys(texts)
            if text not in self._tagged
        }
        by_length = sorted(spans, key=lambda text: -len(spans[text]))
        for first in range(0, len(by_length), _TEXTS_TOGETHER):
            some = by_length[first : first + _TEXTS_TOGETHER]
            self._tagged.update(self._tag_together({text: spans[text] for text in some}))

    def _tag(self, text: str) -> tuple[TaggedWord, ...]:
        self.read_ahead([text])
        tagged = self._tagged[text]
        _drop_oldest(self._tagged, _CACHE_SIZE)
        return tagged

    def _tag_together(
        self, spans: Mapping[str, Sequence[Span]]
    ) -> Iterator[tuple[str, tuple[TaggedWord, ...]]]:
        """Texts with their words, the longest first."""
        words = [
            normalise(text[start:end], self._plan.normalisers)
            for text, found in spans.items()
            for start, end, _ in found
        ]
        lengths = [len(found) for found in spans.values() if found]
        chances = self._chances(words, lengths) if words else np.empty((0, len(self._of_label)))
        labels = self._plan.inventory.labels
        best = (chances @ self._of_label).argmax(axis=1)
        rows = iter(zip(words, chances, best, strict=True))
        for text, found in spans.items():
            own = islice(rows, len(found))
            tagged = [
                TaggedWord(span.start, span.end, labels[int(label)], tuple(self._forms(word, row)))
                for span, (word, row, label) in zip(found, own, strict=True)
            ]
            yield text, tuple(tagged)

    def _chances(self, words: list[str], lengths: Sequence[int]) -> FloatArray:
        """The probability of each outcome for each word of sentences of these lengths, over all
        networks.
        """
        self._read_words(words)
        vectors = [self._vectors[word] for word in words]
        each = [
            softmax(network.logits(np.stack(rows), lengths))
            for network, rows in zip(self._networks, zip(*vectors, strict=True), strict=True)
        ]
        _drop_oldest(self._vectors, _WORD_CACHE_SIZE)
        mean: FloatArray = np.mean(each, axis=0)
        broken = np.flatnonzero(~np.isfinite(mean).all(axis=1))
        if len(broken):
            raise UnanswerableError(
                f"the probabilities for the word {words[broken[0]]!r} are not finite; train the "
                "tagger again"
            )
        return mean

    def _read_words(self, words: Iterable[str]) -> None:
        """Compute the vectors of words that are not known yet, for each network."""
        new = [word for word in dict.fromkeys(words) if word not in self._vectors]
        if not new:
            return
        numbers, letters = self._numbering.words(new), self._numbering.letters(new)
        features = self._related.features(new) if self._related else None
        each = [network.vectors(numbers, letters, features) for network in self._networks]
        for word, *rows in zip(new, *each, strict=True):
            self._vectors[word] = tuple(row.copy() for row in rows)

    def _forms(self, word: str, chances: FloatArray) -> list[CandidateForm]:
        """The word's other forms; several scripts and spellings may lead to one."""
        found: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
        for index in np.flatnonzero(chances > _NEGLIGIBLE):
            outcome = self._plan.inventory.outcomes[index]
            if outcome.label == self._plan.inventory.plain:
                continue
            form = self._plan.inventory.form(outcome, word)
            if form and form != word:
                found[normalise(form, self._plan.spelling), outcome.label].append(
                    (float(chances[index]), form)
                )
        forms = [
            CandidateForm(max(spellings)[1], label, sum(chance for chance, _ in spellings))
            for (_, label), spellings in found.items()
        ]
        return sorted(forms, key=lambda form: (-form.probability, form))


def _drop_oldest(cached: dict[str, Any], size: int) -> None:
    for key in list(islice(cached, max(0, len(cached) - size))):
        del cached[key]


def _confidence(probability: float) -> Confidence:
    return next((name for least, name in _CONFIDENCE_LEVELS if probability >= least), "guess")


def open_rewriter(folder: Path, language: str) -> Rewriter:
    """The rewriter in a folder, for the language it was trained on."""
    trained = load(folder)
    tagger = Tagger(trained)
    if language != tagger.language:
        raise InputError(
            f"The tagger in {folder} was trained on {tagger.language!r}; use --language "
            f"{tagger.language}."
        )
    rewriter = person_rewriter(tagger.changes, version=trained.fingerprint)

    def open_for(options: Mapping[str, str]) -> Rewrite:
        rewrite_all = rewriter.open(options)
        syntax = read_syntax(options)

        def rewrite_together(texts: Iterable[str]) -> Iterator[Rewriting]:
            for some in _texts_together(texts):
                with suppress(UnanswerableError, MemoryError):  # of one text: it tells itself
                    tagger.read_ahead(
                        visible.text
                        for text in some
                        for visible in visible_texts(text, syntax=syntax)
                    )
                yield from rewrite_all(some)

        return rewrite_together

    return rewriter._replace(takes=tagger.people, open=open_for)


def _texts_together(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts in groups that are read together; a long text closes its group."""
    some: list[str] = []
    for text in texts:
        some.append(text)
        if len(some) == _TEXTS_TOGETHER or len(text) > _LONG_TEXT:
            yield some
            some = []
    if some:
        yield some


# Raised when the same folder would give other answers.
VERSION = "1"


class TaggerModel(SimpleModel):
    """Answers from a trained folder."""

    def __init__(self, name: str, options: ModelOptions) -> None:
        if not name:
            raise InputError(
                "The model tagger needs the folder of a trained tagger: tagger:FOLDER."
            )
        folder = Path(name).expanduser()
        trained = load(folder)
        self._tagger = Tagger(trained)
        super().__init__(
            Identity(
                kind="tagger",
                label=options.label or f"tagger:{folder.name}",
                key={"tagger": trained.fingerprint, "version": VERSION},
                about={"language": trained.plan.language, "networks": len(trained.members)},
            ),
            {"generate": self._generate},
        )

    @property
    def batch_limit(self) -> BatchLimit:
        """Enough to read many texts together: each is asked about for four pairs of people."""
        return BatchLimit(requests=256, characters=80_000)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer every request of every batch, in order; the texts of a batch are read together."""
        for batch in batches:
            asked = [request for _, request in batch if isinstance(request, Generate)]
            with suppress(UnanswerableError, MemoryError):  # of one text: its request tells
                self._tagger.read_ahead(
                    request.source for request in asked if self._can_read(request)
                )
            yield from super().answer(iter([batch]), files)

    def _can_read(self, request: Generate) -> bool:
        return bool(request.source) and request.language in ("", self._tagger.language)

    def _generate(self, request: Generate) -> Texts:
        if not request.source:
            raise UnanswerableError("the request names no source text, so there is nothing to read")
        if not self._can_read(request):
            raise UnanswerableError(
                f"the tagger was trained on {self._tagger.language!r}, not on {request.language!r}"
            )
        if request.target:
            changes = self._tagger.changes(request.source, self._wanted(request.target))
            answer = apply_changes(request.source, changes).text
        else:
            answer = " ".join(self._tagger.labels(request.source))
        return Texts(texts=(Text(text=answer),) * request.samples)

    def _wanted(self, target: Mapping[str, str]) -> TargetGenders:
        try:
            read_neutral_persons(target, None)  # it has no neutral forms
            wanted = read_target_genders(target)
        except InputError as error:
            raise UnanswerableError(str(error)) from error
        if unknown := [person for person in wanted if person not in self._tagger.people]:
            known = " and ".join(self._tagger.people)
            raise UnanswerableError(f"the tagger rewrites for {known}, not for {unknown[0]}")
        return wanted
