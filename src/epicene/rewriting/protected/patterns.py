"""Patterns for markup, placeholders, addresses and escapes."""

from __future__ import annotations

import re

import regex

# Nothing is protected in a text without one of these; most texts have none.
_HINT = re.compile(r"[<&{%$\\*_`@#/\[~=\u00ad\u200b\u2060]")
_HINT_IN_WORDS = re.compile(r"\.[A-Za-z]{2}|\"\s*:")


def may_be_protected(text: str) -> bool:
    """Whether a text can have protected parts."""
    return _HINT.search(text) is not None or _HINT_IN_WORDS.search(text) is not None


# --- what begins with a mark ------------------------------------------------------------------

# A conversion is a format only where no word follows: "%s", "%ds", but not "%discount".
_CONVERSION = r"(?:[sd@](?!\p{L}{2})|[iufFeEgGaAxXocpn](?!\p{L}))"
_WIDTH = r"(?:\d+\$)?[\#0\-+]*\d*(?:\.\d+)?(?:hh?|ll?|[qjzLt])?"
_TARGET = r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:\s+\"[^\"\n]*\")?\)"

# In this order: the first that matches at a place counts.
_MARKS = {
    # A brace is looked at by its content first (a plural with branches), then by its shape.
    "choice": r"\{(?=\s*[^{}\[\]]{1,200}(?:,\s*(?:plural|select)|->))",
    "comment": r"<!--.{0,4000}?-->|<\?.{0,4000}?\?>|<!\[CDATA\[|\]\]>|<![A-Za-z][^<>]{0,500}>",
    "control": r"\{\{[\#/^!>].{0,200}?\}\}|\{%.{0,500}?%\}|\{\#.{0,500}?\#\}|<%(?!=).{0,500}?%>",
    "tag": (
        r"</?[A-Za-z][\w:.\-]*+(?:\s(?:[^<>\"']|\"[^\"]*\"|'[^']*')*+)?/?+>|</?\d+\s*/?>"
        r"|&lt;/?[A-Za-z][\w:.\-]*+(?:\s(?:(?!&[lg]t;)[^<>])*+)?/?+&gt;"
    ),
    "fence": r"(?m:^)```.{0,20000}?```",
    "code": r"(?<![\w`])(?:``[^\n]{1,200}?``|`[^`\n]{1,200}`)(?![\w`])",
    "placeholder": (
        r"\{\{.{0,200}?\}\}\}?|[$\#%@]\{[^{}\n]{0,200}\}|\\\([\w.]+\)|<%=.{0,500}?%>"
        r"|\$t\([^()\n]{0,200}\)|\$[A-Z][A-Z0-9_]*\$|(?<![\w$])\$[a-z_]\w*(?:(?:->|\.)[a-z_]\w*)*"
        r"|%\([^()\s]{1,80}\)[\#0\-+]*\d*(?:\.\d+)?[A-Za-z]|%\#@\w+@|(?<!\d)%[A-Za-z_][\w.\-]*%"
        rf"|(?<!\d)%{_WIDTH}{_CONVERSION}|(?<![\d%])%L?\d{{1,2}}(?!\d)"
        r"|(?<!\d)%[\-_]?[YmHMSBbAyjIZ](?!\p{L})"
        r"|\{\s*[\w.$\-]*\s*,\s*(?:number|date|time|duration|spellout|ordinal)\s*(?:,[^{}\n]{0,200})?\}"
        r"|\{[^{}\s\"',;]{0,80}\}|\{\s+[\w.$\-]+(?:\([^{}()\n]*\))?\s+\}|\{\s*[A-Z]+\([^{}]*\)\s*\}"
    ),
    "literal": r"\{\s*\"[^\"{}\n]{0,500}\"\s*\}",  # Fluent
    "key": (  # JSON
        r"(?<=[{,]\s{0,20})\"[^\"\\\n]{0,200}\"(?=\s*:)"
        r"|(?<=(?m:^)\s{0,40})\"[^\"\s]{1,200}\"(?=\s*:)"
    ),
    "quoted": r"'[{}](?:[^']|'')*+'",  # ICU
    "doubled": r"%%|''",
    "entity": r"&(?:\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});",
    "escape": (
        r"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}"
        r"|\\u(?:\{[0-9A-Fa-f]{1,6}\}|[0-9A-Fa-f]{4})|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}"
        r"|\\[^\w\s]|\\[nrt]"
    ),
    "link": rf"!?\[(?=[^\[\]\n]{{0,500}}{_TARGET})",
    "target": _TARGET,
    "bbcode": r"\[/?(?:b|i|u|s|url|color|size|quote)(?:=[^\[\]\n]*)?\]",
    "heading": r"(?<=(?m:^)\s{0,3})\#{1,6}\s+",
    "name": r"(?<![\w&@\#])[@\#][\p{L}_]\w*",
    "count": r"\#",  # in the branches of a plural
    "invisible": r"[\u00ad\u200b\u2060]",
}
FIRST = re.compile(r"[<&{%$\\`@#\[\]\"'!\u00ad\u200b\u2060]")
MARKS = regex.compile(
    "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _MARKS.items()), regex.DOTALL
)

# --- what begins with a letter, or a path -----------------------------------------------------

