"""Runs of the reflexives on models of which it is known what they make right."""

from __future__ import annotations

from pathlib import Path

import reflexives
from epicene.core import registry
from epicene.core.records import (
    Answer,
    Failed,
    Generate,
    Identity,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
)
from epicene.models import Model, ModelOptions, model_kind, parse_spec
from epicene.models.simple_model import SimpleModel
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import StoredRun, read_run
from epicene.suites import choose_protocol
from runs.conftest import Silent


@model_kind(options=("label",))
def open_steady(name: str, options: ModelOptions) -> Model:
    """`right` finds the first of two texts likelier, `wrong` the second and writes no pronoun;
    `gaps` has no answer where a woman is meant, and else is right."""

    def score(request: Score) -> Answer:
        if name == "gaps" and "herself" in request.texts[0]:
            return Failed(reason="the line is cut")
        best = 1 if name == "wrong" else 0
        return Scores(
            texts=tuple(
                TextScore(
                    logprobs=(-1.0 if place == best else -2.0,),
                    starts=(0,),
                    ends=(len(text),),
                    words=1,
                    characters=len(text),
                )
                for place, text in enumerate(request.texts)
            ),
            method="steady",
        )

    def generate(request: Generate) -> Answer:
        text = "nothing" if name == "wrong" else "himself"
        return Texts(texts=(Text(text=text),) * request.samples)

    identity = Identity(kind="steady", label=options.label or name, key={"name": name})
    return SimpleModel(identity, {"score": score, "generate": generate})


def measured(spec: str, under: Path, protocol: str = "epicene", **settings: str) -> StoredRun:
    """A run by `steady:NAME`."""
    reflexives.register()
    registry.add("models", "steady", open_steady)
    suite = reflexives.suite
    order = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, protocol, settings, None),
        models={"model": [parse_spec(f"steady:{spec}")]},
        under=under,
    )
    folder, _ = run(order, Silent())
    return read_run(folder)
