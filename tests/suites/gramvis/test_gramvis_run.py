"""Words are drawn and looked at: what is asked, what becomes of refusals, and the tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from epicene.core.errors import InputError
from epicene.core.records import (
    Choice,
    Draw,
    Estimate,
    Image,
    Images,
    Judgement,
    Look,
    Request,
    Table,
    digest,
    verb,
)
from epicene.models import (
    Batch,
    ImageStore,
    Model,
    ModelSpec,
    NumberedAnswers,
    open_model,
    parse_spec,
)
from epicene.results.summary import Summary, summarise
from epicene.runs.config import RunConfig
from epicene.runs.items import limit_items
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.show.figures import svg
from epicene.show.table_formats import as_json
from epicene.suites import AnsweredRequest, Answers, DataSource, Protocol, choose_protocol
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.ask import DRAW, DRAWER, JUDGES, LOOK, draw, look, look_name
from epicene.suites.gramvis.data import read
from epicene.suites.gramvis.items import (
    CONDITIONS,
    LABEL_OF_GRAMMAR,
    LANGUAGES,
    LabelCounts,
    PromptItem,
)
from epicene.suites.gramvis.protocol import PROTOCOLS
from epicene.suites.gramvis.tables import tables
from epicene.suites.gramvis.tables_effects import stereotype_table
from runs.conftest import Silent
from runs.frames import results_of

EPICENE = PROTOCOLS["epicene"]
THREE = ("random:1", "random:2", "random:3")
NO_FILES: Any = None  # who guesses opens no picture
Drawing = Callable[[Draw, ImageStore], Images]


class Watched:
    """A model whose requests are counted, and which may be made to draw otherwise."""

    def __init__(self, model: Model, asked: Counter[str], drawing: Drawing | None) -> None:
        self._model = model
        self._asked = asked
        self._drawing = drawing
        self.identity = model.identity
        self.verbs = model.verbs
        self.batch_limit = model.batch_limit
        self.notes = model.notes
        self.close = model.close

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        def counted() -> Iterator[Batch]:
            for batch in batches:
                self._asked.update(verb(request) for _, request in batch)
                yield batch

        for batch in counted():
            if self._drawing and isinstance(batch[0][1], Draw):
                yield [(place, self._drawing(request, files)) for place, request in batch]  # type: ignore[arg-type]
            else:
                yield from self._model.answer(iter([batch]), files)


def ran(
    under: Path,
    judges: tuple[str, ...] = THREE,
    *,
    drawing: Drawing | None = None,
    settings: Mapping[str, str] | None = None,
    **order: Any,
) -> tuple[Path, Counter[str]]:
    """A run's folder, and how much was asked by verb."""
    asked: Counter[str] = Counter()

    def executor(spec: ModelSpec) -> Model:
        return Watched(open_model(spec), asked, drawing)

    models = {DRAWER: [parse_spec("random")], JUDGES: [parse_spec(judge) for judge in judges]}
    how: Protocol = choose_protocol(suite, "epicene", settings or {"shots": "2"}, None)
    wanted = RunConfig(suite=suite, protocol=how, models=models, under=under, **order)
    folder, manifest = run(wanted, Silent(), executor)
    assert manifest.state == "complete"
    return folder, asked


def images(summary: Summary) -> pl.DataFrame:
    return summary.results.frame.filter(pl.col("name").cast(pl.String) == "majority")


def named(summary: Summary, name: str) -> dict[str, Any]:
    (table,) = (table for table in summary.tables if table.name == name)
    found: dict[str, Any] = as_json(table)
    return found


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counter[str]]:
    return ran(tmp_path_factory.mktemp("gramvis"), limit=40)


def test_every_image_is_drawn_once_and_seen_by_every_judge(
    done: tuple[Path, Counter[str]],
) -> None:
    folder, asked = done
    assert asked == {"draw": 40 * 3, "look": 40 * 3 * 2 * 3}
    summary = summarise([read_run(folder)])
    assert len(images(summary)) == 40 * 3 * 2
    frame = summary.results.frame
    assert frame["judge"].cast(pl.String).drop_nulls().unique().sort().to_list() == list(THREE)
    assert set(images(summary)["drawer"].cast(pl.String)) == {"random"}
    files = [path for path in (folder / "images").rglob("*") if path.is_file()]
    assert len(files) == 40 * 3 * 2
    assert {"3", "11", "stereotype", "judges", "templates", "shots"} <= {
        table.name for table in summary.tables
    }


