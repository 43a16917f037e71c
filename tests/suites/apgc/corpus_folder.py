"""A tiny corpus in the published layouts, written for the tests."""

from __future__ import annotations

from pathlib import Path

from epicene.suites.apgc.items import TARGETS, Sentence, parse_label

# Groups: the label of the original, then its forms by the label of each.
GROUPS: tuple[dict[str, str], ...] = (
    {"BB": "وصل القطار إلى المحطة ."},
    {"FB": "أنا متعبة اليوم .", "MB": "أنا متعب اليوم ."},
    {"BM": "هل تسمعني ؟", "BF": "هل تسمعينني ؟"},
    {
        "MF": "أنا فخور بك يا ابنتي",
        "FF": "أنا فخورة بك يا ابنتي",
        "MM": "أنا فخور بك يا ابني",
        "FM": "أنا فخورة بك يا ابني",
    },
)


def sentences() -> list[Sentence]:
    made = []
    for number, group in enumerate(GROUPS, start=1):
        labels = {name: parse_label(name, "") for name in group}
        forms = {
            target: next(text for name, text in group.items() if labels[name].fits(target))
            for target in TARGETS
        }
        for place, (name, text) in enumerate(group.items()):
            made.append(
                Sentence(
                    id=f"{number}-{place}",
                    group=str(number),
                    language="ar",
                    text=text,
                    label=name,
                    targets=forms,
                    original=place == 0,
                )
            )
    return made


def write_tokens_folder(folder: Path, split: str = "dev") -> Path:
    """The layout of version 2.1."""
    made = sentences()
    files = {"arin": [(each.text, each.label) for each in made]}
    for target in TARGETS:
        files[f"ar.{target}"] = [
            (
                each.targets[target],
                next(str(v) for v in each.who.versions if v.fits(target)),
            )
            for each in made
        ]
    by_text = {each.text: each for each in made}
    for name, rows in files.items():
        lines = []
        for text, _ in rows:
            labels = by_text[text].word_labels
            lines += [f"{word} {label}" for word, label in zip(text.split(), labels, strict=True)]
            lines.append("")
        (folder / f"{split}.{name}.tokens").write_text("\n".join(lines) + "\n", encoding="utf-8")
    joint = folder / "joint"
    joint.mkdir(exist_ok=True)
    label_lines = [each.label for each in made] * 4
    name = "+".join([f"{split}.arin"] * 4)
    (joint / f"{name}.label").write_text("\n".join(label_lines) + "\n", encoding="utf-8")
    return folder
