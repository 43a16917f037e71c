"""How fast texts are written: rows that come and go, beside one padded batch after another.

    python benchmarks/generating.py [--prompts 32] [--samples 5] [--rounds 2] [--model SPEC]

Both ways write the same texts with the same model in the same run, and must give the same. A text
ends with its sentence or line, or after 60 tokens, so lengths go from one token to 60. Without
--model it is the embedded smollm2 on a CPU, and on a GPU a Llama of 1.2 billion random parameters,
of whose vocabulary one token in 25 ends a text.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from contest import weights
from epicene.models import ModelOptions, embedded, open_model, parse_spec
from epicene.records import Decoding, Generate, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.models.hf.causal import HfCausal

WHO = "the nurse, the doctor, my neighbour, the pilot, a teacher, the new cook, our judge".split(
    ", "
)
DID = "came home late, lost the keys, called a friend, bought bread, told a story, ran away".split(
    ", "
)
LONGEST = 60
ENDING = 25  # one token in so many of the random model's vocabulary ends a text
SEED = 11


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--prompts", type=int, default=32)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--model", default="")
    options = parser.parse_args()
    import torch

    accelerated = torch.cuda.is_available()
    with tempfile.TemporaryDirectory() as folder:
        model = opened(options.model or (random_llama(folder) if accelerated else "smollm2"))
    stop = () if accelerated and not options.model else (".", "\n")
    asked = requests(options.prompts, options.samples, stop)
    report(model, asked, options.rounds)


def opened(spec: str) -> HfCausal:
    model: Any = open_model(parse_spec(spec, ModelOptions()))
    return model


def random_llama(folder: str) -> str:
    """The spec of a model of 1.2 billion parameters; its tokenizer is smollm2's."""
    from transformers import GenerationConfig

    shape, _ = weights.SHAPES["gpu"]
    made = weights.make(shape, embedded.fetch("smollm2"), (), "cuda", Path(folder))
    ends = list(range(0, shape.settings["vocab_size"], ENDING))
    GenerationConfig(eos_token_id=ends).save_pretrained(made)
    return f"hf:{made}"


def requests(prompts: int, samples: int, stop: tuple[str, ...]) -> list[Generate]:
    """Beginnings of stories, of one to six sentences."""
    draw = random.Random(SEED)
    decoding = Decoding(max_new_tokens=LONGEST, temperature=1.0, top_p=0.95, stop=stop)
    return [
        Generate(
            item=str(number),
            prompt=story(draw),
            samples=samples,
            decoding=decoding,
        )
        for number in range(prompts)
    ]


def story(draw: random.Random) -> str:
    sentences = [
        f"{draw.choice(WHO).capitalize()} {draw.choice(DID)}." for _ in range(draw.randint(1, 6))
    ]
    return " ".join([*sentences, f"{draw.choice(WHO).capitalize()} said that"])


def report(model: HfCausal, asked: list[Generate], rounds: int) -> None:
    writer = model._writer
    ways = {"continuous": writer._continuous, "padded": None}
    took = {name: Took(math.inf, math.inf) for name in ways}
    found: dict[str, list[Texts]] = {}
    for _ in range(rounds):
        for name, way in ways.items():
            vars(writer)["_continuous"] = way
            started = Took.now()
            found[name] = list(texts(model, asked))
            took[name] = Took.least(took[name], Took.since(started))
    same = sum(a == b for a, b in zip(*found.values(), strict=True))
    counts = [text.tokens for answer in found["continuous"] for text in answer.texts]
    print(
        f"{len(counts)} texts of {min(counts)} to {max(counts)} tokens, {sum(counts)} in all; "
        f"{same} of {len(asked)} requests answered alike; {model.notes()['texts']}"
    )
    for name, (clock, processor) in took.items():
        print(
            f"{name}: {len(counts) / clock:.1f} texts/s, {sum(counts) / clock:.0f} tokens/s; "
            f"{clock:.1f} s by the clock, {processor:.1f} s of processor time"
        )
    ratios = [slow / fast for slow, fast in zip(took["padded"], took["continuous"], strict=True)]
    print("padded takes {:.2f} times as long, and {:.2f} times the processor time".format(*ratios))


class Took(NamedTuple):
    """Seconds by the clock, and of the processor, which on a shared machine says more."""

    clock: float
    processor: float

    @classmethod
    def now(cls) -> Took:
        return cls(time.perf_counter(), time.process_time())

    @classmethod
    def since(cls, started: Took) -> Took:
        return cls(*(end - begin for end, begin in zip(cls.now(), started, strict=True)))

    @classmethod
    def least(cls, some: Took, other: Took) -> Took:
        return cls(*map(min, some, other))


def texts(model: HfCausal, asked: list[Generate]) -> Iterator[Texts]:
    """The answers, in batches as a run cuts them, in the order asked."""
    numbered = sorted(enumerate(asked), key=lambda pair: -len(pair[1].prompt))
    size = model.batch_limit.requests
    batches = [numbered[at : at + size] for at in range(0, len(numbered), size)]
    answers = {
        place: answer
        for part in model.answer(iter(batches), None)  # type: ignore[arg-type]
        for place, answer in part
    }
    for place in range(len(asked)):
        answer = answers[place]
        assert isinstance(answer, Texts), answer
        yield answer


if __name__ == "__main__":
    main()
