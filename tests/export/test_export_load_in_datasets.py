"""Exported items in Hugging Face datasets itself, where it is."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from epicene.export.hf_dataset import write_dataset
from export.export_samples import select
from export.other_interpreter import WANTED, interpreter

pytestmark = pytest.mark.skipif(not interpreter("datasets"), reason=f"datasets: {WANTED}")

LOAD = """
import json, sys
import datasets
folder, cache, *configs = sys.argv[1:]
datasets.disable_progress_bars()
found = {}
for name in configs:
    loaded = datasets.load_dataset(folder, name or None, cache_dir=cache)
    found[name] = {split: rows["id"][:] for split, rows in loaded.items()}
print(json.dumps(found))
"""


def loaded(folder: Path, *configs: str) -> Any:
    """The ids of each split of each configuration; "" is what comes if none is named."""
    cache = str(folder.parent / "cache")
    done = subprocess.run(
        [interpreter("datasets"), "-c", LOAD, str(folder), cache, *configs],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": cache},
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_all_languages_come_or_the_one_that_is_named(tmp_path: Path) -> None:
    selection = select("genform", limit=5)
    write_dataset(selection, tmp_path / "set")
    ids = {
        language: [item.id for item in selection.items if item.language == language]
        for language in selection.languages
    }
    assert loaded(tmp_path / "set", "", "fr") == {
        "": {"test": [item.id for item in selection.items]},
        "fr": {"test": ids["fr"]},
    }


def test_names_with_hyphens_load(tmp_path: Path) -> None:
    rows = [
        {
            "id": split,
            "language": language,
            "text": "أنا هنا",
            "label": "BB",
            "targets": dict.fromkeys(("MM", "FM", "MF", "FF"), "أنا هنا"),
            "split": split,
        }
        for language, split in (("ar-EG", "dev-1"), ("ar-MA", "dev-2"))
    ]
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    write_dataset(select("apgc", path=file), tmp_path / "set")
    assert loaded(tmp_path / "set", "", "ar-EG") == {
        "": {"dev_1": ["dev-1"], "dev_2": ["dev-2"]},
        "ar-EG": {"dev_1": ["dev-1"]},
    }


def test_prompts_of_drawings_load(tmp_path: Path) -> None:
    selection = select("gramvis", limit=1)
    write_dataset(selection, tmp_path / "set")
    assert loaded(tmp_path / "set", "") == {"": {"test": [item.id for item in selection.items]}}
