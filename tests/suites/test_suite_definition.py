"""A suite in one file: what its functions get and return, and the defaults for everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl
import pytest

import epicene
from epicene.core.records import Estimate, Score, Scores, Text, Texts, TextScore
from epicene.models import parse_spec
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.preflight import run_settings
from epicene.runs.run import run
from epicene.runs.stored_run import StoredRun, read_run
from epicene.suites import (
    AnsweredRequest,
    Answers,
    Dataset,
    DataSource,
    Suite,
    choose_protocol,
    find_suite,
)
from epicene.suites.definition import SuiteDefinition
from epicene.suites.definition_items import item_fields
from epicene.suites.protocol_settings import settings_of
from runs.conftest import Silent

pandas: Any = pytest.importorskip("pandas")

PAIRS = [
    {"before": "The queen saw ", "right": "herself", "wrong": "himself", "gender": "f"},
    {"before": "The king saw ", "right": "himself", "wrong": "herself", "gender": "m"},
]


def pairs(**options: Any) -> SuiteDefinition:
    """A suite with `ask` alone."""
    options = {"items": PAIRS, "languages": ["en"], "facets": ["gender"], **options}
    made = epicene.suite("own_pairs", **options)

    @made.ask
    def ask(item: Any) -> epicene.Score:
        return epicene.choose(item.before, [item.right, item.wrong], ".")

    return made


def judged_by(judge: Callable[..., Any], **options: Any) -> Suite[Any, Any]:
    """The suite with this judge."""
    made = pairs(**options)
    made.judge(judge)
    return made.suite


def items_of(suite: Suite[Any, Any], **source: Any) -> list[Any]:
    return list(read(suite, **source).items)


def read(suite: Suite[Any, Any], **source: Any) -> Dataset:
    return suite.read(DataSource(**source), suite.protocols["epicene"])


def scores(*sums: float) -> Scores:
    return Scores(
        texts=tuple(
            TextScore(logprobs=(each,), starts=(0,), ends=(1,), words=1, characters=1)
            for each in sums
        ),
        method="causal",
    )


def judgements(suite: Suite[Any, Any], *answers: Any, item: int = 0) -> list[epicene.Judgement]:
    """The judgements of an item with these answers to its requests."""
    asked, protocol = items_of(suite)[item], suite.protocols["epicene"]
    requests = list(suite.stages[0].ask(asked, Answers(), protocol))
    given = Answers(
        AnsweredRequest("ask", "model", "m", request.name, answer)
        for request, answer in zip(requests, answers, strict=True)
    )
    return list(suite.judge(asked, given, protocol))


def run_suite(suite: Suite[Any, Any], out: Path, model: str = "random", **config: Any) -> StoredRun:
    folder, _ = run(
        RunConfig(
            suite=suite,
            protocol=choose_protocol(suite, "epicene", {}, None),
            models={role.name: [parse_spec(model)] for role in suite.roles},
            out=out,
            **config,
        ),
        Silent(),
    )
    return read_run(folder, suite)


# --- asking --------------------------------------------------------------------------------


def test_requests_are_filled_in() -> None:
    suite = judged_by(lambda _item, _answer: True)
    first, second = items_of(suite)
    protocol = suite.protocols["epicene"]
    assert list(suite.stages[0].ask(first, Answers(), protocol)) == [
        Score(
            item="1",
            group="1",
            language="en",
            texts=("The queen saw herself.", "The queen saw himself."),
        )
    ]
    assert [each.item for each in suite.stages[0].ask(second, Answers(), protocol)] == ["2"]


def test_several_requests_are_named_and_lists_become_tuples() -> None:
    made = epicene.suite("own", items=[{"id": "a", "group": "g"}])

    @made.ask
    def ask(item: Any) -> Any:
        yield epicene.Score(texts=["x", "y"])  # type: ignore[arg-type]
        yield epicene.Generate(prompt="Say x.", name="said")

    made.judge(lambda _item, _answers: None)
    (item,) = items_of(made.suite)
    score, generate = made.suite.stages[0].ask(item, Answers(), made.suite.protocols["epicene"])
    assert isinstance(score, epicene.Score)
    assert isinstance(generate, epicene.Generate)
    assert (score.name, score.texts, score.group) == ("1", ("x", "y"), "g")
    assert (generate.name, generate.source) == ("said", "Say x.")
    msgspec.json.decode(msgspec.json.encode(score), type=Score)


def test_settings_are_given_by_name_and_changed_by_set() -> None:
    made = epicene.suite(
        "own",
        items=[{"text": "x"}],
        settings={"samples": 2, "names": ["a", "b"], "warm": 0.5, "polite": True},
        protocols={"plain": {"samples": 1}},
    )

    @made.ask
    def ask(item: Any, settings: Any) -> epicene.Generate:
        return epicene.Generate(prompt=item.text, samples=settings.samples)

    @made.judge
    def judge(item: Any, answer: Any, settings: Any) -> list[bool]:
        return [settings.polite for _ in answer.texts]

    suite = made.suite
    (item,) = items_of(suite)

    def samples(name: str, **settings: str) -> int:
        protocol = choose_protocol(suite, name, settings, None)
        (request,) = suite.stages[0].ask(item, Answers(), protocol)
        assert isinstance(request, epicene.Generate)
        return request.samples

    assert samples("epicene") == 2
    assert samples("epicene", samples="7", names="c,d") == 7
    assert samples("plain") == 1
    described = {each.name: (each.type, each.default["epicene"]) for each in settings_of(suite)}
    assert described["samples"] == ("a whole number", 2)
    assert described["names"] == ("names, separated by commas", ("a", "b"))
    assert described["polite"] == ("true or false", True)
    with pytest.raises(
        epicene.InputError, match="There is no setting 'sample' in the protocol epicene of"
    ):
        choose_protocol(suite, "epicene", {"sample": "3"}, None)


def test_a_later_stage_gets_the_answers_before_it(tmp_path: Path) -> None:
    made = epicene.suite("own", items=[{"id": "a", "text": "x"}])
    made.ask(lambda _item: epicene.Generate(prompt="Say x or y.", choices=("x", "y")))

    @made.stage("grade", role="judge")
    def grade(item: Any, answer: Texts) -> epicene.Generate:
        return epicene.Generate(prompt=f"Is {answer.only} good?", choices=("good",))

    @made.judge
    def judge(item: Any, answer: Texts, grade: Texts) -> epicene.Judgement:
        return epicene.Judgement(outcome="right", label=f"{answer.only} {grade.only}")

    stored = run_suite(made.suite, tmp_path / "run")
    assert [role.name for role in made.suite.roles] == ["model", "judge"]
    assert [stage.needs for stage in made.suite.stages] == [(), ("ask",)]
    summary = summarise([stored])
    assert summary.results.frame["label"].to_list() in (["x good"], ["y good"])


def test_images_are_drawn_and_looked_at(tmp_path: Path) -> None:
    made = epicene.suite("own", items=[{"id": "a", "noun": "a guard"}])
    made.ask(lambda item: epicene.Draw(prompt=item.noun, shots=2, width=8, height=8))

    @made.stage("look", role="judge")
    def look(item: Any, images: epicene.Images) -> list[epicene.Look]:
        return [
            epicene.Look(image=image.sha256, question="Who?", choices=("a woman", "a man"))
            for image in images.images
        ]

    made.judge(lambda _item, _images, looks: [look.choice for look in looks])
    frame = summarise([run_suite(made.suite, tmp_path / "run")]).results.frame
    assert frame["label"].is_in(["a woman", "a man"]).to_list() == [True, True]
    assert frame["name"].to_list() == ["1", "2"]


# --- judging -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (True, {"outcome": "right"}),
        (False, {"outcome": "wrong"}),
        (None, {"outcome": "undetected"}),
        (2, {"value": 2}),
        (0.5, {"value": 0.5}),
        ("polite", {"label": "polite"}),
        (pl.Series([0.25]).to_numpy()[0], {"value": 0.25}),
        (pl.Series([True]).to_numpy()[0], {"outcome": "right"}),
        (epicene.Judgement(outcome="wrong", value=1), {"outcome": "wrong", "value": 1}),
    ],
)
def test_what_a_judge_may_return(returned: Any, expected: dict[str, Any]) -> None:
    (found,) = judgements(judged_by(lambda _item, _answer: returned), scores(-1, -2))
    assert {
        name: value
        for name in ("outcome", "label", "value")
        if (value := getattr(found, name)) is not None
    } == expected
    assert (found.item, found.group, found.language, found.name) == ("1", "1", "en", "")
    assert found.facets == {"gender": "f"}
    assert found.evidence == {
        "asked": "The queen saw herself.\nThe queen saw himself.",
        "answer": "The queen saw herself.",
    }


def test_a_dict_gives_judgements_by_name_and_a_list_numbers_them() -> None:
    found = judgements(
        judged_by(lambda _item, _answer: {"agrees": True, "margins": [1, 2.5]}), scores(-1, -2)
    )
    assert [(each.name, each.facets["measure"], each.outcome, each.value) for each in found] == [
        ("agrees", "agrees", "right", None),
        ("margins 1", "margins", None, 1),
        ("margins 2", "margins", None, 2.5),
    ]


def test_a_judgement_per_sample_has_its_own_text_as_evidence() -> None:
    made = epicene.suite("own", items=[{"id": "a"}])
    made.ask(lambda _item: epicene.Generate(prompt="Say x.", samples=2))
    made.judge(lambda _item, answer: [text.text == "x" for text in answer.texts])
    found = judgements(made.suite, Texts(texts=(Text(text="x"), Text(text="y"))))
    assert [(each.name, each.outcome, each.evidence["answer"]) for each in found] == [
        ("1", "right", "x"),
        ("2", "wrong", "y"),
    ]


def test_a_judgement_named_as_a_request_has_its_evidence() -> None:
    made = epicene.suite("own", items=[{"id": "a"}])

    @made.ask
    def ask(item: Any) -> Any:
        yield epicene.choose("", ["x", "y"], name="choice")
        yield epicene.Generate(prompt="Say x.", samples=2, name="text")

    made.judge(lambda _item, _answers: {"choice": True, "text": map(bool, (1, 0)), "both": True})
    texts = Texts(texts=(Text(text="x"), Text(text="z")))
    found = {each.name: each.evidence for each in judgements(made.suite, scores(-2, -1), texts)}
    assert found == {
        "choice": {"asked": "x\ny", "answer": "y"},
        "text 1": {"asked": "Say x.", "answer": "x"},
        "text 2": {"asked": "Say x.", "answer": "z"},
        "both": {
            "asked choice": "x\ny", "answer choice": "y",
            "asked text": "Say x.", "answer text": "x\nz",
        },
    }  # fmt: skip


def test_an_iterator_is_a_list() -> None:
    found = judgements(judged_by(lambda _item, _answer: map(bool, (1, 0))), scores(-1, -2))
    assert [each.outcome for each in found] == ["right", "wrong"]


@pytest.mark.parametrize(
    ("sums", "best"), [((-1, -2), 0), ((-3, -2), 1), ((-2, -2), None), ((-2, -5, -2), None)]
)
def test_the_likeliest_text_is_the_best_unless_there_are_several(
    sums: tuple[float, ...], best: int | None
) -> None:
    assert scores(*sums).best == best


def test_a_text_without_a_scored_token_is_not_the_best() -> None:
    """The sum over no tokens is 0, which is more than any log-probability."""
    without = TextScore(logprobs=(None,), starts=(0,), ends=(1,), words=1, characters=1)
    assert Scores(texts=(without, scores(-1).texts[0]), method="causal").best is None


# --- items ---------------------------------------------------------------------------------


class Pair(NamedTuple):
    """A row of a list."""

    before: str
    right: str
    wrong: str
    gender: str


@pytest.mark.parametrize(
    "items",
    [
        PAIRS,
        tuple(Pair(**row) for row in PAIRS),
        pl.DataFrame(PAIRS),
        pandas.DataFrame(PAIRS),
        lambda: iter(PAIRS),
        "pairs.csv",
        Path("pairs.tsv"),
        "pairs.jsonl",
        "pairs.json",
        "pairs.parquet",
        lambda: "pairs.csv",
    ],
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
def test_items_come_from_anything_with_rows(
    items: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pl.DataFrame(PAIRS)
    frame.write_csv(tmp_path / "pairs.csv")
    frame.write_csv(tmp_path / "pairs.tsv", separator="\t")
    frame.write_ndjson(tmp_path / "pairs.jsonl")
    frame.write_json(tmp_path / "pairs.json")
    frame.write_parquet(tmp_path / "pairs.parquet")
    definition = tmp_path / "definition.py"
    text = 'import epicene\nmade = epicene.suite("own", items=items, facets=["gender"])\n'
    scope: dict[str, Any] = {"__file__": str(definition), "items": items}
    monkeypatch.chdir("/")  # paths are relative to the suite's file
    exec(compile(text, str(definition), "exec"), scope)
    made = scope["made"]
    made.ask(lambda item: epicene.choose("", [item.right]))
    made.judge(lambda _item, _answer: True)
    found = items_of(made.suite)
    assert [item_fields(item) for item in found] == [
        {"id": str(number), "group": "", "language": "", **row}
        for number, row in enumerate(PAIRS, start=1)
    ]
    assert found[0].before == found[0]["before"] == "The queen saw "


class DatasetRows:
    """Iterates as `datasets.Dataset` does, which is not installed here."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield from PAIRS


