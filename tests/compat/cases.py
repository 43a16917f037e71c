"""The commands of the compatibility tests, as version 0.1.0 understands them.

`make.py` ran them once to write `fixtures/` and `expected/`; `test_compat.py` runs them again. All
paths are relative to a copy of `fixtures/`.
"""

from __future__ import annotations

from typing import NamedTuple

# --- runs ------------------------------------------------------------------------------------

_MISGENDERING = ("--set", "pronouns=he,xe", "--set", "samples=2", "--limit", "2")


class Run(NamedTuple):
    """A run in `answered/NAME`, complete unless its exit code says otherwise."""

    arguments: tuple[str, ...]
    code: int = 0


RUNS = {
    "misgendering-random": Run(("misgendering", "-m", "random", *_MISGENDERING)),
    "misgendering-ngram": Run(("misgendering", "-m", "ngram", *_MISGENDERING)),
    "misgendering-random-paper": Run(
        ("misgendering", "-m", "random", "-p", "paper", *_MISGENDERING)
    ),
    "misgendering-ngram-paper": Run(("misgendering", "-m", "ngram", "-p", "paper", *_MISGENDERING)),
    "genform-rules": Run(("genform", "-m", "rules", "--limit", "5")),
    "genform-copy": Run(("genform", "-m", "copy", "--limit", "5")),
    "genform-random": Run(
        (
            *("genform", "-m", "random:3?label=guesses", "-p", "paper", "-l", "fr", "--seed", "7"),
            *("--limit", "2", "--set", "formats=generation,probability", "--label", "note=compat"),
        )
    ),
    # Rules do not label words: that part fails, and is asked once more each time.
    "apgc-rules": Run(
        ("apgc", "-m", "model=rules", "-m", "translator=random", "--limit", "4"), code=1
    ),
    "apgc-tagger": Run(
        (
            *("apgc", "-m", "tagger:tagger", "--limit", "4"),
            *("--task", "rewriting", "--task", "identification"),
        )
    ),
    "alternations-ngram": Run(
        (
            *("alternations", "-m", "ngram", "-l", "hi", "--limit", "8"),
            *("--set", "formats=acceptability,cloze"),
        )
    ),
    "gramvis-random": Run(
        (
            *("gramvis", "-m", "drawer=random", "-m", "judges=random:1,random:2", "--limit", "2"),
            *("--set", "shots=2", "--set", "mixed=false", "--set", "resamples=50"),
        )
    ),
}

# Two runs with the settings of `misgendering-random`, in `halfway/`. One was stopped by Ctrl-C in
# its second stage. The other was killed in its first: its last commits are in the log beside the
# database (`answers.sqlite-wal`).
HALFWAY = {"stopped": "misgendering-random", "killed": "misgendering-random"}

# A run on a hosted model that `--max-cost` stopped, in `halfway/hosted`. `local.Chat` is the host.
HOSTED = ("genform", "-m", "openai:parrot", "--price", "1000/1000", "-l", "fr", "--limit", "4")
HOSTED_CONCURRENCY = ("--concurrency", "1")
HOSTED_LIMIT = ("--max-cost", "1.55")

# --- what is printed ---------------------------------------------------------------------------


class Output(NamedTuple):
    """A command that reads the fixtures, and what it is given on standard input."""

    arguments: tuple[str, ...]
    stdin: str = ""  # a file
    new: bool = False  # a new run, which may need a paper's prompts; what is stored never does
    added: str = ""  # a table of the JSON document that later versions add


# What stands for a paper's prompts, below the folder of published data.
MATERIAL = {
    "morphogen/prompt.json": {
        "system": "Rewrite sentences.",
        "user": {"masculine": "For a man.", "feminine": "For a woman."},
        "then": "Sentence: [sentence]",
    }
}


def _answered(*names: str) -> tuple[str, ...]:
    return tuple(f"answered/{name}" for name in names)


_PAIR = _answered("misgendering-random", "misgendering-ngram")
_ARABIC = ("rewrite", "-l", "ar", "--speaker", "f", "--listener", "f", "--json")

OUTPUTS = {
    **{
        f"tables-{name}.json": Output(("tables", *_answered(name), "--json", "--items"))
        for name in RUNS
    },
    "tables-two-runs.json": Output(("tables", *_PAIR, "--json")),
    "tables-two-runs.csv": Output(("tables", *_answered("genform-rules", "genform-copy"), "--csv")),
    "tables-alternations.md": Output(("tables", *_answered("alternations-ngram"), "--markdown")),
    "tables-alternations.txt": Output(("tables", *_answered("alternations-ngram"))),
    "compare-misgendering.json": Output(
        ("compare", *_PAIR, "--json", "--items"), added="detectable"
    ),
    "compare-genform.json": Output(
        ("compare", *_answered("genform-copy", "genform-rules"), "--json", "--items")
    ),
    "compare-agreement.json": Output(
        (
            *("compare", *_answered("alternations-ngram", "alternations-ngram"), "--agreement"),
            *("--names", "acceptability,cloze", "--json"),
        )
    ),
    "score-genform.json": Output(
        ("score", "genform", "--answers", "answers/genform.jsonl", "--json", "--items")
    ),
    "score-misgendering.json": Output(
        ("score", "misgendering", "--answers", "answers/misgendering.jsonl", "--json", "--items")
    ),
    "study-labels.json": Output(("annotate", "tables", "studies/labels", "--json")),
    "study-labels.txt": Output(("annotate", "tables", "studies/labels")),
    "study-labels-export.csv": Output(("annotate", "export", "studies/labels", "--hidden")),
    "study-images.json": Output(("annotate", "tables", "studies/images", "--json")),
    "study-images-export.csv": Output(("annotate", "export", "studies/images", "--hidden")),
    "sweep-done.json": Output(("sweep", "plan.toml", "--dry-run", "--json")),
    "sweep-new.json": Output(
        ("sweep", "plan.toml", "--dry-run", "--json", "--out", "another-folder"), new=True
    ),
    "sweep-tables.json": Output(
        (
            *("tables", "plan/runs/misgendering-epicene-random-a989c394"),
            *("plan/runs/misgendering-epicene-five-words-148aae94", "--json"),
        )
    ),
    "tagger-rewrites.json": Output((*_ARABIC, "-m", "tagger:tagger"), "texts/ar.txt"),
    "rewrites-ar.json": Output(_ARABIC, "texts/ar.txt"),
    "rewrites-en.json": Output(
        ("rewrite", "--pronouns", "xe", "--route", "rules", "--json"), "texts/en.txt"
    ),
    "rewrites-fr.txt": Output(
        ("rewrite", "-l", "fr", "--speaker", "f", "--listener", "m", "--explain"), "texts/fr.txt"
    ),
    "rewrites-hi.json": Output(("rewrite", "-l", "hi", "--speaker", "f", "--json"), "texts/hi.txt"),
}

# --- studies, sweeps, construction ---------------------------------------------------------------

SWEEP = ("sweep", "plan.toml", "--json")
BUILD = (
    *("data", "build", "apgc", "--out", "corpus", "--set", "bitext=pairs.tsv"),
    *("--set", "size=10", "--set", "shares=4,3,3"),
)
# What the rest of these tests print or write, by the name under `expected/`.
LATER = {
    "hosted-finished.json": "the tables of the hosted run, once it is finished",
    "study-labels-later.json": "the tables of the study once carl has handed in the last sheet",
    "corpus.jsonl": "the corpus that `data build apgc` ends with",
    "corpus-card.md": "its card",
    "served-work.json": "what ann had before her when the server was stopped",
}
