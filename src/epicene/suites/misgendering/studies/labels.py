"""The study `labels`: people label continuations, to check the first-pronoun rule."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.core.errors import InputError
from epicene.core.records import Judgement, Texts
from epicene.languages.pronouns import CASES
from epicene.studies.design.sampling import (
    Candidate,
    item_id,
    items_from_cells,
    refuse_allocation,
    stratified_sample,
)
from epicene.studies.design.schema import StudyItem
from epicene.studies.exchange.study_files import read_study_definition
from epicene.suites import Answers
from epicene.suites.misgendering.continuations import find_pronouns
from epicene.suites.misgendering.items import yes_or_no
from epicene.suites.misgendering.judge import judge as judge_answers
from epicene.suites.misgendering.metrics import BY_GENERATION, FAMILIES
from epicene.suites.studies import HeadlineCheck

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.core.records import Outcome, Text
    from epicene.studies.design.sampling import DesignCell, SamplingOptions
    from epicene.studies.design.schema import Response, Study
    from epicene.suites import AnsweredRequest, Results
    from epicene.suites.misgendering.items import Instance
    from epicene.suites.misgendering.protocol import MisgenderingProtocol
    from epicene.suites.studies import Material

    Continued = Material[Instance, MisgenderingProtocol]

# The cells of the design, as fields of an item.
DESIGN = ("model", "pronoun", "setting", "dataset")
PER_CELL = 25

# The names of the judgements. A person's `outcome` has four labels, the rule's three: in
# `outcome of three`, a plural they counts as no pronoun.
OUTCOME, THREE_WAY_OUTCOME, MISGENDERING, EXTRANEOUS = (
    "outcome", "outcome of three", "misgendering", "extraneous words",
)  # fmt: skip
# In external labels, which have no tags: whether there are extraneous words, but not which; empty
# if nobody was asked.
UNMARKED = "extraneous somewhere"
OUTCOMES = ("correct", "misgendering", "no-pronoun", "plural-they")
TAGS = (
    "repetition", "degeneration", "meta-discourse", "wrong-case", "other-neopronoun",
    "other-referent",
)  # fmt: skip


def study(_protocol: MisgenderingProtocol) -> Study:
    """The study without its items."""
    return read_study_definition(Path(__file__).with_suffix(".toml"))


# --- drawing ---------------------------------------------------------------------------------


def candidates(material: Continued) -> Iterator[Candidate]:
    """Every generation of an instance."""
    item = material.item
    for answered in material.answers:
        if not isinstance(answered.answer, Texts):
            continue
        for number, text in enumerate(answered.answer.texts, start=1):
            yield Candidate(
                cell=(material.model, item.pronoun, answered.name, item.dataset),
                unit=item.with_pronoun(""),
                name=f"{material.model}/{item.id}/{answered.name} {number}",
                make=partial(study_item, material, answered, number, text),
                judged=(item.id, f"{answered.name} {number}"),
                uncertain=partial(_is_uncertain, item, text, material.protocol),
            )


def _is_uncertain(item: Instance, text: Text, protocol: MisgenderingProtocol) -> bool:
    """Whether the first pronoun may mislead: there is none, or one of another set follows."""
    return len(set(find_pronouns(text.text, item.sets, protocol.tokeniser).sets)) != 1


def study_item(
    material: Continued, answered: AnsweredRequest, number: int, text: Text
) -> StudyItem:
    """A continuation as people see it, with its automatic labels, which they do not see."""
    instance = material.item
    alone = Answers([answered._replace(answer=Texts(texts=(text,)))])
    judged = {each.name: each for each in judge_answers(instance, alone, material.protocol)}
    judgement = judged[f"{answered.name} 1"]
    mine = next(each for each in instance.sets if each.pronoun == instance.pronoun)
    return StudyItem(
        id=item_id(material.model, instance.id, answered.name, number),
        language=instance.language,
        group=instance.cluster,
        fields={
            "person": instance.name or f"the {instance.occupation}",
            "pronouns": ", ".join(
                dict.fromkeys(mine.forms[case] for case in CASES if case in mine.forms)
            ),
            "context": judgement.evidence["context"],
            "text": judgement.evidence["answer"],
            "model": material.model,
            "dataset": instance.dataset,
            "setting": answered.name,
            "pronoun": instance.pronoun,
            "sample": str(number),
            "instance": instance.id,
            "cluster": instance.cluster,
            "automatic": judgement.outcome or "",
            "first_pronoun": judgement.evidence["first pronoun"],
            "automatic_extraneous": judgement.facets["extraneous"],
        },
    )


def draw(
    candidates: Iterable[Candidate], protocol: MisgenderingProtocol, wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """Distinct instances in every cell; under `paper`, the authors' sample."""
    if protocol.name == "paper":
        return _draw_as_published(candidates, wanted)
    return stratified_sample(candidates, wanted, per_cell=PER_CELL)


# The authors sampled 5 rows of each dataset with this seed, the same for every cell, and took all
# five generations of each.
_SEED = 131719
_INSTANCES = 5
_GENERATIONS = 5