def test_a_dataset_of_datasets_is_one_of_its_splits() -> None:
    assert items_of(judged_by(lambda _i, _a: True, items=DatasetRows()))[1].right == "himself"
    with pytest.raises(
        epicene.InputError, match="are a dict with the parts train; give a list of rows"
    ):
        items_of(judged_by(lambda _i, _a: True, items={"train": DatasetRows()}))


def test_rows_may_name_id_group_and_language_otherwise() -> None:
    rows = [{**PAIRS[0], "pair": 7, "frame": "saw", "language": "fr"}]
    suite = judged_by(lambda _i, _a: True, items=rows, columns={"id": "pair", "group": "frame"})
    (item,) = items_of(suite)
    assert (item.id, item.group, item.language) == ("7", "saw", "fr")
    assert not hasattr(item, "pair")


class TypedPair(epicene.Item, frozen=True, kw_only=True):
    """An item of the user's own type."""

    before: str
    right: str
    wrong: str
    gender: str
    weight: int = 1


def test_an_item_type_checks_and_converts_its_rows() -> None:
    rows = [{**PAIRS[0], "weight": "3", "unused": "x"}]
    (item,) = items_of(judged_by(lambda _i, _a: True, items=rows, item=TypedPair))
    assert item == TypedPair(id="1", language="en", weight=3, **PAIRS[0])
    with pytest.raises(epicene.InputError, match="row 1, is invalid: Expected `int`"):
        items_of(judged_by(lambda _i, _a: True, items=[{**rows[0], "weight": "x"}], item=TypedPair))


