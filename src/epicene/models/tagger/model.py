"""The kind `tagger` as a model: it rewrites a source for the people a request names.

A request that names nobody is answered with the label of each word. The prompt is not read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.languages.rewriting.people import apply, read_wanted
from epicene.models.one_by_one import OneByOne, UnanswerableError
from epicene.models.tagger.folder import load
from epicene.models.tagger.tagging import Tagger
from epicene.records import Generate, Identity, Text, Texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.languages.rewriting.people import Wanted
    from epicene.models import ModelOptions

# Raised when the same folder would give other answers.
VERSION = "1"


class TaggerModel(OneByOne):
    """Answers from a trained folder."""

    def __init__(self, name: str, options: ModelOptions) -> None:
        if not name:
            raise InputError("The model tagger wants the folder of a trained one: tagger:FOLDER.")
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

    def _generate(self, request: Generate) -> Texts:
        if not request.source:
            raise UnanswerableError("the request names no source text, so there is nothing to read")
        if request.language not in ("", self._tagger.language):
            raise UnanswerableError(
                f"the tagger was trained on {self._tagger.language!r}, not on {request.language!r}"
            )
        if request.target:
            changes = self._tagger.changes(request.source, self._wanted(request.target))
            answer = apply(request.source, changes).text
        else:
            answer = " ".join(self._tagger.labels(request.source))
        return Texts(texts=(Text(text=answer),) * request.samples)

    def _wanted(self, target: Mapping[str, str]) -> Wanted:
        try:
            wanted = read_wanted(target)
        except InputError as error:
            raise UnanswerableError(str(error)) from error
        if unknown := [person for person in wanted if person not in self._tagger.people]:
            known = " and ".join(self._tagger.people)
            raise UnanswerableError(f"the tagger rewrites for {known}, not for {unknown[0]}")
        return wanted
