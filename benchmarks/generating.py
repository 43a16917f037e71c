"""How fast texts are generated: by continuous batching, and by one padded batch after another.

    python benchmarks/generating.py [--prompts 16] [--samples 5] [--rounds 1] [--model SPEC]

Both generate the same texts with the same model in the same run: sentences that end when they
end, or after 60 tokens; texts of 4 to 60 tokens, as each request asks; texts of 60 tokens. Without
--model it is the embedded smollm2 on a CPU, and on a GPU a Llama of 1.2 billion random parameters,
of whose vocabulary one token in 25 ends a text; its tokenizer is that of the folder --tokenizer, or
smollm2's. On a busy CPU read the processor time, with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from itertools import count, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).resolve().parent))

from epicene.core.records import Decoding, Generate, Texts
from epicene.models import ModelOptions, embedded, open_model, parse_spec
from scoring_speed import weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models.hf.causal import HfCausal

WHO = ("the nurse", "the doctor", "my neighbour", "the pilot", "a teacher", "our new judge")
DID = ("came home late", "lost the keys", "called a friend", "bought bread", "told a story")
LONGEST = 60
ENDING = 25  # one token in so many of the random model's vocabulary ends a text
SEED = 11


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--model", default="")
    parser.add_argument("--tokenizer", default="")
    options = parser.parse_args()
    import torch

    made = not options.model and torch.cuda.is_available()
    with tempfile.TemporaryDirectory() as folder:
        if made:
            spec = _random_llama(folder, options.tokenizer)
        else:
            spec = options.model or f"hf:{embedded.fetch('smollm2')}"
        model = cast("HfCausal", open_model(parse_spec(spec, ModelOptions())))
    for name, decodings in _workloads(() if made else (".", "\n")).items():
        print(f"{name}:")
        _compare(model, _requests(options.prompts, options.samples, decodings), options.rounds)


def _workloads(stop: tuple[str, ...]) -> dict[str, Iterator[Decoding]]:
    """The decoding of each request, by workload."""
    drawn = Decoding(max_new_tokens=LONGEST, temperature=1.0, top_k=50, top_p=0.95)
    exact = replace(drawn, exact_length=True)
    draw = random.Random(SEED)
    return {
        "sentences": repeat(replace(drawn, stop=stop)),
        "4 to 60 tokens": (
            replace(exact, max_new_tokens=draw.randint(4, LONGEST)) for _ in count()
        ),
        "60 tokens": repeat(exact),
    }


def _random_llama(folder: str, tokenizer: str) -> str:
    """The spec of a model made there."""
    from transformers import GenerationConfig

    of = Path(tokenizer) if tokenizer else embedded.fetch("smollm2")
    made = weights.make(weights.LLAMA_1B, of, (), "cuda", Path(folder))
    ends = list(range(0, weights.LLAMA_1B.settings["vocab_size"], ENDING))
    GenerationConfig(eos_token_id=ends).save_pretrained(made)
    return f"hf:{made}"


def _requests(prompts: int, samples: int, decodings: Iterator[Decoding]) -> list[Generate]:
    draw = random.Random(SEED)
    return [
        Generate(item=str(number), prompt=_story(draw), samples=samples, decoding=decoding)
        for number, decoding in enumerate(islice(decodings, prompts))
    ]


def _story(draw: random.Random) -> str:
    """The beginning of a story, one to six sentences long."""
    sentences = [
        f"{draw.choice(WHO).capitalize()} {draw.choice(DID)}." for _ in range(draw.randint(1, 6))
    ]
    return " ".join([*sentences, f"{draw.choice(WHO).capitalize()} said that"])


class Timing(NamedTuple):
    """Seconds by the clock, and of the processor, which on a shared machine says more."""

    clock: float
    processor: float

    @classmethod
    def now(cls) -> Timing:
        return cls(time.perf_counter(), time.process_time())


def _compare(model: HfCausal, asked: Sequence[Generate], rounds: int) -> None:
    generator = model._generator
    vars(generator).pop("_continuous", None)
    modes = {"continuous": generator._continuous, "padded": None}
    times = {name: Timing(math.inf, math.inf) for name in modes}
    found: dict[str, list[Texts]] = {}
    for _ in range(rounds):
        for name, mode in modes.items():
            vars(generator)["_continuous"] = mode
            started = Timing.now()
            found[name] = list(_texts(model, asked))
            spent = (end - begin for end, begin in zip(Timing.now(), started, strict=True))
            times[name] = Timing(*map(min, times[name], spent))
    same = sum(one == other for one, other in zip(*found.values(), strict=True))
    counts = [text.tokens for answer in found["continuous"] for text in answer.texts]
    print(
        f"  {len(counts)} texts of {min(counts)} to {max(counts)} tokens, {sum(counts)} in all; "
        f"{same} of {len(asked)} requests answered alike"
    )
    for name, (clock, processor) in times.items():
        print(
            f"  {name}: {len(counts) / clock:.1f} texts/s, {sum(counts) / clock:.0f} tokens/s; "
            f"{clock:.1f} s by the clock, {processor:.1f} s of processor time"
        )
    clock, processor = (a / b for a, b in zip(times["padded"], times["continuous"], strict=True))
    print(f"  padded takes {clock:.2f} times as long, and {processor:.2f} times the processor time")


def _texts(model: HfCausal, asked: Sequence[Generate]) -> Iterator[Texts]:
    """The answers in the order asked, in batches as a run cuts them."""
    numbered = sorted(enumerate(asked), key=lambda pair: -len(pair[1].prompt))
    size = model.batch_limit.requests
    batches = [numbered[at : at + size] for at in range(0, len(numbered), size)]
    answers = {
        number: answer
        for part in model.answer(iter(batches), None)  # type: ignore[arg-type]
        for number, answer in part
    }
    for number in range(len(asked)):
        answer = answers[number]
        assert isinstance(answer, Texts), answer
        yield answer


if __name__ == "__main__":
    main()