def test_items_without_a_file_are_known_by_their_content(tmp_path: Path) -> None:
    suite = judged_by(lambda _i, _a: True)
    other = judged_by(lambda _i, _a: True, items=PAIRS[::-1])

    def settings(suite: Suite[Any, Any]) -> Any:
        config = RunConfig(suite=suite, protocol=suite.protocols["epicene"], models={})
        return run_settings(config, read(suite))

    assert settings(suite).files == settings(judged_by(lambda _i, _a: False)).files
    assert settings(suite).files != settings(other).files
    assert settings(suite).files[0].name == settings(suite).data == "items"


def test_values_are_read_as_they_are_stored() -> None:
    """A resumed run reads items from its store, and must ask the same."""
    rows = [{"when": date(2024, 5, 1), "n": float("nan"), "more": (1, 2)}]
    made = epicene.suite("own", items=pandas.DataFrame(rows))
    made.ask(lambda _item: epicene.choose("", ["a", "b"]))
    made.judge(lambda _item, _answer: True)
    (item,) = items_of(made.suite)
    assert item == msgspec.json.decode(msgspec.json.encode(item), type=epicene.RowItem)
    assert (item.when, item.n, item.more) == ("2024-05-01", None, [1, 2])


# --- results -------------------------------------------------------------------------------


