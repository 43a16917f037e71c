"""Files of every format with tricky strings, what is read of them and what a change leaves."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A file; its strings as (key, text); and changes as (index, before, after) with what they turn
    into, piece by piece, in the file."""

    name: str
    content: str
    strings: list[tuple[str, str]]
    changes: list[tuple[int, str, str]]
    edits: list[tuple[str, str]]


PO = r'''# Traduction
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Language: fr_CA\n"

# epicene: listener
#. From the login page
#, fuzzy, c-format
msgctxt "login"
msgid "You are \"%s\""
msgstr ""
"Vous êtes connec"
"té, \"%s\"\n"

msgid "%d friend"
msgid_plural "%d friends"
msgstr[0] "%d ami prêt"
msgstr[1] "%d amis prêts"

msgid "untranslated"
msgstr ""

#~ msgid "old"
#~ msgstr "prêt"'''

XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version='1.2'><file source-language="en" target-language="fr" original="prêt"><body>
<trans-unit id="one"><source>Ready</source>
<target state="needs-review-translation">Vous êtes <g id="1">pr&#234;t</g>, \
<ph id="2">{nom &amp; prêt}</ph><bpt id="3">&lt;b&gt;</bpt>content<ept id="3">&lt;/b&gt;</ept>\
<!-- prêt --> &amp; ravi</target>
<note>epicene: listener</note><alt-trans><target>Prêt</target></alt-trans></trans-unit>
<trans-unit id="two" translate="no"><source>Prêt</source><target>Prêt</target></trans-unit>
<trans-unit id="three"><source>Name</source><target/></trans-unit>
<trans-unit id="four"><source>X</source>\
<target>Le mot <mrk mtype="protected" translate="no">prêt</mrk></target></trans-unit>\
</body></file></xliff>"""

XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1"
srcLang="en" trgLang="ar">
<file id="f"><unit id="u1" name="account.ready"><notes><note>On a button</note></notes>
<segment id="s1" state="translated"><source>Are you ready?</source>\
<target>هل أنت <pc id="1">جاهز</pc>&#x61f;</target></segment>
<ignorable><source> </source><target> جاهز </target></ignorable></unit></file></xliff>
"""

TMX = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US" datatype="plaintext"/><body>
<tu tuid="ready"><note>A button</note><tuv xml:lang="en-US"><seg>Ready</seg></tuv>
<tuv xml:lang="fr-FR"><seg>Prêt <hi>ou</hi> pas</seg></tuv></tu></body></tmx>
"""

ANDROID = r"""<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
    <!-- epicene: speaker -->
    <string name="ready">J\'suis "prêt" \u00e0 <b>tout</b>
        ici</string>
    <string name="brand" translatable="false">Prêt</string>
    <string name="page"><![CDATA[<p>Prêt & content</p>]]></string>
    <string name="alias">@string/ready</string>
    <string-array name="states"><item>Prêt</item><item>Absent</item></string-array>
    <plurals name="friends">
        <item quantity="one">%d ami <xliff:g id="x" example="prêt">prêt</xliff:g></item>
        <item quantity="other">%d amis pr&#xEA;ts</item>
    </plurals>
