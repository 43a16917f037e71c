// One page at a time, by the address after #; what was open is remembered. Comes last in the page.

const REMEMBERED = `epicene ${document.title} ${document.querySelectorAll(".page").length}`;

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(REMEMBERED)) ?? {};
  } catch {
    return {};
  }
}

function remember(change) {
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify({ ...remembered(), ...change }));
  } catch {
    // A browser that keeps nothing still shows everything.
  }
}

function show(hash) {
  const [id, query] = decodedAddress(hash);
  const target = document.getElementById(id) ?? document.getElementById("overview");
  // The link past the navigation leads to no page of its own: the one that is shown stays.
  const page = target.closest(".page") ?? document.querySelector(".page.on");
  for (const each of document.querySelectorAll(".page.on")) if (each !== page) each.classList.remove("on");
  page.classList.add("on");
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    if (page.contains(fold)) fold.open = true;
  }
  addFileButtons(page.querySelector(".figures") ?? page);
  markCurrent(page, id);
  if (target === page) scrollTo(0, 0);
  else target.scrollIntoView();
  if (target.matches("[data-item-viewer]")) {
    viewerOf(target).then((viewer) => (query === null ? null : viewer.apply(query)));
  }
  if (page.contains(target)) remember({ hash });
}

function decodedAddress(hash) {
  const [id, ...query] = hash.replace(/^#/u, "").split("?");
  let name = id;
  try {
    name = decodeURIComponent(id);
  } catch {
    // Not an address of ours: the overview is shown.
  }
  return [name, query.length ? query.join("?") : null];
}

function markCurrent(page, id) {
  for (const link of document.querySelectorAll(".sidebar [aria-current]")) link.removeAttribute("aria-current");
  for (const entry of document.querySelectorAll(".sidebar [data-page]")) {
    const here = entry.dataset.page === page.id;
    entry.classList.toggle("open", here);
    if (!here) continue;
    entry.querySelector("a").setAttribute("aria-current", "page");
    document.querySelector(".sidebar .here").textContent = entry.querySelector("a").textContent;
    for (const link of entry.querySelectorAll("ul a")) {
      if (link.hash === `#${id}`) link.setAttribute("aria-current", "location");
    }
  }
}

const menu = document.querySelector(".sidebar details");
const narrow = matchMedia("(max-width: 46rem)");
const fitMenu = () => {
  menu.open = !narrow.matches;
};
narrow.addEventListener("change", fitMenu);
fitMenu();
menu.addEventListener("click", (event) => {
  if (narrow.matches && event.target.closest("a")) menu.open = false;
});
addEventListener("hashchange", () => show(location.hash));
// A link to the page that is shown already changes no address.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  if (link && link.getAttribute("href") === location.hash) show(location.hash);
});

// Folds are remembered by their addresses, and get their buttons when they are opened.
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (!target.matches(".page details")) return;
    if (target.open) addFileButtons(target);
    if (!target.id) return;
    const open = new Set(remembered().open);
    if (target.open) open.add(target.id);
    else open.delete(target.id);
    remember({ open: [...open] });
  },
  true,
);

for (const key of document.querySelectorAll("summary .key")) {
  key.dataset.copy = "";
  key.title = "Copy this name";
  key.addEventListener("click", (event) => {
    event.preventDefault();
    copy(key.textContent, key);
  });
}

// What a point or a square says, beside the pointer or the focus.
const tip = document.querySelector(".tip");
const showTip = ({ target }) => {
  const owner = target.closest?.(".drawing [aria-roledescription][aria-label]:not(g)");
  tip.hidden = !owner;
  if (!owner) return;
  tip.textContent = owner.getAttribute("aria-label");
  const box = owner.getBoundingClientRect();
  const left = Math.min(box.left + box.width / 2, innerWidth - tip.offsetWidth - 8);
  const above = box.top - tip.offsetHeight - 4;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${above > 0 ? above : box.bottom + 4}px`;
};
for (const event of ["pointerover", "focusin"]) document.addEventListener(event, showTip);
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") tip.hidden = true;
});

// Boxes of tables and figures show that they scroll, and take the focus, only if they do.
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth;
    target.classList.toggle("scrolls", scrolls);
    target.tabIndex = scrolls ? 0 : -1;
  }
});
for (const box of document.querySelectorAll(".scroll")) widths.observe(box);

// What belongs on paper is unfolded for it; a note that several tables have is printed under the first.
const unfolded = [];
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details[data-print]:not([open])")) {
    fold.open = true;
    unfolded.push(fold);
  }
  const printed = new Set();
  for (const note of document.querySelectorAll("details[open] .notes li:not(:has(sup))")) {
    note.classList.toggle("printed", printed.has(note.textContent));
    printed.add(note.textContent);
  }
});
addEventListener("afterprint", () => {
  for (const fold of unfolded.splice(0)) fold.open = false;
});

for (const id of remembered().open ?? []) {
  const fold = document.getElementById(id);
  if (fold?.matches("details")) fold.open = true;
}
show(location.hash || remembered().hash || "#overview");
