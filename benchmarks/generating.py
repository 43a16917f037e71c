"""How fast texts are generated, in each of Epicene's ways and by the library's own `generate`.

    python benchmarks/generating.py [--prompts 16 …] [--samples 5] [--rounds 2] [--model SPEC]

All ways generate with the same model in the same run: sentences that end when they end, or after
50 tokens; texts of 4 to 50 tokens, as each request asks; texts of 50 tokens. The ways are slots (on
a GPU), continuous batches, padded batches, and `generate` with the same temperature, top k and top
p, whose texts are other ones. The floor is the arithmetic of the distinct prompt tokens and of all
new ones at the rate of a large matrix product, measured in the same process. Without --model it is
the embedded smollm2 on a CPU, and on a GPU a Llama of 1.2 billion random parameters, of whose
vocabulary one token in 25 ends a text; its tokenizer is that of the folder --tokenizer, or
smollm2's. The first round of a way pays for its self-test, its graphs and the choice of kernels,
and is printed apart. On a busy CPU read the processor time, with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from itertools import count, islice, repeat, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).resolve().parent))

from epicene.core.records import Decoding, Generate, Text, Texts
from epicene.models import ModelOptions, embedded, open_model, parse_spec
from epicene.models.hf.generation.decoding import pad_prompts
from scoring_speed import weights
from scoring_speed.lower_bound import matrix_rate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models.hf.causal import CausalGenerator, HfCausal

WHO = ("the nurse", "the doctor", "my neighbour", "the pilot", "a teacher", "our new judge")
DID = ("came home late", "lost the keys", "called a friend", "bought bread", "told a story")
LONGEST = 50
ENDING = 25  # one token in so many of the random model's vocabulary ends a text
SEED = 11


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--prompts", type=int, nargs="+", default=[16])
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--only", nargs="+", help="the workloads, by their first letters")
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
    for prompts in options.prompts:
        for name, decodings in _workloads(() if made else (".", "\n")).items():
            if not options.only or name.startswith(tuple(options.only)):
                asked = _requests(prompts, options.samples, decodings)
                print(f"{prompts} prompts, {name}:", flush=True)
                _compare(model, asked, options.rounds, options.ways)


def _workloads(stop: tuple[str, ...]) -> dict[str, Iterator[Decoding]]:
    """The decoding of each request, by workload."""
    drawn = Decoding(max_new_tokens=LONGEST, temperature=1.0, top_k=50, top_p=0.95)
    exact = replace(drawn, exact_length=True)
    draw = random.Random(SEED)
    return {
        "sentences": repeat(replace(drawn, stop=stop)),
        "4 to 50 tokens": (
            replace(exact, max_new_tokens=draw.randint(4, LONGEST)) for _ in count()
        ),
        "50 tokens": repeat(exact),
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


WAYS = ("slots", "continuous", "padded", "generate")


def _compare(model: HfCausal, asked: Sequence[Generate], rounds: int, ways: Sequence[str]) -> None:
    import torch

    generator = model._generator
    best: dict[str, Timing] = {}
    found: dict[str, list[Texts]] = {}
    for way in ways:
        if way != "generate":
            _choose_way(generator, way)
            if way == "slots" and not torch.cuda.is_available():
                continue
        spent = [_timed(model, asked, way, found) for _ in range(rounds)]
        best[way] = Timing(*map(min, *spent)) if rounds > 1 else spent[0]
        counts = [text.tokens for answer in found[way] for text in answer.texts]
        clock, processor = best[way]
        print(
            f"  {way}: {sum(counts):,} tokens, {sum(counts) / clock:,.0f} tokens/s; {clock:.2f} s "
            f"by the clock (first {spent[0].clock:.2f}), {processor:.2f} s of processor time",
            flush=True,
        )
    ours = [found[way] for way in ways if way in found and way != "generate"]
    if len(ours) > 1:
        same = sum(all(each == one for each in rest) for one, *rest in zip(*ours, strict=True))
        print(f"  {same} of {len(asked)} requests answered alike in all of our ways")
    fastest = min(best, key=lambda way: best[way].clock)
    texts = [text for answer in found[fastest] for text in answer.texts]
    # The last token of a text that nothing ended is never read.
    read = sum(text.tokens - (text.finish == "length") for text in texts)
    floor = _floor(model, asked, read)
    ratios = ", ".join(f"{way} {best[way].clock / best[fastest].clock:.2f}" for way in best)
    print(f"  times of the fastest: {ratios}; the floor is {floor:.3f} s, ", end="")
    print(f"{best[fastest].clock / floor:.1f} times faster", flush=True)


def _choose_way(generator: CausalGenerator, way: str) -> None:
    """Leave the generator only this way."""
    for name in ("_in_slots", "_continuous"):
        vars(generator).pop(name, None)
    if way != "slots":
        vars(generator)["_in_slots"] = None
    if way == "padded":
        vars(generator)["_continuous"] = None


def _timed(
    model: HfCausal, asked: Sequence[Generate], way: str, found: dict[str, list[Texts]]
) -> Timing:
    import torch

    started = Timing.now()
    found[way] = list(_plain(model, asked) if way == "generate" else _texts(model, asked))
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return Timing(*(end - begin for end, begin in zip(Timing.now(), started, strict=True)))


def _plain(model: HfCausal, asked: Sequence[Generate]) -> Iterator[Texts]:
    """The library's own sampling, of requests of equal settings in batches as a run cuts them."""
    import torch
    from transformers import GenerationConfig

    loaded, encoder = model._generator._loaded, model._encoder
    numbered = sorted(enumerate(asked), key=lambda pair: -len(pair[1].prompt))
    size = model.batch_limit.requests
    answers: dict[int, Texts] = {}
    for at in range(0, len(numbered), size):
        part = numbered[at : at + size]
        prompts = [encoder.prompt(one.prompt, "tokenizer-default") for _, one in part]  # type: ignore[arg-type]
        longest = max(one.decoding.max_new_tokens for _, one in part)
        samples = part[0][1].samples
        how = part[0][1].decoding
        inputs = pad_prompts(loaded, prompts)
        with torch.inference_mode():
            rows = loaded.model.generate(
                **inputs,
                generation_config=GenerationConfig(
                    max_new_tokens=longest,
                    min_new_tokens=longest if how.exact_length else None,
                    do_sample=True,
                    temperature=how.temperature,
                    top_k=how.top_k,
                    top_p=how.top_p,
                    num_return_sequences=samples,
                    eos_token_id=sorted(model._generator._ends),
                    pad_token_id=0,
                ),
            )[:, inputs["input_ids"].shape[1] :].tolist()
        for line, (number, one) in enumerate(part):
            own = rows[line * samples : (line + 1) * samples]
            ids = [_until_end(row[: one.decoding.max_new_tokens], model._generator) for row in own]
            texts = tuple(
                Text(text=encoder.decode(each), finish="length", tokens=len(each)) for each in ids
            )
            answers[number] = Texts(texts=texts)
    return (answers[number] for number in range(len(asked)))


def _until_end(row: list[int], generator: CausalGenerator) -> list[int]:
    return list(takewhile(lambda token: token not in generator._ends, row))


def _floor(model: HfCausal, asked: Sequence[Generate], tokens: int) -> float:
    """Seconds for the arithmetic alone of distinct prompts and so many new tokens."""
    loaded = model._generator._loaded
    matrices = [each for each in loaded.model.parameters() if each.dim() == 2]
    weights: int = sum(each.numel() for each in matrices)
    distinct = {str(one.prompt) for one in asked}
    prompts = sum(len(model._encoder.prompt(text, "bos")) for text in distinct)
    rate = matrix_rate(loaded.device.type, str(loaded.model.dtype).removeprefix("torch."))
    return 2 * (prompts + tokens) * weights / rate


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