</resources>
"""

STRINGS = """/* epicene: listener */
"account.\\"state\\"" = "Vous êtes pr\\U00eat,\\n%@";
// a name
short = "Prêt";
"unfinished";
"""

XCSTRINGS = """{
  "sourceLanguage" : "en",
  "strings" : {
    "Ready" : {
      "comment" : "A button",
      "localizations" : {
        "fr" : { "stringUnit" : { "state" : "translated", "value" : "Prêt" } },
        "de" : { "stringUnit" : { "state" : "translated", "value" : "Bereit" } }
      }
    },
    "Friends" : { "localizations" : { "fr" : { "variations" : { "plural" : {
      "one" : { "stringUnit" : { "state" : "new", "value" : "%lld ami" } } } } } } },
    "Brand" : { "shouldTranslate" : false, "localizations" : {
      "fr" : { "stringUnit" : { "state" : "new", "value" : "Prêt" } } } }
  },
  "version" : "1.0"
}"""

ARB = """{
  "@@locale": "fr",
  "ready": "{count, plural, one{Vous êtes prêt} other{Vous êtes prêts}}",
  "@ready": {"description": "Prêt", "placeholders": {"count": {"type": "int"}}}
}
"""

JSON = """{
\t"account": {"state": "Vous \\u00EAtes \\"pr\\u00EAt\\" \\ud83d\\ude00",
\t"prêt": ["Content", 1, null, true, {}, []]},
\t"empty" : ""
}"""

CHROME = """{"ready": {"message": "Prêt", "description": "Prêt"}}"""

YAML = """# prêt
fr:
  # epicene: listener
  state: "Vous \\
    êtes \\u00e9mu \\"et\\" prêt
    à partir"
  block: |-  # prêt
    Prêt

      et content
  folded: >+
    Vous êtes
    prêt

  plain: prêt
    à tout  # prêt
  list: [prêt, 'l''ami', 12, yes]
  anchor: &ready Content
  alias: *ready
"""

FLUENT = """# epicene: listener
ready = Vous êtes "prêt", { $nom }
    et content
    .title = Prêt
-brand = Prêt { "prêt" }

choice = { $n ->
        [one] Un ami
       *[other] { $n } amis
    } prêt
"""

CSV = """key;en;fr;epicene
one;Ready;"Prêt, ""vraiment""
prêt";x
two;Happy;Content;
"""

SRT = """1
00:00:01,000 --> 00:00:02,500
Je suis <i>très</i>
content de

2
00:00:02,600 --> 00:00:04,000
te voir.

3
00:00:09,000 --> 00:00:10,000
- Prêt ?
- Prêt !
"""

VTT = """WEBVTT prêt
Language: fr

NOTE prêt
prêt

intro
00:01.000 --> 00:02.000 align:start
<v Anne>Je <c.loud>suis</c> prêt

00:05.000 --> 00:06.000
Moi aussi
"""

HTML = """<!DOCTYPE html>
<html lang="fr"><head><title>Prêt ?</title>
<meta name="description" content="Vous êtes prêt &amp; content"><style>.prêt {}</style>
<script>var a = "<p title='prêt'>prêt</p>";</script></head>
<body><p class="prêt">Vous <b title="Prêt">êtes pr&ecirc;t</b>
    et <code>prêt</code><!-- prêt --> ravi&nbsp;!</p>
<div translate="no"><p>Prêt</p></div><input type=submit value='Connecté'>
<ul><li>Prêt<li>Content</ul><pre>prêt</pre></body></html>
"""

MARKDOWN = """---
title: Prêt
---
# Prêt #

