"""From a parallel text to a corpus, with scripted annotators, killed on the way."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from epicene.core import files
from epicene.core.errors import InputError
from epicene.runs import dataset_builder
from epicene.runs.dataset_builder import BuildConfig, WaitingForPeopleError, build_dataset
from epicene.studies.collection.database import ResponseStore
from epicene.studies.collection.folder import RESPONSES_FILE, open_study_folder
from epicene.studies.design.answers import response_problems
from epicene.studies.design.checks import study_problems
from epicene.studies.design.schema import AnswerValue, Response, Study, StudyItem
from epicene.studies.exchange.response_files import LocatedResponse
from epicene.suites import DataSource, find_suite
from epicene.suites.apgc import data as folders
from epicene.suites.apgc.construction.selection import (
    persons_mentioned,
    sample_pairs,
    separate_punctuation,
)
from epicene.suites.apgc.data import read
from epicene.suites.apgc.english import english_gender
from epicene.suites.apgc.items import SENTENCE_LABELS
from epicene.suites.apgc.protocol import ApgcProtocol
from runs.conftest import Silent

# English, Arabic, label, and its other forms by their labels.
TEXTS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("I am tired today.", "أنا متعب اليوم.", "MN", {"FN": "أنا متعبة اليوم ."}),
    ("I live near the sea.", "أسكن قرب البحر.", "BN", {}),
    ("Can you hear me?", "هل تسمعني؟", "BM", {"BF": "هل تسمعينني ؟"}),
    ("You all know me.", "أنتم تعرفونني.", "BM!", {"BF!": "أنتن تعرفنني ."}),
    (
        "I am proud of you, my child.",
        "أنا فخورة بك يا ابني.",
        "FM",
        {
            "MM": "أنا فخور بك يا ابني .",
            "FF": "أنا فخورة بك يا ابنتي .",
            "MF": "أنا فخور بك يا ابنتي .",
        },
    ),
    ("We are ready, you know.", "نحن مستعدون كما تعلم.", "M!M", {}),
    ("My phone is ringing.", "هاتفي يرن.", "BN", {}),
    ("I asks yes you", "أنا نعم لا أن", "malformed", {}),
    ("You are pregnant.", "أنت حامل.", "NF", {"NM": "hard"}),
    ("What is your name?", "ما اسمك؟", "NB", {}),
    ("The sun is shining.", "الشمس مشرقة.", "NN", {}),  # nobody of the two: not selected
)
EXTRA = {
    "F!M": "نحن مستعدات كما تعلم .",
    "M!F": "نحن مستعدون كما تعلمين .",
    "F!F": "نحن مستعدات كما تعلمين .",
}
LABELS = {separate_punctuation(arabic): label for _, arabic, label, _ in TEXTS}
FORMS = {separate_punctuation(arabic): forms or EXTRA for _, arabic, _, forms in TEXTS}


@pytest.fixture
def bitext(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    rows = ["id\tenglish\tarabic"]
    rows += [f"{n}\t{english}\t{arabic}" for n, (english, arabic, *_) in enumerate(TEXTS, 1)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def build(folder: Path, bitext: Path, **settings: str) -> list[str]:
    chosen = {"bitext": str(bitext), "size": "10", "shares": "4,3,3", **settings}
    return list(build_dataset(BuildConfig(find_suite("apgc"), folder, chosen, {}), Silent()))


def respond(folder: Path, person: str, errs: frozenset[str] = frozenset()) -> None:
    """A person answers everything of a study; `errs` are the items they get wrong."""
    opened = open_study_folder(folder)
    made = []
    for item in opened.study.items:
        answers = label(item, errs) if "people" not in item.fields else form(item)
        response = Response(
            study=opened.study.name,
            participant=person,
            item=item.id,
            answers=answers,
            at=datetime(2026, 1, 1, tzinfo=UTC),
            seconds=1.0,
        )
        assert not list(response_problems(opened.study, item, response.answers))
        made.append(LocatedResponse("here", response))
    store = ResponseStore(folder / RESPONSES_FILE)
    with store.writing():
        store.put(made)
    store.close()


def label(item: StudyItem, errs: frozenset[str]) -> dict[str, AnswerValue]:
    truth = LABELS[item.fields["text"]]
    if truth == "malformed":
        return {"usable": "malformed"}
    letters = truth.replace("!", "")
    first_many = truth[1:2] == "!"
    several = tuple(
        name for name, many in (("first", first_many), ("second", truth.endswith("!"))) if many
    )
    first = "B" if item.id in errs else letters[0]
    return {"usable": "yes", "first": first, "second": letters[1], "several": several}


def form(item: StudyItem) -> dict[str, AnswerValue]:
    written = FORMS[item.fields["text"]][item.id.split()[-1]]
    if written == "hard":
        return {"possible": "hard"}
    return {"possible": "yes", "form": written}


def in_child_killed_at(name: str, folder: Path, bitext: Path) -> None:
    """Build in a child process that kills itself when it is about to write a file of that name."""
    child = os.fork()
    if child == 0:
        write = files.write_atomically

        def deadly(path: Path, data: bytes) -> None:
            if path.name == name:
                os.kill(os.getpid(), signal.SIGKILL)
            write(path, data)

        vars(dataset_builder)["write_atomically"] = deadly
        try:
            build(folder, bitext)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the child was to be killed"


def test_from_bitext_to_corpus(tmp_path: Path, bitext: Path) -> None:
    out = tmp_path / "built"
    with pytest.raises(WaitingForPeopleError, match="identify"):
        build(out, bitext)
    respond(out / "02-identify", "one")
    respond(out / "02-identify", "two", errs=frozenset({"1"}))
    in_child_killed_at("02-identify.jsonl", out, bitext)
    with pytest.raises(WaitingForPeopleError, match="adjudicate"):
        build(out, bitext)
    assert [item.id for item in open_study_folder(out / "03-adjudicate").study.items] == ["1"]
    respond(out / "03-adjudicate", "three")
    with pytest.raises(WaitingForPeopleError, match="rewrite"):
        build(out, bitext)
    rewriting = open_study_folder(out / "05-rewrite").study
    assert len(rewriting.items) == 1 + 1 + 1 + 3 + 3 + 1  # every other form of what shows gender
    respond(out / "05-rewrite", "one")
    in_child_killed_at("06-group.jsonl", out, bitext)
    told = build(out, bitext)
    assert told[-1] == "17 items, 0 findings."

    corpus = list(
        read(DataSource(path=out / "corpus.jsonl"), ApgcProtocol(name="x", about="")).items
    )
    originals = {each.id: each for each in corpus if each.original}
    assert sorted(each.label for each in originals.values()) == [
        "BM", "BM!", "BN", "BN", "FM", "M!M", "MN", "NB",
    ]  # fmt: skip
    assert originals["1.1"].words == ("B+B", "1M+B", "B+B", "B+B")
    assert originals["6.1"].words == ("B+B", "1M!+B", "B+B", "2M+B", "B+B")
    card = (out / "card.md").read_text(encoding="utf-8")
    assert "hard: 1; malformed: 1" in card
    assert "they agreed on 9 of 10 sentences" in card


def test_the_corpus_is_written_in_the_published_layout(tmp_path: Path, bitext: Path) -> None:
    out = tmp_path / "built"
    for step in ("02-identify", "05-rewrite"):
        with pytest.raises(WaitingForPeopleError):
            build(out, bitext, splits="1,0,0")
        respond(out / step, "one")
        if step == "02-identify":
            respond(out / step, "two")
    build(out, bitext, splits="1,0,0")
    sentences, _ = folders.read_folder(out / "corpus", "train")
    assert Counter(each.original for each in sentences) == {True: 8, False: 9}
    labels = (out / "corpus/train.en.label").read_text(encoding="utf-8").split()
    assert labels == [english_gender(each.english) for each in sentences]
    assert [each.english_gender for each in sentences] == labels


def practice_answers(item: StudyItem, study: Study) -> dict[str, AnswerValue]:
    problems = list(response_problems(study, item, item.expected))
    assert not problems
    assert set(item.feedback) == {"en", "ar"}
    return item.expected


def test_annotators_get_an_example_for_each_code_and_practice(tmp_path: Path, bitext: Path) -> None:
    out = tmp_path / "built"
    with pytest.raises(WaitingForPeopleError):
        build(out, bitext)
    identify = open_study_folder(out / "02-identify").study
    assert not list(study_problems(identify))
    for text in identify.instructions.values():
        codes = set(re.findall(r"^- .+ \u2066\((\S+)\)\u2069: [^:]+$", text, re.M))
        assert codes >= set(SENTENCE_LABELS)
        assert any("!" in code for code in codes)
        assert "أنا هي من" in text
    answered = [practice_answers(item, identify) for item in identify.practice]
    assert {each["usable"] for each in answered} == {"yes", "malformed"}
    assert {each.get("first") for each in answered} >= {"M", "F", "B", "N"}
    assert {each.get("second") for each in answered} >= {"M", "F", "B", "N"}
    assert ("first", "second") in {each.get("several") for each in answered}
    for person in ("one", "two"):
        respond(out / "02-identify", person)
    with pytest.raises(WaitingForPeopleError):
        build(out, bitext)
    rewrite = open_study_folder(out / "05-rewrite").study
    assert not list(study_problems(rewrite))
    forms = {
        item.fields["text"]: practice_answers(item, rewrite).get("form")
        for item in rewrite.practice
    }
    assert None in forms.values()  # one is hard
    assert forms["أنا هي من تبحث الشرطة عنها"] == "أنا هو من تبحث الشرطة عنه"


def test_answers_to_practice_are_no_labels(tmp_path: Path, bitext: Path) -> None:
    out = tmp_path / "built"
    with pytest.raises(WaitingForPeopleError, match="20 of 20"):
        build(out, bitext)
    study = open_study_folder(out / "02-identify").study
    practised = Response(
        study=study.name,
        participant="one",
        item=study.practice[0].id,
        answers=study.practice[0].expected,
    )
    store = ResponseStore(out / "02-identify" / RESPONSES_FILE)
    with store.writing():
        store.put([LocatedResponse("here", practised)])
    store.close()
    for person in ("one", "two"):
        respond(out / "02-identify", person)
    with pytest.raises(WaitingForPeopleError, match="rewrite"):
        build(out, bitext)


def test_a_rewrite_with_another_number_of_words_is_refused(tmp_path: Path, bitext: Path) -> None:
    out = tmp_path / "built"
    with pytest.raises(WaitingForPeopleError):
        build(out, bitext)
    respond(out / "02-identify", "one")
    respond(out / "02-identify", "two")
    with pytest.raises(WaitingForPeopleError):
        build(out, bitext)
    study = open_study_folder(out / "05-rewrite").study
    item = study.items[0]
    answers = {"possible": "yes", "form": item.fields["text"] + " أيضا"}
    assert any("words" in problem for problem in response_problems(study, item, answers))


def test_splits_keep_groups_whole_and_labels_in_proportion() -> None:
    from epicene.suites.apgc.construction import split
    from epicene.suites.apgc.construction.selection import ApgcBuild

    rows = [
        {"id": f"{label}{n}", "texts": {label: "x"}} for label in ("BB", "MB") for n in range(100)
    ]
    made = list(split({"group": rows}, ApgcBuild(splits=(0.7, 0.1, 0.2))))
    counts = Counter((row["id"][:2], row["split"]) for row in made)
    assert counts == {
        (label, name): number
        for label in ("BB", "MB")
        for name, number in (("train", 70), ("dev", 10), ("test", 20))
    }


# --- selection -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("english", "people"),
    [
        ("I saw you.", "both"),
        ("It is mine!", "first"),
        ("Help yourself", "second"),
        ("I'm here", "first"),
        ("In the middle", None),
        ("Thank them", None),
    ],
)
def test_who_is_in_the_english(english: str, people: str | None) -> None:
    assert persons_mentioned(english) == people


def test_tokens() -> None:
    assert separate_punctuation("نعم،\u200f أنا.. هنا!") == "نعم ، أنا . . هنا !"


def test_sampling_in_given_proportions() -> None:
    pairs = [
        {"id": f"{kind}{n}", "people": kind}
        for kind in ("both", "first", "second")
        for n in range(50)
    ]
    drawn = sample_pairs(pairs, 40, (0.5, 0.25, 0.25), seed=1)
    assert Counter(pair["people"] for pair in drawn) == {"both": 20, "first": 10, "second": 10}
    assert drawn == sample_pairs(pairs, 40, (0.5, 0.25, 0.25), seed=1)
    assert drawn != sample_pairs(pairs, 40, (0.5, 0.25, 0.25), seed=2)
    with pytest.raises(InputError, match="50 pairs of the kind 'both', but 60"):
        sample_pairs(pairs, 120, (0.5, 0.25, 0.25), seed=1)


def test_who_labelled_cannot_also_decide(tmp_path: Path, bitext: Path) -> None:
    out = tmp_path / "built"
    with pytest.raises(WaitingForPeopleError):
        build(out, bitext)
    respond(out / "02-identify", "one")
    respond(out / "02-identify", "two", errs=frozenset({"1"}))
    with pytest.raises(WaitingForPeopleError, match="adjudicate"):
        build(out, bitext)
    respond(out / "03-adjudicate", "one")
    with pytest.raises(InputError, match="one labelled the sentence 1 and cannot also adjudicate"):
        build(out, bitext)


@pytest.mark.parametrize("size", [1, 2, 7, 10])
def test_as_many_as_wanted_are_sampled(size: int) -> None:
    kinds = ("both", "first", "second")
    pairs = [{"id": f"{kind}{n}", "people": kind} for kind in kinds for n in range(9)]
    assert len(sample_pairs(pairs, size, (0.211, 0.425, 0.364), seed=0)) == size


def test_the_bitext_counts_by_its_content(tmp_path: Path, bitext: Path) -> None:
    """Wherever it lies it is the same; changed it is another, though its name is the old one."""
    out = tmp_path / "built"
    with pytest.raises(WaitingForPeopleError):
        build(out, bitext)
    moved = bitext.rename(tmp_path / "moved.tsv")
    with pytest.raises(WaitingForPeopleError):
        build(out, moved)
    text = moved.read_text(encoding="utf-8")
    bitext.write_text(text.replace("today", "now"), encoding="utf-8")
    with pytest.raises(InputError, match="was started with another bitext; build into another"):
        build(out, bitext)
    with pytest.raises(InputError, match=r"There is no file .*gone\.tsv"):
        build(out, tmp_path / "gone.tsv")


def test_a_refused_beginning_does_not_bind_the_folder(tmp_path: Path, bitext: Path) -> None:
    out = tmp_path / "built"
    with pytest.raises(InputError, match="but 40 are needed"):
        build(out, bitext, size="100")
    with pytest.raises(WaitingForPeopleError):
        build(out, bitext)
    with pytest.raises(InputError, match="must be a whole number of at least 1"):
        build(tmp_path / "other", bitext, size="-3")
