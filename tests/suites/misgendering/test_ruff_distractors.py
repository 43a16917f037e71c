"""RUFF in full, from tables of its shape that were written here."""

from __future__ import annotations

import resource
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from epicene.errors import InputError
from epicene.models import parse_spec
from epicene.runs.results import read_run
from epicene.runs.run import Order, run
from epicene.runs.summary import summarise
from epicene.suites import Source, choose_protocol
from epicene.suites.misgendering import suite
from epicene.suites.misgendering.sources.ruff_distractors import files, instances
from runs.conftest import Silent

TASKS = {
    "$NOM_PRONOUN": "The {who} said that $NOM_PRONOUN had closed the shop.",
    "$ACC_PRONOUN": "The {who} knew that the manager would call $ACC_PRONOUN back.",
    "$POSS_PRONOUN": "The {who} carried $POSS_PRONOUN own ladder upstairs.",
}
TOPICS = {
    "positive": ("slept well", "won a prize", "heard good news", "ate a warm meal", "met a friend"),
    "negative": ("slept badly", "lost a bet", "heard bad news", "skipped lunch", "missed a friend"),
}
CLAUSES = {
    "$NOM_PRONOUN": "and $NOM_PRONOUN said so",
    "$ACC_PRONOUN": "and it showed on $ACC_PRONOUN",
    "$POSS_PRONOUN": "and $POSS_PRONOUN mood showed it",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """180 tasks and 30 contexts."""
    root = tmp_path_factory.mktemp("full")
    (root / "ruff").mkdir()
    tasks = ["occupation\tparticipant\tsentence\tpronoun_type\tword"]
    for number in range(60):
        for slot, text in TASKS.items():
            who = f"worker-{number}"
            tasks.append(f"{who}\tguest-{number}\t{text.format(who=who)}\t{slot}\t{who}")
    contexts = ["pronoun_type\tpolarity\texplicit_template\timplicit_template"]
    for slot, clause in CLAUSES.items():
        for polarity, topics in TOPICS.items():
            for topic in topics:
                named = f"the $OCCUPATION/PARTICIPANT {topic} {clause}."
                contexts.append(
                    f"{slot}\t{polarity}\t{named}\tonce more it was true: {topic} {clause}."
                )
    for name, lines in (("task", tasks), ("context", contexts)):
        (root / "ruff" / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def test_the_counts_are_the_published_ones(folder: Path) -> None:
    counts = Counter(each.distractors for each in instances(files(folder), (0, 1, 2)))
    assert counts == {0: 7200, 1: 86_400, 2: 345_600}
    # One task after one introduction has all the rest: a 7,200th of the published totals.
    one = list(islice((each.distractors for each in instances(files(folder), (3, 4, 5))), 720))
    assert Counter(one) == {3: 144, 4: 288, 5: 288}
    assert (144 * 7200, 288 * 7200) == (1_036_800, 2_073_600)


def test_memory_is_bounded_while_they_stream(folder: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in islice(instances(files(folder), (5,)), 200_000):
        pass
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * 1024


def test_two_people_have_two_pronouns_and_two_moods(folder: Path) -> None:
    for each in islice(instances(files(folder), (3,)), 0, 20_000, 97):
        sentences = each.before.split(". ")
        assert len(sentences) == 5  # introduction, three distractors, the task
        assert each.occupation in sentences[0]
        assert "guest" in sentences[1]
        forms = {each.gold.form}
        others = {candidate.form for candidate in each.candidates} - forms
        assert forms & set(sentences[0].replace(".", "").split())
        for sentence in sentences[1:4]:
            assert others & set(sentence.replace(".", "").split()), sentence
    assert len({each.id for each in islice(instances(files(folder), (1, 2)), 5000)}) == 5000


def test_only_zero_to_five(folder: Path) -> None:
    with pytest.raises(InputError, match="0 to 5 distractors"):
        next(instances(files(folder), (6,)))


def test_a_run_gives_the_curve(folder: Path, tmp_path: Path) -> None:
    settings = {"distractors": "0,1,2", "datasets": "ruff"}
    order = Order(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", settings, None),
        models={"model": [parse_spec("random")]},
        source=Source(path=folder),
        limit=60,
        under=tmp_path,
    )
    where, manifest = run(order, Silent())
    assert manifest.state == "complete"
    summary = summarise([read_run(where)])
    table = next(table for table in summary.tables if table.name == "distractors")
    assert [column.name for column in table.columns] == ["0", "1", "2"]
    assert "distractors" in {figure.name for figure in summary.figures}
