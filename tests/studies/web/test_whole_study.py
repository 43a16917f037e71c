"""A study from the first participant to the tables, with thirty people and a server that is killed.

Some people leave early, fail the attention checks or click through; others take their place. What
a plain pandas script makes of the export are the numbers of the tables.
"""

from __future__ import annotations

import json
import random
import re
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

import epicene
from epicene.studies.collection.folder import RESPONSES_FILE, create_study_folder
from epicene.studies.design.schema import (
    Access,
    ChoiceQuestion,
    ExclusionRule,
    Study,
    StudyItem,
    TagsQuestion,
    TextPanel,
)
from studies.annotate_command import command
from studies.web.page_visitors import Page
from studies.web.served_process import Running, running
from study_examples import en, options, study

ITEMS, JUDGEMENTS, PER_PERSON = 30, 3, 6
GOOD, LEAVES, FAILS, FAST = "good", "leaves", "fails", "fast"
# By number, so that the kinds are spread over the study
KINDS = [[GOOD, GOOD, LEAVES, GOOD, FAILS, GOOD, GOOD, FAST, GOOD, GOOD][n % 10] for n in range(30)]


def whole_study() -> Study:
    def shown(name: str, text: str, **settings: Any) -> StudyItem:
        return StudyItem(
            id=name, fields={"text": text, "a": f"{text} a", "b": f"{text} b"}, **settings
        )

    right: dict[str, Any] = {"label": "no"}
    return study(
        (TextPanel(field="text"), TextPanel(field="a"), TextPanel(field="b")),
        (
            ChoiceQuestion(id="label", ask=en("Is it natural?"), options=options("yes", "no")),
            ChoiceQuestion(id="better", ask=en("Which?"), between=("a", "b"), preference=True),
            TagsQuestion(id="why", ask=en("Why?"), options=options("form", "word")),
        ),
        tuple(shown(f"i{n}", f"item {n}", group=f"g{n % 12}") for n in range(ITEMS)),
        practice=(shown("p0", "practice 0", expected={"label": "yes"}), shown("p1", "practice 1")),
        checks=tuple(shown(f"c{n}", f"check {n}", expected=right) for n in range(3)),
        fillers=(shown("f0", "filler 0"),),
        consent=en("Do you agree?"),
        instructions=en("Read and judge."),
        judgements=JUDGEMENTS,
        per_person=PER_PERSON,
        exclude=ExclusionRule(checks=0.6, seconds=1),
        access=Access(
            entry="open",
            participant_parameter="PROLIFIC_PID",
            completion_code="DONE",
            excluded_code="SORRY",
        ),
    )


class Participant:
    """Somebody who comes by the open link, and comes again after each failed request."""

    def __init__(self, number: int) -> None:
        self.name = f"p{number:02}"
        self.kind = KINDS[number]
        self.random = random.Random(number)
        self.client = httpx.Client(timeout=20)
        self.last = ""  # the last page

    def work(self, site: Site) -> Iterator[None]:
        self.last = site.get(self, f"{site.open_link()}{self.name}").text
        if Page(self.last).stage == "full":  # nothing is kept of them
            return
        for _ in range(60):
            self.last = site.get(self, "/").text
            page = Page(self.last)
            if page.stage in ("done", "full", "excluded"):
                return
            if self.kind == LEAVES and page.stage == "item" and self.random.random() < 0.2:
                return
            self._act(site, page)
            yield
        raise AssertionError(f"{self.name} does not come to an end at {page.stage}")

    def _act(self, site: Site, page: Page) -> None:
        csrf = page.chosen["csrf"][-1]
        if page.stage != "item":
            address = {"consent": "/consent", "instructions": "/begin", "feedback": "/go-on"}
            number = page.chosen.get("number", [""])[-1]
            fields = {"csrf": csrf, "agree": "yes", "number": number}
            site.post(self, address[page.stage], data=fields)
            return
        check = re.search(r"check \d", page.text) is not None
        says_no = self.kind != FAILS if check else self._coin()
        answers = {
            "label": ["no" if says_no else "yes"],
            "better": [self.random.choice("12")],
            "why": [name for name in ("form", "word") if self._coin()],
        }
        seconds = 0.3 if self.kind == FAST else round(self.random.uniform(1.5, 5), 1)
        body = {
            "number": int(page.values("data-number")[-1]),
            "revision": int(page.values("data-revision")[0]),
            "answers": answers,
            "seconds": seconds,
        }
        site.post(self, "/api/answer", json=body, headers={"X-CSRF-Token": csrf})

    def _coin(self) -> bool:
        return self.random.random() < 0.5