_EXTENSIONS = (
    "apk|arb|bat|bmp|cfg|conf|cpp|css|csv|dll|dmg|docx?|exe|ftl|gif|gz|html?|ini|ipynb|jar|java"
    "|jpe?g|js|json|jsonl|jsx|kt|log|md|mov|mp[34]|odt|pdf|php|png|pot?|pptx?|py|rar|rtf|scss|sh|sql"
    "|srt|strings|svg|swift|tar|toml|tsv|tsx?|ttf|txt|vtt|wav|webm|webp|xcstrings|xlf|xliff|xlsx?"
    "|xml|ya?ml|zip"
)
_DOMAIN = r"(?:[\w\-]+\.)+(?:com|org|net|edu|gov|info|io)\b(?:/[^\s<>\"]*[\w/])?"
_IN_PATH = r"[\w.@%{}$\-]"
_GENDER_ENDINGS = "in|innen|e|es|a|as|o|os|s|x|ne|te|le|ve|se|rice|trice|euse"

# Without these there is none.
IN_WORDS = re.compile(r"[@\\_]|(?<!<)/(?!>)|=[\"']|\.[A-Za-z]{2}")
WORDS = regex.compile(
    r"(?P<address>"
    r"(?i:\b(?:https?|ftps?|wss?|file)://|\bwww\.(?=\w))[^\s<>\"»”]*[\w/\#=&}+~\-]"
    r"|(?:\bmailto:)?(?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]+(?:\.[\w\-]+)+"
    rf"|(?<![\w@.\-]){_DOMAIN}"
    r"|(?<!\w)[A-Za-z]:\\[^\s<>\"|?*]*\w|(?<![\w\\])\\\\[\w.$\-]+\\[^\s<>\"|?*]*\w"
    rf"|(?<![\w/<.:~@%{{}}$\-])(?:~|\.{{1,2}})?/{_IN_PATH}+(?:/{_IN_PATH}*)+(?<![.])"
    rf"|(?<![\w.\-/])(?:[\w\-]++/)*+[\w\-][\w\-.]*\.(?:{_EXTENSIONS})\b(?!\.?\w)"
    r"|(?<![\w\-])[A-Za-z][\w:\-]*=(?:\"[^\"\n]*\"|'[^'\n]*')"  # an attribute
    # Seen as they are, but never edited.
    r")|(?P<name>(?<!\w)(?:[a-z0-9]++(?:_[a-z0-9]++)++|[A-Z0-9]++(?:_[A-Z0-9]++)++)"
    rf"(?<!_(?:{_GENDER_ENDINGS}))(?!\w))"
)

# --- emphasis, in pairs -----------------------------------------------------------------------

EMPHASIS = (
    regex.compile(r"(\*{2,3})(?=[^\s*])((?:[^*\n]|\*(?!\*)){1,1000}?)(?<=\S)\1(?!\*)"),
    regex.compile(r"(?<!\w)(_{2,3})(?=[^\s_])((?:[^_\n]|_(?!_)){1,1000}?)(?<=\S)\1(?!\w)"),
    regex.compile(r"(~~)(?=[^\s~])([^~\n]{1,1000}?)(?<=\S)\1"),
    regex.compile(r"(?<![\w*\\])(\*)(?=[^\s*])([^*\n]{1,1000}?)(?<=[^\s*\\])\1(?![\w*])"),
    regex.compile(r"(?<![\w\\])(_)(?=[^\s_])([^_\n]{1,1000}?)(?<=[^\s_\\])\1(?!\w)"),
)

# --- what they are ----------------------------------------------------------------------------

TAG = regex.compile(r"(?:<|&lt;)(/?)([\w:.\-]+?)(\s.*?)?(/?)(?:>|&gt;)", regex.DOTALL)
_VALUE = r"(?:\\?\".*?\"|\\?'.*?'|&quot;.*?&quot;|[^\s\"'=<>]+)"
ATTRIBUTES = regex.compile(rf"(?:\s+[\w:.@\-]+(?:\s*=\s*{_VALUE})?)*\s*/?", regex.DOTALL)
# A number stands for these, a name for all other placeholders.
NUMBER = regex.compile(
    rf"%{_WIDTH}[diufFeEgGn]|%[\-_]?[YmHMSyj]|\{{.*,\s*(?:number|ordinal)\b.*\}}|\{{\s*NUMBER\(.*\}}"
    r"|%\([^()]*\)[\#0\-+\d.]*[difg]",
    regex.DOTALL,
)

# Tags that only mark up the words inside them.
INLINE = frozenset(
    "a abbr acronym b bdi bdo bdt big bpt bx cite data del dfn ec em ep ept ex f font g hi i ins it"
    " label mark mrk pc q rt ruby s sc seg small span strike strong sub sup time tt u ut wbr"
    " xliff:g".split()
)
# Tags that begin or end a text of its own.
BLOCK = frozenset(
    "address article aside blockquote body button caption center dd details dialog div dl dt"
    " fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header html legend li main menu"
    " nav ol optgroup option p pre section select source summary table target tbody td textarea"
    " tfoot th thead title tr ul".split()
)
BREAK = frozenset({"br", "hr"})
# What they enclose is no text: a formatting code of another file, nothing to read, or code.
NATIVE = frozenset("bpt ept it".split())
NO_TEXT = frozenset("math script style svg template".split())
WITH_CODE = NATIVE | NO_TEXT | frozenset("code kbd ph samp var".split())
KNOWN = INLINE | BLOCK | BREAK | WITH_CODE | {"x", "img", "input"}
