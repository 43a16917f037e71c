// Copying and saving. Comes before item_details.js in the page.

// A cell of CSV; one that a spreadsheet would take for a formula gets an apostrophe, as in files.
const FORMULA = /^'*(?:[\t\r\n]|[\s\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹢﹣﹦﹫])/u;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/iu;

function csvCell(text) {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\n\r]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csvText = (rows) => rows.map((row) => `${row.map(csvCell).join(",")}\n`).join("");

// Copies a text and says so on the button for a moment.
async function copy(text, button) {
  const said = button.textContent;
  let told = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (!copyBySelection(text)) told = "Blocked by this browser";
  }
  button.textContent = told;
  setTimeout(() => {
    button.textContent = said;
  }, 1500);
}

function copyBySelection(text) {
  const field = element("textarea", { value: text, className: "unseen" });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

function save(content, name, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
