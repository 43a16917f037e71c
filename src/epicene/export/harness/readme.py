"""What a person should know who runs exported tasks in lm-evaluation-harness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene import __version__
from epicene.export.card_parts import fault_lines, protocol_lines
from epicene.export.harness.tasks import TESTED, group_name
from epicene.suites.data_cards import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.export.harness.documents import LeftOut
    from epicene.export.harness.tasks import Task
    from epicene.export.selection import Selection


def readme(
    selection: Selection, tasks: Sequence[Task], left_out: Mapping[LeftOut, int]
) -> Iterator[str]:
    """The page, line by line."""
    card = selection.suite.card
    yield f"# {card.title} for lm-evaluation-harness"
    yield ""
    yield card.about
    yield ""
    rows = [
        (
            f"`{task.name}`",
            task.settings["output_type"],
            len(task.documents),
            "yes" if task.kind.chat else "no",
            ", ".join(each["metric"] for each in task.settings["metric_list"]),
        )
        for task in tasks
    ]
    yield from table(("task", "kind", "documents", "chat", "metrics"), rows)
    yield ""
    yield from _commands(selection, tasks)
    yield from _numbers(tasks)
    yield "## Protocol"
    yield ""
    yield from protocol_lines(selection.protocol, card)
    if left_out:
        yield "## What is not here"
        yield ""
        for (what, why), times in left_out.items():
            yield f"- {what}{f' ({times} requests)' * (times > 1)}: {why}."
        yield ""
    yield from selection.provenance_lines()
    yield f"Exported by Epicene {__version__}. Cite the source named above, and Epicene."
    yield ""
    yield from fault_lines(card, "##")


def _commands(selection: Selection, tasks: Sequence[Task]) -> Iterator[str]:
    yield "## Running it"
    yield ""
    yield f"Tested with lm-evaluation-harness {TESTED}. A single task runs by its own name."
    yield ""
    yield "```"
    for chat in sorted({task.kind.chat for task in tasks}):
        yield (
            "lm_eval --model hf --model_args pretrained=MODEL --include_path THIS_FOLDER "
            f"--tasks {group_name(selection.suite.name, chat=chat)}"
            + " --apply_chat_template"
            * chat
        )
    yield "```"
    yield ""
    if any(task.kind.chat for task in tasks):
        yield (
            "A chat has a system message and wants `--apply_chat_template`. A template that takes "
            "no system message is refused by the harness; Epicene puts it before the user's."
        )
        yield ""
    if not all(task.kind.chat for task in tasks):
        yield "What is no chat must not get a chat template."
        yield ""


def _numbers(tasks: Sequence[Task]) -> Iterator[str]:
    yield "## What the numbers mean"
    yield ""
    if any(task.kind.decoding is None for task in tasks):
        yield (
            "- `acc`: the right text is the likeliest of its choices, by the protocol's measure; "
            "of several that are equally likely each has a part of the credit. `tied`: how often "
            "that was so; of a tie Epicene's own verdict may be another, by the suite. Each text "
            "is scored after its prompt or, where there is none, after the beginning token."
        )
    if any(task.kind.decoding is not None for task in tasks):
        yield (
            "- `right`, `wrong`, `undetected`: what the suite's own judge says of the texts. "
            "Undetected (no pronoun, refusal, nothing to be read) is not wrong, and never right. "
            "These tasks need Epicene installed where the harness runs."
        )
    if any(task.kind.decoding is not None and task.kind.decoding.exact_length for task in tasks):
        yield (
            "- Texts are drawn at temperature 1, where Epicene takes the model's own, and "
            "`min_new_tokens`, which keeps them from ending early, is understood by `--model hf`."
        )
    yield (
        "- The harness's standard errors take every document for itself; Epicene's intervals "
        "resample whole groups (`group`), as variants of one sentence are not independent."
    )
    yield ""
