// The list of judged items, one row each: unpacked when it comes near the screen, filtered by the
// numbers of texts, and drawn only where it is visible. Texts become text nodes, never markup.

const ROW_HEIGHT = 58; // as .row in items.css
const TALLEST = 8e6; // browsers lose precision in taller boxes
const SPARE_ROWS = 4;
const LONGEST_MENU = 200; // values; a facet with more gets a field to type in
const MOST_FILTERS = 6; // under “more filters”; the others can be added
const ROW_TEXT = 160; // characters of a text in the list: more than fit
const MOST_COPIED = 50000; // judgements in one copy
const DIFFER = "differ";
const OTHER_MEASURE = /^(.+) \((.+)\)$/su; // another way to judge the same answer

class ItemViewer {
  constructor(root, pack) {
    this.root = root;
    this.pack = pack;
    this.columns = new Map(pack.columns.map((column) => [column.name, column]));
    this.runs = pack.columns.find((column) => column.role === "run");
    this.textColumns = pack.columns.filter((column) => column.role === "text");
    this.items = this.columns.get("item");
    this.models = this.runs ? this.present(this.runs) : [0];
    this.form = root.querySelector(".filters");
    this.list = root.querySelector(".list");
    this.status = root.querySelector(".status");
    this.details = new ItemDetails(this, root.querySelector(".chosen"));
    this.box = element("div", { className: "box" });
    this.list.append(this.box);
    this.index = 0;
    this.carried = 0; // of what a wheel moved, less than a pixel of the bar
    this.nodes = new Map(); // index → what is drawn of it
    this.inputs = new Map(); // name → the field or menu
    this.conditions = new Map(); // name → a one for each judgement that is kept
    this.found = null; // a one for each item with the searched words
    this.turn = 0; // which search is the last
    this.differing = new Map(); // two models → a one for each item on which they differ
    this.kept = new Uint32Array(this.items.size);
    this.arrange();
    this.findMeasures();
    this.addFilters();
    this.listen();
    this.form.hidden = false;
    root.querySelector(".panes").hidden = false;
    this.select();
  }

  // --- judgements of an item ---

  // The rows of each item, one item after the other.
  arrange() {
    const { ids, size } = this.items;
    this.starts = new Uint32Array(size + 2);
    for (const id of ids) this.starts[id + 1]++;
    for (let id = 0; id <= size; id++) this.starts[id + 1] += this.starts[id];
    const next = this.starts.slice();
    this.ordered = new Uint32Array(this.pack.count);
    for (let row = 0; row < ids.length; row++) this.ordered[next[ids[row]]++] = row;
  }

  // Of the names of judgements, those that judge the same answer as another in another way.
  findMeasures() {
    const parts = this.columns.get("part");
    this.parts = parts ? [null, ...this.valuesOf(parts)] : [null];
    const names = new Map(this.parts.map((name, id) => [name, id]));
    this.bases = this.parts.map((name) => names.get(OTHER_MEASURE.exec(name ?? "")?.[1]) ?? 0);
    this.mains = Uint8Array.from(this.bases, (base) => (base === 0 ? 1 : 0));
    this.part = parts?.ids ?? new Uint8Array(this.pack.count);
  }

  valuesOf(column) {
    return Array.from({ length: column.size }, (_, place) => this.pack.at(column.first + place));
  }

  present(column) {
    const seen = new Uint8Array(column.size + 1);
    for (const id of column.ids) seen[id] = 1;
    return [...seen.keys()].filter((id) => id > 0 && seen[id] === 1);
  }

  // All rows of an item by a model; by any, if it is 0.
  rowsOf(item, model) {
    const rows = [...this.ordered.subarray(this.starts[item], this.starts[item + 1])];
    return model ? rows.filter((row) => this.runs.ids[row] === model) : rows;
  }

  isMain(row) {
    return this.mains[this.part[row]] === 1;
  }

  isOther(row, part) {
    return this.bases[this.part[row]] !== 0 && this.parts[this.bases[this.part[row]]] === part;
  }

  text(name, row) {
    return this.pack.text(this.columns.get(name), row);
  }

