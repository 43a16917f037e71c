"""The n-gram model as a model: from a text file, or cross-fitted on the suite's own text.

Cross-fitted means that the groups of the suite's items are dealt into folds, and a request about
a group is answered by the model that has seen no text of that group's fold.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.errors import InputError, RunError
from epicene.models.ngram.filling import fill
from epicene.models.ngram.generating import generate
from epicene.models.ngram.language_model import ORDER, Corpus, Folded
from epicene.models.ngram.scoring import score
from epicene.models.ngram.tokens import tokenise
from epicene.models.one_by_one import OneByOne
from epicene.records import LEARNT, Identity, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from epicene.models import ModelOptions
    from epicene.models.ngram.language_model import LanguageModel
    from epicene.records import Completions, Fill, Generate, Request, Score, Scores, Texts

# Raised when the same training text would give other numbers.
VERSION = "1"

# With no more groups than this each is a fold of its own.
FOLDS = 10


class _Ngram(OneByOne, ABC):
    """What both have in common: three verbs, each answered by a language model of its choice."""

    def __init__(self, identity: Identity) -> None:
        super().__init__(
            identity, {"score": self._score, "fill": self._fill, "generate": self._generate}
        )

    @abstractmethod
    def _model_for(self, request: Request) -> LanguageModel:
        """The language model that may answer a request."""

    def _score(self, request: Score) -> Scores:
        return score(self._model_for(request), request)

    def _fill(self, request: Fill) -> Completions:
        return fill(self._model_for(request), request)

    def _generate(self, request: Generate) -> Texts:
        return generate(self._model_for(request), request)


class FileNgram(_Ngram):
    """Trained on a text file, a text per line."""

    def __init__(self, name: str, options: ModelOptions) -> None:
        path = Path(name).expanduser()
        text = _read(path)
        lines = [line for line in text.splitlines() if line.strip()]
        self._language_model = Corpus([Folded(None, tokenise(line)) for line in lines]).without(
            None
        )
        training = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        super().__init__(
            _identity(options.label or f"ngram:{path.name}", training, "none", {"file": path.name})
        )

    def _model_for(self, request: Request) -> LanguageModel:  # noqa: ARG002
        return self._language_model


class SuiteNgram(_Ngram):
    """Trained on the suite's own text, never on the text of the group it is asked about."""

    def __init__(self, options: ModelOptions) -> None:
        self._label = options.label or "ngram"
        self._corpus: Corpus | None = None
        self._folds: dict[str, int] = {}
        self._strangers: Counter[str] = Counter()
        super().__init__(_identity(self._label, "", "", {}))

    def learn(self, texts: Iterable[tuple[str, str]]) -> None:
        """Take (group, text) pairs."""
        pairs = list(texts)
        if not any(text.strip() for _, text in pairs):
            raise InputError(
                "The suite has no text to train the n-gram model on; name a file: ngram:FILE."
            )
        self._folds = folds({group for group, _ in pairs})
        self._corpus = Corpus([Folded(self._folds[group], tokenise(text)) for group, text in pairs])
        training = hashlib.sha256()
        for group, text in pairs:
            training.update(digest(group, text))
        self._identity = _identity(
            self._label,
            training.hexdigest(),
            f"{len(set(self._folds.values()))} folds by group",
            {"groups": len(self._folds), LEARNT: "training folds"},
        )

    @property
    def identity(self) -> Identity:
        """Who answers, which is known once the training text is."""
        self._learnt()
        return self._identity

    def notes(self) -> Mapping[str, object]:
        """How many groups were asked about of which the training text holds nothing."""
        return {"groups_without_text": len(self._strangers)}

    def _model_for(self, request: Request) -> LanguageModel:
        group = request.group or request.item
        if group not in self._folds:
            self._strangers[group] += 1
        return self._learnt().without(self._folds.get(group))

    def _learnt(self) -> Corpus:
        if self._corpus is None:
            raise RunError("The n-gram model has learnt no text yet; name a file: ngram:FILE.")
        return self._corpus


def folds(groups: Iterable[str]) -> dict[str, int]:
    """The fold of each group: dealt out evenly in an order that depends on their names alone."""
    dealt = sorted(groups, key=lambda group: (digest(group), group))
    return {group: place % FOLDS for place, group in enumerate(dealt)}


def _identity(
    label: str, training: str, scheme: str, about: Mapping[str, str | int | float | None]
) -> Identity:
    key = {"training": training, "folds": scheme, "order": str(ORDER), "version": VERSION}
    return Identity(kind="ngram", label=label, key=key, about={"order": ORDER, **about})


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8."
        ) from error
    except OSError as error:
        raise InputError(f"Cannot read the text file {path}: {error.strerror}.") from error
    if not text.strip():
        raise InputError(f"The text file {path} is empty, so there is nothing to learn from.")
    return text
