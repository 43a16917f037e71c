"""What a run will ask and cost, before it starts: exact for stages that do not depend on answers
that are missing, at most for the others.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.records import Fill, Look, Score, Translate, prompt_texts, verb
from epicene.models.pricing import as_paid, format_dollars
from epicene.runs.dummy_answers import dummy_answer, dummy_requests

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.core.records import Request
    from epicene.models import Model
    from epicene.runs.config import RunConfig
    from epicene.runs.plan import Plan
    from epicene.runs.store import AnswerStore


@dataclass
class RunEstimate:
    """What is left of a run.

    `later` of the requests depend on answers that do not exist yet; they are at most so many. The
    costs are at most so many US dollars, by the models' labels, None if a price is unknown.
    """

    config: RunConfig
    plan: Plan
    models: Mapping[str, Sequence[str]]  # their labels, by role
    requests: Counter[str] = field(default_factory=Counter)  # by verb
    answered: int = 0
    later: int = 0
    costs: dict[str, float | None] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """The number of requests to send."""
        return self.requests.total()

    def cost_sentences(self) -> Iterator[str]:
        """The cost, model by model."""
        for label, cost in self.costs.items():
            if cost is None:
                yield f"The cost of {label} is unknown (set --price; 0 if it is free)."
            else:
                yield f"{label} will cost at most {format_dollars(cost)}."

    def planned(self) -> Iterator[PlannedText]:
        """The text of every request of the stages that do not depend on answers. For the other
        stages, whose requests are not known yet, each text once.
        """
        seen: set[tuple[str, str]] = set()
        suite, protocol = self.config.suite, self.config.protocol
        for window in self.plan.windows():
            for item in window:
                for stage, request in dummy_requests(suite, protocol, item):
                    text = _text_of(request)
                    if not suite.dependencies_of(stage):
                        yield PlannedText(stage.name, verb(request), item.id, request.name, text)
                    elif (stage.name, text) not in seen:
                        seen.add((stage.name, text))
                        yield PlannedText(stage.name, verb(request), "", "", text)


class PlannedText(NamedTuple):
    """What a model will be asked: a whole request, or a text that many requests share."""

    stage: str
    verb: str
    item: str  # "" where many requests have this text
    name: str
    text: str


def estimate_run(
    config: RunConfig, plan: Plan, models: Mapping[str, Sequence[Model]], store: AnswerStore
) -> RunEstimate:
    """Count what is left of a run."""
    labels = {role: [m.identity.label for m in each] for role, each in models.items()}
    estimate = RunEstimate(config, plan, labels)
    for window in plan.windows():
        for stage in config.suite.stages:
            dependent = bool(config.suite.dependencies_of(stage))
            for model in models[stage.role]:
                planned = plan.requests(stage, window, model.identity, dummy_answer)
                states = store.states(each.key for each in planned)
                paid = as_paid(model)
                for each in planned:
                    if states.get(each.key):
                        estimate.answered += 1
                        continue
                    estimate.requests[verb(each.request)] += 1
                    estimate.later += dependent
                    if paid:
                        _add_cost(estimate.costs, model.identity.label, paid.cost_of(each.request))
    return estimate


def _add_cost(costs: dict[str, float | None], label: str, cost: float | None) -> None:
    before = costs.get(label, 0.0)
    costs[label] = None if cost is None or before is None else before + cost


def _text_of(request: Request) -> str:
    match request:
        case Score():
            return "\n".join((*prompt_texts(request.context), *request.texts)).strip()
        case Fill():
            return f"{request.before}[…]{request.after}"
        case Translate():
            return request.text
        case Look():
            return f"{request.question} [{', '.join(request.choices)}]"
        case _:
            return "\n".join(prompt_texts(request.prompt))
