// Figures as SVG and PNG, in the colours of paper; figures and tables as CSV. Comes before
// navigation.js.

const PNG_SCALE = 3;

// The style sheet repaints figures for the dark; their own attributes are those of paper.
const svgText = (figure) => new XMLSerializer().serializeToString(figure.querySelector(".drawing svg"));

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

const wholeRows = (figure) =>
  [...figure.querySelectorAll("table tr")].map((line) =>
    [...line.cells].map((cell) => cell.textContent.trim().replace(/\s+/gu, " ")),
  );

function addFileButtons(root) {
  for (const box of root.querySelectorAll(".files[hidden]")) {
    const figure = box.closest("figure");
    const name = (figure.dataset.name ?? "table").replace(/[^\p{L}\p{N}]+/gu, "-");
    const button = (text, work) => {
      const made = element("button", { type: "button" }, text);
      made.addEventListener("click", () => work(made));
      box.append(made);
    };
    if (figure.matches(".drawn")) {
      button("SVG", () => save(svgText(figure), `${name}.svg`, "image/svg+xml"));
      button("PNG", () => saveAsPng(svgText(figure), name));
    }
    if (figure.dataset.csv) button("CSV", () => save(figure.dataset.csv, `${name}.csv`, "text/csv"));
    if (figure.matches(".table")) button("Copy as CSV", (made) => copy(csvText(wholeRows(figure)), made));
    box.hidden = false;
  }
}
