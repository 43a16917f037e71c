"""Requests of a suite as documents, and documents of one kind as a task with its YAML.

A request for scores becomes a multiple choice: the harness scores each text after the same prompt
or, if there is none, after a beginning-of-sequence token, as the first-token policy `bos` does. A
request to generate becomes a text that the suite's judge scores.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.records import Decoding, Generate, Score, to_json, verb
from epicene.export.folders import YamlFunction
from epicene.export.lm_eval.suite_judge import OUTCOMES
from epicene.languages.tokenisation import count_words
from epicene.suites import Answers
from epicene.suites.single_answer_judge import NeedsAllAnswersError, SingleAnswerJudge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.core.records import Item, Prompt, Request
    from epicene.export.selection import Selection
    from epicene.suites import Stage


class LeftOut(NamedTuple):
    """Something that the harness cannot measure as Epicene does, and the reason."""

    what: str
    why: str


class TaskKind(NamedTuple):
    """What the documents of one task share. A choice has no decoding."""

    format: str
    language: str
    chat: bool
    decoding: Decoding | None = None
    samples: int = 1


class Document(NamedTuple):
    """One document, and the kind of task it belongs to."""

    kind: TaskKind
    content: dict[str, Any]


def documents(selection: Selection) -> Iterator[Document | LeftOut]:
    """All requests of the items as documents, in the suite's order.

    An omission is given once per request, or once for a whole stage.
    """
    suite, protocol = selection.suite, selection.protocol
    suite = suite.for_protocol(protocol, [role.name for role in suite.roles])
    judge, measure = SingleAnswerJudge(suite, protocol), getattr(protocol, "measure", "sum")
    for stage in suite.stages:
        if stage.needs:
            yield LeftOut(stage.name, "it is built from earlier answers")
            continue
        if stage.verbs and not {Score, Generate} & set(stage.verbs):
            yield from (LeftOut(stage.name, _UNSUPPORTED_VERBS[verb(each)]) for each in stage.verbs)
            continue
        for item in selection.items:
            for request in _distinct_requests(stage.ask(item, Answers(), protocol)):
                yield _document(judge, stage, item, request, measure)


def format_of(request: Request) -> str:
    """The format of a request, which is the first part of its name."""
    return request.name.partition(" ")[0] or verb(request)


def _distinct_requests(requests: Iterable[Request]) -> Iterator[Request]:
    """An item's requests; the harness has no masks, so several ways of masking count as one
    request.
    """
    seen = set()
    for request in requests:
        if isinstance(request, Score):
            asked = (format_of(request), request.context, request.texts, request.first_token)
            if asked in seen:
                continue
            seen.add(asked)
        yield request


def _document(
    judge: SingleAnswerJudge, stage: Stage[Any, Any], item: Item, request: Request, measure: str
) -> Document | LeftOut:
    found: Document | str
    try:
        if isinstance(request, Score):
            found = _choice_document(judge, stage, item, request, measure)
        elif isinstance(request, Generate):
            found = _generation_document(judge, stage, item, request)
        else:
            found = _UNSUPPORTED_VERBS[verb(request)]
    except NeedsAllAnswersError:
        found = (
            "the suite judges all answers of an item together, but the harness judges one at a time"
        )
    return LeftOut(format_of(request), found) if isinstance(found, str) else found


_UNSUPPORTED_VERBS = {
    "fill": "the harness cannot fill a gap with an arbitrary word",
    "translate": "each model translates in its own way, without a prompt from the suite",
    "draw": "the harness has no tasks that draw images",
    "look": "it asks about images that were drawn earlier",
}


# --- choices -------------------------------------------------------------------------------


def _choice_document(
    judge: SingleAnswerJudge, stage: Stage[Any, Any], item: Item, request: Score, measure: str
) -> Document | str:
    """A choice among texts, or the reason why there is none."""
    turns = _turns(request.context)
    if why := _why_no_choice(request, measure) or (turns if isinstance(turns, str) else ""):
        return why
    assert isinstance(turns, dict)
    target = judge.right_text(item, stage, request)
    if target is None:
        return "none of its texts is the only right one"
    units = {
        "sum": [1 for _ in request.texts],
        "per word": [max(count_words(text, request.language), 1) for text in request.texts],
        "per character": [max(len(text), 1) for text in request.texts],
    }[measure]
    kind = TaskKind(format_of(request), item.language, isinstance(request.context, tuple))
    return Document(
        kind,
        {
            **_document_ids(item, request),
            **turns,
            "choices": list(request.texts),
            "target": target,
            "units": units,
        },
    )


def _why_no_choice(request: Score, measure: str) -> str:
    """Why the harness cannot make the same choice from a request for scores; "" if it can."""
    if isinstance(request.decoding, Decoding):
        return "it asks how likely a text is to be sampled, which is not a choice between texts"
    if len(request.texts) < 2:
        return "it has only one text, so there is no choice"
    if measure == "per token":
        return (
            "the harness does not say how many tokens a text has, which the measure `per token` "
            "needs (--set measure=sum)"
        )
    if not request.context and request.first_token != "bos":
        return (
            "the harness puts a beginning-of-sequence token before every text, but the protocol "
            "does not (--set first_token=bos)"
        )
    if request.context and measure != "sum":
        return (
            "the harness counts white space at the end of a prompt as part of the text, which "
            f"changes the measure `{measure}` (--set measure=sum)"
        )
    return ""


# --- writing -------------------------------------------------------------------------------


def _generation_document(
    judge: SingleAnswerJudge, stage: Stage[Any, Any], item: Item, request: Generate
) -> Document | str:
    """A text to generate, with everything that the suite's judge needs, or the reason why there
    is none.
    """
    turns = _turns(request.prompt)
    if isinstance(turns, str):
        return turns
    if not judge.takes_texts(item, stage, request):
        return "the suite does not judge answers to it as right or wrong"
    kind = TaskKind(
        format_of(request),
        item.language,
        isinstance(request.prompt, tuple),
        request.decoding,
        request.samples,
    )
    return Document(
        kind,
        {
            **_document_ids(item, request),
            **turns,
            "stage": stage.name,
            "role": stage.role,
            "record": to_json(item).decode(),
        },
    )


def _document_ids(item: Item, request: Request) -> dict[str, str]:
    return {
        "id": f"{item.id} {request.name}".strip(),
        "item": item.id,
        "request": request.name,
        "group": item.cluster,
        "language": item.language,
    }


def _turns(prompt: Prompt) -> dict[str, str] | str:
    """The system message and the rest of a prompt, or why the harness cannot send it."""
    if isinstance(prompt, str):
        return {"system": "", "prompt": prompt}
    contents = {turn.role: turn.content for turn in prompt}
    roles = [turn.role for turn in prompt]
    if roles not in (["user"], ["system", "user"]):
        return "its chat has turns other than a system message and one user message"
    return {"system": contents.get("system", ""), "prompt": contents["user"]}


TESTED_VERSION = "0.4.13"  # the harness version that exported tasks were tested with
VERSION = 1  # of the tasks; raised when the same data would give other numbers


class Task(NamedTuple):
    """A task, its documents and its YAML."""

    name: str
    kind: TaskKind
    documents: Sequence[dict[str, Any]]
    settings: dict[str, Any]


def group_name(suite: str, *, chat: bool) -> str:
    """The name of the group of tasks that can run together: chats need a chat template, and all
    others must not have one."""
    return _identifier("epicene", suite, "chat" if chat else "")


def make_task(
    selection: Selection, kind: TaskKind, documents: Sequence[dict[str, Any]], *, several: bool
) -> Task:
    """The task of one kind; its name includes the language if there are several."""
    language = kind.language if several else ""
    name = _identifier("epicene", selection.suite.name, kind.format, language)
    own = (
        _choice_settings()
        if kind.decoding is None
        else _generation_settings(kind.decoding, kind.samples)
    )
    settings: dict[str, Any] = {
        "task": name,
        "tag": ["epicene"],
        "custom_dataset": YamlFunction("judging.documents"),
        "dataset_kwargs": {
            "file": f"{name}.jsonl",
            **({} if kind.decoding is None else {"judged_by_epicene": True}),
        },
        "test_split": "test",
        "num_fewshot": 0,
        # A template, not the field's name, which some versions would send as the message.
        **({"description": "{{system}}"} if any(each["system"] for each in documents) else {}),
        "doc_to_text": "prompt",
        **own,
        "metadata": {"version": VERSION},
    }
    return Task(name, kind, documents, settings)


def _choice_settings() -> dict[str, Any]:
    return {
        "output_type": "multiple_choice",
        "doc_to_choice": "choices",
        "doc_to_target": "target",
        # A text that begins with a space brings its own.
        "target_delimiter": "",
        "process_results": YamlFunction("judging.choice"),
        "metric_list": [_mean_metric("acc", better=True), _mean_metric("tied", better=False)],
    }


def _generation_settings(decoding: Decoding, samples: int) -> dict[str, Any]:
    several = {
        "repeats": samples,
        "filter_list": [
            {"name": "all", "filter": [{"function": "take_first_k", "k": samples}]},
        ],
    }
    return {
        "output_type": "generate_until",
        "doc_to_target": "",
        "generation_kwargs": _generation_kwargs(decoding),
        **(several if samples > 1 else {}),
        "process_results": YamlFunction("judging.writing"),
        "metric_list": [_mean_metric(outcome, better=outcome == "right") for outcome in OUTCOMES],
    }


def _generation_kwargs(decoding: Decoding) -> dict[str, Any]:
    """Decoding settings as the harness names them. It has no model default for the temperature,
    so that is 1.
    """
    settings: dict[str, Any] = {
        "until": list(decoding.stop),
        "max_gen_toks": decoding.max_new_tokens,
    }
    if decoding.exact_length:
        settings["min_new_tokens"] = decoding.max_new_tokens
    if decoding.temperature == 0:
        return {**settings, "do_sample": False}
    settings["do_sample"] = True
    settings["temperature"] = 1.0 if decoding.temperature is None else decoding.temperature
    drawn = {"top_k": decoding.top_k, "top_p": decoding.top_p}
    return {**settings, **{name: value for name, value in drawn.items() if value is not None}}


def group_settings(name: str, tasks: Iterable[Task]) -> dict[str, Any]:
    """The YAML of a group of tasks."""
    return {
        "group": name,
        "task": [task.name for task in tasks],
        "metadata": {"version": VERSION},
    }


def _mean_metric(metric: str, *, better: bool) -> dict[str, Any]:
    return {"metric": metric, "aggregation": "mean", "higher_is_better": better}


def _identifier(*parts: str) -> str:
    return "_".join(re.sub(r"\W+", "_", part).strip("_") for part in parts if part)