  language(row) {
    return this.text("language", row) ?? "";
  }

  itemName(row) {
    return this.text("item", row) ?? "";
  }

  modelName(model) {
    return model ? this.pack.at(this.runs.first + model - 1) : "";
  }

  shownModels() {
    if (this.models.length < 2) return this.models;
    const [first, second] = ["model", "beside"].map((name) => Number(this.inputs.get(name).value));
    return second && second !== first ? [first, second] : [first];
  }

  // --- filters ---

  addFilters() {
    this.addSearch();
    if (this.models.length > 1) {
      const choices = this.models.map((id) => [id, this.modelName(id)]);
      this.menu("model", choices).value = this.models[0];
      this.menu("beside", [["", "none"], ...choices]).value = this.models[1];
    }
    const shown = [["", "all items"]];
    if (this.models.length > 1) shown.push([DIFFER, "where these models differ"]);
    const outcomes = this.columns.get("outcome");
    for (const outcome of ["wrong", "right", "undetected"]) {
      if (outcomes && this.valuesOf(outcomes).includes(outcome)) {
        shown.push([outcome, this.models.length > 1 ? `first model: ${WORDS_FOR[outcome]}` : WORDS_FOR[outcome]]);
      }
    }
    this.menu("show", shown);
    const facets = this.pack.columns.filter(
      (column) => column.role === "filter" && column.name !== "outcome",
    );
    const several = facets
      .map((column) => ({ column, values: this.present(column) }))
      .filter(({ values }) => values.length > 1);
    const more = element("div");
    for (const { column, values } of several) {
      this.facet(column, values, column.name === "language" ? this.form : more);
    }
    if (more.childElementCount) {
      const hidden = this.hideFilters(several.filter(({ column }) => column.name !== "language"));
      const summary = element("summary", {}, `${more.childElementCount - hidden.length} more filters`);
      this.more = element("details", { className: "more" }, summary, more);
      if (hidden.length) more.append(this.adder(hidden));
    }
    const copied = element("button", { type: "button" }, "Copy as CSV");
    copied.addEventListener("click", () => copy(this.csv(), copied));
    this.form.append(element("button", { type: "reset" }, "Show all"), copied);
    if (this.more) this.form.append(this.more);
  }

  // Hide all but the most useful filters, and return the names of those that are hidden.
  hideFilters(several) {
    if (several.length <= MOST_FILTERS) return [];
    const scores = new Map(several.map(({ column, values }) => [column.name, this.usefulness(column, values)]));
    const names = [...scores.keys()].sort((one, other) => scores.get(other) - scores.get(one));
    const hidden = names.slice(MOST_FILTERS);
    for (const name of hidden) this.inputs.get(name).parentElement.hidden = true;
    return hidden.sort((one, other) => one.localeCompare(other));
  }

  // How many judgements have a value; none for what the measure or the model decides already.
  usefulness(column, values) {
    if (["part", "label"].includes(column.name)) return 2;
    const decided = this.isDecidedBy(column, this.part, this.parts.length)
      || (this.runs && this.isDecidedBy(column, this.runs.ids, this.runs.size + 1));
    if (values.length > LONGEST_MENU || decided) return 0;
    return column.ids.reduce((filled, id) => filled + (id > 0), 0) / this.pack.count;
  }

  isDecidedBy(column, keys, size) {
    const first = new Uint32Array(size);
    for (let row = 0; row < keys.length; row++) {
      const id = column.ids[row];
      if (id === 0) continue;
      if (first[keys[row]] === 0) first[keys[row]] = id;
      else if (first[keys[row]] !== id) return false;
    }
    return true;
  }

  // A menu of the hidden filters, which shows the chosen one.
  adder(hidden) {
    const menu = element("select", { name: "add" }, element("option", { value: "" }, "choose"));
    for (const name of hidden) menu.append(element("option", { value: name, dir: "auto" }, name.replaceAll("_", " ")));
    menu.addEventListener("change", () => {
      if (menu.value) this.reveal(this.inputs.get(menu.value)).focus();
      menu.value = "";
    });
    return element("label", {}, element("span", {}, "add a filter"), " ", menu);
  }

