// The item that is chosen in the list, with all its texts. Comes before item_viewer.js in the page.

const SHOWN_TEXT = 20000; // characters of a text, until asked for more

class Chosen {
  constructor(viewer, pane) {
    this.viewer = viewer;
    this.pane = pane;
  }

  show(row) {
    this.pane.replaceChildren(...(row === null ? [] : this.details(row)));
    this.pane.scrollTop = 0;
  }

  details(row) {
    const { viewer } = this;
    const badges = viewer.badges(row);
    const nodes = [element("h4", { dir: "auto" }, ...badges, " ", viewer.itemName(row))];
    const before = viewer.changes?.before(row) ?? -1;
    if (before >= 0) nodes.push(...this.changed(before, row));
    const aligned = viewer.text("aligned", row);
    if (aligned) nodes.push(...sideBySide(aligned, viewer.language(row)));
    nodes.push(...this.texts(row), this.about(row));
    return nodes;
  }

  // The answers of both runs, if both have one.
  changed(before, row) {
    const { viewer } = this;
    const answers = [before, row].map((each) => viewer.text(ANSWER, each));
    if (answers.some((answer) => answer === null)) return [];
    const words = difference(...answers.map((text) => text.slice(0, SHOWN_TEXT)));
    return [before, row].flatMap((each, index) => [
      element("h5", { dir: "auto" }, `${viewer.pack.text(viewer.runs, each)} answered`),
      this.passage(answers[index], viewer.language(row), words[index]),
    ]);
  }

  texts(row) {
    const { viewer } = this;
    const pair = viewer.pair(row);
    const words = pair ? difference(...pair.texts.map((text) => text.slice(0, SHOWN_TEXT))) : null;
    const nodes = [];
    if (viewer.source(row) !== row) {
      const note = "This item was also judged in another way; these are its texts except the answer.";
      nodes.push(element("p", { className: "small" }, note));
    }
    for (const { name, text } of viewer.texts(row)) {
      const index = pair ? pair.names.indexOf(name) : -1;
      nodes.push(element("h5", { dir: "auto" }, name));
      nodes.push(this.passage(text, viewer.language(row), index < 0 ? null : words[index]));
    }
    if (pair) {
      const differ = words.some((side) => side.some(([, same]) => !same));
      const note = differ
        ? `Underlined words differ between ${pair.names.join(" and ")}.`
        : `The ${pair.names.join(" and the ")} are the same.`;
      nodes.push(element("p", { className: "small" }, note));
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

  about(row) {
    const list = element("dl", { className: "about" });
    for (const column of this.viewer.pack.columns) {
      const text = this.viewer.pack.text(column, row);
      if (text === null || !["run", "filter", "value"].includes(column.role)) continue;
      list.append(
        element("div", {}, element("dt", {}, column.name), element("dd", { dir: "auto" }, text)),
      );
    }
    return list;
  }
}
