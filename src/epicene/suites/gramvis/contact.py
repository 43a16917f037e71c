"""Contact sheets: the images of a word under each condition, the judges' votes under each.

Sorted by how much the grammar moved who is shown they are the paper's Figures 4 and 5, which
print examples of words that behave as expected and of words that do the reverse.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from epicene.records import ContactSheet, Pictured, Strip
from epicene.suites.gramvis.articles import with_article
from epicene.suites.gramvis.judge import VOTE, judge
from epicene.suites.gramvis.names import CONDITIONS, LABELS, OWN
from epicene.suites.gramvis.prompts import prompt_language, prompts_for, templates_of
from epicene.suites.gramvis.shots import shots_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.records import Judgement
    from epicene.suites import Answers
    from epicene.suites.gramvis.prompted import Prompted
    from epicene.suites.gramvis.protocol import GramvisProtocol
    from epicene.suites.gramvis.shots import Shot
    from epicene.suites.gramvis.words import Word

_LETTERS = {"male": "M", "female": "F", "neither": "N", None: "–"}
_LEGEND = (
    "2.1 is the first shot of the second prompt; then come the label and the judges' votes: "
    "M male, F female, N neither, – unreadable."
)


class _Looked(NamedTuple):
    """An image with what the judges said of it."""

    shot: Shot
    votes: Sequence[Judgement]
    label: str | None

    @property
    def order(self) -> tuple[int, int]:
        """The first shot of every template comes first."""
        return int(self.shot.picture.shot), int(self.shot.picture.template)


def sheets(
    answered: Iterable[tuple[Prompted, Answers]], protocol: GramvisProtocol
) -> Iterator[ContactSheet]:
    """A sheet for each word, in the order of the list."""
    words: dict[str, Word] = {}
    images: dict[str, dict[str, list[_Looked]]] = defaultdict(lambda: defaultdict(list))
    for item, answers in answered:
        words[item.entry.id] = item.entry
        for looked in _looked(item, answers, protocol):
            images[item.entry.id][looked.shot.picture.condition].append(looked)
    for name, mine in images.items():
        yield _sheet(words[name], mine, protocol)


def _looked(item: Prompted, answers: Answers, protocol: GramvisProtocol) -> Iterator[_Looked]:
    judged: dict[str, list[Judgement]] = defaultdict(list)
    for judgement in judge(item, answers, protocol):
        judged[judgement.item].append(judgement)
    for shot in shots_of(item, answers, protocol):
        *votes, majority = judged[shot.picture.id]
        yield _Looked(shot, votes, majority.label)


def _sheet(word: Word, images: dict[str, list[_Looked]], protocol: GramvisProtocol) -> ContactSheet:
    effect = _effect(word, images)
    kind = "control" if word.control else "divergent"
    facets = {
        "language": word.language.lower(),
        "grammar": word.grammar,
        "stereotype": word.stereotype,
        "category": word.category.replace("_", " "),
        "kind": kind,
    }
    told = [f"{word.english}, {word.chinese}", facets["category"], kind]
    if effect is not None:
        told.append(f"effect on English {100 * effect:+.0f} points")
    return ContactSheet(
        name=with_article(word.article, word.word),
        language=word.language.lower(),
        about="; ".join(told),
        legend=_LEGEND,
        value=effect,
        facets=facets,
        strips=tuple(
            _strip(word, condition, images[condition], protocol)
            for condition in CONDITIONS
            if images.get(condition)
        ),
    )


def _strip(
    word: Word, condition: str, images: Sequence[_Looked], protocol: GramvisProtocol
) -> Strip:
    counts = Counter(each.label for each in images if not each.shot.missing)
    drawn = [f"{counts[label]} {label}" for label in LABELS]
    missing = sum(bool(each.shot.missing) for each in images)
    drawn += [f"{counts[None]} unreadable"] if counts[None] else []
    drawn += [f"{missing} not drawn"] if missing else []
    prompts = prompts_for(word, condition, templates_of(protocol))
    return Strip(
        heading=f"{condition.capitalize()} prompts",
        summary=", ".join(drawn),
        prompts=prompts,
        language=prompt_language(word, condition).lower(),
        pictures=tuple(
            _pictured(word, condition, each) for each in sorted(images, key=lambda each: each.order)
        ),
    )


def _pictured(word: Word, condition: str, image: _Looked) -> Pictured:
    picture = image.shot.picture
    which = f"{picture.template}.{picture.shot}"
    prompt = f"{condition.capitalize()} prompt {picture.template}"
    from_what = f"{prompt} for {word.word}, shot {picture.shot}"
    if image.shot.missing:
        return Pictured(
            caption=which,
            alt=f"No image of {from_what}: {image.shot.missing}.",
            missing=image.shot.missing,
        )
    votes = [(vote.name.removeprefix(VOTE), vote.label) for vote in image.votes]
    letters = " ".join(_LETTERS[label] for _, label in votes)
    said = ", ".join(f"{name} says {label or 'nothing readable'}" for name, label in votes)
    label = image.label or "unreadable"
    return Pictured(
        sha256=image.shot.image.sha256,
        caption=f"{which} {label} ({letters})",
        alt=f"Image of {from_what}: judged {label}; {said}.",
    )


def _effect(word: Word, images: dict[str, list[_Looked]]) -> float | None:
    """The own gender's share under the gendered prompt less under English, of men and women."""
    shares = []
    for condition in ("gendered", "english"):
        counts = Counter(each.label for each in images.get(condition, ()))
        people = counts["male"] + counts["female"]
        if not people:
            return None
        shares.append(counts[OWN[word.grammar]] / people)
    return shares[0] - shares[1]
