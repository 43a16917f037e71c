// One item with all its judgements: what both models were given, scored and answered. Comes before
// item_viewer.js in the page.

const SHOWN_TEXT = 20000; // characters of a text, until asked for more
const ANSWER = "answer";
const PAIR = ["reference", "counterfactual"];
const SIGNS = { right: "✓", wrong: "✗", undetected: "–", mixed: "◐" };
const WORDS_FOR = { right: "right", wrong: "wrong", undetected: "no usable answer" };

function badge(outcome, text = "") {
  return element(
    "span",
    { className: `badge ${outcome}` },
    element("span", { attributes: { "aria-hidden": "true" } }, SIGNS[outcome] ?? "·"),
    ` ${text || WORDS_FOR[outcome] || outcome}`,
  );
}

// The candidates of each request, with their sums.
function byRequest(lines, figures) {
  const found = new Map();
  lines.forEach((line, place) => {
    const at = line.indexOf("\t");
    const request = line.slice(0, at);
    if (!found.has(request)) found.set(request, []);
    found.get(request).push({ line: line.slice(at + 1), sum: figures[place] });
  });
  return found;
}

class ItemDetails {
  constructor(viewer, pane) {
    this.viewer = viewer;
    this.pane = pane;
  }

  show(item) {
    this.pane.replaceChildren(...(item === null ? [] : this.nodes(item)));
    this.pane.scrollTop = 0;
  }

  nodes(item) {
    const { viewer } = this;
    const models = viewer.shownModels();
    const rows = models.map((model) => viewer.rowsOf(item, model));
    const all = rows.flat();
    const [first] = all.length ? all : viewer.rowsOf(item, 0);
    const lang = viewer.language(first);
    const scored = this.scores(models, rows, lang);
    const common = this.common(all, scored.texts);
    return [
      this.head(item, first),
      ...this.passages(common, lang),
      ...scored.nodes,
      element(
        "div",
        { className: "duo" },
        ...models.map((model, index) => this.answered(model, rows[index], common, lang)),
      ),
      this.about(all.length ? all : [first]),
    ];
  }

  head(item, row) {
    const { viewer } = this;
    const link = element("button", { type: "button" }, "Copy link");
    link.addEventListener("click", () => copy(viewer.address(item), link));
    return element(
      "header",
      {},
      element("h4", { dir: "auto" }, viewer.itemName(row)),
      link,
    );
  }

  // Texts that are the same in every judgement, but for answers and what the scores show; what was
  // wanted is set beside a single answer.
  common(rows, shown) {
    const { viewer } = this;
    const found = new Map();
    const answers = rows.filter((row) => viewer.text(ANSWER, row) !== null).length;
    for (const { name } of viewer.textColumns) {
      if (name === ANSWER || (name === PAIR[0] && answers === 1)) continue;
      const texts = new Set(rows.map((row) => viewer.text(name, row)).filter((text) => text !== null));
      const [text] = texts;
      if (texts.size === 1 && !shown.has(text)) found.set(name, text);
    }
    return found;
  }

  passages(texts, lang) {
    const words = this.pairWords(texts);
    return [...texts].flatMap(([name, text]) => [
      element("h5", {}, this.name(name, texts)),
      this.passage(text, lang, words.get(name) ?? null),
    ]);
  }

  // The words in which the two sentences of a pair differ.
  pairWords(texts) {
    if (!PAIR.every((name) => texts.has(name))) return new Map();
    const words = difference(...PAIR.map((name) => texts.get(name).slice(0, SHOWN_TEXT)));
    return new Map(PAIR.map((name, index) => [name, words[index]]));
  }

  name(name, texts) {
    if (!PAIR.includes(name)) return name;
    const written = this.viewer.columns.has("aligned") || !texts.has(PAIR[1]);
    const [good, bad] = written ? ["expected", "other form"] : ["acceptable", "not acceptable"];
    return name === PAIR[0] ? good : bad;
  }

