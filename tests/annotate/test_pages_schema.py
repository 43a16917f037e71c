"""The API does what its description says, whatever is sent: by a person, the owner, a stranger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.types import ASGIApp, Receive, Scope, Send

from epicene.annotate.folder import create_folder
from epicene.annotate.pages.app import make_app
from epicene.annotate.pages.limits import Buckets
from page_visitors import House, served
from study_examples import misgendering

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def description() -> dict[str, Any]:
    """What the application says of its API, which is the same for all studies."""
    with TemporaryDirectory() as folder:
        app = make_app(create_folder(Path(folder), misgendering()))
        found: dict[str, Any] = app.openapi()
    return found


# Too large is refused before anything else.
configured = schemathesis.Config.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": [400, 404, 409, 413, 422]}}}
)
schema = schemathesis.openapi.from_dict(description(), config=configured)
bounded = settings(
    max_examples=40, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with pytest.MonkeyPatch.context() as patch:
        # The limits are tested elsewhere; here they would hide all else.
        patch.setattr(Buckets, "take", lambda *_: True)
        with served(misgendering(), tmp_path_factory.mktemp("schema") / "s") as house:
            yield house


@pytest.fixture(scope="module")
def app(house: House) -> ASGIApp:
    """The application, which was started already and is not to be stopped."""

    async def requests_alone(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await house.app(scope, receive, send)

    return requests_alone


@pytest.fixture(scope="module")
def passes(house: House) -> dict[str, str]:
    """The headers of somebody who is person and owner at once."""
    person, page = house.person()
    owner, _ = house.owner()
    cookies = {**person.client.cookies, **owner.client.cookies}
    assert len(cookies) == 2
    return {
        "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
        "X-CSRF-Token": page.chosen["csrf"][0],
    }


@schema.parametrize()
@bounded
def test_who_has_links(case: Case, app: ASGIApp, passes: dict[str, str]) -> None:
    checks = [*CHECKS, negative_data_rejection]
    reply = case.call_and_validate(app=app, headers=passes, checks=checks)
    if case.method == "GET":
        assert reply.status_code == 200


@schema.parametrize()
@bounded
def test_who_has_none(case: Case, app: ASGIApp) -> None:
    reply = case.call_and_validate(app=app, checks=CHECKS)
    assert reply.status_code == 404


@schema.include(method="POST").parametrize()
@bounded
def test_what_the_person_was_given(
    case: Case, app: ASGIApp, house: House, passes: dict[str, str]
) -> None:
    """Numbers that are drawn lead nowhere; so this is about what is before the person."""
    cookie = {"Cookie": passes["Cookie"]}
    now = house.visitor().client.get("/api/work", headers=cookie).json()
    if isinstance(case.body, dict) and "number" in case.body:
        case.body |= {"number": now["number"], "revision": now["revision"]}
        if case.path.endswith("undo"):
            del case.body["revision"]
    reply = case.call_and_validate(app=app, headers=passes, checks=CHECKS)
    assert house.folder.responses() == [] or reply.status_code == 200


@schema.include(method="POST").parametrize()
@bounded
def test_who_has_no_token(case: Case, app: ASGIApp, house: House, passes: dict[str, str]) -> None:
    before = house.folder.responses()
    reply = case.call_and_validate(app=app, headers={"Cookie": passes["Cookie"]}, checks=CHECKS)
    assert reply.status_code in (400, 403, 413, 422)
    assert house.folder.responses() == before
