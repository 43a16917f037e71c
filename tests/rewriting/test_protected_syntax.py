"""What is protected: each kind of mark-up, placeholder, address and escape, and what is none."""

from __future__ import annotations

import pytest

from epicene.core.errors import InputError
from epicene.rewriting import find_rewriter
from epicene.rewriting.protected import find_protected, visible_texts
from epicene.rewriting.protected.scan import Break


def seen(text: str, syntax: str = "") -> list[str]:
    return [visible.text for visible in visible_texts(text, syntax=syntax)]


NAME = seen("{name}x")[0][:-1]


@pytest.mark.parametrize(
    "placeholder",
    [
        *("{name}", "{0}", "{}", "{ $user }", "{ -brand }", "{{user}}", "{{ user.name }}", "${x}"),
        *("$user", "$user.name", "%s", "%1$s", "%(name)s", "%@", "%1$@", "%{name}", "#{name}"),
        *("%name%", "%1", "{d, date, short}", '{ DATETIME($d, month: "long") }', "$t(key.a)"),
        *("$NAME$", r"\(user)", "<%= name %>", "`prêt`", "``prêt``", "<code>prêt</code>"),
        *("https://example.org/prêt?a=b#c", "www.example.org", "a.b@example.org", "config.json"),
        *(
            "/usr/bin/prêt",
            r"C:\prêt\x",
            "src/app/main.py",
            "example.com",
            "READ.md",
            "<nom>",
            "<x id='1'/>",
        ),
        *("{gender, select, male {prêt} female {prête} other {prêt}}", 'class="prêt"'),
    ],
)
def test_a_placeholder_is_seen_as_a_name(placeholder: str) -> None:
    assert seen(f"Tu vois {placeholder}, toi ?") == [f"Tu vois {NAME}, toi ?"]


@pytest.mark.parametrize(
    "placeholder", ["%d", "%2$d", "%.1f", "%(n)d", "{n, number}", "{ NUMBER($n) }", "%Y"]
)
def test_a_number_stands_for_a_number(placeholder: str) -> None:
    assert seen(f"Tu vois {placeholder} amis.") == ["Tu vois 5 amis."]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Tu es <b>prêt</b>.", "Tu es prêt."),
        ("<a href=\"x?a=1&amp;b\" title='prêt > x'>prêt</a>", "prêt"),
        ("a<!-- prêt -->b<?php prêt ?>c", "abc"),
        ("&lt;b&gt;prêt&lt;/b&gt;", "prêt"),
        ("<![CDATA[prêt]]>", "prêt"),
        ("<0>prêt</0> <1/>.", f"prêt {NAME}."),
        ("clic<x id='1'/>prêt<x id='2'/>", "clicprêt"),
        ("<bpt id='1'>{\\b</bpt>prêt<ept id='1'>}</ept>", "prêt"),
        ("prêt<br/>toi", "prêt\ntoi"),
        ("**prêt** *prêt* _prêt_ __prêt__ ~~prêt~~ ***prêt***", "prêt prêt prêt prêt prêt prêt"),
        ('[prêt](https://x.org/a_(b) "prêt") ![prêt](x.png)', "prêt prêt"),
        ("[b]prêt[/b]", "prêt"),
        ("## Prêt", "Prêt"),
        ("{% if x %}prêt{% endif %}{{#if x}} oui{{/if}}", "prêt oui"),
        ("pr&ecirc;t &#233; &#xe9; &nbsp;", "prêt é é \xa0"),
        (r"pr\u00eat \"oui\" d\'ici\nprêt \u{e9} \ud83d\ude00", "prêt oui d'ici\nprêt é 😀"),
        ("con&shy;tent con\u00adtent", "content content"),
        ("&quot;prêt&quot; <b>« prêt »</b>", "prêt prêt"),
        ("100%% prêt", "100% prêt"),
        ('{ "prêt" } toi', "prêt toi"),
    ],
)
def test_markup_is_left_out_and_escapes_are_read(text: str, plain: str) -> None:
    assert seen(text) == [plain]


@pytest.mark.parametrize(
    "text",
    [
        "J'ai 50 % de plus, 50% des gens, 5 $ et $5.",
        "3 < 5 et x <y and z> w",
        "et/ou, il/elle, 1/2",
        "Fin.Je suis prêt.",
        "Die Schüler*innen und die Lehrer_innen, f*ck, 2*3*4 und 2 * 3",
        "R&D; AT&T & Co.",
        "Il a dit : « je suis prêt » (oui).",
        "étudiant(e), prêt·e, content_e",
        "{je suis prêt}",
        "l''ami",
        'Il dit "prêt" et s\'en va.',
        "-> prêt <- <3",
        "[prêt] (oui)",
        "a ** b ** c",
    ],
)
def test_prose_is_seen_as_it_is(text: str) -> None:
    assert seen(text) == [text]


@pytest.mark.parametrize("text", ["@prêt", "#prêt", "max_prets", "MAX_PRETS"])
def test_names_are_seen_and_never_edited(text: str) -> None:
    (visible,) = visible_texts(f"Tu es {text}.")
    assert visible.text == f"Tu es {text}."
    assert visible.original(6, 6 + len(text)) is None