  // What was scored: a table for each set of candidates, with each model's log-probabilities. A
  // request may have another name for another kind of model; what was scored is the same.
  scores(models, rows, lang) {
    const { viewer } = this;
    const tables = new Map(); // candidates, and how often a model has scored them → table
    const texts = new Set();
    rows.forEach((own, index) => {
      for (const row of own) {
        const [what, numbers] = ["scored", "scores"].map((name) => viewer.text(name, row));
        if (what === null || numbers === null) continue;
        const figures = numbers.split(" ").map(Number);
        for (const [request, candidates] of byRequest(what.split("\n"), figures)) {
          const name = candidates.map(({ line }) => line).join("\n");
          let key = name;
          while (tables.get(key)?.requests[index] !== undefined) key += "\n";
          if (!tables.has(key)) {
            const made = candidates.map(({ line }) => {
              const [candidate, right, text] = line.split("\t");
              texts.add(text);
              return { candidate, right, text, sums: [] };
            });
            tables.set(key, { requests: [], candidates: made });
          }
          const table = tables.get(key);
          table.requests[index] = request;
          candidates.forEach(({ sum }, place) => {
            table.candidates[place].sums[index] = sum;
          });
        }
      }
    });
    const nodes = [...tables.values()].map(({ requests, candidates }) =>
      this.scoreTable(requests, candidates, models, rows, lang),
    );
    return { nodes, texts };
  }

