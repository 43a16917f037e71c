"""The model kind `tagger`: learning, keeping, labelling and rewriting."""

from __future__ import annotations

import gzip
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import InputError, RunError
from epicene.core.files import temporary_prefix
from epicene.core.records import Failed, Generate, Texts
from epicene.models import UnanswerableError, open_model, parse_spec
from epicene.models.tagger.encoding import (
    MAX_LETTERS,
    EditScript,
    Outcome,
    WordEncoder,
    build_inventory,
    build_vocabulary,
    edit_script,
    outcome_numbers,
)
from epicene.models.tagger.model import Tagger, open_rewriter
from epicene.models.tagger.network import Network, NetworkShape
from epicene.models.tagger.related import (
    RelatedForms,
    feature_count,
    known_frequencies,
    related_scripts,
)
from epicene.models.tagger.storage import FORMAT, TrainedTagger, check_empty, load, save
from epicene.models.tagger.training import TrainingConfig, train
from epicene.rewriting.persons import TargetGenders, apply_changes
from models.tiny_tagging_data import ADJECTIVES, sentence, tagging_data

SMALL = NetworkShape(word=32, letter=16, context=16, layers=2)
RECIPE = TrainingConfig(
    epochs=60,
    batch=256,
    rate=1e-2,
    first_steps=10,
    dropout=0.1,
    hidden_words=0.3,
    averaging=0.9,
    pretraining_epochs=2,
    frequencies=False,
)

KNOWN, UNSEEN = ADJECTIVES[:-1], ADJECTIVES[-1]


@pytest.fixture(scope="module")
def trained() -> TrainedTagger:
    return train(tagging_data(KNOWN), recipe=RECIPE, shape=SMALL)


