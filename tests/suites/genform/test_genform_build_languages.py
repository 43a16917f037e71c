"""A whole set from our own templates in the languages that the paper does not have.

The writer keeps to every template, the translator says a sentence of the starter set, and people
write its forms. One of them makes a mistake in each study, so that a third decides.
"""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from epicene import languages
from epicene.core.errors import InputError
from epicene.core.records import Generate, Identity, Request, Text, Texts, Translate
from epicene.models import ModelSpec, parse_spec
from epicene.models.simple_model import SimpleModel
from epicene.runs.dataset_builder import BuildConfig, WaitingForPeopleError, build_dataset
from epicene.studies.collection.folder import open_study_folder
from epicene.studies.design.schema import AnswerValue, StudyItem
from epicene.suites import DataSource, find_suite
from epicene.suites.genform.construction.generation import SHIPPED_TEMPLATES, GenformBuild, plan
from epicene.suites.genform.items import Pair, rules_of
from runs.conftest import Silent
from scripted_people import Person, answer

LANGUAGES = ("es", "it", "pt", "de", "ru")
STARTER = SHIPPED_TEMPLATES.parent / "starter"
SETTINGS = {"sentences": "1", "contexts": "office"}


class Set:
    """A set in a language while it is built."""

    def __init__(self, language: str, folder: Path) -> None:
        """Begin with the pairs that the set should have at the end."""
        self.language, self.folder = language, folder
        suite = find_suite("genform")
        source = DataSource(path=STARTER / f"{language}.jsonl")
        starter: list[Pair] = list(suite.read(source, suite.protocols["epicene"]).items)
        self.gold = {pair.id: pair for pair in starter}
        self.by_text = {pair.masculine: pair for pair in starter}
        self.words = (f"word{number}" for number in count())

    def pair(self, item: str) -> Pair:
        """The starter set's pair for a sentence of the set: the third for the third template."""
        found = re.fullmatch(r"(.+)-(\d+)-office-01", item)
        assert found, item
        return self.gold[f"{found[1]}-{int(found[2]):02}"]

    def write(self, request: Request) -> Texts:
        """The sentence that the prompt asks for, with other words in each gap."""
        assert isinstance(request, Generate)
        asked = request.prompt[-1]
        assert not isinstance(asked, str)
        sentence = asked.content.split("\n")[2]
        for slot, words in re.findall(r"<([\w-]+)> is (.+?)(?= and <|\.\n)", asked.content):
            sentence = sentence.replace(f"<{slot}>", words)
        sentence = re.sub("…", lambda _: f"{next(self.words)} {next(self.words)}", sentence)
        end = '."' if sentence.endswith('"') else "."
        return Texts(texts=(Text(text=sentence.rstrip('"') + end),))

    def translate(self, request: Request) -> Texts:
        """The starter set's sentence, as a man would say it."""
        assert isinstance(request, Translate)
        assert (request.language, request.into) == ("en", self.language)
        return Texts(texts=(Text(text=self.pair(request.item).masculine),))

    def open(self, spec: ModelSpec) -> Any:
        """The writer or the translator."""
        identity = Identity(kind="scripted", label=spec.kind, key={})
        verbs = {"generate": self.write, "translate": self.translate}
        return SimpleModel(identity, verbs)

    def build(self) -> list[str]:
        """As far as it gets."""
        models = {role: [parse_spec("copy")] for role in ("writer", "translator")}
        settings = {**SETTINGS, "language": self.language}
        order = BuildConfig(find_suite("genform"), self.folder, settings, models)
        return list(build_dataset(order, Silent(), self.open))

    def ask(self, step: str, **people: Person) -> None:
        """Build up to the study, which these people answer."""
        with pytest.raises(WaitingForPeopleError, match=f"The step {step[3:]} "):
            self.build()
        folder = open_study_folder(self.folder / step)
        assert folder.study.practice
        for name, person in people.items():
            answer(folder, name, person)

    def rows(self, step: str) -> list[dict[str, Any]]:
        """What a step made."""
        lines = (self.folder / f"{step}.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    # --- people ---

    def is_hard(self, item: StudyItem) -> bool:
        """Whether the hasty one makes a mistake in it."""
        pair = self.pair(item.id)
        return pair.rule == next(iter(rules_of(self.language))) and not pair.is_neutral

    def reviewer(self, item: StudyItem) -> dict[str, AnswerValue]:
        """Finds all translations good."""
        assert item.fields["translation"] in self.by_text
        return {"verdict": "good"}

    def hasty_reviewer(self, item: StudyItem) -> dict[str, AnswerValue]:
        """Would leave some out."""
        return {"verdict": "drop" if self.is_hard(item) else "good"}

    def third_reviewer(self, item: StudyItem) -> dict[str, AnswerValue]:
        """Keeps them."""
        (right,) = (name for name in ("first", "second") if item.fields[name] in self.by_text)
        return {"choice": right}

    def writer(self, item: StudyItem) -> dict[str, AnswerValue]:
        """Writes the forms of the starter set."""
        pair = self.by_text[item.fields["text"]]
        if pair.is_neutral:
            return {"speaker": "nothing"}
        return {"speaker": "shows", "masculine": pair.masculine, "feminine": pair.feminine}

    def hasty_writer(self, item: StudyItem) -> dict[str, AnswerValue]:
        """Sees nothing of the speaker in some."""
        return {"speaker": "nothing"} if self.is_hard(item) else self.writer(item)

    def third_writer(self, item: StudyItem) -> dict[str, AnswerValue]:
        """Takes the right forms."""
        wanted = self.by_text[item.fields["text"]].feminine
        (right,) = (
            name for name in ("first", "second") if item.fields[f"{name}_feminine"] == wanted
        )
        return {"choice": right}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_of_the_language_comes_through_the_whole_build(
    language: str, tmp_path: Path
) -> None:
    made = Set(language, tmp_path / "set")
    made.ask("05-review", ann=made.reviewer, bob=made.hasty_reviewer)
    planned, written = made.rows("01-plan"), made.rows("02-write")
    assert [row["dropped"] for row in written] == [""] * len(planned)
    assert not any(row["dropped"] for row in made.rows("03-sift"))
    made.ask("06-settle-review", cleo=made.third_reviewer)
    made.ask("08-forms", ann=made.writer, bob=made.hasty_writer)
    made.ask("09-settle-forms", cleo=made.third_writer)
    assert made.build()[-1].startswith(f"{len(planned)} items, ")

    suite = find_suite("genform")
    source = DataSource(path=made.folder / "pairs.jsonl")
    pairs = list(suite.read(source, suite.protocols["epicene"]).items)
    assert len(pairs) == len(planned)
    assert list(dict.fromkeys(pair.rule for pair in pairs)) == list(rules_of(language))
    for pair in pairs:
        wanted = made.pair(pair.id)
        found = (pair.language, pair.rule, pair.masculine, pair.feminine)
        assert found == (language, wanted.rule, wanted.masculine, wanted.feminine)
    checked = made.rows("10-check")
    for warning in (each for row in checked for each in row["warnings"]):
        assert warning.endswith("do not look like forms of the same word."), warning  # Arzt, Ärztin
    decided = [row["decided"] for row in checked]
    assert 0 < decided.count("third") < decided.count("both")

    # The drafts are the rewriter's: most are right, and not because nothing was changed.
    drafts = [(row["draft_masculine"], row["draft_feminine"]) for row in made.rows("07-draft")]
    gold = [(pair.masculine, pair.feminine) for pair in map(made.pair, (p.id for p in pairs))]
    shown = [(draft, both) for draft, both in zip(drafts, gold, strict=True) if both[0] != both[1]]
    assert sum(draft == both for draft, both in shown) > 0.8 * len(shown) > 0

    card = (made.folder / "card.md").read_text(encoding="utf-8").splitlines()
    name = languages.get(language).name
    assert card[0] == f"# First-person sentences in {name}, as a man and as a woman would say them"
    assert f"- Rules: {len(rules_of(language))}" in card


def test_a_language_without_templates_is_refused() -> None:
    with pytest.raises(InputError, match="no templates for the language 'en'"):
        list(plan({}, GenformBuild(language="en")))
