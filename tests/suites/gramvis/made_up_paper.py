"""A text laid out as the paper is, with templates and a question of our own."""

from __future__ import annotations

LANGUAGES = ("English", "Chinese", "French", "Spanish", "German", "Italian", "Russian")
QUESTION = "Who is it? Male/female/neither"


def template(language: str, form: str, number: int) -> str:
    """A template of ours; the second has a word that is divided in the text of the paper."""
    divided = " well-known motorway" if number == 2 else ""
    return f"{language} {form} {number}: a [NOUN]{divided}"


def templates() -> dict[str, dict[str, list[str]]]:
    """What is to be found in the text."""
    found: dict[str, dict[str, list[str]]] = {}
    for language in LANGUAGES:
        forms = ("any",) if language in LANGUAGES[:2] else ("m", "f")
        numbers = () if language == "Chinese" else (1, 2, 3, 4)
        found[language] = {form: [template(language, form, n) for n in numbers] for form in forms}
    return found


def paper(without: str = "", question: str = QUESTION) -> str:
    """The text of the paper, without one of its templates."""
    parts = [
        "3.5 Classifier Framework",
        f"We asked each: “{question}”, on the motorway. 'Who? (Male/Female/Neither)'",
        "“A photo of a [NOUN]” is in section 3.4.",
        "## A.6 Templates",
    ]
    for place, (language, forms) in enumerate(templates().items(), start=1):
        parts.append(f"### A.6.{place} {language}")
        for form, texts in forms.items():
            if form != "any":
                parts.append(f"**{'Feminine' if form == 'f' else 'Masculine'} form:**")
            for text in texts:
                if text != without:
                    cut = text.replace("motorway", "motor-\nway").replace(": a", ":\n\na")
                    parts.append(f"- • “{cut}”")
    return "\n\n".join([*parts, "## B Tests"])