Vous êtes **prêt**
et `prêt` [ici](https://example.org/prêt).

> - Je suis
>   prêt

```
prêt
```

| Prêt | Content |
|------|---------|
| prêt | a \\| prêt |

<div title="Prêt"><p>Prêt</p></div>
"""

TEXT = """Je suis prêt
Tu es prêt.

Cette ligne est assez longue pour continuer sur la suivante,
puisque je suis prêt.
123
"""

CASES = [
    Case(
        "app.po",
        PO,
        [
            ('login|You are "%s"', 'Vous êtes connecté, "%s"\n'),
            ("%d friend[0]", "%d ami prêt"),
            ("%d friend[1]", "%d amis prêts"),
        ],
        [(0, "connecté", "connectée"), (2, "prêts", "prêtes")],
        [('té, \\"', 'tée, \\"'), ("amis prêts", "amis prêtes")],
    ),
    Case(
        "app.xlf",
        XLIFF,
        [
            (
                "one",
                'Vous êtes <g id="1">prêt</g>, <ph id="2"/><bpt id="3"/>content<ept id="3"/>'
                " & ravi",
            ),
            ("four", 'Le mot <mrk mtype="protected" translate="no">prêt</mrk>'),
        ],
        [(0, "prêt", "prête"), (0, "content", "contente"), (0, "ravi", "ravie")],
        [("pr&#234;t", "pr&#234;te"), (">content<", ">contente<"), ("ravi<", "ravie<")],
    ),
    Case(
        "app2.xliff",
        XLIFF_2,
        [("account.ready/s1", 'هل أنت <pc id="1">جاهز</pc>؟')],
        [(0, "جاهز", "جاهزة")],
        [('<pc id="1">جاهز', '<pc id="1">جاهزة')],
    ),
    Case(
        "memory.tmx",
        TMX,
        [("ready", "Prêt <hi>ou</hi> pas")],
        [(0, "Prêt", "Prête")],
        [("<seg>Prêt", "<seg>Prête")],
    ),
    Case(
        "values-fr/strings.xml",
        ANDROID,
        [
            ("ready", "J'suis prêt à <b>tout</b> ici"),
            ("page", "<p>Prêt & content</p>"),
            ("states[0]", "Prêt"),
            ("states[1]", "Absent"),
            ("friends[one]", '%d ami <xliff:g id="x" example="prêt">prêt</xliff:g>'),
            ("friends[other]", "%d amis prêts"),
        ],
        [(0, "prêt", "prête"), (0, "tout", "l'île"), (1, "content", "contente"), (5, "s", "es")],
        [
            ('suis "prêt', 'suis "prête'),
            ("<b>tout", "<b>l\\'île"),
            ("& content<", "& contente<"),
            ("%d amis pr", "%d amies pr"),
        ],
    ),
    Case(
        "fr.lproj/Localizable.strings",
        STRINGS,
        [('account."state"', "Vous êtes prêt,\n%@"), ("short", "Prêt")],
        [(0, "prêt", "prête"), (1, "Prêt", 'Prêt"e')],
        [("pr\\U00eat", "pr\\U00eate"), ('short = "Prêt', 'short = "Prêt\\"e')],
    ),
    Case(
        "app.xcstrings",
        XCSTRINGS,
        [("Ready", "Prêt"), ("Friends[plural.one]", "%lld ami")],
        [(0, "Prêt", "Prête"), (1, "ami", "amie")],
        [
            ('"translated", "value" : "Prêt"', '"translated", "value" : "Prête"'),
            ("d ami", "d amie"),
        ],
    ),
    Case(
        "app_fr.arb",
        ARB,
        [("ready", "{count, plural, one{Vous êtes prêt} other{Vous êtes prêts}}")],
        [(0, "prêt", "prête")],
        [("prêt}", "prête}")],
    ),
    Case(
        "fr.json",
        JSON,
        [("account.state", 'Vous êtes "prêt" 😀'), ("account.prêt.0", "Content")],
        [(0, "prêt", "prête"), (1, "Content", "Contente")],
        [("pr\\u00EAt", "pr\\u00EAte"), ('"Content"', '"Contente"')],
    ),
    Case(
        "_locales/fr/messages.json",
        CHROME,
        [("ready", "Prêt")],
        [(0, "Prêt", "Prête")],
        [('"message": "Prêt"', '"message": "Prête"')],
    ),
    Case(
        "fr.yml",
        YAML,
        [
            ("state", 'Vous êtes ému "et" prêt à partir'),
            ("block", "Prêt\n\n  et content"),
            ("folded", "Vous êtes prêt"),
            ("plain", "prêt à tout"),
            ("list.0", "prêt"),
            ("list.1", "l'ami"),
            ("anchor", "Content"),
        ],
        [
            (0, "ému", "émue"),
            (0, "prêt", "prête"),
            (1, "content", "contente"),
            (2, "prêt", "prête"),
            (3, "prêt", "prête"),
            (5, "ami", "amie d'"),
            (6, "Content", "Contente"),
        ],
        [
            ("\\u00e9mu", "\\u00e9mue"),
            ('" prêt\n', '" prête\n'),
            ("et content", "et contente"),
            ("    prêt\n\n", "    prête\n\n"),
            ("plain: prêt", "plain: prête"),
            ("'l''ami'", "'l''amie d'''"),
            ("&ready Content", "&ready Contente"),
        ],
    ),
    Case(
        "fr/app.ftl",
        FLUENT,
        [
            ("ready", 'Vous êtes "prêt", { $nom }\net content'),
            ("ready.title", "Prêt"),
            ("-brand", 'Prêt { "prêt" }'),
            (
                "choice",
                "{ $n ->\n        [one] Un ami\n       *[other] { $n } amis\n    } prêt",
            ),
        ],
        [(0, "content", "contente"), (1, "Prêt", "Prête"), (3, "Un ami", "Un amie")],
        [("et content", "et contente"), (".title = Prêt", ".title = Prête"), ("Un ami", "Un amie")],
    ),
    Case(
        "app.csv",
        CSV,
        [("one", 'Prêt, "vraiment"\nprêt'), ("two", "Content")],
        [(0, "prêt", 'prête "!"'), (1, "Content", "Contente")],
        [('prêt";x', 'prête ""!""";x'), (";Content;", ";Contente;")],
    ),
    Case(
        "film.fr.srt",
        SRT,
        [
            ("1", "Je suis <i>très</i> content de te voir."),
            ("3", "- Prêt ?"),
            ("3", "- Prêt !"),
        ],
        [(0, "content", "contente"), (2, "Prêt", "Prête")],
        [("content de", "contente de"), ("- Prêt !", "- Prête !")],
    ),
    Case(
        "film.vtt",
        VTT,
        [("intro", "Je suis prêt"), ("11", "Moi aussi")],
        [(0, "prêt", "prête")],
        [("</c> prêt", "</c> prête")],
    ),
    Case(
        "page.html",
        HTML,
        [
            ("2", "Prêt ?"),
            ("3", "Vous êtes prêt & content"),
            ("5", "Vous <b>êtes prêt</b> et <code>prêt</code> ravi\xa0!"),
            ("5", "Prêt"),
            ("7", "Connecté"),
            ("8", "Prêt"),
            ("8", "Content"),
        ],
        [(1, "prêt", "prête"), (2, "prêt", "prête"), (3, "Prêt", "Prête"), (5, "Prêt", "Prête")],
        [
            ("êtes prêt &amp;", "êtes prête &amp;"),
            ("pr&ecirc;t", "pr&ecirc;te"),
            ('<b title="Prêt', '<b title="Prête'),
            ("<li>Prêt", "<li>Prête"),
        ],
    ),
    Case(
        "LISEZMOI.fr.md",
        MARKDOWN,
        [
            ("4", "Prêt"),
            ("6", "Vous êtes **prêt** et `prêt` [ici](https://example.org/prêt)."),
            ("9", "Je suis prêt"),
            ("16", "Prêt"),
            ("16", "Content"),
            ("18", "prêt"),
            ("18", "a \\| prêt"),
            ("20", "Prêt"),
            ("20", "Prêt"),
        ],
        [(0, "Prêt", "Prête"), (1, "prêt", "prête"), (2, "prêt", "prête"), (6, "prêt", "prête")],
        [
            ("# Prêt #", "# Prête #"),
            ("**prêt**", "**prête**"),
            (">   prêt", ">   prête"),
            ("\\| prêt", "\\| prête"),
        ],
    ),
    Case(
        "texte_fr.txt",
        TEXT,
        [
            ("1", "Je suis prêt"),
            ("2", "Tu es prêt."),
            (
                "4",
                "Cette ligne est assez longue pour continuer sur la suivante, "
                "puisque je suis prêt.",
            ),
        ],
        [(0, "prêt", "prête"), (2, "prêt", "prête")],
        [("Je suis prêt\n", "Je suis prête\n"), ("je suis prêt.", "je suis prête.")],
    ),
]
