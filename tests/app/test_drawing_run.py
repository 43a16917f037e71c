"""GramVis drawn by servers that fail in every way: each shot ends recorded, and the run goes on."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.conftest import Done, Epicene
from epicene.models.http import model as remote
from models.http.image_servers import PROVIDERS, Artist, Drawing, Gallery, Order, gallery
from models.http.local_server import SHORT_WAITS, Asked, Reply
from models.sample_images import claiming, picture

WORDS = """language,word,grammar,stereotype,category,english,chinese,genitive
DE,Wache,F,male,occupation,a guard,警卫,der Wache
DE,Star,M,female,social_status,a star,明星,des Stars
"""
ITEMS, CONDITIONS, SHOTS = 8, 3, 2
DRAWS = ITEMS * CONDITIONS
TOKENS = {"REPLICATE_API_TOKEN": "r8_0123456789", "IDEOGRAM_API_KEY": "ideogram-0123456789"}


@pytest.fixture(autouse=True)
def _served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(remote, "RetryPolicy", lambda: SHORT_WAITS)
    for name, value in TOKENS.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "words.csv").write_text(WORDS, "utf-8")


def command(shop: Gallery, *more: str, out: str = "run", shots: int = SHOTS) -> list[str]:
    return [
        "run", "gramvis", "--data=words.csv", f"--model=drawer={shop.spec}",
        "--model=judges=random:1,random:2", f"--set=shots={shots}", "--set=mixed=false",
        f"--out={out}", *more,
    ]  # fmt: skip


def stored(query: str) -> list[Any]:
    """What the store of the run says."""
    with closing(sqlite3.connect("run/answers.sqlite")) as db:
        return [value for (value,) in db.execute(query)]


def answers(stage: str = "draw") -> list[dict[str, Any]]:
    """What is stored of a stage; only the drawer can fail."""
    kinds = {"draw": ("images", "failed"), "look": ("choice",)}[stage]
    found = map(json.loads, stored("SELECT answer FROM answers"))
    return [answer for answer in found if answer["kind"] in kinds]


def shots() -> list[dict[str, Any]]:
    return [image for answer in answers() for image in answer.get("images", ())]


def manifest() -> Any:
    return json.loads(Path("run/manifest.json").read_text())


def plain(_: Order) -> Drawing:
    return Drawing()


def in_turn(first: dict[str, Drawing], *, lasting: bool) -> tuple[Artist, dict[str, str]]:
    """Every prompt meets a trouble, in turn; it passes at the next attempt, or lasts."""
    met: dict[str, str] = {}
    names = ["", *first]

    def artist(order: Order) -> Drawing:
        name = met.setdefault(order.prompt, names[len(met) % len(names)])
        if not name or (order.times and not lasting):
            return Drawing()
        return first[name]

    return artist, met


# --- faults ----------------------------------------------------------------------------------

PASSING = {
    "throttle": Drawing(fault=Reply({"detail": "slow"}, 429, headers={"retry-after": "0.02"})),
    "trouble": Drawing(fault=Reply({"detail": "oh dear"}, 500)),
    "hang": Drawing(fault=Reply({}, delay=30.0)),
    "closed": Drawing(fault=Reply(close=True)),
    "not JSON": Drawing(fault=Reply(b"<html>gateway</html>")),
    "broken": Drawing(picture(64, 64)[:60]),
}
KEPT_BACK = {
    "refusal": Drawing(refused="This was flagged by our safety system."),
    "broken": Drawing(picture(64, 64)[:60]),
    "no image": Drawing(b"<html>not an image</html>"),
    "20 megapixels": Drawing(picture(5000, 4000)),
    "bomb": Drawing(claiming(60_000, 60_000)),
}
LASTING = {
    "hang": Drawing(fault=Reply({}, delay=30.0)),
    "rejected": Drawing(fault=Reply({"detail": "too long"}, 400)),
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_passing_faults_leave_a_complete_run(epicene: Epicene, provider: str) -> None:
    artist, met = in_turn(PASSING, lasting=False)
    shop = gallery(provider, artist)
    with shop.server:
        done = epicene(*command(shop, "--timeout=3"))
    assert done.code == 0, done.err
    assert set(met.values()) == {"", *PASSING}
    assert len(answers()) == DRAWS
    assert all(image["sha256"] for image in shots())
    assert len(answers("look")) == 2 * DRAWS * SHOTS


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_kept_back_is_recorded_and_the_run_is_complete(
    epicene: Epicene, provider: str
) -> None:
    artist, met = in_turn(KEPT_BACK, lasting=True)
    shop = gallery(provider, artist)
    with shop.server:
        done = epicene(*command(shop), "--json")
        assert done.code == 0, done.err
        asked = len(shop.studio.orders)
        assert epicene(*command(shop)).code == 0
        assert len(shop.studio.orders) == asked, "nothing that was refused is asked for again"
    reasons = Counter(image.get("refused", "") for image in shots())
    troubled = Counter(met.values())
    assert reasons.pop("") == troubled[""] * SHOTS
    for name, words in {
        "refusal": "flagged by our safety system",
        "broken": "the image is broken",
        "no image": "not a PNG, JPEG or WebP image (3 attempts)",
        "20 megapixels": "5000 × 4000 pixels, which exceeds the limit of 16 megapixels",
        "bomb": "far too many pixels",
    }.items():
        assert sum(n for reason, n in reasons.items() if words in reason) == troubled[name] * SHOTS
    # What did not come is shown to nobody, and is undetected.
    assert len(answers("look")) == 2 * troubled[""] * SHOTS
    missing = sum(reasons.values())
    assert done.json["undetected"]["value"] >= missing / (DRAWS * SHOTS)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_lasting_faults_fail_and_only_they_are_asked_again(epicene: Epicene, provider: str) -> None:
    artist, met = in_turn(LASTING, lasting=True)
    shop = gallery(provider, artist)
    with shop.server:
        done = epicene(*command(shop, "--timeout=1.5"))
        assert done.code == 1, done.err
    failed = {prompt for prompt, name in met.items() if name}
    assert len([answer for answer in answers() if answer["kind"] == "failed"]) == len(failed)
    assert manifest()["sessions"][-1]["state"] == "incomplete"
    assert any(
        "no reply within 1.5 s (3 attempts)" in r for r in manifest()["counts"][0]["reasons"]
    )
    well = gallery(provider, plain)
    with well.server:
        again = epicene(*command(well))
    assert again.code == 0, again.err
    assert {order.prompt for order in well.studio.orders} == failed
    assert len(well.studio.orders) == len(failed) * SHOTS


# --- seeds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["a flipped bit", "a lost file"])
def test_a_damaged_image_is_found_and_drawn_again(epicene: Epicene, damage: str) -> None:
    shop = gallery("openai", lambda _order: Drawing())
    with shop.server:
        assert epicene(*command(shop)).code == 0
        path = next(path for path in Path("run/images").rglob("*") if path.is_file())
        data = bytearray(path.read_bytes())
        data[-20] ^= 1
        path.write_bytes(data)
        if damage == "a lost file":
            path.unlink()
        found = epicene("check", "run")
        assert found.code == 1
        assert path.name in found.out
        drawn = len(shop.studio.orders)
        again = epicene(*command(shop))
        assert again.code == 0, again.err
        # All are the same picture, so every shot lost its image.
        assert len(shop.studio.orders) - drawn == DRAWS * SHOTS
    sound = epicene("check", "run")
    assert sound.code == 0, sound.out
    assert len(answers()) == DRAWS
    assert len(answers("look")) == 2 * DRAWS * SHOTS


def test_every_shot_of_every_prompt_has_its_seed_and_always_the_same(epicene: Epicene) -> None:
    seeds = []
    for folder in ("one", "two"):
        shop = gallery("replicate", plain)
        with shop.server:
            done = epicene(*command(shop, out=folder, shots=4))
        assert done.code == 0, done.err
        orders = {(order.prompt, order.seed) for order in shop.studio.orders}
        # 2 words × 4 templates × 3 conditions × 4 shots
        assert len(orders) == len(shop.studio.orders) == 2 * 4 * 3 * 4
        assert len({seed for _, seed in orders}) == len(orders)
        seeds.append(orders)
    assert seeds[0] == seeds[1]


# --- killed ----------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
def test_killed_and_resumed_it_redraws_nothing(
    epicene: Epicene, provider: str, tmp_path: Path
) -> None:
    """Whatever was stored when it was killed is never drawn again."""
    shop = gallery(provider, plain)
    with shop.server:
        quick = shop.server._script

        def slow(asked: Asked) -> Reply:
            time.sleep(0.05)
            return quick(asked)

        shop.server._script = slow
        process = subprocess.Popen(
            [sys.executable, "-m", "epicene", *command(shop, "--concurrency=2", "--price=0.04")],
            cwd=tmp_path, env={**os.environ}, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 120
        while len(shop.studio.orders) < 20 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        time.sleep(0.2)  # until the server is done with what was in flight
        before = {image["seed"]: image["sha256"] for image in shots()}
        spent = money()
        drawn = len(shop.studio.orders)
        assert 0 < len(before) < DRAWS * SHOTS
        assert spent == pytest.approx(0.04 * len(before), abs=0.04 * SHOTS * 8)
        done = epicene(*command(shop, "--price=0.04"))
        assert done.code == 0, done.err
        again = {order.seed for order in shop.studio.orders[drawn:]}
    assert not again & set(before)
    assert len(shots()) == DRAWS * SHOTS
    assert {image["seed"]: image["sha256"] for image in shots()}.items() >= before.items()
    assert manifest()["spent"] == pytest.approx(spent + 0.04 * (len(shop.studio.orders) - drawn))


def money() -> float:
    """What the store says was spent."""
    return float(sum(stored("SELECT dollars FROM spent")))


# --- money -----------------------------------------------------------------------------------


def ran(epicene: Epicene, shop: Gallery, *more: str) -> tuple[Done, int]:
    """The command, and how many pictures were ordered by it."""
    before = len(shop.studio.orders)
    done = epicene(*command(shop, *more))
    return done, len(shop.studio.orders) - before


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_cost_is_said_before_kept_to_and_said_after(epicene: Epicene, provider: str) -> None:
    shop = gallery(provider, plain)
    whole = DRAWS * SHOTS * 0.04
    with shop.server:
        done, drawn = ran(epicene, shop, "--price=0.04", "--max-cost=1.00")
        assert done.code == 1
        assert f"requests left ({DRAWS} draw, {2 * DRAWS * SHOTS} look)" in done.err
        assert f" will cost at most ${whole:.2f}." in done.err
        assert "The limit of $1.00 does not allow" in done.err
        assert drawn == 24  # 12 requests of two pictures
        assert manifest()["spent"] == pytest.approx(0.96)
        session = manifest()["sessions"][-1]
        assert session["state"] == "incomplete"
        assert len(answers()) == 12

        done, drawn = ran(epicene, shop, "--price=0.04", "--max-cost=1.00")
        assert (done.code, drawn) == (1, 0)

        done, drawn = ran(epicene, shop, "--price=0.04", f"--max-cost={whole}")
        assert done.code == 0, done.err
        assert drawn == DRAWS * SHOTS - 24
        assert f"cost ${whole - 0.96:.2f} (estimate: at most ${whole - 0.96:.2f})." in done.err
        assert f"All sessions of the run cost ${whole:.2f}." in done.err
        (cost,) = manifest()["sessions"][-1]["costs"].values()
        assert cost["spent"] == pytest.approx(cost["estimate"]) == pytest.approx(whole - 0.96)
        assert manifest()["spent"] == pytest.approx(whole)


def test_what_is_not_known_is_said_and_no_limit_promised(epicene: Epicene) -> None:
    shop = gallery("replicate", plain)
    with shop.server:
        done, drawn = ran(epicene, shop, "--max-cost=1")
        assert (done.code, drawn) == (2, 0)
        assert "--max-cost needs the price of flux-1.1-pro" in done.err
        assert not Path("run").exists()
        done, drawn = ran(epicene, shop)
        assert done.code == 0, done.err
        assert "The cost of flux-1.1-pro is unknown (set --price; 0 if it is free)." in done.err
    (cost,) = manifest()["sessions"][-1]["costs"].values()
    assert cost == {"estimate": None, "spent": None, "price": "not known"}


def test_a_run_that_costs_nothing_speaks_of_no_cost(epicene: Epicene) -> None:
    done = epicene(
        "run", "gramvis", "--data=words.csv", "--model=drawer=random",
        "--model=judges=random:1,random:2", "--set=shots=1", "--set=mixed=false",
        "--max-cost=0", "--out=run",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "cost" not in done.err
    assert manifest()["sessions"][-1]["costs"] == {}


def test_a_senseless_price_is_one_sentence(epicene: Epicene) -> None:
    shop = gallery("replicate", plain)
    done = epicene(*command(shop, "--price=cheap"))
    assert done.code == 2
    assert "The price 'cheap' is invalid" in done.err
    assert epicene(*command(shop, "--max-cost=-1")).code == 2


# --- where things lie ------------------------------------------------------------------------


@pytest.mark.parametrize("provider", ["replicate", "ideogram"])
def test_no_key_is_in_any_file(epicene: Epicene, provider: str) -> None:
    words = f"your keys {' '.join(TOKENS.values())} are not welcome"
    rejected = Drawing(fault=Reply({"error": words}, 400))
    shop = gallery(provider, lambda _: rejected)
    with shop.server:
        done = epicene(*command(shop))
    assert done.code == 1
    assert "are not welcome" in done.err
    written = [path for path in Path("run").rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {"manifest.json", "answers.sqlite"}
    for token in TOKENS.values():
        assert token not in done.out + done.err
        for path in written:
            assert token.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("word", ["../Wache", "..", "Wache/../..", "a\\b"])
def test_a_word_with_a_path_in_it_is_refused(epicene: Epicene, word: str) -> None:
    Path("words.csv").write_text(WORDS.replace("DE,Wache", f"DE,{word}"), "utf-8")
    shop = gallery("replicate", plain)
    done = epicene(*command(shop))
    assert done.code == 2
    assert "line 2, has the word" in done.err
    assert done.err.count("\n") == 1
    assert not Path("run").exists()
