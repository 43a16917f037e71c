"""What a sweep may spend: foreseen, kept over all runs and sessions, and said when unknown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.conftest import Epicene
from epicene.core.errors import RunError
from epicene.models.http import model as remote
from epicene.models.openai.generation import PROBE
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from models.http.local_server import SHORT_WAITS, Asked, Reply, Server
from models.openai.openai_server import KEY, error
from run_folders import edit_manifest
from sweep_plans import plan

EACH = 8 * 0.20  # what a run costs: eight answers at 20 cents


def served(asked: Asked) -> Reply:
    """A short text, a thousand tokens read and a thousand written; the probe costs nothing."""
    if asked.prompt == PROBE:
        return error(400, "no tests")
    usage = {"prompt_tokens": 1000, "completion_tokens": 1000}
    return Reply(
        {"choices": [{"index": 0, "text": " so", "finish_reason": "length"}], "usage": usage}
    )


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server whose answers cost far more than was foreseen."""
    monkeypatch.setattr(remote, "RetryPolicy", lambda: SHORT_WAITS)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(served) as serving:
        yield serving


def paid_plan(
    server: Server, price: str = "&price=100/100", free: str = "", names: str = "ab"
) -> str:
    """Models behind a server, each asked for eight texts, after one that is free, if any."""
    paid = [f"openai:{name}?base_url={server.url}&concurrency=1{price}" for name in names]
    text = plan(*([free] if free else []), *paid, limit=8)
    return text + "[suites.settings]\nitems = 8\nsamples = 1\n"


def runs(done: Any) -> dict[str, dict[str, Any]]:
    """The runs of a sweep, by model."""
    return {each["model"].partition("?")[0]: each for each in done["runs"]}


def damage(folder: str) -> None:
    """Make a run's store unreadable."""
    Path(folder, "answers.sqlite").write_bytes(b"no database at all " * 500)
    for beside in ("answers.sqlite-wal", "answers.sqlite-shm"):
        Path(folder, beside).unlink(missing_ok=True)


def kill(folder: str) -> None:
    """Leave a run's manifest as a killed session leaves it."""
    edit_manifest(
        Path(folder),
        lambda manifest: manifest["sessions"][-1].update(ended="", state="running"),
    )


def test_money_is_foreseen_refused_and_counted_over_all_runs(
    epicene: Epicene, server: Server
) -> None:
    Path("plan.toml").write_text(paid_plan(server))
    foreseen = epicene("sweep", "plan.toml", "--dry-run", "--json").json
    one, other = (each["estimate"]["cost"] for each in foreseen["runs"])
    assert one > 0
    assert foreseen["all"]["cost"] == pytest.approx(one + other)
    refused = epicene("sweep", "plan.toml", f"--max-cost={one * 1.5}")
    assert refused.code == 2
    assert "it may cost $" in refused.err
    assert server.asked == []
    done = epicene("sweep", "plan.toml", "--max-cost=2.0", "--json")
    assert done.code == 1
    first, second = done.json["runs"]
    assert first["state"] == "complete"
    assert first["spent"] == pytest.approx(EACH)
    assert second["state"] == "incomplete", "stopped by the limit, it has not failed"
    assert "The limit of $2.00 does not allow" in second["why"]
    # Alone it would have had room for all; those under way when the money was gone are paid.
    assert 0 < second["spent"] < EACH
    refused = epicene("sweep", "plan.toml", "--max-cost=2.0")
    assert refused.code == 2
    assert f"in addition to the ${EACH + second['spent']:.2f} already spent" in refused.err


def test_a_limit_needs_the_prices(epicene: Epicene, server: Server) -> None:
    Path("plan.toml").write_text(paid_plan(server, price=""))
    done = epicene("sweep", "plan.toml", "--max-cost=1")
    assert server.asked == []
    assert done.code == 2
    assert "needs the price of a" in done.err


def test_what_nobody_knows_the_price_of_is_not_said_to_be_free(
    epicene: Epicene, server: Server
) -> None:
    Path("plan.toml").write_text(paid_plan(server, price=""))
    for _ in range(2):  # and once more with nothing to do
        done = epicene("sweep", "plan.toml")
        assert "unknown" in done.out
        assert "$0.00" not in done.out
        found = runs(json.loads(Path("plan/sweep.json").read_bytes()))
        assert {model: each["unpriced"] for model, each in found.items()} == {
            "openai:a": ["a"],
            "openai:b": ["b"],
        }


def test_what_earlier_sessions_spent_stays_in_the_books(epicene: Epicene, server: Server) -> None:
    Path("plan.toml").write_text(paid_plan(server))
    stopped = epicene("sweep", "plan.toml", "--max-cost=2.0", "--json")
    assert runs(stopped.json)["openai:b"]["state"] == "incomplete"
    for _ in range(2):  # to the end, and once more with nothing to do
        done = epicene("sweep", "plan.toml", "--max-cost=10", "--json")
        assert done.code == 0, done.err
        spent = {model: each["spent"] for model, each in runs(done.json).items()}
        assert spent == {"openai:a": pytest.approx(EACH), "openai:b": pytest.approx(EACH)}
        assert json.loads(Path("plan/sweep.json").read_bytes()) == done.json