def test_plain_protects_nothing() -> None:
    text = "Je suis <b>{name}</b>"
    assert seen(text, "plain") == [text]
    assert not find_protected(text, syntax="plain")
    with pytest.raises(InputError, match=r"syntax 'xml'.*plain"):
        find_rewriter("fr").open({"speaker": "f", "syntax": "xml"})


def test_icu_reads_two_apostrophes_as_one() -> None:
    assert seen("l''ami '{x}'", "icu") == ["l'ami '{x}'"]
    assert seen("l''ami {x}") == [f"l'ami {NAME}"]


def test_blocks_are_read_apart() -> None:
    text = "<ul><li>Tu es prêt</li> <li>Tu es</li></ul><script>prêt</script><p>prêt"
    assert seen(text) == ["Tu es prêt", "Tu es", "prêt"]
    assert any(isinstance(part, Break) for part in find_protected(text))


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        (
            "Tu es {n, plural, =0 {prêt} one {inscrit à # cours} other {abonné à # cours}}, toi.",
            ["Tu es abonné à 5 cours, toi.", "Tu es prêt, toi.", "Tu es inscrit à 5 cours, toi."],
        ),
        (
            "Tu es { $n ->\n    [one] prêt\n   *[other] content { $n }\n}.",
            [f"Tu es content {NAME}.", "Tu es prêt."],
        ),
        (
            "C'est {n, select, a {l'{x}} other {d'{y}}}",
            [f"C'est d'{NAME}", f"C'est l'{NAME}"],
        ),
        (
            "{a, select, x {Tu es {n, plural, one {A} other {B}}} other {C}}",
            ["C", "Tu es B", "Tu es A"],
        ),
    ],
)
def test_each_branch_is_read_in_its_place(text: str, readings: list[str]) -> None:
    assert seen(text) == readings


@pytest.mark.parametrize(
    ("language", "options", "text", "rewritten"),
    [
        ("fr", "listener", "Tu es <b>prêt</b>.", "Tu es <b>prête</b>."),
        ("fr", "listener", "Tu es p<b>rêt</b>.", "Tu es p<b>rête</b>."),
        ("fr", "listener", "Tu es pr&ecirc;t.", "Tu es pr&ecirc;te."),
        ("fr", "listener", "Tu es le premier pr&ecirc;t.", "Tu es la premi&egrave;re pr&ecirc;te."),
        (
            "fr",
            "listener",
            r"Tu es le premier pr\u00eat.",
            r"Tu es la premi\u00e8re pr\u00eate.",
        ),
        (
            "fr",
            "listener",
            "Tu es {n, plural, one {inscrit à # cours} other {abonné}} et prêt.",
            "Tu es {n, plural, one {inscrite à # cours} other {abonnée}} et prête.",
        ),
        (
            "fr",
            "listener",
            "{g, select, male {Tu es prêt} female {Tu es prête} other {Tu es prêt}}",
            "{g, select, male {Tu es prêt} female {Tu es prête} other {Tu es prêt}}",
        ),
        ("hi", "speaker", "मैं <b>थका</b> हूँ, {name}।", "मैं <b>थकी</b> हूँ, {name}।"),
        ("ar", "speaker", "أنا <b>متعب</b> يا %s.", "أنا <b>متعبة</b> يا %s."),
        ("de", "speaker", "Ich bin **Lehrer**.", "Ich bin **Lehrerin**."),
        ("ru", "speaker", "Я <i>устал</i>.", "Я <i>устала</i>."),
    ],
)
def test_every_language_rewrites_around_them(
    language: str, options: str, text: str, rewritten: str
) -> None:
    (done,) = find_rewriter(language).open({options: "f"})([text])
    assert done.text == rewritten


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("{he} saw %(her)s and She <b>likes</b> it.", "{he} saw %(her)s and They <b>like</b> it."),
        ('<p class="her">She&#39;s <i>late</i></p>', '<p class="her">They&#39;re <i>late</i></p>'),
        ('{"her": "She likes it."}', '{"her": "They like it."}'),
        (
            "{n, plural, one {She has # file} other {She <b>has</b> # files}}",
            "{n, plural, one {They have # file} other {They <b>have</b> # files}}",
        ),
        ("<p>She left.</p><p>She knows.</p>", "<p>They left.</p><p>They know.</p>"),
        ("https://her.org/he `she` she_x He goes", "https://her.org/he `she` she_x They go"),
    ],
)
@pytest.mark.parametrize("route", ["rules", "auto"])
def test_english_goes_through_the_same_layer(text: str, rewritten: str, route: str) -> None:
    (done,) = find_rewriter("en").open({"pronouns": "they", "route": route})([text])
    assert done.text == rewritten


@pytest.mark.parametrize(
    "seed",
    [
        *("<", "{", "<!--", "**a ", "[a](", "`a ", "&a", "a_", "%(", '",', "a.", "a@", "a-", "/%"),
        *("\\u", "$a.", "{a, plural, ", "{a,plural,other{", "{ $a -> *[b] ", '<a "', "<x> ", "a/"),
        *("{{", "{%", "<code>", "{a,select,other{b}}", "«a» <b>", "'{", "\u00ad"),
    ],
)
def test_hostile_texts_are_read(seed: str) -> None:
    """A search that tries again from each place would take minutes here."""
    text = seed * (50_000 // len(seed))
    assert all(visible.source == text for visible in visible_texts(text))
