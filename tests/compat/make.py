"""Writes the fixtures of the compatibility tests: a record, run once with version 0.1.0.

    python tests/compat/make.py NEW_FOLDER             # fixtures/ and expected/, in a new folder
    python tests/compat/make.py --expected NEW_FOLDER  # expected/ from tests/compat/fixtures

The first was done with the interpreter of a checkout from before the packages were renamed, and
its two folders were copied here; the module names in strings below are those of that version.
Never make `fixtures/` anew: a later version must read what that one wrote. Where a table changes on
purpose, make `expected/` anew by the second command, with the version that is to be expected, and
say in the changelog what changed.

Needs the extras `hf` (to train the tagger), `api` and `annotate`.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from compat.cases import (  # noqa: E402 - the tests' folder is not on the path of a script
    BUILD,
    HALFWAY,
    HOSTED,
    HOSTED_CONCURRENCY,
    HOSTED_LIMIT,
    MATERIAL,
    OUTPUTS,
    RUNS,
    SWEEP,
)
from compat.local import Chat, Visitor, kept, write_material  # noqa: E402

EPICENE = str(Path(sys.executable).with_name("epicene"))
ENVIRONMENT = {**os.environ, "COLUMNS": "200", "OMP_NUM_THREADS": "1", "OPENAI_API_KEY": "none"}

Row: TypeAlias = dict[str, str]


def epicene(*arguments: str | Path, code: int = 0, stdin: bytes = b"") -> bytes:
    """Run a command in the current folder; what it prints."""
    done = subprocess.run(
        [EPICENE, *map(str, arguments)], input=stdin, capture_output=True, env=ENVIRONMENT
    )
    if done.returncode != code:
        raise SystemExit(f"{arguments} ended with {done.returncode}:\n{done.stderr.decode()}")
    return done.stdout


def python(program: str, *arguments: str) -> int:
    """Run a program that knows the tests' modules, too; its exit code."""
    path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(Path("tests").resolve())])
    environment = {**ENVIRONMENT, "PYTHONPATH": os.environ.get("COMPAT_TESTS", path)}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], env=environment, capture_output=True
    ).returncode


# --- runs ------------------------------------------------------------------------------------

TEXTS = {
    "ar": ("أنا متعب اليوم", "هل تسمع ذلك؟", "أنا سعيد لأنك تفهم ما أقول."),
    "en": (
        "Alex said that she would bring her own tools.",
        "He hurt himself, but his friends helped him.",
        "They were late because their train was.",
    ),
    "fr": (
        "Je suis né à Lille et je suis content d'être revenu.",
        "Tu es prête, ma chère amie ?",
        "Nous sommes partis hier.",
    ),
    "hi": ("मैं बाज़ार जाता हूँ।", "मैं कल आया था और बहुत थका हुआ था।", "वह घर पर है।"),
}

# The names of modules in these programs are those of version 0.1.0, which runs them.
# A tagger as small as it can be and still learn something.
TRAIN = """
import importlib, pathlib
part = lambda name: importlib.import_module("epicene.models.tagger." + name)
lessons = importlib.import_module("models.tiny_lessons").lessons()
shape = part("network").Shape(word=32, letter=16, context=16)
recipe = part("training").Recipe(
    epochs=40, batch=256, rate=1e-2, first_steps=10, dropout=0.1
)
part("folder").save(
    part("training").train(lessons, recipe=recipe, shape=shape), pathlib.Path("tagger")
)
"""

# A run that ends after so many scores: killed, or as by Ctrl-C.
BREAK_OFF = """
import importlib, os, signal, sys
how, limit = sys.argv[1], int(sys.argv[2])
guess = importlib.import_module("epicene.models.reference.chance")._Guess
score, asked = guess.score, []
def counting(self, request):
    asked.append(request)
    if len(asked) > limit:
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise KeyboardInterrupt
    return score(self, request)
guess.score = counting
sys.argv = ["epicene", *sys.argv[3:]]
importlib.import_module("epicene.cli").main()
"""
BREAKS = {"killed": (-signal.SIGKILL, "6"), "stopped": (1, "16")}


