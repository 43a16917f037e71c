"""The same model in Epicene, lm-evaluation-harness and Inspect: a table of answers, or a hash."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MODEL = "fake"


def likelihood(text: str) -> float:
    """A log-likelihood that depends on the text alone; some texts tie."""
    return -float(zlib.crc32(text.strip().encode()) % 97) - 1


def score(texts: Sequence[str]) -> list[float]:
    """Epicene's side of `likelihood`."""
    return [likelihood(text) for text in texts]


def run_lm_eval(
    out: Path,
    tasks: Sequence[str | dict[str, Any]],
    *,
    folder: Path | None = None,
    texts: Mapping[str, str] | None = None,
    chat: bool = False,
) -> Path:
    """Run tasks in the harness, and the folder with its samples, called like the model."""
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    class Fake(LM):  # type: ignore[misc]
        tokenizer_name = "fake"

        def loglikelihood(self, requests: Any, **_: Any) -> list[tuple[float, bool]]:
            return [(likelihood(each.args[1]), False) for each in requests]

        def loglikelihood_rolling(self, requests: Any, **_: Any) -> Any:
            raise NotImplementedError

        def generate_until(self, requests: Any, **_: Any) -> list[str]:
            return [(texts or {})[each.args[0]] for each in requests]

        def apply_chat_template(self, chat_history: Any, **_: Any) -> str:
            return chat_key([each["content"] for each in chat_history])

        def chat_template(self, *_: Any, **__: Any) -> str:
            return "fake"

    manager = TaskManager(
        include_path=None if folder is None else str(folder), include_defaults=False
    )
    tracker = EvaluationTracker(output_path=str(out))
    found = simple_evaluate(
        model=Fake(),
        tasks=list(tasks),
        task_manager=manager,
        apply_chat_template=chat,
        log_samples=True,
        bootstrap_iters=0,
        evaluation_tracker=tracker,
    )
    samples = found.pop("samples")
    tracker.save_results_aggregated(results=found, samples=samples)
    for name, each in samples.items():
        tracker.save_results_samples(task_name=name, samples=each)
    (written,) = out.iterdir()
    for results in written.glob("results_*.json"):
        results.unlink()  # it has the name of the model, which an object does not have
    return written.rename(out / MODEL)


def chat_key(contents: Sequence[str]) -> str:
    """A chat as one text."""
    return "\n\n".join(contents)


def run_inspect(out: Path, file: Path, texts: Mapping[str, str], log_format: Any) -> list[Any]:
    """Run a task file in Inspect, and its logs."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi

    class Fake(ModelAPI):
        async def generate(self, input: Any, *_: Any, **__: Any) -> ModelOutput:  # noqa: A002
            given = chat_key([each.content for each in input])
            return ModelOutput.from_content(MODEL, texts[given])

    @modelapi(name=MODEL)
    def fake() -> type[ModelAPI]:
        return Fake

    model = get_model(f"{MODEL}/{MODEL}", memoize=False)
    with _logging_kept():
        return inspect_eval(
            str(file), model=model, log_format=log_format, log_dir=str(out), display="none"
        )


@contextmanager
def _logging_kept() -> Iterator[None]:
    """Undo the levels and handlers of loggers that a tool sets for the whole process."""
    root = logging.getLogger()
    named = [logging.getLogger(name) for name in ("httpx", "httpx2", *root.manager.loggerDict)]
    before = {each: (each.level, each.handlers[:]) for each in (root, *named)}
    try:
        yield
    finally:
        for each, (level, handlers) in before.items():
            each.setLevel(level)
            each.handlers[:] = handlers


def by_prompt(documents: Sequence[Mapping[str, Any]], answer: Callable[..., str]) -> dict[str, str]:
    """The texts that answer exported documents, by what a model is given."""
    return {
        chat_key([part for part in (each["system"], each["prompt"]) if part]): answer(
            each["item"], each["request"]
        )
        for each in documents
    }
