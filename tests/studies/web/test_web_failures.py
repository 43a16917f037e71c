"""What goes wrong inside is said politely, and nothing of the inside is shown."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from epicene.core.errors import RunError
from epicene.studies.collection.participants import Participants
from epicene.studies.web.study_app import StudyApp
from studies.web.page_visitors import ServedStudy
from studies.web.test_web_access import addresses


@pytest.mark.parametrize("address", ["/", "/api/work", "/owner"])
def test_a_failure_that_nobody_foresaw_has_the_headers_and_shows_nothing(
    address: str,
    site: ServedStudy,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    visitor = site.owner()[0] if address == "/owner" else site.person()[0]

    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("at /home/somebody/study")

    monkeypatch.setattr(StudyApp, "_render", fails)
    monkeypatch.setattr(Participants, "get", fails)
    reply = visitor.client.get(address)
    assert reply.status_code == 500
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert reply.headers["cache-control"] == "no-store"
    assert "try again" in reply.text
    assert not any(word in reply.text for word in ("Zero", "somebody", "Traceback"))
    assert ("detail" in reply.text) == address.startswith("/api/")
    assert "ZeroDivisionError" in caplog.text  # for the owner of the machine


def test_nothing_is_made_of_the_address_that_a_request_says_is_ours(
    site: ServedStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some versions of the framework cannot make one of a malformed Host, and raise."""

    def fails(_request: Request) -> None:
        raise ValueError("Invalid IPv6 URL")

    monkeypatch.setattr(Request, "url", property(fails))
    person, page = site.person()
    owner, _ = site.owner()
    for visitor in (person, owner, site.visitor()):
        for method, address in addresses(site):
            reply = visitor.client.request(method, address)
            assert reply.status_code in (200, 400, 403, 404, 422), address
    assert person.answer(page, label="correct").stage == "item"


def test_a_database_that_fails_before_any_page_is_said_too(
    site: ServedStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor, _ = site.person()

    def fails(*_: object) -> str:
        raise RunError("Could not read the responses in /home/somebody.")

    monkeypatch.setattr(Participants, "issue", fails)
    reply = visitor.client.get("/api/work")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
    assert "somebody" not in reply.text
    assert "content-security-policy" in reply.headers