def test_outcomes_are_tabulated_overall_and_by_facet(tmp_path: Path) -> None:
    made = pairs(items=[{**row, "n": n} for n in range(6) for row in PAIRS])
    made.judge(lambda item, _answer: None if item.n == 5 else item.gender == "f")

    @made.metric
    def women(frame: pl.DataFrame) -> float:
        return float((frame["gender"] == "f").mean())  # type: ignore[arg-type]

    @made.metric(unit="share")
    def certain(frame: pl.DataFrame) -> Estimate:
        return Estimate(value=1.0, low=1.0, high=1.0, n=len(frame))

    summary = summarise([run_suite(made.suite, tmp_path / "run")])
    assert {name: each.value for name, each in summary.metrics.items()} == {
        "accuracy": pytest.approx(5 / 12), "women": 0.5, "certain": 1.0,
    }  # fmt: skip
    assert summary.undetected.value == pytest.approx(2 / 12)
    women_estimate = summary.metrics["women"]
    assert women_estimate.low is not None
    assert women_estimate.high is not None
    assert women_estimate.low < 0.5 < women_estimate.high
    overall, by_gender = summary.tables
    assert (overall.name, by_gender.name) == made.suite.card.tables == ("overall", "by_gender")
    assert [(row.keys, _values(row.cells)) for row in by_gender.rows] == [
        (("random", "f"), [5 / 6, 1 / 6]),
        (("random", "m"), [0, 1 / 6]),
    ]
    assert [figure.name for figure in summary.figures] == ["overall"]


