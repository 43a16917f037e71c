"""What a suite asks, as documents of lm-evaluation-harness.

A request for scores becomes a choice among its texts: the harness scores each after the same
prompt and, where there is none, after a beginning token, as Epicene does under the first-token
policy `bos`. A request to write becomes a text to be generated and judged by the suite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.export.harness.judged_alone import LoneJudge, NotAloneError
from epicene.languages.segment import count_words
from epicene.records import Decoding, Generate, Score, to_json, verb
from epicene.suites import Answers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.export.selection import Selection
    from epicene.records import Item, Prompt, Request
    from epicene.suites import Stage


class LeftOut(NamedTuple):
    """Something that the harness cannot measure as Epicene does, and why."""

    what: str
    why: str


class Kind(NamedTuple):
    """What documents of one task have in common. A choice is made without decoding."""

    format: str
    language: str
    chat: bool
    decoding: Decoding | None = None
    samples: int = 1


class Document(NamedTuple):
    """One document, and the kind of task it belongs to."""

    kind: Kind
    content: dict[str, Any]


def documents(selection: Selection) -> Iterator[Document | LeftOut]:
    """All that the suite asks of the items, in its order.

    What is left out comes as often as it is asked, or once for a whole stage.
    """
    suite, protocol = selection.suite, selection.protocol
    suite = suite.under(protocol, given=[role.name for role in suite.roles])
    judge, measure = LoneJudge(suite, protocol), getattr(protocol, "measure", "sum")
    for stage in suite.stages:
        if stage.needs:
            yield LeftOut(stage.name, "it is built from what was answered before")
            continue
        if not {Score, Generate} & set(stage.verbs):
            yield from (LeftOut(stage.name, _NOT_THERE[verb(each)]) for each in stage.verbs)
            continue
        for item in selection.items:
            for request in _told_apart(stage.ask(item, Answers(), protocol)):
                yield _document(judge, stage, item, request, measure)


def format_of(request: Request) -> str:
    """The format that a request is of; the rest of its name says which one of these it is."""
    return request.name.partition(" ")[0] or verb(request)


def _told_apart(requests: Iterable[Request]) -> Iterator[Request]:
    """An item's requests; the harness has no masks, so several ways of masking are one request."""
    seen = set()
    for request in requests:
        if isinstance(request, Score):
            asked = (format_of(request), request.context, request.texts, request.first_token)
            if asked in seen:
                continue
            seen.add(asked)
        yield request


def _document(
    judge: LoneJudge, stage: Stage[Any, Any], item: Item, request: Request, measure: str
) -> Document | LeftOut:
    found: Document | str
    try:
        if isinstance(request, Score):
            found = _choice(judge, stage, item, request, measure)
        elif isinstance(request, Generate):
            found = _writing(judge, stage, item, request)
        else:
            found = _NOT_THERE[verb(request)]
    except NotAloneError:
        found = "the suite judges all answers of an item at once, and the harness one at a time"
    return LeftOut(format_of(request), found) if isinstance(found, str) else found


_NOT_THERE = {
    "fill": "the harness does not fill a gap with any word there is",
    "translate": "how a text is translated is each model's own, and no prompt of the suite's",
    "draw": "the harness has no task that draws",
    "look": "it is asked about images that were drawn before",
}


# --- choices -------------------------------------------------------------------------------


def _choice(
    judge: LoneJudge, stage: Stage[Any, Any], item: Item, request: Score, measure: str
) -> Document | str:
    """A choice among texts, or why it is none."""
    turns = _turns(request.context)
    if why := _no_choice(request, measure) or (turns if isinstance(turns, str) else ""):
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
    kind = Kind(format_of(request), item.language, isinstance(request.context, tuple))
    return Document(
        kind,
        {
            **_named(item, request),
            **turns,
            "choices": list(request.texts),
            "target": target,
            "units": units,
        },
    )


def _no_choice(request: Score, measure: str) -> str:
    """Why a request for scores cannot be asked so that it gives the same choice, "" if it can."""
    if isinstance(request.decoding, Decoding):
        return "it asks how a text would be drawn, which is no choice"
    if len(request.texts) < 2:
        return "there is one text only, and nothing to choose"
    if measure == "per token":
        return (
            "the harness does not say how many tokens a text has, which the measure `per token` "
            "needs (--set measure=sum)"
        )
    if not request.context and request.first_token != "bos":
        return (
            "the harness puts a beginning token before every text, and the protocol does not "
            "(--set first_token=bos)"
        )
    if request.context and measure != "sum":
        return (
            "the harness counts white space at the end of a prompt with the text, which changes "
            f"the measure `{measure}` (--set measure=sum)"
        )
    return ""


# --- writing -------------------------------------------------------------------------------


def _writing(
    judge: LoneJudge, stage: Stage[Any, Any], item: Item, request: Generate
) -> Document | str:
    """A text to be generated, with all that the suite's judge needs, or why it is none."""
    turns = _turns(request.prompt)
    if isinstance(turns, str):
        return turns
    if not judge.takes_texts(item, stage, request):
        return "the suite calls no answer to it right or wrong"
    kind = Kind(
        format_of(request),
        item.language,
        isinstance(request.prompt, tuple),
        request.decoding,
        request.samples,
    )
    return Document(
        kind,
        {
            **_named(item, request),
            **turns,
            "stage": stage.name,
            "role": stage.role,
            "record": to_json(item).decode(),
        },
    )


def _named(item: Item, request: Request) -> dict[str, str]:
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
        return "its chat has other turns than a system message and one of the user's"
    return {"system": contents.get("system", ""), "prompt": contents["user"]}
