"""The server as people run it: links, a clean stop, and a death at any moment."""

from __future__ import annotations

import re
import signal
import socket
import threading
import time
from pathlib import Path

import msgspec
import pytest

from epicene.studies.collection.folder import StudyFolder, create_study_folder
from studies.annotate_command import command
from studies.web.served_process import Browser, read_as_owner, running
from study_examples import forced_choice, stereotype


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    study = stereotype()
    items = tuple(msgspec.structs.replace(study.items[0], id=f"w{n}") for n in range(300))
    return create_study_folder(tmp_path / "study", msgspec.structs.replace(study, items=items))


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_server_leaves_one_file(folder: StudyFolder, sign: int) -> None:
    with running(folder.path, "ann") as server:
        browser = Browser(server.links["ann"])
        for _ in range(3):
            browser.answer()
        assert server.stop(sign) == 0
    assert len(folder.responses()) == 3
    assert sorted(path.name for path in folder.path.iterdir()) == [
        "access.key",
        "responses.sqlite",
        "study.toml",
    ]


def test_a_killed_server_keeps_whatever_it_said_it_kept(folder: StudyFolder) -> None:
    people = "ann,bob,cem"
    said: dict[str, set[int]] = {name: set() for name in people.split(",")}
    for _ in range(2):
        with running(folder.path, people) as server:
            browsers = {name: Browser(server.links[name]) for name in said}
            threads = [
                threading.Thread(target=browser.answer_until_it_dies)
                for browser in browsers.values()
            ]
            for thread in threads:
                thread.start()
            while any(len(browser.acknowledged) < 5 for browser in browsers.values()):
                assert any(thread.is_alive() for thread in threads)
                time.sleep(0.01)
            server.stop(signal.SIGKILL)
            for thread in threads:
                thread.join()
        for name, browser in browsers.items():
            assert said[name].isdisjoint(browser.acknowledged)
            said[name].update(browser.acknowledged)
    kept = folder.responses()
    assert len({(each.participant, each.item) for each in kept}) == len(kept)
    for name, numbers in said.items():
        count = sum(each.participant == name for each in kept)
        # Of what was on the way when the server died, at most one each time was kept unheard.
        assert len(numbers) <= count <= len(numbers) + 2


def test_a_killed_server_keeps_answers_after_others_opened_the_database(
    folder: StudyFolder,
) -> None:
    """The owner's pages open it in the server, commands beside it, and both close it again."""
    with running(folder.path, "ann") as server:
        browser = Browser(server.links["ann"])
        browser.answer()
        assert b"\r\nann,w" in read_as_owner(server.links["(owner)"], "/owner/export.csv")
        assert len(folder.responses()) == 1
        browser.answer()
        assert len(folder.responses()) == 2
        server.stop(signal.SIGKILL)
    assert len(folder.responses()) == 2


def test_links_are_printed_again(folder: StudyFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("links", str(folder.path), "--people", "ann, Zoë") == 0
    first = capsys.readouterr().out
    assert [line.split("\t")[0] for line in first.splitlines()] == ["(owner)", "Zoë", "ann"]
    assert command("links", str(folder.path), "--url", "https://x.org/") == 0
    again = capsys.readouterr().out
    assert again == first.replace("http://127.0.0.1:8765", "https://x.org")
    for wrong in (["--url", "x.org"], ["--people", "a\tb"]):
        assert command("links", str(folder.path), *wrong) == 2


def test_an_open_study_has_an_open_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    create_study_folder(tmp_path / "s", forced_choice())
    assert command("links", str(tmp_path / "s")) == 0
    assert re.search(
        r"\(open\)\thttp://[^ ]+\?PROLIFIC_PID=\{\{%PROLIFIC_PID%\}\}\n", capsys.readouterr().out
    )


def test_a_port_that_is_taken(folder: StudyFolder, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert command("serve", str(folder.path), "--port", str(port)) == 1
    assert "--port" in capsys.readouterr().err