def _values(cells: Any) -> list[Any]:
    return [pytest.approx(cell.value) for cell in cells]


def test_numbers_have_a_mean_and_labels_a_share_each(tmp_path: Path) -> None:
    numbers = judged_by(lambda item, _answer: 2 if item.gender == "f" else 4)
    metrics = summarise([run_suite(numbers, tmp_path / "numbers")]).metrics
    assert {name: each.value for name, each in metrics.items()} == {"mean": 3}
    labels = judged_by(lambda item, _answer: "a" if item.gender == "f" else "b")
    summary = summarise([run_suite(labels, tmp_path / "labels")])
    assert {name: each.value for name, each in summary.metrics.items()} == {
        "share_a": 0.5, "share_b": 0.5,
    }  # fmt: skip
    assert [column.name for column in summary.tables[0].columns] == ["share_a", "share_b"]


def test_measures_are_never_mixed(tmp_path: Path) -> None:
    suite = judged_by(lambda item, _answer: {"agrees": item.gender == "f", "margin": 3})
    summary = summarise([run_suite(suite, tmp_path / "run")])
    assert {name: each.value for name, each in summary.metrics.items()} == {
        "accuracy_agrees": 0.5, "mean_margin": 3,
    }  # fmt: skip
    assert [row.keys for row in summary.tables[0].rows] == [
        ("random", "agrees"), ("random", "margin"),
    ]  # fmt: skip


def test_facets_that_the_judge_adds_and_languages_are_tabulated_too(tmp_path: Path) -> None:
    rows = [{**PAIRS[0], "language": "en"}, {**PAIRS[1], "language": "fr"}]
    suite = judged_by(
        lambda _item, _answer: epicene.Judgement(outcome="right", facets={"length": "short"}),
        items=rows,
        languages=["en", "fr"],
    )
    tables = {table.name: table for table in summarise([run_suite(suite, tmp_path / "r")]).tables}
    assert set(tables) == {"overall", "by_gender", "by_language", "by_length"}
    assert [row.keys[1] for row in tables["by_language"].rows] == ["en", "fr"]


def test_one_language_and_one_facet_need_no_list(tmp_path: Path) -> None:
    suite = judged_by(lambda _item, _answer: True, languages="en", facets="gender")
    assert suite.card.languages == ("en",)
    frame = summarise([run_suite(suite, tmp_path / "run")]).results.frame
    assert set(frame["gender"].to_list()) == {"f", "m"}


