// Everything by keyboard: choosing an option by its key, next, undo, help.

const asForm = () => document.querySelector("form[data-questions]");
const questionsOf = (form) => [...form.querySelectorAll(".question")];
const asked = (form) => questionsOf(form).filter((question) => !question.hidden);

// --- which questions are asked -----------------------------------------------------------------

function chosenValues(form, question) {
  const name = `answer.${question.dataset.question}`;
  return new FormData(form).getAll(name).filter((value) => value.trim() !== "");
}

// In order, so that what depends on a question that is not asked is not asked either.
function showAsked(form) {
  const values = new Map();
  for (const question of questionsOf(form)) {
    const when = JSON.parse(question.dataset.when ?? "{}");
    const isAsked = Object.entries(when).every(([name, wanted]) =>
      wanted.some((value) => values.get(name)?.includes(value)),
    );
    question.hidden = !isAsked;
    question.disabled = !isAsked;
    for (const word of wordControls(form, question.dataset.question)) word.disabled = !isAsked;
    values.set(question.dataset.question, isAsked ? chosenValues(form, question) : []);
  }
  if (!form.querySelector(".question.active:not([hidden])")) frameAhead(form, asked(form)[0]);
}

// --- the question that keys go to first -------------------------------------------------------

let framedAhead = null; // a question that got the frame without being gone into

function activate(form, question) {
  framedAhead = null;
  for (const each of questionsOf(form)) each.classList.toggle("active", each === question);
}

// The element to focus: a text field, or the first word to mark; none for options.
function wayIn(form, question) {
  return question.dataset.kind === "marks"
    ? wordControls(form, question.dataset.question)[0]
    : question.querySelector("textarea, input[type=text]");
}

// Frame a question without moving the focus into it.
function frameAhead(form, question) {
  activate(form, question);
  if (question && wayIn(form, question)) framedAhead = question;
}

function moveQuestion(form, step) {
  const all = asked(form);
  const now = all.findIndex((question) => question.classList.contains("active"));
  // Down moves the focus into a framed question before it goes on to the next.
  const stays = step > 0 && framedAhead !== null && framedAhead === all[now];
  const next = stays ? all[now] : all[Math.min(Math.max(now + step, 0), all.length - 1)];
  if (!next) return;
  activate(form, next);
  document.activeElement?.blur();
  wayIn(form, next)?.focus();
  next.scrollIntoView({ block: "nearest" });
}

// The names of a key: its character and, if that is neither a Latin letter nor a digit (a keyboard
// for another script), the one at its physical position. (Latin layouts differ in positions.)
function signs(event) {
  const sign = event.key.toLowerCase();
  if (/^[a-z0-9]$/u.test(sign)) return [sign];
  const physical = /^(?:Key|Digit|Numpad)([A-Z0-9])$/u.exec(event.code)?.[1];
  return [sign, physical?.toLowerCase()].filter(Boolean);
}

function optionFor(form, event) {
  const all = asked(form);
  const from = Math.max(0, all.findIndex((question) => question.classList.contains("active")));
  const inTurn = [...all.slice(from), ...all.slice(0, from)];
  for (const sign of signs(event)) {
    for (const question of inTurn) {
      const options = [...question.querySelectorAll(".option")];
      const found = options.find((option) => option.dataset.key.toLowerCase() === sign);
      if (found) return found;
    }
  }
  return null;
}

function choose(form, option) {
  const input = option.querySelector("input");
  const question = option.closest(".question");
  input.checked = input.type === "checkbox" || !question.dataset.required ? !input.checked : true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  activate(form, question);
  if (input.type === "radio") {
    const all = asked(form);
    frameNext(form, all[all.indexOf(question) + 1] ?? question);
  }
}

// Focus words and empty required fields at once. A draft is left alone, so that a key meant for an
// option is not written into it.
function frameNext(form, question) {
  frameAhead(form, question);
  const entrance = wayIn(form, question);
  const isEmpty = question.dataset.required && entrance?.value === "";
  if (entrance?.type === "checkbox" || isEmpty) entrance.focus({ preventScroll: true });
}

// --- keys --------------------------------------------------------------------------------------

const isText = (target) => target.matches("textarea, input[type=text]");
const isControl = (target) => target.matches("button, a, summary");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
  const form = asForm();
  const done = isText(event.target) ? textKey(form, event) : pageKey(form, event);
  if (done) event.preventDefault();
});

function textKey(form, event) {
  if (event.key === "Escape") {
    event.target.blur();
    return true;
  }
  if (event.key === "Enter" && !event.shiftKey && form) {
    form.requestSubmit();
    return true;
  }
  return false;
}

function pageKey(form, event) {
  const { key, target } = event;
  if (key === "?") {
    const help = document.getElementById("help");
    if (help) help.open = !help.open;
    return help !== null;
  }
  if (key === "Enter") {
    if (isControl(target)) return false;
    if (form) form.requestSubmit();
    else document.querySelector("button.primary, a.primary")?.click();
    return true;
  }
  if (key === "Escape" && target.dataset.span) {
    target.blur();
    return true;
  }
  if (key === "Backspace") return takeBack();
  return form !== null && (moves(form, event) || picks(form, event));
}

function moves(form, { key, target }) {
  if (target.dataset.span && (key === "ArrowLeft" || key === "ArrowRight")) {
    moveWord(target, key);
    return true;
  }
  const native = target.matches("select, input[type=radio]");
  if ((key === "ArrowDown" || key === "ArrowUp") && !native) {
    moveQuestion(form, key === "ArrowDown" ? 1 : -1);
    return true;
  }
  return false;
}

function picks(form, event) {
  if (event.target.matches("select")) return false; // it has keys of its own
  const option = optionFor(form, event);
  if (option) choose(form, option);
  else if (signs(event).includes("u")) return takeBack();
  return option !== null;
}

function takeBack() {
  const form = document.getElementById("undo-form");
  form?.requestSubmit();
  return form !== null;
}
