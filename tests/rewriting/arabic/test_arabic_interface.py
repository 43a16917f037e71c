"""Strings of programs: whoever is asked for, commands are the listener's and labels nobody's."""

from __future__ import annotations

import pytest

from epicene.rewriting import Rewriting, find_rewriter
from epicene.rewriting.persons import GENDERS, PERSONS, Gender, other_gender
from rewriting.person_cases import Case, pairs

COMMANDS = "commands of buttons and messages, and labels"
# Others are spoken of in these too, or the first person is as likely.
OF_OTHERS = ("المستخدم", "صديق", "احفظ", "أول من", "أعط", "كنت غائب")
STRINGS = [
    case
    for case in pairs("ar", "listener")
    if case.about == COMMANDS and not any(word in case.masculine for word in OF_OTHERS)
]

NOBODYS = [
    "أعمل في شركة كبيرة.",
    "أكمل عملي كل مساء ثم أعود.",
    "حدث ذلك أمس.",
    "نزل المطر.",
    "غير متوفر حاليًا.",
    "نشر الصور",
    "عرض الكل",
    "فتح الملف",
    "جارٍ التحميل…",
    "إعدادات الحساب",
    "انتهت صلاحية الجلسة.",
    "تم إرسال الرسالة.",
    "تمت إضافة الملف.",
    "تمت العملية بنجاح.",
    "فشل التحميل.",
    "هذا الحقل مطلوب.",
    "رمز التحقق غير صالح.",
    "غير متصل",
    "نشط الآن",
    "قيد المراجعة",
    "خطأ في الاتصال بالخادم",
]


def _for_everybody(text: str, gender: Gender) -> Rewriting:
    (done,) = find_rewriter("ar").open(dict.fromkeys(PERSONS, gender))([text])
    return done


@pytest.mark.parametrize("case", STRINGS, ids=lambda case: case.masculine)
def test_a_command_is_the_listeners(case: Case) -> None:
    forms: dict[Gender, str] = {"masculine": case.masculine, "feminine": case.feminine}
    for gender in GENDERS:
        done = _for_everybody(forms[other_gender(gender)], gender)
        assert done.text == forms[gender]
        assert {change.whose for change in done.changes} <= {"listener"}


@pytest.mark.parametrize("text", NOBODYS)
@pytest.mark.parametrize("gender", GENDERS)
def test_a_label_or_a_message_is_nobodys(text: str, gender: Gender) -> None:
    assert _for_everybody(text, gender).text == text


# A noun of action after a verb of wanting or trying has the letters of a perfect.
NOUNS_OF_ACTION = [
    "هل تريد ترك المحادثة؟",
    "هل تود رفض الدعوة؟",
    "هل تريد حقًا مسح القائمة؟",
    "يمكنك وصف المشكلة هنا.",
    "لا يجوز ترك الحقل فارغًا.",
    "يجب حذف الملفات القديمة.",
    "أستطيع شرب زجاجة كاملة.",
    "الرجاء وصف الخطأ.",
]
OF_SOMEBODY = [
    ("قرر ترك الوظيفة.", "قررت ترك الوظيفة."),
    ("يحاول رسم الخريطة.", "تحاول رسم الخريطة."),
    ("هل يريد المدير رفض الاقتراح؟", "هل تريد المديرة رفض الاقتراح؟"),
    ("أعاد وصف الحادث.", "أعادت وصف الحادث."),
    ("عاد ثم ترك الوظيفة.", "عادت ثم تركت الوظيفة."),
]
# Commands of the listener, of whom nothing is asked.
COMMANDS_ALONE = [
    "أدخل عنوان المنزل",
    "أدخل رقمك.",
    "أرفق صورة الجواز",
    "حدد المدينة",
    "شارك الموقع",
    "تأكد من بريدك.",
    "حاول لاحقًا",
    "أغلق الصفحة",
]
STATEMENTS = [
    ("اتصل بك صباحًا", "اتصلت بك صباحًا"),
    ("أرسل لك هدية.", "أرسلت لك هدية."),
    ("سافر إلى تونس.", "سافرت إلى تونس."),
    ("أغلق المدير الصفحة", "أغلقت المديرة الصفحة"),
]


@pytest.mark.parametrize("text", NOUNS_OF_ACTION + COMMANDS_ALONE)
def test_nobody_else_is_in_it(text: str) -> None:
    (done,) = find_rewriter("ar").open({"others": "f"})([text])
    assert done.text == text


@pytest.mark.parametrize(("masculine", "feminine"), OF_SOMEBODY + STATEMENTS)
def test_somebody_else_is_in_it(masculine: str, feminine: str) -> None:
    (done,) = find_rewriter("ar").open({"others": "f"})([masculine])
    assert done.text == feminine