  scoreTable(requests, candidates, models, rows, lang) {
    const { viewer } = this;
    const picks = rows.map((own, index) => this.pick(requests[index], candidates, own, index));
    const request = requests.find((name) => name !== undefined);
    const right = candidates.find((each) => each.right === "1");
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, `${request}: log-probability (● marks the chosen one)`),
      ...models.map((model) =>
        element("th", { scope: "col", className: "number", dir: "auto" }, viewer.modelName(model)),
      ),
    );
    const lines = candidates.map((each) => {
      const role = each.right === "1" ? "✓ " : each.right === "0" ? "✗ " : "";
      const word = { good: "acceptable", bad: "not acceptable" }[each.candidate] ?? each.candidate;
      const other = each === right ? candidates.find((one) => one !== right) : right;
      const words = other ? difference(other.text, each.text)[1] : null;
      return element(
        "tr",
        {},
        element(
          "td",
          {},
          element("span", { className: "role" }, `${role}${word}`),
          this.passage(each.text, lang, words),
        ),
        ...models.map((_, index) => this.scoreCell(each, index, picks[index] === each)),
      );
    });
    return element(
      "table",
      { className: "scored" },
      element("thead", {}, head),
      element("tbody", {}, ...lines),
    );
  }

  scoreCell(candidate, index, picked) {
    const sum = candidate.sums[index];
    const text = sum === undefined || Number.isNaN(sum) ? "–" : sum.toFixed(2).replace("-", "−");
    return element(
      "td",
      { className: `number ${picked ? "pick" : ""}` },
      picked ? "● " : "",
      text,
      picked ? element("span", { className: "unseen" }, " chosen") : "",
    );
  }

  // The candidate that was judged to be chosen: by the judgement's label, or by its outcome; where
  // there is no judgement, the likeliest.
  pick(request, candidates, rows, index) {
    const { viewer } = this;
    if (request === undefined) return null;
    const mains = rows.filter((each) => viewer.isMain(each));
    const row =
      mains.find((each) => viewer.text("part", each) === request) ??
      mains.find((each) => request.startsWith(`${viewer.text("part", each)} `));
    if (row !== undefined) {
      const [label, outcome] = ["label", "outcome"].map((name) => viewer.text(name, row));
      const named = candidates.find((each) => each.candidate === label);
      if (named) return named;
      if (outcome === "undetected") return null;
      if (outcome === "right") return candidates.find((each) => each.right === "1") ?? null;
      if (candidates.length === 2) return candidates.find((each) => each.right === "0") ?? null;
    }
    const known = candidates.filter((each) => Number.isFinite(each.sums[index]));
    return known.reduce((best, each) => (best && best.sums[index] >= each.sums[index] ? best : each), null);
  }

  // One model's judgements: the outcome of each, its answer, and how other measures judge it.
  answered(model, rows, common, lang) {
    const { viewer } = this;
    const box = element("div", { className: "answered" });
    if (viewer.models.length > 1) box.append(element("b", { dir: "auto" }, viewer.modelName(model)));
    if (!rows.length) box.append(element("p", { className: "small soft" }, "not asked"));
    for (const row of rows.filter((each) => viewer.isMain(each))) {
      box.append(...this.judged(row, rows, common, lang));
    }
    return box;
  }

  judged(row, rows, common, lang) {
    const { viewer } = this;
    const outcome = viewer.text("outcome", row);
    const [part, label] = ["part", "label"].map((name) => viewer.text(name, row) ?? "");
    const told = [part, label && `label: ${label}`].filter(Boolean).join(" · ");
    const nodes = [
      element("h5", { dir: "auto" }, ...(outcome ? [badge(outcome), " "] : []), told),
    ];
    const aligned = viewer.text("aligned", row);
    if (aligned) nodes.push(...sideBySide(aligned, lang));
    const texts = new Map(
      viewer.textColumns
        .map(({ name }) => [name, viewer.text(name, row)])
        .filter(([name, text]) => text !== null && !common.has(name)),
    );
    const answer = texts.get(ANSWER);
    const wanted = viewer.text(PAIR[0], row);
    if (answer !== undefined && wanted !== null) {
      const words = difference(...[answer, wanted].map((text) => text.slice(0, SHOWN_TEXT)));
      nodes.push(this.passage(answer, lang, words[0]));
      if (answer === wanted) nodes.push(element("p", { className: "small soft" }, "as expected"));
      else if (!common.has(PAIR[0]) && !aligned) {
        nodes.push(element("h5", {}, "expected"), this.passage(wanted, lang, words[1]));
      }
      texts.delete(ANSWER);
      texts.delete(PAIR[0]);
      if (aligned) texts.delete(PAIR[1]);
    } else if (PAIR.every((name) => texts.has(name)) && viewer.text("scored", row) !== null) {
      for (const name of PAIR) texts.delete(name);
    }
    nodes.push(...this.passages(texts, lang));
    const others = rows.filter((each) => viewer.isOther(each, part));
    if (others.length) {
      const list = others.map((each) => {
        const how = viewer.text("part", each).slice(part.length + 2, -1);
        const sign = viewer.text("outcome", each);
        return element("li", {}, ...(sign ? [badge(sign, how)] : [how]));
      });
      nodes.push(element("ul", { className: "measures" }, ...list));
    }
    return nodes;
  }

  passage(text, lang, words) {
    const shown = words ? marked(words) : [text.slice(0, SHOWN_TEXT)];
    const passage = element("p", { className: "passage", dir: "auto", lang }, ...shown);
    if (text.length > SHOWN_TEXT) {
      const button = element("button", { type: "button" }, `Show all ${text.length} characters`);
      button.addEventListener("click", () => passage.replaceChildren(text));
      passage.append("… ", button);
    }
    return passage;
  }

  // Facets that are the same in all of the item's judgements.
  about(rows) {
    const { viewer } = this;
    const list = element("dl", { className: "about" });
    for (const column of viewer.pack.columns) {
      if (column.role !== "filter" || ["outcome", "label", "part"].includes(column.name)) continue;
      const texts = new Set(rows.map((row) => viewer.pack.text(column, row)).filter((text) => text !== null));
      if (texts.size !== 1) continue;
      const [text] = texts;
      list.append(
        element("div", {}, element("dt", {}, column.name.replaceAll("_", " ")), element("dd", { dir: "auto" }, text)),
      );
    }
    return list;
  }
}