  reveal(input) {
    input.parentElement.hidden = false;
    if (this.more?.contains(input)) this.more.open = true;
    return input;
  }

  addSearch() {
    const field = element("input", { type: "search", autocomplete: "off", spellcheck: false, dir: "auto" });
    this.inputs.set("q", field);
    this.form.append(
      element("label", { className: "search" }, element("span", {}, "Search in all texts"), " ", field),
    );
    field.addEventListener("input", () => this.search());
    // Prepare the searched texts while the reader begins to type.
    field.addEventListener("focus", () => this.pack.folded());
  }

  labelled(name, input, parent) {
    this.inputs.set(name, input);
    parent.append(element("label", {}, element("span", { dir: "auto" }, name.replaceAll("_", " ")), " ", input));
  }

  menu(name, choices, parent = this.form, changed = () => this.select()) {
    const menu = element("select", { name });
    for (const [value, text] of choices) {
      menu.append(element("option", { value, dir: "auto" }, text));
    }
    this.labelled(name, menu, parent);
    menu.addEventListener("change", changed);
    return menu;
  }

  facet(column, values, parent) {
    if (values.length <= LONGEST_MENU) {
      const choices = values.map((id) => [id, this.pack.at(column.first + id - 1)]);
      choices.sort(([, one], [, other]) => one.localeCompare(other));
      const menu = this.menu(column.name, [["", "all"], ...choices], parent, () => {
        this.keepFacet(column, menu.value);
        this.select();
      });
      return;
    }
    const field = element("input", { type: "search", name: column.name, dir: "auto" });
    this.labelled(column.name, field, parent);
    field.addEventListener("input", () => this.typed(column, field.value));
  }

  keepFacet(column, value) {
    if (value === "") this.conditions.delete(column.name);
    else {
      const wanted = Number(value);
      const { ids } = column;
      const kept = new Uint8Array(ids.length);
      for (let row = 0; row < kept.length; row++) kept[row] = ids[row] === wanted ? 1 : 0;
      this.conditions.set(column.name, kept);
    }
  }

  // Keep the judgements with the typed text in one column, unless more is typed meanwhile.
  async typed(column, words) {
    const turn = ++this.turn;
    const wanted = folded(words);
    if (wanted === "") this.conditions.delete(column.name);
    else {
      const hits = await this.pack.hits(wanted, () => this.turn !== turn);
      if (hits === null) return;
      this.conditions.set(column.name, this.pack.rows(hits, [column]));
    }
    this.select();
  }

  // Keep the items with the typed text in any judgement.
  async search() {
    const turn = ++this.turn;
    const wanted = folded(this.inputs.get("q").value);
    if (wanted === "") this.found = null;
    else {
      const hits = await this.pack.hits(wanted, () => this.turn !== turn);
      if (hits === null) return;
      const rows = this.pack.rows(hits, this.pack.columns.filter((each) => each.role !== "value"));
      const found = new Uint8Array(this.items.size + 1);
      const { ids } = this.items;
      for (let row = 0; row < rows.length; row++) if (rows[row] === 1) found[ids[row]] = 1;
      this.found = found;
    }
    this.select();
  }

  // The items of which two models have another outcome by the same judgement.
  differ(first, second) {
    const name = `${first} ${second}`;
    if (this.differing.has(name)) return this.differing.get(name);
    const outcome = this.columns.get("outcome")?.ids;
    const made = new Uint8Array(this.items.size + 1);
    const { ordered, starts, part, mains } = this;
    const runs = this.runs.ids;
    const seen = new Int32Array(this.parts.length); // judgement → item, and outcome of the first
    const said = new Uint8Array(this.parts.length);
    for (let item = 1; outcome && item <= this.items.size; item++) {
      for (let at = starts[item]; at < starts[item + 1]; at++) {
        const row = ordered[at];
        if (runs[row] !== first || mains[part[row]] === 0) continue;
        seen[part[row]] = item;
        said[part[row]] = outcome[row];
      }
      for (let at = starts[item]; at < starts[item + 1]; at++) {
        const row = ordered[at];
        if (runs[row] !== second || mains[part[row]] === 0) continue;
        if (seen[part[row]] === item && said[part[row]] !== outcome[row]) made[item] = 1;
      }
    }
    this.differing.set(name, made);
    return made;
  }

