"""The owner's sessions end; participants resume; pages that were served by HTTPS stay there."""

from __future__ import annotations

import sqlite3

import pytest
from fastapi.testclient import TestClient

from epicene.studies.collection.links import SECRET_FILE, User
from epicene.studies.collection.owners import SESSION_SECONDS, OwnerSessions
from epicene.studies.collection.task_queue import TaskQueue
from epicene.studies.web import server as web_server
from epicene.studies.web.app import make_app
from epicene.studies.web.server import _network
from studies.web.page_visitors import ServedStudy, Visitor, form
from studies.web.test_web_connections import Wire, heard, wire

__all__ = ["wire"]


def sees_progress(visitor: Visitor) -> bool:
    reply = visitor.client.get("/owner")
    assert reply.status_code in (200, 404)
    return reply.status_code == 200


def cookie_of(visitor: Visitor) -> tuple[str, str]:
    ((name, value),) = visitor.client.cookies.items()
    return name, value


def test_the_owners_cookie_is_not_the_link(site: ServedStudy) -> None:
    visitor, _ = site.owner()
    token = site.signer.token(User("owner"))
    name, value = cookie_of(visitor)
    assert token not in value
    # The secret of the link is no cookie.
    stranger = site.visitor()
    stranger.client.cookies.set(name, token)
    assert not sees_progress(stranger)
    reply = site.visitor().client.get(f"/enter/{token}")
    assert f"max-age={SESSION_SECONDS}" in reply.headers["set-cookie"].lower()


def test_the_owner_logs_out_here_and_the_cookie_is_worth_nothing(site: ServedStudy) -> None:
    visitor, page = site.owner()
    other, _ = site.owner()
    name, value = cookie_of(visitor)
    left = visitor.post(page, "/owner/logout")
    assert left.has_id("logged-out")
    assert not visitor.client.cookies
    visitor.client.cookies.set(name, value)
    assert not sees_progress(visitor)
    assert sees_progress(other)
    assert visitor.client.post("/owner/logout", data=form(page, {})).status_code == 404


def test_the_owner_logs_out_everywhere(site: ServedStudy) -> None:
    visitor, page = site.owner()
    other, _ = site.owner()
    ann, _ = site.person()
    visitor.post(page, "/owner/logout", {"everywhere": "yes"})
    assert not sees_progress(other)
    assert ann.get().stage == "item"
    assert sees_progress(site.owner()[0])


def test_logging_out_takes_a_form_of_this_session(site: ServedStudy) -> None:
    visitor, _ = site.owner()
    _, others = site.owner()
    assert visitor.client.post("/owner/logout").status_code != 200
    assert visitor.client.post("/owner/logout", data=form(others, {})).status_code != 200
    assert sees_progress(visitor)


def test_sessions_end_by_themselves_and_outlive_a_restart(
    site: ServedStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor, _ = site.owner()
    name, value = cookie_of(visitor)
    with TestClient(make_app(site.folder), base_url="http://127.0.0.1") as client:
        client.cookies.set(name, value)
        assert client.get("/owner").status_code == 200
    monkeypatch.setattr(OwnerSessions, "is_current", lambda *_: False)
    assert not sees_progress(visitor)


def test_a_session_has_a_time(site: ServedStudy) -> None:
    now = 1000.0
    queue = TaskQueue(site.folder, clock=lambda: now)
    sessions = queue.owner_sessions
    first = sessions.start(User("owner"))
    assert sessions.is_current(first)
    now += SESSION_SECONDS - 1
    assert sessions.is_current(first)
    now += 1
    assert not sessions.is_current(first)
    many = [sessions.start(User("owner")) for _ in range(101)]
    assert sum(map(sessions.is_current, many)) == 100
    with sqlite3.connect(queue.path) as db:
        kept = [row[0] for row in db.execute("SELECT session FROM owner_sessions")]
    assert len(kept) == 100
    assert not set(kept) & {first, *many}  # hashes, not what a cookie holds
    queue.close()


def test_a_new_secret_ends_all_sessions(site: ServedStudy) -> None:
    visitor, _ = site.owner()
    _, value = cookie_of(visitor)
    (site.folder.path / SECRET_FILE).unlink()
    other = ServedStudy(site.folder)
    with TestClient(other.app):
        stranger = other.visitor()
        owner, _ = other.owner()
        stranger.client.cookies.set(cookie_of(owner)[0], value)
        assert not sees_progress(stranger)


def test_participants_resume_in_the_same_browser(site: ServedStudy) -> None:
    visitor, page = site.person()
    page = visitor.answer(page, label="correct")
    with TestClient(make_app(site.folder), base_url="http://127.0.0.1") as client:
        client.cookies.update(visitor.client.cookies)
        assert client.get("/").status_code == 200
    reply = site.visitor().client.get(f"/enter/{site.signer.token(User('person', 'ann'))}")
    assert f"max-age={180 * 24 * 3600}" in reply.headers["set-cookie"].lower()


HSTS = "strict-transport-security"


@pytest.mark.parametrize("address", ["/", "/owner", "/static/x/y", "/enter/x"])
def test_https_is_demanded_only_where_there_is_https(address: str, site: ServedStudy) -> None:
    plain = TestClient(site.app, base_url="http://127.0.0.1").get(address)
    assert HSTS not in plain.headers
    encrypted = TestClient(site.app, base_url="https://study.example").get(address)
    assert encrypted.headers[HSTS] == "max-age=15552000"
    # Behind a proxy the requests look plain, and --url says what people use.
    proxied = TestClient(make_app(site.folder, secure=True), base_url="http://127.0.0.1")
    assert proxied.get(address).headers[HSTS] == "max-age=15552000"


def test_an_address_has_so_many_connections(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "_network", lambda host: host)  # count this machine, too
    monkeypatch.setattr(web_server, "MAX_CONNECTIONS_PER_ADDRESS", 3)
    lines = [wire.call() for _ in range(3)]
    for _ in range(3):
        with wire.call() as line:
            assert heard(line) == b""  # hung up at once
    for line in lines:
        line.close()
    for _ in range(5):
        assert wire.works()
    assert (
        not web_server.BoundedConnection._open
        or max(web_server.BoundedConnection._open.values()) <= 1
    )


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("127.0.0.1", ""),
        ("::1", ""),
        ("::ffff:127.0.0.1", ""),
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_addresses_that_are_counted_together(host: str, counted: str) -> None:
    assert _network(host) == counted


def test_a_proxys_connections_are_not_counted(site: ServedStudy) -> None:
    assert not web_server.uvicorn_config(site.app, proxied=True).http.counts_addresses  # type: ignore[union-attr]
    assert web_server.uvicorn_config(site.app).http.counts_addresses  # type: ignore[union-attr]
