"""Open models in Python, and run suites on models that are in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from epicene.app.open_model import OpenModel
from epicene.app.run import model_options
from epicene.core.errors import InputError, OptionError
from epicene.models import IN_MEMORY, Learner, ModelOptions, ModelSpec, Probed, parse_spec
from epicene.models import open_model as open_spec
from epicene.models.functions import FunctionModel
from epicene.models.pricing import as_paid
from epicene.runs.executors import CachedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from epicene.app.arguments import ModelInput
    from epicene.models import Model
    from epicene.runs.executors import Executor

    Function: TypeAlias = Callable[..., Any]


def open_model(
    model: Any = None,
    tokenizer: Any = None,
    *,
    label: str = "",
    version: str = "",
    score: Function | None = None,
    fill: Function | None = None,
    generate: Function | None = None,
    translate: Function | None = None,
    draw: Function | None = None,
    look: Function | None = None,
    **options: Any,
) -> OpenModel:
    """Open a model: from a spec, a loaded `transformers` model, or Python functions.

    >>> guesses = epicene.open_model("random:7")
    >>> loud = epicene.open_model(generate=lambda prompts: [p.upper() for p in prompts])
    >>> loud.generate("hello")["text"].to_list()
    ['HELLO']

    model: a spec (`"hf:PATH"`, `"smollm2"`, `"openai:NAME"`), or a loaded transformers model, which
        also needs its `tokenizer` (for a model that reads images, its processor).
    label: the model's name in tables.
    version: the version of the functions, or of anything that the hash of a transformers model does
        not cover.
    score, fill, generate, translate, draw, look: one function per verb. It receives a list and
        returns a list of results of the same length. Settings (`temperature`, `seed`, …) are passed
        if the function has arguments of these names; docs/guides/python_models.md lists them.
    options: for a spec, the options of the command line (`dtype`, `device`, `base_url`, `threads`,
        …); for a transformers model, `batch_size` and `threads`; for functions, `batch_size`.

    A transformers model is used as it is: it is not moved or changed, and keeps its training mode.
    It counts as a different model if its weights, configuration or tokenizer change. Functions
    count as a different model if `version` changes or, without a version, if their own code
    changes; changes in functions that they call or in variables outside them are not detected.
    """
    named = (score, fill, generate, translate, draw, look)
    verbs = ("score", "fill", "generate", "translate", "draw", "look")
    functions = {verb: each for verb, each in zip(verbs, named, strict=True) if each is not None}
    if isinstance(model, tuple) and len(model) == 2:
        model, tokenizer = model
    if model is not None and functions:
        raise InputError("open_model takes a model or functions, not both.")
    if functions:
        chosen = _options({"label": label, **options}, ("label", "batch_size"), "functions")
        name = chosen.label or _name(functions)
        return OpenModel(FunctionModel(functions, label=name, version=version, options=chosen))
    if isinstance(model, str):
        if tokenizer is not None or version:
            raise InputError(
                "A model named by a spec has its own tokenizer and version; do not pass them."
            )
        spec = _spec(model, {"label": label, **options})
        return OpenModel(open_spec(spec), spec)
    if all(hasattr(model, name) for name in ("answer", "identity", "verbs", "batch_limit")):
        if tokenizer is not None or version or label or options:
            raise InputError("A model that is already open takes no options.")
        return OpenModel(model)
    return _open_transformers(model, tokenizer, version, {"label": label, **options})


def _open_transformers(
    model: Any, tokenizer: Any, version: str, options: Mapping[str, Any]
) -> OpenModel:
    if not all(hasattr(model, name) for name in ("config", "state_dict", "get_input_embeddings")):
        what = "nothing" if model is None else type(model).__name__
        raise InputError(
            "open_model takes a spec such as 'smollm2', a transformers model with its tokenizer, "
            f"or a function for a verb, such as epicene.open_model(generate=…), not {what}."
        )
    from epicene.models.hf.in_memory import OPTIONS, InMemoryModel

    chosen = _options(options, OPTIONS, "a model that is already loaded")

    def reopen() -> Model:
        return InMemoryModel(model, tokenizer, chosen, version)

    return OpenModel(reopen(), reopen=reopen)


def _name(functions: Mapping[str, Function]) -> str:
    """The name of the first function that has its own name."""
    names = (str(getattr(each, "__name__", "")) for each in functions.values())
    return next((name for name in names if name.isidentifier()), "python")


def _spec(text: str, options: Mapping[str, Any]) -> ModelSpec:
    """The spec with options; raises if an option has no effect on its kind of model."""
    given = {name: value for name, value in options.items() if value != ""}
    spec = parse_spec(text, model_options(**given))
    return msgspec.structs.replace(spec, stated=tuple(dict.fromkeys((*spec.stated, *given))))


def _options(options: Mapping[str, Any], useful: Sequence[str], what: str) -> ModelOptions:
    given = {name: value for name, value in options.items() if value != ""}
    for name in given:
        if name in ModelOptions.__struct_fields__ and name not in useful:
            raise OptionError(
                name, f"The option {name} has no effect on {what}; use {', '.join(useful)}."
            )
    return model_options(**given)


# --- for runs ------------------------------------------------------------------------------------


def resolve_models(
    models: Mapping[str, Sequence[ModelInput]], options: ModelOptions
) -> tuple[dict[str, list[ModelSpec]], Callable[[Executor], Executor]]:
    """The specs of a run's models by role, and what makes an executor use those in memory.

    `options` apply to models named by a string. Open models are used as they are and stay open; the
    weights of a transformers model are hashed again. A model that learns from a suite or charges
    for its answers belongs to one run, so it is opened again from its spec.
    """
    held: dict[ModelSpec, tuple[Model, bool]] = {}
    known: dict[tuple[int, ...], ModelSpec] = {}  # by object: hashing weights takes time

    def spec(given: ModelInput) -> ModelSpec:
        if isinstance(given, str):
            return parse_spec(given, options)
        key = tuple(map(id, given)) if isinstance(given, tuple) else (id(given),)
        if key not in known:
            known[key] = in_memory(given)
        return known[key]

    def in_memory(given: OpenModel | tuple[Any, Any]) -> ModelSpec:
        if isinstance(given, OpenModel):
            opened, model = given, given.reopen() if given.reopen else given.model
        else:
            opened = open_model(given, **_options_in_memory(options))
            model = opened.model
        if _belongs_to_a_run(model):
            if opened.spec is None:
                raise InputError(
                    f"The model {opened.identity.label} learns from a suite or charges for its "
                    "answers, so each run must open its own: register a kind of model with an "
                    "entry point, and name the model by a spec."
                )
            return opened.spec
        found = opened.spec or ModelSpec(kind=IN_MEMORY, name=model.identity.digest.hex())
        held[found] = (model, opened.asked and opened.reopen is None)
        opened.asked = True
        return found

    specs = {role: [spec(each) for each in given] for role, given in models.items()}

    def use_held(executor: Executor) -> Executor:
        def open_(spec: ModelSpec) -> Model:
            if spec not in held:
                return executor(spec)
            model, asked = held[spec]
            view = CachedModel(spec, model)
            if asked:
                view.reuse()
            return view

        return open_

    return specs, use_held


def _options_in_memory(options: ModelOptions) -> dict[str, Any]:
    """The options of a run that apply to a model that is already loaded."""
    names = ("batch_size", "threads")
    given = {name: getattr(options, name) for name in names}
    return {name: value for name, value in given.items() if value != getattr(ModelOptions(), name)}


def _belongs_to_a_run(model: Model) -> bool:
    return isinstance(model, (Learner, Probed)) or as_paid(model) is not None
