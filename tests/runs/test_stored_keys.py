"""What planning is told of stored answers."""

from __future__ import annotations

from pathlib import Path

from epicene.core.records import Failed, Identity, Text, Texts
from epicene.runs.request_ids import make_request_id
from epicene.runs.store import AnswerStore

WRITTEN = Texts(texts=(Text(text="she"),))


def test_a_failed_request_is_known_and_not_answered(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "answers.sqlite", create=True)
    one, other = (
        store.section("ask", "model", Identity(kind="k", label=label, key={"name": label}))
        for label in "ab"
    )
    done, failed, beyond = (make_request_id(one.id, item, 0) for item in (0, 1, 2))
    elsewhere = make_request_id(other.id, 0, 0)
    store.put(
        [
            (done, "", b"1", WRITTEN),
            (failed, "", b"2", Failed(reason="no")),
            (beyond, "", b"3", WRITTEN),
            (elsewhere, "", b"4", Failed(reason="no")),
        ]
    )
    known = store.known(one, 0, 2)
    assert known.keys == {done: b"1", failed: b"2"}
    assert known.failed == {failed}
    assert [known.answered(place) for place in (done, failed, beyond)] == [True, False, False]

    # An answer takes the place of a failure, and nothing takes the place of an answer.
    store.put([(failed, "", b"2", WRITTEN), (done, "", b"1", Failed(reason="late"))])
    known = store.known(one, 0, 2)
    assert known.failed == frozenset()
    assert known.answered(done)
    store.close()
