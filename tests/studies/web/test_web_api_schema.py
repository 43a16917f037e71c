"""The API does what its description says, whatever is sent: by a person, the owner, a stranger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import msgspec
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

from epicene.studies.collection.folder import create_study_folder
from epicene.studies.design.schema import Study
from epicene.studies.web.app import make_app
from epicene.studies.web.middleware import RateLimiter
from studies.web.page_visitors import ServedStudy, served
from study_examples import misgendering

AnyCase: TypeAlias = Case[Any]

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
        app = make_app(create_study_folder(Path(folder), misgendering()))
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


def long_study() -> Study:
    """More items than are answered here."""
    study = misgendering()
    items = tuple(msgspec.structs.replace(study.items[0], id=f"i{n}") for n in range(300))
    return msgspec.structs.replace(study, items=items)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedStudy]:
    with pytest.MonkeyPatch.context() as patch:
        # The limits are tested elsewhere; here they would hide all else.
        patch.setattr(RateLimiter, "allow", lambda *_: True)
        with served(long_study(), tmp_path_factory.mktemp("schema") / "s") as site:
            yield site


@pytest.fixture(scope="module")
def app(site: ServedStudy) -> ASGIApp:
    """The application, which was started already and is not to be stopped."""

    async def requests_alone(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await site.app(scope, receive, send)

    return requests_alone


@pytest.fixture(scope="module")
def passes(site: ServedStudy) -> dict[str, str]:
    """The headers of somebody who is person and owner at once."""
    person, page = site.person()
    owner, _ = site.owner()
    cookies = {**person.client.cookies, **owner.client.cookies}
    assert len(cookies) == 2
    return {
        "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
        "X-CSRF-Token": page.chosen["csrf"][0],
    }


def is_described(case: AnyCase) -> bool:
    """Whether the address knows the method: others are tried, too."""
    return bool(case.method.upper() == case.operation.method.upper())


@schema.parametrize()
@bounded
def test_who_has_links(case: AnyCase, app: ASGIApp, passes: dict[str, str]) -> None:
    checks = [*CHECKS, negative_data_rejection]
    reply = case.call_and_validate(app=app, headers=dict(passes), checks=checks)
    if not is_described(case):
        assert reply.status_code == 404
    elif case.method == "GET":
        assert reply.status_code == 200


@schema.parametrize()
@bounded
def test_who_has_none(case: AnyCase, app: ASGIApp) -> None:
    reply = case.call_and_validate(app=app, checks=CHECKS)
    assert reply.status_code == 404


@pytest.fixture(scope="module")
def came_of_it() -> Iterator[set[int]]:
    """What was said to answers that may be right: they must have been, and wrong too."""
    seen: set[int] = set()
    yield seen
    assert seen >= {200, 422}


@schema.include(path="/api/answer").parametrize()
@bounded
def test_answers_to_what_was_given(
    case: AnyCase, app: ASGIApp, site: ServedStudy, passes: dict[str, str], came_of_it: set[int]
) -> None:
    """Numbers that are drawn lead nowhere, so these are the right ones."""
    before = len(site.folder.responses())
    given = case.body.get("answers") if isinstance(case.body, dict) else None
    if isinstance(case.body, dict) and isinstance(given, dict):
        now = site.visitor().client.get("/api/work", headers={"Cookie": passes["Cookie"]}).json()
        drawn = dict(zip(("note", "tags", "extraneous"), given.values(), strict=False))
        case.body |= {name: now[name] for name in ("number", "revision") if name in case.body}
        case.body["answers"] = {"label": ["correct"], **drawn}
    reply = case.call_and_validate(app=app, headers=dict(passes), checks=CHECKS)
    came_of_it.add(reply.status_code)
    assert len(site.folder.responses()) - before == (reply.status_code == 200)


@schema.include(method="POST").parametrize()
@bounded
def test_who_has_no_token(
    case: AnyCase, app: ASGIApp, site: ServedStudy, passes: dict[str, str]
) -> None:
    before = site.folder.responses()
    reply = case.call_and_validate(app=app, headers={"Cookie": passes["Cookie"]}, checks=CHECKS)
    assert reply.status_code in ((400, 403, 413, 422) if is_described(case) else (404,))
    assert site.folder.responses() == before
