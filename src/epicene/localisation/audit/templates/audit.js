// The list of strings: filters, changed words, copy buttons. Texts are only ever set as text.
const STEP = 50; // strings that are shown at a time
const DATA = JSON.parse(document.getElementById("data").textContent);
const WHOSE = { speaker: "the speaker (“I”)", listener: "the listener (“you”)", others: "someone else", unknown: "not known who" };
const GENDERS = { masculine: "a man", feminine: "a woman", both: "both", mixed: "mixed" };
const STYLES = { masculine: "man", feminine: "woman", both: "both" };
const SURE = ["certain", "likely", "guess"];
// As core/control_characters.py: what would act on the page instead of being shown there.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]|\p{Cs}/u;
const form = document.querySelector("form");
const list = document.getElementById("list");
const more = document.getElementById("more");
let found = [];
let prefix = "";

function element(name, options = {}, ...children) {
  const { text, ...attributes } = options;
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) visible(node, text);
  node.append(...children);
  return node;
}

// Adds a text to a node; control characters become visible, as \u202e.
function visible(node, text) {
  for (const part of text.split(new RegExp(`(${CONTROL.source})`, "u"))) {
    if (part && CONTROL.test(part)) {
      const code = part.codePointAt(0).toString(16).padStart(4, "0");
      const shown = document.createElement("span");
      shown.className = "control";
      shown.textContent = `\\u${code}`;
      node.append(shown);
    } else if (part) node.append(part);
  }
}

function language(each) {
  return { lang: each.language, dir: DATA.directions[each.language] ?? "auto" };
}

// The string with its words marked. Offsets count code points, JavaScript counts UTF-16 units.
function marked(node, text, spans) {
  const letters = Array.from(text);
  let reached = 0;
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    if (start < reached) continue;
    visible(node, letters.slice(reached, start).join(""));
    node.append(element("mark", { text: letters.slice(start, end).join("") }));
    reached = end;
  }
  visible(node, letters.slice(reached).join(""));
}

// The words of `after` that are not in `before`, by the longest common subsequence.
function changed(node, before, after) {
  const cut = (text) => text.match(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]/gu) ?? [];
  const one = cut(before), other = cut(after);
  if (one.length * other.length > 250000) return visible(node, after);
  const table = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  for (let i = one.length; i--; )
    for (let j = other.length; j--; )
      table[i][j] = one[i] === other[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  let i = 0, j = 0;
  while (j < other.length) {
    if (i < one.length && one[i] === other[j]) { visible(node, other[j]); i++; j++; }
    else if (i < one.length && table[i + 1][j] >= table[i][j + 1]) i++;
    else node.append(element("ins", { text: other[j++] }));
  }
}

function line(each, what, text) {
  const value = element("span", { class: "value", ...language(each) });
  changed(value, each.text, text);
  const copy = element("button", { type: "button", class: "button no-print", "aria-label": `Copy: ${what}`, text: "Copy" });
  copy.addEventListener("click", () => put(copy, text, value));
  return element("div", { class: "line" }, element("span", { class: "what", text: what }), value, copy);
}

async function put(button, text, shown) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    if (shown) getSelection().selectAllChildren(shown);
    button.textContent = shown ? "Selected: press Ctrl+C" : "Could not copy";
  }
  setTimeout(() => { button.textContent = said; }, 1600);
}

function card(each) {
  const people = Object.entries(each.people);
  const genders = new Set(each.words.map((word) => word.gender));
  const only = genders.size === 1 ? STYLES[[...genders][0]] : "open";
  const head = element("header");
  for (const [whose, gender] of people)
    head.append(element("span", {}, element("span", { class: "tag", text: GENDERS[gender] }), ` ${WHOSE[whose]}`));
  if (!people.length && each.undecided.length) head.append(element("span", { class: "tag", text: "not decided" }));
  for (const kind of new Set(each.problems.map((problem) => problem.kind)))
    head.append(element("span", { class: "tag", text: kind }));
  if (each.sure) head.append(element("span", { text: each.sure }));
  if (each.status) head.append(element("span", { text: each.status }));
  for (const rule of each.failed) head.append(element("span", { text: `matches --fail-on ${rule}` }));
  head.append(element("span", { class: "key" }, element("bdi", { text: each.file }), `:${each.line} · `, element("bdi", { text: each.key })));
  const text = element("p", { class: "text", ...language(each) });
  marked(text, each.text, each.words.length ? each.words : [...each.undecided, ...each.problems]);
  const article = element("article", { class: only }, head, text);
  for (const one of each.forms) {
    const whom = each.forms.some((other) => other.whose !== one.whose) ? `, ${WHOSE[one.whose]}` : "";
    article.append(line(each, `For ${GENDERS[one.gender]}${whom}`, one.text));
  }
  if (each.neutral) article.append(line(each, "Without gender", each.neutral));
  for (const kind of new Set(each.problems.map((problem) => problem.kind)))
    article.append(element("p", { class: "small", text: `${DATA.problems[kind]} (${each.problems.filter((problem) => problem.kind === kind).map((problem) => problem.text).join(", ")})` }));
  for (const why of new Set(each.undecided.map((word) => word.why)))
    article.append(element("p", { class: "small muted", text: `${each.undecided.filter((word) => word.why === why).map((word) => word.text).join(", ")}: ${why}.` }));
  return article;
}