def test_a_damaged_store_fails_its_own_run(epicene: Epicene, server: Server) -> None:
    Path("plan.toml").write_text(paid_plan(server, free="scripted:f"))
    first = runs(epicene("sweep", "plan.toml", "--max-cost=2", "--json").json)
    damage(first["scripted:f"]["folder"])
    done = epicene("sweep", "plan.toml", "--max-cost=10", "--json")
    assert done.code == 1
    free, one, other = done.json["runs"]
    assert (free["state"], one["state"], other["state"]) == ("failed", "complete", "complete")
    assert "answers.sqlite is damaged" in free["why"]
    assert free["folder"] == first["scripted:f"]["folder"]
    assert Path("plan/report.html").is_file()


def test_a_store_that_breaks_while_its_run_is_on_is_left_out_of_the_report(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaking(order: RunConfig, *rest: Any) -> Any:
        folder, manifest = run(order, *rest)
        if manifest.models["writer"][0].label == "scripted-a":
            damage(str(folder))
            raise RunError("the disk is gone")
        return folder, manifest

    monkeypatch.setattr("epicene.runs.sweep.runner.run", breaking)
    Path("plan.toml").write_text(plan())
    done = epicene("sweep", "plan.toml")
    assert done.code == 1
    assert "Incomplete: two-stage · epicene · scripted:a (failed). the disk is gone" in done.err
    page = Path("plan/report.html").read_text(encoding="utf-8")
    assert "the disk is gone" in page
    assert "scripted-b" in page


@pytest.mark.parametrize("lost", ["answers.sqlite", "manifest.json"])
def test_half_a_run_folder_fails_its_own_run(epicene: Epicene, server: Server, lost: str) -> None:
    Path("plan.toml").write_text(paid_plan(server, free="scripted:f"))
    first = runs(epicene("sweep", "plan.toml", "--max-cost=2", "--json").json)
    half = Path(first["scripted:f"]["folder"], lost)
    half.unlink() if lost == "answers.sqlite" else half.write_text("{")
    done = epicene("sweep", "plan.toml", "--max-cost=10", "--json")
    assert done.code == 1
    assert [each["state"] for each in done.json["runs"]] == ["failed", "complete", "complete"]


def test_what_a_damaged_run_had_spent_when_it_ended_is_counted(
    epicene: Epicene, server: Server
) -> None:
    Path("plan.toml").write_text(paid_plan(server, names="a"))
    (first,) = epicene("sweep", "plan.toml", "--json").json["runs"]
    damage(first["folder"])
    Path("plan.toml").write_text(paid_plan(server))
    refused = epicene("sweep", "plan.toml", f"--max-cost={EACH}")
    assert refused.code == 2
    assert f"in addition to the ${EACH:.2f} already spent" in refused.err
    a, b = epicene("sweep", "plan.toml", "--max-cost=10", "--json").json["runs"]
    assert (a["state"], b["state"]) == ("failed", "complete")
    assert a["spent"] == pytest.approx(EACH)


def test_with_money_that_nobody_can_count_no_more_is_spent(
    epicene: Epicene, server: Server
) -> None:
    """A session was killed and its store is damaged: what it spent stands nowhere."""
    Path("plan.toml").write_text(paid_plan(server))
    first = runs(epicene("sweep", "plan.toml", "--max-cost=1.7", "--json").json)
    kill(first["openai:a"]["folder"])
    damage(first["openai:a"]["folder"])
    asked = len(server.asked)
    Path("plan.toml").write_text(paid_plan(server, free="scripted:f"))
    done = epicene("sweep", "plan.toml", "--max-cost=10", "--json")
    assert len(server.asked) == asked
    assert done.code == 1
    free, a, b = done.json["runs"]
    assert (free["state"], a["state"], b["state"]) == ("complete", "failed", "open")
    why = f"the cost of {a['folder']} cannot be read, so max_cost cannot be enforced"
    assert why in b["why"]
    assert f"No run that may cost money will start: {why}" in done.err
    # Without a limit there is none to keep.
    whole = epicene("sweep", "plan.toml", "--json")
    assert runs(whole.json)["openai:b"]["state"] == "complete"


def test_a_damaged_run_that_was_free_does_not_stop_the_spending(
    epicene: Epicene, server: Server
) -> None:
    Path("plan.toml").write_text(paid_plan(server, free="scripted:f"))
    first = runs(epicene("sweep", "plan.toml", "--max-cost=2", "--json").json)
    kill(first["scripted:f"]["folder"])
    damage(first["scripted:f"]["folder"])
    done = epicene("sweep", "plan.toml", "--max-cost=10", "--json")
    assert [each["state"] for each in done.json["runs"]] == ["failed", "complete", "complete"]
