"""A local pipeline draws: same seed same bytes, whatever else was asked for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image as Pillow
from safetensors.torch import load_file, save_file

from epicene.core.errors import InputError
from epicene.core.files import ImageFolder
from epicene.core.records import Answer, Draw, Failed, Generate, Image, Images, Request
from epicene.models import Model, ModelOptions, open_model, parse_spec, sample_seed
from epicene.models.diffusion import open as open_pipeline
from epicene.runs.images import RunImages
from models.model_answers import batch_answers
from models.tiny_diffusion import LONGEST, save_pipeline


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_pipeline(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def pipeline(folder: Path) -> Model:
    return open_pipeline(str(folder), ModelOptions())


def draw(prompt: str = "a nurse", **fields: Any) -> Draw:
    return Draw(item=prompt, prompt=prompt, **{"width": 32, "height": 16, **fields})


def answers(model: Model, files: Path, *requests: Request) -> list[Answer]:
    return batch_answers(model, *requests, files=ImageFolder(files))


def images(model: Model, files: Path, request: Draw) -> tuple[Image, ...]:
    (answer,) = answers(model, files, request)
    assert isinstance(answer, Images), answer
    return answer.images


def test_images_are_images_of_the_asked_size_from_seeds_of_their_own(
    pipeline: Model, tmp_path: Path
) -> None:
    first, second = images(pipeline, tmp_path, draw(shots=2, seed=5))
    assert [first.seed, second.seed] == [sample_seed(5, 0), sample_seed(5, 1)]
    assert first.sha256 != second.sha256
    with Pillow.open(ImageFolder(tmp_path).path(first.sha256)) as picture:
        picture.load()
        assert picture.format == "PNG"
        assert picture.size == (first.width, first.height) == (32, 16)


def test_an_image_depends_on_prompt_seed_and_image_and_on_nothing_beside(
    pipeline: Model, folder: Path, tmp_path: Path
) -> None:
    (alone,) = images(pipeline, tmp_path, draw(seed=5))
    other, together, seeded = answers(
        pipeline, tmp_path, draw("a doctor", seed=5), draw(shots=2, seed=5), draw(seed=6)
    )
    assert isinstance(together, Images)
    assert together.images[0] == alone
    assert isinstance(other, Images)
    assert isinstance(seeded, Images)
    assert len({alone.sha256, other.images[0].sha256, seeded.images[0].sha256}) == 3
    reopened = open_pipeline(str(folder), ModelOptions())
    assert images(reopened, tmp_path, draw(seed=5)) == (alone,)


def test_what_an_unfinished_request_drew_is_not_drawn_again(folder: Path, tmp_path: Path) -> None:
    files = RunImages(tmp_path, lambda request: request.item.encode())
    model = open_pipeline(str(folder), ModelOptions())
    (begun,) = batch_answers(model, draw(shots=1), files=files)
    (whole,) = batch_answers(model, draw(shots=2), files=files)
    assert isinstance(begun, Images)
    assert isinstance(whole, Images)
    assert whole.images[:1] == begun.images
    assert model.notes()["drawn"] == 2


@pytest.mark.parametrize("unsafe", [True, False])
def test_what_the_safety_checker_blots_out_is_recorded_as_refused(
    unsafe: bool, tmp_path: Path
) -> None:
    checked = open_pipeline(str(save_pipeline(tmp_path / "m", unsafe=unsafe)), ModelOptions())
    (image,) = images(checked, tmp_path / "files", draw())
    assert ("safety checker" in image.refused) is unsafe
    assert bool(image.sha256) is not unsafe
    assert image.seed == sample_seed(0, 0)
    assert checked.notes()["refused"] == int(unsafe)


def test_a_size_it_cannot_draw_and_another_verb_fail_with_the_reason(
    pipeline: Model, tmp_path: Path
) -> None:
    odd, none, strange = answers(
        pipeline, tmp_path, draw(width=33), draw(shots=0), Generate(item="i", prompt="a")
    )
    assert isinstance(odd, Failed)
    assert "divisible by 8" in odd.reason
    assert none == Failed(reason="the request must ask for at least one image")
    assert strange == Failed(reason="a pipeline does not support the verb generate")


def test_a_prompt_that_is_cut_is_counted(folder: Path, tmp_path: Path) -> None:
    model = open_pipeline(str(folder), ModelOptions())
    images(model, tmp_path, draw("a" * (LONGEST - 2)))
    assert model.notes()["prompts_cut"] == 0
    images(model, tmp_path, draw("a" * (LONGEST - 1)))
    assert model.notes()["prompts_cut"] == 1


def test_identity_is_of_the_weights_and_settings_not_of_the_place(
    pipeline: Model, folder: Path, tmp_path: Path
) -> None:
    def changed(name: str, path: str, edit: dict[str, object]) -> bytes:
        copy = Path(shutil.copytree(folder, tmp_path / name))
        settings = json.loads((copy / path).read_bytes())
        (copy / path).write_text(json.dumps({**settings, **edit}))
        return open_pipeline(str(copy), ModelOptions()).identity.digest

    here = pipeline.identity
    assert here.key["dtype"] == "float32"
    assert here.key["num_inference_steps"] == "50"
    assert changed("saved-anew", "model_index.json", {"_diffusers_version": "9"}) == here.digest
    rescheduled = changed("s", "scheduler/scheduler_config.json", {"beta_end": 0.02})
    assert rescheduled != here.digest
    others = save_pipeline(tmp_path / "others", seed=1)
    assert open_pipeline(str(others), ModelOptions()).identity.key["weights"] != here.key["weights"]
    half = open_pipeline(str(folder), ModelOptions(dtype="bfloat16")).identity
    assert half.digest != here.digest


def test_the_spec_names_a_folder_that_holds_a_pipeline(tmp_path: Path) -> None:
    for name, words in (("", "diffusers:PATH"), ("nowhere", "no folder"), ("here", "model_index")):
        (tmp_path / "here").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=words):
            open_model(parse_spec(f"diffusers:{tmp_path / name if name else ''}"))
    (tmp_path / "here" / "model_index.json").write_text("{")
    with pytest.raises(InputError, match="could not be read"):
        open_model(parse_spec(f"diffusers:{tmp_path / 'here'}"))


@pytest.mark.parametrize(
    "part", ["text_encoder/model", "unet/diffusion_pytorch_model", "vae/diffusion_pytorch_model"]
)
def test_a_pipeline_that_lacks_a_weight_is_refused(part: str, folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    file = copy / f"{part}.safetensors"
    weights = load_file(file)
    del weights[sorted(weights)[-1]]
    save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(InputError, match=f"lacks 1 of the weights of its {part.split('/')[0]}"):
        open_pipeline(str(copy), ModelOptions())


def test_a_spec_opens_the_pipeline(folder: Path) -> None:
    model = open_model(parse_spec(f"diffusers:{folder}?label=tiny"))
    assert model.identity.label == "tiny"
    assert model.verbs == {"draw"}
    assert cast("int", model.identity.about["parameters"]) > 1000


@pytest.mark.parametrize("part", ["unet", "vae"])
def test_an_image_that_is_not_finite_fails_its_request(
    part: str, folder: Path, tmp_path: Path
) -> None:
    """It was a black picture."""
    shutil.copytree(folder, tmp_path / "broken")
    weights = tmp_path / "broken" / part / "diffusion_pytorch_model.safetensors"
    tensors = load_file(weights)
    broken = {name: tensor * float("nan") for name, tensor in tensors.items()}
    save_file(broken, weights, metadata={"format": "pt"})
    for options, advice in (
        (ModelOptions(), "the model's weights are broken; download or convert them again"),
        (ModelOptions(dtype="bfloat16"), "try --dtype float32"),
    ):
        model = open_pipeline(str(tmp_path / "broken"), options)
        (answer,) = answers(model, tmp_path / "files", draw("a nurse", shots=2))
        assert isinstance(answer, Failed)
        assert answer.reason.startswith("image 1 for the prompt 'a nurse' came out as nan in ")
        assert answer.reason.endswith(advice)