def test_a_facet_without_a_value_is_empty(tmp_path: Path) -> None:
    suite = judged_by(lambda _item, _answer: True, items=[{**PAIRS[0], "gender": None}, PAIRS[1]])
    summary = summarise([run_suite(suite, tmp_path / "run")])
    assert [row.keys[1] for row in summary.tables[1].rows] == ["", "m"]


def test_the_card_is_that_of_the_suite_s_own_items_only(tmp_path: Path) -> None:
    suite = judged_by(lambda _item, _answer: True, source="Ours.")
    assert run_suite(suite, tmp_path / "own").origin == "published"
    pl.DataFrame(PAIRS).write_csv(tmp_path / "other.csv")
    source = DataSource(path=tmp_path / "other.csv")
    assert run_suite(suite, tmp_path / "other", source=source).origin == "own"


def test_limit_is_spread_over_the_facets(tmp_path: Path) -> None:
    suite = judged_by(lambda _i, _a: True, items=[*[PAIRS[0]] * 9, PAIRS[1]])
    frame = summarise([run_suite(suite, tmp_path / "run", limit=2)]).results.frame
    assert sorted(frame["gender"].to_list()) == ["f", "m"]


def test_scored_texts_say_which_is_right(tmp_path: Path) -> None:
    suite = judged_by(lambda _item, answer: answer.best == 0)
    (item, _), protocol = items_of(suite), suite.protocols["epicene"]
    given = Answers([AnsweredRequest("ask", "model", "m", "", scores(-2, -1))])
    assert suite.scored_texts is not None
    found = list(suite.scored_texts(item, given, protocol))
    assert [(each.candidate, each.right, each.text, each.score.sum) for each in found] == [
        ("1", True, "The queen saw herself.", -2),
        ("2", False, "The queen saw himself.", -1),
    ]
    unknown = judged_by(lambda _item, _answer: "label")
    assert unknown.scored_texts is not None
    assert [each.right for each in unknown.scored_texts(item, given, protocol)] == [None, None]


def test_the_n_gram_model_learns_from_what_is_scored(tmp_path: Path) -> None:
    made = judged_by(lambda _item, answer: answer.best == 0)
    assert summarise([run_suite(made, tmp_path / "run", "ngram")]).metrics["accuracy"].n == 2


def test_data_are_checked() -> None:
    suite = judged_by(lambda _i, _a: True, items=[*PAIRS, {**PAIRS[0], "wrong": "herself"}])
    assert suite.check is not None
    found = list(suite.check(items_of(suite), suite.protocols["epicene"]))
    assert [(each.severity, each.place) for each in found] == [("error", "3")]
    assert "the same text" in found[0].message


def test_any_part_can_be_replaced(tmp_path: Path) -> None:
    suite = judged_by(
        lambda _i, _a: True, tables=lambda _results: (), metrics=lambda _results: {}, version="3"
    )
    assert suite.version == "3"
    summary = summarise([run_suite(suite, tmp_path / "run")])
    assert (summary.tables, summary.metrics) == ((), {})


def test_a_stage_that_is_defined_again_keeps_its_place() -> None:
    made = pairs()
    for name in ("second", "third", "second"):
        made.stage(name)(lambda item, *_answers: epicene.Generate(prompt=item.right))
    made.judge(lambda _item, *answers: len(answers))
    assert [stage.name for stage in made.suite.stages] == ["ask", "second", "third"]


def test_decorated_functions_stay_functions() -> None:
    made = pairs()

    @made.judge
    def judge(item: Any, answer: Any) -> bool:
        return bool(answer == item)

    assert judge(1, 1)
    assert repr(made) == "<epicene suite 'own_pairs' of test_suite_definition.py>"
    assert find_suite(made).file == Path(__file__)
    made.judge(lambda _item, _answer: None)  # another cell of a notebook
    (found,) = judgements(find_suite(made), scores(-1, -2))
    assert found.outcome == "undetected"
