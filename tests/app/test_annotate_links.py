"""Links that lead to where a study is served, and people who withdraw from it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.conftest import Done, Epicene
from app.test_bad_input import refused
from epicene.api.studies import Study
from epicene.core.errors import InputError
from epicene.core.files import ImageFolder
from epicene.studies.collection.folder import create_study_folder, open_study_folder
from studies.web.page_visitors import served
from studies.web.served_process import running
from study_examples import image, misgendering


@pytest.fixture
def study(epicene: Epicene) -> Path:  # in whose empty folder it lies
    create_study_folder(Path("study"), misgendering())
    return Path("study")


def addresses(done: Done) -> set[str]:
    assert done.code == 0, done.err
    return {line.split("\t")[1].partition("/enter/")[0] for line in done.out.splitlines()}


def test_links_lead_to_where_the_study_was_last_served(epicene: Epicene, study: Path) -> None:
    done = epicene("annotate", "links", study, "--people=ann")
    assert addresses(done) == {"http://127.0.0.1:8765"}
    assert "because the study has not been served yet" in done.err
    with running(study, "ann") as server:
        served_at = server.links["ann"].partition("/enter/")[0]
        assert served_at != "http://127.0.0.1:8765"
        done = epicene("annotate", "links", study, "--revoke=ann")
        assert addresses(done) == {served_at}
        assert (
            f"The links point to {served_at}, the address where the study was last served"
            in done.err
        )
    assert addresses(epicene("annotate", "links", study)) == {served_at}
    done = epicene("annotate", "links", study, "--url=https://x.org")
    assert addresses(done) == {"https://x.org"}
    assert done.err == ""
    assert addresses(epicene("annotate", "links", study)) == {served_at}


def test_the_address_that_people_use_is_what_is_remembered(study: Path) -> None:
    folder = open_study_folder(study)
    assert folder.address() == ""
    for address in ("https://x.org", "http://127.0.0.1:9000"):
        folder.remember_address(address)
        assert folder.address() == address


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://x.org", "https://x.org"),
        ("https://x.org/", "https://x.org"),
        ("HTTPS://X.org:8443/", "https://x.org:8443"),
        ("http://[::1]:80", "http://[::1]:80"),
        ("http://bücher.example", "http://bücher.example"),
    ],
)
def test_an_address_is_the_root_of_a_host(
    epicene: Epicene, study: Path, given: str, address: str
) -> None:
    assert addresses(epicene("annotate", "links", study, f"--url={given}")) == {address}


@pytest.mark.parametrize(
    "url",
    [
        "x.org", "ftp://x.org", "https://", "https:///", "https://x.org/sub", "https://x.org?q=1",
        "https://x.org/?q", "https://x.org/#a", "https://a@x.org", "https://x y.org",
        "https://x.org:port", "https://x.org:70000", "https://[::1", "https://x.org\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["links", "serve"])
def test_any_other_address_is_refused(
    epicene: Epicene, study: Path, command: str, url: str
) -> None:
    refused(epicene("annotate", command, study, f"--url={url}"), 2, "cannot be the address of the")
    assert not (study / "responses.sqlite").exists()


def test_who_is_not_known_cannot_be_revoked(epicene: Epicene, study: Path) -> None:
    refused(epicene("annotate", "links", study, "--revoke=ann"), 2, "'ann'")


def test_a_picture_that_is_none_is_named_with_its_item(epicene: Epicene) -> None:
    study = image()
    field = "picture"
    item = msgspec.structs.replace(study.items[0], fields=study.items[0].fields | {field: "care"})
    create_study_folder(Path("study"), msgspec.structs.replace(study, items=(item,)))
    for words in (["serve", "study"], ["export", "study", "--people=2", "--out=o"]):
        done = epicene("annotate", *words)
        refused(done, 2, f"The item {item.id} has no image in {field}", "'care'", "study/images")


def test_a_picture_that_is_none_is_named_with_its_folder() -> None:
    with pytest.raises(InputError, match=r"'care' is not a SHA-256; .*runs/images"):
        ImageFolder(Path("runs/images")).path("care")


# --- withdrawing -----------------------------------------------------------------------------


@pytest.fixture
def answered(study: Path) -> Path:
    Path("all.csv").write_text(
        "participant,item,label\nann,g1,correct\nann,g2,correct\nbob,g1,misgendering\n", "utf-8"
    )
    open_study_folder(study).import_file(Path("all.csv"))
    return study


class Terminal(io.StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        return True


def people(study: Path) -> set[str]:
    return {response.participant for response in open_study_folder(study).responses()}


def test_who_withdraws_is_deleted_and_their_items_go_to_others(
    epicene: Epicene, answered: Path
) -> None:
    done = epicene("annotate", "forget", answered, "ann", "--yes")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("Deleted ann, with 2 answers.")
    assert people(answered) == {"bob"}
    assert b"ann" not in (answered / "responses.sqlite").read_bytes()
    with served(misgendering(), answered) as site:
        visitor, page = site.person("cem")
        visitor.answer(visitor.answer(page, label="correct"), label="correct")
    assert people(answered) == {"bob", "cem"}
    done = epicene("annotate", "forget", answered, "bob", "--yes")
    assert "with 1 answer." in done.err


def test_who_never_answered_can_withdraw_too(epicene: Epicene, answered: Path) -> None:
    assert epicene("annotate", "links", answered, "--people=dan").code == 0
    assert (
        "Deleted dan, with 0 answers." in epicene("annotate", "forget", answered, "dan", "-y").err
    )
    assert "dan" not in epicene("annotate", "links", answered).out


def test_nobody_is_deleted_unasked(
    epicene: Epicene, answered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    done = epicene("annotate", "forget", answered, "ann")
    refused(done, 2, "This would delete ann, with 2 answers", "use --yes")
    for typed, left in (("n\n", {"ann", "bob"}), ("y\n", {"bob"})):
        monkeypatch.setattr(sys, "stdin", Terminal(typed))
        done = epicene("annotate", "forget", answered, "ann")
        assert done.code == 0
        assert "Permanently delete ann, with 2 answers?" in done.err
        assert ("Nothing was deleted." in done.err) == (left != {"bob"})
        assert people(answered) == left


def test_who_is_not_known_cannot_withdraw(epicene: Epicene, answered: Path) -> None:
    done = epicene("annotate", "forget", answered, "anne", "--yes")
    refused(done, 2, "There is no person 'anne'; did you mean 'ann'?")
    refused(epicene("annotate", "forget", "nowhere", "ann", "--yes"), 2, "is not a study folder")


def test_owners_with_names_and_what_they_did(epicene: Epicene, study: Path) -> None:
    done = epicene("annotate", "owners", study, "--add=maria,jo", "--url=https://x.org")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["owner", "jo", "maria"]
    assert addresses(done) == {"https://x.org"}
    done = epicene("annotate", "owners", study, "--revoke=jo")
    assert "the record of what jo did is kept" in done.err
    assert "jo" not in {line.split("\t")[0] for line in done.out.splitlines()}
    done = epicene("annotate", "activity", study)
    assert [line.split("\t")[1:4] for line in done.out.splitlines()] == [
        ["owner", "revoked the owner", "jo"],
        ["owner", "added the owner", "jo"],
        ["owner", "added the owner", "maria"],
    ]


def test_links_are_kept_out_of_a_log(
    epicene: Epicene, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def serve(self: Study, people: list[str], ready: Callable[..., None], **_options: Any) -> None:
        ready(self.links(people))

    monkeypatch.setattr(Study, "serve", serve)
    assert "/enter/" in epicene("annotate", "serve", study, "--people=ann").out
    done = epicene("annotate", "serve", study, "--people=ann", "--no-links")
    assert "/enter/" not in done.out + done.err
    assert "Serving until stopped" in done.err
