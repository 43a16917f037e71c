
// Contact sheets: a few at a time, filtered and put in order; images are drawn only where they
// are shown. Comes after item_viewer.js in the page.

const SHEETS_AT_A_TIME = 4;
const ORDERS = [
  ["highest first", (a, b) => down(a) - down(b)],
  ["lowest first", (a, b) => up(a) - up(b)],
  ["as listed", (a, b) => a.position - b.position],
];

// A sheet without a value comes last in either direction.
const down = (sheet) => (sheet.value === null ? Infinity : -sheet.value);
const up = (sheet) => (sheet.value === null ? Infinity : sheet.value);

class Contact {
  constructor(root, data, thumbnails) {
    this.root = root;
    this.thumbnails = thumbnails;
    this.sheets = data.sheets.map((sheet, position) => ({
      ...sheet,
      position,
      words: `${sheet.name} ${sheet.about}`.normalize("NFC").toLowerCase(),
    }));
    this.form = root.querySelector(".filters");
    this.status = root.querySelector(".status");
    this.pages = root.querySelector(".pages");
    this.conditions = new Map();
    this.order = this.sheets.some((sheet) => sheet.value !== null) ? 0 : ORDERS.length - 1;
    this.first = 0;
    for (const facet of data.facets) this.addMenu(facet);
    if (this.order === 0) this.addOrders();
    this.listen();
    this.form.hidden = false;
    this.select();
  }

  addMenu(facet) {
    const counts = new Map();
    for (const { facets } of this.sheets) {
      if (facet in facets) counts.set(facets[facet], (counts.get(facets[facet]) ?? 0) + 1);
    }
    if (counts.size < 2) return;
    const menu = element("select", { name: facet });
    menu.append(element("option", { value: "" }, "all"));
    for (const [value, count] of [...counts].sort()) {
      menu.append(element("option", { value, dir: "auto" }, `${value} (${count})`));
    }
    menu.addEventListener("change", () => {
      if (menu.value === "") this.conditions.delete(facet);
      else this.conditions.set(facet, (sheet) => sheet.facets[facet] === menu.value);
      this.select();
    });
    this.form.append(element("label", {}, element("span", {}, facet), " ", menu));
  }

  addOrders() {
    const menu = element("select", { name: "order" });
    ORDERS.forEach(([name], index) => menu.append(element("option", { value: index }, name)));
    menu.addEventListener("change", () => {
      this.order = Number(menu.value);
      this.select();
    });
    this.form.append(element("label", {}, element("span", {}, "order"), " ", menu));
  }

  listen() {
    const search = this.form.querySelector(".search input");
    search.addEventListener("input", () => {
      const wanted = search.value.normalize("NFC").toLowerCase().trim();
      if (wanted === "") this.conditions.delete("");
      else this.conditions.set("", (sheet) => sheet.words.includes(wanted));
      this.select();
    });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    for (const button of this.pages.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        this.first += Number(button.dataset.step) * SHEETS_AT_A_TIME;
        this.draw();
      });
    }
  }

  select() {
    const holds = [...this.conditions.values()];
    this.chosen = this.sheets.filter((sheet) => holds.every((hold) => hold(sheet)));
    this.chosen.sort(ORDERS[this.order][1]);
    this.first = 0;
    this.draw();
  }

  draw() {
    const last = Math.min(this.first + SHEETS_AT_A_TIME, this.chosen.length);
    const shown = this.chosen.slice(this.first, last);
    this.status.textContent = shown.length
      ? `${this.first + 1} to ${last} of ${this.chosen.length} contact sheets`
      : "no contact sheets";
    this.root.querySelector(".sheets").replaceChildren(...shown.map((sheet) => this.sheet(sheet)));
    const [previous, next] = this.pages.querySelectorAll("button");
    previous.disabled = this.first === 0;
    next.disabled = last === this.chosen.length;
    this.pages.hidden = this.chosen.length <= SHEETS_AT_A_TIME;
  }

  sheet(sheet) {
    const strips = sheet.strips.map((strip) => this.strip(strip));
    const heading = element("h4", { lang: sheet.language, dir: "auto" }, sheet.name);
    const model = sheet.facets.model ? `${sheet.facets.model}: ` : "";
    const about = element("p", { className: "small", dir: "auto" }, model + sheet.about);
    const legend = sheet.legend ? [element("p", { className: "small" }, sheet.legend)] : [];
    return element("article", { className: "sheet" }, heading, about, ...strips, ...legend);
  }

  strip(strip) {
    const head = element("h5", {}, strip.heading, " ", element("span", {}, strip.summary));
    const prompts = strip.prompts.map((text) =>
      element("li", { lang: strip.language, dir: "auto" }, text),
    );
    const told = element(
      "details",
      {},
      element("summary", {}, "The prompts"),
      element("ol", {}, ...prompts),
    );
    const images = strip.images.map((image) => this.image(image));
    return element(
      "section",
      { className: "strip" },
      head,
      ...(prompts.length ? [told] : []),
      element("div", { className: "thumbnails" }, ...images),
    );
  }

  image([thumbnail, caption, alt, missing]) {
    const under = element("figcaption", { dir: "auto" }, caption);
    if (thumbnail >= 0) {
      const src = `data:image/webp;base64,${this.thumbnails[thumbnail]}`;
      return element("figure", {}, element("img", { alt, src }), under);
    }
    const why = missing || "not in this file";
    const box = element(
      "div",
      { className: "box-for", attributes: { role: "img", "aria-label": `${alt} (${why})` } },
      why,
    );
    return element("figure", {}, box, under);
  }
}

function startContact(root) {
  const status = root.querySelector(".status");
  status.textContent = "Unpacking the images…";
  const lines = root.querySelector("[data-thumbnails]");
  inflate(root.querySelector("[data-texts]"))
    .then((data) => {
      const thumbnails = lines.textContent.split("\n");
      lines.remove();
      return new Contact(root, data, thumbnails);
    })
    .catch((error) => {
      status.textContent = `The images cannot be shown in this browser (${error.message}).`;
    });
}

whenNear("[data-contact]", startContact);
