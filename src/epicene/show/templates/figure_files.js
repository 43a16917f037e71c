// Figures as SVG and PNG, figures and tables as CSV. A figure is drawn anew from what is on the
// screen, shape by shape and text by text, in the colours of paper. Comes before navigation.js.

const PNG_SCALE = 3;
const SVG_MARGIN = 8;
const SHAPES = "line, rect, circle, path, polygon, polyline, text";
const PAINTED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "fill-opacity"];
const LETTERED = ["font-family", "font-size", "font-weight", "font-style", "text-anchor"];

function drawnAsSvg(figure) {
  const root = document.documentElement;
  root.classList.add("light"); // paper is light whatever the screen is
  try {
    const title = figure.querySelector("h4");
    const art = figure.querySelector(".art, .drawing");
    const box = art.getBoundingClientRect();
    const top = title ? title.getBoundingClientRect().top : box.top;
    const width = Math.max(box.width, art.scrollWidth) + 2 * SVG_MARGIN;
    const height = box.bottom - top + 2 * SVG_MARGIN;
    const origin = [box.left - SVG_MARGIN, top - SVG_MARGIN];
    const parts = [title, art].filter(Boolean).flatMap((node) => [...flattened(node, origin)]);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="white"/>${parts.join("")}</svg>`;
  } finally {
    root.classList.remove("light");
  }
}

const escaped = (text) =>
  text.replace(/[&<>"]/gu, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

function* flattened(node, origin) {
  for (const each of node.querySelectorAll("*")) {
    const style = getComputedStyle(each);
    if (style.display === "none" || style.visibility === "hidden" || each.closest(".unseen")) continue;
    if (each instanceof SVGElement) {
      if (each.matches(SHAPES)) yield svgShape(each, style, origin);
    } else yield* background(each, style, origin);
  }
  yield* texts(node, origin);
}

// A shape where it is on the screen, with the paint it has there; lengths in per cent become pixels.
function svgShape(node, style, [left, top]) {
  const { a, b, c, d, e, f } = node.getScreenCTM();
  const names = node.tagName === "text" ? [...PAINTED, ...LETTERED] : PAINTED;
  const paint = names.map((name) => `${name}="${escaped(style.getPropertyValue(name))}"`);
  const lengths = ["x", "y", "x1", "x2", "y1", "y2", "width", "height", "r", "cx", "cy"]
    .filter((name) => node[name]?.baseVal !== undefined && node.hasAttribute(name))
    .map((name) => [name, node[name].baseVal.value ?? node[name].baseVal.getItem(0)?.value]);
  const drawn = lengths.map(([name, value]) => `${name}="${value}"`);
  for (const name of ["d", "points", "dy", "transform"]) {
    if (name !== "transform" && node.hasAttribute(name)) drawn.push(`${name}="${escaped(node.getAttribute(name))}"`);
  }
  const place = `transform="matrix(${[a, b, c, d, e - left, f - top].join(" ")})"`;
  const text = node.tagName === "text" ? escaped(node.textContent) : "";
  return `<${node.tagName} ${drawn.join(" ")} ${paint.join(" ")} ${place}>${text}</${node.tagName}>`;
}

function* background(node, style, [left, top]) {
  if (["rgba(0, 0, 0, 0)", "transparent"].includes(style.backgroundColor)) return;
  if (!node.matches("td, i")) return;
  const box = node.getBoundingClientRect();
  // A canvas knows every notation of colours, other programs do not.
  const colour = asHex(style.backgroundColor);
  yield `<rect x="${box.left - left}" y="${box.top - top}" width="${box.width}" height="${box.height}" rx="3" fill="${colour}"/>`;
}

function asHex(colour) {
  const canvas = element("canvas", { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

// The texts of the page's own elements, line by line.
function* texts(node, [left, top]) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const owner = text.parentElement;
    if (owner instanceof SVGElement || owner.closest(".unseen") || !text.data.trim()) continue;
    const style = getComputedStyle(owner);
    for (const { line, box } of linesOf(text)) {
      const paint = `fill="${style.color}" font-family="${escaped(style.fontFamily)}" font-size="${style.fontSize}" font-weight="${style.fontWeight}"`;
      const baseline = box.bottom - top - (box.height - parseFloat(style.fontSize)) / 2 - parseFloat(style.fontSize) * 0.2;
      yield `<text x="${box.left - left}" y="${baseline}" ${paint}>${escaped(line)}</text>`;
    }
  }
}

function linesOf(text) {
  const range = document.createRange();
  const lines = [];
  for (const word of text.data.matchAll(/\S+\s*/gu)) {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].trimEnd().length);
    const box = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (last && Math.abs(last.box.top - box.top) < 2) last.line += word[0];
    else lines.push({ line: word[0], box });
  }
  return lines.filter(({ box }) => box.width > 0);
}

function saveAsPng(svg, name) {
  const picture = new Image();
  picture.addEventListener("load", () => {
    const canvas = element("canvas", { width: picture.width * PNG_SCALE, height: picture.height * PNG_SCALE });
    const drawing = canvas.getContext("2d");
    drawing.scale(PNG_SCALE, PNG_SCALE);
    drawing.drawImage(picture, 0, 0);
    canvas.toBlob((blob) => save(blob, `${name}.png`));
  });
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

// A cell that spans several lines is repeated on each of them.
function wholeRows(figure) {
  const held = [];
  return [...figure.querySelectorAll("table tr")].map((line) => {
    const row = [];
    const cells = [...line.cells];
    for (let place = 0; cells.length || held[place]?.left > 0; place++) {
      if (held[place]?.left > 0) {
        held[place].left--;
        row.push(held[place].text);
        continue;
      }
      const cell = cells.shift();
      const text = cell.textContent.trim().replace(/\s+/gu, " ");
      held[place] = { left: cell.rowSpan - 1, text };
      row.push(text);
    }
    return row;
  });
}

function addFileButtons(root) {
  for (const box of root.querySelectorAll(".files[hidden]")) {
    const figure = box.closest("figure");
    const name = (figure.dataset.name ?? "table").replace(/[^\p{L}\p{N}]+/gu, "-");
    const button = (text, work) => {
      const made = element("button", { type: "button" }, text);
      made.addEventListener("click", () => work(made));
      box.append(made);
    };
    if (!figure.matches(".table")) {
      button("SVG", () => save(drawnAsSvg(figure), `${name}.svg`, "image/svg+xml"));
      button("PNG", () => saveAsPng(drawnAsSvg(figure), name));
    }
    if (figure.dataset.csv) button("CSV", () => save(figure.dataset.csv, `${name}.csv`, "text/csv"));
    if (figure.matches(".table")) button("Copy as CSV", (made) => copy(csvText(wholeRows(figure)), made));
    box.hidden = false;
  }
}
