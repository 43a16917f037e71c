// What changed between two runs, item by item: two menus to choose the runs, and one for the kind
// of change. Comes before item_viewer.js in the page.

const CHANGES = "changes between runs"; // the name of the condition; no column is called that

class Changes {
  // Null if there are fewer than two runs, or no outcomes.
  static between(viewer) {
    if (!viewer.runs || !viewer.columns.has("outcome")) return null;
    const counts = viewer.pack.counts(viewer.runs);
    const runs = [...(counts ?? [])].flatMap((count, id) => (id > 0 && count > 0 ? [id] : []));
    return runs.length < 2 ? null : new Changes(viewer, runs);
  }

  constructor(viewer, runs) {
    this.viewer = viewer;
    this.rowsBefore = null;
    const none = element("option", { value: "" }, "–");
    const choices = () =>
      runs.map((id) => {
        const name = viewer.pack.at(viewer.runs.first + id - 1);
        return element("option", { value: id, dir: "auto" }, name);
      });
    this.first = element("select", { name: "first run" }, none, ...choices());
    this.second = element("select", { name: "second run" }, none.cloneNode(true), ...choices());
    this.kind = element("select", { name: "change", disabled: true });
    this.told = element("p", { className: "small", attributes: { role: "status" } });
    for (const menu of [this.first, this.second]) {
      menu.addEventListener("change", () => this.compare());
    }
    this.kind.addEventListener("change", () => this.choose());
    const labelled = (name, menu) =>
      element("label", {}, element("span", {}, name), " ", menu);
    viewer.form.append(
      element(
        "fieldset",
        { className: "changes" },
        element("legend", {}, "What changed between two runs"),
        labelled("from", this.first),
        labelled("to", this.second),
        labelled("change", this.kind),
        this.told,
      ),
    );
    this.forget();
  }

  // The other run's row, or -1.
  before(row) {
    return this.rowsBefore === null ? -1 : this.rowsBefore[row];
  }

  forget() {
    this.rowsBefore = null;
    this.kind.disabled = true;
    this.kind.replaceChildren(element("option", { value: "" }, "any"));
    this.told.textContent = "";
  }

  compare() {
    this.forget();
    this.viewer.conditions.delete(CHANGES);
    const [first, second] = [this.first, this.second].map((menu) => Number(menu.value));
    if (first && second && first !== second) {
      this.pairUp(first, second);
      this.choose();
    } else this.viewer.select();
  }

  // Judgements are paired by item and part.
  pairUp(first, second) {
    const { pack, columns, runs } = this.viewer;
    const [item, part, outcome] = ["item", "part", "outcome"].map((name) => columns.get(name)?.ids);
    const key = (row) => item[row] * 2 ** 24 + (part ? part[row] : 0);
    const rowsOfFirst = new Map();
    for (let row = 0; row < pack.count; row++) {
      if (runs.ids[row] === first && outcome[row]) rowsOfFirst.set(key(row), row);
    }
    this.rowsBefore = new Int32Array(pack.count).fill(-1);
    const kinds = new Map();
    let shared = 0;
    for (let row = 0; row < pack.count; row++) {
      if (runs.ids[row] !== second || !outcome[row]) continue;
      const before = rowsOfFirst.get(key(row));
      if (before === undefined) continue;
      shared++;
      if (outcome[before] === outcome[row]) continue;
      this.rowsBefore[row] = before;
      const kind = this.kindOf(row);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    for (const [kind, count] of [...kinds].sort()) {
      this.kind.append(element("option", { value: kind }, `${kind} (${count})`));
    }
    this.kind.disabled = false;
    const changed = [...kinds.values()].reduce((sum, count) => sum + count, 0);
    this.told.textContent = `Of ${shared} judgements that both runs have, ${changed} have another outcome.`;
  }

  kindOf(row) {
    const { viewer } = this;
    return `${viewer.text("outcome", this.rowsBefore[row])} → ${viewer.text("outcome", row)}`;
  }

  choose() {
    const wanted = this.kind.value;
    this.viewer.keep(
      CHANGES,
      (row) => this.rowsBefore[row] >= 0 && (wanted === "" || this.kindOf(row) === wanted),
    );
    this.viewer.select();
  }
}
