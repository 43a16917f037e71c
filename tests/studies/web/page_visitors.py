"""People who visit the annotation pages: they follow links, read pages and fill in forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from fastapi.testclient import TestClient

from epicene.core.files import IMAGES_FOLDER, ImageFolder
from epicene.studies.collection.folder import RESPONSES_FILE, StudyFolder, create_study_folder
from epicene.studies.collection.links import LinkSigner, User, load_signer
from epicene.studies.design.schema import ImagePanel, Study
from epicene.studies.web.app import make_app

Fields: TypeAlias = Mapping[str, str | list[str]]

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)


class Page(HTMLParser):
    """What a test wants to know of a page: its fields, their values, all attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.fields: dict[str, list[str]] = {}  # all values there are, by name
        self.chosen: dict[str, list[str]] = {}  # those that would be sent now
        self.attributes: list[tuple[str, dict[str, str]]] = []
        self._select = ""
        self._area = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.attributes.append((tag, given))
        name = given.get("name", "")
        if tag == "select":
            self._select = name
        elif tag == "option":
            self._add(self._select, given["value"], sent="selected" in given)
        elif tag == "textarea":
            self._area = name
            self._add(name, "", sent=True)
        elif tag == "input":
            kind = given.get("type", "text")
            sent = "checked" in given if kind in ("radio", "checkbox") else True
            self._add(name, given.get("value", ""), sent=sent)

    def handle_data(self, data: str) -> None:
        if self._area:
            self.chosen[self._area] = self.fields[self._area] = [data.removeprefix("\n")]

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""

    def _add(self, name: str, value: str, *, sent: bool) -> None:
        self.fields.setdefault(name, []).append(value)
        if sent:
            self.chosen.setdefault(name, []).append(value)

    def values(self, attribute: str) -> list[str]:
        """All values of an attribute, in order."""
        return [given[attribute] for _, given in self.attributes if attribute in given]

    def has_id(self, name: str) -> bool:
        return name in self.values("id")

    @property
    def stage(self) -> str:
        return self.values("data-stage")[0]


class Visitor:
    """Somebody with a browser of their own, without a script."""

    def __init__(self, app: Any, signer: LinkSigner) -> None:
        self.client = TestClient(app, base_url="http://127.0.0.1", follow_redirects=True)
        self.signer = signer

    def enter(self, user: User, query: str = "", **headers: str) -> Page:
        reply = self.client.get(f"/enter/{self.signer.token(user)}{query}", headers=headers)
        assert reply.status_code == 200, reply.text
        (refresh,) = re.findall(r'http-equiv="refresh" content="0;url=([^"]+)"', reply.text)
        return self.get(refresh)

    def get(self, address: str = "/") -> Page:
        reply = self.client.get(address)
        assert reply.status_code == 200, reply.text
        return Page(reply.text)

    def post(
        self, page: Page, address: str, fields: Fields | None = None, status: int = 200
    ) -> Page:
        """Send a form of the page, with some fields filled in."""
        reply = self.client.post(address, data=form(page, fields or {}))
        assert reply.status_code == status, reply.text
        return Page(reply.text)

    def answer(self, page: Page, status: int = 200, **answers: str | list[str]) -> Page:
        """Send the answers to an item, by question."""
        return self.answer_all(page, answers, status)

    def answer_all(self, page: Page, answers: Fields, status: int = 200) -> Page:
        """The same, whatever the questions are called; the rest is sent as it stands."""
        standing = {
            name: value for name, value in page.chosen.items() if name.startswith("answer.")
        }
        given = {f"answer.{name}": value for name, value in answers.items()}
        return self.post(page, "/answer", {**standing, **given}, status)

    def api(self, page: Page, address: str, body: Mapping[str, object]) -> Any:
        csrf = page.chosen["csrf"][0]
        return self.client.post(f"/api/{address}", json=body, headers={"X-CSRF-Token": csrf})


def form(page: Page, fields: Fields) -> dict[str, str | list[str]]:
    """What a form of the page sends: the last one's, as the one to go back comes before."""
    hidden: dict[str, str | list[str]] = {
        name: page.chosen[name][-1:]
        for name in ("csrf", "number", "revision")
        if name in page.chosen
    }
    return hidden | dict(fields)


class ServedStudy:
    """A study that is being served."""

    def __init__(self, folder: StudyFolder) -> None:
        self.folder = folder
        self.app = make_app(folder)
        self.signer = load_signer(folder.path)

    @property
    def database(self) -> Path:
        return self.folder.path / RESPONSES_FILE

    def visitor(self) -> Visitor:
        return Visitor(self.app, self.signer)

    def person(self, name: str = "ann") -> tuple[Visitor, Page]:
        visitor = self.visitor()
        return visitor, visitor.enter(User("person", name))

    def owner(self) -> tuple[Visitor, Page]:
        visitor = self.visitor()
        return visitor, visitor.enter(User("owner"))


def with_pictures(study: Study, folder: Path) -> Study:
    """The study with a picture in each place for one."""
    fields = [panel.field for panel in study.show if isinstance(panel, ImagePanel)]
    name = ImageFolder(folder / IMAGES_FOLDER).put(PNG) if fields else ""
    items = tuple(
        msgspec.structs.replace(item, fields=item.fields | dict.fromkeys(fields, name))
        for item in study.items
    )
    return msgspec.structs.replace(study, items=items)


@contextmanager
def served(study: Study, folder: Path) -> Iterator[ServedStudy]:
    """Serve a study in this process."""
    site = ServedStudy(create_study_folder(folder, with_pictures(study, folder)))
    with TestClient(site.app):  # starts and stops the application
        yield site
