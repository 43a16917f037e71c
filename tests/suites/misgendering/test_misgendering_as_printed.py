"""What the protocol paper prints: repetition rates ± SD, Equation 4, notes and error bars.

All numbers are worked out by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import polars as pl
import pytest

from epicene.core.records import Estimate, Figure, Judgement, Table, Text, Texts
from epicene.runs.frames import judgement_frame
from epicene.show.figures import svg
from epicene.suites import AnsweredRequest, Answers, Results, RunInfo
from epicene.suites.headline_metrics import headline_metrics_of
from epicene.suites.misgendering import suite
from epicene.suites.misgendering.items import PUBLISHED_SETS, Candidate, Instance
from epicene.suites.misgendering.judge import judge
from epicene.suites.misgendering.protocol import PROTOCOLS, MisgenderingProtocol

PAPER = PROTOCOLS["paper"]
INFO = RunInfo(run="r", model="m", protocol="paper", identities={})


def results(
    judged: Iterable[Judgement], protocol: MisgenderingProtocol = PAPER, model: str = "m"
) -> Results[Any]:
    info = RunInfo(run="r", model=model, protocol=protocol.name, identities={})
    return Results(judgement_frame(judged, info), protocol, (info,))


def table(found: Results[Any], name: str) -> Table:
    return next(each for each in suite.tables(found) if each.name == name)


def figure(found: Results[Any], name: str) -> Figure:
    return next(each for each in suite.figures(found) if each.name == name)


# --- Tables 10 to 14 -------------------------------------------------------------------------

# Four words, twice: of 4 words all are repeated, of 4 pairs 3, of 4 triples 2, of 4 quadruples 1.
TWICE = (1 * 3 / 4 * 2 / 4 * 1 / 4) ** (1 / 4)
# Three times: 4 of 4 words, 4 of 4 pairs, 4 of 4 triples, and all 4 quadruples.
THRICE = 1.0

# The dataset and setting of each table, and the rates of the texts in it.
TABLES = {
    "10": ("misgendered", "pre", [TWICE, 0.0]),
    "11": ("misgendered", "post", [TWICE, TWICE, 0.0, 0.0]),
    "12": ("tango", "open", [THRICE, 0.0]),
    "13": ("ruff", "pre", [TWICE, THRICE]),
    "14": ("ruff", "post", [TWICE]),
}
CONTINUATIONS = {TWICE: "a b c d", THRICE: "a b c d a b c d", 0.0: "e f g"}


def repeated(dataset: str, setting: str, rates: list[float]) -> list[Judgement]:
    """Texts that begin with "a b c d" and are continued so that they have these rates."""
    template = setting != "open"
    # The gap is the fourth word, so that "d" fills it in what is continued after it.
    before = {"pre": "a b c d ", "post": "a b c ", "open": "a b c d"}[setting]
    instance = Instance(
        id=f"{dataset}/he/0",
        dataset=dataset,
        pronoun="he",
        before=before,
        case="nominative" if template else "",
        candidates=(Candidate(pronoun="he", form="d"),) if template else (),
        sets=PUBLISHED_SETS[dataset],
    )
    blank = "" if setting == "pre" else " "  # what the model begins with
    texts = tuple(Text(text=blank + CONTINUATIONS[rate]) for rate in rates)
    answers = Answers([AnsweredRequest("ask", "model", "m", setting, Texts(texts=texts))])
    return list(judge(instance, answers, PAPER))


@pytest.mark.parametrize("name", TABLES)
def test_repetition_rates_are_of_each_text_as_it_was_continued(name: str) -> None:
    dataset, setting, rates = TABLES[name]
    judged = repeated(dataset, setting, rates)
    assert [each.value for each in judged] == [pytest.approx(rate) for rate in rates]
    mean = sum(rates) / len(rates)
    deviation = (sum((rate - mean) ** 2 for rate in rates) / len(rates)) ** 0.5
    (ours,) = [row for row in table(results(judged), name).rows if row.origin == "run"]
    (cell,) = ours.cells
    assert isinstance(cell, Estimate)
    assert cell.value == pytest.approx(mean)
    assert cell.n == len(rates)
    # As the published rows below it: a standard deviation, and no interval.
    assert (cell.mark, cell.low, cell.high) == (f" ± {deviation:.3f}", None, None)


def test_rates_have_intervals_under_epicene() -> None:
    found = results(repeated("misgendered", "pre", [TWICE, 0.0]), PROTOCOLS["epicene"])
    (ours,) = [row for row in table(found, "10").rows if row.origin == "run"]
    assert isinstance(ours.cells[0], Estimate)
    assert not ours.cells[0].mark
    assert ours.cells[0].n == 2


# --- Equation 4 ------------------------------------------------------------------------------


def continued(number: int, outcome: Any, **facets: str) -> Judgement:
    """The judgement of one continuation about he."""
    return Judgement(
        item=f"he/{number}",
        group=f"he/{number}",
        name="pre 1",
        outcome=outcome,
        label={"right": "he", "wrong": "she", "undetected": None}[outcome],
        value=0.0,
        facets={
            "dataset": "misgendered",
            "pronoun": "he",
            "case": "nominative",
            "format": "generation",
            "setting": "pre",
            "sample": "1",
            "wrong_later": "no",
            "extraneous": "no",
            **facets,
        },
    )


# One right, three wrong, four without a pronoun: 1/8 have the right one, 5/8 do not misgender.
EIGHT = [
    continued(number, outcome)
    for number, outcome in enumerate(["right"] + ["wrong"] * 3 + ["undetected"] * 4)
]


def headline(found: Results[Any]) -> tuple[float | None, float]:
    """The headline metric of generation, and the mean of the scores that models are compared by."""
    metric = headline_metrics_of(suite, found)[1]
    assert metric.item_scores is not None
    scores = metric.item_scores(found)["score"]
    return metric.estimate(found).value, sum(scores) / len(scores)


@pytest.mark.parametrize(("protocol", "share"), [("paper", 5 / 8), ("epicene", 1 / 8)])
def test_no_pronoun_is_correct_by_equation_4(protocol: str, share: float) -> None:
    found = results(EIGHT, PROTOCOLS[protocol])
    metrics = suite.metrics(found)
    assert metrics["accuracy_generation"].value == share
    assert metrics["accuracy_declared_pre"].value == share
    assert metrics["no_pronoun"].value == 4 / 8
    assert headline(found) == (share, share)
    made = table(found, "accuracy")
    shown = dict(zip((each.name for each in made.columns), made.rows[0].cells, strict=True))
    values = {name: cell.value for name, cell in shown.items() if isinstance(cell, Estimate)}
    other = "right pronoun" if protocol == "paper" else "no misgendering"
    assert values == {"all": share, "he": share, other: 6 / 8 - share, "no pronoun": 4 / 8}
    facet = next(row for row in table(found, "accuracy by facet").rows if row.keys[2] == "pre")
    assert isinstance(facet.cells[0], Estimate)
    assert facet.cells[0].value == share


# --- notes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ["1", "2", "5", "7", "agreement", "conflicts"])
def test_what_becomes_of_a_generation_without_a_pronoun(name: str, protocol: str) -> None:
    notes = " ".join(table(results(EIGHT, PROTOCOLS[protocol]), name).notes)
    if name in ("2", "5"):  # of TANGO, whose generations without a pronoun yield no template
        assert "left out here, as in the paper" in notes
        assert "as right" not in notes
    elif protocol == "paper":
        assert "counts as right here, as in the paper" in notes
        assert ("in open contexts it is left out" in notes) == (name in ("agreement", "conflicts"))
    else:
        assert "left out here; the paper counts it as right" in notes
        assert ("except for TANGO" in notes) == (name in ("agreement", "conflicts"))


# --- error bars ------------------------------------------------------------------------------


def open_instance(number: int, generations: str, templates: str) -> list[Judgement]:
    """Generations (r, w, u) of an open context, and the templates made of them (r, w, -)."""
    outcomes = {"r": "right", "w": "wrong", "u": "undetected"}
    place = {"dataset": "tango", "setting": "open", "case": ""}
    made = []
    for sample, (text, scored) in enumerate(zip(generations, templates, strict=True), start=1):
        judged = continued(number, outcomes[text], **place, sample=str(sample))
        made.append(Judgement(**{**_fields(judged), "name": f"open {sample}"}))
        if scored != "-":
            judged = continued(number, outcomes[scored], format="converted", sample=str(sample))
            facets = {**judged.facets, "dataset": "tango"}
            fields = {**_fields(judged), "name": f"converted {sample}", "facets": facets}
            made.append(Judgement(**fields))
    return made


def _fields(judged: Judgement) -> dict[str, Any]:
    return {name: getattr(judged, name) for name in judged.__struct_fields__}


# σ over templates: .5 (r w), 0 (r r); a generation with a pronoun that became no template counts
# as missing: shares 0/2, 1/2 of the two, and 2/2 of the third, which has no σ.
OPEN = [
    *open_instance(0, "rw", "rw"),
    *open_instance(1, "rr", "r-"),
    *open_instance(2, "uu", "--"),
]


def only_row(drawn: Figure) -> dict[str, float]:
    (row,) = drawn.spec["data"]["values"]
    return dict(row)


def test_figure_5b_has_the_standard_deviation() -> None:
    drawn = figure(results(OPEN), "5b")
    row = only_row(drawn)
    # .5 and 0: the mean is .25, and so is the standard deviation with n below.
    assert (row["y"], row["low"], row["high"]) == (0.25, 0.0, 0.5)
    bars = "Error bars are ± one standard deviation over instances, as in the paper."
    assert drawn.notes == (bars,)


def test_figure_11_has_the_standard_error_over_instances() -> None:
    drawn = figure(results(OPEN), "11")
    row = only_row(drawn)
    error = ((0.5**2 + 0 + 0.5**2) / 2) ** 0.5 / 3**0.5
    assert row["y"] == pytest.approx(0.5)
    assert row["high"] - row["y"] == pytest.approx(error)
    assert "one standard error over instances" in " ".join(drawn.notes)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_figure_with_error_bars_says_what_they_are(protocol: str) -> None:
    judged = [*OPEN, *EIGHT, *_by_probability()]
    drawn = list(suite.figures(results(judged, PROTOCOLS[protocol])))
    with_bars = [each for each in drawn if '"low"' in json.dumps(each.spec["data"])]
    assert {"4b", "5a", "11", "12"} <= {each.name for each in with_bars}
    for each in with_bars:
        assert any(note.startswith("Error bars are ") for note in each.notes), each.name


def _by_probability() -> list[Judgement]:
    made = []
    for number, outcome in enumerate(["right", "wrong"] * 4):
        judged = continued(number, outcome, format="probability", measure="per token")
        facets = {name: each for name, each in judged.facets.items() if name not in ("setting",)}
        fields = {**_fields(judged), "name": "probability", "facets": facets}
        made.append(Judgement(**fields))
    return made


# --- Figures 10, 13 and 16 -------------------------------------------------------------------


def landscape() -> Figure:
    """Figure 10 of six models and four pronouns, each with another beta distribution."""
    infos, frames = [], []
    for model in range(6):
        judged = []
        for place, pronoun in enumerate(("he", "she", "they", "xe")):
            for number in range(4):
                right = (number + place + model) % 4  # of four generations
                outcomes = ["right"] * right + ["wrong"] * (4 - right)
                about = {"item": f"{pronoun}/{number}", "group": f"{number}"}
                for sample, outcome in enumerate([*outcomes, "right"], start=1):
                    made = continued(number, outcome, pronoun=pronoun, sample=str(sample))
                    judged.append(Judgement(**{**_fields(made), **about, "name": f"pre {sample}"}))
                scored = "right" if number < 1 + place else "wrong"
                made = continued(number, scored, pronoun=pronoun, format="probability")
                judged.append(Judgement(**{**_fields(made), **about, "name": "probability"}))
        infos.append(RunInfo(run="r", model=f"model {model}", protocol="paper", identities={}))
        frames.append(judgement_frame(judged, infos[-1]))
    frame = pl.concat(frames, how="diagonal")
    return figure(Results(frame, PAPER, tuple(infos)), "10")


def test_the_landscape_has_its_lines_and_a_marker_per_pronoun() -> None:
    drawn = landscape()
    points = drawn.spec["data"]["values"]
    assert len(points) == 24
    assert {row["shape"] for row in points} == {"he", "she", "they", "xe"}
    assert not any("label" in row for row in points)  # 24 words would lie on one another
    layers = drawn.spec["spec"]["layer"]
    at_x, at_y, diagonal = (each for each in layers if each["mark"].get("strokeDash"))
    assert at_x["encoding"] == {"x": {"datum": 1.0}}
    assert at_y["encoding"] == {"y": {"datum": 1.0}}
    (ends,) = diagonal["data"]["values"]
    assert (ends["x"], ends["x2"]) == (ends["y"], ends["y2"])
    (marks,) = [each["encoding"] for each in layers if each["mark"]["type"] == "point"]
    assert marks["shape"]["field"] == "shape"
    assert len(set(marks["shape"]["scale"]["range"])) >= 11  # the starter set has eleven
    low, high = marks["x"]["scale"]["domain"]
    assert low < 1 < high
    assert marks["y"]["scale"]["domain"] == [low, high]
    assert svg(drawn).count("stroke-dasharray") >= 3
    assert "α = β" in " ".join(drawn.notes)
