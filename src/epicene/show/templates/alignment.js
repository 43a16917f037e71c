
// An answer, its reference and the counterfactual set against each other word by word, as nodes.
// Comes between word_diff.js and item_viewer.js in the page.

const SIDES = ["answer", "expected", "other form"];

// What a word of the answer is: the sign above it, the class of its colour, and what it means.
const VERDICTS = {
  right: ["✓", "a gendered word, right"],
  wrong: ["✗", "a gendered word, wrong"],
  spurious: ["!", "another word that was changed, added or left out"],
};

// Each line holds one word that all three share, or a word of each; a dash means none.
function sideBySide(lines, lang) {
  const columns = lines.split("\n").map((line) => line.split(" "));
  const words = element("div", { className: "lines" });
  const seen = new Set();
  for (const column of columns) {
    const kind = verdict(column);
    if (kind) seen.add(kind);
    words.append(wordColumn(column, kind));
  }
  return [element("div", { className: "aligned", dir: "auto", lang }, heads(columns.length), words), legend(seen)];
}

// The row headings, repeated for as many lines as the words may take; the box clips the rest. Read
// out once, and without influence on the direction of the sentence.
function heads(lines) {
  const box = element("div", { className: "heads", dir: "ltr" });
  for (let line = 0; line < lines; line += 1) {
    const head = element(
      "div",
      { className: "words", attributes: line > 0 ? { "aria-hidden": "true" } : {} },
      element("span", { className: "sign" }, "\u00a0"),
      ...SIDES.map((side) => element("span", { className: "side" }, side)),
    );
    box.append(head);
  }
  return box;
}

function verdict(words) {
  if (words.length === 1) return null;
  const [answer, reference, counterfactual] = words;
  if (reference !== counterfactual) return answer === reference ? "right" : "wrong";
  return answer === reference ? null : "spurious";
}

function wordColumn(words, kind) {
  const [answer, reference, counterfactual] = words.length === 1 ? Array(3).fill(words[0]) : words;
  const [sign, meaning] = kind ? VERDICTS[kind] : ["\u00a0", ""];
  const gendered = reference !== counterfactual ? "gendered" : "";
  return element(
    "div",
    { className: `words ${kind ?? ""}`, title: meaning },
    element("span", { className: "sign" }, sign),
    element("span", { className: "answer" }, answer),
    element("span", { className: gendered }, reference),
    element("span", { className: gendered }, counterfactual),
  );
}

function legend(kinds) {
  const shown = Object.keys(VERDICTS).filter((kind) => kinds.has(kind));
  const text = shown.map((kind) => VERDICTS[kind].join(" ")).join("; ");
  return element("p", { className: "small" }, text ? `${text}.` : "No differences.");
}
