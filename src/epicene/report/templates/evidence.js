// The list of judged items: unpacked when it comes near the screen, filtered by whole numbers,
// and drawn only where it is seen. Texts become text nodes, never markup.

const ROW_HEIGHT = 58; // as .row in page.css
const TALLEST = 8e6; // browsers lose precision in taller boxes
const SPARE_ROWS = 4;
const LONGEST_MENU = 200; // values; a facet with more gets a field to type in
const ROW_TEXT = 400; // characters of a text in the list
const SHOWN_TEXT = 20000; // and beside it, until asked for more

const SIGNS = { right: "✓", wrong: "✗", undetected: "?" };

async function inflate(node) {
  const bytes = Uint8Array.from(atob(node.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = JSON.parse(await new Response(stream).text());
  node.remove();
  return data;
}

async function unpack(node) {
  const data = await inflate(node);
  for (const column of data.columns) column.ids = Int32Array.from(column.ids);
  return data;
}

// --- the list ------------------------------------------------------------------------------

class Evidence {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.strings = data.strings;
    this.columns = new Map(data.columns.map((column) => [column.name, column]));
    this.filterColumns = data.columns.filter((column) => column.role === "filter");
    this.aligned = this.columns.get("aligned");
    this.textColumns = data.columns.filter(
      (column) => column.role === "text" && column !== this.aligned,
    );
    this.form = root.querySelector(".filters");
    this.list = root.querySelector(".list");
    this.chosen = root.querySelector(".chosen");
    this.status = root.querySelector(".status");
    this.box = element("div", { className: "box" });
    this.list.append(this.box);
    this.index = 0;
    this.conditions = new Map();
    this.addFilters();
    this.listen();
    this.form.hidden = false;
    root.querySelector(".panes").hidden = false;
    this.select();
  }

  text(column, row) {
    const id = column ? column.ids[row] : -1;
    return id < 0 ? null : this.strings[id];
  }

  language(row) {
    return this.text(this.columns.get("language"), row) ?? "";
  }

  // Lower-case forms are made when first searched.
  folded() {
    this.lower ??= this.strings.map((text) => text.normalize("NFC").toLowerCase());
    return this.lower;
  }

  // --- filters ---

  addFilters() {
    for (const column of this.filterColumns) {
      const counts = new Map();
      for (const id of column.ids) if (id >= 0) counts.set(id, (counts.get(id) ?? 0) + 1);
      const input = counts.size > LONGEST_MENU ? this.field(column) : this.menu(column, counts);
      this.form.append(element("label", {}, element("span", {}, column.name), " ", input));
    }
    this.form.append(element("button", { type: "reset" }, "Show all"));
  }

  menu(column, counts) {
    const menu = element("select", { name: column.name });
    menu.append(element("option", { value: "" }, "all"));
    const order = [...counts].sort(([a, n], [b, m]) => m - n || a - b);
    for (const [id, count] of order) {
      menu.append(element("option", { value: id, dir: "auto" }, `${this.strings[id]} (${count})`));
    }
    menu.addEventListener("change", () => {
      if (menu.value === "") this.conditions.delete(column.name);
      else {
        const wanted = Number(menu.value);
        this.conditions.set(column.name, (row) => column.ids[row] === wanted);
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

  // Keep the rows that hold what was typed in one of the columns, once the typing pauses.
  typed(name, words, columns) {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      const wanted = words.normalize("NFC").toLowerCase().trim();
      if (wanted === "") this.conditions.delete(name);
      else {
        const hits = Uint8Array.from(this.folded(), (text) => (text.includes(wanted) ? 1 : 0));
        this.conditions.set(name, (row) => columns.some((column) => hits[column.ids[row]] === 1));
      }
      this.select();
    }, 120);
  }

  select() {
    const conditions = [...this.conditions.values()];
    const rows = new Int32Array(this.data.count);
    let count = 0;
    for (let row = 0; row < this.data.count; row++) {
      if (conditions.every((holds) => holds(row))) rows[count++] = row;
    }
    this.rows = rows.subarray(0, count);
    this.status.textContent =
      count === this.data.count ? `${count} items` : `${count} of ${this.data.count} items`;
    this.total = count * ROW_HEIGHT;
    this.box.style.height = `${Math.min(this.total, TALLEST)}px`;
    this.list.scrollTop = 0;
    this.choose(0);
  }

  // --- drawing ---

  listen() {
    const search = this.form.querySelector(".search input");
    search.addEventListener("input", () => this.typed("", search.value, this.data.columns));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("reset", () => {
      clearTimeout(this.pause);
      this.conditions.clear();
      this.select();
    });
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

  draw() {
    const top = this.top();
    const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE_ROWS);
    const fit = Math.ceil(this.list.clientHeight / ROW_HEIGHT) + 2 * SPARE_ROWS;
    const last = Math.min(this.rows.length, first + fit);
    const nodes = [];
    for (let index = first; index < last; index++) {
      const node = this.row(index);
      node.style.top = `${this.list.scrollTop + index * ROW_HEIGHT - top}px`;
      nodes.push(node);
    }
    this.box.replaceChildren(...nodes);
    const id = `${this.root.id}-${this.index}`;
    if (first <= this.index && this.index < last) {
      this.list.setAttribute("aria-activedescendant", id);
    } else this.list.removeAttribute("aria-activedescendant");
  }

  row(index) {
    const row = this.rows[index];
    const about = this.filterColumns
      .filter((column) => column.name !== "outcome")
      .map((column) => this.text(column, row))
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
      element("div", { className: "first" }, ...this.badge(row), this.mainText(row)),
      element("div", { className: "second" }, this.isolated([this.itemName(row), ...about])),
    );
  }

  itemName(row) {
    return this.text(this.columns.get("item"), row) ?? "";
  }

  // Names of several scripts side by side, each in its own direction.
  isolated(texts) {
    const nodes = texts.flatMap((text) => [" · ", element("bdi", {}, text)]);
    return element("span", {}, ...nodes.slice(1));
  }

  badge(row) {
    const outcome = this.text(this.columns.get("outcome"), row);
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
      const [answer] = difference(...pair.map((text) => text.slice(0, ROW_TEXT)));
      return element("span", own, ...marked(answer));
    }
    const text = this.textColumns.map((column) => this.text(column, row)).find((found) => found !== null);
    return element("span", own, (text ?? "").slice(0, ROW_TEXT));
  }

  pair(row) {
    const answer = this.text(this.columns.get("answer"), row);
    const reference = this.text(this.columns.get("reference"), row);
    return answer === null || reference === null ? null : [answer, reference];
  }

  // --- the chosen item ---

  choose(index) {
    this.index = Math.max(0, Math.min(index, this.rows.length - 1));
    this.intoView();
    this.draw();
    this.chosen.replaceChildren(...(this.rows.length ? this.details(this.rows[this.index]) : []));
    this.chosen.scrollTop = 0;
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

  details(row) {
    const pair = this.pair(row);
    const words = pair ? difference(...pair.map((text) => text.slice(0, SHOWN_TEXT))) : null;
    const nodes = [element("h4", { dir: "auto" }, ...this.badge(row), " ", this.itemName(row))];
    const aligned = this.text(this.aligned, row);
    if (aligned) nodes.push(...sideBySide(aligned, this.language(row)));
    for (const column of this.textColumns) {
      const text = this.text(column, row);
      if (text === null) continue;
      const place = words ? ["answer", "reference"].indexOf(column.name) : -1;
      nodes.push(element("h5", { dir: "auto" }, column.name));
      nodes.push(this.passage(text, this.language(row), place < 0 ? null : words[place]));
    }
    if (words) {
      const differ = words.some((side) => side.some(([, same]) => !same));
      const note = differ
        ? "Underlined words differ between answer and reference."
        : "Answer and reference are the same.";
      nodes.push(element("p", { className: "small" }, note));
    }
    nodes.push(this.about(row));
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
    for (const column of this.data.columns) {
      const text = this.text(column, row);
      if (text === null || !["filter", "value"].includes(column.role)) continue;
      list.append(
        element("div", {}, element("dt", {}, column.name), element("dd", { dir: "auto" }, text)),
      );
    }
    return list;
  }

  key(event) {
    const jump = Math.max(1, Math.floor(this.list.clientHeight / ROW_HEIGHT) - 1);
    const places = {
      ArrowDown: this.index + 1,
      ArrowUp: this.index - 1,
      PageDown: this.index + jump,
      PageUp: this.index - jump,
      Home: 0,
      End: this.rows.length - 1,
    };
    if (!(event.key in places) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.choose(places[event.key]);
  }
}

function start(root) {
  const status = root.querySelector(".status");
  status.textContent = "Unpacking the items…";
  unpack(root.querySelector("script"))
    .then((data) => new Evidence(root, data))
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

whenNear("[data-evidence]", start);