  select() {
    const { ids } = this.items;
    const [first, second = 0] = this.shownModels();
    const shown = this.inputs.get("show").value;
    const outcomes = this.columns.get("outcome");
    const wanted = outcomes && shown !== DIFFER ? this.valuesOf(outcomes).indexOf(shown) + 1 : 0;
    const conditions = [...this.conditions.values()];
    const alone = conditions.length === 0 && wanted === 0;
    const keep = new Uint8Array(this.items.size + 1).fill(alone ? 1 : 0);
    const held = conditions.length ? conditions[0].slice() : null;
    for (const other of conditions.slice(1)) {
      for (let row = 0; row < held.length; row++) held[row] &= other[row];
    }
    const runs = this.runs?.ids;
    const { part, mains } = this;
    for (let row = 0; !alone && row < ids.length; row++) {
      if (held !== null && held[row] === 0) continue;
      if (first && runs[row] !== first && (wanted !== 0 || runs[row] !== second)) continue;
      if (wanted !== 0 && (outcomes.ids[row] !== wanted || mains[part[row]] === 0)) continue;
      keep[ids[row]] = 1;
    }
    const also = [this.found, shown === DIFFER && second ? this.differ(first, second) : null];
    for (const other of also) {
      if (other) for (let item = 0; item < keep.length; item++) keep[item] &= other[item];
    }
    let count = 0;
    for (let item = 1; item < keep.length; item++) if (keep[item] === 1) this.kept[count++] = item;
    this.shown = this.kept.subarray(0, count);
    const all = this.items.size;
    const of = count === all ? `${all.toLocaleString("en")} items` : `${count.toLocaleString("en")} of ${all.toLocaleString("en")} items`;
    this.status.textContent = `${of} · ${this.pack.count.toLocaleString("en")} judgements in total`;
    this.total = count * ROW_HEIGHT;
    this.box.style.height = `${Math.min(this.total, TALLEST)}px`;
    this.list.scrollTop = 0;
    this.box.replaceChildren();
    this.nodes.clear();
    this.choose(0);
  }

  reset() {
    this.turn++;
    this.conditions.clear();
    this.found = null;
    // The form's own fields are emptied after this event.
    setTimeout(() => {
      if (this.models.length > 1) {
        this.inputs.get("model").value = this.models[0];
        this.inputs.get("beside").value = this.models[1];
      }
      this.select();
    });
  }

  // --- links ---

  state() {
    const state = new URLSearchParams();
    for (const [name, input] of this.inputs) {
      const shown = input.tagName === "SELECT" ? input.selectedOptions[0]?.textContent : input.value;
      if (["model", "beside"].includes(name)) state.set(name, shown);
      else if (name === "show" ? input.value : input.value) state.set(name, name === "show" ? input.value : shown);
    }
    return state;
  }

  address(item) {
    const state = this.state();
    state.set("item", this.pack.at(this.items.first + item - 1));
    return `${location.href.split("#")[0]}#${this.root.id}?${state}`;
  }

  // Show what a link asks for, by the names that readers see.
  async apply(query) {
    const wanted = new URLSearchParams(query);
    this.conditions.clear();
    this.found = null;
    for (const [name, input] of this.inputs) {
      const text = wanted.get(name) ?? "";
      if (input.tagName !== "SELECT") input.value = text;
      else if (name === "show") input.value = [...input.options].some((each) => each.value === text) ? text : "";
      else {
        const option = [...input.options].find((each) => each.textContent === text);
        if (option) input.value = option.value;
        else if (!["model", "beside"].includes(name)) input.value = "";
      }
    }
    if (wanted.has("model") && !wanted.has("beside") && this.models.length > 1) {
      const [first, second] = [Number(this.inputs.get("model").value), Number(this.inputs.get("beside").value)];
      if (first === second) this.inputs.get("beside").value = this.models.find((id) => id !== first);
    }
    for (const column of this.pack.columns) {
      const input = this.inputs.get(column.name);
      if (column.role !== "filter" || !input || input.value === "") continue;
      this.reveal(input);
      if (input.tagName === "SELECT") this.keepFacet(column, input.value);
      else await this.typed(column, input.value);
    }
    if (this.inputs.get("q").value) await this.search();
    else this.select();
    if (wanted.has("item")) {
      const item = this.valuesOf(this.items).indexOf(wanted.get("item")) + 1;
      const place = this.shown.indexOf(item);
      if (place >= 0) this.choose(place);
    }
  }

