// The list of judged items: unpacked when it comes near the screen, filtered by the numbers of
// texts, and drawn only where it is visible. Texts become text nodes, never markup.

const ROW_HEIGHT = 58; // as .row in page.css
const TALLEST = 8e6; // browsers lose precision in taller boxes
const SPARE_ROWS = 4;
const LONGEST_MENU = 200; // values; a facet with more gets a field to type in
const ROW_TEXT = 160; // characters of a text in the list: more than fit
const ANYWHERE = ""; // the name of the search in all texts; no column has it

const ANSWER = "answer";
const PAIRS = [
  [ANSWER, "reference"],
  ["reference", "counterfactual"],
];

const SIGNS = { right: "✓", wrong: "✗", undetected: "?" };

class ItemViewer {
  constructor(root, pack) {
    this.root = root;
    this.pack = pack;
    this.columns = new Map(pack.columns.map((column) => [column.name, column]));
    this.runs = pack.columns.find((column) => column.role === "run");
    this.filterColumns = pack.columns.filter((column) => ["run", "filter"].includes(column.role));
    this.textColumns = pack.columns.filter((column) => column.role === "text");
    this.form = root.querySelector(".filters");
    this.list = root.querySelector(".list");
    this.status = root.querySelector(".status");
    this.chosen = new Chosen(this, root.querySelector(".chosen"));
    this.box = element("div", { className: "box" });
    this.list.append(this.box);
    this.index = 0;
    this.carried = 0; // of what a wheel moved, less than a pixel of the bar
    this.nodes = new Map(); // index → what is drawn of it
    this.conditions = new Map(); // name → a one for each row that is kept
    this.turns = new Map(); // name → which search of that name is the last
    this.room = new Uint32Array(pack.count);
    this.addFilters();
    this.changes = Changes.between(this);
    this.listen();
    this.form.hidden = false;
    root.querySelector(".panes").hidden = false;
    this.select();
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

  // --- filters ---

  addFilters() {
    for (const column of this.filterColumns) {
      const counts = this.pack.counts(column);
      const values = counts === null ? Infinity : counts.reduce((n, c, id) => n + (id && c ? 1 : 0), 0);
      const input = values > LONGEST_MENU ? this.field(column) : this.menu(column, counts);
      this.form.append(element("label", {}, element("span", {}, column.name), " ", input));
    }
    this.form.append(element("button", { type: "reset" }, "Show all"));
  }

  menu(column, counts) {
    const menu = element("select", { name: column.name });
    menu.append(element("option", { value: "" }, "all"));
    const values = [...counts.entries()].filter(([id, count]) => id > 0 && count > 0);
    for (const [id, count] of values.sort(([a, n], [b, m]) => m - n || a - b)) {
      const text = `${this.pack.at(column.first + id - 1)} (${count})`;
      menu.append(element("option", { value: id, dir: "auto" }, text));
    }
    menu.addEventListener("change", () => {
      if (menu.value === "") this.conditions.delete(column.name);
      else {
        const wanted = Number(menu.value);
        this.keep(column.name, (row) => column.ids[row] === wanted);
      }
      this.select();
    });
    return menu;
  }

  field(column) {
    const field = element("input", { type: "search", name: column.name, dir: "auto" });
    field.addEventListener("input", () => this.typed(column.name, field.value, [column]));
    return field;
  }

  keep(name, holds) {
    const kept = new Uint8Array(this.pack.count);
    for (let row = 0; row < kept.length; row++) kept[row] = holds(row) ? 1 : 0;
    this.conditions.set(name, kept);
  }

  // Keep the rows with the typed text in one of the columns, unless more is typed meanwhile.
  async typed(name, words, columns) {
    const turn = (this.turns.get(name) ?? 0) + 1;
    this.turns.set(name, turn);
    const wanted = folded(words);
    if (wanted === "") this.conditions.delete(name);
    else {
      const found = await this.pack.hits(wanted, () => this.turns.get(name) !== turn);
      if (found === null) return;
      this.conditions.set(name, this.pack.rows(found, columns));
    }
    this.select();
  }

  select() {
    const [first, ...others] = this.conditions.values();
    const kept = first ? first.slice() : new Uint8Array(this.pack.count).fill(1);
    for (const other of others) {
      for (let row = 0; row < kept.length; row++) kept[row] &= other[row];
    }
    let count = 0;
    for (let row = 0; row < kept.length; row++) if (kept[row] === 1) this.room[count++] = row;
    this.rows = this.room.subarray(0, count);
    this.status.textContent =
      count === this.pack.count ? `${count} judgements` : `${count} of ${this.pack.count} judgements`;
    this.total = count * ROW_HEIGHT;
    this.box.style.height = `${Math.min(this.total, TALLEST)}px`;
    this.list.scrollTop = 0;
    this.box.replaceChildren();
    this.nodes.clear();
    this.choose(0);
  }

  reset() {
    for (const name of this.turns.keys()) this.turns.set(name, this.turns.get(name) + 1);
    this.conditions.clear();
    this.changes?.forget();
    this.select();
  }

  // --- drawing ---

  listen() {
    const search = this.form.querySelector(".search input");
    search.addEventListener("input", () => this.typed(ANYWHERE, search.value, this.pack.columns));
    // Prepare the searched texts while the reader begins to type.
    this.form.addEventListener("focusin", (event) => {
      if (event.target.type === "search") this.pack.folded();
    });
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
    const last = Math.min(this.rows.length, first + fit);
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
    const row = this.rows[index];
    const about = this.filterColumns
      .filter((column) => column.name !== "outcome")
      .map((column) => this.pack.text(column, row))
      .filter((text) => text !== null);
    return element(
      "div",
      {
        className: "row",
        id: `${this.root.id}-${index}`,
        attributes: {
          role: "option",
          "data-index": index,
          "aria-selected": index === this.index,
          "aria-setsize": this.rows.length,
          "aria-posinset": index + 1,
        },
      },
      element("div", { className: "first" }, ...this.badges(row), this.mainText(row)),
      element("div", { className: "second" }, this.isolated([this.itemName(row), ...about])),
    );
  }

  // Names of several scripts side by side, each in its own direction: isolates as characters, since
  // an element for each would be most of what is drawn.
  isolated(texts) {
    return texts.map((text) => `\u2068${text}\u2069`).join(" · ");
  }

  // The outcome; if runs are compared, after that of the other run.
  badges(row) {
    const before = this.changes?.before(row) ?? -1;
    const shown = before < 0 ? [row] : [before, row];
    return shown.flatMap((each, index) => [...(index ? [" → "] : []), ...this.badge(each)]);
  }

  badge(row) {
    const outcome = this.text("outcome", row);
    if (outcome === null) return [];
    return [
      element(
        "span",
        { className: `badge ${outcome}` },
        element("span", { attributes: { "aria-hidden": "true" } }, SIGNS[outcome] ?? "·"),
        ` ${outcome}`,
      ),
    ];
  }

  mainText(row) {
    const own = { className: "text", dir: "auto", lang: this.language(row) };
    const pair = this.pair(row);
    if (pair) {
      const [shown] = difference(...pair.texts.map((text) => text.slice(0, ROW_TEXT)));
      return element("span", own, ...marked(shown));
    }
    const [first] = this.texts(row);
    return element("span", own, (first?.text ?? this.itemName(row)).slice(0, ROW_TEXT));
  }

  // The texts of a row. A row without texts, whose answer was judged by another measure, shows
  // those of its item except the answer.
  texts(row) {
    const source = this.source(row);
    const found = [];
    for (const { name } of this.textColumns) {
      const text = this.text(name, source);
      if (text !== null && (source === row || name !== ANSWER)) found.push({ name, text });
    }
    return found;
  }

  source(row) {
    if (this.textColumns.some((column) => column.ids[row] !== 0)) return row;
    this.sources ??= this.findSources();
    return this.sources.get(this.columns.get("item").ids[row]) ?? row;
  }

  findSources() {
    const sources = new Map();
    const items = this.columns.get("item").ids;
    for (let row = 0; row < this.pack.count; row++) {
      if (sources.has(items[row])) continue;
      if (this.textColumns.some((column) => column.ids[row] !== 0)) sources.set(items[row], row);
    }
    return sources;
  }

  // The two texts to compare word by word: the answer and its reference, or the two alternatives
  // of a choice.
  pair(row) {
    const found = new Map(this.texts(row).map(({ name, text }) => [name, text]));
    const names = PAIRS.find((pair) => pair.every((name) => found.has(name)));
    return names ? { names, texts: names.map((name) => found.get(name)) } : null;
  }

  choose(index) {
    this.nodes.get(this.index)?.setAttribute("aria-selected", "false");
    this.index = Math.max(0, Math.min(index, this.rows.length - 1));
    this.nodes.get(this.index)?.setAttribute("aria-selected", "true");
    this.intoView();
    this.draw();
    this.chosen.show(this.rows.length ? this.rows[this.index] : null);
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
      End: this.rows.length - 1,
    };
    if (!(event.key in rows) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.choose(rows[event.key]);
  }
}

function start(root) {
  const status = root.querySelector(".status");
  status.textContent = "Unpacking the items…";
  Pack.open(root.querySelector("script"))
    .then((pack) => new ItemViewer(root, pack))
    .catch((error) => {
      status.textContent = `The items cannot be shown in this browser (${error.message}).`;
    });
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

whenNear("[data-item-viewer]", start);