def make_runs() -> None:
    for name, run in RUNS.items():
        epicene("run", *run.arguments, "--out", f"answered/{name}", code=run.code)
    for how, name in HALFWAY.items():
        code, limit = BREAKS[how]
        order = ("run", *RUNS[name].arguments, "--batch-size", "2", "--out", f"halfway/{how}")
        if python(BREAK_OFF, how, limit, *order) != code:
            raise SystemExit(f"{how}: the run did not end as it was to end")
        # Of what a killed process leaves, this is of use to nobody else; SQLite makes it anew.
        Path(f"halfway/{how}/answers.sqlite-shm").unlink(missing_ok=True)
    with Chat() as chat:
        epicene(
            *("run", *HOSTED, *HOSTED_CONCURRENCY, *HOSTED_LIMIT),
            *("--base-url", chat.url, "--out", "halfway/hosted"),
            code=1,
        )


def make_texts() -> None:
    folder = Path("texts")
    folder.mkdir()
    for language, lines in TEXTS.items():
        (folder / f"{language}.txt").write_text("\n".join(lines) + "\n", "utf-8")


def make_answers() -> None:
    """Answers as another program might write them."""
    folder = Path("answers")
    folder.mkdir()
    judged = json.loads(epicene("tables", "answered/genform-copy", "--json", "--items"))["items"]
    lines = [
        {
            "id": each["item"],
            "target": each["name"].split()[-1],
            "text": each["evidence"]["reference"],
        }
        for each in judged[::2]
    ]
    texts = ("Then she found her keys.", "xe left xyr coat there.", "Nobody came.")
    elsewhere = [
        {"dataset": dataset, "pronoun": pronoun, "text": text}
        for dataset in ("misgendered", "tango")
        for pronoun in ("she", "xe")
        for text in texts
    ]
    for name, rows in (("genform", lines), ("misgendering", elsewhere)):
        written = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(written, "utf-8")


# --- studies ---------------------------------------------------------------------------------


def chosen(person: str, item: str, question: str, among: list[str]) -> str:
    """What a person answers: always the same, and not the same as the others."""
    number = int.from_bytes(hashlib.sha256(f"{person} {item} {question}".encode()).digest()[:4])
    return among[number % len(among)]


def is_asked(question: Mapping[str, Any], row: Row) -> bool:
    """Whether the answers before it lead to the question."""
    return all(row[name] in values for name, values in question.get("when", {}).items())


def answered(question: Mapping[str, Any], row: Row) -> str:
    """A cell of a sheet."""
    options = [option["id"] for option in question.get("options", ())]
    who = (row["participant"], row["item"], question["id"])
    if question["kind"] == "choice":
        return chosen(*who, options)
    if question["kind"] == "tags":
        return chosen(*who, ["", options[0], ";".join(options[:2])])
    if question["kind"] == "marks":
        words = re.finditer(r"\w+", row[f"shown: {question['field']}"])
        return chosen(*who, ["", *(f"{word.start()}-{word.end()}" for word in words)])
    return chosen(*who, ["", "a remark"])


def fill_in(sheet: Path, fill: Callable[[Row], None]) -> None:
    """Fill in every row of a sheet."""
    text = sheet.read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    for row in rows:
        fill(row)
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    sheet.write_text(written.getvalue(), "utf-8", newline="")


def at_random(study: Path) -> Callable[[Row], None]:
    """Answers to whatever the study asks."""
    questions = tomllib.loads((study / "study.toml").read_text("utf-8"))["questions"]

    def fill(row: Row) -> None:
        for question in questions:
            row[question["id"]] = answered(question, row) if is_asked(question, row) else ""
        row["seconds"] = chosen(row["participant"], row["item"], "seconds", ["2.5", "4.0", "7.5"])

    return fill


def settle(row: Row) -> None:
    """The owner settles what was said of some items, and only the first question."""
    if row["said: outcome"] and chosen("eve", row["item"], "whether", ["yes", "no"]) == "yes":
        row["outcome"] = "misgendering"