class Site:
    """The server, which is killed now and then and started again at the same port."""

    def __init__(self, folder: Path, server: Running) -> None:
        self.folder = folder
        self.server = server
        self.kills = 0
        self.port = int(server.links["(owner)"].rpartition("/enter/")[0].rpartition(":")[2])

    def open_link(self) -> str:
        address = self.server.links["(open)"].partition("/enter/")[2]
        return f"/enter/{address.partition('=')[0]}="

    def kill(self) -> None:
        self.server.stop(signal.SIGKILL)
        self.server = Running(self.folder, "", self.port)
        self.kills += 1

    def get(self, who: Participant, address: str) -> httpx.Response:
        reply = who.client.get(f"http://127.0.0.1:{self.port}{address}", follow_redirects=True)
        assert reply.status_code == 200, reply.text
        return reply

    def post(self, who: Participant, address: str, **content: Any) -> None:
        """Send something, perhaps twice: the answer to the first may be lost with the server."""
        for _ in range(2 if who.random.random() < 0.1 else 1):
            reply = who.client.post(f"http://127.0.0.1:{self.port}{address}", **content)
            assert reply.status_code in (200, 303), (address, reply.text)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the study after thirty people."""
    folder = tmp_path_factory.mktemp("whole") / "study"
    create_study_folder(folder, whole_study())
    people = [Participant(number) for number in range(30)]
    with running(folder, "") as server:
        site = Site(folder, server)
        try:
            _let_work(site, people)
        finally:
            site.server.stop(signal.SIGTERM)
    assert site.kills == 2
    shown = {
        person.name: "excluded"
        if "SORRY" in person.last
        else "done"
        if "DONE" in person.last
        else ""
        for person in people
    }
    for person in people:
        if person.kind in (FAILS, FAST) and shown[person.name]:
            assert shown[person.name] == "excluded", person.name
        if person.kind == GOOD:
            assert shown[person.name] != "excluded", person.name
    return folder


def _let_work(site: Site, people: list[Participant]) -> None:
    """Six at a time; two kills; later the leases of people who left run out."""
    waiting = [person.work(site) for person in people]
    active: list[Iterator[None]] = []
    steps = 0
    while waiting or active:
        while waiting and len(active) < 6:
            active.append(waiting.pop(0))
        for each in list(active):
            try:
                next(each)
            except StopIteration:
                active.remove(each)
            steps += 1
            if steps in (40, 110):
                site.kill()
        if len(waiting) < 6:
            _lapse(site.folder)
        if len(waiting) <= 8 and "p00" not in epicene.Study(site.folder).excluded:
            epicene.annotate.exclude(site.folder, "p00", reason="asked to be left out")


def _lapse(folder: Path) -> None:
    """Let the items lapse that wait for people who left, as they do after half an hour."""
    gone = [f"p{number:02}" for number, kind in enumerate(KINDS) if kind == LEAVES]
    with closing(sqlite3.connect(folder / RESPONSES_FILE, timeout=10)) as db, db:
        marks = ", ".join("?" * len(gone))
        db.execute(
            f"UPDATE assignments SET lapses = 0 WHERE lapses > 0 AND participant IN ({marks})",
            gone,
        )


@pytest.fixture(scope="module")
def export(finished: Path) -> pd.DataFrame:
    content = epicene.annotate.export(finished, per="judgement").content
    return pd.read_csv(BytesIO(content), keep_default_na=False)


@pytest.fixture
def tables(finished: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert command("tables", finished, "--json") == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def counted(export: pd.DataFrame) -> pd.DataFrame:
    return export[(export["kind"] == "item") & (export["excluded"] == "")]


def test_every_item_has_its_judgements_though_people_were_excluded(
    export: pd.DataFrame, finished: Path
) -> None:
    assert set(counted(export).groupby("item").size()) == {JUDGEMENTS}
    assert counted(export)["item"].nunique() == ITEMS
    assert not export.duplicated(["participant", "item"]).any()
    reasons = {each.partition(" (")[0] for each in epicene.Study(finished).excluded.values()}
    assert reasons == {"failed attention checks", "answered too fast", "asked to be left out"}
    evidence = export[export["excluded"] != ""]
    assert set(evidence["participant"]) == set(epicene.Study(finished).excluded)
    assert Counter(export["kind"]).keys() == {"item", "practice", "check", "filler"}


def test_positions_and_orders_are_those_on_the_screen(export: pd.DataFrame) -> None:
    for _, own in export.groupby("participant"):
        assert own["position"].is_unique
        assert own.sort_values("position")["kind"].iloc[0] == "practice"
    assert set(export["order: better"]) == {"a; b", "b; a"}
    assert (export[export["excluded"].str.startswith("answered")]["flags"] == "fast").all()


def test_quality_by_pandas(export: pd.DataFrame, tables: dict[str, Any]) -> None:
    own = export[export["excluded"] == ""]
    items, checks = own[own["kind"] == "item"], own[own["kind"] == "check"]
    quality = tables["tables"]["quality"]
    assert set(quality) == set(own["participant"])
    for person, cells in quality.items():
        seen = checks[checks["participant"] == person]
        judged = items[items["participant"] == person]
        assert cells["items"]["value"] == len(judged)
        assert cells["attention checks"]["value"] == len(seen)
        if len(seen):
            assert cells["right"]["value"] == pytest.approx((seen["right"] == "true").mean())
        if len(judged):
            median = judged["seconds"].astype(float).median()
            assert cells["seconds (median)"]["value"] == pytest.approx(median)


@pytest.mark.parametrize("question", ["label", "better"])
def test_agreement_by_pandas(export: pd.DataFrame, tables: dict[str, Any], question: str) -> None:
    shared = [own[question].tolist() for _, own in counted(export).groupby("item")]
    pairs = [pair for labels in shared for pair in combinations(labels, 2)]
    one, other = zip(*pairs, *((b, a) for a, b in pairs), strict=True)
    raw = sum(a == b for a, b in pairs) / len(pairs)
    shares = pd.crosstab(pd.Series(one), pd.Series(other)).to_numpy() / len(one)
    chance = float((shares.sum(0) * shares.sum(1)).sum())
    cells = tables["tables"]["questions"][question]["all"]
    assert cells["agreement"]["value"] == pytest.approx(raw)
    assert cells["Cohen's κ"]["value"] == pytest.approx((raw - chance) / (1 - chance))
    assert cells["items"]["value"] == ITEMS
    assert tables["study"]["given"] == len(counted(export)) == tables["study"]["wanted"]


def test_tags_by_pandas(export: pd.DataFrame, tables: dict[str, Any]) -> None:
    for tag in ("form", "word"):
        shared = [own[f"why: {tag}"].tolist() for _, own in counted(export).groupby("item")]
        pairs = [pair for labels in shared for pair in combinations(labels, 2)]
        raw = sum(a == b for a, b in pairs) / len(pairs)
        cells = tables["tables"]["questions"]["why"][tag]
        assert cells["agreement"]["value"] == pytest.approx(raw)


def test_the_tables_say_who_is_left_out(finished: Path, tables: dict[str, Any]) -> None:
    assert tables["study"]["left_out"] == len(epicene.Study(finished).excluded)
    for table in epicene.Study(finished).answers().results().records:
        assert any("excluded: failed attention checks" in note for note in table.notes)


def test_the_payment_list(finished: Path) -> None:
    people = epicene.Study(finished).answers().frame("participant")
    assert 25 <= len(people) <= 30  # nothing is kept of people who come when all is done
    by_name = {row["participant"]: row for row in people.iter_rows(named=True)}
    for name, row in by_name.items():
        kind = KINDS[int(name[1:])]
        assert row["consented"] is not None or row["items"] == 0
        if row["excluded"]:
            assert row["code"] == "SORRY"
        elif row["finished"] is not None:
            assert row["code"] == "DONE"
            assert kind in (GOOD, LEAVES)
        else:
            assert row["code"] == ""


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "xlsx", "parquet"])
def test_every_format_has_the_same_rows(finished: Path, tmp_path: Path, ending: str) -> None:
    answers = epicene.Study(finished).answers()
    for per in ("judgement", "item", "participant"):
        path = tmp_path / f"{per}.{ending}"
        assert command("export", finished, "--per", per, "-o", path) == 0
        readers: dict[str, Callable[[Path], pd.DataFrame]] = {
            "csv": pd.read_csv,
            "tsv": lambda file: pd.read_csv(file, sep="\t"),
            "jsonl": lambda file: pd.read_json(file, lines=True),
            "xlsx": pd.read_excel,
            "parquet": _parquet,
        }
        read = readers[ending](path)
        frame = answers.frame(per)
        assert list(read.columns) == frame.columns
        assert len(read) == len(frame)
        first = "item" if per == "item" else "participant"
        assert read[first].tolist() == frame[first].to_list()
        assert path.stat().st_mode & 0o077 == 0
    assert (tmp_path / "item.csv").exists() == (ending == "csv")


def _parquet(path: Path) -> pd.DataFrame:
    """By polars: pandas itself wants a further package for it."""
    import polars as pl

    frame = pl.read_parquet(path)
    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def test_the_codebook_has_every_column(finished: Path) -> None:
    answers = epicene.Study(finished).answers()
    for per in ("judgement", "item", "participant"):
        codebook = answers.codebook(per)
        assert codebook["name"].to_list() == answers.frame(per).columns
        assert all(codebook["meaning"])


def test_the_votes_of_an_item_are_those_of_its_judgements(
    finished: Path, export: pd.DataFrame
) -> None:
    items = epicene.Study(finished).answers().frame("item")
    for row in items.iter_rows(named=True):
        own = counted(export)
        labels = own[own["item"] == row["item"]]["label"]
        if row["kind"] == "item":
            assert row["label: yes"] == (labels == "yes").sum()
            assert row["given"] == row["wanted"] == JUDGEMENTS
            assert row["label"] == labels.mode()[0]
