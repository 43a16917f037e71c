"""External answers of several models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from epicene.core.records import Text, Texts
from epicene.results.external_answers import score_external_answers
from epicene.suites import AnsweredRequest, Answers, DataSource, choose_protocol, find_suite


def test_each_model_has_its_own_coverage(tmp_path: Path) -> None:
    """Two models with half of the items each do not cover all of them together."""
    suite = find_suite("apgc")
    protocol = choose_protocol(suite, "epicene", {}, None)
    dataset = suite.read(DataSource(), protocol)
    items = list(dataset.items)[:4]
    stage = suite.for_protocol(protocol, {"model": []}).stages[0]

    def given(item: object, model: str) -> tuple[object, Answers]:
        requests = stage.ask(item, Answers(), protocol)
        answer = Texts(texts=(Text(text="كتاب"),))
        return item, Answers(
            AnsweredRequest(stage.name, stage.role, model, request.name, answer)
            for request in requests
        )

    answered = [given(item, "ab"[number // 2]) for number, item in enumerate(items)]
    named = replace(suite, read_answers=lambda *_: answered)
    scored = score_external_answers(
        named, protocol, dataset._replace(items=items), tmp_path / "answers.jsonl"
    )
    judged = [(run.info.model, run.coverage and run.coverage.judged) for run in scored.summary.runs]
    assert judged == [("a", 2), ("b", 2)]
