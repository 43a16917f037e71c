"""Training from Python, beside `epicene train`."""

from __future__ import annotations

from pathlib import Path

import pytest

import epicene
from app.conftest import Epicene
from app.conftest import epicene as command_line
from epicene.core.errors import InputError
from epicene.models.tagger.storage import load
from suites.apgc.corpus_folder import write_tokens_folder

command = command_line  # the fixture, under a name that the module does not have


def test_a_tagger_is_that_of_the_command(
    command: Epicene, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("corpus").mkdir()
    write_tokens_folder(Path("corpus"), "train")
    told = ("--data=corpus", "--epochs=1", "--small", "--seed=3", "--out=by-command")
    by_command = command("train", "apgc", *told)
    assert by_command.code == 0
    spec = epicene.train("apgc", "by-python", data="corpus", epochs=1, small=True, seed=3)
    assert spec == "tagger:by-python"
    assert capfd.readouterr().err.splitlines() == by_command.err.splitlines()[:-1]
    assert load(Path("by-python")).fingerprint == load(Path("by-command")).fingerprint
    assert epicene.rewrite("أنا متعب", "ar", speaker="f", model=spec)
    with pytest.raises(InputError, match="was trained on 'ar'; use language=\"ar\""):
        epicene.rewrite("Je suis prêt", "fr", speaker="f", model=spec)
    epicene.train("apgc", "quiet", data="corpus", epochs=1, small=True, progress=False)
    assert capfd.readouterr().err == ""


def test_what_is_wrong_is_named(command: Epicene) -> None:
    with pytest.raises(InputError, match="The suite reflexives has no data to train a tagger on"):
        epicene.train("reflexives", "x")
    Path("full").mkdir()
    Path("full", "file").touch()
    with pytest.raises(InputError, match="not empty"):
        epicene.train("apgc", "full")
