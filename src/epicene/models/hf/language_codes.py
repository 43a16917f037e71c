"""Language codes as translation models spell them, from the two letters used everywhere here.

`fr` is fra_Latn to NLLB, fr_XX to mBART, fr to M2M100 and MADLAD, fra or fr to Marian.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models.hf.tokens import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Iterable

# For each language: its code with the script it is mostly written in, then other codes of three
# letters in use. Of several, the first that a model knows is taken.
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "ar": ("arb_Arab", "ara"),
    "bg": ("bul_Cyrl",),
    "bn": ("ben_Beng",),
    "ca": ("cat_Latn",),
    "cs": ("ces_Latn",),
    "da": ("dan_Latn",),
    "de": ("deu_Latn",),
    "el": ("ell_Grek",),
    "en": ("eng_Latn",),
    "es": ("spa_Latn",),
    "et": ("est_Latn",),
    "fa": ("pes_Arab", "fas"),
    "fi": ("fin_Latn",),
    "fr": ("fra_Latn",),
    "he": ("heb_Hebr",),
    "hi": ("hin_Deva",),
    "hr": ("hrv_Latn",),
    "hu": ("hun_Latn",),
    "id": ("ind_Latn",),
    "is": ("isl_Latn",),
    "it": ("ita_Latn",),
    "ja": ("jpn_Jpan",),
    "ko": ("kor_Hang",),
    "lt": ("lit_Latn",),
    "lv": ("lvs_Latn", "lav"),
    "mr": ("mar_Deva",),
    "nl": ("nld_Latn",),
    "no": ("nob_Latn", "nor"),
    "pl": ("pol_Latn",),
    "pt": ("por_Latn",),
    "ro": ("ron_Latn",),
    "ru": ("rus_Cyrl",),
    "sk": ("slk_Latn",),
    "sl": ("slv_Latn",),
    "sr": ("srp_Cyrl",),
    "sv": ("swe_Latn",),
    "tr": ("tur_Latn",),
    "uk": ("ukr_Cyrl",),
    "ur": ("urd_Arab",),
    "vi": ("vie_Latn",),
    "zh": ("zho_Hans", "cmn_Hans", "cmn"),
}


def two_letters(code: str) -> str:
    """The two letters of a code in any spelling; the code itself where none are known."""
    plain = code.replace("-", "_")
    base = plain.partition("_")[0].lower()
    for letters, spellings in _SPELLINGS.items():
        if base == letters or base in {spelling.partition("_")[0] for spelling in spellings}:
            return letters
    return code


def spelled(language: str, known: Iterable[str]) -> str:
    """The one of a model's codes that means the language; its own spelling is taken as it is."""
    codes = sorted(known)
    plain = language.replace("-", "_")
    letters = plain.partition("_")[0].lower()
    written = _SPELLINGS.get(letters, ())
    wanted = (language, plain, letters, *written, *(code.partition("_")[0] for code in written))
    for spelling in wanted:
        if spelling in codes:
            return spelling
    for code in codes:  # mBART's: the letters and a region
        if code.startswith(f"{letters}_"):
            return code
    shown = ", ".join(codes[:40]) + (" …" if len(codes) > 40 else "")
    raise UnanswerableError(f"the model does not know the language {language!r}; it knows {shown}")