const fold = (text) => text.normalize("NFC").toLowerCase();
for (const each of DATA.strings)
  each.searched = fold([each.key, each.file, each.text, ...each.forms.map((one) => one.text)].join("\n"));

const SHOWS = {
  shown: (each) => each.words.length > 0,
  problems: (each) => each.problems.length > 0,
  undecided: (each) => !each.words.length && each.undecided.length > 0,
  new: (each) => each.status === "new",
  changed: (each) => each.status === "changed",
  failed: (each) => each.failed.length > 0,
};

function fits(each, wanted) {
  if (wanted.show && !SHOWS[wanted.show](each)) return false;
  if (wanted.language && each.language !== wanted.language) return false;
  if (wanted.file && each.file !== wanted.file) return false;
  if (wanted.prefix && each.prefix !== wanted.prefix) return false;
  if (wanted.sure && !(SURE.indexOf(each.sure) <= SURE.indexOf(wanted.sure) && each.sure)) return false;
  if ((wanted.gender || wanted.whose) && !each.words.some((word) =>
    (!wanted.gender || word.gender === wanted.gender) && (!wanted.whose || word.whose === wanted.whose))) return false;
  return !wanted.search || each.searched.includes(wanted.search);
}

function filter() {
  const wanted = Object.fromEntries(new FormData(form));
  wanted.search = fold(wanted.search.trim());
  wanted.prefix = prefix;
  found = DATA.strings.filter((each) => fits(each, wanted));
  const of = `${found.length.toLocaleString("en")} of ${DATA.strings.length.toLocaleString("en")} strings`;
  const group = prefix ? `, keys ${prefix}` : "";
  document.getElementById("count").textContent = found.length ? of + group : "No string matches; clear the filters.";
  list.replaceChildren();
  showMore();
}

function showMore() {
  const shown = list.childElementCount;
  list.append(...found.slice(shown, shown + STEP).map(card));
  const left = found.length - list.childElementCount;
  more.hidden = left <= 0;
  more.textContent = `Show ${Math.min(left, STEP)} more (${left.toLocaleString("en")} left)`;
  return list.children[shown];
}

more.addEventListener("click", () => {
  const first = showMore();
  if (first) { first.tabIndex = -1; first.focus({ preventScroll: true }); }
});
document.getElementById("copy-all").addEventListener("click", (event) => {
  const cell = (text) => {
    const one = text.replace(/[\t\r\n]+/g, " ");
    return /^[\s'\p{Cf}]*[=+\-@＝＋－＠]/u.test(one) ? `'${one}` : one; // no spreadsheet runs it
  };
  const form = (each, gender) => each.forms.find((one) => one.gender === gender)?.text ?? "";
  const rows = found.map((each) => [each.file, each.key, each.text, form(each, "masculine"), form(each, "feminine"), each.neutral]);
  put(event.currentTarget, [["file", "key", "text", "masculine", "feminine", "neutral"], ...rows].map((row) => row.map(cell).join("\t")).join("\n"));
});
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => { prefix = ""; setTimeout(filter); });
for (const button of document.querySelectorAll("button[data-file]"))
  button.addEventListener("click", () => {
    form.reset();
    setTimeout(() => {
      if (form.elements.file) form.elements.file.value = button.dataset.file;
      if (form.elements.language) form.elements.language.value = button.dataset.language;
      prefix = button.dataset.prefix;
      filter();
      document.getElementById("strings").focus();
    });
  });
filter();