@pytest.fixture(scope="module")
def folder(trained: TrainedTagger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("taggers") / "tagger"
    save(trained, place)
    return place


def rewritten(trained: TrainedTagger, text: str, wanted: TargetGenders) -> str:
    return apply_changes(text, Tagger(trained).changes(text, wanted)).text


# --- scripts and what is chosen between ----------------------------------------------------


@given(st.text("ابتةين", max_size=8), st.text("ابتةين", max_size=8))
def test_a_script_makes_the_form_it_was_taken_from(word: str, other: str) -> None:
    assert edit_script(word, other).apply(word) == other


def test_a_script_fits_other_words_with_the_same_ends() -> None:
    script = edit_script("تسمعني", "تسمعينني")
    assert script.apply("تفهمني") == "تفهمينني"
    assert script.apply("تفهم") is None
    # The two ends may not overlap.
    assert EditScript("اب", "", "با", "").apply("ابا") is None


def test_rare_scripts_are_looked_up() -> None:
    inventory = build_inventory(
        msgspec.structs.replace(
            tagging_data(), sentences=tagging_data().sentences[: len(ADJECTIVES) * 3]
        )
    )
    feminine = Outcome("1M", edit_script("متعب", "متعبة"))
    assert feminine in inventory.outcomes
    assert inventory.pairs["2M"] == {}
    rare = Outcome("2M", None)
    two = tagging_data().sentences[-2:]  # twice is too rare
    inventory = build_inventory(msgspec.structs.replace(tagging_data(), sentences=two))
    assert inventory.form(rare, "أبي") == "أمي"
    assert inventory.form(rare, "جدي") is None
    places = {outcome: place for place, outcome in enumerate(inventory.outcomes)}
    assert outcome_numbers(two[0], places) == [0, places[rare]]


def test_the_commoner_counterpart_is_kept() -> None:
    rows = ["حارس/1M/حارسه", "حارس/1M/حارسه", "حارس/1M/حارسا"]
    data = msgspec.structs.replace(tagging_data(), sentences=tuple(map(sentence, rows)))
    assert build_inventory(data).pairs["1M"] == {"حارس": "حارسه"}


def test_words_that_occur_once_have_no_number_and_long_ones_show_both_ends() -> None:
    vocabulary = build_vocabulary([["قال", "قال", "نعم"]])
    assert vocabulary.words == ("قال",)
    numbering = WordEncoder(vocabulary)
    assert numbering.words(["قال", "نعم", "لا"]).tolist() == [1, 0, 0]
    long = "ا" * 30
    rows = numbering.letters(["قال", "نعم", "z", long])
    assert rows.shape == (4, MAX_LETTERS)
    assert (rows[:, 0] == 2).all()
    assert rows[2].tolist() == [2, 1, 3] + [0] * (MAX_LETTERS - 3)
    assert rows[3, -1] == 3


# --- the network ---------------------------------------------------------------------------


@pytest.mark.parametrize("related", [(), (edit_script("تسمع", "تسمعين"),)])
def test_numpy_answers_as_pytorch_does(
    trained: TrainedTagger, related: tuple[EditScript, ...]
) -> None:
    import torch

    from epicene.models.tagger.torch_training import TorchNetwork, encode_sentences

    plan = msgspec.structs.replace(trained.plan, related=related)
    untrained = TrainedTagger(plan, (), {"تسمع": 4.5, "تسمعين": 3.0})
    torch.manual_seed(3)
    network = TorchNetwork(plan, RECIPE).eval()
    weights = {name: values.numpy() for name, values in network.state_dict().items()}
    tagger = Tagger(untrained._replace(members=(weights,)))
    for text in ("هل تسمع ذلك ؟", "كلمةواحدةطويلةجدالاتعرفها", "أنا سعيدة اليوم يا أمي"):
        encoded = encode_sentences([sentence(text)], untrained, "cpu")
        with torch.no_grad():
            theirs = network(encoded, encoded.word_types[None])[0]
        np.testing.assert_allclose(
            tagger._chances(text.split(), [len(text.split())]), theirs.softmax(1).numpy(), atol=1e-6
        )


FREQUENCIES = {"تسمع": 4.5, "تسمعين": 3.0, "متعب": 4.0, "متعبة": 3.5, "البيت": 5.0}


def test_texts_read_together_are_tagged_as_each_by_itself(trained: TrainedTagger) -> None:
    texts = [" ".join(each.words) for each in tagging_data().sentences]
    texts = [*texts, "", " ".join(texts[:5]), "،", texts[0]]
    together, alone = Tagger(trained), Tagger(trained)
    together.read_ahead(texts)
    for text in texts:
        assert together.labels(text) == alone.labels(text)
        for one, two in zip(together._tag(text), alone._tag(text), strict=True):
            assert [form.text for form in one.forms] == [form.text for form in two.forms]
            np.testing.assert_allclose(
                [form.probability for form in one.forms],
                [form.probability for form in two.forms],
                atol=1e-5,
            )


def test_related_forms_are_looked_up() -> None:
    scripts = (edit_script("تسمع", "تسمعين"), edit_script("تسمعين", "تسمع"))
    rows = RelatedForms(scripts, FREQUENCIES).features(["تسمع", "تسمعين", "قط", "ين"])
    assert rows.shape == (4, feature_count(2))
    # How common the form is, and beside the word; how common the word is, and whether it is known.
    np.testing.assert_allclose(rows[0], [3 / 4, 0, -0.75, 0, 4.5 / 4, 1])
    np.testing.assert_allclose(rows[1], [0, 4.5 / 4, 0, 0.75, 3 / 4, 1])
    assert not rows[2:].any()


def test_the_commonest_changes_of_a_language_are_found() -> None:
    stems = "كتاب ملعب مكتب معلم طبيب".split()
    words = {word: 5.0 for stem in stems for word in (stem, f"ال{stem}", f"{stem}ة")}
    scripts = related_scripts(build_inventory(tagging_data()), words)
    assert {EditScript("", "ال", "", ""), EditScript("", "", "ة", "")} <= set(scripts)
    assert len(set(scripts)) == len(scripts)


def test_words_without_a_list_of_frequencies(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = build_vocabulary([["متعب", "متعبة"]])
    assert known_frequencies("xx", vocabulary) == {}
    found = known_frequencies("ar", vocabulary)
    assert {"متعب", "متعبة"} <= set(found)
    assert all(set(word) <= set(vocabulary.letters) for word in found)
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(InputError, match=r"wordfreq, which is not installed.*morphology\]"):
        known_frequencies("ar", vocabulary)


# --- training ------------------------------------------------------------------------------


def test_it_learns_to_label_and_to_rewrite(trained: TrainedTagger) -> None:
    tagger = Tagger(trained)
    assert tagger.labels("أنا متعبة اليوم") == ["B", "1F", "B"]
    assert tagger.labels("هل تسمع ذلك ؟") == ["B", "2M", "B", "B"]
    assert rewritten(trained, "أنا متعبة اليوم", {"speaker": "masculine"}) == "أنا متعب اليوم"
    assert rewritten(trained, "هل تسمع ذلك ؟", {"listener": "feminine"}) == "هل تسمعين ذلك ؟"
    # Already so, or somebody else's gender, or nobody's.
    assert rewritten(trained, "أنا متعبة اليوم", {"speaker": "feminine"}) == "أنا متعبة اليوم"
    assert rewritten(trained, "أنا متعبة اليوم", {"listener": "masculine"}) == "أنا متعبة اليوم"
    assert rewritten(trained, "القطار تسمع ذلك .", {"listener": "feminine"}) == "القطار تسمع ذلك ."


def test_lines_are_read_together_and_rewritten_as_alone(
    trained: TrainedTagger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With mark-up, which the tagger does not see, and a line that is long."""
    lines = ["أنا <b>متعبة</b> اليوم", "", "أنا متعب اليوم", "هل تسمع ذلك ؟ " * 900] * 40
    (alone,) = {rewritten(trained, "أنا متعبة اليوم", {"speaker": "masculine"})}
    asked: list[int] = []
    logits = Network.logits

    def counted(network: Network, vectors: Any, lengths: list[int]) -> Any:
        asked.append(len(lengths))
        return logits(network, vectors, lengths)

    monkeypatch.setattr(Network, "logits", counted)
    found = [each.text for each in open_rewriter(folder, "ar").open({"speaker": "m"})(iter(lines))]
    assert found == [alone.replace("متعب", "<b>متعب</b>"), "", *lines[2:4]] * 40
    assert asked == [3]  # of the same lines each is read once, and four lines are a group
    texts = [f"أنا {word} اليوم" for word in KNOWN for _ in range(2)]
    asked.clear()
    again = list(open_rewriter(folder, "ar").open({"speaker": "f"})(texts))
    assert sum(asked) == len(KNOWN)
    assert len(asked) == -(-len(texts) // 64)
    for text, each in zip(texts, again, strict=True):
        assert each.text == rewritten(trained, text, {"speaker": "feminine"})


def test_an_unseen_word_is_changed_as_those_like_it(trained: TrainedTagger) -> None:
    text = f"أنا {UNSEEN} اليوم"
    assert UNSEEN not in trained.plan.vocabulary.words
    assert rewritten(trained, text, {"speaker": "feminine"}) == f"أنا {UNSEEN}ة اليوم"


def test_a_word_without_a_script_is_looked_up(trained: TrainedTagger) -> None:
    assert rewritten(trained, "يا أمي", {"listener": "masculine"}) == "يا أبي"


def test_punctuation_vowel_signs_and_blanks_are_left_as_they_are(trained: TrainedTagger) -> None:
    tagger = Tagger(trained)
    assert tagger.labels("  هل  تسمع ذلك؟ ") == ["B", "2M", "B"]
    assert tagger.labels("أنا مُتعَبة، اليوم!") == ["B", "1F", "B"]
    assert tagger.labels("") == []
    spoken = rewritten(trained, " أنا  مُتعَبة، اليوم!", {"speaker": "masculine"})
    assert spoken == " أنا  متعب، اليوم!"


def test_changes_say_how_sure_they_are(trained: TrainedTagger) -> None:
    (change,) = Tagger(trained).changes("أنا متعبة اليوم", {"speaker": "masculine"})
    assert (change.start, change.end, change.before, change.after) == (4, 9, "متعبة", "متعب")
    assert change.rule == "shows a feminine speaker"
    assert change.sure in ("certain", "likely", "guess")
    unsure = trained._replace(plan=msgspec.structs.replace(trained.plan, sure=1.01))
    assert list(Tagger(unsure).changes("أنا متعبة اليوم", {"speaker": "masculine"})) == []


def with_chances(trained: TrainedTagger, chances: list[list[float]]) -> Tagger:
    """A tagger that gives the words these probabilities of 1M → ة and of 2M → ين."""
    tagger = Tagger(trained)
    outcomes = trained.plan.inventory.outcomes
    rows = np.zeros((len(chances), len(outcomes)), np.float32)
    speaker = outcomes.index(Outcome("1M", edit_script("متعب", "متعبة")))
    listener = outcomes.index(Outcome("2M", edit_script("تسمع", "تسمعين")))
    rows[:, [speaker, listener]] = chances
    vars(tagger)["_chances"] = lambda _words, _lengths: rows
    return tagger


@pytest.mark.parametrize(
    ("chances", "says"),
    [
        # Each on its own.
        ([[0.9, 0], [0, 0], [0.4, 0]], "متعبة نائم سعيد"),
        # Beside one that is sure, and beside that.
        ([[0.9, 0], [0.4, 0], [0.4, 0]], "متعبة نائمة سعيدة"),
        ([[0.4, 0], [0.4, 0], [0.9, 0]], "متعبة نائمة سعيدة"),
        ([[0.9, 0], [0.2, 0], [0.4, 0]], "متعبة نائم سعيد"),
        # Somebody else's gender.
        ([[0.9, 0], [0, 0.4], [0, 0]], "متعبة نائم سعيد"),
        ([[0.7, 0], [0.7, 0], [0.7, 0]], "متعب نائم سعيد"),
    ],
)
def test_a_phrase_is_changed_as_a_whole(
    trained: TrainedTagger, chances: list[list[float]], says: str
) -> None:
    text = "متعب نائم سعيد"
    wanted: TargetGenders = {"speaker": "feminine", "listener": "feminine"}
    tagger = with_chances(trained, chances)
    assert (trained.plan.sure, trained.plan.beside) == (0.8, 0.3)
    assert apply_changes(text, tagger.changes(text, wanted)).text == says


def test_two_spellings_of_a_form_are_one(trained: TrainedTagger) -> None:
    inventory = trained.plan.inventory
    ha = Outcome("1M", edit_script("متعب", "متعبه"))
    both = msgspec.structs.replace(inventory, outcomes=(*inventory.outcomes, ha))
    chances = np.zeros(len(both.outcomes), np.float32)
    chances[[both.outcomes.index(Outcome("1M", edit_script("متعب", "متعبة"))), -1]] = 0.5, 0.375
    for spelling, forms in (
        (("ta-marbuta",), [("متعبة", 0.875)]),
        ((), [("متعبة", 0.5), ("متعبه", 0.375)]),
    ):
        plan = msgspec.structs.replace(trained.plan, inventory=both, spelling=spelling)
        found = Tagger(trained._replace(plan=plan, members=()))._forms("متعب", chances)
        assert [(form.text, form.probability) for form in found] == forms


def test_the_seed_decides() -> None:
    short = msgspec.structs.replace(RECIPE, epochs=2)
    one, same, other = (
        train(tagging_data(), seed=seed, recipe=short, shape=SMALL).fingerprint
        for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_members_are_averaged() -> None:
    short = msgspec.structs.replace(RECIPE, epochs=3)
    both = train(tagging_data(), seed=1, members=2, recipe=short, shape=SMALL)
    alone = train(tagging_data(), seed=2, recipe=short, shape=SMALL)
    for name, values in alone.members[0].items():
        np.testing.assert_array_equal(both.members[1][name], values)
    words = ["أنا", "متعبة"]
    each = [
        Tagger(both._replace(members=(one,)))._chances(words, [len(words)]) for one in both.members
    ]
    np.testing.assert_allclose(
        Tagger(both)._chances(words, [len(words)]), (each[0] + each[1]) / 2, atol=1e-7
    )


def test_training_says_which_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match=r"torch, which is not installed.*epicene\[hf\]"):
        train(tagging_data())


def test_lessons_that_teach_nothing_are_refused() -> None:
    plain = (sentence("وصل القطار"),)
    with pytest.raises(InputError, match="nothing to learn"):
        train(msgspec.structs.replace(tagging_data(), sentences=plain))
    odd = (sentence("أنا متعب/3M/متعبة"),)
    with pytest.raises(InputError, match="an unknown label"):
        train(msgspec.structs.replace(tagging_data(), sentences=odd))


# --- the folder ----------------------------------------------------------------------------


def test_a_saved_tagger_is_the_same(trained: TrainedTagger, folder: Path) -> None:
    again = load(folder)
    assert again.plan == trained.plan
    assert again.fingerprint == trained.fingerprint
    text = "أنا متعبة اليوم"
    assert rewritten(again, text, {"speaker": "masculine"}) == "أنا متعب اليوم"


def test_the_list_of_frequencies_is_kept(trained: TrainedTagger, tmp_path: Path) -> None:
    listed = trained._replace(frequencies=FREQUENCIES)
    save(listed, tmp_path / "tagger")
    assert load(tmp_path / "tagger").frequencies == FREQUENCIES
    assert load(tmp_path / "tagger").fingerprint == listed.fingerprint != trained.fingerprint
    path = tmp_path / "tagger" / "frequencies.json.gz"
    whole = path.read_bytes()
    for content, says in (
        (whole[:20], "contains no frequencies"),
        (gzip.compress(b"{}"), "does not contain the frequencies"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=says):
            load(tmp_path / "tagger")
    path.unlink()
    with pytest.raises(InputError, match="is incomplete"):
        load(tmp_path / "tagger")


def _drop_plan(folder: Path) -> None:
    (folder / "tagger.json").unlink()


def _drop_weights(folder: Path) -> None:
    (folder / "weights-1.npz").unlink()


def _cut_weights(folder: Path) -> None:
    path = folder / "weights-1.npz"
    path.write_bytes(path.read_bytes()[:1000])


def _change_weights(folder: Path) -> None:
    path = folder / "weights-1.npz"
    with np.load(path) as archive:
        weights: dict[str, Any] = {name: archive[name] for name in archive.files}
    weights["out.bias"] = weights["out.bias"] + 1
    np.savez(path, **weights)


def _change_shape(folder: Path) -> None:
    _change_text(folder, '"context":16', '"context":8')


def _change_format(folder: Path) -> None:
    _change_text(folder, FORMAT, "epicene tagger 0")


def _break_plan(folder: Path) -> None:
    _change_text(folder, '"shape"', '"form"')


def _change_text(folder: Path, old: str, new: str) -> None:
    path = folder / "tagger.json"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_drop_plan, "contains no trained tagger"),
        (_drop_weights, "is incomplete"),
        (_cut_weights, "contains no weights"),
        (_change_weights, "does not contain the weights"),
        (_change_shape, "shape differs"),
        (_change_format, "train the tagger again"),
        (_break_plan, "does not describe a trained tagger"),
    ],
)
def test_a_folder_with_wrong_files_is_refused(
    folder: Path, tmp_path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    spoil(copy)
    with pytest.raises(InputError, match=says):
        load(copy)


def test_only_a_new_or_empty_folder_is_written(trained: TrainedTagger, tmp_path: Path) -> None:
    check_empty(tmp_path / "new")
    for name in ("weights-1.npz", temporary_prefix("tagger.json") + "0a1b2c3d"):
        (tmp_path / name).touch()
    check_empty(tmp_path)  # what a killed process left
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="not empty"):
        save(trained, tmp_path)


# --- as a model ----------------------------------------------------------------------------


def ask(folder: Path, **fields: object) -> Texts | Failed:
    model = open_model(parse_spec(f"tagger:{folder}"))
    request = msgspec.convert({"item": "1", "prompt": "", **fields}, Generate)
    ((answered,),) = model.answer(iter([[(0, request)]]), files=None)  # type: ignore[arg-type]
    answer = answered[1]
    assert isinstance(answer, Texts | Failed)
    return answer


def test_a_request_with_a_target_is_rewritten_and_one_without_is_labelled(folder: Path) -> None:
    source = "أنا متعبة اليوم"
    rewriting = ask(folder, source=source, language="ar", target={"speaker": "masculine"})
    assert isinstance(rewriting, Texts)
    assert rewriting.only == "أنا متعب اليوم"
    labels = ask(folder, source=source, samples=2)
    assert isinstance(labels, Texts)
    assert [text.text for text in labels.texts] == ["B 1F B"] * 2


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "no source text"),
        ({"source": "Je suis là", "language": "fr"}, "trained on 'ar', not on 'fr'"),
        ({"source": "أنا", "target": {"others": "feminine"}}, "speaker and listener, not for"),
        ({"source": "أنا", "target": {"speaker": "plural"}}, "--speaker must be m, f or n"),
    ],
)
def test_what_cannot_be_answered_says_why(
    folder: Path, fields: dict[str, object], says: str
) -> None:
    answer = ask(folder, **fields)
    assert isinstance(answer, Failed)
    assert says in answer.reason


def test_its_identity_is_what_it_learnt(
    trained: TrainedTagger, folder: Path, tmp_path: Path
) -> None:
    careful = trained._replace(plan=msgspec.structs.replace(trained.plan, sure=0.9))
    save(careful, tmp_path / "careful")
    save(trained, tmp_path / "again")
    one, same, other = (
        open_model(parse_spec(f"tagger:{place}")).identity.digest
        for place in (folder, tmp_path / "again", tmp_path / "careful")
    )
    assert one == same
    assert one != other


def test_a_folder_must_be_named() -> None:
    with pytest.raises(InputError, match="tagger:FOLDER"):
        open_model(parse_spec("tagger"))


def test_weights_that_are_not_finite_are_refused(trained: TrainedTagger, tmp_path: Path) -> None:
    """Every word kept its form, as if nothing in the text showed anybody's gender."""
    name = next(iter(trained.members[0]))
    weights = {**trained.members[0], name: np.full_like(trained.members[0][name], np.nan)}
    broken = trained._replace(members=(weights,))
    with pytest.raises(UnanswerableError, match="are not finite; train the tagger again"):
        Tagger(broken).labels("elle est contente")
    save(broken, tmp_path / "broken")
    with pytest.raises(InputError, match="contains weights that are not finite"):
        load(tmp_path / "broken")


def test_training_that_diverges_ends_with_an_error() -> None:
    recipe = msgspec.structs.replace(RECIPE, epochs=2, rate=float("inf"), first_steps=1)
    with pytest.raises(RunError, match="weights that are not finite"):
        train(tagging_data(KNOWN), recipe=recipe, shape=SMALL)