def make_labels() -> None:
    """A study of labels: two of three people have handed in, and some of it is settled."""
    study = Path("studies/labels")
    runs = ("answered/misgendering-random", "answered/misgendering-ngram")
    epicene("annotate", "sample", *runs, "--per-cell", "1", "--twice", "20", "--out", study)
    epicene("annotate", "export", study, "--people", "ann,bob,carl", "--out", "sheets")
    for person in ("ann", "bob", "carl"):
        fill_in(Path(f"sheets/{person}.csv"), at_random(study))
    for person in ("ann", "bob"):
        epicene("annotate", "import", study, f"sheets/{person}.csv")
    differ = Path("sheets/settled.csv")
    epicene("annotate", "adjudicate", study, "--by", "eve", "--out", differ)
    fill_in(differ, settle)
    epicene("annotate", "import", study, differ)


@contextlib.contextmanager
def served(study: Path, people: str) -> Iterator[dict[str, str]]:
    """Serve a study; the links by person."""
    command = [EPICENE, "annotate", "serve", str(study), "--people", people, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT, text=True) as server:
        assert server.stdout is not None
        lines = [server.stdout.readline() for _ in range(1 + len(people.split(",")))]
        try:
            yield dict(line.rstrip("\n").split("\t") for line in lines)
        finally:
            server.send_signal(signal.SIGINT)


def make_images(expected: Path) -> None:
    """A study of pictures: people work on its pages, and the server is stopped meanwhile."""
    study = Path("studies/images")
    epicene(
        *("annotate", "sample", "answered/gramvis-random", "--study", "image"),
        *("--n", "4", "--out", study),
    )
    with served(study, "ann,bob") as links:
        ann, bob = Visitor(links["ann"]), Visitor(links["bob"])
        work = ann.answer(ann.work(), shows="male")
        work = ann.answer(work, shows="neither", remark="It shows nothing.")
        other = bob.answer(bob.work(), shows="female")
        other = bob.answer(other, shows="male")
        bob.act("undo", {"number": other["number"] - 1})
        work = ann.work()
    save(expected / "served-work.json", json.dumps(kept(work)).encode())
    paths = {name: "/" + link.split("/", 3)[3] for name, link in links.items()}
    (study.parent / "links.json").write_text(json.dumps(paths, indent=1) + "\n", "utf-8")


# --- a sweep, and a corpus -----------------------------------------------------------------------

PLAN = """\
[limits]
max_requests = 1000

[[models]]
spec = "random"

[[models]]
spec = "ngram"
label = "five words"

[[models]]
spec = "copy"

[[suites]]
name = "misgendering"
limit = 1
[suites.settings]
samples = 1
pronouns = ["he", "xe"]

[[suites]]
name = "genform"
protocols = ["paper"]
languages = ["fr"]
limit = 2

[[skip]]
model = "random"
suite = "genform"
why = "another time"
"""

# English, Arabic, label, and its other forms by their labels.
PAIRS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("I am tired today.", "أنا متعب اليوم.", "MN", {"FN": "أنا متعبة اليوم ."}),
    ("I live near the sea.", "أسكن قرب البحر.", "BN", {}),
    ("Can you hear me?", "هل تسمعني؟", "BM", {"BF": "هل تسمعينني ؟"}),
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
    ("My phone is ringing.", "هاتفي يرن.", "BN", {}),
    ("You are pregnant.", "أنت حامل.", "NF", {"NM": "hard"}),
    ("What is your name?", "ما اسمك؟", "NB", {}),
    ("I know you well.", "أعرفك جيدا.", "BB", {}),
    ("You work for me.", "تعمل عندي.", "BM", {"BF": "تعملين عندي ."}),
    ("You are right.", "أنت محقة.", "NF", {"NM": "أنت محق ."}),
)


def label(row: Row) -> None:
    """Whose gender a sentence shows; the second person does not see that somebody is tired."""
    ((truth, _),) = [pair[2:] for pair in PAIRS if pair[0] == row["shown: english"]]
    wrong = row["participant"] == "two" and "tired" in row["shown: english"]
    row |= {"usable": "yes", "first": "B" if wrong else truth[0], "second": truth[1]}