def test_a_judge_that_comes_later_has_nothing_drawn_again(tmp_path: Path) -> None:
    folder, first = ran(tmp_path, limit=6)
    assert first == {"draw": 18, "look": 18 * 2 * 3}
    again, second = ran(tmp_path, (*THREE, "random:4"), limit=6)
    assert again == folder
    assert second == {"look": 18 * 2}
    votes = summarise([read_run(folder)]).results.frame["judge"].cast(pl.String)
    assert votes.drop_nulls().value_counts()["count"].to_list() == [36] * 4


def refusing(request: Draw, files: ImageStore) -> Images:
    """Refuses the first English image, and gives one Chinese image too few."""
    came = [Image(sha256=files.put(png(f"{request.item} {request.name} {n}"))) for n in (1, 2)]
    if request.name == "english":
        return Images(images=(Image(refused="a safety block"), came[1]))
    return Images(images=tuple(came[:1] if request.name == "chinese" else came))


def png(text: str) -> bytes:
    """A picture that differs from others by its comment."""
    import io

    from PIL import Image as Pictures
    from PIL.PngImagePlugin import PngInfo

    info, made = PngInfo(), io.BytesIO()
    info.add_text("of", text)
    Pictures.new("L", (2, 2)).save(made, "PNG", pnginfo=info)
    return made.getvalue()


def test_refusals_are_recorded_and_the_rest_is_judged(tmp_path: Path) -> None:
    folder, asked = ran(tmp_path, drawing=refusing, limit=20)
    assert asked == {"draw": 60, "look": 20 * (1 + 1 + 2) * 3}
    judged = list(RunJudgements(read_run(folder)))
    reasons = Counter(each.evidence.get("not drawn", "") for each in judged)
    assert reasons["a safety block"] == 20
    assert reasons["the model returned fewer images than requested"] == 20
    blocked = [each for each in judged if "not drawn" in each.evidence]
    assert {(each.outcome, each.label, each.counts["error"]) for each in blocked} == {
        ("undetected", None, 1.0)
    }
    assert {(each.facets["condition"], each.facets["shot"]) for each in blocked} == {
        ("english", "1"),
        ("chinese", "2"),
    }
    summary = summarise([read_run(folder)])
    assert named(summary, "judges")["all"]["not drawn"]["value"] == pytest.approx(1 / 3)
    assert named(summary, "shots")["1"]["M"]["english_effect"]["value"] is None


def test_a_model_that_refuses_everything_breaks_no_table(tmp_path: Path) -> None:
    def nothing(request: Draw, _files: ImageStore) -> Images:
        return Images(images=(Image(refused="no people"),) * request.shots)

    folder, asked = ran(tmp_path, drawing=nothing, limit=20)
    assert asked == {"draw": 60}
    summary = summarise([read_run(folder)])
    assert summary.undetected.value == 1
    assert all(each.value is None and each.why for each in summary.metrics.values())
    assert {"3", "11", "mixed", "stereotype"} <= {table.name for table in summary.tables}
    assert all(svg(figure) for figure in summary.figures)


# --- grammar and stereotype ------------------------------------------------------------------


def shown(
    item: PromptItem, condition: str, who: Callable[[PromptItem, str], str]
) -> list[AnsweredRequest]:
    """A draw of one image, and the one judge's choice."""
    drawn = Images(images=(Image(sha256="0" * 64),))
    choice = Choice(choice=who(item, condition))
    return [
        AnsweredRequest(DRAW, DRAWER, "d", condition, drawn),
        AnsweredRequest(LOOK, JUDGES, "j", look_name(condition, 1), choice),
    ]


def tabulated(who: Callable[[PromptItem, str], str], items: list[PromptItem]) -> dict[str, Table]:
    how = choose_protocol(suite, "epicene", {"shots": "1", "mixed": "false"}, None)
    judgements: list[Judgement] = []
    for item in items:
        answers = Answers(each for name in CONDITIONS for each in shown(item, name, who))
        judgements += suite.judge(item, answers, how)  # type: ignore[arg-type]
    return {table.name: table for table in tables(results_of(judgements, how))}