  // The judgements of the items in the list by the shown models.
  csv() {
    const models = new Set(this.shownModels());
    const columns = this.pack.columns.filter((each) => !["aligned", "scored", "scores"].includes(each.role));
    const rows = [columns.map((each) => each.name)];
    for (const item of this.shown) {
      for (const row of this.rowsOf(item, 0)) {
        if (this.runs && !models.has(this.runs.ids[row])) continue;
        if (rows.length > MOST_COPIED) return csvText(rows);
        rows.push(columns.map((each) => this.pack.text(each, row) ?? ""));
      }
    }
    return csvText(rows);
  }

  // --- drawing ---

  listen() {
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("reset", () => this.reset());
    let asked = false;
    const later = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        this.draw();
      });
    };
    this.list.addEventListener("scroll", later, { passive: true });
    this.list.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    new ResizeObserver(later).observe(this.list);
    this.list.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.choose(Number(row.dataset.index));
    });
    this.list.addEventListener("keydown", (event) => this.key(event));
  }

  // How far down the whole list the view starts: the box is shorter than a very long list.
  top() {
    const view = this.list.clientHeight;
    const room = Math.min(this.total, TALLEST) - view;
    return room <= 0 ? 0 : (this.list.scrollTop / room) * (this.total - view);
  }

  // In a list that is longer than its box a pixel of the bar is several of the list; a wheel still
  // moves the list by its own pixels.
  wheel(event) {
    if (this.total <= TALLEST || event.ctrlKey) return;
    event.preventDefault();
    const view = this.list.clientHeight;
    const unit = [1, ROW_HEIGHT, view][event.deltaMode];
    this.carried += (event.deltaY * unit * (TALLEST - view)) / (this.total - view);
    const whole = Math.trunc(this.carried);
    this.carried -= whole;
    this.list.scrollTop += whole;
  }

  draw() {
    // Read the layout before changing anything, or it is computed anew each time.
    const top = this.top();
    const { scrollTop } = this.list;
    const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE_ROWS);
    const fit = Math.ceil(this.list.clientHeight / ROW_HEIGHT) + 2 * SPARE_ROWS;
    const last = Math.min(this.shown.length, first + fit);
    const nodes = new Map();
    for (let index = first; index < last; index++) {
      const node = this.nodes.get(index) ?? this.row(index);
      node.style.transform = `translateY(${scrollTop + index * ROW_HEIGHT - top}px)`;
      if (!node.isConnected) this.box.append(node);
      nodes.set(index, node);
    }
    for (const [index, node] of this.nodes) if (!nodes.has(index)) node.remove();
    this.nodes = nodes;
    const id = `${this.root.id}-${this.index}`;
    if (first <= this.index && this.index < last) {
      this.list.setAttribute("aria-activedescendant", id);
    } else this.list.removeAttribute("aria-activedescendant");
  }

  row(index) {
    const item = this.shown[index];
    const models = this.shownModels();
    const rows = models.map((model) => this.rowsOf(item, model));
    const [any] = rows.flat().length ? rows.flat() : this.rowsOf(item, 0);
    const about = [this.itemName(any), this.language(any), ...this.brief(any)].filter(Boolean);
    return element(
      "div",
      {
        className: "row",
        id: `${this.root.id}-${index}`,
        attributes: {
          role: "option",
          "data-index": index,
          "aria-selected": index === this.index,
          "aria-setsize": this.shown.length,
          "aria-posinset": index + 1,
        },
      },
      element("div", { className: "primary" }, ...rows.map((own) => this.outcome(own)), this.mainText(rows.flat(), any)),
      element("div", { className: "second-line" }, this.isolated(about)),
    );
  }

  // A few facets of a judgement.
  brief(row) {
    const columns = this.pack.columns.filter(
      ({ role, name }) => role === "filter" && !["outcome", "label", "language", "part"].includes(name),
    );
    return columns.map((column) => this.pack.text(column, row)).filter((text) => text !== null).slice(0, 4);
  }

  // Names of several scripts side by side, each in its own direction: isolates as characters, since
  // an element for each would be most of what is drawn.
  isolated(texts) {
    return texts.map((text) => `\u2068${text}\u2069`).join(" · ");
  }

  // One model's outcome of an item: the same for all its judgements, or how many are right.
  outcome(rows) {
    const outcomes = rows.filter((row) => this.isMain(row)).map((row) => this.text("outcome", row)).filter(Boolean);
    if (!outcomes.length) return "";
    const right = outcomes.filter((each) => each === "right").length;
    if (outcomes.every((each) => each === outcomes[0])) return badge(outcomes[0], outcomes.length > 1 ? `${right}/${outcomes.length}` : "");
    return badge("mixed", `${right}/${outcomes.length}`);
  }

  mainText(rows, any) {
    const row = rows.find((each) => this.textColumns.some((column) => column.ids[each] !== 0)) ?? any;
    const own = { className: "text", dir: "auto", lang: this.language(row) };
    const texts = new Map(this.textColumns.map(({ name }) => [name, this.text(name, row)]));
    const [one, other] = texts.get(ANSWER) ? [ANSWER, PAIR[0]] : PAIR;
    if (texts.get(one) && texts.get(other)) {
      const [shown] = difference(...[one, other].map((name) => texts.get(name).slice(0, ROW_TEXT)));
      return element("span", own, ...marked(shown));
    }
    const text = [...texts.values()].find((each) => each) ?? this.itemName(row);
    return element("span", own, text.slice(0, ROW_TEXT));
  }

  choose(index) {
    this.nodes.get(this.index)?.setAttribute("aria-selected", "false");
    this.index = Math.max(0, Math.min(index, this.shown.length - 1));
    this.nodes.get(this.index)?.setAttribute("aria-selected", "true");
    this.intoView();
    this.draw();
    this.details.show(this.shown.length ? this.shown[this.index] : null);
  }

  intoView() {
    const view = this.list.clientHeight;
    const top = this.top();
    const start = this.index * ROW_HEIGHT;
    let wanted = top;
    if (start < top) wanted = start;
    else if (start + ROW_HEIGHT > top + view) wanted = start + ROW_HEIGHT - view;
    if (wanted === top) return;
    const room = Math.min(this.total, TALLEST) - view;
    this.list.scrollTop = (wanted / (this.total - view)) * room;
  }

  key(event) {
    const jump = Math.max(1, Math.floor(this.list.clientHeight / ROW_HEIGHT) - 1);
    const rows = {
      ArrowDown: this.index + 1,
      ArrowUp: this.index - 1,
      PageDown: this.index + jump,
      PageUp: this.index - jump,
      Home: 0,
      End: this.shown.length - 1,
    };
    if (!(event.key in rows) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.choose(rows[event.key]);
  }
}

// Each viewer once, unpacked when it is first wanted.
const viewers = new Map();

function viewerOf(root) {
  if (!viewers.has(root)) {
    const status = root.querySelector(".status");
    status.textContent = "Unpacking the items…";
    const made = Pack.open(root.querySelector("script")).then((pack) => new ItemViewer(root, pack));
    made.catch((error) => {
      status.textContent = `The items cannot be shown in this browser (${error.message}).`;
    });
    viewers.set(root, made);
  }
  return viewers.get(root);
}

// Start what is on the page once it comes near the screen.
function whenNear(selector, begin) {
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        watcher.unobserve(entry.target);
        begin(entry.target);
      }
    },
    { rootMargin: "800px" },
  );
  for (const root of document.querySelectorAll(selector)) watcher.observe(root);
}

whenNear("[data-item-viewer]", viewerOf);
