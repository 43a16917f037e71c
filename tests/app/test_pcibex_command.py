"""`epicene annotate import` of PCIbex results."""

from __future__ import annotations

from pathlib import Path

from app.conftest import Epicene
from app.test_bad_input import refused
from epicene.studies.collection.folder import create_study_folder
from studies.exchange.test_pcibex_results import two_people
from study_examples import forced_choice


def test_the_command_takes_it(epicene: Epicene, tmp_path: Path) -> None:
    create_study_folder(tmp_path / "study", forced_choice())
    path = two_people().write(tmp_path / "results.csv")
    done = epicene("annotate", "import", "study", path)
    assert done.err == "6 new answers, 0 replaced, 0 unchanged.\n"
    again = epicene("annotate", "import", "study", path, "--format=pcibex")
    assert again.err == "0 new answers, 0 replaced, 6 unchanged.\n"
    (tmp_path / "sheet.csv").write_text("participant,item,better\nann,p1a,good\n", "utf-8")
    refused(
        epicene("annotate", "import", "study", "sheet.csv", "--format=pcibex"),
        2,
        "has no comments before it",
    )