def rewrite(row: Row) -> None:
    """The sentence for other people."""
    ((_, forms),) = [pair[2:] for pair in PAIRS if pair[0] == row["shown: english"]]
    form = forms[row["item"].split()[-1]]
    row |= {"possible": "hard"} if form == "hard" else {"possible": "yes", "form": form}


def make_corpus() -> None:
    """A corpus that waits for the forms of its sentences."""
    lines = [f"{n}\t{english}\t{arabic}" for n, (english, arabic, *_) in enumerate(PAIRS, 1)]
    Path("pairs.tsv").write_text("\n".join(["id\tenglish\tarabic", *lines]) + "\n", "utf-8")
    epicene(*BUILD)
    epicene("annotate", "export", "corpus/02-identify", "--people", "one,two", "--out", "labelled")
    for person in ("one", "two"):
        fill_in(Path(f"labelled/{person}.csv"), label)
        epicene("annotate", "import", "corpus/02-identify", f"labelled/{person}.csv")
    epicene(*BUILD)
    epicene("annotate", "export", "corpus/03-adjudicate", "--people", "three", "--out", "decided")
    fill_in(Path("decided/three.csv"), label)
    epicene("annotate", "import", "corpus/03-adjudicate", "decided/three.csv")
    epicene(*BUILD)
    epicene("annotate", "export", "corpus/05-rewrite", "--people", "one", "--out", "written")
    fill_in(Path("written/one.csv"), rewrite)
    Path("written/one.csv").rename("sheets/forms.csv")
    for name in ("labelled", "decided", "written"):
        shutil.rmtree(name)


# --- what is expected --------------------------------------------------------------------------


def save(path: Path, data: bytes) -> None:
    """Write a file of `expected/`; packed, as tables repeat themselves."""
    path.parent.mkdir(exist_ok=True)
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(data, mtime=0))


def make_expected(expected: Path) -> None:
    """What the version at hand makes of the fixtures in the current folder, which it changes."""
    for name, output in OUTPUTS.items():
        stdin = Path(output.stdin).read_bytes() if output.stdin else b""
        if output.new:
            ENVIRONMENT["EPICENE_PUBLISHED_DATA"] = write_material(MATERIAL)
        save(expected / name, epicene(*output.arguments, stdin=stdin))
        ENVIRONMENT.pop("EPICENE_PUBLISHED_DATA", None)
    with Chat() as chat:
        epicene("run", *HOSTED, "--base-url", chat.url, "--out", "halfway/hosted")
    tables = epicene("tables", "halfway/hosted", "--json", "--items")
    save(expected / "hosted-finished.json", tables)
    epicene("annotate", "import", "studies/labels", "sheets/carl.csv")
    tables = epicene("annotate", "tables", "studies/labels", "--json")
    save(expected / "study-labels-later.json", tables)
    epicene("annotate", "import", "corpus/05-rewrite", "sheets/forms.csv")
    epicene(*BUILD)
    save(expected / "corpus.jsonl", Path("corpus/corpus.jsonl").read_bytes())
    save(expected / "corpus-card.md", Path("corpus/card.md").read_bytes())


def main() -> None:
    """Make all of it, or what is expected alone."""
    *options, target = sys.argv[1:]
    made = Path(target).resolve()
    made.mkdir(parents=True)
    expected = made / "expected"
    if options == ["--expected"]:
        shutil.copytree(HERE / "fixtures", made / "scratch")
        shutil.copytree(HERE / "expected", expected)
    else:
        (made / "fixtures").mkdir()
        os.chdir(made / "fixtures")
        if python(TRAIN):
            raise SystemExit("No tagger: name the tests' folder of that version in COMPAT_TESTS.")
        make_texts()
        make_runs()
        make_answers()
        make_labels()
        make_images(expected)
        Path("plan.toml").write_text(PLAN, "utf-8")
        epicene(*SWEEP)
        Path("plan/report.html").unlink()  # large, and written anew at the end of every sweep
        make_corpus()
        shutil.copytree(made / "fixtures", made / "scratch")
    os.chdir(made / "scratch")
    make_expected(expected)
    os.chdir(made)
    shutil.rmtree("scratch")


if __name__ == "__main__":
    main()