def by_prompt(item: PromptItem, condition: str) -> str:
    """Grammar decides where it can be seen, else the stereotype."""
    return (
        LABEL_OF_GRAMMAR[item.entry.grammar] if condition == "gendered" else item.entry.stereotype
    )


def test_grammar_and_stereotype_are_told_apart() -> None:
    found = tabulated(by_prompt, starter())
    cells: dict[str, Any] = as_json(found["stereotype"])["d"]
    names = ("english", "chinese", "gendered", "english_effect", "chinese_effect")

    def row(*keys: str) -> list[float]:
        return [cells[keys[0]][keys[1]][name]["value"] for name in names]

    assert row("M", "male") == [1, 1, 1, 0, 0]
    assert row("M", "female") == [0, 0, 1, 1, 1]
    assert row("F", "male") == [1, 1, 0, -1, -1]
    assert row("F", "female") == [0, 0, 0, 0, 0]
    assert row("grammar", "M less F") == [0, 0, 1, 1, 1]
    assert row("stereotype", "male less female") == [1, 1, 0, -1, -1]
    assert row("both", "interaction") == [0, 0, 0, 0, 0]


def test_guesses_about_all_words_have_no_effect() -> None:
    """Three `random` judges on an image of every prompt; few words would be too noisy a sample."""
    judges = [open_model(parse_spec(name)) for name in THREE]
    how: Any = choose_protocol(suite, "epicene", {"shots": "1", "leave_out": ""}, None)
    judgements: list[Judgement] = []
    for item in read(DataSource(), how).items:
        given = []
        for condition in CONDITIONS:
            image = digest(item.id, condition).hex()
            given.append(
                AnsweredRequest(DRAW, DRAWER, "d", condition, Images(images=(Image(sha256=image),)))
            )
        requests = list(look(item, Answers(given), EPICENE))
        for judge in judges:
            (answered,) = judge.answer(iter([list(enumerate(requests))]), NO_FILES)
            given += [
                AnsweredRequest(LOOK, JUDGES, judge.identity.label, requests[n].name, a)
                for n, a in answered
            ]
        judgements += suite.judge(item, Answers(given), how)
    results = results_of(judgements, how)
    effects = {name: each for name, each in suite.metrics(results).items() if "_effect_" in name}
    assert len(effects) == 4
    (table,) = stereotype_table(results.frame)
    contrasts = [cell for row in table.rows if row.keys[1] not in "MF" for cell in row.cells]
    assert len(contrasts) == 3 * 5
    for effect in (*effects.values(), *contrasts):
        assert isinstance(effect, Estimate)
        assert effect.low is not None
        assert effect.high is not None
        assert effect.low < 0 < effect.high


def test_control_words_are_in_no_table_of_the_paper() -> None:
    """Were they in, the effect on words that diverge would not be whole."""
    found = tabulated(by_prompt, starter())
    for grammar in "MF":
        cells: dict[str, Any] = as_json(found["11"])["aggregate"]["all"][grammar]
        assert cells["english_effect"]["value"] == 1
    of_words: dict[str, Any] = as_json(found["5"])
    diverging = {item.group for item in starter() if not item.entry.control}
    counted = sum(of_words[code]["all"]["all"]["count"]["value"] for code in of_words)
    assert counted == len(diverging)


def test_words_that_all_equal_the_stereotype_have_their_table_alone() -> None:
    controls = [item for item in starter() if item.entry.control]
    assert set(tabulated(by_prompt, controls)) == {"stereotype", "judges", "votes"}


def test_without_control_words_there_is_no_such_table() -> None:
    words = [item for item in starter() if not item.entry.control]
    assert "stereotype" not in tabulated(by_prompt, words)


# --- what is asked ---------------------------------------------------------------------------


def starter() -> list[PromptItem]:
    return list(read(DataSource(), EPICENE).items)


def asked_of(item: PromptItem, how: Any = EPICENE) -> list[Draw]:
    found: list[Request] = list(draw(item, Answers(), how))
    return [each for each in found if isinstance(each, Draw)]


def test_the_starter_words_in_four_templates() -> None:
    items = starter()
    assert len({item.id for item in items}) == len(items) == 4 * len({i.group for i in items})
    requests = [request for item in items for request in asked_of(item)]
    assert len({request.seed for request in requests}) == len(requests)
    assert {request.shots for request in requests} == {4}
    first = items[0]
    assert [each.name for each in asked_of(first)] == list(CONDITIONS)
    assert [each.language for each in asked_of(first)] == ["en", "zh", "de"]
    assert first.entry.word in asked_of(first)[2].prompt
    assert first.entry.chinese in asked_of(first)[1].prompt