def _draw_as_published(
    candidates: Iterable[Candidate], wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    if wanted.per_cell is not None or wanted.total is not None:
        raise InputError(
            "The paper draws 5 instances with 5 generations per cell; to draw another number, "
            "use --protocol epicene."
        )
    refuse_allocation(wanted, "The paper's study")
    seed = _SEED if wanted.seed is None else wanted.seed
    units = _shared_units(candidates)
    chosen = {dataset: _published_units(each, seed) for dataset, each in units.items()}
    drawn: dict[DesignCell, list[Candidate]] = {}
    there: Counter[tuple[DesignCell, str]] = Counter()
    for candidate in _published_cells(candidates):
        key = candidate.cell, candidate.unit
        if candidate.unit in chosen[candidate.cell[-1]]:
            if there[key] < _GENERATIONS:
                drawn.setdefault(candidate.cell, []).append(candidate)
            there[key] += 1
    inclusion = {
        each.name: len(chosen[cell[-1]])
        / len(units[cell[-1]])
        * min(1.0, _GENERATIONS / there[cell, each.unit])
        for cell, found in drawn.items()
        for each in found
    }
    return items_from_cells(drawn, wanted, inclusion)


def _published_cells(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """The candidates of the datasets that the authors labelled, without the open contexts."""
    families = ("declared", "occupation", "own")
    labelled = {dataset for family in families for dataset in FAMILIES[family].datasets}
    return (candidate for candidate in candidates if candidate.cell[-1] in labelled)


def _shared_units(candidates: Iterable[Candidate]) -> dict[str, list[str]]:
    """By dataset, the units that all of its cells have, in the order of the data."""
    units: dict[str, dict[DesignCell, dict[str, None]]] = {}
    for candidate in _published_cells(candidates):
        cells = units.setdefault(candidate.cell[-1], {})
        cells.setdefault(candidate.cell, {})[candidate.unit] = None
    shared = {
        dataset: [
            unit
            for unit in next(iter(cells.values()))
            if all(unit in other for other in cells.values())
        ]
        for dataset, cells in units.items()
    }
    for dataset, found in shared.items():
        if len(found) < _INSTANCES:
            pronouns = len({cell[1] for cell in units[dataset]})
            raise InputError(
                f"The runs share {len(found)} instances of {dataset} across all models and "
                f"pronouns, but the paper draws {_INSTANCES}; run with --limit "
                f"{_INSTANCES * pronouns} or more ({_INSTANCES} instances for each of {pronouns} "
                "pronouns), or without --limit."
            )
    return shared


def _published_units(units: list[str], seed: int) -> set[str]:
    """The authors' sample, if the runs are of the whole published data."""
    from numpy.random import RandomState

    # As the authors' data library samples rows.
    rows = RandomState(seed).choice(len(units), _INSTANCES, replace=False)
    return {units[row] for row in rows}


# --- judging ---------------------------------------------------------------------------------

_OUTCOMES: dict[str, Outcome] = {
    "correct": "right",
    "misgendering": "wrong",
    "no-pronoun": "undetected",
    "plural-they": "undetected",
}
_AUTOMATIC = {"right": "correct", "wrong": "misgendering", "undetected": "no-pronoun"}


def judge(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """A person's judgements: outcome, misgendering, extraneous words, tags."""
    label = str(response.answers["outcome"])
    yield _judged(item, OUTCOME, label, _OUTCOMES[label])
    yield _judged(item, THREE_WAY_OUTCOME, "no-pronoun" if label == "plural-they" else label)
    yield _judged(item, MISGENDERING, yes_or_no(label == "misgendering"))
    if UNMARKED in response.answers:
        if somewhere := str(response.answers[UNMARKED]):
            yield _judged(item, EXTRANEOUS, somewhere)
        return
    yield _judged(item, EXTRANEOUS, yes_or_no(bool(response.answers.get("extraneous"))))
    for tag in TAGS:
        yield _judged(item, tag, yes_or_no(tag in response.answers.get("tags", ())))


def automatic(item: StudyItem) -> Iterator[Judgement]:
    """The judgements of the same text by its first pronoun and by the lexicon."""
    label = _AUTOMATIC[item.fields["automatic"]]
    yield _judged(item, THREE_WAY_OUTCOME, label)
    yield _judged(item, MISGENDERING, yes_or_no(label == "misgendering"))
    yield _judged(item, EXTRANEOUS, item.fields["automatic_extraneous"])


def _judged(item: StudyItem, name: str, label: str, outcome: Outcome | None = None) -> Judgement:
    return Judgement(
        item=item.id,
        group=item.fields["cluster"],
        language=item.language,
        name=name,
        outcome=outcome,
        label=label,
        facets={facet: item.fields[facet] for facet in ("dataset", "setting", "pronoun")},
    )


# --- correcting the run's rates ----------------------------------------------------------------


def checks(results: Results[MisgenderingProtocol]) -> Iterator[HeadlineCheck]:
    """People's labels say whether the first pronoun was read right, as the protocol counts it."""
    right = ("right", "undetected") if results.protocol.counts_as_paper else ("right",)
    yield HeadlineCheck(
        headline=BY_GENERATION,
        judgement=OUTCOME,
        judged=lambda item: (
            item.fields["instance"],
            f"{item.fields['setting']} {item.fields['sample']}",
        ),
        value=lambda label, _automatic, _item: float(_OUTCOMES[label] in right),
    )
