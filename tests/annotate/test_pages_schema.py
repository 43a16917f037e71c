"""The API does what its description says, whatever is sent: by a person, the owner, a stranger."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

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

bounded = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with pytest.MonkeyPatch.context() as patch:
        # The limits are tested elsewhere; here they would hide all else.
        patch.setattr(Buckets, "take", lambda *_: True)
        with served(misgendering(), tmp_path_factory.mktemp("schema") / "s") as house:
            yield house


@pytest.fixture(scope="module")
def described(house: House) -> schemathesis.BaseSchema:
    found = schemathesis.openapi.from_dict(house.app.openapi())
    found.app = house.app
    return found


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


schema = schemathesis.pytest.from_fixture("described")


@schema.parametrize()
@bounded
def test_who_has_links(case: schemathesis.Case, passes: dict[str, str]) -> None:
    case.call_and_validate(headers=passes, checks=[*CHECKS, negative_data_rejection])


@schema.parametrize()
@bounded
def test_who_has_none(case: schemathesis.Case) -> None:
    reply = case.call_and_validate(checks=CHECKS)
    assert reply.status_code in (404, 413)
