"""The preview of a study: every page, and nothing stored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from fastapi.testclient import TestClient

from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.links import User, load_signer
from epicene.studies.design.interface_texts import interface_texts
from epicene.studies.design.schema import Study, StudyItem
from epicene.studies.web.app import make_app
from epicene.suites import find_suite
from studies.web.page_visitors import Visitor, with_pictures
from study_examples import STUDIES, forced_choice


@pytest.mark.parametrize("example", STUDIES)
def test_every_listed_page_is_there(example: Callable[[], Study], tmp_path: Path) -> None:
    study = with_pictures(example(), tmp_path / "s")
    folder = create_study_folder(tmp_path / "s", study)
    app = make_app(folder, preview=True)
    with TestClient(app):
        visitor = Visitor(app, load_signer(folder.path))
        with_open_link = study.access.entry == "open"
        query = f"?{study.access.participant_parameter}=x1" if with_open_link else ""
        visitor.enter(User("open") if with_open_link else User("person", "preview"), query)
        index = visitor.get("/preview")
        listed = [each for each in index.values("href") if each.startswith("/preview/")]
        assert len(listed) >= 5 + len(study.items)
        for address in listed:
            assert visitor.get(address).text
        assert "/preview/page/paused" in listed
        assert folder.responses() == []


def test_of_many_items_the_first_and_the_last_are_listed(tmp_path: Path) -> None:
    study = forced_choice()
    many = tuple(msgspec.structs.replace(study.items[0], id=f"i{n}") for n in range(60))
    folder = create_study_folder(tmp_path / "s", msgspec.structs.replace(study, items=many))
    app = make_app(folder, preview=True)
    with TestClient(app):
        visitor = Visitor(app, load_signer(folder.path))
        visitor.enter(User("open"), "?PROLIFIC_PID=x1")
        listed = visitor.get("/preview").values("href")
    assert {"/preview/items/50", "/preview/items/60"} <= set(listed)
    assert "/preview/items/51" not in listed


def test_a_served_study_has_no_preview(tmp_path: Path) -> None:
    folder = create_study_folder(tmp_path / "s", forced_choice())
    app = make_app(folder)
    with TestClient(app):
        visitor = Visitor(app, load_signer(folder.path))
        visitor.enter(User("open"), "?PROLIFIC_PID=x1")
        assert visitor.client.get("/preview").status_code == 404


class _Texts(HTMLParser):
    """All texts of a page, those in attributes too."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.found.add(" ".join(data.split()))

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("aria-label", "alt", "title", "placeholder"):
                self.found.add(value or "")
            if name == "data-words":
                self.found |= set(json.loads(value or "{}").values())


@pytest.mark.parametrize("language", ["ar", "de", "es", "fr", "hi", "it", "pt", "ru"])
def test_no_page_of_a_translated_study_is_in_english(language: str, tmp_path: Path) -> None:
    suite = find_suite("genform")
    kind = suite.studies["rewritings"]
    one = (StudyItem(id="one", language=language, fields={}),)
    study = kind.for_items(
        msgspec.structs.replace(kind.study(suite.protocols["epicene"]), items=one)
    )
    (first, *_) = study.practice
    study = msgspec.structs.replace(
        study, items=(msgspec.structs.replace(first, id="one", expected={}, feedback={}),)
    )
    folder = create_study_folder(tmp_path / "s", study)
    english = {
        name: re.sub(r"\\{\w+\\}", r"\\w+", re.escape(str(texts["en"])))
        for name, texts in interface_texts().items()
        if texts[language] != texts["en"]
    }
    app = make_app(folder, preview=True)
    with TestClient(app):
        visitor = Visitor(app, load_signer(folder.path))
        visitor.client.headers["Accept-Language"] = language
        visitor.enter(User("person", "preview"))
        listed = visitor.get("/preview").values("href")
        pages = [each for each in listed if each.startswith("/preview/")]
        assert {"/preview/items/1", "/preview/feedback/practice/1"} <= set(pages)
        for address in ("/", *pages):
            page = visitor.get(address).text
            assert f'lang="{language}"' in page
            found = _Texts(page).found
            left = {n for n, text in english.items() if any(re.fullmatch(text, f) for f in found)}
            assert left == set(), address