def test_only_what_was_drawn_is_looked_at() -> None:
    item = starter()[0]
    came = Images(images=(Image(refused="no"), Image(sha256="a" * 64)))
    answers = Answers([AnsweredRequest(DRAW, DRAWER, "d", "english", came)])
    (request,) = look(item, answers, EPICENE)
    assert isinstance(request, Look)
    assert (request.name, request.image) == ("english 2", "a" * 64)
    assert request.choices == ("male", "female", "neither")


WORDS = """language,word,grammar,stereotype,category,english,chinese,genitive
DE,Wache,F,male,occupation,a guard,警卫,der Wache
ES,boxeadora,F,male,occupation,a boxer,拳击手,
"""


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.csv"
    path.write_text(WORDS, "utf-8")
    return path


def test_a_list_of_ones_own(words: Path) -> None:
    dataset = read(DataSource(path=words), EPICENE)
    assert dataset.files == (words,)
    assert [item.id for item in dataset.items][:5] == [
        *(f"DE/Wache/F/{number}" for number in range(1, 5)),
        "ES/boxeadora/F/1",
    ]
    assert suite.check is not None
    found = list(suite.check(list(dataset.items), EPICENE))
    assert any("boxeador" in each.message and each.place == "ES/boxeadora/F" for each in found)
    assert not [each for each in found if each.severity == "error"]


def test_a_list_without_words_is_refused(words: Path) -> None:
    words.write_text(WORDS.splitlines()[0] + "\n", "utf-8")
    with pytest.raises(InputError, match="has no words"):
        read(DataSource(path=words), EPICENE)


def test_counts_are_scored_and_never_run(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    head = "Language,T2I_Model,Grammar_Gender,Bias_Type,Native_Word," + ",".join(
        f"Overall_{condition}_{outcome}"
        for condition in ("English", "Chinese", "Native")
        for outcome in ("Male", "Female", "Neither", "Error")
    )
    path.write_text(
        f"{head}\ngerman,flux,male,occupation,der_star,{',1' * 12}\n".replace(",,", ",")
    )
    assert {type(item) for item in read(DataSource(path=path), EPICENE).items} == {LabelCounts}
    with pytest.raises(InputError, match="epicene score gramvis"):
        ran(tmp_path / "runs", source=DataSource(path=path))
    assert not (tmp_path / "runs").exists()


def test_templates_of_a_file(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "templates.json"
    one = {
        "German": {"f": ["Foto: [NOUN]"], "m": ["Foto: [NOUN]"]},
        "English": {"any": ["A [NOUN]"]},
    }
    path.write_text(json.dumps({**one, "Chinese": {"any": ["[NOUN]"]}}), "utf-8")
    how: Any = choose_protocol(suite, "paper", {"templates": str(path)}, None)
    words.write_text("\n".join(WORDS.splitlines()[:2]) + "\n", "utf-8")
    (item,) = read(DataSource(path=words), how).items
    assert [each.prompt for each in asked_of(item, how)] == ["A guard", "警卫", "Foto: Wache"]
    path.write_text(json.dumps(one), "utf-8")
    how = choose_protocol(suite, "paper", {"templates": str(path)}, None)
    with pytest.raises(InputError, match="1 for EN, 4 for ZH, 1 for DE"):
        read(DataSource(path=words), how)


def test_estimates_of_the_stereotype_table_have_intervals() -> None:
    def mixed(item: PromptItem, condition: str) -> str:
        return ("male", "female")[(len(item.id) + len(condition) + item.template) % 2]

    table = tabulated(mixed, starter())["stereotype"]
    for row in table.rows:
        for cell in row.cells:
            assert isinstance(cell, Estimate)
            assert cell.value is not None
            assert cell.low is not None
            assert cell.high is not None
            assert cell.low <= cell.value <= cell.high


def test_a_limit_alternates_over_languages_and_genders() -> None:
    taken = list(limit_items(starter(), suite.stratum, 20, 0))
    assert Counter(item.entry.language for item in taken) == dict.fromkeys(LANGUAGES, 4)
    assert Counter(item.entry.grammar for item in taken) == {"M": 10, "F": 10}
